# SPDX-License-Identifier: Apache-2.0
"""What npu-partition says of an export with its sizes, and after `fix`, on all targets; what a compiler says beside it.

A file of JSON for each export, put in place when it is complete.
"""
import multiprocessing
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "python" / "src"), str(HERE.parent / "fidelity")]
import npu_partition

import table

ANY_CLASS = ("bits-if", "ulp", "step", "approx")
SECONDS = 120  # for one analysis
TEXT_CHARACTERS = 200


def share_of(summary, cost):
    """The figures of a state that the results have."""
    on_cpu = None if summary["macs"] is None else summary["macs"] - summary["macs_on_npu"]
    return {"verdict": summary["verdict"], "partitions": summary["partitions"],
            "cpu_nodes": summary["live"] - summary["accepted"], "nodes": summary["live"], "cpu_macs": on_cpu,
            "macs": summary["macs"], "fits": summary["fits"], "ms": cost}


def roots_of(target):
    """Roots, each with the first advice that is for it."""
    found = []
    for root in target.get("roots") or ():
        causes = set(root.get("causes") or ())
        mends = [a for a in target.get("advice") or () if not causes.isdisjoint(a.get("causes") or ())]
        mend = mends[0] if mends else {}
        found.append({"rule": root["rule"], "op": root.get("op"), "text": root["text"][:TEXT_CHARACTERS],
                      "nodes": root["victims"], "mend": (mend.get("text") or "")[:TEXT_CHARACTERS],
                      "mended": (mend.get("after") or {}).get("verdict")})
    return found


def state_of(target):
    cost = target.get("cost") or {}
    return {**share_of(target["summary"], cost.get("typical_ms")), "roots": roots_of(target)}


def after_fix(path, target, dims, allow):
    """The state after `fix`; None where it would make something worse, and so writes nothing."""
    made = npu_partition.fix(path, target, dims=dims or None, allow=allow, timeout_s=SECONDS).to_dict()
    if made["harm"]:
        return None
    of_target = made["targets"][0]
    steps = sorted({step["rewrite"] for step in made["steps"]} - {"bind"})
    return {**share_of(of_target["after"], of_target["after_ms"]), "steps": steps}


def measure(path, dims, targets):
    """{target: {"sized", "bits", "all"}}; each may be {"error"}."""
    found = {}
    document = npu_partition.analyze(path, targets, dims=dims or None, strict_dims=False, timeout_s=SECONDS).to_dict(
        "summary")
    for target in document["targets"]:
        states = found[target["target"]] = {"sized": state_of(target)}
        for name, allow in (("bits", ()), ("all", ANY_CLASS)):
            try:
                states[name] = after_fix(path, target["target"], dims, allow)
            except npu_partition.NpuPartitionError as error:
                states[name] = {"error": type(error).__name__}
    return found


def one(job):
    path, dims, targets, out = job
    try:
        value = {"targets": measure(path, dims, targets)}
    except npu_partition.NpuPartitionError as error:
        value = {"error": f"{type(error).__name__}: {str(error).replace(path, '')[:TEXT_CHARACTERS]}"}
    table.write_json(out, value)


def measure_all(exports, folder, targets, jobs):
    """exports: facts of make.py with `path`. What has a file in the folder is not measured again."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [(e["path"], e["dims"], targets, folder / (e["name"] + ".json")) for e in exports
               if not (folder / (e["name"] + ".json")).exists()]
    with multiprocessing.Pool(jobs, maxtasksperchild=50) as pool:
        for count, _ in enumerate(pool.imap_unordered(one, missing), 1):
            print(f"\rmeasured {count} of {len(missing)}", end="", file=sys.stderr, flush=True)
    if missing:
        print(file=sys.stderr)


# ---- beside a compiler -------------------------------------------------------------------------------------------

GATES = {"intel-npu": "provider"}  # the oracle answers for the provider alone
# What an oracle is asked about where it is not the target's default: Debian's release of ONNX Runtime; a model that
# onnx2tf converts and whose types are made INT8.
ASKED = {"xnnpack": "xnnpack@1.23.2", "ethos-u": "ethos-u:u55+onnx2tf"}
BY_COUNT = ("xnnpack",)  # answers name no node that is fused into another, so that partitions alone are compared


def verdict_of(answer):
    """Of the compiler: the same words as the tool's. Q and DQ at the edges may stay on the CPU."""
    if answer.error:
        return "fails"
    on_cpu = [op for op, device in answer.nodes.values() if device == "cpu"]
    if answer.partitions == 0:
        return "none"
    if answer.partitions == 1 and not on_cpu:
        return "whole"
    is_edge = answer.partitions == 1 and all(op in ("QuantizeLinear", "DequantizeLinear") for op in on_cpu)
    return "edge" if is_edge else "split"


def said_by(error):
    """Without the folder of the script's copy, which has another name each time."""
    return re.sub(r"/\S*/", "", error)[:TEXT_CHARACTERS]


# Of what ends a session otherwise: the provider that has taken nodes raises, or ONNX Runtime does not take the model.
NO_SESSION = ("Exception during initialization", "ShapeInferenceError", "INVALID_GRAPH")


def without_session(error, summary):
    """Only a plan that fails is right where there is no session. What is left are limits of the script: no answer."""
    if not any(text in error for text in NO_SESSION):
        return {"confirmed": "no answer", "answer": said_by(error)}
    agrees = summary["verdict"] == "fails"
    return {"confirmed": "agrees" if agrees else "differs", "answer": "fails", "said": said_by(error),
            "plan": f"{summary['verdict']}, {summary['partitions']}"}


def compare(export, target, line):
    """What the compiler answered, whether the plan is the same, and the nodes that differ."""
    import fidelity
    import verify

    made = npu_partition.analyze(export["path"], ASKED.get(target, target), dims=line.get("dims") or None,
                                 strict_dims=False, advice=False, gates=GATES.get(target))
    plan = made.to_dict("nodes")["targets"][0]
    is_short = target in ASKED
    answer = verify.told(line, plan, target not in BY_COUNT) if is_short else fidelity.long_row(line)
    if answer.error and not answer.was_refused:
        return without_session(answer.error, plan["summary"])
    score = fidelity.Score()
    score.add(answer, plan)
    theirs, ours = verdict_of(answer), plan["summary"]["verdict"]
    if target in BY_COUNT and not answer.error:
        theirs = ours = "partitions"
    differing = [{"theirs": one, "ours": other, "op": op, "rules": rules, "examples": len(examples),
                  "node": examples[0]} for (one, other, op, rules), examples in sorted(score.differences.items())]
    same_count = answer.was_refused or answer.partitions == plan["summary"]["partitions"]
    agrees = not differing and same_count and not score.false_alarms
    return {"confirmed": "agrees" if agrees else "differs", "differing": differing,
            "answer": theirs if answer.error else f"{theirs}, {answer.partitions}", "plan":
            f"{ours}, {plan['summary']['partitions']}", "said": said_by(answer.error)}
