# SPDX-License-Identifier: Apache-2.0
"""What the tool itself says of the same rows: that it computes the formula, what falls back, and single products."""
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np
from onnx import TensorProto, helper, save

import cost_model as model
from cost_model import CHIPS, CHIP_NAMES, IS_RATE, N, NAMES, PRECISIONS, Z80



def percent(share):
    return f"{100 * share:.1f} %"


def table_of(head, lines):
    return "\n".join(["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)]) + "\n"


LINE = re.compile(r"^param (\S+)(?: of (\S+))?(?: for (\S+))?(?: via (\S+))? (\S+) (\S+) (\S+)")


class Shipped:
    """The parameters of a cost file: theta and sigma by chip, name and precision."""

    def __init__(self, path):
        values = {}
        self.model_sigma = None
        for line in path.read_text().splitlines():
            found = LINE.match(line)
            if found:
                name, precision, variant, via = found.group(1, 2, 3, 4)
                low, typical, high = (float(value) for value in found.group(5, 6, 7))
                if name == "model_sigma":
                    self.model_sigma = typical
                values[name, precision, variant, via if name.startswith("runtime") else None] = low, typical, high
        shape = (len(CHIPS), len(NAMES), 3)
        self.theta, self.sigma = np.zeros(shape), np.zeros(shape)
        for c, chip in enumerate(CHIP_NAMES):
            for name, k in N.items():
                via = "onnxruntime" if name.startswith("runtime") else None
                for p in range(3):
                    of = None if k < 4 else PRECISIONS[p]
                    low, typical, high = values[name, of, CHIPS[chip][0], via]
                    self.theta[c, k, p] = -np.log(typical) if IS_RATE[k] else np.log(typical)
                    self.sigma[c, k, p] = np.log(high / low) / (2 * Z80)

    def range_of(self, chip, graph, is_ort):
        """low, typical, high of one graph in one partition, with its edge Q and DQ."""
        theta = self.theta[chip]
        parts = model.with_run(model.graph_parts(graph, theta, True), graph, theta, is_ort)
        total = parts.sum()
        shares, sigma = parts / total, self.sigma[chip]
        variance = ((shares[:4].sum(1) * sigma[:4, 1]) ** 2).sum() + ((shares * sigma)[4:] ** 2).sum()
        variance += ((1 - shares[:3].sum()) * self.model_sigma) ** 2
        wide = np.exp(Z80 * variance ** .5)
        return total / wide, total, total * wide


def costs(tool, path, variants, runtime, *options):
    """`cost` of the JSON by variant."""
    done = subprocess.run([tool, str(path), "-t", ",".join(f"hexagon:{variant}" for variant in variants), "-f", "json",
                           "--detail", "summary", "--runtime", runtime, *options], capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{path}: {done.stderr}")
    return dict(zip(variants, (target["cost"] for target in json.loads(done.stdout)["targets"])))


def all_costs(tool, models, wanted):
    """wanted: {(graph, runtime): variants}; in two processes at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = {key: pool.submit(costs, tool, models / key[0], sorted(variants), key[1])
                   for key, variants in wanted.items()}
        return {key: answer.result() for key, answer in answers.items()}


def agreement(report, arguments, graphs, rows):
    """The tool's `npu_whole` against the formula on every graph, chip and runtime of the rows."""
    shipped = Shipped(arguments.cost)
    wanted = collections.defaultdict(set)
    for i, row in enumerate(rows.table):
        wanted[row["graph"], "onnxruntime" if rows.is_ort[i] else "bare"].add(CHIPS[row["chipset"]][0])
    answers = all_costs(arguments.tool, arguments.models, wanted)
    worst, worst_bound, compared, absent = (0, ""), (0, ""), 0, []
    for (name, runtime), variants in wanted.items():
        for variant in variants:
            chip = [CHIPS[chip][0] for chip in CHIP_NAMES].index(variant)
            expected = shipped.range_of(chip, graphs[name], runtime == "onnxruntime")
            found = answers[name, runtime][variant]["alternatives"]["npu_whole"]
            where = f"{name}, {variant}, {runtime}"
            if not found:
                absent.append(where)
                continue
            compared += 1
            off = np.abs(np.array(found) / expected - 1)
            worst = max(worst, (off[1], where))
            worst_bound = max(worst_bound, (max(off[0], off[2]), where))
    report.add("## The tool computes this formula", "", f"`cost.alternatives.npu_whole` on {compared} combinations of "
               "graph, chip and runtime, against the script with the parameters of the list:", "")
    # Which of two branches hides the other is asked on one chip, and by another's rates it may be the other way round.
    report.bar("typical time off by at most 0.5 %", f"{100 * worst[0]:.4f} % ({worst[1]})",
               worst[0] <= 5e-3 and compared > 0)
    report.bar("low and high off by at most 1 %", f"{100 * worst_bound[0]:.4f} % ({worst_bound[1]})",
               worst_bound[0] <= 1e-2)
    report.bar("without an answer", f"{len(absent)} {absent[:3] if absent else ''}", not absent)
    report.add("")


# ---- rows that did not run wholly on the NPU, and TFLite ------------------------------------------------------


def fallback(report, arguments, graphs):
    """Rows of ONNX Runtime with layers on the CPU: as planned where some ran on the NPU, else all on the CPU. They are
    of v0.46.1, as v0.65.0 has hardly any."""
    table = model.read_table(arguments.truth / "latency.csv.gz")
    rows = [row for row in table if row["runtime"] == "onnx" and row["layers_cpu"] != "0" and row["chipset"] in CHIPS
            and row["graph"] in graphs and "not for scoring" not in row["note"]]
    wanted = collections.defaultdict(set)
    for row in rows:
        wanted[row["graph"], "onnxruntime"].add(CHIPS[row["chipset"]][0])
    answers = all_costs(arguments.tool, arguments.models, wanted)
    groups = collections.defaultdict(list)
    for row in rows:
        which = "as_is" if int(row["layers_npu"]) else "cpu"
        found = answers[row["graph"], "onnxruntime"][CHIPS[row["chipset"]][0]]["alternatives"][which]
        kind = "some layers on the CPU" if which == "as_is" else "all on the CPU"
        groups[kind, row["precision"]].append((row["model"], float(row["ms"]), found))
    lines, factors = [], []
    for (kind, precision), items in sorted(groups.items()):
        off = [max(found[1] / ms, ms / found[1]) if found else np.inf for _, ms, found in items]
        inside = [bool(found) and found[0] <= ms <= found[2] for _, ms, found in items]
        wide = [found[2] / found[0] for _, _, found in items if found]
        factors += off
        lines.append([kind, precision, str(len(items)), f"{np.median(off):.2f}", f"{np.max(off):.1f}",
                      f"{100 * np.mean(inside):.0f} %", f"{np.median(wide):.1f}" if wide else "-"])
    report.add("## Fallback to the CPU", "", "Rows of ONNX Runtime with layers on the CPU (v0.46.1), against "
               "the tool's own plan: `cost.alternatives.as_is` where some layers ran on the NPU, `cpu` where none did. "
               "How far off, as a factor.", "")
    report.add(table_of(["rows", "precision", "count", "median factor", "worst", "inside", "high/low"], lines))
    report.bar("median factor", f"{np.median(factors):.2f}", np.median(factors) <= 2)
    report.add("")


def tflite(report, arguments, table, graphs):
    """TFLite partitions in another way, and has kernels of its own: reported, no bar."""
    shipped = Shipped(arguments.cost)
    by = collections.defaultdict(list)
    for row in table:
        if row["runtime"] == "tflite" and row["layers_cpu"] == row["layers_gpu"] == "0" and row["chipset"] in CHIPS \
                and row["graph"] in graphs and "not for scoring" not in row["note"]:
            low, typical, high = shipped.range_of(CHIP_NAMES.index(row["chipset"]), graphs[row["graph"]], False)
            by[row["precision"]].append((typical / float(row["ms"]), low <= float(row["ms"]) <= high))
    report.add("## TFLite", "", "Rows of the QNN delegate, wholly on the NPU, predicted as if QNN ran them; no part of "
               "the fit, and no bar.", "",
               table_of(["precision", "rows", "median error", "90th percentile", "inside", "predicted/measured"],
                        [[precision, str(len(items)), percent(np.median([abs(r - 1) for r, _ in items])),
                          percent(np.quantile([abs(r - 1) for r, _ in items], .9)),
                          percent(np.mean([i for _, i in items])), f"{np.median([r for r, _ in items]):.2f}"]
                         for precision, items in sorted(by.items())]))


# ---- single products ----------------------------------------------------------------------------------------

# Snapdragon 8 Gen 3, weights of 16 bits on the NPU: arXiv 2501.14794v2, table 3. rows, depth, columns: us
SINGLE = {(1, 4096, 4096): 693, (1, 4096, 28672): 3886, (128, 4096, 4096): 912, (256, 4096, 4096): 1884,
          (256, 14336, 4096): 23445, (1, 14336, 4096): 6506}
# The same chip, 8 bits, through another engine, whose calls cost more: arXiv 2407.05858, table 3; in ms
SMALL = {(64, 2048, 2048): .9, (64, 2048, 8192): 1.5, (64, 2048, 11008): 2.0, (32, 4096, 4096): 1.7,
         (32, 4096, 8192): 2.9, (32, 4096, 11008): 4.1}
# Its call and its memory rate, from the first and the fifth row alone (facts: 0.61 ms and 14.7 GB/s).
SMALL_COST = "format 1\ncost hexagon\nparam launch_ms 0.5 0.61 0.7\nparam memory_gb_per_s 13 14.7 16\n"


def product_model(rows, depth, columns, is_quantized, path):
    """MatMul whose weights are in a file that need not be there."""
    kind = TensorProto.INT8 if is_quantized else TensorProto.FLOAT16
    weights = TensorProto(name="w", data_type=kind, dims=[depth, columns], data_location=TensorProto.EXTERNAL)
    length = depth * columns * (1 if is_quantized else 2)
    for key, value in (("location", "absent.bin"), ("offset", "0"), ("length", str(length))):
        weights.external_data.add(key=key, value=value)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    values, initializers = TensorProto.FLOAT16, [weights]
    if is_quantized:
        values = TensorProto.UINT8
        initializers += [helper.make_tensor("s", TensorProto.FLOAT, [], [.1]),
                         helper.make_tensor("z", TensorProto.UINT8, [], [0]),
                         helper.make_tensor("v", TensorProto.INT8, [], [0])]
        nodes = [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["a"]),
                 helper.make_node("DequantizeLinear", ["w", "s", "v"], ["b"]),
                 helper.make_node("MatMul", ["a", "b"], ["c"]),
                 helper.make_node("QuantizeLinear", ["c", "s", "z"], ["y"])]
    graph = helper.make_graph(nodes, "product", [helper.make_tensor_value_info("x", values, [rows, depth])],
                              [helper.make_tensor_value_info("y", values, [rows, columns])], initializers)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))


def singles(report, arguments):
    lines, inside = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "small.cost").write_text(SMALL_COST)
        for sizes, measured, is_quantized in [(sizes, us / 1e3, False) for sizes, us in SINGLE.items()] + \
                [(sizes, ms, True) for sizes, ms in SMALL.items()]:
            product_model(*sizes, is_quantized, folder / "product.onnx")
            options = ["--cost", str(folder / "small.cost")] if is_quantized else []
            answer = costs(arguments.tool, folder / "product.onnx", ["sm8650"], "bare", *options)["sm8650"]
            found = answer["alternatives"]["npu_whole"]
            inside.append(found[0] <= measured <= found[2])
            lines.append(["x".join(map(str, sizes)), "w8a8" if is_quantized else "float16", f"{measured:.2f}",
                          f"{found[1]:.2f} ({found[0]:.2f} to {found[2]:.2f})",
                          f"{100 * (found[1] / measured - 1):+.0f} %"])
    report.add("## Single products", "", "Rows x depth x columns on Snapdragon 8 Gen 3 (arXiv 2501.14794v2 and "
               "2407.05858, table 3 of each), through the tool. No row took part in the fit; `deep_factor` is from the "
               "two products of 14,336. Those of 8 bits went through an engine whose call and memory rate are set by "
               "`--cost` from two of them (0.61 ms, 14.7 GB/s).", "",
               table_of(["product", "precision", "measured ms", "the tool says", "off by"], lines))
    report.add(f"{sum(inside)} of {len(inside)} lie inside.", "")
