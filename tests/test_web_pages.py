"""The Learn and Play pages in a real browser, and what all pages have in common."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from browsing import (
    PHONE,
    SAMPLES,
    Held,
    board_of,
    choose,
    drop,
    load_text,
    refuse,
    tile,
    until,
    wait_for_board,
)
from playwright.sync_api import Browser, Page, expect
from served_page import settled, visit
from serving import serving

from visionsweeper.board import FLAG, Board
from visionsweeper.solver import solve

pytestmark = pytest.mark.slow

# Learn and play


def test_the_learn_page_computes_its_examples(page: Page) -> None:
    page.click("#tab-learn")
    page.wait_for_selector("#learn-patterns .tile.sure-safe")
    settled(page)
    board = board_of(page, "learn-board")
    mines = int(page.input_value("#learn-mines"))
    solution = solve(board, mines=mines)
    first = (0, 0)
    expect(page.locator("#learn-working")).to_contain_text(
        f"= {solution.exact(*first).numerator}/{solution.exact(*first).denominator}"
    )
    errors = page.locator("#learn-formulas tr.last strong").all_inner_texts()
    assert len(errors) == 4
    assert all(float(text) > 1 for text in errors)
    page.locator("#learn-board .tile").nth(7).click()
    page.keyboard.press("1")
    settled(page)
    assert board_of(page, "learn-board") != board
    page.locator(".pattern").filter(has=page.get_by_text("1-2-1", exact=True)).click()
    expect(page.locator("#page-board")).to_be_visible()
    settled(page)
    assert page.locator("#board-holder .sure-mine").count() == 2
    assert page.locator("#board-holder .sure-safe").count() == 7


def test_the_first_example_is_where_undo_ends(page: Page) -> None:
    page.click("#tab-learn")
    settled(page)
    first = board_of(page, "learn-board")
    page.locator("#learn-board .tile").first.focus()
    page.keyboard.press("Control+z")
    settled(page)
    assert board_of(page, "learn-board") == first
    page.get_by_role("button", name="Two components").click()
    settled(page)
    page.locator("#learn-board .tile").nth(30).click()
    page.keyboard.press("Control+z")
    settled(page)
    assert board_of(page, "learn-board") == first
    page.keyboard.press("5")
    settled(page)
    assert board_of(page, "learn-board").cells.ravel()[0] == 5


def test_an_example_is_computed_once_and_patterns_are_asked_for_again(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url.rpartition("/")[2]))
    refuse(page, "patterns")
    page.click("#tab-learn")
    expect(page.locator("#learn-patterns")).to_contain_text("30 seconds")
    settled(page)
    assert (asked.count("explain"), asked.count("formulas"), asked.count("solve")) == (1, 1, 0)
    page.get_by_role("button", name="Two components").click()
    settled(page)
    assert (asked.count("explain"), asked.count("formulas")) == (2, 2)
    page.unroute("**/api/patterns")
    page.click("#tab-play")
    page.click("#tab-learn")
    page.wait_for_selector("#learn-patterns .tile.sure-safe")
    # They are pictures: a screen reader reads their title and their note.
    assert page.get_by_role("grid").count() == 1


def test_every_example_shows_what_its_name_says(page: Page) -> None:
    page.click("#tab-learn")
    told = page.locator("#learn-working")
    for name, text in (
        ("A 1 and a 2", "one component"),
        ("The mine count decides", "leaves M − m = 1 − m for the U = 3"),
        ("Two components", "fall into 2 components"),
        ("Fewer mines weigh more", "C(6, 2) = 15"),
    ):
        page.get_by_role("button", name=name).click()
        expect(told).to_contain_text(text)
        expect(told.locator(".bad")).to_have_count(0)
    # With a mine known its share is taken off, and certainties are written as such.
    page.get_by_role("button", name="A 1 and a 2").click()
    settled(page)
    page.locator("#learn-board .tile").nth(4).click()
    page.keyboard.press("m")
    expect(told).to_contain_text("M − K − m = 2 − m")
    expect(told).to_contain_text("100%")
    expect(page.locator("#learn-range")).to_contain_text("possible")


def test_a_game_is_won_with_the_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Alt+2")
    page.check("#play-noguess")
    page.focus("#play-board .tile[tabindex='0']")
    for key in ("ArrowDown",) * 4 + ("ArrowRight",) * 4:
        page.keyboard.press(key)
    page.keyboard.press("Space")
    page.wait_for_selector("#play-board .opened")
    settled(page)
    page.keyboard.press("p")
    # In some games all odds are certain after the first tile.
    odds = page.locator("#play-board :is(.odds, .sure-safe, .sure-mine)")
    expect(odds.first).to_be_visible()
    board = board_of(page, "play-board")
    assert not (board.cells == 11).any()
    page.keyboard.press("l")
    expect(odds).to_have_count(0)
    covered = next(at for at, code in enumerate(board.cells.ravel()) if code == 9)
    page.focus(f"#play-board .tile[data-index='{covered}']")
    page.evaluate("(at) => document.querySelector(`#play-board .tile[data-index='${at}']`).focus()", covered)
    page.keyboard.press("h")
    expect(page.locator("#play-status")).to_contain_text("column")
    assert page.locator("#play-board .best").count() == 1
    page.keyboard.press("f")
    assert page.inner_text("#play-left") == "009"
    page.keyboard.press("u")
    assert page.inner_text("#play-left") == "010"
    page.keyboard.press("c")
    expect(page.locator("#play-status")).to_contain_text("Won")
    assert page.inner_text("#play-left") == "000"
    page.keyboard.press("n")
    assert page.locator("#play-board .opened").count() == 0


def test_a_minefield_file_is_played_and_lost(page: Page) -> None:
    page.click("#tab-play")
    page.select_option("#play-first", "any")
    page.set_input_files("#play-file", {"name": "a.mbf", "mimeType": "", "buffer": bytes([3, 3, 0, 1, 2, 2])})
    expect(page.locator("#play-status")).to_contain_text("minefield of your own")
    tile(page, 1, 1, "play-board").click()
    settled(page)
    assert board_of(page, "play-board") == Board.from_text("???\n?1?\n???")
    tile(page, 0, 0, "play-board").click(button="right")
    tile(page, 1, 1, "play-board").click()  # a wrong flag, and a chord that acts on it
    settled(page)
    expect(page.locator("#play-status")).to_contain_text("Lost")
    shown = board_of(page, "play-board")
    assert shown[2, 2] == 11
    assert shown[0, 0] == 12


def test_sizes_of_ones_own_are_checked_before_a_game_begins(page: Page) -> None:
    page.click("#tab-play")
    page.select_option("#play-preset", "")
    page.fill("#play-width", "20000")
    page.dispatch_event("#play-width", "change")
    assert page.locator("#play-board .tile").count() == 400
    page.fill("#play-width", "12")
    page.dispatch_event("#play-width", "change")
    assert page.locator("#play-board .tile").count() == 240


def test_no_key_begins_a_game_that_cannot_be(page: Page) -> None:
    page.click("#tab-play")
    page.select_option("#play-preset", "")
    page.fill("#play-width", "1000")
    page.locator("#play-board .tile").first.focus()
    page.keyboard.press("n")
    assert page.locator("#play-board .tile").count() == 400
    page.fill("#play-width", "10")
    # A box that was ticked last takes no keys but the space bar.
    page.check("#play-noguess")
    page.keyboard.press("p")
    assert page.get_attribute("#play-odds", "aria-pressed") == "true"


def test_a_game_is_not_thrown_away_by_looking_at_other_rules(page: Page) -> None:
    page.click("#tab-play")
    page.locator("#play-board .tile").nth(40).click()
    expect(page.locator("#play-board .opened").first).to_be_visible()
    settled(page)
    before = board_of(page, "play-board")
    page.select_option("#play-preset", "30,16,99")
    page.check("#play-noguess")
    expect(page.locator("#play-status")).to_contain_text("next game")
    assert board_of(page, "play-board") == before
    page.click("#play-new")
    expect(page.locator("#play-board .tile")).to_have_count(480)


def test_odds_that_fail_are_not_those_of_before(page: Page) -> None:
    page.click("#tab-play")
    page.click("#play-odds")
    expect(page.locator("#play-board .chance").first).to_be_visible()
    refuse(page, "solve")
    page.locator("#play-board .tile").nth(40).click()
    expect(page.locator("#play-status")).to_contain_text("30 seconds")
    expect(page.locator("#play-board .chance")).to_have_count(0)


def test_a_hint_says_why(page: Page) -> None:
    page.click("#tab-play")
    page.set_input_files(
        "#play-file",
        {"name": "b.txt", "mimeType": "text/plain", "buffer": b"F1000\n11111\n001F1\n00111\n"},
    )
    for index in (1, 5, 6):
        page.locator("#play-board .tile").nth(index).click()
        settled(page)
    page.keyboard.press("h")
    expect(page.locator("#play-board .best")).to_have_count(1)
    expect(page.locator("#play-board .numbers").first).to_be_visible()
    expect(page.locator("#play-status")).to_contain_text(
        re.compile(r"the \d at row \d+, column \d+.*safe", re.I)
    )


def test_a_minefield_dropped_on_the_play_page_is_played(page: Page) -> None:
    page.click("#tab-play")
    drop(page, "two.mbf", bytes([3, 2, 0, 2, 2, 0, 0, 1]), "application/octet-stream")
    expect(page.locator("#play-board .tile")).to_have_count(6)
    page.locator("#play-board .tile").nth(2).click()
    expect(page.locator("#play-status")).to_contain_text("Lost")
    expect(page.locator("#play-board .tile").nth(2)).to_have_class(re.compile(r"\bhit\b"))
    assert page.locator("#play-board .hit").count() == 1


def test_odds_are_of_the_game_that_is_played(page: Page) -> None:
    page.click("#tab-play")
    held = Held(page, "solve")
    page.click("#play-odds")
    held.first()
    page.select_option("#play-preset", "30,16,99")
    expect(page.locator("#play-board .tile")).to_have_count(480)
    too_wide = {"error": {"kind": "too_wide", "message": "too wide to count"}, "probability": None}
    held.let_through()
    assert page.locator("#play-board .chance").count() == 0
    page.unroute("**/api/solve")
    page.route("**/api/solve", lambda route: route.fulfill(json=too_wide))
    page.click("#play-new")
    expect(page.locator("#play-status")).to_have_text("too wide to count")


def test_dense_minefields_can_be_played(page: Page) -> None:
    page.click("#tab-play")
    mines = [
        (column, row) for row in range(9) for column in range(9) if (column, row) not in {(0, 0), (8, 8)}
    ]
    data = bytes([9, 9, 0, len(mines), *(edge for mine in mines for edge in mine)])
    page.set_input_files("#play-file", {"name": "dense.mbf", "mimeType": "", "buffer": data})
    expect(page.locator("#play-status")).to_contain_text("minefield of your own")
    tile(page, 0, 0, "play-board").click()
    page.wait_for_selector("#play-board .n3")


def test_odds_stay_on_in_a_new_game_and_flags_are_not_lost(page: Page) -> None:
    page.click("#tab-play")
    page.keyboard.press("p")
    page.wait_for_selector("#play-board .chance")
    page.keyboard.press("n")
    page.wait_for_selector("#play-board .chance")
    tile(page, 0, 0, "play-board").click(button="right")
    tile(page, 4, 4, "play-board").click()
    page.wait_for_selector("#play-board .opened")
    settled(page)
    board = board_of(page, "play-board")
    assert board[0, 0] in {10, *range(9)}
    assert page.inner_text("#play-left") == f"{10 - int((board.cells == 10).sum()):03d}"


def test_a_position_of_a_game_is_analysed(page: Page) -> None:
    page.click("#tab-play")
    tile(page, 4, 4, "play-board").click()
    page.wait_for_selector("#play-board .opened")
    shown = board_of(page, "play-board")
    page.click("#play-look")
    settled(page)
    wait_for_board(page, shown)


# For everybody


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone(page: Page) -> None:
    def overflow() -> int:
        width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return width

    page.locator(".opening summary").tap()
    expect(page.locator("#pick-camera").locator("..")).to_be_visible()
    page.set_input_files("#pick-camera", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#picture-image[src^=blob]", state="attached")
    settled(page)
    assert overflow() <= 0
    tile(page, 15, 15).scroll_into_view_if_needed()
    tile(page, 15, 15).tap()
    page.locator("#palette [data-code='8']").tap()
    assert board_of(page)[15, 15] == 8
    page.locator("#tab-play").tap()
    assert overflow() <= 0
    tile(page, 4, 4, "play-board").tap()
    page.wait_for_selector("#play-board .opened")
    settled(page)
    board = board_of(page, "play-board")
    row, column = np.argwhere(board.cells == 9)[0].tolist()
    box = tile(page, row, column, "play-board").bounding_box()
    assert box is not None
    touch = page.context.new_cdp_session(page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    until(page, lambda: board_of(page, "play-board")[row, column] == FLAG)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator("#tab-learn").tap()
    page.wait_for_selector("#learn-patterns .sure-safe")
    assert overflow() <= 0


def test_keyboard_only_from_start_to_odds(page: Page) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("(one) => document.activeElement?.matches(one)", selector):
                return
        raise AssertionError(f"{selector} cannot be reached by Tab")

    tab_to("#pick-picture")
    tab_to(".opening summary")
    page.keyboard.press("Enter")
    tab_to("#pick-file")
    tab_to("#text-open")
    page.keyboard.press("Enter")
    page.keyboard.type("??\n1?")
    tab_to("#text-load")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board-holder .grid[aria-rowcount='2']")
    tab_to("#board-holder .tile")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    settled(page)
    assert board_of(page) == Board.from_text("?1\n1?")
    tab_to("#mines")
    page.keyboard.type("1")
    settled(page)
    expect(page.locator("#summary")).to_contain_text("2 covered tiles")
    page.keyboard.press("F1")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_every_control_has_a_name_and_ids_are_unique(page: Page) -> None:
    for name in ("board", "play", "learn"):
        page.click(f"#tab-{name}")
        settled(page)
        nameless = page.evaluate(
            """() => [...document.querySelectorAll("button, input, select, textarea, summary, .tile")]
                .filter((one) => one.offsetParent && !one.closest("[role=presentation]") && ![
                    one.textContent.trim(), one.getAttribute("aria-label"), one.title,
                    one.getAttribute("aria-labelledby"), one.labels?.[0]?.textContent.trim(),
                ].some(Boolean) && !one.closest(".legend"))
                .map((one) => one.outerHTML)"""
        )
        assert nameless == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_light_and_dark(page: Page) -> None:
    def paper() -> str:
        colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return colour

    light = paper()
    page.emulate_media(color_scheme="dark")
    dark = paper()
    assert dark != light
    choose(page, "#look")
    assert page.inner_text("#look") == "Colours: light"
    assert paper() == light
    choose(page, "#look")
    page.emulate_media(color_scheme="light")
    assert paper() == dark
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert paper() == dark


def test_a_large_board_stays_usable(page: Page) -> None:
    rng = np.random.default_rng(2)
    load_text(page, "# mines: 1500\n" + "\n".join("".join("?" * 100) for _ in range(100)))
    wait_for_board(page, Board.from_text("\n".join(["?" * 100] * 100)))
    for _ in range(3):
        row, column = rng.integers(0, 90, 2).tolist()
        tile(page, row, column).click()
        page.keyboard.press("1")
        page.wait_for_function(
            "([row, column]) => / [1-9][0-9.]*% mine/.test(document.querySelector(`#board-holder "
            ".tile[data-index='${(row + 1) * 100 + column + 1}']`).getAttribute('aria-label'))",
            arg=[row, column],
        )


def test_a_server_that_went_away_is_told(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as one:
        page = browser.new_page()
        visit(page, one.address)
        one.stop()
        tile(page, 0, 0).click()
        page.keyboard.press("1")
        expect(page.locator("#problem")).to_contain_text("does not answer")
        page.close()


def test_a_picture_that_the_program_was_started_with(browser: Browser, tmp_path: Path) -> None:
    shot = tmp_path / "a b é.png"
    shot.write_bytes((SAMPLES / "expert.png").read_bytes())
    with serving(tmp_path, str(shot)) as served:
        assert served.address.endswith("?opened")
        page = browser.new_page()
        visit(page, served.address)
        wait_for_board(page, Board.from_text((SAMPLES / "expert.txt").read_text()))
        page.close()
