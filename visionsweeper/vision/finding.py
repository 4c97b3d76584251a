"""Finds the board in a picture that shows more than the board: a window, a page, a whole screen."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.vision import lattice
from visionsweeper.vision.grid import Grid
from visionsweeper.vision.line_lattice import line_lattice
from visionsweeper.vision.twin_lattice import twin_lattice

_SURE: Final = 0.9
"""Enclosure of the cells (0..1) from which lines need no second opinion."""

_LIKELY: Final = 0.5
"""Share of tiles with twins, or enclosure, below which there is no board."""

_FEWEST: Final = 9
"""Tiles of the smallest board that is believed in unasked."""


def find_grid(image: npt.NDArray[np.uint8]) -> Grid:
    """The grid of the board somewhere in an (H, W, 3) uint8 RGB picture, nothing else being known.

    The lattice of lines is taken where it is beyond doubt, else the one of look-alikes.
    Raises NoBoardFound.
    """
    if min(image.shape[:2]) >= 16:
        steps = lattice.steps(image, 1), lattice.steps(image, 0)
        across, down = lattice.evidence(steps[0], 1, 16), lattice.evidence(steps[1], 0, 16)
        pitches = lattice.likely_pitches(across.lines, down.lines, count=4)
        lines = _largest([line_lattice(steps, pitch) for pitch in pitches])
        if lines is not None and lines[1] >= _SURE:
            return lines[0]
        pitches = lattice.likely_pitches(across.content, down.content, count=2)
        found = _largest([lines, *(twin_lattice(image, pitch) for pitch in pitches)])
        if found is not None and found[1] >= _LIKELY:
            return found[0]
    raise NoBoardFound(
        f"no board was found in this picture of {image.shape[1]}x{image.shape[0]} px; "
        "crop it to the board and say how many tiles wide it is with --width"
    )


def _largest(candidates: list[tuple[Grid, float] | None]) -> tuple[Grid, float] | None:
    """The candidate of the largest area that is filled well; of equal ones that of more tiles."""

    def merit(candidate: tuple[Grid, float]) -> tuple[float, int]:
        grid, fill = candidate
        area = (grid.box[2] - grid.box[0]) * (grid.box[3] - grid.box[1])
        return area * fill**2, grid.rows * grid.columns

    good = [c for c in candidates if c is not None and c[0].rows * c[0].columns >= _FEWEST]
    if not good:
        return None
    best = max(good, key=merit)
    # Every second line of a checkerboard makes a lattice too: the finer one of the same area is the board.
    rivals = [c for c in good if merit(c)[0] > 0.7 * merit(best)[0]]
    return max(rivals or [best], key=lambda c: c[0].rows * c[0].columns)
