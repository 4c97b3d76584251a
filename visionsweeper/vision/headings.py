"""Lines of letters or signs that were read as blank tiles: headings beside a board, in its lattice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, SIDES, Side
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.open_ends import lines_from
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.tiles.features import background_colour, to_lab

Floats = npt.NDArray[np.floating[Any]]

_SIZE: Final = 16
"""Tiles are looked at in this many pixels each way,"""

_MARGIN: Final = 4
"""and of these the middle ones: borders and frames show in the others."""

_RING: Final = (1, 3)
"""How deep in a tile what crosses its borders is looked for, px of these."""

_STRONG: Final = 3
"""How many of the strongest pixels tell of a drawing."""

_USUAL: Final = 0.95
"""Share of the board's blank tiles whose drawings are what blank tiles show there."""

_DRAWN: Final = 10.0
"""Lab units by which a drawing is stronger than these."""

_HEADED: Final = 0.3
"""Share of such tiles from which a line is none of the board; 0.16 at most on 350 real ones."""

_CROSSING: Final = 0.2
"""Share of the signs that may reach their tile's borders; of text over tiles, 0.6 and more do."""

_FEWEST: Final = 3
"""How many different ones there have to be: single signs may be misread;"""

_DIFFERENT: Final = 0.5
"""and as a share of all: tiles that the picture's edge cuts alike all look alike."""


@dataclass(frozen=True)
class Headings:
    """Sides of a board at which the outermost line shows signs that were read as blank tiles."""

    sides: frozenset[Side] = frozenset()
    """All of them."""
    aligned: frozenset[Side] = frozenset()
    """Those where each sign keeps clear of the borders of its tile: text over a row of tiles does not."""


def headings_of(reading: Reading, asked: tuple[Side, ...] = SIDES) -> Headings:
    """Return where, of the sides asked for, lines of signs were read as blank tiles.

    Opened and covered tiles show nothing, or all show the same. A line of blanks with something in their
    middle that no other blank tile shows, and not all the same, is letters or numbers of a sheet, or buttons.
    """
    blank = np.isin(reading.classes, (0, COVERED))
    middle, ring = _drawn(reading)
    sides, aligned = set(), set()
    for side in asked:
        blanks, inside, around = (lines_from(side, each) for each in (blank, middle, ring))
        signs = blanks[0] & _stronger(inside, blanks)
        looks = len(np.unique(lines_from(side, reading.groups)[0][signs]))
        if looks < max(_FEWEST, _DIFFERENT * signs.sum()) or signs.mean() <= _HEADED:
            continue
        sides.add(side)
        if not _stronger(around, blanks)[signs].mean() > _CROSSING:
            aligned.add(side)
    return Headings(frozenset(sides), frozenset(aligned))


def _drawn(reading: Reading) -> tuple[Floats, Floats]:
    """(rows, columns) Lab distance of strong pixels from the ground of each tile: inside, at the border."""
    lab = to_lab(cut_tiles(reading.image, reading.grid, _SIZE))
    distance = np.sqrt(np.square(lab - background_colour(lab)[:, None, None]).sum(axis=3))
    at = np.minimum(np.arange(_SIZE), np.arange(_SIZE)[::-1])
    depth = np.minimum(at[:, None], at)
    shape = (reading.grid.rows, reading.grid.columns)
    inside, border = (
        np.partition(distance[:, part], -_STRONG, axis=1)[:, -_STRONG].reshape(shape)
        for part in (depth >= _MARGIN, (depth >= _RING[0]) & (depth < _RING[1]))
    )
    return inside, border


def _stronger(strength: Floats, blank: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(m,) whether the first of (n, m) lines of tiles shows more than the blank ones among the others do."""
    others = np.sort(strength[1:][blank[1:]])
    usual = others[int(_USUAL * (len(others) - 1))] if len(others) else 0.0
    stronger: npt.NDArray[np.bool_] = strength[0] > usual + _DRAWN
    return stronger
