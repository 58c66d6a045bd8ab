/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the tool, one at a time, with what they tell while they go. */

/** @type {AbortController|null} of the run that goes */
let running = null;

const phases = { load: "Loading the tool", read: "Reading", analyze: "Analyzing", write: "Writing" };

function buildStatus() {
    parts.progress = element("progress", { "aria-label": "Progress" });
    parts.phase = element("span", { role: "status", "aria-live": "polite" });
    parts.status = element("div", { class: "app-status", hidden: true }, parts.progress, parts.phase,
        element("button", { type: "button", class: "small", onclick: () => running && running.abort() }, "Cancel"));
    parts.problem = element("pre", { class: "problem app-problem", role: "alert", hidden: true });
    parts.notes = element("details", { class: "app-notes", hidden: true });
    return [parts.status, parts.problem, parts.notes];
}

function showProgress({ phase, done, total }) {
    const text = phase === "read" && total ? `Reading ${bytesText(done)} of ${bytesText(total)}` : phases[phase];
    if (phase === "read" && total) {
        parts.progress.max = total;
        parts.progress.value = done;
    } else {
        parts.progress.removeAttribute("value");
    }
    if (parts.phase.dataset.phase !== phase || phase === "read") parts.phase.textContent = `${text} ...`;
    parts.phase.dataset.phase = phase;
}

/** @param {string} text "" hides it */
function showProblem(text) {
    parts.problem.textContent = plainLines(text).trim();
    parts.problem.hidden = !text;
}

/** What the tool says beside its report. @param {string} messages */
function showNotes(messages) {
    parts.notes.hidden = !messages.trim();
    parts.notes.replaceChildren(element("summary", {}, "Messages of the tool"),
        element("pre", {}, plainLines(messages)));
}

/**
 * One run of the tool with its progress; null where it was ended, or where the tool failed, which is shown.
 * @param {string[]} words @param {{name: string, blob: Blob}[]} files
 * @param {boolean} [isReport] tells of unread models
 */
async function runShown(words, files, isReport = false) {
    if (running) running.abort();
    const mine = new AbortController();
    running = mine;
    parts.status.hidden = false;
    document.body.setAttribute("aria-busy", "true");
    try {
        const result = await runTool(words, files, { onProgress: showProgress, signal: mine.signal });
        const hasFailed = result.exit === 2 || result.exit === 4 || (result.exit === 3 && !isReport);
        showProblem(hasFailed ? result.messages || "The tool failed without a message." : "");
        showNotes(hasFailed ? "" : result.messages);
        return hasFailed ? null : result;
    } catch (error) {
        if (!mine.signal.aborted) showProblem(String(error));
        return null;
    } finally {
        if (running === mine) {
            running = null;
            parts.status.hidden = true;
            document.body.removeAttribute("aria-busy");
        }
    }
}

/**
 * The blocks of a page by the tool, with their JSON as text, in which every "<" is an escape (docs/formats.md).
 * @param {string} page
 * @returns {{kind: string, data: any, text: string}[]}
 */
function documentsOf(page) {
    const block = /^<script type="application\/json" class="npart-data" data-kind="(\w+)">([^<]*)<\/script>$/gm;
    return Array.from(page.matchAll(block), ([, kind, text]) => ({ kind, data: JSON.parse(text), text }));
}
