#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small architectures for campaign_export.py that see pictures, from the eighth campaign on."""

import math

import torch
from campaign_own import conv
from torch import nn
from torch.nn import functional as F


class DnCNN(nn.Module):
    def __init__(self, n=5):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 32, 3, 1, 1),
            nn.ReLU(),
            *[l for _ in range(n) for l in (nn.Conv2d(32, 32, 3, 1, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU())],
            nn.Conv2d(32, 1, 3, 1, 1),
        )

    def forward(self, x):
        return (x - self.net(x)).clamp(0, 1)


class FSRCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 56, 5, 1, 2),
            nn.PReLU(56),
            nn.Conv2d(56, 12, 1),
            nn.PReLU(12),
            nn.Conv2d(12, 12, 3, 1, 1),
            nn.PReLU(12),
            nn.Conv2d(12, 56, 1),
            nn.PReLU(56),
            nn.ConvTranspose2d(56, 1, 9, 2, 4, 1),
        )

    def forward(self, x):
        return self.net(x)


class ENet(nn.Module):
    """Bottlenecks with max-unpooling replaced by interpolation, dilated and asymmetric convolutions."""

    def __init__(self):
        super().__init__()
        self.c, self.pool = nn.Conv2d(3, 13, 3, 2, 1), nn.MaxPool2d(2, 2)

        def mk(*mid):
            return nn.Sequential(
                nn.Conv2d(16, 8, 1),
                nn.BatchNorm2d(8),
                nn.PReLU(),
                *mid,
                nn.BatchNorm2d(8),
                nn.PReLU(),
                nn.Conv2d(8, 16, 1),
                nn.BatchNorm2d(16),
            )

        self.b = nn.ModuleList(
            [
                mk(nn.Conv2d(8, 8, 3, 1, 1)),
                mk(nn.Conv2d(8, 8, 3, 1, 2, 2)),
                mk(nn.Conv2d(8, 8, (5, 1), 1, (2, 0)), nn.Conv2d(8, 8, (1, 5), 1, (0, 2))),
                mk(nn.Conv2d(8, 8, 3, 1, 8, 8)),
            ]
        )
        self.act, self.last = nn.PReLU(), nn.ConvTranspose2d(16, 5, 2, 2)

    def forward(self, x):
        y = torch.cat([self.c(x), self.pool(x)], 1)
        for b in self.b:
            y = self.act(y + b(y))
        return self.last(y).argmax(1)


class BiSeNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        self.detail = nn.Sequential(conv(3, 16, 3, 2), conv(16, 16), conv(16, 32, 3, 2), conv(32, 32))
        self.sem = nn.Sequential(conv(3, 8, 3, 2), conv(8, 16, 3, 2), conv(16, 32, 3, 2), conv(32, 32, 3, 2))
        self.ctx, self.d1, self.d2, self.s1, self.s2 = (
            nn.Conv2d(32, 32, 1),
            nn.Conv2d(32, 32, 3, 1, 1, groups=32),
            nn.Conv2d(32, 32, 3, 2, 1),
            nn.Conv2d(32, 32, 3, 1, 1),
            nn.Conv2d(32, 32, 1),
        )
        self.out = nn.Conv2d(32, 4, 1)

    def forward(self, x):
        d, s = self.detail(x), self.sem(x)
        s = s + self.ctx(F.adaptive_avg_pool2d(s, 1))
        left = self.d1(d) * torch.sigmoid(F.interpolate(self.s1(s), scale_factor=4, mode="nearest"))
        right = F.avg_pool2d(self.d2(d), 3, 2, 1) * torch.sigmoid(self.s2(s))
        return F.interpolate(
            self.out(left + F.interpolate(right, scale_factor=4, mode="bilinear", align_corners=False)),
            scale_factor=4,
            mode="bilinear",
            align_corners=True,
        )


class PSP(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2))
        self.stages = nn.ModuleList(
            [nn.Sequential(nn.AdaptiveAvgPool2d(k), nn.Conv2d(32, 8, 1), nn.ReLU()) for k in (1, 2, 4, 8)]
        )
        self.out = nn.Conv2d(64, 6, 3, 1, 1)

    def forward(self, x):
        y = self.body(x)
        return F.log_softmax(
            self.out(
                torch.cat(
                    [y]
                    + [
                        F.interpolate(s(y), size=y.shape[2:], mode="bilinear", align_corners=False) for s in self.stages
                    ],
                    1,
                )
            ),
            1,
        )


class BlazeFace(nn.Module):
    def __init__(self):
        super().__init__()

        def blk(i, o, s):
            return nn.Sequential(
                nn.Conv2d(i, i, 5, s, 2, groups=i), nn.BatchNorm2d(i), nn.Conv2d(i, o, 1), nn.BatchNorm2d(o)
            )

        self.stem, self.blocks = (
            nn.Conv2d(3, 24, 5, 2, 2),
            nn.ModuleList([blk(24, 24, 1), blk(24, 48, 2), blk(48, 48, 1), blk(48, 96, 2)]),
        )
        self.cls, self.reg = nn.Conv2d(96, 6, 1), nn.Conv2d(96, 96, 1)

    def forward(self, x):
        y = F.relu(self.stem(x))
        for b in self.blocks:
            z = b(y)
            s = F.max_pool2d(y, 2) if z.shape[2] < y.shape[2] else y
            y = F.relu(z + F.pad(s, (0, 0, 0, 0, 0, z.shape[1] - s.shape[1])))
        return torch.sigmoid(self.cls(y).permute(0, 2, 3, 1).reshape(1, -1, 1)).clamp(1e-4, 1), self.reg(y).permute(
            0, 2, 3, 1
        ).reshape(1, -1, 16)


class Hourglass(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.stem = conv(3, 16, 3, 2)
        self.up, self.low, self.down = (nn.ModuleList([conv(16, 16) for _ in range(depth + 1)]) for _ in range(3))
        self.depth, self.out = depth, nn.Conv2d(16, 8, 1)

    def level(self, n, x):
        up, low = self.up[n](x), self.low[n](F.max_pool2d(x, 2))
        low = self.down[n](self.level(n - 1, low) if n else low)
        return up + F.interpolate(low, scale_factor=2, mode="nearest")

    def forward(self, x):
        heat = self.out(self.level(self.depth, self.stem(x)))
        p = F.softmax(heat.flatten(2) * 4, -1).view_as(heat)
        gx = torch.linspace(0, 1, heat.shape[3])
        return heat, (p.sum(2) * gx).sum(-1), (p.sum(3) * gx).sum(-1)


class StyleBlock(nn.Module):
    """StyleGAN2: weights modulated by a style and demodulated, as one convolution with groups."""

    def __init__(self):
        super().__init__()
        self.const, self.map = (
            nn.Parameter(torch.randn(1, 32, 8, 8)),
            nn.Sequential(nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2)),
        )
        self.affine, self.w, self.rgb = nn.Linear(32, 32), nn.Parameter(torch.randn(16, 32, 3, 3)), nn.Conv2d(16, 3, 1)

    def forward(self, z):
        w = self.map(z * torch.rsqrt(z.pow(2).mean(1, keepdim=True) + 1e-8))
        k = self.w[None] * (self.affine(w) + 1)[:, None, :, None, None]
        k = k * torch.rsqrt(k.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)
        y = F.conv2d(F.interpolate(self.const, scale_factor=2, mode="bilinear", align_corners=False), k[0], padding=1)
        return torch.tanh(self.rgb(F.leaky_relu(y, 0.2) * math.sqrt(2)))


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = (
            nn.Sequential(conv(3, 16, 3, 2), nn.Conv2d(16, 8, 3, 2, 1)),
            nn.Sequential(nn.ConvTranspose2d(8, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1)),
        )
        self.book = nn.Embedding(64, 8)

    def forward(self, x):
        z = self.enc(x).permute(0, 2, 3, 1)
        flat = z.reshape(-1, 8)
        dist = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.book.weight.t() + self.book.weight.pow(2).sum(1)
        q = self.book(dist.argmin(1)).view_as(z)
        return self.dec(q.permute(0, 3, 1, 2).contiguous())


class Coupling(nn.Module):
    """RealNVP: a checkerboard mask and affine couplings."""

    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList(
            [nn.Sequential(nn.Conv2d(4, 16, 3, 1, 1), nn.ReLU(), nn.Conv2d(16, 8, 3, 1, 1)) for _ in range(2)]
        )
        self.register_buffer("mask", (torch.arange(16)[:, None] + torch.arange(16)).remainder(2).float()[None, None])

    def forward(self, x):
        x = F.pixel_unshuffle(x, 2)
        logdet = 0
        for i, net in enumerate(self.nets):
            m = self.mask if i % 2 else 1 - self.mask
            s, t = net(x * m).chunk(2, 1)
            s = torch.tanh(s) * (1 - m)
            x = x * m + (1 - m) * (x * s.exp() + t)
            logdet = logdet + s.sum([1, 2, 3])
        return x, logdet


class Capsules(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.p, self.w = (
            nn.Conv2d(1, 16, 9, 2),
            nn.Conv2d(16, 32, 9, 2),
            nn.Parameter(torch.randn(1, 4, 5, 8, 8) * 0.1),
        )

    @staticmethod
    def squash(s):
        n = (s * s).sum(-1, keepdim=True)
        return n / (1 + n) * s / (n + 1e-8).sqrt()

    def forward(self, x):
        u = self.squash(self.p(F.relu(self.c(x))).view(1, 4, 8, -1).permute(0, 1, 3, 2).reshape(1, -1, 8))
        hat = (self.w @ u[:, :, None, :, None]).squeeze(-1)
        b = torch.zeros(1, hat.shape[1], 5)
        for _ in range(2):
            v = self.squash((b.softmax(2)[..., None] * hat).sum(1))
            b = b + (hat * v[:, None]).sum(-1)
        return v.norm(dim=-1)


class SlowFast(nn.Module):
    def __init__(self):
        super().__init__()
        self.slow, self.fast = (
            nn.Conv3d(3, 16, (1, 7, 7), (1, 2, 2), (0, 3, 3)),
            nn.Conv3d(3, 4, (5, 7, 7), (1, 2, 2), (2, 3, 3)),
        )
        self.lat, self.mix, self.out = (
            nn.Conv3d(4, 8, (5, 1, 1), (4, 1, 1), (2, 0, 0)),
            nn.Conv3d(24, 32, 3, (1, 2, 2), 1),
            nn.Linear(36, 7),
        )

    def forward(self, x):
        s, f = F.relu(self.slow(x[:, :, ::4])), F.relu(self.fast(x))
        s = self.mix(torch.cat([s, self.lat(f)], 1))
        return self.out(torch.cat([s.mean([2, 3, 4]), F.adaptive_avg_pool3d(f, 1).flatten(1)], 1))


class TSM(nn.Module):
    """Temporal shift: a share of the channels moves by a frame."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.out = conv(3, 16, 3, 2), conv(16, 16), nn.Linear(16, 5)

    def forward(self, x):
        t = x.shape[1]
        y = self.a(x.flatten(0, 1))
        z = y.view(1, t, *y.shape[1:])
        z = torch.cat(
            [
                F.pad(z[:, 1:, :4], (0, 0, 0, 0, 0, 0, 0, 1)),
                F.pad(z[:, :-1, 4:8], (0, 0, 0, 0, 0, 0, 1, 0)),
                z[:, :, 8:],
            ],
            2,
        )
        y = y + self.b(z.flatten(0, 1))
        return self.out(y.mean([2, 3])).view(1, t, -1).mean(1)


class ConvGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.zr, self.h = nn.Conv2d(11, 16, 3, 1, 1), nn.Conv2d(11, 8, 3, 1, 1)

    def forward(self, x):
        h = torch.zeros(1, 8, 24, 24)
        for t in range(3):
            z, r = torch.sigmoid(self.zr(torch.cat([x[:, t], h], 1))).split(8, 1)
            h = (1 - z) * h + z * torch.tanh(self.h(torch.cat([x[:, t], r * h], 1)))
        return h


class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Conv2d(4, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.Flatten())
        self.a, self.v = nn.Linear(32 * 9 * 9, 6), nn.Linear(32 * 9 * 9, 1)

    def forward(self, x):
        y = self.c(x / 255)
        a = self.a(y)
        return self.v(y) + a - a.mean(1, keepdim=True)


class AlphaZero(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.r1, self.r2 = conv(17, 32), conv(32, 32), conv(32, 32, act=None)
        self.p, self.pl, self.v, self.vl = (
            conv(32, 2, 1),
            nn.Linear(162, 82),
            conv(32, 1, 1),
            nn.Sequential(nn.Linear(81, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh()),
        )

    def forward(self, x):
        y = self.stem(x)
        y = F.relu(y + self.r2(self.r1(y)))
        return self.pl(self.p(y).flatten(1)).softmax(1), self.vl(self.v(y).flatten(1))


class Involution(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.r, self.s, self.out = (
            conv(3, 16, 3, 2),
            conv(16, 4, 1),
            nn.Conv2d(4, 9 * 2, 1),
            nn.Conv2d(16, 5, 1),
        )

    def forward(self, x):
        y = self.stem(x)
        b, c, h, w = y.shape
        k = self.s(self.r(y)).view(b, 2, 9, h, w).unsqueeze(2)
        p = F.unfold(y, 3, padding=1).view(b, 2, c // 2, 9, h, w)
        return self.out((k * p).sum(3).view(b, c, h, w))


class CBAM(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.fc, self.sp, self.b, self.out = (
            conv(3, 32, 3, 2),
            nn.Sequential(nn.Conv2d(32, 4, 1, bias=False), nn.ReLU(), nn.Conv2d(4, 32, 1, bias=False)),
            nn.Conv2d(2, 1, 7, padding=3, bias=False),
            conv(32, 32, 3, 2),
            nn.Linear(32, 4),
        )

    def forward(self, x):
        y = self.a(x)
        y = y * torch.sigmoid(self.fc(F.adaptive_avg_pool2d(y, 1)) + self.fc(F.adaptive_max_pool2d(y, 1)))
        y = y * torch.sigmoid(self.sp(torch.cat([y.mean(1, keepdim=True), y.max(1, keepdim=True)[0]], 1)))
        return self.out(self.b(y).mean((2, 3)))


class UNetPP(nn.Module):
    def __init__(self):
        super().__init__()
        self.x00, self.x10, self.x20 = conv(3, 8), conv(8, 16), conv(16, 32)
        self.x01, self.x11, self.x02, self.out = conv(24, 8), conv(48, 16), conv(32, 8), nn.Conv2d(8, 1, 1)

    def forward(self, x):
        def up(y):
            return F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=True)

        a = self.x00(x)
        b = self.x10(F.max_pool2d(a, 2))
        c = self.x20(F.max_pool2d(b, 2))
        a1, b1 = self.x01(torch.cat([a, up(b)], 1)), self.x11(torch.cat([b, up(c)], 1))
        return torch.sigmoid(self.out(self.x02(torch.cat([a, a1, up(b1)], 1))))


class EAST(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.m, self.s, self.g, self.q = (
            conv(3, 16, 3, 2),
            conv(16, 32, 3, 2),
            conv(32, 64, 3, 2),
            conv(96, 32, 1),
            nn.Conv2d(32, 1, 1),
            nn.Conv2d(32, 4, 1),
            nn.Conv2d(32, 1, 1),
        )

    def forward(self, x):
        a = self.a(x)
        b = self.b(a)
        c = self.c(b)
        y = self.m(torch.cat([F.interpolate(c, scale_factor=2, mode="bilinear", align_corners=True), b], 1))
        return torch.sigmoid(self.s(y)), torch.cat(
            [torch.sigmoid(self.g(y)) * 512, (torch.sigmoid(self.q(y)) - 0.5) * math.pi], 1
        )


class NetVLAD(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.soft, self.centroids = (
            nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2)),
            nn.Conv2d(32, 8, 1),
            nn.Parameter(torch.rand(8, 32)),
        )

    def forward(self, x):
        y = F.normalize(self.body(x), dim=1)
        a = F.softmax(self.soft(y).flatten(2), 1)
        f = y.flatten(2)
        v = (a @ f.transpose(1, 2)) - a.sum(-1, keepdim=True) * self.centroids
        return F.normalize(F.normalize(v, dim=2).flatten(1), dim=1)


class CostVolume(nn.Module):
    """PSMNet: features, a volume of disparities, 3d convolutions, a soft argmin."""

    def __init__(self):
        super().__init__()
        self.f, self.c1, self.c2 = (
            nn.Sequential(conv(3, 8, 3, 2), conv(8, 8)),
            nn.Conv3d(16, 8, 3, 1, 1),
            nn.Conv3d(8, 1, 3, 1, 1),
        )

    def forward(self, a, b):
        a, b = self.f(a), self.f(b)
        vol = torch.stack([torch.cat([a, F.pad(b, (d, 0))[..., : a.shape[3]]], 1) for d in range(4)], 2)
        p = F.softmax(-self.c2(F.relu(self.c1(vol))).squeeze(1), 1)
        return (p * torch.arange(4.0).view(1, 4, 1, 1)).sum(1)


class Pix2Pix(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleList(
            [nn.Sequential(nn.Conv2d(i, o, 4, 2, 1), nn.InstanceNorm2d(o)) for i, o in ((3, 16), (16, 32), (32, 64))]
        )
        self.u = nn.ModuleList(
            [
                nn.Sequential(nn.ConvTranspose2d(i, o, 4, 2, 1), nn.InstanceNorm2d(o, affine=True))
                for i, o in ((64, 32), (64, 16), (32, 3))
            ]
        )

    def forward(self, x):
        kept = []
        for d in self.d:
            x = d(F.leaky_relu(x, 0.2) if kept else x)
            kept.append(x)
        y = kept.pop()
        for u in self.u:
            y = u(F.relu(y))
            y = torch.cat([y, kept.pop()], 1) if kept else torch.tanh(y)
        return y


class ResizeConvGAN(nn.Module):
    """CycleGAN's generator: reflection pads, instance norms, residual blocks."""

    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(
            nn.ReflectionPad2d(3),
            nn.Conv2d(3, 16, 7),
            nn.InstanceNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, 2, 1),
            nn.InstanceNorm2d(32),
            nn.ReLU(),
        )
        self.r = nn.Sequential(
            nn.ReflectionPad2d(1),
            nn.Conv2d(32, 32, 3),
            nn.InstanceNorm2d(32),
            nn.ReLU(),
            nn.ReflectionPad2d(1),
            nn.Conv2d(32, 32, 3),
            nn.InstanceNorm2d(32),
        )
        self.z = nn.Sequential(
            nn.Upsample(scale_factor=2),
            nn.ReflectionPad2d(1),
            nn.Conv2d(32, 16, 3),
            nn.InstanceNorm2d(16),
            nn.ReLU(),
            nn.ReflectionPad2d(3),
            nn.Conv2d(16, 3, 7),
            nn.Tanh(),
        )

    def forward(self, x):
        y = self.a(x)
        return self.z(y + self.r(y))


class ZeroDCE(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.ModuleList([nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 16, 3, 1, 1), nn.Conv2d(32, 24, 3, 1, 1)])

    def forward(self, x):
        a = F.relu(self.c[0](x))
        b = F.relu(self.c[1](a))
        for r in torch.tanh(self.c[2](torch.cat([a, b], 1))).split(3, 1):
            x = x + r * (torch.pow(x, 2) - x)
        return x
