#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scan of many models: its rate for a second of one core, its peak memory, that two kills by SIGKILL lose and repeat
nothing, and the same files by ONNX's loader and by ONNX Runtime's mobile usability checker, in the same run. Of the
checker what it asks of a model, NNAPI's and Core ML's partitions, after ONNX's strict shape inference in memory: it
refuses files whose weights are not there.

Models are those of the corpora, and mutants of the smaller ones. A peer has a process that it reads all its models in;
where one ends it or takes longer than --patience, the next has a new one. Peers get a random sample where all would
take too long. Rates are of CPU time, which hardly depends on what else runs; nothing is asserted of them. What a
peer refuses it is quick with, so ratios are of the models that it has answered, which the tool scans once more alone.

usage: scan.py --tool TOOL --maker MAKE_MUTANTS --measure MEASURE --folder FOLDER [--count N] [--sample N] CORPUS...
       scan.py --peer NAME < PATHS
"""
import argparse
import glob
import json
import os
import random
import resource
import select
import shutil
import subprocess
import sys
import time

MUTATED_BYTES = 512 << 10  # what the mutator reads of a model
PEERS = ("onnx.load", "usability checker")


# ---- a peer's process ------------------------------------------------------------------------------------------

def be_peer(name):
    """Answers each path on standard input with a line: its outcome, and the CPU seconds of the process so far."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    import onnx
    if name == "usability checker":
        from onnxruntime.tools.mobile_helpers import usability_checker

    def answer(outcome):
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(outcome, used.ru_utime + used.ru_stime, used.ru_maxrss, file=answers, flush=True)

    answer("ready")
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            model = onnx.load(path, load_external_data=False)
            if name != "onnx.load":
                model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
                usability_checker.check_shapes(model.graph)
                usability_checker.check_nnapi_partitions(model, True)
                for operators in ("neuralnetwork", "mlprogram"):
                    usability_checker.check_coreml_partitions(model, True, f"coreml_supported_{operators}_ops.md")
            answer("ok")
        except Exception:  # whatever the peer says of a broken model
            answer("refused")


class Peer:
    def __init__(self, name):
        self.name, self.process, self.seconds, self.peak = name, None, 0.0, 0
        self.answered, self.answered_seconds = [], 0.0
        self.outcomes = {"ok": 0, "refused": 0, "ended": 0, "given up": 0}

    def read(self, patience):
        """An outcome; None: nothing came in time."""
        if not select.select([self.process.stdout], [], [], patience)[0]:
            return None
        words = self.process.stdout.readline().split()
        if not words:
            return "ended"
        self.peak = max(self.peak, int(words[-1]))
        self.now = float(words[-2])
        return words[0]

    def start(self):
        self.process = subprocess.Popen([sys.executable, __file__, "--peer", self.name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, encoding="utf-8")
        if self.read(300) != "ready":
            sys.exit(f"{self.name} does not start")
        self.before = self.now  # importing is not counted

    def stop(self):
        self.seconds += self.now - self.before
        self.process.kill()
        self.process.wait()
        self.process = None

    def ask(self, path, patience):
        if not self.process:
            self.start()
        before = self.now
        try:
            self.process.stdin.write(path + "\n")
            self.process.stdin.flush()
            outcome = self.read(patience)
        except BrokenPipeError:
            outcome = "ended"
        self.outcomes[outcome or "given up"] += 1
        if outcome == "ok":
            self.answered.append(path)
            self.answered_seconds += self.now - before
        if outcome not in ("ok", "refused"):
            self.now += patience if outcome is None else 0
            self.stop()


def run_peer(name, paths, options):
    peer = Peer(name)
    end = time.monotonic() + options.minutes * 60
    asked = 0
    for path in paths:
        if time.monotonic() > end:
            break
        peer.ask(path, options.patience)
        asked += 1
    if peer.process:
        peer.stop()
    return peer, asked


# ---- models ----------------------------------------------------------------------------------------------------

def make_models(options):
    """Links to real models, and mutants up to the count; kept between runs of the same count."""
    mark = os.path.join(options.folder, f"ready-{options.count}")
    zoo = os.path.join(options.folder, "zoo")
    if os.path.exists(mark):
        return zoo
    shutil.rmtree(options.folder, ignore_errors=True)
    os.makedirs(os.path.join(zoo, "mutants"))
    real = sorted(path for corpus in options.corpora for path in glob.glob(os.path.join(corpus, "**", "*.onnx"),
                                                                          recursive=True))[:options.count]
    for i, path in enumerate(real):
        os.symlink(os.path.abspath(path), os.path.join(zoo, f"{i:04d}-{os.path.basename(path)}"))
    small = [path for path in real if os.path.getsize(path) < MUTATED_BYTES]
    if options.count > len(real):
        subprocess.run([options.maker, os.path.join(zoo, "mutants"), "0", str(options.count - len(real)), *small],
                       check=True)
    open(mark, "w", encoding="utf-8").close()
    return zoo


# ---- the tool --------------------------------------------------------------------------------------------------

def scan_command(options, zoo, jobs, output, *more):
    return [options.tool, "scan", zoo, "--target", options.target, "-j", str(jobs), "--output", output, "--quiet",
            *more]


def measure(options, zoo, jobs, name="j"):
    output = os.path.join(options.folder, f"{name}{jobs}.jsonl")
    if os.path.exists(output):
        os.remove(output)
    begin = time.monotonic()
    done = subprocess.run([options.measure, *scan_command(options, zoo, jobs, output)], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    wall = time.monotonic() - begin
    seconds, kilobytes, status = done.stdout.split()
    if status not in ("0", "3"):
        sys.exit(f"scan ends with {status}")
    return output, float(seconds), int(kilobytes), wall


def folder_of(options, paths):
    """Links to these models alone."""
    folder = os.path.join(options.folder, "same")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for i, path in enumerate(paths):
        os.symlink(os.path.realpath(path), os.path.join(folder, f"{i:05d}.onnx"))
    return folder


def lines_in(path):
    with open(path, "rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def kill_and_resume(options, zoo, whole):
    """Two kills, each once a third of the models more is there."""
    output = os.path.join(options.folder, "killed.jsonl")
    if os.path.exists(output):
        os.remove(output)
    total, kept = lines_in(whole), []
    for third in (1, 2, 3):
        command = scan_command(options, zoo, 2, output, *(["--resume"] if third > 1 else []))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and third < 3:
            if os.path.exists(output) and lines_in(output) >= total * third // 3:
                process.kill()
                break
            time.sleep(0.02)
        process.wait()
        kept.append(lines_in(output))
    with open(output, "rb") as one, open(whole, "rb") as other:
        return kept, one.read() == other.read()


# ---- the report ------------------------------------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer")
    for name in ("--tool", "--maker", "--measure", "--folder"):
        parser.add_argument(name)
    parser.add_argument("--target", default="hexagon")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--sample", type=int, default=10000, help="of a peer's models")
    parser.add_argument("--patience", type=float, default=60, help="seconds of a peer for a model")
    parser.add_argument("--minutes", type=float, default=30, help="of a peer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("corpora", nargs="*")
    options = parser.parse_args()
    if options.peer:
        be_peer(options.peer)
        return
    zoo = make_models(options)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for jobs in (1, 2):
        output, seconds, kilobytes, wall = measure(options, zoo, jobs)
        total = lines_in(output)
        print(f"scan -j {jobs}: {total} models, {seconds:.1f} s of CPU, {wall:.1f} s, {total / seconds:.0f} models a "
              f"second of a core, {kilobytes / 1024:.0f} MiB", flush=True)
    kept, is_same = kill_and_resume(options, zoo, output)
    print(f"killed twice: lines after each run {kept}; {'the same bytes' if is_same else 'OTHER BYTES'}", flush=True)
    with open(output, encoding="utf-8") as file:
        paths = [json.loads(line)["model"]["path"] for line in file]
    if len(set(paths)) != len(paths):
        sys.exit("a model is there twice")
    random.Random(options.seed).shuffle(paths)
    for name in PEERS:
        peer, asked = run_peer(name, paths[:options.sample], options)
        print(f"{name}: {asked} models{'' if asked == len(paths) else ' (a random sample)'}, {peer.outcomes}, "
              f"{peer.seconds:.1f} s of CPU, {peer.peak / 1024:.0f} MiB", flush=True)
        if not peer.answered:
            continue
        seconds = measure(options, folder_of(options, peer.answered), 1, "same")[1]
        count = len(peer.answered)
        print(f"  of the {count} it answers: {count / max(peer.answered_seconds, 1e-3):.0f} models a second of a core, "
              f"scan -j 1 {count / seconds:.0f}: "
              f"{peer.answered_seconds / seconds:.2f} times as fast", flush=True)
    if not is_same:
        sys.exit(1)


if __name__ == "__main__":
    main()
