"""Debian's Firefox, driven over WebDriver BiDi: no driver of its own is needed."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

PATIENCE = 60.0
"""Seconds that anything may take: a busy machine reads pictures slowly."""


def path() -> str | None:
    """Return the path of the browser; None where it is not installed."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One tab of a browser."""

    def __init__(self, address: str) -> None:
        self._runner = asyncio.Runner()
        self._socket = self._runner.run(_connected(address))
        self._sent = 0
        self.errors: list[str] = []
        """What the page told of as wrong."""
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self._tab = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method: str, **parameters: Any) -> Any:
        """Give a command, and return its result."""
        self._sent += 1
        command = {"id": self._sent, "method": method, "params": parameters}
        told = self._runner.run(asyncio.wait_for(self._answer(command), PATIENCE))
        assert told["type"] == "success", told
        return told["result"]

    async def _answer(self, command: dict[str, Any]) -> dict[str, Any]:
        await self._socket.write_message(json.dumps(command))
        while message := await self._socket.read_message():
            told: dict[str, Any] = json.loads(message)
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                self.errors.append(told["params"]["text"])
            if told.get("id") == command["id"]:
                return told
        raise AssertionError("Firefox has ended")

    def close(self) -> None:
        self._runner.run(_closed(self._socket))
        self._runner.close()

    def visit(self, address: str) -> None:
        self.send("browsingContext.setViewport", context=self._tab, viewport={"width": 1440, "height": 900})
        self.send("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def run(self, function: str, *arguments: object) -> Any:
        """Call a function of JavaScript in the page; what goes in and out are values of JSON."""
        call = f"async (all) => JSON.stringify((await ({function})(...JSON.parse(all))) ?? null)"
        given = [{"type": "string", "value": json.dumps(arguments)}]
        target = {"context": self._tab}
        found = self.send(
            "script.callFunction", functionDeclaration=call, awaitPromise=True, target=target, arguments=given
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def until(self, function: str, *arguments: object) -> None:
        """Wait until a function of JavaScript says something true."""
        end = time.monotonic() + PATIENCE
        while not self.run(function, *arguments):
            assert time.monotonic() < end, f"waited in vain for {function} {arguments}"
            time.sleep(0.05)

    def click(self, selector: str, button: int = 0) -> None:
        """Click on the middle of an element, as a mouse does."""
        x, y = self.run(
            """(name) => {
            const { x, y, width, height } = document.querySelector(name).getBoundingClientRect();
            return [Math.round(x + width / 2), Math.round(y + height / 2)];
        }""",
            selector,
        )
        actions = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": button},
            {"type": "pointerUp", "button": button},
        ]
        self._act("pointer", "mouse", actions)

    def press(self, key: str) -> None:
        self._act("key", "keyboard", [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}])

    def _act(self, kind: str, name: str, actions: list[dict[str, object]]) -> None:
        self.send(
            "input.performActions",
            context=self._tab,
            actions=[{"type": kind, "id": name, "actions": actions}],
        )


_CLOSING_SECONDS = 5


async def _connected(address: str) -> WebSocketClientConnection:
    return await websocket_connect(address)


async def _closed(socket: WebSocketClientConnection) -> None:
    socket.close()  # outside a coroutine it would make an event loop, which nobody closes
    with suppress(TimeoutError):
        while await asyncio.wait_for(socket.read_message(), _CLOSING_SECONDS) is not None:
            pass  # None says that the connection has ended; the loop may end after it


@contextmanager
def started(folder: Path) -> Iterator[Firefox]:
    """Run Firefox without a window, with an empty profile in a folder."""
    command = [
        path() or "firefox",
        "--headless",
        "--no-remote",
        "--profile",
        str(folder),
        "--remote-debugging-port",
        "0",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as browser:
        try:
            assert browser.stderr is not None
            told = (re.search(r"WebDriver BiDi listening on (ws://\S+)", line) for line in browser.stderr)
            address = next(found[1] for found in told if found)
            with closing(Firefox(f"{address}/session")) as one:
                yield one
        finally:
            browser.terminate()
