"""What is certain, played in several styles: the same tiles are opened, by other clicks."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import numpy as np
import pytest

from visionsweeper.board import COVERED, FLAG
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield, lay
from visionsweeper.game.rules import Rules
from visionsweeper.game.styles import Style, play_certain
from visionsweeper.solver import solve

GAMES = 6
STYLES: tuple[Style, ...] = get_args(Style)


def begun(seed: int) -> Game:
    game = Game(lay(Rules(16, 16, 40), (8, 8), np.random.default_rng(seed)))
    game.open((8, 8))
    return game


def test_every_style_opens_the_same_tiles_and_says_its_clicks() -> None:
    sums: Counter[Style] = Counter()
    for seed in range(GAMES):
        opened = []
        for style in STYLES:
            game = begun(seed)
            clicks = play_certain(game, style)
            made = Counter(action for action, _ in game.moves[1:])
            assert made == +clicks
            assert game.state != "lost"
            opened.append(game.board.cells < COVERED)
            sums[style] += clicks.total()
            if game.state == "playing":
                flags = set(map(tuple, np.argwhere(game.board.cells == FLAG).tolist()))
                certain = set(solve(game.board, mines=40).mine)
                assert not flags - certain
                assert style != "no_flags" or not flags
                assert style != "flags" or flags == certain
        assert all((one == opened[0]).all() for one in opened)
    assert sums["efficient"] < min(sums["no_flags"], sums["flags"])


@pytest.mark.parametrize(
    ("style", "clicks"),
    [("no_flags", {"open": 2}), ("flags", {"flag": 1, "chord": 1}), ("efficient", {"flag": 1, "chord": 1})],
)
def test_the_clicks_of_a_board_done_by_hand(style: Style, clicks: dict[str, int]) -> None:
    """The mine is known, and the 1 beside it has four safe tiles, the last three of them blank."""
    game = Game(Minefield.from_text("....\n*...\n....\n"))
    for tile in ((0, 0), (2, 0), (1, 1), (2, 1)):
        game.open(tile)
    game.flag((0, 1))  # wrong, and taken away
    before = {"flag": 1 + clicks.get("flag", 0)} | {kind: n for kind, n in clicks.items() if kind != "flag"}
    assert play_certain(game, style) == before
    assert game.state == "won"
