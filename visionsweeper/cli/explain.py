"""`visionsweeper explain`: why tiles are certain, step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.inputs import one_source, subject_of, take, take_position
from visionsweeper.cli.options import (
    FileName,
    WholeNumber,
    clipboard_option,
    json_option,
    read_options,
    solve_options,
)
from visionsweeper.cli.outputs import plan_output
from visionsweeper.cli.terminal import say

if TYPE_CHECKING:
    from pathlib import Path

    from visionsweeper.geometry import Position
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.report.explanation import Drawn, Explanation
    from visionsweeper.solver import Solution

RANDOM: Final = -1
"""Stands for a random solution."""

MOST_DIGITS: Final = 4000


class TechniqueChoice(click.Choice[str]):
    """One of the techniques; they are looked up when they are needed, since their module loads numpy."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the techniques."""
        from visionsweeper.solver.techniques import TECHNIQUES

        return TECHNIQUES


technique_option = click.option(
    "--technique",
    type=TechniqueChoice(),
    help="Use this technique alone, and show how far it gets.",
)


class TileType(click.ParamType[Any]):
    """A tile, written ROW,COLUMN, both from 0."""

    name = "R,C"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Two whole numbers from 0 up; fails otherwise."""
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        if len(parts) != 2 or not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
            self.fail(f"{value!r} is not of the form R,C (row and column from 0), as in 2,3", param, ctx)
        return int(parts[0]), int(parts[1])


def check_tile(tile: Position | None, rows: int, columns: int, option: str) -> None:
    """Raise BadParameter where a tile that an option names is outside the board."""
    if tile is not None and not (tile[0] < rows and tile[1] < columns):
        raise click.BadParameter(
            f"row {tile[0]}, column {tile[1]} is outside the board: it has rows 0 to {rows - 1} and "
            f"columns 0 to {columns - 1}",
            param_hint=f"'{option}'",
        )


class SolutionType(click.ParamType[Any]):
    """Which solution: its number from 0, or `random`, which is -1."""

    name = "K|random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return a whole number of any size from 0 up, or -1; fails otherwise."""
        if isinstance(value, int):
            return value
        text = str(value).strip()
        if text == "random":
            return RANDOM
        # Beyond some 4000 digits Python itself refuses; no component has so many solutions.
        if not (text.isascii() and text.isdigit() and len(text) < MOST_DIGITS):
            self.fail(f"{text[:40]!r} is neither a number from 0 up nor random", param, ctx)
        return int(text)


@dataclass(frozen=True)
class Asked:
    """What to show besides the steps."""

    tile: Position | None
    tables: bool
    chosen: int | None
    """A solution's number, RANDOM, or None for none."""
    component: int | None
    """From 1."""

    @property
    def number(self) -> int | None:
        """The solution's number; None for a random one."""
        return None if self.chosen == RANDOM else self.chosen


@click.command(
    "explain",
    epilog="Example: visionsweeper explain board.txt --mines 10 --tile 2,3",
)
@click.argument("source", metavar="BOARD|IMAGE", required=False, type=FileName())
@clipboard_option
@read_options()
@solve_options
@click.option(
    "--tile",
    type=TileType(),
    help="Explain this tile alone in a few steps, and tell what it can show when opened.",
)
@click.option("--tables", is_flag=True, help="Also print all counts, and the equations as a matrix.")
@click.option(
    "--solution",
    "chosen",
    type=SolutionType(),
    metavar="K|random",
    help="Print only one placement of the mines, as a board: number K (from 0) of a component, or random.",
)
@click.option(
    "--component",
    type=WholeNumber(min=1),
    metavar="I",
    help="The component of --solution, from 1 as in --tables.",
)
@technique_option
@click.option(
    "-o",
    "--output",
    type=FileName(),
    help="Write a picture here, a file or into a folder: settled tiles with the number of their step, and "
    "the numbers they rest on.",
)
@json_option
def command(
    source: str | None,
    clipboard: bool,
    read: ReadOptions,
    solve: SolveOptions,
    technique: str | None,
    output: str | None,
    as_json: bool,
    **details: Any,
) -> int:
    """Explain why tiles are certain, in steps that can be followed by hand, and say which tile to open next.

    The input is a board in a file that `solve` takes, recognised by its suffix, or a screenshot; - is
    standard input. Rows and columns count from 0.
    """
    asked = Asked(**details)
    if technique is not None and (asked.tables or asked.chosen is not None):
        raise click.UsageError("--technique shows that technique alone: leave out --tables and --solution")
    if asked.component is not None and asked.chosen is None:
        raise click.UsageError("--component goes with --solution")
    name = one_source(source, clipboard=clipboard)
    place = plan_output(name, output)
    from visionsweeper.report.explanation import explain_position

    given = take(name)
    analysis = given.analyse(read, solve)
    check_tile(asked.tile, analysis.board.rows, analysis.board.columns, "--tile")
    explanation = explain_position(analysis, technique, asked.tile, trust_flags=solve.trust_flags)
    if as_json:
        say(json.dumps(_json(explanation, given.name, None if technique else asked), allow_nan=False))
    else:
        _say_text(explanation, None if technique else asked)
    status = 0 if analysis.problem is None else report_failure(analysis.problem, subject_of(name))
    if place is not None:
        _draw(explanation, place)
    return status


def tell_board(source: str, read: ReadOptions, solve: SolveOptions, technique: str, *, as_json: bool) -> int:
    """Print what one technique finds on a board as text; returns the exit status."""
    from visionsweeper.report.explanation import explain_position

    analysis = take_position(source).analyse(read, solve)
    explanation = explain_position(analysis, technique, trust_flags=solve.trust_flags)
    if as_json:
        say(json.dumps(_json(explanation, None, None), allow_nan=False))
    else:
        _say_text(explanation, None)
    return 0 if analysis.problem is None else report_failure(analysis.problem, subject_of(source))


def _json(explanation: Explanation, image: str | None, asked: Asked | None) -> dict[str, Any]:
    from visionsweeper.pipeline import advise
    from visionsweeper.report.as_json import (
        advice_to_json,
        details_to_json,
        drawn_to_json,
        steps_to_json,
        to_dict,
    )
    from visionsweeper.report.result import Report

    analysis = explanation.analysis
    advice = advise(analysis)
    found = to_dict(Report(image=image, analysis=analysis, advice=advice))
    found["steps"] = steps_to_json(explanation.steps)
    if asked is not None:
        found["advice"] = None if advice is None else advice_to_json(advice)
        found |= details_to_json(explanation)
        if asked.chosen is not None:
            solution = analysis.solution
            found["solution"] = None if solution is None else drawn_to_json(_draw_chosen(solution, asked))
    return found


def _say_text(explanation: Explanation, asked: Asked | None) -> None:
    """Print what was asked for; a solution stands alone, to be used as a board."""
    from visionsweeper.pipeline import advise
    from visionsweeper.report.as_text import drawn_to_text, explanation_to_text, steps_to_text

    analysis = explanation.analysis
    if asked is not None and asked.chosen is not None:
        if analysis.solution is not None:
            say(drawn_to_text(_draw_chosen(analysis.solution, asked)))
    elif analysis.problem is None or explanation.steps:
        if asked is None:
            say(steps_to_text(explanation))
        else:
            advice = advise(analysis) if explanation.tile is None else None
            say(explanation_to_text(explanation, advice, tables=asked.tables))


def _draw_chosen(solution: Solution, asked: Asked) -> Drawn:
    """Return the solution asked for. Raises BadParameter where there is no such solution."""
    from visionsweeper.report.explanation import NoSuchSolution, draw_solution

    have = len(solution.components)
    if asked.number is not None and asked.component is None and have > 1:
        raise click.BadParameter(
            f"the board has {have} components: choose one with --component 1 to {have}",
            param_hint="'--solution'",
        )
    try:
        return draw_solution(solution, asked.number, asked.component)
    except NoSuchSolution as error:
        raise click.BadParameter(str(error), param_hint=f"'--{error.asked}'") from None


def _draw(explanation: Explanation, place: Path) -> None:
    from visionsweeper.drawing.board import draw_board
    from visionsweeper.drawing.highlight import highlight
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import DrawnBoard

    analysis = explanation.analysis
    view = analysis.reading or DrawnBoard(analysis.board, *draw_board(analysis.board))
    save_image(place, highlight(view, explanation.steps))
