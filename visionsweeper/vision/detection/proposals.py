"""Lattices that may be a board's: proposed by lines, by repeated tiles, by where glyphs and characters stand.

The right one is nearly always among them; which it is, the tile map tells. The first two are looked for in
parts of the picture too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.glyph_grid import glyph_grids
from visionsweeper.vision.detection.line_grid import Pitch, line_grid, lines
from visionsweeper.vision.detection.repeat_grid import repeat_grid
from visionsweeper.vision.detection.text_grid import text_grids

Image = npt.NDArray[np.uint8]

_SMALLEST: Final = 24
"""Pictures less wide or high than this hold no board, px."""

_SMALLEST_PART: Final = 120
"""The same for parts of a picture that are searched by themselves, px."""

_FLAT: Final = 4
"""Range of gray levels below which a part of a picture shows nothing."""

_SMALLER: Final = 0.75
"""Share of a cell's size below which cells are looked for within a field of such cells."""

_LINE_LENGTH: Final = 16
"""Lines that tell a pitch are about half as long at least, px."""


def proposals(image: Image, enclosed: list[Grid] | None = None) -> Iterator[Grid]:
    """Yield lattices in an (H, W, 3) uint8 RGB picture, the likeliest first, one at a time.

    Each is a rectangle of cells around which lines are seen, or which look like others of it. The former are
    added to `enclosed`.
    """
    if min(image.shape[:2]) >= _SMALLEST:
        steps = _steps(image)
        for grid in _by_lines(steps, 5):
            if enclosed is not None:
                enclosed.append(grid)
            yield grid
        yield from _by_repetition(image, steps, 4)


def proposals_by_glyphs(image: Image) -> Iterator[Grid]:
    """Yield lattices in an (H, W, 3) uint8 RGB picture that glyphs tell: one a cell, or a few characters.

    Nothing need be seen of the tiles themselves. But where they are seen, that tells better where they are.
    """
    if min(image.shape[:2]) >= _SMALLEST:
        steps = _steps(image)
        yield from glyph_grids(steps, 3)
        yield from text_grids(steps)


def proposals_in_parts(image: Image, parts: int, enclosed: Sequence[Grid] = ()) -> Iterator[Grid]:
    """Yield the proposals of overlapping windows, each 1 / `parts` of the picture wide and high.

    A small board drowns in the profiles of a large picture, not in those of a part of it. A window that is
    filled by cells known to be `enclosed` by lines holds no larger ones.
    """
    height, width = image.shape[0] // parts, image.shape[1] // parts
    if min(height, width) < _SMALLEST_PART:
        return
    for row in range(2 * parts - 1):
        for column in range(2 * parts - 1):
            top, left = row * height // 2, column * width // 2
            window = np.ascontiguousarray(image[top : top + height, left : left + width])
            box = (left, top, left + width, top + height)
            filling = [(each.pitch_x, each.pitch_y) for each in enclosed if _fills(each, box)]
            for grid in proposals_in_window(window, filling):
                yield Grid(grid.x + left, grid.y + top)


def proposals_in_window(window: Image, filling: Sequence[Pitch] = ()) -> Iterator[Grid]:
    """Yield the likeliest few lattices in an (H, W, 3) uint8 RGB part of a picture.

    Repeated tiles are looked for only where no cells have lines around them. `filling` are the sizes of cells
    that fill it: it holds no larger ones.
    """
    if _shows_nothing(window):
        return
    steps = _steps(window)
    found = list(_by_lines(steps, 3, oblong=1, filling=filling))
    yield from found or ([] if filling else _by_repetition(window, steps, 2))


def proposals_at_pitch(image: Image, pitch: Pitch) -> Iterator[Grid]:
    """Yield the lattices in an (H, W, 3) uint8 RGB picture whose cells are about so many px wide and high."""
    if _shows_nothing(image):
        return
    found = line_grid(_steps(image), pitch)
    if found is not None:
        yield found[0]
    found = repeat_grid(image, pitch)
    if found is not None:
        yield found[0]


def _shows_nothing(window: Image) -> bool:
    """Whether a part of a picture is too small for a board, or of one colour."""
    return bool(min(window.shape[:2]) < _SMALLEST or np.ptp(window[::4, ::4]) < _FLAT)


def _fills(lattice: Grid, box: Box) -> bool:
    """Whether a lattice reaches, to about a cell, over the whole of a box."""
    x0, y0, x1, y1 = lattice.box
    across, down = 1.5 * lattice.pitch_x, 1.5 * lattice.pitch_y
    return bool(
        x0 <= box[0] + across and y0 <= box[1] + down and x1 >= box[2] - across and y1 >= box[3] - down
    )


def _steps(image: Image) -> tuple[Image, Image]:
    """Return the steps between neighbouring pixels along x and along y."""
    return periodicity.steps(image, 1), periodicity.steps(image, 0)


def _by_lines(
    steps: tuple[Image, Image], count: int, *, oblong: int = 2, filling: Sequence[Pitch] = ()
) -> Iterator[Grid]:
    """Yield the cells with lines around them, at so many distances, and at a few of oblong tiles.

    Passed over are those of about the cells that fill the picture, `filling`, or of larger ones.
    """
    drawn = [lines(steps[1 - axis], axis, _LINE_LENGTH).mean(axis=1 - axis) / 255 for axis in (1, 0)]
    squares = [(each, each) for each in periodicity.likely_pitches(drawn[0], drawn[1], count=count)]
    for pitch in squares + periodicity.oblong_pitches(drawn[0], drawn[1], count=oblong):
        if any(pitch[0] > _SMALLER * other[0] and pitch[1] > _SMALLER * other[1] for other in filling):
            continue
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
