"""Proposed lattices judged: where on each the board would lie, and how much speaks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SIDES, Side
from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.detection.extent import MOST_SAID, Extent, best_extent, least_certain
from visionsweeper.vision.detection.part_lines import unasked_of_parts, with_part_lines
from visionsweeper.vision.detection.tile_map import TileMap, likeliest_tile, map_tiles
from visionsweeper.vision.part_tiles import HALF, WHOLE, cut_sides, in_view, whole_tiles

Floats = npt.NDArray[np.float64]

BOX_SLACK: Final = 0.75
"""How far a board may reach beyond the box that a person drew, tiles."""

MIN_PITCH: Final = 6.0
"""Tiles narrower than this many pixels are not looked for."""

CONVINCING: Final = 1.0
"""Log odds that the cells are tiles, and that the board ends at each side, from which a cut is believed."""

BEYOND_DOUBT: Final = 4.0
"""The same from which nothing else is looked at."""

_MOST_CELLS: Final = 12_000
"""Lattices with more cells than this are no boards."""

_MOST_LOOKED_AT: Final = 4 * _MOST_CELLS
"""Cells that one search looks at, over all proposed lattices; shifting them has a limit of its own.

Of 230 screenshots the hardest one takes 25,000; only noise and patterns take more, and there the search would
take a minute."""

_AROUND: Final = 8
"""Cells around a proposal that are looked at first, at least."""

_SAMPLE: Final = 8
"""Cells along each axis of the samples of a lattice that are looked at before all of it."""

_PART: Final = 12
"""Cells along each axis of the parts of a proposal, at most; the middle of each is a sample."""

_HOPELESS: Final = -2.0
"""Log odds of the likeliest cell of the samples below which the rest is not looked at.

Of 3,742 proposals on 402 pictures with more against them than for them 83 % end there; so do 2 of the 859
others, neither of them convincing.
"""

_SAME_PITCH: Final = 0.02
"""Share by which the pitches of two lattices differ that are the same."""

_SAME_PHASE: Final = 0.12
"""Distance of the borders of two lattices that are the same, tiles."""


@dataclass(frozen=True)
class Wanted:
    """What is known of the board beforehand."""

    columns: int | None = None
    rows: int | None = None
    box: Box | None = None
    """Where it lies, px, give or take BOX_SLACK tiles."""

    @property
    def told(self) -> bool:
        """Whether width or height is given."""
        return self.columns is not None or self.rows is not None

    @property
    def whole_size(self) -> bool:
        """Whether both width and height are given."""
        return None not in (self.columns, self.rows)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be found: the user is obeyed then."""
        return self.whole_size and self.box is not None

    def tells(self, side: Side) -> bool:
        """Tell whether the number of lines from a side to the opposite one is given."""
        return (self.columns if side in {"left", "right"} else self.rows) is not None

    def frame(self, shape: tuple[int, ...]) -> Box:
        """Return the box, or all of a picture of `shape` (height, width) px."""
        return self.box or (0.0, 0.0, float(shape[1]), float(shape[0]))

    def fits(self, grid: Grid) -> bool:
        """Tell whether a board has as many columns and rows as was told."""
        return self.columns in {None, grid.columns} and self.rows in {None, grid.rows}

    def scaled(self, across: float, down: float) -> Wanted:
        """Return the same for a picture so many times as wide and as high."""
        if self.box is None:
            return self
        x0, y0, x1, y1 = self.box
        return replace(self, box=(x0 * across, y0 * down, x1 * across, y1 * down))


@dataclass
class Effort:
    """What a search may still cost."""

    cells: int = _MOST_LOOKED_AT
    """Cells of lattices left to be looked at; nothing is judged once this is negative."""


@dataclass
class Tried:
    """The lattices that were judged in a picture."""

    whole: list[Grid] = field(default_factory=list)
    ended: list[Grid] = field(default_factory=list)
    """Proposals that nothing came of: of most of them no more was looked at than samples."""

    def add(self, proposal: Grid, candidate: Candidate | None) -> None:
        """Take down what came of a proposal."""
        (self.ended if candidate is None else self.whole).append(proposal)

    def __contains__(self, proposal: Grid) -> bool:
        """Tell whether a proposal needs no other look; the samples of a smaller one may show what it hid."""
        tiles = proposal.columns * proposal.rows
        ended = (each for each in self.ended if each.columns * each.rows <= tiles)
        return any(same_lattice(proposal, each) for each in (*self.whole, *ended))


@dataclass(frozen=True, eq=False)
class Candidate:
    """A board as it would lie on a proposed lattice."""

    grid: Grid
    score: float
    """Sum of the log odds of its cells and outer borders."""
    inside: float
    """Mean log odds that the cells of its least certain row or column are tiles."""
    sides: tuple[float, float, float, float]
    """Mean log odds that the board ends at its left, right, upper and lower side."""
    cells: Floats
    """(rows, columns) log odds of each cell that it is a tile; what hides a tile makes it none."""
    forgone: float
    """How much higher the score would be for another size; 0 when none was given."""
    blurred: bool = False
    """Whether it was seen in the blurred picture only: then its borders may be off by a pixel."""

    def scaled(self, across: float, down: float) -> Candidate:
        """Return the same in a picture so many times as wide and as high."""
        return replace(self, grid=self.grid.scaled(across, down))

    @property
    def weakest(self) -> float:
        """Log odds of what speaks for it the least."""
        return min(self.inside, *self.sides)

    @property
    def convincing(self) -> bool:
        """Whether it may be believed without another look."""
        return self.weakest >= CONVINCING and self.forgone <= self.score / 10

    @property
    def beyond_doubt(self) -> bool:
        """Whether no other candidate need be looked for."""
        return self.weakest >= BEYOND_DOUBT and self.convincing


def judge(image: npt.NDArray[np.uint8], proposal: Grid, wanted: Wanted, effort: Effort) -> Candidate | None:
    """Find the board on the lattice that a proposal is a part of, in an (H, W, 3) uint8 RGB picture.

    None where no board of the wanted size fits, samples of the proposal show no tile, or no effort is left.
    What is looked at is taken from it; samples only where they are all.
    """
    if effort.cells < 0 or min(proposal.pitch_x, proposal.pitch_y) < MIN_PITCH:
        return None
    height, width = image.shape[:2]
    everywhere = 2.0 * max(width, height)
    around = max(_AROUND, proposal.columns / 2, proposal.rows / 2)
    reaches = ((around * proposal.pitch_x, around * proposal.pitch_y), (everywhere, everywhere))
    for number, (reach_x, reach_y) in enumerate(reaches):
        x, y = continued(proposal.x, width, reach_x), continued(proposal.y, height, reach_y)
        if len(x) * len(y) > _MOST_CELLS or (number == 0 and _hopeless(image, proposal, effort)):
            return None
        effort.cells -= len(x) * len(y)
        candidate, open_ended = _on_lattice(image, Grid(x, y), wanted)
        if not open_ended or candidate is None or candidate.score <= 0:
            return candidate
    return candidate


def _hopeless(image: npt.NDArray[np.uint8], proposal: Grid, effort: Effort) -> bool:
    """Tell whether no cell may be a tile in samples of a proposal; if so, these are taken from the effort."""
    height, width = image.shape[:2]
    cells = 0
    for y, x in product(_samples(proposal.y, height), _samples(proposal.x, width)):
        if likeliest_tile(image, Grid(x, y)) >= _HOPELESS:
            return False
        cells += (len(x) - 1) * (len(y) - 1)
    effort.cells -= cells
    return True


def _samples(edges: Floats, length: int) -> Iterator[Floats]:
    """Yield the edges of the middle _SAMPLE cells of each part of a proposal along an axis of `length` px.

    Where a part has fewer, cells around it are taken, as far as the picture has any.
    """
    cells = len(edges) - 1
    lattice = continued(edges, length, _SAMPLE * float(edges[-1] - edges[0]) / cells)
    before = int(np.abs(lattice - edges[0]).argmin())
    parts = -(-cells // _PART)
    for part in range(parts):
        first = before + round((part + 0.5) * cells / parts - _SAMPLE / 2)
        first = max(0, min(first, len(lattice) - 1 - _SAMPLE))
        yield lattice[first : first + _SAMPLE + 1]


def continued(edges: Floats, length: int, reach: float) -> Floats:
    """Return edges along an axis of `length` px continued evenly by `reach` px, at most one cell beyond."""
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    before = int(np.ceil(min(max(edges[0], 0.0), reach) / pitch - 1e-6)) + 1
    after = int(np.ceil(min(max(length - edges[-1], 0.0), reach) / pitch - 1e-6)) + 1
    return with_more(edges, before, after)


def with_more(edges: Floats, before: int, after: int) -> Floats:
    """Return edges along an axis with so many more before and after them, as far apart in the mean."""
    pitch = float(edges[-1] - edges[0]) / (len(edges) - 1)
    return np.concatenate(
        [edges[0] - pitch * np.arange(before, 0, -1), edges, edges[-1] + pitch * np.arange(1, after + 1)]
    )


def _on_lattice(image: npt.NDArray[np.uint8], lattice: Grid, wanted: Wanted) -> tuple[Candidate | None, bool]:
    """Return the candidate, and whether it ends where the lattice does: then more should be looked at."""
    height, width = image.shape[:2]
    tiles = map_tiles(image, lattice)
    across, down = in_view(lattice.x, width, HALF), in_view(lattice.y, height, HALF)
    if wanted.box is not None:
        x0, y0, x1, y1 = wanted.box
        across &= _between(lattice.x, x0, x1, BOX_SLACK * lattice.pitch_x)
        down &= _between(lattice.y, y0, y1, BOX_SLACK * lattice.pitch_y)
    allowed = down[:, None] & across[None]
    if wanted.told:
        tiles = unasked_of_parts(image, tiles, wanted.columns, wanted.rows, allowed)
    found = best_extent(tiles, wanted.columns, wanted.rows, allowed)
    if found is None:
        return None, True
    forgone = 0.0
    if wanted.told:
        free = best_extent(tiles, None, None, allowed)
        forgone = 0.0 if free is None else free.score - found.score
        found = with_part_lines(found, tiles, wanted.columns, wanted.rows, allowed, image.shape)
    rows, columns = found.rows, found.columns
    open_ended = any(
        (
            columns.start == 1 and lattice.x[0] > 0,
            rows.start == 1 and lattice.y[0] > 0,
            columns.stop == lattice.columns - 1 and lattice.x[-1] < width,
            rows.stop == lattice.rows - 1 and lattice.y[-1] < height,
        )
    )
    grid = found.of(lattice)
    inside, sides = found.inside, found.sides
    # Part tiles make nothing convincing of what has more against it than for it.
    if wanted.told or (found.score > 0 and min(inside, *sides) < BEYOND_DOUBT):
        cut = SIDES if wanted.told else cut_sides(image, whole_tiles(grid, image.shape))
        inside, sides = _where_asked(tiles, found, grid, cut, image.shape)
    cells = tiles.inside[rows, columns].astype(np.float64)
    return Candidate(grid, found.score, inside, sides, cells, forgone), open_ended


def _where_asked(
    tiles: TileMap, found: Extent, grid: Grid, cut: tuple[Side, ...], shape: tuple[int, ...]
) -> tuple[float, tuple[float, float, float, float]]:
    """Return what speaks for a board in a picture that may cut through its outer tiles at the sides in `cut`.

    Nothing is asked of such a side beyond which no whole tile would be seen, or of part tiles there: the user
    cropped the board.
    """
    height, width = shape[:2]
    beyond_x, beyond_y = WHOLE * grid.pitch_x, WHOLE * grid.pitch_y
    near = (
        grid.x[0] < beyond_x,
        width - grid.x[-1] < beyond_x,
        grid.y[0] < beyond_y,
        height - grid.y[-1] < beyond_y,
    )
    unasked = np.array([is_near and side in cut for side, is_near in zip(SIDES, near, strict=True)])
    across, down = in_view(grid.x, width, WHOLE), in_view(grid.y, height, WHOLE)
    across[[0, -1]] |= ~unasked[:2]
    down[[0, -1]] |= ~unasked[2:]
    cells = np.clip(tiles.inside[found.rows, found.columns][down][:, across], -MOST_SAID, MOST_SAID)
    if not cells.size:
        return found.inside, found.sides
    left, right, top, bottom = np.where(unasked, MOST_SAID, found.sides).tolist()
    return least_certain(cells), (left, right, top, bottom)


def _between(edges: Floats, low: float, high: float, slack: float) -> npt.NDArray[np.bool_]:
    return np.asarray((edges[:-1] >= low - slack) & (edges[1:] <= high + slack))


def same_pitch(one: Grid, other: Grid) -> bool:
    """Tell whether the tiles of two grids are as wide and as high as each other."""
    ratios = (one.pitch_x / other.pitch_x, one.pitch_y / other.pitch_y)
    return all(abs(ratio - 1) <= _SAME_PITCH for ratio in ratios)


def same_lattice(one: Grid, other: Grid) -> bool:
    """Tell whether two grids overlap and are parts of one lattice."""
    for mine, theirs in ((one.x, other.x), (one.y, other.y)):
        pitch, others_pitch = (float(e[-1] - e[0]) / (len(e) - 1) for e in (mine, theirs))
        if abs(pitch / others_pitch - 1) > _SAME_PITCH or mine[-1] < theirs[0] or theirs[-1] < mine[0]:
            return False
        # Compared where both are, since small errors of the pitch add up from end to end.
        middle = (max(mine[0], theirs[0]) + min(mine[-1], theirs[-1])) / 2
        near = float(mine[np.abs(mine - middle).argmin()])
        if abs((near - theirs[0]) / others_pitch % 1.0 - 0.5) < 0.5 - _SAME_PHASE:
            return False
    return True


def overlap(one: Grid, other: Grid) -> bool:
    """Tell whether two boards share any place."""
    ax0, ay0, ax1, ay1 = one.box
    bx0, by0, bx1, by1 = other.box
    return min(ax1, bx1) > max(ax0, bx0) and min(ay1, by1) > max(ay0, by0)
