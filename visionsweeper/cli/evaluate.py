"""`visionsweeper evaluate`: how well a model reads labelled shots."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from visionsweeper.cli.options import FileName, json_option, read_options
from visionsweeper.cli.terminal import progress_bar, say

if TYPE_CHECKING:
    from visionsweeper.options import ReadOptions


@click.command(
    "evaluate",
    epilog="Example: visionsweeper evaluate shots -o report (writes report/worst.png and more)",
)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=FileName())
@read_options("model", "themes")
@click.option(
    "--uncropped",
    is_flag=True,
    help="Read NAME.full.png, the whole window, without any option. Default: NAME.png, cropped to the board, "
    "with width and height given.",
)
@json_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the report there, with the confusion matrix and the worst tiles as pictures.",
)
def command(
    folders: tuple[str, ...],
    read: ReadOptions,
    uncropped: bool,
    as_json: bool,
    output: Path | None,
) -> int:
    """Read all labelled shots in the folders and report how well they were read.

    A shot is a screenshot NAME.png, cropped to the board, beside NAME.txt with its board as text (0 to 8
    opened, ? covered, F a flag, * a mine that is shown, x no mine). The folder it lies in is its theme.
    """
    from visionsweeper.io.files import check_folder
    from visionsweeper.pipeline import read_board
    from visionsweeper.training.dataset import find_shots
    from visionsweeper.training.evaluation import evaluate
    from visionsweeper.training.evaluation_report import to_json, to_text, write_report

    shots = find_shots(*folders)
    if output is not None:
        check_folder(output)
    with progress_bar(len(shots), "Reading") as done:
        result = evaluate(
            shots,
            partial(read_board, model=read.model, themes=read.themes),
            uncropped=uncropped,
            progress=lambda count, _: done(count),
        )
    say(json.dumps(to_json(result)) if as_json else to_text(result))
    if output is not None:
        write_report(result, output)
    return 0
