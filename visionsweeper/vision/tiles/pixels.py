"""What the tiles of a group look like, beside the picture's blanks, as a small convolutional network sees it.

Feature vectors take a glyph to be what differs from one background colour. Where tiles are paintings there is
no such colour: there the network sees the pixels themselves, and how they differ from the mean covered and
the mean opened blank tile of the same picture.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.vision.networks import Network
from visionsweeper.vision.tiles.context import group_means
from visionsweeper.vision.tiles.features import FloatArray, to_lab

CHANNELS: Final = 5
"""Lightness, the two axes of colour, how far from the covered and from the opened blank tile."""

LAYERS: Final = 4
"""Convolutions of 3x3 pixels; all but the last are followed by a halving."""

_BLANKS: Final = (COVERED, 0)
_LAB_SCALE: Final = 50.0
_FAR: Final = 30.0
"""Lab units by which a pixel clearly differs."""
_MEANS_AT_ONCE: Final = 512  # groups whose means are taken at once: bounds memory
_AT_ONCE: Final = 16  # tiles worked on together: what they need stays in the processor's cache


def pictures_of(tiles: npt.NDArray[np.uint8], groups: npt.NDArray[np.intp], logs: FloatArray) -> FloatArray:
    """Return the mean tile of each group as the network sees it, (groups, 32, 32, CHANNELS) float32.

    `tiles`: (n, 32, 32, 3) RGB; `groups`: (n,) the group of each, from 0 without gaps; `logs`: (groups, 14)
    natural logs of how likely each class is, by which the blank tiles that all are compared with are weighed.
    """
    size = np.bincount(groups)
    lab = _mean_lab(tiles, groups)
    pictures = np.empty((*lab.shape[:3], CHANNELS), np.float32)
    pictures[..., :3] = lab / _LAB_SCALE
    pictures[..., 0] -= 1.0
    for channel, blank in enumerate(_BLANKS, start=3):
        weight = size * np.exp(logs[:, blank])
        mean = np.tensordot((weight / weight.sum()).astype(np.float32), lab, 1)
        for at in range(0, len(lab), _MEANS_AT_ONCE):
            some = slice(at, at + _MEANS_AT_ONCE)
            apart = lab[some] - mean
            pictures[some, ..., channel] = np.tanh(np.sqrt((apart * apart).sum(axis=-1)) / _FAR)
    return pictures


def _mean_lab(tiles: npt.NDArray[np.uint8], groups: npt.NDArray[np.intp]) -> FloatArray:
    """Return (groups, 32, 32, 3) CIE Lab colours of the mean tiles."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(0, groups.max() + 1, _MEANS_AT_ONCE))
    parts = []
    for members in np.split(order, starts[1:]):
        some = tiles[members].reshape(len(members), -1).astype(np.float32)
        means = group_means(some, groups[members] - groups[members[0]])
        parts.append(to_lab(np.round(means).astype(np.uint8).reshape(-1, *tiles.shape[1:])))
    return np.concatenate(parts)


def lab_of(pictures: FloatArray) -> FloatArray:
    """Return the (n, 32, 32, 3) CIE Lab colours of (n, 32, 32, CHANNELS) pictures."""
    lab: FloatArray = pictures[..., :3] * np.float32(_LAB_SCALE)
    lab[..., 0] += _LAB_SCALE
    return lab


def described(net: Network, pictures: FloatArray) -> FloatArray:
    """Return what the network makes of (n, 32, 32, CHANNELS) pictures, (n, width) float32, none below 0."""
    parts = [_described(net, pictures[at : at + _AT_ONCE]) for at in range(0, len(pictures), _AT_ONCE)]
    return np.concatenate(parts)


def _described(net: Network, x: FloatArray) -> FloatArray:
    for layer in range(LAYERS):
        x = _convolved(x, net[f"pixels.conv{layer}.weight"], net[f"pixels.conv{layer}.bias"])
        if layer < LAYERS - 1:
            x = _halved(x)
    flat = x.reshape(len(x), -1) @ net["pixels.out.weight"] + net["pixels.out.bias"]
    return np.asarray(np.maximum(flat, 0.0), dtype=np.float32)


def _convolved(x: FloatArray, weights: FloatArray, bias: FloatArray) -> FloatArray:
    """(n, H, W, C) to (n, H, W, O) with (9 * C, O) weights, cut off below at 0; padded with zeros."""
    count, height, width, depth = x.shape
    padded = np.zeros((count, height + 2, width + 2, depth), np.float32)
    padded[:, 1:-1, 1:-1] = x
    around = np.empty((count, height, width, 9, depth), np.float32)
    for at in range(9):
        top, left = divmod(at, 3)
        around[..., at, :] = padded[:, top : top + height, left : left + width]
    total = around.reshape(-1, 9 * depth) @ weights + bias
    return np.asarray(np.maximum(total, 0.0, out=total).reshape(count, height, width, -1), dtype=np.float32)


def _halved(x: FloatArray) -> FloatArray:
    """(n, H, W, C) to (n, H / 2, W / 2, C): the largest of each 2x2 pixels."""
    wide = np.maximum(x[:, ::2], x[:, 1::2])
    return np.asarray(np.maximum(wide[:, :, ::2], wide[:, :, 1::2]), dtype=np.float32)
