"""A game that is watched: the shared window is a canvas here, on which the test draws frames of a game."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import numpy as np
import pytest
from browsing import Held, board_of, tile, until
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from served_page import launch, settled, visit
from serving import Served

from visionsweeper.board import Board
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield
from visionsweeper.io.images import load_image
from visionsweeper.synthetic.render import render_board

pytestmark = pytest.mark.slow

SHARED = """
    window.sharedFrame = document.createElement("canvas");
    Object.assign(window.sharedFrame, { width: 640, height: 480 });
    navigator.mediaDevices.getDisplayMedia = async () => {
        const stream = window.sharedFrame.captureStream(30);
        // A canvas gives frames when it is drawn on. Frames that never end must not delay the reading.
        window.sharing = setInterval(() => window.drawFrame?.(), 20);
        return stream;
    };
    window.showFrame = async (data) => {
        const image = new Image();
        image.src = data;
        await image.decode();
        window.drawFrame = () => window.sharedFrame.getContext("2d").drawImage(image, 0, 0);
    };
"""

CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")

FIELD = Minefield.from_text(
    "*........\n.........\n....*....\n.........\n.......*.\n.........\n..*......\n.........\n........*\n"
)


def window(board: Board) -> Image.Image:
    """The window of a game that shows a board."""
    drawn = render_board(board, "classic", tile=32)
    pixels = np.full((480, 640, 3), 236, dtype=np.uint8)
    rows, columns = drawn.shape[:2]
    pixels[60 : 60 + rows, 90 : 90 + columns] = drawn
    return Image.fromarray(pixels)


def frame(board: Board) -> str:
    """The same as a data: address."""
    data = io.BytesIO()
    window(board).save(data, "PNG")
    return f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"


def test_moves_that_were_seen_become_a_replay(page: Page, served: Served) -> None:
    page.add_init_script(SHARED)
    visit(page, served.address)
    game = Game(FIELD)
    moves = [("open", (4, 0)), ("flag", (0, 0)), ("open", (8, 0)), ("open", (4, 8))]
    game.open((0, 8))
    boards = [game.board]
    page.evaluate("(data) => window.showFrame(data)", frame(game.board))
    page.click("#live-start")
    until(page, lambda: page.locator("#board-holder .tile").count() == 81 and board_of(page) == game.board)
    for action, place in moves:
        if not game.play(action, place):  # type: ignore[arg-type]
            continue
        boards.append(game.board)
        page.evaluate("(data) => window.showFrame(data)", frame(game.board))
        until(page, lambda: board_of(page) == game.board)
    made = len(boards) - 1
    assert made >= 2
    expect(page.locator("#record-replay")).to_have_text(f"Replay the {made} moves seen")
    page.click("#record-replay")
    expect(page.locator("#live")).to_be_hidden()
    settled(page)
    for at, board in enumerate(boards):
        assert board_of(page) == board, f"before move {at + 1}"
        expect(page.locator("#replay-text-now")).to_contain_text(
            f"Before move {at + 1} of {made}" if at < made else f"After move {made}"
        )
        if at < made:
            page.click("#replay-on")
            settled(page)


def watch(page: Page, served: Served, board: Board) -> None:
    """Begin to watch a game that shows a board."""
    page.add_init_script(SHARED)
    visit(page, served.address)
    page.evaluate("(data) => window.showFrame(data)", frame(board))
    page.click("#live-start")
    until(page, lambda: page.locator("#board-holder .tile").count() == 81 and board_of(page) == board)


def test_what_looks_new_is_read_without_a_timer(page: Page, served: Served) -> None:
    game = Game(FIELD)
    game.open((0, 8))
    watch(page, served, game.board)
    page.evaluate("() => { window.setTimeout = () => 0; }")  # as late as they come in a tab behind the game's
    game.play("flag", (0, 0))
    page.evaluate("(data) => window.showFrame(data)", frame(game.board))
    until(page, lambda: board_of(page) == game.board)


def test_what_changes_while_it_is_read_is_read_once_more(page: Page, served: Served) -> None:
    game = Game(FIELD)
    game.open((1, 1))
    watch(page, served, game.board)
    rows = str(game.board).split()
    half_way = Board.from_text("\n".join([*rows[:8], f"3{rows[8][1:]}"]))
    game.play("flag", (8, 0))
    page.evaluate(
        """() => {
            const tile = document.querySelector("#board-holder .tile[data-index='72']");
            window.named = [];
            new MutationObserver(() => window.named.push(tile.ariaLabel)).observe(tile, { attributeFilter: ["aria-label"] });
        }"""  # noqa: E501
    )
    held = Held(page, "parse", most=1)
    page.evaluate("(data) => window.showFrame(data)", frame(half_way))
    held.first()
    page.evaluate("(data) => window.showFrame(data)", frame(game.board))
    held.let_through()
    until(page, lambda: board_of(page) == game.board)
    expect(tile(page, 8, 0)).to_have_attribute("aria-label", re.compile("flag"))
    named = page.evaluate("() => window.named")
    assert [name for name in named if not re.search("covered|flag", name)] == []


def test_pixels_as_a_bitmap(page: Page) -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    file = page.evaluate(
        """async (data) => {
            const { bitmap } = await import("/bitmap.js");
            return Array.from(bitmap(new ImageData(Uint8ClampedArray.from(data), 5, 7)));
        }""",
        pixels.ravel().tolist(),
    )
    read = load_image(bytes(file))
    assert read.tolist() == pixels[..., :3].tolist()


def record(path: Path, boards: list[Board], seconds: int) -> None:
    """Write what a camera would see of a game, two frames a second, in the form that Chromium takes."""
    with path.open("wb") as file:
        file.write(b"YUV4MPEG2 W640 H480 F2:1 Ip A1:1 C420jpeg\n")
        for board in boards:
            planes = window(board).convert("YCbCr").split()
            small = [plane.resize((320, 240), Image.Resampling.BOX) for plane in planes[1:]]
            data = b"".join(plane.tobytes() for plane in (planes[0], *small))
            for _ in range(2 * seconds):
                file.write(b"FRAME\n" + data)


def test_a_camera_sees_the_moves(browser: Browser, served: Served, tmp_path: Path) -> None:
    game = Game(FIELD)
    game.open((1, 1))
    boards = [game.board]
    game.open((0, 8))
    boards.append(game.board)
    record(tmp_path / "camera.y4m", boards, seconds=6)
    picture = f"--use-file-for-fake-video-capture={tmp_path / 'camera.y4m'}"
    with launch(browser.browser_type, *CAMERA, picture) as watching:
        page = watching.new_page()
        page.set_default_timeout(60_000)
        sent: list[str] = []
        page.on("request", lambda asked: sent.append(asked.url))
        visit(page, served.address)
        page.click(".opening summary")
        page.click("#live-camera")
        expect(page.locator("#board-holder .tile")).to_have_count(81)
        until(page, lambda: board_of(page) == boards[0])
        until(page, lambda: board_of(page) == boards[1])
        expect(page.locator("#record-replay")).to_have_text("Replay the move seen")
        page.click("#live-stop")
        expect(page.locator("#live")).to_be_hidden()
        assert [url for url in sent if not url.startswith((served.address, "data:", "blob:"))] == []


def test_what_was_read_wrongly_is_put_right_in_the_moves_before(page: Page) -> None:
    kept = page.evaluate(
        """async () => {
            const { Recorder } = await import("/recorder.js");
            const { Board } = await import("/board.js");
            const live = Object.assign(new EventTarget(), { capture: { stop() {} } });
            const recorder = new Recorder(live, null);
            const see = (rows, ...uncertain) => live.dispatchEvent(new CustomEvent("board", {
                detail: { board: Board.fromRows(rows), mines: 2, uncertain: new Set(uncertain) } }));
            see(["???", "???"]);
            see(["1??", "???"], 0); // sure with the next look
            see(["1??", "4??"], 3); // a 1, as the next look says
            see(["1??", "1??"]);
            see(["11?", "1??"], 1);
            const first = structuredClone(recorder.kept);
            see(["???", "???"]); // another game
            const kept = structuredClone(recorder.kept);
            see(["???", "2??"]);
            return [first, kept, recorder.kept];
        }"""
    )
    first, after_new, second = kept
    assert first["boards"] == [["???", "???"], ["1??", "???"], ["1??", "1??"], ["11?", "1??"]]
    assert len(first["seconds"]) == 4
    assert first["uncertain"] == [[], [], [], [[0, 1]]]
    assert first["mines"] == 2
    assert after_new == first
    assert second["boards"] == [["???", "???"], ["???", "2??"]]
