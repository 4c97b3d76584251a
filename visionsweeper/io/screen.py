"""The board on the screen: taken, read, and told apart from what was there before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import InvalidInput, NoBoardFound

if TYPE_CHECKING:
    from visionsweeper.pipeline import Analysis
    from visionsweeper.vision.tiles.knn import Model

Tile = tuple[int, int]


@dataclass(frozen=True)
class Area:
    """What is taken of the screen: a monitor (0 all of them together, else from 1), or a part of it."""

    monitor: int = 0
    region: tuple[int, int, int, int] | None = None
    """(x0, y0, x1, y1) in pixels of the monitor; None for all of it."""


@dataclass(frozen=True, eq=False)
class Look:
    """One look at the screen."""

    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB, read-only."""
    analysis: Analysis | None
    """None when no board is there."""
    reason: str
    """Why there is none; else empty."""


@dataclass(frozen=True)
class News:
    """What one look has that the one before did not."""

    opened: tuple[Tile, ...]
    """Tiles that show a number or a mine now."""
    safe: tuple[Tile, ...]
    """Tiles that became certainly safe."""
    mine: tuple[Tile, ...]
    """Tiles that became certainly mines."""
    another: bool
    """Whether it is another board, or another game: nothing can be compared."""


def take(area: Area) -> npt.NDArray[np.uint8]:
    """The screen's pixels now, (H, W, 3) uint8 RGB.

    Raises InvalidInput where there is no screen, no such monitor, or nothing of the region on it.
    """
    import mss  # slow to load
    from mss.exception import ScreenShotError

    try:
        with mss.mss() as screens:
            if not 0 <= area.monitor < len(screens.monitors):
                raise InvalidInput(
                    f"there is no monitor {area.monitor}: there are 1 to {len(screens.monitors) - 1}, and 0 "
                    "for all of them"
                )
            place = dict(screens.monitors[area.monitor])
            if area.region is not None:
                x0, y0, x1, y1 = area.region
                width, height = min(x1, place["width"]) - x0, min(y1, place["height"]) - y0
                if width <= 0 or height <= 0:
                    raise InvalidInput(
                        f"the region {x0},{y0},{x1},{y1} is not on the screen, which has "
                        f"{place['width']}x{place['height']} pixels"
                    )
                place |= {
                    "left": place["left"] + x0,
                    "top": place["top"] + y0,
                    "width": width,
                    "height": height,
                }
            shot = screens.grab(place)
            pixels = np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)
    except ScreenShotError as error:
        raise InvalidInput(f"the screen cannot be taken: {error}; is there a display?") from error
    return pixels


class Eye:
    """Looks at the screen again and again; where the board was is looked at first."""

    def __init__(
        self,
        area: Area,
        *,
        mines: int | None = None,
        trust_flags: bool = False,
        model: Model | None = None,
    ) -> None:
        self._area = area
        self._mines, self._trust_flags, self._model = mines, trust_flags, model
        self._before: Look | None = None

    def look(self) -> Look | None:
        """The board as it is now; None when the picture did not change since the last look."""
        image = take(self._area)
        before = self._before
        if before is not None and np.array_equal(before.image, image):
            return None
        analysis, reason = None, ""
        try:
            analysis = self._read(image, before)
        except NoBoardFound as error:
            reason = str(error)
        self._before = Look(image, analysis, reason)
        return self._before

    def _read(self, image: npt.NDArray[np.uint8], before: Look | None) -> Analysis:
        from visionsweeper.pipeline import analyse, read_board  # slow to load

        reading = None
        if before is not None and before.analysis is not None and before.image.shape == image.shape:
            found = before.analysis.reading
            assert found is not None
            board = found.board
            try:
                reading = read_board(image, board.columns, board.rows, found.box, self._model)
            except NoBoardFound:
                reading = None
            # A window that moved by a whole tile leaves a row of doubt where the board was.
            if reading is not None and reading.uncertain.sum() > found.uncertain.sum():
                again = read_board(image, model=self._model)
                if again.uncertain.mean() <= reading.uncertain.mean():
                    reading = again
        if reading is None:
            reading = read_board(image, model=self._model)
        return analyse(reading, mines=self._mines, trust_flags=self._trust_flags)


def news(before: Analysis | None, now: Analysis) -> News:
    """What is new: all there is, when there was nothing before or something else."""
    from visionsweeper.board import COVERED, FLAG

    cells = now.board.cells
    shown = (cells != COVERED) & (cells != FLAG)
    another = before is None or before.board.cells.shape != cells.shape
    known_safe: set[Tile] = set()
    known_mine: set[Tile] = set()
    if before is not None and not another:
        old = before.board.cells
        was_shown = (old != COVERED) & (old != FLAG)
        # Opened tiles stay as they are as long as a game goes on.
        another = bool((was_shown & (old != cells)).any())
        if not another:
            shown = shown & ~was_shown
            if before.solution is not None:
                known_safe, known_mine = set(before.solution.safe), set(before.solution.mine)
    safe = () if now.solution is None else tuple(t for t in now.solution.safe if t not in known_safe)
    mine = () if now.solution is None else tuple(t for t in now.solution.mine if t not in known_mine)
    opened = tuple((int(row), int(column)) for row, column in np.argwhere(shown))
    return News(opened, safe, mine, another)


def screen_place(analysis: Analysis, tile: Tile, area: Area) -> tuple[int, int]:
    """The middle of a tile in pixels of the screen, (x, y): where a pointer would be sent."""
    reading = analysis.reading
    assert reading is not None
    x0, y0, x1, y1 = reading.box
    x = x0 + (tile[1] + 0.5) * (x1 - x0) / analysis.board.columns
    y = y0 + (tile[0] + 0.5) * (y1 - y0) / analysis.board.rows
    left, top = (0, 0) if area.region is None else area.region[:2]
    corner = _corner(area.monitor)
    return round(x + left + corner[0]), round(y + top + corner[1])


@lru_cache(maxsize=8)
def _corner(monitor: int) -> tuple[int, int]:
    """Where a monitor begins on the screen; of all together (0), the origin is their first pixel."""
    import mss  # slow to load

    with mss.mss() as screens:
        place = screens.monitors[monitor]
    return int(place["left"]), int(place["top"])
