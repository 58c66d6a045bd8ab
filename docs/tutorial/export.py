import sys

import torch
from model import Encoder

torch.manual_seed(0)
tokens = torch.randint(1, 50, (2, 16))
torch.onnx.export(Encoder().eval(), (tokens,), sys.argv[1], dynamo=True, external_data=False,
                  dynamic_shapes=({0: torch.export.Dim("batch")},))
