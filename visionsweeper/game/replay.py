"""A game as it was seen, board after board: what was clicked between two of them, and what that risked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board, connected, count_around
from visionsweeper.errors import InvalidInput, VisionsweeperError
from visionsweeper.game.review import Review, review
from visionsweeper.geometry import positions_of
from visionsweeper.solver import Limit, solve
from visionsweeper.solver.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from visionsweeper.geometry import Position

_MOST_CLICKS: Final = 8
"""Tiles that one move can click on, by a chord; more were opened by moves that were not seen apart."""


@dataclass(frozen=True)
class Replay:
    """The boards of a game in order, the one before the first move included."""

    boards: tuple[Board, ...]
    mines: int | None
    """None where it is not known."""
    seconds: tuple[float | None, ...] = ()
    """When each board was seen first, from the first move on; None where that is not known."""


@dataclass(frozen=True)
class Move:
    """What happened between two boards."""

    clicked: tuple[Position, ...]
    """The fewest clicks that open what was opened."""
    flagged: tuple[Position, ...]
    """Tiles whose flag was set or taken away."""
    exploded: bool
    """Whether a mine was hit."""
    review: Review | None
    """What the clicks risked; None where that is not known, or nothing was clicked."""


def moves_of(boards: Sequence[Board], mines: int | None, limit: Limit = DEFAULT) -> list[Move]:
    """Say of all boards after the first what was done to get there, and what it risked.

    The risk is not known where counting a board takes more than `limit`. Raises InvalidInput where the boards
    are not of one size.
    """
    if len({board.cells.shape for board in boards}) > 1:
        raise InvalidInput("the boards of a replay must have the same size")
    return [_move(boards[at], boards[at + 1], mines, limit) for at in range(len(boards) - 1)]


def _move(before: Board, after: Board, mines: int | None, limit: Limit) -> Move:
    clicked = clicked_between(before, after)
    flags = (before.cells == FLAG) & (after.cells == COVERED)
    flags |= (before.cells == COVERED) & (after.cells == FLAG)
    exploded = bool(((after.cells == MINE) & (before.cells != MINE)).any())
    return Move(clicked, positions_of(flags), exploded, _reviewed(before, clicked, mines, limit))


def _reviewed(before: Board, clicked: tuple[Position, ...], mines: int | None, limit: Limit) -> Review | None:
    if not 0 < len(clicked) <= _MOST_CLICKS:
        return None
    try:
        return review(solve(before, mines=mines, limit=limit), clicked)
    except VisionsweeperError:  # read wrongly, too wide to count, or nothing is known of the tile
        return None


def clicked_between(before: Board, after: Board) -> tuple[Position, ...]:
    """Return the fewest tiles that had to be clicked on to get from one board to the other.

    Of an opened area its first 0; numbers beside none; and the mine that was hit, where one alone is shown.
    """
    closed = before.covered
    areas, alone = openings(after, closed & after.numbers)
    hit = positions_of(closed & (after.cells == MINE))
    return tuple(sorted([*(area[0] for area in areas), *alone, *(hit if len(hit) == 1 else ())]))


def openings(board: Board, opened: npt.NDArray[np.bool_]) -> tuple[list[list[Position]], list[Position]]:
    """Return the areas of 0s among the (rows, columns) bool tiles opened, and the numbers beside none.

    One click opens an area and the numbers around it; tiles are named row by row.
    """
    blank = opened & (board.cells == 0)
    number_of = connected(blank)
    areas: list[list[Position]] = [[] for _ in range(int(number_of.max(initial=-1)) + 1)]
    for tile in positions_of(blank):
        areas[number_of[tile]].append(tile)
    return areas, list(positions_of(opened & ~blank & (count_around(blank) == 0)))


def as_played(before: Board, after: Board, hit: Collection[Position]) -> Board:
    """Return the board after the move that lost, without what only the end of a game shows.

    Of the mines shown only those `hit` stay; the others are covered or flagged as they were before, and wrong
    flags are flags.
    """
    cells = after.cells.copy()
    shown = (cells == MINE) & (before.cells != MINE)
    for tile in hit:
        shown[tile] = False
    cells[shown] = np.where(before.cells[shown] == FLAG, FLAG, COVERED)
    cells[cells == SAFE] = FLAG
    return after.changed(cells)
