/* SPDX-License-Identifier: Apache-2.0 */
/* What `npu-partition fix` has done: its steps, what each left, and what it took back. */

/** The step's outcome for the target that is shown. */
function afterOfTarget(fix, step, target) {
    const at = (fix.targets || []).findIndex((item) => item.target === target.name);
    return (step.after_by_target && step.after_by_target[at]) || step.after;
}

function outcomeText(after) {
    const left = after.left ? `${countText(after.left, "node")} left` : `all nodes ${taker.place}`;
    const failed = after.failed ? `, ${after.failed} of them ${after.failed === 1 ? "fails" : "fail"} to compile` : "";
    return [countText(after.partitions, "partition"), `${left}${failed}`,
        typeof after.typical_ms === "number" ? milliseconds(after.typical_ms) : "time not known"].join("; ");
}

function fixStepItem(fix, step, target) {
    const names = [...step.nodes_removed, ...step.nodes_added];
    return element("li", {},
        element("p", {}, element("code", {}, plainText(step.rewrite)), ` at ${countText(step.sites, "place")}: `,
            sentence(step.argument)),
        element("p", { class: "muted" }, `${equalityTexts[step.equality] || plainText(step.equality)}; after it: `,
            outcomeText(afterOfTarget(fix, step, target))),
        step.caveats.map((caveat) => element("p", { class: "caveat" }, "Note: ", sentence(caveat))),
        names.length > 0 && disclosure(`${countText(step.nodes_removed.length, "node")} removed, `
            + `${step.nodes_added.length} added`,
        fixNames("Removed", step.nodes_removed), fixNames("Added", step.nodes_added)));
}

/** How many names are listed. */
const FIX_NAMES_SHOWN = 50;

function fixNames(title, names) {
    if (!names.length) return null;
    const more = names.length - FIX_NAMES_SHOWN;
    return element("p", {}, `${title}: `, names.slice(0, FIX_NAMES_SHOWN).map((name, at) =>
        [at ? ", " : "", element("code", {}, plainText(name))]), more > 0 && ` and ${more} more`);
}

addSection({
    id: "fix",
    title: "Steps of the fix",
    isShown: (context) => Boolean(context.fix),
    build(root, context) {
        const { fix } = context;
        appendAll(root, [
            element("p", {}, element("code", {}, plainText(fix.model)), fix.out
                ? [" became ", element("code", {}, plainText(fix.out))] : " was not written", "."),
            fix.steps.length ? element("ol", { class: "steps" }, fix.steps.map((step) =>
                fixStepItem(fix, step, context.target))) : element("p", {}, "No step brings anything."),
            fix.taken_back.length > 0 && disclosure(`${countText(fix.taken_back.length, "rewrite")} tried and not kept`,
                element("ul", {}, fix.taken_back.map((item) =>
                    element("li", {}, element("code", {}, plainText(item.rewrite)), ": ", sentence(item.why))))),
        ]);
    },
});
