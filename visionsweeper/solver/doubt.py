"""What is certain although some tiles are in doubt, and what is certain only if these were read right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Board
from visionsweeper.errors import ImpossibleBoard, TooWide
from visionsweeper.geometry import Position, positions_of
from visionsweeper.solver.limits import DEFAULT, Limit
from visionsweeper.solver.odds import Odds

MOST_DOUBTED: Final = 0.25
"""Share of doubted tiles above which a reading as a whole is not to be relied on: nothing is certain then."""

_MOST_NAMED: Final = 40
"""Doubted tiles near a tile that `hangs_on` looks at: each costs a count of the board."""


@dataclass(frozen=True)
class Certainty:
    """Covered tiles by how certain they are, (row, column) each in reading order."""

    safe: tuple[Position, ...] = ()
    """These hold no mine, whatever the doubted tiles are."""
    mine: tuple[Position, ...] = ()
    """These hold a mine, whatever the doubted tiles are; shown mines are not listed."""
    safe_if_read_right: tuple[Position, ...] = ()
    """These hold no mine if the doubted tiles are what they were read as."""
    mine_if_read_right: tuple[Position, ...] = ()
    """The same for mines."""

    @classmethod
    def of(cls, found: Odds | TooWide, doubted: npt.NDArray[np.bool_] | None, board: Board) -> Self:
        """Divide what was found certain of a board by whether it survives the doubt.

        `doubted`: (rows, columns) bool, None where no tile is in doubt.
        """
        safe, mine = tuple(found.safe), tuple(found.mine)
        if doubted is None or not doubted.any():
            return cls(safe, mine)
        if doubted.mean() > MOST_DOUBTED:
            return cls((), (), safe, mine)
        mines, trust_flags, limit = None, False, found.limit or DEFAULT
        if isinstance(found, Odds):
            mines, trust_flags = found.mines, found.trust_flags
        sure = _certain(without(board, doubted), mines, trust_flags, limit)
        return cls(
            safe=tuple(tile for tile in safe if tile in sure[0]),
            mine=tuple(tile for tile in mine if tile in sure[1]),
            safe_if_read_right=tuple(tile for tile in safe if tile not in sure[0]),
            mine_if_read_right=tuple(tile for tile in mine if tile not in sure[1]),
        )


def without(board: Board, doubted: npt.NDArray[np.bool_]) -> Board:
    """Return the board with nothing known of the doubted tiles, (rows, columns) bool.

    A covered tile says just that: it may hold a mine or none, and constrains nothing. So whatever a doubted
    tile really is, all placements of mines that then fit also fit this board.
    """
    cells = board.cells.copy()
    cells[doubted] = COVERED
    return board.changed(cells)


def hangs_on(odds: Odds, doubted: npt.NDArray[np.bool_], tile: Position) -> tuple[Position, ...]:
    """Return doubted tiles that have to be read right for a tile to be as certain as it seems.

    A smallest set in the sense that none of them can be left out; the farther ones are left out first.
    Empty where the tile is certain whatever they are, or is not certain at all.
    """
    if tile not in odds.safe and tile not in odds.mine:
        return ()
    wanted = 0 if tile in odds.safe else 1
    unknown = doubted.copy()
    if _holds(odds, unknown, tile, wanted):
        return ()
    tiles = positions_of(doubted)
    near = sorted(tiles, key=lambda other: _apart(tile, other))
    needed = near[:_MOST_NAMED]
    for row, column in needed:
        unknown[row, column] = False
    if not _holds(odds, unknown, tile, wanted):
        return tuple(sorted(needed))
    for other in reversed(list(needed)):
        unknown[other] = True
        if _holds(odds, unknown, tile, wanted):
            needed.remove(other)
        else:
            unknown[other] = False
    return tuple(sorted(needed))


def _holds(odds: Odds, unknown: npt.NDArray[np.bool_], tile: Position, wanted: int) -> bool:
    return tile in _certain(without(odds.board, unknown), odds.mines, odds.trust_flags, odds.limit)[wanted]


def _certain(
    board: Board, mines: int | None, trust_flags: bool, limit: Limit
) -> tuple[frozenset[Position], frozenset[Position]]:
    """Return the tiles that certainly hold no mine, and those that certainly hold one."""
    found: Odds | TooWide
    try:
        found = Odds.of(board, mines, trust_flags=trust_flags, limit=limit)
    except TooWide as error:
        found = error
    except ImpossibleBoard:
        return frozenset(), frozenset()  # what contradicts itself proves nothing
    return frozenset(found.safe), frozenset(found.mine)


def _apart(one: Position, other: Position) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
