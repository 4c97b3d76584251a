"""`visionsweeper advise`: where to click, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.inputs import one_source, subject_of, take
from visionsweeper.cli.options import (
    FileName,
    WholeNumber,
    clipboard_option,
    first_click_option,
    json_option,
    read_options,
    solve_options,
)
from visionsweeper.cli.outputs import plan_output
from visionsweeper.cli.terminal import complain, say

if TYPE_CHECKING:
    from pathlib import Path

    from visionsweeper.analysis import Analysis
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.solver.advice import Advice

_OUTLINED: Final = 3


@click.command(
    "advise",
    epilog="Example: visionsweeper advise shot.png -o advice.png",
)
@click.argument("source", metavar="IMAGE|BOARD", required=False, type=FileName())
@clipboard_option
@read_options()
@solve_options
@first_click_option
@click.option(
    "-o",
    "--output",
    type=FileName(),
    help="Write a picture here, a file or into a folder, with the best tile and the next two outlined.",
)
@click.option(
    "--games",
    metavar="N",
    type=WholeNumber(1, 100_000),
    help="Where no tile is certain, also play N games on from each of the best four (400: a second or two).",
)
@json_option
def command(
    source: str | None,
    clipboard: bool,
    read: ReadOptions,
    solve: SolveOptions,
    first_click: Any,
    output: str | None,
    games: int | None,
    as_json: bool,
) -> int:
    """Say which tile to open next, why, and which tiles are the next best.

    The input is a screenshot, or a board in a file that `solve` takes, recognised by its suffix; - is
    standard input. Rows and columns count from 0.
    """
    name = one_source(source, clipboard=clipboard)
    place = plan_output(name, output)
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import advise, picture
    from visionsweeper.report.as_text import advice_with_warnings

    given = take(name)
    analysis = given.analyse(read, solve)
    advice = advise(analysis, first_click=first_click)
    if games is not None and advice is not None:
        advice = _played_on(analysis, advice, games)
    if place is not None:
        best = [] if advice is None else [one.tile for one in advice.ranking[:_OUTLINED]]
        save_image(place, picture(analysis, best=best))
    if as_json:
        say(json.dumps(_json(analysis, advice, given.name, place), allow_nan=False))
    elif advice is not None:
        say(advice_with_warnings(analysis, advice))
    if analysis.problem is None:
        return 0
    return report_failure(analysis.problem, subject_of(name))


def _played_on(analysis: Analysis, advice: Advice, games: int) -> Advice:
    """Return the advice checked by games played on; as it is where tiles are in doubt or none is open."""
    from visionsweeper.simulation.playing_on import play_on
    from visionsweeper.simulation.run import is_compiled

    if analysis.solution is None or analysis.doubted is not None or analysis.board.covered.all():
        return advice
    if not is_compiled("best"):
        complain("compiling best: this takes up to a minute, the first time only")
    return play_on(analysis.solution, advice, games)


def _json(analysis: Analysis, advice: Advice | None, image: str | None, place: Path | None) -> dict[str, Any]:
    from visionsweeper.report.as_json import advice_to_json, to_dict
    from visionsweeper.report.result import Report

    output = None if place is None else str(place)
    found = to_dict(Report(image=image, analysis=analysis, advice=advice, output=output))
    found["advice"] = None if advice is None else advice_to_json(advice)
    return found
