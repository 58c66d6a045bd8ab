/* SPDX-License-Identifier: Apache-2.0 */
/* The selected node, beside the other sections where there is room. */

addSection({
    id: "details",
    title: "Node",
    isShown: (context) => context.graph.nodes.length > 0,
    build(root, context) {
        const body = element("div", {});
        root.append(body);
        const show = (id) => {
            body.replaceChildren(id === null ? element("p", { class: "muted" }, "No node is selected.")
                : element("p", {}, verdictMark(context.graph.verdict[id]), " ", nodeName(context.graph.nodes[id], id)));
        };
        context.onSelect(show);
        show(context.selected);
    },
});
