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

_LINE_LENGTH: Final = 16
"""Lines that tell a pitch are about half as long at least, px."""


def proposals(image: Image, lined: int = 7, repeated: int = 4) -> Iterator[Grid]:
    """Yield lattices in an (H, W, 3) uint8 RGB picture, the likeliest first, one at a time.

    Each is a rectangle of cells around which lines are seen, at `lined` distances, or which look like others
    of it, at `repeated` distances; and of cells that are not square, at a few more.
    """
    if min(image.shape[:2]) < _SMALLEST:
        return
    steps = periodicity.steps(image, 1), periodicity.steps(image, 0)
    drawn = [lines(steps[1 - axis], axis, _LINE_LENGTH).mean(axis=1 - axis) / 255 for axis in (1, 0)]
    squares = [(each, each) for each in periodicity.likely_pitches(drawn[0], drawn[1], count=lined)]
    for pitch in squares + periodicity.oblong_pitches(drawn[0], drawn[1]):
        by_lines = line_grid(steps, pitch)
        if by_lines is not None:
            yield by_lines[0]
    across, down = (periodicity.evidence(steps[1 - axis], axis, _LINE_LENGTH) for axis in (1, 0))
    squares = [
        (each, each) for each in periodicity.likely_pitches(across.content, down.content, count=repeated)
    ]
    for pitch in squares + periodicity.oblong_pitches(across.content, down.content, count=1):
        by_repetition = repeat_grid(image, pitch)
        if by_repetition is not None:
            yield by_repetition[0]


def proposals_in_parts(image: Image, parts: int) -> Iterator[Grid]:
    """Yield the proposals of overlapping windows, each 1 / `parts` of the picture wide and high.

    A small board drowns in the profiles of a large picture, not in those of a part of it.
    """
    height, width = image.shape[0] // parts, image.shape[1] // parts
    if min(height, width) < _SMALLEST_PART:
        return
    for row in range(2 * parts - 1):
        for column in range(2 * parts - 1):
            top, left = row * height // 2, column * width // 2
            window = np.ascontiguousarray(image[top : top + height, left : left + width])
            if np.ptp(window[::4, ::4]) < 4:
                continue
            for grid in proposals(window, lined=3, repeated=2):
                yield Grid(grid.x + left, grid.y + top)
