"""What a player knows of one game, as flat arrays, and what single numbers make of it.

The engine of bulk play works on these: tiles are row-major indices, the arrays are changed in place, and
everything is kept up to date from move to move instead of being worked out again.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.board import neighbour_table
from visionsweeper.engine.compiling import compiled
from visionsweeper.engine.structures import by_reference

UNKNOWN: Final = 0
OPENED: Final = 1
MINED: Final = 2
"""Certainly a mine."""
SAFE: Final = 3
"""Certainly none, and to be opened."""

COUNT_OPENED: Final = 0
COUNT_MINED: Final = 1
COUNT_UNKNOWN: Final = 2
COUNT_CHANGED: Final = 3
COUNT_SAFE: Final = 4
COUNT_FRESH: Final = 5


@by_reference
class PositionArrays(NamedTuple):
    """What a player knows of one game; T tiles."""

    around: npt.NDArray[np.int32]
    """(T, 8) the tiles around each, ascending, the first `degree` of them."""
    degree: npt.NDArray[np.int32]
    """(T,) number of tiles around each."""
    state: npt.NDArray[np.int8]
    """(T,) UNKNOWN, OPENED, MINED or SAFE."""
    unknown: npt.NDArray[np.int8]
    """(T,) unknown tiles around each."""
    owed: npt.NDArray[np.int8]
    """(T,) for opened tiles: the number less the known mines around it."""
    changed: npt.NDArray[np.int32]
    """Stack of the numbers that single-number logic has to look at."""
    is_changed: npt.NDArray[np.uint8]
    """(T,) whether a tile is on that stack."""
    safe: npt.NDArray[np.int32]
    """Stack of the safe tiles that are not opened yet."""
    fresh: npt.NDArray[np.int32]
    """Stack of the numbers that the subset rule has to look at."""
    is_fresh: npt.NDArray[np.uint8]
    """(T,) whether a tile is on that stack."""
    tally: npt.NDArray[np.int64]
    """(6,) the `COUNT_` fields: tiles in each state, and the heights of the three stacks."""


def new_position(rows: int, columns: int) -> PositionArrays:
    """Return a position with every tile unknown."""
    table = neighbour_table(rows, columns)
    tiles = rows * columns
    around = np.zeros((tiles, 8), np.int32)
    degree = (table >= 0).sum(axis=1).astype(np.int32)
    for tile, row in enumerate(table):
        around[tile, : degree[tile]] = row[row >= 0]
    position = PositionArrays(
        around=around,
        degree=degree,
        state=np.zeros(tiles, np.int8),
        unknown=np.zeros(tiles, np.int8),
        owed=np.zeros(tiles, np.int8),
        changed=np.zeros(tiles, np.int32),
        is_changed=np.zeros(tiles, np.uint8),
        safe=np.zeros(tiles, np.int32),
        fresh=np.zeros(tiles, np.int32),
        is_fresh=np.zeros(tiles, np.uint8),
        tally=np.zeros(6, np.int64),
    )
    position.unknown[:] = degree
    position.tally[COUNT_UNKNOWN] = tiles
    return position


@compiled
def clear(p: PositionArrays) -> None:
    """Make every tile unknown again."""
    p.state[:] = UNKNOWN
    p.is_changed[:] = 0
    p.is_fresh[:] = 0
    p.tally[:] = 0
    p.tally[COUNT_UNKNOWN] = p.state.size
    for tile in range(p.state.size):
        p.unknown[tile] = p.degree[tile]


@compiled
def copy_position(source: PositionArrays, target: PositionArrays) -> None:
    """Make `target`, of the same size, equal to `source`."""
    # By hand: numba takes seconds to compile what assigns one array to another.
    for tile in range(source.state.size):
        target.state[tile] = source.state[tile]
        target.unknown[tile] = source.unknown[tile]
        target.owed[tile] = source.owed[tile]
        target.is_changed[tile] = source.is_changed[tile]
        target.is_fresh[tile] = source.is_fresh[tile]
    for i in range(source.tally.size):
        target.tally[i] = source.tally[i]
    for i in range(source.tally[COUNT_CHANGED]):
        target.changed[i] = source.changed[i]
    for i in range(source.tally[COUNT_SAFE]):
        target.safe[i] = source.safe[i]
    for i in range(source.tally[COUNT_FRESH]):
        target.fresh[i] = source.fresh[i]


@compiled
def note_change(p: PositionArrays, number: int) -> None:
    """Note that something around an opened number is new."""
    if not p.is_changed[number]:
        p.is_changed[number] = 1
        p.changed[p.tally[COUNT_CHANGED]] = number
        p.tally[COUNT_CHANGED] += 1
    if not p.is_fresh[number]:
        p.is_fresh[number] = 1
        p.fresh[p.tally[COUNT_FRESH]] = number
        p.tally[COUNT_FRESH] += 1


@compiled
def forget_changes(p: PositionArrays) -> None:
    """Empty both stacks of numbers."""
    for i in range(p.tally[COUNT_CHANGED]):
        p.is_changed[p.changed[i]] = 0
    for i in range(p.tally[COUNT_FRESH]):
        p.is_fresh[p.fresh[i]] = 0
    p.tally[COUNT_CHANGED] = 0
    p.tally[COUNT_FRESH] = 0


@compiled
def no_longer_unknown(p: PositionArrays, tile: int, owed: int) -> None:
    """Tell the numbers around; `owed` is 1 when the tile turned out to be a mine, else 0."""
    p.tally[COUNT_UNKNOWN] -= 1
    for i in range(p.degree[tile]):
        other = p.around[tile, i]
        p.unknown[other] -= 1
        if p.state[other] == OPENED:
            p.owed[other] -= owed
            note_change(p, other)


@compiled
def mark_safe(p: PositionArrays, tile: int) -> None:
    """Mark an unknown tile as safe: it waits to be opened."""
    p.state[tile] = SAFE
    p.safe[p.tally[COUNT_SAFE]] = tile
    p.tally[COUNT_SAFE] += 1
    no_longer_unknown(p, tile, 0)


@compiled
def mark_mine(p: PositionArrays, tile: int) -> None:
    """Mark an unknown tile as a mine."""
    p.state[tile] = MINED
    p.tally[COUNT_MINED] += 1
    no_longer_unknown(p, tile, 1)


@compiled
def show(p: PositionArrays, tile: int, number: int) -> None:
    """Open a tile that was unknown or safe: it shows this number."""
    if p.state[tile] == UNKNOWN:
        no_longer_unknown(p, tile, 0)
    p.state[tile] = OPENED
    p.tally[COUNT_OPENED] += 1
    p.owed[tile] = number - mines_around(p, tile)
    note_change(p, tile)


@compiled
def mines_around(p: PositionArrays, tile: int) -> int:
    """Count the known mines around a tile."""
    mines = 0
    for i in range(p.degree[tile]):
        if p.state[p.around[tile, i]] == MINED:
            mines += 1
    return mines


@compiled
def settle(p: PositionArrays) -> bool:
    """Apply single numbers until none of them says anything new; False when one cannot hold."""
    while p.tally[COUNT_CHANGED]:
        p.tally[COUNT_CHANGED] -= 1
        number = p.changed[p.tally[COUNT_CHANGED]]
        p.is_changed[number] = 0
        owed, unknown = p.owed[number], p.unknown[number]
        if owed < 0 or owed > unknown:
            return False
        if unknown == 0 or 0 < owed < unknown:
            continue
        for i in range(p.degree[number]):
            tile = p.around[number, i]
            if p.state[tile] == UNKNOWN:
                if owed == 0:
                    mark_safe(p, tile)
                else:
                    mark_mine(p, tile)
    return True
