# SPDX-License-Identifier: Apache-2.0
"""Networks of ultralytics, segmentation_models_pytorch, torchaudio, pytorchcv, monai, vit-pytorch, spandrel and tsai for
campaign_export.py, each with an example of its inputs. Weights are random; the smallest of each kind. Needs these
packages from PyPI, and libGL for the first."""


def detector(name):
    """As `yolo export format=onnx` makes it: detectors of ultralytics with their decoding, by the name of a configuration
    (yolo11n-seg)."""
    import torch
    from ultralytics import RTDETR, YOLO

    model = (RTDETR if name.startswith("rtdetr") else YOLO)(f"{name}.yaml").model.eval()
    for module in model.modules():
        if hasattr(module, "export"):
            module.export, module.format, module.dynamic = True, "onnx", False
    size = 224 if name.endswith("-cls") else 320
    image = torch.rand(1, 3, size, size)
    model(image)  # anchors are made at the first run
    return model, (image,)


def segmenter(name):
    """ARCHITECTURE-ENCODER of segmentation_models_pytorch."""
    import segmentation_models_pytorch
    import torch

    architecture, encoder = name.split("-", 1)
    model = getattr(segmentation_models_pytorch, architecture)(encoder_name=encoder, encoder_weights=None, classes=3)
    return model.eval(), (torch.rand(1, 3, 256, 256),)


def listener(name):
    """Of torchaudio.models, small."""
    import torch
    from torchaudio import models

    made = {
        "Conformer": lambda: (models.Conformer(80, 4, 128, 2, 31), (torch.rand(1, 64, 80), torch.tensor([64]))),
        "ConvTasNet": lambda: (models.ConvTasNet(num_sources=2, enc_num_feats=64, msk_num_feats=32, msk_num_hidden_feats=64,
                                                 msk_num_layers=3, msk_num_stacks=2), (torch.rand(1, 1, 8000),)),
        "DeepSpeech": lambda: (models.DeepSpeech(80, 128), (torch.rand(1, 1, 50, 80),)),
        "Wav2Letter": lambda: (models.Wav2Letter(40, "mfcc", 13), (torch.rand(1, 13, 100),)),
        "HDemucs": lambda: (models.HDemucs(["a", "b"], nfft=1024, depth=4, channels=16), (torch.rand(1, 2, 16384),)),
        "Wav2Vec2": lambda: (models.wav2vec2_model(
            extractor_mode="group_norm", extractor_conv_layer_config=[(64, 10, 5), (64, 3, 2), (64, 2, 2)],
            extractor_conv_bias=False, encoder_embed_dim=128, encoder_projection_dropout=0.0, encoder_pos_conv_kernel=16,
            encoder_pos_conv_groups=4, encoder_num_layers=2, encoder_num_heads=4, encoder_attention_dropout=0.0,
            encoder_ff_interm_features=256, encoder_ff_interm_dropout=0.0, encoder_dropout=0.0,
            encoder_layer_norm_first=False, encoder_layer_drop=0.0, aux_num_out=32), (torch.rand(1, 4000),)),
        "SquimObjective": lambda: (models.squim_objective_base(), (torch.rand(1, 8000),)),
    }
    model, args = made[name]()
    return model.eval(), args


def published(name):
    """Of pytorchcv, at the size of images that its paper has."""
    import torch
    from pytorchcv.model_provider import get_model

    model = get_model(name, pretrained=False)
    height, width = getattr(model, "in_size", (224, 224))
    return model.eval(), (torch.rand(1, 3, min(height, 480), min(width, 480)),)


def scanner(name):
    """Of monai.networks.nets: NAME-DIMENSIONS, for pictures (2) or volumes (3), small."""
    import torch
    from monai.networks import nets

    name, dimensions = name.split("-")
    dimensions = int(dimensions)
    size = 64 if dimensions == 2 else 32
    common = {"spatial_dims": dimensions, "in_channels": 1, "out_channels": 2}
    made = {
        "UNet": lambda: nets.UNet(**common, channels=(8, 16, 32), strides=(2, 2), num_res_units=2),
        "AttentionUnet": lambda: nets.AttentionUnet(**common, channels=(8, 16, 32), strides=(2, 2)),
        "BasicUNetPlusPlus": lambda: nets.BasicUNetPlusPlus(**common, features=(8, 8, 16, 32, 32, 8)),
        "BasicUNet": lambda: nets.BasicUNet(**common, features=(8, 8, 16, 32, 32, 8)),
        "SegResNet": lambda: nets.SegResNet(**common, init_filters=8),
        "SegResNetVAE": lambda: nets.SegResNetDS(**common, init_filters=8),
        "VNet": lambda: nets.VNet(**common),
        "DynUNet": lambda: nets.DynUNet(**common, kernel_size=[3, 3, 3], strides=[1, 2, 2], upsample_kernel_size=[2, 2],
                                        filters=[8, 16, 32]),
        "UNETR": lambda: nets.UNETR(in_channels=1, out_channels=2, img_size=(size,) * dimensions, feature_size=8,
                                    hidden_size=48, mlp_dim=96, num_heads=4, spatial_dims=dimensions),
        "SwinUNETR": lambda: nets.SwinUNETR(in_channels=1, out_channels=2, feature_size=12, spatial_dims=dimensions),
        "FlexibleUNet": lambda: nets.FlexibleUNet(in_channels=1, out_channels=2, backbone="efficientnet-b0",
                                                  spatial_dims=dimensions),
        "DenseNet": lambda: nets.DenseNet(**common, init_features=16, growth_rate=8, block_config=(2, 2, 2)),
        "SEResNet50": lambda: nets.SEResNet50(spatial_dims=dimensions, in_channels=1, num_classes=2),
        "ViT": lambda: nets.ViT(in_channels=1, img_size=(size,) * dimensions, patch_size=(16,) * dimensions,
                                hidden_size=48, mlp_dim=96, num_layers=2, num_heads=4, spatial_dims=dimensions),
        "HighResNet": lambda: nets.HighResNet(**common),
        "AHNet": lambda: nets.AHNet(spatial_dims=dimensions, in_channels=1, out_channels=2, psp_block_num=0),
    }
    return made[name]().eval(), (torch.rand(1, 1, *(size,) * dimensions),)


# What networks of vit-pytorch and tsai are made with, of which each takes what it has a parameter for.
PARAMETERS = {"image_size": 64, "patch_size": 8, "image_patch_size": 8, "frames": 4, "frame_patch_size": 2, "seq_len": 64,
              "num_classes": 10, "dim": 64, "depth": 2, "spatial_depth": 2, "temporal_depth": 2, "heads": 4, "mlp_dim": 128,
              "dim_head": 16, "dropout": 0.0, "emb_dropout": 0.0, "c_in": 3, "c_out": 5, "pred_dim": 8}


def fitting(kind):
    """A network of a class with those of PARAMETERS that it takes."""
    import inspect

    return kind(**{key: value for key, value in PARAMETERS.items() if key in inspect.signature(kind).parameters})


def transformer(name):
    """MODULE-CLASS of vit_pytorch."""
    import importlib

    import torch

    module, kind = name.split("-")
    model = fitting(getattr(importlib.import_module(f"vit_pytorch.{module}"), kind)).eval()
    takes = ((1, 3, 64, 64), (1, 3, 4, 64, 64), (1, 4, 3, 64, 64))  # no tokens: a part of a network
    return model, (first_taken(model, [torch.rand(shape) for shape in takes]),)


def restorer(name):
    """ARCHITECTURE-CLASS of spandrel with its own defaults: networks that repair or enlarge pictures."""
    import importlib

    import torch

    architecture, kind = name.split("-")
    model = getattr(importlib.import_module(f"spandrel.architectures.{architecture}"), kind)().eval()
    takes = ((1, 3, 64, 64), (1, 1, 64, 64), (1, 4, 64, 64), (1, 3, 512, 512))
    return model, (first_taken(model, [torch.rand(shape) for shape in takes]),)


def series(name):
    """MODULE-CLASS of tsai.models."""
    import importlib
    import inspect

    import torch

    module, kind = name.split("-")
    kind = getattr(importlib.import_module(f"tsai.models.{module}"), kind)
    if not {"c_in", "c_out"} <= inspect.signature(kind).parameters.keys():
        raise ValueError("a part of a network")
    model = fitting(kind).eval()
    return model, (torch.rand(1, 3, 64),)


def first_taken(model, inputs):
    """The first of the inputs that the model runs with."""
    import torch

    for one in inputs:
        try:
            with torch.no_grad():
                model(one)
            return one
        except Exception:  # of another rank, or number of channels
            pass
    raise ValueError("no input that it runs with")


def classes(modules):
    """MODULE-CLASS for each network that the modules of a package define."""
    import importlib
    import inspect
    import pkgutil

    import torch

    found = []
    for module in pkgutil.iter_modules(importlib.import_module(modules).__path__):
        try:
            here = importlib.import_module(f"{modules}.{module.name}")
        except Exception:  # needs what is not installed
            continue
        found += [f"{module.name}-{name}" for name, kind in vars(here).items() if inspect.isclass(kind) and name[0] != "_"
                  and issubclass(kind, torch.nn.Module) and kind.__module__.startswith(f"{modules}.{module.name}")]
    return found


KITS = {"ultralytics": detector, "segmentation": segmenter, "torchaudio": listener, "pytorchcv": published, "monai": scanner,
        "vit_pytorch": transformer, "spandrel": restorer, "tsai": series}
# Where the networks of a kit are listed, for campaign_draw.py.
LISTED = {"vit_pytorch": "vit_pytorch", "spandrel": "spandrel.architectures", "tsai": "tsai.models"}
