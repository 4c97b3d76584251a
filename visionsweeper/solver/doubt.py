"""What is certain whatever is in doubt, tiles or the mine count, and what is only if that is right."""

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
from visionsweeper.wording import has_standard_count

MOST_DOUBTED: Final = 0.25
"""Share of doubted tiles above which a reading as a whole is not to be relied on: nothing is certain then."""

_MOST_NAMED: Final = 40
"""Doubted tiles near a tile that `hangs_on` looks at: each costs a count of the board."""


@dataclass(frozen=True)
class Certainty:
    """Covered tiles by how certain they are, (row, column) each in reading order."""

    safe: tuple[Position, ...] = ()
    """These are covered beyond doubt and hold no mine, whatever the doubted tiles are."""
    mine: tuple[Position, ...] = ()
    """These are so and hold a mine, whatever the doubted tiles are; shown mines are not listed."""
    safe_if_read_right: tuple[Position, ...] = ()
    """These hold no mine if the doubted tiles were read right and an assumed mine count is right."""
    mine_if_read_right: tuple[Position, ...] = ()
    """The same for mines."""
    on_doubt: bool = False
    """Whether some of those hang on doubted tiles."""
    on_mines: int | None = None
    """The assumed mine count that some of those hang on; None where none does."""

    @classmethod
    def of(
        cls,
        found: Odds | TooWide,
        doubted: npt.NDArray[np.bool_] | None,
        board: Board,
        *,
        assumed: bool = False,
    ) -> Self:
        """Divide what was found certain of a board by whether it holds whatever is in doubt.

        `doubted`: (rows, columns) bool, None where no tile is in doubt. `assumed` says that the mine count is
        merely the usual one for a board of that size.
        """
        safe, mine = tuple(found.safe), tuple(found.mine)
        nowhere = np.zeros(board.cells.shape, np.bool_)
        unsure = nowhere if doubted is None else doubted
        counted = found.mines if isinstance(found, Odds) else None
        known = None if assumed else counted
        if not unsure.any() and known == counted:
            return cls(safe, mine)
        if unsure.mean() > MOST_DOUBTED:
            return cls((), (), safe, mine, on_doubt=True)
        trust_flags = isinstance(found, Odds) and found.trust_flags

        def lasting(unknown: npt.NDArray[np.bool_], mines: int | None) -> frozenset[Position]:
            sure = _certain(board, unknown, mines, trust_flags, found.limit or DEFAULT)
            return sure[0].intersection(safe) | sure[1].intersection(mine)

        claims, sure = frozenset((*safe, *mine)), lasting(unsure, known)
        on_mines = counted if known != counted and sure < claims and lasting(nowhere, None) < claims else None
        return cls(
            safe=tuple(tile for tile in safe if tile in sure),
            mine=tuple(tile for tile in mine if tile in sure),
            safe_if_read_right=tuple(tile for tile in safe if tile not in sure),
            mine_if_read_right=tuple(tile for tile in mine if tile not in sure),
            on_doubt=sure < claims and (on_mines is None or lasting(unsure, counted) < claims),
            on_mines=on_mines,
        )

    @property
    def condition(self) -> str:
        """What has to be right for the tiles that are not certain in any case, in words; "" without any."""
        read = ["the doubted tiles were read right"] if self.on_doubt else []
        return " and ".join(read if self.on_mines is None else [*read, has_standard_count(self.on_mines)])


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


def hangs_on_mines(odds: Odds, tile: Position) -> bool:
    """Tell whether a tile is certain with the mine count alone, and not by the numbers."""
    if tile not in odds.safe and tile not in odds.mine:
        return False
    nowhere = np.zeros(odds.board.cells.shape, np.bool_)
    return not any(
        tile in tiles for tiles in _certain(odds.board, nowhere, None, odds.trust_flags, odds.limit)
    )


def _holds(odds: Odds, unknown: npt.NDArray[np.bool_], tile: Position, wanted: int) -> bool:
    return tile in _certain(odds.board, unknown, odds.mines, odds.trust_flags, odds.limit)[wanted]


def _certain(
    board: Board, doubted: npt.NDArray[np.bool_], mines: int | None, trust_flags: bool, limit: Limit
) -> tuple[frozenset[Position], frozenset[Position]]:
    """Return the tiles that certainly hold no mine, and those that certainly hold one.

    A doubted tile is none of them: it may be opened, or lie beside the board.
    """
    found: Odds | TooWide
    try:
        found = Odds.of(without(board, doubted), mines, trust_flags=trust_flags, limit=limit)
    except TooWide as error:
        found = error
    except ImpossibleBoard:
        return frozenset(), frozenset()  # what contradicts itself proves nothing
    unsure = frozenset(positions_of(doubted))
    return frozenset(found.safe) - unsure, frozenset(found.mine) - unsure


def _apart(one: Position, other: Position) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
