# SPDX-License-Identifier: Apache-2.0
"""The cost formula of lib/plan/cost over published latencies, and how its parameters are fitted (docs/evidence/fidelity-cost.md).

A time is a sum: what one unit of a quantity takes, times how many units. Quantities come from `nodes[].work` of the
tool's JSON; what a unit takes is unknown, by chip and precision. Its logarithm is a sum of what all chips have in
common, of what a precision adds, of the chip's speed, and of the chip's own at that kind of work, each with a prior.
So a chip with few rows is described by what it shares with others.

Rows of one network err together: the formula misses something of the network. So each network and precision has an
error of its own beside the row's, both with heavy tails: a network that no formula catches pulls little.
"""
import csv
import datetime
import gzip
import hashlib
import json
import math
import pathlib
import subprocess
import tempfile

import numpy as np

PRECISIONS = ("float16", "w8a8", "w8a16")
PRECISION_OF = {"float": 0, "w8a8": 1, "w8a16": 2}
ELEMENT_BYTES = (2, 1, 2)  # of an activation as it is computed, by precision
TYPE_BYTES = {0: 4, 1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2, 21: .5, 22: .5}
RUNTIMES = ("onnx", "precompiled_qnn_onnx", "qnn_dlc", "qnn_context_binary")
IO_CAP_MB = 4.0
DEEP_FACTOR = 3.3  # of a product that is very deep for its width; typical of the op list
Z80 = 1.28155

# What a unit of the quantity takes by prior (8 Gen 3): by chip alone, by chip and precision.
CHIP_RATES = ("launch_ms", "runtime_ms", "runtime_copy_gb_per_s", "memory_gb_per_s")
RATES = {  # name: typical of float16, w8a8, w8a16; kind of work
    "product_us": ((3., 3., 3.), "setup"), "depthwise_gops": ((24., 60., 27.), "vector"),
    "pool_gops": ((12., 30., 12.), "vector"), "normalize_gops": ((8., 15., 12.), "vector"),
    "function_gops": ((50., 95., 45.), "vector"), "elementwise_gops": ((130., 290., 150.), "vector"),
    "move_gb_per_s": ((32., 95., 55.), "move"), "node_us": ((.3, .2, .3), "setup"),
    "io_gb_per_s": ((8., 8., 5.), "move"), "matrix_tops": ((13., 60., 35.), "matrix")}
NAMES = (*CHIP_RATES, *RATES)
N = {name: i for i, name in enumerate(NAMES)}
# What needs more than a node's work to know.
ASKED = ("move_gb_per_s", "node_us", "depthwise_gops", "pool_gops", "normalize_gops", "matrix_tops")
KINDS = ("matrix", "vector", "move", "setup")
# Smallest inference over all rows of the chip (AI Hub v0.65.0), and memory bandwidth: measured where known, else by the
# memory that the chip has.
CHIPS = {  # chip: variant, launch_ms, memory_gb_per_s
    "qcs6490": ("qcm6490", .43, 13.5), "sa8295p": ("sa8295", .328, 40), "sm8450": ("sm8450", .099, 34),
    "sm8550": ("sm8550", .066, 50), "x-elite": ("sc8380xp", .151, 58),
    "qcs9075": ("qcs9075", .119, 50), "sa8775p": ("sa8775p", .206, 50), "sm7750": ("sm7750", .2, 25),
    "qcm6690": ("qcm6690", .4, 9), "sm8650": ("sm8650", .054, 59), "sa7255p": ("sa7255p", .317, 25),
    "qcs8275": ("qcs8275", .1, 50), "sm8750": ("sm8750", .045, 73), "sm8850": ("sm8850", .043, 77),
    "x2-elite": ("soc88", .04, 100)}
# Which chip is in a device. Arduino's board: docs.arduino.cc, ABX00181, full pinout. Others of the table have the figures
# of one of these (Q-8750, IQ-X7181, XR2 Gen 2), or a part that no source names.
CHIP_OF_DEVICE = {
    "Dragonwing RB3 Gen 2 Vision Kit": "qcs6490", "SA8295P ADP": "sa8295p", "Samsung Galaxy S22 5G": "sm8450",
    "QCS8550 (Proxy)": "sm8550", "Snapdragon X Elite CRD": "x-elite", "Dragonwing IQ-9075 EVK": "qcs9075",
    "SA8775P ADP": "sa8775p", "Snapdragon 7 Gen 4 QRD": "sm7750", "Dragonwing Q-6690 MTP": "qcm6690",
    "Samsung Galaxy S24": "sm8650", "SA7255P ADP": "sa7255p", "Arduino VENTUNO Q": "qcs8275",
    "Samsung Galaxy S25": "sm8750", "Samsung Galaxy S26": "sm8850", "Snapdragon X2 Elite CRD": "x2-elite"}
CHIP_NAMES = tuple(CHIPS)
FAMILIES = {
    "bert": "bert_base_uncased_hf distil_bert_base_uncased_hf", "convnext": "convnext_base convnext_tiny",
    "detr": "detr_resnet50", "efficientnet": "efficientnet_b0 efficientnet_b4", "efficientvit": "efficientvit_b2_cls",
    "hrnet": "hrnet_pose", "inception": "googlenet inception_v3", "levit": "levit", "mobilevit": "mobile_vit",
    "mobilenet": "mobilenet_v2 mobilenet_v3_large yamnet", "resnet3d": "resnet_3d",
    "resnet": "cavaface fcn_resnet50 regnet resnet18 resnet50 resnet101 resnext50 resnext101 wideresnet50",
    "segformer": "segformer_base", "shufflenet": "shufflenet_v2", "squeezenet": "squeezenet1_1",
    "superresolution": "esrgan real_esrgan_x4plus quicksrnetsmall quicksrnetmedium quicksrnetlarge sesr_m5",
    "vit": "openai_clip video_mae vit", "whisper": "whisper_base whisper_tiny",
    "yolo": "fastsam_x yolov8_det yolov11_det yolov11_seg"}
FAMILY_OF = {network: family for family, networks in FAMILIES.items() for network in networks.split()}
LOOKS = pathlib.Path(__file__).parent / "looks.csv"


def is_set_aside(family):
    """A third of the families, whatever they are: no variant of a formula is compared on them. `look` asks of them once a
    release, and writes down what it saw."""
    return hashlib.sha256(family.encode()).digest()[0] % 3 == 0


def write_look(what, families, rows, errors, *interval):
    """Of errors as shares, and of the interval the share of rows inside, the same with each family counting the same, and
    high/low; LOOKS has a line for each look."""
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    with LOOKS.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerow(
            [date, what, " ".join(families), rows, f"{np.median(errors):.3f}", f"{np.quantile(errors, .9):.3f}",
             *interval])


def read_looks():
    with LOOKS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def error_of_look(what):
    """The median error at the last look, or 0: a list calls itself measured by the worse of this and of families left out."""
    return next((float(row["median"]) for row in reversed(read_looks()) if row["what"] == what), 0)


# One graph under two names is one network: it must not be fitted on while it is held out.
SAME_GRAPH = {"real_esrgan_x4plus": "esrgan"}
# On the same chips these took 2.4, 1.5 and 1.7 times as long in v0.65.0 as in v0.46.1, when others took the same: their
# networks have other sizes there than our graphs.
OF_OTHER_SIZES = ("efficientnet_b4", "inception_v3", "openai_clip")
# Priors: standard deviations of logarithms.
SIGMA = dict(common=.4, precision=.2, setup_common=.2, setup_precision=.1, chip=1., kind=.25,
             kind_precision=.12, launch=.3, runtime=.4, runtime_all=.5, memory=.15, memory_all=.05)
ROW_SIGMA, NETWORK_SIGMA, FREEDOM = .12, .15, 4.


# ---- what was measured, and what the graphs do --------------------------------------------------------------


def read_table(path):
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["chipset"] = CHIP_OF_DEVICE.get(row.get("device"), row.get("chipset"))
    return rows


def is_scored(row):
    return (row["runtime"] in RUNTIMES and row["layers_cpu"] == "0" and row["layers_gpu"] == "0"
            and "not for scoring" not in row["note"] and row["device"] in CHIP_OF_DEVICE
            and row["model"] not in OF_OTHER_SIZES)


def ask(tool, model, target, *options):
    done = subprocess.run([tool, str(model), "-t", target, "-f", "json", *options], capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{model}: {done.stderr}")
    return json.loads(done.stdout)


def precision_of(type_number):
    return {2: 1, 3: 1, 21: 1, 22: 1, 4: 2, 5: 2}.get(type_number, 0)


SLOW, FAST = "0.000001", "1000000000000"  # of one rate, and of all others
STREAM = "0.01"  # of weights, each of which takes part in at least two operations


def asked_quantities(tool, path, chip="sm8650"):
    """By parameter, what each node has of it, in millions (of bytes, elements, operations) or nodes: the tool's own
    time where that rate alone is slow. `weights`: what it has of its weights where its product takes longer."""
    quantities = {}
    for slow in (*ASKED, "weights"):
        memory = STREAM if slow == "weights" else FAST
        lines = ["format 1", "cost hexagon", 'source "quantities"',
                 f"param memory_gb_per_s for {chip}" + 3 * f" {memory}"]
        for name in RATES:
            is_time = name.endswith("_us")
            value = "1000" if is_time and name == slow else f"{1 / float(FAST):.12f}" if is_time else \
                SLOW if name == slow or (name, slow) == ("matrix_tops", "weights") else FAST
            lines += [f"param {name} of {precision} for {chip}" + 3 * f" {value}" for precision in PRECISIONS]
        with tempfile.NamedTemporaryFile("w", suffix=".cost") as file:
            file.write("\n".join([*lines, ""]))
            file.flush()
            nodes = ask(tool, path, f"hexagon:{chip}", "--cost", file.name)["targets"][0]["nodes"]
        quantities[slow] = [(node.get("ms") or 0) * (1 if slow.endswith("_us") else float(SLOW)) for node in nodes]
    compute = quantities["matrix_tops"]
    quantities["weights"] = [(both - alone) * float(STREAM) / float(SLOW)
                             for both, alone in zip(quantities["weights"], compute)]
    return quantities


class Graph:
    """Quantities of one graph, all on the NPU: `linear` by parameter and precision; `products` with their weights."""

    def __init__(self, nodes, io_elements, quantities):
        self.linear = np.zeros((len(NAMES), 3))
        self.edge = np.zeros((len(NAMES), 3))  # Q of the graph's inputs and DQ to its outputs
        self.macs = self.bytes = 0.
        self.unknown = 0
        products = []
        for i, node in enumerate(nodes):
            work = node.get("work")
            if not work or work["class"] == "none":
                continue
            if any(not isinstance(value, int) for key, value in work.items() if key != "class"):
                self.unknown += 1
                continue
            is_edge = node["op"] in ("QuantizeLinear", "DequantizeLinear")
            products += self.add({name: of[i] for name, of in quantities.items()}, work, self.edge if is_edge else
                                 self.linear, node["verdict"] != "npu")
        # operations, MB of weights, precision, is deep, what is charged of the shorter of the first two
        self.products = np.array(products).reshape(-1, 5)
        self.io_elements = io_elements
        by_operations = [self.products[self.products[:, 2] == p, 0].sum() for p in range(3)]
        self.precision = int(np.argmax(by_operations)) if max(by_operations) > 0 else \
            int(np.argmax(self.linear[N["node_us"]]))

    def add(self, asked, work, linear, on_cpu):
        p = precision_of(work["activation_type"])
        size = TYPE_BYTES.get(work["activation_type"], 4)
        elements_in, elements_out = work["bytes_in"] / size, work["bytes_out"] / size
        most, kind = max(elements_in, elements_out), work["class"]
        # What the tool has on the CPU (Q and DQ at the graph's edge, Erf by itself) has its time there.
        linear[N["node_us"], p] += 1e-3 * (1 if on_cpu else asked["node_us"])
        if not on_cpu:
            linear[N["move_gb_per_s"], p] += asked["move_gb_per_s"]
        elif kind in ("move", "convert"):
            linear[N["move_gb_per_s"], p] += (elements_in + elements_out) * ELEMENT_BYTES[p] / 1e6
        self.macs += work["macs"]
        weights = work["weight_bytes"] * {1: .5, 11: .25}.get(work["weight_type"], 1) / 1e6
        self.bytes += weights
        if kind == "product":
            linear[N["product_us"], p] += work["groups"] * 1e-3
        elif kind == "depthwise" and work["weight_bytes"]:
            linear[N["depthwise_gops"], p] += asked["depthwise_gops"]
        elif kind == "depthwise":
            linear[N["pool_gops"], p] += most / 1e6 if on_cpu else asked["pool_gops"]
        elif kind == "normalize":
            linear[N["normalize_gops"], p] += most / 1e6 if on_cpu else asked["normalize_gops"]
        elif kind in ("function", "elementwise"):
            linear[N[kind + "_gops"], p] += elements_out / 1e6
        elif kind in ("move", "convert"):
            return []
        ops = asked["matrix_tops"] if kind in ("matrix", "product") else 0
        deep = kind == "matrix" and work["depth"] >= 8192 and 2048 <= work["columns"] < work["depth"] / 2
        factor = DEEP_FACTOR if deep else 1
        overlap = asked["weights"] / factor / weights if ops and weights and not on_cpu else .5
        return [(ops / factor, weights, p, deep, round(overlap, 3))]


class Rows:
    """Rows of the table as arrays; `graphs` are what they refer to by number."""

    def __init__(self, table, graphs):
        names = sorted({row["graph"] for row in table})
        self.table, self.graphs = table, [graphs[name] for name in names]
        self.graph = np.array([names.index(row["graph"]) for row in table])
        self.chip = np.array([CHIP_NAMES.index(row["chipset"]) for row in table])
        self.precision = np.array([PRECISION_OF[row["precision"]] for row in table])
        self.is_ort = np.array([row["runtime"] in RUNTIMES[:2] for row in table])
        self.y = np.log([float(row["ms"]) for row in table])
        self.network = np.array([SAME_GRAPH.get(row["model"], row["model"]) for row in table])
        self.family = np.array([FAMILY_OF[row["model"]] for row in table])
        self.linear = np.array([graph.linear for graph in self.graphs])
        self.graph_precision = np.array([graph.precision for graph in self.graphs])
        io_elements = np.array([graph.io_elements for graph in self.graphs])
        io_mb = io_elements * np.array(ELEMENT_BYTES)[self.graph_precision] / 1e6
        self.io_mb, self.io_rest_mb = np.minimum(io_mb, IO_CAP_MB), np.maximum(io_mb - IO_CAP_MB, 0)
        self.copied_mb = 4 * io_elements / 1e6


# ---- the formula --------------------------------------------------------------------------------------------

IS_RATE = np.array([name.endswith(("_tops", "_gops", "_gb_per_s")) for name in NAMES])


def values_of(theta):
    """Logarithms of ms by unit -> values as the op list has them."""
    return np.exp(np.where(IS_RATE[:, None], -theta, theta))


def graph_parts(graph, theta, edges=False):
    """Milliseconds by parameter and precision of one graph in one partition; theta: parameters x precisions, logarithms
    of what a unit takes. The sum over all is the time, so a part is also its derivative by theta."""
    ms = np.exp(theta)
    parts = (graph.linear + graph.edge if edges else graph.linear) * ms
    p = graph.precision
    io_mb = graph.io_elements * ELEMENT_BYTES[p] / 1e6
    parts[N["io_gb_per_s"], p] += min(io_mb, IO_CAP_MB) * ms[N["io_gb_per_s"], p]
    parts[N["memory_gb_per_s"], p] += max(0, io_mb - IO_CAP_MB) * ms[N["memory_gb_per_s"], p]
    products, which = graph.products, graph.products[:, 2].astype(int)
    compute = products[:, 0] * ms[N["matrix_tops"], which]
    stream = products[:, 1] * ms[N["memory_gb_per_s"], which]
    longer = compute >= stream
    deep = np.where(products[:, 3] > 0, DEEP_FACTOR, 1)
    parts[N["matrix_tops"]] += np.bincount(which, compute * np.where(longer, 1, products[:, 4]) * deep, 3)
    parts[N["memory_gb_per_s"]] += np.bincount(which, stream * np.where(longer, products[:, 4], 1) * deep, 3)
    return parts


def with_run(parts, graph, theta, is_ort):
    parts = parts.copy()
    p, ms = graph.precision, np.exp(theta)
    parts[N["launch_ms"], p] = ms[N["launch_ms"], p]
    if is_ort:
        parts[N["runtime_ms"], p] = ms[N["runtime_ms"], p]
        parts[N["runtime_copy_gb_per_s"], p] = 4 * graph.io_elements / 1e6 * ms[N["runtime_copy_gb_per_s"], p]
    return parts


def row_parts(rows, theta, which):
    """Milliseconds of each row by parameter and precision: with_run(graph_parts()) of all of them at once."""
    chip, at, ms = rows.chip[which], rows.graph[which], np.exp(theta)
    out = rows.linear[at] * ms[chip]
    p, every = rows.graph_precision[at], np.arange(len(which))
    out[every, N["io_gb_per_s"], p] += rows.io_mb[at] * ms[chip, N["io_gb_per_s"], p]
    out[every, N["memory_gb_per_s"], p] += rows.io_rest_mb[at] * ms[chip, N["memory_gb_per_s"], p]
    for number in np.unique(at):
        products, here = rows.graphs[number].products, at == number
        kind = products[:, 2].astype(int)
        compute = products[:, 0] * ms[:, N["matrix_tops"]][:, kind]
        stream = products[:, 1] * ms[:, N["memory_gb_per_s"]][:, kind]
        longer, deep = compute >= stream, np.where(products[:, 3] > 0, DEEP_FACTOR, 1)
        of_precision = kind[:, None] == np.arange(3)
        out[here, N["matrix_tops"]] += ((compute * np.where(longer, 1, products[:, 4]) * deep) @ of_precision)[chip[here]]
        out[here, N["memory_gb_per_s"]] += ((stream * np.where(longer, products[:, 4], 1) * deep) @ of_precision)[chip[here]]
    out[every, N["launch_ms"], p] = ms[chip, N["launch_ms"], p]
    out[every, N["runtime_ms"], p] = rows.is_ort[which] * ms[chip, N["runtime_ms"], p]
    out[every, N["runtime_copy_gb_per_s"], p] = \
        rows.is_ort[which] * rows.copied_mb[at] * ms[chip, N["runtime_copy_gb_per_s"], p]
    return out


# ---- the fit ------------------------------------------------------------------------------------------------


def prior():
    """Typical theta by chip, and the basis: theta = typical + basis @ z, all of z standard normal by prior."""
    typical = np.zeros((len(CHIPS), len(NAMES), 3))
    for c, (_, launch, memory) in enumerate(CHIPS.values()):
        by_chip = {"launch_ms": launch * .9, "runtime_ms": .15, "runtime_copy_gb_per_s": 30., "memory_gb_per_s": memory}
        for name, k in N.items():
            typical[c, k] = np.log(by_chip[name] if name in by_chip else RATES[name][0])
            if IS_RATE[k]:
                typical[c, k] *= -1
    columns = []

    def column(sigma, chips, names, precisions=slice(None)):
        one = np.zeros(typical.shape)
        one[np.ix_(np.atleast_1d(np.arange(len(CHIPS))[chips]), [N[name] for name in names],
                   np.atleast_1d(np.arange(3)[precisions]))] = sigma
        columns.append(one)

    column(SIGMA["runtime_all"], slice(None), ["runtime_ms"])
    column(SIGMA["runtime_all"], slice(None), ["runtime_copy_gb_per_s"])
    column(SIGMA["memory_all"], slice(None), ["memory_gb_per_s"])
    for name in RATES:
        weak = "setup_" if RATES[name][1] == "setup" else ""
        column(SIGMA[weak + "common"], slice(None), [name])
        for p in range(3):
            column(SIGMA[weak + "precision"], slice(None), [name], p)
    for c in range(len(CHIPS)):
        for name, sigma in (("launch_ms", "launch"), ("runtime_ms", "runtime"), ("runtime_copy_gb_per_s", "runtime"),
                            ("memory_gb_per_s", "memory")):
            column(SIGMA[sigma], c, [name])
        column(SIGMA["chip"], c, list(RATES))
        for kind in KINDS:
            names = [name for name in RATES if RATES[name][1] == kind]
            column(SIGMA["kind"], c, names)
            for p in range(3):
                column(SIGMA["kind_precision"], c, names, p)
    return typical, np.stack(columns, -1)


TYPICAL, BASIS = prior()


def theta_of(z):
    return TYPICAL + BASIS @ z


def student(value, sigma):
    return (FREEDOM + 1) * np.log1p((value / sigma) ** 2 / FREEDOM).sum()


def weight(value, sigma):
    return (FREEDOM + 1) / (FREEDOM + (value / sigma) ** 2) / sigma ** 2


def fit(rows, which, start=None, steps=25):
    """The parameters' z and its covariance, by damped Gauss-Newton steps with weights of Student's t."""
    _, group = np.unique(rows.graph[which] * 3 + rows.precision[which], return_inverse=True)
    count, groups, y = BASIS.shape[-1], group.max() + 1, rows.y[which]
    z = np.zeros(count + groups)
    if start is not None:
        z[:count] = start
    flat, chip = BASIS.reshape(len(CHIPS), -1, count), rows.chip[which]

    def evaluate(z):
        parts = row_parts(rows, theta_of(z[:count]), which)
        total = parts.sum((1, 2))
        return np.log(total) + z[count:][group] - y, parts.reshape(len(which), -1) / total[:, None]

    def price(error, z):
        return student(error, ROW_SIGMA) + z[:count] @ z[:count] + student(z[count:], NETWORK_SIGMA)

    error, slope = evaluate(z)
    damping = 1e-3
    for _ in range(steps):
        jacobian = np.zeros((len(which), count + groups))
        for c in np.unique(chip):
            jacobian[chip == c, :count] = slope[chip == c] @ flat[c]
        jacobian[np.arange(len(which)), count + group] = 1
        row_weight = weight(error, ROW_SIGMA)
        penalty = np.concatenate([np.ones(count), weight(z[count:], NETWORK_SIGMA)])
        normal = (jacobian * row_weight[:, None]).T @ jacobian + np.diag(penalty)
        down = -(jacobian.T @ (row_weight * error) + penalty * z)
        before = price(error, z)
        for _ in range(10):
            to = z + np.linalg.solve(normal + np.diag(damping * np.diag(normal)), down)
            new_error, new_slope = evaluate(to)
            if price(new_error, to) < before:
                break
            damping = max(damping * 8, 1e-3)
        else:
            break
        z, error, slope, damping = to, new_error, new_slope, max(damping / 5, 1e-7)
        if before - price(error, z) < .5:
            break
    return z[:count], np.linalg.inv(normal)[:count, :count]


def sigma_of(covariance):
    """Standard deviation of each logarithm theta."""
    return np.sqrt(np.maximum(np.einsum("...i,ij,...j->...", BASIS, covariance, BASIS), .03 ** 2))


class Prediction:
    """Of rows: logarithm of the typical time, sigma by parameters, share that the model's own error applies to."""

    def __init__(self, rows, which, z, covariance):
        parts = row_parts(rows, theta_of(z), which)
        total = parts.sum((1, 2))
        shares = parts / total[:, None, None]
        sigma = sigma_of(covariance)[rows.chip[which]]
        # What is by chip alone is one parameter for all precisions.
        by_chip = shares[:, :4].sum(2) * sigma[:, :4, 1]
        self.log = np.log(total)
        self.parameters = np.sqrt((by_chip ** 2).sum(1) + ((shares * sigma)[:, 4:] ** 2).sum((1, 2)))
        self.npu = 1 - shares[:, :3].sum((1, 2))

    def sigma(self, model_sigma):
        return np.sqrt(self.parameters ** 2 + (self.npu * model_sigma) ** 2)


# Of fewer than nine families the promise for one more could leave none of them outside: the worst would be the width. So
# their errors are taken as normal there, with a deviation of as many degrees of freedom: Student's t, one side 10 %.
# One or two say nothing of a third: as Hexagon's, of 18 families.
OF_FEW = .49
T90 = {3: 1.638, 4: 1.533, 5: 1.476, 6: 1.440, 7: 1.415, 8: 1.397}


def family_weights(families):
    """Each family counts the same, however many rows it has."""
    _, at, counts = np.unique(families, return_inverse=True, return_counts=True)
    return 1 / (len(counts) * counts[at])


def weighted_quantile(values, weights, level):
    order = np.argsort(values)
    at = np.searchsorted(np.cumsum(weights[order]), level - 1e-9)
    return float(values[order][min(at, len(values) - 1)])


def sigma_of_families(log_errors, parameters, npu, families, share=.8):
    """The model's own sigma with which a row of a family that none of these is like lies inside the 80 % interval.

    Each family counts the same, and one more is counted that lies outside: so the promise holds whatever the errors are
    distributed as, if families are drawn alike (Lee, Barber, Willett 2023, "Distribution-free inference with hierarchical
    data"). All errors are of families that took no part in the fit."""
    log_errors, families = np.abs(log_errors), np.asarray(families)
    needed = np.sqrt(np.maximum(0, (log_errors / Z80) ** 2 - parameters ** 2)) / npu
    count = len(set(families))
    if count < min(T90):
        return OF_FEW
    if count in T90:
        return T90[count] / Z80 * float((family_weights(families) * needed ** 2).sum() ** .5)
    return weighted_quantile(needed, family_weights(families), share * (count + 1) / count)


def family_median(errors, families):
    """The median error, each family counting the same."""
    weights = family_weights(families)
    return (weighted_quantile(errors, weights, .5) + weighted_quantile(errors, weights, .5 + 1e-6)) / 2


def error_of_families(errors, families):
    """The median error, each family counting the same. Of fewer than nine families, what it is at most at four of five
    draws of so many: an order statistic of their medians. Of one or two nothing is sure: infinite."""
    medians = sorted(np.median(np.asarray(errors)[np.asarray(families) == family]) for family in set(families))
    count = len(medians)
    if count > max(T90):
        return family_median(errors, families)
    below = np.cumsum([math.comb(count, k) for k in range(count)]) / 2 ** count  # that k or fewer lie below the median
    sure = np.flatnonzero(below >= .8)
    return float(medians[sure[0]]) if len(sure) else math.inf


def folds_of(names, count, seed=0):
    """Networks by fold; drawn once, by seed."""
    order = np.array(sorted(set(names)))
    np.random.RandomState(seed).shuffle(order)
    place = {name: i % count for i, name in enumerate(order)}
    return np.array([place[name] for name in names])
