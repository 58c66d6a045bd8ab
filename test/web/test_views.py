# SPDX-License-Identifier: Apache-2.0
"""Ten views of the page and the application in Chromium and Firefox, each at three widths: nothing is logged, nothing
is wider than the window, and axe-core finds nothing serious. Their pictures go to WEB_OUT/views, to be looked at.

AXE: the file axe.min.js, of test/web/requirements.txt.
"""
import os
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union

from browser import Browser
from firefox import Firefox
from page_case import FIXTURES, OUT, ROOT, make_page
from server import StaticServer

AXE = Path(os.environ.get("AXE", ROOT / "build" / "axe" / "axe_playwright_python" / "axe.min.js"))
WEB = Path(os.environ.get("WEB_FOLDER", ROOT / "build" / "web")).resolve()
WIDTHS = ((360, 780), (768, 1000), (1280, 1000))
DISTILBERT = FIXTURES / "distilbert-base.ts14.dyn.onnx"
GPT, DETECTOR = FIXTURES / "gpt2-decode.ts13.p127.onnx", FIXTURES / "detector.dynamo.onnx"
CNN = FIXTURES / "lraspp-mobilenetv3.ts13.onnx"
SIZES = ("--dim", "batch=1", "--dim", "sequence=128")
SOME = [FIXTURES / f"{name}.onnx" for name in ("espcn-x3.dynamo", "mobilenetv2.qdq-int8", "vit-b16.ts14",
                                               "gpt2-decode.ts13.p127", "detector.dynamo", "bert-base.ort-fused")]

# Pages by the tool: name, words, part of the address after #.
PAGES: dict[str, tuple[tuple[Any, ...], str]] = {
    "dynamic": ((DISTILBERT, "-t", "hexagon"), ""),
    "split": ((DISTILBERT, "-t", "hexagon", *SIZES), ""),
    "undecided": ((CNN, "-t", "rknn"), ""),
    "node": ((GPT, "-t", "hexagon"), "#n=417"),
    "fix": (("fix", DISTILBERT, "-t", "hexagon", *SIZES, "--dry-run"), ""),
    "many": ((*SOME, "-t", "hexagon,intel-npu"), ""),
    "targets": ((DETECTOR, "-t", "hexagon,xnnpack"), ""),
}
IS_READY = "document.querySelector('#page main') && !document.querySelector('[aria-busy]')"
CLICK = "[...document.querySelectorAll('{}')].find((item) => item.textContent.startsWith('{}')).click()"
# Impacts that are serious, each with the rule and the first elements.
FINDINGS = """axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations
    .filter((found) => ["serious", "critical"].includes(found.impact))
    .map((found) => `${found.id}: ${found.help}: ${found.nodes.slice(0, 3).map((node) => node.html.slice(0, 120))}`))"""

AnyBrowser = Union["Chromium", Firefox]


class Chromium(Browser):
    """With Firefox's way to evaluate."""

    def evaluate(self, expression: str) -> Any:
        return self.driver.execute_async_script(
            f"const done = arguments[0]; Promise.resolve({expression}).then(done, (error) => done(String(error)));")

    def run(self, script: str) -> None:
        self.driver.execute_script(script)


class Views(unittest.TestCase):
    """Every view in one browser; the subclass says which."""

    make: Callable[[], AnyBrowser]
    name = ""

    @classmethod
    def setUpClass(cls) -> None:
        if not cls.name:
            raise unittest.SkipTest("of its subclasses")
        if not AXE.is_file():
            raise unittest.SkipTest(f"{AXE} is not there: make check-web")
        cls.axe = AXE.read_text()
        cls.pictures = OUT / "views"
        cls.pictures.mkdir(parents=True, exist_ok=True)
        cls.browser = cls.make()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def look(self, view: str, width: int) -> None:
        """What must hold of a view as it is now."""
        self.browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        self.browser.screenshot(self.pictures / f"{view}-{self.name}-{width}.png")
        self.assertEqual(self.browser.console(), [])
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
        self.browser.run(self.axe)
        self.assertEqual(self.browser.evaluate(FINDINGS), [])

    def test_pages(self) -> None:
        for view, (words, place) in PAGES.items():
            page = make_page(f"view-{view}", *words)
            for width, height in WIDTHS:
                with self.subTest(view, width=width):
                    self.browser.resize(width, height)
                    self.browser.open("about:blank")
                    self.browser.open(page.as_uri() + place)
                    self.browser.wait(IS_READY)
                    self.look(view, width)

    def test_application(self) -> None:
        """The start, the example's report, and its fix with the file to save."""
        for width, height in WIDTHS:
            with self.subTest(width=width), StaticServer(WEB) as server:
                self.browser.resize(width, height)
                self.browser.open(server.address)
                self.browser.wait("document.querySelectorAll('.app-target').length > 10", 60)
                self.look("start", width)
                self.browser.run(CLICK.format("#app button", "Try an example"))
                self.browser.wait(IS_READY, 60)
                self.look("report", width)
                self.browser.run(CLICK.format("#page button", "Fix the model"))
                self.browser.wait(f"document.querySelector('.written button') && {IS_READY}", 60)
                self.look("fixed", width)


class InChromium(Views):
    name = "chromium"
    make = staticmethod(Chromium)


class InFirefox(Views):
    name = "firefox"
    make = staticmethod(Firefox)


if __name__ == "__main__":
    unittest.main()
