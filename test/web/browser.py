# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium: opened, clicked, photographed; with all that it logs and asks the network for.

Needs Debian's chromium, chromium-driver and python3-selenium, thus the system's Python.
"""
import base64
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# Nothing but the page itself asks the network for anything, so whatever is asked for is the page's doing.
ARGUMENTS = (
    "--headless=new",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--metrics-recording-only",
    "--no-first-run",
)
# The scheme of an own browser page or of data that is in the page already: no request leaves for them.
LOCAL_SCHEMES = ("about", "blob", "chrome", "data", "devtools")


def installed(*names: str) -> str:
    """The first of the programs that there is."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    raise FileNotFoundError(f"none of {', '.join(names)} is installed")


class Browser:
    """One window. `net_log`: a file that gets all requests of the browser, those of workers too, when it ends."""

    def __init__(
        self, width: int = 1280, height: int = 900, dark: bool = False, net_log: Path | None = None
    ) -> None:
        self.profile = tempfile.mkdtemp(prefix="npart-browser-")
        options = Options()
        options.binary_location = installed("chromium", "google-chrome")
        for argument in ARGUMENTS:
            options.add_argument(argument)
        options.add_argument(f"--user-data-dir={self.profile}")
        options.add_argument(f"--window-size={width},{height}")
        if net_log:
            options.add_argument(f"--log-net-log={net_log}")
        if hasattr(os, "getuid") and os.getuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.downloads = Path(self.profile) / "downloads"
        self.downloads.mkdir()
        options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
        service = Service(installed("chromedriver"), log_path=os.devnull)
        self.driver = webdriver.Chrome(service=service, options=options)
        self.driver.set_script_timeout(120)
        self.driver.set_page_load_timeout(120)
        self.logged: list[dict[str, Any]] = []
        self.requested: list[str] = []
        self.resize(width, height)
        self.media(dark=dark)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, name: str, **parameters: Any) -> dict[str, Any]:
        """A command of the DevTools protocol."""
        answer: dict[str, Any] = self.driver.execute_cdp_cmd(name, parameters)
        return answer

    def resize(self, width: int, height: int) -> None:
        """The viewport's size in CSS pixels, exactly; a window cannot be as narrow."""
        self.width, self.height = width, height
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def media(self, dark: bool = False, paper: bool = False) -> None:
        """What the page is told of where it is shown."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", media="print" if paper else "screen", features=[scheme])

    def open(self, page: str | Path) -> None:
        """Opens a file or an address. What was logged and requested before is forgotten."""
        self.read_logs()
        self.logged, self.requested = [], []
        address = str(page)
        if not urlsplit(address).scheme:
            path, mark, part = address.partition("#")
            address = Path(path).resolve().as_uri() + mark + part
        self.driver.get(address)

    def script(self, text: str, *arguments: Any) -> Any:
        """The value that the statements in `text` return."""
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition: str, seconds: float = 20) -> float:
        """Waits until the expression holds; tells how long it took."""
        start = time.monotonic()
        while True:
            try:
                if self.script(f"return Boolean({condition})"):
                    return time.monotonic() - start
            except JavascriptException:
                pass  # What it reads is not there yet.
            if time.monotonic() - start > seconds:
                raise TimeoutError(f"after {seconds:g} s not yet: {condition}\n" + "\n".join(self.console()))
            time.sleep(0.02)

    def settle(self) -> None:
        """Until the page has been drawn twice since, and nothing moves any more."""
        self.driver.execute_async_script(
            "const done = arguments[0], end = () => Promise.allSettled("
            "document.getAnimations().map((one) => one.finished)).then(() => done());"
            "requestAnimationFrame(() => requestAnimationFrame(end));"
        )

    def click(self, x: float, y: float) -> None:
        """A click of the mouse at a place of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def give_files(self, selector: str, paths: Iterable[str | Path]) -> None:
        """Files for an input of files, also for one that is not shown."""
        element = self.driver.find_element("css selector", selector)
        element.send_keys("\n".join(str(Path(path).resolve()) for path in paths))

    def downloaded(self, pattern: str, seconds: float = 20) -> Path:
        """The newest download of such a name, once it is whole."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            found = sorted(self.downloads.glob(pattern), key=lambda path: path.stat().st_mtime)
            if found and not list(self.downloads.glob("*.crdownload")):
                return found[-1]
            time.sleep(0.05)
        raise TimeoutError(f"no download {pattern}: {[path.name for path in self.downloads.iterdir()]}")

    def read_logs(self) -> None:
        """The driver hands each line out once: they are kept."""
        self.logged += self.driver.get_log("browser")
        for line in self.driver.get_log("performance"):
            event = json.loads(line["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self.requested.append(event["params"]["request"]["url"])

    def console(self) -> list[str]:
        """All that was logged: warnings, errors of scripts, violations of the content security policy."""
        self.read_logs()
        return [f"{line['level']}: {line['message']}" for line in self.logged]

    def requests(self) -> list[str]:
        """What was asked for, the page itself first; workers of it are not seen here."""
        self.read_logs()
        return [url for url in self.requested if urlsplit(url).scheme not in LOCAL_SCHEMES]

    def screenshot(self, path: str | Path, full: bool = False) -> None:
        """Writes a PNG of what is seen, or of the whole page."""
        clip = {}
        if full:
            size = self.command("Page.getLayoutMetrics")["cssContentSize"]
            clip["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        image = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=full, **clip)
        Path(path).write_bytes(base64.b64decode(image["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed on A4."""
        printed = self.command(
            "Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True
        )
        return base64.b64decode(printed["data"])

    def names(self) -> list[dict[str, Any]]:
        """What a screen reader is told: role, name and the id of the element, in the page's order."""
        self.command("Accessibility.enable")
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        return [
            {
                "role": node.get("role", {}).get("value", ""),
                "name": node.get("name", {}).get("value", ""),
                "element": node.get("backendDOMNodeId"),
                "properties": {entry["name"]: entry["value"].get("value") for entry in node.get("properties", [])},
            }
            for node in nodes
            if not node.get("ignored")
        ]
