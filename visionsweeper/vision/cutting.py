"""The tiles of a picture, cut out along a grid."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid

FloatArray = npt.NDArray[np.float32]

_GOLDEN: Final = (5**0.5 - 1) / 2
"""Multiples of it, modulo 1, are spread evenly, and in no step that could be a row's."""

_FARTHEST: Final = 32000
"""cv2.remap cannot address beyond 32767 px, in or out: larger boards go in blocks."""


def cut_tiles(image: npt.NDArray[np.uint8], grid: Grid, size: int = 32) -> npt.NDArray[np.uint8]:
    """Cut out every tile of the grid, resampled to size x size.

    image is (H, W, 3) uint8; the answer is (rows * columns, size, size, 3) uint8 in row-major order,
    channels as in the image. Tiles are shrunk by (nearly) area averaging and enlarged by linear
    interpolation, with fractional edges respected; beyond the picture its border pixels are repeated.
    """
    tiles = np.empty((grid.rows, grid.columns, size, size * 3), np.uint8)
    block = max(1, int(_FARTHEST / max(size, float(np.diff(grid.x).max()), float(np.diff(grid.y).max()))))
    for r in range(0, grid.rows, block):
        for c in range(0, grid.columns, block):
            part = Grid(grid.x[c : c + block + 1], grid.y[r : r + block + 1])
            sheet = sheet_of_tiles(image, part, size)
            shaped = sheet.reshape(part.rows, size, part.columns, size * 3)
            tiles[r : r + block, c : c + block] = shaped.transpose(0, 2, 1, 3)
    return tiles.reshape(-1, size, size, 3)


def shrunk(
    image: npt.NDArray[np.uint8], grid: Grid, widest: float
) -> tuple[npt.NDArray[np.uint8], float, float]:
    """Return a copy with tiles of `widest` px, and by how much it is smaller across and down.

    `image` is (H, W, 3) uint8. Of smaller tiles, the picture itself: to cut a huge one again and again takes
    long.
    """
    shrink = min(grid.pitch_x, grid.pitch_y) / widest
    if shrink <= 1:
        return image, 1.0, 1.0
    small = smaller(image, 1 / shrink)
    return small, image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]


def smaller(image: npt.NDArray[np.uint8], factor: float) -> npt.NDArray[np.uint8]:
    """Return an (H, W, 3) uint8 picture `factor` times as wide and as high, at most 1."""
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def spread(count: int, most: int) -> npt.NDArray[np.intp]:
    """Return which of `count` things to take, (n,) in order: all, or `most` of them, spread evenly."""
    if count <= most:
        return np.arange(count)
    return np.unique((_GOLDEN * np.arange(most) % 1.0 * count).astype(np.intp))


def cut_some(
    image: npt.NDArray[np.uint8], grid: Grid, size: int, chosen: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint8]:
    """Cut out the (n,) chosen tiles, counted row by row, as `cut_tiles` does: (n, size, size, 3) uint8."""
    source, xs, ys = _resampling(image, grid, size)
    if max(*source.shape, len(chosen) * size) > _FARTHEST:
        return cut_tiles(image, grid, size)[chosen]
    row, column = np.divmod(chosen, grid.columns)
    shape = (len(chosen), size, size)
    map_x = np.broadcast_to(xs.reshape(-1, size)[column][:, None, :], shape).reshape(-1, size)
    map_y = np.broadcast_to(ys.reshape(-1, size)[row][:, :, None], shape).reshape(-1, size)
    return _remapped(source, map_x, map_y).reshape(*shape, 3)


def sheet_of_tiles(image: npt.NDArray[np.uint8], grid: Grid, size: int) -> npt.NDArray[np.uint8]:
    """Return the board with every tile resampled: (rows * size, columns * size, 3) uint8."""
    source, xs, ys = _resampling(image, grid, size)
    shape = (len(ys), len(xs))
    return _remapped(source, np.broadcast_to(xs[None, :], shape), np.broadcast_to(ys[:, None], shape))


def _resampling(
    image: npt.NDArray[np.uint8], grid: Grid, size: int
) -> tuple[npt.NDArray[np.uint8], FloatArray, FloatArray]:
    """Return the board, smoothed as tiles need, the samples' x, (columns * size,), and y, (rows * size,)."""
    left, right = _pixel_span(grid.x, image.shape[1])
    top, bottom = _pixel_span(grid.y, image.shape[0])
    axes = ((grid.x, left), (grid.y, top))
    steps = [float(edges[-1] - edges[0]) / (len(edges) - 1) / size for edges, _ in axes]
    across, down = (max(1, int(step)) for step in steps)
    source = _averaged(image[top:bottom, left:right], down, across)
    kernels, samples = [], []
    for (edges, offset), step, factor in zip(axes, steps, (across, down), strict=True):
        # Averaging over a step of n pixels has variance (n^2 - 1) / 12 beyond that of linear interpolation.
        side = max(0.0, ((step / factor) ** 2 - 1) / 24)
        kernels.append(np.array([side, 1 - 2 * side, side]))
        samples.append((_sample_centres(edges - offset, size) / factor - 0.5).astype(np.float32))
    if kernels[0][0] > 0 or kernels[1][0] > 0:
        blurred = cv2.sepFilter2D(source, -1, kernels[0], kernels[1], borderType=cv2.BORDER_REPLICATE)
        source = np.asarray(blurred, np.uint8)
    return source, samples[0], samples[1]


def _remapped(source: npt.NDArray[np.uint8], map_x: FloatArray, map_y: FloatArray) -> npt.NDArray[np.uint8]:
    """Resample the source at the places of two maps of one shape, interpolated linearly."""
    where = np.ascontiguousarray(map_x), np.ascontiguousarray(map_y)
    sheet = cv2.remap(source, *where, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(sheet, dtype=np.uint8)


def _averaged(image: npt.NDArray[np.uint8], down: int, across: int) -> npt.NDArray[np.uint8]:
    """Return the mean of every `down` x `across` pixels; its last row and column repeat what is not there."""
    if down == across == 1:
        return image
    height, width = (-(-length // by) for length, by in zip(image.shape, (down, across), strict=False))
    more = (0, height * down - image.shape[0], 0, width * across - image.shape[1])
    padded = cv2.copyMakeBorder(image, *more, cv2.BORDER_REPLICATE) if any(more) else image
    return np.asarray(cv2.resize(padded, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _sample_centres(edges: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    """(tiles * size,) float64 positions in pixels: `size` centres spread evenly over every tile."""
    inside = (np.arange(size) + 0.5) / size
    return (edges[:-1, None] + np.diff(edges)[:, None] * inside).ravel()


def _pixel_span(edges: npt.NDArray[np.float64], length: int) -> tuple[int, int]:
    """First pixel and end of the pixels that tiles with these edges are sampled from."""
    first = min(max(int(np.floor(edges[0])) - 1, 0), length - 1)
    end = min(max(int(np.ceil(edges[-1])) + 1, first + 1), length)
    return first, end
