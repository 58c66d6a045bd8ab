# SPDX-License-Identifier: Apache-2.0
"""The Spark job on a cluster of two executors on this machine. `make check-spark` installs what it needs; elsewhere
this file is skipped."""
from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from conftest import MODELS, ROOT

from npu_partition import ArgumentError, OplistError, parquet, rows
from npu_partition import spark as job

if "NPU_PARTITION_SPARK" not in os.environ:
    pytest.skip("needs PySpark and Java: make check-spark", allow_module_level=True)

TARGETS = "hexagon,tidl"
WAIT_SECONDS = 300  # a failure, where what is waited for never comes
Rows = list[dict[str, Any]]


# ---- the models, and what the tool says of them ---------------------------------------------------------------------

@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Models, models that are cut off, and models with other bytes here and there."""
    folder, chance = tmp_path_factory.mktemp("zoo"), random.Random(18)
    for at, model in enumerate(MODELS):
        place = folder / f"part-{at % 3}"
        place.mkdir(exist_ok=True)
        data = model.read_bytes()
        (place / f"{at}-whole {model.name}").write_bytes(data)
        (place / f"{at}-short.onnx").write_bytes(data[:chance.randrange(len(data))])
        for mutant in range(3):
            changed = bytearray(data)
            for _ in range(1 + 4 ** mutant):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            (place / f"{at}-mutant-{mutant}.onnx").write_bytes(changed)
    (folder / "empty.onnx").write_bytes(b"")
    (folder / "é%20#x.onnx").write_bytes(MODELS[0].read_bytes())
    (folder / "no model.txt").write_text("another file")
    return folder


@pytest.fixture(scope="session")
def paths(zoo: pathlib.Path) -> list[str]:
    """The models of the zoo."""
    return sorted(str(path) for path in zoo.rglob("*.onnx"))


def in_order(found: Iterable[dict[str, Any]]) -> Rows:
    return sorted(found, key=lambda row: (row["path"], row["target"] or ""))


def scan(tool: str, zoo: pathlib.Path, *options: str) -> list[str]:
    """Lines of a single run of the tool."""
    done = subprocess.run([tool, "scan", str(zoo), "--target", TARGETS, "--quiet", *options], capture_output=True,
                          check=False)
    assert done.returncode == 3, done.stderr.decode()  # some could not be read, and all are told
    return done.stdout.decode("utf-8").splitlines()


@pytest.fixture(scope="session")
def lines(tool: str, zoo: pathlib.Path) -> list[str]:
    """What the tool's scan writes of the zoo."""
    return scan(tool, zoo)


@pytest.fixture(scope="session")
def expected(lines: list[str], paths: list[str]) -> Rows:
    """Rows of the single run."""
    found = in_order(row for line in lines for row in rows.rows_of(line))
    assert {row["path"] for row in found} == set(paths)
    failed = [row for row in found if row["error_code"]]
    assert 20 < len(failed) < len(paths) - 20 and len(found) > len(paths)
    return found


def not_empty(found: Rows) -> Rows:
    """Without the empty file: Spark's file sources pass over such."""
    kept = [row for row in found if not row["path"].endswith("/empty.onnx")]
    assert len(kept) == len(found) - 1
    return kept


# ---- the cluster ----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """Two executors with a core each, in processes of their own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("check-spark")
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.executor.memory": "1g",
        "spark.log.level": "ERROR"}
    for name in ("PYTHONPATH", "NPU_PARTITION_LIBRARY"):
        settings[f"spark.executorEnv.{name}"] = os.environ[name]
    made = builder.config(map=settings).getOrCreate()
    yield made
    made.stop()


def collected(found: Any) -> Rows:
    return in_order(row.asDict(recursive=True) for row in found.collect())


def executors(application: str) -> list[int]:
    """The processes of this application's executors."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            continue  # it has just ended
        if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and application in words:
            found.append(int(entry.parent.name))
    return sorted(found)


def until(what: Callable[[], Any]) -> Any:
    """What it tells as soon as that is something."""
    end = time.monotonic() + WAIT_SECONDS
    while not (found := what()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
    return found


def held_until(gate: str, held: frozenset[str]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For mapInPandas: hands paths on, but some only once there is a file."""
    def hand_on(batches: Iterable[Any]) -> Iterator[Any]:
        import os
        import time

        for batch in batches:
            while not held.isdisjoint(batch["path"]) and not os.path.exists(gate):
                time.sleep(0.05)
            yield batch

    return hand_on


def test_an_executor_is_killed(session: Any, paths: list[str], expected: Rows, tmp_path: pathlib.Path) -> None:
    gate, output = tmp_path / "gate", tmp_path / "results"
    context = session.sparkContext
    tracker = context.statusTracker()
    pieces = [(path,) for path in paths]
    listed = session.createDataFrame(context.parallelize(pieces, 12), "path string")
    held = frozenset(paths[len(paths) // 2:])
    found = job.analyze_paths(listed.mapInPandas(held_until(str(gate), held), "path string"), TARGETS)
    thread = threading.Thread(target=lambda: found.write.parquet(str(output), compression="zstd"))
    thread.start()

    def stage() -> Any:
        """One where tasks are done, and both executors are at work on what is held."""
        stages = (tracker.getStageInfo(number) for number in tracker.getActiveStageIds())
        return next((at for at in stages if at and at.numCompletedTasks >= 5 and at.numActiveTasks == 2), None)

    number = until(stage).stageId
    before = until(lambda: pids if len(pids := executors(context.applicationId)) == 2 else None)
    os.kill(before[0], signal.SIGKILL)
    until(lambda: tracker.getStageInfo(number).numFailedTasks > 0)
    gate.touch()
    thread.join()
    assert before[0] not in executors(context.applicationId)
    assert in_order(read(output)) == expected


def read(folder: pathlib.Path) -> Rows:
    """Parquet as pyarrow reads it."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(folder)
    assert table.schema.remove_metadata().names == list(rows.ROW)
    found: Rows = table.to_pylist()
    return found


# ---- the rows -------------------------------------------------------------------------------------------------------

def test_paths(session: Any, paths: list[str], expected: Rows) -> None:
    assert collected(job.analyze_paths(paths, TARGETS)) == expected


def test_binary_files(session: Any, zoo: pathlib.Path, expected: Rows) -> None:
    files = session.read.format("binaryFile").options(pathGlobFilter="*.onnx", recursiveFileLookup=True).load(str(zoo))
    found = job.analyze_binary_files(files, TARGETS)
    assert found.schema == job.schema()
    assert collected(found) == not_empty(expected)


def test_relative_paths(session: Any, zoo: pathlib.Path, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    relative = [os.path.relpath(path, zoo) for path in paths[:3]]
    absolute = collected(job.analyze_paths(paths[:3], "hexagon"))
    expected = [{**row, "path": os.path.relpath(row["path"], zoo)} for row in absolute]
    assert collected(job.analyze_paths(relative, "hexagon", root=zoo)) == expected
    monkeypatch.chdir(zoo)
    assert collected(job.analyze_paths(relative, "hexagon")) == expected


def test_dims_as_the_tool_takes_them(session: Any, tool: str, zoo: pathlib.Path, paths: list[str]) -> None:
    expected = in_order(row for line in scan(tool, zoo, "--dim", "batch=1", "--dim", "sequence=..128")
                        for row in rows.rows_of(line))
    assert collected(job.analyze_paths(paths, TARGETS, dims={"batch": 1, "sequence": "..128"})) == expected


def test_files_above_a_size(session: Any, tool: str, zoo: pathlib.Path, paths: list[str]) -> None:
    most = sorted(os.path.getsize(path) for path in paths)[len(paths) // 2]
    expected = in_order(row for line in scan(tool, zoo, "--max-bytes", str(most)) for row in rows.rows_of(line))
    assert sum(row["error_code"] == "max-bytes" for row in expected) > 10
    assert collected(job.analyze_paths(paths, TARGETS, max_bytes=most)) == expected
    # A file above this is an error of the source as soon as its content is asked for.
    session.conf.set("spark.sql.sources.binaryFile.maxLength", most)
    try:
        files = session.read.format("binaryFile").options(pathGlobFilter="*.onnx", recursiveFileLookup=True)
        found = job.analyze_binary_files(files.load(str(zoo)), TARGETS, max_bytes=most)
        assert collected(found) == not_empty(expected)
    finally:
        session.conf.unset("spark.sql.sources.binaryFile.maxLength")


def test_what_cannot_be_opened(session: Any, zoo: pathlib.Path) -> None:
    found = collected(job.analyze_paths([zoo / "nowhere.onnx", zoo / "part-0", "s3a://zoo/a.onnx", ""], "hexagon"))
    assert [(row["error_code"], row["error_text"]) for row in found] == [
        ("read", "not a regular file"), ("read", "cannot open the file: No such file or directory"),
        ("read", "not a regular file"), ("read", "cannot open the file: No such file or directory")]


def test_a_list_of_ones_own(session: Any, zoo: pathlib.Path, paths: list[str], tmp_path: pathlib.Path) -> None:
    whole = [path for path in paths if "whole" in path][:3]
    found = collected(job.analyze_paths(whole, ["mine"], oplist=own_list(tmp_path)))
    expected = collected(job.analyze_paths(whole, ["tidl"]))
    assert [row["partitions"] for row in found] == [row["partitions"] for row in expected]
    assert [row["target"] for row in found] == ["mine:am68a"] * 3


def test_mistakes_are_told_before_the_job(session: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ArgumentError, match="nothing"):
        job.analyze_paths(["a.onnx"], "nothing-such")
    with pytest.raises(ArgumentError, match="level"):
        job.analyze_paths(["a.onnx"], "hexagon", level="high")  # type: ignore[arg-type]
    (tmp_path / "mine.ops").write_text("target\n")
    with pytest.raises(OplistError):
        job.analyze_paths(["a.onnx"], "mine", oplist=tmp_path / "mine.ops")


# ---- Parquet, and the job as a program ------------------------------------------------------------------------------

def test_parquet_of_lines(lines: list[str], expected: Rows, tmp_path: pathlib.Path) -> None:
    parquet.write((row for line in lines for row in rows.rows_of(line)), tmp_path / "lines.parquet")
    assert in_order(read(tmp_path / "lines.parquet")) == expected


def submit(*arguments: str) -> str:
    """spark-submit with a session of its own, whose executors have the package from an archive."""
    script = pathlib.Path(sys.prefix) / "bin" / "spark-submit"
    done = subprocess.run([str(script), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("way", ["content", "--by-path", "--list"])
def test_the_program(way: str, zoo: pathlib.Path, paths: list[str], expected: Rows, tmp_path: pathlib.Path) -> None:
    source, options = str(zoo), [] if way == "content" else [way]
    if way == "--list":
        source = str(tmp_path / "paths.txt")
        pathlib.Path(source).write_text("".join(path + "\n" for path in paths), encoding="utf-8")
    told = submit("--master", "local[2]", "--conf", "spark.ui.enabled=false", job.__file__, source, "--target", TARGETS,
                  "--output", str(tmp_path / "results"), *options)
    expected = expected if way == "--list" else not_empty(expected)
    assert in_order(read(tmp_path / "results")) == expected
    failed = sum(row["error_code"] is not None for row in expected)
    assert f"{len(expected)} rows, {failed} of them models that could not be analyzed" in told


def own_list(folder: pathlib.Path) -> pathlib.Path:
    """The list of another target under another name."""
    text = (ROOT / "oplists" / "tidl.ops").read_text()
    (folder / "mine.ops").write_text(text.replace("target tidl", "target mine"))
    return folder / "mine.ops"


def test_options_of_the_program(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    output, model = tmp_path / "results", zoo / "é%20#x.onnx"
    for size in (4, 8):
        told = submit("--master", "local[1]", "--conf", "spark.ui.enabled=false", "--files", str(own_list(tmp_path)),
                      job.__file__, str(model), "--target", "mine", "--oplist", "mine.ops", "--dim", f"batch={size}",
                      "--no-advice", "--overwrite", "--output", str(output), "--timeout", "60", "--max-memory",
                      str(1 << 30))
        [row] = read(output)
        assert (row["target"], row["advice"]) == ("mine:am68a", []) and told.startswith("1 rows, 0 of them")


# Sessions begin without the package; only the driver finds it in this checkout.
WITH_ARCHIVE = """
import os, sys
from pyspark.sql import SparkSession
archive, source, library, model = sys.argv[1:]
session = (SparkSession.builder.master("local-cluster[1,1,1024]").config("spark.ui.enabled", "false")
           .config("spark.archives", archive + "#npu").config("spark.executorEnv.PYTHONPATH", "./npu").getOrCreate())
sys.path.insert(0, source)
os.environ["NPU_PARTITION_LIBRARY"] = library
from npu_partition import spark

def place(batches):
    import npu_partition
    for batch in batches:
        yield batch.assign(path=npu_partition.__file__)

found = spark.analyze_paths([model], "hexagon")
print([row.target for row in found.collect()], found.select("path").mapInPandas(place, "path string").collect())
"""


def test_the_package_in_an_archive(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source, library = ROOT / "python" / "src", os.environ["NPU_PARTITION_LIBRARY"]
    with zipfile.ZipFile(tmp_path / "npu_partition.zip", "w") as archive:  # as a wheel has it
        for path in (source / "npu_partition").glob("*.py"):
            archive.write(path, f"npu_partition/{path.name}")
        archive.write(library, "npu_partition/libnpu_partition.so")
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NPU_PARTITION_LIBRARY")}
    command = [sys.executable, "-c", WITH_ARCHIVE, str(tmp_path / "npu_partition.zip"), str(source), library,
               str(detector)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=bare)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("['hexagon:v73'] ") and "/npu/npu_partition/__init__.py" in done.stdout
