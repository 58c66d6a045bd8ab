# SPDX-License-Identifier: Apache-2.0
"""Commands that write models."""
from __future__ import annotations

import ctypes
import json
import pathlib
import subprocess
from typing import Any

import pytest
from test_results import plain

import npu_partition
from npu_partition import _library, _native, analyze, annotate, fix, fix_set, split


def tool_json(tool: str, *words: str | pathlib.Path) -> Any:
    done = subprocess.run([tool, *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_fix_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expected = tool_json(tool, "fix", detector, "-t", "hexagon", "--allow", "approx,ulp", "-o", tmp_path / "tool")
    told: list[tuple[str, int]] = []
    found = fix(detector, "hexagon", tmp_path / "python", allow="approx,ulp",
                progress=lambda rewrite, plans: told.append((rewrite, plans)))
    assert found.to_dict() == {**expected, "out": str(tmp_path / "python")}
    assert (tmp_path / "python").read_bytes() == (tmp_path / "tool").read_bytes()
    assert analyze(tmp_path / "python", "hexagon").targets[0].summary == found.targets[0].after
    assert told
    assert found.output == str(tmp_path / "python")
    assert [step.rewrite for step in found.steps] == [step["rewrite"] for step in expected["steps"]]
    assert found.targets[0].left[0].text == expected["left"][0]["text"]
    assert str(found).startswith(str(detector))
    assert "partitions 4 -> 1" in repr(found)


def test_fix_with_sizes(tool: str, encoder: pathlib.Path) -> None:
    words = ["--dim", "batch=1", "--dim", "sequence=64", "--not", "gathernd", "--max-growth", "1", "--dry-run"]
    expected = tool_json(tool, "fix", encoder, "-t", "hexagon", *words)
    found = fix(encoder, "hexagon", dims={"batch": 1, "sequence": 64}, without="gathernd", max_growth=1)
    assert found.to_dict() == expected
    assert found.output is None


def save_decoder(path: pathlib.Path) -> None:
    """One whose cache grows, with words alone: nothing hides later tokens."""
    helper = pytest.importorskip("onnx.helper")
    onnx = pytest.importorskip("onnx")
    words = helper.make_tensor("words", 1, [90, 4], [0.5] * 360)
    nodes = [helper.make_node("Gather", ["words", "ids"], ["x"]),
             helper.make_node("Concat", ["past", "x"], ["present"], axis=1),
             helper.make_node("Transpose", ["present"], ["turned"], perm=[0, 2, 1]),
             helper.make_node("MatMul", ["x", "turned"], ["scores"]),
             helper.make_node("Softmax", ["scores"], ["weights"], axis=-1),
             helper.make_node("MatMul", ["weights", "present"], ["y"])]
    inputs = [helper.make_tensor_value_info("ids", 7, ["batch", "new"]),
              helper.make_tensor_value_info("past", 1, ["batch", "past", 4])]
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in ("y", "present")]
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, [words])), path)


def make_causal(path: pathlib.Path) -> None:
    """The same with a mask of later tokens, so that it takes several."""
    helper = pytest.importorskip("onnx.helper")
    onnx = pytest.importorskip("onnx")
    model = onnx.load(path)
    numbers = {"zero": 0, "step": 1, "axis": 1}
    tensors = [helper.make_tensor(name, 7, [], [number]) for name, number in numbers.items()]
    tensors += [helper.make_tensor("closed", 1, [], [-1e4]), helper.make_tensor("open", 1, [], [0.0]),
                helper.make_tensor("last", 7, [1], [1])]
    added = [("Shape", ["past"], "past_shape"), ("Gather", ["past_shape", "axis"], "before"),
             ("Shape", ["ids"], "ids_shape"), ("Gather", ["ids_shape", "axis"], "tokens"),
             ("Add", ["before", "tokens"], "slots"), ("Range", ["zero", "slots", "step"], "slot"),
             ("Range", ["before", "slots", "step"], "row"), ("Unsqueeze", ["row", "last"], "rows"),
             ("Greater", ["slot", "rows"], "later"), ("Where", ["later", "closed", "open"], "causal"),
             ("Add", ["scores", "causal"], "ordered")]
    nodes = list(model.graph.node)
    nodes[4].input[0] = "ordered"
    nodes[4:4] = [helper.make_node(op, inputs, [output]) for op, inputs, output in added]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(tensors)
    onnx.save(model, path)


def test_fix_of_a_cache(tool: str, tmp_path: pathlib.Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "model.onnx"
    save_decoder(path)
    found = fix(path, "hexagon", tmp_path / "out.onnx", cache=16)
    expected = tool_json(tool, "fix", path, "-t", "hexagon", "--cache", "16", "--dry-run")
    assert found.to_dict()["cache"] == expected["cache"]
    assert found.cache is not None
    assert (found.cache.slots, found.cache.tokens, found.cache.past) == (16, 1, 15)
    roles = {tensor.role: tensor for tensor in found.cache.tensors}
    assert roles["present"].past == "past"
    assert roles["bias"].dims == (1, 1, 16)
    assert json.loads(onnx.load(tmp_path / "out.onnx").metadata_props[0].value) == found.to_dict()["cache"]
    assert [(item.slots, item.tokens, item.partitions) for item in found.decode] == [(16, 1, 1)]
    assert found.decode[0].run_ms is not None
    assert fix(path, "hexagon").cache is None
    assert fix(path, "hexagon").decode == ()
    with pytest.raises(npu_partition.ArgumentError, match="--tokens 1"):
        fix(path, "hexagon", cache=16, tokens=2)
    with pytest.raises(npu_partition.ArgumentError, match="new or shift"):
        fix(path, "hexagon", cache=16, present="old")  # type: ignore[arg-type]
    with pytest.raises(npu_partition.ArgumentError, match="no layer was found to have a window"):
        fix(path, "hexagon", cache=16, window_cache=True)


def test_fix_set(tool: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("onnx")
    path = tmp_path / "model.onnx"
    save_decoder(path)
    with pytest.raises(npu_partition.ArgumentError, match="--tokens 1"):
        fix_set(path, "hexagon", tmp_path / "none", cache=16, tokens=(1, 4))
    assert not (tmp_path / "none").exists()
    make_causal(path)
    subprocess.run([tool, "fix", path, "-t", "hexagon", "--cache", "16", "--tokens", "1,4", "-o", tmp_path / "tool",
                    "-q"], check=True)
    found = fix_set(path, "hexagon", tmp_path / "python", cache=16, tokens=(1, 4))
    for name in ("tokens-1.onnx", "tokens-4.onnx", "manifest.json"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "tool" / name).read_bytes()
    assert found.manifest == str(tmp_path / "python" / "manifest.json")
    manifest = json.loads(pathlib.Path(found.manifest).read_text())
    assert [file["cache"]["past"] for file in manifest["files"]] == [cache.past for cache in found.caches] == [15, 12]
    assert [item.output for item in found.fixes] == [str(tmp_path / "python" / f"tokens-{n}.onnx") for n in (1, 4)]
    assert repr(found) == "<FixSet of 16 slots: 1, 4 tokens>"
    assert str(found.fixes[1]) in str(found)
    steps, prompts = (item.decode[0] for item in found.fixes)
    assert (steps.prompt_run, prompts.prompt_run) == (4, 4)  # the prompt is read by the file that does so soonest
    assert steps.prompt_ms == prompts.prompt_ms
    assert "first token" in str(found.fixes[0])
    unwritten = fix_set(path, "hexagon", cache=16, tokens=[4])
    assert unwritten.manifest is None
    assert unwritten.fixes[0].output is None
    with pytest.raises(npu_partition.ArgumentError, match="two models take 4"):
        fix_set(path, "hexagon", tmp_path / "twice", cache=16, tokens=(4, 4))
    with pytest.raises(npu_partition.ArgumentError, match="one number at least"):
        fix_set(path, "hexagon", cache=16, tokens=())


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"allow": "everything"}, npu_partition.ArgumentError, "bits-if"),
    ({"only": ["nothing-such"]}, npu_partition.ArgumentError, "nothing-such"),
    ({"weights": "away"}, npu_partition.ArgumentError, "stay, link"),
])
def test_fix_refuses(arguments: dict[str, Any], error: type[Exception], message: str, detector: pathlib.Path,
                     tmp_path: pathlib.Path) -> None:
    with pytest.raises(error, match=message):
        fix(detector, "hexagon", tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_fix_never_writes_over_the_model(tmp_path: pathlib.Path, detector: pathlib.Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(detector.read_bytes())
    with pytest.raises(npu_partition.ArgumentError):
        fix(model, "hexagon", model)
    assert model.read_bytes() == detector.read_bytes()


def test_split_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    subprocess.run([tool, "split", detector, "-t", "tidl", "-o", tmp_path / "tool"], check=True, capture_output=True)
    found = split(detector, "tidl", tmp_path / "python")
    assert found.folder == str(tmp_path / "python")
    manifest = json.loads((tmp_path / "tool" / "manifest.json").read_text())
    for part in manifest["parts"]:
        for tensor in part["outputs"]:
            tensor["from"] = None  # typed, it is a tensor as inputs are
    assert plain(found) == {"folder": found.folder, **manifest}
    assert [part.file for part in found.parts] == sorted(path.name for path in (tmp_path / "tool").glob("*.onnx"))
    for path in (tmp_path / "tool").iterdir():
        assert (tmp_path / "python" / path.name).read_bytes() == path.read_bytes()
    made = {tensor.name: part.order for part in found.parts for tensor in part.outputs}
    assert all(tensor.from_part == made.get(tensor.name) for part in found.parts for tensor in part.inputs)
    assert all(output.from_part == made[output.name] for output in found.outputs)


def test_what_is_told_of_a_split_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "parts"
    done = subprocess.run([tool, "split", detector, "-t", "tidl", "-o", folder, "-f", "json"], check=True,
                          capture_output=True)
    plan, = analyze(detector, "tidl", advice=False)._source.live().plans
    pair = _native.npart_plan_pair(plan=plan.plan.pointer)
    subject = _library.sized(_native.npart_subject)
    subject.kind, subject.plans, subject.count = _native.NPART_SUBJECT_PARTS, ctypes.pointer(pair), 1
    subject.model, subject.written = str(detector).encode(), str(folder).encode()
    subject.manifest = (folder / "manifest.json").read_bytes()
    assert done.stdout == _library.read_text(_library.library.npart_report, ctypes.byref(subject),
                                             _native.NPART_FORMAT_JSON, None)


def test_the_fix_that_a_report_advises(detector: pathlib.Path, encoder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    report = analyze(encoder, "hexagon,tidl")
    found = report.fix(tmp_path / "fixed.onnx")
    assert [item.target for item in found.targets] == [target.name for target in report.targets]
    again = analyze(tmp_path / "fixed.onnx", "hexagon,tidl")
    assert [target.summary for target in again.targets] == [item.after for item in found.targets]
    assert found.targets[0].after.verdict == "whole"
    one = report.targets[0].fix()
    assert (one.output, one.targets[0].after.verdict) == (None, "whole")
    assert one.to_dict() == fix(encoder, "hexagon", dims={"batch": 1, "sequence": 128}).to_dict()
    report = analyze(detector, "hexagon")
    assert [step.rewrite for step in report.fix().steps] == ["end", "pad-wrap"]
    assert [step.rewrite for step in fix(detector, "hexagon", allow="approx").steps] == ["pad-wrap", "erf-tanh"]
    weaker = analyze(detector, "dla")  # the first line to paste has --allow approx
    assert [step.equality for step in weaker.fix().steps] == ["approx"]
    assert weaker.fix(allow=()).steps == ()
    with pytest.raises(npu_partition.ArgumentError, match="with advice"):
        analyze(detector, "hexagon", advice=False).fix()
    with pytest.raises(npu_partition.ArgumentError, match="from a file"):
        analyze(detector.read_bytes(), "hexagon").fix()


def test_write(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    found = fix(detector, "hexagon")
    written = found.write(tmp_path / "later.onnx")
    expected = fix(detector, "hexagon", tmp_path / "now.onnx")
    assert (tmp_path / "later.onnx").read_bytes() == (tmp_path / "now.onnx").read_bytes()
    assert written.output == str(tmp_path / "later.onnx") and found.output is None
    assert written.to_dict() == {**expected.to_dict(), "out": written.output}


def test_annotate_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    subprocess.run([tool, "annotate", detector, "-t", "hexagon,tidl", "-o", tmp_path / "tool"], check=True)
    annotate(detector, ["hexagon", "tidl"], tmp_path / "python")
    assert (tmp_path / "python").read_bytes() == (tmp_path / "tool").read_bytes()


def test_a_hint_is_the_tools(tool: str, encoder: pathlib.Path) -> None:
    done = subprocess.run([tool, "fix", encoder, "-t", "hexagon", "--dry-run"], capture_output=True, text=True,
                          check=True)
    found = npu_partition.fix_hint(encoder, "hexagon", with_sizes=True)
    assert found is not None
    assert done.stdout.startswith("This would mend it:\n")
    assert f"\n  {found[1]}\n" in done.stdout
    assert found[0] == "--dim batch=1 --dim sequence=128"
    assert npu_partition.fix_hint(encoder, "hexagon", dims={"batch": 1, "sequence": 128}) is None
