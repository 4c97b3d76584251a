"""How far a board in a frame reaches whose outer tiles look like the ground between frame and board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid, PixelBox
from visionsweeper.vision.detection.centred import OTHER_COLOUR

Image = npt.NDArray[np.uint8]

_BESIDE: Final = 1 / 3
"""Tiles: how wide the strip around a board is that shows the colour of the ground."""

_OVER: Final = 1 / 8
"""Tiles by which the last tile may reach over the frame: borders are known to a part of a tile."""

_LOPSIDED: Final = 1 / 2
"""Tiles by which the ground may be wider at one end of an axis than at the other."""

_MOST_ADDED: Final = 1 / 2
"""Of the board's lines, how many may be added."""


def enclosed(image: Image, grid: Grid, asked: Sequence[bool]) -> Iterator[Grid]:
    """Yield the grids that continue a grid as far as whole tiles fit into the frame around it.

    `image` is an (H, W, 3) uint8 RGB picture; `asked` tells of each of SIDES whether the board may go on
    there. First the grid that is continued along both axes, then along either. An axis stays as it is where
    what is left of the ground is not as wide at both of its ends, or too much of it would be filled. Yields
    nothing where the ground beside the board reaches the edge of the picture.
    """
    frame = _frame(image, grid)
    if frame is None:
        return
    left, top, right, bottom = frame
    x = _continued(grid.x, left, right, asked[0], asked[1])
    y = _continued(grid.y, top, bottom, asked[2], asked[3])
    for across, down in ((x, y), (x, grid.y), (grid.x, y)):
        if across is not None and down is not None:
            yield Grid(across, down)


def _continued(
    edges: npt.NDArray[np.float64], low: int, high: int, before: bool, after: bool
) -> npt.NDArray[np.float64] | None:
    """Return the edges along one axis, continued where asked for; None where nothing or too much would fit.

    None, too, where they are not in the middle then. `low` and `high`: where the frame begins and ends, px.
    """
    count = len(edges) - 1
    pitch = float(edges[-1] - edges[0]) / count
    first, last = (edges[0] - low) / pitch, (high - edges[-1]) / pitch
    room = (first if before else 0.0, last if after else 0.0)
    fit, fit_last = (int(max(gap, 0.0) + _OVER) for gap in room)
    lopsided = abs((first - fit) - (last - fit_last)) > _LOPSIDED
    if lopsided or not 0 < fit + fit_last <= _MOST_ADDED * count:
        return None
    lines_before, lines_after = np.arange(fit, 0, -1), np.arange(1, fit_last + 1)
    return np.concatenate([edges[0] - pitch * lines_before, edges, edges[-1] + pitch * lines_after])


def _frame(image: Image, grid: Grid) -> PixelBox | None:
    """Return the box of the ground beside a board; None where it goes on farther than any board asked for."""
    height, width = image.shape[:2]
    x0, y0, x1, y1 = grid.box
    wide, high = _MOST_ADDED * (x1 - x0) + grid.pitch_x, _MOST_ADDED * (y1 - y0) + grid.pitch_y
    left, top = max(round(x0 - wide), 0), max(round(y0 - high), 0)
    near = image[top : min(round(y1 + high), height), left : min(round(x1 + wide), width)]
    strip = _strip(near.shape[:2], Grid(grid.x - left, grid.y - top))
    pixels = near[strip]
    if not len(pixels):
        return None
    coarse = (pixels // 16) @ np.array([256, 16, 1])
    values, counts = np.unique(coarse, return_counts=True)
    colour = np.median(pixels[coarse == values[counts.argmax()]], axis=0)
    same = cv2.inRange(near, *(np.clip(colour + off, 0, 255) for off in (-OTHER_COLOUR, OTHER_COLOUR)))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(same, connectivity=4)
    beside = labels[strip]
    beside = beside[beside > 0]
    if not len(beside):
        return None
    x, y, across, down, _ = stats[np.bincount(beside).argmax()].tolist()
    if x == 0 or y == 0 or x + across == near.shape[1] or y + down == near.shape[0]:
        return None
    return x + left, y + top, x + left + across, y + top + down


def _strip(shape: tuple[int, int], grid: Grid) -> npt.NDArray[np.bool_]:
    """Which pixels of a picture of this shape, (height, width), lie just outside a grid."""
    strip = np.zeros(shape, np.bool_)
    x0, y0, x1, y1 = grid.box
    across, down = _BESIDE * grid.pitch_x, _BESIDE * grid.pitch_y
    for wider, inside in ((1, True), (0, False)):
        left, right, top, bottom = (
            max(round(edge), 0)
            for edge in (x0 - wider * across, x1 + wider * across, y0 - wider * down, y1 + wider * down)
        )
        strip[top:bottom, left:right] = inside
    return strip
