"""What `explain` shows besides its steps: the next tile, flags, tables, outcomes, single solutions."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from visionsweeper.board import Board
    from visionsweeper.pipeline import Analysis
    from visionsweeper.solver import Solution
    from visionsweeper.solver.solutions import ComponentSolutions
    from visionsweeper.solver.techniques import SystemMatrix

Tile = tuple[int, int]

MOST_EQUATIONS: Final = 1000
"""Numbers with covered tiles around them for which the equations are still shown: a 30x16 board has 480
tiles, and elimination takes the cube of it at worst."""


@dataclass(frozen=True)
class Drawn:
    """One solution, placed on the board."""

    heading: tuple[str, ...]
    """What it is, in lines."""
    component: int | None
    """Its component, from 1; None for a solution of the whole board."""
    number: int | None
    """Its number among the component's solutions, from 0; None for a random one."""
    mines: tuple[Tile, ...]
    """Its mines, (row, column) in reading order."""
    board: Board
    """The board with mines as `*` and the other tiles of the solution as `x`."""


def overview_text(solution: Solution) -> str:
    """Which tile next and the flags audited, without a last line end."""
    from visionsweeper.tables_text import advice_to_text, flags_to_text  # noqa: PLC0415 - needs numpy

    parts = ["Which tile next? " + advice_to_text(solution.advice), flags_to_text(solution)]
    return "\n\n".join(part for part in parts if part)


def tile_text(solution: Solution, tile: Tile) -> str:
    """What a covered tile can show and its table, without a last line end; empty for other tiles."""
    from visionsweeper.board import COVERED, FLAG  # noqa: PLC0415
    from visionsweeper.errors import TooWide  # noqa: PLC0415
    from visionsweeper.tables_text import outcomes_to_text, tile_to_text  # noqa: PLC0415

    if solution.board[tile] not in {COVERED, FLAG}:
        return ""
    try:
        shown = "Opened, it shows\n" + outcomes_to_text(solution.outcomes(*tile))
    except (ValueError, TooWide) as error:
        shown = f"What it shows when opened is not known: {error}."
    table = tile_to_text(solution.tables, tile)
    return f"{shown}\n\n{table}" if table else shown


def tables_text(analysis: Analysis, *, trust_flags: bool) -> str:
    """All tables and the system of equations, without a last line end."""
    from visionsweeper.tables_text import matrix_to_text, tables_to_text  # noqa: PLC0415

    matrix = _matrix(analysis.board, trust_flags=trust_flags)
    equations = f"The equations are left out: there are more than {MOST_EQUATIONS}."
    if matrix is not None:
        equations = matrix_to_text(matrix)
    counted = [] if analysis.solution is None else [tables_to_text(analysis.solution.tables)]
    return "\n\n".join([*counted, equations])


def details_json(analysis: Analysis, tile: Tile | None, *, trust_flags: bool) -> dict[str, Any]:
    """`advice`, `flags`, `tables`, `outcomes` and `matrix`; unknown is None."""
    from visionsweeper.errors import TooWide  # noqa: PLC0415
    from visionsweeper.tables_report import (  # noqa: PLC0415
        advice_to_json,
        flags_to_json,
        matrix_to_json,
        outcomes_to_json,
        tables_to_json,
    )

    found: dict[str, Any] = dict.fromkeys(("advice", "flags", "tables", "outcomes", "matrix"))
    solution = analysis.solution
    if solution is not None:
        found["advice"] = advice_to_json(solution.advice)
        found["flags"] = flags_to_json(solution)
        with suppress(TooWide):
            found["tables"] = tables_to_json(solution.tables)
        if tile is not None:
            with suppress(ValueError, TooWide):
                found["outcomes"] = {"tile": list(tile), **outcomes_to_json(solution.outcomes(*tile))}
    matrix = _matrix(analysis.board, trust_flags=trust_flags)
    if matrix is not None:
        found["matrix"] = matrix_to_json(matrix)
    return found


def draw_solution(solution: Solution, chosen: int | None, component: int | None) -> Drawn:
    """One solution: number `chosen`, None for a random one, of a component (from 1).

    Without a component a random solution is one of the whole board; a numbered one needs the component
    unless there is just one. Raises click.BadParameter for what there is not, and TooWide.
    """
    from visionsweeper.solver.solutions import place  # noqa: PLC0415

    if chosen is None and component is None:
        mines = solution.random(random.SystemRandom())
        tiles = _tiles_of_solution(solution)
        whole = "the board" if solution.mines is not None else "the tiles next to numbers"
        title = f"a random solution of {whole}, one of {_count(solution.count)}: {_mines(len(mines))}"
        return Drawn((title,), None, None, mines, place(solution.board, tiles, mines))
    index = _component(solution.components, component)
    part = solution.components[index]
    if chosen is None:
        mines = part.random(random.SystemRandom())
        name = "a random solution"
    else:
        if chosen >= part.count:
            raise click.BadParameter(
                f"there is no solution {chosen} of component {index + 1}: its {_count(part.count)} "
                f"{'solution is' if part.count == 1 else 'solutions are'} numbered from 0",
                param_hint="'--solution'",
            )
        mines = part.solution(chosen)
        name = f"solution {chosen}"
    heading = (
        f"{name} of component {index + 1}, one of {_count(part.count)}: {_mines(len(mines))}",
        "by mine count: "
        + ", ".join(f"{_count(one.first)} to {_count(one.last)} with {one.mines}" for one in part.ranges),
    )
    return Drawn(heading, index + 1, chosen, mines, place(solution.board, part.tiles, mines))


def drawn_text(drawn: Drawn) -> str:
    """A solution as a board in the text notation, its heading in comments, without a last line end."""
    return "\n".join([*(f"# {line}" for line in drawn.heading), *drawn.board.to_rows()])


def drawn_json(drawn: Drawn) -> dict[str, Any]:
    """`component` (from 1), `number`, `mines` as [row, column] and `board` in rows."""
    return {
        "component": drawn.component,
        "number": drawn.number,
        "mines": [list(tile) for tile in drawn.mines],
        "board": drawn.board.to_rows(),
    }


def _matrix(board: Board, *, trust_flags: bool) -> SystemMatrix | None:
    """The system of equations; None on boards where elimination takes too long."""
    from visionsweeper.solver.techniques import system_matrix  # noqa: PLC0415
    from visionsweeper.solver.techniques.equations import numbers_of  # noqa: PLC0415

    if len(numbers_of(board)) > MOST_EQUATIONS:
        return None
    return system_matrix(board, trust_flags=trust_flags)


def _tiles_of_solution(solution: Solution) -> Iterable[Tile]:
    """The covered tiles that a solution of the whole board settles: all that have a probability."""
    import numpy as np  # noqa: PLC0415

    return [(row, column) for row, column in np.argwhere(~np.isnan(solution.probability)).tolist()]


def _component(components: tuple[ComponentSolutions, ...], number: int | None) -> int:
    """The index of the component meant."""
    have = len(components)
    if not have:
        raise click.BadParameter(
            "there is no component: single numbers settle every tile next to one; use random",
            param_hint="'--solution'",
        )
    if number is None:
        if have > 1:
            raise click.BadParameter(
                f"the board has {have} components: choose one with --component 1 to {have}",
                param_hint="'--solution'",
            )
        return 0
    if number > have:
        raise click.BadParameter(
            f"there is no component {number}: the board has {have}, numbered from 1",
            param_hint="'--component'",
        )
    return number - 1


def _count(number: int) -> str:
    from visionsweeper.report import decimal_text  # noqa: PLC0415

    return decimal_text(number)


def _mines(count: int) -> str:
    return f"{count} mine{'' if count == 1 else 's'}"
