# SPDX-License-Identifier: Apache-2.0
"""Analyze all models of a folder in several processes, with a line for each as soon as it is finished, then a table.

usage: processes.py FOLDER TARGET...

Threads do as well (npu_partition.analyze_all) where nothing but the analysis is done: it leaves the interpreter's lock
alone. Processes are for what else is done with a model, and each has its own memory.
"""
from __future__ import annotations

import functools
import multiprocessing
import pathlib
import sys

import npu_partition


def main(folder: str, *targets: str) -> None:
    models = sorted(pathlib.Path(folder).rglob("*.onnx"))
    found = []
    with multiprocessing.get_context("spawn").Pool() as pool:
        ask = functools.partial(npu_partition.analyze, targets=list(targets))
        for done, analysis in enumerate(pool.imap_unordered(ask, models), 1):
            print(f"{done} of {len(models)}: {analysis.model.path}", file=sys.stderr)
            found.append(analysis)
    for analysis in sorted(found, key=lambda analysis: analysis.model.path):
        for target in analysis.targets:
            print(f"{analysis.model.path}\t{target.name}\t{target.summary.verdict}\t{target.summary.partitions}")


if __name__ == "__main__":
    main(*sys.argv[1:])
