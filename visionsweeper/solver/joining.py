"""Components and the non-frontier tiles, joined under one mine count.

With N_k(m) the solutions of component k by mine count, U the tiles next to no number and M the mines left for
all of them, component k holds m mines in N_k(m) * W_k(m) placements, where

    W_k(m) = sum_a Q_k(a) C(U, M - m - a),   Q_k = the product of the other components' polynomials,

and a non-frontier tile is a mine with probability

    sum_a T(a) C(U - 1, M - a - 1) / sum_a T(a) C(U, M - a),   T = the product of all of them.

Products that leave one out come from prefixes and suffixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, prod
from operator import mul
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.solver.counting import Polynomial


class Join(NamedTuple):
    """Weights of the components' mine counts, as exact whole numbers up to a common factor."""

    weights: list[list[int]]
    """[component][m - low]: W_k(m); 0 for mine counts ruled out."""
    total: int
    """Sum over m of N_k(m) W_k(m), the same for all components with several possible mine counts; the others
    have the weight 1. 0 when the mine count cannot be."""
    non_frontier: tuple[int, int]
    """Numerator and denominator of a non-frontier tile's probability; (0, 1) when there are none."""


def attainable(parts: Sequence[int]) -> int:
    """Return which sums the supports (bit i: i is possible) can reach, as a mask."""
    mask = 1
    for support in parts:
        mask = shifted_union(mask, support)
    return mask


def shifted_union(mask: int, support: int) -> int:
    """Return all sums of a member of `mask` and one of `support`."""
    if not support & (support + 1):  # no gaps: the usual case; double the run
        need = support.bit_length() - 1
        done = 0
        while done < need:
            step = min(done + 1, need - done)
            mask |= mask << step
            done += step
        return mask
    result = 0
    at = 0
    while support:
        if support & 1:
            result |= mask << at
        support >>= 1
        at += 1
    return result


def shifted_down(mask: int, support: int) -> int:
    """Return all a for which a + i is in `mask` for some i of `support`."""
    result = 0
    at = 0
    while support:
        if support & 1:
            result |= mask >> at
        support >>= 1
        at += 1
    return result


def relative_binomials(tiles: int, most: int, count: int) -> list[int]:
    """Return `count` of C(tiles, most), C(tiles, most - 1), … up to a common factor; 0 where undefined."""
    first = max(0, most - tiles)  # beginning with the first index whose binomial is not 0
    last = min(count - 1, most)
    if first > last:
        return [0] * count
    # C(n, k + 1) = C(n, k) (n - k) / (k + 1): collect numerators upwards in k, denominators downwards.
    result = [1] * (last - first + 1)
    product = 1
    for index in range(len(result) - 2, -1, -1):
        product *= tiles - (most - first - index) + 1
        result[index] = product
    product = 1
    for index in range(1, len(result)):
        product *= most - first - index + 1
        result[index] *= product
    return [0] * first + result + [0] * (count - 1 - last)


def join_exactly(parts: Sequence[Polynomial], tiles: int, mines: int) -> Join:
    """Join components (lowest mine count, N(m)…) and non-frontier `tiles` under `mines` for all, exactly."""
    base = sum([low for low, _ in parts])
    several = [index for index, (_, totals) in enumerate(parts) if len(totals) > 1]
    spread = sum([len(parts[index][1]) - 1 for index in several])
    behind = relative_binomials(tiles, mines - base, spread + 1)
    suffixes = [behind]
    for index in reversed(several):
        suffixes.append(_fold(suffixes[-1], parts[index][1]))
    total = suffixes[-1][0]
    # Components with one possible mine count only multiply everything.
    weights: list[list[int]] = [[1]] * len(parts)
    prefix = [1]
    for index, suffix in zip(several, reversed(suffixes[:-1]), strict=True):
        totals = parts[index][1]
        length = len(prefix)
        if length == 1:  # the first
            weights[index], prefix = suffix, list(totals)
            continue
        weights[index] = [sum(map(mul, prefix, suffix[at : at + length])) for at in range(len(totals))]
        prefix = _multiply(prefix, totals)
    if not tiles:
        return Join(weights, total, (0, 1))
    placements = list(map(mul, prefix, behind))
    numerator = sum([count * (mines - base - index) for index, count in enumerate(placements)])
    return Join(weights, total, (numerator, sum(placements) * tiles))


def _fold(values: list[int], totals: Sequence[int]) -> list[int]:
    """Values folded with totals: result[a] = sum_i totals[i] values[a + i]."""
    length = len(values) - len(totals) + 1
    if length == 1:
        return [sum(map(mul, totals, values))]
    result = [0] * length
    for at, factor in enumerate(totals):
        if factor:
            result = [a + factor * b for a, b in zip(result, values[at : at + length], strict=True)]
    return result


def _multiply(values: list[int], totals: Sequence[int]) -> list[int]:
    result = [0] * (len(values) + len(totals) - 1)
    for at, factor in enumerate(totals):
        if factor:
            for index, value in enumerate(values, at):
                result[index] += factor * value
    return result


class FloatJoin(NamedTuple):
    """The components' mine counts as probabilities."""

    shares: list[npt.NDArray[np.float64]]
    """[component] -> (mine counts,) float64: chance of low + i mines in it, 0 exactly where ruled out."""
    non_frontier: float
    """Probability of a mine on a non-frontier tile; 0.0 or 1.0 only when certain."""


_Range: TypeAlias = tuple[int, npt.NDArray[np.float64]]
"""The first mine count, and a value for it and those that follow."""

_NEGLIGIBLE = 1e-60
"""Probabilities below this are dropped from prefixes; which mine counts are possible is settled apart."""


def join_floats(
    parts: Sequence[tuple[int, npt.NDArray[np.float64], int]], tiles: int, mines: int
) -> FloatJoin:
    """Join many or wide components: (lowest mine count, N(m)… up to a factor, support mask) each.

    All are first tilted by z**m with one z, chosen so that the expected mines meet the mine count (a
    saddle point): what matters is then near the middle of every distribution, where floats are exact to
    rounding; nothing underflows that counts. The mine count must be attainable.
    """
    several = [index for index, (_, totals, _) in enumerate(parts) if len(totals) > 1]
    left = mines - sum(low for low, _, _ in parts)
    tilt = _saddle([parts[index][1] for index in several], tiles, left)
    tilted = [_tilted(parts[index][1], tilt) for index in several]
    supports = [parts[index][2] for index in several]

    prefixes: list[_Range] = [(0, np.ones(1))]
    reach = [1]
    for chances, support in zip(tilted, supports, strict=True):
        start, values = prefixes[-1]
        prefixes.append(_trim(start, np.convolve(values, chances)))
        reach.append(shifted_union(reach[-1], support))
    start, values = prefixes[-1]
    behind = _tilted_binomials(tiles, left, tilt, start, len(values))
    allowed = (1 << (left + 1)) - (1 << max(0, left - tiles))
    non_frontier = _non_frontier(prefixes[-1], behind, reach[-1] & allowed, tiles, left)

    shares: list[npt.NDArray[np.float64]] = [np.ones(1)] * len(parts)
    suffix: _Range = (start, behind)
    for position in reversed(range(len(several))):
        chances, support = tilted[position], supports[position]
        start, values = prefixes[position]
        window = _window(suffix, start, len(values) + len(chances) - 1)
        feasible = [bool(support >> at & 1 and reach[position] << at & allowed) for at in range(len(chances))]
        weight = np.correlate(window, values, "valid") * chances
        shares[several[position]] = np.where(feasible, np.maximum(weight / weight.sum(), 1e-300), 0.0)
        behind = np.correlate(window, chances, "valid")
        suffix = (start, behind / behind.max())
        allowed = shifted_down(allowed, support)
    return FloatJoin(shares, non_frontier)


def _non_frontier(
    prefix: _Range, behind: npt.NDArray[np.float64], possible: int, tiles: int, left: int
) -> float:
    """Probability of a mine on a non-frontier tile; `possible` are the mines that all components can hold.

    `prefix` is the chance of so many mines in all components, `behind` the placements of the rest then.
    """
    # Certain are those that hold none of the mines left, and those that hold one each.
    if not tiles or not possible & ~(1 << left):
        return 0.0
    if left >= tiles and not possible & ~(1 << (left - tiles)):
        return 1.0
    start, values = prefix
    placements = values * behind
    remaining = left - np.arange(start, start + len(values), dtype=np.float64)
    return inside(float((placements * remaining).sum() / placements.sum()) / tiles)


def _window(part: _Range, start: int, width: int) -> npt.NDArray[np.float64]:
    """Return the range from `start` of so many values: those of `part`, and zero where it has none."""
    window = np.zeros(width)
    shift = part[0] - start
    low, high = max(0, shift), min(width, shift + len(part[1]))
    window[low:high] = part[1][low - shift : high - shift]
    return window


def _trim(start: int, values: npt.NDArray[np.float64]) -> _Range:
    kept = np.flatnonzero(values > _NEGLIGIBLE)
    first, last = int(kept[0]), int(kept[-1]) + 1
    return start + first, values[first:last]


def _tilted(totals: npt.NDArray[np.float64], tilt: float) -> npt.NDArray[np.float64]:
    """totals[i] * e**(tilt i), summing to 1."""
    index = np.arange(len(totals))
    with np.errstate(divide="ignore", under="ignore", over="ignore"):
        logs = np.log(totals) + tilt * index
        at = int(logs.argmax())
        exponents = tilt * (index - at)
        # Logarithms serve for the scale; multiplying keeps the full precision where the factors allow it.
        direct = np.abs(exponents) < 300
        values = np.exp(logs - logs[at])
        values[direct] = (totals / totals[at] * np.exp(np.where(direct, exponents, 0)))[direct]
    result: npt.NDArray[np.float64] = values / values.sum()
    return result


def _tilted_binomials(tiles: int, left: int, tilt: float, start: int, count: int) -> npt.NDArray[np.float64]:
    """C(tiles, left - i) e**(tilt (left - i)) for i = start …, up to a factor; 0 where undefined."""
    result = np.zeros(count)
    first, last = max(start, left - tiles), min(start + count - 1, left)
    if first > last:
        return result
    mines = left - np.arange(first, last + 1, dtype=np.float64)  # descending
    # C(n, k - 1) / C(n, k) = k / (n - k + 1), each tilted by e**-tilt; multiply outwards from the mode.
    with np.errstate(under="ignore"):
        ratios = mines[:-1] / (tiles - mines[:-1] + 1) * exp(-tilt)
        mode = int(np.searchsorted(-ratios, -1.0))
        values = np.ones(len(mines))
        values[mode + 1 :] = np.cumprod(ratios[mode:])
        values[:mode] = np.cumprod(1 / ratios[:mode][::-1])[::-1]
    result[first - start : last - start + 1] = values
    return result


def _saddle(totals: list[npt.NDArray[np.float64]], tiles: int, left: int) -> float:
    """Return the tilt (log z) at which expected mines, of components and the other tiles, equal `left`."""
    lengths = [len(part) for part in totals]
    starts = np.cumsum([0, *lengths[:-1]])
    if totals:
        flat = np.concatenate(totals)
        peaks = np.repeat(np.maximum.reduceat(flat, starts), lengths)
        with np.errstate(divide="ignore"):
            logs = np.log(flat / peaks)
        index = np.concatenate([np.arange(length, dtype=np.float64) for length in lengths])
    low, high = -60.0, 60.0
    tilt = log((left + 0.5) / (tiles - left + 0.5)) if 0 <= left <= tiles else 0.0
    for _ in range(100):
        rate = 1 / (1 + exp(-tilt))
        mean, variance = tiles * rate, tiles * rate * (1 - rate)
        if totals:
            powers = logs + tilt * index
            powers -= np.repeat(np.maximum.reduceat(powers, starts), lengths)
            with np.errstate(under="ignore"):
                chances = np.exp(powers)
            sums = np.add.reduceat(chances, starts)
            means = np.add.reduceat(chances * index, starts) / sums
            squares = np.add.reduceat(chances * index * index, starts) / sums
            mean += float(means.sum())
            variance += float((squares - means * means).sum())
        if mean < left:
            low = tilt
        else:
            high = tilt
        step = (left - mean) / variance if variance > 1e-9 else 0.0
        following = tilt + step
        if not step or not low < following < high:
            following = (low + high) / 2
        if abs(following - tilt) < 1e-3:
            break
        tilt = following
    return tilt


def multiply(parts: Sequence[Polynomial]) -> Polynomial:
    """Return the product of polynomials, each packed into one integer on the way."""
    low = sum(first for first, _ in parts)
    scale = prod([totals[0] for _, totals in parts if len(totals) == 1])
    several = [totals for _, totals in parts if len(totals) > 1]
    if not several:
        return low, (scale,)
    width = sum([sum(totals).bit_length() for totals in several]) + 1
    size = (width + 7) // 8
    packed = [
        int.from_bytes(b"".join([n.to_bytes(size, "little") for n in totals]), "little") for totals in several
    ]
    while len(packed) > 1:
        packed = [prod(packed[at : at + 2]) for at in range(0, len(packed), 2)]
    length = sum([len(totals) - 1 for totals in several]) + 1
    raw = packed[0].to_bytes(length * size, "little")
    return low, tuple(
        [scale * int.from_bytes(raw[at : at + size], "little") for at in range(0, length * size, size)]
    )


def inside(chance: float) -> float:
    """Keep a chance that is neither 0 nor 1 from being rounded to either."""
    return min(max(chance, 5e-324), 1 - 2.0**-53)
