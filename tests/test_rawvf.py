"""RawVF replays: the mouse on a minefield, held against ms_toollib's own playing of the same events."""

from __future__ import annotations

import ms_toollib
import numpy as np
import pytest
from test_replay import FIELD

from visionsweeper.board import Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.replay_files import read_replay

ROWS = str(FIELD).replace(".", "0")

Events = list[tuple[str, int, int]]
"""Event, row and column."""


def rawvf(events: Events, *settings: str, square: int = 16, off: int = 1) -> bytes:
    """A file; `off`: what its columns and rows are counted from."""
    lines = ["RawVF_Version: Rev6", "Width: 5", "Height: 4", "Mines: 2", *settings, "Board:", *ROWS.split()]
    lines.append("Events:")
    for at, (event, row, column) in enumerate(events):
        place = f"{column + off} {row + off} ({column * square + 3} {row * square + 5})"
        lines += [f"{at / 10:.3f} mv {place}", f"{at / 10:.3f} {event} {place}", "number1 1 1"]
    return "\n".join([*lines, "9.999 won", ""]).encode()


def texts(events: Events, *settings: str, **more: int) -> list[str]:
    return [str(board) for board in read_replay(rawvf(events, *settings, **more), "a.rawvf").boards]


def toollib(events: Events) -> list[str]:
    """The boards as ms_toollib plays these events."""
    video = ms_toollib.BaseVideo(np.where(FIELD.mines, -1, FIELD.numbers.astype(int)).tolist())
    signs = dict(enumerate("012345678")) | {11: "F", 14: "F", 15: "*"}
    boards = [str(Board.from_text("\n".join(["?????"] * 4)))]
    for event, row, column in events:
        video.step(event, (row * 16 + 5, column * 16 + 3))
        rows = ["".join(signs.get(tile, "?") for tile in line) for line in video.game_board]
        board = str(Board.from_text("\n".join(rows)))
        if board != boards[-1]:
            boards.append(board)
    return boards


def click(row: int, column: int) -> Events:
    return [("lc", row, column), ("lr", row, column)]


def flag(row: int, column: int) -> Events:
    return [("rc", row, column), ("rr", row, column)]


BEGUN = [*click(0, 4), *flag(2, 3), *click(2, 0)]


@pytest.mark.parametrize(
    "end",
    [
        click(0, 0),
        [("lc", 2, 2), ("rc", 2, 2), ("rr", 2, 2), ("lr", 2, 2)],
        [("lc", 2, 2), ("rc", 2, 2), ("lr", 2, 2), ("rr", 2, 2)],
        [*flag(2, 3), *flag(2, 4), ("lc", 1, 4), ("rc", 1, 4), ("lr", 1, 4), ("rr", 1, 4)],
        [("lc", 2, 4), ("lr", 3, 4)],
        [("lc", 2, 4), ("rc", 2, 4), ("rr", 2, 4), ("lr", 2, 4)],
        [("rc", 2, 4), ("lc", 2, 4), ("lr", 2, 4), ("rr", 2, 4)],
        [*flag(2, 3), *flag(2, 3), *flag(0, 0), *click(0, 0)],
    ],
)
def test_the_mouse_does_what_it_does_for_ms_toollib(end: Events) -> None:
    found = texts([*BEGUN, *end])
    assert found == toollib([*BEGUN, *end])
    assert len(found) > 3


def test_other_ways_to_open_around_a_number() -> None:
    both = texts([*BEGUN, ("lc", 2, 2), ("rc", 2, 2), ("rr", 2, 2), ("lr", 2, 2)])
    assert texts([*BEGUN, ("mc", 2, 2), ("mr", 2, 2)]) == both
    assert texts([*BEGUN, ("sc", 2, 2), ("lr", 2, 2)]) == both
    assert texts([*BEGUN, *click(2, 2)], "SuperClick: On") == both
    assert texts([*BEGUN, *click(2, 2)]) == texts(BEGUN)


def test_places_are_those_of_the_pixels() -> None:
    assert texts(BEGUN, off=0) == texts(BEGUN, "SquareSize: 64", square=64) == texts(BEGUN)


def test_question_marks_are_covered_tiles_and_no_flags() -> None:
    three = [*flag(0, 0)] * 3
    plain = texts(three)
    assert [text[0] for text in plain] == ["?", "F", "?", "F"]
    # Flag, question mark, nothing; the setting can be changed in the midst of a game.
    assert [text[0] for text in texts(three, "Marks: On")] == ["?", "F", "?"]
    toggled = [*flag(0, 0), ("mt", 0, 0), *flag(0, 0), *flag(0, 0), *flag(0, 0)]
    assert [text[0] for text in texts(toggled)] == ["?", "F", "?", "F"]


def test_times_begin_with_the_first_move() -> None:
    replay = read_replay(rawvf(BEGUN), "a.rawvf")
    assert replay.mines == 2
    assert replay.seconds == pytest.approx((0, 0, 0.1, 0.4))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no board"),
        (b"Width: 5\nHeight: 4\n", "no board"),
        (b"Board:\n00\n", "size"),
        (b"Width: 2\nHeight: 2\nBoard:\n0*\n", "2x2 of"),
        (b"Width: 2\nHeight: 1\nBoard:\n0?\n", "2x1 of"),
        (b"Width: 99999\nHeight: 99999\nBoard:\n0*\n", "too large"),
        (b"Width: 2\nHeight: 1\nElmar: On\nBoard:\n0*\n", "something else"),
    ],
)
def test_what_is_no_replay_is_told(data: bytes, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read_replay(data, "a.rawvf", most_tiles=1000)


def test_a_replay_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 3 boards"):
        read_replay(rawvf(BEGUN), "a.rawvf", most_in_all=60)
    assert len(read_replay(rawvf(BEGUN), "a.rawvf", most_in_all=80).boards) == 4
