# SPDX-License-Identifier: Apache-2.0
"""Every line of a report that is there to be pasted does what the report says, pasted into a shell in another folder.

Each `run` of the advice is what the text has to be pasted, and writes what was predicted: as many partitions, the same
verdict. Models have names with blanks, quotes and a dash at the beginning; external data lies beside them.

usage: pasted_runs.py TOOL MAKE_MODEL FOLDER [TARGET...]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOL, MAKE_MODEL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
TARGETS = sys.argv[4:] or ["hexagon", "rknn", "intel-npu"]
MOST_BYTES = 1 << 30  # of a model and its weights: what is copied has to have a place
NAMES = ["a model.onnx", "-dash.onnx", "it's $HOME; `x`.onnx", "sub folder/net.onnx", "--weights"]
FAILED: list[str] = []
COUNTS = {"run": 0, "copied": 0, "left out": 0}


def call(words: list[str], folder: str) -> tuple[int, str]:
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900)
    return done.returncode, done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def report_of(words: list[str], folder: str) -> dict | None:
    done = subprocess.run([TOOL, *words, "--format", "json", "--detail", "causes"], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=900)  # fmt: skip
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def words_after(run: list[str], option: str) -> list[str]:
    return [run[place + 1] for place, word in enumerate(run[:-1]) if word == option]


def outcome_of(written: pathlib.Path, run: list[str], target: str) -> dict | None:
    """Of what was written; the op list and the level are those of the line."""
    others = [word for option in ("--oplist", "--cost", "--level", "--runtime") for value in words_after(run, option)
              for word in (option, value)]  # fmt: skip
    report = report_of([str(written), "-t", target, "--no-advice", *others], str(written.parent))
    return report["targets"][0]["summary"] if report else None


def check_run(model: str, target: str, action: dict, shell: str, here: str) -> None:
    """Pastes the line; `shell` is its text."""
    run = action["run"]
    what = f"{model} on {target}: {shell}"
    status, output = call(["sh", "-c", shell.replace("npu-partition", TOOL, 1)], here)
    COUNTS["run"] += 1
    written = pathlib.Path(here) / words_after(run, "-o")[-1]
    if status != 0 or not written.exists():
        FAILED.append(f"{what}\n  exit status {status}: {output.strip().splitlines()[-1:]}")
        return
    if written.suffix == ".onnx":
        found = outcome_of(written, run, target)
        wanted = action["after"]
        same = found and (found["verdict"], found["partitions"]) == (wanted["verdict"], wanted["partitions"])
        if not same:
            FAILED.append(f"{what}\n  found {found and (found['verdict'], found['partitions'])}, told "
                          f"{(wanted['verdict'], wanted['partitions'])}")  # fmt: skip
    for entry in pathlib.Path(here).iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def is_large(model: pathlib.Path) -> bool:
    beside = [path for path in model.parent.glob(model.stem + "*") if path.is_file()]
    return sum(path.stat().st_size for path in beside) > MOST_BYTES


def check_model(model: str, here: str) -> None:
    """As the user has called it; `here` is another folder than the model's."""
    for target in TARGETS:
        report = report_of([model, "-t", target], here)
        for action in report["targets"][0]["advice"] if report else []:
            if action["run"]:
                shell = " ".join(quoted(word) for word in action["run"])
                check_run(model, target, action, shell, here)


def quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'" if not word.isalnum() else word


NET = """opset 17
input x float32[batch,16]
init w float32[16,16] external
node a = MatMul(x, w)
node b = Relu(a)
node c = MatMul(b, w)
output c
"""


def check_names(scratch: str) -> None:
    """From the folder of the model, and from another one; the weights lie beside it."""
    model = subprocess.run([MAKE_MODEL], input=NET.encode(), stdout=subprocess.PIPE, check=True).stdout
    for name in NAMES:
        with tempfile.TemporaryDirectory(dir=scratch) as folder, tempfile.TemporaryDirectory(dir=scratch) as other:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(model)
            for weights in ("weights.bin", "w.bin", "weights", "external.bin"):
                (path.parent / weights).write_bytes(bytes(16 * 16 * 4))
            check_model(os.path.relpath(path, other), other)
            check_model(str(path), other)
            check_text(name, folder)


def check_text(name: str, folder: str) -> None:
    """The text's own line, from the folder of the model."""
    asked = "./" + name if name.startswith("-") else name
    status, output = call([TOOL, asked, "-t", "hexagon"], folder)
    lines, line = output.splitlines(), ""
    for place, text in enumerate(lines):
        if "[*] " not in text:
            continue
        line = text.split("[*] ", 1)[1]
        while line.endswith("\\"):
            place += 1
            line += "\n" + lines[place]
        break
    before = set(os.listdir(folder))
    status, output = call(["sh", "-c", line.replace("npu-partition", TOOL, 1)], folder)
    COUNTS["run"] += 1
    if not line or status != 0 or len(set(os.listdir(folder)) - before) < 1:
        FAILED.append(f"{name}, from its folder: {line!r}\n  exit status {status}: {output.strip().splitlines()[-1:]}")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        check_names(scratch)
        for model in sorted(pathlib.Path(sys.argv[3]).resolve().rglob("*.onnx")):
            if is_large(model):
                COUNTS["left out"] += 1
                continue
            with tempfile.TemporaryDirectory(dir=scratch) as here:
                check_model(str(model), here)
    print("\n".join(FAILED[:40]))
    print(f"pasted: {COUNTS['run']} lines, {len(FAILED)} do not do what they say; {COUNTS['left out']} models are too large")
    sys.exit(1 if FAILED else 0)


main()
