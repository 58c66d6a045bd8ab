/* SPDX-License-Identifier: Apache-2.0 */
/* Above and below the sections: which model and target, the theme, the table of all models and targets. */

/** The theme of the system, until the button is used. The choice is kept in the page alone. */
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null;

function currentTheme() {
    return chosenTheme || (darkSystem.matches ? "dark" : "light");
}

function applyTheme() {
    document.documentElement.dataset.theme = currentTheme();
    for (const button of document.querySelectorAll("button.theme")) button.textContent = themeLabel();
}

function followTheme() {
    darkSystem.addEventListener("change", applyTheme);
    applyTheme();
}

function themeLabel() {
    return currentTheme() === "dark" ? "Light theme" : "Dark theme";
}

function themeButton() {
    return element("button", { type: "button", class: "theme", onclick: () => {
        chosenTheme = currentTheme() === "dark" ? "light" : "dark";
        applyTheme();
    } }, themeLabel());
}

/** @param {DocumentSet} set @param {Pair|null} pair @param {Pair|null} other */
function header(set, pair, other) {
    const isMany = set.pairs.length + set.errors.length > 1;
    return element("header", { class: "page" },
        element("div", { class: "headline" },
            pair ? modelTitle(pair.report.model) : element("h1", { tabindex: "-1" }, overviewTitle(set)),
            themeButton()),
        isMany && pair ? element("div", { class: "choices" },
            element("a", { href: writeAddress({}), class: "button" }, "All results"),
            modelChoice(set, pair), targetChoice(set, pair), comparisonChoice(set, pair, other)) : null);
}

function overviewTitle(set) {
    const models = set.reports.length + set.errors.length;
    const targets = new Set(set.pairs.map((pair) => targetName(pair.target))).size;
    return `${countText(models, "model")} on ${countText(targets, "target")}`;
}

/** The file's name, large, and what is known of the model. */
function modelTitle(model) {
    const opsets = Object.entries(model.opsets || {}).map(([domain, version]) =>
        (domain === "ai.onnx" ? `opset ${version}` : `${plainText(domain)} ${version}`));
    const facts = [countText(model.nodes, "node"),
        model.bytes === undefined ? null : `${bytesText(model.bytes)} file`,
        model.weight_bytes === undefined ? null : `${bytesText(model.weight_bytes)} of weights`,
        ...opsets, plainText(model.producer || "")].filter(Boolean);
    const path = plainText(model.path), name = plainText(baseName(model.path));
    return element("div", { class: "model" },
        element("h1", { tabindex: "-1" }, model.path === "-" ? "Model from standard input" : name),
        element("p", { class: "muted" }, path === name ? null
            : [element("span", { class: "code path" }, path),
                element("span", { class: "divider" }, " \u00b7 ")],
            facts.join(" \u00b7 ")));
}

/** @param {DocumentSet} set @param {Pair} pair */
function modelChoice(set, pair) {
    if (set.reports.length < 2) return null;
    return choice("Model", set.reports.map((report, model) => [String(model), modelName(set, model)]),
        String(pair.model), (value) => {
            const targets = set.reports[Number(value)].targets;
            const same = targets.findIndex((target) => target.name === pair.target.name);
            location.hash = writeAddress({ m: Number(value), t: Math.max(same, 0) });
        });
}

/** Few targets as links side by side, many in a list. @param {DocumentSet} set @param {Pair} pair */
function targetChoice(set, pair) {
    const targets = pair.report.targets;
    if (targets.length < 2) return null;
    if (targets.length > MOST_TABS)
        return choice("Target", targets.map((target, at) => [String(at),
            `${targetName(target)} \u2013 ${target.summary.verdict}`]),
            String(pair.at), (value) => (location.hash = writeAddress({ m: pair.model, t: Number(value) })));
    return element("nav", { class: "tabs", "aria-label": "Target" }, targets.map((target, at) => element("a", {
        href: writeAddress({ m: pair.model, t: at }), "aria-current": at === pair.at ? "page" : null },
    targetName(target), " ", answerMark(target.summary))));
}

const MOST_TABS = 5;

/** @param {DocumentSet} set @param {Pair} pair @param {Pair|null} other */
function comparisonChoice(set, pair, other) {
    const rest = set.pairs.filter((item) => item !== pair);
    if (!rest.length) return null;
    return choice("Compare with", [["no", "nothing"], ...rest.map((item) =>
        [`${item.model}.${item.at}`, pairName(set, item)])],
        other ? `${other.model}.${other.at}` : "no",
        (value) => (location.hash = writeAddress({ m: pair.model, t: pair.at, c: value })));
}

/** What tells a pair from the others. @param {DocumentSet} set @param {Pair} pair */
function pairName(set, pair) {
    const target = targetName(pair.target);
    if (set.reports.length < 2) return target;
    return `${modelName(set, pair.model)}, ${target}`;
}

/** A model as it is told from the others: by its name, else its path, else its side of a comparison or its place. */
function modelName(set, model) {
    const paths = set.reports.map((report) => report.model.path), names = paths.map(baseName);
    const isOne = (list) => list.indexOf(list[model]) === list.lastIndexOf(list[model]);
    if (isOne(names)) return plainText(names[model]);
    if (isOne(paths)) return plainText(paths[model]);
    const side = set.isComparison && set.reports.length === 2 ? ["before", "after"][model] : model + 1;
    return `${plainText(names[model])} (${side})`;
}

/** A list to choose from, with its label. */
function choice(label, options, value, onChange) {
    const list = element("select", { onchange: () => onChange(list.value) },
        options.map(([key, text]) => element("option", { value: key, selected: key === value }, text)));
    return element("label", { class: "choice", "data-name": label }, element("span", {}, label), list);
}

/** Which control of the header has the focus, so that its successor gets it. */
function focusedControl() {
    const active = document.activeElement;
    if (!active || active === document.body) return null;
    if (active.closest(".tabs")) return ".tabs [aria-current]";
    const label = active.closest(".choice");
    return label ? `.choice[data-name="${/** @type {HTMLElement} */ (label).dataset.name}"] select` : "h1";
}

/** @param {string|null} selector of focusedControl */
function focusAgain(selector) {
    const found = selector ? document.querySelector(`header.page ${selector}`)
        || document.querySelector("header.page h1") : null;
    if (found) /** @type {HTMLElement} */ (found).focus();
}

function footer(set) {
    const tool = set.reports.length ? set.reports[0].tool : null;
    return element("footer", {}, tool ? `${tool.name} ${tool.version}` : "npu-partition",
        ". The page holds all that it shows, and loads nothing.");
}
