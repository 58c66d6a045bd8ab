"""A small text encoder that says of each token how likely it is a keyword."""
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(),
                                 nn.Linear(2 * width, width))

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(x)


class Encoder(nn.Module):
    def __init__(self, words=50, width=16, heads=2):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.blank = nn.Parameter(torch.zeros(width))
        self.blocks = nn.ModuleList([Block(width, heads), Block(width, heads)])
        self.head = nn.Linear(width, 1)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x[tokens == 0] = self.blank
        mask = (tokens != 0)[:, None, None, :]
        for block in self.blocks:
            x = block(x, mask)
        return torch.sigmoid(self.head(x).squeeze(-1))
