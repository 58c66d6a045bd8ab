/* SPDX-License-Identifier: Apache-2.0 */
/* All nodes, in a table. */

addSection({
    id: "nodes",
    title: "Nodes",
    build(root, context) {
        root.append(element("p", {}, countText(context.graph.nodes.length, "node")));
    },
});
