/* SPDX-License-Identifier: Apache-2.0 */
/* The form above the report: files, targets, sizes and other options. */

const { element, plainText, plainLines, bytesText, saveBlob, shellWord } = globalThis.npuPartitionPage;

/** What the form is made of, once it is there. @type {Object<string, any>} */
const parts = {};

/** @param {() => void} analyze @param {HTMLElement[]} more what stands beside the other options */
function buildForm(analyze, more) {
    parts.files = element("p", { class: "app-files" });
    parts.dims = element("div", { class: "app-dims" });
    parts.targetNames = element("datalist", { id: "app-target-names" });
    parts.targetList = element("div", { class: "app-targets" }, "Loading ...");
    parts.submit = element("button", { type: "submit", class: "primary", disabled: true }, "Analyze");
    parts.form = element("form", { class: "app-form", "aria-label": "Analysis",
        onsubmit: (event) => {
            event.preventDefault();
            analyze();
        } },
    parts.settings = element("details", { class: "app-settings", open: true },
    element("summary", {}, "Target, sizes and more"), parts.files,
    element("div", { class: "app-row" },
        field("Targets", parts.targets = textField(chosen.targets, (value) => (chosen.targets = value),
            { list: "app-target-names", placeholder: "hexagon, intel-npu, ..." })),
        field("Graph optimizations", list(chosen.level, (value) => (chosen.level = value),
            [["", "basic"], ["off", "off"]])),
        field("Runtime", list(chosen.runtime, (value) => (chosen.runtime = value),
            [["", "the target's"], ["bare", "bare"], ["onnxruntime", "ONNX Runtime"], ["tflite", "TFLite"],
                ["coreml", "Core ML"]])),
        parts.dims, parts.submit),
    element("div", { class: "app-more" },
        parts.allTargets = element("details", {}, element("summary", {}, "All targets")),
        element("details", {}, element("summary", {}, "More options"), field("As on the command line",
            textField(chosen.more, (value) => (chosen.more = value),
                { placeholder: "--input x=1x3x224x224 --sustained", class: "app-wide" }))), ...more)));
    return parts.form;
}

function field(label, control) {
    return element("label", { class: "app-field" }, element("span", {}, label), control);
}

function textField(value, onChange, attributes) {
    const input = element("input", { type: "text", value, autocomplete: "off", spellcheck: "false", ...attributes,
        oninput: () => onChange(input.value.trim()) });
    return input;
}

function list(value, onChange, options) {
    const select = element("select", { onchange: () => onChange(select.value) },
        options.map(([key, text]) => element("option", { value: key, selected: key === value }, text)));
    return select;
}

/** The files, each with a way to leave it out. @param {() => void} onChange */
function showFiles(onChange) {
    const chip = (file, what, remove) => element("span", { class: "app-chip" },
        `${what}${plainText(file.name)} `, element("span", { class: "muted" }, bytesText(file.blob.size)),
        element("button", { type: "button", class: "small", "aria-label": `Leave out ${plainText(file.name)}`,
            onclick: () => {
                remove();
                onChange();
            } }, "\u2715"));
    parts.files.replaceChildren(
        ...given.models.map((file) => chip(file, "", () => given.models.splice(given.models.indexOf(file), 1))),
        ...(given.oplist ? [chip(given.oplist, "op list ", () => (given.oplist = null))] : []),
        ...(given.cost ? [chip(given.cost, "costs ", () => (given.cost = null))] : []));
    parts.submit.disabled = !given.models.length;
}

/** A field for each dynamic dimension of the reports, which proposes what the report does. @param {any[]} reports */
function showDims(reports) {
    const proposed = new Map(reports.flatMap((report) => report.targets)
        .flatMap((target) => Object.entries((target.if_fixed && target.if_fixed.dims) || {})));
    for (const name of proposed.keys()) if (!chosen.dims.has(name)) chosen.dims.set(name, "");
    parts.dims.replaceChildren(
        ...Array.from(chosen.dims, ([name, size]) => field(`Size of ${plainText(name)}`, textField(size,
            (value) => chosen.dims.set(name, value),
            { inputmode: "numeric", pattern: "(\\.\\.)?[1-9][0-9]*", class: "app-size",
                placeholder: proposed.has(name) ? String(proposed.get(name)) : "dynamic" }))),
        proposed.size ? element("button", { type: "button", class: "small", onclick: () => {
            for (const [name, size] of proposed) if (!chosen.dims.get(name)) chosen.dims.set(name, String(size));
            showDims(reports);
            parts.form.requestSubmit();
        } }, "Use the proposed sizes") : "");
}

/**
 * The tool's own list: a name at the start of a line, then its title; lines that belong to it are indented.
 * @param {string} text of --list-targets
 */
function showTargets(text) {
    const targets = [];
    for (const line of text.split("\n")) {
        const found = /^(\S+)\s+(.*)$/.exec(line);
        if (found) targets.push({ name: found[1], title: found[2], notes: [] });
        else if (line.trim() && targets.length) targets[targets.length - 1].notes.push(line.trim());
    }
    parts.targetNames.replaceChildren(...targets.map(({ name, title }) => element("option", { value: name }, title)));
    const isChosen = (name) => chosen.targets.split(",").some((item) => item.trim().split(/[:+@]/)[0] === name);
    parts.targetList.replaceChildren(parts.targetNames, ...targets.map(({ name, title, notes }) => {
        const box = element("input", { type: "checkbox", checked: isChosen(name), onchange: () => {
            const rest = chosen.targets.split(",").map((item) => item.trim())
                .filter((item) => item && item.split(/[:+@]/)[0] !== name);
            chosen.targets = [...rest, ...(box.checked ? [name] : [])].join(",");
            parts.targets.value = chosen.targets;
        } });
        return element("label", { class: "app-target" }, box, element("span", {},
            element("strong", {}, name), ` ${title}`,
            element("span", { class: "muted" }, ` ${notes.join("; ")}`)));
    }));
}
