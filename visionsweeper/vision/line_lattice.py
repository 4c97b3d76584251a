"""A board in an uncropped picture, found by the lines around its tiles."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.vision import lattice
from visionsweeper.vision.grid import Box, Grid
from visionsweeper.vision.rectangle import best_rectangle

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]

_FAINTEST: Final = 2
"""Steps (gray levels) from here on count, on plain ground."""

_LEVELS: Final = np.arange(256)

_STEP_UNREST: Final = (np.minimum(_LEVELS, 6) * 32).astype(np.uint8)
"""What a step adds to the unrest around it, in units of a 32nd gray level."""

_NEEDED: Final = np.where(_LEVELS > 5 * 32, 255, np.maximum(_FAINTEST, (_LEVELS + 8) // 16)).astype(np.uint8)
"""The step of a line amid such unrest: twice the mean; where everything is a step, there are no lines."""

_ENCLOSED: Final = 0.5
"""Share of a cell's sides that have to be there for it to speak for a board."""


def lines(steps: Gray, axis: int, pitch: float) -> Gray:
    """(H, W) 0 or 255: where straight lines cross the axis; entry i lies between pixels i - 1 and i.

    Lines stand out from what is around them. Faint ones count on plain ground, but not on a photograph.
    """
    around = (round(1.5 * pitch),) * 2
    unrest = cv2.blur(cv2.LUT(steps, _STEP_UNREST), around)
    lines = cv2.compare(lattice.straight(steps, axis, pitch), cv2.LUT(unrest, _NEEDED), cv2.CMP_GE)
    return np.pad(np.asarray(lines, np.uint8), ((0, 0), (1, 0)) if axis == 1 else ((1, 0), (0, 0)))


def line_lattice(steps: tuple[Gray, Gray], pitch: float) -> tuple[Grid, float] | None:
    """The largest board of enclosed cells at about this pitch, and how well its cells are enclosed (0..1).

    steps are those of the picture along x and along y (see lattice.steps). None where there are not even
    two by two such cells.
    """
    upright, level = lines(steps[0], 1, pitch), lines(steps[1], 0, pitch)
    found = _rough_box(upright, level, pitch)
    if found is None:
        return None
    height, width = upright.shape
    pitch_x = pitch_y = pitch
    board: tuple[Grid, float] | None = None
    # The second time the borders are fitted inside the box that the first has found, free of what is around.
    for _ in range(3):
        left, top = (max(0, int(edge - 1.6 * pitch)) for edge in found[:2])
        right, bottom = (int(edge + 1.6 * pitch) for edge in found[2:])
        across = lattice.evidence(steps[0][top:bottom, left : right - 1], 1, pitch_y)
        down = lattice.evidence(steps[1][top : bottom - 1, left:right], 0, pitch_x)
        x = _borders(across, pitch_x, left, width)
        y = _borders(down, pitch_y, top, height)
        if len(x) < 3 or len(y) < 3:
            return board
        enclosed = _enclosure(upright, level, x, y)
        rectangle = best_rectangle(enclosed - _ENCLOSED)
        if rectangle is None:
            return board
        rows, columns = rectangle
        if rows.stop - rows.start < 2 or columns.stop - columns.start < 2:
            return board
        grid = Grid(x[columns.start : columns.stop + 1], y[rows.start : rows.stop + 1])
        board = grid, float(enclosed[rows, columns].mean())
        found, pitch_x, pitch_y = grid.box, grid.pitch_x, grid.pitch_y
    return board


def enclosure(steps: tuple[Gray, Gray], grid: Grid, pitch: float) -> Floats:
    """(rows, columns) 0..1: how well each cell of a grid is enclosed by lines."""
    left, top = (max(0, int(edge - 2 * pitch)) for edge in grid.box[:2])
    right, bottom = (int(edge + 2 * pitch) for edge in grid.box[2:])
    upright = lines(steps[0][top:bottom, left : right - 1], 1, pitch)
    level = lines(steps[1][top : bottom - 1, left:right], 0, pitch)
    return _enclosure(upright, level, grid.x - left, grid.y - top)


def _rough_box(upright: Gray, level: Gray, pitch: float) -> Box | None:
    """Where cells of this pitch crowd, to about a tile: squares with a line on each of their four sides."""
    slack = max(1, round(0.07 * pitch))
    side, inset, reach = round(pitch), round(0.15 * pitch), max(2, round(0.7 * pitch))
    height, width = upright.shape[0] - side - inset - 1, upright.shape[1] - side - inset - 1
    if height < 1 or width < 1:
        return None
    # Blurred along the line from each point on: how much of a side of that length is there.
    sides = []
    for mask, along in ((upright, (1, reach)), (level, (reach, 1))):
        across = (2 * slack + 1, 1) if along[0] == 1 else (1, 2 * slack + 1)
        thick = cv2.dilate(mask, np.ones(across[::-1], np.uint8))
        sides.append(cv2.blur(thick, along, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT))
    left = sides[0][inset : inset + height, :width]
    right = sides[0][inset : inset + height, side : side + width]
    top = sides[1][:height, inset : inset + width]
    bottom = sides[1][side : side + height, inset : inset + width]
    weakest = cv2.min(cv2.min(left, right), cv2.min(top, bottom))
    somewhere = cv2.dilate(weakest, np.ones((side, side), np.uint8), anchor=(0, 0))
    y = (np.arange(max(1, int(height / pitch))) * pitch).astype(np.intp)
    x = (np.arange(max(1, int(width / pitch))) * pitch).astype(np.intp)
    cells = np.where(somewhere[np.ix_(y, x)] > 255 * _ENCLOSED, 1.0, -1.0)
    rectangle = best_rectangle(cells)
    if rectangle is None or cells[rectangle].sum() < 4:
        return None
    rows, columns = rectangle
    bounds = columns.start, rows.start, columns.stop + 1, rows.stop + 1
    return tuple(float(bound * pitch) for bound in bounds)  # type: ignore[return-value]


def _borders(evidence: lattice.Evidence, pitch: float, offset: int, length: int) -> Floats:
    """Borders from end to end of the picture: followed one by one where the evidence is, even beyond."""
    quality = evidence.quality(pitch, content_weight=0.5)
    comb = lattice.free_comb(quality, pitch, spread=0.03)
    if comb is None:
        return np.empty(0)
    edges = lattice.track(quality, comb, stiffness=200 * max(0.5, lattice.strength(quality, comb.edges)))
    edges = edges + offset
    before = np.arange(int((edges[0] + 0.4 * pitch) / comb.pitch), 0, -1)
    after = np.arange(1, int((length + 0.4 * pitch - edges[-1]) / comb.pitch) + 1)
    return np.concatenate([edges[0] - before * comb.pitch, edges, edges[-1] + after * comb.pitch])


def _enclosure(upright: Gray, level: Gray, x: Floats, y: Floats) -> Floats:
    """(rows, columns) 0..1: how much of its four sides each cell has, the worst side counting most."""
    beside = _presence(upright, x, y)
    above = _presence(level.T, y, x)
    left, right, top, bottom = beside[:-1].T, beside[1:].T, above[:-1], above[1:]
    worst = np.minimum(np.minimum(left, right), np.minimum(top, bottom))
    return np.asarray(worst / 2 + (left + right + top + bottom) / 8, dtype=np.float64)


def _presence(marked: Gray, lines: Floats, ends: Floats) -> Floats:
    """(lines, len(ends) - 1) share of each piece of each upright line, corners left out, that is there."""
    slack = max(1, round(0.07 * float(np.diff(lines).mean())))
    height, width = marked.shape
    inset = 0.15 * np.diff(ends)
    first = np.clip(np.rint(ends[:-1] + inset).astype(np.intp), 0, height)
    last = np.clip(np.rint(ends[1:] - inset).astype(np.intp), 0, height)
    share = np.zeros((len(lines), len(ends) - 1))
    at = np.rint(lines).astype(np.intp)
    near = (at >= -slack) & (at < width + slack)
    if near.any():
        wide = cv2.dilate(marked, np.ones((1, 2 * slack + 1), np.uint8))
        there = (wide[:, np.clip(at[near], 0, width - 1)] > 0).T
        total = np.pad(np.cumsum(there, axis=1), ((0, 0), (1, 0)))
        share[near] = (total[:, last] - total[:, first]) / np.maximum(last - first, 1)
    return share
