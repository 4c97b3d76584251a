"""The numbers that cannot hold, alone or a few of them together, and how to say so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visionsweeper.board import COVERED, FLAG, SAFE, Board, count_around
from visionsweeper.errors import InconsistentBoard
from visionsweeper.geometry import Position
from visionsweeper.solver.constraints import System, build_system, spread
from visionsweeper.wording import plural

_Tiles = list[Position]


def contradiction(
    board: Board, system: System, *, trust_flags: bool, count: Callable[[System], object | None]
) -> InconsistentBoard:
    """Return the error for a board whose numbers cannot all hold.

    `count` answers None for a system without solutions. The conflict is every number that cannot be by
    itself. If there is none, it is irreducible: without any one of its numbers the rest can hold.
    """
    trusted = trust_flags and FLAG in board.cells
    alone = _impossible_alone(board, trust_flags=trust_flags)
    if alone:
        message = _message(board, alone, ", each by itself", trusted=trusted)
        return InconsistentBoard(message, alone, alone=True)

    def possible(numbers: _Tiles) -> bool:
        return count(build_system(_with_only(board, numbers), trust_flags=trust_flags)) is not None

    stride = board.columns + 1
    near = system.broken
    everything = system.list_tiles(_number_mask(board))
    suspects = everything
    if near:
        # Grow a window around what broke until it cannot hold: far cheaper than the whole board.
        near &= -near
        for _ in range(8):
            mask = near & _number_mask(board)
            numbers = system.list_tiles(mask)
            if not possible(numbers):
                suspects = numbers
                break
            near = spread(spread(near, stride), stride)
    else:
        for tiles, component in zip(system.tiles, system.components, strict=True):
            if count(system._replace(components=[component], tiles=[tiles])) is None:
                frontier = 0
                for group in tiles:
                    for bit in group:
                        frontier |= 1 << bit
                window = spread(spread(spread(frontier, stride), stride), stride)
                numbers = system.list_tiles(window & _number_mask(board))
                if not possible(numbers):
                    suspects = numbers
                break
    conflict = _irreducible(suspects, possible)
    return InconsistentBoard(_message(board, conflict, " together", trusted=trusted), conflict)


def _impossible_alone(board: Board, *, trust_flags: bool) -> _Tiles:
    """Numbers with more known mines around them than they show, or with fewer tiles that can be mines."""
    mines = board.shown_mines | board.flags if trust_flags else board.shown_mines
    fewest = count_around(mines)
    most = count_around(mines | board.covered) + board.unseen_around
    wrong = board.numbers & ((board.cells < fewest) | (board.cells > most))
    return [(row, column) for row, column in np.argwhere(wrong).tolist()]


def _number_mask(board: Board) -> int:
    stride = board.columns + 1
    rows, columns = np.nonzero(board.numbers)
    flags = np.zeros(board.rows * stride, dtype=np.uint8)
    flags[rows * stride + columns] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _with_only(board: Board, numbers: _Tiles) -> Board:
    """Return the board with all other numbers forgotten (their tiles stay safe)."""
    cells = np.where(board.numbers, SAFE, board.cells).astype(np.uint8)
    for tile in numbers:
        cells[tile] = board.cells[tile]
    return board.changed(cells)


def _irreducible(numbers: _Tiles, possible: Callable[[_Tiles], bool]) -> _Tiles:
    """Drop numbers, in halving chunks and then one by one, while the rest still cannot hold."""
    kept = list(numbers)
    chunk = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            rest = kept[:at] + kept[at + chunk :]
            if rest and not possible(rest):
                kept = rest
            else:
                at += chunk
        if chunk == 1:
            return kept
        chunk //= 2


def _message(board: Board, conflict: _Tiles, how: str, *, trusted: bool) -> str:
    """One line that names at most eight of the numbers; `how` ends what is said of several."""
    remedy = "check how these tiles were read" + (", or do not trust the flags" if trusted else "")
    named = [f"the {board[tile]} at row {tile[0]}, column {tile[1]}" for tile in conflict[:8]]
    if len(conflict) == 1:
        around = list(board.neighbours(*conflict[0]))
        codes = [board[tile] for tile in around]
        places = sum(code in {COVERED, FLAG} for code in codes)
        text = f"{named[0]} cannot hold with {plural(places, 'covered neighbour')}"
        shown = sum(code not in {COVERED, FLAG, SAFE} and code > FLAG for code in codes)
        if shown:
            text += f" and {plural(shown, 'shown mine')}"
        if trusted:
            flags = sum(code == FLAG for code in codes)
            if flags:
                text += f", {flags} of them flagged"
    else:
        more = len(conflict) - len(named)
        listed = ", ".join(named) + (f" and {more} more" if more else "")
        if not more:
            listed = ", ".join(named[:-1]) + " and " + named[-1]
        text = f"{listed} cannot hold{how}"
    return f"{text}; {remedy}"
