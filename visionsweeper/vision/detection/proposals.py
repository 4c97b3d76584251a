"""Lattices that may be a board's: proposed by lines and by repeated tiles, in the picture and in parts of it.

The right one is nearly always among them; which it is, the tile map tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.line_grid import line_grid, lines
from visionsweeper.vision.detection.repeat_grid import repeat_grid

Image = npt.NDArray[np.uint8]

_SMALLEST: Final = 24
"""Pictures less wide or high than this hold no board, px."""

_SMALLEST_PART: Final = 120
"""The same for parts of a picture that are searched by themselves, px."""

_FLAT: Final = 4
"""Range of gray levels below which a part of a picture shows nothing."""

_LINE_LENGTH: Final = 16
"""Lines that tell a pitch are about half as long at least, px."""


def proposals(image: Image) -> Iterator[Grid]:
    """Yield lattices in an (H, W, 3) uint8 RGB picture, the likeliest first, one at a time.

    Each is a rectangle of cells around which lines are seen, or which look like others of it.
    """
    if min(image.shape[:2]) >= _SMALLEST:
        steps = _steps(image)
        yield from _by_lines(steps, 7)
        yield from _by_repetition(image, steps, 4)


def proposals_in_parts(image: Image, parts: int) -> Iterator[Grid]:
    """Yield the proposals of overlapping windows, each 1 / `parts` of the picture wide and high.

    A small board drowns in the profiles of a large picture, not in those of a part of it. Repeated tiles are
    looked for only where a window shows no cells with lines around them.
    """
    height, width = image.shape[0] // parts, image.shape[1] // parts
    if min(height, width) < _SMALLEST_PART:
        return
    for row in range(2 * parts - 1):
        for column in range(2 * parts - 1):
            top, left = row * height // 2, column * width // 2
            window = np.ascontiguousarray(image[top : top + height, left : left + width])
            if np.ptp(window[::4, ::4]) < _FLAT:
                continue
            steps = _steps(window)
            for grid in list(_by_lines(steps, 3)) or _by_repetition(window, steps, 2):
                yield Grid(grid.x + left, grid.y + top)


def _steps(image: Image) -> tuple[Image, Image]:
    """Return the steps between neighbouring pixels along x and along y."""
    return periodicity.steps(image, 1), periodicity.steps(image, 0)


def _by_lines(steps: tuple[Image, Image], count: int) -> Iterator[Grid]:
    """Yield the cells with lines around them, at so many distances, and at a few of oblong tiles."""
    drawn = [lines(steps[1 - axis], axis, _LINE_LENGTH).mean(axis=1 - axis) / 255 for axis in (1, 0)]
    squares = [(each, each) for each in periodicity.likely_pitches(drawn[0], drawn[1], count=count)]
    for pitch in squares + periodicity.oblong_pitches(drawn[0], drawn[1]):
        found = line_grid(steps, pitch)
        if found is not None:
            yield found[0]


def _by_repetition(image: Image, steps: tuple[Image, Image], count: int) -> Iterator[Grid]:
    """Yield the cells that look like others, at so many distances, and at one of oblong tiles."""
    across, down = (periodicity.evidence(steps[1 - axis], axis, _LINE_LENGTH).content for axis in (1, 0))
    squares = [(each, each) for each in periodicity.likely_pitches(across, down, count=count)]
    for pitch in squares + periodicity.oblong_pitches(across, down, count=1):
        found = repeat_grid(image, pitch)
        if found is not None:
            yield found[0]
