"""A board in an uncropped picture, found by the lines around its tiles."""

from __future__ import annotations

from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.rectangle import best_rectangle

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]

Pitch: TypeAlias = tuple[float, float]
"""Distance of two columns and of two rows, pixels."""

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

    The lines are about half of `pitch` long at least.
    Lines stand out from what is around them. Faint ones count on plain ground, but not on a photograph.
    """
    around = (round(1.5 * pitch),) * 2
    unrest = cv2.blur(cv2.LUT(steps, _STEP_UNREST), around)
    lines = cv2.compare(periodicity.straight(steps, axis, pitch), cv2.LUT(unrest, _NEEDED), cv2.CMP_GE)
    return np.pad(np.asarray(lines, np.uint8), ((0, 0), (1, 0)) if axis == 1 else ((1, 0), (0, 0)))


def line_grid(steps: tuple[Gray, Gray], pitch: Pitch) -> tuple[Grid, float] | None:
    """Return the largest board of enclosed cells at about this pitch, and how well they are enclosed (0..1).

    steps are those of the picture along x and along y (periodicity.steps); pitch is that of the columns and
    that of the rows. None where there are not even two by two such cells.
    """
    pitch_x, pitch_y = pitch
    upright, level = lines(steps[0], 1, pitch_y), lines(steps[1], 0, pitch_x)
    found = _rough_box(upright, level, pitch)
    if found is None:
        return None
    height, width = upright.shape
    board: tuple[Grid, float] | None = None
    # From the second time on the borders are fitted inside the box that was found, free of what is around.
    for _ in range(3):
        left, right = max(0, int(found[0] - 1.6 * pitch[0])), int(found[2] + 1.6 * pitch[0])
        top, bottom = max(0, int(found[1] - 1.6 * pitch[1])), int(found[3] + 1.6 * pitch[1])
        across = periodicity.evidence(steps[0][top:bottom, left : right - 1], 1, pitch_y)
        down = periodicity.evidence(steps[1][top : bottom - 1, left:right], 0, pitch_x)
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


def _rough_box(upright: Gray, level: Gray, pitch: Pitch) -> Box | None:
    """Where cells of this pitch crowd, to about a tile: squares with a line on each of their four sides."""
    side_x, side_y = (round(each) for each in pitch)
    inset_x, inset_y = (round(0.15 * each) for each in pitch)
    height, width = upright.shape[0] - side_y - inset_y - 1, upright.shape[1] - side_x - inset_x - 1
    if height < 1 or width < 1:
        return None
    # Blurred along the line from each point on: how much of a side of that length is there.
    sides = []
    for mask, axis in ((upright, 1), (level, 0)):
        slack, reach = max(1, round(0.07 * pitch[1 - axis])), max(2, round(0.7 * pitch[axis]))
        across = (1, 2 * slack + 1) if axis == 1 else (2 * slack + 1, 1)
        along = (1, reach) if axis == 1 else (reach, 1)
        thick = cv2.dilate(mask, np.ones(across, np.uint8))
        sides.append(cv2.blur(thick, along, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT))
    left = sides[0][inset_y : inset_y + height, :width]
    right = sides[0][inset_y : inset_y + height, side_x : side_x + width]
    top = sides[1][:height, inset_x : inset_x + width]
    bottom = sides[1][side_y : side_y + height, inset_x : inset_x + width]
    weakest = cv2.min(cv2.min(left, right), cv2.min(top, bottom))
    somewhere = cv2.dilate(weakest, np.ones((side_y, side_x), np.uint8), anchor=(0, 0))
    y = (np.arange(max(1, int(height / pitch[1]))) * pitch[1]).astype(np.intp)
    x = (np.arange(max(1, int(width / pitch[0]))) * pitch[0]).astype(np.intp)
    cells = np.where(somewhere[np.ix_(y, x)] > 255 * _ENCLOSED, 1.0, -1.0)
    rectangle = best_rectangle(cells)
    if rectangle is None or cells[rectangle].sum() < 4:
        return None
    rows, columns = rectangle
    return (
        float(columns.start * pitch[0]),
        float(rows.start * pitch[1]),
        float((columns.stop + 1) * pitch[0]),
        float((rows.stop + 1) * pitch[1]),
    )


def _borders(evidence: periodicity.Evidence, pitch: float, offset: int, length: int) -> Floats:
    """Borders from end to end of the picture: followed one by one where the evidence is, even beyond."""
    quality = evidence.quality(pitch, content_weight=0.5)
    fit = periodicity.fit_free_axis(quality, pitch, spread=0.03)
    if fit is None:
        return np.empty(0)
    edges = periodicity.track(
        quality, fit, stiffness=200 * max(0.5, periodicity.strength(quality, fit.edges))
    )
    edges = edges + offset
    before = np.arange(int((edges[0] + 0.4 * pitch) / fit.pitch), 0, -1)
    after = np.arange(1, int((length + 0.4 * pitch - edges[-1]) / fit.pitch) + 1)
    return np.concatenate([edges[0] - before * fit.pitch, edges, edges[-1] + after * fit.pitch])


def _enclosure(upright: Gray, level: Gray, x: Floats, y: Floats) -> Floats:
    """(rows, columns) 0..1: how much of its four sides each cell has, the worst side counting most."""
    beside = _presence(upright, x, y, 1)
    above = _presence(level, y, x, 0)
    left, right, top, bottom = beside[:-1].T, beside[1:].T, above[:-1], above[1:]
    worst = np.minimum(np.minimum(left, right), np.minimum(top, bottom))
    return np.asarray(worst / 2 + (left + right + top + bottom) / 8, dtype=np.float64)


def _presence(marked: Gray, lines: Floats, ends: Floats, axis: int) -> Floats:
    """(lines, len(ends) - 1) share of each piece of each line, corners left out, that is there.

    The lines cross the axis (1: x, 0: y).
    """
    slack = max(1, round(0.07 * float(np.diff(lines).mean())))
    length, width = marked.shape[1 - axis], marked.shape[axis]
    inset = 0.15 * np.diff(ends)
    first = np.clip(np.rint(ends[:-1] + inset).astype(np.intp), 0, length)
    last = np.clip(np.rint(ends[1:] - inset).astype(np.intp), 0, length)
    share = np.zeros((len(lines), len(ends) - 1))
    at = np.rint(lines).astype(np.intp)
    near = (at >= -slack) & (at < width + slack)
    if near.any():
        middle = np.clip(at[near], 0, width - 1)
        around = (np.clip(middle + off, 0, width - 1) for off in range(-slack, slack + 1))
        there = np.maximum.reduce([marked.take(each, axis) for each in around])
        total = np.zeros((len(middle), length + 1), np.int32)
        np.cumsum((there if axis == 0 else there.T) > 0, axis=1, out=total[:, 1:])
        share[near] = (total[:, last] - total[:, first]) / np.maximum(last - first, 1)
    return share
