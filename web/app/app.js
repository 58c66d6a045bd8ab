/* SPDX-License-Identifier: Apache-2.0 */
/* The application: a model in, the report of `--format html` below, and what can be tried with it. */

/** The example of the first screen, beside this script. */
const EXAMPLE = "distilbert-base.ts14.dyn.onnx";

/** What is shown: its documents, the page as bytes, and the report that tries are compared with. */
const shown = {
    /** @type {{kind: string, data: any, text?: string}[]} */
    documents: [],
    /** @type {Uint8Array|null} */
    page: null,
    /** @type {string|null} */
    base: null,
};

/** @param {string} command of the tool; "" is the analysis @param {string} format @param {string[]} [more] */
function wordsFor(command, format, more = []) {
    const tried = command ? assumed.filter(([option]) => option === "--dim") : assumed;
    return [...(command ? [command] : []), "--format", format, ...optionWords(tried), ...more, "--",
        ...given.models.map((file) => file.name)];
}

function show(documents, page) {
    shown.documents = documents;
    shown.page = page;
    document.body.classList.add("app-has-report");
    parts.allTargets.append(parts.targetList);
    parts.settings.open = !narrow.matches; /* there the verdict comes first */
    parts.tools.hidden = !given.models.length;
    writeOptions(placeIn(documents));
    parts.live.textContent = "The report is shown below.";
    globalThis.npuPartitionPage.showReports(document.getElementById("page"), documents,
        given.models.length ? actions : null);
}

/** The same target as before; of a comparison the new side. @param {{kind: string, data: any}[]} documents */
function placeIn(documents) {
    const reports = documents.filter((item) => item.kind === "report");
    const at = Number((/[#&]t=(\d+)/.exec(location.hash) || [])[1] || 0);
    const hasTarget = reports.every((item) => at < item.data.targets.length);
    if (reports.length === documents.length) return reports.length === 1 && at && hasTarget ? [`t=${at}`] : [];
    return hasTarget && documents.some((item) => item.kind === "diff") ? [`m=${reports.length - 1}`, `t=${at}`] : [];
}

/** With what is assumed; compared with the report without it, where there is one model. */
async function analyze() {
    if (!given.models.length) return;
    showAssumed(analyze);
    showWritten([]);
    actions.written = [];
    const result = await runShown(wordsFor("", "html"), givenFiles(), true);
    if (!result) return;
    const documents = documentsOf(result.output);
    const reports = documents.filter((item) => item.kind === "report");
    if (!reports.length) {
        showProblem(result.messages);
        document.getElementById("page").replaceChildren();
        return;
    }
    if (!assumed.length) {
        shown.base = reports.length === 1 ? reports[0].text : null;
        showDims(reports.map((item) => item.data));
    }
    const canCompare = assumed.length && shown.base && reports.length === 1;
    const compared = canCompare ? await compare(shown.base, reports[0].text) : null;
    show(compared ? documentsOf(compared.output) : documents, compared ? compared.bytes : result.bytes);
}

/** Two reports by the tool's own diff. @param {string} before @param {string} after */
function compare(before, after) {
    const files = [["before.json", before], ["after.json", after]]
        .map(([name, text]) => ({ name, blob: new Blob([text]) }));
    return runShown(["diff", "--format", "html", "before.json", "after.json"], files);
}

/**
 * What a line that is shown says, or the form. What was written stands beside the result, to be saved.
 * @param {string[]|null} line the words of a command "npu-partition fix ..."
 */
async function fix(line) {
    if (given.models.length !== 1) return showProblem("one model at a time can be fixed");
    for (const [option, value] of line ? pairWords(line) : [])
        if (option === "-d" || option === "--dim") chosen.dims.set(...nameAndSize(value));
    const more = [...(allowed.size ? ["--allow", [...allowed].join(",")] : []), "--output",
        `${baseOfModel()}.fixed.onnx`];
    const result = await runShown(fixWords(line) || wordsFor("fix", "html", more), givenFiles());
    if (!result) return undefined;
    actions.written = result.files;
    show(documentsOf(result.output), result.bytes);
    showDims([]);
    document.getElementById("page").scrollIntoView();
    return undefined;
}

/** "batch=1" -> ["batch", "1"] @param {string} text @returns {[string, string]} */
function nameAndSize(text) {
    const at = text.lastIndexOf("=");
    return [text.slice(0, at), text.slice(at + 1)];
}

async function split() {
    if (given.models.length !== 1) return showProblem("one model at a time can be split");
    const words = wordsFor("split", "text", ["--weights", "copy", "--output", `${baseOfModel()}.parts`]);
    const result = await runShown(words, givenFiles());
    if (result) showWritten(result.files);
    return undefined;
}

/** What is shown, by the tool in another format; a comparison's page is there already. @param {string} format */
async function download(format) {
    const [, suffix, type] = downloads.find(([name]) => name === format);
    if (format === "html") return saveBlob(`${baseOfModel()}${suffix}`, new Blob([shown.page], { type }));
    const result = await runShown(wordsFor("", format), givenFiles(), true);
    if (result) saveBlob(`${baseOfModel()}${suffix}`, new Blob([result.bytes], { type }));
    return undefined;
}

/** @type {any} */
const actions = {
    written: [],
    tryOptions(text) {
        assume(pairWords(splitWords(text)));
        analyze();
    },
    fix,
    assumeNode(id, device) {
        const report = shown.documents.filter((item) => item.kind === "report").pop().data;
        const { name } = report.targets[0].nodes[id];
        if (!name) return showProblem(`node ${id} has no name, by which it could be placed`);
        assume([["--assume-node", `${name}=${device}`]]);
        return analyze();
    },
    cutAt(name) {
        assume([["--cut", name]]);
        analyze();
    },
    download,
};

/** @param {File[]} files */
async function take(files) {
    try {
        const saved = await sortFiles(files);
        if (saved.length) {
            given.models = [];
            showFiles(changeFiles);
            parts.form.hidden = true;
            showProblem("");
            show(saved, null);
            return;
        }
    } catch (error) {
        showProblem(error.message);
        return;
    }
    changeFiles();
}

/** Other files: nothing that was assumed or shown is about them. */
function changeFiles() {
    assumed = [];
    shown.base = null;
    if (shown.documents.length) chosen.dims.clear();
    parts.dims.replaceChildren();
    showFiles(changeFiles);
    parts.form.hidden = !given.models.length;
    analyze();
}

async function takeExample() {
    try {
        const response = await fetch(EXAMPLE);
        if (!response.ok) throw new Error(`${EXAMPLE}: ${response.status} ${response.statusText}`);
        take([new File([await response.blob()], EXAMPLE)]);
    } catch (error) {
        showProblem(error.message);
    }
}

/** Until there is a report: what comes out, and for which targets. */
function buildStart() {
    const item = (name, text) => element("li", {}, element("strong", {}, name), `: ${text}`);
    return element("div", { class: "app-start" },
        element("section", { "aria-labelledby": "app-outcome" },
            element("h2", { id: "app-outcome" }, "What comes out"),
            element("ul", {},
                item("Verdict", "whole, split, none or fails to compile; the time of a run beside the CPU alone"),
                item("Execution order", "what runs where, the partitions, and what the hand-overs between them take"),
                item("Causes", "why nodes fall back: the requirement, what was found, and the rule's source"),
                item("Fix", "the rewritten model as a file to save; of the example, 7 partitions become 1"))),
        element("section", { "aria-labelledby": "app-target-title" },
            element("h2", { id: "app-target-title" }, "Targets"), parts.targetList));
}

/** As in app.css and in the page's style. */
const narrow = matchMedia("(max-width: 640px)");

function build() {
    parts.assumed = element("div", { class: "app-assumed", hidden: true, role: "group", "aria-label": "What if" });
    parts.tools = buildDownloads(download);
    const form = buildForm(() => {
        assumed = [];
        analyze();
    }, [buildFix(() => fix(null), split), parts.tools]);
    form.hidden = true;
    parts.live = element("p", { class: "offscreen", "aria-live": "polite" });
    document.getElementById("app").append(
        element("div", { class: "app-intro" },
            element("p", { class: "app-name" }, "npu-partition"),
            element("p", { class: "app-lead" },
                "Which nodes of an ONNX graph run on an NPU, in how many partitions, at what cost, and why not all."),
            element("p", { class: "muted" }, "The analysis runs in this page. Nothing leaves the browser: ",
                "the page's policy allows no other host.")),
        buildEntrance(take, takeExample), form, ...buildStatus(), parts.live, parts.assumed, buildStart());
}

async function begin() {
    readOptions();
    build();
    const targets = await runTool(["--list-targets"], []);
    if (targets.exit === 0) showTargets(targets.output);
    else showProblem(targets.messages);
}

begin();
