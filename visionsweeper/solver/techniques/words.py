"""Tiles and numbers in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from visionsweeper.geometry import Position
from visionsweeper.solver.techniques.equations import Equation
from visionsweeper.wording import plural

_LISTED = 8
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def place(tile: Position) -> str:
    """Name a tile: `row 2, column 3`."""
    return f"row {tile[0]}, column {tile[1]}"


def places(tiles: Iterable[Position]) -> str:
    """Name tiles in reading order, those of one row together; very many are only counted."""
    ordered = sorted(tiles)
    if len(ordered) > 3 * _LISTED:
        return f"{len(ordered)} tiles"
    rows: dict[int, list[int]] = {}
    for row, column in ordered:
        rows.setdefault(row, []).append(column)
    return joined(
        [
            f"row {row}, column{'s' if len(columns) > 1 else ''} {joined([str(c) for c in columns])}"
            for row, columns in rows.items()
        ],
        separator="; ",
    )


def joined(parts: Sequence[str], separator: str = ", ") -> str:
    """Join parts to one text: `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{separator.join(parts[:-1])}{';' if separator == '; ' else ''} and {parts[-1]}"


def named(one: Equation) -> str:
    """Name a number with what it still needs: `the 3 at row 1, column 2 (1 mine still to find)`."""
    text = f"the {one.value} at {place(one.number)}"
    return (
        text
        if one.need == one.value
        else f"{text} ({mines(one.need) if one.need else 'no mine'} still to find)"
    )


def named_all(equations: Iterable[Equation]) -> str:
    """Name several numbers; of very many only the first are listed."""
    ordered = sorted(equations, key=lambda e: e.number)
    texts = [named(one) for one in ordered[:_LISTED]]
    if len(ordered) > _LISTED:
        texts.append(f"{len(ordered) - _LISTED} more")
    return joined(texts)


def mines(count: int) -> str:
    """Say how many mines: `1 mine`, `2 mines`."""
    return plural(count, "mine")


def are_mines(tiles: Iterable[Position]) -> str:
    """Say that tiles are mines: `row 1, column 2 is a mine`, or `... are mines`."""
    listed = list(tiles)
    return f"{places(listed)} {'is a mine' if len(listed) == 1 else 'are mines'}"


def are_safe(tiles: Iterable[Position]) -> str:
    """Say that tiles are safe: `row 1, column 2 is safe`, or `... are safe`."""
    listed = list(tiles)
    return f"{places(listed)} {'is' if len(listed) == 1 else 'are'} safe"


def conclusion(safe: Iterable[Position], mine: Iterable[Position]) -> str:
    """Say what is safe and what is a mine, mines first."""
    parts = []
    hit, free = list(mine), list(safe)
    if hit:
        parts.append(are_mines(hit))
    if free:
        parts.append(are_safe(free))
    return ", and ".join(parts)


def sentence(text: str) -> str:
    """Make a sentence of a text that is not empty: a capital letter first, a full stop last."""
    return f"{text[0].upper()}{text[1:]}."


def small(count: int) -> str:
    """Write a count as a word up to eight."""
    return _COUNTS[count] if 0 <= count < len(_COUNTS) else str(count)


def called(pattern: str) -> str:
    """Name a pattern in a sentence: `1-2 pattern`, or `reduced 1-2 pattern`."""
    name, _, reduced = pattern.partition(", ")
    return f"{reduced} {name} pattern" if reduced else f"{name} pattern"
