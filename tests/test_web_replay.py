"""Replays on the page in a real browser: stepped through, reviewed, saved and opened again."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from browsing import board_of, drop, tile
from playwright.sync_api import Page, expect
from served_page import settled
from test_replay import evf

from visionsweeper.board import Board
from visionsweeper.solver import solve
from visionsweeper.wording import format_percentage

pytestmark = pytest.mark.slow


def test_a_replay_of_another_program_is_stepped_through(page: Page) -> None:
    drop(page, "game.evf", evf(), "application/octet-stream")
    told = page.locator("#replay-text-now")
    expect(told).to_contain_text("Before move 1 of 5 (0.00 s): opened row 0, column 2, risk 10.0%")
    assert board_of(page) == Board.from_text("\n".join(["?????"] * 4))
    page.click("#replay-on")
    settled(page)
    expect(told).to_contain_text("Before move 2 of 5")
    expect(told).to_contain_text("flag: row 2, column 3")
    before = Board.from_text("?1000\n?1111\n?????\n?????")
    assert board_of(page) == before
    # Its odds are those of the position, as of any other.
    chance = format_percentage(solve(before, mines=2).exact(0, 0))
    assert f"{chance} mine" in (tile(page, 0, 0).get_attribute("aria-label") or "")
    page.locator("#replay-step").focus()
    page.keyboard.press("End")
    expect(told).to_have_text("After move 5, the last.")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("a mine was hit: row 0, column 0")
    expect(page.locator("#board-holder .pointed")).to_have_attribute("data-index", "0")


def test_avoidable_risks_are_listed_and_gone_to(page: Page) -> None:
    boards = [["????", "????"], ["?1??", "????"], ["?1??", "1???"], ["?1??", "1??1"]]
    kept = {"mines": 1, "boards": boards, "seconds": [0, 0, 1.5, 2]}
    drop(page, "mine.replay.json", json.dumps(kept).encode(), "application/json")
    risks = page.locator("#replay-risks")
    expect(risks).to_contain_text("avoidable risk")
    # Beside the 1 five tiles share a mine; the last column is safe.
    risks.get_by_role("button", name="move 2: 20.0%").click()
    expect(page.locator("#replay-text-now")).to_contain_text("risk 20.0%; avoidable: row 0, column 3 had 0%")
    assert board_of(page) == Board.from_text("?1??\n????")


def test_replays_are_saved_and_opened_again(page: Page, tmp_path: Path) -> None:
    drop(page, "game.evf", evf(), "application/octet-stream")
    # Saving waits until the risks of all moves are known.
    with page.expect_download() as saved:
        page.click("#replay-json")
    assert saved.value.suggested_filename == "game.replay.json"
    saved.value.save_as(tmp_path / "game.replay.json")
    kept = json.loads((tmp_path / "game.replay.json").read_text())
    assert kept["version"] == 1
    assert len(kept["boards"]) == len(kept["moves"]) + 1 == 6
    assert kept["moves"][0]["risk"] == "1/10"
    with page.expect_download() as text:
        page.click("#replay-text")
    text.value.save_as(tmp_path / "game.txt")
    lines = (tmp_path / "game.txt").read_text()
    assert "# mines: 2" in lines
    assert "# move 1 (0.00 s): opened row 0, column 2, risk 10.0%, the least possible" in lines
    assert "?1000\n?1111" in lines
    page.click("#replay-close")
    expect(page.locator("#replay")).to_be_hidden()
    drop(page, "again.replay.json", (tmp_path / "game.replay.json").read_bytes(), "application/json")
    expect(page.locator("#replay-text-now")).to_contain_text("Before move 1 of 5")
    # Who edits the board leaves the replay.
    tile(page, 0, 0).click()
    page.keyboard.press("1")
    expect(page.locator("#replay")).to_be_hidden()


def test_doubts_are_saved_with_a_replay(page: Page, tmp_path: Path) -> None:
    kept = {"mines": 1, "boards": [["????"], ["1???"]], "seconds": [0, 0], "uncertain": [[], [[0, 0]]]}
    drop(page, "doubt.replay.json", json.dumps(kept).encode(), "application/json")
    with page.expect_download() as saved:
        page.click("#replay-json")
    saved.value.save_as(tmp_path / "again.replay.json")
    drop(page, "again.replay.json", (tmp_path / "again.replay.json").read_bytes(), "application/json")
    doubted = page.locator("#board-holder .uncertain")
    expect(doubted).to_have_count(0)
    page.click("#replay-on")
    expect(doubted).to_have_attribute("data-index", "0")
    beyond = kept | {"uncertain": [[[1, 0]]]}
    drop(page, "beyond.replay.json", json.dumps(beyond).encode(), "application/json")
    expect(page.locator("#problem")).to_contain_text("holds no replay")


def test_a_risk_is_known_where_the_usual_mine_count_is_taken(page: Page) -> None:
    covered = ["?????????"] * 9
    kept = {"mines": None, "boards": [covered, ["1????????", *covered[1:]]], "seconds": [0, 1]}
    drop(page, "usual.replay.json", json.dumps(kept).encode(), "application/json")
    expect(page.locator("#replay-text-now")).to_contain_text("risk 12.3%")  # 10 mines on 81 tiles


@pytest.mark.parametrize("name", ["a.avf", "a.evf", "a.rmv", "a.mvf"])
def test_a_broken_replay_ends_no_more_than_its_worker(client: httpx.Client, name: str) -> None:
    answer = client.post("api/read-replay", files={"file": (name, b"abc")})
    assert answer.status_code == 400
    assert "could not be read" in answer.json()["error"]["message"]
    assert client.post("api/solve", json={"board": ["?"]}).status_code == 200


def test_what_is_no_replay_is_told(page: Page) -> None:
    drop(page, "x.replay.json", b"{}", "application/json")
    expect(page.locator("#problem")).to_contain_text("holds no replay")


def test_a_replay_as_open_text_is_stepped_through(page: Page) -> None:
    click = "{0} lc 5 1 (67 5)\n{0} lr 5 1 (67 5)\n"
    head = "Width: 5\nHeight: 2\nMines: 1\nBoard:\n*0000\n00000\nEvents:\n"
    drop(page, "game.rawvf", f"{head}{click.format('0.000')}".encode(), "")
    expect(page.locator("#replay-text-now")).to_contain_text("Before move 1 of 1 (0.00 s): opened row 0, ")
    page.click("#replay-on")
    settled(page)
    assert board_of(page) == Board.from_text("?1000\n?1000")
