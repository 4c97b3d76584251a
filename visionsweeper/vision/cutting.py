"""The tiles of a picture, cut out along a grid."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid


def cut_tiles(image: npt.NDArray[np.uint8], grid: Grid, size: int = 32) -> npt.NDArray[np.uint8]:
    """Every tile of the grid, resampled to size x size.

    image is (H, W, 3) uint8; the answer is (rows * columns, size, size, 3) uint8 in row-major order,
    channels as in the image. Tiles are shrunk by (nearly) area averaging and enlarged by linear
    interpolation, with fractional edges respected; beyond the picture its border pixels are repeated.
    """
    tiles = np.empty((grid.rows, grid.columns, size, size * 3), np.uint8)
    # cv2.remap cannot address beyond 32767 pixels, in or out, so very large boards go in blocks.
    block = max(1, int(32000 / max(size, float(np.diff(grid.x).max()), float(np.diff(grid.y).max()))))
    for r in range(0, grid.rows, block):
        for c in range(0, grid.columns, block):
            part = Grid(grid.x[c : c + block + 1], grid.y[r : r + block + 1])
            sheet = sheet_of_tiles(image, part, size)
            shaped = sheet.reshape(part.rows, size, part.columns, size * 3)
            tiles[r : r + block, c : c + block] = shaped.transpose(0, 2, 1, 3)
    return tiles.reshape(-1, size, size, 3)


def sheet_of_tiles(image: npt.NDArray[np.uint8], grid: Grid, size: int) -> npt.NDArray[np.uint8]:
    """(rows * size, columns * size, 3) uint8: the board with every tile resampled to size x size."""
    left, right = _pixel_span(grid.x, image.shape[1])
    top, bottom = _pixel_span(grid.y, image.shape[0])
    source = image[top:bottom, left:right]
    kernels, maps = [], []
    for axis, edges, offset in ((1, grid.x, left), (0, grid.y, top)):
        samples = _sample_centres(edges - offset, size)
        step = float(edges[-1] - edges[0]) / (len(edges) - 1) / size
        factor = max(1, int(step))
        if factor > 1:
            length = source.shape[axis]
            shrunk = -(-length // factor)
            pad = [(0, 0), (0, 0), (0, 0)]
            pad[axis] = (0, shrunk * factor - length)
            shape = (shrunk, source.shape[0]) if axis == 1 else (source.shape[1], shrunk)
            padded = np.pad(source, pad, mode="edge")
            source = np.asarray(cv2.resize(padded, shape, interpolation=cv2.INTER_AREA), np.uint8)
            samples, step = samples / factor, step / factor
        # Averaging over `step` pixels has variance (step^2 - 1) / 12 beyond that of linear interpolation.
        side = max(0.0, (step**2 - 1) / 24)
        kernels.append(np.array([side, 1 - 2 * side, side]))
        maps.append((samples - 0.5).astype(np.float32))
    if kernels[0][0] > 0 or kernels[1][0] > 0:
        blurred = cv2.sepFilter2D(source, -1, kernels[0], kernels[1], borderType=cv2.BORDER_REPLICATE)
        source = np.asarray(blurred, np.uint8)
    shape = (len(maps[1]), len(maps[0]))
    map_x = np.ascontiguousarray(np.broadcast_to(maps[0][None, :], shape))
    map_y = np.ascontiguousarray(np.broadcast_to(maps[1][:, None], shape))
    sheet = cv2.remap(source, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(sheet, dtype=np.uint8)


def _sample_centres(edges: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    """(tiles * size,) float64 positions in pixels: `size` centres spread evenly over every tile."""
    inside = (np.arange(size) + 0.5) / size
    return (edges[:-1, None] + np.diff(edges)[:, None] * inside).ravel()


def _pixel_span(edges: npt.NDArray[np.float64], length: int) -> tuple[int, int]:
    """First pixel and end of the pixels that tiles with these edges are sampled from."""
    first = min(max(int(np.floor(edges[0])) - 1, 0), length - 1)
    end = min(max(int(np.ceil(edges[-1])) + 1, first + 1), length)
    return first, end
