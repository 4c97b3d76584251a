"""Image + steps of an explanation -> a new image: what each step settles, and the numbers it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from visionsweeper.drawing import marks
from visionsweeper.drawing.annotate import View, annotate, enlargement
from visionsweeper.drawing.colours import BEST, WHITE
from visionsweeper.drawing.layers import Layers, Stamp
from visionsweeper.drawing.shapes import frame

if TYPE_CHECKING:
    from visionsweeper.solver.techniques import Step


def highlight(view: View, steps: Sequence[Step]) -> npt.NDArray[np.uint8]:
    """Draw the steps over the picture of a board; the picture itself is left as it is.

    A tile that a step settles is marked as safe or as a mine and bears the number of the step, counted from
    1; the numbers that the steps rest on are framed. Returns (H', W', 3) uint8 RGB, enlarged by a whole
    factor where tiles are too small to write on. Raises InvalidInput when board and grid differ in size.
    """
    canvas = annotate(view.image, view, None, legend=False)
    factor = enlargement(view.grid, view.image.shape[:2])
    x = [round(float(edge) * factor) for edge in view.grid.x]
    y = [round(float(edge) * factor) for edge in view.grid.y]

    def size(tile: tuple[int, int]) -> tuple[int, int]:
        return max(x[tile[1] + 1] - x[tile[1]], 1), max(y[tile[0] + 1] - y[tile[0]], 1)

    for tile in sorted({number for step in steps for number in step.numbers}):
        _framed(*size(tile)).lay(canvas, x[tile[1]], y[tile[0]])
    for at, step in enumerate(steps, start=1):
        for tiles, mark in ((step.safe, marks.certainly_safe), (step.mine, marks.certainly_mined)):
            for tile in tiles:
                mark(*size(tile), str(at)).lay(canvas, x[tile[1]], y[tile[0]])
    return canvas


@lru_cache(maxsize=64)
def _framed(width: int, height: int) -> Stamp:
    """Draw the frame of a number that a step rests on."""
    layers = Layers(width, height)
    thick = max(0.07, 2.0 / min(width, height))
    layers.add(frame(width, height, 0.0, thick * 1.7), WHITE, 0.9)
    layers.add(frame(width, height, 0.02, thick), BEST)
    return layers.stamp()
