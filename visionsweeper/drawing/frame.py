"""The outline of a board within a picture: a thin frame with a tick at every tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.drawing.colours import BEST, WHITE, Colour

_GAP: Final = 0.07
"""Distance of the frame from the tiles, tiles; the tiles themselves stay free."""

_TICK: Final = 0.12
"""Length of a tick, tiles."""


def draw_outline(canvas: npt.NDArray[np.uint8], x: Sequence[int], y: Sequence[int]) -> None:
    """Draw around a board on an (H, W, 3) uint8 RGB canvas, in place, as far as there is room around it.

    `x` and `y` are the borders of columns and rows, px, rising.
    """
    pitch = min((x[-1] - x[0]) / (len(x) - 1), (y[-1] - y[0]) / (len(y) - 1))
    thick = max(1, round(pitch / 34))
    gap, tick = max(2, round(_GAP * pitch)), max(3, round(_TICK * pitch))
    left, top, right, bottom = x[0] - gap - thick, y[0] - gap - thick, x[-1] + gap, y[-1] + gap
    bars = [
        (left, top, right + thick, top + thick),
        (left, bottom, right + thick, bottom + thick),
        (left, top + thick, left + thick, bottom),
        (right, top + thick, right + thick, bottom),
    ]
    ticks = [(at, top - tick, at + thick, top) for at in x]
    ticks += [(at, bottom + thick, at + thick, bottom + thick + tick) for at in x]
    ticks += [(left - tick, at, left, at + thick) for at in y]
    ticks += [(right + thick, at, right + thick + tick, at + thick) for at in y]
    for x0, y0, x1, y1 in bars:
        _lay(canvas, (x0 - 1, y0 - 1, x1 + 1, y1 + 1), WHITE, 0.45)
    for bar in bars:
        _lay(canvas, bar, BEST, 0.8)
    for bar in ticks:
        _lay(canvas, bar, BEST, 0.45)


def _lay(
    canvas: npt.NDArray[np.uint8], bar: tuple[int, int, int, int], colour: Colour, opacity: float
) -> None:
    x0, y0, x1, y1 = (max(edge, 0) for edge in bar)
    below = canvas[y0:y1, x0:x1]
    if below.size:
        below[:] = np.rint(below * (1 - opacity) + np.array(colour) * opacity).astype(np.uint8)
