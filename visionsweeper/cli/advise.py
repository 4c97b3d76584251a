"""`visionsweeper advise`: where to click, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.inputs import STDIN, read_board_text, read_stdin
from visionsweeper.cli.options import FileName, first_click_option, is_board_text, position_options
from visionsweeper.cli.outputs import plan_outputs
from visionsweeper.cli.terminal import say

if TYPE_CHECKING:
    from visionsweeper.pipeline import Analysis
    from visionsweeper.solver.advice import Advice, Candidate

_OUTLINED: Final = 3
_LISTED: Final = 5


@click.command(
    "advise",
    short_help="Where to click, and why.",
    epilog="Example: visionsweeper advise shot.png -o advice.png",
)
@click.argument("source", metavar="IMAGE|BOARD.txt", type=FileName())
@position_options
@first_click_option
@click.option(
    "-o", "--output", type=FileName(), help="Write a picture here, the tile and the two next to it outlined."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def command(
    source: str,
    width: int | None,
    height: int | None,
    mines: int | None,
    trust_flags: bool,
    first_click: Any,
    output: str | None,
    as_json: bool,
) -> int:
    """Say which tile to open next, why, and what comes next to it.

    The input is a board as text (a name that ends in .txt, or - for standard input), or a screenshot. Rows
    and columns count from 0.
    """
    if output is not None:
        plan_outputs([source], output)
    from visionsweeper.board import Board
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import advise, analyse, picture, read_board

    if is_board_text(source, width):
        analysis = analyse(Board.from_text(read_board_text(source)), mines=mines, trust_flags=trust_flags)
    else:
        reading = read_board(read_stdin("image") if source == STDIN else source, width, height)
        analysis = analyse(reading, mines=mines, trust_flags=trust_flags)
    advice = advise(analysis, first_click=first_click)
    if output is not None:
        best = [] if advice is None else [one.tile for one in advice.ranking[:_OUTLINED]]
        save_image(output, picture(analysis, best=best))
    if as_json:
        say(json.dumps(_json(analysis, advice, None if source == STDIN else source, output), allow_nan=False))
    elif advice is not None:
        say(_text(analysis, advice))
    if analysis.problem is None:
        return 0
    return report_failure(analysis.problem, "standard input" if source == STDIN else source)


def _json(analysis: Analysis, advice: Advice | None, image: str | None, output: str | None) -> dict[str, Any]:
    from visionsweeper.report.analysis import Report, to_dict
    from visionsweeper.report.tables_json import advice_to_json

    found = to_dict(Report(image, analysis, output, analysis.problem), advice=advice)
    found["advice"] = None if advice is None else advice_to_json(advice)
    return found


def _text(analysis: Analysis, advice: Advice) -> str:
    lines = [advice.reason]
    if advice.ranking:
        lines += [_line(at, one) for at, one in enumerate(advice.ranking[:_LISTED], start=1)]
        if len(advice.ranking) > _LISTED:
            lines.append(f"and {len(advice.ranking) - _LISTED} more")
    return "\n".join([*lines, *(f"warning: {warning}" for warning in analysis.warnings)])


def _line(at: int, one: Candidate) -> str:
    from visionsweeper.wording import format_percentage

    figures = [f"safe {format_percentage(one.safety)}"]
    if one.win is not None:
        figures.append(f"wins {format_percentage(one.win)}")
    if one.progress is not None:
        figures.append(f"makes another certain {format_percentage(one.progress)}")
    if one.survival is not None:
        figures.append(f"safe twice {format_percentage(one.survival)}")
    return f"{at}. row {one.tile[0]}, column {one.tile[1]}: {', '.join(figures)}"
