#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiled models made with onnxruntime-qnn on x86, and what the tool says of each; the models of `selftest`, compiled.

usage: compiled.py --tool build/npu-partition
Needs:  pip install onnx onnxruntime onnxruntime-qnn

Two small models with random weights, of one and of two partitions, are compiled for each SoC, with the context inside
and beside them, for two SoCs at once, and with the architecture named. Which chips load each is computed here from
what the provider compares (ValidateCompatibilityInfoV2); the simulator loads contexts of any chip. What it does refuse,
a context that is missing, is tried on it. `selftest` of each SoC is put to the compiler, and must be there as a whole,
which `verify` reads from its trace. Prints what differs and the totals; exit status 1 when anything differs.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import helper, numpy_helper

GENERATIONS = {30: 68, 37: 68, 36: 69, 43: 73, 60: 73, 57: 75, 69: 79, 87: 81}
COMPILED_FOR = (30, 36, 60, 57, 69)
CHILD = """
import json, sys
import onnxruntime as ort, onnxruntime_qnn as qnn
model, options, session = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
ort.register_execution_provider_library("QNNExecutionProvider", qnn.get_library_path())
settings = ort.SessionOptions()
settings.log_severity_level = 4
for key, value in session.items():
    settings.add_session_config_entry(key, value)
settings.add_provider_for_devices([d for d in ort.get_ep_devices() if d.ep_name == "QNNExecutionProvider"],
                                  {"backend_path": qnn.get_qnn_htp_path()} | options)
ort.InferenceSession(model, settings)
"""


def make_model(path, is_split):
    """Conv and Relu; and once more after a Shrink, which the provider does not take."""
    chance = numpy.random.default_rng(1)

    def weight(name, *dims):
        return numpy_helper.from_array(chance.standard_normal(dims).astype(numpy.float32), name)

    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="conv", pads=[1] * 4),
             helper.make_node("Relu", ["c"], ["r" if is_split else "y"], name="relu")]
    weights = [weight("w", 8, 3, 3, 3)]
    if is_split:
        nodes += [helper.make_node("Shrink", ["r"], ["s"], name="shrink", lambd=0.5),
                  helper.make_node("Conv", ["s", "w2"], ["c2"], name="conv2", pads=[1] * 4),
                  helper.make_node("Relu", ["c2"], ["y"], name="relu2")]
        weights.append(weight("w2", 8, 8, 3, 3))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("y", 1, [1, 8, 8, 8])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def session(folder, model, options, settings):
    """Whether one can be made, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", CHILD, str(model), json.dumps(options), json.dumps(settings)],
                          cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    return done.returncode == 0


def compile_all(folder):
    """The compiled models, and for which generations each is."""
    made = {}
    for is_split in (False, True):
        source = folder / ("split.onnx" if is_split else "whole.onnx")
        make_model(source, is_split)
        ways = [(str(soc), "0", embedded, [GENERATIONS[soc]]) for soc in COMPILED_FOR for embedded in "01"]
        ways += [("60", "73", "0", [73]), ("60,57", "73,75", "0", [73, 75])]
        for number, (soc, architecture, embedded, generations) in enumerate(ways):
            out = folder / f"{source.stem}-{number}.onnx"
            settings = {"ep.context_enable": "1", "ep.context_embed_mode": embedded, "ep.context_file_path": str(out)}
            options = {"soc_model": soc, "htp_arch": architecture, "enable_htp_fp16_precision": "1"}
            if session(folder, source, options, settings) and out.exists():
                made[out] = generations
            else:
                print(f"{source.stem} for {soc}: the provider does not compile it")
    return made


def expected(generations, own):
    fit = [at for at in generations if at <= own and not at < 73 <= own]
    return "refused" if not fit else "loads" if max(fit) == own else "recompile"


def verdicts(tool, model, target):
    line = subprocess.run([tool, model, "-t", target, "--format", "json", "--detail", "summary"], check=True,
                          stdout=subprocess.PIPE).stdout
    answer = json.loads(line)["targets"][0]
    return {at["verdict"] for at in answer["compiled"]}, answer["summary"]["verdict"]


def check_compiled(tool, folder):
    made, asked, wrong = compile_all(folder), 0, 0

    def compare(model, target, wanted):
        nonlocal asked, wrong
        found, plan = verdicts(tool, model, target)
        is_right = found == {wanted} and (plan == "fails") == (wanted == "refused")
        asked, wrong = asked + 1, wrong + (not is_right)
        if not is_right:
            print(f"{model.name} on {target}: {', '.join(sorted(found))}, plan {plan}; expected {wanted}")

    for model, generations in made.items():
        for soc, own in GENERATIONS.items():
            compare(model, f"hexagon:{soc}", expected(generations, own))
        for target in ("intel-npu", "xdna", "rknn"):
            compare(model, target, "refused")
    lost = folder / "lost"
    lost.mkdir()
    model = lost / "whole-4.onnx"
    model.write_bytes((folder / "whole-4.onnx").read_bytes())
    found, _ = verdicts(tool, model, "hexagon:60")
    if "refused" not in found or session(folder, model, {"soc_model": "60"}, {}):
        print("a context that is missing is taken")
        wrong += 1
    print(f"{len(made)} compiled models: {asked - wrong} of {asked} verdicts are those of the provider's comparison")
    return wrong


def check_selftest(tool, folder):
    wrong = 0
    trace = folder / "qnn_op_trace.json"
    for soc in GENERATIONS:
        model = folder / f"selftest-{soc}.onnx"
        subprocess.run([tool, "selftest", f"hexagon:{soc}", "-o", model, "-q"], check=True)
        trace.unlink(missing_ok=True)
        options = {"soc_model": str(soc), "enable_framework_op_trace": "1", "framework_op_trace_dir": str(folder)}
        is_made = session(folder, model, options, {})
        run = subprocess.run([tool, "verify", model, "-t", f"hexagon:{soc}", "--profile", trace, "--format", "json"],
                             check=False, stdout=subprocess.PIPE).stdout if is_made else b"null"
        answer = json.loads(run or b"null")
        if not answer or not answer["same"] or answer["partitions"]["run"] != 1:
            print(f"selftest hexagon:{soc}: not whole")
            wrong += 1
    print(f"selftest: {len(GENERATIONS) - wrong} of {len(GENERATIONS)} SoCs take it whole")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/npu-partition")
    tool = os.path.abspath(parser.parse_args().tool)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = check_compiled(tool, folder) + check_selftest(tool, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
