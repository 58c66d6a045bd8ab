/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a page: each registers itself, and is built anew when another model or target is shown. */

/** @type {{id: string, title: string, build: Function, isShown?: Function}[]} */
const sections = [];

/**
 * @param {{id: string, title: string, build: (root: HTMLElement, context: any) => void,
 *          isShown?: (context: any) => boolean}} section
 */
function addSection(section) {
    sections.push(section);
}

/** What sections share: what is shown, and the node that is selected. */
function makeContext(shown, actions) {
    const listeners = [];
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
            for (const listener of listeners) listener(id);
        },
        onSelect(listener) {
            listeners.push(listener);
        },
    };
}

function buildSections(root, context) {
    const built = [];
    for (const section of sections) {
        if (section.isShown && !section.isShown(context)) continue;
        const part = element("section", { id: `section-${section.id}`, "aria-labelledby": `title-${section.id}` },
            element("h2", { id: `title-${section.id}` }, section.title));
        built.push(part);
        section.build(part, context);
    }
    root.replaceChildren(...built);
}
