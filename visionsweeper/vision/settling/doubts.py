"""Tiles of a reading that are doubted: those cut off, hidden or not borne out, or all."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.locate import Location
from visionsweeper.vision.part_tiles import HALF, in_view
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.settling.agreement import borne_out
from visionsweeper.vision.settling.reader import Reader, judged

_DOUBT: Final = 0.5
"""Confidence of what may be no tile."""


def doubted(reading: Reading, shape: tuple[int, ...], hidden: npt.NDArray[np.bool_] | None = None) -> Reading:
    """Lower the confidence in (rows, columns) `hidden` tiles, and in those that a picture of `shape` cuts."""
    doubtful = cut_off(reading.grid, shape)
    if hidden is not None:
        doubtful |= hidden
    if not doubtful.any():
        return reading
    confidence = np.where(doubtful, np.minimum(reading.confidence, _DOUBT), reading.confidence)
    confidence.setflags(write=False)
    return replace(reading, confidence=confidence)


def cut_off(grid: Grid, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return (rows, columns) whether less than half of a tile lies in a picture of (height, width) px."""
    across, down = ~in_view(grid.x, shape[1], HALF), ~in_view(grid.y, shape[0], HALF)
    outer = np.zeros((grid.rows, grid.columns), np.bool_)
    outer[:, [0, -1]] |= across[[0, -1]]
    outer[[0, -1]] |= down[[0, -1], None]
    return outer


def with_doubts(
    image: npt.NDArray[np.uint8], place: Location, reading: Reading, read: Reader, *, everywhere: bool
) -> Reading:
    """Return the reading with its tiles doubted that are cut, hidden or not borne out, or all of them."""
    if not everywhere:
        reading = borne_out(reading, read)
    return doubted(reading, image.shape[:2], _hidden(place, reading.grid) | everywhere)


def _hidden(place: Location, grid: Grid) -> npt.NDArray[np.bool_]:
    """(rows, columns) whether a cell looks like no tile, as where a message or a menu lies over it."""
    known = judged(place, grid)
    if known is None or not known.convincing:
        return np.zeros((grid.rows, grid.columns), np.bool_)
    return known.cells < 0
