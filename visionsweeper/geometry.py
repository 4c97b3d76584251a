"""Where things lie in a picture: boxes, the grid of a board's tiles, and positions on the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import InvalidInput

Position: TypeAlias = tuple[int, int]
"""(row, column) of a tile, both from 0, top left first."""

Box: TypeAlias = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels; pixel i spans i..i+1, so a whole picture is (0, 0, width, height)."""

PixelBox: TypeAlias = tuple[int, int, int, int]
"""x0, y0, x1, y1 in whole pixels: a `Box` that cuts no pixel."""


def box_from_text(text: str) -> Box:
    """Read the box that X0,Y0,X1,Y1 means: four finite numbers, left of right and above below.

    Raises InvalidInput.
    """
    try:
        x0, y0, x1, y1 = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput(f"{text[:60]!r} is not of the form X0,Y0,X1,Y1, as in 10,80,490,336") from None
    # Written so that NaN fails too.
    if not (0 <= x0 < x1 < 1e9 and 0 <= y0 < y1 < 1e9):
        raise InvalidInput(f"{text[:60]!r} is not a box: it needs 0 <= X0 < X1 and 0 <= Y0 < Y1, in pixels")
    return x0, y0, x1, y1


def positions_of(tiles: npt.NDArray[np.bool_]) -> tuple[Position, ...]:
    """Return the places of the True ones of (rows, columns) bool tiles, row by row."""
    rows, columns = np.nonzero(tiles)
    return tuple(zip(rows.tolist(), columns.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Grid:
    """Edges of the tiles: tile (r, c) spans x[c]..x[c+1] and y[r]..y[r+1].

    A gap between two tiles is split half and half. Edges may be fractional, unevenly spaced, and lie
    a little outside the picture when the crop cuts into the board.
    """

    x: npt.NDArray[np.float64]
    """(columns + 1,) float64, pixels from the left of the picture, strictly increasing, read-only."""
    y: npt.NDArray[np.float64]
    """(rows + 1,) float64, pixels from the top of the picture, strictly increasing, read-only."""

    def __post_init__(self) -> None:
        """Validate; raises InvalidInput for fewer than two edges or edges that do not increase."""
        for name in ("x", "y"):
            edges = np.array(getattr(self, name), dtype=np.float64)
            if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all():
                raise InvalidInput("a grid needs at least two finite edges along each axis")
            if not (np.diff(edges) > 0).all():
                raise InvalidInput("the edges of a grid must increase from tile to tile")
            edges.setflags(write=False)
            object.__setattr__(self, name, edges)

    @staticmethod
    def even(box: Box, columns: int, rows: int) -> Grid:
        """Divide the box into equal tiles; raises InvalidInput for an empty box or no tiles."""
        if columns < 1 or rows < 1:
            raise InvalidInput(f"a board of {columns}x{rows} tiles has no tiles")
        x0, y0, x1, y1 = box
        return Grid(np.linspace(x0, x1, columns + 1), np.linspace(y0, y1, rows + 1))

    def moved(self, across: float, down: float) -> Grid:
        """Return the grid so many tiles farther to the right and down."""
        return Grid(self.x + across * self.pitch_x, self.y + down * self.pitch_y)

    def scaled(self, across: float, down: float) -> Grid:
        """Return the grid of the same tiles in a picture so many times as wide and as high."""
        return Grid(self.x * across, self.y * down)

    @property
    def rows(self) -> int:
        """Number of rows (the height)."""
        return len(self.y) - 1

    @property
    def columns(self) -> int:
        """Number of columns (the width)."""
        return len(self.x) - 1

    @property
    def pitch_x(self) -> float:
        """Mean distance of two columns, pixels."""
        return float(self.x[-1] - self.x[0]) / self.columns

    @property
    def pitch_y(self) -> float:
        """Mean distance of two rows, pixels."""
        return float(self.y[-1] - self.y[0]) / self.rows

    @property
    def box(self) -> Box:
        """Outer edges x0, y0, x1, y1 in pixels."""
        return float(self.x[0]), float(self.y[0]), float(self.x[-1]), float(self.y[-1])

    def fills(self, box: Box, slack: float = 0.5) -> bool:
        """Tell whether the tiles take up a box, in pixels, give or take `slack` tiles at each side."""
        left, top, right, bottom = (abs(mine - its) for mine, its in zip(self.box, box, strict=True))
        return max(left, right) <= slack * self.pitch_x and max(top, bottom) <= slack * self.pitch_y

    def tile_box(self, row: int, column: int) -> Box:
        """Return the edges x0, y0, x1, y1 of one tile in pixels."""
        x, y = self.x, self.y
        return float(x[column]), float(y[row]), float(x[column + 1]), float(y[row + 1])
