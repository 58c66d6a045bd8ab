# SPDX-License-Identifier: Apache-2.0
"""The page of shapes, types and refused models, of which shapes.py, view.py and valid.py each write one part."""
import pathlib

HEAD = """# Fidelity of shapes

What `npu-partition` knows of types and shapes, and which models it calls invalid, against other inferences, real runs
and ONNX Runtime. `make fidelity-shapes` and `make fidelity-valid` ask; with `--summary` their scripts in
`oracles/fidelity/` write this page, each its own part.
"""

SHAPES = ("Against other inferences and runs",
"""`shapes.py` compares `--shapes` of whole models with ONNX's inference (`shapes`; without the shapes that the file
declares: `shapes_novi`), ONNX Runtime's symbolic inference (`symshapes`), and what a run really saw. A contradiction is
another type, rank or number.""")
VIEWS = ("What a runtime knows",
"""`view.py` holds what the tool says that a runtime knows against ONNX's own inference, with one node a model: each
operator at each version, and of its operands each in turn, and each pair, known less. "In a session" is ONNX Runtime's
knowledge of shapes; "by itself" is what a tool is told that asks the inference directly, as ONNX Runtime's usability
checker does: types count there, and operands may have none. No session has such operands: ONNX Runtime refuses each of
these models that it is asked about. To know more than the runtime would be a node called taken that is refused.""")
VALID = ("Models that ONNX Runtime rejects",
"""`valid.py` makes models of one node with one mistake each, of every version of every operator that onnx's node tests
have, and asks ONNX Runtime and the tool. A false alarm is a model called invalid that loads; the collected answers are
of whole models and node tests.""")
PARTS = (SHAPES, VIEWS, VALID)


def rewrite(path, part, heads, rows, versions):
    """Puts the part's table into the page; the other parts stay."""
    title, introduction = part
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = {text.split("\n", 1)[0]: "## " + text.strip() for text in old.split("\n## ")[1:]}
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [heads, ["---"] * len(heads), *rows]]
    parts[title] = f"## {title}\n\n{introduction}\n\n{versions}\n\n" + "\n".join(lines)
    text = "\n\n".join([HEAD.strip(), *(parts[name] for name, _ in PARTS if name in parts)])
    pathlib.Path(path).write_text(text + "\n", encoding="utf-8")


def add_arguments(parser):
    parser.add_argument("--summary", type=pathlib.Path, help="write the figures to this page, into their part")
    parser.add_argument("--date", default="", help="for the page: the date that it says")


def origin(date, versions):
    """The line that says whose answers these are."""
    return f"The answers: {versions}." + (f" The figures: {date}." if date else "")
