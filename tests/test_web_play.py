"""Games on the Play page in a real browser: what is counted, kept, and said when they are over."""

from __future__ import annotations

import re

import ms_toollib
import pytest
from browsing import Held, board_of, load_text, refuse, tile, wait_for_board
from playwright.sync_api import Page, expect
from served_page import settled

from visionsweeper.board import Board
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


def test_a_long_game_is_kept_without_its_replay_where_the_browser_has_no_room(page: Page) -> None:
    page.evaluate(
        """() => {
          const put = Storage.prototype.setItem;
          Storage.prototype.setItem = function (name, value) {
            if (value.length > 5000) throw new DOMException("full", "QuotaExceededError");
            put.call(this, name, value);
          };
        }"""
    )
    page.click("#tab-play")
    for at in range(60):
        open_tile(page, *divmod(at, 9), "right")
    flagged = board_of(page, "play-board")
    assert (flagged.cells == 10).sum() == 60
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert board_of(page, "play-board") == flagged


@pytest.mark.parametrize("game", ["999999x999999x1.o.1", "0x9x0.o.1", "9x9x82.o.1", "9x9x10.o.1.9-0"])
def test_a_link_of_a_game_that_cannot_be_is_passed_over(page: Page, game: str) -> None:
    address = page.url
    page.goto("about:blank")
    page.goto(f"{address}#g={game}")
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    expect(page.locator("#play-board .tile")).to_have_count(81)


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
    expect(page.locator("#play-records tbody tr")).to_have_count(2)
    won, lost = rows()
    assert (won[0], won[1], won[2], won[6], won[7]) == (
        "5x4, 0 mines, first click can be a mine", "2", "2 (100%)", "2", "2",
    )  # fmt: skip
    assert lost[1:4] == ["1", "0 (0%)", ""]
    page.click("#play-records button")
    expect(page.locator("#play-records")).to_contain_text("No game has been finished yet")


def test_what_cannot_be_understood_of_a_kept_game_is_left(page: Page) -> None:
    page.evaluate("""localStorage.setItem("game", '{"game": 3}')""")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert page.locator("#play-board .tile").count() == 81


def test_a_position_is_played_on(page: Page) -> None:
    text = "????\n?22?\n??1?\n????"
    load_text(page, f"# mines: 3\n{text}")
    page.click("#play-on")
    expect(page.locator("#play-status")).to_contain_text("Play on: the 3 mines")
    settled(page)
    assert board_of(page, "play-board") == Board.from_text(text)
    field = page.evaluate("JSON.parse(localStorage.getItem('game')).field")
    mines = {(r, c) for r in range(4) for c in range(4) if field[r][c] == "*"}
    board = Board.from_text(text)
    assert len(mines) == 3
    for row in range(4):
        for column in range(4):
            if board[row, column] <= 8:
                assert (row, column) not in mines
                assert board[row, column] == sum(one in mines for one in board.neighbours(row, column))
    row, column = next(iter(mines))
    open_tile(page, row, column)
    expect(page.locator("#play-status")).to_contain_text("Lost")
    page.click("#play-again")
    assert board_of(page, "play-board") == board


def test_a_position_whose_mine_count_is_unknown_is_not_played_on(page: Page) -> None:
    load_text(page, "??\n1?")
    page.click("#play-on")
    expect(page.locator("#problem")).to_contain_text("mine count")
    expect(page.locator("#page-board")).to_be_visible()


def test_after_a_mine_one_can_go_on(page: Page) -> None:
    play_file(page)
    expect(page.locator("#play-on-anyway")).to_be_hidden()
    open_tile(page, 2, 0)
    open_tile(page, 2, 4, "right")  # a wrong flag, which the end shows
    open_tile(page, 0, 0)
    assert board_of(page, "play-board")[2, 4] == 12
    page.click("#play-on-anyway")
    expect(page.locator("#play-on-anyway")).to_be_hidden()
    board = board_of(page, "play-board")
    assert (board[0, 0], board[2, 3], board[2, 4]) == (10, 9, 9)
    assert page.inner_text("#play-left") == "001"
    for at in range(20):
        if board_of(page, "play-board").cells.ravel()[at] == 9 and at != 13:
            open_tile(page, *divmod(at, 5))
    expect(page.locator("#play-status")).to_contain_text("Won")
    page.click("#play-statistics summary")
    expect(page.locator("#play-records")).to_contain_text("No game has been finished yet")


def test_a_seed_makes_the_same_board_and_can_be_shared(page: Page) -> None:
    page.click("#tab-play")
    shown = []
    for _ in range(2):
        page.fill("#play-seed", "2024")
        page.click("#play-new")
        open_tile(page, 4, 4)
        shown.append(board_of(page, "play-board"))
    assert shown[0] == shown[1]
    page.click("#play-share")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("#g=9x9x10.o.2024.4-4")
    page.fill("#play-seed", "")
    page.click("#play-again")
    assert page.locator("#play-board .opened").count() == 0
    expect(page.locator("#play-board .best")).to_have_attribute("data-index", "40")
    open_tile(page, 4, 4)
    assert board_of(page, "play-board") == shown[0]
    page.fill("#play-seed", "2025")
    page.click("#play-new")
    open_tile(page, 4, 4)
    assert board_of(page, "play-board") != shown[0]
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#page-play:not([hidden]) .opened")
    settled(page)
    assert board_of(page, "play-board") == shown[0]
    # Reloading goes on with the game, instead of beginning it once more.
    row, column = divmod(int((shown[0].cells == 9).argmax()), 9)
    open_tile(page, row, column, "right")
    flagged = board_of(page, "play-board")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert board_of(page, "play-board") == flagged


SOLVABLE = "F1001F1\n1100111\n0000000\n0011100\n001F100\n0011100\n0000000\n"
"""A minefield that needs no guess after a first click on the middle."""


def test_what_is_certain_is_opened_by_itself(page: Page) -> None:
    play_file(page, SOLVABLE)
    page.select_option("#play-auto", "certain")
    open_tile(page, 2, 2)
    expect(page.locator("#play-status")).to_contain_text("Won")


def test_the_best_guess_is_made_by_itself(page: Page) -> None:
    play_file(page, "F1000\n11000\n00011\n0012F\n001F?\n".replace("?", "2"))
    page.select_option("#play-auto", "guess")
    open_tile(page, 0, 1)  # which says too little to go on without a guess
    expect(page.locator("#play-status")).to_contain_text(re.compile("Won|Lost"))


def test_hard_core_games_are_lost_by_a_needless_guess(page: Page) -> None:
    page.click("#tab-play")
    page.check("#play-hardcore")
    play_file(page, "F10002F2\n110002F2\n")
    open_tile(page, 0, 3)
    open_tile(page, 0, 7)  # safe by the mine count, as is the one below it
    assert "Lost" not in page.inner_text("#play-status")
    open_tile(page, 1, 0)  # no mine, but it could have been
    expect(page.locator("#play-status")).to_have_text(
        "Lost. Row 1, column 0 was a risk of 50.0%: that loses a hard-core game. "
        "It was not forced: row 1, column 7 was certainly safe."
    )


def test_a_game_that_was_played_is_stepped_through(page: Page) -> None:
    play_file(page)
    expect(page.locator("#play-replay")).to_be_hidden()
    open_tile(page, 2, 0)
    open_tile(page, 2, 4, "right")  # wrong, as the end shows
    after_flag = board_of(page, "play-board")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    open_tile(page, 0, 0)
    expect(page.locator("#play-status")).to_contain_text("Lost")
    page.click("#play-replay")
    told = page.locator("#replay-text-now")
    expect(told).to_contain_text("Before move 1 of 3 (0.00 s)")
    page.locator("#replay-step").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("a mine was hit: row 0, column 0")
    assert board_of(page) == after_flag


def set_choice(page: Page, name: str, on: bool) -> None:
    page.locator(".end summary").click()
    page.locator(f"#{name}").set_checked(on)
    page.keyboard.press("Escape")


def label(page: Page, row: int, column: int) -> str:
    return tile(page, row, column, "play-board").get_attribute("aria-label") or ""


def test_question_marks_follow_flags_where_they_are_wanted(page: Page) -> None:
    set_choice(page, "question-marks", True)
    play_file(page)
    open_tile(page, 0, 0, "right")
    assert page.inner_text("#play-left") == "001"
    open_tile(page, 0, 0, "right")
    assert label(page, 0, 0) == "row 0, column 0: covered, question mark"
    assert page.inner_text("#play-left") == "002"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.click("#tab-play")
    assert label(page, 0, 0) == "row 0, column 0: covered, question mark"
    open_tile(page, 0, 0, "right")
    assert label(page, 0, 0) == "row 0, column 0: covered"
    # Undone one by one.
    for expected in ("covered, question mark", "flag", "covered"):
        page.keyboard.press("u")
        assert label(page, 0, 0) == f"row 0, column 0: {expected}"
    # A question mark keeps nobody from opening, and is none on an opened tile.
    for _ in range(2):
        open_tile(page, 0, 1, "right")
    open_tile(page, 0, 1)
    assert label(page, 0, 1) == "row 0, column 1: 1"
    set_choice(page, "question-marks", False)
    for expected in ("flag", "covered"):
        open_tile(page, 3, 0, "right")
        assert label(page, 3, 0) == f"row 3, column 0: {expected}"


def ready_to_chord(page: Page) -> None:
    """The number at (1, 3) is opened, and its mine flagged; around it most is covered."""
    play_file(page)
    open_tile(page, 1, 3)
    open_tile(page, 2, 3, "right")


def point_at(page: Page, row: int, column: int) -> None:
    tile(page, row, column, "play-board").hover()


def test_the_buttons_that_open_around_a_number_are_chosen(page: Page) -> None:
    set_choice(page, "chord-left", False)
    set_choice(page, "chord-middle", False)
    ready_to_chord(page)
    before = board_of(page, "play-board")
    open_tile(page, 1, 3)
    open_tile(page, 1, 3, "middle")
    assert board_of(page, "play-board") == before
    point_at(page, 1, 3)
    page.mouse.down(button="left")
    page.mouse.down(button="right")
    page.mouse.up(button="left")
    expect(tile(page, 1, 2, "play-board")).to_have_class(re.compile("opened"))
    page.mouse.up(button="right")
    settled(page)
    # Releasing the other button did nothing more: no flag is set or taken away.
    assert board_of(page, "play-board")[2, 3] == 10
    for name, button in (("chord-middle", "middle"), ("chord-left", "left")):
        set_choice(page, name, True)
        ready_to_chord(page)
        open_tile(page, 1, 3, button)
        expect(tile(page, 1, 2, "play-board")).to_have_class(re.compile("opened"))
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#chord-middle").is_checked()


def test_the_second_button_held_sets_no_flag(page: Page) -> None:
    play_file(page)
    point_at(page, 0, 4)
    page.mouse.down(button="left")
    page.mouse.down(button="right")
    page.mouse.up(button="right")
    page.mouse.up(button="left")
    settled(page)
    assert (board_of(page, "play-board").cells == 9).all()


def test_what_a_button_would_open_is_pressed_in_until_it_is_left(page: Page) -> None:
    ready_to_chord(page)
    pressed = page.locator("#play-board .pressed")
    face = page.locator("#play-face")
    point_at(page, 1, 3)
    page.mouse.down()
    # All covered tiles around the number, but for the flag.
    expect(pressed).to_have_count(7)
    expect(face).to_have_attribute("data-state", "pressed")
    point_at(page, 3, 0)
    expect(pressed).to_have_count(0)
    expect(face).to_have_attribute("data-state", "playing")
    page.mouse.up()
    settled(page)
    assert board_of(page, "play-board")[3, 0] == 9
    page.mouse.down()
    expect(pressed).to_have_count(1)
    page.mouse.up()
    expect(tile(page, 3, 0, "play-board")).to_have_class(re.compile("opened"))


def test_the_face_shows_the_state_and_begins_a_new_game(page: Page) -> None:
    face = page.locator("#play-face")
    play_file(page, "F1\n")
    expect(face).to_have_attribute("data-state", "playing")
    open_tile(page, 0, 1)
    expect(face).to_have_attribute("data-state", "won")
    expect(face.locator(".smile")).to_be_visible()
    expect(face.locator(".glasses")).to_be_visible()
    expect(face).to_have_accessible_name("New game (this one is won)")
    page.set_input_files("#play-file", {"name": "own.txt", "mimeType": "text/plain", "buffer": b"F1\n"})
    expect(face).to_have_attribute("data-state", "playing")
    open_tile(page, 0, 0)
    expect(face).to_have_attribute("data-state", "lost")
    expect(face.locator(".smile")).to_be_hidden()
    expect(face.locator(".frown")).to_be_visible()
    face.click()
    expect(face).to_have_attribute("data-state", "playing")
    expect(face).to_have_accessible_name("New game")
    expect(page.locator("#play-board .tile")).to_have_count(81)


def test_the_search_for_a_board_without_a_guess_can_be_cancelled(page: Page) -> None:
    page.click("#tab-play")
    page.check("#play-noguess")
    held = Held(page, "play", most=1)
    tile(page, 4, 4, "play-board").click()
    held.first()
    expect(page.locator("#play-status")).to_contain_text("needs no guess")
    held.cancel("#play-work")
    expect(page.locator("#play-status")).to_have_text("Cancelled.")
    expect(page.locator("#play-work")).to_be_hidden()
    assert page.locator("#play-board .opened").count() == 0
    # The same game can still be begun.
    open_tile(page, 4, 4)
    expect(tile(page, 4, 4, "play-board")).to_have_class(re.compile("opened"))


def test_a_new_game_leaves_what_the_one_before_waits_for(page: Page) -> None:
    page.click("#tab-play")
    held = Held(page, "play", most=1)
    tile(page, 4, 4, "play-board").click()
    held.first()
    with page.expect_event("requestfailed"):
        page.click("#play-face")
    open_tile(page, 0, 0)
    expect(tile(page, 0, 0, "play-board")).to_have_class(re.compile("opened"))


def test_a_hint_that_takes_long_can_be_cancelled(page: Page) -> None:
    page.click("#tab-play")
    open_tile(page, 4, 4)
    held = Held(page, "advise", most=1)
    page.click("#play-hint")
    held.cancel("#play-work")
    expect(page.locator("#play-status")).to_have_text("Cancelled.")
    expect(page.locator("#play-work")).to_be_hidden()


def test_what_is_certain_is_played_in_a_style(page: Page) -> None:
    play_file(page, "1100\nF100\n1100\n")
    page.select_option("#play-style", "flags")
    for place in ((0, 0), (2, 0), (1, 1), (2, 1)):
        open_tile(page, *place)
    page.click("#play-certain")
    expect(page.locator("#play-figures")).to_contain_text("6 clicks (4 left, 1 right, 1 chord)")
    # The choice is kept.
    page.reload()
    expect(page.locator("#play-style")).to_have_value("flags")


def test_what_a_click_opens_is_shown_at_once(page: Page) -> None:
    play_file(page)
    open_tile(page, 1, 2)
    held = Held(page, "play", most=1)
    tile(page, 3, 0, "play-board").click()
    held.first()
    before = board_of(page, "play-board")
    assert str(before).splitlines() == ["?????", "111??", "001??", "001??"]
    # A click that comes before the answer is shown as soon, and stays when that comes.
    tile(page, 0, 4, "play-board").click()
    before = board_of(page, "play-board")
    assert str(before).splitlines() == ["?1000", "11111", "001??", "001??"]
    held.let_through()
    settled(page)
    assert board_of(page, "play-board") == before
    # Where the server does not answer it was not opened.
    page.unroute("**/api/play")
    refuse(page, "play")
    tile(page, 3, 4, "play-board").click()
    expect(page.locator("#play-status")).to_contain_text("this takes longer")
    assert board_of(page, "play-board") == before


def test_what_a_number_opens_is_shown_at_once(page: Page) -> None:
    play_file(page)
    open_tile(page, 1, 2)
    open_tile(page, 2, 3, button="right")
    held = Held(page, "play", most=1)
    tile(page, 1, 2, "play-board").click()
    held.first()
    shown = board_of(page, "play-board")
    assert str(shown).splitlines() == ["?1000", "11111", "001F?", "001??"]
    held.let_through()
    settled(page)
    assert board_of(page, "play-board") == shown
    expect(page.locator("#play-status")).to_be_empty()
