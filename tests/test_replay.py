"""Replays: what was clicked between two boards and what it risked, and files as ms_toollib writes them."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import ms_toollib
import numpy as np
import pytest
from test_estimates import lattice

from visionsweeper.board import SAFE, Board
from visionsweeper.errors import InvalidInput, TooWide
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield
from visionsweeper.game.replay import clicked_between, moves_of
from visionsweeper.game.replay_files import read_replay
from visionsweeper.game.review import review
from visionsweeper.game.styles import play_certain
from visionsweeper.solver import Limit, solve
from visionsweeper.web.limits import Limits
from visionsweeper.web.tasks import perform

FIELD = Minefield.from_text("*....\n.....\n...*.\n.....\n")


def evf(clicks: str = "open 0 4, flag 2 3, open 2 0, chord 2 2, open 0 0") -> bytes:
    """A game as ms_toollib plays and stores it."""
    numbers = np.where(FIELD.mines, -1, FIELD.numbers.astype(int)).tolist()
    video = ms_toollib.BaseVideo(numbers)
    mouse = {"open": ("lc", "lr"), "flag": ("rc", "rr"), "chord": ("lc", "cc", "rr", "lr")}
    for click in clicks.split(", "):
        kind, row, column = click.split()
        for event in mouse[kind]:
            video.step(event, (int(row) * 16 + 5, int(column) * 16 + 5))
    video.generate_evf_v4_raw_data()
    return bytes(video.raw_data)


def played(*moves: tuple[str, int, int]) -> list[Board]:
    game = Game(FIELD)
    boards = [game.board]
    for kind, row, column in moves:
        assert game.play(kind, (row, column))  # type: ignore[arg-type]
        boards.append(game.board)
    return boards


def test_a_replay_is_read_board_by_board() -> None:
    replay = read_replay(evf(), "Game.EVF")
    assert replay.mines == 2
    boards = played(("open", 0, 4), ("flag", 2, 3), ("open", 2, 0), ("chord", 2, 2), ("open", 0, 0))
    # The end of ours shows all mines; theirs the one that was hit.
    assert list(replay.boards[:-1]) == boards[:-1]
    assert replay.boards[-1][0, 0] == 11
    assert replay.seconds[0] == 0
    assert sorted(replay.seconds, key=lambda at: at or 0) == list(replay.seconds)


def test_what_was_clicked_follows_from_the_boards() -> None:
    boards = played(("open", 0, 1), ("open", 0, 4), ("flag", 2, 3), ("open", 2, 0), ("chord", 2, 2))
    clicks = [clicked_between(a, b) for a, b in pairwise(boards)]
    assert clicks[0] == ((0, 1),)
    # Of an area, the first 0 of it: which of them was clicked on cannot be seen.
    assert clicks[1] == ((0, 2),)
    assert clicks[2] == ()
    assert clicks[3] == ((2, 0),)
    assert clicks[4] == ((3, 3),)
    # A chord that opens several numbers at once.
    assert clicked_between(Board.from_text("??\n??\n1F"), Board.from_text("12\n1?\n1F")) == (
        (0, 0), (0, 1), (1, 0),
    )  # fmt: skip


def test_moves_are_reviewed_each_by_the_board_before_it() -> None:
    boards = [Board.from_text(text) for text in ("??\n??\n", "1?\n??\n", "1?\n1?\n", "1?\n1F\n", "1*\n1F\n")]
    first, second, flag, hit = moves_of(boards, 1)
    assert first.review is not None
    assert (first.review.risk, first.review.forced) == (Fraction(1, 4), True)
    assert second.review is not None
    assert (second.review.risk, second.review.least) == (Fraction(1, 3), Fraction(1, 3))
    assert (flag.clicked, flag.flagged, flag.review) == ((), ((1, 1),), None)
    assert hit.exploded
    assert hit.clicked == ((0, 1),)
    assert hit.review is not None
    assert hit.review.risk == Fraction(1, 2)


def test_what_was_read_wrongly_is_not_reviewed() -> None:
    boards = [Board.from_text(text) for text in ("8?\n??\n", "8?\n1?\n")]
    (move,) = moves_of(boards, 1)
    assert move.clicked == ((1, 0),)
    assert move.review is None
    with pytest.raises(InvalidInput, match="the same size"):
        moves_of([boards[0], Board.from_text("?")], 1)


def test_other_endings_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"\.avf, \.evf"):
        read_replay(b"", "game.mp4")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(tiles=19), "too large, 5x4: at most 19 tiles"),
        (Limits(tiles=20, replay=119), "too long: at most 5 boards"),
    ],
)
def test_a_server_reads_no_more_of_a_replay_than_it_can_hold(limits: Limits, message: str) -> None:
    answer = perform("read-replay", limits, {"data": evf(), "name": "a.evf"})
    assert answer.status == 400
    assert message in answer.body.decode()
    enough = Limits(tiles=20, replay=120)
    assert perform("read-replay", enough, {"data": evf(), "name": "a.evf"}).status == 200


def test_a_tile_that_is_named_twice_is_risked_once() -> None:
    solution = solve(Board.from_text("1??\n???\n"), mines=2)
    first, second = (0, 1), (0, 2)
    expected = review(solution, [first, second]).risk
    # Of the 3 ways for the mine beside the number and 2 for the other, those with neither tile hit.
    assert expected == 1 - Fraction(2 * 1, 3 * 2)
    for tiles in ([first, second, first], [first, first, second], [second, first, second, second]):
        assert review(solution, tiles).risk == expected


def test_the_risk_of_several_tiles_believes_the_flags_that_the_odds_believe() -> None:
    board = Board.from_text("F???\n")
    for trusted in (False, True):
        solution = solve(board, 2, trust_flags=trusted)
        tiles = [(0, 1), (0, 2)]
        cells = board.cells.copy()
        for tile in tiles:
            cells[tile] = SAFE
        safe = solve(Board(cells), 2, trust_flags=trusted).count
        assert review(solution, tiles).risk == 1 - Fraction(safe, solution.count)


def test_counting_keeps_to_the_limit_of_who_asks() -> None:
    none = Limit(memory=0, seconds=0)
    board, mines = lattice(16, 1)
    count = int(mines.sum())
    tile = tuple(np.argwhere(board.covered & ~mines)[0].tolist())
    cells = board.cells.copy()
    cells[tile] = sum(mines[one] for one in board.neighbours(*tile))
    boards = [board, Board(cells)]
    assert moves_of(boards, count)[0].review is not None
    assert moves_of(boards, count, none)[0].review is None
    asked = {"boards": [str(one) for one in boards], "mines": count}
    assert json.loads(perform("moves", Limits(), asked).body)["moves"][0]["risk"] is not None
    assert json.loads(perform("moves", Limits(memory=0, counting=0), asked).body)["moves"][0]["risk"] is None
    game = Game(Minefield(mines))
    game.go_on_from(board)
    with pytest.raises(TooWide):
        play_certain(game, limit=none)


def test_a_replay_of_too_many_clicks_is_refused_before_its_boards_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clicks = ", ".join(["flag 2 3"] * 100)
    data = evf(f"open 0 4, {clicks}, open 0 0")
    assert len(read_replay(data, "a.evf", most_in_all=20 * 103).boards) == 103
    monkeypatch.setattr(ms_toollib, "EvfVideo", without_analysis(ms_toollib.EvfVideo))
    with pytest.raises(InvalidInput, match="at most 50 clicks"):
        read_replay(data, "a.evf", most_in_all=20 * 50)
    with pytest.raises(InvalidInput, match="at most 4 MB"):
        read_replay(data + bytes(4 << 20), "a.evf", most_in_all=20 * 50)


def without_analysis(reader: Any) -> Any:
    """A reader that must not be asked to make the boards."""

    class Read:
        def __init__(self, *given: Any) -> None:
            self.video = reader(*given)

        def __getattr__(self, name: str) -> Any:
            assert name != "analyse"
            return getattr(self.video, name)

    return Read
