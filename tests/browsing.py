"""The page in a real browser, Debian's Chromium driven by Playwright: fixtures, and what tests do with it."""

from __future__ import annotations

import base64
import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Request, Route, expect
from playwright.sync_api import Error as PlaywrightError
from served_page import browsing, chromium, settled, still, visit
from serving import Served

from visionsweeper.board import Board

expect.set_options(timeout=60_000)  # a busy machine reads pictures slowly

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("needs Chromium (Debian: chromium)")
    with browsing() as one:
        yield one


@pytest.fixture
def page(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page, loaded; whatever goes wrong in it or leaves this machine fails the test."""
    options = getattr(request, "param", {"viewport": {"width": 1400, "height": 950}})
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    one = context.new_page()
    wrong: list[str] = []
    one.on("pageerror", lambda error: wrong.append(str(error)))
    one.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    one.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((served.address, "blob:", "data:"))
            else wrong.append(f"asked for {asked.url}")
        ),
    )
    visit(one, served.address)
    yield one
    context.close()
    # An answer that says what is wrong is no error of the page, but Chromium logs it as one.
    assert [line for line in wrong if "the server responded with a status of" not in line] == []


PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


def board_of(page: Page, holder: str = "board-holder") -> Board:
    """What the page shows, by the names that a screen reader would say."""
    labels = page.eval_on_selector_all(
        f"#{holder} .tile", "tiles => tiles.map((tile) => tile.getAttribute('aria-label'))"
    )
    names = {"blank": "0", "covered": "?", "flag": "F", "mine": "*", "no mine": "x"}
    rows: dict[int, list[str]] = {}
    for label in labels:
        found = re.match(r"row (\d+), column (\d+): ([a-z0-9 ]+)", label)
        assert found, label
        rows.setdefault(int(found[1]), []).append(names.get(found[3], found[3]))
    return Board.from_text("\n".join("".join(row) for row in rows.values()))


def wait_for_board(page: Page, board: Board) -> None:
    page.wait_for_function(
        """([rows, columns]) => {
            const grid = document.querySelector("#board-holder .grid");
            return grid.ariaRowCount == rows && grid.ariaColCount == columns;
        }""",
        arg=[str(board.rows), str(board.columns)],
    )
    assert board_of(page) == board


def choose(page: Page, button: str) -> None:
    """Press a button that is in a menu."""
    menu = page.locator("details.menu", has=page.locator(button))
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    page.click(button)


def load_text(page: Page, text: str, *, settle: bool = True) -> None:
    choose(page, "#text-open")
    page.fill("#text-input", text)
    page.click("#text-load")
    expect(page.locator("#text-dialog")).to_be_hidden()
    if settle:
        settled(page)


class Held:
    """Requests that reach the server only when they are let through."""

    def __init__(self, page: Page, path: str, *, most: int | None = None) -> None:
        self.page = page
        self.routes: list[Route] = []
        self._ended: list[Request] = []

        def end(request: Request) -> None:
            self._ended.append(request)

        page.on("requestfinished", end)
        page.on("requestfailed", end)

        def keep(route: Route) -> None:
            if most is not None and len(self.routes) >= most:
                route.continue_()
            else:
                self.routes.append(route)

        page.route(f"**/api/{path}", keep)

    def first(self) -> Route:
        """Wait until a request is held."""
        until(self.page, lambda: self.routes)
        return self.routes[0]

    def cancel(self, work: str) -> None:
        """Wait until a request is held, press Cancel in `work`, a selector, and wait until it is given up."""
        self.first()
        with self.page.expect_event("requestfailed"):
            self.page.locator(work).get_by_role("button", name="Cancel").click()

    def let_through(self) -> None:
        """Let the first one through, and wait until it is answered, or was given up by the page."""
        route = self.first()
        with suppress(PlaywrightError):  # the page may have dropped the request
            route.continue_()
        until(self.page, lambda: route.request in self._ended)
        still(self.page)


def until(page: Page, condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for a condition, while the page goes on."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        page.wait_for_timeout(10)


def tile(page: Page, row: int, column: int, holder: str = "board-holder"):  # type: ignore[no-untyped-def]
    return page.locator(f"#{holder} .tile[aria-label^='row {row}, column {column}:']")


def drop(page: Page, name: str, data: bytes, kind: str) -> None:
    transfer = page.evaluate_handle(
        """([name, data, kind]) => {
            const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
            const transfer = new DataTransfer();
            transfer.items.add(new File([bytes], name, { type: kind }));
            return transfer;
        }""",
        [name, base64.b64encode(data).decode(), kind],
    )
    for event in ("dragenter", "dragover"):
        page.dispatch_event("body", event, {"dataTransfer": transfer})
    expect(page.locator("#dropping")).to_be_visible()
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def visit_link(page: Page, served: Served, position: str) -> None:
    page.goto("about:blank")
    visit(page, f"{served.address}#p={position}")
    settled(page)


def without_board() -> bytes:
    """A picture with no board in it."""
    data = io.BytesIO()
    Image.new("RGB", (300, 200), (90, 120, 150)).save(data, "PNG")
    return data.getvalue()


def refuse(page: Page, path: str) -> None:
    """Answer requests there as a server does that has too much to do."""
    error = {"error": {"kind": "too_slow", "message": "this takes longer than 30 seconds"}}
    page.route(f"**/api/{path}", lambda route: route.fulfill(status=503, json=error))
