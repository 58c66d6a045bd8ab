# SPDX-License-Identifier: Apache-2.0
"""A page in headless Firefox, by WebDriver BiDi, which Firefox speaks itself: no driver is needed.

Needs Debian's firefox-esr and python3-websocket, thus the system's Python.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import websocket

PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "ui.systemUsesDarkTheme": 0,
}
START_SECONDS, ANSWER_SECONDS = 60, 120


class Firefox:
    """One window, with what the same methods of browser.Browser do."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        self.profile = Path(tempfile.mkdtemp(prefix="npart-firefox-"))
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (self.profile / "user.js").write_text("\n".join(lines) + "\n")
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not program:
            raise FileNotFoundError("Firefox is not installed")
        self.log = (self.profile / "log").open("w+")
        # It refuses to run as root with a home of another's.
        environment = {**os.environ, "HOME": str(self.profile), "MOZ_HEADLESS": "1"}
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", str(self.profile), "--remote-debugging-port", "0"],
            stdout=subprocess.DEVNULL, stderr=self.log, env=environment,
        )
        try:
            self.socket = websocket.create_connection(
                f"{self.address()}/session", timeout=ANSWER_SECONDS, suppress_origin=True
            )
        except Exception:
            self.end()
            raise
        self.count = 0
        self.logged: list[str] = []
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=["log.entryAdded"])
        self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.resize(width, height)

    def __enter__(self) -> "Firefox":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def address(self) -> str:
        """Where it listens, which it says when it does."""
        start = time.monotonic()
        while time.monotonic() - start < START_SECONDS:
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", (self.profile / "log").read_text())
            if found:
                return found.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise TimeoutError("Firefox does not start:\n" + (self.profile / "log").read_text()[-2000:])

    def close(self) -> None:
        try:
            self.command("browser.close")
            self.socket.close()
        finally:
            self.end()

    def end(self) -> None:
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and returns its result; what is logged meanwhile is kept."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded":
                entry = message["params"]
                self.logged.append(f"{entry['level'].upper()}: {entry['text']}")
            if message.get("id") == self.count:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                result: dict[str, Any] = message["result"]
                return result

    def resize(self, width: int, height: int) -> None:
        self.command("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def open(self, page: str | Path) -> None:
        """Opens a file or an address. What was logged before is forgotten."""
        address = str(page) if ":" in str(page) else Path(page).resolve().as_uri()
        self.logged = []
        self.command("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression or what it promises, by way of JSON."""
        result = self.command(
            "script.evaluate", expression=f"(async () => JSON.stringify((await ({expression})) ?? null))()",
            target={"context": self.context}, awaitPromise=True,
        )
        if result["type"] == "exception":
            raise RuntimeError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def run(self, script: str) -> None:
        """Statements in the page's own scope, whose value is nobody's."""
        result = self.command(
            "script.evaluate", expression=f"{script}\n;0", target={"context": self.context}, awaitPromise=False
        )
        if result["type"] == "exception":
            raise RuntimeError(result["exceptionDetails"]["text"])

    def wait(self, condition: str, seconds: float = 30) -> None:
        start = time.monotonic()
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() - start > seconds:
                raise TimeoutError(f"after {seconds:g} s not yet: {condition}\n" + "\n".join(self.logged))
            time.sleep(0.05)

    def console(self) -> list[str]:
        self.evaluate("0")  # What was logged by now has come before its answer.
        return self.logged

    def screenshot(self, path: str | Path) -> None:
        image = self.command("browsingContext.captureScreenshot", context=self.context)
        Path(path).write_bytes(base64.b64decode(image["data"]))
