"""Finishes a board without ever guessing."""

from __future__ import annotations

from collections.abc import Callable

from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.solver import solve

_MOST_SHOWN = 8


def finish(board: Board | str, mines: int, open_tile: Callable[[int, int], int]) -> Board:
    """Open everything that is certainly safe, by the numbers and the mine count, as far as that goes.

    `board` is a position or its text, `mines` counts those of the whole board. `open_tile(row, column)` is
    called once for each tile and returns the number that it shows, 0 to 8; it is never called for a tile that
    could hold a mine. Flags that the board brings are not believed.

    Returns the board with every certain mine flagged: finished, or, where only a guess would go on, as far as
    certainty reaches. Raises InvalidInput for an answer that is no number, and what `solve` raises when the
    numbers cannot hold together.
    """
    given = Board.from_text(board) if isinstance(board, str) else board
    cells = given.cells.copy()
    cells[cells == FLAG] = COVERED
    while True:
        solution = solve(Board(cells), mines=mines)
        if not solution.safe:
            break
        for row, column in solution.safe:
            shown = open_tile(row, column)
            # Numbers of numpy are numbers too; True is none.
            if isinstance(shown, bool) or shown not in range(_MOST_SHOWN + 1):
                raise InvalidInput(
                    f"opening row {row}, column {column} gave {shown!r}, which is no number 0 to 8"
                )
            cells[row, column] = int(shown)
    for tile in solution.mine:
        cells[tile] = FLAG
    return Board(cells)
