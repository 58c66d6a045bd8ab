/* SPDX-License-Identifier: Apache-2.0 */
/* Why nodes fall back, and what to do about it. */

addSection({
    id: "causes",
    title: "Causes",
    isShown: (context) => (context.target.causes || []).length > 0,
    build(root, context) {
        root.append(element("ol", {}, context.target.causes.map((cause) => element("li", {}, sentence(cause.text)))));
    },
});
