#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits cost parameters of a target's chips to published latencies.

What a graph has of each quantity is asked of the tool itself: a rate is halved, and by how much the time grows is the
quantity. A chip's rate is what all chips have in common, times the chip's speed, times what the chip has of its own,
each with a prior, so that few rows leave it where the list had it. Networks of one family err together, and errors have
heavy tails. Families of networks are held out in turn: those figures are what a list may say of itself.

usage: fit_rates.py --tool TOOL --rows latency_other.csv.gz --target rknn [--write LIST | --look]
Needs:  pip install numpy onnx

Which chips of a target, of which precision, whose rates other chips get (`sisters`: CHIP=OF) and where the fit begins is a
row of fits.csv; without `begun` it begins where the list is without its fitted lines. Priors are the same for all targets.
With --write the `param` lines stand in LIST afterwards, between its two marks, with the error of what was held out
(`held_out_error`), from which a report knows what it may call calibrated. --look tells of the families set aside alone, and
writes that down, once a release.
"""
import argparse
import collections
import csv
import math
import pathlib
import re
import statistics

import numpy as np

import published
from cost_model import error_of_families, error_of_look, family_median, family_weights, is_set_aside, sigma_of_families, write_look

BEGIN, END = "# begin: fitted by make fit-rates", "# end: fitted"
OTHERWISE = {"layout_gb_per_s": 60, "product_us": 2, "stream_gb_per_s": 1}  # where a list does not say
SPREAD = 1.3          # a parameter's low and high, as a share of its typical value
OVERLAP = 0.5         # of the shorter of a product and its weights, as in lib/plan/cost/node.c
# Deviations of logarithms by prior: of what chips have in common from the start, of a chip's speed, of its own share of
# one kind of work, and of starting work.
COMMON, SPEED, OWN, OWN_START = 0.7, 0.8, 0.2, 0.4
HERE = pathlib.Path(__file__).resolve().parent
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


LINE = re.compile(r"^param (\S+)(?: of (\S+))?(?: for (\S+))?(?: via (\S+))? (\S+) (\S+) (\S+)")


def lines_about(text, begin):
    """(outside, between) the marks of fitted lines."""
    head, _, tail = text.partition(begin + "\n")
    between, _, rest = tail.partition(END)
    return (head + rest).splitlines(), between.splitlines()


def begun_of_list(path, chip, of_rows):
    """What is fitted, each where the list's other lines have it: for a chip before the target, of a precision before all."""
    outside, between = lines_about(path.read_text(encoding="utf-8"), f"{BEGIN} {of_rows}".rstrip())
    known = {found.group(1, 2, 3): float(found.group(6)) for found in map(LINE.match, outside) if found}
    out = {}
    for found in filter(None, map(LINE.match, between)):
        base, precision = found.group(1, 2)
        name = base + (f" of {precision}" if precision and precision != of_rows else "")
        if base in ("model_sigma", "held_out_error", "sister_error") or name in out:
            continue
        asked = [(base, p, c) for c in (chip, None) for p in (precision or of_rows or None, None)]
        out[name] = next((known[key] for key in asked if key in known), OTHERWISE.get(base))
    return out


def read_options(parser):
    """The command's, and the target's row of fits.csv."""
    options = parser.parse_args()
    with (HERE / "fits.csv").open(encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["target"] == options.target)
    options.precision, options.tile, options.source = row["precision"], int(row["tile"]), row["source"]
    options.chips = row["chips"].split()
    options.sisters = [pair.split("=") for pair in row["sisters"].split()]
    path = options.write or HERE.parents[1] / f"oplists/{options.target}.ops"
    options.begun = {name: float(value) for name, value in (pair.split("=") for pair in row["begun"].split())} or \
        begun_of_list(path, options.chips[0], options.precision)
    return options


class Fit:
    def __init__(self, options):
        self.tool = published.Tool(options.tool, options.rows)
        self.chips, self.begun = options.chips, options.begun
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
        self.target, self.known = options.target, {}

    def units(self, row, values):
        return np.array([unit_ms(name, value) for name, value in zip(self.base, values[self.places[row["precision"]]])])

    def predict(self, row, values):
        return self.graphs[row["asked"], row["graph"]].milliseconds(self.base, self.units(row, values))

    def held(self, rows, fitted):
        """Of rows that took no part: told over published, deviation by parameters, the NPU's share."""
        out = []
        for row in rows:
            units, graph = self.units(row, fitted[row["variant"]]), self.graphs[row["asked"], row["graph"]]
            told = graph.milliseconds(self.base, units)
            # What a rate is off by: the time with that rate slower, by share.
            parts = np.array([graph.milliseconds(self.base, units * np.where(np.arange(len(units)) == i, 1.01, 1)) - told
                              for i in range(len(units))]) / (.01 * told)
            switching = sum(part for part, name in zip(parts, self.base) if name in SWITCHING[:4])
            out.append(Held(row, told / float(row["ms"]), math.log(SPREAD) / Z80 * float((parts ** 2).sum() ** .5),
                            max(1 - switching, .05)))
        return out

    def values(self, z):
        """By chip, from standard normal numbers: common by parameter, speed by chip, own by chip and parameter."""
        n, c = len(self.names), len(self.chips)
        common, speed, own = z[:n], z[n:n + c], z[n + c:n + c + n * c].reshape(c, n)
        out, deviation = {}, np.array([OWN_START if name in STARTS else OWN for name in self.names])
        for i, chip in enumerate(self.chips):
            log = COMMON * common + deviation * own[i]
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

    def without(self, *families):
        """What a fit without the rows of these families says of them; each is fitted once."""
        key = tuple(sorted(set(families)))
        if key not in self.known:
            rows = [row for row in self.rows if row["family"] not in key]
            fitted = self.fit(rows) if rows else self.values(np.zeros(len(self.names) + len(self.chips) *
                                                                      (1 + len(self.names))))
            self.known[key] = self.held([row for row in self.rows if row["family"] in key], fitted)
        return self.known[key]

    def held_out(self, is_look):
        """All of them are; told are those that variants may be compared on, or in a look the others alone."""
        out, inside, widths = [], [], []
        for family in self.families:
            held = self.without(family)
            # Its interval is of the other families, each of which is left out of a fit that has not seen this one either.
            others = [one for other in self.families if other != family for one in self.without(family, other)
                      if one.row["family"] == other]
            sigma = sigma_of(others) if others else math.nan
            for one in held:
                wide = math.sqrt(one.parameters ** 2 + (one.npu * sigma) ** 2)
                inside.append(abs(math.log(one.ratio)) <= Z80 * wide)
                widths.append(math.exp(2 * Z80 * wide))
            if is_set_aside(family) == is_look:
                tell(f"without {family}", held)
            out += held
        told = np.array([is_set_aside(one.row["family"]) == is_look for one in out])
        if told.any():
            shown = [one for one, is_told in zip(out, told) if is_told]
            families = [one.row["family"] for one in shown]
            tell("held out", shown)
            by_family = float((family_weights(families) * np.array(inside)[told]).sum())
            width = float(np.median(np.array(widths)[told]))
            print(f"inside: {np.mean(np.array(inside)[told]):.3f} of the rows, {by_family:.3f} each family the same; high/low "
                  f"{width:.2f}", flush=True)
            if is_look:
                write_look(self.target, sorted(set(families)), len(shown), [abs(one.ratio - 1) for one in shown],
                           f"{np.mean(np.array(inside)[told]):.3f}", f"{by_family:.3f}", f"{width:.2f}")
        self.inside = float((family_weights([one.row["family"] for one in out]) * np.array(inside)).sum())
        return out


class Held:
    def __init__(self, row, ratio, parameters, npu):
        self.row, self.ratio, self.parameters, self.npu = row, ratio, parameters, npu


def sigma_of(held):
    return sigma_of_families(np.log([one.ratio for one in held]), np.array([one.parameters for one in held]),
                             np.array([one.npu for one in held]), [one.row["family"] for one in held])


def error_of(held):
    """The median error of what was held out, each family counting the same."""
    return family_median(np.array([abs(one.ratio - 1) for one in held]), [one.row["family"] for one in held])


def tell(what, held):
    errors = sorted(abs(one.ratio - 1) for one in held)
    print(f"{what}: {len(errors)} rows, median {statistics.median(errors):.0%}, each family the same {error_of(held):.0%}, "
          f"nine of ten within {np.quantile(errors, .9):.0%}, "
          f"told over published {math.exp(statistics.median(math.log(one.ratio) for one in held)):.2f}", flush=True)


def lines_of(fit, fitted, held, options):
    """`param` lines of the list. The model's own spread is what covers eight of ten of one more family."""
    of = f" of {options.precision}" if options.precision else ""
    sigma, families = sigma_of(held), [one.row["family"] for one in held]
    error = max(error_of_families(np.array([abs(one.ratio - 1) for one in held]), families), error_of_look(options.target))
    for chip, sister in [*((chip, chip) for chip in fit.chips), *options.sisters]:
        name = "held_out_error" if chip == sister else "sister_error"
        yield f"param model_sigma{of} for {chip} {sigma:.2g} {sigma:.2g} {sigma:.2g} \"families of networks held out\""
        networks = len({row["graph"] for row in fit.rows if row["variant"] == sister})
        if error == math.inf:
            continue
        yield (f"param {name}{of} for {chip} {error:.3g} {error:.3g} {error:.3g} "
               f"\"{networks} network{'s' if networks > 1 else ''} of {sister}; {len(fit.families)} families held out, "
               f"{fit.inside:.2f} inside\"")
    for i, name in enumerate(fit.names):
        via = via_of(name, options.target)
        for chip, sister in [*((chip, chip) for chip in fit.chips), *options.sisters]:
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
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--look", action="store_true", help="at the families set aside alone, once a release")
    options = read_options(parser)
    fit = Fit(options)
    held = fit.held_out(options.look)
    if options.look:
        return
    fitted = fit.fit(fit.rows)
    tell("fitted", fit.held(fit.rows, fitted))
    shown = [one for one in held if not is_set_aside(one.row["family"])]
    for one in sorted(shown, key=lambda one: -abs(math.log(one.ratio)))[:12]:
        print(f"  {one.row['variant']} {one.row['graph']} {one.ratio:.2f}")
    for i, name in enumerate(fit.names):
        print(f"  {name}: " + ", ".join(f"{chip} {values[i]:.3g}" for chip, values in fitted.items()))
    if options.write:
        write(options.write, lines_of(fit, fitted, held, options), options.precision)


if __name__ == "__main__":
    main()
