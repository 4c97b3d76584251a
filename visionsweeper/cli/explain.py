"""`visionsweeper explain`: why tiles are certain, step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.inputs import one_source, subject_of, take, take_position
from visionsweeper.cli.options import FileName, clipboard_option, read_options, solve_options
from visionsweeper.cli.outputs import plan_outputs
from visionsweeper.cli.terminal import say

if TYPE_CHECKING:
    from visionsweeper.board import Board
    from visionsweeper.geometry import Position
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.pipeline import Analysis
    from visionsweeper.solver.techniques import Step

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


class SolutionType(click.ParamType[Any]):
    """Which solution: its number from 0, or `random`, which is -1."""

    name = "K|random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A whole number of any size from 0 up, or -1; fails otherwise."""
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
    trust: bool
    """Whether flags are mines."""

    @property
    def number(self) -> int | None:
        """The solution's number; None for a random one."""
        return None if self.chosen == RANDOM else self.chosen


@dataclass(frozen=True, eq=False)
class Telling:
    """What is told of a position."""

    analysis: Analysis
    steps: list[Step]
    tile: Position | None
    """The one tile that the steps are to settle; None for all."""
    asked: Asked | None
    """What to show besides the steps; None for nothing."""


@click.command(
    "explain",
    short_help="Why tiles are certain, step by step.",
    epilog="Example: visionsweeper explain board.txt --mines 10 --tile 2,3",
)
@click.argument("source", metavar="BOARD|IMAGE", required=False, type=FileName())
@clipboard_option
@read_options()
@solve_options
@click.option("--tile", type=TileType(), help="Only a short way to settle this tile, and what it can show.")
@click.option("--tables", is_flag=True, help="Also print all counts, and the equations as a matrix.")
@click.option(
    "--solution",
    "chosen",
    type=SolutionType(),
    metavar="K|random",
    help="Print only one placement of the mines, a board: number K (from 0) of a component, or any one.",
)
@click.option(
    "--component",
    type=click.IntRange(min=1),
    metavar="I",
    help="The component of --solution, from 1 as in --tables.",
)
@technique_option
@click.option(
    "-o",
    "--output",
    type=FileName(),
    help="Write a picture here: settled tiles with the number of their step, and the numbers they rest on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
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
    """Say why tiles are certain, in steps that can be followed by hand, and which tile to open next.

    The input is a board in a file that `solve` takes, known by the ending of its name, or a screenshot; - is
    standard input. Rows and columns count from 0.
    """
    asked = Asked(**details, trust=solve.trust_flags)
    if technique is not None and (asked.tables or asked.chosen is not None):
        raise click.UsageError("--technique shows that technique alone: leave out --tables and --solution")
    if asked.component is not None and asked.chosen is None:
        raise click.UsageError("--component goes with --solution")
    name = one_source(source, clipboard=clipboard)
    if output is not None:
        plan_outputs([name], output)
    from visionsweeper.report.details import steps_of

    given = take(name)
    analysis = given.analyse(read, solve)
    tile = _on_board(asked.tile, analysis.board)
    steps = steps_of(analysis, technique, tile, trust_flags=solve.trust_flags)
    telling = Telling(analysis, steps, tile, None if technique else asked)
    status = _tell(telling, given.name, subject_of(name), as_json=as_json)
    if output is not None:
        _draw(analysis, steps, output)
    return status


def tell_board(source: str, solve: SolveOptions, technique: str, *, as_json: bool) -> int:
    """Print what one technique finds on a board as text; returns the exit status."""
    from visionsweeper.options import ReadOptions
    from visionsweeper.report.details import steps_of

    analysis = take_position(source).analyse(ReadOptions(), solve)
    steps = steps_of(analysis, technique, trust_flags=solve.trust_flags)
    return _tell(Telling(analysis, steps, None, None), None, subject_of(source), as_json=as_json)


def _on_board(tile: Position | None, board: Board) -> Position | None:
    """The tile that was asked for. Raises BadParameter where it is outside the board."""
    if tile is not None and not (tile[0] < board.rows and tile[1] < board.columns):
        raise click.BadParameter(
            f"row {tile[0]}, column {tile[1]} is outside the board: it has rows 0 to {board.rows - 1} and "
            f"columns 0 to {board.columns - 1}",
            param_hint="'--tile'",
        )
    return tile


def _tell(telling: Telling, image: str | None, subject: str, *, as_json: bool) -> int:
    problem, asked = telling.analysis.problem, telling.asked
    if as_json:
        say(json.dumps(_json(telling, image), allow_nan=False))
    elif problem is None or (telling.steps and (asked is None or asked.chosen is None)):
        told = _told(telling)
        say(told if asked is None else _with_details(told, telling.analysis, telling.tile, asked))
    return 0 if problem is None else report_failure(problem, subject)


def _json(telling: Telling, image: str | None) -> dict[str, Any]:
    from visionsweeper.cli.details import draw_chosen
    from visionsweeper.pipeline import advise
    from visionsweeper.report.analysis import Report, to_dict
    from visionsweeper.report.details import details_json, drawn_json, steps_json
    from visionsweeper.report.tables_json import advice_to_json

    analysis, asked = telling.analysis, telling.asked
    found = to_dict(Report(image, analysis, None, analysis.problem))
    found["steps"] = steps_json(telling.steps)
    if asked is not None:
        advice = advise(analysis)
        found["advice"] = None if advice is None else advice_to_json(advice)
        found |= details_json(analysis, telling.tile, trust_flags=asked.trust)
        if asked.chosen is not None:
            found["solution"] = None
            if analysis.solution is not None:
                found["solution"] = drawn_json(draw_chosen(analysis.solution, asked.number, asked.component))
    return found


def _with_details(told: str, analysis: Analysis, tile: tuple[int, int] | None, asked: Asked) -> str:
    """The steps as told, with what was asked for besides; a solution stands alone, to be used as a board."""
    from visionsweeper.cli.details import (
        draw_chosen,
        drawn_text,
        overview_text,
        tables_text,
        tile_text,
    )

    solution = analysis.solution
    if asked.chosen is not None and solution is not None:
        return drawn_text(draw_chosen(solution, asked.number, asked.component))
    parts = [told]
    if solution is not None:
        parts.append(overview_text(analysis, solution) if tile is None else tile_text(solution, tile))
    if asked.tables:
        parts.append(tables_text(analysis, trust_flags=asked.trust))
    return "\n\n".join(part for part in parts if part)


def _draw(analysis: Analysis, steps: list[Step], output: str) -> None:
    from visionsweeper.drawing.board import draw_board
    from visionsweeper.drawing.highlight import highlight
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import DrawnBoard

    view = analysis.reading or DrawnBoard(analysis.board, *draw_board(analysis.board))
    save_image(output, highlight(view, steps))


def _told(telling: Telling) -> str:
    """The steps, numbered, with a last line that says what they come to, and warnings.

    Those about flags are left out where all flags are listed anyway.
    """
    from visionsweeper.pipeline import flag_warnings
    from visionsweeper.wording import plural

    analysis, steps, tile = telling.analysis, telling.steps, telling.tile
    flags_told = telling.asked is not None and tile is None
    known = set(flag_warnings(analysis.solution)) if flags_told and analysis.solution else set()
    width = len(str(len(steps)))
    lines = [f"{at:{width}}. {step.sentence}" for at, step in enumerate(steps, start=1)]
    if tile is not None:
        if not steps:
            lines.append(_not_settled(analysis, tile))
    else:
        safe = sum(len(step.safe) for step in steps)
        mine = sum(len(step.mine) for step in steps)
        lines.append(
            f"That makes {plural(safe, 'safe tile')} and {plural(mine, 'mine')}."
            if steps
            else "No tile can be settled that way."
        )
    lines += [f"warning: {warning}" for warning in analysis.warnings if warning not in known]
    return "\n".join(lines)


def _not_settled(analysis: Analysis, tile: tuple[int, int]) -> str:
    from visionsweeper.board import COVERED, FLAG
    from visionsweeper.wording import format_percentage

    subject = f"Row {tile[0]}, column {tile[1]}"
    if analysis.board[tile] not in {COVERED, FLAG}:
        return f"{subject} is not covered: there is nothing to explain."
    solution = analysis.solution
    probability = float("nan") if solution is None else float(solution.probability[tile])
    if isnan(probability):
        return f"{subject} is not settled, and its odds are not known without the mine count."
    if probability in {0.0, 1.0}:
        return f"{subject} is {'a mine' if probability else 'safe'}, but that is not how it is found."
    return f"{subject} is not certain: it is a mine with a probability of {format_percentage(probability)}."
