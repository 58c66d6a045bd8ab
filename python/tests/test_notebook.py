# SPDX-License-Identifier: Apache-2.0
"""A notebook shows the first screen of the page: what the page's own scripts make of the same report."""
from __future__ import annotations

import html.parser
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest
from conftest import FIXTURES, MODELS, ROOT

from npu_partition import Analysis, _markup, analyze
from npu_partition._html import model_title, verdict
from npu_partition._page_css import CSS

SOURCES = ROOT / "python" / "src" / "npu_partition"

TARGETS = ["hexagon", "hexagon:57", "coreml-mlprogram", "xnnpack", "tidl", "ethos-u", "dla", "rknn"]
WORDS = ["a", "it's", "", "a b", "--x=1", "é", "$x", "/a/b:0,c@d%+"]


class Parser(html.parser.HTMLParser):
    """Checks that elements are closed, and collects their names, classes and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.classes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.classes.update((dict(attrs).get("class") or "").split())
        assert not any(name.startswith("on") or name in ("src", "href") for name, _value in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(shown: str) -> Parser:
    parser = Parser()
    parser.feed(shown)
    assert parser.open == []
    return parser


def drawn(reports: list[Any], numbers: list[float]) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    given = json.dumps({"reports": reports, "numbers": numbers, "words": WORDS})
    done = subprocess.run([node, pathlib.Path(__file__).with_name("page.js")], input=given, capture_output=True,
                          text=True, check=True, encoding="utf-8")
    return json.loads(done.stdout)


def without_details(shown: str) -> str:
    return re.sub(r"<details.*?</details>", "", shown, flags=re.S)


def plain(shown: str) -> str:
    """The page writes what has no shape of its own as \\u{7}, the library as \\u0007."""
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: f"\\u{int(found[1], 16):04x}", shown)


def analyses() -> list[Analysis]:
    found = [analyze(model, TARGETS) for model in MODELS[::3]]
    found.append(analyze(FIXTURES / "distilbert-base.ts14.dyn.onnx", TARGETS, dims={"batch": 1, "sequence": 128}))
    found.append(analyze((FIXTURES / "detector.dynamo.onnx").read_bytes(), TARGETS, name="a 'b'<i>/\u202e\x07.onnx"))
    found.append(analyze(FIXTURES / "detector.dynamo.onnx", TARGETS, assume={"Erf": "npu"}, advice=False))
    return found


def test_the_page_says_the_same() -> None:
    given = analyses()
    pages = drawn([analysis.to_dict("summary") for analysis in given], [])["pages"]
    for analysis, page in zip(given, pages):
        path = analysis.to_dict("summary")["model"]["path"]
        assert model_title(analysis.model, path) == plain(page["title"])
        for target, expected in zip(analysis.targets, page["verdicts"]):
            assert without_details(verdict(target, path, analysis.findings)) == plain(expected), (path, target.name)


def test_numbers_are_the_pages() -> None:
    draw = random.Random(4)
    numbers = [draw.uniform(1, 10) * 10 ** draw.uniform(-4, 9) for _time in range(2000)]
    numbers += [0.125, 0.375, 2.5, 99.95, 99.93, 9.995, 9.97, 0.0992, 0.0995, 995,
                99.5e3, 1000, 999.5, 0.005, 1, 0.25, 0.5]
    found = drawn([], numbers)
    for value, expected in zip(numbers, found["numbers"]):
        ranges: list[tuple[float | None, ...]] = [(value / 2, value, value * 3), (value / 20, value, value * 30)]
        assert [_markup.milliseconds(value), _markup.bytes_text(value), _markup.amount(value),
                _markup.share_text(value if value < 1 else 1 / value), _markup.whole(int(value + 0.5)),
                _markup.milliseconds_range(ranges[0]), *map(_markup.estimate, ranges),
                _markup.estimate_of(ranges[0]), *map(_markup.bounds_of, ranges)] == expected, value
    assert list(map(_markup.shell_word, WORDS)) == found["words"]


@pytest.mark.parametrize("targets", ["hexagon", "hexagon,tidl,dla", "xnnpack"])
def test_notebook(targets: str, encoder: pathlib.Path) -> None:
    analysis = analyze(encoder, targets)
    shown = analysis._repr_html_()
    found = parsed(shown)
    assert found.tags.isdisjoint({"script", "link", "iframe", "img", "button"})
    for target in analysis.targets:
        assert target.name in found.text
        for cause in target.causes[:5]:
            assert cause.text.replace("`", "") in found.text
        assert target.advice[0].text.replace("`", "") in found.text
        line = " ".join(map(_markup.shell_word, target.advice[0].run or ()))
        assert found.text.index("Worth it" if len(analysis.targets) == 1 else target.name) < found.text.index(line)
    assert "<svg" in shown
    assert len(shown) < 40_000
    one = parsed(analysis.targets[-1]._repr_html_())
    assert analysis.targets[-1].name in one.text
    if targets == "xnnpack":
        assert "NPU" not in one.text


def test_notebooks_of_saved_reports(encoder: pathlib.Path) -> None:
    live = analyze(encoder, "hexagon,tidl")
    assert Analysis.from_dict(live.to_dict())._repr_html_() == live._repr_html_()
    short = Analysis.from_dict(live.to_dict("summary"))._repr_html_()
    assert "headline-verdict" in short and "<svg" not in short
    parsed(short)


def test_notebook_escapes_what_models_say(detector: pathlib.Path) -> None:
    shown = analyze(detector.read_bytes(), "hexagon", name="<script>alert('1')</script>\u202e\"&")._repr_html_()
    assert "<script>" not in shown and "\u202e" not in shown
    assert "&lt;script&gt;alert(&#x27;1&#x27;)" in shown
    parsed(shown)
    text = _markup.element("p", {"title": "\"><script>'"}, "<b>", ["&", None, _markup.element("i", None, "\"")])
    assert text == '<p title="&quot;&gt;&lt;script&gt;&#x27;">&lt;b&gt;&amp;<i>&quot;</i></p>'


@pytest.mark.skipif(not SOURCES.is_dir(), reason="an installed package, without its sources")
def test_styles_are_the_pages() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "generate" / "notebook_css.py", ROOT / "web" / "page"],
                          capture_output=True, text=True, check=True)
    written = (SOURCES / "_page_css.py").read_text(encoding="utf-8")
    assert written == done.stdout, "make python-bindings"


def test_styles_stay_in_the_element(encoder: pathlib.Path) -> None:
    assert CSS.count("{") == CSS.count("}") > 50
    heads = re.findall(r"([^{}]+)\{", CSS)
    assert all(".npu-partition" in selector for head in heads for selector in head.split(","))
    shown = parsed(analyze(encoder, "hexagon,tidl")._repr_html_()).classes
    styled = set(re.findall(r"\.([a-z][\w-]*)", "".join(heads)))
    assert shown - styled <= {"prints", "path", "divider"}  # these are plain
