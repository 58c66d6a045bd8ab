#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`npu-partition scan` on a folder of models, some of them torn or changed: threads make no difference, each line is
what the tool prints of the model alone, a scan that is killed again and again ends with the file of one that was not,
and memory does not grow with the number of models. Scans are killed when their file has so many bytes, not by the clock.

usage: scan.py TOOL FIXTURES CASE_MODELS
"""
import contextlib
import fcntl
import json
import os
import pathlib
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TARGETS = ["--target", "hexagon,nnapi"]
KILLS = 10
OPTIONS = re.compile(rb',"options":"[0-9a-f]{16}"')
failed = 0


def check(is_met: bool, what: str) -> None:
    global failed
    if not is_met:
        failed += 1
        print(f"scan: not true: {what}")


def make_zoo(zoo: pathlib.Path, fixtures: pathlib.Path, cases: pathlib.Path) -> list[str]:
    """Some 300 models: fixtures, text cases, both torn and changed; returns the paths that a scan finds, in order."""
    chance = random.Random(18)
    models = sorted(fixtures.glob("*.onnx"))
    cases_there = sorted(cases.glob("*.onnx"))
    models += chance.sample(cases_there, min(150, len(cases_there)))
    for number, model in enumerate(models):
        folder = zoo / f"{number % 7}" / ("deep" if number % 2 else "")
        folder.mkdir(parents=True, exist_ok=True)
        data = model.read_bytes()
        (folder / model.name).write_bytes(data)
        if number % 2 == 0:
            (folder / f"{model.stem}.torn.onnx").write_bytes(data[:chance.randrange(len(data))])
        if number % 3 == 0:
            changed = bytearray(data)
            for _ in range(4):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            (folder / f"{model.stem}.changed.ONNX").write_bytes(changed)
    (zoo / "empty.onnx").write_bytes(b"")
    (zoo / "not a model.txt").write_bytes(b"text")
    os.mkfifo(zoo / "fifo.onnx")
    os.symlink("..", zoo / "0" / "up")
    found = [path for path in zoo.rglob("*") if path.suffix.lower() == ".onnx" and not path.is_dir()]
    return sorted((str(path) for path in found), key=os.fsencode)


class Scan:
    def __init__(self, tool: str, zoo: pathlib.Path) -> None:
        self.tool, self.zoo = tool, zoo

    def command(self, *more: str) -> list[str]:
        return [self.tool, "scan", str(self.zoo), *TARGETS, "--quiet", *more]

    def lines(self, *more: str) -> bytes:
        done = subprocess.run(self.command(*more), capture_output=True)
        check(done.returncode == 3, f"{more}: status {done.returncode}, some models cannot be read")
        check(not done.stderr, f"{more}: {done.stderr[:200]!r}")
        return done.stdout

    def run_to_end(self, file: pathlib.Path, *more: str) -> None:
        done = subprocess.run(self.command("--output", str(file), "--resume", *more), capture_output=True)
        check(done.returncode == 3 and not done.stderr, f"{more}: status {done.returncode} {done.stderr[:200]!r}")

    def stop_at(self, file: pathlib.Path, size: int, number: int, *more: str) -> int:
        """Sends a signal once the file has so many bytes; the exit status."""
        process = subprocess.Popen(
            self.command("--output", str(file), "--resume", *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # ignored in a shell's background jobs
        while process.poll() is None and (not file.exists() or file.stat().st_size < size):
            time.sleep(0.0005)
        if process.poll() is None:
            process.send_signal(number)
        process.communicate()
        return process.returncode


def path_of(line: bytes) -> str:
    return json.loads(line)["model"]["path"]


def check_lines(scan: Scan, whole: bytes, paths: list[str]) -> None:
    lines = whole.splitlines(keepends=True)
    documents = [json.loads(line) for line in lines]
    check([document["model"]["path"] for document in documents] == paths, "a line for each model, in order")
    check(sum("error" in document for document in documents) > 20, "some models fail")
    check(all(not document["targets"] and set(document["error"]) == {"code", "place", "text"}
              for document in documents if "error" in document), "a model that fails has its error")
    kept = {document["model"]["path"] for document in documents if "error" not in document}
    alone = subprocess.run([scan.tool, *(path for path in paths if path in kept), *TARGETS, "--format", "json",
                            "--detail", "summary"], capture_output=True)
    check(alone.returncode == 0, f"models alone: status {alone.returncode}")
    check(alone.stdout == b"".join(OPTIONS.sub(b"", line) for line in lines if path_of(line) in kept),
          "lines are what --format json prints")


def check_threads(scan: Scan, whole: bytes) -> None:
    for jobs in ("2", "4", "64"):
        check(scan.lines("--jobs", jobs) == whole, f"-j {jobs}: the same bytes")
    for jobs in ("1", "4"):
        unordered = scan.lines("--jobs", jobs, "--unordered")
        check(sorted(unordered.splitlines()) == sorted(whole.splitlines()), f"-j {jobs} --unordered: the same lines")


def check_kills(scan: Scan, whole: bytes, folder: pathlib.Path, *more: str) -> int:
    chance = random.Random(1)
    file = folder / f"killed{''.join(more)}"
    kills = 0
    for number in range(KILLS):
        size = len(whole) * number // KILLS + chance.randrange(len(whole) // KILLS)
        kills += scan.stop_at(file, size, signal.SIGKILL, *more) == -signal.SIGKILL
    scan.run_to_end(file, *more)
    found = file.read_bytes()
    check(kills >= KILLS // 2, f"{kills} scans were killed in time")
    if "--unordered" in more:
        check(sorted(found.splitlines()) == sorted(whole.splitlines()), "killed and resumed, unordered: the same lines")
    else:
        check(found == whole, "killed and resumed: the same bytes")
    scan.run_to_end(file, *more)
    check(file.read_bytes() == found, "resumed once more: nothing changes")
    return kills


def check_stops(scan: Scan, whole: bytes, folder: pathlib.Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        file = folder / f"stopped-{number}"
        for _ in range(10):  # a busy machine may have ended the scan before the signal comes
            file.unlink(missing_ok=True)
            status = scan.stop_at(file, len(whole) // 4, number, "--jobs", "2")
            if status != 3:
                break
        check(status == 4, f"stopped by signal {number}: status {status}")
        found = file.read_bytes()
        check(whole.startswith(found) and found.endswith(b"\n"), "stopped: whole lines, and in order")
        scan.run_to_end(file)
        check(file.read_bytes() == whole, "stopped and resumed: the same bytes")


def check_full_disk(scan: Scan, whole: bytes, folder: pathlib.Path) -> None:
    """A disk that takes no more, as a limit of the file's size, which cuts a line."""
    file = folder / "full"

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) // 2, len(whole) // 2))

    done = subprocess.run(scan.command("--output", str(file)), capture_output=True, preexec_fn=limit)
    check(done.returncode == 4 and b"cannot write" in done.stderr, f"full: {done.returncode} {done.stderr[:200]!r}")
    check(whole.startswith(file.read_bytes()), "full: what there was room for")
    scan.run_to_end(file)
    check(file.read_bytes() == whole, "full and resumed: the same bytes")


def rows_of(file: pathlib.Path) -> dict[str, list[tuple]]:
    with sqlite3.connect(file) as database:
        tables = [name for name, in database.execute("select name from sqlite_master where type = 'table'")]
        return {name: sorted(database.execute(f"select * from {name}").fetchall(), key=repr) for name in tables}


def check_database(scan: Scan, paths: list[str], folder: pathlib.Path) -> None:
    whole, killed = folder / "whole.sqlite", folder / "killed.sqlite"
    scan.run_to_end(whole)
    rows = rows_of(whole)
    check([row[0] for row in rows["models"]] == sorted(paths), "a row for each model")
    size = whole.stat().st_size
    for number in range(5):
        scan.stop_at(killed, size * number // 5, signal.SIGKILL, "--jobs", "2")
    scan.run_to_end(killed)
    check(rows_of(killed) == rows, "killed and resumed: the same rows")


def check_one_at_a_time(scan: Scan, folder: pathlib.Path) -> None:
    """A scan that stands still keeps others out, whether lines or a database; whole transactions of others do not."""
    for name in ("claimed.jsonl", "claimed.sqlite"):
        file = folder / name
        with subprocess.Popen(scan.command("--output", str(file)), stdout=subprocess.DEVNULL) as first:
            while first.poll() is None and (not file.exists() or file.stat().st_size == 0):
                time.sleep(0.001)
            first.send_signal(signal.SIGSTOP)
            second = subprocess.run(scan.command("--output", str(file), "--resume"), capture_output=True)
            first.kill()
        check(second.returncode == 4 and b"another scan is writing to it" in second.stderr,
              f"{name}: {second.returncode} {second.stderr[:200]!r}")
        scan.run_to_end(file)
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin exclusive")
        waiting = subprocess.Popen(scan.command("--output", str(file), "--resume"), stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL)
        assert waiting.stderr is not None
        told = waiting.stderr.readline()
        other.execute("rollback")
        waiting.communicate()
    check(b"another program uses it; waiting" in told and waiting.returncode in (0, 3), f"waits: {told!r}")


def check_progress(scan: Scan, folder: pathlib.Path) -> None:
    """A bar on a terminal, and nothing but the table elsewhere."""
    terminal, side = os.openpty()
    command = [scan.tool, "scan", str(scan.zoo), *TARGETS, "--output"]
    process = subprocess.Popen([*command, str(folder / "shown")], stdout=subprocess.PIPE, stderr=side)
    os.close(side)
    shown = b""
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:  # the terminal's other end is closed
        pass
    table = process.communicate()[0]
    os.close(terminal)
    bar = rb"(\r\x1b\[K\[[#-]{20}\] \d+ of \d+ models, [\d.]+/s, \d+ failed(, [\w ]+ left)?)+\r\x1b\[K"
    check(re.fullmatch(bar, shown) is not None, f"a bar: {shown[:200]!r}")
    check(b"\x1b" not in table and b"could not be analyzed" in table, "the table has no escape codes")
    done = subprocess.run([*command, str(folder / "not shown")], capture_output=True)
    check(done.stderr == b"" and b"\x1b" not in done.stdout, "without a terminal there is no bar")


def peak_kib(command: list[str], size: int) -> int:
    """Looks at the process before it ends: the last line is longer than what the pipe holds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    left = size
    while left > 0:
        left -= len(process.stdout.read(min(left, 4096)) or b"#" * left)
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    process.stdout.read()
    process.communicate()
    check(process.returncode == 0, f"{command}: status {process.returncode}")
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1])


def check_memory(tool: str, model: pathlib.Path, folder: pathlib.Path) -> tuple[int, int]:
    peaks = []
    for count in (10, 1000):
        there = folder / f"memory-{count}"
        there.mkdir()
        (there / "0.onnx").write_bytes(model.read_bytes())
        for number in range(1, count):
            os.link(there / "0.onnx", there / f"{number}.onnx")
        command = [tool, "scan", str(there), *TARGETS, "--quiet", "--jobs", "2"]
        lines = subprocess.run(command, capture_output=True, check=True).stdout
        check(len(lines.splitlines()[-1]) > 4096, "lines are longer than a pipe")
        peaks.append(peak_kib(command, lines[:-1].rindex(b"\n") + 1))
    check(peaks[1] < peaks[0] * 1.5 + 4096, f"the peak of 1000 models is {peaks[1]} KiB, of 10 {peaks[0]}")
    return peaks[0], peaks[1]


def main() -> int:
    tool, fixtures, cases = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        zoo = folder / "zoo"
        paths = make_zoo(zoo, fixtures, cases)
        scan = Scan(tool, zoo)
        whole = scan.lines("--jobs", "1")
        check_lines(scan, whole, paths)
        check_threads(scan, whole)
        kills = check_kills(scan, whole, folder, "--jobs", "2")
        kills += check_kills(scan, whole, folder, "--jobs", "2", "--unordered")
        check_stops(scan, whole, folder)
        check_full_disk(scan, whole, folder)
        check_database(scan, paths, folder)
        check_one_at_a_time(scan, folder)
        check_progress(scan, folder)
        few, many = check_memory(tool, fixtures / "mobilenetv2.dynamo.onnx", folder)
    print(f"scan: {len(paths)} models, killed {kills} times; peak of 10 models {few} KiB, of 1000 {many} KiB; "
          f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
