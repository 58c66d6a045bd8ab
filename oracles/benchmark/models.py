# SPDX-License-Identifier: Apache-2.0
"""Small models of architectures that the packages of oracles/fidelity do not have, by the shape of their papers.

MODELS names them: a function that makes a module, example inputs, and axes that are dynamic where an export asks.
"""
import torch
from torch import nn
from torch.nn import functional

# nn.TransformerEncoder is one operator in eval mode otherwise, and the TorchScript exporter has none for it.
torch.backends.mha.set_fastpath_enabled(False)
BATCH = {0: "batch"}


def conv(inputs, outputs, kernel=3, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs), nn.ReLU())


def mlp(*widths):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def encoder(width, layers=2, heads=4):
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(width, heads, 2 * width, batch_first=True), layers,
                                 enable_nested_tensor=False)


# ---- characters --------------------------------------------------------------------------------------------------


class CRNN(nn.Module):
    """Convolutions, two bidirectional LSTMs, a class for each column (Shi et al. 2015)."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 32), nn.MaxPool2d(2), conv(32, 64), nn.MaxPool2d(2), conv(64, 128),
                                  nn.MaxPool2d((2, 1)), conv(128, 128), nn.MaxPool2d((4, 1)))
        self.rnn = nn.LSTM(128, 64, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(128, 97)

    def forward(self, image):
        columns = self.body(image).squeeze(2).permute(0, 2, 1)
        return self.head(self.rnn(columns)[0]).log_softmax(-1)


class DBNet(nn.Module):
    """A pyramid, upsampled and concatenated, and two heads of transposed convolutions (Liao et al. 2020)."""

    def __init__(self):
        super().__init__()
        widths = [16, 32, 64, 96]
        self.stem = conv(3, 16, 3, 2)
        self.stages = nn.ModuleList(conv(a, b, 3, 2) for a, b in zip([16, *widths], widths))
        self.laterals = nn.ModuleList(nn.Conv2d(width, 32, 1) for width in widths)
        self.smooth = nn.ModuleList(conv(32, 16) for _ in widths)

        def head():
            return nn.Sequential(conv(64, 16), nn.ConvTranspose2d(16, 16, 2, 2), nn.BatchNorm2d(16), nn.ReLU(),
                                 nn.ConvTranspose2d(16, 1, 2, 2), nn.Sigmoid())

        self.shrink, self.threshold = head(), head()

    def forward(self, image):
        features, value = [], self.stem(image)
        for stage in self.stages:
            value = stage(value)
            features.append(value)
        levels = [lateral(feature) for lateral, feature in zip(self.laterals, features)]
        for place in (2, 1, 0):
            levels[place] = levels[place] + functional.interpolate(levels[place + 1], size=levels[place].shape[2:])
        size = levels[0].shape[2:]
        merged = torch.cat([functional.interpolate(smooth(level), size=size)
                            for smooth, level in zip(self.smooth, levels)], 1)
        shrink, threshold = self.shrink(merged), self.threshold(merged)
        return 1 / (1 + torch.exp(-50 * (shrink - threshold)))


class SVTR(nn.Module):
    """Patches of a line of text, transformer blocks, height merged away (Du et al. 2022)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2))
        self.position = nn.Parameter(torch.randn(1, 8 * 32, 64) * 0.02)
        self.first, self.second = encoder(64), encoder(96)
        self.merge = nn.Conv2d(64, 96, 3, (2, 1), 1)
        self.head = nn.Linear(96, 97)

    def forward(self, image):
        value = self.stem(image)
        batch, width, height, length = value.shape
        tokens = self.first(value.flatten(2).transpose(1, 2) + self.position)
        value = self.merge(tokens.transpose(1, 2).reshape(batch, width, height, length))
        tokens = self.second(value.flatten(2).transpose(1, 2))
        columns = tokens.reshape(batch, height // 2, length, 96).mean(1)
        return self.head(columns).softmax(-1)


# ---- series ------------------------------------------------------------------------------------------------------


class NBeats(nn.Module):
    """Blocks that subtract what they explain from their input, and add up forecasts (Oreshkin et al. 2020)."""

    def __init__(self, past=96, future=24, blocks=4):
        super().__init__()
        self.past = past
        self.blocks = nn.ModuleList(mlp(past, 128, 128, past + future) for _ in range(blocks))

    def forward(self, series):
        forecast = 0
        for block in self.blocks:
            back, ahead = block(series).split([self.past, block[-1].out_features - self.past], -1)
            series, forecast = functional.relu(series - back), forecast + ahead
        return forecast


class DLinear(nn.Module):
    """A moving average, and a linear layer each for it and for the rest (Zeng et al. 2023)."""

    def __init__(self, past=96, future=24):
        super().__init__()
        self.trend, self.season = nn.Linear(past, future), nn.Linear(past, future)

    def forward(self, series):
        padded = torch.cat([series[:, :1].repeat(1, 12, 1), series, series[:, -1:].repeat(1, 12, 1)], 1)
        trend = functional.avg_pool1d(padded.transpose(1, 2), 25, 1)
        season = series.transpose(1, 2) - trend
        return (self.trend(trend) + self.season(season)).transpose(1, 2)


class LSTMForecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 64, 2, batch_first=True)
        self.head = mlp(64, 64, 24)

    def forward(self, series):
        return self.head(self.rnn(series)[0][:, -1])


class PatchTST(nn.Module):
    """Each channel by itself in overlapping patches through a transformer, normalized by instance (Nie et al. 2023)."""

    def __init__(self, patches=11):
        super().__init__()
        self.embed = nn.Linear(16, 64)
        self.position = nn.Parameter(torch.randn(patches, 64) * 0.02)
        self.body, self.head = encoder(64), nn.Linear(64 * patches, 24)

    def forward(self, series):
        mean, deviation = series.mean(1, keepdim=True), series.std(1, keepdim=True) + 1e-5
        channels = ((series - mean) / deviation).transpose(1, 2)
        patches = channels.unfold(-1, 16, 8)
        batch, number, count, _ = patches.shape
        tokens = self.embed(patches).reshape(batch * number, count, 64) + self.position
        ahead = self.head(self.body(tokens).flatten(1)).reshape(batch, number, 24).transpose(1, 2)
        return ahead * deviation + mean


# ---- points ------------------------------------------------------------------------------------------------------


def neighbors(points, count):
    """Places of the nearest points, by squared distances: batch x points x count."""
    product = points @ points.transpose(1, 2)
    squares = (points * points).sum(-1, keepdim=True)
    return (2 * product - squares - squares.transpose(1, 2)).topk(count, -1)[1]


def gather(values, places):
    batch, number, count = places.shape
    index = places.reshape(batch, number * count, 1).expand(-1, -1, values.shape[-1])
    return values.gather(1, index).reshape(batch, number, count, values.shape[-1])


class DGCNN(nn.Module):
    """Convolutions over edges to the nearest points of each layer (Wang et al. 2019)."""

    def __init__(self):
        super().__init__()
        self.edges = nn.ModuleList([mlp(6, 32, 32), mlp(64, 64)])
        self.head = mlp(96, 128, 40)

    def forward(self, points):
        features, value = [], points
        for edge in self.edges:
            near = gather(value, neighbors(value, 8))
            center = value.unsqueeze(2).expand_as(near)
            value = edge(torch.cat([center, near - center], -1)).amax(2)
            features.append(value)
        return self.head(torch.cat(features, -1).amax(1))


class Pillars(nn.Module):
    """Points of each pillar pooled and scattered to a picture from above (Lang et al. 2019)."""

    def __init__(self, side=32):
        super().__init__()
        self.side, self.points = side, mlp(9, 32)
        self.body = nn.Sequential(conv(32, 32, 3, 2), conv(32, 64), nn.ConvTranspose2d(64, 32, 2, 2), nn.ReLU())
        self.boxes = nn.Conv2d(32, 14, 1)

    def forward(self, pillars, places):
        features = self.points(pillars).amax(2)
        canvas = features.new_zeros(features.shape[0], self.side * self.side, 32)
        index = places.unsqueeze(-1).expand(-1, -1, 32)
        image = canvas.scatter(1, index, features).transpose(1, 2).reshape(-1, 32, self.side, self.side)
        return self.boxes(self.body(image))


class PointTransformer(nn.Module):
    """Attention of each point to its nearest ones by subtraction of vectors (Zhao et al. 2021)."""

    def __init__(self, width=32):
        super().__init__()
        self.embed, self.query, self.key = nn.Linear(3, width), nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.position, self.weight = nn.Linear(width, width), mlp(3, width, width), mlp(width, width, width)
        self.head = nn.Linear(width, 13)

    def forward(self, points):
        value = self.embed(points)
        places = neighbors(points, 8)
        where = self.position(points.unsqueeze(2) - gather(points, places))
        weight = self.weight(self.query(value).unsqueeze(2) - gather(self.key(value), places) + where).softmax(2)
        return self.head(value + (weight * (gather(self.value(value), places) + where)).sum(2))


# ---- recommenders, tables ----------------------------------------------------------------------------------------


class DLRM(nn.Module):
    """Bags of embeddings, products of all pairs (Naumov et al. 2019)."""

    def __init__(self, tables=6, width=16):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(500, width) for _ in range(tables))
        self.bottom, self.top = mlp(13, 64, width), mlp(width + (tables + 1) * tables // 2, 64, 1)
        row, column = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("row", row)
        self.register_buffer("column", column)

    def forward(self, dense, sparse):
        bottom = self.bottom(dense)
        values = torch.stack([bottom] + [table(sparse[:, i]).sum(1) for i, table in enumerate(self.tables)], 1)
        pairs = (values @ values.transpose(1, 2))[:, self.row, self.column]
        return torch.sigmoid(self.top(torch.cat([bottom, pairs], 1)))


class DCN(nn.Module):
    """Crosses of features beside a deep network, second version (Wang et al. 2021)."""

    def __init__(self, width=80):
        super().__init__()
        self.table = nn.Embedding(1000, 8)
        self.crosses = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.deep, self.head = mlp(width, 64, 32), nn.Linear(width + 32, 1)

    def forward(self, places):
        first = value = self.table(places).flatten(1)
        for cross in self.crosses:
            value = first * cross(value) + value
        return torch.sigmoid(self.head(torch.cat([value, self.deep(first)], 1)))


class SASRec(nn.Module):
    """A causal transformer over what was bought before, scores of all items (Kang et al. 2018)."""

    def __init__(self, length=20):
        super().__init__()
        self.items, self.positions = nn.Embedding(1000, 64, padding_idx=0), nn.Embedding(length, 64)
        self.body = encoder(64)

    def forward(self, items):
        length = items.shape[1]
        mask = torch.triu(torch.ones(length, length, dtype=torch.bool, device=items.device), 1)
        value = self.items(items) * 8 + self.positions(torch.arange(length, device=items.device))
        return self.body(value, mask=mask)[:, -1] @ self.items.weight.T


class FTTransformer(nn.Module):
    """A token for each column, and one that is read (Gorishniy et al. 2021)."""

    def __init__(self, numbers=8, words=4, width=32):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(numbers, width)), nn.Parameter(torch.randn(numbers, width))
        self.table, self.first = nn.Embedding(200, width), nn.Parameter(torch.randn(1, 1, width))
        self.register_buffer("offsets", torch.arange(words) * 50)
        self.body, self.head = encoder(width), nn.Linear(width, 2)

    def forward(self, numbers, words):
        tokens = [self.first.expand(numbers.shape[0], -1, -1), numbers.unsqueeze(-1) * self.weight + self.bias,
                  self.table(words + self.offsets)]
        return self.head(self.body(torch.cat(tokens, 1))[:, 0])


def ids(*shape, below=500):
    return torch.randint(1, below, shape)


MODELS = {
    "crnn": lambda: (CRNN(), (torch.randn(1, 1, 32, 128),), [{3: "width"}]),
    "dbnet": lambda: (DBNet(), (torch.randn(1, 3, 160, 160),), [{2: "height", 3: "width"}]),
    "svtr": lambda: (SVTR(), (torch.randn(1, 3, 32, 128),), [BATCH]),
    "nbeats": lambda: (NBeats(), (torch.randn(1, 96),), [BATCH]),
    "dlinear": lambda: (DLinear(), (torch.randn(1, 96, 7),), [BATCH]),
    "lstm_forecast": lambda: (LSTMForecast(), (torch.randn(1, 96, 8),), [{1: "steps"}]),
    "patch_tst": lambda: (PatchTST(), (torch.randn(1, 96, 7),), [BATCH]),
    "dgcnn": lambda: (DGCNN(), (torch.randn(1, 256, 3),), [{1: "points"}]),
    "pillars": lambda: (Pillars(), (torch.randn(1, 100, 16, 9), torch.randperm(1024)[None, :100]),
                        [{1: "pillars"}, {1: "pillars"}]),
    "point_transformer": lambda: (PointTransformer(), (torch.randn(1, 256, 3),), [{1: "points"}]),
    "dlrm": lambda: (DLRM(), (torch.randn(1, 13), ids(1, 6, 4)), [BATCH, BATCH]),
    "dcn": lambda: (DCN(), (ids(1, 10),), [BATCH]),
    "sasrec": lambda: (SASRec(), (ids(1, 20),), [BATCH]),
    "tab_mlp": lambda: (nn.Sequential(nn.BatchNorm1d(20), mlp(20, 64, 64, 3), nn.Softmax(-1)), (torch.randn(1, 20),),
                        [BATCH]),
    "ft_transformer": lambda: (FTTransformer(), (torch.randn(1, 8), ids(1, 4, below=50)), [BATCH, BATCH]),
}
