"""Contradiction: assume a tile, follow the simple rules, and arrive at a number that cannot be."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from visionsweeper.geometry import Position
from visionsweeper.solver.techniques.equations import Equation, Step, by_tile, components
from visionsweeper.solver.techniques.words import joined, mines, named, place, places, sentence, small


@dataclass(frozen=True)
class _Clash:
    """An assumption that cannot be."""

    tile: Position
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

    @property
    def way(self) -> tuple[object, ...]:
        """All but the tile: the same for tiles that end in the same contradiction by the same numbers."""
        return self.mine, self.followed, self.broken, self.have, self.free


def find_contradictions(
    equations: Sequence[Equation], candidates: Collection[Position] | None = None
) -> Iterator[Step]:
    """Yield tiles whose opposite leads to an impossible number, shortest first, one for each component.

    `candidates` limits the tiles that are tried.
    """
    for part in components(equations):
        clashes = _clashes(part, candidates)
        if clashes:
            best = min(clashes, key=lambda clash: len(clash.followed))
            yield _step([clash for clash in clashes if clash.way == best.way])


def _clashes(part: Sequence[Equation], candidates: Collection[Position] | None) -> list[_Clash]:
    tiles = by_tile(part)
    alike: dict[tuple[Position, ...], list[_Clash]] = {}
    found = []
    for tile in sorted(tiles):
        if candidates is not None and tile not in candidates:
            continue
        # Tiles of the same numbers lead to the same contradictions.
        same = tuple(one.number for one in tiles[tile])
        if same not in alike:
            followed = (_follow(tile, mine, tiles) for mine in (True, False))
            alike[same] = [clash for clash in followed if clash is not None]
        found += [replace(clash, tile=tile) for clash in alike[same]]
    return found


def _follow(tile: Position, mine: bool, tiles: dict[Position, list[Equation]]) -> _Clash | None:
    """Follow single numbers from an assumption, nearest first; the clash it ends in, if any."""
    assumed = {tile: mine}
    because: dict[Position, Equation | None] = {tile: None}
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
    broken: Equation, too_many: bool, assumed: dict[Position, bool], because: dict[Position, Equation | None]
) -> tuple[Equation, ...]:
    """Return the numbers that led to the broken one, in the order they were followed."""
    order = {tile: index for index, tile in enumerate(assumed)}
    wanted = [t for t in broken.unknown if assumed.get(t) is too_many]
    first: dict[Position, tuple[int, Equation]] = {}
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


def _step(clashes: Sequence[_Clash]) -> Step:
    """Return the step that contradictions by the same numbers make together."""
    clash, tiles = clashes[0], tuple(clash.tile for clash in clashes)
    numbers = tuple(sorted({one.number for one in (*clash.followed, clash.broken)}))
    via = [named(one) for one in clash.followed]
    if len(via) > 6:
        via[5:] = [f"{len(via) - 5} more numbers"]
    listed = joined(via)
    chain = f"then, by {listed}, " if clash.followed else ""
    if len(clash.followed) > 1:
        chain = f"then, following {listed} one after the other, "
    broken = named(clash.broken)
    if clash.have > clash.broken.need:
        end = f"{broken} would get {mines(clash.have)}, more than it can have"
    else:
        room = f"only {small(clash.free)} tile{'' if clash.free == 1 else 's'} left"
        end = f"{broken} would have {room if clash.free else 'no tile left'} for its mines"
    several = len(tiles) > 1
    supposed = f"any of {places(tiles)}" if several else place(clash.tile)
    verdict = ("all are safe" if several else "it is safe") if clash.mine else "it is a mine"
    if several and not clash.mine:
        verdict = "all are mines"
    what = "were a mine" if clash.mine else "were safe"
    text = f"if {supposed} {what}, {chain}{end}; so {verdict}"
    safe, mine = (tiles, ()) if clash.mine else ((), tiles)
    return Step("contradiction", None, safe, mine, numbers, sentence(text))
