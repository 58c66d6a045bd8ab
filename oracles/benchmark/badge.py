#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A badge for a repository, as an endpoint of shields.io, from what npu-partition says of its models.

usage: npu-partition MODEL.onnx... --target TARGET --format json | badge.py > badge.json

Of one model the verdict and the number of partitions, of several how many are whole. Put the file where it can be
fetched, and show https://img.shields.io/endpoint?url=URL. Lines of `npu-partition scan` will do as well.
"""
import json
import sys

from table import DONE


def endpoint(target, whole, count, message):
    """Green from nine of ten on, yellow from half of them on."""
    color = "brightgreen" if whole >= 0.9 * count else "yellow" if whole >= 0.5 * count else "orange"
    return {"schemaVersion": 1, "label": f"whole on {target}", "message": message, "color": color}


def message_of(summaries):
    if len(summaries) != 1:
        return f"{sum(s['verdict'] in DONE for s in summaries)} of {len(summaries)} models"
    verdict, count = summaries[0]["verdict"], summaries[0]["partitions"]
    if verdict in DONE:
        return "yes"
    return f"{verdict}, {count} partition{'s' * (count != 1)}" if count else verdict


def main():
    targets = [target for line in sys.stdin if line.startswith("{") for target in json.loads(line)["targets"]]
    names = {target["name"] for target in targets}
    if len(names) != 1:
        sys.exit(f"badge.py: expected plans for one target, found {', '.join(sorted(names)) or 'none'}")
    summaries = [target["summary"] for target in targets]
    whole = sum(summary["verdict"] in DONE for summary in summaries)
    print(json.dumps(endpoint(names.pop(), whole, len(summaries), message_of(summaries))))


if __name__ == "__main__":
    main()
