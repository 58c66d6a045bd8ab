#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Export many architectures with random weights, for a comparison on models that no rule was written from.

usage: campaign_export.py FOLDER [--only REGEX] [--timeout 300] [--list]

Needs the PyPI packages torch, transformers, timm, diffusers, onnx, onnxscript, onnxruntime, in an environment of their
own. Each architecture is built from its published definition with few layers and random weights, exported by TorchScript
or dynamo, some with dynamic axes, some quantized afterwards. Weights above 64 KiB are then cut from the file (external
data of a file that is absent). Each export runs in a process of its own with a time limit; what cannot be exported is
printed and left out. FOLDER/exported.json has a line per model: its name, how it was made, and sizes for its symbols.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

STRIP_ABOVE_BYTES = 64 * 1024
SIZES = {"batch": 1, "sequence": 32, "height": 64, "width": 64, "samples": 16000, "frames": 64}

# ---- what to build ---------------------------------------------------------------------------------------------
# name, how it is built, then the exporters: ts<opset> or dynamo<opset>, `d` after it for dynamic axes,
# and after `+` how the export is quantized.

TIMM = """
dla34 ts13 | repvgg_a0 dynamo18 | ghostnet_100 ts17d | tinynet_e ts14+qdq8 | res2net50_14w_8s ts16 | resnest14d dynamo20
skresnet18 ts17 | ese_vovnet19b_dw ts12 | eca_nfnet_l0 dynamo18 | gmixer_24_224 ts15 | gmlp_s16_224 dynamo18 |
resmlp_12_224 ts14 | cait_xxs24_224 ts17 | pit_ti_224 dynamo18 | convit_tiny ts16 | coat_lite_tiny ts14 |
crossvit_tiny_240 dynamo18 | xcit_nano_12_p16_224 ts17 | twins_pcpvt_small ts13 | poolformer_s12 ts17+qdq8 |
pvt_v2_b0 dynamo20 | edgenext_xx_small ts17 | fastvit_t8 dynamo18 | repvit_m0_9 ts17+qnn8 | efficientformer_l1 ts14 |
mobileone_s0 dynamo18d | coatnet_nano_rw_224 ts17 | davit_tiny dynamo18 | focalnet_tiny_srf ts17 | hiera_tiny_224 ts17 |
nest_tiny dynamo18 | eva02_tiny_patch14_224 ts17 | inception_next_atto ts17+qnn16 | starnet_s1 dynamo18 |
sequencer2d_s ts14 | visformer_tiny ts17 | volo_d1_224 dynamo18 | gcvit_xxtiny ts17 | mvitv2_tiny dynamo18 |
swinv2_cr_tiny_ns_224 ts17 | lcnet_050 ts11+qdq8 | botnet26t_256 dynamo18 | halonet26t ts17 |
lambda_resnet26rpt_256 ts17 | tiny_vit_5m_224 dynamo18 | maxvit_rmlp_pico_rw_256 ts17 | shvit_s1 ts17 |
mambaout_femto dynamo18 | efficientvit_m0 ts17 | vit_relpos_small_patch16_224 ts17
"""

# Text models of transformers: model type, exporters, attributes of the configuration.
TEXT = """
albert ts14d | electra dynamo18d | roberta ts17+dynamic | deberta ts14 | mobilebert dynamo18 | funnel ts14 | fnet ts17 |
convbert ts14 | squeezebert dynamo18 | roformer ts17 | xlm ts14 | modernbert dynamo20 | nystromformer ts17 | rembert ts14d |
gpt_neo ts14 | gptj dynamo18 | gpt_neox ts17d | opt dynamo18d | bloom ts14 | falcon dynamo18 | phi ts17 | phi3 dynamo20 |
gemma dynamo18 | gemma2 ts17 | llama dynamo18d | llama ts17+nbits4 | mistral ts17+dynamic | stablelm dynamo18 |
olmo2 dynamo23 | granite ts17 | cohere dynamo18 | starcoder2 ts17+qdq8 | qwen3 dynamo18+nbits4 | mamba2 ts17 |
smollm3 dynamo18 | lfm2 dynamo18 | glm4 ts17 | nemotron dynamo18 | openai ts13 | ctrl ts14 | codegen dynamo18 |
biogpt ts17 | xglm dynamo18 | ernie ts17+qdq8 | ibert ts14 | yoso ts14 | megatron_bert dynamo18 | mpnet ts14+dynamic |
esm dynamo18 | data2vec-text ts17 | layoutlm ts14
"""

# Encoder-decoders: full forward pass, both sides of the same length.
SEQ2SEQ = """
bart dynamo18 | pegasus ts14 | marian ts17d | blenderbot-small dynamo18 | mt5 ts17 | umt5 dynamo18 | prophetnet ts14 |
switch_transformers ts17 | fsmt ts14
"""

VISION = """
dinov2 dynamo18 | beit ts17 | dpt ts14 | glpn dynamo18 | poolformer dynamo18 | cvt ts17 | conditional_detr ts16 |
table-transformer dynamo18 | d_fine ts17 | maskformer-swin ts16 | upernet dynamo18 | swin2sr ts17 | swinv2 dynamo18 |
focalnet ts16d | vit_msn dynamo20d | pvt ts14 | mobilenet_v1 ts13+qoperator | bit ts17 | hiera dynamo18 | ijepa ts17 |
vitdet ts17 | superpoint ts17 | depth_anything ts17 | zoedepth ts17 | rt_detr_v2 dynamo18 | siglip_vision_model ts17+qdq16 |
sam_vision_model ts17 | dinov3_vit dynamo18 | pixtral dynamo18 | imagegpt ts17 | deformable_detr ts16 | yolos ts17+qnn8
"""

AUDIO = """
hubert ts14 | wavlm ts17 | sew dynamo18 | sew-d ts14 | unispeech dynamo18d | data2vec-audio ts17d |
audio-spectrogram-transformer dynamo18 | encodec ts17 | moonshine dynamo18 | dac ts17 | univnet ts17
"""

OWN = """
unet ts13 | tcn dynamo18 | conv_tasnet ts17 | bilstm_tagger ts14d | deepspeech ts13 | gru_attention ts14 | pointnet dynamo18 |
dcgan ts12+qdq8 | deepfm ts14d | gcn_dense dynamo18 | edsr ts17+qnn16 | focus_detector ts11 | centernet dynamo18 |
convlstm ts14 | wavenet dynamo18 | two_tower ts17 | vae_kl ts17 | dit dynamo18 | unet2d ts14 | sd3_block dynamo18 |
pixart ts17 | flux dynamo18 | unet1d ts17 | deeplab ts13 | raft_small ts17 | fcos_head dynamo18 | grid_warp ts17 |
mvit_video dynamo18 | s3d ts14 | rms_swiglu dynamo18
"""


def entries():
    found = []
    for family, text in (("timm", TIMM), ("text", TEXT), ("seq2seq", SEQ2SEQ), ("vision", VISION), ("audio", AUDIO),
                         ("own", OWN)):
        for piece in re.split(r"[|\n]", text):
            words = piece.split()
            for name, how in zip(words[::2], words[1::2]):
                exporter, _, quantized = how.partition("+")
                found.append((family, name, exporter, quantized))
    return found


def model_name(family, name, exporter, quantized):
    return f"{family}-{name}.{exporter}" + (f".{quantized}" if quantized else "")


# ---- models of packages ------------------------------------------------------------------------------------------

SMALL = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256,
         "vocab_size": 1000, "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 128,
         "encoder_layers": 2, "decoder_layers": 2, "d_model": 128, "encoder_ffn_dim": 256, "decoder_ffn_dim": 256,
         "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_layers": 2, "num_decoder_layers": 2,
         "d_ff": 256, "d_kv": 32, "num_heads": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
         "decoder_start_token_id": 1, "image_token_id": 3}
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
}
IMAGE = {"default": 224, "vitdet": 128, "sam_vision_model": 256, "swin2sr": 64, "superpoint": 120, "dpt": 384,
         "conditional_detr": 256, "table-transformer": 256, "deformable_detr": 256, "d_fine": 320, "rt_detr_v2": 320,
         "zoedepth": 384, "depth_anything": 224, "yolos": 256, "mobilenet_v1": 192, "glpn": 128, "cvt": 224}


def small_config(name):
    from transformers import AutoConfig

    config = AutoConfig.for_model(name)
    wanted = dict(SMALL, **ADJUST.get(name, {}))
    for key, value in wanted.items():
        try:
            if hasattr(config, key) and getattr(config, key) is not None or key in ADJUST.get(name, {}):
                setattr(config, key, value)
        except (NotImplementedError, AttributeError, ValueError):
            pass
    if hasattr(config, "layer_types") and config.layer_types and name not in ADJUST:
        config.layer_types = config.layer_types[:2]
    config.use_cache = False
    config._attn_implementation = "eager"
    return config


def from_config(name, config):
    import transformers

    return transformers.AutoModel.from_config(config)


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
    import campaign_own

    model, args = campaign_own.MODELS[name]()
    names = [f"in{i}" for i in range(len(args))]
    return model, args, names, {n: {0: "batch"} for n in names}


BUILD = {"timm": build_timm, "text": build_text, "seq2seq": build_seq2seq, "vision": build_vision, "audio": build_audio,
         "own": build_own}

# ---- export, quantize, strip -------------------------------------------------------------------------------------


def export(model, args, names, axes, exporter, path):
    import torch

    found = re.fullmatch(r"(ts|dynamo)(\d+)(d?)", exporter)
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


def quantize(path, how, names, args):
    import onnx
    import onnxruntime.quantization as oq

    out = path.with_suffix(".q.onnx")
    kinds = oq.QuantType
    prepared = path.with_suffix(".p.onnx")
    if how == "dynamic":
        oq.quantize_dynamic(path, out, weight_type=kinds.QUInt8 if "mistral" in path.name else kinds.QInt8)
    elif how == "nbits4":
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

        quantizer = MatMulNBitsQuantizer(onnx.load(path), block_size=32, is_symmetric=True, accuracy_level=4)
        quantizer.process()
        quantizer.model.save_model_to_file(str(out))
    elif how in ("qnn8", "qnn16"):
        from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config, qnn_preprocess_model

        changed = qnn_preprocess_model(path, prepared)
        source = prepared if changed else path
        config = get_qnn_qdq_config(source, Calibration(names, args), weight_type=kinds.QUInt8,
                                    activation_type=kinds.QUInt16 if how == "qnn16" else kinds.QUInt8)
        oq.quantize(source, out, config)
    else:
        from onnxruntime.quantization.shape_inference import quant_pre_process

        quant_pre_process(path, prepared, skip_symbolic_shape=True)
        oq.quantize_static(prepared, out, Calibration(names, args), per_channel=True,
                           quant_format=oq.QuantFormat.QOperator if how == "qoperator" else oq.QuantFormat.QDQ,
                           activation_type=kinds.QUInt16 if how == "qdq16" else kinds.QUInt8, weight_type=kinds.QInt8,
                           extra_options={"UseQDQContribOps": True} if how == "qdq16" else None)
    return out


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


def make(family, name, exporter, quantized, folder):
    import torch

    torch.manual_seed(7)
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        model, args, names, axes = BUILD[family](name)
        model.eval()
        path = pathlib.Path(scratch) / f"{name}.onnx"
        export(model, args, names, axes, exporter, str(path))
        if quantized:
            path = quantize(path, quantized, names, args)
        target = model_name(family, name, exporter, quantized) + ".onnx"
        facts = strip(path, folder / target)
    sizes = {}
    for symbol in facts["symbols"]:
        for value, axes_of in zip(args, (axes.get(n, {}) for n in names)):
            for axis, known in axes_of.items():
                if known == symbol or symbol.startswith("s"):
                    sizes.setdefault(symbol, int(value.shape[axis]))
    sizes.update({s: SIZES[s] for s in facts["symbols"] if s not in sizes and s in SIZES})
    return {"model": target, "family": family, "name": name, "exporter": exporter, "quantized": quantized,
            "nodes": facts["nodes"], "dims": sizes, "symbols": facts["symbols"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
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
    wanted = [e for e in entries() if re.search(args.only, model_name(*e))]
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
