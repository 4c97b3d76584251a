"""Which tile to open next, and why, in a sentence."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.geometry import Position
from visionsweeper.wording import format_percentage, tile_name, tile_subject

_EQUAL_WITHIN = 1e-12
"""Probabilities nearer than this count as equal: that is the precision they are promised to."""


def choose(
    board: Board, probability: npt.NDArray[np.float64], safe: list[Position]
) -> tuple[Position | None, str]:
    """Choose the tile to open next, and say why; (None, reason) when there is none.

    `probability` is (rows, columns) float64, NaN where unknown; `safe` the certainly safe tiles. A safe tile
    with the most covered neighbours comes first: it tells the most. Otherwise the least likely mine; of equal
    ones the frontier comes first, then the tile with the fewest covered neighbours, the likeliest to be a 0.
    """
    covered = board.covered
    if safe:
        around = _count_around(covered)
        best = max(safe, key=lambda tile: int(around[tile]))
        others = len(safe) - 1
        more = f", and so {'is 1 other' if others == 1 else f'are {others} others'}" if others else ""
        return best, f"{tile_subject(*best)} is certainly safe{more}."
    if not covered.any():
        return None, "No covered tile is left."
    if np.isnan(probability[covered]).all():
        return None, "No covered tile is next to a number, and the mine count is not known."
    least = float(np.nanmin(probability))
    if least == 1:
        return None, "Every covered tile whose odds are known is certainly a mine."
    equal = probability <= least + _EQUAL_WITHIN
    frontier = equal & (_count_around(board.numbers) > 0)
    pool = frontier if frontier.any() else equal
    rows, columns = np.nonzero(pool)
    at = int(_count_around(covered)[rows, columns].argmin())
    best = (int(rows[at]), int(columns[at]))
    ties = int(equal.sum()) - 1
    tied = f", like {ties} other{'s' if ties > 1 else ''}" if ties else ""
    percent = format_percentage(least, certain=False)
    return best, f"No tile is certain; {tile_name(*best)} is the least likely mine ({percent}{tied})."


def _count_around(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """(rows, columns) uint8: how many of the up to eight neighbours are set."""
    rows, columns = mask.shape
    padded = np.zeros((rows + 2, columns + 2), dtype=np.uint8)
    padded[1:-1, 1:-1] = mask
    total = np.zeros((rows, columns), dtype=np.uint8)
    for down in range(3):
        for right in range(3):
            if (down, right) != (1, 1):
                total += padded[down : down + rows, right : right + columns]
    return total
