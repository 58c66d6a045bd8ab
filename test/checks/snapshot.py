#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tool says of every fixture and of the models of every file of text cases, for all targets, against the files
of test/snapshot: no answer changes unseen, and a change is read in their diff.

FIXTURE.txt has a line a node, with the answer of the first targets; what each other target answers, by answer the nodes
that get it; what each target says of the whole, of the first one value a line; the report for people, and the shapes.
FIXTURE.dot is its picture. cases.txt has the answers of the nodes of each model of the text cases by the first targets
and by that which the file is named after, and how often the others give each; cases-hexagon.txt is of the files that
begin so. What is too long to be read, such as fusions, a description, or --explain of all nodes, is a digest. After an intended change run `make accept-snapshot` and read the diff:
each changed line is one that the change was to reach, or a surprise.

usage: snapshot.py TOOL FIXTURES CASE_MODELS FOLDER [--accept]
"""
import collections
import difflib
import hashlib
import json
import pathlib
import re
import subprocess
import sys

FIRST_TWO = ("hexagon", "intel-npu")  # whose answers stand at the nodes
TWO = ",".join(FIRST_TWO)
FIRST = "hexagon"  # of which all is written out
LONG = ("modules", "fusions", "order", "crossings", "layouts", "held_bytes_npu", "held_bytes_cpu")
PATH = re.compile(rb'"path": ?"(?:[^"\\]|\\.)*\.onnx"')
CASE = re.compile(rb"[^\s\"]*-\d{5}(?:\.fixed)?\.onnx")  # files of cases have numbers, which a new case moves
MOST_SHOWN = 60


def digest(*pieces):
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    return total.hexdigest()[:12]


def run(tool, *arguments):
    """What it prints, without the places of files; an error is an answer too."""
    done = subprocess.run([tool, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return PATH.sub(b'"path":""', done.stdout)


def compact(value):
    return json.dumps(value, ensure_ascii=False)


def ranges(ids):
    """1-4 7: the ids of a list, where they follow one another."""
    found, start, last = [], None, None
    for number in [*ids, None]:
        if last is not None and number != last + 1 if number is not None else last is not None:
            found.append(f"{start}-{last}" if last > start else f"{start}")
            start = number
        start = number if start is None else start
        last = number
    return " ".join(found)


def answer_of(node):
    """The verdict and its rules, without the target's name; what they found is in the digest of the nodes."""
    return " ".join([node["verdict"], *dict.fromkeys(r["rule"].split("/", 1)[-1] for r in node["reasons"])])


def grouped(answers):
    """By answer those that give it."""
    by_answer = collections.defaultdict(list)
    for who, answer in answers:
        by_answer[answer].append(who)
    return by_answer


def head_of(node):
    return f"{node['index']} {node['graph']}{' ' if node['graph'] else ''}{node['op']} {node['name']}"


def lines_of_nodes(targets):
    """Those of the file first, which every target has; then what stands in the place of a node for some."""
    heads = dict.fromkeys(head_of(node) for target in targets for node in target["nodes"])
    first = [{head_of(node): answer_of(node) for node in target["nodes"]}
             for target in targets if target["target"] in FIRST_TWO]
    for head in heads:
        answers = [answers[head] for answers in first if head in answers]
        yield f"{head}: {' | '.join(answers[:1] if len(set(answers)) == 1 else answers)}"


def lines_of_answers(target):
    """By answer the nodes that get it."""
    for answer, ids in sorted(grouped((node["index"], answer_of(node)) for node in target["nodes"]).items()):
        yield f"{answer}: nodes {ranges(sorted(ids))}"


def lines_of_member(key, value):
    if key == "partitions":
        for row in value:
            yield f"partition {row['id']}: nodes {ranges(row['nodes'])}; " + compact(
                {k: v for k, v in row.items() if k not in ("id", "nodes")})
    elif isinstance(value, list):
        for row in value:
            yield f"{key}: " + compact({k: ranges(v) if k == "nodes" and isinstance(v, list) else v
                                        for k, v in row.items()} if isinstance(row, dict) else row)
    elif isinstance(value, dict):
        yield from (f"{key}.{k}: {digest(compact(v).encode()) if k in LONG else compact(v)}" for k, v in value.items())
    else:
        yield f"{key}: {compact(value)}"


def lines_of_target(target):
    yield ""
    yield f"== {target['name']}"
    is_first, digests = target["target"] == FIRST, {}
    if target["target"] not in FIRST_TWO:
        yield from lines_of_answers(target)
    for key, value in target.items():
        if key == "nodes" or (key in LONG and not is_first):
            digests[key] = digest(compact(value).encode())
        elif key == "order":
            yield f"order: {ranges(value)}"
        elif is_first or isinstance(value, list):
            yield from lines_of_member(key, value)
        elif isinstance(value, dict):
            yield f"{key}: " + compact({k: digest(compact(v).encode()) if k in LONG else v for k, v in value.items()
                                        if v is not None})
    yield "digests: " + compact(digests)
    if not is_first:
        yield "and: " + compact({key: value for key, value in target.items() if not isinstance(value, (list, dict))})


def lines_of_fixture(tool, path):
    report = json.loads(run(tool, path, "--target", "all", "--format", "json"))
    yield from lines_of_member("model", report["model"])
    yield from lines_of_member("finding", report["findings"])
    yield from lines_of_nodes(report["targets"])
    for target in report["targets"]:
        yield from lines_of_target(target)
    for title, options in (("report", ["--target", TWO, "--verbose"]), ("shapes", ["--shapes"])):
        yield ""
        yield f"== {title}"
        yield from run(tool, path, *options).replace(str(path).encode(), b"").decode("utf-8", "replace").splitlines()
    yield ""
    for title, options in (("text of all", ["--target", "all", "--verbose"]),
                           ("level off", ["--target", "all", "--level", "off", "--format", "json"]),
                           ("explained", ["--target", TWO, "--verbose", "--explain", "e"])):
        yield f"{title}: {digest(run(tool, path, *options).replace(str(path).encode(), b''))}"


def is_asked(target, name):
    """Whether the file of cases is of this target, or the target one of the first."""
    return target in FIRST_TWO or name.removeprefix("evidence-").startswith(target.split("-")[0])


def lines_of_reports(name, printed):
    of_target, told = collections.defaultdict(hashlib.sha256), collections.defaultdict(collections.Counter)
    for number, line in enumerate(printed.splitlines(), 1):
        if not line.startswith(b"{"):
            yield f"{number}: " + CASE.sub(b"", line).decode("utf-8", "replace")
            continue
        answers = []
        for target in json.loads(line)["targets"]:
            verdicts = [node["verdict"] for node in target["nodes"]]
            of_target[target["target"]].update(compact(target).encode())
            told[target["target"]].update(verdicts)
            if is_asked(target["target"], name):
                answers.append((target["target"], " ".join(verdicts)))
        yield from (f"{number}: {answer}: {' '.join(who)}" for answer, who in grouped(answers).items())
    for target, total in of_target.items():
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(told[target].items()))
        yield f"{target}: {counts}; report {total.hexdigest()[:12]}"


def lines_of_cases(tool, folder, of_first):
    files = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).glob("*.onnx")):
        if path.name.startswith(FIRST) == of_first:
            files[path.name.rsplit("-", 1)[0]].append(path)
    ways = {"shapes": ["--shapes"], "text": ["--target", TWO, "--verbose"],
            "explained": ["--target", TWO, "--explain", "e"],
            "level off": ["--target", TWO, "--level", "off", "--format", "json"],
            "runs": ["--target", TWO, "--partitioner", "runs", "--format", "json"]}
    for name, paths in sorted(files.items()):
        yield f"== {name}.cases"
        yield from lines_of_reports(name, run(tool, *paths, "--target", "all", "--format", "json"))
        for way, options in ways.items():
            yield f"{way}: {digest(CASE.sub(b'', run(tool, *paths, *options)))}"


def lines_of_targets(tool):
    for target in re.findall(r"^(\S+) ", run(tool, "--list-targets").decode(), re.MULTILINE):
        described = run(tool, "--describe", target)
        yield f"== {target}: {len(described.splitlines())} lines, {digest(described)}"
        if target in FIRST_TWO:
            yield from described.decode().splitlines()


def pages_of(tool, fixtures, case_models):
    """The files' names and texts."""
    pages = {"cases.txt": lines_of_cases(tool, case_models, False),
             f"cases-{FIRST}.txt": lines_of_cases(tool, case_models, True), "targets.txt": lines_of_targets(tool)}
    for path in sorted(pathlib.Path(fixtures).glob("*.onnx")):
        pages[f"{path.stem}.txt"] = lines_of_fixture(tool, path)
        dot = run(tool, path, "--target", FIRST, "--format", "dot").replace(str(path).encode(), b"").decode()
        pages[f"{path.stem}.dot"] = dot.splitlines()
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in pages.items()}


def main():
    tool, fixtures, case_models, folder = sys.argv[1:5]
    folder = pathlib.Path(folder)
    pages = pages_of(tool, fixtures, case_models)
    before = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*") if path.is_file()}
    if sys.argv[5:] == ["--accept"]:
        folder.mkdir(exist_ok=True)
        for name in before.keys() - pages.keys():
            (folder / name).unlink()
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")
        return
    changes, lines = [], 0
    for name in sorted(before.keys() | pages.keys()):
        expected, printed = before.get(name, "").splitlines(), pages.get(name, "").splitlines()
        lines += len(printed)
        changes += [line for line in difflib.unified_diff(expected, printed, f"{folder}/{name}", "printed", n=0)
                    if not line.startswith(("@@", "+++"))]
    for line in changes[:MOST_SHOWN]:
        print(line.rstrip()[:400], file=sys.stderr)
    if len(changes) > MOST_SHOWN:
        print(f"and {len(changes) - MOST_SHOWN} more", file=sys.stderr)
    print(f"snapshot: {len(pages)} files, {lines} lines, {sum(line[0] == '+' for line in changes)} differ"
          + (" (intended? `make accept-snapshot`, then read the diff)" if changes else ""))
    sys.exit(1 if changes or not lines else 0)


if __name__ == "__main__":
    main()
