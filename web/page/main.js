/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the documents of a page; the application in the browser calls the same function. */

/** What ends the page that is shown: listeners of its sections and its own. */
let endPage = () => {};

/**
 * @param {HTMLElement} root
 * @param {{kind: string, data: any}[]} documents as `data-kind` of the page's blocks says. With a `diff` or `fix` the
 *     first report is the old side and the second the new one.
 * @param {Actions|null} actions what only the application can do, or null
 */
function showReports(root, documents, actions) {
    endPage();
    const set = gather(documents);
    let view = showView(root, set, readAddress(location.hash), actions);
    const onAddress = () => {
        if (location.hash.startsWith("#section-")) return;
        const address = readAddress(location.hash);
        if (view.isAt(address)) return view.select(address.n);
        const focused = focusedControl();
        view.end();
        /* Targets of one model have the same nodes: the one that is selected stays so. */
        const stays = address.n === undefined && (address.m || 0) === view.model;
        view = showView(root, set, stays ? { ...address, n: view.selected() } : address, actions);
        focusAgain(focused);
    };
    window.addEventListener("hashchange", onAddress);
    endPage = () => {
        view.end();
        window.removeEventListener("hashchange", onAddress);
    };
}

/**
 * One model and target, or the table of all of them.
 * @returns {{isAt: (address: Address) => boolean, model: number, selected: () => number|undefined,
 *            select: (id: number|undefined) => void, end: () => void}} `isAt`: an address is of this view, whatever its
 *     node is
 */
function showView(root, set, address, actions) {
    const pair = pairOf(set, address);
    document.title = pair
        ? plainText(`${baseName(pair.report.model.path)} on ${targetName(pair.target)}`)
        : "npu-partition";
    root.replaceChildren();
    const main = element("main", { class: pair ? "sections" : null });
    const other = pair ? comparedWith(set, pair, address.c) : null;
    const contents = element("nav", { class: "contents", "aria-label": "Contents" });
    appendAll(root, [pair && skipLinks(), header(set, pair, other), pair && contents, main,
        element("p", { id: "announcements", class: "offscreen", "aria-live": "polite" }), footer(set)]);
    const isAt = (wanted) => pairOf(set, wanted) === pair && wanted.c === address.c;
    if (!pair) {
        const ends = [];
        main.append(overview(set, (listener) => void ends.push(listener)));
        return { isAt, model: -1, selected: () => undefined, select() {},
            end: () => ends.forEach((listener) => listener()) };
    }
    const context = makeContext({ report: pair.report, target: pair.target, reports: set.reports, diff: set.diff,
        fix: set.fix, outcomes: outcomesOf(set, pair), other: other && { report: other.report, target: other.target } },
            actions);
    context.onSelect((id) => history.replaceState(null, "", writeAddress({ ...addressOf(set, pair), n: id,
        c: address.c })));
    const shown = buildSections(main, context, () => {
        openOnPaper(main, context);
        const wanted = /^#section-([\w-]+)$/.exec(location.hash);
        if (wanted) goToSection(wanted[1]);
    });
    listContents(contents, shown, context);
    if (address.n !== undefined && context.graph.nodes[address.n]) context.select(address.n);
    return {
        isAt,
        model: pair.model,
        selected: () => (context.selected === null ? undefined : context.selected),
        select: (id) => context.select(id !== undefined && context.graph.nodes[id] ? id : null),
        end: context.remove,
    };
}

/** The reports that stand in the file itself. */
function documentsOfPage() {
    return Array.from(document.querySelectorAll("script.npart-data"), (block) => {
        const kind = /** @type {HTMLElement} */ (block).dataset.kind;
        return { kind, data: JSON.parse(block.textContent) };
    });
}

followTheme();
const documentsHere = documentsOfPage();
if (documentsHere.length) showReports(document.getElementById("page"), documentsHere, null);
else Object.assign(globalThis, { /* for the application, which has no reports yet */
    npuPartitionPage: { showReports, element, plainText, plainLines, bytesText, saveBlob, shellWord },
});
