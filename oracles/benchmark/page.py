#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/benchmark.md from the results of run.py, and with --html one page with charts that loads nothing.

usage: page.py FOLDER --page docs/evidence/benchmark.md [--html FOLDER/benchmark.html]

--html needs the packages altair[all] and pandas.
"""
import argparse
import collections
import pathlib
import re
import sys

import corpus
import table
from table import DONE, target_of

ROOTS_SHOWN = 10
TARGETS_OF_ROOTS = ("hexagon", "intel-npu")
SHOWN = 60  # characters of a reason
NAMES = {"exported": "as exported", "sized": "with sizes", "bits": "`fix`", "all": "`fix --allow` all"}
KEPT = "## What was found"  # people write what follows


def count_of(rows, state):
    return sum(row[f"{state}_verdict"] in DONE for row in rows)


def grouped(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(sorted(groups.items()))


def matrix(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
            *("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows), ""]


def clipped(text, length=SHOWN):
    text = " ".join((text or "").split())
    return text if len(text) <= length else text[:length - 3] + "..."


# ---- parts -------------------------------------------------------------------------------------------------------


def opening(rows, planned):
    exports = {row["name"] for row in planned}
    failed = {row["name"] for row in rows if row["export_error"]}
    exporters = {row["exporter"] for row in planned}
    asked = [row for row in planned if row["confirmed"] in ("agrees", "differs")]
    agreed = sum(row["confirmed"] == "agrees" for row in asked)
    entries = len(corpus.read())
    rest = ", and what is left was not tried" if len(exports) + len(failed) < entries else ""
    text = f"""# The fragmentation benchmark

For how many exports is one NPU partition reached, by which exporter, and what breaks the rest?

This page was made of {len(exports)} exports of {len({row['architecture'] for row in planned})} architectures by
{len(exporters)} exporters, planned for {len({row['target'] for row in planned})} targets. The corpus has
{entries} entries: {len(failed)} of them could not be exported{rest}.

Weights are random, and graphs small where a family allows, so times are not those of products. Whole means here: all
nodes in one partition, or only the Q and DQ of inputs and outputs on the CPU. Plans are predictions. Compilers were
asked about {len(asked)} of the rows; {agreed} of these plans are what the compiler did, node by node (`xnnpack`: by the
number of partitions; `ethos-u`: of models whose types were made INT8).

[The dataset](../../oracles/benchmark/README.md) has the fields and how to run it. `oracles/benchmark/page.py` writes this page down to
"{KEPT[3:]}".

## By target

Exports that are whole as they were exported, once sizes are fixed, after `npu-partition fix` (equal bit for bit), and
after `fix` with all classes of rewrites. Under "checked": plans that the compiler confirms, of those asked.
"""
    lines = text.splitlines() + [""]
    table_rows = []
    for target, own in grouped(planned, lambda row: target_of(row["target"])).items():
        checked = [row for row in own if row["confirmed"] in ("agrees", "differs")]
        same = sum(row["confirmed"] == "agrees" for row in checked)
        table_rows.append([f"`{target}`", len(own), *(count_of(own, state) for state in table.STATES),
                           f"{same} of {len(checked)}" if checked else "-"])
    return lines + matrix(["target", "exports", *NAMES.values(), "checked"], table_rows)


def by_exporter(planned):
    by_target = grouped(planned, lambda row: target_of(row["target"]))
    never = [f"`{target}`" for target, own in by_target.items() if not count_of(own, "all") + count_of(own, "sized")]
    lines = ["## By exporter", "",
             "Shares of exports that are whole: as exported, with sizes, after `fix`, after it with all classes.",
             *([f"None is on {', '.join(never)}."] if never else []), ""]
    for target, own in by_target.items():
        if f"`{target}`" in never:
            continue
        releases = grouped(own, lambda row: f"{row['exporter']} ({row['exporter_version']})")
        cells = [[release, len(rows), *(f"{100 * count_of(rows, state) / len(rows):.0f} %" for state in table.STATES)]
                 for release, rows in releases.items()]
        lines += [f"### {target}", "", *matrix(["exporter", "n", "exp.", "sizes", "fix", "all"], cells)]
    return lines


def by_use(planned, target="hexagon"):
    own = [row for row in planned if target_of(row["target"]) == target]
    cells = [[use, len(rows), *(count_of(rows, state) for state in table.STATES)]
             for use, rows in grouped(own, lambda row: row["use"]).items()]
    return [f"## By use, on {target}", "", *matrix(["use", "exports", *NAMES.values()], cells)]


def mend_of(roots):
    """What is advised most often, without the names of one model, and for how many it makes the model whole."""
    mends = collections.Counter(re.sub(r"X((, | and )X)+", "X", re.sub(r"`[^`]*`|/\S+", "X", root["mend"]))
                                for root in roots if root["mend"])
    whole = sum(root["mended"] in DONE for root in roots)
    text = mends.most_common(1)[0][0] if mends else "none is known"
    return clipped(text, 70) + (f"; whole: {whole}" if whole else "")


def by_root(roots):
    lines = ["## The ten roots", "",
             "Why nodes fall back or fail once sizes are fixed, by the nodes that a root affects. The mend is the",
             "advice that is given most often; \"whole\" counts the models for which planning again says so.", ""]
    for target in TARGETS_OF_ROOTS:
        groups = collections.defaultdict(list)
        for root in roots:
            if target_of(root["target"]) == target and root["state"] == "sized":
                groups[root["text"]].append(root)
        ranked = sorted(groups.items(), key=lambda item: (-sum(r["nodes"] for r in item[1]), item[0]))[:ROOTS_SHOWN]
        cells = [[clipped(text, 80), len({r["name"] for r in own}), sum(r["nodes"] for r in own), mend_of(own)]
                 for text, own in ranked]
        lines += [f"### {target}", "", *matrix(["root", "models", "nodes", "mend"], cells)]
    return lines


def state_text(row):
    if row["sized_verdict"] in DONE:
        return "whole"
    later = next((state for state in ("bits", "all") if row[f"{state}_verdict"] in DONE), None)
    after = {"bits": ", whole after fix", "all": ", whole after fix (all)"}.get(later, "")
    return f"{row['sized_verdict']} {row['sized_partitions']}{after}"


def side_by_side(planned, target="hexagon"):
    lines = [f"## The same architecture by several exporters, on {target}", "",
             "With sizes: the verdict and the number of partitions. Of several exports the worst one.", ""]
    own = [row for row in planned if target_of(row["target"]) == target and not row["quantized"]]
    exporters = sorted({row["exporter"] for row in own})
    order = {verdict: place for place, verdict in enumerate(table.VERDICTS)}
    cells = []
    for architecture, rows in grouped(own, lambda row: row["architecture"]).items():
        by = grouped(rows, lambda row: row["exporter"])
        worst = {exporter: max(some, key=lambda row: (order.get(row["sized_verdict"], 9), row["sized_partitions"],
                                                      row["name"])) for exporter, some in by.items()}
        if len(by) >= 3 or len({row["sized_verdict"] for row in worst.values()}) > 1:
            cells.append([architecture, *(state_text(worst[e]) if e in worst else "" for e in exporters)])
    return lines + matrix(["architecture", *exporters], cells)


def disagreements(planned):
    rows = [row for row in planned if row["confirmed"] == "differs"]
    silent = collections.Counter(target_of(row["target"]) for row in planned if row["confirmed"] == "no answer")
    lines = ["## Where prediction and compiler disagree", "",
             f"{len(rows)} rows. A plan that says whole where the session fails comes first. No answer (limits",
             "of the script that asks): "
             f"{', '.join(f'{count} on {target}' for target, count in sorted(silent.items())) or 'none'}.", ""]

    def order(row):
        return not (row["answer"] == "fails" and row["plan"].startswith(DONE)), row["target"], row["name"]

    same = {}  # exports of a model that differ alike: the first one, and how many more there are
    for row in sorted(rows, key=order):
        text = (row["differing"] or row["said"] or "").replace(row["name"], "the model")
        same.setdefault((row["name"].split(".")[0], row["target"], row["plan"], row["answer"], text), []).append(row)
    cells = [[own[0]["name"] + (f", {len(own) - 1} more" if len(own) > 1 else ""), target_of(target), plan, answer,
              clipped(text, 120)] for (_, target, plan, answer, text), own in same.items()]
    return lines + (matrix(["export", "target", "plan", "compiler", "nodes"], cells) if cells else [])


def failures(rows):
    failed = [row for row in rows if row["export_error"]]
    cells = [[row["name"], clipped(row["export_error"], 110)] for row in failed]
    counts = collections.Counter(row["exporter"] for row in failed)
    return ["## What could not be exported", "",
            ", ".join(f"{exporter} {count}" for exporter, count in sorted(counts.items())) + ".", "",
            *matrix(["entry", "what the exporter says"], cells)] if failed else []


def ending():
    return ["## To add a row", "",
            "Add the model's name to a list of [corpus.toml](../../oracles/benchmark/corpus.toml), with its exports, and run",
            "",
            "    make benchmark BENCHMARK=\"--only NAME --python torch=PYTHON\"", "",
            "An exporter is a function of `oracles/benchmark/exporters.py`. `oracles/benchmark/compare.py OLD NEW` tells what got",
            "worse.", ""]


def charts(planned, path):
    """Bars by target and by exporter, in one file with its scripts."""
    import altair
    import pandas

    altair.data_transformers.disable_max_rows()
    labels = {state: label.replace("`", "") for state, label in NAMES.items()}
    found = [{"target": target_of(row["target"]), "exporter": row["exporter"], "use": row["use"], "state": label,
              "whole": row[f"{state}_verdict"] in DONE} for row in planned for state, label in labels.items()]
    order = list(labels.values())
    frame = pandas.DataFrame(found)
    parts = []
    for key in ("target", "exporter", "use"):
        data = frame.groupby([key, "state"])["whole"].agg(["mean", "sum", "count"]).reset_index()
        parts.append(altair.Chart(data, title=f"Exports that are whole, by {key}").mark_bar().encode(
            x=altair.X("mean:Q", axis=altair.Axis(format="%"), title="share"), y=altair.Y(f"{key}:N", title=None),
            yOffset=altair.YOffset("state:N", sort=order), color=altair.Color("state:N", sort=order, title=None),
            tooltip=[key, "state", "sum", "count"]).properties(width=260))
    altair.vconcat(*parts).configure_legend(orient="top").save(str(path), inline=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--html", type=pathlib.Path)
    args = parser.parse_args()
    rows = table.read_csv(args.folder / "results.csv", table.COLUMNS)
    roots = table.read_csv(args.folder / "roots.csv", table.ROOTS)
    planned = [row for row in rows if row["target"]]
    old = args.page.read_text(encoding="utf-8") if args.page.exists() else ""
    kept = old[old.find(KEPT):] if KEPT in old else f"{KEPT}\n"
    lines = [*opening(rows, planned), *by_use(planned), *by_root(roots), *side_by_side(planned),
             *disagreements(planned), *by_exporter(planned), *failures(rows), *ending()]
    args.page.write_text("\n".join(lines) + "\n" + kept, encoding="utf-8")
    if args.html:
        charts(planned, args.html)
    return 0


if __name__ == "__main__":
    sys.exit(main())
