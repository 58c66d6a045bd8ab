/* SPDX-License-Identifier: Apache-2.0 */
/* The answer: the verdict in words, and what to do first. */

addSection({
    id: "verdict",
    title: "Verdict",
    build(root, context) {
        const summary = context.target.summary;
        root.append(
            element("p", {}, `${summary.verdict}: ${countText(summary.partitions, "partition")}, `
                + `${shareText(summary.coverage)} of ${countText(summary.live, "node")} on the NPU, `
                + millisecondsRange([context.target.cost.low_ms, context.target.cost.typical_ms, context.target.cost.high_ms])));
        const first = (context.target.advice || [])[0];
        if (first) root.append(element("p", {}, "Do first: ", plainText(first.text)));
    },
});
