"""Finds the board in a picture that shows more than the board: a window, a page, a whole screen."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.extent import extended, trimmed
from visionsweeper.vision.detection.line_grid import enclosure, line_lattice, lines
from visionsweeper.vision.detection.repeat_grid import twin_lattice, twins

_SURE: Final = 0.9
"""Enclosure of the cells (0..1) from which lines need no second opinion."""

_LIKELY: Final = 0.5
"""Share of tiles with twins, or enclosure, below which there is no board."""

_FRAME: Final = 32
"""Width of the frame put around a picture, px."""

_SMALLEST: Final = 16
"""Pictures less wide or high than this hold no board, px."""

_FEWEST: Final = 9
"""Tiles of the smallest board that is believed in unasked."""

_FINEST: Final = 9.0
"""Pitch of the finest board that is believed in unasked, px."""

_OTHER_SIDE: Final = 5
"""Tiles across and down from which on a second lattice in the picture may be a second board."""

_OTHER_AREA: Final = 0.03
"""Share of the first board's area from which on the same."""

_EMPTY: Final = 0.35
"""Mean enclosure of a column or row of cells that are no tiles."""

_DIGITS: Final = 0.1
"""Share of the cells without lines that have twins, from which on they are tiles."""

_FILLED: Final = 0.3
"""Share of tiles with something drawn that has a twin, from which on a lattice is more than a pattern."""

_OTHER_PITCH: Final = 1.05
"""Factor between two pitches that are not the same."""

_PARTS: Final = 1.35
"""Factor between two pitches from which on one may be of parts, or of blocks, of the other's tiles."""


def find_grid(image: npt.NDArray[np.uint8]) -> Grid:
    """The grid of the board somewhere in an (H, W, 3) uint8 RGB picture, nothing else being known.

    The largest of several. Raises NoBoardFound.
    """
    found = find_grids(image)
    if found:
        return found[0]
    raise NoBoardFound(
        f"no board was found in this picture of {image.shape[1]}x{image.shape[0]} px; "
        "crop it to the board and say how many tiles wide it is with --width"
    )


def find_grids(image: npt.NDArray[np.uint8]) -> list[Grid]:
    """The grids of all that looks like a board in an (H, W, 3) uint8 RGB picture, the largest first.

    The lattice of lines is taken where it is beyond doubt, else the one of look-alikes.
    """
    if min(image.shape[:2]) < _SMALLEST:
        return []
    steps = periodicity.steps(image, 1), periodicity.steps(image, 0)
    found = _find(image, steps)
    if found is None or _reaches(found, image, 2.2):
        cropped = _cropped(image)
        found = cropped if cropped is not None and _reaches(cropped, image, 0.3) else found
    if found is None:
        return []
    found = _settled(image, steps, found)
    pieces = _pieces(image, steps, found)
    others = [
        each
        for part in _around(found, image.shape[:2])
        for each in _others(steps, found, part)
        if _drawn(image, each) > _DIGITS
    ]
    return sorted([*pieces, *others], key=lambda grid: -_area(grid))


def _settled(
    image: npt.NDArray[np.uint8], steps: tuple[periodicity.Bytes, periodicity.Bytes], grid: Grid
) -> Grid:
    """The grid without a drawn frame, and with the tiles that the search has missed."""
    if float(enclosure(steps, grid).mean()) >= _SURE:
        return extended(image, steps, grid, blanks=False)
    return extended(image, steps, trimmed(image, grid))


def _pieces(
    image: npt.NDArray[np.uint8], steps: tuple[periodicity.Bytes, periodicity.Bytes], grid: Grid
) -> list[Grid]:
    """The grid, cut where whole columns or rows of it are no tiles: two boards side by side."""
    enclosed = enclosure(steps, grid)
    if float(np.median(enclosed)) < _SURE:
        return [grid]  # without lines there is no telling
    x, y = (_runs(enclosed.mean(axis=axis) > _EMPTY) for axis in (0, 1))
    pieces = [
        Grid(grid.x[c.start : c.stop + 1], grid.y[r.start : r.stop + 1])
        for r in y
        for c in x
        if min(c.stop - c.start, r.stop - r.start) >= _OTHER_SIDE
    ]
    if len(pieces) > 1:
        # Opened tiles without lines are no gap: the digits among them tell.
        between = enclosed <= _EMPTY
        digits = twins(image, grid)[between] > 0
        if digits.mean() > _DIGITS:
            return [grid]
    # A lattice through two boards fits neither, so each is looked at by itself.
    return [_refitted(steps, piece) for piece in pieces] if len(pieces) > 1 else [grid]


def _refitted(steps: tuple[periodicity.Bytes, periodicity.Bytes], grid: Grid) -> Grid:
    """The board of lines around there, or the grid itself where that is none."""
    x0, y0, x1, y1 = grid.box
    left, top = max(0, int(x0 - 1.3 * grid.pitch_x)), max(0, int(y0 - 1.3 * grid.pitch_y))
    right, bottom = int(x1 + 1.3 * grid.pitch_x), int(y1 + 1.3 * grid.pitch_y)
    cut = steps[0][top:bottom, left : right - 1], steps[1][top : bottom - 1, left:right]
    found = line_lattice(cut, (grid.pitch_x, grid.pitch_y))
    return grid if found is None or found[1] < _SURE else Grid(found[0].x + left, found[0].y + top)


def _runs(good: npt.NDArray[np.bool_]) -> list[slice]:
    """The stretches of consecutive True."""
    changes = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in changes.reshape(-1, 2)]


def _around(grid: Grid, shape: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """left, top, right, bottom of what the picture shows left, right, above and below the board."""
    height, width = shape
    # Outer borders may lie a little outside the picture.
    x0, x1 = (min(max(0, round(edge)), width) for edge in grid.box[::2])
    y0, y1 = (min(max(0, round(edge)), height) for edge in grid.box[1::2])
    return [(0, 0, x0, height), (x1, 0, width, height), (x0, 0, x1, y0), (x0, y1, x1, height)]


def _others(
    steps: tuple[periodicity.Bytes, periodicity.Bytes], first: Grid, part: tuple[int, int, int, int]
) -> list[Grid]:
    """Another board, of lines and of about such tiles, in a part of the picture."""
    left, top, right, bottom = part
    pitch = (first.pitch_x + first.pitch_y) / 2
    if min(right - left, bottom - top) < max(2, _OTHER_SIDE * pitch / 2):
        return []
    cut = steps[0][top:bottom, left : max(left, right - 1)], steps[1][top : max(top, bottom - 1), left:right]
    across, down = (lines(cut[1 - axis], axis, 16).mean(axis=1 - axis) / 255 for axis in (1, 0))
    if min(across.max(), down.max()) < _OTHER_SIDE * pitch / 2 / max(right - left, bottom - top):
        return []
    pitches = [each for each in periodicity.likely_pitches(across, down, count=2) if 0.5 < each / pitch < 2]
    tried = [(first.pitch_x, first.pitch_y), *((each, each) for each in pitches)]
    candidates = [line_lattice(cut, each) for each in tried]
    good = [each for each in candidates if each is not None and each[1] >= _SURE]
    best = _largest(list(good), finest=True)
    if best is None or min(best[0].rows, best[0].columns) < _OTHER_SIDE:
        return []
    grid = Grid(best[0].x + left, best[0].y + top)
    return [grid] if _area(grid) > _OTHER_AREA * _area(first) else []


def _area(grid: Grid) -> float:
    x0, y0, x1, y1 = grid.box
    return float((x1 - x0) * (y1 - y0))


def _find(image: npt.NDArray[np.uint8], steps: tuple[periodicity.Bytes, periodicity.Bytes]) -> Grid | None:
    across, down = periodicity.evidence(steps[0], 1, 16), periodicity.evidence(steps[1], 0, 16)
    drawn = [lines(steps[1 - axis], axis, 16).mean(axis=1 - axis) / 255 for axis in (1, 0)]
    pitches = [(each, each) for each in periodicity.likely_pitches(drawn[0], drawn[1], count=7)]
    candidates: list[tuple[Grid, float] | None] = []
    by_lines: tuple[Grid, float] | None = None
    for some in (pitches[:4], pitches[4:] + periodicity.oblong_pitches(drawn[0], drawn[1])):
        candidates += [line_lattice(steps, pitch) for pitch in some]
        by_lines = _largest(_not_empty(image, candidates), finest=True)
        if by_lines is not None and _beyond_doubt(by_lines):
            return by_lines[0]
    pitches = [(each, each) for each in periodicity.likely_pitches(across.content, down.content, count=4)]
    pitches += periodicity.oblong_pitches(across.content, down.content, count=1)
    candidates = [by_lines, *(twin_lattice(image, pitch) for pitch in pitches)]
    found = _largest(candidates, finest=False)
    return found[0] if found is not None and found[1] >= _LIKELY else None


def _not_empty(
    image: npt.NDArray[np.uint8], candidates: list[tuple[Grid, float] | None]
) -> list[tuple[Grid, float] | None]:
    """The candidates without patterns of the page, if there is a board with something drawn in its tiles."""
    sure = [c for c in candidates if c is not None and _beyond_doubt(c)]
    if len({(c[0].columns, c[0].rows) for c in sure}) < 2:
        return candidates
    drawn = [_drawn(image, c[0]) for c in sure]
    if max(drawn) < _FILLED:
        return candidates
    return [c for c, share in zip(sure, drawn, strict=True) if share > _DIGITS]


def _drawn(image: npt.NDArray[np.uint8], grid: Grid) -> float:
    """Share of the tiles that are no blanks and have twins."""
    return float((twins(image, grid) > 0).mean())


def _beyond_doubt(candidate: tuple[Grid, float]) -> bool:
    """Whether lines alone tell the board; a few rows of enclosed cells may be a part of it."""
    grid, enclosed = candidate
    return enclosed >= _SURE and min(grid.rows, grid.columns) >= _OTHER_SIDE


def _reaches(grid: Grid, image: npt.NDArray[np.uint8], tiles: float) -> bool:
    """Whether every side of the board is that many tiles or less from the picture's border."""
    x0, y0, x1, y1 = grid.box
    height, width = image.shape[:2]
    return bool(max(x0, width - x1) <= tiles * grid.pitch_x and max(y0, height - y1) <= tiles * grid.pitch_y)


def _cropped(image: npt.NDArray[np.uint8]) -> Grid | None:
    """The board of a picture cropped to it: a frame that stands out gives its outer tiles their borders."""
    rim = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    fill = 0 if rim.mean() > 127 else 255
    sides = ((_FRAME, _FRAME), (_FRAME, _FRAME), (0, 0))
    framed = np.pad(image, sides, constant_values=fill)
    grid = _find(framed, (periodicity.steps(framed, 1), periodicity.steps(framed, 0)))
    if grid is None:
        return None
    x, y = (
        _inside(edges - _FRAME, length)
        for edges, length in zip((grid.x, grid.y), image.shape[1::-1], strict=True)
    )
    return Grid(x, y) if min(len(x), len(y)) > 1 else None


def _inside(edges: npt.NDArray[np.float64], length: int) -> npt.NDArray[np.float64]:
    """The edges of the tiles that lie in 0..length at least by half, cut off there."""
    cut = np.clip(edges, 0, length)
    shown = np.diff(cut) > 0.5 * np.diff(edges)
    return np.asarray(
        cut[np.concatenate([[False], shown]) | np.concatenate([shown, [False]])], dtype=np.float64
    )


def _largest(candidates: list[tuple[Grid, float] | None], *, finest: bool) -> tuple[Grid, float] | None:
    """The candidate of the largest area that is filled well; of about equal ones the finest or coarsest.

    Every second line of a checkerboard makes a lattice too, and so do halves of tiles that look alike.
    """

    def merit(candidate: tuple[Grid, float]) -> float:
        return _area(candidate[0]) * candidate[1] ** 2

    good = [c for c in candidates if c is not None and _believable(c[0])]
    if not good:
        return None
    best = max(good, key=merit)
    # A pattern on the page is larger than the board on it, but the board's own lines are beyond doubt.
    sure = [c for c in good if _beyond_doubt(c) and _pitches_apart(c[0], best[0]) > _OTHER_PITCH]
    if finest and best[1] < _SURE and sure:
        return max(sure, key=merit)
    near = (0.7 if finest else 0.9) * merit(best)
    rivals = [c for c in good if merit(c) > near and _pitches_apart(c[0], best[0]) > _PARTS]
    return (max if finest else min)([best, *rivals], key=lambda c: c[0].rows * c[0].columns)


def _pitches_apart(one: Grid, other: Grid) -> float:
    """The factor, 1 and above, by which the tiles of one are larger than those of the other."""
    ratio = (one.pitch_x * one.pitch_y / (other.pitch_x * other.pitch_y)) ** 0.5
    return float(max(ratio, 1 / ratio))


def _believable(grid: Grid) -> bool:
    return grid.rows * grid.columns >= _FEWEST and min(grid.pitch_x, grid.pitch_y) >= _FINEST
