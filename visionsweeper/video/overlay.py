"""Frames of a recording with the odds drawn on them."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.analysis import Analysis
from visionsweeper.drawing.annotate import annotate
from visionsweeper.geometry import Grid
from visionsweeper.io.video import Frame
from visionsweeper.options import SolveOptions
from visionsweeper.pipeline import DrawnBoard
from visionsweeper.video.follow import Seen
from visionsweeper.video.moves import analysed

_NOISE: Final = 10
"""Gray levels that enlarging a picture and shrinking it again may change."""


class Overlay:
    """Draws the odds of the board in hand on every frame; they are drawn anew only with another board."""

    def __init__(self, solve: SolveOptions) -> None:
        self._solve = solve
        self._drawn: tuple[Seen, Grid] | None = None
        self._marks: npt.NDArray[np.uint8] | None = None
        self._where: npt.NDArray[np.uint8] | None = None

    def draw(self, frame: Frame, seen: Seen | None, grid: Grid | None) -> Frame:
        """Return the frame with the odds; as it is where no board is known."""
        if seen is None or grid is None:
            return frame
        if self._drawn is None or self._drawn[0] is not seen or self._drawn[1] is not grid:
            self._drawn = seen, grid
            self._mark(frame.image, analysed(seen, self._solve), grid)
        if self._where is None or self._marks is None or self._marks.shape != frame.pixels.shape:
            return frame
        return Frame(frame.seconds, _bytes(cv2.copyTo(self._marks, self._where, frame.pixels.copy())))

    def _mark(self, image: npt.NDArray[np.uint8], analysis: Analysis, grid: Grid) -> None:
        """Draw the odds on this frame, and note which pixels they take."""
        view = DrawnBoard(analysis.board, image, grid)
        drawn = annotate(
            image,
            view,
            analysis.solution,
            conflict=analysis.conflict,
            best=(),
            certain=analysis.certain,
            legend=False,
        )
        height, width = image.shape[:2]
        # Small tiles are drawn on an enlarged picture.
        marks = _bytes(cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA))
        self._where = np.any(cv2.absdiff(marks, image) > _NOISE, axis=2).astype(np.uint8)
        self._marks = _bytes(cv2.cvtColor(marks, cv2.COLOR_RGB2BGR))


def _bytes(image: Any) -> npt.NDArray[np.uint8]:
    return np.asarray(image, dtype=np.uint8)
