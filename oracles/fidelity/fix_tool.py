# SPDX-License-Identifier: Apache-2.0
"""`npu-partition fix` run on a model, and what it wrote held against what it said. Used by the fix_* scripts."""
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import onnx



@dataclasses.dataclass
class Fixed:
    status: object
    report: dict
    message: str
    seconds: float
    bytes: int

    @property
    def steps(self):
        return self.report.get("steps", [])

    @property
    def applied(self):
        return [step["rewrite"] for step in self.steps]

    def summary(self, when):
        """`before` or `after` of a report for one target, or of the first of several."""
        told = self.report.get(when) or {}
        return told[0] if isinstance(told, list) else told


def measured(command, seconds):
    """Exit status (None: stopped), standard output and error, time, bytes at the peak."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        limit = int(seconds) + 1
        child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = [stream.read().decode("utf-8", "replace") for stream in (out, err)]
    return child.returncode, *texts, time.monotonic() - start, usage.ru_maxrss << 10


def fix(tool, model, target, out, options=(), seconds=120):
    command = [str(tool), "fix", str(model), "-t", target, "-o", str(out), "--format", "json", *options]
    status, text, message, spent, peak = measured(command, seconds)
    try:
        report = json.loads(text) if text.strip() else {}
    except ValueError:
        report, message = {}, f"no JSON on standard output: {text[:120]!r} {message}"
    return Fixed(status, report, message.strip()[-600:], spent, peak)


def command_of(tool, model, target, out, options):
    words = [str(tool), "fix", str(model), "-t", target, "-o", str(out), "--format", "json", *options]
    return " ".join(f"'{word}'" if " " in word else word for word in words)


def checker_problem(path):
    """What onnx.checker has against a file, without its shape inference; None: nothing."""
    try:
        onnx.checker.check_model(str(path))
    except Exception as error:  # ValidationError, and others where the file is no model
        return str(error).strip()[:300]
    return None


def sizes_of(path):
    """The sizes that a model of the collection was run with: `NAME.run.json.gz` beside it."""
    import gzip
    beside = pathlib.Path(str(path).removesuffix(".onnx") + ".run.json.gz")
    if not beside.exists():
        return {}
    with gzip.open(beside, "rt", encoding="utf-8") as file:
        return json.load(file)["bind"]


def dim_options(sizes):
    return [word for name, size in sizes.items() for word in ("--dim", f"{name}={size}")]
