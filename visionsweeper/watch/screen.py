"""Watching the screen: the board on it is read, and told apart from what was there before."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Position, positions_of
from visionsweeper.io.screen import Area, monitor_corner, take
from visionsweeper.options import ReadOptions, SolveOptions

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis


_STILL_AFTER: Final = 0.1
"""Seconds for which a board must not change before it is read: a game shows its tiles one after the other."""
_MOST_LOOKS: Final = 8
"""Captures in which a board may change: one that never stands still (an animation) is read anyway."""


@dataclass(frozen=True, eq=False)
class Capture:
    """One screen capture, and the board on it."""

    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB, read-only."""
    analysis: Analysis | None
    """None when no board is there."""
    reason: str
    """Why there is none; else empty."""


@dataclass(frozen=True)
class News:
    """What one screen capture has that the one before did not."""

    opened: tuple[Position, ...]
    """Tiles that show a number or a mine now."""
    safe: tuple[Position, ...]
    """Tiles that became certainly safe."""
    mine: tuple[Position, ...]
    """Tiles that became certainly mines."""
    another: bool
    """Whether it is another board, or another game: nothing can be compared."""


class ScreenReader:
    """Captures the screen again and again; where the board was is searched first."""

    def __init__(
        self,
        area: Area,
        read: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
        solve: SolveOptions = SolveOptions(),  # noqa: B008
    ) -> None:
        self._area, self._read_options, self._solve_options = area, read, solve
        self._before: Capture | None = None

    def capture(self) -> Capture | None:
        """Capture the board as it is now; None when the picture did not change since the last one."""
        image, before = take(self._area), self._before
        if before is not None:
            if np.array_equal(before.image, image):
                return None
            image = self._at_rest(image, before)
            if np.array_equal(before.image, image):
                return None
        analysis, reason = None, ""
        try:
            analysis = self._read(image, before)
        except NoBoardFound as error:
            reason = str(error)
        self._before = Capture(image, analysis, reason)
        return self._before

    def _at_rest(self, image: npt.NDArray[np.uint8], before: Capture) -> npt.NDArray[np.uint8]:
        """Return the first capture from here on in which the place of the board has stopped changing.

        Where no board was, the whole picture has to.
        """
        place = slice(None), slice(None)
        if before.analysis is not None:
            assert before.analysis.reading is not None
            x0, y0, x1, y1 = before.analysis.reading.box
            place = slice(max(0, round(y0)), round(y1)), slice(max(0, round(x0)), round(x1))
        for _ in range(_MOST_LOOKS):
            time.sleep(_STILL_AFTER)
            earlier, image = image, take(self._area)
            if np.array_equal(earlier[place], image[place]):
                break
        return image

    def _read(self, image: npt.NDArray[np.uint8], before: Capture | None) -> Analysis:
        from visionsweeper.pipeline import analyse_with, read_with  # slow to load

        reading, options = None, self._read_options
        if before is not None and before.analysis is not None and before.image.shape == image.shape:
            found = before.analysis.reading
            assert found is not None
            there = replace(options, width=found.board.columns, height=found.board.rows, box=found.box)
            try:
                reading = read_with(image, there)
            except NoBoardFound:
                reading = None
            # A window that moved by a whole tile leaves a row of doubt where the board was.
            if reading is not None and reading.uncertain.sum() > found.uncertain.sum():
                again = read_with(image, options)
                if again.uncertain.mean() <= reading.uncertain.mean():
                    reading = again
        if reading is None:
            reading = read_with(image, options)
        return analyse_with(reading, self._solve_options)


def news(before: Analysis | None, now: Analysis) -> News:
    """Tell what is new: all there is, when there was nothing before or something else."""
    from visionsweeper.board import COVERED, FLAG

    cells = now.board.cells
    shown = (cells != COVERED) & (cells != FLAG)
    another = before is None or before.board.cells.shape != cells.shape
    known_safe: set[Position] = set()
    known_mine: set[Position] = set()
    if before is not None and not another:
        old = before.board.cells
        was_shown = (old != COVERED) & (old != FLAG)
        # Opened tiles stay as they are as long as a game goes on.
        another = bool((was_shown & (old != cells)).any())
        if not another:
            shown = shown & ~was_shown
            known_safe, known_mine = set(before.certain.safe), set(before.certain.mine)
    safe = tuple(tile for tile in now.certain.safe if tile not in known_safe)
    mine = tuple(tile for tile in now.certain.mine if tile not in known_mine)
    opened = positions_of(shown)
    return News(opened, safe, mine, another)


def screen_place(analysis: Analysis, tile: Position, area: Area) -> tuple[int, int]:
    """Return the middle of a tile in pixels of the screen, (x, y): where a pointer would be sent."""
    reading = analysis.reading
    assert reading is not None
    x0, y0, x1, y1 = reading.box
    x = x0 + (tile[1] + 0.5) * (x1 - x0) / analysis.board.columns
    y = y0 + (tile[0] + 0.5) * (y1 - y0) / analysis.board.rows
    left, top = (0, 0) if area.region is None else area.region[:2]
    corner = monitor_corner(area.monitor)
    return round(x + left + corner[0]), round(y + top + corner[1])
