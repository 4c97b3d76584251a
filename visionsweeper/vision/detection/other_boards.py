"""Other boards beside the one that was found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.cutting import smaller
from visionsweeper.vision.detection.candidates import (
    CONVINCING,
    Candidate,
    Effort,
    Wanted,
    judge,
    overlap,
    same_lattice,
    same_pitch,
)
from visionsweeper.vision.detection.proposals import (
    proposals_at_pitch,
    proposals_by_glyphs,
    proposals_in_window,
)

Image = npt.NDArray[np.uint8]

_LEAST: Final = 5
"""Tiles across and down from which on a second lattice in the picture may be a second board."""

_LEAST_AREA: Final = 0.03
"""Share of the first board's area from which on the same."""

_MOST: Final = 5
"""Other boards that are looked for at most."""

_TILES: Final = 16.0
"""Width of the first board's tiles in the shrunk copy in which others are looked for, px.

Boards whose tiles are half as wide are still found there.
"""

_CELLS: Final = 12_000
"""Cells that may be looked at in search of other boards."""


def other_boards(image: Image, first: Candidate, found: list[Candidate], wanted: Wanted) -> list[Grid]:
    """Return the boards beside the first: apart from it, and large enough to be meant; the largest first.

    `image` is an (H, W, 3) uint8 RGB picture, `found` what was judged in it, the first at its head. They
    convince, or have tiles as large as the first and most of their borders: the reading tells whether these
    are boards.
    """
    boards: list[Grid] = [first.grid]
    area = _area(first.grid) * _LEAST_AREA
    more = [each for each in found[1:] if each.convincing] + _found_beside(image, first.grid, wanted)
    for candidate in sorted(more, key=lambda each: -_area(each.grid)):
        grid = candidate.grid
        if min(grid.rows, grid.columns) < _LEAST or _area(grid) < area:
            continue
        if not any(overlap(grid, other) for other in boards):
            boards.append(grid)
    return boards[1:]


def _found_beside(image: Image, first: Grid, wanted: Wanted) -> list[Candidate]:
    """Judge lattices in what lies beside a board, and beside each that is found there.

    Boards of one game have tiles of one size: these are looked for first.
    """
    height, width = image.shape[:2]
    everything = wanted.box or (0.0, 0.0, float(width), float(height))
    found: list[Candidate] = []
    tried: list[Grid] = []
    effort = Effort(_CELLS)
    for alike in (True, False):
        regions = _beside(first, everything)
        while regions and len(found) < _MOST:
            region = regions.pop(0)
            within = Wanted(wanted.columns, wanted.rows, region)
            for lattice in _lattices_in(image, region, first, alike=alike):
                if any(overlap(lattice, each.grid) for each in found):
                    continue
                if any(same_lattice(lattice, each) for each in tried):
                    continue
                tried.append(lattice)
                other = judge(image, lattice, within, effort)
                if other is not None and _may_be_another(other, first):
                    found.append(_whole(image, other, first, wanted))
                    regions += _beside(found[-1].grid, region)
                    break
    return found


def _whole(image: Image, other: Candidate, first: Grid, wanted: Wanted) -> Candidate:
    """Return the whole of another board, which the region that it was found in may have cut."""
    whole = judge(image, other.grid, wanted, Effort())
    return other if whole is None or overlap(whole.grid, first) else whole


def _may_be_another(candidate: Candidate, first: Grid) -> bool:
    """Tell whether what lies beside a board convinces, or has tiles as large and most of its borders."""
    alike = same_pitch(candidate.grid, first) and candidate.forgone == 0
    likely = min(candidate.inside, float(np.mean(candidate.sides))) >= CONVINCING
    return candidate.convincing or (alike and likely)


def _lattices_in(image: Image, region: Box, first: Grid, *, alike: bool) -> Iterator[Grid]:
    """Yield the lattices in a region of the picture that may be a board's, where another was found elsewhere.

    `alike`: those with tiles as large. Nothing where the region is too small.
    """
    left, top, right, bottom = (int(edge) for edge in region)
    least = min(first.pitch_x, first.pitch_y)
    if min(right - left, bottom - top) < _LEAST * least / 2:
        return
    small = smaller(image[top:bottom, left:right], min(1.0, _TILES / least))
    across, down = (right - left) / small.shape[1], (bottom - top) / small.shape[0]
    pitch = (first.pitch_x / across, first.pitch_y / down)
    proposed: Iterator[Grid]
    if alike:
        proposed = chain(proposals_at_pitch(small, pitch), proposals_by_glyphs(small))
    else:
        proposed = proposals_in_window(small)
    for proposal in proposed:
        lattice = proposal.scaled(across, down)
        lattice = Grid(lattice.x + left, lattice.y + top)
        if not alike:
            yield lattice
        elif same_pitch(lattice, first):
            yield _as_large(lattice, first)


def _as_large(lattice: Grid, other: Grid) -> Grid:
    """Return the lattice with the same middle and tiles as large as another's."""
    x, y = (
        (edges[0] + edges[-1]) / 2 + pitch * (np.arange(len(edges)) - (len(edges) - 1) / 2)
        for edges, pitch in ((lattice.x, other.pitch_x), (lattice.y, other.pitch_y))
    )
    return Grid(x, y)


def _beside(grid: Grid, whole: Box) -> list[Box]:
    """Return what lies left, right, above and below a board within a box, px."""
    left, top, right, bottom = whole
    x0, x1 = (min(max(left, edge), right) for edge in grid.box[::2])
    y0, y1 = (min(max(top, edge), bottom) for edge in grid.box[1::2])
    return [
        (left, top, x0, bottom),
        (x1, top, right, bottom),
        (left, top, right, y0),
        (left, y1, right, bottom),
    ]


def _area(grid: Grid) -> float:
    x0, y0, x1, y1 = grid.box
    return float((x1 - x0) * (y1 - y0))
