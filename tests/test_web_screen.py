"""The screen is the board's: how large it is drawn, what stays in view, and how tiles are named."""

from __future__ import annotations

import re

import pytest
from browsing import PHONE, SAMPLES, choose, load_text, tile, wait_for_board
from playwright.sync_api import Page, expect
from served_page import settled

from visionsweeper.board import Board

pytestmark = pytest.mark.slow

EXPERT = Board.from_text((SAMPLES / "expert.txt").read_text())


def read(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    wait_for_board(page, EXPERT)
    settled(page)


def tile_width(page: Page) -> float:
    box = tile(page, 0, 0).bounding_box()
    assert box is not None
    return float(box["width"])


def in_view(page: Page, selector: str) -> bool:
    """Whether a thing can be seen without scrolling anything."""
    seen: bool = page.locator(selector).evaluate(
        """(one) => {
            const { left, top, right, bottom } = one.getBoundingClientRect();
            const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
            return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
                && (there === one || one.contains(there));
        }"""
    )
    return seen


@pytest.mark.parametrize("page", [{"viewport": {"width": 1440, "height": 900}}], indirect=True)
def test_after_a_sure_reading_the_board_is_what_one_sees(page: Page) -> None:
    read(page)
    box = tile(page, 0, 0).bounding_box()
    assert box is not None
    assert box["y"] <= 120
    before = tile_width(page)
    page.set_viewport_size({"width": 2560, "height": 1440})
    settled(page)
    assert tile_width(page) > 1.5 * before


@pytest.mark.parametrize("mode", ["hide", "side"])
@pytest.mark.parametrize("page", [{"viewport": {"width": 1366, "height": 768}}], indirect=True)
def test_an_expert_game_needs_no_scrolling_on_a_small_laptop(page: Page, mode: str) -> None:
    read(page)
    page.click(f"[data-mode={mode}]")
    settled(page)
    for index in (0, 29, 450, 479):
        assert in_view(page, f"#board-holder .tile[data-index='{index}']")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight + 1")


def test_the_zoom_is_kept_and_the_rulers_stay_in_view(page: Page) -> None:
    read(page)
    before = tile_width(page)
    for _ in range(3):
        page.click("#zoom-in")
    assert tile_width(page) == pytest.approx(before * 1.25**3, rel=0.05)
    page.locator("#board-holder .tile[data-index='479']").scroll_into_view_if_needed()
    tile(page, 15, 29).click()
    marked = page.locator("#board-holder .ruler .here")
    assert marked.all_inner_texts() == ["15", "29"]
    for at in range(2):
        box = marked.nth(at).bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= 1400
        assert 0 <= box["y"] <= 950
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert tile_width(page) == pytest.approx(before * 1.25**3, rel=0.05)
    page.click("#zoom-fit")
    assert tile_width(page) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_the_answer_comes_first_and_the_board_can_be_turned(page: Page) -> None:
    read(page)
    answer, board = page.locator("#answer").bounding_box(), tile(page, 0, 0).bounding_box()
    assert answer is not None
    assert board is not None
    assert answer["y"] < board["y"]
    expect(page.locator("#answer")).to_contain_text("certainly safe")
    expect(page.locator("#picture")).to_be_hidden()
    page.locator("#turn").tap()
    corners = [tile(page, row, column).bounding_box() for row, column in ((0, 0), (0, 29), (15, 0), (15, 29))]
    assert all(corners)
    first, end, last, far = (one or {} for one in corners)
    # By a quarter, clockwise: the first row runs down the right edge.
    assert first["x"] == end["x"] > last["x"] == far["x"]
    assert first["y"] == last["y"] < end["y"] == far["y"]
    holder = page.locator("#board-holder")
    assert holder.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    tile(page, 0, 1).tap()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("row 1, column 1:")


def test_tiles_are_named_from_0_or_from_1(page: Page) -> None:
    load_text(page, "# mines: 6\n???1?\n?2?1?\n?1122\n??F??")
    first = page.locator("#best .tile-link").first
    row, column = (int(part) for part in re.findall(r"\d+", first.inner_text()))
    choose(page, "#count-from")
    expect(first).to_have_text(f"({row + 1}, {column + 1})")
    assert page.locator("#board-holder .ruler span").first.inner_text() == "1"
    labels = page.locator("#board-holder .tile").evaluate_all("(all) => all.map((one) => one.ariaLabel)")
    assert labels[0].startswith("row 1, column 1:")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#board-holder .ruler span").first).to_have_text("1")


def test_the_tooltip_tells_the_odds_and_what_would_show(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?12??\n?????")
    tile(page, 0, 0).hover()
    tip = page.locator(".tooltip")
    expect(tip).to_contain_text("row 0, column 0: covered")
    expect(tip).to_contain_text("a mine")
    expect(tip.locator(".numbers-line")).to_be_visible()
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


def test_the_legend_shows_what_occurs(page: Page) -> None:
    load_text(page, "# mines: 1\n1?\n??")
    expect(page.locator("#legend")).not_to_contain_text("contradiction")
    expect(page.locator("#legend")).not_to_contain_text("safe")
    load_text(page, "0?\n3?")
    expect(page.locator("#legend")).to_contain_text("contradiction")


def test_the_chance_of_an_opening_can_be_shown(page: Page) -> None:
    load_text(page, "# mines: 1\n1???\n????")
    page.select_option("#overlay", "opening")
    # The mine lies next to the 1, so it is next to the second column, and never next to the last.
    expect(tile(page, 0, 3)).to_have_attribute("aria-label", re.compile(">99.9% to open an area"))
    expect(tile(page, 0, 1)).to_have_attribute("aria-label", re.compile("<0.1% to open an area"))


def test_why_no_tile_shows_a_measure_is_said(page: Page) -> None:
    read(page)
    page.select_option("#overlay", "progress")
    expect(page.locator("#overlay-note")).to_contain_text("where no tile is certainly safe")
    page.select_option("#overlay", "mine")
    expect(page.locator("#overlay-note")).to_be_empty()


SERIOUS = {"serious", "critical"}


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """What axe-core finds that stands in somebody's way, in light and in dark colours."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [one for one in axe.run(page).response["violations"] if one["impact"] in SERIOUS]
    return [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]


@pytest.mark.parametrize("page", [{"viewport": {"width": 1366, "height": 768}}, PHONE], indirect=True)
def test_nothing_serious_stands_in_anybodys_way(page: Page) -> None:
    read(page)
    for name in ("board", "play", "learn"):
        page.click(f"#tab-{name}")
        settled(page)
        assert violations(page) == [], name


@pytest.mark.parametrize("page", [{"viewport": {"width": 1366, "height": 768}}, PHONE], indirect=True)
def test_nothing_serious_stands_in_the_way_of_a_dialog(page: Page) -> None:
    read(page)
    for button, dialog in (
        ("#help-open", "#help"),
        ("#learn-open", "#learn-dialog"),
        ("#text-open", "#text-dialog"),
        ("#resize-open", "#size-dialog"),
        ("#positions-open", "#positions-dialog"),
    ):
        if page.locator("details.menu", has=page.locator(button)).count():
            choose(page, button)
        else:
            page.click(button)
        expect(page.locator(dialog)).to_be_visible()
        assert violations(page) == [], dialog
        page.keyboard.press("Escape")
        expect(page.locator(dialog)).to_be_hidden()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_menus_lie_within_the_screen(page: Page) -> None:
    read(page)
    for menu in page.locator("details.menu:has(> summary:visible)").all():
        menu.locator("summary").tap()
        box = menu.locator("> div").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
        menu.locator("summary").tap()
    # Where nothing is in doubt nothing is left of the buttons at the thumb.
    expect(page.locator(".thumb")).to_be_hidden()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_the_box_is_drawn_above_the_board(page: Page) -> None:
    read(page)
    page.locator("#box-open").tap()
    settled(page)
    picture, board = page.locator("#picture").bounding_box(), page.locator("#board-holder").bounding_box()
    assert picture is not None
    assert board is not None
    assert picture["y"] < board["y"]
