"""Advice checked by playing: games continued from a position, with each of several tiles opened first."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SAFE
from visionsweeper.simulation.run import games_won
from visionsweeper.solver import Solution
from visionsweeper.solver.advice import Advice
from visionsweeper.wording import tile_name

TILES_TRIED: Final = 4
"""The first of the ranking."""

CLEARLY: Final = 2.0
"""Standard errors of the difference by which a tile must win more games than the one advised."""


def play_on(solution: Solution, advice: Advice, games: int, *, seed: int = 0) -> Advice:
    """Return the advice of a solution, with another tile first if that wins clearly more games played on.

    Every tile is opened on the same minefields, drawn from all that fit, and `best` plays on. Advice that is
    certain or exact already is returned as it is, as is that for boards without a mine count or with mines
    shown, and for those counted by estimates.
    """
    board, mines = solution.board, solution.mines
    tiles = [one.tile for one in advice.ranking[:TILES_TRIED]]
    over = board.shown_mines.any() or (board.cells == SAFE).any()
    decided = advice.win is not None or bool(solution.safe) or len(tiles) < 2
    if mines is None or decided or over or solution.estimated:
        return advice
    won = games_won(board, mines, tiles, games, seed)
    totals = won.sum(axis=1)
    most = int(totals.argmax())  # the first of equal ones
    margin = f"of {games} games played on from here"
    if not _clearly_more(won[most], won[0]):
        return replace(advice, reason=f"{advice.reason} It won {_share(totals[0], games)} {margin}.")
    first = advice.ranking[most]
    text = (
        f"No tile is certain; {tile_name(*first.tile)} won {_share(totals[most], games)} {margin}, "
        f"{tile_name(*tiles[0])} {_share(totals[0], games)} on the same minefields."
    )
    return replace(advice, ranking=(first, *(one for one in advice.ranking if one is not first)), reason=text)


def _clearly_more(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> bool:
    """Whether one of two tiles won more of the same games, beyond chance."""
    more, fewer = int((one & ~other).sum()), int((other & ~one).sum())
    return more - fewer > CLEARLY * sqrt(more + fewer)


def _share(won: int, games: int) -> str:
    return f"{100 * won / games:.1f} %"
