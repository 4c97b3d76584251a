"""The page in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from serving import Served, serving

from visionsweeper.board import Board
from visionsweeper.errors import InconsistentBoard
from visionsweeper.pipeline import read_board
from visionsweeper.solver import solve
from visionsweeper.vision.image import load_image

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
SCREENS = Path(__file__).resolve().parents[2] / "shared" / "screens"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs Chromium (Debian: chromium)")
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield one
        one.close()


@pytest.fixture
def page(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page, loaded; whatever goes wrong in it or leaves this machine fails the test."""
    options = getattr(request, "param", {"viewport": {"width": 1400, "height": 950}})
    context = browser.new_context(**options)
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


def visit(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("#board-holder .grid[data-ready]")


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


def load_text(page: Page, text: str, *, settle: bool = True) -> None:
    page.click("#text-open")
    page.fill("#text-input", text)
    page.click("#text-load")
    expect(page.locator("#text-dialog")).to_be_hidden()
    if settle:
        settled(page)


def hold(page: Page, path: str) -> list[Route]:
    """Let no request go there until it is let go on; what came is in the list."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(f"**/api/{path}", keep)
    return held


def settled(page: Page) -> None:
    """Until what the page asked the server for has been answered."""
    page.wait_for_timeout(60)
    page.wait_for_function("() => document.querySelector('main').getAttribute('aria-busy') === 'false'")


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


def smeared(row: int, column: int) -> bytes:
    """The beginner sample with one of its tiles painted over."""
    file = SAMPLES / "beginner-flat.png"
    reading, pixels = read_board(file), load_image(file).copy()
    x0, y0, x1, y1 = (round(edge) for edge in reading.grid.tile_box(row, column))
    noise = np.random.default_rng(1).integers(0, 255, (y1 - y0 - 6, x1 - x0 - 6, 3))
    pixels[y0 + 3 : y1 - 3, x0 + 3 : x1 - 3] = noise
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return data.getvalue()


# Coming in


def test_a_dropped_screenshot_is_read_and_its_odds_are_shown(page: Page) -> None:
    truth = Board.from_text((SAMPLES / "expert.txt").read_text())
    drop(page, "expert.png", (SAMPLES / "expert.png").read_bytes(), "image/png")
    page.wait_for_selector("#picture-image[src^=blob]")
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


def test_a_real_screenshot_is_checked_tile_by_tile(page: Page) -> None:
    shot = SCREENS / "gnome-mines-classic" / "03_large_mid.full.png"
    if not shot.exists():
        pytest.skip("the labelled screenshots are not here")
    truth = Board.from_text(shot.with_name("03_large_mid.txt").read_text())
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
    row, column = next((r, c) for r in range(3, 9) for c in range(9) if truth[r, c] == 1)
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
    page.keyboard.press("Control+a")
    page.keyboard.press("Space")
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")
    assert board_of(page) == truth
    # All plain ones look alike: set one of another place to 2, and the rest follows.
    other = next((r, c) for r in range(9) for c in range(9) if truth[r, c] == 1 and (r, c) != (row, column))
    tile(page, *other).click()
    page.keyboard.press("2")
    expect(page.locator("#alike")).to_be_visible()
    page.keyboard.press("Enter")
    changed = board_of(page).cells
    assert (changed[truth.cells == 1] == 2).sum() > 3
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert board_of(page) == truth


def test_a_picture_without_a_board_is_refused_and_can_be_pointed_at(page: Page) -> None:
    data = io.BytesIO()
    Image.new("RGB", (300, 200), (90, 120, 150)).save(data, "PNG")
    drop(page, "empty.png", data.getvalue(), "image/png")
    expect(page.locator("#problem")).to_be_visible()
    expect(page.locator("#picture-box")).to_be_visible()
    page.fill("#box-columns", "9")
    expect(page.locator("#box-read")).to_be_enabled()


def test_the_box_is_dragged_and_read_again(page: Page) -> None:
    truth = Board.from_text((SAMPLES / "beginner-flat.txt").read_text())
    page.set_input_files("#pick-picture", SAMPLES / "beginner-flat.png")
    page.wait_for_selector("#picture-tools:not([hidden])")
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
    page.click("#box-open")
    page.click("#box-find")
    page.wait_for_selector(f"#board-holder .grid[aria-rowcount='{truth.rows}']")
    wait_for_board(page, truth)


def test_one_over_the_other_every_tile_lies_on_its_own(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#picture-tools:not([hidden])")
    settled(page)
    page.click("[data-mode=over]")
    page.wait_for_timeout(200)
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
    page.wait_for_selector("#picture-image[src^=blob]")
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
    expect(page.locator("#problem")).to_contain_text("no whole minefield")
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
    page.wait_for_selector("#picture-image[src^=blob]")
    settled(page)
    assert (board_of(page).cells == truth.cells).mean() > 0.95
    with page.expect_download() as waiting:
        page.click("#export-png")
    assert load_image(Path(waiting.value.path()).read_bytes()).shape[1] > 700
    page.click("#box-open")
    page.click("#box-read")
    page.wait_for_timeout(300)
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
    expect(page.locator("#picture-tools")).to_be_hidden()
    page.click("#redo")
    expect(page.locator("#picture-name")).to_have_text("expert.png")
    load_text(page, "??\n11")
    expect(page.locator("#picture-tools")).to_be_hidden()
    expect(page.locator("#check")).to_be_hidden()


def test_the_newest_picture_wins(page: Page) -> None:
    held = []
    page.route("**/api/parse", lambda route: held.append(route) if not held else route.continue_())
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_function("() => document.querySelector('#status').textContent === 'Reading…'")
    page.set_input_files("#pick-picture", SAMPLES / "lost.png")
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    with suppress(PlaywrightError):  # the page may have dropped the request
        held[0].continue_()
    page.wait_for_timeout(1500)
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    assert board_of(page) == Board.from_text((SAMPLES / "lost.txt").read_text())


def test_over_a_picture_whose_tiles_are_not_square(page: Page) -> None:
    with Image.open(SAMPLES / "expert.png") as shot:
        data = io.BytesIO()
        shot.resize((shot.width, shot.height * 5 // 4), Image.Resampling.BICUBIC).save(data, "PNG")
    drop(page, "tall.png", data.getvalue(), "image/png")
    page.wait_for_selector("#picture-image[src^=blob]")
    settled(page)
    page.click("[data-mode=over]")
    page.wait_for_timeout(200)
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
    page.mouse.move(first["x"] + 60, first["y"] + 9, steps=6)
    page.mouse.move(first["x"] + 60, first["y"] - 60, steps=4)
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
    expect(page.locator("#best")).to_contain_text("row")
    assert "18.5% mine" in (tile(page, 0, 0).get_attribute("aria-label") or "")
    for _ in range(2):
        page.keyboard.press("Backspace")
    assert page.input_value("#mines") == ""
    settled(page)
    assert "12.3% mine" in (tile(page, 0, 0).get_attribute("aria-label") or "")
    page.click("#undo")
    assert page.locator("#undo").is_disabled(), "one number typed is one step"


def test_doubts_stay_on_their_tiles_when_the_board_is_resized(page: Page) -> None:
    drop(page, "smeared.png", smeared(4, 4), "image/png")
    page.wait_for_selector("#check.doubt")
    settled(page)
    doubts = page.locator("#board-holder .uncertain")
    before = {one.get_attribute("aria-label") for one in doubts.all()}
    for width in ("9", "12"):
        page.click(".menu summary")
        page.click("#resize-open")
        page.fill("#size-width", width)
        page.click("#size-ok")
        settled(page)
        places = {(one.get_attribute("aria-label") or "").split(":")[0] for one in doubts.all()}
        assert places == {(label or "").split(":")[0] for label in before}
    expect(page.locator("#alike")).to_be_hidden()


def test_a_size_beyond_the_limit_is_refused_in_the_dialog(page: Page) -> None:
    page.click("#new-open")
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
    page.wait_for_timeout(100)
    assert board_of(page) == Board.from_text("???45\n?????\n???00\n?????")
    tile(page, 2, 3).click()
    page.keyboard.press("Control+v")
    page.wait_for_timeout(300)
    assert board_of(page) == Board.from_text("???45\n?????\n???12\n?????")
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
    assert board_of(page) == Board.from_text("1?\n?x")


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
    page.click(".menu summary")
    page.click("#resize-open")
    page.fill("#size-width", "4")
    page.fill("#size-height", "1")
    page.click("#size-ok")
    wait_for_board(page, Board.from_text("12??"))
    page.click("#new-open")
    page.click("#size-presets button >> nth=2")
    page.click("#size-ok")
    wait_for_board(page, Board.from_text("\n".join(["?" * 30] * 16)))
    settled(page)
    assert page.input_value("#mines") == "99"
    expect(page.locator("#best")).to_contain_text("begin at row 3, column 3")


# Odds


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
    expect(page.locator("#summary")).to_contain_text(str(told.value)[1:])
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
    page.get_by_role("button", name="Random board").click()
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
    held = hold(page, "solution")
    page.click("#solutions [data-key=board]")
    page.wait_for_timeout(200)
    load_text(page, "# mines: 2\n????\n?1??\n????\n????", settle=False)
    held[0].continue_()
    page.unroute("**/api/solution")
    page.wait_for_timeout(500)
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
    held = hold(page, "advise")
    tile(page, 2, 3).focus()
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelector('#best').classList.contains('waiting')")
    page.wait_for_timeout(200)
    page.unroute("**/api/advise")
    page.keyboard.press("3")
    page.wait_for_timeout(1000)
    with suppress(PlaywrightError):  # the page may have dropped the request
        held[0].continue_()
    settled(page)
    asked = Board.from_text("?????\n?11??\n???3?")
    assert board_of(page) == asked
    best = page.locator("#board-holder .best").first.get_attribute("aria-label") or ""
    row, column = (int(number) for number in re.findall(r"\d+", best)[:2])
    assert solve(asked, mines=3).advice.best == (row, column)


def test_another_board_of_the_same_size_shows_nothing_of_the_one_before(page: Page, served: Served) -> None:
    visit_link(page, served, "3x3x1.uuu111000")
    expect(page.locator("#summary")).to_contain_text("certainly")
    held = hold(page, "solve")
    page.evaluate("() => { location.hash = '#p=3x3x1.uuuu1uuuu'; }")
    page.wait_for_function("() => document.querySelectorAll('#board-holder .covered').length === 8")
    assert page.locator("#board-holder .chance").count() == 0
    assert page.inner_text("#summary") == ""
    assert page.inner_text("#best") == ""
    held[0].continue_()
    expect(page.locator("#summary")).to_contain_text("8 covered tiles")


def test_a_link_can_be_reloaded_until_something_changes(page: Page, served: Served) -> None:
    visit_link(page, served, "3x2x1lt.uFu111")
    expect(page.locator("#trust")).to_be_checked()
    assert page.get_attribute("[data-scope=local]", "aria-pressed") == "true"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    wait_for_board(page, Board.from_text("?F?\n111"))
    tile(page, 0, 0).focus()
    page.keyboard.press("0")
    assert page.evaluate("() => location.hash") == ""
    page.click("#undo")
    expect(page.locator("#trust")).to_be_checked()
    page.click("#undo")
    expect(page.locator("#trust")).not_to_be_checked()
    assert page.get_attribute("[data-scope=global]", "aria-pressed") == "true"


def visit_link(page: Page, served: Served, position: str) -> None:
    page.goto("about:blank")
    visit(page, f"{served.address}#p={position}")
    settled(page)


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
    page.click("#picture-close")
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    expect(page.locator("#check")).to_be_visible()
    page.click("#picture-close")
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


# Going out


def test_exports_hold_what_is_shown(page: Page, served: Served) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#picture-tools:not([hidden])")
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


def test_a_look_is_learned_in_one_click_and_taken_back(page: Page, served: Served) -> None:
    themes = served.log.parent / "data" / "themes"
    page.set_input_files("#pick-picture", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#picture-tools:not([hidden])")
    settled(page)
    page.click("#learn-open")
    page.fill("#learn-name", "dark <b>one</b>")
    page.click("#learn-ok")
    expect(page.locator("#problem")).to_be_visible()
    assert page.locator("#problem b").count() == 0
    page.click("#learn-open")
    page.fill("#learn-name", "dark one")
    page.click("#learn-ok")
    expect(page.locator("#status")).to_contain_text("dark one: learned")
    assert (themes / "dark one.npz").exists()
    page.get_by_text("Take that back").click()
    expect(page.locator("#status")).to_contain_text("Taken back")
    assert not (themes / "dark one.npz").exists()


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


def test_every_example_shows_what_its_name_says(page: Page) -> None:
    page.click("#tab-learn")
    told = page.locator("#learn-working")
    for name, text in (
        ("A 1 and a 2", "fall into 1 component"),
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
    expect(page.locator("#learn-range")).to_contain_text("fit")


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
    page.wait_for_selector("#play-board .chance")
    board = board_of(page, "play-board")
    assert not (board.cells == 11).any()
    page.keyboard.press("l")
    assert page.locator("#play-board .chance").count() == 0
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

    expect(page.locator("#pick-camera").locator("..")).to_be_visible()
    page.set_input_files("#pick-camera", SAMPLES / "intermediate-dark.png")
    page.wait_for_selector("#picture-image[src^=blob]")
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
    page.wait_for_timeout(600)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert board_of(page, "play-board")[row, column] == 10
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
    page.click("#look")
    assert page.inner_text("#look") == "Look: light"
    assert paper() == light
    page.click("#look")
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
