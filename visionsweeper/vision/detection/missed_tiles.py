"""Lines of tiles beside a board that its lattice misses, as where columns are not all of one width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.detection.extent import MOST_SAID
from visionsweeper.vision.detection.tile_map import map_tiles

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_SHIFTS: Final = tuple(eighth / 8 for eighth in range(-1, 8))
"""How far outside the board's edge a line of tiles is looked for, tiles."""

_NEARER: Final = (-1 / 16, 1 / 16)
"""By how much more, tiles, once one is found."""

_WITHIN: Final = 6
"""Borders of the board that are looked at too: the tile map tells a tile by those around it."""

_BEYOND: Final = 3
"""Lines beyond it that are looked at."""

_OUTSIDE: Final = 0.2
"""Share of a tile that may lie outside the picture."""

_BELIEVED: Final = 7.0
"""Log odds from which lines off the lattice are believed; some displays above a board get 6."""

_MOST_ADDED: Final = 40
"""Lines that are added at one side at most."""


Sides: TypeAlias = tuple[float, float, float, float]
"""Log odds that the board ends at its left, right, upper and lower side, at most MOST_SAID."""


@dataclass(frozen=True, eq=False)
class Whole:
    """A board with the lines of tiles that its lattice missed."""

    grid: Grid
    least: float
    """Log odds of the least certain of them and of the borders behind; MOST_SAID where none was missed."""

    @property
    def convincing(self) -> bool:
        """Whether the board may be believed to reach as far as this, and no farther."""
        return self.least >= _BELIEVED


@dataclass(frozen=True)
class _Line:
    """A line of tiles beside a board."""

    border: float
    """Where it begins, px."""
    tiles: float
    """Mean log odds that its cells are tiles."""
    end: float
    """Mean log odds that the board ends behind it."""


def with_missed_tiles(image: Image, grid: Grid, sides: Sides) -> Whole:
    """Return the board with each line of tiles beside it that is likelier than that it ends there.

    `image` is an (H, W, 3) uint8 RGB picture. A line has the mean width and height of the board's tiles, and
    begins between an eighth of a tile inside the board's edge and seven eighths outside it; the tile before
    it reaches up to it. The mean of the log odds of its cells is compared with that of the border.
    Nothing is looked at where it is as sure that the board ends as a line has to be, nor after a line that is
    not believed.
    """
    said: list[float] = []
    for number, border in enumerate(sides):
        ends, known = border, len(said)
        for _ in range(_MOST_ADDED):
            line = _beside(image, grid, number) if ends < _BELIEVED else None
            if line is None or line.tiles <= ends:
                break
            grid, ends = with_line(grid, number, line.border), line.end
            said.append(line.tiles)
            if line.tiles < _BELIEVED:
                return Whole(grid, min(said))
        if len(said) > known:
            said.append(ends)
    return Whole(grid, min(said, default=MOST_SAID))


def _beside(image: Image, grid: Grid, number: int) -> _Line | None:
    """Return the likeliest line at the left, right, upper or lower side, 0 to 3; None outside the picture."""

    def best_of(shifts: list[float]) -> tuple[float, _Line] | None:
        lines = [(shift, _line(image, grid, number, shift)) for shift in shifts]
        seen = [(shift, line) for shift, line in lines if line is not None]
        return max(seen, key=lambda each: each[1].tiles, default=None)

    best = best_of(list(_SHIFTS))
    if best is None:
        return None
    nearer = best_of([best[0] + step for step in _NEARER])
    return max((best, nearer or best), key=lambda each: each[1].tiles)[1]


def _line(image: Image, grid: Grid, number: int, shift: float) -> _Line | None:
    across, last = number < 2, number % 2 == 1
    edges = grid.x if across else grid.y
    pitch = _pitch(edges)
    length = image.shape[1 if across else 0]
    outward = pitch if last else -pitch
    border = float(edges[-1 if last else 0]) + shift * outward
    beyond = border + outward * np.arange(1, _BEYOND + 1)
    if not -_OUTSIDE * pitch <= beyond[0] <= length + _OUTSIDE * pitch:
        return None
    if last:
        lattice, at = np.concatenate([edges[-_WITHIN:-1], [border], beyond]), len(edges[-_WITHIN:]) - 1
    else:
        lattice, at = np.concatenate([beyond[::-1], [border], edges[1:_WITHIN]]), _BEYOND - 1
    behind = at if last else at - 1
    other = _one_more(grid.y if across else grid.x)
    tiles = map_tiles(image, Grid(lattice, other) if across else Grid(other, lattice))
    if across:
        return _Line(border, _mean(tiles.inside[1:-1, at]), _mean(tiles.beside[1:-1, behind]))
    return _Line(border, _mean(tiles.inside[at, 1:-1]), _mean(tiles.below[behind, 1:-1]))


def with_line(grid: Grid, number: int, border: float | None = None) -> Grid:
    """Return the grid with a line more at the left, right, upper or lower side (0 to 3).

    It begins at `border`, px, or where the grid ends, and is as wide or high as most.
    """
    edges = grid.x if number < 2 else grid.y
    pitch = _pitch(edges)
    if border is None:
        border = float(edges[-1 if number % 2 else 0])
    if number % 2:
        longer = np.concatenate([edges[:-1], [border, border + pitch]])
    else:
        longer = np.concatenate([[border - pitch, border], edges[1:]])
    return Grid(longer, grid.y) if number < 2 else Grid(grid.x, longer)


def _pitch(edges: Floats) -> float:
    """Return what most tiles measure along an axis, px."""
    return float(np.median(np.diff(edges)))


def _one_more(edges: Floats) -> Floats:
    """Return the borders with one more at either end."""
    pitch = _pitch(edges)
    return np.concatenate([[edges[0] - pitch], edges, [edges[-1] + pitch]])


def _mean(odds: npt.NDArray[np.float32]) -> float:
    return float(np.clip(odds, -MOST_SAID, MOST_SAID).mean())
