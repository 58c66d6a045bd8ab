# SPDX-License-Identifier: Apache-2.0
"""Published latencies of chips beside Hexagon's: the rows that can be asked, and how the tool is asked of them.

A row asks for its chip's rates (`asked`): of some targets a list has another name for it than the table. What runs in
FLOAT16 is asked so (Core ML takes a FLOAT32 model to the GPU): floats of the graph become FLOAT16, its weights, which
are not there, half as long.
"""
import csv
import gzip
import json
import os
import pathlib
import subprocess
import tempfile

import onnx
from onnx import TensorProto

OTHER_UNITS = ("cpu", "gpu", "vx")
BY_CHIP = ("coreml-mlprogram", "xnnpack")  # the table has their chips, and no variant
RUNTIMES = {"coreml-mlprogram": "coreml"}  # what the rows were measured with, where the list has another by default
CORES = {"pixel": "kryo", "pixel-2": "cortex-a73", "pixel-3a": "cortex-a75", "rpi-4": "cortex-a72",
         "rpi-3+": "cortex-a53", "rpi-2": "cortex-a7", "rpi-zero-w": "arm1176"}
# The table has one variant for USB. All ports of this host are USB 2 (raspberrypi.com, Raspberry Pi 3 Model B and B+).
USB2_HOST = "USB on Raspberry Pi 3"


def read_rows(path, target=None):
    """Rows that have a graph and a chip of a list, with `asked` (TARGET:VARIANT)."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["graph"] and "not for scoring" not in row["note"]
                and row["target"] not in OTHER_UNITS and target in (None, row["target"])]
    for row in rows:
        if row["device"].startswith(USB2_HOST):
            row["variant"] = "usb2"
        if row["target"] in BY_CHIP:
            row["variant"] = CORES.get(row["chip"], row["chip"]) + ("-one" if row["note"] == "one thread" else "")
        row["asked"] = f"{row['target']}:{row['variant']}"
    return [row for row in rows if row["variant"]]


def halve(tensor):
    if tensor.data_type != TensorProto.FLOAT:
        return
    if tensor.data_location == TensorProto.EXTERNAL:
        for entry in tensor.external_data:
            if entry.key in ("length", "offset"):
                entry.value = str(int(entry.value) // 2)
        tensor.data_type = TensorProto.FLOAT16
    else:
        tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor).astype("float16"),
                                                     tensor.name))


def write_float16(path, to):
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        halve(tensor)
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "value" and attribute.type == onnx.AttributeProto.TENSOR:
                halve(attribute.t)
            elif node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
    onnx.save(model, to)


class Tool:
    def __init__(self, tool, rows):
        self.tool, self.folder = tool, pathlib.Path(rows).parent / "models"
        self.made = tempfile.TemporaryDirectory()

    def graph(self, row):
        """Path of the row's graph, in the precision that it was measured in."""
        if row["precision"] != "float16":
            return self.folder / row["graph"]
        path = pathlib.Path(self.made.name) / row["graph"]
        if not path.exists():
            write_float16(self.folder / row["graph"], path)
        return path

    def ask(self, row, cost=None, detail="summary", asked=None):
        """The target's answer; `cost`: lines of a cost file. None where the tool has none."""
        command = [self.tool, self.graph(row), "-t", asked or row["asked"], "--no-advice", "--format", "json",
                   "--detail", detail]
        command += ["--runtime", RUNTIMES[row["target"]]] if row["target"] in RUNTIMES else []
        if cost:
            path = os.path.join(self.made.name, "fit.cost")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(["format 1", f"cost {row['target']}", 'source "a fit"', *cost, ""]))
            command += ["--cost", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not done.stdout:
            raise SystemExit(f"{row['asked']}, {row['graph']}: {done.stderr}")
        return json.loads(done.stdout)["targets"][0]

    def npu_whole(self, row, **options):
        """[low, typical, high] ms with the whole graph on the NPU, or None."""
        return self.ask(row, **options)["cost"]["alternatives"]["npu_whole"]
