"""Contradiction: assume a tile, follow the simple rules, and arrive at a number that cannot be."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from visionsweeper.solver.techniques.equations import Equation, Place, Step, by_tile, components
from visionsweeper.solver.techniques.words import joined, mines, named, place, sentence, small

_SHORT = 3
"""A contradiction that needs no more numbers than this is taken without looking for a shorter one."""


@dataclass(frozen=True)
class _Clash:
    """An assumption that cannot be."""

    tile: Place
    mine: bool
    """What was assumed."""
    followed: tuple[Equation, ...]
    """The numbers followed, in order, without those that played no part."""
    broken: Equation
    """The number that cannot be."""
    have: int
    """Mines it would have among its unsettled tiles, if too many."""
    free: int
    """Tiles that would be left for mines, counting those it has."""


def find_contradictions(
    equations: Sequence[Equation], candidates: Collection[Place] | None = None
) -> Iterator[Step]:
    """Tiles whose opposite leads to an impossible number, shortest first, one for each component.

    `candidates` limits the tiles that are tried.
    """
    for part in components(equations):
        best = _shortest(part, candidates)
        if best is not None:
            yield _step(best, part)


def _shortest(part: Sequence[Equation], candidates: Collection[Place] | None) -> _Clash | None:
    tiles = by_tile(part)
    tried: set[tuple[Place, ...]] = set()
    best: _Clash | None = None
    for tile in sorted(tiles):
        if candidates is not None and tile not in candidates:
            continue
        same = tuple(one.number for one in tiles[tile])
        if same in tried:
            continue
        tried.add(same)
        for mine in (True, False):
            clash = _follow(tile, mine, tiles)
            if clash is None:
                continue
            if best is None or len(clash.followed) < len(best.followed):
                best = clash
            if len(best.followed) < _SHORT:
                return best
    return best


def _follow(tile: Place, mine: bool, tiles: dict[Place, list[Equation]]) -> _Clash | None:
    """Follow single numbers from an assumption, nearest first; the clash it ends in, if any."""
    assumed = {tile: mine}
    because: dict[Place, Equation | None] = {tile: None}
    queue = deque(tiles[tile])
    while queue:
        one = queue.popleft()
        have = sum([assumed.get(t, False) for t in one.unknown])
        free = sum([assumed.get(t, True) for t in one.unknown])
        if have > one.need or free < one.need:
            return _Clash(tile, mine, _trace(one, have > one.need, assumed, because), one, have, free)
        if have == free or one.need not in {have, free}:
            continue
        value = have != one.need
        for other in sorted(one.unknown):
            if other not in assumed:
                assumed[other] = value
                because[other] = one
                queue.extend(e for e in tiles[other] if e is not one)
    return None


def _trace(
    broken: Equation, too_many: bool, assumed: dict[Place, bool], because: dict[Place, Equation | None]
) -> tuple[Equation, ...]:
    """The numbers that led to the broken one, in the order they were followed."""
    order = {tile: index for index, tile in enumerate(assumed)}
    wanted = [t for t in broken.unknown if assumed.get(t) is too_many]
    first: dict[Place, tuple[int, Equation]] = {}
    seen = set(wanted)
    while wanted:
        tile = wanted.pop()
        one = because[tile]
        if one is None:
            continue
        at = order[tile]
        if one.number in first and first[one.number][0] <= at:
            continue
        first[one.number] = (at, one)
        for other in one.unknown:
            # What made the number settle this tile: its tiles settled the other way before.
            if order.get(other, at) < at and assumed[other] is not assumed[tile] and other not in seen:
                seen.add(other)
                wanted.append(other)
    return tuple(one for _, one in sorted(first.values(), key=lambda found: found[0]))


def _step(clash: _Clash, part: Sequence[Equation]) -> Step:
    numbers = tuple(sorted({one.number for one in (*clash.followed, clash.broken)}))
    what = "were a mine" if clash.mine else "were safe"
    if len(clash.followed) > 6:
        shown = clash.followed[:5]
        via = f"{', '.join(named(one) for one in shown)} and {len(clash.followed) - 5} more numbers"
    else:
        via = joined([named(one) for one in clash.followed])
    chain = f"then, following {via} one after the other, " if len(clash.followed) > 1 else ""
    if len(clash.followed) == 1:
        chain = f"then, by {via}, "
    broken = named(clash.broken)
    if clash.have > clash.broken.need:
        end = f"{broken} would get {mines(clash.have)}, more than it can have"
    else:
        room = f"only {small(clash.free)} tile{'' if clash.free == 1 else 's'} left"
        end = f"{broken} would have {room if clash.free else 'no tile left'} for its mines"
    verdict = "safe" if clash.mine else "a mine"
    text = f"if {place(clash.tile)} {what}, {chain}{end}; so it is {verdict}"
    safe = (clash.tile,) if clash.mine else ()
    mine = () if clash.mine else (clash.tile,)
    return Step("contradiction", None, safe, mine, numbers, sentence(text))
