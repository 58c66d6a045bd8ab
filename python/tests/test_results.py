# SPDX-License-Identifier: Apache-2.0
"""Python's answers are the tool's."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
from typing import Any

import pytest
from conftest import MODELS, ROOT, Ask

import npu_partition
from npu_partition import results


def plain(value: Any) -> Any:
    """A result as the JSON that it was made from."""
    if isinstance(value, results.Range):
        return list(value)
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        named = {results.JSON_NAMES.get(item.name, item.name): plain(getattr(value, item.name))
                 for item in fields}
        if isinstance(value, results.Node):
            del named["id"]
        optional = {item.name for item in fields if item.default is not dataclasses.MISSING}
        return {name: item for name, item in named.items() if item is not None or name not in optional}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def whole(analysis: npu_partition.Analysis) -> dict[str, Any]:
    """The tool's JSON, put together from the typed results."""
    targets = []
    for target in analysis.targets:
        entry: dict[str, Any] = {}
        for name in ("target", "name", "variant", "switches_on", "toolchain", "partitioner", "level", "unit", "summary",
                     "nodes", "order", "modules", "tensors", "partitions", "causes", "roots", "crossings", "layouts",
                     "fusions", "cost", "memory", "precision", "advice", "if_fixed"):
            entry[name] = plain(getattr(target, name))
        entry["as"] = target.as_
        if entry["if_fixed"] is None:
            del entry["if_fixed"]
        targets.append(entry)
    return {"schema": 2, "tool": {"name": "npu-partition", "version": npu_partition.__version__},
            "findings": plain(analysis.findings), "model": plain(analysis.model), "targets": targets}


def differences(found: Any, expected: Any, path: str = "") -> set[str]:
    """Fields that differ, by their paths without places in lists."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return {name for key in {*found, *expected}
                for name in (differences(found[key], expected[key], f"{path}.{key}")
                             if key in found and key in expected else {f"{path}.{key}"})}
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return {name for pair in zip(found, expected) for name in differences(*pair, path + "[]")}
    return set() if found == expected else {path}


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.name)
def test_answers_are_the_tools(model: pathlib.Path, tool: str) -> None:
    """All targets: to_json() is the tool's JSON."""
    done = subprocess.run([tool, model, "--target", "all", "--format", "json"], capture_output=True, check=True)
    assert npu_partition.analyze(model, "all").to_json() == done.stdout.decode()


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.name)
def test_typed_results_lack_nothing(model: pathlib.Path) -> None:
    """Three targets whose answers have all there is: the results put together are the JSON."""
    analysis = npu_partition.analyze(model, "hexagon,intel-npu,tidl")
    expected = analysis.to_dict("tensors")
    assert differences(whole(analysis), expected) == set()
    assert [target.to_dict() for target in analysis.targets] == analysis.to_dict()["targets"]


@pytest.mark.parametrize("detail", ["tensors", "causes", "summary"])
def test_detail_is_the_tools(detail: Any, encoder: pathlib.Path, ask: Ask) -> None:
    expected, = ask(encoder, "--target", "hexagon", "--detail", detail)
    assert npu_partition.analyze(encoder, "hexagon").to_dict(detail) == expected


GATHER = "/model/distilbert/embeddings/word_embeddings/Gather"
OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (["--dim", "batch=1", "--dim", "sequence=..128"], {"dims": {"batch": 1, "sequence": "..128"}}),
    (["--input", "input_ids=1x128"], {"inputs": {"input_ids": [1, 128]}}),
    (["--level", "off"], {"level": "off"}),
    (["--partitioner", "runs"], {"partitioner": "runs"}),
    (["--gates", "builder"], {"gates": ["builder"]}),
    (["--assume", "Erf=cpu", "--assume", "Where=npu"], {"assume": {"Erf": "cpu", "Where": "npu"}}),
    (["--assume-node", GATHER + "=cpu"], {"assume_nodes": {GATHER: "cpu"}}),
    (["--runtime", "bare", "--sustained"], {"runtime": "bare", "sustained": True}),
    (["--keep-bytes", "100000"], {"keep_bytes": 100000}),
    (["--oplist", str(ROOT / "oplists" / "hexagon.ops")], {"oplist": ROOT / "oplists" / "hexagon.ops"}),
    (["--cost", str(ROOT / "oplists" / "hexagon.cost")], {"cost": ROOT / "oplists" / "hexagon.cost"}),
]


@pytest.mark.parametrize(("words", "options"), OPTIONS, ids=lambda item: item[0] if isinstance(item, list) else "")
def test_options_are_the_tools(words: list[str], options: dict[str, Any], encoder: pathlib.Path, ask: Ask) -> None:
    expected, = ask(encoder, "--target", "hexagon:v75", *words)
    assert npu_partition.analyze(encoder, "hexagon:v75", **options).to_dict() == expected


def test_bound_values_and_cuts(ask: Ask) -> None:
    model = ROOT / "fixtures" / "early-exit-cnn.ts14.if.onnx"
    node = npu_partition.analyze(model, "hexagon").targets[0].nodes[0].name
    expected, = ask(model, "--target", "hexagon,tidl", "--cut", node)
    assert npu_partition.analyze(model, "hexagon,tidl", cuts=[node]).to_dict() == expected


def test_texts_are_the_tools(tool: str, encoder: pathlib.Path) -> None:
    def printed(*options: str) -> str:
        return subprocess.run([tool, encoder, "-t", "hexagon,dla", *options], capture_output=True, text=True,
                              check=True).stdout

    analysis = npu_partition.analyze(encoder, ["hexagon", "dla"])
    assert str(analysis) + "\n" == analysis.to_text() == printed()
    assert analysis.to_text(verbose=True, ascii_only=True) == printed("--verbose", "--ascii")
    node = next(node for node in analysis.targets[0].nodes if node.verdict == "cpu")
    assert analysis.explain(node.name) + "\n" == printed("--explain", node.name)
    assert analysis.explain(node.index) + "\n" == printed("--explain", str(node.index))
    assert analysis.targets[1].explain(node.name).splitlines()[-1] == analysis.explain(node.name).splitlines()[-1]


def test_shapes_are_the_tools(encoder: pathlib.Path, tool: str, ask: Ask) -> None:
    analysis = npu_partition.analyze(encoder, "hexagon", level="off")
    assert [analysis.shapes()] == ask(encoder, "--shapes")
    assert [analysis.targets[0].shapes()] == ask(encoder, "--shapes", "--target", "hexagon", "--level", "off")


def test_without_advice(encoder: pathlib.Path) -> None:
    analysis = npu_partition.analyze(encoder, "hexagon", advice=False)
    assert analysis.targets[0].advice == ()
    assert analysis.targets[0].summary == npu_partition.analyze(encoder, "hexagon").targets[0].summary


def test_every_described_field_has_a_place() -> None:
    """Each field of docs/json.md of an analysis is a field of some dataclass, or of Target."""
    text = (ROOT / "docs" / "json.md").read_text().split("## Shapes")[0]
    kinds = [kind for kind in vars(results).values() if dataclasses.is_dataclass(kind)]
    known = {results.JSON_NAMES.get(item.name, item.name) for kind in kinds for item in dataclasses.fields(kind)}
    known |= {name.rstrip("_") for name in dir(npu_partition.Target) if not name.startswith("_")}
    known |= {"schema", "tool", "version", "name", "findings", "model", "padding", "targets", "target", "*"}
    described = {part for row in re.findall(r"^\| (`.*?) \|", text, re.M) for path in re.findall(r"`([^`]+)`", row)
                 for part in path.replace("[]", "").split(".")}
    assert described - known == set()


def test_repr(detector: pathlib.Path) -> None:
    analysis = npu_partition.analyze(detector, "hexagon")
    assert repr(analysis.targets[0]) == "<Target hexagon:v73: split, 4 partitions, 9 of 14 nodes on the NPU>"
    assert repr(analysis) == f"<Analysis of {detector}: {analysis.targets[0]!r}>"


def test_targets() -> None:
    found = {target.name: target for target in npu_partition.targets()}
    assert sorted(found) == sorted(path.stem for path in (ROOT / "oplists").glob("*.ops"))
    assert found["hexagon"].default_variant == "v73"
    assert found["hexagon"].rules > 100
    assert npu_partition.version() == npu_partition.__version__


def test_dims_of_several_models(encoder: pathlib.Path, detector: pathlib.Path) -> None:
    dims = {"batch": 1, "sequence": 128, "nowhere": 3}
    with pytest.raises(npu_partition.ArgumentError, match="nowhere"):
        npu_partition.analyze(encoder, "hexagon", dims=dims)
    found = list(npu_partition.analyze_all([encoder, detector], "hexagon", dims=dims, strict_dims=False))
    asked = npu_partition.analyze(encoder, "hexagon", dims={"batch": 1, "sequence": 128})
    assert [analysis.to_json("summary") for analysis in found] == [
        asked.to_json("summary"), npu_partition.analyze(detector, "hexagon").to_json("summary")]


def test_a_target_by_its_name(detector: pathlib.Path) -> None:
    report = npu_partition.analyze(detector, "hexagon,tidl,hexagon:v68")
    first, tidl, second = report.targets
    assert report["tidl"] is tidl and report["hexagon:v68"] is second and report["hexagon:v73"] is first
    assert report[0] is first and report[-1] is second
    assert list(report) == [first, tidl, second] and len(report) == 3
    assert "tidl" in report and "hexagon" not in report and "edgetpu" not in report
    with pytest.raises(npu_partition.TargetError, match=r"^hexagon: .* several of them: hexagon:v73, hexagon:v68$"):
        report["hexagon"]
    with pytest.raises(KeyError, match="edgetpu: the report has hexagon:v73, tidl:am68a, hexagon:v68"):
        report["edgetpu"]


def test_a_target_in_a_precision(detector: pathlib.Path) -> None:
    report = npu_partition.analyze(detector, "hexagon,tidl", as_="all")
    assert report["hexagon"].as_ is None and report["tidl:am68a"].as_ is None
    assert report["hexagon as w8a8"].as_ == "w8a8" and report["tidl:am68a as float16"].name == "tidl:am68a"
    assert npu_partition.analyze(detector, "hexagon", as_="w8a8")["hexagon"].as_ == "w8a8"
    with pytest.raises(npu_partition.TargetError, match="the report has hexagon:v73, hexagon:v73 as float16, "):
        report["hexagon as w1"]


def test_lengths(encoder: pathlib.Path) -> None:
    dims: dict[str, int | str] = {"batch": 1, "sequence": "..512"}
    found = npu_partition.analyze(encoder, "hexagon", dims=dims, lengths=[10, 20, 30, 500], advice=False)
    assert found.padding is not None
    assert (found.padding.dim, found.padding.most, found.padding.less) == ("sequence", 512, 30)
    spread = npu_partition.analyze(encoder, "hexagon", dims=dims, lengths={"p50": 40, "p95": 128}, advice=False).padding
    assert spread is not None and spread.less == 128 and 0.5 < spread.two_padding < spread.most_padding
    assert npu_partition.analyze(encoder, "hexagon", dims=dims, advice=False).padding is None
    with pytest.raises(npu_partition.ArgumentError, match="600"):
        npu_partition.analyze(encoder, "hexagon", dims=dims, lengths=[600])
    with pytest.raises(npu_partition.ArgumentError, match="p95"):
        npu_partition.analyze(encoder, "hexagon", dims=dims, lengths={"median": 6})


def test_ram(encoder: pathlib.Path) -> None:
    def limits(ram: int | str) -> dict[str, bool | None]:
        found = npu_partition.analyze(encoder, "hexagon", dims={"batch": 1, "sequence": 64}, ram=ram,
                                      advice=False).targets[0].memory.limits
        return {limit.what: limit.fits for limit in found if limit.what in ("ram", "flash")}

    assert limits(0) == {}
    assert limits(100) == {"ram": False}
    assert limits("phone") == {"ram": True}
    assert limits("microcontroller") == {"flash": False, "ram": None}
    with pytest.raises(npu_partition.ArgumentError, match="watch"):
        limits("watch")
