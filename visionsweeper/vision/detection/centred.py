"""How far a board reaches where its border cannot be seen: most lie in the middle of what encloses them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_NEAR: Final = 1 / 8
"""Tiles: what lies so near to an edge is the ground there; and how far off the middle a board may lie."""

_MOST_ADDED: Final = 1 / 3
"""Of the board's lines, how many may be added: a wide page encloses nothing."""

OTHER_COLOUR: Final = 24
"""Gray levels in any of red, green and blue by which a pixel differs that is not of the ground."""

_SHOWN: Final = 1 / 3
"""Share of a line of pixels that a frame has to cover: one of dashes has gaps."""


def centred(image: Image, grid: Grid, sides: tuple[float, float, float, float]) -> Grid:
    """Return the grid with the lines of tiles that bring it into the middle, where a border is not seen.

    `image` is an (H, W, 3) uint8 RGB picture, `sides` the log odds that the board ends at its left, right,
    upper and lower side. Where it ends at one side of an axis and rather not at the other, tiles that
    look like the ground may lie there: as many as make the ground as wide on both sides, if that is a
    whole number of them and not many. The same grid where there are none.
    """
    left, right, top, bottom = sides
    height, width = image.shape[:2]
    x0, x1 = (min(max(round(edge), 0), width) for edge in grid.box[::2])
    y0, y1 = (min(max(round(edge), 0), height) for edge in grid.box[1::2])
    across, down = image[y0:y1].transpose(1, 0, 2), image[:, x0:x1]
    x, y = _extended(across, grid.x, left, right), _extended(down, grid.y, top, bottom)
    return grid if len(x) == len(grid.x) and len(y) == len(grid.y) else Grid(x, y)


def _extended(lines: Image, edges: Floats, first: float, last: float) -> Floats:
    """Return the edges along one axis, continued at the end where no border is seen.

    `lines`: (length, n, 3) the board's pixels along the axis, from end to end of the picture. `first` and
    `last`: log odds that the board ends at each end.
    """
    if (first < 0) == (last < 0) or not lines.size or edges[0] >= len(lines) or edges[-1] <= 0:
        return edges
    if first < 0:
        length = float(len(lines))
        return length - _extended(lines[::-1], length - edges[::-1], last, first)[::-1]
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    before, after = lines[: max(round(edges[0]), 0)][::-1], lines[max(round(edges[-1]), 0) :]
    near = after[: max(round(_NEAR * pitch), 1)]
    if not near.size:
        return edges
    ground = np.median(near.reshape(-1, 3), axis=0)
    missing = (_reach(after, ground) - _reach(before, ground)) / pitch
    count = round(missing)
    if not 1 <= count <= _MOST_ADDED * (len(edges) - 1) or abs(missing - count) > _NEAR:
        return edges
    return np.concatenate([edges, edges[-1] + pitch * np.arange(1, count + 1)])


def _reach(lines: Image, ground: Floats) -> int:
    """How many of the (length, n, 3) lines, from the first on, show little but the ground's colour."""
    other = (np.abs(lines - ground) > OTHER_COLOUR).any(axis=2).mean(axis=1) > _SHOWN
    return int(other.argmax()) if other.any() else len(lines)
