# SPDX-License-Identifier: Apache-2.0
"""Many models, several at a time."""
from __future__ import annotations

import collections
import concurrent.futures
import os
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TYPE_CHECKING, TypeVar

from ._analysis import Analysis, analyze
from ._arguments import reusable
from ._errors import NpuPartitionError

if TYPE_CHECKING:
    import sys

    from ._arguments import Options

    if sys.version_info >= (3, 11):
        from typing import Unpack
    else:
        from typing_extensions import Unpack

Source = TypeVar("Source")


def analyze_all(
    models: Iterable[Source],
    targets: str | Iterable[str] | None = None,
    *,
    threads: int | None = None,
    in_order: bool = True,
    progress: Callable[[int, int | None], object] | None = None,
    on_error: Callable[[Source, NpuPartitionError], None] | None = None,
    **options: Unpack[Options],
) -> Iterator[Analysis]:
    """Analyzes many models, several at a time, and tells them one after the other.

    Models are taken from the iterable as threads become free, so it may be endless.

    Args:
        models: what `analyze` takes.
        targets: as of `analyze`.
        threads: how many at a time; None: as many as there are processors.
        in_order: in the order of the models; False: each as soon as it is finished.
        progress: called by the thread that iterates, each time before a model is told, with how many are done (those
            that cannot be analyzed, too) and how many there are; None where `models` has no length.
        on_error: called with a model that cannot be analyzed, which is then left out; None: the error is raised.
        **options: as of `analyze`.
    """
    wanted = targets if targets is None or isinstance(targets, str) else list(targets)
    kept, count = reusable(options), threads or os.cpu_count() or 1
    total, done = len(models) if isinstance(models, Sized) else None, 0
    waiting: collections.OrderedDict[concurrent.futures.Future[Analysis], Source] = collections.OrderedDict()
    rest = iter(models)
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        try:
            while _fill(waiting, rest, count + 1, lambda model: pool.submit(analyze, model, wanted, **kept)):
                future = next(iter(waiting))
                if not in_order:
                    future = next(iter(concurrent.futures.wait(
                        waiting, return_when=concurrent.futures.FIRST_COMPLETED).done))
                concurrent.futures.wait([future])
                model, done = waiting.pop(future), done + 1
                if progress is not None:
                    progress(done, total)
                yield from _told(model, future, on_error)
        finally:
            for future in waiting:
                future.cancel()


def _fill(waiting: dict[concurrent.futures.Future[Analysis], Source], rest: Iterator[Source], most: int,
          submit: Callable[[Source], concurrent.futures.Future[Analysis]]) -> bool:
    """One more than there are threads, so that none waits while a result is told. Whether there is any."""
    while len(waiting) < most:
        try:
            model = next(rest)
        except StopIteration:
            break
        waiting[submit(model)] = model
    return bool(waiting)


def _told(model: Source, future: concurrent.futures.Future[Analysis],
          on_error: Callable[[Source, NpuPartitionError], None] | None) -> Iterator[Analysis]:
    try:
        yield future.result()
    except NpuPartitionError as error:
        if on_error is None:
            raise
        on_error(model, error)
