"""Look-alikes: tiles of one picture that are drawn alike, so that groups can be named, not lone tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.tiles.features import FloatArray, middle_of, shrink

PATCH_SIZE: Final = 16
"""Side in px that tiles are shrunk to before their pixels are compared."""

_BLANK_SPREAD: Final = 1.0  # Lab units by which two blanks of a kind may differ
_GLYPH_SPREAD: Final = 0.11  # the same for glyphs, as a share of their contrast: edges fall between pixels
_FRAME_SPREAD: Final = 0.2  # the same for what lies along the sides, where tiles cut unevenly differ most
_SPOT_SPREAD: Final = 0.12  # the same for windows of a quarter of a tile: small signs beside a glyph
_BORDER: Final = 2
_EMBEDDED_SPREAD: Final = 0.55
_COPY: Final = 0.35  # the same for near copies
_CHUNK: Final = 1024  # tiles compared at once; larger boards are grouped piece by piece
_MOST_GROUPS: Final = 2048  # thrice what any of 1,666 real pictures has: bounds the time that noise takes
_SOME: Final = 4  # tiles of a group that one on the edge of the board is compared with


@dataclass(frozen=True)
class Copies:
    """Tiles that are near copies of one another: most of a screenshot's are."""

    leader: npt.NDArray[np.intp]
    """(n,) index of the tile that stands for each tile; its own for those that stand for themselves."""
    patches: FloatArray
    """(n, 16, 16, 3) the tiles, shrunk."""
    apart: tuple[FloatArray, ...]
    """Distances of the pixels, (k, k) for each piece of the board."""
    spots: FloatArray
    """(n, s, 3) mean Lab colours of overlapping windows of each tile."""
    contrast: FloatArray
    """(n,) how far a tile's strongest pixels are from its middle colour, Lab units."""


def near_copies(lab: FloatArray) -> Copies:
    """Find near copies among (n, S, S, 3) Lab tiles, by their pixels alone."""
    patches = shrink(lab, PATCH_SIZE)
    leader, matrices = _leaders(patches)
    return Copies(leader, patches, matrices, _spots(patches), _glyph_contrast(patches))


def count_looks(patches: FloatArray) -> int:
    """Count the groups of near copies among (n, 16, 16, 3) Lab tiles."""
    return len(np.unique(_leaders(patches)[0]))


def _leaders(patches: FloatArray) -> tuple[npt.NDArray[np.intp], tuple[FloatArray, ...]]:
    """(n,) which patch stands for each, and the distances of their pixels, by pieces: see `Copies`."""
    leader, everything = np.arange(len(patches)), np.ones((PATCH_SIZE, PATCH_SIZE), dtype=bool)
    matrices = []
    for start in range(0, len(patches), _CHUNK):
        piece = patches[start : start + _CHUNK]
        apart = _pixels_apart(piece, piece, everything)
        owner = leader[start : start + _CHUNK]
        free = np.ones(len(owner), dtype=bool)
        for i in range(len(owner)):
            if free[i]:
                near = free & (apart[i] < _COPY)
                near[i] = True
                owner[near] = start + i
                free &= ~near
        matrices.append(apart)
    return leader, tuple(matrices)


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
        one = embedded[leaders]
        np.maximum(linkage, _pairwise(one, one) / _EMBEDDED_SPREAD, out=linkage)
        spots, contrast = copies.spots[leaders], copies.contrast[leaders]
        np.maximum(linkage, _spots_apart(spots, contrast, spots, contrast), out=linkage)
        groups[piece] = _link(linkage, size)[number] + first
        first = int(groups[piece].max()) + 1
        start += len(apart)
    return groups


def bounded(groups: npt.NDArray[np.intp], embedded: FloatArray) -> npt.NDArray[np.intp]:
    """Return groups, (n,) numbers from 0, of which there are no more than _MOST_GROUPS.

    The tiles of the smallest are put to those of the larger ones that lie nearest. `embedded`: (n, h) unit
    vectors.
    """
    if int(groups.max()) < _MOST_GROUPS:
        return groups
    _, first, size = np.unique(groups, return_index=True, return_counts=True)
    kept = np.sort(np.argsort(-size, kind="stable")[:_MOST_GROUPS])
    number = np.searchsorted(kept, groups).clip(max=_MOST_GROUPS - 1)
    lone = np.flatnonzero(kept[number] != groups)
    targets = embedded[first[kept]].T
    for some in np.array_split(lone, -(-len(lone) // _CHUNK)):
        number[some] = (embedded[some] @ targets).argmax(axis=1)
    return number


def join_edges(groups: npt.NDArray[np.intp], copies: Copies, shape: tuple[int, int]) -> npt.NDArray[np.intp]:
    """Join groups on the edge of the board with inner ones that differ in their outermost pixels alone.

    A frame or the page shows there. `shape`: rows and columns of the board, whose tiles come row by row.
    """
    rows, columns = shape
    row, column = np.divmod(np.arange(len(groups)), columns)
    sides = np.stack([row == 0, row == rows - 1, column == 0, column == columns - 1])
    outer = sides.any(axis=0)
    inner = np.unique(groups[~outer])
    lone = np.setdiff1d(groups, inner)
    if not (len(inner) and len(lone)):
        return groups
    inside = np.flatnonzero(~outer)
    some = [inside[members[:_SOME]] for members in tiles_by_group(groups[inside])]
    compared, counts = np.concatenate(some), np.array([len(each) for each in some])
    starts = np.cumsum(counts) - counts
    edge = np.flatnonzero(np.isin(groups, lone))
    distance = np.zeros((len(edge), len(inner)))
    for way in np.unique(sides[:, edge], axis=1).T:
        alike = (sides[:, edge] == way[:, None]).all(axis=0)
        apart = _seen_apart(copies, edge[alike], compared, _seen(way))
        distance[alike] = np.add.reduceat(apart, starts, axis=1, dtype=np.float64) / counts
    joined = groups.copy()
    for each in lone:
        mean = distance[groups[edge] == each].mean(axis=0)
        if mean.min() < 1.0:
            joined[groups == each] = inner[mean.argmin()]
    numbers: npt.NDArray[np.intp] = np.unique(joined, return_inverse=True)[1]
    return numbers


def tiles_by_group(groups: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
    """Return the indices of each group's tiles, in order, group by group; `groups`: (n,) their numbers."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def _seen(sides: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(16, 16) pixels of a patch but for those along the given sides: top, bottom, left, right."""
    seen = np.ones((PATCH_SIZE, PATCH_SIZE), dtype=bool)
    top, bottom, left, right = np.where(sides, _BORDER, 0).tolist()
    seen[:top] = seen[PATCH_SIZE - bottom :] = False
    seen[:, :left] = seen[:, PATCH_SIZE - right :] = False
    return seen


def _seen_apart(
    copies: Copies, tiles: npt.NDArray[np.intp], others: npt.NDArray[np.intp], seen: npt.NDArray[np.bool_]
) -> FloatArray:
    """(tiles, others) how far tiles differ in the pixels `seen`, against their contrast."""
    half = seen[::2, ::2]
    whole = (half[:-1, :-1] & half[1:, :-1] & half[:-1, 1:] & half[1:, 1:]).ravel()
    spots, contrast = copies.spots[:, whole], copies.contrast
    return np.maximum(
        _pixels_apart(copies.patches[tiles], copies.patches[others], seen),
        _spots_apart(spots[tiles], contrast[tiles], spots[others], contrast[others]),
    )


def _pixels_apart(here: FloatArray, there: FloatArray, seen: npt.NDArray[np.bool_]) -> FloatArray:
    """(n, m) how far two sets of patches differ in the pixels `seen`, against their contrast."""
    inner, border, glyph, frame = ours = _parts(here, seen)
    inner_there, border_there, glyph_there, frame_there = ours if there is here else _parts(there, seen)
    distances: FloatArray = np.maximum(
        _rms(inner, inner_there)
        / (_BLANK_SPREAD + _GLYPH_SPREAD * np.minimum(glyph[:, None], glyph_there[None, :])),
        _rms(border, border_there)
        / (_BLANK_SPREAD + _FRAME_SPREAD * np.minimum(frame[:, None], frame_there[None, :])),
    )
    return distances


def _parts(
    patches: FloatArray, seen: npt.NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """(n, k, 3) inner pixels and (n, l, 3) of the border `seen`; (n,) how much each of them stands out."""
    middle = np.zeros((PATCH_SIZE, PATCH_SIZE), dtype=bool)
    middle[_BORDER:-_BORDER, _BORDER:-_BORDER] = True
    flat = patches.reshape(len(patches), -1, 3)
    inner, border = (flat.take(np.flatnonzero(part), axis=1) for part in (middle, ~middle & seen))
    background = middle_of(inner)[:, None]
    return inner, border, _contrast(inner - background), _contrast(border - background)


def _spots(patches: FloatArray) -> FloatArray:
    """(n, s, 3) means of overlapping windows: a shifted edge hardly changes them, a small sign does."""
    half = shrink(patches, PATCH_SIZE // 2)
    windows = (half[:, :-1, :-1] + half[:, 1:, :-1] + half[:, :-1, 1:] + half[:, 1:, 1:]) / 4.0
    return windows.reshape(len(patches), -1, 3)


def _spots_apart(
    here: FloatArray, contrast_here: FloatArray, there: FloatArray, contrast_there: FloatArray
) -> FloatArray:
    """(n, m) how far the spots of two sets of tiles differ where they differ most, against their contrast."""
    apart = np.empty((len(here), len(there)), np.float32)
    channels = np.ascontiguousarray(there.transpose(2, 1, 0))
    squares = np.empty_like(channels)
    for row, one in zip(apart, here, strict=True):
        np.subtract(channels, one.T[..., None], out=squares)
        np.square(squares, out=squares)
        np.sqrt(squares.sum(axis=0).max(axis=0), out=row)
    apart /= _BLANK_SPREAD + _SPOT_SPREAD * np.minimum(contrast_here[:, None], contrast_there[None, :])
    return apart


def _glyph_contrast(patches: FloatArray) -> FloatArray:
    inner = patches[:, _BORDER:-_BORDER, _BORDER:-_BORDER].reshape(len(patches), -1, 3)
    return _contrast(inner - middle_of(inner)[:, None])


def _contrast(offsets: FloatArray) -> FloatArray:
    """(n,) length of the longest of the (n, k, 3) offsets, but for a few."""
    lengths = np.sqrt(np.einsum("nkc,nkc->nk", offsets, offsets))
    strong: FloatArray = np.partition(lengths, -3, axis=1)[:, -3]
    return strong


def _rms(here: FloatArray, there: FloatArray) -> FloatArray:
    """(n, m) root mean square differences of (n, k, 3) and (m, k, 3) pixels."""
    apart = _pairwise(here.reshape(len(here), -1), there.reshape(len(there), -1))
    distances: FloatArray = apart / np.sqrt(here.shape[1])
    return distances


def _pairwise(here: FloatArray, there: FloatArray) -> FloatArray:
    """(n, m) Euclidean distances of (n, d) and (m, d) vectors."""
    middle = here.mean(axis=0)
    one, two = here - middle, there - middle
    squared = np.einsum("nd,nd->n", one, one)[:, None] + np.einsum("nd,nd->n", two, two)[None, :]
    squared -= 2.0 * (one @ two.T)
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
