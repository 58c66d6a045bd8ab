# SPDX-License-Identifier: Apache-2.0
"""A graph of 20,000 nodes: how long until its page can be used. Figures are printed; only a generous cap fails."""
import time
import unittest
from pathlib import Path

from page_case import MODELS, PageCase, make_page

CAP_SECONDS = 10
# Of a page without reports, by agreement.
LARGEST_FRAME = 500_000


class Large(PageCase):
    page: Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page = make_page("large", MODELS / "large.onnx", "--target", "hexagon")

    def click_lane(self) -> None:
        """In the middle of the lane, at the height of the nodes on the NPU, which is found."""
        box = self.browser.script(
            "const lane = document.getElementById('lane'); lane.scrollIntoView({block: 'center'});"
            "const box = lane.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]"
        )
        for down in range(4, 20):
            self.browser.click(box[0] + box[2] / 2 + 3, box[1] + box[3] * down / 20)
            if self.browser.script("return /[#&]n=\\d/.test(location.hash)"):
                return
        raise AssertionError("no click in the lane is answered")

    def test_is_interactive_in_time(self) -> None:
        """From navigation until a click in the lane is answered, the best of three: the first starts the browser."""
        # In time of the processor, which other programs do not change.
        self.browser.command("Performance.enable", timeDomain="threadTicks")
        taken = []
        for _ in range(3):
            self.browser.open("about:blank")
            start = time.monotonic()
            self.browser.open(self.page)
            self.browser.wait("document.getElementById('lane')")
            shown = time.monotonic() - start
            self.click_lane()
            self.browser.wait("document.querySelector('#section-details').innerText.includes('/blocks.')", CAP_SECONDS)
            seconds = time.monotonic() - start
            metrics = self.browser.command("Performance.getMetrics")["metrics"]
            busy = next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
            taken.append((seconds, shown, busy))
        seconds, shown, busy = min(taken)
        megabytes = self.page.stat().st_size / 1e6
        print(f"\n20,000 nodes, {megabytes:.1f} MB: lane after {shown:.2f} s, click answered: {seconds:.2f} s", end=" ")
        print(f"\n{busy:.2f} s of them the processor works for the page", end=" ")
        self.assertLess(seconds, CAP_SECONDS)
        self.assert_quiet()

    def test_search_answers_in_time(self) -> None:
        self.open(self.page)
        self.browser.wait("document.querySelector('#section-nodes input[type=search]')")
        start = time.monotonic()
        field = self.browser.driver.find_element("css selector", "#section-nodes input[type=search]")
        field.send_keys("Cosh_25")
        self.browser.wait("document.querySelector('#section-nodes [aria-rowcount]').ariaRowCount === '21'", CAP_SECONDS)
        print(f"\nsearch of 20,000 nodes answered after {time.monotonic() - start:.2f} s", end=" ")

    def test_frame_is_small(self) -> None:
        text = self.page.read_bytes()
        head, _, rest = text.partition(b'<script type="application/json"')
        frame = len(head) + len(rest[rest.rindex(b"</script>", 0, rest.rindex(b"<script>")):])
        print(f"\na page without its report: {frame / 1000:.0f} kB", end=" ")
        self.assertLess(frame, LARGEST_FRAME)


if __name__ == "__main__":
    unittest.main()
