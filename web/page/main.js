/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the documents of a page; the application in the browser calls the same function. */

/**
 * A model and a target of it, by their places.
 * @typedef {{report: any, target: any, model: number, at: number}} Pair
 */

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

/** The documents by what they are. @param {{kind: string, data: any}[]} documents */
function gather(documents) {
    const of = (kind) => documents.filter((item) => item.kind === kind).map((item) => item.data);
    const reports = of("report"), diff = of("diff")[0] || null, fix = of("fix")[0] || null;
    /** @type {Pair[]} */
    const pairs = reports.flatMap((report, model) => report.targets.map((target, at) => ({ report, target, model, at })));
    return { reports, errors: of("error"), pairs, diff, fix, isComparison: Boolean(diff || fix) && pairs.length > 1 };
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
    return "#" + ["m", "t", "n", "c"].filter((name) => address[name] !== undefined && address[name] !== null)
        .map((name) => `${name}=${address[name]}`).join("&");
}

/**
 * One model and target, or the table of all of them.
 * @returns {{isAt: (address: Address) => boolean, model: number, selected: () => number|undefined,
 *            select: (id: number|undefined) => void, end: () => void}} `isAt`: an address is of this view, whatever its
 *     node is
 */
function showView(root, set, address, actions) {
    const pair = pairOf(set, address);
    document.title = pair ? plainText(`${baseName(pair.report.model.path)} on ${pair.target.name || pair.target.target}`)
        : "npu-partition";
    root.replaceChildren();
    const main = element("main", { class: pair ? "sections" : null });
    const other = pair ? comparedWith(set, pair, address.c) : null;
    const contents = element("nav", { class: "contents", "aria-label": "Contents" });
    appendAll(root, [pair && skipLinks(), header(set, pair, other), pair && contents, main,
        element("p", { id: "announcements", class: "offscreen", "aria-live": "polite" }), footer(set)]);
    const isAt = (wanted) => pairOf(set, wanted) === pair && wanted.c === address.c;
    if (!pair) {
        main.append(overview(set));
        return { isAt, model: -1, selected: () => undefined, select() {}, end() {} };
    }
    const context = makeContext({ report: pair.report, target: pair.target, reports: set.reports, diff: set.diff,
        fix: set.fix, other: other && { report: other.report, target: other.target } }, actions);
    context.onSelect((id) => history.replaceState(null, "", writeAddress({ ...addressOf(set, pair), n: id, c: address.c })));
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
else Object.assign(globalThis, { npuPartitionPage: { showReports } }); /* for the application, which has no reports yet */
