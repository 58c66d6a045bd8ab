#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/targets.md and docs/evidence/targets.md from the op lists: what targets there are; and the limits, sessions and
decisions of frameworks that a plan rests on, with their sources, and what each does with ops that often fall back.

usage: targets.py TOOL MAKE_MODEL targets.md sources.md

TOOL is npu-partition, MAKE_MODEL the program of the tests that makes a model of lines of text. Every answer on the page
is what the tool printed for one of the models below.
"""
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# What breaks a model: name, the node that is asked about (by its output), the model.
BREAKERS = [
    ("float Conv", "y", """opset 17
input x float32[1,3,32,32]
init w float32[8,3,3,3]
node y = Conv(x, w)
output y"""),
    ("dynamic batch", "y", """opset 17
input x float32[batch,3,32,32]
init w float32[8,3,3,3]
node y = Conv(x, w)
output y"""),
    ("INT64 Gather", "y", """opset 17
input x float32[16,8]
input i int64[4]
node y = Gather(x, i)
output y"""),
    ("ScatterND", "y", """opset 17
input x float32[16,8]
input i int64[4,1]
input u float32[4,8]
node y = ScatterND(x, i, u)
output y"""),
    ("NonZero", "y", """opset 17
input x float32[16,8]
node y = NonZero(x)
output y"""),
    ("TopK", "v", """opset 17
input x float32[1,64]
init k int64[1] = 5
node v, i = TopK(x, k)
output v
output i"""),
    ("cubic Resize", "y", """opset 17
input x float32[1,3,16,16]
init s float32[4] = 1 1 2 2
node y = Resize(x, , s) mode="cubic"
output y"""),
    ("6-D Transpose", "y", """opset 17
input x float32[1,2,8,2,8,8]
node y = Transpose(x) perm=[0,1,3,5,2,4]
output y"""),
    ("group-wise INT4", "y", """opset 17
opset com.microsoft 1
input x float32[1,4,64]
init b uint8[32,2,16]
init s float32[64]
node y = com.microsoft:MatMulNBits(x, b, s) K=64 N=32 bits=4 block_size=32
output y"""),
    ("Loop", "y", """opset 17
graph body
input i int64[]
input c bool[]
input v float32[4]
node d = Identity(c)
node w = Relu(v)
output d
output w
end
input x float32[4]
init n int64[] = 3
init t bool[] = 1
node y = Loop(n, t, x) body=graph body
output y"""),
    ("If", "y", """opset 17
graph yes
node p = Relu(x)
output p
end
graph no
node q = Neg(x)
output q
end
input x float32[4]
input c bool[]
node y = If(c) then_branch=graph yes else_branch=graph no
output y"""),
]


def targets_of(tool):
    """[(name, title, facts, standing)] as --list-targets prints them."""
    found = []
    for line in subprocess.run([tool, "--list-targets"], check=True, capture_output=True, text=True).stdout.splitlines():
        if not line.startswith(" "):
            name, title = line.split(None, 1)
            found.append([name, title, "", ""])
        elif not found[-1][2]:
            found[-1][2] = line.strip()
        else:
            found[-1][3] = line.strip()
    return found


def quantized(name):
    """How to ask a target that has no floating point about a model as if it were quantized; else its name."""
    text = pathlib.Path("oplists", f"{name}.ops").read_text(encoding="utf-8")
    found = re.search(r"^integer-only unless (\w+)", text, flags=re.MULTILINE)
    return f"{name}+{found[1]}" if found else name


def amount(text, unit):
    """"3840", "mb" -> "3.75 GiB"; numbers have no unit."""
    value = float(text)
    return f"{value:g}" if not unit else f"{value / 1024:g} GiB" if value >= 1024 else f"{value:g} MiB"


def limits_of(name):
    """[(for, what, range, source)] of the limits that a list states."""
    text = pathlib.Path("oplists", f"{name}.ops").read_text(encoding="utf-8").replace("\\\n", " ")
    meanings = dict(re.findall(r'PARAMETER\(MOST_\w+, "(\w+)", OTHER, "([^"]+)"\)',
                               pathlib.Path("lib/target/oplist/parameters.def").read_text(encoding="utf-8")))
    line = r'^param (most_\w+)( for \S+)?( via \S+)? (\S+) \S+ (\S+)( assumed)? *"([^"]*)"'
    for parameter, variant, runtime, low, high, assumed, source in re.findall(line, text, flags=re.MULTILINE):
        ends = [amount(end, parameter.endswith("_mb")) for end in (low, high)]
        yield (f"`{name}`{variant.replace(' for ', ' ')}{runtime}", meanings[parameter],
               ends[0] if low == high else " to ".join(ends), source + (" (assumed)" if assumed else ""))


def decided_of(name):
    """Who decides later where nodes run, among which units, and [(requirement, op, source)] of what is known not to run
    on the first; None of other lists."""
    text = pathlib.Path("oplists", f"{name}.ops").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r'^decided by "([^"]*)" among ((?:"[^"]*" *)+)', text, flags=re.MULTILINE)
    if not found:
        return None
    every = re.findall(r'^every elsewhere [^"\n]*"([^"]*)"[^\n]* source "([^"]*)"', text, flags=re.MULTILINE)
    rules = [(sentence, "", source) for sentence, source in every]
    uses = dict(re.findall(r'^define (engine-\S+)\n  elsewhere ([^\n]*)', text, flags=re.MULTILINE))
    for define, line in uses.items():
        ops = re.findall(rf"^op ([^\n]*)\n  use {define}$", text, flags=re.MULTILINE)
        sentence, source = re.search(r'"([^"]*)" +source "([^"]*)"', line).groups()
        rules.append((sentence, " ".join(ops), source))
    return found[1], re.findall(r'"([^"]*)"', found[2]), rules


def releases_of(name):
    """The releases that a list tells apart, oldest first."""
    text = pathlib.Path("oplists", f"{name}.ops").read_text(encoding="utf-8")
    return re.findall(r'^toolchain "([^"]*)"', text, flags=re.MULTILINE)


def sessions_of(name):
    """[(for, option, what it does, source)] of the provider and the options that a list states."""
    text = pathlib.Path("oplists", f"{name}.ops").read_text(encoding="utf-8").replace("\\\n", " ")
    when = r"((?: numbered| (?:for|with|unless|since|before) (?:'[^']*'|\S+))*)"
    provider = rf'^provider (\S+)( compiled by \S+)?{when} *"([^"]*)"(?: *because "[^"]*")? *source "([^"]*)"'
    for found, compiler, applies, package, source in re.findall(provider, text, flags=re.MULTILINE):
        yield f"`{name}`{applies}", f"`{found}`" + compiler, package, source
    option = (r"^(option|session) (\S+) ('[^']*'|\S+)" + when + r' *"([^"]*)" *source "([^"]*)"')
    for kind, found, value, applies, sentence, source in re.findall(option, text, flags=re.MULTILINE):
        where = " (the session's configuration)" if kind == "session" else ""
        yield f"`{name}`{applies}", "`%s=%s`" % (found, value.strip(chr(39))) + where, sentence, source


def ask(tool, make_model, text, targets, folder):
    """{target: nodes of the answer} for one model; a body's nodes are left out."""
    path = pathlib.Path(folder, "model.onnx")
    path.write_bytes(subprocess.run([make_model], input=text.encode(), check=True, capture_output=True).stdout)
    answer = subprocess.run([tool, str(path), "-t", ",".join(targets), "-f", "json"], check=True, capture_output=True,
                            text=True).stdout
    return {target["target"]: target for target in json.loads(answer)["targets"]}


def cell(answer, text, output):
    """The verdict of the node that makes `output`, with the rule that it does not meet."""
    main = [line for line in text.split("end\n")[-1].splitlines() if line.startswith("node ")]
    index = next(i for i, line in enumerate(main) if output in re.split(r"[ ,]+", line[5:line.index("=")].strip()))
    node = next(n for n in answer["nodes"] if n["graph"] == "" and n["index"] == index)
    reasons = [r for r in node["reasons"] if r.get("outcome") in ("no", "fail", "unknown", "elsewhere")]
    rule = reasons[0]["rule"].split("/", 1)[1] if reasons else ""
    return ("taken" if "placed" in node else node["verdict"]) + (f" `{rule}`" if rule else "")


def show(heads, rows, about=""):
    """A table, below what is said of it."""
    print(f"{about}\n\n" if about else "", end="")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


VERIFIED = """
[reading-a-report.md](reading-a-report.md#checked) explains how a list is verified. Agreement was measured for
[hexagon](evidence/fidelity.md), [intel-npu](evidence/fidelity-intel.md), [ethos-u](evidence/fidelity-ethos-u.md),
[xnnpack](evidence/fidelity-xnnpack.md), [nnapi and coreml](evidence/fidelity-onnxruntime.md); `make verify-target
TARGET=...` asks again."""


FORMATS = ("float16", "bfloat16", "w8a8", "w8a16", "w4a16", "w4a16:block=32", "w8", "w4:block=32", "w4", "nf4", "fp8")
SWITCHES = {"intel-npu": ("", "+openvino")}  # that formats depend on
PRODUCT = """opset 17
input x float32[1,256]
init w float32[256,256]
node y = MatMul(x, w)
output y float32[1,256]"""


def variants_of(tool, name):
    """Names of the chips of a target, in the order of its list; [""] where it has none."""
    lines = iter(subprocess.run([tool, "--describe", name], check=True, capture_output=True, text=True).stdout.splitlines())
    found = []
    for line in lines:
        if line.startswith("variants"):
            for row in lines:
                named = re.match(r"  [ *] (\S+)", row)
                if not row.startswith("  "):
                    break
                if named:
                    found.append(named[1])
    return found or [""]


def formats_of(tool, name, switch, path):
    """[(chips, what happens to a product in each format)]: chips of which the same is said are one row."""
    rows = {}
    for variant in variants_of(tool, name):
        target = (f"{name}:{variant}" if variant else name) + switch
        answer = subprocess.run([tool, path, "-t", target, "--as", ",".join(FORMATS), "-f", "json", "--no-advice"],
                                check=False, capture_output=True, text=True).stdout
        cells = []
        for plan in json.loads(answer)["targets"]:
            happens = {row["happens"] for row in plan["precision"]}
            cells.append(" ".join(sorted(happens)) or "-")
        rows.setdefault(tuple(cells), []).append(variant)
    return [(variants, cells) for cells, variants in rows.items()]


def write_formats(tool, make_model):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        path.write_bytes(subprocess.run([make_model], input=PRODUCT.encode(), check=True, capture_output=True).stdout)
        for name, *_ in targets_of(tool):
            for switch, (variants, cells) in [(switch, row) for switch in SWITCHES.get(name, ("",))
                                              for row in formats_of(tool, name, switch, str(path))]:
                if set(cells) != {"-"}:
                    rows.append((f"`{name}{switch}`", " ".join(filter(None, variants)) or "all", *cells))
    show(("target", "chips", *(f"`{name}`" for name in FORMATS)), rows,
         "\n## Formats by chip\n\nWhat the `precision` lines of the lists say of a matrix product in each format "
         "([precision.md](../precision.md)): native, dequantized\n(another type is computed), vector (on the slower unit), cpu, "
         "fails, or not known. `--as FORMAT` plans a model so before anybody\nquantizes it.")


def write_targets(tool, make_model):
    targets = targets_of(tool)
    show(("target", "what", "verified"), [(f"`{name}`", what, verified) for name, what, _size, verified in targets],
         "# Targets\n\nWritten by `make targets-page` from the op lists in `oplists/`; each answer below is what the "
         "tool prints.\nFormats by chip, releases, limits of memory, sessions of ONNX Runtime, and ops that often fall back, with sources:\n"
         "[evidence/targets.md](evidence/targets.md).")
    print(VERIFIED)


def write_sources(tool, make_model):
    names = [name for name, *_ in targets_of(tool)]
    show(("target", "what", "room for", "source"), [row for name in names for row in limits_of(name)],
         "# Targets: limits, releases and sessions, with their sources\n\nWritten by `make targets-page` from the op lists; "
         "[targets.md](../targets.md) has the list of targets.\n\n"
         "## What there is room for\n\nBelow the first figure a model fits, above the second it does not; between them "
         "it is not known. A device of your own is\na cost file with such lines (`--cost`, [oplist-format.md]"
         "(../oplist-format.md)).")
    decided = []
    for name in names:
        by, units, rules = decided_of(name) or ("", [], [])
        for rule, ops, source in rules or ([("nothing is known", "", "")] if by else []):
            decided.append((f"`{name}`", by, ", ".join(units), f"{ops + ': ' if ops else ''}{rule}", source))
    show(("target", "decides", "among", "required for the first", "source"), decided,
         "\n## Decided later\n\nWhere a framework is handed what the runtime takes, and decides anew which unit runs "
         "it, no report says that a node is\non the NPU. What is documented or published to be required for that:")
    show(("target", "releases whose rules differ"),
         [(f"`{name}`", ", ".join(releases_of(name))) for name in names if len(releases_of(name)) > 1],
         "\n## Releases\n\nThe newest is the default, `-t TARGET@RELEASE` asks for another. One between two has the "
         "rules of the older one, and what\none that is older than all takes is undecided ([oplist-format.md]"
         "(../oplist-format.md#releases)).")
    show(("target", "provider or option", "what brings it, or what it does", "source"),
         [row for name in names for row in sessions_of(name)],
         "\n## Sessions of ONNX Runtime\n\nThe provider of each target that ONNX Runtime has one for, and the options "
         "without which a plan does not hold.\n`--settings` writes them ([settings.md](../settings.md)).")
    write_formats(tool, make_model)
    print("\n## Ops that often fall back\n\nWhat each target, at its default variant, says of one node: where it runs "
          "(taken: that is decided later), and the\nrule that keeps it from the NPU. Targets that compute integers only "
          "are asked about the first model as it is, and about\nthe others as if they were quantized.\n")
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for title, output, text in BREAKERS:
            asked = [quantized(name) for name in names] if rows else names
            rows.append((title, text, output, ask(tool, make_model, text, asked, folder)))
    show(("target", *(title for title, *_ in rows)),
         [(f"`{name}`", *(cell(answers[name], text, output) for _, text, output, answers in rows)) for name in names])


def main():
    tool, make_model, page, sources = sys.argv[1:]
    with open(page, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        write_targets(tool, make_model)
    with open(sources, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        write_sources(tool, make_model)


if __name__ == "__main__":
    main()
