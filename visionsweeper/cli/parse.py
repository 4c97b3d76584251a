"""`visionsweeper parse`: screenshots in, annotated pictures out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from visionsweeper.cli.delivery import deliver, run_each
from visionsweeper.cli.inputs import STDIN, read_stdin
from visionsweeper.cli.options import BoxType, FileName, form_of, result_options
from visionsweeper.cli.outputs import plan_outputs
from visionsweeper.errors import NoBoardFound, VisionsweeperError
from visionsweeper.io.files import is_folder

if TYPE_CHECKING:
    from visionsweeper.report.analysis import Report

_MOST_TILES: Final = 1_000_000  # board.MAX_TILES, whose module would load numpy for --help

CLIPBOARD: Final = "clipboard"
"""What the picture on the clipboard is called in messages and file names."""

Geometry: TypeAlias = tuple[int | None, int | None, tuple[float, float, float, float] | None]
"""Width and height in tiles, and the board's box in pixels, as far as given."""


@click.command(
    "parse",
    short_help="Screenshots in, annotated pictures out.",
    epilog="Example: visionsweeper parse shot.png --width 30 --mines 99 (writes shot.solved.png)",
)
@click.argument("images", nargs=-1, metavar="IMAGE...", type=FileName())
@click.option(
    "--clipboard",
    is_flag=True,
    help="Read the picture on the clipboard; writes clipboard.solved.png, or where -o says.",
)
@click.option(
    "--width",
    type=click.IntRange(1, _MOST_TILES),
    metavar="N",
    help="Tiles across. Without it the board is looked for in the picture.",
)
@click.option(
    "--height", type=click.IntRange(1, _MOST_TILES), metavar="N", help="Tiles down. Default: square tiles."
)
@click.option("--box", type=BoxType(), help="Where the board lies, in pixels. Default: the whole picture.")
@result_options
@click.option(
    "--model", type=FileName(), help="A model of your own: a file, or its name (see `visionsweeper models`)."
)
@click.option("--debug", type=FileName(), metavar="DIR", help="Write every stage of the reading there.")
@click.option("--no-learned", is_flag=True, help="Read without the themes that you taught.")
def command(
    images: tuple[str, ...],
    clipboard: bool,
    width: int | None,
    height: int | None,
    box: tuple[float, float, float, float] | None,
    mines: int | None,
    trust_flags: bool,
    output: str | None,
    as_json: bool,
    as_text: bool,
    exact: bool,
    model: str | None,
    debug: str | None,
    no_learned: bool,
) -> int:
    """Read screenshots of Minesweeper boards and draw every covered tile's mine probability on them.

    IMAGE is a file, or - for standard input. Reading is surest when it is cropped to the board and the
    number of tiles across is given. The picture is written next to it as NAME.solved.png.
    """
    form = form_of(as_json=as_json, as_text=as_text, exact=exact)
    if clipboard == bool(images):
        raise click.UsageError("give images, or --clipboard for the picture on the clipboard")
    if clipboard:
        images, output = (CLIPBOARD,), _clipboard_output(output)
    outputs = plan_outputs(images, output)

    folders = _debug_folders(images, debug)

    def parse(name: str, place: Path | None) -> Report:
        geometry = (width, height, box)
        return _parse(
            None if clipboard else name,
            place,
            geometry,
            model,
            mines,
            trust_flags,
            learned=not no_learned,
            debug=folders.get(name),
        )

    return run_each(images, outputs, parse, form)


def _parse(
    name: str | None,
    place: Path | None,
    geometry: Geometry,
    model: str | None,
    mines: int | None,
    trust_flags: bool,
    *,
    learned: bool,
    debug: Path | None,
) -> Report:
    from visionsweeper.io.images import load_image
    from visionsweeper.pipeline import analyse, picture, read_board

    image = load_image(_contents(name))
    try:
        reading = read_board(image, *geometry, model, themes=None if learned else ())
    except NoBoardFound as error:
        if debug is not None:
            from visionsweeper.vision.debug import write_search

            write_search(debug, image, str(error))
        raise
    analysis = analyse(reading, mines=mines, trust_flags=trust_flags)
    shown = None if name in (STDIN, None) else name
    report = deliver(analysis, lambda: picture(analysis), shown, place)
    return report if debug is None else _debugged(report, debug, model)


def _contents(name: str | None) -> str | bytes:
    """What is to be read for an input: its name, or its bytes; None stands for the clipboard."""
    if name == STDIN:
        return read_stdin("image")
    if name is None:
        from visionsweeper.io.clipboard import read_picture  # seldom needed

        return read_picture()
    return name


def _clipboard_output(output: str | None) -> str:
    """Where the clipboard's picture goes: into a folder under a name of its own."""
    if output is None:
        return f"{CLIPBOARD}.solved.png"
    return str(Path(output) / f"{CLIPBOARD}.solved.png") if is_folder(output) else output


def _debugged(report: Report, folder: Path, model: str | None) -> Report:
    """The same report, after the stages were written; what hinders that is in it."""
    from visionsweeper.vision.debug import write_stages
    from visionsweeper.vision.themes.store import find_model
    from visionsweeper.vision.tiles.knn import load_model

    if report.analysis is None or report.analysis.reading is None:
        return report
    try:
        loaded = load_model(None if model is None else find_model(model) or model)
        write_stages(folder, report.analysis.reading, loaded)
    except VisionsweeperError as error:
        return replace(report, error=error)
    return report


def _debug_folders(images: tuple[str, ...], debug: str | None) -> dict[str, Path]:
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
