# SPDX-License-Identifier: Apache-2.0
"""One model's page: what it says, how it is used by mouse and by keyboard, that it can be read and printed."""
import csv
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

from page_case import CONTROLS, FIXTURES, OUT, PageCase, make_page, run_tool

MODEL = FIXTURES / "distilbert-base.ts14.dyn.onnx"
TARGET = "hexagon"


class QuickPage(PageCase):
    """What of a page must hold at all, quick enough for every change: `make check-page`."""

    page: Path
    report: dict[str, Any]
    target: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page = make_page("one", MODEL, "--target", TARGET)
        cls.report = json.loads(run_tool(MODEL, "--target", TARGET, "--format", "json"))
        cls.target = cls.report["targets"][0]

    def setUp(self) -> None:
        super().setUp()
        self.open(self.page)

    def test_says_what_the_report_says(self) -> None:
        answer = self.text("#section-verdict")
        self.assertIn(str(self.target["summary"]["partitions"]), answer)
        first = self.target["advice"][0]
        for word in re.findall(r"[A-Za-z]{4,}", first["text"])[:6]:
            self.assertIn(word, answer)
        for word in (first["command"] or "").split():
            self.assertIn(word, answer)
        self.assertIn(MODEL.name, self.text("h1"))

    def test_undecided_without_a_step(self) -> None:
        """The range of its partitions, and that no step is known, as the text has them."""
        words = (FIXTURES / "greedy-decode-gru.ts14.loop.onnx", "--target", "webnn")
        target = json.loads(run_tool(*words, "--format", "json", "--detail", "summary"))["targets"][0]
        low, high = target["summary"]["partitions_if_unknown"]
        self.assertLess(low, high)
        self.assertEqual(target["advice"], [])
        self.open(make_page("undecided", *words))
        self.assertIn(f"{low} to {high} partitions", self.text("#section-verdict"))
        self.assertIn("Fix: none known", self.text("#section-verdict"))

    def test_sections_are_drawn(self) -> None:
        empty = self.browser.script(
            "const seen = (part) => part.getClientRects().length;"
            "return [...document.querySelectorAll('main section')].filter(seen)"
            ".filter((part) => part.getClientRects()[0].height < 40 || !part.innerText.trim())"
            ".map((part) => part.id)"
        )
        self.assertEqual(empty, [])
        for name in ("verdict", "lane", "causes", "nodes", "details"):
            self.assertEqual(self.count(f"#section-{name}"), 1, name)
        doubled = self.browser.script(
            "const ids = [...document.querySelectorAll('[id]')].map(part => part.id);"
            "return ids.filter((id, at) => ids.indexOf(id) !== at)"
        )
        self.assertEqual(doubled, [])

    def test_is_quiet(self) -> None:
        self.browser.settle()
        self.assert_quiet()

    def test_can_be_read(self) -> None:
        for dark in (False, True):
            for width in (1280, 400):
                with self.subTest(dark=dark, width=width):
                    self.browser.resize(width, 900)
                    self.browser.media(dark=dark)
                    self.browser.settle()
                    self.assert_audit()

    def test_is_named(self) -> None:
        self.assert_named()

    def test_runs_nothing_else(self) -> None:
        """The policy of the page holds: scripts, styles and requests that are put into it do nothing."""
        tried = self.browser.driver.execute_async_script(
            """
            const done = arguments[0], tried = { violations: [] };
            document.addEventListener("securitypolicyviolation",
                (event) => tried.violations.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.npartHit = 1";
            document.body.append(script);
            document.body.setAttribute("onclick", "window.npartHit = 1");
            document.body.click();
            document.body.removeAttribute("onclick");
            const part = document.createElement("p");
            part.setAttribute("style", "color: rgb(1, 2, 3)");
            document.body.append(part);
            tried.colour = getComputedStyle(part).color;
            const image = new Image();
            image.src = "http://localhost/x.png";
            /* Later, since the driver may do what the page may not. */
            setTimeout(() => {
                try { (0, eval)("window.npartHit = 1"); } catch (error) { tried.eval = error.name; }
            });
            const end = (sent) => setTimeout(() => done({ ...tried, sent, hit: window.npartHit }), 50);
            fetch("http://localhost/x").then(() => end("sent"), () => end("refused"));
            """
        )
        self.assertIsNone(tried["hit"])
        self.assertNotEqual(tried["colour"], "rgb(1, 2, 3)")
        self.assertEqual(tried["eval"], "EvalError")
        self.assertEqual(tried["sent"], "refused")
        for directive in ("script-src-elem", "script-src-attr", "style-src-attr", "img-src", "connect-src"):
            self.assertIn(directive, tried["violations"])


class Used(PageCase):
    """The page is used: by the mouse, and by the keyboard alone."""

    page: Path
    target: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page = make_page("one", MODEL, "--target", TARGET)
        cls.target = json.loads(run_tool(MODEL, "--target", TARGET, "--format", "json"))["targets"][0]

    def setUp(self) -> None:
        super().setUp()
        self.browser.open("about:blank")
        self.open(self.page)

    def press(self, *keys: str) -> None:
        ActionChains(self.browser.driver).send_keys(*keys).perform()
        self.browser.settle()

    def focus(self, selector: str) -> None:
        self.browser.script("document.querySelector(arguments[0]).focus()", selector)
        self.assertTrue(self.browser.script("return document.activeElement.matches(arguments[0])", selector), selector)

    def selected(self) -> int | None:
        """The node that is selected, as the page's address has it."""
        found = re.search(r"[#&]n=(\d+)", self.browser.script("return location.hash"))
        return int(found.group(1)) if found else None

    def assert_details(self, identity: int) -> None:
        """The details are those of a node: its name, and why it falls back, with the source."""
        node = self.target["nodes"][identity]
        shown = self.text("#section-details")
        self.assertIn(node["op"], shown)
        if node["name"]:
            self.assertIn(node["name"], shown)
        squeezed = " ".join(shown.split())
        for reason in node["reasons"][:1]:
            for word in re.findall(r"[A-Za-z]{4,}", reason["text"]):
                self.assertIn(word, squeezed)
            self.assertIn(" ".join(reason["source"].split()), squeezed)


class Lane(Used):
    """Nodes in execution order, on a canvas."""

    def click_until(self, verdict: str) -> int:
        """Clicks in the lane from left to right until a node of that verdict is selected."""
        self.browser.script("document.getElementById('lane').scrollIntoView({block: 'center'})")
        box = self.browser.script(
            "const box = document.getElementById('lane').getBoundingClientRect();"
            "return [box.left, box.top, box.width, box.height]"
        )
        for down in range(2, 19):
            for right in range(4, 40):
                self.browser.click(box[0] + box[2] * right / 40, box[1] + box[3] * down / 20)
                identity = self.selected()
                if identity is not None and self.target["nodes"][identity]["verdict"] == verdict:
                    return identity
        raise AssertionError(f"no click selects a node that is {verdict}")

    def test_click_selects(self) -> None:
        for verdict in ("npu", "cpu"):
            with self.subTest(verdict):
                self.assert_details(self.click_until(verdict))

    def test_keys_select(self) -> None:
        """Arrows walk through the nodes in execution order, which is announced; Enter selects."""
        self.focus("#lane")
        order = self.target["order"]
        self.press(Keys.HOME)
        for place in (1, 2, 3):
            self.press(Keys.ARROW_RIGHT)
            told = self.browser.script(
                "const parts = document.querySelectorAll('[aria-live], [role=status]');"
                "return [...parts].map((part) => part.textContent).join()"
            )
            self.assertIn(self.target["nodes"][order[place]]["op"], told)
            self.press(Keys.ENTER)
            self.assertEqual(self.selected(), order[place])
            self.focus("#lane")
        self.press(Keys.ARROW_LEFT, Keys.ENTER)
        self.assertEqual(self.selected(), order[2])
        self.assert_details(order[2])
        self.focus("#lane")
        self.press(Keys.END, Keys.ENTER)
        self.assertEqual(self.selected(), order[-1])

    def test_wheel_scrolls_the_page(self) -> None:
        """The wheel alone scrolls the page; with Control it zooms."""
        self.browser.script("document.getElementById('lane').scrollIntoView({block: 'center'})")
        before = self.browser.script("return scrollY")
        lane = self.browser.driver.find_element("id", "lane")
        ActionChains(self.browser.driver).scroll_from_origin(ScrollOrigin.from_element(lane), 0, 200).perform()
        self.browser.wait(f"scrollY !== {before}")


    def test_folds_equal_blocks(self) -> None:
        """The first of equal blocks stands for all; hand-overs are part of the picture until then."""
        self.open(make_page("decoder", FIXTURES / "gpt2-decode.ts13.p127.onnx", "--target", TARGET))
        self.assertRegex(self.text(".lane-note"), r"Hand-overs take [\d.]+ ms of [\d.]+ ms \((3|4)\d\.\d %\)")
        self.browser.driver.find_element("css selector", ".lane-fold").click()
        self.assertIn("11 \u00d7 57 nodes", self.text(".lane-note"))
        self.assertTrue(self.browser.script("return document.activeElement.matches('.lane-fold')"))
        self.press(Keys.SPACE)
        self.assertIn("Hand-overs", self.text(".lane-note"))

    def test_neighbours(self) -> None:
        """A selected node stands between its neighbours, which can be selected."""
        self.click_until("npu")
        self.assertEqual(self.count(".neighbour-self"), 1)
        self.assertEqual(self.count(".strip-mark"), 1)
        before = self.selected()
        self.browser.driver.find_element("css selector", "button.neighbour").click()
        self.assertNotEqual(self.selected(), before)


class Nodes(Used):
    """The table of nodes: search, filters, order. Of its rows only those in sight are elements."""

    def rows(self) -> list[int]:
        ids = self.browser.script(
            "const rows = document.querySelectorAll('#section-nodes tr[id^=row-]');"
            "return [...rows].map((row) => Number(row.id.slice(4)))"
        )
        return [int(identity) for identity in ids]

    def row_count(self) -> int:
        count = self.browser.script(
            "return document.querySelector('#section-nodes [role=grid]').getAttribute('aria-rowcount')"
        )
        return int(count) - 1

    def search(self, text: str) -> None:
        self.focus(SEARCH)
        self.browser.script("document.activeElement.select()")
        self.press(Keys.DELETE, *text)

    def choose(self, label: str, beginning: str) -> None:
        """An entry of a list, by its first letters, as the keyboard does."""
        self.focus(f"#section-nodes select[aria-label='{label}']")
        self.press(*beginning)

    def ids(self, verdict: str) -> list[int]:
        return [identity for identity, node in enumerate(self.target["nodes"]) if node["verdict"] == verdict]

    def test_search(self) -> None:
        name = next(node["name"] for node in self.target["nodes"] if node["op"] == "Softmax")
        self.search(name)
        shown = self.rows()
        self.assertEqual(len(shown), self.row_count())
        self.assertIn(name, [self.target["nodes"][identity]["name"] for identity in shown])
        self.assertLess(len(shown), 5)
        self.search("there-is-no-such-node")
        self.assertEqual(self.row_count(), 0)
        self.assertIn("No node", self.text("#section-nodes"))
        self.search("")
        self.assertEqual(self.row_count(), len(self.target["nodes"]))

    def test_filter(self) -> None:
        self.choose("Verdict", "CPU")
        self.assertEqual(self.row_count(), len(self.ids("cpu")))
        self.choose("Op", "Softmax")
        both = [identity for identity in self.ids("cpu") if self.target["nodes"][identity]["op"] == "Softmax"]
        self.assertEqual(self.row_count(), len(both))
        self.browser.driver.find_element("css selector", "#section-nodes button.clear").click()
        self.assertEqual(self.row_count(), len(self.target["nodes"]))

    def test_sort(self) -> None:
        nodes = self.target["nodes"]
        values_of = {"Op": lambda node: node["op"].lower(), "ms": lambda node: node.get("ms", -1)}
        for word, value in values_of.items():
            with self.subTest(word):
                head = self.browser.driver.find_element("xpath", f"//*[@id='section-nodes']//th/button[.='{word}']")
                orders = set()
                for _ in range(2):
                    head.send_keys(Keys.ENTER)
                    values = [value(nodes[identity]) for identity in self.rows()]
                    order = self.browser.script("return arguments[0].parentElement.ariaSort", head)
                    if word != "ms" or -1 not in values:
                        self.assertEqual(values, sorted(values, reverse=order == "descending"), order)
                    orders.add(order)
                self.assertEqual(orders, {"ascending", "descending"})

    def test_keyboard_alone(self) -> None:
        """From the search to a node's details without the mouse."""
        self.focus(SEARCH)
        self.press(*"Softmax")
        for _ in range(40):
            self.press(Keys.TAB)
            if self.browser.script("return document.activeElement.matches('.node-table')"):
                break
        self.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        identity = self.selected()
        self.assertEqual(identity, self.rows()[2])
        assert identity is not None
        self.assert_details(identity)

    def test_rows_scroll(self) -> None:
        """The last row is reached, and there are never many elements."""
        self.focus("#section-nodes .node-table")
        self.press(Keys.END, Keys.ENTER)
        self.assertEqual(self.selected(), self.rows()[-1])
        self.assertEqual(self.browser.script(LAST_ROW), len(self.target["nodes"]) + 1)
        self.assertLess(len(self.rows()), 100)

    def test_click_selects(self) -> None:
        identity = self.rows()[5]
        self.browser.driver.find_element("id", f"row-{identity}").click()
        self.assertEqual(self.selected(), identity)
        self.assert_details(identity)

    def test_saves_csv(self) -> None:
        self.choose("Verdict", "CPU")
        self.browser.driver.find_element("xpath", "//*[@id='section-nodes']//button[contains(., 'CSV')]").click()
        saved = self.browser.downloaded("*.csv")
        with saved.open(newline="") as text:
            rows = list(csv.reader(text))
        self.assertEqual(len(rows) - 1, len(self.ids("cpu")))
        self.assert_quiet()


class Keyboard(Used):
    """Tab reaches everything that can be used, in the order of the page, and shows where it is."""

    def test_tab_order(self) -> None:
        self.browser.script("document.body.focus(); scrollTo(0, 0)")
        reached = []
        for _ in range(400):
            self.press(Keys.TAB)
            stop = self.browser.script(STOP, CONTROLS)
            if stop is None:
                break
            reached.append(stop)
        places = [stop["place"] for stop in reached]
        self.assertEqual(places, sorted(places), "the order of Tab is not that of the page")
        self.assertEqual([stop["html"] for stop in reached if not stop["seen"]], [], "focus is not seen")
        missed = self.browser.script(MISSED, CONTROLS, places)
        self.assertEqual(missed, [])


LAST_ROW = "return Number([...document.querySelectorAll('#section-nodes tr[id^=row-]')].pop().ariaRowIndex)"
SEARCH = "#section-nodes input[type=search]"
# The element that has the focus: its place among the controls, and whether one sees that it has it; null: none has.
STOP = """
const element = document.activeElement;
if (!element || element === document.body) return null;
const style = getComputedStyle(element), box = element.getBoundingClientRect();
const ring = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
const inside = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
return { place: [...document.querySelectorAll(arguments[0])].indexOf(element), seen: ring && inside,
    html: element.outerHTML.slice(0, 120) };
"""
# Controls that are shown and that Tab has not reached. Of radio buttons with one name, and in a tree, it reaches one.
MISSED = """
const [selector, reached] = arguments;
return [...document.querySelectorAll(selector)].filter((element, place) => !reached.includes(place)
    && element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
    && !element.matches(":disabled, [type=radio], [tabindex='-1']"))
    .map((element) => element.outerHTML.slice(0, 120));
"""


class Paper(PageCase):
    """Printed on paper."""

    def test_prints(self) -> None:
        if not shutil.which("pdftotext"):
            self.skipTest("needs pdftotext of poppler-utils")
        page = make_page("one", MODEL, "--target", TARGET)
        for dark in (False, True):
            with self.subTest(dark=dark):
                self.browser.media(dark=dark)
                self.open(page)
                self.look_at(self.browser.pdf())

    def look_at(self, printed: bytes) -> None:
        path = OUT / "one.pdf"
        path.write_bytes(printed)
        text = subprocess.run(["pdftotext", "-layout", path, "-"], check=True, stdout=subprocess.PIPE).stdout.decode()
        pages = text.split("\f")[:-1]
        self.assertTrue(pages)
        for number, words in enumerate(pages):
            self.assertGreater(len(words.split()), 3, f"page {number + 1} of {len(pages)} is blank")
        target = json.loads(run_tool(MODEL, "--target", TARGET, "--format", "json"))["targets"][0]
        self.assertIn(f"{target['summary']['partitions']}", pages[0])
        squeezed = "".join(text.split())
        for word in re.findall(r"[A-Za-z]{4,}", target["advice"][0]["text"])[:6]:
            self.assertIn(word, squeezed)


if __name__ == "__main__":
    unittest.main()
