# SPDX-License-Identifier: Apache-2.0
"""Many models on many machines: a Spark job with a row for each model and target (docs/inside/spark.md).

    spark-submit npu_partition/spark.py --target hexagon --output results.parquet s3a://zoo/

A model that cannot be analyzed is a row with an error. Needs PySpark, pandas and pyarrow on the driver and on all
executors: ``pip install npu-partition[spark]``.
"""
from __future__ import annotations

import argparse
import dataclasses
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from npu_partition._analysis import analyze
from npu_partition._arguments import Targets, names, reusable
from npu_partition._errors import ReadError
from npu_partition.rows import ROW, Type, document_of_error, rows_of

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    if sys.version_info >= (3, 11):
        from typing import Unpack
    else:
        from typing_extensions import Unpack

    from npu_partition._arguments import Options

ROWS_PER_FRAME = 256
"""How many rows of results a Python worker holds before it hands them to Spark."""
MODELS_PER_TASK = 100
"""Of a list of paths: what is repeated where an executor is lost."""
MODELS_PER_BATCH = 16
"""How many files are handed to a Python worker at once by `main`; Spark's own is 10,000."""
MOST_CONTENT_BYTES = 1 << 28
"""The largest file whose content is handed to a Python worker. Spark copies it several times on the way, and can hand
over no more than 2 GB."""

# An ONNX model without a node, for a look at targets and options before a job is started.
_EMPTY_MODEL = bytes.fromhex("0808" "3a03120167" "4202100d")
_OF_ONE_MODEL = ("dims", "inputs", "values", "assume_nodes", "cuts")


def schema() -> StructType:
    """The columns of `rows.ROW` as Spark's types."""
    from pyspark.sql import types

    simple = {"TEXT": types.StringType(), "INTEGER": types.LongType(), "REAL": types.DoubleType(),
              "BOOLEAN": types.BooleanType(), "INTEGERS": types.ArrayType(types.LongType())}

    def typed(kind: Type) -> types.DataType:
        return simple[kind] if isinstance(kind, str) else types.ArrayType(struct(kind))

    def struct(members: dict[str, Any]) -> types.StructType:
        return types.StructType([types.StructField(name, typed(kind), name != "path")
                                 for name, kind in members.items()])

    return struct(cast("dict[str, Any]", ROW))


class TooLargeError(Exception):
    """A file above max_bytes."""


@dataclasses.dataclass(frozen=True)
class _Job:
    """What a Python worker does, as it is sent there."""

    targets: list[str]
    options: Options
    max_bytes: int = 0
    root: str = ""

    def prepared(self) -> tuple[Targets, dict[str, Any]]:
        """Op lists are parsed once; those that the library has are kept from task to task."""
        rest: dict[str, Any] = dict(self.options)
        oplist, cost = rest.pop("oplist", None), rest.pop("cost", None)
        return Targets(self.targets, oplist and _beside(oplist), cost and _beside(cost)), rest

    def check(self) -> None:
        """Raises what is wrong with targets and options whatever the model."""
        targets, options = self.prepared()
        analyze(_EMPTY_MODEL, targets, **{name: value for name, value in options.items() if name not in _OF_ONE_MODEL})

    def of_paths(self, batches: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        """For mapInPandas over rows of one path."""
        return self._frames((path, None, None) for batch in batches for path in batch["path"])

    def of_files(self, batches: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        """For mapInPandas over rows of path, length and content."""
        return self._frames((path, content, length) for batch in batches
                            for path, length, content in zip(batch["path"], batch["length"], batch["content"]))

    def _frames(self, models: Iterable[tuple[str | None, bytes | None, int | None]]) -> Iterator[pandas.DataFrame]:
        import pandas

        targets, options = self.prepared()
        rows: list[dict[str, Any]] = []
        for address, content, size in models:
            rows += self._rows(address, content, size, targets, options)
            if len(rows) >= ROWS_PER_FRAME:
                yield pandas.DataFrame(rows, columns=list(ROW), dtype=object)
                rows = []
        yield pandas.DataFrame(rows, columns=list(ROW), dtype=object)

    def _rows(self, address: str | None, content: bytes | None, size: int | None, targets: Targets,
              options: dict[str, Any]) -> list[dict[str, Any]]:
        if not isinstance(address, str):  # the `path` of a row cannot be NULL
            return rows_of(document_of_error("", ReadError("the path is NULL or not a string")))
        path = local(address)
        try:
            place = os.path.join(self.root, path)
            self._check_size(_file_size(place) if size is None else size)
            model = analyze(place if size is None else content, targets, **{**options, "name": path})
            return rows_of(model.to_dict("summary"))
        except TooLargeError as error:
            return rows_of(document_of_error(path, error, "max-bytes"))
        except Exception as error:  # whatever it is, the others go on
            return rows_of(document_of_error(path, error))

    def _check_size(self, size: int) -> None:
        if self.max_bytes and size > self.max_bytes:
            raise TooLargeError(f"{size} bytes, more than --max-bytes {self.max_bytes}")


def _file_size(path: str) -> int:
    try:
        found = os.stat(path)
    except OSError:
        return 0  # reading tells why
    if not stat.S_ISREG(found.st_mode):
        raise ReadError("not a regular file")
    return found.st_size


def _beside(path: str | os.PathLike[str]) -> str:
    """A file that all machines see, or that spark-submit --files has brought."""
    if os.path.exists(path):
        return os.fspath(path)
    from pyspark import SparkFiles

    return str(SparkFiles.get(os.path.basename(path)))


def local(path: str) -> str:
    """A local path of a ``file:`` address; others stay as they are."""
    return "/" + path[len("file:"):].lstrip("/") if path.startswith("file:/") else path


def analyze_paths(
    paths: DataFrame | Iterable[str | os.PathLike[str]],
    targets: str | Iterable[str],
    *,
    root: str | os.PathLike[str] | None = None,
    max_bytes: int = 0,
    **options: Unpack[Options],
) -> DataFrame:
    """Analyzes models that all executors can open by their paths. Weights are neither read nor moved.

    Args:
        paths: a DataFrame with a column ``path``, or paths.
        targets: as of `npu_partition.analyze`.
        root: the folder that relative paths are in; None: the driver's working directory.
        max_bytes: larger files are not opened; 0: all are.
        **options: as of `npu_partition.analyze`, but that models may lack dimensions in `dims`.

    Returns:
        a DataFrame of `schema`, in no certain order.
    """
    job = _job(targets, options, max_bytes, os.fspath(root) if root is not None else os.getcwd())
    if not hasattr(paths, "mapInPandas"):
        listed = [(os.fspath(path),) for path in cast("Iterable[str]", paths)]
        context = _session().sparkContext
        tasks = max(context.defaultParallelism, -(-len(listed) // MODELS_PER_TASK))
        paths = _session().createDataFrame(context.parallelize(listed, tasks), "path string")
    return cast("DataFrame", paths).select("path").mapInPandas(job.of_paths, schema())


def analyze_binary_files(
    files: DataFrame,
    targets: str | Iterable[str],
    *,
    max_bytes: int = MOST_CONTENT_BYTES,
    **options: Unpack[Options],
) -> DataFrame:
    """Analyzes models whose content Spark reads, from any storage that it knows.

    Args:
        files: what ``spark.read.format("binaryFile")`` loads.
        targets: as of `npu_partition.analyze`.
        max_bytes: larger files are not read, but told as rows with an error; 0: the default, since Spark cannot hand
            over a file of any size.
        **options: as of `npu_partition.analyze`, but that models may lack dimensions in `dims`.

    Returns:
        a DataFrame of `schema`, in no certain order.
    """
    from pyspark.sql import functions

    max_bytes = max_bytes or MOST_CONTENT_BYTES
    job = _job(targets, options, max_bytes)
    length = functions.col("length")
    # Two filters of the source: it reads nothing of what is too large, where it would end the job.
    small = files.where(length <= max_bytes).select("path", "length", "content")
    nothing = functions.lit(None).cast("binary").alias("content")
    large = files.where(length > max_bytes).select("path", "length", nothing)
    return small.union(large).mapInPandas(job.of_files, schema())


def _job(targets: str | Iterable[str], options: Options, max_bytes: int, root: str = "") -> _Job:
    lenient: Options = {"strict_dims": False, **reusable(options)}
    job = _Job(names(targets), lenient, max_bytes, root)
    job.check()
    return job


def _session() -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession.builder.appName("npu-partition").getOrCreate()


# ---- spark-submit -----------------------------------------------------------------------------------------------

def _dim(text: str) -> tuple[str, str]:
    """NAME=SIZE or NAME=..SIZE, split at the last ``=`` as by the tool: a name may hold one."""
    name, _equals, size = text.rpartition("=")
    if not name or not re.fullmatch(r"(\.\.)?0*[1-9][0-9]*", size, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=SIZE or NAME=..SIZE")
    return name, size


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="npu_partition.spark", description="Many ONNX models as a Spark job.")
    add = parser.add_argument
    add("inputs", nargs="+", metavar="INPUT", help="a folder, a pattern or a file, at any address that Spark reads")
    add("--target", "-t", required=True, help="one, or several with commas")
    add("--output", "-o", required=True, help="a folder for Parquet files")
    add("--overwrite", action="store_true", help="replace the output where there is one")
    add("--list", action="store_true", help="inputs are texts with a path a line, which executors open themselves")
    add("--by-path", action="store_true", help="inputs are only listed; executors open the files themselves")
    add("--pattern", default="*.onnx", help="which files of folders (default: %(default)s)")
    add("--tasks", type=int, default=0, help="of --list and --by-path: into how many the models are divided")
    add("--dim", type=_dim, action="append", default=[], metavar="NAME=SIZE", help="the size of a dynamic dimension")
    add("--oplist", help="an op list of your own, which executors see, or have by --files")
    add("--cost", help="a cost file, likewise")
    add("--no-advice", action="store_true", help="do not look for what to do, which takes most of the time")
    add("--max-bytes", type=int, default=None, help="larger files are rows with an error")
    add("--timeout", type=float, default=0, metavar="SECONDS", help="models that take longer are rows with an error")
    add("--max-memory", type=int, default=0, metavar="BYTES", help="models that need more are rows with an error")
    return parser


def _options(given: argparse.Namespace) -> Options:
    options: Options = {"dims": dict(given.dim), "advice": not given.no_advice,
                        "timeout_s": given.timeout, "max_memory_bytes": given.max_memory}
    if given.oplist:
        options["oplist"] = given.oplist
    if given.cost:
        options["cost"] = given.cost
    return options


def _listed(spark: SparkSession, given: argparse.Namespace) -> DataFrame:
    """Rows of one path, divided so that little is repeated where an executor is lost."""
    if given.list:
        paths = spark.read.text(given.inputs).withColumnRenamed("value", "path").where("path != ''")
    else:
        paths = _files(spark, given).select("path")
    tasks = given.tasks or max(spark.sparkContext.defaultParallelism, -(-paths.count() // MODELS_PER_TASK))
    return paths.repartition(tasks)


def _files(spark: SparkSession, given: argparse.Namespace) -> DataFrame:
    return spark.read.format("binaryFile").options(pathGlobFilter=given.pattern,
                                                   recursiveFileLookup=True).load(given.inputs)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m npu_partition.spark``. Returns the exit status."""
    given = _parser().parse_args(arguments)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # without spark-submit: on this machine, by this interpreter
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = _session()
    options = _options(given)
    if given.list or given.by_path:
        found = analyze_paths(_listed(spark, given), given.target, max_bytes=given.max_bytes or 0, **options)
    else:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(MODELS_PER_BATCH))
        found = analyze_binary_files(_files(spark, given), given.target,
                                     max_bytes=given.max_bytes or MOST_CONTENT_BYTES, **options)
    found.write.mode("overwrite" if given.overwrite else "error").parquet(given.output, compression="zstd")
    written = spark.read.parquet(given.output)
    print(f"{written.count()} rows, {written.where('error_code is not null').count()} of them models that could not "
          f"be analyzed: {given.output}")
    return 0


if __name__ == "__main__":
    if not __package__:  # run as a file: beside it are modules with names of other packages, such as torch
        del sys.path[0]
    from npu_partition.spark import main as run  # executors find its functions by their module

    sys.exit(run())
