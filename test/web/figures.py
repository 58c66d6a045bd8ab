# SPDX-License-Identifier: Apache-2.0
"""How long the page of `make web` takes from a file to its report, and how much memory the browser has then.

usage: /usr/bin/python3 test/web/figures.py BUILT_FOLDER MODEL...

Memory is that of all processes of the browser (their proportional share of pages), at most while the tool runs, beside
what an empty page takes.
"""
import sys
import threading
import time
from pathlib import Path

from browser import Browser
from server import StaticServer

RUN = """
const done = arguments[0], start = performance.now(), file = document.getElementById("test-files").files[0];
const words = [file.name, "--target", "hexagon", "--format", "json", "--detail", "tensors"];
npuPartitionTool.runTool(words, [file]).then((result) => {
    const printed = performance.now() - start;
    npuPartitionPage.showReports(document.getElementById("page"),
        [{ kind: "report", data: JSON.parse(result.output) }], null);
    requestAnimationFrame(() => setTimeout(() =>
        done({ exit: result.exit, bytes: result.bytes.length, printed, drawn: performance.now() - start })));
});
"""


def processes_of(parent: int) -> list[int]:
    try:
        lists = [path.read_text() for path in Path(f"/proc/{parent}/task").glob("*/children")]
    except OSError:
        return []  # It has ended.
    children = [int(child) for text in lists for child in text.split()]
    return [parent] + [process for child in children for process in processes_of(child)]


def memory_bytes(parent: int) -> int:
    total = 0
    for process in processes_of(parent):
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue  # It has ended.
        total += sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))
    return total


class Peak(threading.Thread):
    """The most memory of a browser until it is stopped."""

    def __init__(self, parent: int) -> None:
        super().__init__(daemon=True)
        self.parent, self.bytes, self.going = parent, 0, True

    def run(self) -> None:
        while self.going:
            self.bytes = max(self.bytes, memory_bytes(self.parent))
            time.sleep(0.02)


def measure(browser: Browser, address: str, model: Path) -> None:
    browser.open("about:blank")
    browser.open(address)
    browser.script(
        "const input = document.createElement('input');"
        "Object.assign(input, {id: 'test-files', type: 'file'}); document.body.append(input);"
    )
    browser.give_files("#test-files", [model])
    parent = browser.driver.service.process.pid
    before = memory_bytes(parent)
    peak = Peak(parent)
    peak.start()
    answer = browser.driver.execute_async_script(RUN)
    peak.going = False
    peak.join()
    print(
        f"{model.name}: {model.stat().st_size / 1e6:.1f} MB, exit {answer['exit']};"
        f" JSON of {answer['bytes'] / 1e6:.1f} MB after {answer['printed'] / 1000:.2f} s,"
        f" page after {answer['drawn'] / 1000:.2f} s;"
        f" memory {peak.bytes / 1e6:.0f} MB, {(peak.bytes - before) / 1e6:.0f} MB of it for this"
    )


def main() -> None:
    with StaticServer(Path(sys.argv[1])) as server, Browser() as browser:
        for model in sys.argv[2:]:
            measure(browser, server.address, Path(model))


if __name__ == "__main__":
    main()
