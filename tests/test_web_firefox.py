"""The page in Firefox: a screenshot is read, a tile put right, a game begun."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest
from browsing import SAMPLES
from firefox import Firefox, path, started
from serving import Served

from visionsweeper.board import Board

pytestmark = pytest.mark.slow

DROP = """(name, data) => {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)), transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type: "image/png" }));
    const carried = { dataTransfer: transfer, bubbles: true, cancelable: true };
    for (const kind of ["dragenter", "dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(kind, carried));
}"""
SAYS = "(name, text) => document.querySelector(name).textContent.includes(text)"
LABEL = "(name, text) => document.querySelector(name).ariaLabel.includes(text)"
ODDS = "(name) => document.querySelectorAll(`${name} :is(.chance, .sure)`).length > 0"
SIGNS = """(name) => [...document.querySelectorAll(`${name} [role=row]`)].map((row) =>
    [...row.children].map((one) => one.ariaLabel.split(": ")[1].split(",")[0]))"""
NAMES = {"blank": "0", "covered": "?", "flag": "F", "mine": "*", "no mine": "x"}


@pytest.fixture
def firefox(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """The page, loaded; what goes wrong in it fails the test."""
    if path() is None:
        pytest.skip("needs Firefox (Debian: firefox-esr)")
    with started(tmp_path_factory.mktemp("firefox")) as one:
        one.visit(served.address)
        one.until("() => document.documentElement.dataset.ready === 'true'")
        yield one
        assert one.errors == []


def board_of(firefox: Firefox, holder: str) -> Board:
    rows = firefox.run(SIGNS, holder)
    return Board.from_text("\n".join("".join(NAMES.get(name, name) for name in row) for row in rows))


def tile(holder: str, row: int, column: int) -> str:
    return f"{holder} .tile[aria-label^='row {row}, column {column}:']"


def test_a_screenshot_is_read_and_a_tile_put_right(firefox: Firefox) -> None:
    file = SAMPLES / "expert.png"
    board = Board.from_text(file.with_suffix(".txt").read_text())
    firefox.run(DROP, file.name, base64.b64encode(file.read_bytes()).decode())
    firefox.until(SAYS, "#status", "Read a board of 30x16")
    assert board_of(firefox, "#board-holder") == board
    firefox.until(ODDS, "#board-holder")
    first = tile("#board-holder", 0, 0)
    firefox.click(first)
    firefox.press("8")
    firefox.until(LABEL, first, ": 8")
    firefox.until("() => document.querySelectorAll('#board-holder .conflict').length > 0")
    firefox.click("#undo")
    firefox.until(ODDS, "#board-holder")
    assert board_of(firefox, "#board-holder") == board


def test_a_game_is_begun_and_shows_its_odds(firefox: Firefox) -> None:
    firefox.click("#tab-play")
    firefox.click(tile("#play-board", 4, 4))
    firefox.until(LABEL, tile("#play-board", 4, 4), ": blank")
    shown = board_of(firefox, "#play-board")
    row, column = next((row, column) for row in range(9) for column in range(9) if shown.covered[row, column])
    firefox.click(tile("#play-board", row, column), button=2)
    firefox.until(LABEL, tile("#play-board", row, column), ": flag")
    assert firefox.run("() => document.querySelector('#play-left').textContent") == "009"
    firefox.click("#play-odds")
    firefox.until(ODDS, "#play-board")
