# SPDX-License-Identifier: Apache-2.0
"""A model with one operator in its middle that no NPU takes: Det, on line 27."""
import torch
from torch import nn


class Features(nn.Module):
    """Two layers, with one of several heads."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, 2, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Features of half the size twice."""
        return torch.relu(self.layers(x))


class Volume(nn.Module):
    """Scales features by how much space they span."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape."""
        spread = x @ x.transpose(-1, -2)
        # A comment, so that the line is not the function's first.
        volume = (
            torch.linalg.det(spread))
        return x * volume[:, :, None, None]


class Net(nn.Module):
    """Features, scaled, to scores."""

    def __init__(self) -> None:
        super().__init__()
        self.features = Features()
        self.volume = Volume()
        self.head = nn.Conv2d(4, 2, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Scores of two classes for each place."""
        return torch.sigmoid(self.head(self.volume(self.features(image))))
