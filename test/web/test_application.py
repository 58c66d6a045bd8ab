# SPDX-License-Identifier: Apache-2.0
"""What people do in the page of `make web`: give a model, try, fix, save."""
import json
import tempfile
import unittest
from pathlib import Path
from urllib.parse import quote

from page_case import FIXTURES
from test_app import AppCase, native, sha256

CLICK = """
const [place, text] = arguments;
const found = [...document.querySelectorAll(place)].find((item) => item.textContent.startsWith(text));
found.click();
"""
HAS_REPORT = "document.querySelector('#page main section') !== null"
IS_COMPARED = "document.getElementById('section-compare') !== null || location.hash.includes('m=1')"
# What would be saved goes into a list.
CATCH = """
window.saved = [];
URL.createObjectURL = (blob) => { window.last = blob; return "data:,"; };
HTMLAnchorElement.prototype.click = function () {
    window.last.text().then((text) => saved.push([this.download, text]));
};
"""
# The names and hashes of what the buttons save.
HASH_SAVED = """
const [place, done] = arguments, blobs = [], names = [];
URL.createObjectURL = (blob) => { blobs.push(blob); return "data:,"; };
HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
for (const button of document.querySelectorAll(place)) if (button.textContent.startsWith("Save")) button.click();
const hash = async (blob) => Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer())),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
Promise.all(blobs.map(hash)).then((hashes) => done(hashes.map((text, at) => [names[at], text])));
"""
# Models whose first step is another one each: rewrites and sizes, an end, a cache, what is only allowed, quantized.
STEPS = [
    ("distilbert-base.ts14.dyn.onnx", "hexagon"),
    ("detector.dynamo.onnx", "rknn"),
    ("qwen2-0.5b.genai-int4-cpu.onnx", "hexagon"),
    ("early-exit-cnn.ts14.if.onnx", "intel-npu"),
    ("resnet50.qoperator-uint8.onnx", "intel-npu"),
    ("t5-small-encoder.dynamo.dyn.onnx", "stm32n6+quantize"),
]
DROP = """
const given = new DataTransfer();
given.items.add(new File([arguments[1]], arguments[0]));
document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: given }));
"""


class Application(AppCase):
    """The controls above the report."""

    def click(self, place: str, text: str) -> None:
        self.browser.script(CLICK, place, text)

    def give(self, *names: str) -> None:
        self.browser.give_files("#app input[type=file]", [FIXTURES / name for name in names])
        self.browser.wait(f"{HAS_REPORT} && document.title.startsWith('{names[0]}')", 60)

    def test_start(self) -> None:
        """What comes out, and the targets, before there is a model; then the targets stand in the form."""
        self.browser.wait("document.querySelectorAll('.app-start .app-target').length > 10", 60)
        self.assertIn("What comes out", self.browser.script("return document.querySelector('.app-start').innerText"))
        self.give("detector.dynamo.onnx")
        self.assertTrue(self.browser.script("return !document.querySelector('.app-start').checkVisibility()"
                                            " && document.querySelectorAll('form .app-target').length > 10"))

    def test_example_and_fix(self) -> None:
        """What the verdict proposes is done by its button; the file stands beside the change."""
        self.browser.wait("document.querySelectorAll('.app-target').length > 10", 60)
        self.click("#app button", "Try an example")
        self.browser.wait(HAS_REPORT, 60)
        self.click("#page .first-action button", "Fix the model")
        self.browser.wait("document.querySelector('#section-comparison .written button') !== null", 60)
        told = self.browser.script("return document.querySelector('#section-comparison .headline-verdict').textContent")
        self.assertIn("7 \u2192 1 partitions", told)
        self.assertIn("o=--target%20hexagon%20--dim%20batch%3D1", self.browser.script("return location.hash"))
        self.browser.script(CATCH)
        self.click("#page .written button", "Save distilbert-base.ts14.dyn.fixed.onnx")
        self.browser.wait("saved.length > 0")
        self.assertEqual(self.browser.script("return saved[0][0]"), "distilbert-base.ts14.dyn.fixed.onnx")
        self.assert_quiet()

    def test_button_is_line(self) -> None:
        """Fix the model writes the files that the line beside it writes."""
        for name, target in STEPS:
            with self.subTest(name, target=target), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / name).write_bytes((FIXTURES / name).read_bytes())
                report = json.loads(native(Path(folder), name, "--target", target, "--format", "json")[1])
                line = next(step["run"] for step in report["targets"][0]["advice"] if step["run"])
                self.browser.open("about:blank")
                self.browser.open(f"{self.server.address}#o={quote(f'--target {target}')}")
                self.give(name)
                self.assertIn(line[-1], self.browser.script("return document.querySelector('.first-action').innerText"))
                self.click("#page .first-action button", "Fix the model")
                self.browser.wait("document.querySelector('#section-comparison .written button') !== null", 60)
                saved = self.browser.driver.execute_async_script(HASH_SAVED, "#section-comparison .written button")
                exit_status, _, told = native(Path(folder), *line[1:])
                self.assertEqual(exit_status, 0, told)
                wanted = [[path.name, sha256(path)] for path in Path(folder).iterdir() if path.name != name]
                self.assertTrue(wanted)
                self.assertEqual(sorted(saved), sorted(wanted))
        self.assert_quiet()

    def test_proposed_sizes(self) -> None:
        self.give("distilbert-base.ts14.dyn.onnx")
        self.click("#app button", "Use the proposed sizes")
        self.browser.wait("!document.querySelector('.app-dims button') && !document.body.hasAttribute('aria-busy')", 60)
        self.assertIn("7 partitions", self.browser.script("return document.querySelector('#section-verdict').textContent"))
        self.click("#app button", "Fix the model")
        self.browser.wait("document.querySelector('#section-comparison .written button') !== null", 60)
        self.assertIn("Whole", self.browser.script("return document.querySelector('#section-verdict').textContent"))
        self.assert_quiet()

    def test_saved_reports(self) -> None:
        """The bytes that the tool prints, of what is shown; and back in."""
        self.give("detector.dynamo.onnx")
        self.browser.script(CATCH)
        for at, (label, form) in enumerate([("HTML", "html"), ("JSON", "json"), ("SARIF", "sarif"), ("CSV", "csv"),
                                            ("Markdown", "markdown"), ("SVG", "svg"), ("DOT", "dot")]):
            with self.subTest(form):
                self.click(".app-downloads button", label)
                self.browser.wait(f"saved.length > {at}", 60)
                name, text = self.browser.script("return saved[saved.length - 1]")
                wanted = native(FIXTURES, "detector.dynamo.onnx", "--target", "hexagon", "--format", form)[1]
                self.assertEqual(text, wanted)
                self.assertTrue(name.startswith("detector.dynamo."))
        text = self.browser.script("return saved[1][1]")
        self.browser.script(DROP, "saved.json", text.replace("detector.dynamo.onnx", "other.onnx"))
        self.browser.wait("document.title.startsWith('other.onnx')", 60)
        self.assertTrue(self.browser.script("return document.querySelector('.app-form').hidden"))
        self.assert_quiet()

    def test_node_is_placed(self) -> None:
        self.give("detector.dynamo.onnx")
        self.browser.script("document.querySelector('#page button.link.node').click()")
        self.browser.wait("[...document.querySelectorAll('#page button')]"
                          ".some((item) => item.textContent.startsWith('Assume'))")
        self.click("#page button", "Assume it on the NPU")
        self.browser.wait(IS_COMPARED, 60)
        self.assertIn("=npu", self.browser.script("return document.querySelector('.app-assumed').textContent"))
        self.assertIn("--assume-node", self.browser.script("return decodeURIComponent(location.hash)"))
        self.click("#app .app-assumed button", "Take all back")
        self.browser.wait("document.querySelector('.app-assumed').hidden && !location.hash.includes('m=1')", 60)
        self.assert_quiet()

    def test_parts(self) -> None:
        self.give("detector.dynamo.onnx")
        self.click("#app button", "Split it")
        self.browser.wait("document.querySelectorAll('.app-fixed button').length > 2", 60)
        self.browser.script(CATCH)
        self.click(".app-fixed button", "Save detector.dynamo.parts/manifest.json")
        self.browser.wait("saved.length > 0")
        name, text = self.browser.script("return saved[0]")
        self.assertEqual((name, bool(json.loads(text)["parts"])), ("manifest.json", True))

    def test_mistakes(self) -> None:
        """What cannot be read, or is no option, is told by the tool's words."""
        self.browser.script(DROP, "broken.onnx", "nothing of the kind")
        self.browser.wait("!document.querySelector('.app-problem').hidden", 60)
        told = "return document.querySelector('.app-problem').textContent"
        self.assertIn("broken.onnx: byte 0", self.browser.script(told))
        self.give("detector.dynamo.onnx")
        self.assertTrue(self.browser.script("return document.querySelector('.app-problem').hidden"))
        self.browser.script("const field = document.querySelector('.app-form input'); field.value = 'hexagno';"
                            "field.dispatchEvent(new Event('input'));")
        self.click("#app button", "Analyze")
        self.browser.wait("!document.querySelector('.app-problem').hidden", 60)
        self.assertIn("hexagno", self.browser.script(told))

    def test_narrow_and_dark(self) -> None:
        self.browser.resize(360, 780)
        self.browser.media(dark=True)
        self.give("detector.dynamo.onnx")
        top = "return document.querySelector('#section-verdict .headline-verdict').getBoundingClientRect().top + scrollY"
        self.assertLess(self.browser.script(top), 300, "the verdict is not what a phone shows first")
        self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 360)
        controls = "[...document.querySelectorAll('#app button, #app input:not([type=file]), #app select')]"
        is_unnamed = "(item) => !item.textContent.trim() && !item.ariaLabel && !item.labels?.length"
        unnamed = self.browser.script(f"return {controls}.filter({is_unnamed}).length")
        self.assertEqual(unnamed, 0)


if __name__ == "__main__":
    unittest.main()
