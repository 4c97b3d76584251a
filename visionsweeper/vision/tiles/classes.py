"""Tile classes: what a tile looks like, before the board notation folds several classes into one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, SAFE

WRONG_FLAG: Final = 12
QUESTION: Final = 13
EXPLODED: Final = 14
"""A mine on a background of its own, the one that was stepped on."""
CLASS_COUNT: Final = 15
"""Number of tile classes."""

CLASS_NAMES: Final = (
    *(str(number) for number in range(9)),
    "covered",
    "flag",
    "mine",
    "wrong flag",
    "question mark",
)
"""Tile class -> name; 0 to 8 are opened tiles. Exploded mines are classified as mines."""

_TILE_OF_CLASS: Final = np.array([*range(9), COVERED, FLAG, MINE, SAFE, COVERED, MINE], dtype=np.uint8)


def tiles_of_classes(classes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint8]:
    """Turn tile classes, of any integer type, into tile codes of `board`, same shape.

    Question marks are covered, exploded mines mines.
    """
    tiles: npt.NDArray[np.uint8] = _TILE_OF_CLASS[classes]
    return tiles
