#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run pattern models and real ones, before and after `npu-partition fix`, on Qualcomm's HTP library for x86.

usage: fix_run_htp.py --tool build/npu-partition --python PYTHON --folder FOLDER [--page PAGE.md] [--only TEXT]
                      [--no-patterns] [--seconds 300] [MODELS]

PYTHON is that of an environment with onnx, onnxruntime and onnxruntime-qnn: its library runs what it compiles, with the
arithmetic of the device (SoC 60, fp16). A graph that compiles need not compute what it should. Errors are relative to
the largest output, against ONNX Runtime's CPU on the model before, over three random inputs without NaN and inf; of
other than float outputs, the share that differs. A rewrite misses when the fixed file does not load or run, or when its
error is above 5e-3 and above twice that of before. Exit status 1 on a miss.
"""
import argparse
import pathlib
import shutil
import statistics
import sys

import fix_equality
import fix_patterns
import fix_tool
import fix_worker

MOST = 5e-3
# Values beyond what FLOAT16 holds, or NaN in a weight: nothing to compare.
NOT_FOR_HTP = {"scale-softmax.big.onnx", "mul-order.weight-nan.onnx", "unroll.trips64.onnx"}
# Real models that a rewrite applies to and that the library runs in minutes.
MODELS = """early-exit-cnn.ts14.if torch-cond.dynamo20.if greedy-decode-gru.ts14.loop scan-rnn.dynamo20.scan fetched-silero-vad-op18-ifless
    distilbert-base.dynamo.s128 distilbert-base.ts14.dyn clip-b32-text.dynamo clip-b32-text.ts14.dyn whisper-tiny-decoder-merged.optimum
    t5-small-decoder-merged.optimum t5-small-encoder.dynamo.dyn olmoe-tiny.ts17.s32 rtdetr-r18.ts16 swin-tiny.ts13.dyn vit-b16.dynamo23
    mamba-130m.dynamo.s16 resnet50.qoperator-uint8 detr-resnet50.dynamo segformer-b0.dynamo.dyn keras-mobilenetv2.tf2onnx13.dyn
    mobilenetv3-large.ts14.dyn bert-base.ort-fused xlnet-base.ts12.s64""".split()


def is_base(entry):
    """No variant: those have the same nodes."""
    return entry["applies"] is True and not entry["variant"] and entry["file"] not in NOT_FOR_HTP


def fault(answer, most=MOST):
    """What is wrong, or None."""
    if "crash" in answer:
        return answer["crash"]
    if "cpu" in answer["fails"]:
        return None
    if "after" in answer["fails"]:
        return "after: " + answer["fails"]["after"].replace("\n", " ")[:160]
    before, after = answer["errors"].get("before"), answer["errors"].get("after")
    if after is not None and after > most and (before is None or after > 2 * before):
        return f"error {after:.1e}"
    return None


def told(answer, which):
    if which in answer.get("errors", {}):
        return f"{answer['errors'][which]:.1e}"
    message = answer.get("fails", {}).get(which)
    if not message:
        return "-"
    return "memory error" if "MEM_ALLOC" in message else "fails"


def pattern_rows(args, workers):
    folder = args.folder / "patterns"
    folder.mkdir(parents=True, exist_ok=True)
    entries, _ = fix_patterns.make(folder, set())
    rows = []
    for entry in entries:
        if not is_base(entry) or args.only not in entry["file"]:
            continue
        source, out = folder / entry["file"], args.folder / "fixed.onnx"
        out.unlink(missing_ok=True)
        options = [*entry["options"], "--only", entry["id"], *fix_equality.allow(entry)[0]]
        fixed = fix_tool.fix(args.tool, source, entry["target"], out, options)
        if entry["id"] not in fixed.applied or not out.exists():
            print("-----", entry["file"], "not applied", fixed.message[-160:], flush=True)
            continue
        answer = workers.ask({**entry, "before": str(source), "after": str(out), "finite": True})
        rows.append((entry["id"], entry["name"], answer))
        answer["most"] = max(MOST, entry["tolerance"] if entry["class"] in ("step", "approx") else 0)
        wrong = fault(answer, answer["most"])
        print("MISS" if wrong else "fine", entry["file"], told(answer, "before"), told(answer, "after"), wrong or "",
              flush=True)
    return rows


def model_rows(args, workers):
    rows = []
    for name in MODELS:
        path = args.models / f"{name}.onnx"
        if args.only not in name or not path.exists():
            continue
        folder = args.folder / "model"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        model = fix_equality.place(path, folder, 1 << 30)
        dims = fix_tool.dim_options(fix_tool.sizes_of(path))
        bound = fix_equality.bindings(model)[0]
        source, sized, out = folder / "model.onnx", folder / "sized.onnx", folder / "fixed.onnx"
        # With open sizes all of it runs on the CPU: what is compared with has its sizes and values, and no rewrite.
        fix_tool.fix(args.tool, source, "hexagon:60", sized, [*dims, *bound, "--only", "castlike"], 300)
        fixed = fix_tool.fix(args.tool, source, "hexagon:60", out, [*dims, *bound, *fix_equality.ALLOWED], 300)
        if not fixed.steps or not out.exists():
            print("-----", name, f"exit status {fixed.status}, no step", fixed.message[-160:], flush=True)
            continue
        feeds = {value.name: fix_equality.kind_of(value.name,
                                                  value.type.tensor_type.elem_type) for value in model.graph.input}
        feeds |= {word.split("=")[0]: f"value:{int(word.endswith('true'))}" for word in bound[1:]}
        shapes = fix_equality.input_shapes(args.tool, source, model, dims)
        answer = workers.ask({"name": path.name, "before": str(sized if sized.exists() else source), "after": str(out), "dims": {}, "shapes": shapes,
                              "feeds": feeds, "draws": 1,
                              "finite": False})
        rows.append((name, " ".join(sorted(set(fixed.applied))), answer))
        wrong = fault(answer)
        print("MISS" if wrong else "fine", name, told(answer, "before"), told(answer, "after"), wrong or "", flush=True)
    return rows


def by_rewrite(rows):
    lines = ["| rewrite | patterns run | error before, median | after, median | after, largest | fails before | "
             "fails after |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    middle = lambda values: f"{statistics.median(values):.1e}" if values else "-"
    for identity in sorted({row[0] for row in rows}):
        answers = [answer for name, _, answer in rows if name == identity]
        of = {which: [answer["errors"][which] for answer in answers if which in answer.get("errors", {})] for which in ("before", "after")}
        fails = {which: sum(which in answer.get("fails",
                                                {}) or "crash" in answer for answer in answers) for which in ("before", "after")}
        worst = f"{max(of['after']):.1e}" if of["after"] else "-"
        lines.append(f"| `{identity}` | {len(answers)} | {middle(of['before'])} | {middle(of['after'])} | {worst} | "
                     f"{fails['before']} | {fails['after']} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-patterns", action="store_true")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("models", type=pathlib.Path, nargs="?")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    workers = fix_worker.Workers(args.python, ["--provider", "htp"], args.seconds, fix_equality.limit)
    patterns = [] if args.no_patterns else pattern_rows(args, workers)
    models = model_rows(args, workers) if args.models else []
    workers.close()
    lines = by_rewrite(patterns)
    if models:
        lines += ["", "| model | rewrites | error before | after |", "|---|---|--:|--:|"]
        lines += [f"| {name} | {rewrites} | {told(answer, 'before')} | {told(answer, 'after')} |" for name, rewrites,
                  answer in models]
    print("\n".join(lines))
    missed = [name for *names, answer in patterns + models for name in [" ".join(names)] if fault(answer, answer.get("most", MOST))]
    print(f"{len(patterns)} patterns of {len({row[0] for row in patterns})} rewrites and {len(models)} models run on "
          f"HTP, {len(missed)} missed: {'; '.join(missed)}")
    if args.page:
        args.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
