#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small architectures for campaign_export.py of sound, words, time and tables, from the eighth campaign on."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class LinearAttention(nn.Module):
    """Katharopoulos 2020: elu + 1 as feature map."""

    def __init__(self, d=64, heads=4):
        super().__init__()
        self.h, self.qkv, self.out, self.norm = heads, nn.Linear(d, 3 * d), nn.Linear(d, d), nn.LayerNorm(d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = k.transpose(-2, -1) @ v
        z = 1 / (q @ k.sum(2, keepdim=True).transpose(-2, -1) + 1e-6)
        return x + self.out(((q @ kv) * z).transpose(1, 2).reshape(b, t, d))


class Highway(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.embed = nn.Embedding(120, 16)
        self.convs = nn.ModuleList([nn.Conv1d(16, 16, k) for k in (2, 3, 4)])
        self.t, self.h, self.out = (
            nn.ModuleList([nn.Linear(d, d) for _ in range(2)]),
            nn.ModuleList([nn.Linear(d, d) for _ in range(2)]),
            nn.Linear(d, 6),
        )

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        x = torch.cat([c(x).tanh().max(2)[0] for c in self.convs], 1)
        for t, h in zip(self.t, self.h):
            g = torch.sigmoid(t(x))
            x = g * F.relu(h(x)) + (1 - g) * x
        return self.out(x)


class ECAPA(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Sequential(nn.Conv1d(40, 64, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(64))
        self.res = nn.ModuleList([nn.Conv1d(16, 16, 3, padding=d, dilation=d) for d in (2, 2, 2)])
        self.se = nn.Sequential(nn.Conv1d(64, 16, 1), nn.ReLU(), nn.Conv1d(16, 64, 1), nn.Sigmoid())
        self.att, self.out = nn.Sequential(nn.Conv1d(192, 32, 1), nn.Tanh(), nn.Conv1d(32, 64, 1)), nn.Linear(128, 48)

    def forward(self, x):
        y = self.inp(x)
        parts, last = [], 0
        for i, p in enumerate(y.chunk(4, 1)):
            last = p if i == 0 else self.res[i - 1](p + last if i > 1 else p)
            parts.append(last)
        z = torch.cat(parts, 1)
        y = y + z * self.se(z.mean(2, keepdim=True))
        mean, std = y.mean(2, keepdim=True), y.var(2, keepdim=True, unbiased=False).clamp(1e-5).sqrt()
        a = self.att(torch.cat([y, mean.expand_as(y), std.expand_as(y)], 1)).softmax(2)
        m = (a * y).sum(2)
        s = ((a * y.pow(2)).sum(2) - m.pow(2)).clamp(1e-5).sqrt()
        return F.normalize(self.out(torch.cat([m, s], 1)), dim=1)


class QuartzNet(nn.Module):
    def __init__(self):
        super().__init__()

        def sep(i, o, k, d=1):
            return nn.Sequential(
                nn.Conv1d(i, i, k, padding=d * (k - 1) // 2, groups=i, dilation=d, bias=False),
                nn.Conv1d(i, o, 1, bias=False),
                nn.BatchNorm1d(o),
            )

        self.a, self.b, self.c, self.skip, self.out = (
            sep(64, 64, 33),
            sep(64, 64, 33),
            sep(64, 96, 29, 2),
            nn.Sequential(nn.Conv1d(64, 64, 1), nn.BatchNorm1d(64)),
            nn.Conv1d(96, 29, 1),
        )

    def forward(self, x):
        y = F.relu(self.a(x))
        y = F.relu(self.b(y) + self.skip(x))
        return self.out(F.relu(self.c(y))).transpose(1, 2).log_softmax(-1)


class DSCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 64, (10, 4), 2, (5, 1)),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            *[
                l
                for _ in range(3)
                for l in (
                    nn.Conv2d(64, 64, 3, 1, 1, groups=64),
                    nn.BatchNorm2d(64),
                    nn.ReLU(),
                    nn.Conv2d(64, 64, 1),
                    nn.BatchNorm2d(64),
                    nn.ReLU(),
                )
            ],
            nn.AvgPool2d((25, 5)),
            nn.Flatten(),
            nn.Linear(64, 12),
            nn.Softmax(1),
        )

    def forward(self, x):
        return self.net(x)


class Demucs(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.ModuleList(
            [
                nn.Sequential(nn.Conv1d(i, o, 8, 4, 2), nn.ReLU(), nn.Conv1d(o, 2 * o, 1), nn.GLU(1))
                for i, o in ((1, 16), (16, 32))
            ]
        )
        self.lstm = nn.LSTM(32, 32, 1, bidirectional=True)
        self.lin = nn.Linear(64, 32)
        self.dec = nn.ModuleList(
            [
                nn.Sequential(nn.Conv1d(i, 2 * i, 1), nn.GLU(1), nn.ConvTranspose1d(i, o, 8, 4, 2))
                for i, o in ((32, 16), (16, 1))
            ]
        )

    def forward(self, x):
        std = x.std(-1, keepdim=True) + 1e-3
        x = x / std
        kept = []
        for e in self.enc:
            x = e(x)
            kept.append(x)
        x = self.lin(self.lstm(x.permute(2, 0, 1))[0]).permute(1, 2, 0)
        for i, d in enumerate(self.dec):
            x = d(x + kept.pop())
            x = F.relu(x) if i == 0 else x
        return x * std


class RNNoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.d, self.vad, self.noise, self.den = nn.Linear(42, 24), nn.GRU(24, 24), nn.GRU(90, 48), nn.GRU(114, 96)
        self.v, self.g = nn.Linear(24, 1), nn.Linear(96, 22)

    def forward(self, x):
        a = torch.tanh(self.d(x))
        v = self.vad(a)[0]
        n = F.relu(self.noise(torch.cat([a, v, x], -1))[0])
        return torch.sigmoid(self.g(self.den(torch.cat([v, n, x], -1))[0])), torch.sigmoid(self.v(v))


class MelGAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.pre, self.up = (
            nn.Conv1d(40, 64, 7),
            nn.ModuleList([nn.ConvTranspose1d(64, 32, 16, 8, 4), nn.ConvTranspose1d(32, 16, 8, 4, 2)]),
        )
        self.res = nn.ModuleList([nn.ModuleList([nn.Conv1d(c, c, 3, dilation=d) for d in (1, 3)]) for c in (32, 16)])
        self.post = nn.Conv1d(16, 1, 7)

    def forward(self, mel):
        y = self.pre(F.pad(mel, (3, 3), mode="reflect"))
        for up, res in zip(self.up, self.res):
            y = up(F.leaky_relu(y, 0.2))
            for r in res:
                d = r.dilation[0]
                y = y + r(F.pad(F.leaky_relu(y, 0.2), (d, d), mode="reflect"))
        return torch.tanh(self.post(F.pad(F.leaky_relu(y, 0.2), (3, 3), mode="reflect")))


class RelShift(nn.Module):
    """Transformer-XL: attention with relative positions, shifted by a pad and a reshape."""

    def __init__(self, d=64, h=4, t=24):
        super().__init__()
        self.h, self.q, self.k, self.v, self.r, self.o = (
            h,
            nn.Linear(d, d, False),
            nn.Linear(d, d, False),
            nn.Linear(d, d, False),
            nn.Linear(d, d, False),
            nn.Linear(d, d),
        )
        self.u, self.w = nn.Parameter(torch.randn(h, 1, d // h)), nn.Parameter(torch.randn(h, 1, d // h))
        self.register_buffer("pos", torch.randn(t, d))
        self.n = nn.LayerNorm(d)

    def forward(self, x):
        b, t, d = x.shape

        def cut(y):
            return y.view(-1, t, self.h, d // self.h).transpose(1, 2)

        q, k, v, r = cut(self.q(x)), cut(self.k(x)), cut(self.v(x)), cut(self.r(self.pos))
        bd = (q + self.w) @ r.transpose(-2, -1)
        bd = F.pad(bd, (1, 0)).view(b, self.h, t + 1, t)[:, :, 1:].reshape(b, self.h, t, t)
        a = ((q + self.u) @ k.transpose(-2, -1) + bd) / math.sqrt(d // self.h)
        a = a.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf")).softmax(-1)
        return self.n(x + self.o((a @ v).transpose(1, 2).reshape(b, t, d)))


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.a1, self.a2, self.out = (
            nn.Linear(16, 32, False),
            nn.Linear(8, 1, False),
            nn.Linear(8, 1, False),
            nn.Linear(32, 4),
        )

    def forward(self, x, adj):
        h = self.w(x).view(1, -1, 4, 8).transpose(1, 2)
        e = F.leaky_relu(self.a1(h) + self.a2(h).transpose(2, 3), 0.2)
        e = torch.where(adj[:, None] > 0, e, torch.tensor(-9e15))
        return self.out(F.elu(e.softmax(-1) @ h).transpose(1, 2).flatten(2))


class XDeepFM(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.c1, self.c2 = nn.Embedding(500, 8), nn.Conv1d(36, 12, 1), nn.Conv1d(72, 12, 1)
        self.out, self.deep = nn.Linear(24, 1), nn.Sequential(nn.Linear(48, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, ids):
        x = self.e(ids)
        a = F.relu(self.c1(torch.einsum("bhd,bmd->bhmd", x, x).flatten(1, 2)))
        b = F.relu(self.c2(torch.einsum("bhd,bmd->bhmd", a, x).flatten(1, 2)))
        return torch.sigmoid(self.out(torch.cat([a.sum(2), b.sum(2)], 1)) + self.deep(x.flatten(1)))


class DIN(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.att, self.out = (
            nn.Embedding(500, 16),
            nn.Sequential(nn.Linear(64, 16), nn.PReLU(), nn.Linear(16, 1)),
            nn.Linear(32, 2),
        )

    def forward(self, hist, item, mask):
        h, q = self.e(hist), self.e(item).expand(-1, 20, -1)
        w = self.att(torch.cat([h, q, h - q, h * q], -1)).squeeze(-1)
        w = w.masked_fill(mask == 0, -1e9).softmax(1)
        return self.out(torch.cat([(w.unsqueeze(1) @ h).squeeze(1), self.e(item)[:, 0]], 1))


class MMoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.ex = nn.ModuleList([nn.Sequential(nn.Linear(24, 16), nn.ReLU()) for _ in range(4)])
        self.g, self.t = (
            nn.ModuleList([nn.Linear(24, 4) for _ in range(2)]),
            nn.ModuleList([nn.Linear(16, 1) for _ in range(2)]),
        )

    def forward(self, x):
        e = torch.stack([m(x) for m in self.ex], 1)
        return tuple(torch.sigmoid(t((g(x).softmax(1).unsqueeze(2) * e).sum(1))) for g, t in zip(self.g, self.t))


class TabNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn, self.f, self.a, self.out = (
            nn.BatchNorm1d(20),
            nn.ModuleList([nn.Linear(20, 32) for _ in range(3)]),
            nn.ModuleList([nn.Linear(8, 20) for _ in range(2)]),
            nn.Linear(8, 3),
        )

    def forward(self, x):
        x = self.bn(x)
        prior, total, a = torch.ones_like(x), 0, F.glu(self.f[0](x), 1)[:, 8:]
        for f, att in zip(self.f[1:], self.a):
            m = (att(a) * prior).softmax(1)
            prior = prior * (1.3 - m)
            d, a = F.glu(f(m * x), 1).split(8, 1)
            total = total + F.relu(d)
        return self.out(total)


class TSMixer(nn.Module):
    def __init__(self, t=48, c=7):
        super().__init__()
        self.n, self.time, self.ch, self.head = (
            nn.LayerNorm([t, c]),
            nn.Linear(t, t),
            nn.Sequential(nn.Linear(c, 16), nn.ReLU(), nn.Linear(16, c)),
            nn.Linear(t, 12),
        )

    def forward(self, x):
        mean, std = x.mean(1, keepdim=True), x.std(1, keepdim=True, unbiased=False) + 1e-5
        y = (x - mean) / std
        y = y + F.relu(self.time(self.n(y).transpose(1, 2))).transpose(1, 2)
        y = y + self.ch(self.n(y))
        return self.head(y.transpose(1, 2)).transpose(1, 2) * std + mean


class SCINet(nn.Module):
    def __init__(self):
        super().__init__()

        def m():
            return nn.Sequential(
                nn.ReplicationPad1d((3, 3)), nn.Conv1d(6, 12, 5), nn.LeakyReLU(0.01), nn.Conv1d(12, 6, 3), nn.Tanh()
            )

        self.a, self.b, self.c, self.d, self.out = m(), m(), m(), m(), nn.Conv1d(32, 12, 1)

    def forward(self, x):
        e, o = x[:, ::2].transpose(1, 2), x[:, 1::2].transpose(1, 2)
        d, c = o * self.a(e).exp(), e * self.b(o).exp()
        e, o = c + self.c(d), d - self.d(c)
        y = torch.stack([e, o], 3).flatten(2).transpose(1, 2) + x
        return self.out(y)


class TimesNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.k, self.p = (
            nn.Conv1d(5, 16, 3, padding=1, padding_mode="circular"),
            nn.ModuleList([nn.Conv2d(16, 16, 2 * i + 1, padding=i) for i in range(3)]),
            nn.Linear(16, 5),
        )

    def forward(self, x):
        y = self.e(x.transpose(1, 2))
        outs = []
        for period in (12, 8):
            z = y.view(1, 16, -1, period)
            outs.append(F.gelu(torch.stack([k(z) for k in self.k], -1).mean(-1)).flatten(2))
        w = torch.softmax(torch.stack([o.abs().mean([1, 2]) for o in outs], 1), 1)
        y = sum(o * w[:, i, None, None] for i, o in enumerate(outs)) + y
        return self.p(y.transpose(1, 2))


class RetNet(nn.Module):
    def __init__(self, d=64, h=4, t=16):
        super().__init__()
        self.h, self.qkvg, self.o, self.gn = h, nn.Linear(d, 4 * d, False), nn.Linear(d, d, False), nn.GroupNorm(h, d)
        i = torch.arange(t)
        gamma = 1 - 2.0 ** (-5 - torch.arange(h))
        self.register_buffer(
            "decay",
            torch.where(i[:, None] >= i, gamma[:, None, None] ** (i[:, None] - i).clamp(min=0), torch.zeros(())),
        )

    def forward(self, x):
        b, t, d = x.shape
        q, k, v, g = self.qkvg(x).chunk(4, -1)

        def cut(y):
            return y.view(b, t, self.h, -1).transpose(1, 2)

        y = ((cut(q) @ cut(k).transpose(2, 3)) * self.decay) @ cut(v)
        y = self.gn(y.transpose(1, 2).reshape(b * t, d)).view(b, t, d)
        return self.o(F.silu(g) * y)


class AFT(nn.Module):
    def __init__(self, d=32, t=16):
        super().__init__()
        self.qkv, self.w, self.o = nn.Linear(d, 3 * d), nn.Parameter(torch.randn(t, t) * 0.1), nn.Linear(d, d)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        ew, ek = self.w.exp(), (k - k.amax(1, keepdim=True)).exp()
        return self.o(torch.sigmoid(q) * (ew @ (ek * v)) / (ew @ ek))


class GMLP(nn.Module):
    def __init__(self, d=32, t=24):
        super().__init__()
        self.n, self.a, self.sn, self.sp, self.b = (
            nn.LayerNorm(d),
            nn.Linear(d, 64),
            nn.LayerNorm(32),
            nn.Conv1d(t, t, 1),
            nn.Linear(32, d),
        )

    def forward(self, x):
        u, v = F.gelu(self.a(self.n(x))).chunk(2, -1)
        return x + self.b(u * self.sp(self.sn(v)))


class Pointer(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec, self.w1, self.w2, self.v = (
            nn.LSTM(2, 32, batch_first=True),
            nn.LSTMCell(32, 32),
            nn.Linear(32, 32, False),
            nn.Linear(32, 32, False),
            nn.Linear(32, 1, False),
        )

    def forward(self, x):
        e, (h, c) = self.enc(x)
        h, c, out, inp = h[0], c[0], [], e.mean(1)
        for _ in range(3):
            h, c = self.dec(inp, (h, c))
            a = self.v(torch.tanh(self.w1(e) + self.w2(h).unsqueeze(1))).squeeze(-1).log_softmax(1)
            out.append(a)
            inp = torch.bmm(a.exp().unsqueeze(1), e).squeeze(1)
        return torch.stack(out, 1)


class BiDAF(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.w, self.m, self.s, self.t = (
            nn.Embedding(300, 16),
            nn.Linear(48, 1),
            nn.LSTM(64, 16, bidirectional=True, batch_first=True),
            nn.Linear(96, 1),
            nn.Linear(96, 1),
        )

    def forward(self, c, q):
        c, q = self.e(c), self.e(q)
        n, m = c.shape[1], q.shape[1]
        cc, qq = c.unsqueeze(2).expand(-1, -1, m, -1), q.unsqueeze(1).expand(-1, n, -1, -1)
        s = self.w(torch.cat([cc, qq, cc * qq], -1)).squeeze(-1)
        a = s.softmax(-1) @ q
        b = (s.max(2)[0].softmax(-1).unsqueeze(1) @ c).expand(-1, n, -1)
        g = torch.cat([c, a, c * a, c * b], -1)
        y = torch.cat([g, self.m(g)[0]], -1)
        return self.s(y).squeeze(-1), self.t(y).squeeze(-1)
