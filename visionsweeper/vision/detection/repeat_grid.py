"""A board in an uncropped picture, found by tiles that look alike; for themes without lines.

Tiles of a kind are drawn alike, so that a picture of a board repeats itself at multiples of the pitch, in
both directions, exactly where there are tiles.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Box, Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.line_grid import Pitch
from visionsweeper.vision.detection.rectangle import best_rectangle

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]

_FARTHEST_REPEAT: Final = 14.0
"""Root mean square difference (gray levels) up to which two tiles are repeats."""

_FLAT: Final = 5.0
"""Standard deviation (gray levels) below which a tile is blank, and its repeats mean nothing."""

_STRIPED: Final = 1.0
"""Standard deviation (gray levels) along one of the axes below which a tile is a piece of a stripe."""

_SCALE: Final = 2
"""Differences are averaged as bytes, several times as fast as floats, in this part of a gray level."""

_MIDST: Final = 0.4
"""How much the middle between what is drawn is preferred where nothing else tells borders."""

_MOST_CELLS: Final = 3000
"""More cells than this are not compared pair by pair."""


def repeat_grid(image: Gray, pitch: Pitch) -> tuple[Grid, float] | None:
    """Return the largest board of tiles with repeats at about this pitch, and the share that have one.

    image is (H, W, 3) uint8; pitch is that of the columns and that of the rows. None where there are
    not even two by two such tiles.
    """
    found = _rough_box(image, pitch)
    height, width = image.shape[:2]
    pitch_x, pitch_y = pitch
    board: tuple[Grid, float] | None = None
    for _ in range(2):
        if found is None:
            return board
        left, top = max(0, int(found[0] - 0.4 * pitch_x)), max(0, int(found[1] - 0.4 * pitch_y))
        right, bottom = int(found[2] + 0.4 * pitch_x), int(found[3] + 0.4 * pitch_y)
        part = image[top:bottom, left:right]
        pitch_x, pitch_y = exact_pitch(part, 1, pitch_x), exact_pitch(part, 0, pitch_y)
        across, down = periodicity.gather(part, pitch_x, pitch_y)
        x = _borders(across, pitch_x, left, width)
        y = _borders(down, pitch_y, top, height)
        if len(x) < 3 or len(y) < 3 or len(x) * len(y) > _MOST_CELLS:
            return board
        weights = repeats(image, Grid(x, y))
        rectangle = best_rectangle(weights)
        if rectangle is None:
            return board
        rows, columns = rectangle
        if rows.stop - rows.start < 2 or columns.stop - columns.start < 2:
            return board
        grid = Grid(x[columns.start : columns.stop + 1], y[rows.start : rows.stop + 1])
        inside = weights[rectangle]
        # Blank tiles say little for or against.
        good, others = (inside > 0).sum(), np.where(inside == -1, 1.0, 0.5)[inside <= 0].sum()
        board, found = (grid, float(good / (good + others))), grid.box
    return board


def exact_pitch(image: Gray, axis: int, pitch: float) -> float:
    """Return the pitch at which the picture repeats itself along the axis (1: x, 0: y), to a part of a pixel.

    Shifts by 1, 2, 4 ... tiles are tried around the pitch known so far: each doubles the precision.
    """
    gray: Gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    gray = gray if axis == 1 else gray.T
    gray = np.ascontiguousarray(gray[:: max(1, gray.shape[0] // 120)])
    length = gray.shape[1]
    drawn = cv2.dilate(cv2.absdiff(gray[:, 1:], gray[:, :-1]), np.ones((1, 3), np.uint8)) > 12
    drawn = np.pad(drawn, ((0, 0), (0, 1)))
    tiles, slack = 1, max(2.0, 0.06 * pitch)
    while tiles * pitch < 0.75 * length:
        expected = tiles * pitch
        shifts = np.arange(max(3, round(expected - slack)), min(length - 2, round(expected + slack)) + 1)
        merit = np.array([_repetition(gray, drawn, int(shift)) for shift in shifts])
        merit -= 0.02 * np.abs(shifts - expected) / slack
        best = int(merit.argmax())
        if merit[best] < 0.05:
            break
        near = slice(max(0, best - 1), best + 2)
        weight = np.maximum(merit[near] - 0.7 * merit[best], 0)
        pitch = float((shifts[near] * weight).sum() / weight.sum()) / tiles
        tiles, slack = 2 * tiles, max(1.5, 0.03 * pitch) if tiles < 4 else 1.5
    return pitch


def _repetition(gray: Gray, drawn: npt.NDArray[np.bool_], shift: int) -> float:
    """Share (0..1) of what is drawn that is there once more `shift` pixels on."""
    same = cv2.absdiff(gray[:, shift:], gray[:, :-shift]) < 16
    relevant = drawn[:, shift:] | drawn[:, :-shift]
    return int(np.count_nonzero(same & relevant)) / max(int(np.count_nonzero(relevant)), 50)


def _rough_box(image: Gray, pitch: Pitch) -> Box | None:
    """Where the picture repeats itself at this pitch, to about a tile."""
    factors = [max(1, int(each / 14)) for each in pitch]
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    shrunk = cv2.resize(gray, None, fx=1 / factors[0], fy=1 / factors[1], interpolation=cv2.INTER_AREA)
    small: Gray = np.asarray(shrunk, dtype=np.uint8)
    units = [each / factor for each, factor in zip(pitch, factors, strict=True)]
    window = (max(3, round(0.8 * units[0])), max(3, round(0.8 * units[1])))
    texture = _mean(small, np.asarray(cv2.blur(small, window), np.uint8), window)
    change = np.full_like(small, 255)
    for tiles in (1, 2, 3):
        for axis in (0, 1):
            for shift in {round(tiles * units[1 - axis]) + off for off in (-1, 0, 1)}:
                if shift < small.shape[axis] - 2:
                    head: tuple[slice, ...] = (slice(None), slice(None, -shift))[1 - axis :]
                    tail: tuple[slice, ...] = (slice(None), slice(shift, None))[1 - axis :]
                    difference = _mean(small[tail], small[head], window)
                    for part in (head, tail):
                        cv2.min(change[part], difference, dst=change[part])
    repeated = change < 0.6 * texture + 0.5 * _SCALE
    sides = zip(units[::-1], small.shape, strict=True)
    # Half a pixel less: rounding may put the middle of the last cell at the very end of the picture.
    cells = np.ix_(*(np.arange(unit / 2, length - 0.5, unit).astype(np.intp) for unit, length in sides))
    weights = np.where(texture[cells] < 2 * _SCALE, -0.3, np.where(repeated[cells], 1.0, -1.0))
    rectangle = best_rectangle(weights)
    if rectangle is None or weights[rectangle].sum() < 4:
        return None
    rows, columns = rectangle
    return columns.start * pitch[0], rows.start * pitch[1], columns.stop * pitch[0], rows.stop * pitch[1]


def _mean(one: Gray, other: Gray, window: tuple[int, int]) -> Gray:
    """Mean difference around each pixel, in units of 1 / _SCALE gray levels; large ones count alike."""
    return np.asarray(
        cv2.blur(cv2.convertScaleAbs(cv2.absdiff(one, other), alpha=_SCALE), window), dtype=np.uint8
    )


def _borders(evidence: periodicity.Evidence, pitch: float, offset: int, length: int) -> Floats:
    """Borders at this very pitch, two tiles beyond the evidence on both sides if the picture goes on."""
    fit = periodicity.fit_free_axis(
        evidence.quality(pitch, content_weight=2.0, midst=_MIDST), pitch, spread=0.0
    )
    if fit is None:
        return np.empty(0)
    edges = fit.start + offset + pitch * np.arange(-3, fit.tiles + 4)
    return np.asarray(edges[(edges > -0.3 * pitch) & (edges < length + 0.3 * pitch)], dtype=np.float64)


def repeats(image: Gray, grid: Grid) -> Floats:
    """(rows, columns): 1 for tiles with repeats, -1 for those without, a little below 0 for blank ones.

    Twins in the same row or column do not count: title bars and fences have those. Two are asked for.
    """
    tiles = cut_tiles(image, grid, 12).astype(np.float32)
    spread = (tiles - tiles.mean(axis=(1, 2), keepdims=True)).std(axis=(1, 2, 3))
    drawn = np.flatnonzero(spread >= _FLAT)
    # What does not change along one of the axes is a piece of a bar or of a wide field.
    along = [np.sqrt(tiles[drawn].var(axis=axis).mean(axis=(1, 2))) for axis in (1, 2)]
    drawn = drawn[np.minimum(*along) >= _STRIPED]
    weights = np.full(len(tiles), -0.25)
    weights[drawn] = -1.0
    if len(drawn) > 2:
        flat = tiles[drawn].reshape(len(drawn), -1)
        square = (flat**2).sum(axis=1)
        distance = square[:, None] + square[None, :] - 2 * (flat @ flat.T)
        row, column = np.divmod(drawn, grid.columns)
        distance[(row[:, None] == row) | (column[:, None] == column)] = np.inf
        distance[np.arange(len(drawn)), distance.argmin(axis=1)] = np.inf
        second = distance.min(axis=1) / flat.shape[1]
        alike = np.sqrt(np.maximum(second, 0)) < np.minimum(_FARTHEST_REPEAT, 0.6 * spread[drawn])
        weights[drawn[alike]] = 1.0
    return weights.reshape(grid.rows, grid.columns)
