#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Export entries of the corpus, each in a process of its own with a time limit.

usage: make.py FOLDER --in ENVIRONMENT [--only REGEX] [--timeout 300] [--memory BYTES] [--jobs 1]

run.py calls it, with the Python of each environment. FOLDER/NAME.onnx is the model without large weights,
FOLDER/NAME.json what is known of it, or, where the export failed, `error`: that is a result, too, and is not tried
again until the file is removed. A JSON file is put in place last: whatever ends this program costs the entry in work.
"""
import argparse
import importlib
import importlib.metadata
import json
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings

import corpus
import exporters
import table

HERE = pathlib.Path(__file__).resolve().parent
# What is imported once, before processes are forked: importing takes longer than most exports.
PRELOADED = {"torch": ("torch", "timm", "transformers", "diffusers", "onnx", "onnxscript", "campaign_own",
                       "decoder_exports", "onnxruntime.quantization"),
             "torch-earlier": ("torch", "timm", "transformers", "optimum.exporters.onnx", "onnx", "onnxscript"),
             "sklearn": ("sklearn", "skl2onnx", "onnx"), "tensorflow": ("onnx",), "paddle": ("onnx",)}
PACKAGES = ("torch", "torchvision", "timm", "transformers", "diffusers", "onnx", "onnxscript", "onnxruntime",
            "optimum-onnx", "onnxruntime-genai", "scikit-learn", "skl2onnx", "onnxmltools", "lightgbm", "xgboost",
            "tensorflow-cpu", "tf2onnx", "paddlepaddle", "paddle2onnx")
REASON_CHARACTERS = 300


def versions():
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def record(entry, facts):
    """What is kept of an entry."""
    return {"name": entry.name, "use": entry.use, "architecture": entry.architecture,
            "exporter": entry.exporter, "exporter_version": exporters.version_of(entry.exporter, versions()),
            "opset_asked": entry.opset, "is_dynamic": entry.is_dynamic, "quantized": entry.quantized,
            "environment": entry.environment, "packages": versions(), **facts}


def export(entry, folder):
    """In the process of the entry: the model and what is known of it."""
    import campaign_export

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TMPDIR"] = scratch
        path, sizes = exporters.export(entry, pathlib.Path(scratch))
        new = folder / (entry.name + ".onnx.new")
        facts = campaign_export.strip(path, new)
        os.replace(new, folder / (entry.name + ".onnx"))
    known = {symbol: size for symbol, size in sizes.items() if symbol in facts["symbols"] or "." in symbol}
    table.write_json(folder / (entry.name + ".json"), record(entry, {"dims": known, "symbols": facts["symbols"]}))


def reason_of(error):
    """The innermost cause, on one line without paths."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["no message"]
    text = f"{type(error).__name__}: {lines[0]}"
    return text.replace(str(pathlib.Path.home()), "~").replace(sys.prefix, "")[:REASON_CHARACTERS]


def child(entry, folder, memory):
    """Never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        log = os.open(folder / (entry.name + ".log"), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        export(entry, folder)
        status = 0
    except BaseException as error:  # whatever an exporter raises
        traceback.print_exc()
        table.write_json(folder / (entry.name + ".json"), record(entry, {"error": reason_of(error)}))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def start(entry, folder, memory):
    """The process that exports an entry, and when it began."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        child(entry, folder, memory)
    return pid, time.monotonic()


def ended(pid, seconds, timeout):
    """Why a process left no result, should it have left none; None while it works. After `timeout` it is killed."""
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        return f"ended by signal {status & 127}"
    if seconds <= timeout:
        return None
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its group yet
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return f"took longer than {timeout:g} s"


def finish(entry, folder, why, seconds):
    known = folder / (entry.name + ".json")
    if not known.exists():
        table.write_json(known, record(entry, {"error": why}))
    (folder / (entry.name + ".onnx.new")).unlink(missing_ok=True)
    said = json.loads(known.read_text(encoding="utf-8")).get("error", "exported")
    print(f"{entry.name}: {said[:120]} ({seconds:.0f} s)", flush=True)


def make(entries, folder, args):
    """Several entries at a time, each in a process of its own."""
    working, waiting = {}, list(reversed(entries))
    while working or waiting:
        while waiting and len(working) < args.jobs:
            entry = waiting.pop()
            working[entry] = start(entry, folder, args.memory)
        for entry, (pid, began) in list(working.items()):
            seconds = time.monotonic() - began
            why = ended(pid, seconds, args.timeout)
            if why:
                del working[entry]
                finish(entry, folder, why, seconds)
        time.sleep(0.05)


def preload(environment):
    """What is listed for the environment, or for that of the newest releases."""
    for name in PRELOADED.get(environment) or PRELOADED.get(environment.split("-")[0], ()):
        try:
            importlib.import_module(name)
        except Exception as error:  # whatever packages that do not fit together raise; those who need it fail then
            print(f"{environment}: {name}: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--in", dest="environment", required=True)
    parser.add_argument("--corpus", type=pathlib.Path, default=HERE / "corpus.toml")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--memory", type=int, default=0, help="bytes that an export may take; default no limit")
    parser.add_argument("--jobs", type=int, default=1, help="how many are exported at a time; default 1")
    args = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "fidelity"))
    args.folder.mkdir(parents=True, exist_ok=True)
    entries = [e for e in corpus.read(args.corpus, args.only) if e.environment == args.environment]
    missing = [e for e in entries if not (args.folder / (e.name + ".json")).exists()]
    if missing:
        preload(args.environment)
    make(missing, args.folder, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
