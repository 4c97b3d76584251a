"""The page as a user starts it, and Debian's Chromium to look at it: for tests, pictures and benchmarks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Final

from playwright.sync_api import Browser, BrowserType, Page, sync_playwright

_OPTIONS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip

_STILL: Final = """([call, heeding]) => {
    const moving = ["#board-holder .grid", ".tile:last-child", "#picture-image", "#check-right"];
    const rolling = ["#board-holder", "#picture"];
    const one = (name) => document.querySelector(name);
    const boxes = moving.map((name) => JSON.stringify(one(name)?.getBoundingClientRect()));
    const state = [...boxes, ...rolling.map((name) => one(name)?.scrollLeft), scrollY].join();
    const same = window.settling?.call === call && window.settling.state === state;
    const busy = heeding && one("main").getAttribute("aria-busy") !== "false";
    window.settling = { call, state, frames: same && !busy ? window.settling.frames + 1 : 0 };
    return window.settling.frames >= 4;
}"""
_calls: Final = count()


@contextmanager
def served() -> Iterator[str]:
    """Serve the page on a free port; gives its address."""
    command = [sys.executable, "-m", "visionsweeper", "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield re.findall(r"http://\S+", server.stdout.readline())[0]
        finally:
            server.terminate()


def chromium() -> str | None:
    """Return the path of the browser; None where it is not installed."""
    return shutil.which("chromium")


def launch(kind: BrowserType, *options: str) -> Browser:
    """Start the browser, without a window, with these command-line options besides the usual ones."""
    return kind.launch(executable_path=chromium(), args=[*_OPTIONS, *options])


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run the browser, without a window."""
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        yield browser
        browser.close()


def visit(page: Page, address: str) -> None:
    """Load the page."""
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("#board-holder .grid[data-ready]")


def settled(page: Page) -> None:
    """Wait until for some frames in a row no answer of the server is awaited, and nothing moves."""
    page.wait_for_function(_STILL, arg=[next(_calls), True])


def still(page: Page) -> None:
    """Wait until for some frames in a row nothing moves, whatever answer is awaited."""
    page.wait_for_function(_STILL, arg=[next(_calls), False])
