#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every document over all models, read as the programs do that it is for; and names that try to be more than names.

SARIF: each object has the properties that the standard requires and no others (sarif-om is generated from its schema),
and sarif-tools reads it. Annotations: parsed as the runner of GitHub Actions does. Markdown: rendered by markdown-it.
JUnit: read by junitparser. CSV: by Python's reader. DOT: by Graphviz. SVG: by expat. PNG: chunk by chunk.
HTML: by Python's parser. Counts are those of the JSON report.

usage: formats.py TOOL FIXTURES
"""
from __future__ import annotations

import base64
import csv
import hashlib
import html.parser
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree
import zlib
from typing import Any, Callable, Iterator

import attr
import junitparser
import sarif_om
from hostile import NAMES, field, hostile_model
from markdown_it import MarkdownIt
from sarif import loader

problems: list[str] = []
checked = 0


def expect(holds: object, what: str) -> None:
    """Counts a check, and notes what does not hold."""
    global checked
    checked += 1
    if not holds:
        problems.append(what)


class Run:
    """Models and options that every format is asked for."""

    def __init__(self, name: str, tool: str, models: list[str], options: list[str], folder: str) -> None:
        self.name, self.tool, self.models, self.options, self.folder = name, tool, models, options, folder

    def ask(self, form: str, *more: str) -> bytes:
        """The document."""
        done = subprocess.run([self.tool, "--format", form, *self.options, *more, "--", *self.models], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        expect(done.returncode in (0, 1, 3), f"{self.name}: {form}: exit {done.returncode}")
        return done.stdout

    def reports(self) -> list[dict[str, Any]]:
        """The JSON reports of the models that can be analyzed."""
        return [json.loads(line) for line in self.ask("json", "--detail", "causes").splitlines()]


# ---- SARIF ---------------------------------------------------------------------------------------------------------

SARIF_CLASSES = {
    "runs": "Run", "tool": "Tool", "driver": "ToolComponent", "rules": "ReportingDescriptor", "results": "Result",
    "shortDescription": "MultiformatMessageString", "fullDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString", "defaultConfiguration": "ReportingConfiguration", "message": "Message",
    "locations": "Location", "relatedLocations": "Location", "physicalLocation": "PhysicalLocation",
    "artifactLocation": "ArtifactLocation", "analysisTarget": "ArtifactLocation", "region": "Region",
    "logicalLocations": "LogicalLocation", "suppressions": "Suppression", "invocations": "Invocation",
    "toolExecutionNotifications": "Notification", "description": "Message",
}
# What a code host requires besides.
HOST_REQUIRES = {
    "SarifLog": {"$schema"}, "Run": {"results"}, "ToolComponent": {"rules", "version"},
    "ReportingDescriptor": {"shortDescription", "fullDescription", "help"},
    "Result": {"ruleId", "ruleIndex", "level", "locations", "partialFingerprints"},
    "Region": {"startLine", "startColumn", "endLine", "endColumn"}, "ArtifactLocation": set(), "Message": {"text"},
}
URI = re.compile(r"(?:file:///?)?(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})*\Z")


def check_object(value: dict[str, Any], kind: str, where: str) -> None:
    """An object has what is required of its kind, nothing that is unknown, and so on within it."""
    fields = attr.fields(getattr(sarif_om, kind))
    known = {at.metadata["schema_property_name"]: at.default is attr.NOTHING for at in fields}
    required = {name for name, is_required in known.items() if is_required} | HOST_REQUIRES.get(kind, set())
    if kind == "SarifLog":
        known["$schema"] = False
    expect(required <= set(value), f"{where}: a {kind} lacks {required - set(value)}")
    expect(set(value) <= set(known), f"{where}: a {kind} has {set(value) - set(known)}")
    for name, inner in value.items():
        if name == "originalUriBaseIds":
            for base in inner.values():
                check_object(base, "ArtifactLocation", where)
        elif name in SARIF_CLASSES:
            for item in inner if isinstance(inner, list) else [inner]:
                check_object(item, SARIF_CLASSES[name], where)


def places(value: object) -> Iterator[dict[str, Any]]:
    """Every artifactLocation within."""
    if isinstance(value, list):
        for item in value:
            yield from places(item)
    elif isinstance(value, dict):
        if "uri" in value:
            yield value
        for item in value.values():
            yield from places(item)


def check_message(text: str, where: str) -> None:
    """No placeholder and no link."""
    expect("](" not in text, f"{where}: a link in {text!r}")
    expect(not re.search(r"(?<!\{)(\{\{)*\{(?!\{)", text), f"{where}: a placeholder in {text!r}")


def check_results(run: dict[str, Any], where: str) -> None:
    """Results refer to rules, and can be told apart."""
    rules = run["tool"]["driver"]["rules"]
    expect(len({rule["id"] for rule in rules}) == len(rules), f"{where}: a rule twice")
    for rule in rules:
        expect(all(0 < len(rule[name]["text"]) <= 1024 for name in ("shortDescription", "fullDescription")),
               f"{where}: a description of {rule['id']}")
        expect(rule["help"]["text"] and len(rule["properties"]["tags"]) <= 10, f"{where}: help of {rule['id']}")
    seen = set()
    for result in run["results"]:
        expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"{where}: the rule of {result['ruleId']}")
        expect(result["level"] in ("error", "warning", "note"), f"{where}: level {result['level']}")
        expect(len(result["locations"]) == 1, f"{where}: {len(result['locations'])} locations")
        related = result.get("relatedLocations", [])
        expect(len(related) <= 100, f"{where}: {len(related)} related locations")
        expect([at["id"] for at in related] == list(range(1, len(related) + 1)), f"{where}: ids of related locations")
        check_message(result["message"]["text"], where)
        print_of = (json.dumps(result["locations"][0]["physicalLocation"]), result["ruleId"],
                    result["partialFingerprints"]["primaryLocationLineHash"])
        expect(print_of not in seen, f"{where}: the same fingerprint twice: {print_of}")
        seen.add(print_of)
    for place in places(run):
        expect(URI.match(place["uri"]), f"{where}: no URI: {place['uri']}")
        expect(("uriBaseId" in place) != place["uri"].startswith("file://"), f"{where}: the base of {place['uri']}")


def check_sarif(run: Run) -> None:
    """One run; a result for each cause and target, and for each threshold that is not met."""
    where = f"{run.name}: sarif"
    text = run.ask("sarif")
    log = json.loads(text)
    check_object(log, "SarifLog", where)
    expect(log["version"] == "2.1.0" and len(log["runs"]) == 1, f"{where}: version and runs")
    found = log["runs"][0]
    check_results(found, where)
    reports = run.reports()
    causes = sum(len(target["causes"]) for report in reports for target in report["targets"])
    told = [result for result in found["results"] if not result["ruleId"].startswith("threshold/")]
    expect(len(told) == causes, f"{where}: {len(told)} results of {causes} causes")
    invocation = found["invocations"][0]
    unread = len(run.models) - len(reports)
    told = [notification["level"] for notification in invocation["toolExecutionNotifications"]]
    expect(told.count("error") == unread and set(told) <= {"error", "note"}, f"{where}: notifications {told}")
    expect(invocation["executionSuccessful"] == (unread == 0), f"{where}: executionSuccessful")
    decoded = {urllib.parse.unquote_to_bytes(result["analysisTarget"]["uri"]) for result in found["results"]}
    expect(decoded <= {os.fsencode(path).removeprefix(b"./") for path in run.models} |
           {b"file://" + os.fsencode(path) for path in run.models}, f"{where}: paths {decoded}")
    with tempfile.NamedTemporaryFile(suffix=".sarif") as file:
        file.write(text)
        file.flush()
        read = loader.load_sarif_file(file.name)
        count = read.get_result_count()
        expect(count == len(found["results"]), f"{where}: sarif-tools reads {count}")
        expect(all(record["Location"] for record in read.get_records()), f"{where}: sarif-tools finds no location")


# ---- annotations ---------------------------------------------------------------------------------------------------


def unescape(text: str, is_property: bool) -> str:
    """As the runner does, `%25` last."""
    table = [("%0D", "\r"), ("%0A", "\n")] + ([("%3A", ":"), ("%2C", ",")] if is_property else []) + [("%25", "%")]
    for escape, character in table:
        text = text.replace(escape, character)
    return text


def parse_command(line: str) -> tuple[str, dict[str, str], str]:
    """A line as the runner takes it: command, properties, message."""
    head, _, message = line[2:].partition("::")
    command, _, rest = head.partition(" ")
    pairs = [pair.split("=", 1) for pair in rest.split(",")]
    return command, {key: unescape(value, True) for key, value in pairs}, unescape(message, False)


def check_github(run: Run) -> None:
    """Nothing but annotations; no more than are shown."""
    where = f"{run.name}: github"
    text = run.ask("github").decode()
    counts = {"error": 0, "warning": 0, "notice": 0}
    shown = {re.sub(r"^\./", "", path) for path in run.models}
    expect("##[" not in text and "\r" not in text, f"{where}: another command")
    accepted = r"npu-partition: \d+ accepted causes? (is|are) not annotated"
    for line in text.splitlines():
        if re.fullmatch(accepted, line):  # for the log
            continue
        expect(line.startswith("::"), f"{where}: no command: {line}")
        command, properties, message = parse_command(line)
        expect(command in counts, f"{where}: the command {command}")
        counts[command] = counts.get(command, 0) + 1
        expect(message and set(properties) <= {"file", "line", "title"}, f"{where}: {line}")
        if command == "error":
            file = properties["file"].replace("# #", "##").replace("# #", "##")
            expect(file in shown or "\\" in file, f"{where}: the file {file}")
    expect(counts["error"] <= 10 and counts["warning"] <= 10 and counts["notice"] <= 1, f"{where}: {counts}")


def check_gitlab(run: Run) -> None:
    """What GitLab asks of a Code Quality report; a fingerprint is of one finding."""
    where = f"{run.name}: gitlab"
    found = json.loads(run.ask("gitlab"))
    shown = {re.sub(r"^\./", "", path) for path in run.models}
    for item in found:
        keys = {"description", "check_name", "fingerprint", "severity", "location"}
        expect(set(item) == keys and item["description"] and item["check_name"], f"{where}: {item}")
        expect(item["severity"] in ("info", "minor", "major", "critical", "blocker"), f"{where}: {item['severity']}")
        place = item["location"]
        expect(place["lines"]["begin"] >= 1 and place["path"], f"{where}: {place}")
        expect(not place["path"].startswith("/") or place["path"] in shown, f"{where}: {place}")
    prints = [item["fingerprint"] for item in found]
    expect(len(set(prints)) == len(prints), f"{where}: fingerprints that are the same")


# ---- Markdown ------------------------------------------------------------------------------------------------------


def flat(tokens: list[Any]) -> Iterator[Any]:
    """Tokens with those within."""
    for token in tokens:
        yield token
        yield from flat(token.children or [])


def check_markdown(run: Run) -> None:
    """Short, and inert: no link, image, mention, reference or HTML but what folds."""
    where = f"{run.name}: markdown"
    text = run.ask("markdown").decode()
    expect(len(text) <= 65536, f"{where}: {len(text)} characters")
    tokens = list(flat(MarkdownIt("gfm-like").parse(text)))
    for token in tokens:
        expect(token.type not in ("link_open", "image", "html_inline"), f"{where}: {token.type}: {token.content!r}")
        if token.type == "html_block":
            expect(re.fullmatch(r"<details><summary>[A-Za-z, ]*</summary>|</details>", token.content.strip()),
                   f"{where}: HTML: {token.content!r}")
        if token.type == "text":
            expect(not re.search(r"[@#]\w|[!$%&]\w|~[a-z]|[a-z]://|www\.\S|\bG[HL]-\d", token.content, re.IGNORECASE),
                   f"{where}: a mention, a reference or an address: {token.content!r}")
    visible = re.sub(r"^<details>.*?^</details>$", "(folded)", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in visible.splitlines() if line.strip() and not line.startswith("|--")]
    expect(len(lines) <= 20, f"{where}: {len(lines)} lines")
    opened, closed = (len(re.findall(pattern, text, flags=re.MULTILINE)) for pattern in ("^<details>", "^</details>$"))
    expect(opened == closed, f"{where}: {opened} details, {closed} ends")
    rows = len(re.findall(r"^\|", visible, flags=re.MULTILINE)) - 2
    wanted = sum(len(report["targets"]) for report in run.reports())
    expect(rows == min(8, wanted + len(run.models) - len(run.reports())), f"{where}: {rows} rows")
    cells = [sum(inner.type == "td_open" for inner in tokens), sum(inner.type == "th_open" for inner in tokens)]
    expect(cells[0] % 7 == 0 and cells[1] % 7 == 0, f"{where}: {cells} cells")
    contents = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "td_open"]
    for last in contents[6::7]:
        allowed = r"( with \\-\\-allow [a-z,\\-]+)?"
        answers = rf"(probably, )?after the fix{allowed}|yes|probably( not)?|no, stay on the CPU|about equal|no estimate"
        expect(not last or re.match(rf"({answers})( \\\(the first \d+ steps\\\))?\\: .", last),
               f"{where}: the last cell of a row: {last!r}")


# ---- JUnit ---------------------------------------------------------------------------------------------------------


def check_junit(run: Run) -> None:
    """A suite a model; its counts are those of its cases."""
    where = f"{run.name}: junit"
    suites = list(junitparser.JUnitXml.fromstring(run.ask("junit")))
    expect(len(suites) == len(run.models), f"{where}: {len(suites)} suites of {len(run.models)} models")
    for suite in suites:
        cases = list(suite)
        results = [result for case in cases for result in case.result]
        counts = [sum(isinstance(result, kind) for result in results)
                  for kind in (junitparser.Failure, junitparser.Error, junitparser.Skipped)]
        expect([suite.failures, suite.errors, suite.skipped] == counts, f"{where}: {suite.name}: {counts}")
        expect(suite.tests == len(cases) > 0, f"{where}: {suite.name}: {len(cases)} cases")
        expect(all(case.name and case.classname == suite.name for case in cases), f"{where}: {suite.name}: names")
        expect(all(result.message for result in results), f"{where}: {suite.name}: messages")


# ---- CSV -----------------------------------------------------------------------------------------------------------


def read_csv(run: Run, *options: str) -> list[dict[str, str]]:
    """Rows by names of columns."""
    text = run.ask("csv", *options).decode()
    expect(text.endswith("\r\n") and "\n" not in text.replace("\r\n", ""), f"{run.name}: csv: line ends")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        expect(None not in row and None not in row.values(), f"{run.name}: csv: cells of {row}")
        for value in row.values():
            expect(not value.startswith(("=", "+", "-", "@", "\t", "\r")), f"{run.name}: csv: a formula: {value}")
    return rows


def check_csv(run: Run) -> None:
    """The same numbers as in JSON."""
    where = f"{run.name}: csv"
    reports = run.reports()
    targets = [target for report in reports for target in report["targets"]]
    rows = read_csv(run)
    told = [row for row in rows if row["target"]]
    expect(len(told) == len(targets) and len(rows) - len(told) == len(run.models) - len(reports), f"{where}: rows")
    expect(all(row["error"] for row in rows if not row["target"]), f"{where}: errors")
    for row, target in zip(told, targets):
        summary = target["summary"]
        for name in ("partitions", "nodes", "live", "accepted", "refused", "failed", "unknown", "switches", "folded"):
            expect(row[name] == str(summary[name]), f"{where}: {name} {row[name]}, not {summary[name]}")
        expect(row["verdict"] == summary["verdict"], f"{where}: verdict")
        expect(float(row["coverage"]) == summary["coverage"], f"{where}: coverage")
        expect(row["typical_ms"] == "" if target["cost"]["typical_ms"] is None else
               float(row["typical_ms"]) == target["cost"]["typical_ms"], f"{where}: cost")
    causes = read_csv(run, "--detail", "causes")
    expect(len(causes) == sum(len(target["causes"]) for target in targets), f"{where}: causes")
    expect(all(int(row["affected_nodes"]) >= 0 for row in causes), f"{where}: affected nodes")
    nodes = read_csv(run, "--detail", "nodes")
    expect(len(nodes) == sum(target["summary"]["nodes"] for target in targets), f"{where}: {len(nodes)} nodes")


# ---- pictures ------------------------------------------------------------------------------------------------------

BOX = re.compile(r"(inputs|npu|cpu|outputs|repeats|rest)(\d+)\Z")
NODE_ATTRIBUTES = {"_gvid", "name", "label", "tooltip", "id", "shape", "style", "fillcolor", "color", "penwidth",
                   "peripheries", "fontname", "fontsize", "fontcolor"}


def read_dot(text: bytes) -> list[dict[str, Any]]:
    """The digraphs, as Graphviz reads them."""
    # osage, as a layout of ranks takes minutes for all graphs; what is read here is the same.
    done = subprocess.run(["dot", "-Kosage", "-Tdot_json"], input=text, capture_output=True)
    expect(done.returncode == 0 and not done.stderr, f"dot: {done.stderr.decode(errors='replace')[:200]}")
    graphs, decoder, rest = [], json.JSONDecoder(), done.stdout.decode("utf-8")
    while rest.strip():
        graph, end = decoder.raw_decode(rest.lstrip())
        graphs.append(graph)
        rest = rest.lstrip()[end:]
    return graphs


def check_acyclic(names: list[str], edges: list[tuple[str, str]], where: str) -> None:
    """No way leads back."""
    waits = {name: sum(end == name for _, end in edges) for name in names}
    ready, done = [name for name in names if not waits[name]], 0
    followers: dict[str, list[str]] = {}
    for begin, end in edges:
        followers.setdefault(begin, []).append(end)
    while ready:
        done += 1
        for end in followers.get(ready.pop(), []):
            waits[end] -= 1
            if not waits[end]:
                ready.append(end)
    expect(done == len(names), f"{where}: a cycle")


def check_tensors(edges: dict[tuple[str, str], int], target: dict[str, Any], where: str) -> None:
    """What is transferred is what the JSON report says."""
    wanted: dict[tuple[int | None, int | None], int] = {}
    for crossing in target["crossings"]:
        ends = crossing["from"], crossing["to"]
        wanted[ends] = wanted.get(ends, 0) + 1
    for (begin, end), count in wanted.items():
        if begin is None:
            found = sum(n for (a, b), n in edges.items() if b == f"npu{end}" and not a.startswith("npu"))
        elif end is None:
            found = sum(n for (a, b), n in edges.items() if a == f"npu{begin}" and not b.startswith("npu"))
            found = min(found, count)  # it may go to several boxes
        else:
            found = edges.get((f"npu{begin}", f"npu{end}"), 0)
        expect(found == count, f"{where}: {found} tensors from {begin} to {end}, not {count}")


def check_boxes(graph: dict[str, Any], where: str) -> None:
    """Nothing but boxes, bodies and edges between them, whatever names say."""
    for item in graph.get("objects", []):
        if "nodes" in item or "subgraphs" in item or item["name"].startswith("cluster"):
            expect(re.fullmatch(r"cluster_body\d+", item["name"]), f"{where}: the cluster {item['name']}")
            continue
        expect(item["name"] == "error" or BOX.match(item["name"]), f"{where}: the box {item['name']}")
        expect(set(item) <= NODE_ATTRIBUTES, f"{where}: attributes {set(item) - NODE_ATTRIBUTES}")
        expect(item["label"] and len(item["label"]) < 2000, f"{where}: the label of {item['name']}")


def check_plan(graph: dict[str, Any], target: dict[str, Any], where: str) -> None:
    """Every box drawn: partitions, hand-overs and tensors of the report."""
    names = {item["_gvid"]: item["name"] for item in graph.get("objects", []) if not item["name"].startswith("cluster")}
    partitions = sorted(int(name[3:]) for name in names.values() if name.startswith("npu"))
    expect(partitions == [part["id"] for part in target["partitions"]], f"{where}: partitions {partitions}")
    told = [edge for edge in graph.get("edges", []) if edge.get("style") not in ("invis", "dashed")]
    tensors: dict[tuple[str, str], int] = {}
    for edge in told:
        count = re.match(r"(\d+) tensors, ", edge["label"])
        tensors[names[edge["tail"]], names[edge["head"]]] = int(count[1]) if count else 1
    expect(len(tensors) == len(told), f"{where}: two edges between the same boxes")
    check_acyclic(list(names.values()), [(names[edge["tail"]], names[edge["head"]]) for edge in graph.get("edges", [])],
                  where)
    check_tensors(tensors, target, where)
    follow = [(names[edge["tail"]], names[edge["head"]]) for edge in graph.get("edges", [])
              if edge.get("style") != "dashed"]
    kinds = [("npu" if begin.startswith("npu") else "cpu", "npu" if end.startswith("npu") else "cpu")
             for begin, end in dict.fromkeys(follow) if is_next(begin, end, names)]
    expect(len(kinds) == 0 or target["summary"]["switches"] == sum(a != b for a, b in kinds),
           f"{where}: {sum(a != b for a, b in kinds)} switches, not {target['summary']['switches']}")


def is_next(begin: str, end: str, names: dict[int, str]) -> bool:
    """Whether these run one after the other: boxes stand in execution order."""
    order = [name for name in names.values() if name.startswith(("npu", "cpu"))]
    return begin in order and end in order and order.index(end) == order.index(begin) + 1


def check_dot(run: Run) -> None:
    """A digraph for each plan, and for each model that cannot be analyzed."""
    where = f"{run.name}: dot"
    reports = run.reports()
    wanted = sum(len(report["targets"]) for report in reports) + len(run.models) - len(reports)
    graphs = read_dot(run.ask("dot"))
    expect(len(graphs) == wanted, f"{where}: {len(graphs)} digraphs, not {wanted}")
    for graph in graphs:
        check_boxes(graph, where)
        expect(len(graph.get("objects", [])) <= 260, f"{where}: {len(graph.get('objects', []))} boxes")


def check_whole_dot(run: Run) -> None:
    """With every box: what the report says."""
    reports = [json.loads(line) for line in run.ask("json").splitlines()]
    graphs = read_dot(run.ask("dot", "--detail", "nodes"))
    targets = [(report["model"]["path"], target) for report in reports for target in report["targets"]]
    expect(len(graphs) == len(targets) == len(run.models) * len(reports[0]["targets"]), f"{run.name}: whole digraphs")
    for graph, (path, target) in zip(graphs, targets):
        check_plan(graph, target, f"{path}, {target['name']}")


def image_size(image: bytes) -> tuple[int, int] | None:
    """Of a PNG file that is whole: its chunks lie one after the other, each with its checksum."""
    at, kinds = 8, []
    while image.startswith(b"\x89PNG\r\n\x1a\n") and at + 12 <= len(image):
        length, kind = struct.unpack(">I4s", image[at:at + 8])
        (checksum,) = struct.unpack(">I", image[at + 8 + length:at + 12 + length])
        if checksum != zlib.crc32(image[at + 4:at + 8 + length]):
            return None
        kinds.append(kind)
        at += 12 + length
    is_whole = at == len(image) and kinds[:1] == [b"IHDR"] and kinds[-1:] == [b"IEND"] and b"IDAT" in kinds
    return struct.unpack(">II", image[16:24]) if is_whole else None


def check_png(run: Run) -> None:
    """An image of the digraph, as large as Graphviz says that it is."""
    where = f"{run.name}: png of {run.models[0]}"
    drawn = subprocess.run(["dot", "-Tpng"], input=run.ask("dot"), stdout=subprocess.PIPE, check=True)
    size = image_size(run.ask("png"))
    expect(size and size == image_size(drawn.stdout) and min(size) > 50, f"{where}: {size}")


def check_colours(run: Run, root: str) -> None:
    """Pictures have the colours of the page, light and dark."""
    with open(os.path.join(root, "web/page/base.css"), encoding="utf-8") as file:
        css = file.read()
    for name in ("npu", "cpu", "fail", "unknown"):
        light, dark = (colour.encode() for colour in re.findall(rf"--{name}: (#\w+);", css))
        expect(light in run.ask("svg") and dark in run.ask("svg"), f"{run.name}: svg: --{name} of the page")
        expect(light in run.ask("dot"), f"{run.name}: dot: --{name} of the page")


def check_terminal(run: Run) -> None:
    """An image is nothing for a terminal."""
    reader, terminal = os.openpty()
    done = subprocess.run([run.tool, *run.models, *run.options, "--format", "png"], cwd=run.folder, stdout=terminal,
                          stderr=subprocess.PIPE)
    os.close(terminal)
    os.close(reader)
    expect(done.returncode == 2 and b"terminal" in done.stderr, f"{run.name}: png to a terminal: {done.stderr!r}")


SVG_ATTRIBUTES = {"class", "x", "y", "width", "height", "rx", "d", "id", "role", "transform", "viewBox",
                  "aria-labelledby"}


def check_svg(run: Run, *options: str) -> None:
    """Well-formed, inert, and with the boxes and edges of the digraphs."""
    where = f"{run.name}: svg"
    text = run.ask("svg", *options)
    root = xml.etree.ElementTree.fromstring(text)
    ids = [item.get("id") for item in root.iter() if item.get("id")]
    expect(len(set(ids)) == len(ids), f"{where}: an id twice")
    for item in root.iter():
        tag = item.tag.removeprefix("{http://www.w3.org/2000/svg}")
        expect(tag in ("svg", "title", "desc", "style", "rect", "g", "path", "text"), f"{where}: <{tag}>")
        expect(set(item.attrib) <= SVG_ATTRIBUTES, f"{where}: attributes {set(item.attrib) - SVG_ATTRIBUTES}")
        expect(tag != "style" or not re.search("url|@import|:\\s*//", item.text or ""), f"{where}: the style")
        expect(len(item.text or "") < 4000, f"{where}: a long text in <{tag}>")
        for name in ("x", "y"):
            most = int(root.get({"x": "width", "y": "height"}[name]) or 0)
            expect(0 <= int(item.get(name, "0")) < most, f"{where}: {name} of <{tag}>")
    wanted = set()
    for graph in read_dot(run.ask("dot", *options)):
        wanted |= {item["id"] for item in [graph, *graph.get("objects", []), *graph.get("edges", [])] if "id" in item}
    found = set(ids) - {"np-title", "np-desc"}
    expect(found == wanted, f"{where}: not in both: {sorted(found ^ wanted)[:6]}")


# ---- HTML ----------------------------------------------------------------------------------------------------------

MOST_PAGE_BYTES = 500_000  # of a page without its reports


class Page(html.parser.HTMLParser):
    """A page's scripts, styles and policy; and whatever else could run or load something."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[tuple[str, str]] = []  # kind and text
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.policy: dict[str, list[str]] = {}
        self.others: list[str] = []
        self._open: dict[str, str | None] | None = None
        self._text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what is allowed to be there, and what is not."""
        found = dict(attrs)
        if tag in ("script", "style"):
            self._open, self._text = found, ""
        elif found.get("http-equiv") == "Content-Security-Policy":
            directives = [words.split() for words in (found["content"] or "").split(";")]
            self.policy = {words[0]: words[1:] for words in directives}
        elif tag not in ("html", "head", "meta", "title", "body", "div", "noscript", "code"):
            self.others.append(tag)
        self.others += [name for name in found if name.startswith("on") or name in ("src", "href", "style")]

    def handle_data(self, data: str) -> None:
        """Gathers the text of a script or style."""
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        """Puts what was gathered where it belongs."""
        if tag == "style":
            self.styles.append(self._text)
        elif tag == "script" and self._open is not None and "type" in self._open:
            expect(self._open == {"type": "application/json", "class": "npart-data",
                                  "data-kind": self._open.get("data-kind")}, f"html: a block with {self._open}")
            self.blocks.append((self._open["data-kind"] or "", self._text))
        elif tag == "script":
            self.scripts.append(self._text)
        self._open = None if tag in ("script", "style") else self._open


def original(block: str) -> str:
    """What a block was made of: escapes after an even number of backslashes are the page's own."""
    def replaced(found: re.Match[str]) -> str:
        return found[1] + chr(int(found[2], 16))

    return re.sub(r"(?<!\\)((?:\\\\)*)\\u(003c)", replaced, block)


def hash_of(text: str) -> str:
    """As a policy writes it."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def read_page(where: str, text: str) -> Page:
    """A page that runs its own script and loads nothing."""
    page = Page(text)
    expect(not page.others, f"{where}: {page.others}")
    expect(len(page.scripts) == 1 and len(page.styles) == 1, f"{where}: scripts and styles")
    expect(page.policy.get("default-src") == ["'none'"], f"{where}: policy {page.policy}")
    expect(page.policy.get("script-src") == list(map(hash_of, page.scripts)), f"{where}: the script's hash")
    expect(page.policy.get("style-src") == list(map(hash_of, page.styles)), f"{where}: the style's hash")
    expect(page.policy.get("base-uri") == page.policy.get("form-action") == ["'none'"], f"{where}: policy")
    expect(set(sum(page.policy.values(), [])) <= {"'none'", "data:", *map(hash_of, page.scripts + page.styles)},
           f"{where}: policy {page.policy}")
    frame = len(text.encode()) - sum(len(block.encode()) for _, block in page.blocks)
    expect(frame < MOST_PAGE_BYTES, f"{where}: the page takes {frame} bytes without its reports")
    for kind, block in page.blocks:
        expect(kind in ("report", "outcomes", "error", "diff", "fix"), f"{where}: a block of {kind}")
        expect("<" not in block and "\u2028" not in block and "\u2029" not in block, f"{where}: markup in a block")
        expect(isinstance(json.loads(block), dict), f"{where}: a block of {kind} is no object")
    return page


def check_html(run: Run) -> None:
    """A block for each model is what --format json prints; the same bytes again."""
    where = f"{run.name}: html"
    text = run.ask("html")
    page = read_page(where, text.decode())
    expect(run.ask("html") == text, f"{where}: other bytes when asked again")
    kinds = [kind for kind, _ in page.blocks]
    for detail in ([], ["--detail", "summary"]):
        like = detail or ["--detail", "tensors"]
        blocks = read_page(where, run.ask("html", *detail).decode()).blocks if detail else page.blocks
        reports = "".join(original(block) for kind, block in blocks if kind == "report")
        expect(reports.encode() == run.ask("json", *like), f"{where}: not the bytes of --format json {like}")
    errors = [json.loads(block) for kind, block in page.blocks if kind == "error"]
    expect(len(errors) + kinds.count("report") == len(run.models), f"{where}: {kinds}")
    expect(all(set(error) == {"path", "text"} and error["text"] for error in errors), f"{where}: {errors}")
    limited = any(option.startswith("--max-") for option in run.options)
    expect(kinds.count("outcomes") == (kinds.count("report") if limited else 0), f"{where}: {kinds}")


def check_pages(tool: str, root: str, folder: str) -> None:
    """What commands beside the analysis show, and reports that were saved."""
    def ask(*words: str) -> tuple[bytes, list[tuple[str, str]]]:
        done = subprocess.run([tool, *words], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(done.returncode in (0, 1), f"html: {words}: exit {done.returncode} {done.stderr!r}")
        is_page = words[-1] == "html"
        return done.stdout, read_page(f"html: {words[0]}", done.stdout.decode()).blocks if is_page else []

    def reports(*words: str) -> list[str]:
        return [ask(*words, "--detail", "tensors", "--format", "json")[0].decode()]

    before, after = "fixtures/detector.dynamo.onnx", "fixtures/mobilenetv2.dynamo.onnx"
    targets = ["-t", "hexagon,tidl"]
    one, two = reports(before, *targets), reports(after, *targets)
    saved = os.path.join(folder, "saved.json")
    with open(saved, "w", encoding="utf-8") as file:
        file.write(two[0] + "\n " + one[0])
    for old in (before, saved):
        more = ["--model", before] if old == saved else []
        _, blocks = ask("diff", old, after, *targets, *more, "--format", "html")
        compared = ask("diff", old, after, *targets, *more, "--format", "json")[0].decode()
        expect([kind for kind, _ in blocks] == ["report", "report", "diff"], f"html: diff of {old}")
        expect([original(block).strip() for _, block in blocks] == [text.strip() for text in (*one, *two, compared)],
               f"html: diff of {old}: not what JSON says")
    _, blocks = ask("diff", before, "-t", "hexagon", "--against", "tidl", "--format", "html")
    shown = [json.loads(block)["targets"] for kind, block in blocks if kind == "report"]
    expect([[target["target"] for target in one] for one in shown] == [["hexagon"], ["tidl"]], "html: diff --against")
    fixed = os.path.join(folder, "fixed.onnx")
    _, blocks = ask("fix", before, *targets[:1], "hexagon", "-o", fixed, "--format", "html")
    texts = [original(block) for _, block in blocks]
    expect([kind for kind, _ in blocks] == ["report", "report", "diff", "fix"], "html: fix")
    expect(texts[0] == reports(before, "-t", "hexagon")[0], "html: fix: the report before")
    expect(texts[3] == ask("fix", before, "-t", "hexagon", "-o", fixed, "--format", "json")[0].decode(), "html: fix")
    written = json.loads(reports(fixed, "-t", "hexagon")[0])["targets"][0]
    planned = json.loads(texts[1])["targets"][0]
    expect(written["summary"] == planned["summary"] and written["partitions"] == planned["partitions"],
           "html: fix: the report after is not of what was written")
    _, blocks = ask("check", before, "-t", "hexagon", "--max-partitions", "1", "--format", "html")
    expect([kind for kind, _ in blocks] == ["report", "outcomes"], "html: check")
    outcome = json.loads(blocks[1][1])["outcomes"][0]
    expect(set(outcome) == {"target", "threshold", "is_met", "text", "waiver"} and not outcome["is_met"],
           f"html: check: {outcome}")


# ---- runs ----------------------------------------------------------------------------------------------------------

def make_hostile(folder: str) -> list[str]:
    """The models in files of such names, and a file that is no model."""
    models = []
    for i, name in enumerate(NAMES):
        path = name.replace(b"/", b"_").replace(b"\0", b"_")[:100] + b".%d.onnx" % i
        with open(os.path.join(os.fsencode(folder), path), "wb") as file:
            file.write(hostile_model(name, folder))
        models.append(os.fsdecode(path))
    with open(os.path.join(folder, "no\n::error::model.onnx"), "w", encoding="utf-8") as file:
        file.write("nothing of the kind")
    return models + ["no\n::error::model.onnx"]


def main() -> int:
    """Every run in every format."""
    tool, fixtures = (os.path.abspath(path) for path in sys.argv[1:3])
    root = os.path.dirname(fixtures)
    every = sorted(name for name in os.listdir(fixtures) if name.endswith(".onnx"))
    limits = ["--max-partitions", "1", "--min-coverage", "50%", "--fail-on", "split,fail,unknown"]
    checks: list[Callable[[Run], None]] = [check_sarif, check_github, check_gitlab, check_markdown, check_junit, check_csv,
                                            check_dot, check_svg, check_html]
    with tempfile.TemporaryDirectory() as folder:
        runs = [
            Run("one model", tool, ["fixtures/detector.dynamo.onnx"], ["-t", "hexagon"], root),
            Run("three models", tool, ["fixtures/" + name for name in every[:3]], ["-t", "hexagon,intel-npu", *limits],
                root),
            Run("all models", tool, ["fixtures/" + name for name in every], ["-t", "hexagon,nnapi,ethos-u", *limits],
                root),
            Run("absolute", tool, [os.path.join(fixtures, every[0]), "/nowhere/x.onnx"], ["-t", "hexagon"], folder),
            Run("hostile", tool, make_hostile(folder), ["-t", "hexagon,intel-npu", *limits], folder),
        ]
        for run in runs:
            for check in checks:
                check(run)
        check_pages(tool, root, folder)
        check_terminal(runs[0])
        check_colours(Run("all targets", tool, ["fixtures/" + name for name in every], ["-t", "all"], root), root)
        check_png(runs[0])
        for model in runs[-1].models[::4]:  # read_dot has read all of them
            check_png(Run("hostile", tool, [model], ["-t", "hexagon"], folder))
        for model in runs[-1].models:  # of all together few are told
            check_github(Run("hostile", tool, [model], runs[-1].options, folder))
        with open(os.path.join(folder, "long.onnx"), "wb") as file:
            file.write(hostile_model(b'"<n\xc3\xa9' * 200_000, folder))
        check_svg(Run("a name of 1 MB", tool, ["long.onnx"], ["-t", "hexagon"], folder))
        check_svg(Run("all targets", tool, ["fixtures/" + name for name in every], ["-t", "all"], root), "--detail",
                  "nodes")
        check_whole_dot(Run("all targets", tool, ["fixtures/" + name for name in every], ["-t", "all"], root))
    for problem in problems[:40]:
        print(f"formats: {problem}", file=sys.stderr)
    print(f"formats: {checked} checks, {len(problems)} problems")
    return 1 if problems or checked < 1000 else 0


sys.exit(main())
