"""Whether what was read in a picture is a Minesweeper board at all, by its structure."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, SAFE
from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import FloatArray, cut_tiles
from visionsweeper.vision.detection.locate import named
from visionsweeper.vision.reading import Reading

_LONERS: Final = 0.35
"""Share of tiles that look like no other tile, from which on there is no board.

The most on 153 real screenshots was 0.31, on a grid cut badly; 0.09 on 95 % of them.
"""

_MARKED: Final = 0.8
"""Share of flags and mines that no board has, and that not even one read wholly wrong had (0.76)."""

_SMALLEST_COVERED: Final = 25
"""Tiles from which on a board with nothing opened is believed in."""

_PATCHY: Final = 0.1
"""Share of covered tiles in a colour out of order, from which on these are no covered tiles."""

_OUT_OF_ORDER: Final = 14.0
"""Difference of a tile's mean colour from what its place tells, gray levels."""

_CHECKERED: Final = 50.0
"""Difference of the two colours of a checkerboard, gray levels, from which on these are no covered tiles.

Those of games differ by a tenth of the range or less, those of chess boards by more than a fifth.
"""

_ALTERNATE: Final = 0.5
"""Share of what covered tiles show that is another on every second of them, from which on these are none.

Of halves of bricks it is 0.56 or more; 0.40 at most on 344 boards.
"""

_LEAST_ALTERNATE: Final = 25.0
"""The same in gray levels: a cut a little off shows as much of the next tiles of a soft checkerboard."""

_MOSTLY_COVERED: Final = 0.8
"""Share of covered tiles from which on they have to show the same, and do not tell where a board ends."""

_UNLIKE: Final = 40.0
"""Difference from what most covered tiles show, beyond their mean colour, gray levels: another drawing."""

_MOST_UNLIKE: Final = 0.25
"""Share of covered tiles with another drawing that no board has; 0.02 at most on 230 screenshots."""


def why_no_board(image: npt.NDArray[np.uint8], reading: Reading) -> str | None:
    """Return the reason why this cannot be a board, as a part of a sentence; None when it may be one.

    `image` is the (H, W, 3) uint8 RGB picture that was read. A board in an unknown theme is a board all the
    same: doubt alone, however great, is no reason.
    """
    unsure = float(reading.uncertain.mean())
    sizes = np.bincount(reading.groups.ravel())
    if unsure > 0.5 and (sizes == 1).sum() > _LONERS * reading.groups.size:
        return "nearly every tile looks different from all others"
    cells = reading.board.cells
    if np.isin(cells, (FLAG, MINE, SAFE)).mean() > _MARKED:
        return "nearly all of its tiles would be flags and mines"
    covered = cells == COVERED
    if covered.all() and cells.size < _SMALLEST_COVERED:
        return "it is small and has no opened tile"
    sure_enough = covered.all() or (unsure < 0.5 and covered.mean() > 0.9)
    if sure_enough and _patchy(image, reading.grid, covered):
        return "its tiles have many colours but no digits"
    if covered_differ(image, reading):
        return "its covered tiles show different things"
    return None


def covered_differ(image: npt.NDArray[np.uint8], reading: Reading) -> bool:
    """Tell whether most tiles were read as covered, but many, or every second, show something else.

    Every second one does among halves of bricks, or of larger tiles. Then they are no covered tiles, whoever
    said that a board lies there. `image` is the (H, W, 3) uint8 RGB picture that was read.
    """
    if not mostly_covered(reading):
        return False
    covered = reading.board.cells == COVERED
    tiles = cut_tiles(image, reading.grid, 16)[covered.ravel()].astype(np.float32)
    coarse = tiles.reshape(-1, 8, 2, 8, 2, 3).mean(axis=(2, 4))
    return _unlike_each_other(coarse) or _alternate(coarse, covered)


def mostly_covered(reading: Reading) -> bool:
    """Tell whether most tiles were read as covered: then little but their looks tells where they end."""
    return bool((reading.board.cells == COVERED).mean() >= _MOSTLY_COVERED)


def _patchy(image: npt.NDArray[np.uint8], grid: Grid, covered: npt.NDArray[np.bool_]) -> bool:
    """Whether the covered tiles' colours follow neither a soft checkerboard nor a gradient."""
    # The middles alone: borders change with a fraction of a pixel.
    colours = cut_tiles(image, grid, 8)[covered.ravel(), 2:6, 2:6].mean(axis=(1, 2))
    row, column = np.nonzero(covered)
    r, c, parity = row / grid.rows, column / grid.columns, (row + column) % 2
    terms = np.stack([np.ones(len(r)), parity, r, c, r * r, c * c, r * c], axis=1)
    factors = np.linalg.lstsq(terms, colours, rcond=None)[0]
    off = np.abs(colours - terms @ factors).max(axis=1)
    return bool((off > _OUT_OF_ORDER).mean() > _PATCHY or np.abs(factors[1]).max() > _CHECKERED)


def _unlike_each_other(tiles: FloatArray) -> bool:
    """Whether many of (n, 8, 8, 3) tiles show something else than most do, such as numbers of many digits."""
    drawn = _drawn(tiles[:, 1:-1, 1:-1])
    off = np.abs(drawn - np.median(drawn, axis=0)).max(axis=(1, 2, 3))
    return bool((off > _UNLIKE).mean() > _MOST_UNLIKE)


def _alternate(tiles: FloatArray, covered: npt.NDArray[np.bool_]) -> bool:
    """Whether every second covered tile, row or column has another drawing, beyond its mean colour.

    `tiles`: (n, 8, 8, 3), those that are `covered`, (rows, columns). Compared are means of many tiles, with
    borders, since single borders change with a fraction of a pixel, and medians, since a few may have a sign.
    """
    drawn = _drawn(tiles)
    row, column = np.nonzero(covered)
    for odd in ((row + column) % 2 == 1, row % 2 == 1, column % 2 == 1):
        if odd.all() or not odd.any():
            continue
        halves = drawn[~odd], drawn[odd]
        if all(_apart(*(middle(half, axis=0) for half in halves)) for middle in (np.mean, np.median)):
            return True
    return False


def _drawn(tiles: FloatArray) -> FloatArray:
    """Return (n, height, width, 3) tiles less the mean colour of each."""
    drawn: FloatArray = tiles - tiles.mean(axis=(1, 2), keepdims=True)
    return drawn


def _apart(one: FloatArray, other: FloatArray) -> bool:
    """Tell whether two drawings, (8, 8, 3), differ in as much of what they show as other drawings do."""
    shown = max(float(np.ptp(each, axis=(0, 1)).max()) for each in (one, other))
    return float(np.abs(one - other).max()) > max(_LEAST_ALTERNATE, _ALTERNATE * shown)


def no_board_error(grid: Grid, reason: str, guess: Reading | None = None) -> NoBoardFound:
    """Return the error that says why the likeliest place is no board; `guess` is what was read there."""
    return NoBoardFound(
        f"no board was found: the likeliest place, {named(grid)}, is probably not one: {reason} "
        f"(if it is one, crop the picture to it and give --width {grid.columns})",
        guess,
    )
