/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the documents of a page; the application in the browser calls the same function. */

/**
 * @param {HTMLElement} root
 * @param {{kind: string, data: any}[]} documents as `data-kind` of the page's blocks says
 * @param {any} actions what only the application can do, or null
 */
function showReports(root, documents, actions) {
    const reports = documents.filter((item) => item.kind === "report").map((item) => item.data);
    if (!reports.length) return;
    const shown = { report: reports[0], target: reports[0].targets[0], other: null, diff: null, reports };
    const main = element("main", {});
    root.replaceChildren(main);
    buildSections(main, makeContext(shown, actions));
}

/** The reports that stand in the file itself. */
function documentsOfPage() {
    return Array.from(document.querySelectorAll("script.npart-data"),
        (block) => ({ kind: block.dataset.kind, data: JSON.parse(block.textContent) }));
}

const documentsHere = documentsOfPage();
if (documentsHere.length) showReports(document.getElementById("page"), documentsHere, null);
else globalThis.npuPartitionPage = { showReports }; /* for the application, which has no reports yet */
