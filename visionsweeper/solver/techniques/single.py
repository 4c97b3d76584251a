"""One number alone: it has all its mines, or all its covered tiles are mines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from visionsweeper.solver.techniques.equations import Equation, Step
from visionsweeper.solver.techniques.words import place, places, sentence, small


def find_single(equations: Sequence[Equation]) -> Iterator[Step]:
    """Yield every number that settles all its covered tiles by itself."""
    for one in equations:
        step = settle_single(one)
        if step is not None:
            yield step


def settle_single(one: Equation) -> Step | None:
    """Return what a number says by itself, if anything."""
    if not one.unknown or one.need not in {0, len(one.unknown)}:
        return None
    tiles = tuple(sorted(one.unknown))
    several = len(tiles) > 1
    subject = f"the {one.value} at {place(one.number)}"
    if one.need == 0:
        owned = f"already has its {'mine' if one.value == 1 else f'{small(one.value)} mines'}"
        has = "has no mine around it" if one.value == 0 else owned
        if one.value == 0:
            which = "all covered tiles around it" if several else "the covered tile next to it"
        else:
            which = "its other covered tiles" if several else "its other covered tile"
        text = f"{subject} {has}, so {which} ({places(tiles)}) {'are' if several else 'is'} safe"
        return Step("single", None, tiles, (), (one.number,), sentence(text))
    known = one.value - one.need
    found = f" besides the {'mine' if known == 1 else f'{small(known)} mines'} already found" if known else ""
    many = f"just {small(len(tiles))} covered tile{'s' if several else ''}"
    what = ("both are mines" if len(tiles) == 2 else "all are mines") if several else "it is a mine"
    text = (
        f"{subject} touches {many}{found} ({places(tiles)}) and needs {'them' if several else 'it'}: {what}"
    )
    return Step("single", None, (), tiles, (one.number,), sentence(text))
