"""The tile grid: where every tile's edges lie in the picture."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import InvalidInput, NoBoardFound
from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.detection import periodicity

MIN_PITCH: Final = 4.0
"""Tiles narrower than this many pixels can't be read by anybody."""

_CLEAR: Final = 1.5
"""Clarity (see periodicity.clarity; lines drawn for the purpose reach 2 to 4) that leaves no doubt."""


def fit_grid(
    image: npt.NDArray[np.uint8], width: int, height: int | None = None, box: Box | None = None
) -> Grid:
    """Return the grid of a board that about fills the picture, or the box, and is `width` tiles across.

    image is (H, W, 3) uint8 RGB; box is x0, y0, x1, y1 in pixels. Each side may be off by a quarter of a
    tile, tiles may be a little uneven and not quite square: box and pitch are settled from the periodic
    edges in the picture. Where these say nothing better, the box is divided evenly. Without `height` the
    number of rows is the one with about square tiles that the edges fit best.
    Raises NoBoardFound when the size cannot be, InvalidInput for an impossible box.
    """
    outer = checked_box(image, box)
    if width < 1 or (height is not None and height < 1):
        raise NoBoardFound("a board has at least one tile across and one down: check --width and --height")
    pitch_x = (outer[2] - outer[0]) / width
    pitch_y = (outer[3] - outer[1]) / height if height is not None else pitch_x
    if min(pitch_x, pitch_y) < MIN_PITCH or outer[3] - outer[1] < pitch_x / 2:
        raise _misfit(outer, width, height)
    # Around a box there is more picture to see the outermost borders in.
    left, top = (max(0, int(edge - 0.4 * pitch_x)) for edge in outer[:2])
    right, bottom = (int(np.ceil(edge + 0.4 * pitch_x)) for edge in outer[2:])
    for_columns, for_rows = periodicity.gather(image[top:bottom, left:right], pitch_x, pitch_y)
    x = _fit_axis(for_columns, outer[0] - left, outer[2] - left, [width], pitch_x, settled=False)
    pitch_x = float(x[-1] - x[0]) / width
    heights = [height] if height is not None else _plausible_heights(outer[3] - outer[1], pitch_x)
    y = _fit_axis(for_rows, outer[1] - top, outer[3] - top, heights, pitch_x, settled=True)
    return Grid(x + left, y + top)


def _misfit(outer: Box, width: int, height: int | None) -> NoBoardFound:
    size = f"{outer[2] - outer[0]:.0f}x{outer[3] - outer[1]:.0f} px"
    tiles = f"{width} tiles across" + (f" and {height} down" if height is not None else "")
    return NoBoardFound(f"{tiles} do not fit {size}: check --width, or omit it to have the tiles counted")


def _fit_axis(
    evidence: periodicity.Evidence,
    start: float,
    end: float,
    counts: list[int],
    square: float,
    *,
    settled: bool,
) -> npt.NDArray[np.float64]:
    """Borders along one axis for the best of the tile counts, given the pitch of square tiles.

    `settled` says that this pitch comes from the other axis rather than from the crop.
    """

    def merit(fit: periodicity.AxisFit) -> float:
        return fit.score - 300 * np.log(fit.pitch / square) ** 2 if len(counts) > 1 else fit.score

    quality = evidence.quality(square, content_weight=2.0)
    fits = [periodicity.fit_axis(quality, count, start, end) for count in counts]
    fit = max(fits, key=merit)
    edges, even = fit.edges, np.linspace(start, end, fit.tiles + 1)
    margin = 0.2
    if periodicity.clarity(evidence, edges) > _CLEAR:
        # With lines to go by, each can be followed by itself, and little content is left to ask.
        quality = evidence.quality(square, content_weight=0.5)
        edges = periodicity.track(
            quality, fit, stiffness=200 * max(0.5, periodicity.strength(quality, edges))
        )
        margin = 0.1 * periodicity.strength(quality, edges)
    off_square = [abs(np.log(pitch / square)) for pitch in (fit.pitch, even[1] - even[0])]
    if settled and off_square[0] > 0.015 and off_square[1] < 0.005:
        margin += 0.3  # the even division makes square tiles; another had better be beyond doubt
    gain = periodicity.strength(quality, edges) - periodicity.strength(quality, even)
    return edges if gain > margin else even


def _plausible_heights(length: float, pitch: float) -> list[int]:
    """Row counts whose tiles would be square within an eighth or so, the crop being off by half a tile."""
    lowest = max(1, int(np.floor(length / pitch / 1.12 - 0.5)))
    highest = max(1, int(np.ceil(length / pitch * 1.12 + 0.5)))
    return list(range(lowest, highest + 1))


def checked_box(image: npt.NDArray[np.uint8], box: Box | None) -> Box:
    """Return the part of the box that lies in the picture; the whole picture where there is no box.

    Raises InvalidInput when the box is empty, NoBoardFound when it lies outside.
    """
    height, width = image.shape[:2]
    if box is None:
        return 0.0, 0.0, float(width), float(height)
    edges = ",".join(f"{edge:g}" for edge in box)
    if not (np.isfinite(box).all() and box[0] < box[2] and box[1] < box[3]):
        raise InvalidInput(f"the box {edges} is empty: give its left, upper, right and lower edge in pixels")
    x0, y0, x1, y1 = max(0.0, box[0]), max(0.0, box[1]), min(float(width), box[2]), min(float(height), box[3])
    if not (x0 < x1 and y0 < y1):
        raise NoBoardFound(f"the box {edges} lies outside the picture of {width}x{height} px")
    return x0, y0, x1, y1
