"""Which games of a run were played: ranges of their numbers, as blocks come back in any order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""(first, behind the last) of each, ascending, apart from each other."""


def with_range(ranges: Ranges, first: int, last: int) -> Ranges:
    """Return the ranges with games `first` to `last`, the last one not included, of which they hold none."""
    before = [one for one in ranges if one[1] < first]
    after = [one for one in ranges if one[0] > last]
    touched = ranges[len(before) : len(ranges) - len(after)]
    joined = (min([first, *(one[0] for one in touched)]), max([last, *(one[1] for one in touched)]))
    return (*before, joined, *after)


def gaps(ranges: Ranges, games: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges that are missing of so many games, ascending."""
    at = 0
    for first, last in ranges:
        if first > at:
            yield at, min(first, games)
        at = last
        if at >= games:
            return
    if at < games:
        yield at, games


def next_end(first: int, block: int, size: int) -> int:
    """Return where a job of about so many games ends: with a block, if it reaches the end of one."""
    end = first + max(size, 1)
    return end - end % block if end // block > first // block else end


def are_ranges(ranges: Ranges, games: int) -> bool:
    """Return whether they are ascending, apart from each other, and so many games."""
    bounds = [bound for one in ranges for bound in one]
    ascending = all(a < b for a, b in pairwise(bounds))
    return ascending and min(bounds, default=0) >= 0 and sum(b - a for a, b in ranges) == games
