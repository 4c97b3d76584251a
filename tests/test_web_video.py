"""Videos on the page: read in a process of their own, and stepped through as replays."""

from __future__ import annotations

import io
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import numpy.typing as npt
import pytest
from browsing import Held, board_of, drop
from PIL import Image
from playwright.sync_api import Page, expect
from test_video import Recording, play, recorded, seen
from test_web_server import listening

from visionsweeper.board import Board
from visionsweeper.game.replay import clicked_between
from visionsweeper.synthetic.render import render_board
from visionsweeper.video.games import games_of
from visionsweeper.web.app import create_app
from visionsweeper.web.limits import Limits

pytestmark = pytest.mark.slow


def texts(boards: list[Board]) -> list[str]:
    return [str(board) for board in boards]


def test_each_board_that_appears_begins_a_game() -> None:
    games = games_of(
        recorded(
            2,
            seen(3, "????\n1211\n????\n"),
            seen(5, "?1??\n1211\n????\n"),
            seen(9, "????\n1211\n???1\n"),  # taken back: still the same game
            seen(20, "??\n??\n"),
            seen(21.5, "1?\n??\n"),
            seen(23, "12\n??\n"),
        )
    )
    assert [game.begins for game in games] == [3, 20]
    assert games[-1].replay.seconds == (0, 0, 1.5)
    assert texts(games[-1].boards) == ["??\n??\n", "1?\n??\n", "12\n??\n"]
    assert games[-1].mines == 2


def test_what_was_read_wrongly_at_first_is_put_right_in_all_boards() -> None:
    (game,) = games_of(
        recorded(
            1,
            seen(0, "????\n????\n"),
            seen(1, "?3??\n????\n"),
            seen(2, "?3??\n1???\n"),
            seen(9, "?1??\n1???\n"),
            seen(10, "?1??\n1??0\n"),
        )
    )
    assert texts(game.boards) == ["????\n????\n", "?1??\n????\n", "?1??\n1???\n", "?1??\n1??0\n"]
    assert game.moments == [0, 1, 2, 10]


def test_of_the_mines_that_the_end_shows_only_the_one_hit_is_kept() -> None:
    before, after = "F???\n1211\n?F??\n", "F*?*\n1211\n?xF?\n"
    end = seen(2, after)
    moves = recorded(3, seen(0, before), type(end)(end.seconds, end.board, end.uncertain, None, (0, 1)))
    (game,) = games_of(moves)
    assert str(game.boards[-1]) == "F*??\n1211\n?FF?\n"
    assert clicked_between(*game.boards) == ((0, 1),)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Two games, the second one of another size."""
    # A theme in which a board's only flag is not doubted: a doubted one is not shown before it is sure.
    with Recording(tmp_path_factory.mktemp("video") / "game.mp4", theme="dark") as one:
        for board, _ in play(7, most=8):
            one.show(board)
        for board, _ in play(3, (8, 8, 10), most=3):
            one.show(board, 20)
    return one


def posted(address: str, data: bytes, ticket: str = "") -> httpx.Response:
    files, headers = {"file": ("game.mp4", data)}, {"X-Ticket": ticket}
    return httpx.post(f"{address}api/read-video", files=files, headers=headers, timeout=200)


def test_every_board_of_a_video_and_when_it_was_there(client: httpx.Client, recording: Recording) -> None:
    address = str(client.base_url)
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(posted, address, recording.path.read_bytes(), "video")
        told = []
        while not asked.done():
            told.append(client.get("api/place", params={"ticket": "video"}).json()["done"])
            time.sleep(0.02)
        answer = asked.result()
    shares = [share for share in told if share is not None]
    assert shares, "it was never said how far it is"
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1
    assert answer.status_code == 200, answer.text
    found = answer.json()
    games = found["games"]
    boards = [Board.from_text("\n".join(rows)) for game in games for rows in game["boards"]]
    assert boards == recording.positions
    second = next(at for at, board in enumerate(recording.positions) if board.columns == 8)
    for game, moments in zip(games, (recording.moments[:second], recording.moments[second:]), strict=True):
        assert game["begins"] == pytest.approx(moments[0], abs=0.002)
        assert game["seconds"] == pytest.approx([max(0, at - moments[1]) for at in moments], abs=0.002)
        assert game["uncertain"] == [[]] * len(moments)
    assert [game["mines"] for game in games] == [10, 10]
    assert found["complete"]
    assert found["seconds"] == pytest.approx(len(recording.truth) / 30, abs=0.05)


def test_what_cannot_be_read_is_told_in_a_sentence(client: httpx.Client, recording: Recording) -> None:
    address = str(client.base_url)
    no_video = posted(address, b"GIF or what?")
    assert no_video.status_code == 400
    assert no_video.json()["error"]["message"].startswith("game.mp4 is not a video: MP4, MOV")
    broken = posted(address, recording.path.read_bytes()[:2000])
    assert broken.status_code == 400
    assert "is damaged" in broken.json()["error"]["message"]


def test_a_video_that_is_too_large_or_takes_too_long_is_refused(recording: Recording) -> None:
    data = recording.path.read_bytes()
    with listening(create_app(Limits(video=len(data) // 2))) as (host, port):
        answer = posted(f"http://{host}:{port}/", data)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too_large")
    with listening(create_app(Limits(video_seconds=0.05, workers=1))) as (host, port):
        answer = posted(f"http://{host}:{port}/", data)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (503, "too_slow")
    with listening(create_app(Limits(replay=200, workers=1))) as (host, port):
        answer = posted(f"http://{host}:{port}/", data)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "invalid_input")
        assert "more boards" in answer.json()["error"]["message"]


def test_a_video_that_is_dropped_is_stepped_through(page: Page, recording: Recording) -> None:
    drop(page, "game.mp4", recording.path.read_bytes(), "video/mp4")
    told = page.locator("#replay-text-now")
    expect(told).to_contain_text("Before move 1 of", timeout=120_000)
    second = next(at for at, board in enumerate(recording.positions) if board.columns == 8)
    moves = len(recording.positions) - 2
    expect(page.locator("#status")).to_have_text(f"Read {moves} moves of 2 games from the video.")
    page.locator("#replay-step").focus()
    page.keyboard.press("End")
    expect(told).to_have_text(f"After move {second - 1}, the last.")
    assert board_of(page) == recording.positions[second - 1]
    page.select_option("#replay-game", "1")
    expect(told).to_contain_text(f"Before move 1 of {moves - second + 1}")
    page.locator("#replay-step").focus()
    page.keyboard.press("End")
    expect(told).to_contain_text("the last.")
    assert board_of(page) == recording.positions[-1]


def animation(pictures: list[npt.NDArray[np.uint8]]) -> bytes:
    """A GIF that shows each picture for a second; one alone does not move."""
    first, *more = [Image.fromarray(one) for one in pictures]
    data = io.BytesIO()
    first.save(data, "GIF", save_all=True, append_images=more, duration=1000, loop=0)
    return data.getvalue()


def test_a_gif_that_moves_is_read_as_a_video(page: Page) -> None:
    boards = [board for board, _ in play(7, most=3)]
    drawn = [render_board(board, "classic", tile=24) for board in boards]
    drop(page, "game.gif", animation(drawn), "image/gif")
    told = page.locator("#replay-text-now")
    expect(told).to_contain_text(f"Before move 1 of {len(boards) - 1}")
    assert board_of(page) == boards[0]
    page.locator("#replay-step").focus()
    page.keyboard.press("End")
    expect(told).to_contain_text("the last.")
    assert board_of(page) == boards[-1]
    # One that does not, and one in which only something beside the board does, are screenshots.
    aside = [np.pad(drawn[0], ((9, 60), (9, 9), (0, 0)), constant_values=shade) for shade in (200, 230)]
    for still in (animation(drawn[:1]), animation(aside)):
        drop(page, "still.gif", still, "image/gif")
        expect(page.locator("#status")).to_contain_text("Read a board of 9x9")
        expect(page.locator("#picture-name")).to_be_visible()
        expect(page.locator("#replay")).to_be_hidden()


def test_reading_a_video_shows_how_far_it_is_and_can_be_cancelled(page: Page, recording: Recording) -> None:
    page.route("**/api/place?*", lambda route: route.fulfill(json={"place": 0, "done": 0.25}))
    held = Held(page, "read-video")
    drop(page, "game.mp4", recording.path.read_bytes(), "video/mp4")
    held.first()
    expect(page.locator("#work progress")).to_have_js_property("value", 0.25)
    expect(page.locator("#status")).to_have_text("Reading the video…")
    held.cancel("#work")
    expect(page.locator("#work")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("Cancelled.")
    expect(page.locator("#problem")).to_be_hidden()


def test_what_is_no_video_is_told_on_the_page(page: Page) -> None:
    drop(page, "x.mp4", b"nothing", "video/mp4")
    expect(page.locator("#problem")).to_have_text(
        "x.mp4 is not a video: MP4, MOV, WebM, MKV, AVI and GIF are read"
    )
    expect(page.locator("#work")).to_be_hidden()
