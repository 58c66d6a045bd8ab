# SPDX-License-Identifier: Apache-2.0
"""Small architectures of their own for campaign_export.py: published ideas, written out with few layers."""
import torch
from torch import nn
from torch.nn import functional as F


def conv(inputs, outputs, kernel=3, stride=1, groups=1, act=nn.ReLU):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


def image(size=64, channels=3):
    return torch.randn(1, channels, size, size)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([conv(3, 16), conv(16, 32), conv(32, 64)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)])
        self.mix = nn.ModuleList([conv(64, 32), conv(32, 16)])
        self.last = nn.Conv2d(16, 4, 1)

    def forward(self, x):
        kept = []
        for i, layer in enumerate(self.down):
            x = layer(x if i == 0 else F.max_pool2d(x, 2))
            kept.append(x)
        for up, mix, skip in zip(self.up, self.mix, (kept[1], kept[0])):
            x = mix(torch.cat([up(x), skip], 1))
        return torch.sigmoid(self.last(x))


class TCN(nn.Module):
    """Dilated causal convolutions with weight normalisation folded by the exporter."""

    def __init__(self, gated=False):
        super().__init__()
        self.gated = gated
        self.layers = nn.ModuleList([nn.Conv1d(16, 32 if gated else 16, 2, dilation=2 ** i) for i in range(4)])
        self.first, self.last = nn.Conv1d(8, 16, 1), nn.Conv1d(16, 8, 1)

    def forward(self, x):
        x = self.first(x)
        for i, layer in enumerate(self.layers):
            y = layer(F.pad(x, (2 ** i, 0)))
            if self.gated:
                a, b = y.chunk(2, 1)
                y = torch.tanh(a) * torch.sigmoid(b)
            else:
                y = F.relu(y)
            x = x + y
        return self.last(F.elu(x))


class ConvTasNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, 64, 16, 8), nn.ConvTranspose1d(64, 1, 16, 8)
        self.blocks = nn.ModuleList([nn.Sequential(nn.Conv1d(64, 64, 1), nn.PReLU(), nn.GroupNorm(1, 64),
                                                   nn.Conv1d(64, 64, 3, padding=2 ** i, dilation=2 ** i, groups=64),
                                                   nn.PReLU(), nn.GroupNorm(1, 64), nn.Conv1d(64, 64, 1))
                                     for i in range(3)])
        self.mask = nn.Conv1d(64, 128, 1)

    def forward(self, x):
        spec = F.relu(self.encoder(x))
        y = spec
        for block in self.blocks:
            y = y + block(y)
        masks = torch.sigmoid(self.mask(y)).view(1, 2, 64, -1)
        return self.decoder((masks * spec.unsqueeze(1)).flatten(0, 1))


class BiLSTMTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(500, 32), nn.Linear(64, 9)
        self.lstm = nn.LSTM(32, 32, 2, batch_first=True, bidirectional=True)

    def forward(self, ids):
        return F.log_softmax(self.out(self.lstm(self.embed(ids))[0]), -1)


class DeepSpeech(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, (11, 5), (2, 2), (5, 2)), nn.Hardtanh(0, 20),
                                  nn.Conv2d(8, 8, (11, 5), (1, 2), (5, 2)), nn.Hardtanh(0, 20))
        self.gru = nn.GRU(160, 64, 2, bidirectional=True)
        self.out = nn.Linear(128, 29)

    def forward(self, x):
        y = self.conv(x)
        y = y.permute(3, 0, 1, 2).flatten(2)
        return F.softmax(self.out(self.gru(y)[0]), -1)


class GruAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.score, self.out = nn.GRU(16, 32, batch_first=True), nn.Linear(32, 1), nn.Linear(32, 5)

    def forward(self, x):
        y, last = self.gru(x)
        weights = torch.softmax(self.score(torch.tanh(y)).squeeze(-1), 1)
        return self.out(torch.einsum("bt,bth->bh", weights, y) + last[-1])


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU(), nn.Conv1d(64, 128, 1), nn.ReLU())
        self.align, self.head = nn.Linear(128, 9), nn.Linear(128, 10)

    def forward(self, x):
        turn = self.align(self.shared(x).amax(2)).view(-1, 3, 3)
        y = torch.bmm(turn, x)
        return self.head(self.shared(y).max(2)[0])


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.ConvTranspose2d(32, 64, 4, 1), nn.BatchNorm2d(64), nn.ReLU(),
                                 nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
                                 nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())

    def forward(self, z):
        return self.net(z)


class DeepFM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.first = nn.Embedding(1000, 8), nn.Embedding(1000, 1)
        self.mlp = nn.Sequential(nn.Linear(80, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, ids):
        e = self.embed(ids)
        fm = 0.5 * (e.sum(1) ** 2 - (e ** 2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.first(ids).sum(1) + fm + self.mlp(e.flatten(1)))


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 32), nn.Linear(32, 7)

    def forward(self, x, adj):
        degree = adj.sum(-1, keepdim=True).clamp(min=1).rsqrt()
        norm = adj * degree * degree.transpose(1, 2)
        return F.log_softmax(norm @ self.b(F.leaky_relu(norm @ self.a(x), 0.2)), -1)


class EDSR(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.body = nn.Conv2d(3, 32, 3, 1, 1), nn.ModuleList([nn.Sequential(nn.Conv2d(32, 32, 3, 1, 1),
                                                                         nn.ReLU(), nn.Conv2d(32, 32, 3, 1, 1))
                                                                         for _ in range(3)])
        self.up = nn.Sequential(nn.Conv2d(32, 48, 3, 1, 1), nn.PixelShuffle(4))

    def forward(self, x):
        y = self.first(x)
        for block in self.body:
            y = y + 0.1 * block(y)
        return self.up(y) + F.interpolate(x, scale_factor=4, mode="bilinear", align_corners=False)


class FocusDetector(nn.Module):
    """Space-to-depth by slices, SiLU, spatial pyramid pooling, boxes decoded on a constant grid."""

    def __init__(self):
        super().__init__()
        self.stem = conv(12, 32, act=nn.SiLU)
        self.down = nn.Sequential(conv(32, 64, 3, 2, act=nn.SiLU), conv(64, 64, 3, 2, act=nn.SiLU))
        self.mix, self.head = conv(256, 64, 1, act=nn.SiLU), nn.Conv2d(64, 3 * 8, 1)
        grid = torch.stack(torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij"), -1)[None, None].float()
        self.register_buffer("grid", grid)

    def forward(self, x):
        x = torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1)
        x = self.down(self.stem(x))
        x = self.mix(torch.cat([x] + [F.max_pool2d(x, k, 1, k // 2) for k in (5, 9, 13)], 1))
        y = self.head(x).view(1, 3, 8, 8, 8).permute(0, 1, 3, 4, 2).sigmoid()
        xy, wh, rest = (y[..., :2] * 2 - 0.5 + self.grid) * 8, (y[..., 2:4] * 2) ** 2 * 16, y[..., 4:]
        return torch.cat([xy, wh, rest], -1).view(1, -1, 8)


class CenterNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.heat, self.size = nn.Sequential(conv(3, 32, 3, 2), conv(32, 32, 3, 2)), nn.Conv2d(32, 4, 1), nn.Conv2d(32, 2, 1)

    def forward(self, x):
        y = self.body(x)
        heat = torch.sigmoid(self.heat(y))
        keep = (F.max_pool2d(heat, 3, 1, 1) == heat).float()
        scores, places = torch.topk((heat * keep).flatten(1), 20)
        size = self.size(y).flatten(2).gather(2, (places % 256).unsqueeze(1).expand(-1, 2, -1))
        return scores, places // 256, size


class ConvLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.Conv2d(3 + 8, 32, 3, 1, 1)

    def forward(self, frames):
        h = c = torch.zeros(1, 8, 32, 32)
        for t in range(4):
            i, f, o, g = self.gates(torch.cat([frames[:, t], h], 1)).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return h


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.user, self.item = nn.EmbeddingBag(1000, 32, mode="mean"), nn.Linear(20, 32)

    def forward(self, ids, features):
        return F.cosine_similarity(self.user(ids), F.gelu(self.item(features), approximate="tanh"), dim=-1)


class GridWarp(nn.Module):
    def __init__(self):
        super().__init__()
        self.flow, self.body = conv(6, 2, act=None), conv(3, 8)

    def forward(self, a, b):
        flow = self.flow(torch.cat([a, b], 1)).permute(0, 2, 3, 1)
        theta = torch.eye(2, 3)[None]
        base = F.affine_grid(theta, [1, 3, 64, 64], align_corners=False)
        return self.body(F.grid_sample(b, base + flow, mode="bilinear", padding_mode="border", align_corners=False))


class FcosHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower = nn.Sequential(*[layer for _ in range(2) for layer in (nn.Conv2d(16, 16, 3, 1, 1), nn.GroupNorm(4, 16), nn.ReLU())])
        self.cls, self.box, self.scale = nn.Conv2d(16, 5, 3, 1, 1), nn.Conv2d(16, 4, 3, 1, 1), nn.Parameter(torch.ones(3))
        self.stem = nn.ModuleList([conv(3, 16, 3, 2), conv(16, 16, 3, 2), conv(16, 16, 3, 2)])

    def forward(self, x):
        out = []
        for i, stem in enumerate(self.stem):
            x = stem(x)
            y = self.tower(x)
            out.append(torch.cat([self.cls(y).sigmoid(), F.softplus(self.box(y) * self.scale[i])], 1).flatten(2))
        return torch.cat(out, 2).transpose(1, 2)


class RmsSwiglu(nn.Module):
    """A decoder block with weights on the left of the norm's product, as many model cards write it."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(64))
        self.gate, self.up, self.down = nn.Linear(64, 128, False), nn.Linear(64, 128, False), nn.Linear(128, 64, False)

    def forward(self, x):
        h = self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class First(nn.Module):
    """The first tensor that a model of a package gives."""

    def __init__(self, model, names, **fixed):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *args):
        out = self.model(**dict(zip(self.names, args)), **self.fixed)
        out = list(out.values()) if isinstance(out, dict) else out
        return out[0] if isinstance(out, (tuple, list)) else out.sample if hasattr(out, "sample") else out


def diffusers_model(kind, names, args, fixed=None, **config):
    import diffusers

    return First(getattr(diffusers, kind)(**config), names, return_dict=False, **(fixed or {})), args


def time_step():
    return torch.tensor([7])


def vision_model(path, args, **config):
    import torchvision

    owner = torchvision.models
    for word in path.split("."):
        owner = getattr(owner, word)
    return First(owner(weights=None, **config), ["x"] if len(args) == 1 else ["image1", "image2"]), args


def vae():
    return diffusers_model("AutoencoderKL", ["sample"], (image(64),), block_out_channels=(32, 64), norm_num_groups=8,
                           down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)


def dit():
    args = (torch.randn(1, 4, 16, 16), time_step(), torch.tensor([3]))
    return diffusers_model("DiTTransformer2DModel", ["hidden_states", "timestep", "class_labels"], args, num_layers=2,
                           num_attention_heads=4, attention_head_dim=16, sample_size=16)


def unet_of_diffusers():
    return diffusers_model("UNet2DModel", ["sample", "timestep"], (image(32), time_step()), block_out_channels=(32, 64),
                           down_block_types=("DownBlock2D", "AttnDownBlock2D"), norm_num_groups=8, sample_size=32,
                           up_block_types=("AttnUpBlock2D", "UpBlock2D"), layers_per_block=1)


def unet1d():
    return diffusers_model("UNet1DModel", ["sample", "timestep"], (torch.randn(1, 2, 512), time_step()), sample_size=512,
                           block_out_channels=(32, 32, 64), extra_in_channels=64)


def sd3():
    args = (torch.randn(1, 4, 16, 16), torch.randn(1, 8, 64), torch.randn(1, 32), time_step())
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep"]
    return diffusers_model("SD3Transformer2DModel", names, args, sample_size=16, num_layers=2, attention_head_dim=16,
                           num_attention_heads=4, in_channels=4, out_channels=4, joint_attention_dim=64,
                           caption_projection_dim=64, pooled_projection_dim=32)


def pixart():
    args = (torch.randn(1, 4, 16, 16), torch.randn(1, 8, 64), time_step())
    return diffusers_model("PixArtTransformer2DModel", ["hidden_states", "encoder_hidden_states", "timestep"], args,
                           fixed={"added_cond_kwargs": {"resolution": None, "aspect_ratio": None}}, num_layers=2,
                           num_attention_heads=4, attention_head_dim=16, sample_size=16, cross_attention_dim=64,
                           caption_channels=64, use_additional_conditions=False)


def flux():
    args = (torch.randn(1, 64, 16), torch.randn(1, 8, 32), torch.randn(1, 32), time_step().float(),
            torch.zeros(64, 3), torch.zeros(8, 3))
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep", "img_ids", "txt_ids"]
    return diffusers_model("FluxTransformer2DModel", names, args, in_channels=16, num_layers=1, num_single_layers=1,
                           attention_head_dim=32, num_attention_heads=2, joint_attention_dim=32, axes_dims_rope=(8, 12, 12),
                           pooled_projection_dim=32)


MODELS = {
    "unet": lambda: (UNet(), (image(),)),
    "tcn": lambda: (TCN(), (torch.randn(1, 8, 64),)),
    "wavenet": lambda: (TCN(gated=True), (torch.randn(1, 8, 64),)),
    "conv_tasnet": lambda: (ConvTasNet(), (torch.randn(1, 1, 4000),)),
    "bilstm_tagger": lambda: (BiLSTMTagger(), (torch.randint(0, 500, (1, 20)),)),
    "deepspeech": lambda: (DeepSpeech(), (torch.randn(1, 1, 40, 100),)),
    "gru_attention": lambda: (GruAttention(), (torch.randn(1, 24, 16),)),
    "pointnet": lambda: (PointNet(), (torch.randn(1, 3, 256),)),
    "dcgan": lambda: (Generator(), (torch.randn(1, 32, 1, 1),)),
    "deepfm": lambda: (DeepFM(), (torch.randint(0, 1000, (1, 10)),)),
    "gcn_dense": lambda: (GCN(), (torch.randn(1, 40, 16), torch.rand(1, 40, 40))),
    "edsr": lambda: (EDSR(), (image(32),)),
    "focus_detector": lambda: (FocusDetector(), (image(),)),
    "centernet": lambda: (CenterNet(), (image(),)),
    "convlstm": lambda: (ConvLSTM(), (torch.randn(1, 4, 3, 32, 32),)),
    "two_tower": lambda: (TwoTower(), (torch.randint(0, 1000, (1, 12)), torch.randn(1, 20))),
    "vae_kl": vae, "dit": dit, "unet2d": unet_of_diffusers, "sd3_block": sd3, "pixart": pixart, "flux": flux,
    "unet1d": unet1d,
    "deeplab": lambda: vision_model("segmentation.deeplabv3_mobilenet_v3_large", (image(128),), weights_backbone=None),
    "raft_small": lambda: (First(vision_model("optical_flow.raft_small", (image(128),) * 2)[0].model,
                                 ["image1", "image2"], num_flow_updates=2), (image(128), image(128))),
    "fcos_head": lambda: (FcosHead(), (image(),)),
    "grid_warp": lambda: (GridWarp(), (image(), image())),
    "mvit_video": lambda: vision_model("video.mvit_v2_s", (torch.randn(1, 3, 16, 224, 224),)),
    "s3d": lambda: vision_model("video.s3d", (torch.randn(1, 3, 16, 224, 224),)),
    "rms_swiglu": lambda: (RmsSwiglu(), (torch.randn(1, 16, 64),)),
}
