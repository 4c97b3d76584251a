"""What is certain whatever is in doubt, tiles or the mine count, and what is only if that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Board
from visionsweeper.errors import ImpossibleBoard, TooWide
from visionsweeper.geometry import Position, positions_of
from visionsweeper.solver.chances import weigh
from visionsweeper.solver.limits import DEFAULT
from visionsweeper.solver.odds import Odds
from visionsweeper.wording import has_so_many_mines

MOST_DOUBTED: Final = 0.25
"""Share of doubted tiles above which a reading as a whole is not to be relied on: nothing is certain then."""

_MOST_NAMED: Final = 40
"""Doubted tiles near a tile that `hangs_on` looks at: each costs a count of the board."""


@dataclass(frozen=True)
class Certainty:
    """Covered tiles by how certain they are, (row, column) each in reading order."""

    safe: tuple[Position, ...] = ()
    """These are covered beyond doubt and hold no mine, whatever is in doubt."""
    mine: tuple[Position, ...] = ()
    """These are so and hold a mine, whatever is in doubt; shown mines are not listed."""
    safe_if_read_right: tuple[Position, ...] = ()
    """These hold no mine if the doubted tiles, and a doubtful mine count, are right."""
    mine_if_read_right: tuple[Position, ...] = ()
    """The same for mines."""
    on_doubt: bool = False
    """Whether some of those hang on doubted tiles."""
    on_mines: int | None = None
    """The doubtful mine count that some of those hang on; None where none does."""

    @classmethod
    def of(
        cls,
        found: Odds | TooWide,
        doubted: npt.NDArray[np.bool_] | None,
        board: Board,
        *,
        count_doubted: bool = False,
    ) -> Self:
        """Divide what was found certain of a board by whether it holds whatever is in doubt.

        `doubted`: (rows, columns) bool, None where no tile is in doubt. `count_doubted` says that the
        mine count is in doubt.
        """
        safe, mine = tuple(found.safe), tuple(found.mine)
        claims = frozenset((*safe, *mine))
        count = found.mines if isinstance(found, Odds) and count_doubted else None
        by_numbers = claims if count is None else _by_numbers(found)

        def lasting(*, counted: bool) -> frozenset[Position]:
            """Return what is certain whatever the doubted tiles are, with the mine count or without it."""
            if doubted is None or not doubted.any():
                return claims if counted else by_numbers
            if doubted.mean() > MOST_DOUBTED:
                return frozenset()
            return _whatever_doubted(found, board, doubted, by_numbers=not counted)

        sure = lasting(counted=count is None)
        hanging = claims - sure
        on_mines = count if hanging - by_numbers else None
        # Where the numbers would do, the doubted tiles are what keeps a claim from being certain.
        on_doubt = bool(hanging if on_mines is None else hanging - lasting(counted=True))
        return cls(
            safe=tuple(tile for tile in safe if tile in sure),
            mine=tuple(tile for tile in mine if tile in sure),
            safe_if_read_right=tuple(tile for tile in safe if tile not in sure),
            mine_if_read_right=tuple(tile for tile in mine if tile not in sure),
            on_doubt=on_doubt,
            on_mines=on_mines,
        )

    @property
    def condition(self) -> str:
        """What has to be right for the tiles that are not certain in any case, in words; "" without any."""
        read = ["the doubted tiles were read right"] if self.on_doubt else []
        return " and ".join(read if self.on_mines is None else [*read, has_so_many_mines(self.on_mines)])


def without(board: Board, doubted: npt.NDArray[np.bool_]) -> Board:
    """Return the board with nothing known of the doubted tiles, (rows, columns) bool.

    A covered tile says just that: it may hold a mine or none, and constrains nothing. So whatever a doubted
    tile really is, all placements of mines that then fit also fit this board.
    """
    cells = board.cells.copy()
    cells[doubted] = COVERED
    return board.changed(cells)


def hangs_on(
    odds: Odds, doubted: npt.NDArray[np.bool_], tile: Position, *, by_numbers: bool = False
) -> tuple[Position, ...]:
    """Return doubted tiles that have to be read right for a tile to be as certain as it seems.

    A smallest set in the sense that none of them can be left out; the farther ones are left out first.
    Empty where the tile is certain whatever they are, or is not certain at all. `by_numbers` leaves the mine
    count out: see `hangs_on_mines`.
    """
    if tile not in odds.safe and tile not in odds.mine:
        return ()

    def holds(unknown: npt.NDArray[np.bool_]) -> bool:
        return tile in _whatever_doubted(odds, odds.board, unknown, by_numbers=by_numbers)

    unknown = doubted.copy()
    if holds(unknown):
        return ()
    tiles = positions_of(doubted)
    near = sorted(tiles, key=lambda other: _apart(tile, other))
    needed = near[:_MOST_NAMED]
    for row, column in needed:
        unknown[row, column] = False
    if not holds(unknown):
        return tuple(sorted(needed))
    for other in reversed(list(needed)):
        unknown[other] = True
        if holds(unknown):
            needed.remove(other)
        else:
            unknown[other] = False
    return tuple(sorted(needed))


def hangs_on_mines(odds: Odds, tile: Position) -> bool:
    """Tell whether a tile is certain, but would not be by the numbers without the mine count."""
    return (tile in odds.safe or tile in odds.mine) and tile not in _by_numbers(odds)


def _by_numbers(found: Odds | TooWide) -> frozenset[Position]:
    """Return the tiles that are certain without the mine count.

    Of a board whose odds are estimated nothing is counted again: all that is certain counts as such.
    """
    if isinstance(found, Odds) and found.mines is not None and not found.estimated:
        chances = weigh(found.system, found.counts, None)
        found = Odds(found.board, None, found.trust_flags, found.system, found.counts, chances, found.limit)
    return frozenset((*found.safe, *found.mine))


def _whatever_doubted(
    found: Odds | TooWide, board: Board, doubted: npt.NDArray[np.bool_], *, by_numbers: bool = False
) -> frozenset[Position]:
    """Return the tiles that are certain whatever the doubted ones are, `by_numbers` without the mine count.

    A doubted tile is none of them: it may be opened, or lie beside the board.
    """
    mines, trust_flags = None, False
    if isinstance(found, Odds):
        mines, trust_flags = None if by_numbers else found.mines, found.trust_flags
    known: Odds | TooWide
    try:
        known = Odds.of(without(board, doubted), mines, trust_flags=trust_flags, limit=found.limit or DEFAULT)
    except TooWide as error:
        known = error
    except ImpossibleBoard:
        return frozenset()  # what contradicts itself proves nothing
    return frozenset((*known.safe, *known.mine)).difference(positions_of(doubted))


def _apart(one: Position, other: Position) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
