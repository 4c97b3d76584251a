"""The tables of the solver as text: aligned columns for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING

from visionsweeper.solver.flags import right_flags, uncertain_flags, wrong_flags
from visionsweeper.wording import decimal_text, format_percentage, fraction_text, plural, tile_name

if TYPE_CHECKING:
    from visionsweeper.geometry import Position
    from visionsweeper.solver import Solution
    from visionsweeper.solver.advice import Advice
    from visionsweeper.solver.doubt import Certainty
    from visionsweeper.solver.outcomes import Outcomes
    from visionsweeper.solver.tables import ComponentTable, MineCount, Tables
    from visionsweeper.solver.techniques import SystemMatrix

_LONG = 15
"""Whole numbers of more digits are cut to four; fractions with such numbers are left out."""


def tables_to_text(tables: Tables) -> str:
    """Return all tables, without a last line end."""
    known = f", {tables.known_mines} of them known" if tables.known_mines else ""
    title = f"{_number(tables.solutions)} {_solutions(tables.solutions)}"
    title += (
        " of the tiles next to numbers, the mine count being unknown"
        if tables.mines is None
        else f" with {plural(tables.mines, 'mine')}{known}"
    )
    parts = [title]
    if len(tables.components) != 1 and tables.mine_counts:
        parts.append("All components together:\n" + _mine_counts(tables.mine_counts))
    for index, component in enumerate(tables.components):
        parts.append(_component(tables, index, component))
    settled = [row for row in tables.tiles if row.component is None]
    if settled:
        rows = [(tile_name(*row.tile), "mine" if row.probability else "safe") for row in settled]
        parts.append("Settled by single numbers:\n" + _columns([("tile", ""), *rows]))
    others = tables.non_frontier
    if others.tiles:
        chance = "unknown without the mine count"
        if others.probability is not None:
            chance = f"a mine with {_chance(others.probability)}"
        count = len(others.tiles)
        parts.append(f"{count} {'tile' if count == 1 else 'tiles, each'} next to no number: {chance}")
    return "\n\n".join(parts)


def outcomes_to_text(outcomes: Outcomes) -> str:
    """Return what a tile can show, what is impossible left out, without a last line end."""
    rows = [("mine", outcomes.mine), *((str(n), chance) for n, chance in enumerate(outcomes.numbers))]
    return _columns([(shown, _chance(chance)) for shown, chance in rows if chance])


def advice_to_text(advice: Advice, most: int = 10) -> str:
    """Return the reason and the first tiles of the ranking, without a last line end."""
    if not advice.ranking:
        return advice.reason
    header = ("tile", "safe", "makes another certain", "safe for two moves", "wins the game")
    rows = [
        (
            tile_name(*one.tile),
            _chance(one.safety),
            "" if one.progress is None else format_percentage(one.progress),
            "" if one.survival is None else format_percentage(one.survival),
            "" if one.win is None else _chance(one.win),
        )
        for one in advice.ranking[:most]
    ]
    used = [at for at in range(len(header)) if any(row[at] for row in rows)]
    lines = [[row[at] for at in used] for row in [header, *rows]]
    more = len(advice.ranking) - most
    return f"{advice.reason}\n{_columns(lines)}" + (f"\n  and {more} more" if more > 0 else "")


def flags_to_text(solution: Solution, certain: Certainty) -> str:
    """Return flags that are wrong or only probable, then the right ones, without a last line end.

    Empty without flags.
    """
    wrong, right = wrong_flags(solution, certain), right_flags(solution, certain)
    rows = [(tile_name(*tile), "certainly wrong: the tile is safe") for tile in wrong]
    rows += [
        (tile_name(*tile), _flag_chance(solution, certain, tile))
        for tile in uncertain_flags(solution, certain)
    ]
    parts = [_columns(rows)] if rows else []
    if right:
        named = " ".join(f"{row},{column}" for row, column in right)
        parts.append(f"  certainly right ({len(right)}): {named}")
    return "\n".join(["Flags:", *parts]) if parts else ""


def _flag_chance(solution: Solution, certain: Certainty, tile: Position) -> str:
    """Say how likely a flag is right that is neither right nor wrong whatever is in doubt."""
    if isnan(solution.probability[tile]):
        return "only probable: of unknown odds"
    chance = solution.chance(tile)
    if chance in (0, 1):
        return f"{'right' if chance else 'wrong'} if {certain.condition}"
    return f"only probable: right with {_chance(chance)}"


def tile_to_text(tables: Tables, tile: Position) -> str:
    """Return how many solutions put a mine on a tile, by mine count; empty for tiles of no component."""
    row = next((one for one in tables.tiles if one.tile == tile), None)
    if row is None or row.component is None:
        return ""
    component = tables.components[row.component]
    weighted = tables.mines is not None
    lines = [["mines", "solutions", "with a mine here", *(["weight"] if weighted else [])]]
    for one, with_mine in zip(component.mine_counts, row.with_mine, strict=True):
        weight = [_number(one.weight or 0)] if weighted else []
        lines.append([str(one.mines), _number(one.solutions), _number(with_mine), *weight])
    text = f"Solutions of its component ({row.component + 1}, {len(component.tiles)} tiles):\n"
    text += f"{_columns(lines)}\nA mine by the numbers alone: {_chance(row.local)}"
    return text + (f"; with the mine count: {_chance(row.probability)}" if weighted else "")


def matrix_to_text(matrix: SystemMatrix) -> str:
    """Return the system of equations before and after elimination, without a last line end.

    Columns are numbered; a list says which tile each is. Zeros are dots.
    """
    if not matrix.tiles:
        return "No number has a covered tile around it: there are no equations."
    heads = [f"t{at}" for at in range(1, len(matrix.tiles) + 1)]
    names = _columns((head, tile_name(*tile)) for head, tile in zip(heads, matrix.tiles, strict=True))

    def cells(row: Iterable[int]) -> list[str]:
        *terms, total = row
        return [*(str(entry) if entry else "." for entry in terms), f"= {total}"]

    before = [["", *heads, ""]]
    for number, row in zip(matrix.numbers, matrix.before.tolist(), strict=True):
        before.append([tile_name(*number), *cells(row)])
    after = [[*heads, ""], *(cells(row) for row in matrix.after.tolist())]
    return (
        f"Columns of the equations:\n{names}\n\nEquations, a row for each number:\n{_columns(before)}"
        f"\n\nAfter elimination:\n{_columns(after)}"
    )


def _component(tables: Tables, index: int, component: ComponentTable) -> str:
    count = len(component.tiles)
    lines = [
        f"Component {index + 1}: {count} tiles, {len(component.constraints)} "
        f"{'number' if len(component.constraints) == 1 else 'numbers'}, "
        f"{_number(component.solutions)} {_solutions(component.solutions)}",
        _columns(
            [
                ("number", "", "still owes", "to"),
                *(
                    (
                        tile_name(*one.tile),
                        str(one.number),
                        str(one.owed),
                        " ".join(f"{row},{column}" for row, column in one.tiles),
                    )
                    for one in component.constraints
                ),
            ]
        ),
        _mine_counts(component.mine_counts),
    ]
    heads = [f"with {row.mines}" for row in component.mine_counts]
    last = [] if tables.mines is None else ["mine"]
    lines.append(
        _columns(
            [
                ["tile", *heads, "by numbers alone" if last else "mine", *last],
                *(
                    [
                        tile_name(*row.tile),
                        *map(_number, row.with_mine),
                        _chance(row.local),
                        *([_chance(row.probability)] if last else []),
                    ]
                    for row in tables.tiles
                    if row.component == index
                ),
            ]
        )
    )
    return "\n".join(lines)


def _mine_counts(rows: Sequence[MineCount]) -> str:
    weighted = any(row.weight is not None for row in rows)
    header = ["mines", "solutions", *(["weight"] if weighted else []), "probability"]
    lines = [
        [
            str(row.mines),
            _number(row.solutions),
            *([_number(row.weight or 0)] if weighted else []),
            _chance(row.probability),
        ]
        for row in rows
    ]
    return _columns([header, *lines])


def _columns(rows: Iterable[Sequence[str]]) -> str:
    """Rows with their columns aligned, indented."""
    listed = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    return "\n".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in listed
    )


def _solutions(count: int) -> str:
    return "solution" if count == 1 else "solutions"


def _number(value: int) -> str:
    """Exactly, or its first digits as in 1.234e+56 where it is long."""
    if value < 10**_LONG:
        return str(value)
    text = decimal_text(value)
    return f"{text[0]}.{text[1:4]}e+{len(text) - 1}"


def _chance(chance: Fraction) -> str:
    percentage = format_percentage(chance)
    if chance.denominator == 1 or chance.denominator >= 10**_LONG:
        return percentage
    return f"{percentage} ({fraction_text(chance)})"
