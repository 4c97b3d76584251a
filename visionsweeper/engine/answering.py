"""The odds of given positions of one size, compiled."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.engine.compiling import compiled_and_kept
from visionsweeper.engine.counting import (
    CERTAINLY_MINED,
    CERTAINLY_SAFE,
    FITS,
    IMPOSSIBLE,
    Count,
    count_odds,
    new_count,
)
from visionsweeper.engine.position import (
    COUNT_MINED,
    MINED,
    SAFE,
    UNKNOWN,
    PositionArrays,
    clear,
    new_position,
    settle,
    show,
)
from visionsweeper.engine.structures import by_reference

_COVERED: Final = int(COVERED)


@by_reference
class Room(NamedTuple):
    """What counting positions of one size needs; no two threads may use one at a time."""

    position: PositionArrays
    solutions: Count


def new_room(rows: int, columns: int) -> Room:
    """Return arrays for positions of this size."""
    return Room(new_position(rows, columns), new_count(rows * columns))


@compiled_and_kept
def answer_positions(
    room: Room,
    cells: npt.NDArray[np.uint8],
    mines: npt.NDArray[np.int64],
    probability: npt.NDArray[np.float64],
    certain: npt.NDArray[np.int8],
    fits: npt.NDArray[np.int8],
) -> None:
    """Fill in the odds of N positions of T tiles.

    `cells`: (N, T), 0 to 8 for opened tiles, COVERED and above for covered ones; `mines`: (N,). Results:
    `probability` (N, T), NaN for opened tiles; `certain` (N, T), 0, CERTAINLY_SAFE or CERTAINLY_MINED; `fits`
    (N,), FITS, IMPOSSIBLE or TOO_WIDE, the latter two without odds.
    """
    p, c = room.position, room.solutions
    for one in range(mines.size):
        clear(p)
        for tile in range(p.state.size):
            if cells[one, tile] < _COVERED:
                show(p, tile, int(cells[one, tile]))
        fits[one] = IMPOSSIBLE
        if settle(p) and mines[one] >= p.tally[COUNT_MINED]:
            fits[one] = count_odds(p, c, mines[one] - p.tally[COUNT_MINED])
        for tile in range(p.state.size):
            certain[one, tile] = 0
            probability[one, tile] = np.nan
            if fits[one] != FITS:
                continue
            state = p.state[tile]
            if state == UNKNOWN:
                certain[one, tile] = c.certain[tile]
                probability[one, tile] = c.probability[tile]
            elif state == SAFE:
                certain[one, tile] = CERTAINLY_SAFE
            elif state == MINED:
                certain[one, tile] = CERTAINLY_MINED
            if certain[one, tile] == CERTAINLY_SAFE:
                probability[one, tile] = 0.0
            elif certain[one, tile] == CERTAINLY_MINED:
                probability[one, tile] = 1.0
