"""Where the board lies, given the picture and what the user says of it: width, height, box."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.detection.find import find_grids
from visionsweeper.vision.detection.grid import Fit, fit

_WHOLE: Final = 1.0
"""Clarity of the least clear borders (see Fit.everywhere) that shows the picture to be all board.

Of 153 real screenshots 128 reach it when cropped to the board, and 1 as a whole window.
"""


_SQUARE: Final = 0.03  # of a tile's sides, by which they may differ for tiles to pass as square


@dataclass(frozen=True)
class Place:
    """Where the board lies, or may lie."""

    grid: Grid
    rivals: tuple[Grid, ...] = ()
    """Other places in the picture that look like boards, the largest first."""
    searched: bool = False
    """Whether the grid was looked for, rather than being what the user said."""


def locate(
    image: npt.NDArray[np.uint8], width: int | None = None, height: int | None = None, box: Box | None = None
) -> Place:
    """The grid of the board in an (H, W, 3) uint8 RGB picture, as far as known `width` x `height` tiles.

    With a width and a box (x0, y0, x1, y1 in pixels) the board fills the box. With a width alone it fills
    the picture if its borders clearly do; else it is looked for, and the given size is a check. Without a
    width it is looked for, within the box if there is one.
    Raises NoBoardFound when there is none or its size is another, InvalidInput for an impossible box.
    """
    if width is None:
        return _search(image, width, height, box)
    if box is not None:
        return Place(fit(image, width, height, box).grid)
    fitted: Fit | None = None
    misfit: NoBoardFound | None = None
    try:
        fitted = fit(image, width, height)
    except NoBoardFound as error:
        misfit = error
    if fitted is not None and fitted.everywhere >= _WHOLE:
        return Place(fitted.grid)
    found = find_grids(image)
    if fitted is not None and (not found or any(_same_tiles(fitted.grid, each) for each in found)):
        return Place(fitted.grid)
    if not found:
        raise misfit or _nothing(image)
    if fitted is not None and height is not None and _credible(fitted.grid, found, image.shape[:2]):
        return Place(fitted.grid)
    return _agreeing(found, width, height, image)


def _search(image: npt.NDArray[np.uint8], width: int | None, height: int | None, box: Box | None) -> Place:
    left, top = 0, 0
    if box is not None:
        left, top = int(box[0]), int(box[1])
        image = np.ascontiguousarray(image[top : math.ceil(box[3]), left : math.ceil(box[2])])
        if image.size == 0:
            raise NoBoardFound("the box lies outside the picture")
    found = find_grids(image)
    if not found:
        raise _nothing(image)
    return _agreeing([Grid(each.x + left, each.y + top) for each in found], width, height, image)


def _agreeing(
    found: list[Grid], width: int | None, height: int | None, image: npt.NDArray[np.uint8]
) -> Place:
    """The place of those boards that have the given size; raises NoBoardFound when none has."""
    fitting = [
        each
        for each in found
        if (width is None or each.columns == width) and (height is None or each.rows == height)
    ]
    if not fitting:
        given = [f"--{name} says {value}" for name, value in (("width", width), ("height", height)) if value]
        options = " and ".join(f"--{name}" for name, value in (("width", width), ("height", height)) if value)
        raise NoBoardFound(
            f"{described(found)} found; {' and '.join(given)}: leave {options} out, or say where the board "
            "lies with --box and how wide it is with --width"
        )
    return Place(fitting[0], tuple(fitting[1:]), searched=True)


def described(grids: list[Grid]) -> str:
    """The boards with their sizes and boxes, as the beginning of a sentence that goes on with "found"."""
    if len(grids) == 1:
        return f"a board of {named(grids[0])} was"
    *most, last = (f"one of {named(grid)}" for grid in grids)
    return f"{len(grids)} boards, {', '.join(most)} and {last}, were"


def named(grid: Grid) -> str:
    """Size and box of a board, as errors tell them."""
    x0, y0, x1, y1 = (max(0, round(edge)) for edge in grid.box)
    return f"{grid.columns}x{grid.rows} tiles at {x0},{y0},{x1},{y1}"


def _same_tiles(one: Grid, other: Grid) -> bool:
    """Whether two grids cut the picture into the same tiles, one perhaps a row or two less far."""
    for mine, theirs in ((one.x, other.x), (one.y, other.y)):
        pitch = float(mine[-1] - mine[0]) / (len(mine) - 1)
        if abs(len(mine) - len(theirs)) > max(1, 0.15 * len(mine)):
            return False
        nearest = np.abs(theirs[:, None] - mine[None, :]).min(axis=1)
        if float(nearest.max()) > 0.3 * pitch or float(nearest.mean()) > 0.2 * pitch:
            return False
    return True


def _credible(given: Grid, found: list[Grid], shape: tuple[int, ...]) -> bool:
    """Whether a width and a height may be believed, against the boards that were found.

    Only where they make square tiles of the picture, which those of another board seldom do, and no board
    of that size was found elsewhere in it. Then what was found may be a part of the given board, or its
    tiles in halves, as in blurred pictures; or a piece of the picture that says nothing of the whole.
    """
    if abs(np.log(given.pitch_x / given.pitch_y)) > _SQUARE:
        return False
    if any((each.columns, each.rows) == (given.columns, given.rows) for each in found):
        return False
    if any(_on_lattice(each, given) or _on_lattice(given, each) or _split(each, given) for each in found):
        return True
    return not any(_fills(each, shape) for each in found)


def _fills(grid: Grid, shape: tuple[int, ...]) -> bool:
    """Whether a board reaches all borders of a picture of (height, width) px."""
    x0, y0, x1, y1 = grid.box
    gaps = (x0, shape[1] - x1, y0, shape[0] - y1)
    return max(gaps) < min(grid.pitch_x, grid.pitch_y) / 2


def _split(found: Grid, given: Grid) -> bool:
    """Whether each tile was taken for 2x2 or more."""
    parts = found.columns // given.columns
    return parts > 1 and (found.columns, found.rows) == (parts * given.columns, parts * given.rows)


def _on_lattice(part: Grid, whole: Grid) -> bool:
    """Whether every edge of `part` is one of `whole`, to a fifth of a tile or so."""
    for edges, lattice in ((part.x, whole.x), (part.y, whole.y)):
        off = np.abs(edges[:, None] - lattice[None, :]).min(axis=1) / np.diff(lattice).mean()
        if float(off.mean()) > 0.12 or float(off.max()) > 0.3:
            return False
    return True


def _nothing(image: npt.NDArray[np.uint8]) -> NoBoardFound:
    return NoBoardFound(
        f"no board was found in this picture of {image.shape[1]}x{image.shape[0]} px; "
        "crop it to the board and say how many tiles wide it is with --width"
    )
