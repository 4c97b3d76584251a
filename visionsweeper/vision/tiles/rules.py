"""The rules of the game as penalties on a naming: cheap, local, and looked up in a table."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, Board, Side, neighbour_table
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION

ClassCodes = npt.NDArray[np.intp]


class Rules:
    """What a naming costs where it breaks the rules of the game.

    A number beyond what surrounds it or below the mines shown around it; an opened 0 that touches a covered
    tile, a flag or a mine; more flags than the number. And a little for a number that touches no opened 0:
    calling every blank covered breaks no rule, yet most numbers were opened by a 0. Where the board goes on
    beyond the picture, mines and a 0 may lie there.

    On a lost board every mine is shown or flagged: a number that counts more than these costs as much
    there as one that counts more than its closed neighbours does elsewhere.
    """

    def __init__(
        self, rows: int, columns: int, continues: tuple[Side, ...] = (), *, lost: bool = False
    ) -> None:
        self.lost = lost
        # Tile n stands for the outside and matches no class.
        table = neighbour_table(rows, columns)
        self.around = np.where(table < 0, rows * columns, table)
        """(n, 8) indices of the tiles around each; n where there is none."""
        unseen = Board(np.zeros((rows, columns), dtype=np.uint8), continues).unseen_around.ravel()
        self.part = np.where(unseen > 0, OPEN_ENDED, 0) + (LOST if lost else 0)
        """(n,) where the part of the penalty table begins that holds for each tile: added to TABLE_ROW."""

    def counts(self, classes: ClassCodes) -> npt.NDArray[np.int64]:
        """Count what is around each of (n,) tile classes, (n,) as digits to base 9 (see COUNT_WEIGHT)."""
        padded = np.append(classes, len(CLASS_NAMES))
        counts: npt.NDArray[np.int64] = COUNT_WEIGHT[padded][self.around].sum(axis=1)
        return counts

    def penalties(self, classes: ClassCodes) -> npt.NDArray[np.float64]:
        """Return the penalty of each of (n,) tile classes, (n,)."""
        penalties: npt.NDArray[np.float64] = penalty_table()[
            self.counts(classes) + TABLE_ROW[classes] + self.part
        ]
        return penalties


def _count_weights() -> npt.NDArray[np.int64]:
    weights = np.zeros(len(CLASS_NAMES) + 1, dtype=np.int64)
    weights[[COVERED, QUESTION]] = 1
    weights[FLAG] = 9
    weights[MINE] = 81
    weights[0] = 729
    return weights


COUNT_WEIGHT: Final = _count_weights()
"""Tile class -> its weight in a count; eight tiles at most never carry over to the next base-9 digit."""

TABLE_ROW: Final = np.minimum(np.arange(len(CLASS_NAMES)), 9) * 9**4
"""Tile class -> where its part of the penalty table begins; all that are no number share the last."""


OPEN_ENDED: Final = 10 * 9**4
"""How far behind the penalties of a tile are those that it has where not all of its neighbours are seen."""

LOST: Final = 2 * OPEN_ENDED
"""How far behind the penalties of a tile are those that it has on a lost board."""


@lru_cache(maxsize=1)
def penalty_table() -> npt.NDArray[np.float64]:
    """Return the penalties by number and count.

    One look-up a tile instead of arithmetic, thousands of times a board.
    """
    count = np.arange(9**4)
    covered, flags, mines, zeros = count % 9, count // 9 % 9, count // 81 % 9, count // 729
    parts = []
    for lost, closed in product((0, 1), (1, 0)):
        parts.append(np.minimum(0.8 * covered + 0.8 * flags + 1.5 * mines, 4.0))
        for number in range(1, 9):
            short = closed * np.maximum(number - (0 if lost else covered) - flags - mines, 0)
            beyond = np.maximum(mines - number, 0)
            flagged = np.maximum(flags + mines - number, 0)
            broken = np.minimum(2.0 * short + 2.0 * beyond + 0.5 * flagged, 4.0)
            parts.append(broken + 0.15 * closed * (zeros == 0))
        parts.append(np.zeros(9**4))
    return np.concatenate(parts)
