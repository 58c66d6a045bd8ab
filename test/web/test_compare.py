# SPDX-License-Identifier: Apache-2.0
"""Pages of several models or targets, of `diff` and of `fix`: what is compared, and that all of it can be used."""
import json
import unittest
from pathlib import Path
from typing import Any

from page_case import FIXTURES, MODELS, PageCase, make_page, run_tool

DYNAMIC = FIXTURES / "distilbert-base.ts14.dyn.onnx"
SIZES = ("--dim", "batch=1", "--dim", "sequence=128")
BEFORE, AFTER = MODELS / "small.onnx", MODELS / "changed.onnx"


class Compare(PageCase):
    def open_page(self, page: Path) -> None:
        self.browser.open("about:blank")
        self.browser.open(page)
        self.browser.wait("document.querySelector('main')?.children.length")
        self.browser.settle()

    def assert_good(self) -> None:
        """In light and dark, wide and narrow."""
        for dark, width in ((False, 1280), (True, 1280), (False, 400)):
            with self.subTest(dark=dark, width=width):
                self.browser.resize(width, 900)
                self.browser.media(dark=dark)
                self.browser.settle()
                self.assert_audit()
        self.assert_named()
        self.assert_quiet()

    def test_two_models(self) -> None:
        """First all results; one of them by its link; then the two side by side."""
        self.open_page(make_page("two-models", BEFORE, AFTER, "--target", "hexagon"))
        self.assertIn(BEFORE.name, self.text("main"))
        self.assertIn(AFTER.name, self.text("main"))
        self.assert_named()
        self.browser.driver.find_element("css selector", "main tbody a").click()
        self.browser.wait("document.querySelector('#section-verdict')")
        self.assertEqual(self.count("#section-comparison"), 0)
        self.compare_with(AFTER.name)
        self.assertIn("Cosh", self.text("#section-comparison"))
        self.assert_good()

    def compare_with(self, name: str) -> None:
        label = self.browser.driver.find_element("xpath", "//label[contains(., 'Compare with')]")
        choice = label.find_element("tag name", "select")
        entry = next(option for option in choice.find_elements("tag name", "option") if name in option.text)
        entry.click()
        self.browser.wait("document.querySelector('#section-comparison')")

    def test_two_targets(self) -> None:
        self.open_page(make_page("two-targets", DYNAMIC, *SIZES, "--target", "hexagon,ethos-u"))
        self.assertIn("ethos-u", self.text("main"))
        self.browser.driver.find_element("css selector", "main tbody a").click()
        self.browser.wait("document.querySelector('#section-verdict')")
        self.compare_with("ethos-u")
        self.assert_good()

    def test_lanes_of_targets(self) -> None:
        """One model on two targets: a lane each below the table; a node of it leads to the target's page."""
        self.open_page(make_page("lanes", FIXTURES / "detector.dynamo.onnx", "--target", "hexagon,xnnpack"))
        self.assertEqual(self.count("main canvas.lane-canvas"), 2)
        names = self.browser.script(
            "return [...document.querySelectorAll('main canvas.lane-canvas')].map((lane) => lane.ariaLabel)")
        self.assertIn("NPU above", names[0])
        self.assertIn("XNNPACK above", names[1])
        self.assert_good()

    def test_many(self) -> None:
        """Totals by verdict filter the table, the search wants all words, a title orders, each row has a strip."""
        models = [FIXTURES / name for name in ("detector.dynamo.onnx", "espcn-x3.dynamo.onnx",
                                               "mobilenetv2.dynamo.onnx", "gpt2-decode.ts13.p127.onnx")]
        self.open_page(make_page("many", *models, "--target", "hexagon,intel-npu"))
        self.assertEqual(self.count(".overview tbody tr"), 8)
        self.assertEqual(self.count(".overview tbody svg.strip"), 8)
        counts = self.browser.script(
            "return [...document.querySelectorAll('.total .number')].map((one) => Number(one.textContent))")
        self.assertEqual(sum(counts), 8)
        button = self.browser.driver.find_element("css selector", "button.total")
        button.click()
        self.assertEqual(self.count(".overview tbody tr"), counts[0])
        button.click()
        self.assertEqual(self.count(".overview tbody tr"), 8)
        search = self.browser.driver.find_element("css selector", ".overview-search input")
        search.send_keys("gpt2 hexagon")
        self.assertEqual(self.count(".overview tbody tr"), 1)
        search.clear()
        search.send_keys(" ")
        self.browser.driver.find_element("xpath", "//th/button[.='Partitions']").click()
        first = self.browser.script("return document.querySelector('.overview tbody tr').innerText")
        self.assertIn("gpt2", first)
        self.assert_good()

    def test_diff(self) -> None:
        words = ("diff", BEFORE, AFTER, "--target", "hexagon")
        diff = self.json(*words, status=(0, 1))
        self.open_page(make_page("diff", *words, status=(0, 1)))
        shown = self.text("#section-comparison")
        self.assertIn(diff["change"], shown.lower())
        target = diff["targets"][0]
        for side in ("before", "after"):
            self.assertIn(str(target[side]["summary"]["partitions"]), shown)
        for side in ("before", "after"):
            self.assertEqual(self.count(f"#section-comparison #lane-{side}"), 1)
        self.assert_good()

    def test_fix(self) -> None:
        words = ("fix", DYNAMIC, "--target", "hexagon", *SIZES, "--dry-run")
        fix = self.json(*words)
        self.open_page(make_page("fix", *words))
        self.assertEqual(self.browser.script("return document.querySelector('main > section').id"), "section-comparison")
        self.assertIn("7 \u2192 1 partitions", self.text("#section-comparison .headline-verdict"))
        self.assertIn(f"{fix['after_ms']:.3g} ms", self.text("#section-comparison .headline-verdict"))
        shown = self.text("#section-fix")
        for step in fix["steps"]:
            self.assertIn(step["rewrite"], shown)
        self.assert_good()

    def json(self, *words: Any, status: tuple[int, ...] = (0,)) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(run_tool(*words, "--format", "json", status=status))
        return document


if __name__ == "__main__":
    unittest.main()
