# SPDX-License-Identifier: Apache-2.0
"""The page of `make web` on a static host of this machine: the tool in a worker, the same bytes, nothing leaves."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from browser import Browser
from page_case import FIXTURES, ROOT, TOOL
from server import StaticServer

WEB = Path(os.environ.get("WEB_FOLDER", ROOT / "build" / "web")).resolve()
TARGETS = "hexagon,ethos-u"
SPARSE_BYTES = 1_900_000_000
# Runs the tool on the files of the input that the test has put into the page.
RUN = """
const [words, abortAfter, done] = arguments;
const files = [...document.getElementById("test-files").files], abort = new AbortController(), phases = new Set();
const hash = async (blob) => Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer())),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
const onProgress = (progress) => {
    phases.add(progress.phase);
    if (progress.phase === abortAfter) abort.abort();
};
const start = performance.now();
npuPartitionTool.runTool(words, files, { onProgress, signal: abort.signal }).then(async (result) => done({
    exit: result.exit, output: result.output, messages: result.messages, phases: [...phases],
    milliseconds: performance.now() - start,
    files: await Promise.all(result.files.map(async (file) => [file.name, await hash(file.blob)])),
}), (error) => done({ error: error.name, milliseconds: performance.now() - start }));
"""
# Draws a report in the page.
DRAW = """
const data = JSON.parse(arguments[0]);
npuPartitionPage.showReports(document.getElementById("page"), [{ kind: "report", data }], null);
"""


def native(folder: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run([str(TOOL), *words], capture_output=True, cwd=folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class AppCase(unittest.TestCase):
    """A browser of its own, whose every request is logged, those of workers too."""

    @classmethod
    def setUpClass(cls) -> None:
        if not (WEB / "index.html").exists():
            raise unittest.SkipTest(f"{WEB} is not built: make web")
        cls.folder = Path(tempfile.mkdtemp(prefix="npart-app-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = Browser(net_log=cls.folder / "net.json")
        cls.addClassCleanup(cls.look_at_requests)
        cls.addClassCleanup(cls.browser.close)
        cls.server = StaticServer(WEB)
        cls.addClassCleanup(cls.server.close)

    folder: Path
    browser: Browser
    server: StaticServer

    @classmethod
    def look_at_requests(cls) -> None:
        """After the browser has ended: of what the page and its workers asked for, all came from its own host."""
        asked = set()
        for event in json.loads((cls.folder / "net.json").read_text())["events"]:
            parameters = event.get("params", {})
            if str(parameters.get("initiator", "")).startswith("http://127.0.0.1:"):
                asked.add(urlsplit(parameters["url"]).hostname)
        assert asked == {"127.0.0.1"}, asked

    def setUp(self) -> None:
        self.browser.resize(1280, 900)
        self.browser.media()
        self.browser.open("about:blank")
        self.browser.open(self.server.address)

    def assert_quiet(self) -> None:
        self.assertEqual([line for line in self.browser.console() if line.startswith(("WARNING", "SEVERE"))], [])
        self.assertEqual([line for line in self.server.asked if not line.startswith(("200", "304"))], [])


class Engine(AppCase):
    """The tool as a function of the page."""

    def run_tool(self, paths: list[Path], *words: str, abort_after: str = "") -> dict[str, Any]:
        self.browser.script(
            "document.getElementById('test-files')?.remove(); const input = document.createElement('input');"
            "Object.assign(input, {id: 'test-files', type: 'file', multiple: true}); document.body.append(input);"
        )
        self.browser.give_files("#test-files", paths)
        answer: dict[str, Any] = self.browser.driver.execute_async_script(RUN, list(words), abort_after)
        return answer

    def test_same_bytes(self) -> None:
        for model in sorted(FIXTURES.glob("*.onnx")):
            with self.subTest(model.name):
                words = (model.name, "--target", TARGETS, "--format", "json")
                here = self.run_tool([model], *words)
                self.assertEqual((here["exit"], here["output"], here["messages"]), native(FIXTURES, *words))
        self.assert_quiet()

    def test_fixed_model(self) -> None:
        name = "distilbert-base.ts14.dyn.onnx"
        words = ("fix", name, "--target", "hexagon", *SIZES, "--output", "fixed.onnx")
        here = self.run_tool([FIXTURES / name], *words)
        copy = self.folder / name
        copy.write_bytes((FIXTURES / name).read_bytes())
        there = native(self.folder, *words)
        self.assertEqual((here["exit"], here["output"]), there[:2])
        self.assertEqual(here["files"], [["fixed.onnx", sha256(self.folder / "fixed.onnx")]])

    def test_documents(self) -> None:
        name = "detector.dynamo.onnx"
        for document in ("sarif", "html", "markdown"):
            with self.subTest(document):
                words = (name, "--target", "hexagon", "--format", document)
                here = self.run_tool([FIXTURES / name], *words)
                self.assertEqual((here["exit"], here["output"]), native(FIXTURES, *words)[:2])

    def test_what_cannot_be_read(self) -> None:
        broken = self.folder / "broken.onnx"
        broken.write_bytes(b"\x08\x09 this is no model \xff\xff\xff\xff")
        words = ("broken.onnx", "--target", "hexagon", "--format", "json")
        here = self.run_tool([broken], *words)
        self.assertEqual((here["exit"], here["messages"]), native(self.folder, *words)[::2])
        self.assertEqual(here["exit"], 3)
        self.assert_quiet()

    def test_draws_report(self) -> None:
        """What the tool prints in the browser is drawn by the page as in a file."""
        name = "distilbert-base.ts14.dyn.onnx"
        here = self.run_tool([FIXTURES / name], name, "--target", "hexagon", "--format", "json", "--detail", "tensors")
        self.browser.script(DRAW, here["output"])
        self.browser.wait("document.querySelector('#section-verdict') && document.getElementById('lane')")
        self.browser.settle()
        shown = self.browser.script("return document.querySelector('#section-verdict').innerText")
        self.assertIn("8 partitions", shown)
        self.assert_quiet()

    def test_without_network(self) -> None:
        """Once it has run, it runs again after the host is gone."""
        name = "espcn-x3.dynamo.onnx"
        words = (name, "--target", "hexagon", "--format", "json")
        with StaticServer(WEB) as server:
            self.browser.open(server.address)
            before = self.run_tool([FIXTURES / name], *words)
        after = self.run_tool([FIXTURES / name], *words)
        self.assertEqual((after["exit"], after["output"]), (0, before["output"]))

    def test_stops(self) -> None:
        answer = self.run_tool([FIXTURES / "gpt2-decode.ts13.p127.onnx"], *GPT, abort_after="load")
        self.assertEqual(answer["error"], "AbortError")
        self.assertEqual(self.run_tool([FIXTURES / "gpt2-decode.ts13.p127.onnx"], *GPT)["exit"], 0)
        self.assert_quiet()

    def test_large_file(self) -> None:
        """1.9 GB, of which only the structure is read."""
        name = "weights.onnx"
        write_sparse(self.folder / name, FIXTURES / "espcn-x3.dynamo.onnx", SPARSE_BYTES)
        words = (name, "--target", "hexagon", "--format", "json")
        here = self.run_tool([self.folder / name], *words)
        self.assertEqual((here["exit"], here["output"], here["messages"]), native(self.folder, *words))
        self.assertEqual(json.loads(here["output"])["model"]["bytes"], (self.folder / name).stat().st_size)
        print(f"\n1.9 GB in the browser: {here['milliseconds'] / 1000:.2f} s", end=" ")
        (self.folder / name).unlink()


SIZES = ("--dim", "batch=1", "--dim", "sequence=128")
GPT = ("gpt2-decode.ts13.p127.onnx", "--target", "all", "--format", "json")


def write_sparse(path: Path, model: Path, size: int) -> None:
    """A model with one more initializer of that many bytes, all of them a hole of the file."""
    elements = size // 4
    tensor = b"\x08" + varint(elements) + b"\x10\x01" + b"\x42\x04hole" + b"\x4a" + varint(elements * 4)
    initializer = b"\x2a" + varint(len(tensor) + elements * 4) + tensor
    content = len(initializer) + elements * 4
    with path.open("wb") as out:
        # A second part of the message's field: protobuf merges it with the graph that the model has.
        out.write(model.read_bytes() + b"\x3a" + varint(content) + initializer)
        out.truncate(out.tell() + elements * 4)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


if __name__ == "__main__":
    unittest.main()
