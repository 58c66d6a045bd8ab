# SPDX-License-Identifier: Apache-2.0
"""The wish of a precision in the words of other tools: rows of data for ``npu_partition.quantize --settings``.

A row has the tool, the targets it is for, and what it is told by precision, as calls with their arguments or as a
command. In texts and lists ``{...}`` stands for what the wish has (`Wish`); a word of a list that becomes empty is left
away. None of these tools is run here: what they make may be another plan, so ask for that of the file they write.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LARGE = 5_000_000_000  # numbers, from which on Intel's guide has one scale a channel for language models


@dataclass(frozen=True)
class Wish:
    """A precision for a model, and what stays in float, or has activations of 16 bits: nodes, and what these make."""

    model: str
    target: str
    variant: str
    base: str
    options: Mapping[str, str]
    kept: Sequence[str]
    weights: int
    wide: Sequence[str] = ()
    wide_outputs: Sequence[str] = ()

    @property
    def words(self) -> dict[str, Any]:
        per_tensor = "per-tensor" in self.options or "qnn" in self.options
        block = int(self.options.get("block", 0))
        return {"model": self.model, "variant": self.variant, "kept": list(self.kept), "wide": list(self.wide),
                "kept_text": ",".join(self.kept), "wide_text": ",".join(self.wide_outputs),
                "excluded": f"nodes_to_exclude={','.join(self.kept)}" if self.kept else "",
                "channels_option": "" if per_tensor else "--use_per_channel_quantization",
                "rknn_method": f"group{block}" if self.base == "w4a16" and block else
                               "layer" if per_tensor else "channel",
                "weight_bits": int(self.base[1]) if self.base[0] == "w" else 16,
                "activation_bits": int(self.base[3:]) if self.base[2:3] == "a" else 16,
                "per_channel": not per_tensor, "granularity": "per-tensor" if per_tensor else "per-channel",
                "group": block or (-1 if self.weights >= LARGE else 128), "block": block or 32}


@dataclass(frozen=True)
class Row:
    """`told` by precision; `source`: where its words are documented; `lacks`: of the wish, what it cannot be told.
    `chips`: of a precision that not all of the target's chips have those that do, by the tool's documents; `note`: what
    it makes otherwise than was wished, by precision."""

    tool: str
    targets: tuple[str, ...]
    told: Mapping[str, Any]
    source: str
    lacks: tuple[str, ...] = ("kept", "wide")
    chips: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: Mapping[str, str] = field(default_factory=dict)


QNN = ["qairt-quantizer", "--input_dlc", "{model}.dlc", "--input_list", "LIST.txt", "--act_bitwidth",
       "{activation_bits}", "--weights_bitwidth", "{weight_bits}", "--bias_bitwidth", "32", "{channels_option}"]
AIMET = {"aimet_onnx.QuantizationSimModel": {"param_type": "int{weight_bits}",
                                            "activation_type": "int{activation_bits}"}}
RKNN = {"rknn.config": {"target_platform": "{variant}", "quantized_dtype": "{base}", "quantized_algorithm": "normal",
                        "quantized_method": "{rknn_method}"},
        "rknn.build": {"do_quantization": True, "dataset": "LIST.txt"}}
ONNX2TF = [["onnx2tf", "-i", "{model}", "-oiqt", "-qt", "{granularity}", "-iqd", "int8", "-oqd", "int8", "-cind",
            "INPUT", "DATA.npy", "MEAN", "STD"],
           ["vela", "MODEL_full_integer_quant.tflite", "--accelerator-config", "ethos-{variant}-256"]]
TIDL = {"provider_options": {"tensor_bits": "{weight_bits}", "accuracy_level": 1,
                             "advanced_options:calibration_frames": 20,
                             "advanced_options:calibration_iterations": 20,
                             "advanced_options:output_feature_16bit_names_list": "{wide_text}",
                             "deny_list:layer_name": "{kept_text}"}}
STATIC = {"nncf.quantize": {"target_device": "NPU", "preset": "mixed", "ignored_scope": {"names": "{kept}"}}}
GENAI = ["python", "-m", "onnxruntime_genai.models.builder", "-m", "MODEL", "-o", "OUT", "-p", "int{weight_bits}", "-e",
         "cpu", "--extra_options", "block_size={block}", "is_symmetric=true", "op_types_to_quantize=MatMul",
         "{excluded}"]


def optimum(weights: str, group: str) -> list[str]:
    return ["optimum-cli", "export", "openvino", "-m", "MODEL", "--weight-format", weights, "--sym", "--ratio", "1.0",
            "--group-size", group, "OUT"]


def compressed(mode: str, group: int | str) -> dict[str, Any]:
    """INT8 modes refuse any other group than -1, and NF4 runs on NPUs with one scale a channel alone."""
    return {"nncf.compress_weights": {"mode": mode, "ratio": 1.0, "group_size": group,
                                      "ignored_scope": {"names": "{kept}"}}}


ROWS = (
    Row("NNCF", ("intel-npu",), {"w8a8": STATIC, "w4": compressed("INT4_SYM", "{group}"),
                                 "w8": compressed("INT8_SYM", -1), "nf4": compressed("NF4", -1)},
        "NNCF 3.4.0, nncf/quantization/quantize_model.py and weight_compression/algorithm.py", ("wide",)),
    Row("optimum-cli", ("intel-npu",), {"w4": optimum("int4", "{group}"), "nf4": optimum("nf4", "-1")},
        "docs.openvino.ai 2025, OpenVINO GenAI on NPU; optimum-intel 2.2.0",
        chips={"nf4": ("4000", "5010", "5020")}),
    Row("AIMET", ("hexagon",), {"w8a8": AIMET, "w8a16": AIMET, "w4a16": AIMET},
        "aimet_onnx/quantsim.py, QuantizationSimModel.__init__"),
    Row("QAIRT", ("hexagon",), {"w8a8": QNN, "w8a16": QNN, "w4a16": QNN},
        "docs.qualcomm.com 80-63442-10, qairt-quantizer"),
    Row("rknn-toolkit2", ("rknn",), {"w8a8": RKNN, "w8a16": RKNN, "w4a16": RKNN},
        "RKNN-Toolkit2 2.3.2 API reference, rknn.config",
        chips={"w8a8": ("rk3588", "rk3566", "rk3562", "rk3576", "rv1126b", "rv1106", "rv1103b"), "w8a16": ("rk3562",),
               "w4a16": ("rk3576", "rv1126b")},
        note={"w8a16": "its activations are FLOAT16", "w4a16": "its activations are FLOAT16"}),
    Row("onnx2tf and Vela", ("ethos-u",), {"w8a8": ONNX2TF}, "onnx2tf 1.29 (before 1.26: -ioqd); Vela's options"),
    Row("ST Edge AI", ("stm32n6",),
        {"w8a8": {"onnxruntime.quantization.quantize_static": {
            "quant_format": "QDQ", "activation_type": "QInt8", "weight_type": "QInt8", "per_channel": "{per_channel}",
            "nodes_to_exclude": "{kept}", "extra_options": {"WeightSymmetric": True, "ActivationSymmetric": False}},
            "command": ["stedgeai", "generate", "--model", "OUT", "--target", "stm32n6", "--st-neural-art"]}},
        "stedgeai-dc.st.com, ST Edge AI Core 3.0, Quantized model support", ("wide",)),
    Row("TIDL", ("tidl",), {"w8a8": TIDL}, "edgeai-tidl-tools, user options; edgeai-benchmark", ()),
    Row("ONNX Runtime GenAI", ("hexagon", "intel-npu", "xdna"), {"w4": GENAI, "w8": GENAI},
        "onnxruntime-genai 0.18.0, models/builder.py (before: int4_block_size and the like)", ("wide",)),
)


def filled(value: Any, words: Mapping[str, Any]) -> Any:
    """A word alone keeps its type, within a text it becomes one."""
    if isinstance(value, Mapping):
        return {key: filled(item, words) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item for item in (filled(item, words) for item in value) if item != ""]
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
        has_chip = wish.variant in row.chips.get(wish.base, (wish.variant,))
        told = row.told.get(wish.base) if has_chip else None
        tools[row.tool] = {"source": row.source, "told": None if told is None else filled(told, words),
                           "lacks": [name for name in row.lacks if words.get(name)]}
        if told is not None and wish.base in row.note:
            tools[row.tool]["note"] = row.note[wish.base]
    return {"precision": wish.base, "target": wish.target, "tools": tools}
