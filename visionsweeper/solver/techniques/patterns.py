"""Named patterns: numbers side by side, in a line or around a corner, that players know by heart.

Every one is a special case of what two numbers, or the sum of three, prove; the names are given by what the
numbers still need once known mines are taken off (a reduced pattern).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from visionsweeper.geometry import Position
from visionsweeper.solver.techniques.equations import Equation, Proof, Step, combine
from visionsweeper.solver.techniques.subset import pair_step
from visionsweeper.solver.techniques.words import called, conclusion, joined, named, place, sentence

_AHEAD: Final = ((0, 1), (1, 0))
_SIDES: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))


def find_patterns(equations: Sequence[Equation]) -> Iterator[Step]:
    """Yield every named pattern: lines first, then pairs, then corners."""
    at = {one.number: one for one in equations}
    yield from _lines(at)
    yield from _pairs(at)
    yield from _corners(at)


def _ahead(tile: Position, step: tuple[int, int], count: int = 1) -> Position:
    return tile[0] + count * step[0], tile[1] + count * step[1]


def _lines(at: Mapping[Position, Equation]) -> Iterator[Step]:
    for first in at.values():
        for step in _AHEAD:
            line = [first]
            for count in (1, 2, 3):
                following = at.get(_ahead(first.number, step, count))
                if following is None:
                    break
                line.append(following)
            for numbers in (line[:4], line[:3]):
                middle = numbers[1:-1]
                ends = (numbers[0], numbers[-1])
                if len(middle) not in {1, 2} or any(
                    one.need != ends[0].need + ends[1].need for one in middle
                ):
                    continue
                proofs = [combine([(one, 1), (ends[0], -1), (ends[1], -1)]) for one in middle]
                if all(proof is not None for proof in proofs):
                    yield _line_step(numbers, [proof for proof in proofs if proof is not None])
                    break


def _line_step(line: Sequence[Equation], proofs: Sequence[Proof]) -> Step:
    mine: frozenset[Position] = frozenset()
    safe = frozenset[Position]().union(*(proof.less for proof in proofs))
    # What these numbers still settle by themselves, the tiles just found being known.
    settled = True
    while settled:
        settled = False
        for one in line:
            rest = one.unknown - mine - safe
            need = one.need - len(one.unknown & mine)
            if rest and need == 0:
                safe, settled = safe | rest, True
            elif rest and need == len(rest):
                mine, settled = mine | rest, True
    name = _name("-".join(str(one.need) for one in line), line)
    inner = joined([f"the {one.value} at {place(one.number)}" for one in line[1:-1]])
    each = "each of the two middle ones" if len(line) == 4 else "the middle one"
    hit, free = tuple(sorted(mine)), tuple(sorted(safe))
    text = (
        f"{joined([named(one) for one in line])} stand in a line ({called(name)}): every covered tile left "
        f"around {inner} also touches an end of the line, and {each} needs as many mines as the two ends "
        f"together; so these are the same mines, none of them counted by both ends: {conclusion(free, hit)}"
    )
    return Step("pattern", name, free, hit, tuple(sorted(one.number for one in line)), sentence(text))


def _pairs(at: Mapping[Position, Equation]) -> Iterator[Step]:
    for larger in at.values():
        for step in _SIDES:
            smaller = at.get(_ahead(larger.number, step))
            if smaller is None or min(larger.need, smaller.need) < 1:
                continue
            proof = combine([(larger, 1), (smaller, -1)])
            if proof is not None:
                yield pair_step(larger, smaller, proof, "pattern", _pair_name(larger, smaller, proof, step))


def _pair_name(larger: Equation, smaller: Equation, proof: Proof, step: tuple[int, int]) -> str:
    digits = sorted((larger.need, smaller.need))
    name = f"{digits[0]}-{digits[1]}"
    outer, inner = (larger, smaller) if proof.more else (smaller, larger)
    across = (step[1], step[0])
    # A number in a gap of the wall, seen together with the number behind it.
    if _flanked(outer, across) and not _beside(inner, across):
        name += " hole"
    return _name(name, (larger, smaller))


def _flanked(one: Equation, across: tuple[int, int]) -> bool:
    return {_ahead(one.number, across), _ahead(one.number, across, -1)} <= one.unknown


def _beside(one: Equation, across: tuple[int, int]) -> bool:
    return bool({_ahead(one.number, across), _ahead(one.number, across, -1)} & one.unknown)


def _corners(at: Mapping[Position, Equation]) -> Iterator[Step]:
    for corner in at.values():
        for step in _SIDES:
            ends = at.get(_ahead(corner.number, step)), at.get(_ahead(corner.number, (step[1], -step[0])))
            if ends[0] is None or ends[1] is None:
                continue
            needs = (ends[0].need, corner.need, ends[1].need)
            sign = {(1, 3, 1): 1, (2, 2, 2): -1}.get(needs)
            if sign is None:
                continue
            proof = combine([(corner, sign), (ends[0], -sign), (ends[1], -sign)])
            if proof is not None:
                yield _corner_step(corner, (ends[0], ends[1]), sign, proof)


def _corner_step(corner: Equation, ends: tuple[Equation, Equation], sign: int, proof: Proof) -> Step:
    numbers = (ends[0], corner, ends[1])
    name = _name("1-3-1 corner" if sign > 0 else "2-2-2 corner", numbers)
    safe, mine = tuple(sorted(proof.less)), tuple(sorted(proof.more))
    reason = (
        "the two 1s can give the 3 only two of its mines"
        if sign > 0
        else "the 2 in the corner leaves the outer 2s only two mines to share with it, and they need four"
    )
    listed = joined([named(one) for one in numbers])
    text = f"{listed} stand around a corner ({called(name)}): {reason}; {conclusion(safe, mine)}"
    return Step("pattern", name, safe, mine, tuple(sorted(one.number for one in numbers)), sentence(text))


def _name(name: str, numbers: Sequence[Equation]) -> str:
    """Return the name, saying so when known mines had to be taken off first."""
    return name if all(one.need == one.value for one in numbers) else f"{name}, reduced"
