#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the tool beside its yardsticks, on the same files in the same run, as whole processes.

usage: bench.py --tool TOOL --helpers DIR --models DIR --corpus DIR [--runs N] [--peers]

Each command runs once to warm the page cache, then N times, in turn with the others; user plus system CPU and peak
resident memory come from the operating system's account of the finished process, the median is printed, and
what counts are the ratios. --peers adds ONNX Runtime's mobile usability checker and `winml analyze`, once each on
1.2 GB of weights (they need about 9 GB of memory). Inference alone is timed inside processes that have read the
model, on the 100,000-node graph and on the model of --corpus with most nodes.
Needs:  pip install onnx   (--peers: onnxruntime, winml-cli)
"""
import argparse
import glob
import os
import statistics
import subprocess
import sys

TWO_TARGETS = ("hexagon", "intel-npu")
MEASURE = "measure"  # the program beside this script, built into --helpers
LOAD = "import onnx, sys; onnx.load(sys.argv[1], load_external_data=False)"


def run(command):
    """CPU seconds, peak megabytes and exit status of one process; its output goes nowhere."""
    answer = subprocess.run([MEASURE, *command], capture_output=True, text=True, check=True).stdout.split()
    return float(answer[0]), int(answer[1]) / 1024, int(answer[2])


def measure(commands, runs):
    """{name: (CPU seconds, peak MB, exit status)}, medians over `runs` rounds in which the commands take turns."""
    results = {name: [] for name in commands}
    for round_number in range(runs + 1):
        for name, command in commands.items():
            answer = run(command)
            if round_number > 0:
                results[name].append(answer)
    return {name: (statistics.median(r[0] for r in rows), statistics.median(r[1] for r in rows), rows[0][2])
            for name, rows in results.items()}


def print_table(title, results, ours):
    print(f"\n{title}")
    for name, (seconds, megabytes, status) in results.items():
        ratio = "" if name == ours else f"   {seconds / results[ours][0]:9.1f} times the CPU of {ours}"
        failed = f"   exit status {status}" if status else ""
        print(f"  {name:34} {seconds:9.4f} s CPU {megabytes:9.1f} MB peak{ratio}{failed}")


def analysis(tool, path, *more):
    return [tool, path, "--target", "hexagon", "--format", "json", *more]


def bench_weights(args):
    path = os.path.join(args.models, "weights.onnx")
    results = measure({"npu-partition": analysis(args.tool, path)}, max(args.runs, 9))
    results.update(measure({"onnx.load": [sys.executable, "-c", LOAD, path],
                            "protobuf-c unpack": [os.path.join(args.helpers, "unpack"), path]}, 1))
    print_table(f"{os.path.getsize(path) / 1e9:.2f} GB of inline weights, whole analysis with JSON", results,
                "npu-partition")


def bench_nodes(args):
    for name in ("nodes10.onnx", "nodes.onnx"):
        path = os.path.join(args.models, name)
        results = measure({"protobuf-c unpack": [os.path.join(args.helpers, "unpack"), path],
                           "npu-partition": analysis(args.tool, path),
                           "npu-partition, text": [args.tool, path, "--target", "hexagon"],
                           "onnx.load": [sys.executable, "-c", LOAD, path]}, args.runs)
        print_table(f"{name}, {os.path.getsize(path) / 1e6:.1f} MB without weights", results, "protobuf-c unpack")


def bench_million(args):
    """Ten times the nodes: cost of each must stay, for one target and for all."""
    for targets, runs in (("hexagon", 3), ("all", 1)):
        per_node = {}
        print()
        for name, nodes in (("nodes.onnx", 100_000), ("million.onnx", 1_000_000)):
            path = os.path.join(args.models, name)
            command = [args.tool, path, "--target", targets, "--format", "json"]
            seconds, megabytes, status = measure({"ours": command}, runs)["ours"]
            per_node[name] = (seconds / nodes, megabytes / nodes)
            print(f"{name}, {targets}: {seconds:.3f} s CPU, {megabytes:.0f} MB peak, exit status {status}; "
                  f"{seconds / nodes * 1e6:.2f} us and {megabytes / nodes * 1e6:.0f} bytes a node", flush=True)
        for what, i in (("time", 0), ("memory", 1)):
            print(f"{what} a node, of a million to 100,000: "
                  f"{per_node['million.onnx'][i] / per_node['nodes.onnx'][i]:.2f}")


# Prints the least CPU time of three inferences of one loaded model, in seconds.
INFER = """
import onnx, sys, time
model = onnx.load(sys.argv[1], load_external_data=False)
least = None
for _ in range(3):
    begin = time.process_time()
    onnx.shape_inference.infer_shapes(model, data_prop=True)
    seconds = time.process_time() - begin
    least = seconds if least is None else min(least, seconds)
print(least)
"""


def largest_of(corpus):
    import onnx
    sizes = {path: len(onnx.load(path, load_external_data=False).graph.node)
             for path in glob.glob(os.path.join(corpus, "*.onnx"))}
    return max(sorted(sizes), key=lambda path: sizes[path])


def stages(args, path, *targets):
    """Least CPU seconds of inference and of a plan for each target, in a process that has read the model already."""
    command = [os.path.join(args.helpers, "stages"), path, "9", *targets]
    return [float(line) for line in subprocess.run(command, check=True, capture_output=True,
                                                   text=True).stdout.split()]


def bench_inference(args, largest):
    """Inference alone, both in a process that has read the model already."""
    print("\ninference of types, shapes and small integer tensors, alone")
    for path in (largest, os.path.join(args.models, "nodes.onnx")):
        ours = stages(args, path)[0]
        theirs = float(subprocess.run([sys.executable, "-c", INFER, path], check=True, capture_output=True,
                                      text=True).stdout)
        print(f"  {os.path.basename(path)}: npu-partition {ours * 1e3:.3f} ms, onnx.shape_inference.infer_shapes"
              f"(data_prop=True) {theirs * 1e3:.1f} ms: {theirs / ours:.0f} times")


def bench_targets(args, largest):
    """What one more target costs, and all of them."""
    for path in (largest, os.path.join(args.models, "nodes.onnx")):
        unpack = measure({"": [os.path.join(args.helpers, "unpack"), path]}, args.runs)[""][0]
        print(f"\n{os.path.basename(path)}, protobuf-c unpack {unpack * 1e3:.1f} ms")
        for target, seconds in zip(TWO_TARGETS, stages(args, path, *TWO_TARGETS)[1:]):
            print(f"  judging, partitioning and costing for {target}, alone: {seconds * 1e3:.1f} ms, "
                  f"{seconds / unpack:.2f} times the unpack")
        for form in ("text", "json"):
            if path != largest and form == "json":
                continue
            command = [args.tool, path, "--format", form, "--target"]
            results = measure({"one": [*command, TWO_TARGETS[0]], "two": [*command, ",".join(TWO_TARGETS)],
                               "all": [*command, "all"]}, args.runs)
            print(f"  {form}: two targets {results['two'][0] / results['one'][0]:.2f} times the CPU of "
                  f"{TWO_TARGETS[0]} alone ({results['one'][0] * 1e3:.1f} ms), all targets "
                  f"{results['all'][0] / results['one'][0]:.2f} times")


def bench_peers(args):
    path = os.path.join(args.models, "weights12.onnx")
    bin_folder = os.path.dirname(sys.executable)
    results = measure({"npu-partition": analysis(args.tool, path)}, max(args.runs, 9))
    peers = {
        "onnx.load": [sys.executable, "-c", LOAD, path],
        "ORT mobile usability checker": [sys.executable, "-m", "onnxruntime.tools.check_onnx_model_mobile_usability",
                                         path],
        "winml analyze (qnn, npu)": [os.path.join(bin_folder, "winml"), "-q", "analyze", "--model", path, "--ep", "qnn",
                                     "--device", "npu", "--output", os.path.join(args.models, "winml.json"),
                                     "--overwrite"],
    }
    for name, command in peers.items():
        try:
            results[name] = run(command)
        except FileNotFoundError:
            print(f"{name}: not installed")
    print_table(f"peers, {os.path.getsize(path) / 1e9:.2f} GB of inline weights, one run each", results,
                "npu-partition")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--helpers", required=True, help="where measure and unpack were built")
    parser.add_argument("--models", required=True)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--corpus", required=True, help="a folder of models; inference is timed on the largest")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--million", action="store_true", help="only: a million nodes beside 100,000")
    args = parser.parse_args()
    global MEASURE
    MEASURE = os.path.join(args.helpers, "measure")
    if args.million:
        bench_million(args)
        return
    bench_weights(args)
    bench_nodes(args)
    largest = largest_of(args.corpus)
    bench_inference(args, largest)
    bench_targets(args, largest)
    if args.peers:
        bench_peers(args)


if __name__ == "__main__":
    main()
