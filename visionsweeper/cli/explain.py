"""`visionsweeper explain`: why tiles are certain, step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.inputs import STDIN, read_board_text, read_stdin
from visionsweeper.cli.options import FileName, is_board_text, position_options
from visionsweeper.cli.outputs import plan_outputs
from visionsweeper.cli.terminal import say

if TYPE_CHECKING:
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


@click.command(
    "explain",
    short_help="Why tiles are certain, step by step.",
    epilog="Example: visionsweeper explain board.txt --mines 10 --tile 2,3",
)
@click.argument("source", metavar="BOARD.txt|IMAGE", type=FileName())
@position_options
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
    source: str,
    width: int | None,
    height: int | None,
    mines: int | None,
    trust_flags: bool,
    tile: tuple[int, int] | None,
    tables: bool,
    chosen: int | None,
    component: int | None,
    technique: str | None,
    output: str | None,
    as_json: bool,
) -> int:
    """Say why tiles are certain, in steps that can be followed by hand, and which tile to open next.

    The input is a board as text (a name that ends in .txt, or - for standard input), or a picture cropped to
    the board, for which --width is given. Rows and columns count from 0.
    """
    if technique is not None and (tables or chosen is not None):
        raise click.UsageError("--technique shows that technique alone: leave out --tables and --solution")
    if component is not None and chosen is None:
        raise click.UsageError("--component goes with --solution")
    if output is not None:
        plan_outputs([source], output)
    from visionsweeper.report.details import steps_of

    text = is_board_text(source, width)
    image = None if text else read_stdin("image") if source == STDIN else source
    analysis = _analyse(source, image, (width, height), mines, trust_flags)
    name = None if text or source == STDIN else source
    if tile is not None and not (tile[0] < analysis.board.rows and tile[1] < analysis.board.columns):
        raise click.BadParameter(
            f"row {tile[0]}, column {tile[1]} is outside the board: it has rows 0 to "
            f"{analysis.board.rows - 1} and columns 0 to {analysis.board.columns - 1}",
            param_hint="'--tile'",
        )
    steps = steps_of(analysis, technique, tile, trust_flags=trust_flags)
    asked = None if technique else Asked(tables=tables, chosen=chosen, component=component, trust=trust_flags)
    status = _tell(analysis, steps, name, source, tile=tile, as_json=as_json, asked=asked)
    if output is not None:
        _draw(analysis, steps, output)
    return status


def tell_board(source: str, mines: int | None, technique: str, *, trust_flags: bool, as_json: bool) -> int:
    """Print what one technique finds on a board as text; returns the exit status."""
    from visionsweeper.report.details import steps_of

    analysis = _analyse(source, None, (None, None), mines, trust_flags)
    steps = steps_of(analysis, technique, trust_flags=trust_flags)
    return _tell(analysis, steps, None, source, tile=None, as_json=as_json)


def _tell(
    analysis: Analysis,
    steps: list[Step],
    image: str | None,
    source: str,
    *,
    tile: tuple[int, int] | None,
    as_json: bool,
    asked: Asked | None = None,
) -> int:
    """`asked` is what to show besides the steps; None for nothing."""
    problem = analysis.problem
    if as_json:
        say(json.dumps(_json(analysis, steps, image, tile, asked), allow_nan=False))
    elif problem is None or (steps and (asked is None or asked.chosen is None)):
        told = _told(analysis, steps, tile, flags_told=asked is not None and tile is None)
        say(told if asked is None else _with_details(told, analysis, tile, asked))
    return 0 if problem is None else report_failure(problem, "standard input" if source == STDIN else source)


def _json(
    analysis: Analysis,
    steps: list[Step],
    image: str | None,
    tile: tuple[int, int] | None,
    asked: Asked | None,
) -> dict[str, Any]:
    from visionsweeper.cli.details import draw_chosen
    from visionsweeper.pipeline import advise
    from visionsweeper.report.analysis import Report, to_dict
    from visionsweeper.report.details import details_json, drawn_json, steps_json
    from visionsweeper.report.tables_json import advice_to_json

    found = to_dict(Report(image, analysis, None, analysis.problem))
    found["steps"] = steps_json(steps)
    if asked is not None:
        advice = advise(analysis)
        found["advice"] = None if advice is None else advice_to_json(advice)
        found |= details_json(analysis, tile, trust_flags=asked.trust)
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


def _analyse(
    source: str,
    image: str | bytes | None,
    size: tuple[int | None, int | None],
    mines: int | None,
    trust_flags: bool,
) -> Analysis:
    """`image` is a picture's file name or contents; None when the source is a board as text."""
    from visionsweeper.board import Board
    from visionsweeper.pipeline import analyse, read_board

    board = Board.from_text(read_board_text(source)) if image is None else read_board(image, *size)
    return analyse(board, mines=mines, trust_flags=trust_flags)


def _draw(analysis: Analysis, steps: list[Step], output: str) -> None:
    from visionsweeper.drawing.board import draw_board
    from visionsweeper.drawing.highlight import highlight
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import DrawnBoard

    view = analysis.reading or DrawnBoard(analysis.board, *draw_board(analysis.board))
    save_image(output, highlight(view, steps))


def _told(analysis: Analysis, steps: list[Step], tile: tuple[int, int] | None, *, flags_told: bool) -> str:
    """The steps, numbered, with a last line that says what they come to, and warnings.

    Those about flags are left out where all flags are listed anyway (`flags_told`).
    """
    from visionsweeper.pipeline import flag_warnings
    from visionsweeper.wording import plural

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
