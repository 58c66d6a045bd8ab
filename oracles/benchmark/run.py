#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make what is missing of the corpus, plan it for all targets, ask compilers, and write the results.

usage: run.py [--only REGEX] [--folder build/benchmark] [--python ENVIRONMENT=PYTHON]...
              [--oracle TARGET=SCRIPT --oracle-python TARGET=PYTHON]... [--minutes 30] [--jobs 2]

For xnnpack and ethos-u the Python alone is enough: what asks them is in oracles/fidelity.

Whatever ends it, a rerun goes on, and its results are byte for byte those of an uninterrupted one:

  FOLDER/exports/NAME.onnx, .json   make.py, by the Python of each environment; those without --python are left out
  FOLDER/scan.jsonl                 `npu-partition scan` on all targets, as exported
  FOLDER/measured/NAME.json         with sizes, and after `fix` (measure.py)
  FOLDER/answers/TARGET/NAME.json   what a compiler said (ask.py); kept when the tool changes
  FOLDER/results.csv, roots.csv     and .parquet, where this Python has pyarrow; badge-TARGET.json for shields.io

What was planned by another build of the tool is planned anew. --only takes parts of the corpus: results are of those.
--again forgets all that is known of the entries that it matches, those that failed among them, and makes them again.
"""
import argparse
import glob
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import ask
import badge
import corpus
import table

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]


def pairs(texts):
    return dict(text.split("=", 1) for text in texts)


# ---- stages ------------------------------------------------------------------------------------------------------


def forget(args):
    """Of the entries of --again."""
    for entry in corpus.read(args.corpus, args.again):
        for known in args.folder.glob(f"*/**/{glob.escape(entry.name)}.*"):
            known.unlink()
    (args.folder / "scan.jsonl").unlink(missing_ok=True)


def make_exports(args):
    """Failures of an environment as a whole are told; those of an entry are results."""
    for environment, python in pairs(args.python).items():
        command = [python, str(HERE / "make.py"), str(args.folder / "exports"), "--in", environment, "--only",
                   args.only, "--corpus", str(args.corpus), "--timeout", str(args.timeout), "--memory",
                   str(args.memory), "--jobs", str(args.jobs)]
        # Some exporters name and order what they write as they meet it in sets.
        done = subprocess.run(command, check=False, env={**os.environ, "PYTHONHASHSEED": "0"})
        if done.returncode:
            print(f"{environment}: make.py ended with {done.returncode}", file=sys.stderr)


def read_exports(args):
    """Facts of every entry that was tried, by name."""
    found = []
    for entry in corpus.read(args.corpus, args.only):
        path = args.folder / "exports" / (entry.name + ".json")
        if path.exists():
            facts = json.loads(path.read_text(encoding="utf-8"))
            found.append({**facts, "path": str(path.with_suffix("")) + ".onnx"})
    return sorted(found, key=lambda facts: facts["name"])


def forget_other_tool(args):
    """Drops what another build of the tool has planned."""
    key = hashlib.sha256(args.library.read_bytes()).hexdigest() + "\n"
    path = args.folder / "planned-by"
    if path.exists() and path.read_text(encoding="utf-8") == key:
        return
    shutil.rmtree(args.folder / "measured", ignore_errors=True)
    (args.folder / "scan.jsonl").unlink(missing_ok=True)
    path.write_text(key, encoding="utf-8")


def scan(args, exports):
    """{name: line}. Paths are relative to the folder, so that results do not tell where it is."""
    listed = args.folder / "scan.list"
    listed.write_text("".join(f"exports/{e['name']}.onnx\n" for e in exports), encoding="utf-8")
    command = [str(args.tool), "scan", "--list", listed.name, "-t", "all", "-o", "scan.jsonl", "--resume",
               "--no-advice", "-q", "-j", str(args.jobs), "--timeout", "120"]
    start = time.monotonic()
    done = subprocess.run(command, cwd=args.folder, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(f"run.py: npu-partition scan ended with {done.returncode}")
    seconds = time.monotonic() - start
    print(f"scan: {len(exports)} exports on all targets, {len(exports) / seconds:.0f} a second", file=sys.stderr)
    lines = (json.loads(line) for line in open(args.folder / "scan.jsonl", encoding="utf-8"))
    return {pathlib.Path(line["model"]["path"]).name.removesuffix(".onnx"): line for line in lines}


def answers_of(args, exports):
    """{(name, target): comparison} for all answers that there are."""
    import measure

    found = {}
    for target in ask.ARGUMENTS:
        for export in exports:
            path = args.folder / "answers" / target / (export["name"] + ".json")
            if path.exists():
                line = json.loads(path.read_text(encoding="utf-8"))
                line.setdefault("model", export["name"])
                found[export["name"], target] = measure.compare(export, target, line)
    return found


# ---- results -----------------------------------------------------------------------------------------------------


def failed_row(export, error):
    return {**dict.fromkeys(table.COLUMNS), **table.facts_of(export), "error": error}


def rows_of(exports, lines, folder, answers):
    import measure

    rows, roots = [], []
    for export in exports:
        line = lines.get(export["name"])
        if "error" in export:
            rows.append(failed_row(export, None))
            continue
        if line is None or "error" in line:
            rows.append(failed_row(export, line["error"]["text"] if line else "not scanned"))
            continue
        measured = json.loads((folder / (export["name"] + ".json")).read_text(encoding="utf-8"))
        for target in line["targets"]:
            states = {"exported": measure.state_of(target), **measured.get("targets", {}).get(target["target"], {})}
            comparison = answers.get((export["name"], target["target"]), {})
            rows.append(table.row_of(export, line, target, states, comparison))
            roots += table.root_rows(export, target, states)
    return rows, roots


def badge_of(rows, target):
    """An endpoint of shields.io: how many exports are whole."""
    own = [row for row in rows if table.target_of(row["target"]) == target]
    whole = sum(row["sized_verdict"] in table.DONE for row in own)
    return badge.endpoint(target, whole, len(own), f"{whole} of {len(own)} exports")


def write_results(args, rows, roots):
    for name, columns, content in (("results", table.COLUMNS, rows), ("roots", table.ROOTS, roots)):
        table.write_csv(args.folder / f"{name}.csv", columns, content)
        try:
            table.write_parquet(args.folder / f"{name}.parquet", columns, content)
        except ImportError:
            print(f"run.py: this Python has no pyarrow, so {name}.parquet is not written", file=sys.stderr)
    for target in sorted({table.target_of(row["target"]) for row in rows if row["target"]}):
        text = json.dumps(badge_of(rows, target)) + "\n"
        (args.folder / f"badge-{target}.json").write_text(text, encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a regular expression that is found in an entry's name")
    parser.add_argument("--again", default="", help="a regular expression: make these entries anew")
    parser.add_argument("--corpus", type=pathlib.Path, default=HERE / "corpus.toml")
    parser.add_argument("--folder", type=pathlib.Path, default=TOP / "build" / "benchmark")
    parser.add_argument("--tool", type=pathlib.Path, default=TOP / "build" / "npu-partition")
    parser.add_argument("--library", type=pathlib.Path, default=TOP / "build" / "libnpu_partition.so")
    parser.add_argument("--python", action="append", default=[], metavar="ENVIRONMENT=PYTHON")
    parser.add_argument("--oracle", action="append", default=[], metavar="TARGET=SCRIPT")
    parser.add_argument("--oracle-python", action="append", default=[], metavar="TARGET=PYTHON")
    parser.add_argument("--minutes", type=float, default=30, help="how long each compiler is asked; default 30")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one export; default 300")
    parser.add_argument("--memory", type=int, default=0, help="bytes that one export may take; default no limit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    args = parse()
    for name in ("folder", "tool", "library", "corpus"):
        setattr(args, name, getattr(args, name).resolve())
    os.environ["NPU_PARTITION_LIBRARY"] = str(args.library)
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.again:
        forget(args)
    make_exports(args)
    exports = read_exports(args)
    made = [export for export in exports if "error" not in export]
    forget_other_tool(args)
    lines = scan(args, made)
    import measure

    measure.measure_all(made, args.folder / "measured", [target.name for target in measure.npu_partition.targets()],
                        args.jobs)
    scripts = {target: ask.script_of(target) for target in pairs(args.oracle_python)} | pairs(args.oracle)
    for target, script in scripts.items():
        ask.ask_all(made, args.folder / "answers" / target, target, script,
                    pairs(args.oracle_python).get(target, sys.executable), int(args.timeout), args.minutes)
    rows, roots = rows_of(exports, lines, args.folder / "measured", answers_of(args, made))
    write_results(args, rows, roots)
    print(f"{len(made)} exports of {len({e['architecture'] for e in made})} architectures, "
          f"{len(exports) - len(made)} could not be exported: {args.folder}/results.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
