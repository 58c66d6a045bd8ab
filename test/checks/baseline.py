# SPDX-License-Identifier: Apache-2.0
"""`check --baseline` fails for a model that got worse, whatever became of the baseline's cache, of the baseline, and of
memory: never "ok", never exit status 0, no crash.

usage: baseline.py TOOL MAKE_MODEL FAIL_ALLOCATION.so
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator

TOOL, MAKE_MODEL, FAIL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
LINES, CACHE = "kept", "kept.cache"


def must(is_so: bool, what: str, told: object = "") -> None:
    if not is_so:
        sys.exit(f"baseline: {what}\n{str(told)[-3000:]}")


def make(path: pathlib.Path, text: str) -> None:
    path.write_bytes(subprocess.run([MAKE_MODEL], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)


# ---- models, and what makes each worse -------------------------------------------------------------------------------

WEIGHTS = "opset 17\ninput x float32[{batch},16]\ninit w float32[16,16]\ninit lo float32 = 0\ninit hi float32 = 6\n"
WHOLE = WEIGHTS + "node m = MatMul(x, w)\nnode a = {op}\nnode y = MatMul(a, w)\noutput y\n"
FINE = WHOLE.format(batch=4, op="Clip(m, lo, hi)")
# A target where sizes decide nothing but what is known; one whose memory is small.
SIZES = "format 1\ntarget sizes\nop Clip Erf MatMul Relu\n"
WORSE = {
    "its batch is dynamic": ("hexagon", FINE, WHOLE.format(batch="n", op="Clip(m, lo, hi)")),
    "an operator falls back": ("hexagon", FINE, WHOLE.format(batch=4, op="Erf(m)")),
    "nodes are undecided or refused": ("intel-npu", FINE, WHOLE.format(batch=4, op="NonZero(m)").replace(
        "node y = MatMul(a, w)\noutput y", "output a")),
    "its MACs are not known any more": ("sizes", FINE, WHOLE.format(batch="n", op="Clip(m, lo, hi)")),
    "it does not fit any more": (
        "neutron:imxrt700", "opset 13\ninput x float32[1,16]\ninit w float32[16,16]\nnode y = MatMul(x, w)\noutput y\n",
        "opset 13\ninput x float32[1,4096]\ninit w float32[4096,4096] external\nnode y = MatMul(x, w)\noutput y\n"),
}  # fmt: skip


def check(folder: pathlib.Path, *options: str, **environment: str) -> tuple[int, str]:
    done = subprocess.run([TOOL, "check", *options], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **environment}, timeout=60)  # fmt: skip
    return done.returncode, done.stdout.decode(errors="replace")


def must_fail(
    folder: pathlib.Path, what: str, wanted: tuple[int, ...] = (1,), told: str = "worse", **environment: str
) -> str:
    status, output = check(folder, **environment)
    must(status in wanted, f"{what}: exit status {status}", output)
    must(not re.search(r"(?m)^(fine|accepted) |[0-9] (fine|accepted)", output) and told in output, f"{what}: what is told", output)
    return output


def make_project(folder: pathlib.Path, target: str, before: str, name: str) -> None:
    folder.mkdir()
    (folder / "sizes.ops").write_text(SIZES)
    oplist = 'oplist = "sizes.ops"\n' if target == "sizes" else ""
    (folder / "npu-partition.toml").write_text(
        f'targets = ["{target}"]\nbaseline = "{LINES}"\n{oplist}thresholds.max-partitions = 9\n'
        '[[models]]\npath = "*.onnx"\n'
    )
    make(folder / name, before)
    status, output = check(folder, "--update-baseline", "-q")
    must(status == 0, "a baseline", output)
    status, output = check(folder)
    must(status == 0 and re.search("[0-9] (fine|accepted)", output), "the model as it was", output)


# ---- caches ----------------------------------------------------------------------------------------------------------


def damaged(cache: bytes) -> Iterator[tuple[str, bytes]]:
    """Kinds of damage, by name. Each is a cache that somebody may have."""

    def changed(change) -> bytes:
        document = json.loads(cache)
        change(document, document["targets"][0])
        return json.dumps(document, separators=(",", ":")).encode() + b"\n"

    yield "empty", b""
    yield "blank", b" \n\n"
    for share in (1, 3, 5, 7, 9):
        yield f"cut at {share} of 10", cache[: len(cache) * share // 10]
    yield "of a later version", changed(lambda document, _: document.update(baseline=9))
    yield "of another program", b'{"hello": [1, 2, 3]}\n'
    yield "no JSON", b"\x00\xff\xfe" * 100
    yield "a text within", cache[:40] + b"\xff\xc0" + cache[40:]
    yield "nested too deep", b"[" * 100000
    yield "a number out of range", cache.replace(b'"live":', b'"live":999999999999999999999', 1)
    yield "twice", cache + cache
    yield "of another model", re.sub(rb'm(\\?"?.onnx")', rb"n\1", cache, count=1)
    yield "nodes cut", changed(lambda _, target: target.update(packed=target["packed"][:-5]))
    yield "nodes of no operator", changed(lambda _, target: target.update(ops=[]))
    yield (
        "all nodes on the CPU",
        changed(
            lambda _, target: target.update(
                packed="".join(text[:3] + "B" + text[4:] for text in re.findall(".{37}", target["packed"]))
            )
        ),
    )
    yield (
        "a cause of a node that is not there",
        changed(
            lambda _, target: target.update(
                causes=[{"kind": "op", "rule": "r", "text": "t", "victims": 1, "nodes": [4294967294]}]
            )
        ),
    )
    yield (
        "figures that excuse what is worse",
        changed(lambda _, target: target["summary"].update(accepted=0, partitions=9)),
    )
    yield "MACs that excuse what is worse", changed(lambda _, target: target["summary"].update(macs=10**15))
    yield "figures of another type", changed(lambda _, target: target.update(summary=[1], cost="x", memory=3))
    yield "no targets", changed(lambda document, _: document.update(targets={}))


def check_caches(folder: pathlib.Path, what: str) -> int:
    cache = (folder / CACHE).read_bytes()
    kinds = 0
    for kind, content in damaged(cache):
        (folder / CACHE).write_bytes(content)
        output = must_fail(folder, f"{what}, with a cache that is {kind}")
        is_whole = kind in ("twice", "all nodes on the CPU")
        must(is_whole or f"{CACHE} " in output, f"{what}, with a cache that is {kind}: nothing is told of it", output)
        kinds += 1
    (folder / CACHE).unlink()
    must(f"{CACHE} is missing" in must_fail(folder, f"{what}, without the cache"), "a cache that is missing is told")
    (folder / CACHE).mkdir()
    must_fail(folder, f"{what}, with a folder for the cache")
    (folder / CACHE).rmdir()
    os.mkfifo(folder / CACHE)
    must_fail(folder, f"{what}, with a pipe for the cache")
    (folder / CACHE).unlink()
    (folder / CACHE).write_bytes(cache)
    return kinds + 3


# ---- baselines -------------------------------------------------------------------------------------------------------


def check_lines(folder: pathlib.Path) -> int:
    """A baseline that is none, or says two things of one model, is a mistake."""
    text = (folder / LINES).read_text()
    head, line = text.splitlines(keepends=True)
    kinds = {
        "empty": "",
        "blank": "\n\n",
        "without its first line": line,
        "of a later version": text.replace(" 3:", " 4:", 1),
        "with two lines of one model": head + line + line.replace("whole", "split"),
        "cut": text[: len(head) + 60],
        "with marks of a merge": head + "<<<<<<< HEAD\n" + line,
        "with a figure too many": text.replace("whole,", "whole, 3 apples,"),
        "with another verdict": text.replace("whole,", "wholly,"),
        "with a hidden character": text.replace("m.onnx", "m\u202e.onnx"),
        "with hidden words": text.replace(" taken", " taken\u200b"),
        "with a number too large": text.replace("1 partition", "99999999999999999999 partition"),
        "no text": "\x00\x01\x02",
        "JSON of another program": '{"name": "x"}',
    }
    for kind, content in kinds.items():
        (folder / LINES).write_text(content)
        must_fail(folder, f"a baseline {kind}", (2,), "cannot read the baseline")
    (folder / LINES).unlink()
    must_fail(folder, "no baseline", (2,), "cannot read the baseline")
    os.mkfifo(folder / LINES)
    must_fail(folder, "a pipe as a baseline", (2,), "not a regular file")
    (folder / LINES).unlink()
    (folder / LINES).symlink_to("/dev/zero")
    must_fail(folder, "a device as a baseline", (2,), "not a regular file")
    (folder / LINES).unlink()
    (folder / LINES).write_text("s3cr3t: of another file\n")
    must("s3cr3t" not in must_fail(folder, "a secret as a baseline", (2,), "cannot read"), "a secret is quoted")
    (folder / LINES).write_text(text)
    return len(kinds) + 4


def check_old_words(folder: pathlib.Path) -> None:
    """Words of version 2, with the cache and without it."""
    text = (folder / LINES).read_text()
    (folder / LINES).write_text(re.sub(r"% of \d+ MACs", "% of MACs", text.replace(" 3:", " 2:", 1)))
    cache = (folder / CACHE).read_bytes()
    must("-> CPU" in must_fail(folder, "words of version 2"), "words of version 2 have their cache")
    (folder / CACHE).unlink()
    must_fail(folder, "words of version 2 without the cache")
    (folder / CACHE).write_bytes(cache)
    (folder / LINES).write_text(text)


# ---- memory ----------------------------------------------------------------------------------------------------------


def check_allocations(folder: pathlib.Path, what: str) -> int:
    """Each allocation fails once."""
    number = folder / "number"
    check(folder, LD_PRELOAD=FAIL, FAIL_COUNT=str(number))
    count = int(number.read_text())
    must(count > 100, "allocations are counted", count)
    for at in range(1, count + 1):
        status, output = check(folder, LD_PRELOAD=FAIL, FAIL_AT=str(at))
        must(status > 0, f"{what}: exit status {status} where allocation {at} fails", output)
        must(not re.search(r"(?m)^(fine|accepted) |[0-9] (fine|accepted)", output), f"{what}: ok where allocation {at} fails", output)
    return count


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="npu-partition-baseline-") as scratch:
        kinds = lines = points = 0
        for number, (what, (target, before, after)) in enumerate(WORSE.items()):
            folder = pathlib.Path(scratch) / str(number)
            name = "m.onnx" if number else '"m".onnx'  # which the line has as a string of JSON
            make_project(folder, target, before, name)
            make(folder / name, after)
            must_fail(folder, what)
            kinds = check_caches(folder, what)
            if number == 1:
                check_old_words(folder)
                lines = check_lines(folder)
            if number < 2:
                points += check_allocations(folder, f"{what}, with the cache")
                (folder / CACHE).unlink()
                points += check_allocations(folder, f"{what}, without the cache")
    print(
        f"baseline: {len(WORSE)} models that got worse fail with {kinds} kinds of caches; {lines} kinds of baselines "
        f"are none; {points} allocations that fail are no ok"
    )


main()
