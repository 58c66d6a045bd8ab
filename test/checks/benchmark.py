#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark on three fixtures: a run that is killed and goes on writes the same bytes, an answer of a compiler is
compared, what got worse is found with its operator, and the page counts what was run.

usage: benchmark.py TOOL LIBRARY FOLDER
"""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

RUN, COMPARE, PAGE = (str(pathlib.Path("oracles/benchmark") / name) for name in ("run.py", "compare.py", "page.py"))
CORPUS = """
[environments]
torch = ""
[[models]]
use = "classification"
build = "plain"
in = "torch"
names = ["a", "b", "c", "gone"]
exports = ["ts17d"]
"""
MODELS = {"a": ("mobilenetv3-small-050.ts14.onnx", {}), "b": ("resnet50.ts17.dyn.onnx", {"batch": 1}),
          "c": ("detector.dynamo.onnx", {})}
# An oracle that says of every model: all nodes are on the NPU, in one partition.
ORACLE = """
import json, sys
import subprocess
done = subprocess.run([{tool!r}, sys.argv[1], "-t", "hexagon", "-f", "json"] + sum(
    [["-d", sys.argv[i + 1]] for i, word in enumerate(sys.argv) if word == "--dim"], []),
    capture_output=True, text=True)
nodes = [n for n in json.loads(done.stdout)["targets"][0]["nodes"]
         if n["graph"] == "" and n["verdict"] not in ("folded", "fused")]
dims = {{d.split("=")[0]: int(d.split("=")[1]) for i, d in enumerate(sys.argv) if sys.argv[i - 1] == "--dim"}}
print(json.dumps({{"model": sys.argv[1], "level": "all", "dims": dims, "seconds": 1.5,
    "partitions": [["n%d_" % n["index"] for n in nodes]],
    "nodes": [{{"index": n["index"], "name": n["name"], "op": n["op"], "ep": "QNN"}} for n in nodes]}}))
"""


# One for xnnpack, of which a number of partitions is enough: what the tool says, but for the detector.
SHORT_ORACLE = """
import json, sys
import subprocess
done = subprocess.run([{tool!r}, sys.argv[1], "-t", "xnnpack@1.23.2", "-f", "json", "-d", "batch=1"],
    capture_output=True, text=True)
if done.returncode:
    done = subprocess.run([{tool!r}, sys.argv[1], "-t", "xnnpack@1.23.2", "-f", "json"], capture_output=True, text=True)
found = json.loads(done.stdout)["targets"][0]["summary"]["partitions"]
wrong = "plain-c" in sys.argv[1]
print(json.dumps({{"model": sys.argv[1], "dims": {{"batch": 1}} if "plain-b" in sys.argv[1] else {{}},
    "partitions": found + wrong, "nodes": []}}))
"""


def expect(holds, what):
    if not holds:
        sys.exit(f"benchmark: {what}")


def prepare(folder):
    """Exports as make.py leaves them: three that succeeded, and one that failed."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "exports").mkdir(parents=True)
    (folder / "corpus.toml").write_text(CORPUS)
    for name in ("a", "b", "c", "gone"):
        facts = {"name": f"plain-{name}.ts17d", "use": "classification", "architecture": name,
                 "exporter": "torchscript", "exporter_version": "torch 1", "is_dynamic": True, "quantized": "",
                 "dims": {}}
        if name in MODELS:
            shutil.copy(pathlib.Path("fixtures") / MODELS[name][0], folder / "exports" / f"plain-{name}.ts17d.onnx")
            facts["dims"] = MODELS[name][1]
        else:
            facts["error"] = "RuntimeError: no such operator"
        (folder / "exports" / f"plain-{name}.ts17d.json").write_text(json.dumps(facts))


def command(args, folder, *more):
    return [sys.executable, "-B", RUN, "--folder", str(folder), "--corpus", str(folder / "corpus.toml"), "--tool",
            args.tool, "--library", args.library, "--jobs", "1", *more]


def results(folder):
    names = sorted(path.name for path in folder.iterdir()
                   if path.suffix in (".csv", ".parquet") or "badge" in path.name)
    expect({"results.csv", "roots.csv", "badge-hexagon.json"} <= set(names), f"results are missing: {names}")
    return {name: (folder / name).read_bytes() for name in names}


def run(args, folder, *more):
    done = subprocess.run(command(args, folder, *more), capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"run.py ended with {done.returncode}: {done.stderr[-2000:]}")
    return results(folder)


def run_killed(args, folder, *more):
    """Killed once a model is measured, and run again."""
    process = subprocess.Popen(command(args, folder, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    while not list((folder / "measured").glob("*.json")) and process.poll() is None:
        time.sleep(0.002)
    expect(process.poll() is None, "the run ended before it could be killed")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    expect(not (folder / "results.csv").exists(), "results were written before all models were measured")
    return run(args, folder, *more)


def rows(folder):
    with open(folder / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_rows(folder):
    found = rows(folder)
    targets = {row["target"] for row in found if row["target"]}
    expect(len(found) == 3 * len(targets) + 1 and len(targets) >= 16, f"{len(found)} rows of {len(targets)} targets")
    failed = [row for row in found if row["export_error"]]
    expect([row["name"] for row in failed] == ["plain-gone.ts17d"], "the failed export is no row")
    own = {row["architecture"]: row for row in found if row["target"].startswith("hexagon")}
    expect(own["b"]["exported_verdict"] == "none" and own["b"]["sized_verdict"] == "whole", "sizes do not help")
    expect(own["c"]["sized_verdict"] == "split" and own["c"]["all_steps"] != "", "fix finds nothing")
    for target in ("hexagon", "xnnpack"):
        own = {row["architecture"]: row for row in found if row["target"].startswith(target)}
        said = [own[name]["confirmed"] for name in "abc"]
        expect(said == ["agrees", "agrees", "differs"], f"{target} confirmed: {said}")


def called(*command):
    return subprocess.run([sys.executable, "-B", *map(str, command)], capture_output=True, text=True, check=False)


def check_compare(args, old, new):
    """b becomes the detector: its operators are blamed."""
    same = called(COMPARE, old, old)
    expect(same.returncode == 0 and same.stdout.startswith("nothing changed"), f"equal runs differ: {same.stdout}")
    prepare(new)
    shutil.copy(pathlib.Path("fixtures") / "detector.dynamo.onnx", new / "exports" / "plain-b.ts17d.onnx")
    run(args, new)
    worse = called(COMPARE, old, new, "--target", "hexagon")
    expect(worse.returncode == 1, f"nothing is worse: {worse.stdout}")
    expect("torchscript on hexagon: 1 worse, 0 better, 2 equal" in worse.stdout, worse.stdout)
    expect("1 exports, 2 nodes more: Pad: mode must be constant, reflect or edge" in worse.stdout, worse.stdout)


def check_badge(args):
    """Of one model, and of two."""
    for models, message, color in ((["detector.dynamo.onnx"], "split, 4 partitions", "orange"),
                                   (["resnet50.ts17.dyn.onnx", "detector.dynamo.onnx"], "0 of 2 models", "orange"),
                                   (["mobilenetv3-small-050.ts14.onnx"], "yes", "brightgreen")):
        lines = subprocess.run([args.tool, *(f"fixtures/{name}" for name in models), "-t", "hexagon", "-f", "json"],
                               capture_output=True, text=True, check=True).stdout
        done = subprocess.run([sys.executable, "-B", "oracles/benchmark/badge.py"], input=lines, capture_output=True, text=True,
                              check=True)
        said = {"schemaVersion": 1, "label": "whole on hexagon:v73", "message": message, "color": color}
        expect(json.loads(done.stdout) == said, f"badge: {done.stdout}")


def check_page(folder):
    page = folder / "page.md"
    page.write_text("old\n## What was found\n\nBy hand.\n")
    done = called(PAGE, folder, "--page", page)
    expect(done.returncode == 0, f"page.py: {done.stderr[-2000:]}")
    text = page.read_text()
    expect("of 3 exports of 3 architectures by 1 exporters" in " ".join(text.split()), text[:800])
    expect(text.endswith("## What was found\n\nBy hand.\n"), "what people wrote is gone")
    expect("| plain-c.ts17d | hexagon | split, 4 | whole, 1 |" in text, "the disagreement is not on the page")


def main():
    class Args:
        tool, library = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])

    folder = pathlib.Path(sys.argv[3]).resolve()
    whole, killed, other = folder / "whole", folder / "killed", folder / "other"
    for each in (whole, killed):
        prepare(each)
    oracle = folder / "oracle.py"
    oracle.write_text(ORACLE.format(tool=Args.tool))
    short = folder / "short.py"
    short.write_text(SHORT_ORACLE.format(tool=Args.tool))
    asking = ("--oracle", f"hexagon={oracle}", "--oracle", f"xnnpack={short}")
    first = run(Args, whole, *asking)
    expect(run(Args, whole) == first, "a rerun writes other bytes")
    expect(run_killed(Args, killed, *asking) == first, "a run that was killed and went on writes other bytes")
    check_rows(whole)
    expect(run(Args, killed, "--only", "plain-[ab]", *asking) != first, "--only takes all")
    expect(run(Args, killed, *asking) == first, "a run after one of a part writes other bytes")
    expect(run(Args, killed, "--again", "plain-c", *asking) != first, "what is made again is still there")
    check_badge(Args)
    check_page(whole)
    check_compare(Args, whole, other)


if __name__ == "__main__":
    main()
