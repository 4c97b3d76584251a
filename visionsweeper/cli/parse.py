"""`visionsweeper parse`: screenshots in, annotated pictures out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visionsweeper.batch.picture import Wanted
from visionsweeper.cli.batch import BatchOptions, batch_options, run_on_cluster, run_pictures
from visionsweeper.cli.delivery import Form, deliver, run_each, write_picture
from visionsweeper.cli.inputs import CLIPBOARD, STDIN, Named, Taken, expand, take_picture
from visionsweeper.cli.options import FileName, read_options, result_options, solve_options, strict_option
from visionsweeper.cli.outputs import STDOUT, plan_outputs
from visionsweeper.errors import NoBoardFound, VisionsweeperError
from visionsweeper.io.files import check_folder
from visionsweeper.io.remote import is_address

if TYPE_CHECKING:
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.report.result import Report


@click.command(
    "parse",
    epilog="Example: visionsweeper parse shot.png --width 30 --mines 99 (writes shot.solved.png)",
)
@click.argument("images", nargs=-1, metavar="IMAGE...", type=FileName())
@click.option(
    "--clipboard",
    is_flag=True,
    help="Read the picture on the clipboard; writes clipboard.solved.png, or where -o says.",
)
@click.option("-r", "--recursive", is_flag=True, help="Search the subfolders of a named folder too.")
@read_options()
@solve_options
@result_options()
@strict_option
@click.option("--no-picture", is_flag=True, help="Write no picture, only print what was read.")
@batch_options
@click.option(
    "--debug",
    type=FileName(),
    metavar="DIR",
    help="Write every stage of the reading to this folder, as pictures and text.",
)
def command(
    images: tuple[str, ...],
    clipboard: bool,
    recursive: bool,
    read: ReadOptions,
    solve: SolveOptions,
    output: str | None,
    form: Form,
    strict: bool,
    no_picture: bool,
    batch: BatchOptions,
    debug: str | None,
) -> int:
    """Read screenshots of Minesweeper boards and draw every covered tile's mine probability on them.

    IMAGE is a file, a folder of pictures, or - for standard input; with --scheduler also an address.
    Reading is most reliable if the picture is cropped to the board and --width is given. The result is
    written next to it as NAME.solved.png; pictures with such names are skipped in folders and lists.
    """
    if clipboard == bool(images):
        raise click.UsageError("give images, or --clipboard for the picture on the clipboard")
    if batch.scheduler is not None:
        if output is not None or debug is not None or clipboard:
            raise click.UsageError(
                "with --scheduler no pictures are written: omit -o, --debug and --clipboard"
            )
        return run_on_cluster(
            images, Wanted(read, solve, form.exact, strict), batch, form, recursive=recursive
        )
    if any(is_address(name) for name in images):
        raise click.UsageError("pictures at an address are read on a Dask cluster only: give --scheduler")
    named = [Named(CLIPBOARD)] if clipboard else expand(images, recursive=recursive)
    inputs = [one.name for one in named]
    if no_picture and (output is not None or form.opened):
        raise click.UsageError("--no-picture writes no picture: omit -o and --open")
    outputs = [None] * len(named) if no_picture else plan_outputs(named, output)
    if batch.asked:
        if debug is not None or not images:
            raise click.UsageError(
                "with --jobs or --jsonl only files and folders are read: omit --clipboard and --debug"
            )
        return run_pictures(inputs, outputs, Wanted(read, solve, form.exact, strict), batch, form)
    if form.opened and any(place in (None, STDOUT) for place in outputs):
        raise click.UsageError("--open needs a picture that is a file: name one with -o")
    if debug is not None:
        check_folder(debug)
    folders = _debug_folders(inputs, debug) if images else {CLIPBOARD: Path(debug)} if debug else {}

    def parse(name: str, place: Path | None) -> Report:
        report = _parse(take_picture(name), place, read, solve, form, folders.get(name))
        return report.strictly() if strict else report

    return run_each(inputs, outputs, parse, form)


def _parse(
    picture_taken: Taken,
    place: Path | None,
    read: ReadOptions,
    solve: SolveOptions,
    form: Form,
    debug: Path | None,
) -> Report:
    from visionsweeper.report.result import Report

    try:
        analysis = picture_taken.analyse(read, solve)
    except NoBoardFound as error:
        if debug is not None and picture_taken.image is not None:
            from visionsweeper.vision.debug import write_search

            write_search(debug, picture_taken.image, error)
        return _with_guess(Report(image=picture_taken.name, error=error), error.guess, place)
    report = deliver(analysis, picture_taken.name, place, form).cautiously()
    return report if debug is None else _debugged(report, debug, read)


def _with_guess(report: Report, guess: Any, place: Path | None) -> Report:
    """Return the same report, after the likeliest place was drawn, where one was read."""
    from visionsweeper.pipeline import picture_of_guess

    if guess is None or place is None:
        return report
    write_picture(place, picture_of_guess(guess))
    return replace(report, output=str(place))


def _debugged(report: Report, folder: Path, read: ReadOptions) -> Report:
    """Return the same report, after the stages were written; what hinders that is in it."""
    from visionsweeper.vision.debug import write_stages
    from visionsweeper.vision.themes.store import chosen_model

    if report.analysis is None or report.analysis.reading is None:
        return report
    try:
        write_stages(folder, report.analysis.reading, chosen_model(read.model))
    except VisionsweeperError as error:
        return replace(report, error=error)
    return report


def _debug_folders(images: Sequence[str], debug: str | None) -> dict[str, Path]:
    """Where the stages of each input go: to DIR itself, or to one folder an input in it."""
    if debug is None:
        return {}
    if len(images) == 1:
        return {images[0]: Path(debug)}
    folders: dict[str, Path] = {}
    for name in images:
        stem = "stdin" if name == STDIN else Path(name).stem
        same = sum(folder.name == stem or folder.name.startswith(f"{stem}-") for folder in folders.values())
        folders.setdefault(name, Path(debug) / (f"{stem}-{same + 1}" if same else stem))
    return folders
