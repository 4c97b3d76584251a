"""A picture that is not read at once, or not rightly, is put right on the page with few actions."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from browsing import PHONE, SAMPLES, board_of, drop, tile, wait_for_board
from PIL import Image
from playwright.sync_api import Page, expect
from served_page import settled
from serving import Served

from visionsweeper.board import Board
from visionsweeper.io.images import load_image
from visionsweeper.pipeline import analyse, read_board

pytestmark = pytest.mark.slow

EXPERT = Board.from_text((SAMPLES / "expert.txt").read_text())
NOT_FOUND = {"error": {"kind": "no_board", "message": "there is no board"}}


def png(picture: Image.Image) -> bytes:
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


def reading_as(page: Page, file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what the server says of a picture, the next one that the page sends."""
    form = {"details": "true"}
    address = page.url.partition("#")[0]
    found = httpx.post(
        f"{address}api/parse", files={"image": file.read_bytes()}, data=form, timeout=60
    ).json()
    change(found)
    page.route("**/api/parse", lambda route: route.fulfill(json=found), times=1)


NOTED = """() => {
    const fetched = window.fetch;
    window.asked = [];
    window.fetch = async (path, options) => {
        if (path === "api/parse") {
            const sent = [...options.body].filter(([, value]) => typeof value === "string");
            const fields = Object.fromEntries(sent);
            const { width, height } = await createImageBitmap(options.body.get("image"));
            window.asked.push({ ...fields, pixels: width * height });
        }
        return fetched(path, options);
    };
}"""


def sent_by(page: Page, action: Callable[[], None]) -> dict[str, Any]:
    """What the page asked of the next reading: the fields that it sent, and the `pixels` of the picture."""
    page.evaluate(NOTED)
    action()
    page.wait_for_function("() => window.asked.length > 0", timeout=60_000)
    asked: dict[str, Any] = page.evaluate("window.asked[0]")
    return asked


# Where the board is


def test_a_rough_box_is_read_at_once_and_snapped(page: Page) -> None:
    page.route("**/api/parse", lambda route: route.fulfill(status=422, json=NOT_FOUND), times=1)
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    expect(page.locator("#problem")).to_contain_text("Draw a box")
    page.wait_for_function("() => document.querySelector('#picture-image').naturalWidth > 0")
    image = page.locator("#picture-image").bounding_box()
    assert image is not None
    scale = image["width"] / load_image(SAMPLES / "expert.png").shape[1]
    x0, y0, x1, y1 = read_board(SAMPLES / "expert.png").grid.box
    page.mouse.move(image["x"] + (x0 + 7) * scale, image["y"] + (y0 + 6) * scale)
    page.mouse.down()
    page.mouse.move(image["x"] + (x1 - 8) * scale, image["y"] + (y1 - 6) * scale, steps=5)
    page.mouse.up()
    wait_for_board(page, EXPERT)
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#box-tools")).to_be_hidden()


def test_a_box_without_a_board_is_told_in_words_of_the_page(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    wait_for_board(page, EXPERT)
    settled(page)
    page.route("**/api/parse", lambda route: route.fulfill(status=422, json=NOT_FOUND), times=1)
    page.click("#box-open")
    page.fill("#box-columns", "")
    page.fill("#box-rows", "")
    page.click("#box-read")
    expect(page.locator("#problem")).to_contain_text("No board was found in this box. Draw it around")
    assert board_of(page) == EXPERT


def test_several_boards_are_frames_to_click(page: Page) -> None:
    both = [
        Image.open(SAMPLES / name).convert("RGB") for name in ("beginner-flat.png", "intermediate-dark.png")
    ]
    ground = Image.new(
        "RGB", (sum(one.width for one in both) + 90, 40 + max(one.height for one in both)), "white"
    )
    ground.paste(both[0], (20, 20))
    ground.paste(both[1], (both[0].width + 70, 20))
    drop(page, "two.png", png(ground), "image/png")
    expect(page.locator("#problem")).to_contain_text("several boards")
    frames = page.locator(".choice")
    expect(frames).to_have_count(2)
    # The frame of the wider board lies around it.
    wider = max(range(2), key=lambda at: (frames.nth(at).bounding_box() or {"width": 0})["width"])
    frames.nth(wider).click()
    wait_for_board(page, Board.from_text((SAMPLES / "intermediate-dark.txt").read_text()))
    expect(page.locator(".choice")).to_have_count(0)


def test_columns_and_rows_narrow_the_search(page: Page) -> None:
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    wait_for_board(page, EXPERT)
    page.click("#box-open")
    asked = sent_by(page, lambda: page.click("[aria-label='One row less']"))
    assert (asked.get("height"), asked.get("width"), asked.get("box")) == ("15", None, None)
    settled(page)
    asked = sent_by(page, lambda: page.click("[aria-label='One row more']"))
    assert asked["height"] == "16"
    wait_for_board(page, EXPERT)

    def typed() -> None:
        page.fill("#box-columns", "30")
        page.press("#box-columns", "Enter")

    assert sent_by(page, typed)["width"] == "30"
    settled(page)
    asked = sent_by(page, lambda: page.click("#box-find"))
    assert (asked["width"], asked["height"], asked.get("box")) == ("30", "16", None)
    wait_for_board(page, EXPERT)


def test_a_size_that_looks_wrong_is_asked_about(page: Page) -> None:
    def doubted(found: dict[str, Any]) -> None:
        found["uncertain"] = [[row, column] for row in range(16) for column in range(20)]

    reading_as(page, SAMPLES / "expert.png", doubted)
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    expect(page.locator("#box-question")).to_contain_text("Is it really 30x16?")
    expect(page.locator("#box-rows")).to_be_visible()
    page.set_input_files("#pick-picture", SAMPLES / "lost.png")
    expect(page.locator("#picture-name")).to_have_text("lost.png")
    expect(page.locator("#box-question")).to_be_hidden()


# What can be dropped


def test_fifty_megapixels_are_shrunk_before_they_are_sent(page: Page) -> None:
    shot = Image.open(SAMPLES / "expert.png").convert("RGB")
    ground = Image.new("RGB", (8200, 6150), (30, 60, 90))
    ground.paste(shot.resize((shot.width * 8, shot.height * 8), Image.Resampling.NEAREST), (1000, 1000))
    asked = sent_by(page, lambda: drop(page, "large.png", png(ground), "image/png"))
    assert 8e6 < asked["pixels"] <= 12.1e6
    expect(page.locator("#status")).to_contain_text("30x16", timeout=60_000)
    assert board_of(page) == EXPERT


def test_pictures_that_only_the_browser_knows_are_read(page: Page) -> None:
    data = io.BytesIO()
    Image.open(SAMPLES / "beginner-flat.png").convert("RGB").save(data, "AVIF", quality=95)
    drop(page, "shot.avif", data.getvalue(), "image/avif")
    wait_for_later(page, Board.from_text((SAMPLES / "beginner-flat.txt").read_text()))


def wait_for_later(page: Page, board: Board) -> None:
    page.wait_for_selector("#views:not([hidden])")
    settled(page)
    wait_for_board(page, board)


def archive() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as one:
        one.writestr("shot.txt", "1")
    return data.getvalue()


@pytest.mark.parametrize(
    ("name", "kind", "data", "said"),
    [
        ("board.pdf", "application/pdf", b"%PDF-1.7", "A PDF is not read"),
        ("shots.zip", "application/zip", archive(), "unpack it"),
        ("photo.heic", "image/heic", b"\0\0\0\x18ftypheic", "HEIC pictures cannot be shown by this browser"),
    ],
)
def test_what_is_no_picture_is_told_in_one_sentence(
    page: Page, name: str, kind: str, data: bytes, said: str
) -> None:
    drop(page, name, data, kind)
    expect(page.locator("#problem")).to_contain_text(said)
    expect(page.locator("#status")).not_to_contain_text("Reading")


# Few actions


def test_twenty_wrong_tiles_of_one_class_take_at_most_five_actions(page: Page) -> None:
    file = SAMPLES / "intermediate-dark.png"
    truth = Board.from_text(file.with_suffix(".txt").read_text())

    def misread(found: dict[str, Any]) -> None:
        groups = np.array(found["reading"]["groups"])
        ones = np.argwhere(truth.cells == 1).tolist()
        group = groups[tuple(ones[0])]
        wrong = [place for place in ones if groups[tuple(place)] == group][:20]
        assert len(wrong) == 20
        rows = [list(row) for row in found["board"]]
        for row, column in wrong:
            rows[row][column] = "7"
        found["board"] = ["".join(row) for row in rows]
        found["uncertain"] = wrong

    reading_as(page, file, misread)
    page.set_input_files("#pick-picture", file)
    page.wait_for_selector("#check.doubt")
    settled(page)
    assert board_of(page) != truth
    page.keyboard.press("1")  # the first of them is chosen already
    page.keyboard.press("Enter")
    settled(page)
    assert board_of(page) == truth
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")


def read_with_doubts(page: Page, tiles: list[list[int]]) -> None:
    """Read the expert board, with these tiles in doubt."""

    def doubted(found: dict[str, Any]) -> None:
        found["uncertain"] = tiles

    reading_as(page, SAMPLES / "expert.png", doubted)
    page.set_input_files("#pick-picture", SAMPLES / "expert.png")
    page.wait_for_selector("#check.doubt")
    settled(page)


def test_what_follows_only_from_doubted_tiles_looks_different(page: Page) -> None:
    numbers = np.argwhere((EXPERT.cells >= 1) & (EXPERT.cells <= 8))[::6].tolist()
    doubted = np.zeros(EXPERT.cells.shape, np.bool_)
    doubted[tuple(np.array(numbers).T)] = True
    certain = analyse(EXPERT, mines=99, doubted=doubted).certain
    risky = {*certain.safe_if_read_right, *certain.mine_if_read_right}
    assert risky
    read_with_doubts(page, numbers)
    marked = page.locator("#board-holder .tile.ifRight")
    expect(marked).to_have_count(len(risky))
    told = rf"If the {len(numbers)} uncertain tiles are right: .* {len(risky)} more are certain\."
    expect(page.locator("#summary")).to_contain_text(re.compile(told))
    for row, column in sorted(risky)[:5]:
        expect(tile(page, row, column)).to_have_class(re.compile("ifRight"))
    page.click("#check-right-all")
    expect(marked).to_have_count(0)


def test_two_hundred_doubted_tiles_take_at_most_twelve_actions(page: Page) -> None:
    random = np.random.default_rng(3)
    places = [divmod(int(at), 30) for at in random.choice(480, 216, replace=False)]
    read_with_doubts(page, [list(place) for place in places])
    for _ in range(12):
        left = page.locator("#board-holder .tile.uncertain").count()
        if not left:
            break
        page.keyboard.press("Shift+Space")
        expect(page.locator("#board-holder .tile.uncertain")).not_to_have_count(left)
    expect(page.locator("#board-holder .tile.uncertain")).to_have_count(0)
    assert board_of(page) == EXPERT
    # What was undone can be taken as read all at once.
    page.keyboard.press("Control+z")
    page.click("#check-right-all")
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")


def test_space_says_right_and_goes_on(page: Page) -> None:
    read_with_doubts(page, [[3, 4], [5, 6], [7, 8]])
    for row, column in ((3, 4), (5, 6), (7, 8)):
        expect(tile(page, row, column)).to_be_focused()
        page.keyboard.press("Space")
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_next_and_right_stay_at_the_thumb(page: Page) -> None:
    read_with_doubts(page, [[3, 4], [5, 6], [15, 28]])
    for _ in range(3):
        settled(page)
        box = page.locator("#check-right").bounding_box()
        assert box is not None
        assert 844 - 250 < box["y"] < 844 - box["height"]
        page.locator("#check-right").tap()
    expect(page.locator("#check-text")).to_have_text("No uncertain tile left")


def test_what_was_learned_is_read_when_it_is_dropped_again(page: Page, served: Served) -> None:
    file = SAMPLES / "lost.png"
    page.set_input_files("#pick-picture", file)
    page.wait_for_selector("#check:not([hidden])")
    settled(page)
    tile(page, 0, 0).focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Space")
    page.click("#learn-open")
    page.fill("#learn-name", "again")
    page.click("#learn-ok")
    expect(page.locator("#learned")).to_contain_text(
        "If you drop this picture again, it is read without an error."
    )
    page.reload()
    page.wait_for_selector("html[data-ready]")
    # Now it is read where it was learned, and not looked for.
    asked = sent_by(page, lambda: page.set_input_files("#pick-picture", file))
    assert {"box", "width", "height"} <= asked.keys()
    wait_for_board(page, Board.from_text(file.with_suffix(".txt").read_text()))
