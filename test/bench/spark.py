# SPDX-License-Identifier: Apache-2.0
"""The Spark job on many copies of a folder's models, with one executor and with two, against `scan -j 2`: rows must be
equal. Prints seconds, models a second and the machine's load.

usage: spark.py TOOL MODELS FOLDER [COPIES]     MODELS: a folder of models; FOLDER: for copies (hard links) and results
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from npu_partition.rows import rows_of

TARGET = "hexagon"
CORES = "1"  # of an executor


def make_copies(models, folder, copies):
    """Hard links to one copy of each model, which may be on another file system."""
    source = folder / "source"
    source.mkdir(parents=True)
    found = sorted(pathlib.Path(models).glob("*.onnx"))
    for model in found:
        shutil.copy(model, source)
    for number in range(copies):
        place = folder / "models" / f"{number:03}"
        place.mkdir(parents=True)
        for model in found:
            os.link(source / model.name, place / model.name)
    return len(found) * copies


def digest(row):
    """Of a row, which takes less memory than the row."""
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def run_spark(executors, models, output):
    """In a process of its own: a session, its executors, and the job."""
    from pyspark.sql import SparkSession

    from npu_partition import spark as job

    builder = SparkSession.builder.master(f"local-cluster[{executors},{CORES},1024]")
    settings = {"spark.ui.enabled": "false", "spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}
    for name in ("PYTHONPATH", "NPU_PARTITION_LIBRARY"):
        settings[f"spark.executorEnv.{name}"] = os.environ[name]
    session = builder.config(map=settings).getOrCreate()
    paths = sorted(str(path) for path in pathlib.Path(models).rglob("*.onnx"))
    # Executors and their Python workers are there before the clock starts.
    job.analyze_paths(paths[:executors * 4], TARGET).collect()
    started = time.monotonic()
    job.analyze_paths(paths, TARGET).write.parquet(output, compression="zstd")
    print(f"seconds {time.monotonic() - started}")
    session.stop()


def tell(what, seconds, count, base=None):
    faster = f", {base / seconds:.2f} times as fast as one executor" if base else ""
    print(f"{what:24} {seconds:7.1f} s {count / seconds:7.1f} models a second{faster}; load {os.getloadavg()[0]:.1f}",
          flush=True)


def time_spark(executors, folder, count, base):
    output = folder / f"spark-{executors}.parquet"
    done = subprocess.run([sys.executable, "-B", __file__, "--executors", str(executors), folder / "models", output],
                          stdout=subprocess.PIPE, text=True, check=True)
    seconds = float(done.stdout.split("seconds ")[1])
    tell(f"Spark, {executors} executor{'s' * (executors > 1)}", seconds, count, base)
    return seconds, output


def main(tool, models, folder, copies="100"):
    import pyarrow.parquet

    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    count = make_copies(models, folder, int(copies))
    print(f"{count} models, {TARGET}, {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}", flush=True)
    lines = folder / "scan.jsonl"
    started = time.monotonic()
    done = subprocess.run([tool, "scan", folder / "models", "-t", TARGET, "-j", "2", "--quiet", "-o", lines],
                          check=False)
    tell("scan -j 2", time.monotonic() - started, count)
    if done.returncode not in (0, 3):
        sys.exit(f"scan ends with {done.returncode}")
    with open(lines, "rb") as file:
        expected = sorted(digest(row) for line in file for row in rows_of(line))
    base = None
    for executors in (1, 2):
        seconds, output = time_spark(executors, folder, count, base)
        base = base or seconds
        found = sorted(digest(row) for part in sorted(output.glob("*.parquet"))
                       for row in pyarrow.parquet.read_table(part).to_pylist())
        if found != expected:
            sys.exit(f"rows differ: {len(found)} of Spark, {len(expected)} of scan")
        print(f"{len(found)} rows, equal to those of scan", flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1] == "--executors":
        run_spark(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        main(*sys.argv[1:])
