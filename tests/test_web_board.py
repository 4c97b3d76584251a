"""The Board page in a real browser: what comes in, is checked, edited, and goes out."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

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
    without_board,
)
from outside_data import SCREENS, needs
from PIL import Image
from playwright.sync_api import Page, Route, expect
from served_page import settled, visit
from serving import Served
from smearing import DOUBTED, smeared

from visionsweeper.board import Board
from visionsweeper.io.images import load_image
from visionsweeper.pipeline import read_board
from visionsweeper.solver import solve

pytestmark = pytest.mark.slow


# Coming in


def test_a_dropped_screenshot_is_read_and_its_odds_are_shown(page: Page) -> None:
    truth = Board.from_text((SAMPLES / "expert.txt").read_text())
    drop(page, "expert.png", (SAMPLES / "expert.png").read_bytes(), "image/png")
    page.wait_for_selector("#picture-image[src^=blob]", state="attached")
    settled(page)
    wait_for_board(page, truth)
    solution = solve(truth, mines=99)
    assert page.get_attribute("#mines", "placeholder") == "99"
    sure = page.locator("#board-holder .tile.sure-safe:not(.flag)")
    assert sure.count() == sum(truth[place] == 9 for place in solution.safe)
    label = tile(page, 0, 0).get_attribute("aria-label")
    assert label is not None
    assert f"{100 * solution.probability[0, 0]:.1f}% mine" in label
    expect(page.locator("#status")).to_contain_text("30x16")
    expect(page.locator("#dropping")).to_be_hidden()


@needs(SCREENS)
def test_a_real_screenshot_is_checked_tile_by_tile(page: Page) -> None:
    shot = SCREENS / "gnome-mines-classic-dark" / "04_custom_dense.full.png"
    truth = Board.from_text(shot.with_name("04_custom_dense.txt").read_text())
    page.set_input_files("#pick-picture", shot)
    page.wait_for_selector("#check:not([hidden])")
    settled(page)
    doubted = page.locator("#board-holder .tile.uncertain").count()
    assert 0 < doubted < 40
    # Tab goes from one to the next; the right key is pressed on each.
    for _ in range(doubted):
        place = page.evaluate("document.activeElement.getAttribute('aria-label')")
        row, column = (int(number) for number in re.findall(r"\d+", place)[:2])
        assert "read with doubt" in place
        code = truth[row, column]
        page.keyboard.press({9: "?", 10: "f", 11: "m", 12: "x"}.get(code, str(code)))
        page.keyboard.press("Tab")
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")
    assert board_of(page) == truth


def test_a_misread_tile_is_put_right_with_one_key_and_its_look_alikes_too(page: Page) -> None:
    truth = read_board(SAMPLES / "beginner-flat.png").board
    row, column = DOUBTED
    assert truth[row, column] == 1
    drop(page, "smeared.png", smeared(row, column), "image/png")
    page.wait_for_selector("#check.doubt")
    settled(page)
    doubted = page.locator("#board-holder .tile.uncertain").count()
    for _ in range(doubted):
        place = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert "read with doubt" in place
        if f"row {row}, column {column}:" in place:
            break
        page.keyboard.press("Tab")
    page.keyboard.press("1")
    assert board_of(page)[row, column] == 1
    expect(page.locator("#check-text")).to_contain_text(str(doubted - 1) if doubted > 1 else "No")
    # Plain ones look alike: set one of another place to 2, and the rest follows; not what was set by hand.
    before = board_of(page)
    other = next((r, c) for r in range(9) for c in range(9) if truth[r, c] == 1 and (r, c) != (row, column))
    tile(page, *other).click()
    page.keyboard.press("2")
    expect(page.locator("#alike")).to_be_visible()
    marked = page.locator("#board-holder .tile.alike").count()
    assert page.inner_text("#alike").startswith(f"Make {marked} look-alikes 2 too")
    page.keyboard.press("Enter")
    changed = board_of(page)
    assert (changed.cells != before.cells).sum() == marked + 1 > 4
    assert changed[row, column] == 1
    # It is called right now, though it cannot be: Tab leads to the contradiction.
    page.keyboard.press("Control+a")
    page.keyboard.press("Space")
    expect(page.locator("#check-text")).to_contain_text("contradict")
    page.click("#check-next")
    assert "contradicts its neighbours" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    for _ in range(3):
        page.keyboard.press("Control+z")
    assert board_of(page) == before
    page.keyboard.press("Control+a")
    page.keyboard.press("Space")
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")
    assert board_of(page) == truth


def test_a_picture_without_a_board_is_refused_and_can_be_pointed_at(page: Page) -> None:
    drop(page, "empty.png", without_board(), "image/png")
    expect(page.locator("#problem")).to_be_visible()
    expect(page.locator("#picture-box")).to_be_hidden()
    frame = page.locator("#picture-frame").bounding_box()
    assert frame is not None
    page.mouse.move(frame["x"] + 30, frame["y"] + 40)
    page.mouse.down()
    page.mouse.move(frame["x"] + 130, frame["y"] + 120, steps=4)
    page.mouse.up()
    drawn = page.locator("#picture-box").bounding_box()
    assert drawn is not None
    assert (drawn["width"], drawn["height"]) == pytest.approx((100, 80), abs=1.5)
    page.fill("#box-columns", "9")
    expect(page.locator("#box-read")).to_be_enabled()
    truth = Board.from_text((SAMPLES / "expert.txt").read_text())
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    wait_for_board(page, truth)
    expect(page.locator("#picture-name")).to_have_text("expert.png")
    expect(page.locator("#check")).to_be_visible()
    expect(page.locator("#box-tools")).to_be_hidden()


def test_a_board_that_is_pointed_at_can_be_checked_and_learned(page: Page) -> None:
    said = {"error": {"kind": "no_board", "message": "there is no board"}}
    page.route("**/api/parse", lambda route: route.fulfill(status=422, json=said), times=1)
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    expect(page.locator("#problem")).to_contain_text("Draw a box")
    page.fill("#box-columns", "30")
    page.fill("#box-rows", "16")
    page.click("#box-read")
    wait_for_board(page, Board.from_text((SAMPLES / "expert.txt").read_text()))
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#check")).to_be_visible()
    expect(page.locator("[data-mode=over]")).to_be_enabled()


def test_a_picture_cut_within_its_outermost_tiles_is_read_again_and_learned(page: Page) -> None:
    file = SAMPLES / "beginner-flat.png"
    grid, pixels = read_board(file).grid, load_image(file)
    left, top, right, bottom = (round(edge) for edge in grid.box)
    data = io.BytesIO()
    Image.fromarray(pixels[top + 2 : bottom - 2, left + 2 : right - 2]).save(data, "PNG")
    drop(page, "cut.png", data.getvalue(), "image/png")
    expect(page.locator("#check")).to_be_visible()
    truth = Board.from_text((SAMPLES / "beginner-flat.txt").read_text())
    wait_for_board(page, truth)
    settled(page)
    page.click("#box-open")
    page.click("#box-read")
    settled(page)
    expect(page.locator("#problem")).to_be_hidden()
    wait_for_board(page, truth)
    tile(page, 0, 0).focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Space")
    page.click("#learn-now")
    expect(page.locator("#learned")).to_contain_text("learned")
    page.get_by_text("Take that back").click()
    expect(page.locator("#learned")).to_contain_text("Undone")


def test_the_box_is_left_alone_by_a_drag_that_was_broken_off(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    page.click("#box-open")
    handle = page.locator(".handle.se").bounding_box()
    assert handle is not None
    page.mouse.move(handle["x"] + 7, handle["y"] + 7)
    page.mouse.down()
    page.dispatch_event("#picture-box", "pointercancel", {})
    before = page.locator("#picture-box").bounding_box()
    page.mouse.move(handle["x"] - 90, handle["y"] - 90, steps=3)
    assert page.locator("#picture-box").bounding_box() == before
    page.mouse.up()
    page.focus("#picture-box")
    page.keyboard.press("Shift+ArrowLeft")
    after = page.locator("#picture-box").bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] < before["width"]
    # Under the board that lies over the picture no handle could be reached.
    page.click("[data-mode=over]")
    expect(page.locator("#box-tools")).to_be_hidden()
    expect(page.locator("#picture-box")).to_be_hidden()


def test_what_went_wrong_is_told_until_something_else_is_tried(page: Page) -> None:
    held = Held(page, "solve")
    drop(page, "cut.mbf", bytes([3, 2, 0, 2, 2, 0]), "application/octet-stream")
    expect(page.locator("#problem")).to_contain_text("this minefield file is incomplete")
    tile(page, 0, 0).focus()
    page.keyboard.press("ArrowRight")
    for one in held.routes:
        one.continue_()
    page.unroute("**/api/solve")
    settled(page)
    expect(page.locator("#problem")).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("#problem")).to_be_hidden()
    refuse(page, "write-file")
    page.click("#export-file")
    expect(page.locator("#problem")).to_contain_text("30 seconds")
    page.click("#export-copy")
    expect(page.locator("#problem")).to_be_hidden()


def test_the_box_is_dragged_and_read_again(page: Page) -> None:
    truth = Board.from_text((SAMPLES / "beginner-flat.txt").read_text())
    page.set_input_files("#pick-picture", SAMPLES / "beginner-flat.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    page.click("#box-open")
    before = page.locator("#picture-box").bounding_box()
    handle = page.locator(".handle.se").bounding_box()
    assert before is not None
    assert handle is not None
    pitch = before["width"] / truth.columns
    page.mouse.move(handle["x"] + 7, handle["y"] + 7)
    page.mouse.down()
    page.mouse.move(handle["x"] + 7 - 2 * pitch, handle["y"] + 7 - 3 * pitch, steps=5)
    page.mouse.up()
    after = page.locator("#picture-box").bounding_box()
    assert after is not None
    assert after["width"] == pytest.approx(before["width"] - 2 * pitch, abs=2)
    page.fill("#box-columns", str(truth.columns - 2))
    page.fill("#box-rows", str(truth.rows - 3))
    page.click("#box-read")
    page.wait_for_selector(f"#board-holder .grid[aria-rowcount='{truth.rows - 3}']")
    # The numbers at the new edges lack neighbours, so that not all of them can be believed.
    same = board_of(page).cells == truth.cells[:-3, :-2]
    assert same[1:-1, 1:-1].all()
    # What was given is heeded until it is cleared.
    page.fill("#box-columns", "")
    page.fill("#box-rows", "")
    page.click("#box-find")
    page.wait_for_selector(f"#board-holder .grid[aria-rowcount='{truth.rows}']")
    wait_for_board(page, truth)


def test_one_over_the_other_every_tile_lies_on_its_own(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    page.click("[data-mode=over]")
    settled(page)
    grid = read_board(SAMPLES / "expert.png").grid
    image = page.locator("#picture-image").bounding_box()
    assert image is not None
    scale = image["width"] / load_image(SAMPLES / "expert.png").shape[1]
    for place in ((0, 0), (7, 15), (15, 29)):
        x0, y0, x1, _ = grid.tile_box(*place)
        shown = tile(page, *place).bounding_box()
        assert shown is not None
        assert shown["x"] == pytest.approx(image["x"] + x0 * scale, abs=4)
        assert shown["y"] == pytest.approx(image["y"] + y0 * scale, abs=4)
        assert shown["width"] == pytest.approx((x1 - x0) * scale, abs=1)
    page.fill("#fade", "20")
    assert page.evaluate("document.getElementById('board-holder').style.opacity") == "0.2"
    page.click("[data-mode=hide]")
    expect(page.locator("#picture")).to_be_hidden()


def test_pictures_and_boards_are_pasted(page: Page) -> None:
    page.evaluate(
        """async (data) => {
            const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
            const blob = new Blob([bytes], { type: "image/png" });
            await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
        }""",
        base64.b64encode((SAMPLES / "beginner-flat.png").read_bytes()).decode(),
    )
    page.keyboard.press("Control+v")
    page.wait_for_selector("#picture-image[src^=blob]", state="attached")
    settled(page)
    wait_for_board(page, Board.from_text((SAMPLES / "beginner-flat.txt").read_text()))
    page.evaluate("navigator.clipboard.writeText('5x2x3\\nHHHHH\\n1221H\\n')")
    page.click("h1")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Control+v")
    page.wait_for_selector("#board-holder .grid[aria-rowcount='2']")
    wait_for_board(page, Board.from_text("?????\n1221?"))
    assert page.input_value("#mines") == "3"


def test_files_of_other_programs_are_dropped(page: Page) -> None:
    drop(page, "game.mbf", bytes([3, 2, 0, 2, 2, 0, 0, 1]), "application/octet-stream")
    page.wait_for_selector("#board-holder .grid[aria-rowcount='2']")
    wait_for_board(page, Board.from_text("12F\nF21"))
    drop(page, "broken.mbf", b"\x05", "application/octet-stream")
    expect(page.locator("#problem")).to_contain_text("this minefield file is incomplete")
    wait_for_board(page, Board.from_text("12F\nF21"))


def tilted() -> bytes:
    """The expert sample as a photo of a screen, turned by some degrees on a larger ground."""
    with Image.open(SAMPLES / "expert.png") as shot:
        ground = Image.new("RGB", (shot.width + 200, shot.height + 200), (40, 44, 52))
        ground.paste(shot, (100, 100))
    data = io.BytesIO()
    ground.rotate(4, Image.Resampling.BICUBIC, fillcolor=(40, 44, 52)).save(data, "PNG")
    return data.getvalue()


def test_a_tilted_photo_stays_upright_whatever_is_done_with_it(page: Page) -> None:
    truth = Board.from_text((SAMPLES / "expert.txt").read_text())
    drop(page, "photo.png", tilted(), "image/png")
    page.wait_for_selector("#picture-image[src^=blob]", state="attached")
    settled(page)
    assert (board_of(page).cells == truth.cells).mean() > 0.95
    with page.expect_download() as waiting:
        page.click("#export-png")
    assert load_image(Path(waiting.value.path()).read_bytes()).shape[1] > 700
    page.click("#box-open")
    with page.expect_response("**/api/parse"):
        page.click("#box-read")
    settled(page)
    assert (board_of(page).cells == truth.cells).mean() > 0.95
    expect(page.locator("#problem")).to_be_hidden()


def test_undo_takes_the_picture_along(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    expect(page.locator("#picture-name")).to_have_text("expert.png")
    page.set_input_files("#pick-picture", SAMPLES / "lost.png")
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    settled(page)
    page.click("#undo")
    expect(page.locator("#picture-name")).to_have_text("expert.png")
    wait_for_board(page, Board.from_text((SAMPLES / "expert.txt").read_text()))
    page.click("#undo")
    expect(page.locator("#views")).to_be_hidden()
    page.click("#redo")
    expect(page.locator("#picture-name")).to_have_text("expert.png")
    load_text(page, "??\n11")
    expect(page.locator("#views")).to_be_hidden()
    expect(page.locator("#check")).to_be_hidden()


def test_the_newest_picture_wins(page: Page) -> None:
    held = Held(page, "parse", most=1)
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_function("() => document.querySelector('#status').textContent === 'Reading…'")
    page.set_input_files("#pick-picture", SAMPLES / "lost.png")
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    held.let_through()
    settled(page)
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    assert board_of(page) == Board.from_text((SAMPLES / "lost.txt").read_text())


def test_over_a_picture_whose_tiles_are_not_square(page: Page) -> None:
    with Image.open(SAMPLES / "expert.png") as shot:
        data = io.BytesIO()
        shot.resize((shot.width, shot.height * 5 // 4), Image.Resampling.BICUBIC).save(data, "PNG")
    drop(page, "tall.png", data.getvalue(), "image/png")
    page.wait_for_selector("#picture-image[src^=blob]", state="attached")
    settled(page)
    page.click("[data-mode=over]")
    settled(page)
    image, last = page.locator("#picture-image").bounding_box(), tile(page, 15, 29).bounding_box()
    assert image is not None
    assert last is not None
    assert last["y"] + last["height"] == pytest.approx(image["y"] + image["height"], abs=6)


# Editing


def test_a_stroke_ends_where_the_button_is_released_and_is_one_step(page: Page) -> None:
    load_text(page, "?????\n?????")
    page.click("[data-tool=paint]")
    page.click("#palette [data-code='2']")
    first, last = tile(page, 0, 0).bounding_box(), tile(page, 1, 4).bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 9, first["y"] + 9)
    page.mouse.down()
    aside = first["x"] + 2.5 * first["width"]
    page.mouse.move(aside, first["y"] + 9, steps=6)
    page.mouse.move(aside, first["y"] - 60, steps=4)
    page.mouse.up()
    painted = board_of(page)
    assert 1 < (painted.cells == 2).sum() < 5
    page.mouse.move(last["x"] + 9, last["y"] + 9, steps=6)
    assert board_of(page) == painted
    page.click("#undo")
    assert board_of(page) == Board.from_text("?????\n?????")


def test_the_mine_count_can_be_typed_and_cleared(page: Page) -> None:
    page.focus("#mines")
    for key in "15":
        page.keyboard.press(key)
    assert page.input_value("#mines") == "15"
    settled(page)
    expect(page.locator("#best")).to_contain_text("begin at (")
    assert "18.5% mine" in (tile(page, 0, 0).get_attribute("aria-label") or "")
    for _ in range(2):
        page.keyboard.press("Backspace")
    assert page.input_value("#mines") == ""
    settled(page)
    assert "12.3% mine" in (tile(page, 0, 0).get_attribute("aria-label") or "")
    page.click("#undo")
    assert page.locator("#undo").is_disabled(), "one number typed is one step"


def test_doubts_stay_on_their_tiles_when_the_board_is_resized(page: Page) -> None:
    drop(page, "smeared.png", smeared(*DOUBTED), "image/png")
    page.wait_for_selector("#check.doubt")
    settled(page)
    doubts = page.locator("#board-holder .uncertain")
    before = {one.get_attribute("aria-label") for one in doubts.all()}
    for width in ("9", "12"):
        choose(page, "#resize-open")
        page.fill("#size-width", width)
        page.click("#size-ok")
        settled(page)
        places = {(one.get_attribute("aria-label") or "").split(":")[0] for one in doubts.all()}
        assert places == {(label or "").split(":")[0] for label in before}
    expect(page.locator("#alike")).to_be_hidden()


def test_a_size_beyond_the_limit_is_refused_in_the_dialog(page: Page) -> None:
    choose(page, "#new-open")
    page.fill("#size-width", "500")
    page.fill("#size-height", "500")
    page.click("#size-ok")
    expect(page.locator("#size-dialog")).to_be_visible()
    page.fill("#size-height", "2")
    page.click("#size-ok")
    wait_for_board(page, Board.from_text("?" * 500 + "\n" + "?" * 500))


def test_select_copy_cut_paste_fill_undo(page: Page) -> None:
    load_text(page, "12345\n?????\n67800\n?????")
    tile(page, 0, 0).click()
    tile(page, 2, 2).click(modifiers=["Shift"])
    assert page.locator("#board-holder .selected").count() == 9
    page.keyboard.press("Control+c")
    page.wait_for_function("navigator.clipboard.readText().then((text) => text === '123\\n???\\n678\\n')")
    page.keyboard.press("Control+x")
    until(page, lambda: board_of(page) == Board.from_text("???45\n?????\n???00\n?????"))
    tile(page, 2, 3).click()
    page.keyboard.press("Control+v")
    until(page, lambda: board_of(page) == Board.from_text("???45\n?????\n???12\n?????"))
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert board_of(page) == Board.from_text("12345\n?????\n67800\n?????")
    page.keyboard.press("Control+y")
    assert board_of(page) == Board.from_text("???45\n?????\n???00\n?????")
    page.click("#undo")
    # Fill: the row of covered tiles hangs together, the other row does not.
    page.click("[data-tool=fill]")
    page.click("#palette [data-code='0']")
    tile(page, 1, 4).click()
    assert board_of(page) == Board.from_text("12345\n00000\n67800\n?????")
    page.click("[data-tool=paint]")
    page.click("#palette [data-code='10']")
    first, last = tile(page, 3, 0).bounding_box(), tile(page, 3, 3).bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 9, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + 9, last["y"] + 9, steps=12)
    page.mouse.up()
    assert board_of(page) == Board.from_text("12345\n00000\n67800\nFFFF?")


def test_clicks_count_up_and_down(page: Page) -> None:
    load_text(page, "??\n??")
    tile(page, 0, 0).click()
    assert board_of(page) == Board.from_text("??\n??")
    for expected in ("0", "1", "2"):
        tile(page, 0, 0).click()
        assert board_of(page) == Board.from_text(f"{expected}?\n??")
    tile(page, 0, 0).click(button="right")
    assert board_of(page) == Board.from_text("1?\n??")
    tile(page, 1, 1).click(button="right")
    assert board_of(page) == Board.from_text("1?\n?F")
    # A tile that was selected by a key, or by the page, is only looked at by the first click.
    page.keyboard.press("ArrowUp")
    tile(page, 0, 1).click()
    assert board_of(page) == Board.from_text("1?\n?F")


def test_a_quick_stroke_leaves_no_holes(page: Page) -> None:
    load_text(page, "\n".join(["?" * 9] * 9))
    page.click("[data-tool=paint]")
    page.click("#palette [data-code='3']")
    start, end = tile(page, 2, 0).bounding_box(), tile(page, 6, 8).bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 5)
    page.mouse.up()
    painted = board_of(page).cells == 3
    assert painted.sum() == 9
    assert painted.any(axis=0).all()
    page.keyboard.press("Control+z")
    assert not (board_of(page).cells == 3).any()


def test_tools_leave_the_keys_to_the_board(page: Page) -> None:
    load_text(page, "12\n34")
    tile(page, 0, 1).click()
    choose(page, "#select-all")
    page.keyboard.press("Delete")
    assert board_of(page) == Board.from_text("??\n??")
    page.click("[data-form=fraction]")
    page.keyboard.press("Escape")
    page.keyboard.press("5")
    assert board_of(page) == Board.from_text("?5\n??")
    # By keyboard a tool keeps the focus, and the palette is one stop with arrows inside.
    page.focus("#palette button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert board_of(page) == Board.from_text("?1\n??")
    assert page.evaluate("document.activeElement.dataset.code") == "1"
    assert page.locator("#palette [tabindex='0']").count() == 1


def test_what_was_not_checked_is_not_learned_unasked(page: Page, served: Served) -> None:
    themes = served.log.parent / "data" / "themes"
    drop(page, "smeared.png", smeared(*DOUBTED), "image/png")
    expect(page.locator("#check.doubt")).to_be_visible()
    settled(page)
    expect(page.locator("#summary")).to_contain_text("If the")
    page.click("#learn-now")
    expect(page.locator("#learn-doubt")).to_contain_text("not checked")
    page.fill("#learn-name", "half checked")
    page.click("#learn-ok")
    expect(page.locator("#learned")).to_contain_text("half checked: learned")
    page.click("#learn-open")
    page.click("button[aria-label='Remove half checked']")
    expect(page.locator("#learn-themes")).to_be_hidden()
    assert not (themes / "half checked.npz").exists()


def test_a_late_list_of_themes_does_not_replace_a_newer_one(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "beginner-flat.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route("**/api/themes", hold)
    for _ in range(2):
        with page.expect_request("**/api/themes"):
            page.click("#learn-open")
        page.keyboard.press("Escape")
    page.click("#learn-open")
    first, second, third = asked
    newer = page.locator("button[aria-label='Remove newer']")
    third.fulfill(json={"themes": ["newer"]})
    expect(newer).to_be_visible()
    with page.expect_response("**/api/themes"):
        first.fulfill(json={"themes": ["older"]})
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(newer).to_be_visible()
    second.fulfill(json={"themes": []})


@pytest.mark.parametrize("name", ["expert", "beginner-flat"])
def test_beside_the_screenshot_every_tile_is_as_large_and_as_high(page: Page, name: str) -> None:
    page.set_input_files("#pick-picture", SAMPLES / f"{name}.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    page.click("[data-mode=side]")
    settled(page)
    grid = read_board(SAMPLES / f"{name}.png").grid
    image = page.locator("#picture-image").bounding_box()
    assert image is not None
    scale = image["width"] / load_image(SAMPLES / f"{name}.png").shape[1]
    for place in ((0, 0), (4, 7), (8, 8)):
        x0, y0, x1, _ = grid.tile_box(*place)
        box = tile(page, *place).bounding_box()
        assert box is not None
        assert box["width"] == pytest.approx((x1 - x0) * scale, abs=0.6)
        if name == "expert":  # a wide board is larger above its screenshot than beside it
            assert box["y"] < image["y"]
        else:
            assert box["y"] == pytest.approx(image["y"] + y0 * scale, abs=3)
            assert box["x"] > image["x"] + x1 * scale
    # The chosen tile has a ring on the screenshot too, whatever size the window gets.
    page.set_viewport_size({"width": 1000, "height": 800})
    settled(page)
    inked = """() => {
        const canvas = document.getElementById("picture-grid");
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return pixels.some((one) => one > 0);
    }"""
    assert page.evaluate(inked)


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_the_last_column_is_reached_and_stays_in_view(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    page.click("[data-mode=side]")
    page.evaluate("() => { document.getElementById('board-holder').scrollLeft = 10000; }")
    settled(page)
    holder, last = page.locator("#board-holder").bounding_box(), tile(page, 0, 29).bounding_box()
    assert holder is not None
    assert last is not None
    assert last["x"] + last["width"] <= holder["x"] + holder["width"] + 1
    assert page.evaluate("() => document.getElementById('picture').scrollLeft") > 100
    before = page.evaluate("() => document.getElementById('board-holder').scrollLeft")
    tile(page, 4, 26).tap()
    settled(page)
    assert page.evaluate("() => document.getElementById('board-holder').scrollLeft") == before


def test_what_was_looked_at_does_not_follow_others(page: Page) -> None:
    truth = Board.from_text((SAMPLES / "beginner-flat.txt").read_text())
    page.set_input_files("#pick-picture", SAMPLES / "beginner-flat.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    ones = [(row, column) for row in range(9) for column in range(9) if truth[row, column] == 1]
    tile(page, *ones[0]).click()
    page.keyboard.press("1")
    tile(page, *ones[1]).click()
    page.keyboard.press("Space")
    tile(page, *ones[2]).click()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    board = board_of(page)
    assert [board[place] for place in ones[:3]] == [1, 1, 2]
    assert (board.cells[truth.cells == 1] == 2).sum() > 3


def test_keys_move_select_push_and_set(page: Page) -> None:
    load_text(page, "???\n???\n???")
    tile(page, 0, 0).click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("d")
    page.keyboard.press("3")
    assert board_of(page) == Board.from_text("???\n?3?\n???")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("F")
    assert board_of(page) == Board.from_text("???\n?FF\n???")
    page.keyboard.press("Alt+ArrowDown")
    assert board_of(page) == Board.from_text("???\n???\n?FF")
    page.keyboard.press("Escape")
    for key, sign in (("m", "*"), ("x", "x"), ("?", "?"), ("8", "8"), ("Delete", "?")):
        page.keyboard.press(key)
        assert str(board_of(page)).splitlines()[2][2] == sign
    page.keyboard.press("Control+a")
    page.keyboard.press("0")
    assert board_of(page) == Board.from_text("000\n000\n000")


def test_resize_and_new_boards(page: Page) -> None:
    load_text(page, "12\n34")
    choose(page, "#resize-open")
    page.fill("#size-width", "4")
    page.fill("#size-height", "1")
    page.click("#size-ok")
    wait_for_board(page, Board.from_text("12??"))
    # A row that was missed at the top, and a column at the left.
    choose(page, "#resize-open")
    page.fill("#size-width", "5")
    page.fill("#size-height", "2")
    page.check("#size-top")
    page.check("#size-left")
    page.click("#size-ok")
    wait_for_board(page, Board.from_text("?????\n?12??"))
    choose(page, "#new-open")
    page.click("#size-presets button >> nth=2")
    page.click("#size-ok")
    wait_for_board(page, Board.from_text("\n".join(["?" * 30] * 16)))
    settled(page)
    assert page.input_value("#mines") == "99"
    expect(page.locator("#best")).to_contain_text("begin at (3, 3)")


# Going out


def test_exports_hold_what_is_shown(page: Page, served: Served) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    truth = Board.from_text((SAMPLES / "expert.txt").read_text())

    def saved(button: str) -> tuple[str, bytes]:
        with page.expect_download() as waiting:
            page.click(button)
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()

    name, data = saved("#export-png")
    assert name == "expert.solved.png"
    assert load_image(data).shape[1] % load_image(SAMPLES / "expert.png").shape[1] == 0
    name, data = saved("#export-file")
    assert (name, Board.from_text(data.decode())) == ("expert.txt", truth)
    page.select_option("#export-kind", "jsminesweeper")
    name, data = saved("#export-file")
    assert data.startswith(b"30x16x99\n")
    name, data = saved("#export-json")
    assert json.loads(data)["board"] == truth.to_rows()
    page.select_option("#export-kind", "mbf")
    page.click("#export-file")
    expect(page.locator("#problem")).to_contain_text("whole minefield must be known")
    page.click("#export-copy")
    assert page.evaluate("navigator.clipboard.readText()") == str(truth)
    page.click("#export-link")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(served.address)
    page.goto("about:blank")
    visit(page, link)
    wait_for_board(page, truth)
    page.goto("about:blank")
    visit(page, link[:-5])
    expect(page.locator("#problem")).to_contain_text("cut off")
    settled(page)
    expect(page.locator("#problem")).to_be_visible()


def test_a_count_that_is_only_usual_is_not_written_as_given(page: Page) -> None:
    load_text(page, "\n".join(["?" * 9] * 9))
    with page.expect_download() as waiting:
        page.click("#export-file")
    assert "mines" not in Path(waiting.value.path()).read_text()
    page.select_option("#export-kind", "jsminesweeper")
    with page.expect_download() as waiting:
        page.click("#export-file")
    assert Path(waiting.value.path()).read_text().startswith("9x9x10\n")


def test_what_cannot_be_copied_is_not_cut(page: Page) -> None:
    load_text(page, "12\n34")
    page.evaluate(
        """() => {
            Object.defineProperty(navigator, "clipboard", { value: undefined });
            document.execCommand = () => false;
        }"""
    )
    tile(page, 0, 0).focus()
    page.keyboard.press("Control+x")
    expect(page.locator("#toast")).to_contain_text("does not let")
    assert board_of(page) == Board.from_text("12\n34")


def test_a_theme_is_learned_in_one_click_and_taken_back(page: Page, served: Served) -> None:
    themes = served.log.parent / "data" / "themes"
    page.set_input_files("#pick-picture", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    page.click("#learn-open")
    page.fill("#learn-name", "dark <b>one</b>")
    page.click("#learn-ok")
    expect(page.locator("#problem")).to_be_visible()
    assert page.locator("#problem b").count() == 0
    page.click("#learn-open")
    page.fill("#learn-name", "dark one")
    page.click("#learn-ok")
    expect(page.locator("#learned")).to_contain_text("dark one: learned")
    assert (themes / "dark one.npz").exists()
    page.get_by_text("Take that back").click()
    expect(page.locator("#learned")).to_contain_text("Undone")
    assert not (themes / "dark one.npz").exists()
    held = Held(page, "learn")
    page.click("#learn-now")
    held.first()
    load_text(page, "??\n11", settle=False)
    held.let_through()
    expect(page.locator("#learned")).to_contain_text("learned")
    expect(page.locator("#status")).to_contain_text("Loaded a board of 2x2")
    page.get_by_text("Take that back").click()
    expect(page.locator("#learned")).to_contain_text("Undone")


def test_learning_can_be_cancelled(page: Page, served: Served) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    held = Held(page, "learn")
    page.click("#learn-open")
    page.fill("#learn-name", "never")
    page.click("#learn-ok")
    held.cancel("#learn-work")
    expect(page.locator("#learned")).to_contain_text("Cancelled.")
    expect(page.locator("#learn-work")).to_be_hidden()
    expect(page.locator("#problem")).to_be_hidden()
    assert not (served.log.parent / "data" / "themes" / "never.npz").exists()


@pytest.mark.parametrize(
    ("button", "path", "work"),
    [
        ("#export-png", "picture", "#export-work"),
        ("#play-on", "take-up", "#best-work"),
    ],
)
def test_what_takes_long_can_be_cancelled(page: Page, button: str, path: str, work: str) -> None:
    load_text(page, "# mines: 3\n????\n?1??\n????")
    held = Held(page, path)
    page.click(button)
    held.cancel(work)
    expect(page.locator(work)).to_be_hidden()
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#page-board")).to_be_visible()


def test_advice_and_other_measures_that_take_long_can_be_cancelled(page: Page) -> None:
    held = Held(page, "advise", most=1)
    load_text(page, "# mines: 3\n????\n?1??\n????", settle=False)
    held.cancel("#best-work")
    expect(page.locator("#best")).to_contain_text("Cancelled")
    settled(page)
    held = Held(page, "openings", most=1)
    page.select_option("#overlay", "opening")
    held.cancel("#odds-work")
    expect(page.locator("#overlay")).to_have_value("mine")
    expect(page.locator("#board-holder .chance").first).to_be_visible()
