"""A game as it was seen, board after board: what was clicked between two of them, and what that risked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.errors import InvalidInput, VisionsweeperError
from visionsweeper.game.review import Review, review
from visionsweeper.solver import solve

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def moves_of(boards: Sequence[Board], mines: int | None) -> list[Move]:
    """Say of all boards after the first what was done to get there, and what it risked.

    Raises InvalidInput where the boards are not of one size.
    """
    if len({board.cells.shape for board in boards}) > 1:
        raise InvalidInput("the boards of a replay have to be of one size")
    return [_move(boards[at], boards[at + 1], mines) for at in range(len(boards) - 1)]


def _move(before: Board, after: Board, mines: int | None) -> Move:
    clicked = clicked_between(before, after)
    flags = (before.cells == FLAG) & (after.cells == COVERED)
    flags |= (before.cells == COVERED) & (after.cells == FLAG)
    exploded = bool(((after.cells == MINE) & (before.cells != MINE)).any())
    return Move(clicked, _tiles(flags), exploded, _reviewed(before, clicked, mines))


def _reviewed(before: Board, clicked: tuple[Position, ...], mines: int | None) -> Review | None:
    if not 0 < len(clicked) <= _MOST_CLICKS:
        return None
    try:
        return review(solve(before, mines=mines), clicked)
    except VisionsweeperError:  # read wrongly, too wide to count, or nothing is known of the tile
        return None


def clicked_between(before: Board, after: Board) -> tuple[Position, ...]:
    """Return the fewest tiles that had to be clicked on to get from one board to the other.

    Of an opened area its first 0; numbers beside none; and the mine that was hit, where one alone is shown.
    """
    closed = (before.cells == COVERED) | (before.cells == FLAG)
    opened = closed & (after.cells < COVERED)
    blank = opened & (after.cells == 0)
    clicked, reached = [], np.zeros_like(opened)
    for row, column in np.argwhere(blank).tolist():
        if not reached[row, column]:
            clicked.append((row, column))
            _reach(after, blank, reached, (row, column))
    clicked += _tiles(opened & ~reached)
    hit = _tiles(closed & (after.cells == MINE))
    if len(hit) == 1:
        clicked += hit
    return tuple(sorted(clicked))


def _tiles(marked: npt.NDArray[np.bool_]) -> tuple[Position, ...]:
    return tuple((int(row), int(column)) for row, column in np.argwhere(marked))


def _reach(
    board: Board, blank: npt.NDArray[np.bool_], reached: npt.NDArray[np.bool_], start: Position
) -> None:
    """Mark the opened area of a 0: all connected ones and the numbers around them."""
    left = [start]
    reached[start] = True
    while left:
        for tile in board.neighbours(*left.pop()):
            if blank[tile] and not reached[tile]:
                left.append(tile)
            reached[tile] = True
