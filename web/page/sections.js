/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a page: each registers itself, and is built anew when another model or target is shown. */

/**
 * @typedef {ReturnType<typeof prepare>} Graph
 *
 * What a filter of the node table asks for; what is left out does not matter.
 * @typedef {{search?: string, verdict?: string, op?: string, partition?: number, cause?: number, module?: number,
 *            nodes?: number[], label?: string}} TableFilter `module`: by its place in target.modules, with what is in
 *            it; `nodes`: these ids, called `label`
 *
 * What only the application in the browser can do; a page by the tool has none of it.
 * @typedef {{tryOptions?: (argumentsText: string) => void, fix?: (run: string[]|null) => void,
 *            assumeNode?: (id: number, device: string) => void, cutAt?: (name: string) => void,
 *            download?: (format: string) => void, written?: {name: string, blob: Blob}[]}} Actions `fix`: with the
 *     words of a command of the advice, or as the form says; `written`: the files of the run that is shown
 *
 * What is shown.
 * @typedef {Object} Shown
 * @property {any} report the document of the model that is shown; of a comparison the new one
 * @property {any} target one of report.targets
 * @property {any[]} reports all documents of the page
 * @property {{report: any, target: any, graph?: Graph}|null} other the other side of a comparison: the old one
 * @property {any} diff the document of `npu-partition diff`, or null
 * @property {any} fix the document of `npu-partition fix`, or null
 * @property {any[]} outcomes thresholds of this target: {threshold, is_met, text, waiver}
 *
 * @typedef {Object} Sharing
 * @property {Actions|null} actions
 * @property {Graph} graph of the target
 * @property {number|null} selected
 * @property {(id: number|null) => void} select a node by its id
 * @property {(listener: (id: number|null) => void) => void} onSelect
 * @property {(filter: TableFilter) => void} showNodes filters the node table, and goes there
 * @property {(listener: (filter: TableFilter) => void) => void} onShowNodes
 * @property {(id: string) => void} goTo a section: scrolls there, and moves the focus
 * @property {(listener: () => void) => void} onRemove for what a section has outside of its root: listeners, observers
 * @property {(text: string) => void} announce to screen readers
 * @property {any} [lane] the swim-lane, once it is built
 *
 * @typedef {Shown & Sharing} Context
 *
 * @typedef {Object} Section
 * @property {string} id
 * @property {string} title
 * @property {(root: HTMLElement, context: Context) => void} build into an element that has the title already
 * @property {(context: Context) => boolean} [isShown]
 * @property {boolean} [isOpening] stands before all others
 */

/** @type {Section[]} */
const sections = [];

/** @param {Section} section */
function addSection(section) {
    sections.push(section);
}

/**
 * What sections share: what is shown, and the node that is selected.
 * @param {Shown} shown @param {Actions|null} actions
 * @returns {Context & {remove: () => void}} `remove` ends what sections have outside of their roots
 */
function makeContext(shown, actions) {
    const selectListeners = [], filterListeners = [], removeListeners = [];
    let selected = null;
    return {
        ...shown,
        actions,
        graph: prepare(shown.report, shown.target),
        get selected() {
            return selected;
        },
        select(id) {
            if (id === selected) return;
            selected = id;
            for (const listener of selectListeners) listener(id);
        },
        onSelect: (listener) => void selectListeners.push(listener),
        showNodes(filter) {
            for (const listener of filterListeners) listener(filter);
            goToSection("nodes");
        },
        onShowNodes: (listener) => void filterListeners.push(listener),
        goTo: goToSection,
        onRemove: (listener) => void removeListeners.push(listener),
        announce,
        remove() {
            for (const listener of removeListeners) listener();
        },
    };
}

/** @param {string} id */
function goToSection(id) {
    const title = document.getElementById(`title-${id}`);
    if (!title) return;
    title.scrollIntoView({ block: "start" });
    title.focus({ preventScroll: true });
}

/** For screen readers: what a filter left, what was copied. @param {string} text */
function announce(text) {
    const place = document.getElementById("announcements");
    if (place) place.textContent = text;
}

/**
 * Builds the first sections at once and the others one by one while the browser is idle, so that the answer stands
 * there before a large table does. `root` is aria-busy until all are there.
 * @param {HTMLElement} root @param {Context} context @param {() => void} [whenDone]
 * @returns {{id: string, title: string}[]} those that are shown
 */
function buildSections(root, context, whenDone) {
    const shown = sections.filter((section) => !section.isShown || section.isShown(context));
    /* What changed comes before what is. */
    shown.sort((one, two) => Number(Boolean(two.isOpening)) - Number(Boolean(one.isOpening)));
    const waiting = shown.map((section) => ({ section, part: sectionFrame(section) }));
    root.replaceChildren(...waiting.map(({ part }) => part));
    root.setAttribute("aria-busy", "true");
    let isRemoved = false;
    const buildNext = () => {
        const next = isRemoved ? undefined : waiting.shift();
        if (next) buildSection(next.section, next.part, context);
        if (waiting.length || isRemoved) return;
        root.removeAttribute("aria-busy");
        window.removeEventListener("beforeprint", buildRest);
        if (whenDone) whenDone();
    };
    const buildRest = () => {
        while (waiting.length) buildNext();
    };
    const buildLater = () => {
        if (!waiting.length) return;
        buildNext();
        setTimeout(buildLater);
    };
    context.onRemove(() => {
        isRemoved = true;
        window.removeEventListener("beforeprint", buildRest);
    });
    window.addEventListener("beforeprint", buildRest);
    for (let count = 0; count < SECTIONS_AT_ONCE && waiting.length; count++) buildNext();
    setTimeout(buildLater);
    return shown;
}

/** The verdict, and what stands in the same window with it. */
const SECTIONS_AT_ONCE = 2;

/** @param {Section} section */
function sectionFrame(section) {
    const title = element("h2", { id: `title-${section.id}`, tabindex: "-1" }, section.title);
    return element("section", { id: `section-${section.id}`, "aria-labelledby": `title-${section.id}` }, title);
}

/** One section that fails leaves the others as they are. */
function buildSection(section, part, context) {
    try {
        section.build(part, context);
    } catch (error) {
        part.append(element("p", { class: "problem" }, `This part cannot be drawn: ${error}`));
        console.error(error);
    }
}
