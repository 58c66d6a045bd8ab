// SPDX-License-Identifier: Apache-2.0
// What the page's scripts make of reports, as HTML without what can only be clicked or opened; and how they write numbers.
//
// usage: node page.js < {"reports": [REPORT...], "numbers": [NUMBER...]}     > {"pages": [{title, verdicts}...], ...}
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;").replace(/'/g, "&#x27;");

/** As much of a document as the page's elements need. */
class Node {
    constructor(tag) {
        Object.assign(this, { tag, attributes: [], children: [], style: {}, classList: { add: () => {} } });
    }

    get firstChild() {
        return this.children[0];
    }

    setAttribute(name, value) {
        this.attributes.push([name, value]);
    }

    append(...children) {
        this.children.push(...children);
    }

    addEventListener() {}

    html() {
        if (this.tag === "button" || this.tag === "details") return "";
        const style = Object.entries(this.style).map(([name, value]) => ["style", `${name}: ${value}`]);
        const told = [...this.attributes, ...style].map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
        return `<${this.tag}${told}>${this.inner()}</${this.tag}>`;
    }

    inner() {
        return this.children.map((child) => (child instanceof Node ? child.html() : escaped(child))).join("");
    }
}
global.Node = Node;
global.document = { createElement: (tag) => new Node(tag) };

const { pageFunctions } = require(path.join(__dirname, "../../test/web/page_script.js"));
const page = pageFunctions("sections", "modelTitle", "showTaker", "milliseconds", "millisecondsRange", "estimateText", "estimateOf", "boundsOf",
    "bytesText", "shareText", "wholeText", "amountText", "shellWord");

function drawn(report) {
    const verdict = page.sections.find((section) => section.id === "verdict");
    return {
        title: page.modelTitle(report.model).html(),
        verdicts: report.targets.map((target) => {
            const root = new Node("section");
            page.showTaker(target);
            verdict.build(root, { target, report, outcomes: [], actions: null });
            return root.inner();
        }),
    };
}

const given = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({
    pages: given.reports.map(drawn),
    numbers: given.numbers.map((value) => [page.milliseconds(value), page.bytesText(value), page.amountText(value),
        page.shareText(value < 1 ? value : 1 / value), page.wholeText(Math.round(value)),
        page.millisecondsRange([value / 2, value, value * 3]), page.estimateText([value / 2, value, value * 3]),
        page.estimateText([value / 20, value, value * 30]), page.estimateOf([value / 2, value, value * 3]),
        page.boundsOf([value / 2, value, value * 3]), page.boundsOf([value / 20, value, value * 30])]),
    words: given.words.map(page.shellWord),
}));
