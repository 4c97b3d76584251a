"""Boards that never need a guess, proven by playing them with certain moves only."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.errors import InvalidInput, TooWide
from visionsweeper.game.finishing import finish
from visionsweeper.game.minefield import Minefield, lay
from visionsweeper.geometry import Position

if TYPE_CHECKING:
    from visionsweeper.game.rules import Rules

PATIENCE: Final = 20.0
"""Seconds after which a search gives up."""


def lay_no_guess(
    rules: Rules, start: Position, random: np.random.Generator, *, patience: float = PATIENCE
) -> Minefield:
    """Lay a minefield that needs no guess after a first click on `start`.

    Where play gets stuck, the mines among and around the tiles that are left are laid anew, and kept if that
    leaves fewer; after a while without progress a new field is tried. Raises InvalidInput when that takes
    longer than `patience`, in seconds: too dense a board, or a first click that need not be an opening.
    """
    end = time.monotonic() + patience
    while True:
        field = lay(rules, start, random)
        left = _left_covered(field, start)
        failures = 0
        while left.size and failures < _MOST_FAILURES:
            if time.monotonic() > end:
                raise InvalidInput(
                    f"no board of {rules.width}x{rules.height} with {rules.mines} mines that needs no guess "
                    f"was found in {patience:g} seconds: try fewer mines, or allow guesses"
                )
            other = _relaid(field, left, start, rules, random)
            other_left = _left_covered(other, start)
            failures += 1
            if other_left.size < left.size:
                field, left, failures = other, other_left, 0
        if not left.size:
            return field


_MOST_FAILURES: Final = 12
"""Attempts to do better on one field before another is begun."""


def _left_covered(field: Minefield, start: Position) -> npt.NDArray[np.intp]:
    """Row-major indices of the tiles without a mine that certain moves do not open."""
    if field.mines[start]:
        return np.flatnonzero(~field.mines)
    cells = np.full(field.mines.shape, COVERED, dtype=np.uint8)
    cells[start] = field.numbers[start]
    try:
        done = finish(Board(cells), field.count, lambda row, column: int(field.numbers[row, column])).cells
    except TooWide:
        return np.flatnonzero(~field.mines)
    return np.flatnonzero(((done == COVERED) | (done == FLAG)) & ~field.mines)


def _relaid(
    field: Minefield,
    left: npt.NDArray[np.intp],
    start: Position,
    rules: Rules,
    random: np.random.Generator,
) -> Minefield:
    """Move a part of the mines around what is left elsewhere on the covered part."""
    rows, columns = field.mines.shape
    around = np.zeros((rows, columns), dtype=np.bool_)
    for tile in left:
        row, column = divmod(int(tile), columns)
        around[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = True
    row, column = start
    if rules.first_click == "opening":
        around[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = False
    around[start] = False
    mines = field.mines.copy()
    free = np.flatnonzero(around)
    count = int(mines.ravel()[free].sum())
    mines.ravel()[free] = False
    # Some may go anywhere: a part that is too dense would stay so.
    elsewhere = np.flatnonzero(~mines & _allowed(rules, start))
    stay = min(int(random.integers(max(count - 3, 0), count + 1)), free.size)
    mines.ravel()[random.choice(free, stay, replace=False)] = True
    rest = elsewhere[~mines.ravel()[elsewhere]]
    mines.ravel()[random.choice(rest, count - stay, replace=False)] = True
    return Minefield(mines)


def _allowed(rules: Rules, start: Position) -> npt.NDArray[np.bool_]:
    allowed = np.ones((rules.height, rules.width), dtype=np.bool_)
    row, column = start
    if rules.first_click == "opening":
        allowed[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = False
    allowed[start] = False
    return allowed
