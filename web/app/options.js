/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be analyzed and how: the files, and the options that the address keeps. */

/** The files that were given. */
const given = {
    /** @type {{name: string, blob: Blob}[]} */
    models: [],
    /** @type {{name: string, blob: Blob}|null} */
    oplist: null,
    /** @type {{name: string, blob: Blob}|null} */
    cost: null,
};

/** The options of an analysis; `more` is a command line. */
const chosen = {
    targets: "hexagon",
    /** @type {Map<string, string>} sizes of dynamic dimensions */
    dims: new Map(),
    level: "",
    runtime: "",
    more: "",
};

/** What is assumed for a try, as options with their values. @type {string[][]} */
let assumed = [];

/** Options for a run, without models and format. @param {string[][]} extra */
function optionWords(extra) {
    const words = chosen.targets ? ["--target", chosen.targets] : [];
    if (given.oplist) words.push("--oplist", given.oplist.name);
    if (given.cost) words.push("--cost", given.cost.name);
    for (const [name, size] of chosen.dims)
        if (size && !extra.some(([option, value]) => option === "--dim" && value.startsWith(`${name}=`)))
            words.push("--dim", `${name}=${size}`);
    if (chosen.level) words.push("--level", chosen.level);
    if (chosen.runtime) words.push("--runtime", chosen.runtime);
    return [...words, ...splitWords(chosen.more), ...extra.flat()];
}

/** All files of a run. */
function givenFiles() {
    return [...given.models, given.oplist, given.cost].filter(Boolean);
}

/* ---- the address: #o=WORDS beside the fields of the page ------------------------------------------------------ */

/** @param {string[]} place fields of the page: which model and target */
function writeOptions(place) {
    const words = optionWords(assumed).filter((word, at, all) => !isOfFile(word) && !isOfFile(all[at - 1]));
    history.replaceState(null, "", "#" + [...place, `o=${encodeURIComponent(joinWords(words))}`].join("&"));
}

/** A file is not kept in the address, so neither is its name. */
function isOfFile(word) {
    return word === "--oplist" || word === "--cost";
}

function readOptions() {
    const field = location.hash.replace(/^#/, "").split("&").find((item) => item.startsWith("o="));
    if (!field) return;
    let words = [];
    try {
        words = splitWords(decodeURIComponent(field.slice(2)));
    } catch {
        return; /* no address of ours */
    }
    const rest = [];
    for (const pair of pairWords(words)) takeOption(pair, rest);
    chosen.more = joinWords(rest.flat());
}

/** @param {string[]} pair @param {string[][]} rest gets what has no control of its own */
function takeOption([option, value], rest) {
    if (option === "--target") chosen.targets = value;
    else if (option === "--level") chosen.level = value;
    else if (option === "--runtime") chosen.runtime = value;
    else if (option === "--dim" && value && /=\d+$/.test(value))
        chosen.dims.set(value.slice(0, value.lastIndexOf("=")), value.slice(value.lastIndexOf("=") + 1));
    else rest.push(value === undefined ? [option] : [option, value]);
}
