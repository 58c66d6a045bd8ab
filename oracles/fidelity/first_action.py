#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carry out the first action that is advised for a model, and ask the compiler for the partitions that are left.

usage: first_action.py --tool build/npu-partition --oracle ort_assign.py --python PYTHON [--target hexagon:60]
                       [--cache DIR] [--summary PAGE.md] [--date DATE] [--only TEXT] MODEL-OR-FOLDER...

The action is carried out on the model's file, by its line to paste where it has one; where weights are in an absent
file the oracle puts zeros.
Its answer at level all is held against the action's `after`: as many partitions, or a refused session where that says
that it fails. Actions that nothing here carries out are counted apart, as are models without an answer, where the
compiler crashes or the runtime does not load the model. Answers are kept in --cache, by file and options. With --target
intel-npu the oracle's OpenVINO provider is asked, whose subgraphs are the target's partitions where the compiler takes
each of them. Exit status 1 when less than 95 % agree.
"""
import argparse
import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import textwrap
import traceback

import onnx

SHARE = 0.95
# Bytes of address space of one question; absent weights are files of zeros that are mapped.
SPACE = 20 << 30
SECONDS = 300


class NotDone(Exception):
    """An action that is not carried out here, and why."""


@dataclasses.dataclass
class Row:
    model: str
    action: dict
    before: dict
    answer: dict | None = None
    problem: str = ""  # why it was not carried out

    @property
    def is_answered(self):
        """Whether the provider took or refused it: no model that the runtime itself does not load, and no crash."""
        return self.answer is not None and ("error" not in self.answer or is_refusal(self.answer))

    @property
    def agrees(self):
        after = self.action["after"]
        if after["verdict"] == "fails":
            return "error" in self.answer
        return self.answer.get("partitions") == after["partitions"]

    def after_text(self):
        after = self.action["after"]
        return "fails" if after["verdict"] == "fails" else f"{after['partitions']} ({after['verdict']})"

    def answer_text(self):
        if "error" in self.answer:
            return self.answer["error"][:60]
        return f"{self.answer['partitions']}, {self.answer['cpu']} on the CPU"

    def way(self):
        return ", ".join(filter(None, [self.action["action"], self.action["rewrites"] and
                                       " ".join(self.action["rewrites"])]))


def is_refusal(answer):
    text = answer.get("error", "")
    return "EP_FAIL" in text or "was inserted using the NHWC" in text or "QNN_COMMON_ERROR_MEM_ALLOC" in text


# ---- carrying out --------------------------------------------------------------------------------------------


def forget_shapes(model):
    del model.graph.value_info[:]
    for value in model.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")


def bind(model, shapes):
    """The inputs get the sizes that the tool has for them with the --dim of the action: `past + 1` gets one, too."""
    constants = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        sizes = shapes.get(value.name)
        if value.name in constants or not value.type.HasField("tensor_type") or not sizes or sizes[1] is None:
            continue
        for dim, size in zip(value.type.tensor_type.shape.dim, sizes[1]):
            if not dim.HasField("dim_value") and isinstance(size, int):
                dim.dim_value = size
    forget_shapes(model)


def raise_opset(model, text):
    """Only where the text says that the import alone changes."""
    version = next(int(word.strip(",")) for before, word in zip(text.split(), text.split()[1:]) if before == "opset")
    if "only the opset import changes" not in text:
        raise NotDone("more than the import changes")
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = version


def cut(model, command):
    """The nodes that the tensors of --cut do not depend on go."""
    words = shlex.split(command)
    tensors = words[words.index("--cut") + 1].split(",")
    producers = {name: node for node in model.graph.node for name in node.output}
    kept, todo = set(), list(tensors)
    while todo:
        node = producers.get(todo.pop())
        if node is not None and node.output[0] not in kept:
            kept.add(node.output[0])
            todo += node.input
            todo += captured(node)
    nodes = [node for node in model.graph.node if node.output[0] in kept]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in tensors)


def captured(node):
    for attribute in node.attribute:
        for body in [attribute.g, *attribute.graphs]:
            for inner in body.node:
                yield from inner.input
                yield from captured(inner)
            yield from (value.name for value in body.output)


def carry_out(args, path, action):
    """The model that is left, with options for the oracle."""
    kind = action["action"]
    if action["run"] and action["run"][1] == "fix":
        return paste(args, action["run"]), []
    model = onnx.load(path, load_external_data=False)
    if action["command"] and kind != "cut" and "--dim" in action["command"]:
        words = shlex.split(action["command"])
        bind(model, run_tool(args, path, "--shapes", *words[words.index("--dim"):]))
        if kind == "dims":
            return model, []
    if kind == "opset":
        raise_opset(model, action["text"])
        return model, []
    if kind == "cut" and action["command"]:
        cut(model, action["command"])
        return model, []
    if kind == "option" and "offload_graph_io_quantization=0" in action["text"]:
        return model, ["--offload-io", "0"]
    raise NotDone("nothing here does it")


def paste(args, words):
    """What a person pastes into a shell, in a folder of its own."""
    made = args.cache / "pasted" / words[-1]
    made.parent.mkdir(exist_ok=True)
    done = subprocess.run([args.tool, *words[1:-1], str(made)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise NotDone(done.stderr.decode(errors="replace").strip()[-200:])
    return onnx.load(made, load_external_data=False)


# ---- asking --------------------------------------------------------------------------------------------------


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    os.nice(5)


def ask(args, path, options):
    command = [args.python, str(args.oracle), str(path), "--level", "all", "--timeout", str(SECONDS), *options]
    command += ["--ep", "qnn", "--soc", args.soc] if args.ep == "qnn" else ["--ep", "openvino"]
    key = hashlib.sha256(path.read_bytes() + " ".join(command[3:]).encode()).hexdigest()
    kept = args.cache / f"{key}.json"
    if not kept.exists():
        run = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
        lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
        if not lines:
            return {"error": run.stderr.strip()[-200:]}
        answer = json.loads(lines[-1])
        if "error" not in answer:
            nodes = answer["nodes"]
            on_cpu = [node for node in nodes if node["ep"].startswith("CPU")]
            answer = {"partitions": len(answer["partitions"]), "nodes": len(nodes), "cpu": len(on_cpu),
                      "on_cpu": [[node["index"], node["op"], node["name"]] for node in on_cpu[:40]]}
        else:
            answer = {"error": answer["error"]}
        kept.write_text(json.dumps(answer), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def run_tool(args, path, *options):
    run = subprocess.run([args.tool, str(path), *options], capture_output=True, text=True, check=False)
    return json.loads(run.stdout) if run.returncode in (0, 1) else None


def place_weights(path, model, folder):
    """Weights that are there, where the oracle looks for them."""
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            there, here = path.parent / entry.value, folder / entry.value
            if entry.key == "location" and there.is_file() and not here.exists():
                here.symlink_to(there.resolve())


def judge(args, path):
    """A Row, or None where nothing is advised."""
    report = run_tool(args, path, "-t", args.target, "--format", "json")
    target = report and report["targets"][0]
    actions = [action for action in target["advice"] if action["instead_of"] is None] if target else []
    if not actions:
        return None
    row = Row(path.name.removesuffix(".onnx"), actions[0], target["summary"])
    try:
        model, options = carry_out(args, path, actions[0])
    except NotDone as reason:
        row.problem = str(reason)
        return row
    except Exception:  # a model that is not as the rewrite expects it must not end the others
        row.problem = traceback.format_exc().splitlines()[-1]
        return row
    file = args.cache / f"{row.model}.{args.target.split(':')[0]}.onnx"
    place_weights(path, model, args.cache)
    file.write_bytes(model.SerializeToString())
    row.answer = ask(args, file, options)
    return row


# ---- telling -------------------------------------------------------------------------------------------------


def show(row):
    word = "-----" if row.problem or not row.is_answered else "equal" if row.agrees else "OTHER"
    print(f"{word} {row.model}: {row.before['partitions']} ({row.before['verdict']}); {row.way()}: said "
          f"{row.after_text()}, {row.problem or 'answered ' + row.answer_text()}", flush=True)
    if word == "OTHER":
        if row.answer.get("on_cpu"):
            print("      on the CPU:", " ".join(f"{op}#{index}" for index, op, _ in row.answer["on_cpu"]))


def write_page(page, title, rows, introduction):
    """Puts the section into the page; the others stay."""
    lines = [f"## {title}", "", textwrap.fill(introduction, 118), "",
             "| model | before | first action | left, as we say | left, as answered |", "|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: (row.action["action"] == "dims", row.way(), row.model)):
        if row.answer is not None:
            mark = "" if row.agrees or not row.is_answered else "**"
            lines.append(f"| {row.model} | {row.before['partitions']} ({row.before['verdict']}) | {row.way()} | "
                         f"{row.after_text()} | {mark}{row.answer_text()}{mark} |")
    left_out = [f"`{row.model}` ({row.way()}: {row.problem})" for row in rows if row.problem]
    if left_out:
        lines += ["", textwrap.fill("Not carried out: " + "; ".join(left_out) + ".", 118, break_on_hyphens=False)]
    text = page.read_text(encoding="utf-8").rstrip()
    parts = [part for part in text.split("\n## ") if not part.startswith(title + "\n")]
    parts.append("\n".join(lines).removeprefix("## "))
    page.write_text("\n## ".join(part.rstrip() + "\n" for part in parts), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--oracle", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True, help="the Python that has what the oracle needs")
    parser.add_argument("--target", default="hexagon:60")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("build/fidelity-first-action"))
    parser.add_argument("--summary", type=pathlib.Path, help="write the table into this page")
    parser.add_argument("--date", default="", help="for the page: the date that it says")
    parser.add_argument("--only", default="")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    args.ep, args.soc = ("qnn", args.target.partition(":")[2] or "60") if "hexagon" in args.target else ("openvino", "")
    args.cache.mkdir(parents=True, exist_ok=True)
    paths = [p for given in args.models for p in (sorted(given.glob("*.onnx")) if given.is_dir() else [given])]
    rows = []
    for path in paths:
        if not path.name.startswith("aihub-") and args.only in path.name:
            row = judge(args, path)
            if row:
                rows.append(row)
                show(row)
    done = [row for row in rows if row.is_answered]
    equal = sum(row.agrees for row in done)
    others = [row for row in done if row.action["action"] != "dims"]
    kinds = collections.Counter(row.way() for row in done)
    text = (f"{len(rows)} models of which a node falls back; first action carried out and answered for {len(done)}, "
            f"{len(others)} of them other than fixing sizes: the count that we said for {equal} "
            f"({equal / max(len(done), 1):.1%}), "
            f"{sum(row.agrees for row in others)} of the {len(others)}")
    print(text)
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    if args.summary:
        write_page(args.summary, f"First action carried out: {args.target}", rows,
                   text + (f". The figures: {args.date}." if args.date else "."))
    return equal < SHARE * len(done)


if __name__ == "__main__":
    sys.exit(main())
