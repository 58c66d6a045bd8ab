# SPDX-License-Identifier: Apache-2.0
"""Names of a model, its dims, modules and path that would be markup, code or a turn of direction are shown as text."""
import json
import shutil
import unittest
from pathlib import Path

from names import HIT, HOSTILE
from page_case import MODELS, OUT, PageCase, make_page, run_tool

# Of elements of the page's own there are none of these, so each would be a name that became markup.
FOREIGN = "img, iframe, object, embed, video, base, form, svg script, [onload], [onerror], [onmouseover], [onclick]"


class Names(PageCase):
    page: Path
    model: Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        folder = OUT / f"<img src=x onerror={HIT}>\u202e"
        folder.mkdir(parents=True, exist_ok=True)
        model = folder / f"'\"&lt;b&gt;<script>{HIT}<!--\u2028.onnx"
        shutil.copy(MODELS / "hostile.onnx", model)
        cls.model = model
        cls.page = make_page("hostile", model, "--target", "hexagon,ethos-u")

    def assert_inert(self) -> None:
        self.browser.settle()
        self.assertIsNone(self.browser.script("return window.npartHit ?? null"))
        self.assertEqual(self.count(FOREIGN), 0)
        self.assertEqual(self.count("body script:not(.npart-data)"), 1)
        self.assert_audit()
        self.assert_quiet()

    def test_overview(self) -> None:
        self.browser.open(self.page)
        self.browser.wait("document.querySelector('main')")
        self.assert_inert()

    def test_each_target(self) -> None:
        for at in range(2):
            with self.subTest(target=at):
                self.open_target(at)
                self.assert_inert()
                self.assertIn("\\u{202e}", self.text("#page"))
                self.browser.resize(400, 800)
                self.browser.settle()
                self.assert_audit()
                self.browser.resize(1280, 900)

    def open_target(self, at: int, node: str = "") -> None:
        self.browser.open("about:blank")
        self.open(f"{self.page.as_uri()}#m=0&t={at}{node}")

    def test_each_node(self) -> None:
        """Each node selected: its details show its name as the report has it, but for what is escaped."""
        report = json.loads(run_tool(self.model, "--target", "hexagon", "--format", "json"))
        nodes = report["targets"][0]["nodes"]
        self.assertEqual(len(nodes), len(HOSTILE))
        for number, node in enumerate(nodes):
            with self.subTest(number=number, name=node["name"][:40]):
                self.open_target(0, f"&n={number}")
                self.browser.settle()
                self.assertIsNone(self.browser.script("return window.npartHit ?? null"))
                shown = self.browser.script("return document.querySelector('#section-details').textContent")
                if node["name"].isascii() and node["name"].isprintable():
                    self.assertIn(node["name"][:40], shown)
                self.assert_audit()
        self.assert_quiet()

    def test_address(self) -> None:
        """What stands in the page's address is data, too."""
        addresses = ("#m=0&t=99&n=99999999", "#m=-1&t=__proto__", "#c=%3Cimg%3E", "#%", "#n=1e3")
        for address in (f"#<script>{HIT}</script>", *addresses):
            with self.subTest(address):
                self.browser.open("about:blank")
                self.browser.open(self.page.as_uri() + address)
                self.browser.wait("document.querySelector('main')?.children.length")
                self.assertIsNone(self.browser.script("return window.npartHit ?? null"))
                self.assertEqual(self.count(FOREIGN), 0)
                self.assert_quiet()

    def test_refused_model(self) -> None:
        """A model that cannot be read has its sentence on the page."""
        page = make_page("refused", MODELS / "refused.onnx", MODELS / "small.onnx", "--target", "hexagon", status=(3,))
        self.browser.open(page)
        self.browser.wait("document.querySelector('main')?.children.length")
        self.assertIn("holds a NUL character", self.text("#page"))
        self.assertIn("small.onnx", self.text("#page"))
        self.assert_inert()


if __name__ == "__main__":
    unittest.main()
