"""All that may be the board in a picture: what the cues propose, judged by the tile map, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from operator import itemgetter
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import smaller
from visionsweeper.vision.detection.candidates import (
    Candidate,
    Effort,
    Tried,
    Wanted,
    judge,
    overlap,
    same_pitch,
)
from visionsweeper.vision.detection.grid import fit_grid
from visionsweeper.vision.detection.proposals import proposals, proposals_by_glyphs, proposals_in_parts

Image = npt.NDArray[np.uint8]

_PARTS: Final = (2, 4)
"""Into how many parts each way the picture is divided where the whole tells nothing convincing."""

_MOST_PROPOSED: Final = 120
"""Lattices, most of them the same, that one stage of the search may propose."""

_MOST_JUDGED: Final = 24
"""Lattices that are judged in one stage of the search at most."""

_SMALLEST: Final = 6e5
"""Pixels of the copy that is searched before much larger pictures.

There tiles of hundreds of px, as on phones, are as large as usual, and most others still show.
"""

_SEARCHED: Final = (2.5e6, 7e6)
"""Pixels that larger pictures are shrunk to for the search, first and, where that tells nothing, next."""

_SMOOTHING: Final = 3
"""Width of the median that takes away single pixels and the noise of compression, px."""

_BLUR: Final = 1.0
"""Standard deviation of the blur that makes one shade of a dithered surface, px."""

_SHIFTS: Final = (0.0, 1 / 4, 1 / 2, 3 / 4)
"""By how much, tiles; a lattice that is off by an eighth of a tile still gets high odds."""

_NEAR: Final = (1 / 8, 1 / 16, 1 / 32)
"""By how much, tiles, a lattice found by shifting is then moved, step by step."""

_IN_SMALLEST: Final = 12_000
"""Cells that may be looked at in the smallest copy, and as many in shifting lattices there."""

_LEAST_LATER: Final = 6_000
"""Cells that may be looked at in each of the later stages of a search, whatever the earlier ones took.

On a dithered desktop these spend all on the fine pattern.
"""

_SHIFTING: Final = 24_000
"""Cells that one search may look at in shifting lattices."""


def search(image: Image, wanted: Wanted, *, told: bool = False) -> list[Candidate]:
    """Return all that may be the board in an (H, W, 3) uint8 RGB picture, the likeliest first.

    `told` says that the user gave its width or height, though boards of any size are looked for.
    """
    found = _by_scale(image, wanted, told=told or wanted.told)
    return sorted(found, key=lambda candidate: (-candidate.convincing, -candidate.score))


def _by_scale(image: Image, wanted: Wanted, *, told: bool) -> list[Candidate]:
    """Judge proposals in copies of the picture of several sizes, or in itself, until something convinces.

    In the smallest copy only what is beyond doubt settles it; the rest of it is judged in the picture. Of a
    board whose size was told cuts that do not convince are read as well, so they have to be right to the
    pixel: it is looked for in the picture itself, where that is not very large.
    """
    pixels = image.shape[0] * image.shape[1]
    judged: list[Candidate] = []
    if pixels > 2 * (_SEARCHED[0] if told else _SMALLEST):
        seen = _judged_in_copy(image, _SMALLEST, wanted, Effort(_IN_SMALLEST), Effort(_IN_SMALLEST))
        if any(in_copy.beyond_doubt for in_copy, _ in seen):
            return [in_copy for in_copy, _ in seen]
        judged = [in_picture for _, in_picture in seen]
    effort, shifting = Effort(), Effort(_SHIFTING)
    for most in _SEARCHED:
        if pixels <= 2 * most:
            return judged + _judged(image, wanted, effort, shifting)
        found = [in_copy for in_copy, _ in _judged_in_copy(image, most, wanted, effort, shifting)]
        judged += found
        if effort.cells < 0 or any(each.convincing for each in found):
            break
    return judged


def _judged_in_copy(
    image: Image, pixels: float, wanted: Wanted, effort: Effort, shifting: Effort
) -> list[tuple[Candidate, Candidate]]:
    """Judge proposals in a copy of the picture with so many pixels: as seen there, and in the picture.

    Only those for which more speaks than against them, in both: fine patterns make others when shrunk.
    """
    small = smaller(image, (pixels / (image.shape[0] * image.shape[1])) ** 0.5)
    across, down = image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]
    found = []
    for each in _judged(small, wanted.scaled(1 / across, 1 / down), effort, shifting):
        in_copy = each.scaled(across, down)
        in_picture = judge(image, in_copy.grid, wanted, Effort()) if each.score > 0 else None
        if in_picture is not None and in_picture.score > 0:
            found.append((in_copy, in_picture))
    return found


def _judged(image: Image, wanted: Wanted, effort: Effort, shifting: Effort) -> list[Candidate]:
    """Judge proposals until one is beyond doubt, a stage brought a convincing one, or no effort is left.

    Where no effort is left, later stages still get a little; once something convinces, only the blurred one.
    What convinces may be the opened part of a dithered board: the blurred picture may show a larger one.
    Where nothing convinces, or only in the blurred picture, lattices are shifted, which has its own effort.
    """
    judged: list[Candidate] = []
    scored: list[tuple[Grid, float]] = []
    tried = Tried()
    for stage in _stages(image, wanted):
        best = max(judged, key=lambda each: each.score, default=None)
        found = best.grid if best is not None and best.convincing else None
        if found is not None and not stage.blurred:
            continue
        if stage.image is not image:
            tried = Tried()  # without the grain, the same lattice may look better
        cells = max(effort.cells, stage.least) if stage.charged else stage.least
        allowed = replace(effort, cells=cells)
        if allowed.cells < 0:
            continue
        left = _MOST_JUDGED
        for number, proposal in enumerate(islice(stage.proposals, _MOST_PROPOSED)):
            if not left or allowed.cells < 0:
                break
            if proposal in tried:
                continue
            left -= 1
            candidate = judge(stage.image, proposal, wanted, allowed)
            tried.add(proposal, candidate)
            scored.append((proposal, -np.inf) if candidate is None else (candidate.grid, candidate.score))
            if candidate is None or (found is not None and not is_larger(candidate.grid, found)):
                continue
            judged.append(replace(candidate, blurred=stage.blurred))
            settles = number >= stage.assumed or candidate.grid.fills(wanted.frame(image.shape))
            if candidate.beyond_doubt and settles:
                return judged
        if stage.charged:
            effort.cells -= cells - allowed.cells
    if any(each.convincing and not each.blurred for each in judged):
        return judged
    return judged + _shifted(image, wanted, scored, shifting)


def _shifted(
    image: Image, wanted: Wanted, scored: Sequence[tuple[Grid, float]], effort: Effort
) -> list[Candidate]:
    """Judge lattices once more, shifted by parts of a tile: those first on whose tiles most proposals agree.

    What repeats tells how large tiles are. Where they end it may tell wrongly: at the gaps between round
    tiles, or between the signs of a terminal. `scored`: what was judged, with its score; -inf if it has none.
    """
    agreeing: list[list[tuple[Grid, float]]] = []
    for grid, score in scored:
        for some in agreeing:
            if same_pitch(grid, some[0][0]):
                some.append((grid, score))
                break
        else:
            agreeing.append([(grid, score)])
    found: list[Candidate] = []
    for some in sorted(agreeing, key=len, reverse=True):
        grid, _ = max(some, key=itemgetter(1))
        for across, down in product(_SHIFTS, _SHIFTS):
            candidate = judge(image, grid.moved(across, down), wanted, effort) if across or down else None
            if candidate is None:
                continue
            found.append(candidate)
            if candidate.beyond_doubt:
                return [*found, *_nearer(image, wanted, candidate, effort)]
    best = max((each for each in found if each.convincing), key=lambda each: each.score, default=None)
    return found if best is None else [*found, *_nearer(image, wanted, best, effort)]


def _nearer(image: Image, wanted: Wanted, candidate: Candidate, effort: Effort) -> list[Candidate]:
    """Judge what lies around a candidate, by smaller and smaller parts of a tile, each time from the best."""
    found = [candidate]
    for step in _NEAR:
        at = max(found, key=lambda each: each.score)
        for across, down in product((-step, 0.0, step), repeat=2):
            near = judge(image, at.grid.moved(across, down), wanted, effort) if across or down else None
            if near is not None:
                found.append(near)
    return found[1:]


@dataclass(frozen=True, eq=False)
class _Stage:
    """A step of the search."""

    image: Image
    """The picture, or a copy of it, that is searched."""
    proposals: Iterator[Grid]
    blurred: bool = False
    """Whether it is a blurred copy."""
    least: int = -1
    """Cells that may be looked at whatever the stages before took; below 0 for none."""
    assumed: int = 0
    """How many of the proposals, the first, are only what the user may have meant.

    Tiles need not be square: a board that does not fill the picture, or the box, may be a few rows of it.
    """
    charged: bool = True
    """Whether what is looked at is taken from the effort of the whole search, else no more than that."""


def _stages(image: Image, wanted: Wanted) -> Iterator[_Stage]:
    """Yield the stages of the search in the order of what they cost.

    What is given, and the whole picture; parts of it; later where glyphs stand; the whole without its grain;
    the whole blurred. In the last two, what glyphs tell comes last.
    """
    left, top, right, bottom = _region(image, wanted)

    def moved(grids: Iterator[Grid]) -> Iterator[Grid]:
        return (Grid(grid.x + left, grid.y + top) for grid in grids)

    part = np.ascontiguousarray(image[top:bottom, left:right])
    given = given_cuts(image, wanted)
    enclosed: list[Grid] = []

    def proposed(seen: Image) -> Iterator[Grid]:
        there = np.ascontiguousarray(seen[top:bottom, left:right])
        return moved(chain(proposals(there), proposals_by_glyphs(there)))

    yield _Stage(image, chain(given, moved(proposals(part, enclosed))), assumed=len(given))
    if part.shape[0] * part.shape[1] > 2 * _SEARCHED[0]:
        return  # a shrunk copy was searched in parts already; here that would take a minute
    for parts in _PARTS:
        yield _Stage(image, moved(proposals_in_parts(part, parts, enclosed)))
    yield _Stage(image, moved(proposals_by_glyphs(part)), least=_LEAST_LATER, charged=False)
    smooth = np.asarray(cv2.medianBlur(image, _SMOOTHING), np.uint8)
    yield _Stage(smooth, proposed(smooth), least=_LEAST_LATER)
    shaded = np.asarray(cv2.GaussianBlur(image, (0, 0), _BLUR), np.uint8)
    yield _Stage(shaded, proposed(shaded), blurred=True, least=_LEAST_LATER)


def _region(image: Image, wanted: Wanted) -> tuple[int, int, int, int]:
    """x0, y0, x1, y1 of the pixels to look at."""
    x0, y0, x1, y1 = wanted.frame(image.shape)
    return int(x0), int(y0), int(np.ceil(x1)), int(np.ceil(y1))


def given_cuts(image: Image, wanted: Wanted) -> list[Grid]:
    """Return the box, or the picture, as the board of the given width; nothing where none was given."""
    if wanted.columns is None:
        return []
    try:
        return [fit_grid(image, wanted.columns, wanted.rows, wanted.box)]
    except NoBoardFound:
        return []


def is_larger(grid: Grid, found: Grid) -> bool:
    """Tell whether a board has more tiles than the one found, and lies over it."""
    return grid.columns * grid.rows > found.columns * found.rows and overlap(grid, found)
