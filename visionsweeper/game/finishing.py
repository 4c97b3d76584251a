"""Takes up a game from what is shown of it, and finishes a board without ever guessing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visionsweeper.board import COVERED, FLAG, SAFE, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield
from visionsweeper.solver import Solution, solve

_MOST_SHOWN = 8


def take_up(solution: Solution, random: np.random.Generator) -> Game:
    """Return a game that shows the solved board, its mines laid as one of the solutions, all alike likely.

    Raises InvalidInput for a board that shows mines: that game is over.
    """
    board = solution.board
    if board.shown_mines.any() or (board.cells == SAFE).any():
        raise InvalidInput("the board shows mines, so the game is over: take an earlier position")
    mines = np.zeros(board.cells.shape, dtype=np.bool_)
    for tile in solution.random(random):
        mines[tile] = True
    game = Game(Minefield(mines))
    game.go_on_from(board)
    return game


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
        solution = solve(Board(cells), mines=mines, engine="auto")
        if not solution.safe:
            break
        for row, column in solution.safe:
            shown = open_tile(row, column)
            # Numbers of numpy are numbers too; True is none.
            if isinstance(shown, bool) or shown not in range(_MOST_SHOWN + 1):
                raise InvalidInput(
                    f"opening row {row}, column {column} gave {shown!r}, which is not a number from 0 to 8"
                )
            cells[row, column] = int(shown)
    for tile in solution.mine:
        cells[tile] = FLAG
    return Board(cells)
