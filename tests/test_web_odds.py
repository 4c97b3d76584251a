"""The odds on the Board page in a real browser: always those of the position that is shown."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from browsing import (
    SAMPLES,
    Held,
    board_of,
    choose,
    drop,
    load_text,
    refuse,
    tile,
    visit_link,
    wait_for_board,
)
from PIL import Image
from playwright.sync_api import Page, expect
from served_page import settled
from serving import Served

from visionsweeper.board import Board
from visionsweeper.errors import InconsistentBoard
from visionsweeper.solver import solve

pytestmark = pytest.mark.slow


def test_percentages_are_written_as_everywhere(page: Page) -> None:
    cases = json.loads(Path(__file__).with_name("percentages.json").read_text())
    written = page.evaluate(
        """async (cases) => {
            const { percent } = await import("/odds.js");
            return cases.map(({ value, certain }) =>
                [false, true].map((compact) => percent(value, certain, compact)));
        }""",
        cases,
    )
    assert written == [[case["text"], case["compact"]] for case in cases]


def test_odds_follow_every_edit(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    for key, text in (("1", "?????\n?11??\n???1?"), ("2", "?????\n?11??\n???2?")):
        tile(page, 2, 3).focus()
        page.keyboard.press(key)
        settled(page)
        board = Board.from_text(text)
        solution = solve(board, mines=3)
        for row, column in ((0, 0), (0, 3), (2, 4)):
            label = tile(page, row, column).get_attribute("aria-label") or ""
            odds = 100 * solution.probability[row, column]
            shown = re.search(r"([\d.]+)% mine", label)
            assert shown, label
            assert float(shown[1]) == pytest.approx(odds, abs=0.051)


def test_local_odds_fractions_and_flags(page: Page) -> None:
    load_text(page, "# mines: 3\n???\n?1?\n??F")
    page.click("[data-form=fraction]")
    settled(page)
    solution = solve(Board.from_text("???\n?1?\n??F"), mines=1)
    assert solution.exact(0, 0).denominator == 8
    expect(page.locator("#summary")).to_contain_text("at most")
    page.click("text=take 1")
    settled(page)
    assert tile(page, 0, 0).inner_text() == "1/8"
    page.check("#trust")
    settled(page)
    assert "sure-safe" in (tile(page, 0, 0).get_attribute("class") or "")
    page.click("[data-form=none]")
    assert page.locator("#board-holder .chance").count() == 0
    page.uncheck("#trust")
    page.click("[data-form=percent]")
    page.click("[data-scope=local]")
    settled(page)
    assert tile(page, 0, 0).inner_text() == "12.5"


def test_a_contradiction_is_shown_at_the_tiles_at_fault(page: Page) -> None:
    load_text(page, "??0\n131\n000")
    assert page.locator("#board-holder .conflict").count() > 0
    with pytest.raises(InconsistentBoard) as told:
        solve(Board.from_text("??0\n131\n000"))
    expect(page.locator("#summary")).to_contain_text(str(told.value)[1:].partition(";")[0])
    expect(page.locator("#summary")).not_to_contain_text("read")  # it was made by hand
    page.click("#summary .tile-link >> nth=0")
    assert "contradicts its neighbours" in page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_a_tile_tells_its_tables_equations_and_outcomes(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    tile(page, 0, 1).click()
    settled(page)
    panel = page.locator("#tile")
    solution = solve(Board.from_text("?????\n?11??\n?????"), mines=3)
    chance = solution.exact(0, 1)
    expect(panel).to_contain_text(f"= {chance.numerator}/{chance.denominator}")
    outcomes = solution.outcomes(0, 1)
    assert panel.locator(".bar").count() == sum(1 for one in (outcomes.mine, *outcomes.numbers) if one)
    panel.locator("summary", has_text="matrix before and after").click()
    assert panel.locator(".equations li").count() == 2
    expect(panel.locator(".equations li").first).to_contain_text("= 1")
    panel.get_by_text("Show it on the board").click()
    assert page.locator("#board-holder .tile.component").count() == len(solution.components[0].tiles)


def test_why_a_tile_is_certain(page: Page) -> None:
    load_text(page, "?????\n?121?\n?xxx?\n?xxx?")
    page.click("[data-scope=local]")
    tile(page, 0, 1).click()
    settled(page)
    steps = page.locator("#tile .steps li")
    assert steps.count() > 0
    expect(page.locator("#tile")).to_contain_text("1-2-1")
    steps.first.get_by_text("show").click()
    assert page.locator("#board-holder .tile.numbers").count() > 0


def test_what_follows_from_the_standard_mine_count_alone_is_told_apart(page: Page) -> None:
    # Nine mines are shown. Of the corner the numbers leave one mine or two; with ten in all it is one.
    text = (
        "*2*2*2*2*\n121212121\n111111000\n1*11*1000\n111111000\n111001110\n1*1001*21\n1110012??\n0000001??\n"
    )
    load_text(page, text)
    settled(page)
    expect(page.locator("#board-holder .tile.ifRight")).to_have_count(4)
    summary = page.locator("#summary")
    expect(summary).to_contain_text(
        "0 certainly safe, 0 certainly a mine, and 4 more are certain if the board has 10"
    )
    load_text(page, "# mines: 10\n" + text)
    settled(page)
    expect(page.locator("#board-holder .tile.ifRight")).to_have_count(0)
    expect(summary).to_contain_text("3 certainly safe, 1 certainly a mine.")


def test_solutions_are_stepped_through_in_order_of_mines(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    tile(page, 0, 1).click()
    settled(page)
    part = solve(Board.from_text("?????\n?11??\n?????"), mines=3).components[0]
    for number in range(4):
        page.keyboard.press("]")
        settled(page)
        shown = page.eval_on_selector_all(
            "#board-holder .tile.ghost-mine", "tiles => tiles.map((tile) => Number(tile.dataset.index))"
        )
        assert [divmod(index, 5) for index in shown] == list(part.solution(number))
    page.keyboard.press("[")
    settled(page)
    assert page.input_value("#solutions input.number") == "2"
    page.fill("#solutions input.number", str(part.count - 1))
    page.keyboard.press("Enter")
    settled(page)
    last = len(part.solution(part.count - 1))
    assert page.locator("#board-holder .tile.ghost-mine").count() == last
    page.get_by_role("button", name="Random full solution").click()
    settled(page)
    assert page.locator("#board-holder .tile.ghost-mine").count() == 3
    page.get_by_role("button", name="Hide").click()
    assert page.locator("#board-holder .tile.ghost-mine").count() == 0


def test_solutions_by_keyboard_keep_the_focus_and_the_count(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    tile(page, 0, 1).click()
    settled(page)
    for _ in range(4):
        page.keyboard.press("]")
    settled(page)
    assert page.input_value("#solutions input.number") == "3"
    page.focus("#solutions [data-key=next]")
    page.keyboard.press("Enter")
    settled(page)
    assert page.evaluate("document.activeElement.dataset.key") == "next"
    assert page.input_value("#solutions input.number") == "4"


def test_a_solution_is_never_left_on_another_position(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    settled(page)
    held = Held(page, "solution")
    page.click("#solutions [data-key=board]")
    held.first()
    load_text(page, "# mines: 2\n????\n?1??\n????\n????", settle=False)
    held.let_through()
    page.unroute("**/api/solution")
    assert page.locator("#board-holder .ghost-mine").count() == 0
    # A random one of the whole board can be hidden also after a tile of another component was chosen.
    load_text(page, "# mines: 6\n?????x?????\n?12??x??21?\n?????x?????")
    tile(page, 0, 0).click()
    settled(page)
    page.click("#solutions [data-key=board]")
    settled(page)
    tile(page, 0, 10).click()
    settled(page)
    assert page.locator("#board-holder .ghost-mine").count() == 6
    page.click("#solutions [data-key=hide]")
    assert page.locator("#board-holder .ghost-mine").count() == 0


def test_advice_is_of_the_position_that_is_shown(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    held = Held(page, "advise")
    tile(page, 2, 3).focus()
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelector('#best').classList.contains('waiting')")
    held.first()
    page.unroute("**/api/advise")
    with page.expect_response("**/api/advise"):
        page.keyboard.press("3")
    held.let_through()
    settled(page)
    asked = Board.from_text("?????\n?11??\n???3?")
    assert board_of(page) == asked
    best = page.locator("#board-holder .best").first.get_attribute("aria-label") or ""
    row, column = (int(number) for number in re.findall(r"\d+", best)[:2])
    assert solve(asked, mines=3).advice.best == (row, column)


def test_another_board_of_the_same_size_shows_nothing_of_the_one_before(page: Page, served: Served) -> None:
    visit_link(page, served, "3x3x1.uuu111000")
    expect(page.locator("#summary")).to_contain_text("certainly")
    held = Held(page, "solve")
    page.evaluate("() => { location.hash = '#p=3x3x1.uuuu1uuuu'; }")
    page.wait_for_function("() => document.querySelectorAll('#board-holder .covered').length === 8")
    assert page.locator("#board-holder .chance").count() == 0
    assert page.inner_text("#summary") == ""
    assert page.inner_text("#best") == ""
    held.first().continue_()
    expect(page.locator("#summary")).to_contain_text("8 covered tiles")


def test_the_address_holds_the_position_as_it_is(page: Page, served: Served) -> None:
    visit_link(page, served, "3x2x1lt.uFu111")
    expect(page.locator("#trust")).to_be_checked()
    assert page.get_attribute("[data-scope=local]", "aria-pressed") == "true"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    wait_for_board(page, Board.from_text("?F?\n111"))
    tile(page, 0, 0).focus()
    page.keyboard.press("0")
    page.wait_for_url("**/#p=3x2x1lt.0Fu111")
    page.uncheck("#trust")
    page.click("[data-scope=global]")
    page.wait_for_url("**/#p=3x2x1.0Fu111")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    wait_for_board(page, Board.from_text("0F?\n111"))
    expect(page.locator("#trust")).not_to_be_checked()
    load_text(page, "\n".join(["?" * 110] * 110))
    page.wait_for_function("() => location.hash === ''")
    visit_link(page, served, "3x2x1lt.uFu111")
    tile(page, 0, 0).focus()
    page.keyboard.press("0")
    page.click("#undo")
    expect(page.locator("#trust")).to_be_checked()
    page.click("#undo")
    expect(page.locator("#trust")).not_to_be_checked()
    assert page.get_attribute("[data-scope=global]", "aria-pressed") == "true"


def test_a_picture_without_a_board_leaves_the_one_before_as_it_was(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "lost.png")
    expect(page.locator("#check")).to_be_visible()
    data = io.BytesIO()
    Image.new("RGB", (300, 200), (90, 120, 150)).save(data, "PNG")
    drop(page, "empty.png", data.getvalue(), "image/png")
    expect(page.locator("#picture-name")).to_have_text("empty.png")
    expect(page.locator("#check")).to_be_hidden()
    tile(page, 0, 0).focus()
    page.keyboard.press("1")
    expect(page.locator("#picture-name")).to_have_text("empty.png")
    choose(page, "#picture-close")
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    expect(page.locator("#check")).to_be_visible()
    choose(page, "#picture-close")
    expect(page.locator("#picture-tools")).to_be_hidden()


def test_a_random_solution_can_be_stepped_on_from(page: Page) -> None:
    load_text(page, "# mines: 3\n?????\n?11??\n?????")
    tile(page, 0, 1).click()
    settled(page)
    page.keyboard.press("r")
    settled(page)
    number = int(page.input_value("#solutions input.number"))
    count = solve(Board.from_text("?????\n?11??\n?????"), mines=3).components[0].count
    page.keyboard.press("]")
    settled(page)
    assert int(page.input_value("#solutions input.number")) == (number + 1) % count


def test_what_the_advice_fails_of_is_told(page: Page) -> None:
    page.route(
        "**/api/advise",
        lambda route: route.fulfill(
            status=503,
            content_type="application/json",
            body='{"error": {"kind": "too_slow", "message": "too slow"}}',
        ),
    )
    load_text(page, "??\n11")
    expect(page.locator("#best")).to_contain_text("too slow")


def test_a_link_can_be_pasted_and_typed(page: Page, served: Served) -> None:
    link = f"{served.address}#p=3x2x1lt.uFu111"
    page.evaluate("(text) => navigator.clipboard.writeText(text)", f"look at this: {link} !")
    tile(page, 0, 0).focus()
    page.keyboard.press("Control+v")
    wait_for_board(page, Board.from_text("?F?\n111"))
    expect(page.locator("#trust")).to_be_checked()
    load_text(page, f"{served.address}#p=2x1x1000000.u1")
    wait_for_board(page, Board.from_text("?1"))
    expect(page.locator("#trust")).not_to_be_checked()
    assert page.input_value("#mines") == "1000000"
    choose(page, "#text-open")
    page.fill("#text-input", "#p=2x1x.u")
    page.click("#text-load")
    expect(page.locator("#text-error")).to_contain_text("cut off")


def test_solutions_are_those_of_the_board_that_is_shown(page: Page) -> None:
    load_text(page, "# mines: 2\n??x??\n1xxx1\n??x??")
    assert page.locator("#solutions option").count() == 2
    refuse(page, "explain")
    load_text(page, "# mines: 1\n??\n11")
    expect(page.locator("#solutions")).to_contain_text("no solutions to show")
    expect(page.locator("#tile")).to_contain_text("30 seconds")


def test_remedies_are_named_as_on_the_page(page: Page) -> None:
    load_text(page, "\n".join(["8??" + "?" * 6] * 9))
    assert "--" not in page.inner_text("#summary") + page.inner_text("#warnings")


def test_what_cannot_be_learned_names_the_remedy_of_the_page(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    settled(page)
    refused = {"error": {"kind": "invalid_input", "message": "give another theme another --name"}}
    page.route("**/api/learn", lambda route: route.fulfill(status=400, json=refused))
    page.click("#learn-now")
    expect(page.locator("#problem")).to_contain_text("give another theme another name (Learn as…)")


def test_small_tiles_say_0_and_100_of_none_that_is_uncertain(page: Page) -> None:
    written = page.evaluate(
        "async () => { const { short } = await import('./odds.js');"
        " return [0.0001, 0.004, 0.5, 0.996, 0.9999].map((p) => short(p, 20)); }"
    )
    assert written == ["1", "1", "50", "99", "99"]
    # What is certain has a mark instead of a figure, and what all tiles share is said once.
    load_text(page, "# mines: 2\n11?\n???\n???\n???\n???")
    assert page.locator("#board-holder .tile.odds:not(:has(.chance))").count() > 1
    expect(page.locator("#legend")).to_contain_text("every tile next to no number")


def test_a_tile_that_is_named_is_shown_and_the_best_is_a_key_away(page: Page) -> None:
    load_text(page, "# mines: 6\n???1?\n?2?1?\n?1122\n??F??")
    expect(page.locator("#best .tile-link").first).to_be_visible()
    name = page.locator("#best .tile-link").first
    name.hover()
    row, column = (int(part) for part in name.inner_text().strip("()").split(","))
    expect(tile(page, row, column)).to_have_class(re.compile(r"\bpointed\b"))
    page.mouse.move(0, 0)
    expect(page.locator("#board-holder .pointed")).to_have_count(0)
    tile(page, 3, 4).focus()
    page.keyboard.press("b")
    assert page.evaluate("document.activeElement.dataset.index") == str(row * 5 + column)
    assert page.locator("#board-holder .ruler .here").all_inner_texts() == [str(row), str(column)]


def test_solutions_beyond_the_mine_count_are_called_so(page: Page) -> None:
    load_text(page, "# mines: 6\n???1?\n?2?1?\n?1122\n??F??")
    settled(page)
    solution = solve(Board.from_text("???1?\n?2?1?\n?1122\n??F??"), mines=6)
    part = solution.components[0]
    impossible = [
        one.mines for one in part.ranges if page.locator(f"[data-key=with-{one.mines}].ruled-out").count()
    ]
    assert impossible
    assert len(impossible) < len(part.ranges)
    page.click(f"[data-key=with-{impossible[0]}]")
    expect(page.locator("#solutions")).to_contain_text("does not allow it")
    page.fill("#solutions input.number", "999999")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("numbered from 0 to")


def test_the_tile_that_is_told_of_is_the_chosen_one_however_long_the_server_takes(page: Page) -> None:
    load_text(page, "# mines: 1500\n" + "\n".join(["?" * 100] * 100))
    Held(page, "explain")
    here = page.locator("#board-holder .ruler .here")
    for row, column in ((3, 5), (4, 7)):
        tile(page, row, column).click()
        expect(page.locator("#tile .tile-title")).to_contain_text(f"({row}, {column}) covered")
        assert here.all_inner_texts() == [str(row), str(column)]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    expect(page.locator("#tile .tile-title")).to_contain_text("(4, 8) opened")
    assert here.all_inner_texts() == ["4", "8"]


@pytest.mark.parametrize("page", [{"viewport": {"width": 1000, "height": 800}}], indirect=True)
def test_tables_of_wide_components_stay_in_their_panel(page: Page) -> None:
    # One component of all 58 covered tiles, with equations and a matrix as wide as it.
    load_text(page, "# mines: 20\n" + "?" * 29 + "\n" + "2" * 29 + "\n" + "?" * 29)
    tile(page, 0, 7).click()
    settled(page)
    page.evaluate("document.querySelectorAll('#tile details').forEach((one) => (one.open = true))")
    assert page.locator("#tile table").count() > 1
    wide = page.evaluate(
        """[...document.querySelectorAll(".panel, .side-panels, html")]
            .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className)"""
    )
    assert wide == []


def test_who_waits_sees_the_place_in_line(page: Page) -> None:
    page.route("**/api/place?*", lambda route: route.fulfill(json={"place": 3}))
    held = Held(page, "advise")
    load_text(page, "# mines: 1\n??\n1?", settle=False)
    expect(page.locator("#queue")).to_have_text("The server is busy. Your place in line: 3")
    held.let_through()
    expect(page.locator("#queue")).to_be_hidden()


def test_links_of_other_programs_are_pasted_and_copied(page: Page) -> None:
    link = "https://davidnhill.github.io/JSMinesweeper/index.html?board=3x1x1&analysis=adabaaab2bS"
    page.evaluate("(text) => navigator.clipboard.writeText(text)", link)
    page.locator("#board-holder .tile").first.focus()
    page.keyboard.press("Control+v")
    wait_for_board(page, Board.from_text("F1?"))
    assert page.input_value("#mines") == "1"
    page.select_option("#export-kind", "jsminesweeper-link")
    page.click("#export-file-copy")
    expect(page.locator("#toast")).to_have_text("JSMinesweeper link copied")
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.select_option("#export-kind", "llamasweeper-link")
    page.click("#export-file-copy")
    expect(page.locator("#problem")).to_contain_text("put a flag on every mine")


def test_a_minefield_link_is_played(page: Page) -> None:
    page.click("#tab-play")
    page.evaluate("navigator.clipboard.writeText('https://llamasweeper.com/#/game/board-editor?b=32&m=g0')")
    page.locator("#play-board .tile").first.focus()
    page.keyboard.press("Control+v")
    expect(page.locator("#play-status")).to_contain_text("minefield of your own")
    expect(page.locator("#play-board .tile")).to_have_count(6)
    tile(page, 0, 0, "play-board").click()
    expect(page.locator("#play-status")).to_contain_text("Lost")


def test_positions_are_kept_by_name(page: Page) -> None:
    text = "# mines: 2\n???\n1?1"
    load_text(page, text)
    choose(page, "#positions-open")
    expect(page.locator("#positions-none")).to_be_visible()
    page.fill("#positions-name", "two mines")
    page.click("#positions-keep")
    expect(page.locator("#positions-list button").first).to_have_text("two mines")
    page.keyboard.press("Escape")
    load_text(page, "??")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    choose(page, "#positions-open")
    page.get_by_role("button", name="two mines", exact=True).click()
    wait_for_board(page, Board.from_text("???\n1?1"))
    assert page.input_value("#mines") == "2"
    choose(page, "#positions-open")
    page.get_by_role("button", name="Remove two mines").click()
    expect(page.locator("#positions-none")).to_be_visible()


def test_what_a_tile_would_show_given_that_it_is_safe(page: Page) -> None:
    # One mine among the three: a third each; safe, the tile shows a 1 in any case.
    load_text(page, "# mines: 1\n??\n1?")
    tile(page, 0, 0).click()
    bars = page.locator("#tile .bar")
    expect(bars).to_have_text(["✹33.3% = 1/3", "166.7% = 2/3"])
    page.get_by_label("given that it is safe").check()
    expect(bars).to_have_text(["1100%"])
    tile(page, 0, 1).click()
    expect(page.locator("#tile .tile-title")).to_contain_text("(0, 1)")
    expect(bars).to_have_text(["1100%"])


def test_odds_that_take_long_can_be_left(page: Page) -> None:
    held = Held(page, "solve", most=1)
    load_text(page, "# mines: 3\n????\n?1??\n????", settle=False)
    held.cancel("#odds-work")
    expect(page.locator("#summary")).to_contain_text("Cancelled: there are no odds")
    expect(page.locator("#odds-work")).to_be_hidden()
    settled(page)
    assert page.locator("#board-holder :is(.chance, .sure)").count() == 0
    page.click("[data-scope=local]")
    expect(page.locator("#board-holder .chance").first).to_be_visible()
