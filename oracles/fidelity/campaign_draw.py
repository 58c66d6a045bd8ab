#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw by a seed what a campaign exports: architectures that no list names yet, and how each is exported.

usage: campaign_draw.py SEED OUT.txt [--timm 12] [--torchvision 2] [--text 14] [--vision 4] [--seq2seq 2] [--own 0] [--pytorchcv 0]
                        [--vit_pytorch 0] [--spandrel 0] [--tsai 0] [--parameters 25]

Needs what campaign_export.py needs. Architectures are those that the packages list, one of a family (the name up to
its first digit or underscore), those of timm and torchvision with --parameters million weights or fewer. Which are
quantized is drawn, too, from what PICTURES and OTHERS have. What is drawn and cannot be exported leaves its place empty,
so draw some more than are wanted.
"""
import argparse
import pathlib
import random
import re
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
# How many are exported so; what is left is FLOAT.
PICTURES = ["qop", "qopi8", "qopu8", "qoperator", "qdq16", "qi16", "qnn16", "qdq8", "qnn8", "sym8", "half"]
OTHERS = ["qoperator", "qnn16", "qi16", "qdq8", "qdq8", "qnn8", "qi8", "dynamic", "nbits4", "fp16", "fp16", "half"]
KITS = ("vit_pytorch", "spandrel", "tsai")
EXPORTERS = {"ts": ("ts14", "ts16", "ts17", "ts17", "ts18", "ts20"), "dynamo": ("dynamo18", "dynamo20", "dynamo21")}


def named():
    """All names that a list has, whatever they are exported by."""
    found = set()
    for path in HERE.glob("campaign-*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                found |= {piece.split()[0] for piece in line.split("|") if len(piece.split()) == 2}
    return found


def weights_of(build):
    import torch

    try:
        with torch.device("meta"):
            return sum(p.numel() for p in build().parameters())
    except Exception:  # one that cannot be built without numbers
        return float("inf")


def of_timm():
    import timm

    return timm.list_models(), lambda name: weights_of(lambda: timm.create_model(name, pretrained=False))


def of_torchvision():
    import torchvision

    return (torchvision.models.list_models(module=torchvision.models),
            lambda name: weights_of(lambda: torchvision.models.get_model(name, weights=None)))


def of_pytorchcv():
    from pytorchcv import model_provider

    return (list(model_provider._models), lambda name: weights_of(lambda: model_provider.get_model(name, pretrained=False)))


def of_transformers(kind):
    """Names of configurations by what a model of them reads, told by the configuration's own attributes."""
    from transformers import CONFIG_MAPPING

    found = []
    for name in sorted(CONFIG_MAPPING):
        try:
            config = CONFIG_MAPPING[name]()
        except Exception:
            continue
        has = {key for key in ("vocab_size", "num_channels", "image_size", "patch_size") if getattr(config, key, None)}
        parts = getattr(type(config), "sub_configs", {})
        if parts:
            continue
        is_pair = bool(getattr(config, "is_encoder_decoder", False))
        what = ("seq2seq" if is_pair and "vocab_size" in has else "vision" if has - {"vocab_size"} and "vocab_size" not in
                has else "text" if "vocab_size" in has and not has & {"num_channels", "image_size"} else None)
        if what == kind:
            found.append(name)
    return found, lambda name: 0 if runs(kind, name) else float("inf")


def of_kit(kit):
    import campaign_kits

    return campaign_kits.classes(campaign_kits.LISTED[kit]), lambda name: 0 if runs(kit, name) else float("inf")


def runs(kind, name):
    """Whether campaign_export.py builds the model, and PyTorch runs it; many of transformers and the kits' classes read
    something else."""
    import campaign_export
    import torch

    try:
        with torch.no_grad():
            model, args = campaign_export.BUILD[kind](name)[:2]
            model.eval()(*args)
    except Exception:
        return False
    return sum(p.numel() for p in model.parameters()) < 40e6


def of_own():
    sys.path.insert(0, str(HERE))
    import campaign_more
    import campaign_own

    return sorted({**campaign_own.MODELS, **campaign_more.MODELS}), lambda name: 0


def draw(chance, family, count, known, most):
    names, weights = {"timm": of_timm, "torchvision": of_torchvision, "own": of_own, "pytorchcv": of_pytorchcv}.get(
        family, lambda: (of_kit if family in KITS else of_transformers)(family))()  # fmt: skip
    names, stems, taken = sorted(set(names) - known), set(), []
    print(f"{family}: {len(names)} names left", file=sys.stderr)
    chance.shuffle(names)
    for name in names:
        stem = name if family in ("text", "own", *KITS) else re.split(r"[\d_]", name.removeprefix("tf_"))[0]
        if len(taken) == count:
            break
        if stem not in stems and weights(name) <= most:
            stems.add(stem)
            taken.append((family, name))
    return taken


def ways(chance, drawn):
    """For each of what is drawn how it is exported and quantized."""
    seen = [entry for entry in drawn if entry[0] in ("timm", "torchvision", "pytorchcv", *KITS)]
    cases = {}
    for entries, wanted in (seen, PICTURES), ([entry for entry in drawn if entry not in seen], OTHERS):
        wanted = wanted * max(1, len(entries) // 30)
        drawn_cases = wanted + [""] * (len(entries) - len(wanted))
        if len(entries) < len(wanted):  # a share of them
            drawn_cases = chance.sample(wanted + [""] * (len(wanted) // 2), len(entries))
        chance.shuffle(drawn_cases)
        cases |= dict(zip(entries, drawn_cases))
    for family, name in drawn:
        case = cases[family, name]
        kind = "ts" if case or chance.random() < 0.6 else "dynamo"
        how = chance.choice(EXPORTERS[kind][2:5] if case else EXPORTERS[kind])
        shrunk = "r" if family in ("timm", "torchvision", "pytorchcv", *KITS) else ""
        yield family, name, how + shrunk + (f"+{case}" if case else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("out", type=pathlib.Path)
    for family, count in (("timm", 12), ("torchvision", 2), ("text", 14), ("vision", 4), ("seq2seq", 2), ("own", 0),
                          ("pytorchcv", 0), ("vit_pytorch", 0), ("spandrel", 0), ("tsai", 0)):
        parser.add_argument(f"--{family}", type=int, default=count)
    parser.add_argument("--parameters", type=float, default=25)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    chance, known, drawn = random.Random(args.seed), named(), []
    for family in ("timm", "torchvision", "text", "vision", "seq2seq", "own", "pytorchcv", *KITS):
        drawn += draw(chance, family, getattr(args, family), known, args.parameters * 1e6)
    lines, last = [], None
    for family, name, how in ways(chance, drawn):
        if family != last:
            lines += ["", f"{family}:"]
            last = family
        else:
            lines[-1] += " |"
        lines.append(f"{name} {how}")
    args.out.write_text(f"# Architectures drawn by campaign_draw.py with seed {args.seed}; none is in an earlier list.\n" +
                        "\n".join(lines) + "\n", encoding="utf-8")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
