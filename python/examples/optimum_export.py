#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports a Hugging Face model with optimum, and makes it one partition for two NPUs.

The model is a small BERT with random weights, made of its configuration, so nothing is fetched. For a model of
your own, put AutoModel.from_pretrained(...) in its place.

usage: optimum_export.py FOLDER     needs: pip install npu-partition optimum-onnx
"""
import pathlib
import sys

from optimum.exporters.onnx import onnx_export_from_model
from transformers import BertConfig, BertForSequenceClassification

import npu_partition
from npu_partition.testing import assert_partitions

TARGETS = ["hexagon", "intel-npu"]
SIZES = {"batch_size": 1, "sequence_length": 128}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    config = BertConfig(vocab_size=200, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, attn_implementation="eager")
    model = BertForSequenceClassification(config).eval()
    onnx_export_from_model(model, folder, task="text-classification", do_validation=False)

    # As it is exported, with dynamic dimensions; then with sizes, and rewritten so that both take it whole.
    print(npu_partition.analyze(folder / "model.onnx", TARGETS))
    print(npu_partition.fix(folder / "model.onnx", TARGETS, folder / "fixed.onnx", dims=SIZES))
    assert_partitions(folder / "fixed.onnx", TARGETS, max_partitions=1)


if __name__ == "__main__":
    main()
