#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Export many architectures with random weights, for a comparison on models that no rule was written from.

usage: campaign_export.py FOLDER [--models campaign-1.txt] [--only REGEX] [--timeout 300] [--list]

Needs the PyPI packages torch, transformers, timm, diffusers, onnx, onnxscript, onnxruntime, in an environment of their
own, and for some families ultralytics, segmentation-models-pytorch, torchaudio. Each architecture is built from its published definition with few layers and random weights, exported by TorchScript
or dynamo, some with dynamic axes, some quantized afterwards. Weights above 64 KiB are then cut from the file (external
data of a file that is absent). Each export runs in a process of its own with a time limit; what cannot be exported is
printed and left out. FOLDER/exported.json has a line per model: its name, how it was made, and sizes for its symbols.

A list names families, and below each what is built and how: ts<opset> or dynamo<opset>, `d` after it for dynamic axes,
`r` where of equal blocks that follow one another two are left, and after `+` how the export is quantized or converted
(`half` turns the model to FLOAT16 before). Each campaign has a list of its own, so that what one has shown
is never asked again as if it were new.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
STRIP_ABOVE_BYTES = 64 * 1024
SIZES = {"batch": 1, "sequence": 32, "height": 64, "width": 64, "samples": 16000, "frames": 64}

# ---- what to build ---------------------------------------------------------------------------------------------


def entries(path):
    """Of a list: families (`timm:`), and below them pairs of a name and how it is exported, with `|` between pairs."""
    found, family = [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.endswith(":"):
            family = line[:-1]
        elif not line.startswith("#"):
            for piece in filter(str.strip, line.split("|")):
                name, how = piece.split()
                exporter, _, quantized = how.partition("+")
                found.append((family, name, exporter, quantized))
    return found


def model_name(family, name, exporter, quantized):
    return f"{family}-{name}.{exporter.rstrip('r')}" + (f".{quantized}" if quantized else "")


# ---- models of packages ------------------------------------------------------------------------------------------

SMALL = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256,
         "vocab_size": 1000, "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 128,
         "encoder_layers": 2, "decoder_layers": 2, "d_model": 128, "encoder_ffn_dim": 256, "decoder_ffn_dim": 256,
         "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_layers": 2, "num_decoder_layers": 2,
         "d_ff": 256, "d_kv": 32, "num_heads": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
         "decoder_start_token_id": 1, "image_token_id": 3}
EXPERTS = {"num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4, "num_experts_per_tok": 2,
           "n_group": 1, "topk_group": 1, "moe_intermediate_size": 64, "first_k_dense_replace": 1}
ADJUST = {  # where the general sizes do not fit a definition
    "albert": {"embedding_size": 64}, "electra": {"embedding_size": 64},
    "mobilebert": {"embedding_size": 64, "intra_bottleneck_size": 64, "true_hidden_size": 64},
    "funnel": {"block_sizes": [1, 1], "d_head": 32, "n_head": 4, "d_inner": 256}, "squeezebert": {"embedding_size": 128},
    "gptj": {"rotary_dim": 16}, "codegen": {"rotary_dim": 16}, "gpt_neo": {"attention_types": [[["global", "local"], 1]],
    "window_size": 16}, "mamba2": {"num_heads": 8, "head_dim": 32, "state_size": 16, "n_groups": 1, "chunk_size": 16},
    "falcon": {"new_decoder_architecture": False, "multi_query": True}, "xlm": {"emb_dim": 128, "n_layers": 2, "n_heads": 4},
    "lfm2": {"full_attn_idxs": [1], "layer_types": ["conv", "full_attention"], "block_ff_dim": 256, "block_dim": 128},
    "gemma2": {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]},
    "smollm3": {"no_rope_layers": [1, 0], "layer_types": ["full_attention", "full_attention"]},
    "qwen3": {"layer_types": ["full_attention", "full_attention"]}, "openai": {"n_positions": 128},
    "modernbert": {"layer_types": ["full_attention", "sliding_attention"], "local_attention": 16},
    "ctrl": {"dff": 256, "n_positions": 128, "num_hidden_layers": 2, "n_layer": 2, "n_head": 4, "n_embd": 128},
    "prophetnet": {"num_encoder_layers": 2, "num_decoder_layers": 2, "num_encoder_attention_heads": 4,
                   "num_decoder_attention_heads": 4, "ngram": 2},
    "fsmt": {"langs": ["en", "de"], "src_vocab_size": 1000, "tgt_vocab_size": 1000},
    "switch_transformers": {"num_experts": 4, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1},
    "yoso": {"use_expectation": True}, "nystromformer": {"num_landmarks": 8, "segment_means_seq_len": 32},
    "esm": {"position_embedding_type": "rotary", "mask_token_id": 4},
    "imagegpt": {"n_layer": 2, "n_head": 4, "n_embd": 128, "n_positions": 64, "vocab_size": 513},
    "conditional_detr": {"use_timm_backbone": False, "use_pretrained_backbone": False},
    "sam_vision_model": {"image_size": 256}, "swin2sr": {"hidden_size": 96},
    "flex_olmo": {"num_experts": 4, "num_experts_per_tok": 2, "_experts_implementation": "eager"},
    "kosmos_2_text_model": {"embed_dim": 128, "layers": 2, "ffn_dim": 256, "attention_heads": 4},
}
IMAGE = {"default": 224, "vitdet": 128, "sam_vision_model": 256, "swin2sr": 64, "superpoint": 120, "dpt": 384,
         "conditional_detr": 256, "table-transformer": 256, "deformable_detr": 256, "d_fine": 320, "rt_detr_v2": 320,
         "zoedepth": 384, "depth_anything": 224, "yolos": 256, "mobilenet_v1": 192, "glpn": 128, "cvt": 224}


def has(config, key):
    """Whether the configuration has such a number; one for each layer is none."""
    try:
        return getattr(config, key, None) is not None
    except Exception:  # transformers refuses to say
        return False


def fit_rotations(config):
    """Sections of rotary positions that add up to half of the smaller heads."""
    parameters = getattr(config, "rope_parameters", None)
    sections = parameters.get("mrope_section") if isinstance(parameters, dict) else None
    head = getattr(config, "head_dim", None) or SMALL["head_dim"]
    half = int(head * (parameters.get("partial_rotary_factor") or 1)) // 2 if sections else 0
    if sections and sum(sections) != half:
        cut = [size * half // sum(sections) for size in sections]
        parameters["mrope_section"] = [half - sum(cut[1:]), *cut[1:]]


def small_config(name):
    from transformers import AutoConfig

    config = AutoConfig.for_model(name)
    wanted = dict(SMALL, **ADJUST.get(name, {}))
    if any(has(config, key) for key in EXPERTS):  # the one implementation that is exported
        wanted = {**EXPERTS, "_experts_implementation": "eager", **wanted}
    for key, value in wanted.items():
        if has(config, key) and isinstance(getattr(config, key), (list, tuple)) and not isinstance(value, (list, tuple)):
            continue  # a number for each stage: no model is made smaller by one of them
        try:
            if has(config, key) or key in ADJUST.get(name, {}) or key == "_experts_implementation":
                setattr(config, key, value)
        except (NotImplementedError, AttributeError, ValueError):
            pass
    if hasattr(config, "layer_types") and config.layer_types and name not in ADJUST:
        config.layer_types = config.layer_types[:2]
    fit_rotations(config)
    config.use_cache = False
    config._attn_implementation = "eager"
    return config


def from_config(name, config):
    import transformers

    if name == "funnel":  # AutoModel has two classes for it, and asks for the name of one
        config.architectures = ["FunnelModel"]
    if name == "depth_anything":  # AutoModel has no class for it
        return transformers.AutoModelForDepthEstimation.from_config(config)
    try:
        return transformers.AutoModel.from_config(config)
    except ValueError:
        return class_for(config)(config)


def class_for(config):
    """The model of a configuration that AutoModel has no class for."""
    import importlib
    import inspect

    import transformers

    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    found = [one for name, one in vars(module).items()
             if inspect.isclass(one) and issubclass(one, transformers.PreTrainedModel)
             and one.__module__ == module.__name__ and one.config_class is type(config)
             and not name.endswith("PreTrainedModel")]
    ends = ("TextModel", "VisionModel", "Model", "Encoder")
    return min(found, key=lambda one: (not one.__name__.endswith(ends), len(one.__name__)))


def with_few_blocks(build, args):
    """The model, of whose equal blocks that follow one another two are left; the whole one where it then does not run."""
    try:
        model = shrink(build())
        model(*args)
        return model
    except Exception:  # a definition that counts its blocks
        return build()


def shrink(model):
    from torch import nn

    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) not in (nn.Sequential, nn.ModuleList) or len(child) <= 2:
                continue
            kept, signs = [], []
            for block in child:
                sign = type(block).__name__, tuple((key, tuple(p.shape)) for key, p in block.named_parameters())
                if not sign[1] or signs[-2:] != [sign, sign]:
                    kept.append(block)
                    signs.append(sign)
            if len(kept) < len(child):
                setattr(module, name, nn.Sequential(*kept) if isinstance(child, nn.Sequential) else nn.ModuleList(kept))
    return model


class Wrapped:
    """Makes a module that takes plain tensors and gives plain tensors back."""

    @staticmethod
    def around(model, names):
        import torch

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, *args):
                out = self.model(**dict(zip(names, args)))
                values = out.values() if hasattr(out, "values") else out if isinstance(out, (tuple, list)) else [out]
                return tuple(v for v in values if isinstance(v, torch.Tensor))[:3]

        return Module()


def build_timm(name):
    import timm
    import torch

    model = timm.create_model(name, pretrained=False, exportable=True)
    size = model.default_cfg["input_size"]
    return model, (torch.randn(1, *size),), ["pixels"], {"pixels": {0: "batch"}}


def build_torchvision(name):
    import torch
    import torchvision

    group = {"fcn_resnet50": "segmentation", "deeplabv3_mobilenet_v3_large": "segmentation", "r3d_18": "video",
             "mc3_18": "video", "swin3d_t": "video", "raft_small": "optical_flow", "retinanet_resnet50_fpn": "detection",
             "fasterrcnn_mobilenet_v3_large_320_fpn": "detection", "ssd300_vgg16": "detection"}.get(name)
    models = getattr(torchvision.models, group) if group else torchvision.models
    options = {"weights_backbone": None} if group in ("segmentation", "detection") else {}
    model = getattr(models, name)(weights=None, **options)
    size = {"video": (1, 3, 8, 64, 64), "inception_v3": (1, 3, 299, 299)}.get(group or name, (1, 3, 224, 224))
    if name == "raft_small":
        return model, (torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)), ["a", "b"], {}
    if group == "detection":
        return model, ([torch.rand(3, 320, 320)],), ["pixels"], {}
    return model, (torch.randn(*size),), ["pixels"], {"pixels": {0: "batch"}}


def build_text(name):
    import torch

    model = from_config(name, small_config(name))
    ids, mask = torch.randint(5, 900, (1, 32)), torch.ones(1, 32, dtype=torch.int64)
    names = ["input_ids", "attention_mask"]
    if name in ("fnet", "mamba2", "openai", "ctrl"):
        names, args = names[:1], (ids,)
    elif name == "layoutlm":
        names, args = names + ["bbox"], (ids, mask, torch.randint(0, 900, (1, 32, 4)))
    else:
        args = (ids, mask)
    return Wrapped.around(model, names), args, names, {n: {0: "batch", 1: "sequence"} for n in names}


def build_seq2seq(name):
    import torch

    model = from_config(name, small_config(name))
    names = ["input_ids", "attention_mask", "decoder_input_ids"]
    args = (torch.randint(5, 900, (1, 32)), torch.ones(1, 32, dtype=torch.int64), torch.randint(5, 900, (1, 32)))
    return Wrapped.around(model, names), args, names, {n: {0: "batch", 1: "sequence"} for n in names}


def build_vision(name):
    import torch

    config = small_config(name)
    model = from_config(name, config)
    if name == "imagegpt":
        names, args = ["input_ids"], (torch.randint(0, 500, (1, 32)),)
    else:
        size = IMAGE.get(name, IMAGE["default"])
        size = config.image_size if isinstance(getattr(config, "image_size", None), int) and name not in IMAGE else size
        names, args = ["pixel_values"], (torch.randn(1, 3, size, size),)
    return Wrapped.around(model, names), args, names, {n: {0: "batch"} for n in names}


def build_audio(name):
    import torch

    config = small_config(name)
    if hasattr(config, "output_hidden_size"):
        config.output_hidden_size = config.hidden_size
    model = from_config(name, config)
    names, args = ["input_values"], (torch.randn(1, 16000),)
    if name == "audio-spectrogram-transformer":
        args = (torch.randn(1, config.max_length, config.num_mel_bins),)
    elif name in ("encodec", "dac"):
        args = (torch.randn(1, 1, 16000),)
    elif name == "moonshine":
        names, args = names + ["decoder_input_ids"], (torch.randn(1, 16000), torch.randint(5, 900, (1, 8)))
    elif name == "univnet":
        names, args = ["input_features"], (torch.randn(1, 32, config.num_mel_channels if hasattr(config, "num_mel_channels") else 100),)
    return Wrapped.around(model, names), args, names, {names[0]: {1: "samples"}}


def build_own(name):
    import campaign_more
    import campaign_own

    model, args = {**campaign_own.MODELS, **campaign_more.MODELS}[name]()
    return with_places(model, args)


def build_diffusers(name):
    import campaign_more

    return with_places(*campaign_more.DIFFUSERS[name]())


def build_kit(kit):
    import campaign_kits

    return lambda name: with_places(*campaign_kits.KITS[kit](name))


def with_places(model, args):
    names = [f"in{i}" for i in range(len(args))]
    return model, args, names, {n: {0: "batch"} for n in names}


BUILD = {"timm": build_timm, "torchvision": build_torchvision, "text": build_text, "seq2seq": build_seq2seq,
         "vision": build_vision, "audio": build_audio, "own": build_own, "diffusers": build_diffusers,
         **{kit: build_kit(kit) for kit in ("ultralytics", "segmentation", "torchaudio", "pytorchcv", "monai", "vit_pytorch",
                                            "spandrel", "tsai")}}

# ---- export, quantize, strip -------------------------------------------------------------------------------------


def export(model, args, names, axes, exporter, path):
    import torch

    found = re.fullmatch(r"(ts|dynamo)(\d+)(d?)r?", exporter)
    opset = int(found[2])
    if found[1] == "ts":
        torch.onnx.export(model, args, path, opset_version=opset, input_names=names, dynamo=False,
                          dynamic_axes=axes if found[3] else None, do_constant_folding=True)
    else:
        shapes = None
        if found[3]:
            dims = {}
            shapes = tuple({axis: dims.setdefault(sym, torch.export.Dim.AUTO) for axis, sym in axes.get(n, {}).items()}
                           for n in names)
            if len(names) != len(args) or hasattr(model, "model"):
                shapes = (shapes,)
        torch.onnx.export(model, args, path, opset_version=opset, input_names=names, dynamo=True, dynamic_shapes=shapes,
                          external_data=False)


class Calibration:
    def __init__(self, names, args):
        self.rows = [{n: a.numpy() for n, a in zip(names, args)}]

    def get_next(self):
        return self.rows.pop() if self.rows else None


STATIC = {  # activations, weights, format, a scale for each channel, options
    "qi16": ("QInt16", "QInt8", "QDQ", False, {"UseQDQContribOps": True}),
    "qi8": ("QInt8", "QInt8", "QDQ", True, {}),
    "qopi8": ("QInt8", "QInt8", "QOperator", True, {}),
    "qopu8": ("QUInt8", "QUInt8", "QOperator", False, {}),
    "qop": ("QUInt8", "QInt8", "QOperator", False, {}),
    "sym8": ("QInt8", "QInt8", "QDQ", False, {"ActivationSymmetric": True, "QuantizeBias": False}),
}


def quantize(path, how, names, args):
    import onnx
    import onnxruntime.quantization as oq

    out = path.with_suffix(".q.onnx")
    kinds = oq.QuantType
    prepared = path.with_suffix(".p.onnx")
    if how == "dynamic":
        oq.quantize_dynamic(path, out, weight_type=kinds.QUInt8 if "mistral" in path.name else kinds.QInt8)
    elif how == "fp16":
        from onnxruntime.transformers.float16 import convert_float_to_float16

        onnx.save(convert_float_to_float16(onnx.load(path), keep_io_types=True), out)
    elif how in ("nbits4", "nbits4qdq"):
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

        quantizer = MatMulNBitsQuantizer(onnx.load(path), block_size=32, is_symmetric=True, accuracy_level=4,
                                         quant_format=oq.QuantFormat.QDQ if how == "nbits4qdq" else
                                         oq.QuantFormat.QOperator)  # fmt: skip
        quantizer.process()
        quantizer.model.save_model_to_file(str(out))
    elif how in ("qnn8", "qnn16"):
        from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config, qnn_preprocess_model

        changed = qnn_preprocess_model(path, prepared)
        source = prepared if changed else path
        config = get_qnn_qdq_config(source, Calibration(names, args), weight_type=kinds.QUInt8,
                                    activation_type=kinds.QUInt16 if how == "qnn16" else kinds.QUInt8)
        oq.quantize(source, out, config)
    elif how in STATIC:
        from onnxruntime.quantization.shape_inference import quant_pre_process

        activation, weight, layout, per_channel, more = STATIC[how]
        quant_pre_process(path, prepared, skip_symbolic_shape=True)
        oq.quantize_static(prepared, out, Calibration(names, args), per_channel=per_channel,
                           quant_format=oq.QuantFormat[layout], activation_type=kinds[activation],
                           weight_type=kinds[weight], extra_options=more)
    else:
        from onnxruntime.quantization.shape_inference import quant_pre_process

        quant_pre_process(path, prepared, skip_symbolic_shape=True)
        oq.quantize_static(prepared, out, Calibration(names, args), per_channel=True,
                           quant_format=oq.QuantFormat.QOperator if how == "qoperator" else oq.QuantFormat.QDQ,
                           activation_type=kinds.QUInt16 if how == "qdq16" else kinds.QUInt8, weight_type=kinds.QInt8,
                           extra_options={"UseQDQContribOps": True} if how == "qdq16" else None)
    return out


def forget_machine(nodes):
    """Dynamo tells for each node which lines of which files it is from, wherever these are on the machine."""
    for node in nodes:
        kept = [entry for entry in node.metadata_props if entry.key != "pkg.torch.onnx.stack_trace"]
        if len(kept) < len(node.metadata_props):
            del node.metadata_props[:]
            node.metadata_props.extend(kept)


def strip(source, target):
    """Keep the structure; large tensors become external data of a file that is not there."""
    import onnx

    model = onnx.load(source)
    offset = 0
    graphs, tensors = [model.graph], []
    nodes = list(model.graph.node) + [n for f in model.functions for n in f.node]
    while graphs:
        graph = graphs.pop()
        tensors += graph.initializer
        nodes += graph.node
        graphs += [a.g for n in graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    forget_machine(nodes)
    tensors += [a.t for n in nodes for a in n.attribute if a.type == onnx.AttributeProto.TENSOR]
    for tensor in tensors:
        length = len(tensor.raw_data)
        if length <= STRIP_ABOVE_BYTES or tensor.data_location == onnx.TensorProto.EXTERNAL:
            continue
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", "weights.bin"), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        offset += length
    onnx.save(model, target)
    symbols = {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param}
    return {"nodes": len(model.graph.node), "symbols": sorted(symbols)}


def sizes_by_place(path, size_at):
    """{symbol: size} of a file's inputs, from what size_at(input, axis) says; None where it does not know."""
    import onnx

    sizes = {}
    for value in onnx.load(path, load_external_data=False).graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            size = size_at(value.name, axis) if dim.WhichOneof("value") != "dim_value" else None
            if size is not None:
                sizes.setdefault(dim.dim_param or f"{value.name}.{axis}", int(size))
    return sizes


def sizes_of(path, args, names):
    """{symbol: size} as the example inputs have it."""
    shapes = {name: value.shape for name, value in zip(names, args)}
    return {**SIZES, **sizes_by_place(path, lambda name, axis: shapes[name][axis] if name in shapes else None)}


def make(family, name, exporter, quantized, folder):
    import torch

    torch.manual_seed(7)
    sys.path.insert(0, str(HERE))
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        model, args, names, axes = BUILD[family](name)
        model.eval()
        if exporter.endswith("r"):
            model = with_few_blocks(lambda: BUILD[family](name)[0].eval(), args)
        if quantized == "half":
            model, args = model.half(), tuple(a.half() if a.is_floating_point() else a for a in args)
        path = pathlib.Path(scratch) / f"{name}.onnx"
        export(model, args, names, axes, exporter, str(path))
        if quantized and quantized != "half":
            path = quantize(path, quantized, names, args)
        sizes = sizes_of(path, args, names)
        target = model_name(family, name, exporter, quantized) + ".onnx"
        facts = strip(path, folder / target)
    return {"model": target, "family": family, "name": name, "exporter": exporter, "quantized": quantized,
            "nodes": facts["nodes"], "dims": {s: sizes[s] for s in facts["symbols"] if s in sizes}, "symbols": facts["symbols"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=HERE / "campaign-1.txt")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        try:
            print(json.dumps(make(*args.one, args.folder)))
        except Exception:
            traceback.print_exc()
            return 1
        return 0
    wanted = [e for e in entries(args.models) if re.search(args.only, model_name(*e))]
    if args.list:
        print("\n".join(model_name(*e) for e in wanted))
        return 0
    args.folder.mkdir(parents=True, exist_ok=True)
    for entry in wanted:
        if (args.folder / (model_name(*entry) + ".onnx")).exists():
            continue
        command = [sys.executable, __file__, str(args.folder), "--one", *entry]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout, check=False)
            why = (done.stderr.strip().splitlines() or ["no message"])[-1]
            lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        except subprocess.TimeoutExpired:
            lines, why = [], f"longer than {args.timeout:g} s"
        if not lines:
            print(f"left out {model_name(*entry)}: {why[:200]}", flush=True)
            continue
        with open(args.folder / "exported.json", "a", encoding="utf-8") as file:
            file.write(lines[-1] + "\n")
        print(f"exported {model_name(*entry)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
