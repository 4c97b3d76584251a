"""What `explain` prints besides its steps: the next tile, flags, tables, outcomes, single solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from visionsweeper.pipeline import Analysis
    from visionsweeper.report.details import Drawn
    from visionsweeper.solver import Solution

Tile = tuple[int, int]


def overview_text(analysis: Analysis, solution: Solution) -> str:
    """Which tile next and the flags audited, without a last line end; `solution` is the analysis's."""
    from visionsweeper.pipeline import advise  # needs numpy
    from visionsweeper.report.tables_text import advice_to_text, flags_to_text

    advice = advise(analysis) or solution.advice
    parts = ["Which tile next? " + advice_to_text(advice), flags_to_text(solution)]
    return "\n\n".join(part for part in parts if part)


def tile_text(solution: Solution, tile: Tile) -> str:
    """What a covered tile can show and its table, without a last line end; empty for other tiles."""
    from visionsweeper.board import COVERED, FLAG
    from visionsweeper.errors import TooWide
    from visionsweeper.report.tables_text import outcomes_to_text, tile_to_text

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
    from visionsweeper.report.details import MOST_EQUATIONS, matrix_of
    from visionsweeper.report.tables_text import matrix_to_text, tables_to_text

    matrix = matrix_of(analysis.board, trust_flags=trust_flags)
    equations = f"The equations are left out: there are more than {MOST_EQUATIONS}."
    if matrix is not None:
        equations = matrix_to_text(matrix)
    counted = [] if analysis.solution is None else [tables_to_text(analysis.solution.tables)]
    return "\n\n".join([*counted, equations])


def draw_chosen(solution: Solution, chosen: int | None, component: int | None) -> Drawn:
    """`details.draw_solution`, with what there is not as wrong usage of an option."""
    from visionsweeper.report.details import NoSuchSolution, draw_solution

    have = len(solution.components)
    if chosen is not None and component is None and have > 1:
        raise click.BadParameter(
            f"the board has {have} components: choose one with --component 1 to {have}",
            param_hint="'--solution'",
        )
    try:
        return draw_solution(solution, chosen, component)
    except NoSuchSolution as error:
        raise click.BadParameter(str(error), param_hint=f"'--{error.asked}'") from None


def drawn_text(drawn: Drawn) -> str:
    """A solution as a board in the text notation, its heading in comments, without a last line end."""
    return "\n".join([*(f"# {line}" for line in drawn.heading), *drawn.board.to_rows()])
