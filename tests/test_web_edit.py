"""Editing on the Board page in a real browser: only what can be, by hovering, with a locked mine count."""

from __future__ import annotations

import re

import pytest
from browsing import board_of, load_text, tile
from playwright.sync_api import Page, expect
from served_page import settled

from visionsweeper.board import Board
from visionsweeper.errors import ImpossibleBoard
from visionsweeper.solver import solve

pytestmark = pytest.mark.slow

TEXT = "????\n?2??\n????\n"
MINES = 3


def can_be(board: Board) -> bool:
    try:
        solve(board, mines=MINES)
    except ImpossibleBoard:
        return False
    return True


def shown(page: Page, row: int, column: int) -> str:
    """The sign of a tile, as it now stands."""
    return str(board_of(page)).splitlines()[row][column]


def build(page: Page) -> None:
    load_text(page, f"# mines: {MINES}\n{TEXT}")
    page.click("[data-tool=build]")


def with_sign(row: int, column: int, sign: str) -> Board:
    rows = [list(line) for line in TEXT.split()]
    rows[row][column] = sign
    return Board.from_text("\n".join("".join(line) for line in rows))


def test_in_build_mode_clicks_count_past_what_cannot_be(page: Page) -> None:
    build(page)
    # By the solver, tried one by one: what the tile right of the 2 can be, in the order in which clicks go.
    order = [sign for sign in "012345678x*F" if can_be(with_sign(1, 2, sign))]
    assert order == list("123x*F"), "the example says too little"
    seen = []
    for _ in order:
        tile(page, 1, 2).click()
        settled(page)
        seen.append(shown(page, 1, 2))
    assert seen == order
    tile(page, 1, 2).click()
    settled(page)
    assert shown(page, 1, 2) == "?"
    tile(page, 1, 2).click(button="right")
    settled(page)
    assert shown(page, 1, 2) == "F"


def test_in_build_mode_keys_set_only_what_can_be(page: Page) -> None:
    build(page)
    tile(page, 1, 2).click()
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 1$"))
    page.keyboard.press("8")
    expect(page.locator("#toast")).to_contain_text("cannot be")
    settled(page)
    assert shown(page, 1, 2) == "1"
    page.keyboard.press("3")
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 3$"))
    # One after the other, however quickly they come.
    page.keyboard.press("7")
    page.keyboard.press("2")
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 2$"))
    # Elsewhere everything can be set.
    page.click("[data-tool=select]")
    page.keyboard.press("8")
    settled(page)
    assert shown(page, 1, 2) == "8"
    # What contradicts already can be mended in build mode too.
    page.click("[data-tool=build]")
    page.keyboard.press("7")
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 7"))


def test_in_build_mode_the_palette_greys_out_what_cannot_be(page: Page) -> None:
    build(page)
    signs = "?012345678F*x"
    for row, column in ((1, 2), (0, 3)):
        tile(page, row, column).focus()
        grey = [sign for sign in signs if sign not in "?F" and not can_be(with_sign(row, column, sign))]
        assert grey, "the example says too little"
        settled(page)
        names = page.locator("#palette [aria-disabled=true]").evaluate_all(
            "all => all.map((one) => one.ariaLabel)"
        )
        assert {{"blank": "0", "mine": "*", "no mine": "x"}.get(name, name) for name in names} == set(grey)
    page.click("#palette [aria-label='8']", force=True)  # it says that it is disabled
    expect(page.locator("#toast")).to_contain_text("cannot be")
    page.click("#palette [aria-label='1']")
    expect(tile(page, 0, 3)).to_have_attribute("aria-label", re.compile(": 1"))
    page.click("[data-tool=select]")
    expect(page.locator("#palette [aria-disabled=true]")).to_have_count(0)


def test_in_build_mode_the_wheel_counts(page: Page) -> None:
    build(page)
    tile(page, 1, 2).hover()
    page.mouse.wheel(0, -120)
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 1$"))
    page.mouse.wheel(0, -120)
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 2$"))
    page.mouse.wheel(0, 120)
    expect(tile(page, 1, 2)).to_have_attribute("aria-label", re.compile(": 1$"))
    page.click("[data-tool=select]")
    tile(page, 1, 2).hover()
    page.mouse.wheel(0, -120)
    settled(page)
    assert shown(page, 1, 2) == "1"


def test_a_digit_sets_the_covered_tile_under_the_mouse(page: Page) -> None:
    load_text(page, TEXT)
    tile(page, 0, 3).hover()
    page.keyboard.press("1")
    settled(page)
    assert shown(page, 0, 3) == "1"
    # It can be put right at once, and the arrow keys go on from there.
    page.keyboard.press("2")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    settled(page)
    assert (shown(page, 0, 3), shown(page, 1, 3)) == ("2", "1")
    # An opened tile under the mouse is left alone, and so is one on which the mouse merely rests.
    tile(page, 1, 1).hover()
    page.keyboard.press("3")
    settled(page)
    assert (shown(page, 1, 1), shown(page, 1, 3)) == ("2", "3")
    tile(page, 2, 0).hover()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("5")
    settled(page)
    assert (shown(page, 2, 0), shown(page, 2, 3)) == ("?", "5")
    # Letters go to the chosen tile.
    tile(page, 0, 0).hover()
    page.keyboard.press("f")
    settled(page)
    assert (shown(page, 0, 0), shown(page, 2, 3)) == ("?", "F")


def test_a_digit_that_is_typed_in_a_field_sets_no_tile(page: Page) -> None:
    load_text(page, TEXT)
    page.locator("#mines").focus()
    tile(page, 0, 3).hover()
    page.keyboard.press("5")
    settled(page)
    assert page.input_value("#mines") == "5"
    assert str(board_of(page)) == TEXT


def test_numbers_can_be_shown_less_the_flags_around_them(page: Page) -> None:
    load_text(page, "F2?\nF1*\n???")
    page.check("#reduced")
    settled(page)
    assert tile(page, 0, 1).inner_text() == "−1"  # two flags and a mine that is shown
    assert tile(page, 1, 1).inner_text() == "−2"
    expect(tile(page, 0, 1)).to_have_attribute("aria-label", re.compile("column 1: 2, -1 besides the flags"))
    tile(page, 0, 0).click()
    page.keyboard.press("?")
    tile(page, 1, 0).click()
    page.keyboard.press("?")
    settled(page)
    assert tile(page, 0, 1).inner_text() == "1"
    assert tile(page, 1, 1).inner_text() == ""
    page.uncheck("#reduced")
    assert tile(page, 0, 1).inner_text() == "2"
    assert tile(page, 1, 1).inner_text() == "1"
    assert str(board_of(page)) == "?2?\n?1*\n???\n"


def test_a_locked_mine_count_stays(page: Page) -> None:
    load_text(page, f"# mines: 5\n{TEXT}")
    page.check("#mines-lock")
    tile(page, 0, 0).click()
    page.keyboard.press("1")
    load_text(page, "# mines: 3\n????\n?1??\n")
    assert page.input_value("#mines") == "5"
    page.keyboard.press("Control+z")
    settled(page)
    assert page.input_value("#mines") == "5"
    assert not page.locator("#mines").is_editable()
    page.uncheck("#mines-lock")
    load_text(page, "# mines: 3\n????\n?1??\n")
    assert page.input_value("#mines") == "3"
    assert page.locator("#mines").is_editable()


def test_an_unknown_mine_count_cannot_be_locked(page: Page) -> None:
    load_text(page, TEXT)
    page.locator("#mines-lock").click()
    expect(page.locator("#toast")).to_contain_text("mine count")
    assert not page.locator("#mines-lock").is_checked()
    # The usual count of a size is one.
    load_text(page, "\n".join(["?" * 9] * 9))
    page.check("#mines-lock")
    assert page.input_value("#mines") == "10"
