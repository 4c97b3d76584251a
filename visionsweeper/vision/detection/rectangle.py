"""The rectangle of a matrix with the largest sum."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def best_rectangle(weights: npt.NDArray[np.float64]) -> tuple[slice, slice] | None:
    """Rows and columns of the rectangle whose weights add up to the most, or None when none is positive.

    Kadane's running sum over columns, for all pairs of first and last row; O(rows^2 columns).
    """
    good = weights > 0
    if not good.any():
        return None
    # No side of the best one lies beyond the outermost good ones.
    top, bottom = np.flatnonzero(good.any(axis=1))[[0, -1]].tolist()
    left, right = np.flatnonzero(good.any(axis=0))[[0, -1]].tolist()
    rows, columns = _best(weights[top : bottom + 1, left : right + 1])
    return slice(rows.start + top, rows.stop + top), slice(columns.start + left, columns.stop + left)


def _best(weights: npt.NDArray[np.float64]) -> tuple[slice, slice]:
    rows, columns = weights.shape
    if rows > columns:
        turned = _best(weights.T)
        return turned[1], turned[0]
    down = np.vstack([np.zeros(columns), np.cumsum(weights, axis=0)])
    best, answer = 0.0, (slice(0, rows), slice(0, columns))
    at_most = np.maximum(weights, 0).sum(axis=1)[::-1].cumsum()[::-1]  # of a rectangle from each row on
    for first in range(rows):
        if at_most[first] <= best:
            break
        bands = down[first + 1 :] - down[first]
        sums = np.concatenate([np.zeros((len(bands), 1)), np.cumsum(bands, axis=1)], axis=1)
        lowest = np.minimum.accumulate(sums, axis=1)
        gains = sums[:, 1:] - lowest[:, :-1]
        band, end = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[band, end] > best:
            best = float(gains[band, end])
            start = int(sums[band, : end + 1].argmin())
            answer = slice(first, first + int(band) + 1), slice(start, int(end) + 1)
    return answer
