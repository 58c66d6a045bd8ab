/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines as words, and words as a command line. */

/**
 * As a shell takes them apart, with quotes and backslashes and nothing else.
 * @param {string} text
 * @returns {string[]}
 */
function splitWords(text) {
    const words = [];
    for (const found of text.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs))
        words.push(found[0].replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
            (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped));
    return words;
}

/** @param {string[]} words */
function joinWords(words) {
    return words.map(shellWord).join(" ");
}

/**
 * Options with their values: ["--dim", "n=1", "--sustained"] -> [["--dim", "n=1"], ["--sustained"]]. What is no option,
 * such as the command's name and a model, is left out.
 * @param {string[]} words
 * @returns {string[][]}
 */
function pairWords(words) {
    const pairs = [];
    for (const word of words) {
        if (word.startsWith("--") && word.includes("=")) {
            const at = word.indexOf("=");
            pairs.push([word.slice(0, at), word.slice(at + 1)]);
        } else if (word.startsWith("-") && word.length > 1) {
            pairs.push([word]);
        } else if (pairs.length && pairs[pairs.length - 1].length === 1 && !flags.has(pairs[pairs.length - 1][0])) {
            pairs[pairs.length - 1].push(word);
        }
    }
    return pairs;
}

/**
 * The words of a line that is shown ("npu-partition fix MODEL ..."), for a run that shows what it did as a page: all of
 * them, so that the button does what the line does. Null where it is no line of this tool's `fix`.
 * @param {string[]|null|undefined} line
 */
function fixWords(line) {
    if (!line || line[0] !== "npu-partition" || line[1] !== "fix") return null;
    return [...line.slice(1, 2), "--format", "html", ...line.slice(2)];
}

/** Options of an analysis that take no value. */
const flags = new Set(["--sustained", "--verbose", "--quiet"]);
