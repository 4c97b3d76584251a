"""Headers of rows or columns in a board's lattice: lines of signs that were read as blank tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, SIDES, Side, lines_from
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.tiles.features import TILE_SIZE, background_colour, middle_of, shrink, to_lab

Floats = npt.NDArray[np.floating[Any]]
Classes = npt.NDArray[np.uint8]
Groups = npt.NDArray[np.intp]

_SIZE: Final = 16
"""Tiles are compared in this many pixels each way."""

_MARGIN: Final = 4
"""The middle of a tile, where signs are, begins so many of these from its side."""

_BORDER: Final = (1, 2)
"""How deep in a tile shows what crosses its border; the outermost pixels may be the next tile's."""

_FROM_SIDE: Final = np.minimum(np.arange(_SIZE), np.arange(_SIZE)[::-1])
_DEPTH: Final = np.minimum(_FROM_SIDE[:, None], _FROM_SIDE)
"""(16, 16) how far each pixel is from the nearest side of the tile."""

_STRONG: Final = 3
"""So many pixels have to be as strong."""

_USUAL: Final = 0.95
"""Share of the other blank tiles of a class that show what is usual."""

_DRAWN: Final = 10.0
"""Lab units by which the pixels of a sign are farther from the background than is usual."""

_FEWEST_OTHERS: Final = 3
"""Blank tiles of a class elsewhere on the board that tell what such tiles show; else all blank ones do."""

_SIGNS: Final = 0.3
"""Share of signs in a line from which it is none of the board; 0.16 at most on 350 real boards."""

_FEWEST: Final = 3
"""How many different signs a header has to have, since single ones may be misread."""

_DIFFERENT: Final = 0.5
"""Share of a header's signs that have to differ: tiles that the picture's edge cuts alike all look alike."""

_CROSSING: Final = 0.2
"""Share of a header's signs that may cross the border of their tile; of text over tiles, most do."""


@dataclass(frozen=True)
class Headers:
    """Sides of a board where signs were read as blank tiles."""

    sides: frozenset[Side] = frozenset()
    """All of them."""
    aligned: frozenset[Side] = frozenset()
    """Those where each sign keeps clear of the borders of its tile: text over a row of tiles does not."""


def headers_of(image: npt.NDArray[np.uint8], grid: Grid, classes: Classes, groups: Groups) -> Headers:
    """Return at which sides the outermost line shows signs that were read as blank tiles.

    Opened tiles without mines around them all show the same, mostly nothing, and so do covered ones. A line
    of blanks that show something else in their middle, and not all the same, is letters, numbers or buttons.
    The tiles lie under `grid` in `image`, (H, W, 3) uint8 RGB; `classes` and `groups`: (rows, columns).
    """
    possible = [
        side for side in SIDES if _may_be_header(lines_from(side, classes)[0], lines_from(side, groups)[0])
    ]
    if not possible:
        return Headers()
    tiles, places = _tiles_of(image, grid), np.arange(classes.size).reshape(classes.shape)
    drawn = _strongest(tiles, _DEPTH >= _MARGIN).reshape(places.shape)
    sides, aligned = set(), set()
    for side in possible:
        lines = lines_from(side, classes)
        signs = _signs(lines, lines_from(side, drawn))
        looks = len(np.unique(lines_from(side, groups)[0][signs]))
        if looks < max(_FEWEST, _DIFFERENT * signs.sum()) or signs.mean() <= _SIGNS:
            continue
        sides.add(side)
        if _crossing(lines, tiles[lines_from(side, places)])[signs].mean() <= _CROSSING:
            aligned.add(side)
    return Headers(frozenset(sides), frozenset(aligned))


def _may_be_header(classes: Classes, groups: Groups) -> bool:
    """Whether a line, (m,), has blanks enough, and of looks enough, to be a header, drawn or not."""
    blank = np.isin(classes, (0, COVERED))
    return bool(blank.mean() > _SIGNS) and len(np.unique(groups[blank])) >= _FEWEST


def _tiles_of(image: npt.NDArray[np.uint8], grid: Grid) -> Floats:
    """(n, 16, 16, 3) Lab: the tiles, each less its background."""
    lab = to_lab(cut_tiles(image, grid, TILE_SIZE))
    return shrink(lab - background_colour(lab)[:, None, None], _SIZE)


def _signs(classes: Classes, drawn: Floats) -> npt.NDArray[np.bool_]:
    """(m,) which tiles of the first of (n, m) lines show signs. `drawn`: how strong what each shows is."""
    signs = np.zeros(classes.shape[1], np.bool_)
    for blank in (0, COVERED):
        others = classes[1:] == blank
        usual = drawn[1:][others if _tell(others) else np.isin(classes[1:], (0, COVERED))]
        least = _DRAWN + (np.quantile(usual, _USUAL) if len(usual) else 0.0)
        signs |= (classes[0] == blank) & (drawn[0] > least)
    return signs


def _crossing(classes: Classes, tiles: Floats) -> npt.NDArray[np.bool_]:
    """(m,) in which blank tiles of the first of (n, m) lines something crosses the border, or may.

    It may where no other tiles of the class tell: then the line is not taken off for what others show.
    """
    crossing = np.zeros(classes.shape[1], np.bool_)
    for blank in (0, COVERED):
        here, others = classes[0] == blank, classes[1:] == blank
        if not _tell(others):
            crossing |= here
            continue
        some = tiles[1:][others]
        middle = middle_of(some.reshape(len(some), -1)).reshape(some.shape[1:])
        first, rest = (_strongest(each - middle, np.isin(_DEPTH, _BORDER)) for each in (tiles[0], some))
        crossing |= here & (first > np.quantile(rest, _USUAL) + _DRAWN)
    return crossing


def _tell(others: npt.NDArray[np.bool_]) -> bool:
    """Whether there are enough tiles of a class to tell what such tiles show."""
    return int(others.sum()) >= _FEWEST_OTHERS


def _strongest(tiles: Floats, part: npt.NDArray[np.bool_]) -> Floats:
    """(n,) length of the strongest pixels of (n, 16, 16, 3) tiles, in a (16, 16) part of them."""
    strength = np.sqrt(np.square(tiles[:, part]).sum(axis=-1))
    strong: Floats = np.partition(strength, -_STRONG, axis=-1)[:, -_STRONG]
    return strong
