"""Which cells of a lattice are tiles of a board, and where the board ends: small convolutional networks.

The picture is resampled so that every cell of the lattice has CELL x CELL pixels. Four convolutions, each of
which halves the sheet, describe the cells one by one; some more, with growing gaps, let each cell see those
around it. The mean of what two such networks say is taken: one was trained on lattices at random, one on
those that the search proposes, too. Trained on drawn screens only (`tools/train_tile_map.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import sheet_of_tiles
from visionsweeper.vision.detection.periodicity import steps
from visionsweeper.vision.networks import Network, shipped_members

Floats = npt.NDArray[np.float32]

CELL: Final = 16
"""Pixels along a cell of the sheet that the network sees."""

HALVINGS: Final = ("a", "b", "c", "d")
"""Names of the layers that halve the sheet: CELL = 2 ** len(HALVINGS)."""

_LEVELS: Final = np.arange(256, dtype=np.float32)

_COLOURS: Final = (_LEVELS - 128) / 64
"""What the network sees of a channel's value, 0 to 255."""

_STEPS: Final = np.log1p(_LEVELS) / 2
"""What it sees of a step between neighbours, gray levels."""

_AT_ONCE: Final = 500_000
"""Numbers in the patches that a convolution works on at once: as many as a processor's cache holds."""

FORMAT: Final = 2
"""Version of the file's layout."""


@dataclass(frozen=True, eq=False)
class TileMap:
    """What the network believes of every cell of a lattice; natural log odds."""

    grid: Grid
    inside: Floats
    """(rows, columns) that the cell is a whole tile of a board, cut right."""
    beside: Floats
    """(rows, columns - 1) that the board ends between the cell and the next one in its row."""
    below: Floats
    """(rows - 1, columns) that the board ends between the cell and the next one in its column."""


def map_tiles(image: npt.NDArray[np.uint8], lattice: Grid) -> TileMap:
    """Judge every cell of a lattice over an (H, W, 3) uint8 RGB picture.

    The lattice may reach beyond the picture; cells outside it are never tiles. Raises BadModel when the
    shipped networks cannot be read.
    """
    networks = shipped_members("tile_map", format=FORMAT)
    x = _seen(image, lattice)
    # The first layers, all as wide, see the same: as one product they cost little more than one of them.
    weights, bias = (
        np.concatenate([network[f"{HALVINGS[0]}.{part}"] for network in networks], axis=-1)
        for part in ("weights", "bias")
    )
    halved = np.split(_halved(x, weights, bias), len(networks), axis=-1)
    odds = np.mean([_said_by(network, x, 1) for network, x in zip(networks, halved, strict=True)], axis=0)
    return TileMap(lattice, odds[..., 0], odds[:, :-1, 1], odds[:-1, :, 2])


def likeliest_tile(image: npt.NDArray[np.uint8], lattice: Grid) -> float:
    """Return the log odds of the likeliest cell, as the network says that learned from proposed lattices.

    At half the cost of `map_tiles`, which see.
    """
    *_, network = shipped_members("tile_map", format=FORMAT)
    return float(_said_by(network, _seen(image, lattice), 0)[..., 0].max())


def _seen(image: npt.NDArray[np.uint8], lattice: Grid) -> Floats:
    """Return what the networks see of a lattice, (rows * CELL, columns * CELL, 6)."""
    height, width = image.shape[:2]
    sheet = sheet_of_tiles(image, lattice, CELL)
    return channels_of(sheet, in_picture(lattice.y, height), in_picture(lattice.x, width))


def _said_by(network: Network, x: Floats, done: int) -> Floats:
    """One network's log odds, (rows, columns, 3): a tile, the board ends to the right, and below.

    `x` is what the network sees, or what comes out of its first `done` layers.
    """
    for name in HALVINGS[done:]:
        x = _halved(x, network[f"{name}.weights"], network[f"{name}.bias"])
    for index, dilation in enumerate(network["dilations"]):
        weights, bias = network[f"context{index}.weights"], network[f"context{index}.bias"]
        x = _with_context(x, weights, bias, int(dilation))
    return np.asarray(x @ network["head.weights"] + network["head.bias"], np.float32)


def channels_of(
    sheet: npt.NDArray[np.uint8], shown_y: npt.NDArray[np.bool_], shown_x: npt.NDArray[np.bool_]
) -> Floats:
    """Return (H, W, 6) of an (H, W, 3) uint8 RGB sheet: colours, steps along x and y, whether it is shown.

    `shown_y` (H,) and `shown_x` (W,) tell which of its rows and columns lie in the picture.
    """
    shown = shown_y[:, None] & shown_x[None]
    channels = np.empty((*sheet.shape[:2], 6), np.float32)
    channels[..., :3] = cv2.LUT(sheet, _COLOURS)
    channels[:, 0, 3] = channels[0, :, 4] = 0
    channels[:, 1:, 3] = cv2.LUT(steps(sheet, 1), _STEPS)
    channels[1:, :, 4] = cv2.LUT(steps(sheet, 0), _STEPS)
    channels[..., 5] = 1
    channels *= shown[..., None]
    return channels


def in_picture(edges: npt.NDArray[np.float64], length: int) -> npt.NDArray[np.bool_]:
    """Tell for each pixel of the sheet along one axis whether it shows a pixel of the picture."""
    places = (edges[:-1, None] + np.diff(edges)[:, None] * (np.arange(CELL) + 0.5) / CELL).ravel()
    return (places >= 0) & (places <= length)


def _halved(x: Floats, weights: Floats, bias: Floats) -> Floats:
    """Return a 4x4 convolution at every second pixel, padded by one, cut off below at 0.

    (H, W, C) to (H / 2, W / 2, O) with (4, 4, C, O) weights; some rows at a time, which stay in the cache.
    """
    height, width, depth = x.shape
    rows, columns, count = height // 2, width // 2, weights.shape[3]
    padded = np.zeros((height + 2, width + 2, depth), np.float32)
    padded[1:-1, 1:-1] = x
    windows = np.lib.stride_tricks.sliding_window_view(padded, (4, 4), (0, 1))[::2, ::2]
    patches = windows.transpose(0, 1, 3, 4, 2)
    flat = weights.reshape(-1, count)
    halved = np.empty((rows, columns, count), np.float32)
    some = max(1, _AT_ONCE // (columns * len(flat)))
    for top in range(0, rows, some):
        total = halved[top : top + some].reshape(-1, count)
        np.matmul(patches[top : top + some].reshape(-1, len(flat)), flat, out=total)
        total += bias
        np.maximum(total, 0, out=total)
    return halved


def _with_context(x: Floats, weights: Floats, bias: Floats, dilation: int) -> Floats:
    """X plus its (3, 3, C, C) convolution with gaps, cut off below at 0; padded with zeros."""
    height, width, depth = x.shape
    products = x.reshape(-1, depth) @ weights.transpose(2, 0, 1, 3).reshape(depth, -1)
    parts = products.reshape(height, width, 3, 3, depth)
    total = np.zeros((height + 2 * dilation, width + 2 * dilation, depth), np.float32)
    for i in range(3):
        for j in range(3):
            top, left = (2 - i) * dilation, (2 - j) * dilation
            total[top : top + height, left : left + width] += parts[:, :, i, j]
    inner = total[dilation : dilation + height, dilation : dilation + width] + bias
    return np.asarray(x + np.maximum(inner, 0), dtype=np.float32)
