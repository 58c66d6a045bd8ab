# SPDX-License-Identifier: Apache-2.0
"""Many models, several at a time."""
from __future__ import annotations

import collections
import concurrent.futures
import os
from collections.abc import Callable, Iterable, Iterator
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
    on_error: Callable[[Source, NpuPartitionError], None] | None = None,
    **options: Unpack[Options],
) -> Iterator[Analysis]:
    """Analyzes many models, several at a time, and tells them one after the other, in their order.

    Models are taken from the iterable as threads become free, so it may be endless.

    Args:
        models: what `analyze` takes.
        targets: as of `analyze`.
        threads: how many at a time; None: as many as there are processors.
        on_error: called with a model that cannot be analyzed, which is then left out; None: the error is raised.
        **options: as of `analyze`.
    """
    wanted = targets if targets is None or isinstance(targets, str) else list(targets)
    kept = reusable(options)
    count = threads or os.cpu_count() or 1
    waiting: collections.deque[tuple[Source, concurrent.futures.Future[Analysis]]] = collections.deque()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        try:
            for model in models:
                waiting.append((model, pool.submit(analyze, model, wanted, **kept)))
                if len(waiting) > count:
                    yield from _told(*waiting.popleft(), on_error)
            while waiting:
                yield from _told(*waiting.popleft(), on_error)
        finally:
            for _model, future in waiting:
                future.cancel()


def _told(model: Source, future: concurrent.futures.Future[Analysis],
          on_error: Callable[[Source, NpuPartitionError], None] | None) -> Iterator[Analysis]:
    try:
        yield future.result()
    except NpuPartitionError as error:
        if on_error is None:
            raise
        on_error(model, error)
