#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The queries of docs/results.md, run on databases of the fixtures: each prints the rows that the page shows after it.
With --accept puts there what is printed. DuckDB's and pyarrow's run where these packages are.

usage: queries.py TOOL FOLDER PAGE [--accept]
"""
import importlib.util
import os
import re
import shutil
import sqlite3
import subprocess
import sys

TARGETS = "hexagon,intel-npu,tidl"
BLOCK = re.compile(r"^```(?P<language>sql|duckdb|python)\n(?P<query>.*?)^```\n(?P<shown>\n```text\n.*?^```\n)?",
                   re.MULTILINE | re.DOTALL)


def scan(tool, output, *options):
    if os.path.exists(output):
        os.remove(output)
    done = subprocess.run([tool, "scan", "fixtures", "torn.onnx", "--target", TARGETS, "--output", output, "--quiet",
                           *options], check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"scan: {done.returncode}")


def table(names, rows):
    """Columns as wide as they need; texts are cut after 64 characters."""
    cells = [names] + [["" if value is None else str(value)[:64] for value in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    numbers = [all(isinstance(row[i], (int, float, type(None))) for row in rows) for i in range(len(names))]
    return "".join("  ".join(cell.rjust(width) if is_number else cell.ljust(width)
                             for cell, width, is_number in zip(row, widths, numbers)).rstrip() + "\n" for row in cells)


def ask_sqlite(query):
    with sqlite3.connect("zoo.sqlite") as database:
        for statement in query.split(";\n"):
            if statement.strip():
                cursor = database.execute(statement)
        return table([column[0] for column in cursor.description], cursor.fetchall())


def ask_duckdb(query):
    if not os.path.exists("zoo.parquet") or not importlib.util.find_spec("duckdb"):
        return None
    import duckdb
    found = duckdb.sql(query)
    return table(found.columns, found.fetchall())


def ask_python(program):
    if not os.path.exists("zoo.parquet"):
        return None
    return subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


ASK = {"sql": ask_sqlite, "duckdb": ask_duckdb, "python": ask_python}


def make_parquet(tool, root):
    """Where pyarrow is."""
    if not importlib.util.find_spec("pyarrow"):
        return
    scan(tool, "zoo.jsonl")
    library = os.path.join(os.path.dirname(tool), "libnpu_partition.so")
    subprocess.run([sys.executable, "-m", "npu_partition.parquet", "zoo.jsonl", "-o", "zoo.parquet"], check=True,
                   stdout=subprocess.DEVNULL,
                   env=os.environ | {"PYTHONPATH": os.path.join(root, "python", "src"), "NPU_PARTITION_LIBRARY": library})


def main():
    tool, folder, page = (os.path.abspath(path) for path in sys.argv[1:4])
    accepts = "--accept" in sys.argv
    root = os.getcwd()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    os.symlink(os.path.join(root, "fixtures"), "fixtures")
    with open("torn.onnx", "wb") as torn, open("fixtures/espcn-x3.dynamo.onnx", "rb") as whole:
        torn.write(whole.read(1000))
    scan(tool, "zoo.sqlite")
    scan(tool, "older.sqlite", "--dim", "batch=1")
    make_parquet(tool, root)
    counts = {"run": 0, "not run": 0, "differ": 0}

    def run(match):
        found = ASK[match["language"]](match["query"])
        counts["not run" if found is None else "run"] += 1
        if found is None:
            return match[0]
        shown = f"\n```text\n{found}```\n"
        if shown != (match["shown"] or ""):
            counts["differ"] += 1
            if not accepts:
                print(f"{page}: this prints something else:\n{match['query']}{found}", file=sys.stderr)
        return f"```{match['language']}\n{match['query']}```\n{shown}"

    with open(page, encoding="utf-8") as file:
        text = BLOCK.sub(run, file.read())
    if accepts:
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
    print(f"queries: {counts['run']} run, {counts['not run']} not run, {counts['differ']} differ")
    return 1 if counts["run"] == 0 or (counts["differ"] and not accepts) else 0


if __name__ == "__main__":
    sys.exit(main())
