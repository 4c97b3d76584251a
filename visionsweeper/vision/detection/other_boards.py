"""Other boards beside the one that was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
    Tried,
    Wanted,
    judge,
    overlap,
    same_pitch,
)
from visionsweeper.vision.detection.proposals import (
    proposals_at_pitch,
    proposals_by_glyphs,
    proposals_in_window,
)

Image = npt.NDArray[np.uint8]

_LEAST_TILES: Final = 5
"""Tiles across and down that a second board has at least."""

_LEAST_AREA: Final = 0.03
"""Share of the first board's area that a second board has at least."""

_MOST_OTHERS: Final = 5
"""Other boards that are looked for at most."""

_ALIKE_PX: Final = 16.0
"""Larger tiles are shrunk to this width where others with tiles as large are looked for, px."""

_UNLIKE_PX: Final = 32.0
"""The width for the others, px: tiles a quarter as wide as those of the first board are found."""

_MOST_JUDGED: Final = 12_000
"""Cells that may be judged in search of boards with tiles as large, and as many in search of others."""


def other_boards(image: Image, first: Candidate, found: list[Candidate], wanted: Wanted) -> list[Candidate]:
    """Return the boards beside the first: apart from it, and large enough to be meant; the largest first.

    `image` is an (H, W, 3) uint8 RGB picture, `found` what was judged in it, the first at its head. They
    convince, or have tiles as large as the first and most of their borders: the reading tells whether these
    are boards.
    """
    boards: list[Candidate] = []
    more = [each for each in found[1:] if each.convincing and _may_be_meant(each, first)]
    more += _found_beside(image, first, wanted)
    for candidate in sorted(more, key=lambda each: -_area(each.grid)):
        if not any(overlap(candidate.grid, other.grid) for other in boards):
            boards.append(candidate)
    return boards


def _may_be_meant(candidate: Candidate, first: Candidate) -> bool:
    """Tell whether a candidate is apart from the first, large enough, and likely.

    It convinces, or has tiles as large as the first and most of its borders.
    """
    grid = candidate.grid
    large = min(grid.rows, grid.columns) >= _LEAST_TILES and _area(grid) >= _LEAST_AREA * _area(first.grid)
    alike = same_pitch(grid, first.grid) and candidate.forgone == 0
    likely = alike and min(candidate.inside, float(np.mean(candidate.sides))) >= CONVINCING
    return (candidate.convincing or likely) and large and not overlap(grid, first.grid)


def _found_beside(image: Image, first: Candidate, wanted: Wanted) -> list[Candidate]:
    """Judge lattices in what lies beside a board, and beside each that is found there.

    Boards of one game have tiles of one size: these are looked for first.
    """
    everything = wanted.frame(image.shape)
    found: list[Candidate] = []
    for alike in (True, False):
        effort = Effort(_MOST_JUDGED)
        regions = _beside(first.grid, everything)
        while regions and len(found) < _MOST_OTHERS and effort.cells >= 0:
            region = regions.pop(0)
            lattices = _lattices_in(image, region, first.grid, alike=alike)
            free = (each for each in lattices if not any(overlap(each, other.grid) for other in found))
            other = _likely_on(image, free, first, replace(wanted, box=region), effort, alike=alike)
            if other is not None:
                found.append(_whole(image, other, first, wanted))
                regions += _beside(found[-1].grid, region)
    return found


def _likely_on(
    image: Image, lattices: Iterator[Grid], first: Candidate, within: Wanted, effort: Effort, *, alike: bool
) -> Candidate | None:
    """Return what may be a board on the first lattice that has one.

    `alike`: their tiles are about as large as those of the first board.
    """
    tried = Tried()
    for lattice in lattices:
        if lattice in tried:
            continue
        # Where tiles are as large as the first's, that is known more exactly than the lattice tells.
        exact = [_as_large(lattice, first.grid)] if alike else []
        judged = [judge(image, each, within, effort) for each in (*exact, lattice)]
        tried.add(lattice, judged[-1])
        likely = [each for each in judged if each is not None and _may_be_meant(each, first)]
        if likely:
            return max(likely, key=lambda each: each.score)
    return None


def _whole(image: Image, other: Candidate, first: Candidate, wanted: Wanted) -> Candidate:
    """Return the whole of another board, which the region that it was found in may have cut."""
    whole = judge(image, other.grid, wanted, Effort())
    if whole is None or not overlap(whole.grid, other.grid) or not _may_be_meant(whole, first):
        return other
    return whole


def _lattices_in(image: Image, region: Box, first: Grid, *, alike: bool) -> Iterator[Grid]:
    """Yield the lattices in a region of the picture that may be a board's, where another was found elsewhere.

    `alike`: those with tiles as large. Nothing where the region is too small.
    """
    left, top, right, bottom = (int(edge) for edge in region)
    least = min(first.pitch_x, first.pitch_y)
    if min(right - left, bottom - top) < (_LEAST_TILES - 1) * (least if alike else least / 2):
        return
    small = smaller(image[top:bottom, left:right], min(1.0, (_ALIKE_PX if alike else _UNLIKE_PX) / least))
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
        if not alike or same_pitch(lattice, first):
            yield lattice


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
