/* SPDX-License-Identifier: Apache-2.0 */
/* Small parts that several sections are made of. */

/** A sign beside each word, as a colour alone says nothing to many. By the numbers of verdictWords. */
const verdictSigns = ["\u25a0", "\u25a1", "\u2716", "?", "\u25cb", "\u25cc"];

/** "NPU" with its sign and colour. @param {number} verdict VERDICT_... */
function verdictMark(verdict) {
    const word = verdictWords[verdict];
    return element("span", { class: `verdict verdict-${word}` },
        element("span", { class: "sign", "aria-hidden": "true" }, verdictSigns[verdict]), verdictTexts[verdict]);
}

/** summary.verdict: its word, a sign, its colour (of a class), and what it says. */
const answers = {
    whole: ["Whole", "\u25a0", "good", "all nodes on the NPU, in one partition"],
    edge: ["Edge", "\u25a0", "good", "one partition; only input and output quantization on the CPU"],
    split: ["Split", "\u25e7", "warning", "nodes on the CPU end partitions, or there are several"],
    none: ["None", "\u25a1", "bad", "nothing runs on the NPU"],
    fails: ["Fails", "\u2716", "bad", "the session does not start: a node fails to compile, or the model is refused"],
    empty: ["Empty", "\u25cb", "plain", "nothing is left to run once constants are folded"],
};

/** "Split" with its sign. @param {any} summary */
function answerMark(summary) {
    const [word, sign, kind] = answers[summary.verdict] || [plainText(summary.verdict), "?", "plain"];
    return element("span", { class: `answer answer-${kind}` },
        element("span", { class: "sign", "aria-hidden": "true" }, sign), word);
}

/** In a table, where the words would stand in every row. */
function unknownMark() {
    return element("span", { class: "muted", title: "not known" },
        element("span", { "aria-hidden": "true" }, "\u2013"), element("span", { class: "offscreen" }, "not known"));
}

/** A node by its name, which selects it. @param {Context} context @param {number} id */
function nodeButton(context, id) {
    const node = context.graph.nodes[id];
    if (!node) return element("span", {}, `node ${id}`);
    return element("button", { type: "button", class: "link node", title: `node ${id}`,
        onclick: () => context.select(id) },
        element("span", { class: "op" }, plainText(node.op)), " ", nodeName(node, id));
}

/** The first nodes of a list, and a button that shows all. */
const NODES_AT_FIRST = 10;

/** @param {Context} context @param {number[]} ids @param {() => void} [showAll] default: filters the node table */
function nodeList(context, ids, showAll) {
    if (!ids.length) return element("span", { class: "muted" }, "none");
    const list = element("ul", { class: "nodes" },
        ids.slice(0, NODES_AT_FIRST).map((id) => element("li", {}, nodeButton(context, id))));
    if (ids.length <= NODES_AT_FIRST) return list;
    list.append(element("li", {}, element("button", { type: "button", class: "small",
        onclick: showAll || (() => context.showNodes({ nodes: ids, label: countText(ids.length, "node") })) },
        `all ${countText(ids.length, "node")} in the table`)));
    return list;
}

/** A command with a button that copies it. @param {string} command */
function commandLine(command) {
    const button = element("button", { type: "button", class: "small copy", "aria-label": `Copy: ${plainText(command)}`,
        onclick: () => copyText(command).then((isCopied) => {
            button.textContent = isCopied ? "Copied" : "Select it, and copy";
            announce(button.textContent);
            setTimeout(() => (button.textContent = "Copy"), 2000);
        }) }, "Copy");
    return element("span", { class: "command" }, element("code", {}, commandWords(command)), button);
}

/** Lines break between words, not after the hyphen of an option. */
function commandWords(command) {
    return command.split(/( )/).map((word) => (word.startsWith("-") && word.length < 40
        ? element("span", { class: "nowrap" }, plainText(word)) : plainText(word)));
}

/** A page of a file may not use the clipboard's interface in every browser. @param {string} text */
async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = element("textarea", { class: "offscreen", readonly: true }, text);
        const before = /** @type {HTMLElement|null} */ (document.activeElement);
        document.body.append(area);
        area.select();
        const isCopied = document.execCommand("copy");
        area.remove();
        if (before) before.focus();
        return isCopied;
    }
}

/** A word of the shell, in quotes where it needs them. @param {string} text */
function shellWord(text) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** Hands what was made over as a file; nothing leaves the page. @param {string} name @param {Blob} blob */
function saveBlob(name, blob) {
    const address = URL.createObjectURL(blob);
    element("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** Where a rule comes from: a link where it is an address, and text otherwise. @param {string} source */
function sourceText(source) {
    return String(source).split(/(https:\/\/[^\s;,)]+)/).map((piece, at) => at % 2
        ? element("a", { href: piece, rel: "noopener noreferrer", target: "_blank" }, plainText(piece))
        : plainText(piece));
}

/** Sentences of a report have names in `backticks`. @param {string} text */
function sentence(text) {
    return String(text).split("`").map((piece, at, all) => at % 2 && at + 1 < all.length
        ? element("code", {}, plainText(piece)) : `${at % 2 ? "`" : ""}${plainText(piece)}`);
}

/**
 * Facts as a list of names and values; what is null, undefined or "" is left out.
 * @param {[string, any][]} facts
 */
function factList(facts) {
    const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return element("dl", { class: "facts" },
        known.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

/** What may be opened. @param {any} summary its line @param {...any} children */
function disclosure(summary, ...children) {
    return element("details", {}, element("summary", {}, summary), children);
}

/** What is open on paper, whether it is on the screen or not. @param {any} summary its line @param {...any} children */
function printedDisclosure(summary, ...children) {
    const made = disclosure(summary, ...children);
    made.classList.add("prints");
    return made;
}

/**
 * What is done before the page is printed, and taken back after it.
 * @param {Context} context @param {() => void} before @param {() => void} after
 */
function onPaper(context, before, after) {
    const media = matchMedia("print");
    const onMedia = () => (media.matches ? before() : after());
    media.addEventListener("change", onMedia);
    window.addEventListener("beforeprint", before);
    context.onRemove(() => {
        media.removeEventListener("change", onMedia);
        window.removeEventListener("beforeprint", before);
    });
    if (media.matches) before();
}

/** @param {HTMLElement} root @param {Context} context */
function openOnPaper(root, context) {
    const opened = [];
    onPaper(context, () => {
        for (const item of root.querySelectorAll("details.prints:not([open])")) {
            /** @type {HTMLDetailsElement} */ (item).open = true;
            opened.push(item);
        }
    }, () => {
        for (const item of opened.splice(0)) item.open = false;
    });
}

/** A bar of a share; beside it stands the number. @param {number|null} share */
function shareBar(share) {
    const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span", {}));
    bar.firstChild.style.width = `${100 * (share || 0)}%`;
    return bar;
}
