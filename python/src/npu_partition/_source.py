# SPDX-License-Identifier: Apache-2.0
"""Where an analysis has its answers from: plans of the library, or a report that was kept.

Results are read from JSON in either case. What only the model can tell (an explanation, other formats) a kept report
asks of the file again, where it is of one, and only if that still says the same.
"""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ._errors import ArgumentError, MalformedError
from ._later import Later
from ._library import Handle, library
from ._report import (
    DETAILS,
    Detail,
    Plan,
    explanation_of,
    json_of,
    loads,
    packed,
    shapes_of,
    text_of,
    unpacked,
)

if TYPE_CHECKING:
    from . import results
    from ._arguments import Options
else:
    results = Later(".results")

BY_LENGTH: tuple[Detail, ...] = ("summary", "causes", "nodes", "tensors")  # each has all of the one before it


class Request(NamedTuple):
    """What `analyze` was asked, so that it can be asked again."""

    file: str | None
    """The model's path; None: it was no file."""
    targets: tuple[str, ...]
    options: Options

    def analyze_again(self) -> Live:
        """Of the file as it is now."""
        from ._analysis import analyze

        assert self.file is not None
        source = analyze(self.file, self.targets, **self.options)._source
        assert isinstance(source, Live)
        return source


class Live:
    """Plans of the library."""

    def __init__(self, model: Handle, inference: Handle, plans: Sequence[Plan], request: Request) -> None:
        self._model, self._inference, self.plans, self.request = model, inference, tuple(plans), request

    def count(self) -> int:
        """Of targets."""
        return len(self.plans)

    def document(self, detail: Detail, at: int | None = None) -> Mapping[str, Any]:
        """The tool's JSON, of all targets or one; it may tell more than was asked for."""
        found: Mapping[str, Any] = loads(json_of(self._plans(at), detail))
        return found

    def json(self, detail: Detail | None) -> bytes:
        """The same as text; None: nodes."""
        return json_of(self.plans, detail or "nodes")

    def text(self, look: Mapping[str, Any], at: int | None = None) -> str:
        """The tool's report."""
        return text_of(self._plans(at), look)

    def explain(self, node: str | int, at: int | None = None) -> str:
        """Every rule that speaks of a node."""
        return explanation_of(self._plans(at), node)

    def shapes(self, at: int | None = None) -> dict[str, Any]:
        """As they were read, or as a target's runtime knows them."""
        return shapes_of(self._inference.pointer if at is None else
                         library.npart_plan_view(self.plans[at].plan.pointer))

    def live(self) -> Live:
        """This."""
        return self

    def _plans(self, at: int | None) -> Sequence[Plan]:
        return self.plans if at is None else self.plans[at:at + 1]

    def __reduce__(self) -> tuple[Any, ...]:
        texts: dict[int | None, str] = {None: self.text({})}
        if self.count() > 1:
            texts.update({at: self.text({}, at) for at in range(self.count())})
        return Kept, ({detail: packed(self.json(detail)) for detail in BY_LENGTH},
                      {at: packed(text.encode()) for at, text in texts.items()}, self.request)


class Kept:
    """A report that was pickled or saved.

    Args:
        documents: the tool's JSON by detail, packed.
        texts: the tool's report, of all targets under None, packed; empty where it was not kept.
        request: what was asked; None: that is not known.
    """

    def __init__(self, documents: Mapping[Detail, bytes], texts: Mapping[int | None, bytes],
                 request: Request | None) -> None:
        self._documents, self._texts, self.request = documents, texts, request
        self._parsed: Mapping[str, Any] | None = None
        self._live: Live | None = None

    @staticmethod
    def of(data: Mapping[str, Any]) -> Kept:
        """What `to_dict` has returned."""
        from ._analysis import Analysis

        results.check(Analysis, data)
        for at, target in enumerate(data.get("targets", ())):
            results.check_ids(target, f"targets[{at}]")
        if not data.get("targets"):
            raise MalformedError("no report of npu-partition: there are none", place="targets")
        first = data["targets"][0]
        detail = next(name for name in reversed(BY_LENGTH) if name in first or name == "summary")
        try:
            text = json.dumps(data, separators=(",", ":")) + "\n"
        except (RecursionError, TypeError, ValueError) as error:
            raise MalformedError(f"no report of npu-partition: {error}") from error
        kept = Kept({detail: packed(text.encode())}, {}, None)
        whole = kept._whole()
        try:
            whole["model"]["path"], whole["findings"], [target["summary"] for target in whole["targets"]]
        except MalformedError as error:
            raise MalformedError("no report of npu-partition: this is not there", place=error.place) from None
        return kept

    def _longest(self) -> Detail:
        return max(self._documents, key=BY_LENGTH.index)

    def count(self) -> int:
        """Of targets."""
        return len(self._whole()["targets"])

    def _whole(self) -> Mapping[str, Any]:
        if self._parsed is None:
            self._parsed = results.parse(unpacked(self._documents[self._longest()]).decode("utf-8", "replace"))
        return self._parsed

    def document(self, detail: Detail, at: int | None = None) -> Mapping[str, Any]:
        """The tool's JSON, of all targets or one; it may tell more than was asked for."""
        whole = self._whole()
        if not self.has(detail):
            raise ArgumentError(f'the report was saved without {detail}: to_dict("{detail}") keeps them')
        return whole if at is None else {**whole, "targets": whole["targets"][at:at + 1]}

    def json(self, detail: Detail | None) -> bytes:
        """The same as text; None: all that there is, and no tensors."""
        most = self._longest()
        found = detail or ("nodes" if "nodes" in self._documents else most)
        if found not in DETAILS:
            raise ArgumentError(f"detail must be one of {', '.join(DETAILS)}")
        if found not in self._documents:
            raise ArgumentError(f'the report was saved with detail "{most}", and cannot be told with "{found}"')
        return unpacked(self._documents[found])

    def text(self, look: Mapping[str, Any], at: int | None = None) -> str:
        """The tool's report, of the file again where it looks otherwise than by default."""
        one = None if self.count() == 1 else at
        if not look and one in self._texts:
            return unpacked(self._texts[one]).decode()
        return self.live().text(look, at)

    def explain(self, node: str | int, at: int | None = None) -> str:
        """Every rule that speaks of a node, of the file again."""
        return self.live().explain(node, at)

    def shapes(self, at: int | None = None) -> dict[str, Any]:
        """Of the file again."""
        return self.live().shapes(at)

    def has(self, detail: Detail) -> bool:
        """Whether so much was kept."""
        return BY_LENGTH.index(detail) <= BY_LENGTH.index(self._longest())

    def has_text(self) -> bool:
        """Whether the report as text was kept."""
        return bool(self._texts)

    def live(self) -> Live:
        """The file analyzed again.

        Raises:
            ArgumentError: there is no file, or it is another by now.
        """
        if self._live is None:
            if self.request is None or self.request.file is None:
                raise ArgumentError("a report that was saved has results alone: for this, analyze the model again")
            again = self.request.analyze_again()
            detail = self._longest()
            if again.json(detail) != unpacked(self._documents[detail]):
                raise ArgumentError("the model is another than the one that was analyzed: analyze it again",
                                    about=self.request.file)
            self._live = again
        return self._live

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, (self._documents, self._texts, self.request)


Source = Union[Live, Kept]
