"""What the solver says of a naming: whether it has a solution, and where its numbers put the mines."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SAFE, Board
from visionsweeper.errors import ImpossibleBoard, InconsistentBoard, TooWide
from visionsweeper.solver import Limit, solve
from visionsweeper.vision.tiles.classes import CLASS_NAMES, tiles_of_classes
from visionsweeper.vision.tiles.rules import ClassCodes
from visionsweeper.vision.tiles.search import Search, State

_ROUNDS: Final = 6
_DEAREST: Final = (
    3.5  # natural log; a class for which no prototype speaks costs more and would be an invention
)
_LIMIT: Final = Limit(memory=10, seconds=0.05)  # of counting; what takes more is taken for solvable
_GENEROUS_LIMIT: Final = Limit(memory=10, seconds=2.0)  # the memory decides: the time is hardly ever reached


def make_solvable(search: Search, classes: ClassCodes) -> tuple[ClassCodes, list[int]]:
    """Rename groups until the numbers can hold together.

    Each round takes a number that cannot hold by itself, or a smallest set of numbers that contradict each
    other, and makes the likeliest change of one group that lets these hold, and still those of the rounds
    before, if there is one that the evidence allows. Returns the (groups,) tile classes and the groups in
    doubt: those renamed, and those of numbers that still cannot hold.
    """
    state = State(search, classes)
    doubtful: set[int] = set()
    settled: set[tuple[int, int]] = set()
    for _ in range(_ROUNDS):
        board = _board(search, state.classes)
        conflict = conflict_of(board)
        if not conflict:
            break
        settled.update(conflict)
        place = [row * search.scene.columns + column for row, column in conflict]
        change = _likeliest_change(search, state, tuple(sorted(settled)), place)
        if change is None:
            doubtful.update(search.scene.groups[place].tolist())
            break
        doubtful.add(change[0])
        state.set(*change)
    return state.classes, sorted(doubtful)


def _likeliest_change(
    search: Search, state: State, numbers: tuple[tuple[int, int], ...], place: list[int]
) -> tuple[int, int] | None:
    """Return the likeliest (group, class) with which the numbers hold; None: none is likely enough.

    `place`: indices of the tiles of the conflict, which the group has to touch.
    """
    around = search.rules.around[place].ravel()
    near = np.append(around[around < len(search.scene.groups)], place)
    changes = sorted(
        (state.change(group, tile_class), group, tile_class)
        for group in np.unique(search.scene.groups[near]).tolist()
        for tile_class in range(len(CLASS_NAMES))
        if tile_class != state.classes[group]
    )
    for cost, group, tile_class in changes:
        if cost > _DEAREST:
            break
        trial = state.classes.copy()
        trial[group] = tile_class
        if not conflict_of(_only(_board(search, trial), numbers)):
            return group, tile_class
    return None


def _board(search: Search, classes: ClassCodes) -> Board:
    tiles = tiles_of_classes(classes[search.scene.groups])
    return Board(tiles.reshape(search.scene.rows, search.scene.columns), search.scene.continues)


def _only(board: Board, numbers: tuple[tuple[int, int], ...]) -> Board:
    """Return the board with all numbers hidden but these."""
    cells = np.where(board.numbers, SAFE, board.cells)
    for tile in numbers:
        cells[tile] = board.cells[tile]
    return board.changed(cells)


def conflict_of(board: Board) -> tuple[tuple[int, int], ...]:
    """Return numbers that cannot hold together, just one where it cannot hold by itself; empty: all can."""
    try:
        solve(board, limit=_LIMIT)
    except InconsistentBoard as error:
        # Where several cannot hold by themselves, no one change mends them all.
        return error.conflict[:1] if error.alone else error.conflict
    except (TooWide, ImpossibleBoard):
        return ()
    return ()


def mine_probability(board: Board) -> npt.NDArray[np.float64] | None:
    """Return each covered tile's probability of a mine, (rows, columns); NaN where no number tells it.

    None where the numbers contradict each other or take too much to count.
    """
    try:
        return solve(board, limit=_GENEROUS_LIMIT).probability
    except (InconsistentBoard, TooWide, ImpossibleBoard):
        return None
