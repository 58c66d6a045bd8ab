# SPDX-License-Identifier: Apache-2.0
"""A static folder on this machine, as any static host serves one, with a list of what was asked for."""
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any


class Handler(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def __init__(self, *arguments: Any, asked: list[str], **named: Any) -> None:
        self.asked = asked
        super().__init__(*arguments, **named)

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        self.asked.append(f"{getattr(code, 'value', code)} {self.command} {self.path}")

    def log_error(self, *arguments: Any) -> None:
        pass  # What matters of it stands in `asked`.


class StaticServer:
    """Serves a folder while it is open. `asked`: one line a request, "200 GET /index.html"."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        handler = partial(Handler, directory=str(folder), asked=self.asked)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __enter__(self) -> "StaticServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
