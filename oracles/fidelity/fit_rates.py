#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits cost parameters of a target's chips to published latencies.

What a graph has of each quantity is asked of the tool itself: a rate is halved, and by how much the time grows is the
quantity. A chip's rate is what all chips have in common, times the chip's speed, times what the chip has of its own,
each with a prior, so that few rows leave it where the list had it. Networks of one family err together, and errors have
heavy tails. Families of networks are held out in turn: those figures are what a list may say of itself.

usage: fit_rates.py --tool TOOL --rows latency_other.csv.gz --target rknn --chips rk3588,rk3576 \\
           --parameters 'launch_ms=0.3,matrix_tops=1.2' [--sisters m1=a14] [--source "..."] [--write LIST]
Needs:  pip install numpy onnx

The values of --parameters are where the fit begins. With --write the `param` lines stand in LIST afterwards, between
its two marks, with the error of what was held out (`held_out_error`), from which a report knows what it may call
calibrated. --sisters gives a chip without rows the rates of another.
"""
import argparse
import collections
import math
import pathlib
import statistics

import numpy as np

import published
from cost_model import is_set_aside, write_look

BEGIN, END = "# begin: fitted by make fit-rates", "# end: fitted"
SPREAD = 1.3          # a parameter's low and high, as a share of its typical value
OVERLAP = 0.5         # of the shorter of a product and its weights, as in lib/plan/cost/node.c
SPEED, OWN_START = 0.8, 0.4  # deviations of logarithms by prior
ROW, FAMILY, FREEDOM = 0.08, 0.15, 1.5  # families that no formula catches pull little
Z80 = 1.28155
# Of no precision, as the tool asks for them (lib/plan/cost/cost.c).
SWITCHING = ("launch_ms", "runtime_ms", "map_ms", "copy_gb_per_s", "layout_gb_per_s", "stream_gb_per_s")
STARTS = ("launch_ms", "runtime_ms", "map_ms")  # of no speed of a chip's unit, but of its own
IS_TIME = ("_ms", "_us")
PER_MS = {"_ms": 1, "_us": 1e3, "_gb_per_s": 1e6, "_tops": 1e9, "_gops": 1e6}


def via_of(name, target):
    """A runtime's share is that of the runtime which the rows were measured with."""
    is_share = name == "runtime_ms" and target in published.RUNTIMES
    return f" via {published.RUNTIMES[target]}" if is_share else ""


def is_time(name):
    return name.partition(" of ")[0].endswith(IS_TIME)


def unit_ms(name, value):
    end = next(end for end in PER_MS if name.endswith(end))
    return value / PER_MS[end] if end in IS_TIME else 1 / (value * PER_MS[end])


def up(value, tile):
    return -(-value // tile) * tile


def operations(work, tile):
    if not work["rows"] and not work["columns"]:
        return 2. * work["macs"]
    depth = up(max(work["depth"], 1), tile if work["depth"] >= tile else max(tile // 2, 1))
    return 2. * up(work["rows"], tile) * up(work["columns"], tile) * depth * work["taps"] * work["groups"]


class Graph:
    """Quantities of one graph on one target: by parameter, and products with the bytes of their weights."""

    def __init__(self, tool, row, names, begun, tile):
        self.tile = tile
        # So slow that each product is longer than its weights.
        base = {**begun, "matrix_tops": begun["matrix_tops"] / 1e4}
        answer = tool.ask(row, detail="nodes")
        products = [node["work"] for node in answer["nodes"] if node.get("work") and
                    node["work"]["class"] in ("matrix", "product")]
        half = {1: .5, 11: .25}
        self.operations = np.array([operations(work, tile) for work in products])
        self.bytes = np.array([work["weight_bytes"] * half.get(work["weight_type"], 1) for work in products])
        whole = self.time(tool, row, base)
        self.linear = np.zeros(len(names))
        for i, name in enumerate(names):
            if name == "matrix_tops":
                continue
            slower = base[name] * 2 if name.endswith(IS_TIME) else base[name] / 2
            self.linear[i] = (self.time(tool, row, {**base, name: slower}) - whole) / unit_ms(name, base[name])
        if "memory_gb_per_s" in names:
            self.linear[names.index("memory_gb_per_s")] -= OVERLAP * self.bytes.sum()
        # What no parameter here speaks of.
        known = sum(self.linear[i] * unit_ms(name, base[name]) for i, name in enumerate(names))
        self.rest = whole - known - self.products(unit_ms("matrix_tops", base["matrix_tops"]),
                                                  unit_ms("memory_gb_per_s", base["memory_gb_per_s"]))

    def time(self, tool, row, values):
        return tool.npu_whole(row, cost=[f"param {name}{via_of(name, row['target'])} {value:.9g} {value:.9g} {value:.9g}"
                                         for name, value in {**values, "matrix_tile": self.tile}.items()])[1]

    def products(self, by_operation, by_byte):
        compute, stream = self.operations * by_operation, self.bytes * by_byte
        return float((np.maximum(compute, stream) + OVERLAP * np.minimum(compute, stream)).sum())

    def milliseconds(self, names, units):
        return float(self.linear @ units) + self.rest + self.products(units[names.index("matrix_tops")],
                                                                      units[names.index("memory_gb_per_s")])


class Fit:
    def __init__(self, options):
        self.tool = published.Tool(options.tool, options.rows)
        self.common, self.own = options.common, options.own
        self.chips = options.chips.split(",")
        self.begun = {name: float(value) for name, value in (pair.split("=") for pair in options.parameters.split(","))}
        self.names = list(self.begun)
        # Of a row the parameters that are for its precision, where there are such.
        self.base = [name for name in self.names if " of " not in name]
        self.places = {precision: np.array([self.names.index(own if (own := f"{name} of {precision}") in self.begun
                                                             else name) for name in self.base])
                       for precision in ("float32", "float16", "w8a8")}
        self.rows = [row for row in published.read_rows(options.rows, options.target) if row["variant"] in self.chips
                     and (not options.precision or row["precision"] == options.precision)]
        self.graphs = {}
        for row in self.rows:
            key = row["asked"], row["graph"]
            if key not in self.graphs:
                at = self.places[row["precision"]]
                begun = {name: self.begun[self.names[i]] for name, i in zip(self.base, at)}
                self.graphs[key] = Graph(self.tool, row, self.base, begun, options.tile)
        self.families = sorted({row["family"] for row in self.rows})
        self.family_of, self.target = {row["graph"]: row["family"] for row in self.rows}, options.target

    def predict(self, row, values):
        units = np.array([unit_ms(name, value)
                          for name, value in zip(self.base, values[self.places[row["precision"]]])])
        return self.graphs[row["asked"], row["graph"]].milliseconds(self.base, units)

    def values(self, z):
        """By chip, from standard normal numbers: common by parameter, speed by chip, own by chip and parameter."""
        n, c = len(self.names), len(self.chips)
        common, speed, own = z[:n], z[n:n + c], z[n + c:n + c + n * c].reshape(c, n)
        out, deviation = {}, np.array([OWN_START if name in STARTS else self.own for name in self.names])
        for i, chip in enumerate(self.chips):
            log = self.common * common + deviation * own[i]
            log = log + np.array([0 if name in STARTS else -SPEED * speed[i] if is_time(name) else SPEED * speed[i]
                                  for name in self.names])
            out[chip] = np.array(list(self.begun.values())) * np.exp(log)
        return out

    def fit(self, rows):
        """{chip: values}, by damped Gauss-Newton steps over the rows, with weights of Student's t."""
        n = len(self.names) + len(self.chips) * (1 + len(self.names))
        groups = sorted({(row["family"], row["variant"]) for row in rows})
        at = np.array([groups.index((row["family"], row["variant"])) for row in rows])
        measured = np.log([float(row["ms"]) for row in rows])
        # A network by several hosts or runtimes counts once.
        counts = collections.Counter((row["asked"], row["graph"]) for row in rows)
        share = np.array([1 / counts[row["asked"], row["graph"]] for row in rows])
        keys = sorted({(row["asked"], row["graph"]) for row in rows})
        first = {key: next(row for row in rows if (row["asked"], row["graph"]) == key) for key in keys}
        where = np.array([keys.index((row["asked"], row["graph"])) for row in rows])

        def errors(z):
            values = self.values(z)
            told = np.array([math.log(self.predict(first[key], values[first[key]["variant"]])) for key in keys])
            return told[where] + FAMILY * z[n:][at] - measured

        def price(error, z):
            return (share * (FREEDOM + 1) * np.log1p((error / ROW) ** 2 / FREEDOM)).sum() + z[:n] @ z[:n] + \
                ((FREEDOM + 1) * np.log1p(z[n:] ** 2 / FREEDOM)).sum()

        z, damping = np.zeros(n + len(groups)), 1e-2
        error = errors(z)
        for _ in range(40):
            jacobian = np.zeros((len(rows), len(z)))
            for k in range(n):
                moved = z.copy()
                moved[k] += 1e-4
                jacobian[:, k] = (errors(moved) - error) / 1e-4
            jacobian[np.arange(len(rows)), n + at] = FAMILY
            weight = share * (FREEDOM + 1) / (FREEDOM + (error / ROW) ** 2) / ROW ** 2
            penalty = np.concatenate([np.ones(n), (FREEDOM + 1) / (FREEDOM + z[n:] ** 2)])
            normal = (jacobian * weight[:, None]).T @ jacobian + np.diag(penalty)
            down = -(jacobian.T @ (weight * error) + penalty * z)
            before = price(error, z)
            for _ in range(8):
                to = z + np.linalg.solve(normal + damping * np.diag(np.diag(normal)), down)
                new = errors(to)
                if price(new, to) < before:
                    break
                damping = max(damping * 8, 1e-3)
            else:
                break
            z, error, damping = to, new, damping / 4
            if before - price(error, z) < 1e-3:
                break
        return self.values(z)

    def ratios(self, rows, fitted):
        """Told over published."""
        return [(row["variant"], row["graph"], self.predict(row, fitted[row["variant"]]) / float(row["ms"]))
                for row in rows]

    def held_out(self, is_look):
        """All of them are; told are those that variants may be compared on, or in a look the others alone."""
        out = []
        for family in self.families:
            ratios = self.ratios([row for row in self.rows if row["family"] == family],
                                 self.fit([row for row in self.rows if row["family"] != family]))
            if is_set_aside(family) == is_look:
                tell(f"without {family}", ratios)
            out += ratios
        told = [ratio for ratio in out if is_set_aside(self.family_of[ratio[1]]) == is_look]
        if told:
            tell("held out", told)
        if told and is_look:
            write_look(self.target, [family for family in self.families if is_set_aside(family)], len(told),
                       [abs(ratio - 1) for *_, ratio in told])
        return out


def tell(what, ratios):
    errors = sorted(abs(ratio - 1) for _, _, ratio in ratios)
    print(f"{what}: {len(errors)} rows, median {statistics.median(errors):.0%}, "
          f"nine of ten within {np.quantile(errors, .9):.0%}, "
          f"told over published {math.exp(statistics.median(math.log(r) for _, _, r in ratios)):.2f}", flush=True)


def lines_of(fit, fitted, held, options):
    """`param` lines of the list. The model's own spread is what covers eight of ten that were held out."""
    of = f" of {options.precision}" if options.precision else ""
    logs = sorted(abs(math.log(ratio)) for _, _, ratio in held)
    sigma = np.quantile(logs, .8) / Z80
    error = statistics.median(abs(ratio - 1) for _, _, ratio in held)
    sisters = [pair.split("=") for pair in options.sisters.split(",")] if options.sisters else []
    for chip, sister in [*((chip, chip) for chip in fit.chips), *sisters]:
        name = "held_out_error" if chip == sister else "sister_error"
        yield f"param model_sigma{of} for {chip} {sigma:.2g} {sigma:.2g} {sigma:.2g} \"families of networks held out\""
        networks = len({row["graph"] for row in fit.rows if row["variant"] == sister})
        yield (f"param {name}{of} for {chip} {error:.3g} {error:.3g} {error:.3g} "
               f"\"{networks} network{'s' if networks > 1 else ''} of {sister}; families held out\"")
    for i, name in enumerate(fit.names):
        via = via_of(name, options.target)
        for chip, sister in [*((chip, chip) for chip in fit.chips), *sisters]:
            value = fitted[sister][i]
            note = f"fitted to {options.source}" + ("" if chip == sister else f", {sister}")
            own = "" if name in SWITCHING else of
            yield (f"param {name}{own} for {chip}{via} {value / SPREAD:.3g} {value:.3g} {value * SPREAD:.3g} "
                   f"\"{note}\"")


def write(path, lines, precision):
    begin = f"{BEGIN} {precision}".rstrip()
    text = path.read_text(encoding="utf-8")
    made = "\n".join([begin, *lines, END]) + "\n"
    if begin + "\n" in text:
        head, _, tail = text.partition(begin + "\n")
        text = head + made + tail.partition(END + "\n")[2]
    else:
        at = text.index("\nprecision ")
        text = text[:at + 1].rstrip("\n") + "\n" + made + text[at:]
    path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--chips", required=True)
    parser.add_argument("--parameters", required=True)
    parser.add_argument("--precision", default="", help="rows of this one, and lines `of` it")
    parser.add_argument("--common", type=float, default=.7, help="how far what chips have in common may be from the start")
    parser.add_argument("--own", type=float, default=.2, help="how far a chip's share of one kind of work from the others'")
    parser.add_argument("--tile", type=int, default=32, help="of the matrix unit, as the list has it (matrix_tile)")
    parser.add_argument("--sisters", default="")
    parser.add_argument("--source", default="published latencies")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--look", action="store_true", help="at the families set aside alone, once a release")
    options = parser.parse_args()
    fit = Fit(options)
    held = fit.held_out(options.look)
    if options.look:
        return
    fitted = fit.fit(fit.rows)
    tell("fitted", fit.ratios(fit.rows, fitted))
    shown = {ratio for ratio in held if not is_set_aside(fit.family_of[ratio[1]])}
    for chip, graph, ratio in sorted(shown, key=lambda one: -abs(math.log(one[2])))[:12]:
        print(f"  {chip} {graph} {ratio:.2f}")
    for i, name in enumerate(fit.names):
        print(f"  {name}: " + ", ".join(f"{chip} {values[i]:.3g}" for chip, values in fitted.items()))
    if options.write:
        write(options.write, lines_of(fit, fitted, held, options), options.precision)


if __name__ == "__main__":
    main()
