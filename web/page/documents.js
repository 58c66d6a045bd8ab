/* SPDX-License-Identifier: Apache-2.0 */
/* Which models and targets a page has, which of them is shown and compared, and how the address says so. */

/**
 * A model and a target of it, by their places.
 * @typedef {{report: any, target: any, model: number, at: number}} Pair
 */

/** The documents by what they are. @param {{kind: string, data: any}[]} documents */
function gather(documents) {
    const of = (kind) => documents.filter((item) => item.kind === kind).map((item) => item.data);
    const reports = of("report"), diff = of("diff")[0] || null, fix = of("fix")[0] || null;
    /** @type {Pair[]} */
    const pairs = reports.flatMap((report, model) =>
        report.targets.map((target, at) => ({ report, target, model, at })));
    return { reports, errors: of("error"), pairs, diff, fix, isComparison: Boolean(diff || fix) && pairs.length > 1,
        outcomes: gatherOutcomes(documents, "report"), errorOutcomes: gatherOutcomes(documents, "error") };
}

/**
 * Thresholds of the models of a kind ("report", "error"), by their places: a block of them follows its model.
 * @returns {any[][]}
 */
function gatherOutcomes(documents, kind) {
    const outcomes = [];
    let model = null;
    for (const item of documents) {
        if (item.kind === "report" || item.kind === "error") model = item.kind;
        if (item.kind === kind) outcomes.push([]);
        else if (item.kind === "outcomes" && model === kind) outcomes[outcomes.length - 1].push(...item.data.outcomes);
    }
    return outcomes;
}

/** Those of a target, and those of the whole model. @param {DocumentSet} set @param {Pair} pair */
function outcomesOf(set, pair) {
    return set.outcomes[pair.model].filter((outcome) => outcome.target === pair.at || outcome.target === null);
}

/** @typedef {ReturnType<typeof gather>} DocumentSet */

/**
 * What the part of the address after # says: `m` and `t` the places of a model and a target, `n` a node, `c` the pair
 * that is compared with ("0.1"), or `c=no`.
 * @typedef {{m?: number, t?: number, n?: number|null, c?: string}} Address
 * @param {string} hash @returns {any} an Address
 */
function readAddress(hash) {
    const read = {};
    for (const field of hash.replace(/^#/, "").split("&")) {
        const [name, value] = field.split("=");
        if (name === "c" && /^(\d+\.\d+|no)$/.test(value)) read.c = value;
        else if (["m", "t", "n"].includes(name) && /^\d{1,9}$/.test(value)) read[name] = Number(value);
    }
    return read;
}

/** @param {Address} address */
function writeAddress(address) {
    const fields = ["m", "t", "n", "c"].filter((name) => address[name] !== undefined && address[name] !== null)
        .map((name) => `${name}=${address[name]}`);
    /* What the application keeps there stays. */
    const others = location.hash.replace(/^#/, "").split("&").filter((field) => field.startsWith("o="));
    return "#" + [...fields, ...others].join("&");
}

/** The first view: what the address says; else the only pair, or the new side of a comparison; else null. */
function pairOf(set, address) {
    const { pairs } = set;
    if (address.m !== undefined || address.t !== undefined) {
        const found = pairs.find((pair) => pair.model === (address.m || 0) && pair.at === (address.t || 0));
        if (found) return found;
    }
    if (set.isComparison) return pairs.find((pair) => pair.model === set.reports.length - 1) || pairs[0];
    return pairs.length === 1 && !set.errors.length ? pairs[0] : null;
}

/** What a pair is compared with: what the address says, or of a comparison the other side; else null. */
function comparedWith(set, pair, wanted) {
    if (wanted === "no") return null;
    if (wanted) return set.pairs.find((item) => `${item.model}.${item.at}` === wanted && item !== pair) || null;
    if (!set.isComparison) return null;
    if (set.reports.length === 1) return set.pairs[pair.at === 0 ? 1 : 0];
    const others = set.pairs.filter((item) => item.model === (pair.model === 0 ? 1 : 0));
    return others.find((item) => item.target.name === pair.target.name) || others[pair.at] || others[0] || null;
}

/** As short as can be. */
function addressOf(set, pair) {
    return set.reports.length > 1 ? { m: pair.model, t: pair.at } : { t: pair.at };
}
