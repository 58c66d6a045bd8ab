# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages share: the tool, the pages it makes, a browser, and what must hold of every page.

The environment says where things are: NPU_PARTITION_TOOL, WEB_MODELS (make_models.py), WEB_OUT (a folder for pages).
"""
import atexit
import functools
import os
import subprocess
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
TOOL = Path(os.environ.get("NPU_PARTITION_TOOL", ROOT / "build" / "npu-partition")).resolve()
MODELS = Path(os.environ.get("WEB_MODELS", ROOT / "build" / "web-models")).resolve()
OUT = Path(os.environ.get("WEB_OUT", ROOT / "build" / "web-pages")).resolve()
AUDIT = (Path(__file__).parent / "audit.js").read_text()

# What a screen reader announces as something to be used must have a name; so must what it announces as a picture.
NAMED_ROLES = {
    *("button", "Canvas", "checkbox", "combobox", "dialog", "form", "graphics-document", "image", "img", "link"),
    *("listbox", "menuitem", "meter", "option", "progressbar", "radio", "region", "scrollbar", "searchbox", "slider"),
    *("spinbutton", "switch", "tab", "textbox", "treeitem"),
}
CONTROLS = (
    "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1']), [contenteditable=true], "
    "canvas[tabindex]"
)


def run_tool(*arguments: str | Path, status: Sequence[int] = (0,)) -> bytes:
    """What the tool writes to standard output."""
    done = subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, cwd=ROOT)
    if done.returncode not in status:
        raise AssertionError(f"exit {done.returncode}: {' '.join(map(str, arguments))}\n{done.stderr.decode()}")
    return done.stdout


def make_page(name: str, *arguments: str | Path, status: Sequence[int] = (0,)) -> Path:
    """The tool's HTML report, in a file of that name."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{name}.html"
    path.write_bytes(run_tool(*arguments, "--format", "html", status=status))
    return path


@functools.cache
def shared_browser() -> Browser:
    browser = Browser()
    atexit.register(browser.close)
    return browser


class PageCase(unittest.TestCase):
    """One browser for all tests, since it takes long to start."""

    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = shared_browser()

    def setUp(self) -> None:
        self.browser.resize(1280, 900)
        self.browser.media()

    def open(self, page: str | Path) -> None:
        self.browser.open(page)
        # Sections are built one after the other; a table that is not there yet cannot be used.
        self.browser.wait("document.querySelector('#section-verdict') && !document.querySelector('[aria-busy]')")

    def assert_quiet(self) -> None:
        """Nothing was logged, and nothing but the page itself was asked for."""
        self.assertEqual([line for line in self.browser.console() if line.startswith(("WARNING", "SEVERE"))], [])
        self.assertEqual(len(self.browser.requests()), 1, self.browser.requests())

    def audit(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = self.browser.script(AUDIT)
        return found

    def assert_audit(self) -> None:
        """What is seen can be read, stays within the window, and shows no text's hidden characters."""
        found = self.audit()
        for what, wrong in found.items():
            with self.subTest(what):
                self.assertEqual(wrong, [])

    def assert_named(self) -> None:
        """Every control and picture has a name for a screen reader."""
        nameless = []
        for node in self.browser.names():
            used = node["role"] in NAMED_ROLES or node["properties"].get("focusable")
            if used and not node["name"].strip() and node["role"] != "RootWebArea":
                nameless.append(self.describe(node))
        self.assertEqual(nameless, [])

    def describe(self, node: dict[str, Any]) -> str:
        """A node of the accessibility tree, as its HTML begins."""
        if node["element"] is None:
            return str(node["role"])
        html = self.browser.command("DOM.getOuterHTML", backendNodeId=node["element"])["outerHTML"]
        return f"{node['role']}: {html[:160]}"

    def text(self, selector: str) -> str:
        return str(self.browser.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def count(self, selector: str) -> int:
        return int(self.browser.script("return document.querySelectorAll(arguments[0]).length", selector))
