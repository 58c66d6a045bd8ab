#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/json.md against the fields that the tool prints: each printed field is described, each described
field is printed, and what the document promises of counts and ids holds on every fixture.

usage: json_fields.py TOOL FIXTURES docs/json.md [MODEL...]
"""
import glob
import json
import os
import re
import subprocess
import sys

# What has fields of its own: a fixture, a target, and what else is asked.
OTHERS = [("bert-base.ort-fused", "hexagon@2.4.0"), ("bert-base.ort-fused", "coreml-mlprogram"),
          ("crnn-ocr.dynamo", "ethos-u"), ("detector.dynamo", "hexagon", "--as", "w4a16:min-db=35:keep=last"),
          ("espcn-x3.dynamo", "hexagon", "--as", "w8a8:keep16=first"),
          ("distilbert-base.ts14.dyn", "hexagon", "-d", "sequence=..512", "--lengths", "p95=128")]
# Objects whose keys are names: the model's own, or element types.
FREE = {"model.opsets", "targets[].if_fixed.dims", "targets[].memory.weight_bytes_by_type",
        "parts[].dims"}


def fields(value, path, into):
    """Adds the dotted paths of all fields of a document, `[]` after lists."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, (dict, list)):
                fields(item, path + "[]", into)
    elif isinstance(value, dict):
        for key, item in value.items():
            inner = (path + "." if path else "") + ("*" if path in FREE else key)
            into.add(inner)
            fields(item, inner, into)


def described(text):
    """Paths in the first cells of the tables; `targets[].` is left away there and in what is compared."""
    found = set()
    for row in re.findall(r"^\| (`.*?) \|", text, re.M):
        for name in re.findall(r"`([^`]+)`", row):
            found.add(name)
    return found


def without_parents(paths):
    """Only leaves: a parent is described by its parts."""
    parents = {path[:match.start()] for path in paths for match in re.finditer(r"\[\]\.|\.", path)}
    return {re.sub(r"\[\]$", "", path) for path in paths} - parents


def check_modules(target, complain):
    """Sums of modules are those of their nodes, and of the outermost with what is in none those of the summary."""
    nodes, modules = target["nodes"], target["modules"]
    live = set(target["order"])
    counts = [[0, 0, 0] for _ in modules]
    for i, node in enumerate(nodes):
        module = node["module"]
        while module is not None:
            counts[module] = [count + more for count, more in zip(counts[module], (1, i in live, node["verdict"] == "npu"))]
            module = modules[module]["parent"]
    for i, module in enumerate(modules):
        if [module["nodes"], module["live"], module["accepted"]] != counts[i]:
            complain(f"module {module['path']} has other nodes than are in it")
        parent = modules[module["parent"]] if module["parent"] is not None else None
        if parent and (module["parent"] >= i or not module["path"].startswith(parent["path"])):
            complain(f"module {module['path']} is not inside {parent['path']}")
    if all(node["module"] is not None for node in nodes if node["verdict"] not in ("folded", "fused")):
        switches = sum(module["switches"] for module in modules if module["parent"] is None)
        if switches != target["summary"]["switches"]:
            complain(f"modules have {switches} switches, the summary {target['summary']['switches']}")


def check_held(target, complain):
    """The largest is the peak, of the CPU and of each partition; not known is where the peak is not."""
    memory, partition_of = target["memory"], [node["partition"] for node in target["nodes"]]
    peaks = [(None, memory["activation_peak_bytes_cpu"], memory["held_bytes_cpu"])]
    for partition in memory["partitions"]:
        held = [held for node, held in zip(target["order"], memory["held_bytes_npu"])
                if partition_of[node] == partition["id"]]
        peaks.append((partition["id"], partition["peak_bytes"], held))
    for where, peak, held in peaks:
        if peak != (None if None in held else max(held, default=0)):
            complain(f"partition {where} (None: the CPU) has a peak of {peak}, and {held} is held")
    if any(held != 0 for node, held in zip(target["order"], memory["held_bytes_npu"]) if partition_of[node] is None):
        complain("the NPU holds something for a node on the CPU")
    if len(memory["held_bytes_cpu"]) != len(target["order"]) != len(memory["held_bytes_npu"]):
        complain("not every live node holds something")


def check_tensors(target, shapes, complain):
    """Types and dims are those of --shapes; what nodes name is there, and each result is of one node."""
    tensors, made = target["tensors"], set()
    types = {}
    for node in target["nodes"]:
        operands = [place for place in node["inputs"] + node["outputs"] if place is not None]
        if any(place >= len(tensors) for place in operands):
            complain(f"node {node['name']} names a tensor that is not there")
        outputs = {place for place in node["outputs"] if place is not None}
        if node["verdict"] not in ("folded", "fused"):  # a call makes what its function's nodes make
            if made & outputs:
                complain(f"node {node['name']} makes what another makes")
            made |= outputs
        for place in outputs if node["graph"] == "" else ():
            types[tensors[place]["name"]] = tensors[place]
    for name, shape in shapes.items():
        if name in types and isinstance(shape, list) and types[name]["dims"] != shape[1]:
            complain(f"tensor {name} has dims {types[name]['dims']}, --shapes says {shape[1]}")
        if name in types and (types[name]["type"] is None) != (shape is None):
            complain(f"tensor {name} is of type {types[name]['type']}, --shapes says {shape}")


def check_roots(target, texts, complain):
    """Each cause has one root, counts are sums, and a root has one text in all models."""
    causes, roots = target["causes"], target["roots"]
    if sorted(cause for root in roots for cause in root["causes"]) != [cause["id"] for cause in causes]:
        complain("not every cause has one root")
    weights = [root["nodes"] + root["victims"] for root in roots]
    if weights != sorted(weights, reverse=True):
        complain("roots are not in their order")
    for root in roots:
        own = [causes[cause] for cause in root["causes"]]
        if root["victims"] != sum(cause["victims"] for cause in own):
            complain(f"the affected nodes of root {root['text']} are not those of its causes")
        if root["nodes"] != sum(len(cause["nodes"]) for cause in own) or any(c["kind"] != root["kind"] for c in own):
            complain(f"root {root['text']} is not of its causes")
        name = root["kind"], root["rule"], root["op"]
        if texts.setdefault(name, root["text"]) != root["text"]:
            complain(f"root {name} is told as {root['text']} and as {texts[name]}")


def check_document(document, texts, complain):
    for target in document["targets"]:
        nodes, summary = target["nodes"], target["summary"]
        verdicts = [node["verdict"] for node in nodes]
        live = [verdict for verdict in verdicts if verdict not in ("folded", "fused")]
        expected = {
            "nodes": len(nodes), "folded": len(nodes) - len(live), "live": len(live), "accepted": live.count("npu"),
            "refused": live.count("cpu") + live.count("fail"), "failed": live.count("fail"),
            "unknown": live.count("unknown"), "partitions": len(target["partitions"]),
        }
        for key, value in expected.items():
            if summary[key] != value:
                complain(f"summary.{key} is {summary[key]}, counted {value}")
        members = [(node, partition["id"]) for partition in target["partitions"] for node in partition["nodes"]]
        if sorted(members) != [(i, node["partition"]) for i, node in enumerate(nodes) if node["partition"] is not None]:
            complain("partitions[].nodes and nodes[].partition differ")
        for i, node in enumerate(nodes):
            if (node["verdict"] == "npu") != (node["partition"] is not None):
                complain(f"node {i}: {node['verdict']} and partition {node['partition']}")
            if node["graph"] == "" and node["index"] != i:
                complain(f"node {i} of the main graph has index {node['index']}")
            if node["verdict"] in ("cpu", "fail", "unknown") and (not node["reasons"] or node["cause"] is None):
                complain(f"node {i} is refused without a reason or a cause")
        if sorted(target["order"]) != [i for i, node in enumerate(nodes) if node["verdict"] not in ("folded", "fused")]:
            complain("order does not have every live node once")
        check_modules(target, complain)
        check_roots(target, texts, complain)
        check_held(target, complain)
        for cause in target["causes"]:
            victims = sum(node["cause"] == cause["id"] for node in nodes)
            if victims != cause["victims"]:
                complain(f"cause {cause['id']} has {victims} victims and says {cause['victims']}")
        cost = target["cost"]
        if cost["typical_ms"] is not None:
            total = sum(part[1] for part in cost["parts"].values())
            if abs(total - cost["typical_ms"]) > 1e-5:
                complain(f"cost.typical_ms is {cost['typical_ms']}, the parts sum up to {total}")
            if not cost["low_ms"] <= cost["typical_ms"] <= cost["high_ms"]:
                complain("the cost's range is not in order")
        elif not cost["unknown_nodes"] and not cost["unknown_sizes"]:
            complain("the cost is not known, and nothing is unknown")


def compare(printed, wanted, where, problems):
    """Returns how many fields are printed."""
    leaves, described_leaves = without_parents(printed), without_parents(wanted)
    for path in sorted(leaves - described_leaves):
        if not path.startswith("if_fixed.summary."):  # described once, as summary
            problems.append(f"{where} does not describe {path}")
    for path in sorted(described_leaves - leaves):
        if path + "[]" not in printed and path not in printed:
            problems.append(f"{where} describes {path}, which no fixture prints")
    return len(leaves)


def check_placement(document, complain):
    for number, part in enumerate(document["parts"]):
        if part["id"] != number:
            complain(f"part {number} has the id {part['id']}")
        if part["device"] and part["costs"][part["device"]] is None and document["total"]["as_placed"]:
            complain(f"part {number} is where its cost is not known, and the total is known")
    crossing = [link["cost"] for link in document["links"] if link["crosses"]]
    if any(link["cost"] != [0, 0, 0] for link in document["links"] if not link["crosses"]):
        complain("a link that stays costs something")
    for i in range(3):
        transfers = document["total"]["transfers"]
        if transfers and abs(sum(cost[i] for cost in crossing) - transfers[i]) > 1e-4:
            complain(f"links cost {sum(cost[i] for cost in crossing)}, total.transfers says {transfers[i]}")


def check_placements(tool, fixtures, text, problems):
    """A set of models, with devices forced apart by figures for a GPU. Each has the summary and the cost of its report."""
    models = sorted(glob.glob(os.path.join(fixtures, "whisper-tiny", "*.onnx")))
    printed = set()
    reports = {}
    for model in models:
        line = subprocess.run([tool, model, "--target", "hexagon", "--format", "json"], check=True,
                              stdout=subprocess.PIPE).stdout
        reports[os.path.basename(model)] = json.loads(line)["targets"][0]
    for more in ([], ["--gpu", "encoder_model.onnx=0.001"], ["--gpu", "decoder_with_past_model.onnx=0.0001"]):
        line = subprocess.run([tool, "place", *models, "--target", "hexagon", "--format", "json", *more], check=True,
                              stdout=subprocess.PIPE).stdout
        document = json.loads(line)
        fields(document, "", printed)
        check_placement(document, lambda about: problems.append(f"place {' '.join(more)}: {about}"))
        for part in document["parts"]:
            for key in ("summary", "cost"):
                if part[key] != reports[part["part"]][key]:
                    problems.append(f"place {' '.join(more)}: {part['part']} has another {key} than its report")
    printed = {path for path in printed if not re.match(r"parts\[\]\.(summary|cost)\.", path)}
    printed |= {"parts[].summary", "parts[].cost"}
    return compare(printed, described(text), "Placement", problems)


def check_fixes(tool, fixtures, text, problems):
    """A model that is mended in part, for two targets. Summaries and causes are described once, of an analysis."""
    printed = set()
    for more in (["--dim", "batch=1", "--dim", "sequence=128"], ["--dim", "batch=1", "--not", "annotate,fold"], []):
        line = subprocess.run([tool, "fix", os.path.join(fixtures, "distilbert-base.ts14.dyn.onnx"), "--target",
                               "hexagon,intel-npu", "--dry-run", "--format", "json", *more], check=True,
                              stdout=subprocess.PIPE).stdout
        document = json.loads(line)
        fields(document, "", printed)
        last = document["steps"][-1]["after"] if document["steps"] else None
        if last and last["partitions"] != document["after"]["partitions"]:
            problems.append(f"fix {' '.join(more)}: the last step has other partitions than the result")
        if document["targets"][0]["after"] != document["after"]:
            problems.append(f"fix {' '.join(more)}: the first target is told twice, differently")
    decoder = os.path.join(fixtures, "whisper-tiny", "decoder_with_past_model.onnx")
    for sizes in ("32", "32,64"):
        line = subprocess.run([tool, "fix", decoder, "-t", "hexagon", "--cache", sizes, "--dim",
                               "encoder_sequence_length=1500", "--dry-run", "--format", "json"], check=True,
                              stdout=subprocess.PIPE).stdout
        fields({**json.loads(line), "cache": None}, "", printed)
    line = subprocess.run([tool, "fix", os.path.join(fixtures, "detector.dynamo.onnx"), "-t", "hexagon", "--end-at", "mean",
                           "--rest", "host.onnx", "-o", "npu.onnx", "--dry-run", "--format", "json"], check=True,
                          stdout=subprocess.PIPE).stdout
    fields(json.loads(line), "", printed)
    known = re.compile(r"((targets\[\]\.)?(before|after|left\[\])\.)")
    printed = {path for path in printed if not path.startswith("tries[].decode[].")}  # described once, as decode
    printed = {path for path in printed if not known.match(path)} | {"targets[].before", "targets[].after"}
    wanted = described(text) - {"target", "before", "after", "before_ms", "after_ms", "left", "targets[].left"}
    printed -= {"target", "before", "after", "before_ms", "after_ms", "left", "targets[].left", "left[]",
                "targets[].left[]"}
    return compare(printed, wanted, "Fix", problems)


def check_diffs(tool, fixtures, text, problems):
    """The same network by two exporters; summaries are described once, of an analysis."""
    old, new = (os.path.join(fixtures, f"distilbert-base.{kind}.onnx") for kind in ("ts14.dyn", "dynamo.s128"))
    line = subprocess.run([tool, "diff", old, new, "--target", "hexagon", "--format", "json"], check=False,
                          stdout=subprocess.PIPE).stdout
    document, printed = json.loads(line), set()
    fields(document, "", printed)
    for target in document["targets"]:
        kinds = [node["state"] for node in target["nodes"]]
        if kinds.count("added") != target["added"] or kinds.count("removed") != target["removed"]:
            problems.append("diff: nodes that were added or removed are not counted")
        if target["matched"] + target["removed"] != target["before"]["summary"]["nodes"]:
            problems.append("diff: a node before is neither recognized nor removed")
    printed = {path for path in printed if not re.match(r"targets\[\]\.(before|after)\.summary\.", path)}
    printed |= {"targets[].before.summary", "targets[].after.summary"}
    return compare(printed, described(text), "Diff", problems)


def main():
    tool, fixtures, document_path, *more = sys.argv[1:]
    with open(document_path, encoding="utf-8") as file:
        page = file.read()
    wanted = described(page.split("## Shapes")[0])
    printed, problems, texts = set(), [], {}
    models = sorted(glob.glob(os.path.join(fixtures, "*.onnx"))) + more
    for model in models:
        def complain(text, model=model):
            problems.append(f"{os.path.basename(model)}: {text}")

        line = subprocess.run([tool, model, "--target", "hexagon", "--format", "json", "--detail", "tensors"],
                              check=True, stdout=subprocess.PIPE).stdout
        document = json.loads(line)
        fields(document, "", printed)
        check_document(document, texts, complain)
        shapes = subprocess.run([tool, model, "--target", "hexagon", "--shapes"], check=True,
                                stdout=subprocess.PIPE).stdout
        check_tensors(document["targets"][0], json.loads(shapes), complain)
    for name, target, *more in OTHERS:  # what hexagon has nothing of in its newest release
        model = os.path.join(fixtures, f"{name}.onnx")
        line = subprocess.run([tool, model, "--target", target, "--format", "json", *more], check=True,
                              stdout=subprocess.PIPE).stdout
        fields(json.loads(line), "", printed)
    printed = {re.sub(r"^targets\[\]\.", "", path) for path in printed}
    count = compare(printed, wanted, document_path, problems)
    count += check_placements(tool, fixtures, page.split("## Placement")[1].split("## Fix")[0], problems)
    count += check_fixes(tool, fixtures, page.split("## Fix")[1].split("## Diff")[0], problems)
    count += check_diffs(tool, fixtures, page.split("## Diff")[1], problems)
    for problem in problems:
        print("json:", problem, file=sys.stderr)
    print(f"json: {count} fields, {len(models)} fixtures, {len(problems)} problems")
    return 1 if problems or not models else 0


if __name__ == "__main__":
    sys.exit(main())
