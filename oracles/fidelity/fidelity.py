#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare npu-partition with what a real compiler answered, node by node and partition by partition.

usage: fidelity.py --truth DIR --models DIR --tool build/npu-partition [--target hexagon[:60]] [options]
       fidelity.py --live --oracle ort_assign.py --python PYTHON --models DIR --tool ... [MODEL...]
       fidelity.py ... --summary docs/evidence/fidelity.md --date 2026-01-31 --compiler "onnxruntime 1.31.1, ..."

Three comparisons, each only where its files are there:

  node-tests  onnx's node tests, no rewriting: MODELS/onnx-node-tests.tar.gz against
              TRUTH/onnx-node-tests.TARGET.socN.jsonl.gz, for every N that has a file
  models      whole models, their dims bound as the answers had them: TRUTH/models.TARGET.socN.jsonl.gz;
              an answer at level all against the tool's `basic`, one at level off against its `off`; a target without
              a number: for every N that has a file
  exported    the same models with their symbols left in: TRUTH/models_as_exported.TARGET.socN.jsonl.gz

An answer names nodes by their place in the file. Those that the runtime made itself, folded, fused or renamed are
left out; one that it names and that the tool calls folded, fused or unknown is a disagreement. A session that the
provider refused is one item, agreed upon when the tool says that the model fails; sessions that ended otherwise
(the runtime cannot load the model, killed, a time limit) are left out. A memory error at finalize is a refusal too; two
figures are also given without those, as they were counted until 2026-11-22. What the tool calls unknown never agrees.

With --live, models that have no answer, or those named on the command line, are put to the compiler itself; together
with --truth it is a fourth comparison.
--summary writes a page with all figures and the most frequent disagreements. It says what is passed as --date and
--compiler, so that equal input makes an equal page. What stands there from "## Models never seen" on is kept.
--never-seen writes that part of the page alone, from models that campaign_export.py made and campaign_ask.py asked.
Exit status: 0 when the comparison ran, 1 when of fewer than 98 % of a comparison's models the partitions have the
compiler's contents (contents.py: nodes that both have, put into the same sets), 2 when it could not run.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import contents

MODELS_A_CALL = 500  # models in one command line
DEFAULT_SOC = "60"  # whom --live asks, where the target has no number


class CannotCompare(Exception):
    """The comparison itself could not run."""


# ---- answers ---------------------------------------------------------------------------------------------------


def is_refusal(error):
    """Of an answer: the provider claimed nodes and the session then failed, or ended the process (signals 6 and 11)."""
    return "EP_FAIL" in error[:40] or "was inserted using the NHWC" in error or error in ("crash: wait status 6", "crash: wait status 11")


@dataclasses.dataclass
class Answer:
    """What the compiler said about one model."""

    model: str
    level: str  # of the tool: basic or off
    dims: dict
    nodes: dict  # index -> (op, "npu" or "cpu")
    partitions: int
    members: dict | None = None  # index -> partition, of nodes that have one; None where the answer does not say
    error: str = ""

    @property
    def was_refused(self):
        return is_refusal(self.error)

    @property
    def is_memory_refusal(self):
        """The compiler gives a memory error at finalize: the graph's doing, not the host's. Left out until 2026-11-22."""
        return self.was_refused and "QNN_COMMON_ERROR_MEM_ALLOC" in self.error

    @property
    def counts(self):
        return not self.error or self.was_refused


def short_row(row):
    """A line of the node tests' answers: nodes as [index, op, provider]."""
    nodes = {i: (op, "cpu" if ep == "CPU" else "npu") for i, op, ep in row.get("nodes", ()) if i >= 0}
    return Answer(row["model"], "off", {}, nodes, row.get("parts", 0),
                  error=row.get("error", ""))


def long_row(row):
    """A line as the oracle script prints it."""
    nodes = {n["index"]: (n["op"], "cpu" if n["ep"].startswith("CPU") else "npu")
             for n in row.get("nodes", ()) if n["index"] >= 0}
    level = "off" if row["level"] == "off" else "basic"
    members = {int(found[1]): number for number, names in enumerate(row.get("partitions", ()))
               for found in (re.fullmatch(r"n(\d+)_", name) for name in names) if found}
    return Answer(row["model"], level, row.get("dims") or {}, nodes, len(row.get("partitions", ())), members,
                  row.get("error", ""))


def read_answers(path, as_answer):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [as_answer(json.loads(line)) for line in lines]


# ---- the tool --------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Tool:
    program: str
    oplist: str = ""

    def run(self, paths, target, level, dims):
        """One call for several models; {path: its part of the report}, without those that cannot be read."""
        command = [self.program, *paths, "--target", target, "--level", level, "--format", "json"]
        command += ["--oplist", self.oplist] if self.oplist else []
        for name, size in dims.items():
            command += ["--dim", f"{name}={size}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise CannotCompare(f"{paths[0]}: {self.program} ended with {done.returncode}: {done.stderr[:500]}")
        reports = (json.loads(line) for line in done.stdout.splitlines())
        return {report["model"]["path"]: report["targets"][0] for report in reports}


    def toolchain(self, target):
        """What the op list says that it describes."""
        command = [self.program, "--describe", target] + (["--oplist", self.oplist] if self.oplist else [])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [line.split(" ", 1)[1] for line in done.stdout.splitlines() if line.startswith("toolchain ")]
        return ", ".join(lines) or "no toolchain that it names"


def run_tool(tool, target, jobs):
    """jobs: (path, level, dims). Equal levels and dims share a call; calls run side by side."""
    calls = collections.defaultdict(list)
    for path, level, dims in jobs:
        calls[level, tuple(sorted(dims.items()))].append(path)
    pieces = [(paths[i:i + MODELS_A_CALL], target, level, dict(dims))
              for (level, dims), paths in calls.items() for i in range(0, len(paths), MODELS_A_CALL)]
    reports = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for piece, found in zip(pieces, pool.map(lambda piece: tool.run(*piece), pieces)):
            reports.update({(path, piece[2], tuple(sorted(piece[3].items()))): found.get(path) for path in piece[0]})
    return reports


def main_nodes(report):
    """{index: node} of the main graph."""
    return {node["index"]: node for node in report["nodes"] if node["graph"] == ""}


def rules_of(node):
    """What the tool holds against a node, for the table."""
    rules = [r["rule"] for r in node["reasons"] if r.get("outcome", "no") != "note"]
    return " ".join(sorted({rule.split("/", 1)[-1] for rule in rules})) or "-"


# ---- comparing -------------------------------------------------------------------------------------------------

VERDICTS = ("npu", "cpu", "fail", "unknown", "folded", "fused")


def pairs_of(counts):
    return sum(count * (count - 1) // 2 for count in counts)


def rand_index(ours, theirs):
    """The share of pairs of nodes that both put together or both keep apart; {node: partition} over the same nodes."""
    everything = pairs_of([len(theirs)])
    if not everything:
        return 1.0
    together_here = pairs_of(collections.Counter(ours.values()).values())
    together_there = pairs_of(collections.Counter(theirs.values()).values())
    together = pairs_of(collections.Counter((ours[node], theirs[node]) for node in theirs).values())
    return (everything - together_here - together_there + 2 * together) / everything


@dataclasses.dataclass
class Partitioning:
    """One model's partitions, ours and theirs."""

    model: str
    ours: int
    theirs: int
    nodes: int  # compared
    differing: int  # of these
    ops: str
    rand: float

    @property
    def is_near(self):
        return abs(self.ours - self.theirs) <= max(1, self.theirs / 10)


class Score:
    """What one comparison found."""

    def __init__(self):
        self.pairs = collections.Counter()  # (compiler's, tool's) verdict -> nodes
        self.sessions = collections.Counter()  # of refused sessions: agreed or not
        self.memory_sessions = collections.Counter()  # of these, the ones with a memory error
        self.false_alarms = []  # models with a node called `fail` whose session loads
        self.partitions = collections.Counter()  # tool's count minus the compiler's -> models
        self.left_out = collections.Counter()
        self.differences = collections.defaultdict(list)  # (compiler's, tool's, op, rules) -> examples
        self.partitionings = []
        self.contents = []  # of the models whose answer says what is in a partition
        self.models = 0

    def differ(self, truth, ours, op, rules, example):
        self.differences[truth, ours, op, rules].append(example)

    def add(self, answer, report):
        self.models += 1
        nodes = main_nodes(report)
        if answer.was_refused:
            self.add_session(answer, report)
            return
        alarms = sorted({node["op"] for node in report["nodes"] if node["verdict"] == "fail"})
        self.false_alarms += [f"{answer.model}: {' '.join(alarms)}"] if alarms else []
        for index, (op, truth) in answer.nodes.items():
            self.add_node(answer.model, index, op, truth, nodes.get(index))
        self.partitions[report["summary"]["partitions"] - answer.partitions] += 1
        self.partitionings.append(self.partitioning(answer, report, nodes))
        if answer.members is not None:
            theirs = {index: (op, answer.members.get(index)) for index, (op, _) in answer.nodes.items()}
            self.contents.append(contents.compare(answer.model, theirs, nodes, answer.partitions,
                                                  report["summary"]["partitions"]))

    def partitioning(self, answer, report, nodes):
        same = {i: (op, truth) for i, (op, truth) in answer.nodes.items() if i in nodes and nodes[i]["op"] == op}
        ours = {i: nodes[i]["partition"] for i in same}
        theirs = {i: (answer.members or {}).get(i) for i in same}
        differing = collections.Counter(op for i, (op, truth) in same.items() if nodes[i]["verdict"] != truth)
        ops = ", ".join(f"{count} {op}" for op, count in differing.most_common(4))
        return Partitioning(answer.model, report["summary"]["partitions"], answer.partitions, len(same),
                            sum(differing.values()), ops, rand_index(ours, theirs))

    def add_session(self, answer, report):
        nodes = report["nodes"]
        agrees = report["summary"]["verdict"] == "fails"
        self.sessions[agrees] += 1
        self.memory_sessions[agrees] += answer.is_memory_refusal
        if not agrees:
            ops = " ".join(sorted({node["op"] for node in nodes if node["verdict"] == "npu"}))
            self.differ("fail", "no-fail", ops[:60], answer.error.split(" : ")[-1][:60], answer.model)

    def add_node(self, model, index, op, truth, node):
        if node is None or node["op"] != op:
            self.left_out["nodes renamed by the runtime"] += 1
            return
        ours = node["verdict"]
        self.pairs[truth, ours] += 1
        if ours != truth:
            self.differ(truth, ours, op, rules_of(node), f"{model}#{index}")

    # ---- figures

    def agreed(self):
        return self.pairs["npu", "npu"] + self.pairs["cpu", "cpu"] + self.sessions[True]

    def compared(self):
        return sum(self.pairs.values()) + sum(self.sessions.values())

    def without_memory(self):
        """The share of verdicts that agree, and of refused sessions seen, with memory errors left out."""
        memory, seen = sum(self.memory_sessions.values()), self.memory_sessions[True]
        return (share(self.agreed() - seen, self.compared() - memory),
                share(self.sessions[True] - seen, sum(self.sessions.values()) - memory))

    def of_cpu(self, *ours):
        return sum(self.pairs["cpu", verdict] for verdict in ours)

    def partition_shares(self):
        exact = self.partitions[0]
        return exact, exact + self.partitions[1] + self.partitions[-1], sum(self.partitions.values())

    def several(self):
        """Of the models with two partitions or more: those with the same number, and all."""
        cut = [one for one in self.partitionings if one.theirs >= 2]
        return sum(one.ours == one.theirs for one in cut), len(cut)

    def mean_rand(self):
        return sum(one.rand for one in self.partitionings) / max(1, len(self.partitionings))

    def uneven(self):
        """Models whose number of partitions differs."""
        return [one for one in self.partitionings if one.ours != one.theirs]


def share(part, whole):
    return f"{part} of {whole} ({part / whole:.2%})" if whole else "none"


@dataclasses.dataclass
class Result:
    """One comparison that ran."""

    title: str
    score: Score

    def row(self):
        """The figures, with their names."""
        score = self.score
        really_cpu = score.of_cpu(*VERDICTS)
        exact, near, counted = score.partition_shares()
        unknown = sum(count for (_, ours), count in score.pairs.items() if ours == "unknown")
        verdicts_without, sessions_without = score.without_memory()
        return {
            "models": str(score.models),
            "verdicts agree": share(score.agreed(), score.compared()),
            "CPU nodes found": share(score.of_cpu("cpu", "fail"), really_cpu),
            "wrongly on the NPU": share(score.of_cpu("npu"), really_cpu),
            "unknown": share(unknown, score.compared()),
            "refused sessions seen": share(score.sessions[True], sum(score.sessions.values())),
            "verdicts without memory errors": verdicts_without,
            "sessions without memory errors": sessions_without,
            "false alarms": str(len(score.false_alarms)),
            "partitions equal": share(exact, counted),
            "equal where two or more": share(*score.several()),
            "partitions within one": share(near, counted),
            "within one or 10 %": share(sum(one.is_near for one in score.partitionings), counted),
            "contents equal": share(*contents.counts(score.contents)),
            "contents equal where two or more": share(*contents.counts(score.contents, split_only=True)),
            "members together (Rand)": f"{score.mean_rand():.4f}" if any(score.partitionings) else "none",
        }


def print_score(result, most, out):
    score = result.score
    print(f"\n== {result.title}: {score.models} models", file=out)
    for name, figure in result.row().items():
        if name != "models":
            print(f"  {name:<30} {figure}", file=out)
    for what, count in sorted(score.left_out.items()):
        print(f"  left out: {count} {what}", file=out)
    for alarm in score.false_alarms[:most]:
        print(f"  the session loads, called `fail`: {alarm}", file=out)
    print_pairs(score, out)
    print_differences(score, most, out)
    print_uneven(score, most, out)
    print_contents(score, most, out)


def print_uneven(score, most, out):
    if not most or not score.uneven():
        return
    print("  partitions: ours theirs  Rand, nodes that differ, model", file=out)
    for one in score.uneven()[:most]:
        nodes = f"{one.differing} of {one.nodes}"
        print(f"  {one.ours:>16} {one.theirs:>6}  {one.rand:.4f}  {nodes}  {one.model}  {one.ops}", file=out)


def print_contents(score, most, out):
    rows = contents.different_rows(score.contents)[:most]
    if rows:
        print("  contents that differ: " + "; ".join(contents.HEADS), file=out)
    for row in rows:
        print("    " + "; ".join(cell or "-" for cell in row), file=out)


def print_totals(results, out):
    """A line for each comparison."""
    print("", file=out)
    for result in results:
        row = result.row()
        print(f"total  {result.title}: verdicts {row['verdicts agree']}, CPU nodes found {row['CPU nodes found']}, "
              f"partitions equal {row['partitions equal']}, where two or more {row['equal where two or more']}, "
              f"contents {row['contents equal']}, where two or more {row['contents equal where two or more']}",
              file=out)


def print_pairs(score, out):
    print("  compiler \\ tool " + "".join(f"{verdict:>9}" for verdict in VERDICTS), file=out)
    for truth in ("npu", "cpu"):
        row = "".join(f"{score.pairs[truth, ours]:>9}" for ours in VERDICTS)
        print(f"  {truth:<16} {row}", file=out)


def ranked_differences(score):
    return sorted(score.differences.items(), key=lambda item: (-len(item[1]), item[0]))


def print_differences(score, most, out):
    ranked = ranked_differences(score)
    if ranked and most:
        print("  count  compiler tool     op, rules, an example", file=out)
    for (truth, ours, op, rules), examples in ranked[:most]:
        print(f"  {len(examples):>5}  {truth:<8} {ours:<8} {op}  {rules}  {examples[0]}", file=out)
    if len(ranked) > most:
        rest = sum(len(examples) for _, examples in ranked[most:])
        print(f"  {rest:>5}  in {len(ranked) - most} more kinds (--most)", file=out)


# ---- the page -----------------------------------------------------------------------------------------------------

NEVER_SEEN = "## Models never seen\n"  # written by --never-seen alone, and kept by --summary
CAUSES = "## Causes\n"  # from here on the page is not the script's
PAGE = """# Fidelity

How often `npu-partition` says of a node what the compiler itself said, and how often it counts as many partitions.
`oracles/fidelity/fidelity.py` writes this page, all but the part "Causes". Nothing was run on a device.
The rules were written from these models and answers: read "Models never seen" for what a new model may expect.

{origin}

Each node of a model is one item, and each session that the provider refused is one; it is agreed upon when the model is
said to fail. Nodes that the runtime made, folded, fused or renamed before it partitioned are left out. What
is called unknown never agrees. "CPU nodes found" and "wrongly on the NPU" are shares of the nodes that the compiler
placed on the CPU. A memory error at finalize counts as a refused session; two columns leave those out, as was done
until 2026-11-22. A false alarm is a model with a node called `fail` whose session loads. "Contents equal" are models
whose partitions are the same sets of nodes on both sides, of the nodes that both have under their own name: numbers may
agree by accident. The answers about node tests do not say what is in a partition.

"""


NEVER_SEEN_INTRODUCTION = """Architectures that the rules were not written from: built with random weights and exported by
`oracles/fidelity/campaign_export.py`, put to the compiler by `campaign_ask.py`, compared once, before anything was changed
on account of them.

"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def origin_of(args):
    lines = [f"The list: `{args.target.split(':')[0]}`, describing {args.tool.toolchain(args.target)}."]
    lines += [f"The answers: {args.compiler}."] if args.compiler else []
    lines += [f"The figures: {args.date}."] if args.date else []
    return "\n".join(lines)


def figures_table(results):
    rows = [result.row() for result in results]
    return table(["comparison", *rows[0]], [[result.title, *row.values()] for result, row in zip(results, rows)])


def differences_table(result, most):
    """The most frequent kinds of disagreement; "" where there is none."""
    ranked = ranked_differences(result.score)[:most]
    if not ranked:
        return ""
    text = table(["nodes", "compiler", "tool", "op", "rules", "example"],
                 [[len(examples), truth, ours, op, rules, examples[0]]
                  for (truth, ours, op, rules), examples in ranked])
    rest = sum(map(len, result.score.differences.values())) - sum(len(examples) for _, examples in ranked)
    return text + (f"\nand {rest} more.\n" if rest else "")


def page_of(results, args):
    text = PAGE.format(origin=origin_of(args)) + "## Figures\n\n" + figures_table(results)
    text += "\n## Disagreements\n\nThe most frequent kinds of each comparison, with the rules that the tool held "
    text += "against the node, and one example.\n"
    for result in results:
        kinds = differences_table(result, args.most_in_page)
        text += f"\n### {result.title}\n\n{kinds}" if kinds else ""
    return text + uneven_page(results)


def never_seen_of(results, args):
    text = NEVER_SEEN + "\n" + NEVER_SEEN_INTRODUCTION + origin_of(args) + "\n\n" + figures_table(results)
    for result in results:
        kinds = differences_table(result, args.most_in_page)
        text += f"\n### Never seen: {result.title}\n\n{kinds}" if kinds else ""
        text += contents_page(result, "Contents never seen")
    return text


def uneven_page(results):
    """The models whose partitions are not as many; node tests are too small to list."""
    text = "\n## Partitions that differ\n\nThe models with another number of partitions than the compiler's; "
    text += '"Rand" is the share of pairs of nodes that\nboth put into one partition or both keep apart.\n'
    for result in results:
        uneven = result.score.uneven()
        if uneven and not result.title.startswith("node tests"):
            text += f"\n### Partitions: {result.title}\n\n"
            text += table(["model", "ours", "theirs", "nodes that differ", "of", "Rand", "their ops"],
                          [[one.model, one.ours, one.theirs, one.differing, one.nodes, f"{one.rand:.4f}",
                            one.ops or "-"] for one in uneven])
        text += contents_page(result, "Contents")
    return text


def contents_page(result, heading):
    """The models whose partitions are other sets of nodes; "" where there is none."""
    rows = contents.different_rows(result.score.contents)
    return f"\n### {heading}: {result.title}\n\n" + table(contents.HEADS, rows) if rows else ""


def parts_of(path):
    """The page in three: what --summary writes, what --never-seen writes, what people write."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    ends = [at for at in (text.find(NEVER_SEEN), text.find(CAUSES)) if at >= 0] + [len(text)]
    causes = text.find(CAUSES) if CAUSES in text else len(text)
    return text[:ends[0]].rstrip("\n"), text[ends[0]:causes].rstrip("\n"), text[causes:].rstrip("\n")


def write_page(path, figures=None, never_seen=None):
    """What is not given stays."""
    parts = parts_of(path)
    given = (figures, never_seen, None)
    kept = [part if new is None else new.rstrip("\n") for part, new in zip(parts, given)]
    path.write_text("\n\n".join(part for part in kept if part) + "\n", encoding="utf-8")


# ---- the comparisons' common part -----------------------------------------------------------------------------------


def compare(tool, target, folder, answers):
    score = Score()
    jobs, kept = [], []
    for answer in answers:
        path = str(folder / answer.model)
        if not answer.counts:
            score.left_out["sessions that the runtime refused, or that ended otherwise"] += 1
        elif not os.path.exists(path):
            score.left_out["models that are not there"] += 1
        else:
            jobs.append((path, answer.level, answer.dims))
            kept.append(answer)
    reports = run_tool(tool, target, jobs)
    for answer, (path, level, dims) in zip(kept, jobs):
        report = reports[path, level, tuple(sorted(dims.items()))]
        if report is None:
            score.left_out["models that the tool cannot read"] += 1
        else:
            score.add(answer, report)
    return score


# ---- the three comparisons --------------------------------------------------------------------------------------


def unpacked(archive, into):
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return pathlib.Path(into)


def compare_node_tests(args, name):
    archive = args.models / "onnx-node-tests.tar.gz"
    files = sorted(args.truth.glob(f"onnx-node-tests.{name}.soc*.jsonl.gz"))
    results = []
    if not archive.exists() or not files:
        return results
    with tempfile.TemporaryDirectory() as into:
        folder = unpacked(archive, into)
        for file in files:
            soc = file.name.split(".soc")[1].split(".")[0]
            score = compare(args.tool, f"{name}:{soc}", folder, read_answers(file, short_row))
            results.append(Result(f"node tests, {name}:{soc}", score))
    return results


def compare_models(args, name, soc, prefix, title):
    """soc: the number, or "" for each that has a file."""
    results = []
    for file in sorted(args.truth.glob(f"{prefix}.{name}.soc{soc or '*'}.jsonl.gz")):
        target = f"{name}:{file.name.split('.soc')[1].split('.')[0]}"
        answers = read_answers(file, long_row)
        for level in ("basic", "off"):
            chosen = [answer for answer in answers if answer.level == level]
            if chosen:
                score = compare(args.tool, target, args.models, chosen)
                results.append(Result(f"{title}, {target}, level {level}", score))
    return results


# ---- asking the compiler itself -----------------------------------------------------------------------------------


def models_without_answer(args, name, soc):
    known = set()
    for prefix in ("models", "models_as_exported"):
        file = args.truth / f"{prefix}.{name}.soc{soc}.jsonl.gz" if args.truth else None
        if file and file.exists():
            known |= {answer.model for answer in read_answers(file, long_row)}
    return [path for path in sorted(args.models.glob("*.onnx")) if path.name not in known]


def ask_oracle(args, soc, paths):
    command = [args.python, args.oracle, *map(str, paths), "--ep", "qnn", "--soc", soc, "--level",
               "off" if args.level == "off" else "all"]
    for dim in args.dim:
        command += ["--dim", dim]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines = (line for line in done.stdout.splitlines() if line.startswith("{"))  # the runtime talks in between
    answers = [long_row(json.loads(line)) for line in lines]
    if len(answers) != len(paths):
        raise CannotCompare(f"{args.oracle} answered for {len(answers)} of {len(paths)} models")
    return answers


def compare_live(args, name, soc):
    paths = [pathlib.Path(model) for model in args.live_models] or models_without_answer(args, name, soc)
    if not paths:
        return []
    score = Score()
    answers = ask_oracle(args, soc, paths)
    for path in sorted({path.parent for path in paths}):
        here = [answer for answer, at in zip(answers, paths) if at.parent == path]
        part = compare(args.tool, f"{name}:{soc}", path, here)
        merge(score, part)
    return [Result(f"live, {name}:{soc}, level {args.level}", score)]


def merge(score, part):
    for counter in ("pairs", "sessions", "memory_sessions", "partitions", "left_out"):
        getattr(score, counter).update(getattr(part, counter))
    for key, examples in part.differences.items():
        score.differences[key] += examples
    score.partitionings += part.partitionings
    score.contents += part.contents
    score.false_alarms += part.false_alarms
    score.models += part.models


# ---- the command line ------------------------------------------------------------------------------------------


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=pathlib.Path, help="folder of the compilers' answers")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="folder of the models")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--target", default="hexagon", help="NAME or NAME:SOC, default hexagon")
    parser.add_argument("--oplist", default="", help="an op list in place of the built-in one")
    parser.add_argument("--only", action="append", choices=["node-tests", "models", "exported"],
                        help="one comparison only; may be repeated")
    parser.add_argument("--most", type=int, default=40, help="kinds of disagreement to print, default 40")
    parser.add_argument("--most-in-page", type=int, default=12, help="the same for --summary, default 12")
    parser.add_argument("--live", action="store_true", help="ask the compiler about models that have no answer")
    parser.add_argument("--oracle", help="the script that asks it")
    parser.add_argument("--python", default=sys.executable, help="the Python that can run the script")
    parser.add_argument("--level", choices=["basic", "off"], default="basic", help="with --live; default basic")
    parser.add_argument("--dim", action="append", default=[], help="with --live: NAME=SIZE")
    parser.add_argument("--summary", type=pathlib.Path, help="write a page in Markdown")
    parser.add_argument("--never-seen", type=pathlib.Path, help="write the page's part about models never seen")
    parser.add_argument("--date", default="", help="for the page: the date that it says")
    parser.add_argument("--compiler", default="", help="for the page: whose answers, with versions")
    parser.add_argument("live_models", nargs="*", metavar="MODEL", help="with --live: these models")
    args = parser.parse_args()
    if args.live and not args.oracle:
        parser.error("--live needs --oracle")
    if not args.live and not args.truth:
        parser.error("--truth is needed, or --live")
    args.tool = Tool(args.tool, args.oplist)
    return args


def comparisons(args):
    """Runs what was asked for; yields each result as it is there."""
    name, _, soc = args.target.partition(":")
    wanted = args.only or ["node-tests", "models", "exported"]
    if args.truth and "node-tests" in wanted:
        yield from compare_node_tests(args, name)
    if args.truth and "models" in wanted:
        yield from compare_models(args, name, soc, "models", "models, dims bound")
    if args.truth and "exported" in wanted:
        yield from compare_models(args, name, soc, "models_as_exported", "models as exported")
    if args.live:
        yield from compare_live(args, name, soc or DEFAULT_SOC)


def run(args):
    results = []
    for result in comparisons(args):
        print_score(result, args.most, sys.stdout)
        results.append(result)
    if not results:
        raise CannotCompare(f"nothing to compare: no answers for {args.target}, and no model to ask about")
    print_totals(results, sys.stdout)
    if args.summary:
        write_page(args.summary, figures=page_of(results, args))
    if args.never_seen:
        write_page(args.never_seen, never_seen=never_seen_of(results, args))
    missed = [result.title for result in results if not contents.are_enough(result.score.contents)]
    for title in missed:
        print(f"fidelity.py: {title}: contents are equal in fewer than {contents.LEAST_SHARE:.0%}", file=sys.stderr)
    return 1 if missed else 0


def main():
    args = read_arguments()
    try:
        return run(args)
    except (CannotCompare, OSError, ValueError, KeyError) as problem:
        print(f"fidelity.py: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
