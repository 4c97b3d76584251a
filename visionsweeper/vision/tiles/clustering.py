"""Look-alikes: tiles of one picture that are drawn alike, so that groups can be named, not lone tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.tiles.features import FloatArray, middle_of, shrink

_PATCH: Final = 16
_BLANK_SPREAD: Final = 1.0  # Lab units by which two blanks of a kind may differ
_GLYPH_SPREAD: Final = 0.11  # the same for glyphs, as a share of their contrast: edges fall between pixels
_FRAME_SPREAD: Final = 0.2  # the same for what lies along the sides, where tiles cut unevenly differ most
_SPOT_SPREAD: Final = 0.12  # the same for windows of a quarter of a tile: small signs beside a glyph
_BORDER: Final = 2
_EMBEDDED_SPREAD: Final = 0.55
_COPY: Final = 0.35  # the same for near copies
_CHUNK: Final = 1024  # tiles compared at once; larger boards are grouped piece by piece


@dataclass(frozen=True)
class Copies:
    """Tiles that are near copies of one another: most of a screenshot's are."""

    leader: npt.NDArray[np.intp]
    """(n,) index of the tile that stands for each tile; its own for those that stand for themselves."""
    apart: tuple[FloatArray, ...]
    """Distances of the pixels, (k, k) for each piece of the board."""
    spots: FloatArray
    """(n, s, 3) mean Lab colours of overlapping windows of each tile."""
    contrast: FloatArray
    """(n,) how far a tile's strongest pixels are from its middle colour, Lab units."""


def near_copies(lab: FloatArray) -> Copies:
    """Find near copies among (n, S, S, 3) Lab tiles, by their pixels alone."""
    leader = np.arange(len(lab))
    matrices = []
    for start in range(0, len(lab), _CHUNK):
        apart = _pixels_apart(lab[start : start + _CHUNK])
        owner = leader[start : start + _CHUNK]
        free = np.ones(len(owner), dtype=bool)
        for i in range(len(owner)):
            if free[i]:
                near = free & (apart[i] < _COPY)
                near[i] = True
                owner[near] = start + i
                free &= ~near
        matrices.append(apart)
    patches = shrink(lab, _PATCH)
    return Copies(leader, tuple(matrices), _spots(patches), _glyph_contrast(patches))


def group_look_alikes(copies: Copies, embedded: FloatArray) -> npt.NDArray[np.intp]:
    """Group tiles so that groups are pure rather than few: merging is what cannot be undone.

    `embedded`: (n, h) unit vectors, of which only those of leaders are looked at. Returns (n,) group
    numbers from 0. Average linkage over the larger of two distances: of the pixels against their contrast,
    of the embedding.
    """
    groups = np.empty(len(copies.leader), dtype=np.intp)
    first = start = 0
    for apart in copies.apart:
        piece = slice(start, start + len(apart))
        leaders, number = np.unique(copies.leader[piece], return_inverse=True)
        membership = np.zeros((len(apart), len(leaders)), dtype=np.float32)
        membership[np.arange(len(apart)), number] = 1.0
        size = membership.sum(axis=0)
        linkage = ((membership.T @ apart @ membership) / np.outer(size, size)).astype(np.float32)
        np.maximum(linkage, _pairwise(embedded[leaders]) / _EMBEDDED_SPREAD, out=linkage)
        np.maximum(linkage, _spots_apart(copies.spots[leaders], copies.contrast[leaders]), out=linkage)
        groups[piece] = _link(linkage, size)[number] + first
        first = int(groups[piece].max()) + 1
        start += len(apart)
    return groups


def _pixels_apart(lab: FloatArray) -> FloatArray:
    """(n, n) how far tiles differ, against their contrast."""
    patches = shrink(lab, _PATCH)
    middle = np.zeros((_PATCH, _PATCH), dtype=bool)
    middle[_BORDER:-_BORDER, _BORDER:-_BORDER] = True
    inner, border = patches[:, middle], patches[:, ~middle]
    background = middle_of(inner)[:, None]
    glyph = _contrast(inner - background)
    frame = _contrast(border - background)
    distances: FloatArray = np.maximum(
        _rms(inner) / (_BLANK_SPREAD + _GLYPH_SPREAD * np.minimum(glyph[:, None], glyph[None, :])),
        _rms(border) / (_BLANK_SPREAD + _FRAME_SPREAD * np.minimum(frame[:, None], frame[None, :])),
    )
    return distances


def _spots(patches: FloatArray) -> FloatArray:
    """(n, s, 3) means of overlapping windows: a shifted edge hardly changes them, a small sign does."""
    half = shrink(patches, _PATCH // 2)
    windows = (half[:, :-1, :-1] + half[:, 1:, :-1] + half[:, :-1, 1:] + half[:, 1:, 1:]) / 4.0
    return windows.reshape(len(patches), -1, 3)


def _spots_apart(spots: FloatArray, contrast: FloatArray) -> FloatArray:
    """(n, n) how far tiles differ where they differ most, against their contrast."""
    apart = np.empty((len(spots), len(spots)), np.float32)
    for row, one in zip(apart, spots, strict=True):
        difference = one - spots
        row[:] = np.sqrt(np.einsum("nsc,nsc->ns", difference, difference).max(axis=1))
    apart /= _BLANK_SPREAD + _SPOT_SPREAD * np.minimum(contrast[:, None], contrast[None, :])
    return apart


def _glyph_contrast(patches: FloatArray) -> FloatArray:
    inner = patches[:, _BORDER:-_BORDER, _BORDER:-_BORDER].reshape(len(patches), -1, 3)
    return _contrast(inner - middle_of(inner)[:, None])


def _contrast(offsets: FloatArray) -> FloatArray:
    """(n,) length of the longest of the (n, k, 3) offsets, but for a few."""
    lengths = np.sqrt(np.einsum("nkc,nkc->nk", offsets, offsets))
    strong: FloatArray = np.partition(lengths, -3, axis=1)[:, -3]
    return strong


def _rms(pixels: FloatArray) -> FloatArray:
    """(n, n) root mean square difference of (n, k, 3) pixels."""
    distances: FloatArray = _pairwise(pixels.reshape(len(pixels), -1)) / np.sqrt(pixels.shape[1])
    return distances


def _pairwise(vectors: FloatArray) -> FloatArray:
    """(n, n) Euclidean distances."""
    centred = vectors - vectors.mean(axis=0)
    square = np.einsum("nd,nd->n", centred, centred)
    squared = square[:, None] + square[None, :] - 2.0 * (centred @ centred.T)
    distances: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    return distances


def _link(linkage: FloatArray, size: FloatArray) -> npt.NDArray[np.intp]:
    """Average linkage of a (k, k) matrix of distances between sets of (k,) sizes, cut at 1: (k,) numbers."""
    count = len(size)
    np.fill_diagonal(linkage, np.inf)
    target = np.arange(count)
    partner = linkage.argmin(axis=1)
    nearest = linkage[np.arange(count), partner]
    while True:
        i = int(nearest.argmin())
        if nearest[i] >= 1.0:
            break
        j = int(partner[i])
        merged = (size[i] * linkage[i] + size[j] * linkage[j]) / (size[i] + size[j])
        merged[i] = merged[j] = np.inf
        linkage[i], linkage[:, i] = merged, merged
        linkage[j], linkage[:, j] = np.inf, np.inf
        size[i] += size[j]
        target[target == j] = i
        # Average linkage never brings a third group nearer than the nearer of the two was, so only rows
        # whose partner is gone, and the two themselves, can have another nearest.
        stale = (partner == i) | (partner == j)
        stale[[i, j]] = True
        partner[stale] = linkage[stale].argmin(axis=1)
        nearest = linkage[np.arange(count), partner]
    numbers: npt.NDArray[np.intp] = np.unique(target, return_inverse=True)[1]
    return numbers
