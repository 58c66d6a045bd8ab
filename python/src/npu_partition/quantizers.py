# SPDX-License-Identifier: Apache-2.0
"""The wish of a precision in the words of other tools: rows of data for ``npu_partition.quantize --settings``.

A row has the tool, the targets it is for, and what it is told by precision, as calls with their arguments or as a
command. In texts and lists ``{...}`` stands for what the wish has (`Wish`). None of these tools is run here: what they
make may be another plan, so ask for that of the file they write.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LARGE = 1_000_000_000  # numbers, from which on Intel's guide has one scale a channel for language models


@dataclass(frozen=True)
class Wish:
    """A precision for a model, and what stays in float."""

    model: str
    target: str
    variant: str
    base: str
    options: Mapping[str, str]
    kept: Sequence[str]
    weights: int

    @property
    def words(self) -> dict[str, Any]:
        per_tensor = "per-tensor" in self.options or "qnn" in self.options
        block = int(self.options.get("block", 0))
        return {"model": self.model, "variant": self.variant, "kept": list(self.kept),
                "weight_bits": int(self.base[1]) if self.base[0] == "w" else 16,
                "activation_bits": int(self.base[3:]) if self.base[2:3] == "a" else 16,
                "per_channel": not per_tensor, "method": "layer" if per_tensor else "channel",
                "granularity": "per-tensor" if per_tensor else "per-channel",
                "group": block or (-1 if self.weights >= LARGE else 128), "block": block or 32}


@dataclass(frozen=True)
class Row:
    """`told` by precision; `source`: where its words are documented; `lacks`: of the wish, what it cannot be told."""

    tool: str
    targets: tuple[str, ...]
    told: Mapping[str, Any]
    source: str
    lacks: tuple[str, ...] = ()


QNN = ["qairt-quantizer", "--input_dlc", "{model}.dlc", "--input_list", "LIST.txt", "--act_bitwidth",
       "{activation_bits}", "--weights_bitwidth", "{weight_bits}", "--bias_bitwidth", "32"]
AIMET = {"aimet_onnx.QuantizationSimModel": {"param_type": "int{weight_bits}",
                                            "activation_type": "int{activation_bits}"}}
RKNN = {"rknn.config": {"target_platform": "{variant}", "quantized_dtype": "{base}", "quantized_algorithm": "normal",
                        "quantized_method": "{method}"},
        "rknn.build": {"do_quantization": True, "dataset": "LIST.txt"}}
ONNX2TF = [["onnx2tf", "-i", "{model}", "-oiqt", "-qt", "{granularity}", "-ioqd", "int8", "-cind", "INPUT", "DATA.npy",
            "MEAN", "STD"], ["vela", "MODEL_full_integer_quant.tflite", "--accelerator-config", "{variant}"]]
TIDL = {"provider_options": {"tensor_bits": "{weight_bits}", "accuracy_level": 1,
                             "advanced_options:calibration_frames": 20,
                             "advanced_options:calibration_iterations": 20}}
STATIC = {"nncf.quantize": {"target_device": "NPU", "preset": "mixed", "ignored_scope": {"names": "{kept}"}}}
OPTIMUM = ["optimum-cli", "export", "openvino", "-m", "MODEL", "--weight-format", "int4", "--sym", "--ratio", "1.0",
           "--group-size", "{group}", "OUT"]
GENAI = ["python", "-m", "onnxruntime_genai.models.builder", "-m", "MODEL", "-o", "OUT", "-p", "int4", "-e", "cpu",
         "--extra_options", "int4_block_size={block}", "int4_is_symmetric=true", "int4_op_types_to_quantize=MatMul"]


def compressed(mode: str) -> dict[str, Any]:
    return {"nncf.compress_weights": {"mode": mode, "ratio": 1.0, "group_size": "{group}",
                                      "ignored_scope": {"names": "{kept}"}}}


ROWS = (
    Row("NNCF", ("intel-npu",), {"w8a8": STATIC, "w4": compressed("INT4_SYM"), "w8": compressed("INT8_SYM"),
                                 "nf4": compressed("NF4")},
        "NNCF, quantize and compress_weights"),
    Row("optimum-cli", ("intel-npu",), {"w4": OPTIMUM}, "OpenVINO GenAI on NPU", ("kept",)),
    Row("AIMET", ("hexagon",), {"w8a8": AIMET, "w8a16": AIMET, "w4a16": AIMET}, "AIMET, QuantizationSimModel",
        ("kept",)),
    Row("QAIRT", ("hexagon",), {"w8a8": QNN, "w8a16": QNN, "w4a16": QNN}, "Qualcomm AI Runtime, qairt-quantizer",
        ("kept",)),
    Row("rknn-toolkit2", ("rknn",), {"w8a8": RKNN, "w8a16": RKNN, "w4a16": RKNN}, "RKNN-Toolkit2 API", ("kept",)),
    Row("onnx2tf and Vela", ("ethos-u",), {"w8a8": ONNX2TF}, "onnx2tf; Vela's options", ("kept",)),
    Row("ST Edge AI", ("stm32n6",),
        {"w8a8": {"onnxruntime.quantization.quantize_static": {
            "quant_format": "QDQ", "activation_type": "QInt8", "weight_type": "QInt8", "per_channel": "{per_channel}",
            "nodes_to_exclude": "{kept}", "extra_options": {"WeightSymmetric": True, "ActivationSymmetric": False}},
            "command": ["stedgeai", "generate", "--model", "OUT", "--target", "stm32n6", "--st-neural-art"]}},
        "ST Edge AI Core, quantized models"),
    Row("TIDL", ("tidl",), {"w8a8": TIDL}, "edgeai-tidl-tools, user options", ("kept",)),
    Row("ONNX Runtime GenAI", ("hexagon", "intel-npu", "xdna"), {"w4": GENAI}, "onnxruntime-genai, models/builder.py",
        ("kept",)),
)


def filled(value: Any, words: Mapping[str, Any]) -> Any:
    """A word alone keeps its type, within a text it becomes one."""
    if isinstance(value, Mapping):
        return {key: filled(item, words) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(item, words) for item in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    return words[value[1:-1]] if value[1:-1] in words else value.format(**words)


def settings(wish: Wish) -> dict[str, Any]:
    """What each tool of the target is told, by its name; what it cannot be told stands under ``lacks``."""
    words = {**wish.words, "base": wish.base}
    tools: dict[str, Any] = {}
    for row in ROWS:
        if wish.target not in row.targets:
            continue
        told = row.told.get(wish.base)
        tools[row.tool] = {"source": row.source, "told": None if told is None else filled(told, words),
                           "lacks": [name for name in row.lacks if words.get(name)]}
    return {"precision": wish.base, "target": wish.target, "tools": tools}
