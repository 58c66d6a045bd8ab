#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run a model before and after a change on the same random inputs, and compare: one line of JSON a job, one an answer.

usage: fix_worker.py [--provider cpu|htp] [--soc 60]     (started by the fix_* scripts through `Workers`)

A job: {"before", "after": paths, "name": of the inputs' draws, "feeds": {input: kind}, "dims": {symbol: size},
"shapes": {input: dims} where the file leaves them open, "override": factor, "draws": count, "finite": only draws
without NaN and inf}. The answer: {"equal", "error", "form", "ran": draws that ran, "fails": {"before"|"after": message},
"outputs"}. With --provider htp both run on Qualcomm's HTP library for x86, and are compared with the CPU's results of
the model before: {"errors": {"before", "after"}}. Inputs that the second model lacks have been bound; it may lack no
others.
"""
import argparse
import json
import os
import queue
import subprocess
import sys
import threading

import numpy as np
import onnx
from onnx import numpy_helper

import fix_feeds

HERE = os.path.dirname(os.path.abspath(__file__))


# ---- the parent's side -------------------------------------------------------------------------------------------


class Workers:
    """Processes of this script, restarted when one dies or is silent for too long."""

    def __init__(self, python=sys.executable, options=(), seconds=60, limit=None):
        self.command = [python, os.path.join(HERE, "fix_worker.py"), *options]
        self.seconds, self.limit, self.process, self.lines = seconds, limit, None, None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, preexec_fn=self.limit)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True).start()

    @staticmethod
    def read(stream, lines):
        for line in stream:
            if line.startswith("{"):
                lines.put(line)
        lines.put(None)

    def ask(self, job):
        if self.process is None or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            line = self.lines.get(timeout=self.seconds)
        except BrokenPipeError:
            line = None
        except queue.Empty:
            self.close()
            return {"crash": f"no answer in {self.seconds} s"}
        if line is None:
            status = self.process.wait()
            self.process = None
            return {"crash": f"exit status {status}"}
        return json.loads(line)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


# ---- the worker's side -------------------------------------------------------------------------------------------


def feeds_of(model, job, turn):
    """Values of the graph's inputs; initializers that are inputs too get others than they hold, where floats."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in constants:
            array = numpy_helper.to_array(constants[value.name]) if not constants[value.name].external_data else None
            if array is not None and array.dtype.kind == "f" and job.get("override", 1) != 1:
                feeds[value.name] = np.asarray(array * array.dtype.type(job["override"]))
            continue
        tensor = value.type.tensor_type
        dims = job.get("shapes", {}).get(value.name) or [
            dim.dim_value if dim.HasField("dim_value") else job["dims"][dim.dim_param or f"{value.name}.{axis}"]
            for axis, dim in enumerate(tensor.shape.dim)]
        feeds[value.name] = fix_feeds.draw(job["feeds"].get(value.name, ""), tensor.elem_type, dims,
                                           fix_feeds.chance_of(job["name"], value.name, turn), turn)
    return feeds


def session_options(runtime):
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return options


def cpu_session(runtime, path):
    return runtime.InferenceSession(path, session_options(runtime), providers=["CPUExecutionProvider"])


def run(session, feeds):
    names = [output.name for output in session.get_outputs()]
    wanted = {given.name for given in session.get_inputs()}
    wanted |= {given.name for given in session.get_overridable_initializers()}
    missing = wanted - set(feeds) - {given.name for given in session.get_overridable_initializers()}
    if missing:
        raise ValueError(f"inputs that were not there: {sorted(missing)}")
    return dict(zip(names, session.run(None, {name: feeds[name] for name in feeds if name in wanted})))


def results_of(runtime, path, model, job, turns, make=cpu_session):
    """Per turn the outputs; a message where it does not load or a turn does not run."""
    try:
        session = make(runtime, path)
    except Exception as error:
        return {}, str(error)[:400]
    results, problem = {}, None
    for turn in turns:
        try:
            results[turn] = run(session, feeds_of(model, job, turn))
        except Exception as error:
            problem = str(error)[:400]
    return results, problem


def inputs_gone(before, after):
    """Inputs of the file that are no longer there."""
    return sorted({value.name for value in before.graph.input} - {value.name for value in after.graph.input})


def judge(runtime, job):
    model = onnx.load(job["before"], load_external_data=False)
    turns = range(fix_feeds.RARE if job.get("finite") else job.get("draws", fix_feeds.DRAWS))
    answer = {"equal": "bits", "error": 0.0, "form": None, "ran": 0, "fails": {}}
    before, problem = results_of(runtime, job["before"], model, job, turns)
    if problem and not before:
        answer["fails"]["before"] = problem
        return answer
    after, problem = results_of(runtime, job["after"], model, job, before)
    if problem:
        answer["fails"]["after"] = problem
    answer["gone"] = inputs_gone(model, onnx.load(job["after"], load_external_data=False))
    for turn, left in before.items():
        if turn not in after:
            continue
        equal, error, form = fix_feeds.compare(left, after[turn])
        answer["equal"] = max(answer["equal"], equal, key=fix_feeds.EQUAL.index)
        answer["error"] = max(answer["error"], error)
        answer["form"] = answer["form"] or form
        answer["ran"] += 1
    return answer


# ---- HTP ---------------------------------------------------------------------------------------------------------


class Htp:
    def __init__(self, runtime, soc):
        import onnxruntime_qnn as qnn
        runtime.register_execution_provider_library("QNNExecutionProvider", qnn.get_library_path())
        self.devices = [device for device in runtime.get_ep_devices() if device.ep_name == "QNNExecutionProvider"]
        self.settings = {"backend_path": qnn.get_qnn_htp_path(), "soc_model": soc, "enable_htp_fp16_precision": "1",
                         "offload_graph_io_quantization": "1"}

    def session(self, runtime, path):
        options = session_options(runtime)
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        options.add_provider_for_devices(self.devices, self.settings)
        return runtime.InferenceSession(path, options)

    def judge(self, runtime, job):
        """Errors of both on HTP against the CPU's results of the model before."""
        model = onnx.load(job["before"], load_external_data=False)
        right, problem = results_of(runtime, job["before"], model, job, range(min(job.get("draws", 5), fix_feeds.RARE)))
        answer = {"errors": {}, "fails": {}, "ran": len(right)}
        if not right:
            answer["fails"]["cpu"] = problem
            return answer
        for which in ("before", "after"):
            if not job.get(which):
                continue
            got, problem = results_of(runtime, job[which], model, job, right, self.session)
            if problem:
                answer["fails"][which] = problem
            errors = [finite_error(right[turn], got[turn]) for turn in got]
            if errors:
                answer["errors"][which] = max(errors)
        return answer


def finite_error(right, got):
    """As fix_feeds.compare, but of float outputs the error at entries that are finite in both; others by share."""
    worst = 0.0
    for name, left in right.items():
        other = got.get(name)
        if other is None or getattr(left, "shape", None) != getattr(other, "shape", None):
            return float("inf")
        if left.dtype.kind != "f":
            worst = max(worst, float(np.mean(left != other)) if left.size else 0.0)
            continue
        keep = np.isfinite(left) & np.isfinite(other)
        if keep.any():
            worst = max(worst, fix_feeds.error_of(np.where(keep, left, 0), np.where(keep, other, 0)))
        if not keep.all() and not np.array_equal(np.isfinite(left), np.isfinite(other)):
            worst = float("inf")
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--provider", default="cpu", choices=["cpu", "htp"])
    parser.add_argument("--soc", default="60")
    args = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the vendor's library prints
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    htp = Htp(onnxruntime, args.soc) if args.provider == "htp" else None
    for line in sys.stdin:
        job = json.loads(line)
        answer = htp.judge(onnxruntime, job) if htp else judge(onnxruntime, job)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
