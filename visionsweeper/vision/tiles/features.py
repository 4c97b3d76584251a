"""Tiles to feature vectors: the glyph apart from its background, its shape apart from its colour."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

FEATURE_VERSION: Final = 1
"""Raised whenever a vector's meaning changes; a model of another version is refused."""

TILE_SIZE: Final = 32
"""Side in px of the tiles that `describe` takes."""

_MARGIN: Final = 4  # px left out where the glyph is looked for: frames and bevels live there
_RING: Final = (3, 7)  # distance from the border, px, of the ring that shows the background
_MAP: Final = 16
_CROP: Final = 16
_CELLS: Final = 4
_ORIENTATIONS: Final = 6
_LEAST_CONTRAST: Final = 10.0  # Lab units; fainter glyphs are not blown up to full strength

SHAPE: Final = slice(0, _MAP**2)
"""Where the whole-tile difference is in a vector."""

LIGHTNESS: Final = slice(_MAP**2 + _CROP**2 + _CELLS**2 * _ORIENTATIONS, -50)
"""Where the signed lightness by place is."""

COLOURS: Final = slice(-16, None)
"""Where the colours of background and glyph are."""

_BLOCK: Final = 48  # tiles worked on at once: what they need stays in the processor's cache

FloatArray = npt.NDArray[np.float32]

_Float = TypeVar("_Float", np.float32, np.float64)


def to_lab(tiles: npt.NDArray[np.uint8]) -> FloatArray:
    """Convert (n, S, S, 3) uint8 RGB tiles to CIE Lab (of sRGB, white D65): float32, same shape, L 0 to 100.

    By tables, since OpenCV spends far longer on making its own when the first picture is converted.
    """
    linear, to_xyz, root, from_root = _lab_tables()
    lab = np.empty(tiles.shape, dtype=np.float32)
    for start in range(0, len(tiles), _BLOCK):
        block = tiles[start : start + _BLOCK].reshape(1, -1, 3)
        xyz = cv2.transform(cv2.LUT(block, linear), to_xyz)
        f = root.take((xyz * (len(root) - 1) + 0.5).astype(np.int32))
        lab[start : start + _BLOCK].reshape(1, -1, 3)[...] = cv2.transform(f, from_root)
    return lab


@lru_cache(maxsize=1)
def _lab_tables() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Linear light of a channel's values; RGB to XYZ by the white; the root that Lab takes of 0..1; its Lab.

    (256,), (3, 3), (16385,), (3, 4): the second and the last are as `cv2.transform` takes them.
    """
    value = np.arange(256) / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    matrix = np.array(
        [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
    )
    to_xyz = matrix / matrix.sum(axis=1, keepdims=True)
    share = np.arange(16385) / 16384.0
    root = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16.0 / 116.0)
    from_root = np.array([[0, 116, 0, -16], [500, -500, 0, 0], [0, 200, -200, 0]])
    linear, to_xyz, root, from_root = (each.astype(np.float32) for each in (linear, to_xyz, root, from_root))
    return linear, to_xyz, root, from_root


def ring_pixels(lab: FloatArray) -> FloatArray:
    """Return the pixels of a ring near the border, (n, k, 3), where most glyphs leave the background free."""
    size = lab.shape[1]
    y, x = np.mgrid[:size, :size]
    depth = np.minimum(np.minimum(x, y), size - 1 - np.maximum(x, y))
    inside = (depth >= _RING[0]) & (depth < _RING[1])
    return lab[:, inside]


def background_colour(lab: FloatArray) -> FloatArray:
    """Return the median colour of each tile's ring, (n, 3) Lab."""
    ring = ring_pixels(lab)[:, ::2]
    middle = ring.shape[1] // 2
    return np.partition(ring, middle, axis=1)[:, middle]


def middle_of(vectors: FloatArray) -> FloatArray:
    """Return the median of (..., n, d) over n, (..., d).

    numpy's own loads its masked arrays, a needless 10 ms.
    """
    half = vectors.shape[-2] // 2
    low = half - 1 + vectors.shape[-2] % 2
    ordered = np.partition(vectors, (low, half), axis=-2)
    middle: FloatArray = (ordered[..., low, :] + ordered[..., half, :]) * np.float32(0.5)
    return middle


def describe(lab: FloatArray, background: FloatArray) -> FloatArray:
    """Return feature vectors of tiles.

    `lab`: (n, 32, 32, 3) float32 CIE Lab; `background`: (n, 3), see `background_colour`.
    Returns (n, d) float32, mostly within -1 to 1; d never varies.
    The parts: whole-tile difference from the background, the glyph cut out and scaled to a fixed size, its
    gradients, signed lightness, frame profile, geometry and colours.
    """
    return np.concatenate(
        [_describe(lab[i : i + _BLOCK], background[i : i + _BLOCK]) for i in range(0, len(lab), _BLOCK)]
    )


def rms_apart(first: npt.NDArray[_Float], second: npt.NDArray[_Float]) -> npt.NDArray[_Float]:
    """Return the root mean square differences of (n, d) and (m, d) vectors, (n, m)."""
    squared = (first * first).sum(axis=1)[:, None] + (second * second).sum(axis=1)[None, :]
    squared -= 2.0 * (first @ second.T)
    result: npt.NDArray[_Float] = np.sqrt(np.maximum(squared, 0.0) / first.shape[1])
    return result


def tints(vectors: npt.NDArray[_Float]) -> npt.NDArray[_Float]:
    """Return the parts of (n, d) feature vectors that tell light from dark by place, and colours: (n, 80)."""
    return np.concatenate([vectors[:, LIGHTNESS], vectors[:, COLOURS]], axis=1)


def _describe(lab: FloatArray, background: FloatArray) -> FloatArray:
    n = len(lab)
    delta = lab - background[:, None, None, :]
    difference = np.sqrt(delta[..., 0] ** 2 + delta[..., 1] ** 2 + delta[..., 2] ** 2)
    inner = difference[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    flat = inner.reshape(n, -1)
    strong = np.partition(flat, -8, axis=1)[:, -8]
    contrast = np.maximum(strong, _LEAST_CONTRAST)
    relative = np.minimum(difference / contrast[:, None, None], 1.0)
    mask = relative[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN] > 0.45

    whole = shrink(relative, _MAP)
    boxes = _glyph_boxes(mask)
    crops = _crop(relative, boxes)
    gradients = _gradients(crops)
    signed = shrink(np.clip(delta[..., 0] / contrast[:, None, None], -1.0, 1.0), 8)
    parts = [
        whole.reshape(n, -1),
        crops.reshape(n, -1),
        gradients,
        signed.reshape(n, -1),
        frame_profile(delta[..., 0]),
        _geometry(boxes, mask, relative, strong),
        _colours(lab, delta, background, mask),
    ]
    vectors: FloatArray = np.concatenate(parts, axis=1).astype(np.float32)
    return vectors


def shrink(maps: FloatArray, size: int) -> FloatArray:
    """Shrink (n, S, S, ...) to (n, size, size, ...): means of whole squares of pixels."""
    factor = maps.shape[1] // size
    rows = sum((maps[:, i::factor] for i in range(1, factor)), start=maps[:, ::factor])
    sums: FloatArray = sum((rows[:, :, i::factor] for i in range(1, factor)), start=rows[:, :, ::factor])
    means: FloatArray = sums / np.float32(factor * factor)
    return means


def _glyph_boxes(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """(n, 4) int32 x0, y0, x1, y1 in tile px; the whole inner tile where there is no glyph."""
    size = mask.shape[1]
    columns, rows = mask.sum(axis=1) > 0, mask.sum(axis=2) > 0
    x0, y0 = columns.argmax(axis=1), rows.argmax(axis=1)
    x1 = size - columns[:, ::-1].argmax(axis=1)
    y1 = size - rows[:, ::-1].argmax(axis=1)
    boxes = np.stack([x0, y0, x1, y1], axis=1).astype(np.int32)
    boxes[~columns.any(axis=1)] = (0, 0, size, size)
    boxes += _MARGIN
    return boxes


def _crop(maps: FloatArray, boxes: npt.NDArray[np.int32]) -> FloatArray:
    """(n, 16, 16): each glyph scaled so that its longer side fills the square, its shape kept."""
    crops = np.zeros((len(maps), _CROP, _CROP), dtype=np.float32)
    for crop, whole, (x0, y0, x1, y1) in zip(crops, maps, boxes.tolist(), strict=True):
        scale = (_CROP - 1) / max(x1 - x0, y1 - y0)
        shift_x = (_CROP - scale * (x0 + x1)) / 2
        shift_y = (_CROP - scale * (y0 + y1)) / 2
        # The half-pixel terms keep pixel centres, not corners, where they belong.
        matrix = np.array([[scale, 0, shift_x + scale / 2 - 0.5], [0, scale, shift_y + scale / 2 - 0.5]])
        cv2.warpAffine(whole, matrix, (_CROP, _CROP), dst=crop, flags=cv2.INTER_LINEAR)
    return crops


def _gradients(crops: FloatArray) -> FloatArray:
    """(n, 4 * 4 * 6): unsigned gradient orientations by cell, each tile scaled to length 1."""
    n = len(crops)
    padded = np.pad(crops, ((0, 0), (1, 1), (1, 1)), mode="edge")
    gx = padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]
    gy = padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]
    strength = np.hypot(gx, gy)
    position = np.mod(np.arctan2(gy, gx), np.pi) * (_ORIENTATIONS / np.pi)
    lower = np.floor(position).astype(np.int32)
    share = (position - lower).astype(np.float32)
    cell = _CROP // _CELLS
    histograms = np.empty((n, _CELLS, _CELLS, _ORIENTATIONS), dtype=np.float32)
    for k in range(_ORIENTATIONS):
        weight = strength * (
            (lower % _ORIENTATIONS == k) * (1 - share) + ((lower + 1) % _ORIENTATIONS == k) * share
        )
        histograms[..., k] = weight.reshape(n, _CELLS, cell, _CELLS, cell).sum(axis=(2, 4))
    vectors = histograms.reshape(n, -1)
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    scaled: FloatArray = (vectors / np.maximum(length, 1e-3) * 2.0).astype(np.float32)
    return scaled


def frame_profile(lightness: FloatArray) -> FloatArray:
    """Return what lies along each side, 6 px deep: bevels, frames, gaps; (n, 24), -1 to 1.

    `lightness`: (n, S, S) L less that of the background.
    """
    size = lightness.shape[1]
    middle = slice(size // 4, -size // 4)
    sides = [
        lightness[:, :6, middle].mean(axis=2),
        lightness[:, ::-1, :][:, :6, middle].mean(axis=2),
        lightness[:, middle, :6].mean(axis=1),
        lightness[:, middle, ::-1][:, :, :6].mean(axis=1),
    ]
    profile: FloatArray = np.tanh(np.concatenate(sides, axis=1) / 15.0)
    return profile


def _geometry(
    boxes: npt.NDArray[np.int32],
    mask: npt.NDArray[np.bool_],
    relative: FloatArray,
    strong: FloatArray,
) -> FloatArray:
    area = mask.mean(axis=(1, 2))
    width = (boxes[:, 2] - boxes[:, 0]) / TILE_SIZE
    height = (boxes[:, 3] - boxes[:, 1]) / TILE_SIZE
    centre_x = (boxes[:, 0] + boxes[:, 2]) / (2 * TILE_SIZE) - 0.5
    centre_y = (boxes[:, 1] + boxes[:, 3]) / (2 * TILE_SIZE) - 0.5
    fill = area / np.maximum(width * height, 0.01)
    mirrored = np.abs(relative - relative[:, :, ::-1]).mean(axis=(1, 2))
    upside = np.abs(relative - relative[:, ::-1, :]).mean(axis=(1, 2))
    strength = np.tanh(strong / 20.0)
    faint = np.tanh(strong / 5.0)
    columns = [area * 2, width, height, centre_x * 4, centre_y * 4, fill, mirrored * 3, upside * 3]
    return np.stack([*columns, strength * 2, faint * 2], axis=1).astype(np.float32)


def _colours(
    lab: FloatArray, delta: FloatArray, background: FloatArray, mask: npt.NDArray[np.bool_]
) -> FloatArray:
    """(n, 16): background colour, mean glyph colour and hue, and how many colours the glyph has."""
    inner = lab[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    weight = mask.astype(np.float32)
    total = np.maximum(weight.sum(axis=(1, 2)), 1.0)[:, None]
    mean = np.einsum("nij,nijk->nk", weight, inner) / total
    square = np.einsum("nij,nijk->nk", weight, inner**2) / total
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    seen = mask.any(axis=(1, 2)).reshape(-1, 1)
    chroma = np.hypot(mean[:, 1], mean[:, 2])[:, None]
    hue = mean[:, 1:] / np.maximum(chroma, 8.0)
    offset = delta[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN, 0]
    lighter = (weight * (offset > 0)).sum(axis=(1, 2))[:, None] / total
    return np.concatenate(
        [
            background / 50.0 - (1.0, 0.0, 0.0),
            np.where(seen, mean / 50.0 - (1.0, 0.0, 0.0), 0.0),
            np.where(seen, hue, 0.0),
            np.tanh(chroma / 40.0) * seen,
            np.where(seen, spread / 20.0, 0.0),
            lighter * seen,
            np.tanh((mean - background) / 30.0) * seen,
        ],
        axis=1,
    ).astype(np.float32)
