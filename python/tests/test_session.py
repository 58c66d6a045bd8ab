# SPDX-License-Identifier: Apache-2.0
"""What a session is told is what the tool writes, and ONNX Runtime takes it."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import pickle
import subprocess
import sys
import types
from typing import Any

import pytest
from conftest import FIXTURES

import npu_partition
from npu_partition import Analysis, analyze, session_options, tool_settings

NAMES = ("provider", "provider_options", "session_config", "free_dimension_overrides")


def written(tool: str, model: pathlib.Path, target: str, folder: pathlib.Path, *words: str) -> dict[str, Any]:
    """What --settings says of a session; a member that is empty is left away there."""
    path = folder / "settings.json"
    subprocess.run([tool, model, "-t", target, "-q", "--settings", path, *words], check=True)
    found = json.loads(path.read_text(encoding="utf-8"))
    if not words:
        assert tool_settings(analyze(model, target).targets[0]) == found
    return {name: found.get(name, {}) for name in NAMES}


def told(found: npu_partition.SessionOptions) -> dict[str, Any]:
    return {name: getattr(found, name) for name in NAMES}


TARGETS = ["hexagon", "hexagon:v68", "hexagon:57", "hexagon:60+float", "coreml-mlprogram", "coreml-mlprogram+static",
           "coreml-neuralnetwork", "dla", "intel-npu", "nnapi", "nnapi+nchw", "tidl", "tidl+sixteen", "webnn", "xdna",
           "xdna+cnn", "xnnpack"]
MODELS = ["distilbert-base.ts14.dyn.onnx", "detector.dynamo.onnx", "mobilenetv2.qdq-int8.onnx"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("target", TARGETS)
def test_options_are_the_tools(target: str, model: str, tool: str, tmp_path: pathlib.Path) -> None:
    expected = written(tool, FIXTURES / model, target, tmp_path)
    live = analyze(FIXTURES / model, target)
    assert told(live.targets[0].session_options()) == expected
    for kept in (pickle.loads(pickle.dumps(live)), Analysis.from_dict(live.to_dict())):
        assert session_options(kept.targets[0]) == live.targets[0].session_options()


def test_sizes_that_the_plan_rests_on(encoder: pathlib.Path, tool: str, tmp_path: pathlib.Path) -> None:
    dims: dict[str, int | str] = {"batch": 1, "sequence": "..128"}
    words = [word for name, size in dims.items() for word in ("--dim", f"{name}={size}")]
    expected = written(tool, encoder, "hexagon", tmp_path, *words)
    assert told(analyze(encoder, "hexagon", dims=dims).targets[0].session_options()) == expected
    assert expected["free_dimension_overrides"] == {"batch": 1}


def test_of_a_text() -> None:
    found = session_options("hexagon:57")
    assert (found.provider, found.provider_options["soc_model"]) == ("QNNExecutionProvider", "57")
    assert found.package == "pip install onnxruntime-qnn"
    assert found.reasons["soc_model"] == "the chip"
    assert found.providers == [("QNNExecutionProvider", dict(found.provider_options)), "CPUExecutionProvider"]
    for target in ("rknn", "ethos-u", "intel-npu+openvino"):
        with pytest.raises(npu_partition.ArgumentError, match="no provider for " + target.split("+")[0]):
            session_options(target)
    with pytest.raises(npu_partition.ArgumentError):
        session_options("nowhere")


def test_sessions_take_them(encoder: pathlib.Path) -> None:
    """On the CPU, as the providers are not here: sizes and entries of the configuration."""
    runtime = pytest.importorskip("onnxruntime")
    target = analyze(encoder, "xnnpack", dims={"batch": 1, "sequence": 16}, level="off").targets[0]
    found = dataclasses.replace(target.session_options(), session_config={"session.intra_op.allow_spinning": "0"})
    options = found.apply()
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    assert options.graph_optimization_level == runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    mine = runtime.SessionOptions()
    assert found.apply(mine) is mine
    basic = dataclasses.replace(found, level="basic").apply()
    assert basic.graph_optimization_level != options.graph_optimization_level


def test_no_session_falls_back_unseen(encoder: pathlib.Path) -> None:
    pytest.importorskip("onnxruntime")
    found = analyze(encoder, "hexagon").targets[0].session_options()
    with pytest.raises(npu_partition.ArgumentError, match="no QNNExecutionProvider: pip install onnxruntime-qnn"):
        found.session(encoder)
    here = dataclasses.replace(found, provider="CPUExecutionProvider", provider_options={})
    onnx = pytest.importorskip("onnx")
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[n] x) => (float[n] y) { y = Abs(x) }'
    model = onnx.parser.parse_model(text)
    made = dataclasses.replace(here, free_dimension_overrides={"n": 3}).session(model.SerializeToString())
    assert made.get_providers() == ["CPUExecutionProvider"]
    assert made.get_inputs()[0].shape == [3]


@pytest.mark.parametrize("is_plugin", [True, False])
def test_plugins_are_handed_over_by_their_devices(is_plugin: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name alone ONNX Runtime passes a plug-in over."""
    told: list[Any] = []

    class Options:
        def add_session_config_entry(self, *_entry: str) -> None:
            pass

        def add_provider_for_devices(self, devices: list[Any], options: dict[str, str]) -> None:
            told.append(([device.ep_name for device in devices], options))

    class Session:
        def __init__(self, model: str, options: Options, providers: Any = None) -> None:
            told.append((model, providers))

        def get_providers(self) -> list[str]:
            return ["QNNExecutionProvider"]

    devices = [types.SimpleNamespace(ep_name=name) for name in ("CPUExecutionProvider", "QNNExecutionProvider")]
    monkeypatch.setitem(sys.modules, "onnxruntime", types.SimpleNamespace(
        SessionOptions=Options, InferenceSession=Session, get_ep_devices=lambda: devices[:1 + is_plugin],
        get_available_providers=lambda: ["QNNExecutionProvider"]))
    found = session_options("hexagon")
    assert isinstance(found.session("model.onnx"), Session)
    assert told == ([(["QNNExecutionProvider"], dict(found.provider_options)), ("model.onnx", None)] if is_plugin
                    else [("model.onnx", found.providers)])
