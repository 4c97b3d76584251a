"""Games on the Play page in a real browser: what is counted, kept, and said when they are over."""

from __future__ import annotations

import re

import ms_toollib
import pytest
from browsing import board_of, tile, wait_for_board
from playwright.sync_api import Page, expect
from served_page import settled

from visionsweeper.solver import solve
from visionsweeper.wording import format_percentage

pytestmark = pytest.mark.slow

FIELD = "F1000\n11111\n001F1\n00111\n"
"""A minefield with two mines, as text: flags on them, the rest opened."""


def play_file(page: Page, text: str = FIELD) -> None:
    page.click("#tab-play")
    page.set_input_files("#play-file", {"name": "own.txt", "mimeType": "text/plain", "buffer": text.encode()})
    expect(page.locator("#play-status")).to_contain_text("minefield of your own")


def open_tile(page: Page, row: int, column: int, button: str = "left") -> None:
    tile(page, row, column, "play-board").click(button=button)
    settled(page)


def own_size(page: Page, width: int, height: int, mines: int, first: str = "any") -> None:
    page.click("#tab-play")
    page.select_option("#play-preset", "")
    for name, value in (("width", width), ("height", height), ("mines", mines)):
        page.fill(f"#play-{name}", str(value))
    page.select_option("#play-first", first)
    page.click("#play-new")
    expect(page.locator("#play-board .tile")).to_have_count(width * height)


def test_after_a_loss_the_position_before_it_is_told_of_and_analysed(page: Page) -> None:
    play_file(page)
    page.click("#play-odds")
    open_tile(page, 0, 1)
    before = board_of(page, "play-board")
    expect(page.locator("#play-board .chance").first).to_be_visible()
    open_tile(page, 0, 0)
    # Odds that are still shown would be those of before the move.
    expect(page.locator("#play-board :is(.chance, .sure)")).to_have_count(0)
    solution = solve(before, mines=2)
    risk = format_percentage(solution.exact(0, 0))
    expect(page.locator("#play-status")).to_contain_text(f"Row 0, column 0 was a mine with {risk}")
    assert float(solution.probability[0, 0]) > float(solution.chance(solution.safest[0] or (0, 0)))
    expect(page.locator("#play-status")).to_contain_text("It was not forced: row")
    page.click("#play-look")
    wait_for_board(page, before)


def test_whether_a_loss_was_forced_is_said(page: Page) -> None:
    play_file(page, "F1\n")
    open_tile(page, 0, 0)
    expect(page.locator("#play-status")).to_have_text(
        "Lost. Row 0, column 0 was a mine with 50.0%. It was forced: no tile was safer."
    )


def test_a_chord_on_a_wrong_flag_is_reviewed(page: Page) -> None:
    play_file(page)
    open_tile(page, 2, 0)
    open_tile(page, 3, 4)
    open_tile(page, 3, 3)
    open_tile(page, 2, 4, "right")
    open_tile(page, 3, 3)
    expect(page.locator("#play-status")).to_have_text(
        re.compile(r"Lost\. Opening around row 3, column 3 was .* a mine\. It was not forced: ")
    )


def test_clicks_and_what_follows_from_them_are_counted(page: Page) -> None:
    play_file(page)
    open_tile(page, 0, 4)  # the openings at the right and at the left lie together
    open_tile(page, 2, 0)
    open_tile(page, 2, 3, "right")
    open_tile(page, 2, 2)  # a chord
    open_tile(page, 1, 3)  # another
    field = [[-1, 1, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 1, -1, 1], [0, 0, 1, 1, 1]]
    covered = board_of(page, "play-board").cells == 9
    for row, column in [(r, c) for r in range(4) for c in range(5) if covered[r, c] and field[r][c] >= 0]:
        open_tile(page, row, column)
    expect(page.locator("#play-status")).to_contain_text("Won in")
    bbbv = ms_toollib.cal_bbbv(field)
    zini = ms_toollib.cal_zini(field)  # type: ignore[call-arg]  # its stub is of another version
    line = page.inner_text("#play-figures")
    assert re.match(r"\d+\.\d\d s · ", line)
    assert f"3BV {bbbv} · 3BV/s " in line
    assert f"ZiNi {zini} (" in line
    told = re.search(r"(\d+) clicks \((\d+) left, 1 right, 2 chords\) · efficiency (\d+)%", line)
    assert told, line
    assert int(told[1]) == int(told[2]) + 3
    assert int(told[3]) == round(100 * bbbv / int(told[1]))
    assert page.inner_text("#play-time").lstrip("0") == line.split()[0].lstrip("0")


def test_a_reload_loses_no_game(page: Page) -> None:
    play_file(page)
    open_tile(page, 2, 0)
    open_tile(page, 0, 0, "right")
    open_tile(page, 0, 4, "right")
    shown, seconds = board_of(page, "play-board"), float(page.inner_text("#play-time"))
    assert seconds > 0
    for _ in range(2):
        page.reload()
        page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert board_of(page, "play-board") == shown
    assert page.inner_text("#play-left") == "000"
    assert float(page.inner_text("#play-time")) >= seconds
    page.keyboard.press("u")
    assert board_of(page, "play-board")[0, 4] == 9
    open_tile(page, 2, 3)
    expect(page.locator("#play-status")).to_contain_text("Lost. Row 2, column 3 was a mine")
    figures = page.inner_text("#play-figures")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#play-status")).to_contain_text("Lost. Row 2, column 3 was a mine")
    page.click("#tab-play")
    assert page.inner_text("#play-figures") == figures
    page.click("#play-new")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert page.locator("#play-board .opened").count() == 0


def test_the_rules_of_a_game_are_taken_up_with_it(page: Page) -> None:
    own_size(page, 7, 6, 5)
    open_tile(page, 0, 0, "right")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert page.locator("#play-board .tile").count() == 42
    assert page.input_value("#play-width") == "7"
    assert page.input_value("#play-first") == "any"
    expect(page.locator("#play-own")).to_be_visible()


def test_games_are_counted_in_the_browser(page: Page) -> None:
    def rows() -> list[list[str]]:
        found = page.locator("#play-records tbody tr").all()
        return [row.locator("td").all_inner_texts() for row in found]

    own_size(page, 5, 4, 0)
    for _ in range(2):
        open_tile(page, 2, 2)
        expect(page.locator("#play-status")).to_contain_text("Won")
        page.click("#play-new")
    own_size(page, 2, 2, 4)
    open_tile(page, 0, 0)
    expect(page.locator("#play-status")).to_contain_text("was a mine for certain")
    # With help it does not count.
    page.click("#play-new")
    page.click("#play-odds")
    open_tile(page, 0, 0)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    page.click("#play-statistics summary")
    won, lost = rows()
    assert (won[0], won[1], won[2], won[6], won[7]) == (
        "5x4, 0 mines, first click can be a mine", "2", "2 (100%)", "2", "2",
    )  # fmt: skip
    assert lost[1:4] == ["1", "0 (0%)", ""]
    page.click("#play-records button")
    expect(page.locator("#play-records")).to_contain_text("No game was finished yet")


def test_what_cannot_be_understood_of_a_kept_game_is_left(page: Page) -> None:
    page.evaluate("""localStorage.setItem("game", '{"game": 3}')""")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert page.locator("#play-board .tile").count() == 81
