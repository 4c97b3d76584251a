"""`visionsweeper parse`: screenshots in, annotated pictures out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from visionsweeper.cli.delivery import deliver, run_each
from visionsweeper.cli.inputs import STDIN, read_stdin
from visionsweeper.cli.options import BoxType, FileName, form_of, result_options
from visionsweeper.cli.outputs import plan_outputs

if TYPE_CHECKING:
    from visionsweeper.report import Report

_MOST_TILES: Final = 1_000_000  # board.MAX_TILES, whose module would load numpy for --help

Geometry: TypeAlias = tuple[int | None, int | None, tuple[float, float, float, float] | None]
"""Width and height in tiles, and the board's box in pixels, as far as given."""


@click.command(
    "parse",
    short_help="Screenshots in, annotated pictures out.",
    epilog="Example: visionsweeper parse shot.png --width 30 --mines 99 (writes shot.solved.png)",
)
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...", type=FileName())
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
@click.option("--no-learned", is_flag=True, help="Read without the themes that you taught.")
def command(
    images: tuple[str, ...],
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
    no_learned: bool,
) -> int:
    """Read screenshots of Minesweeper boards and draw every covered tile's mine probability on them.

    IMAGE is a file, or - for standard input. Reading is surest when it is cropped to the board and the
    number of tiles across is given. The picture is written next to it as NAME.solved.png.
    """
    form = form_of(as_json=as_json, as_text=as_text, exact=exact)
    outputs = plan_outputs(images, output)

    def parse(name: str, place: Path | None) -> Report:
        return _parse(name, place, (width, height, box), model, mines, trust_flags, learned=not no_learned)

    return run_each(images, outputs, parse, form)


def _parse(
    name: str,
    place: Path | None,
    geometry: Geometry,
    model: str | None,
    mines: int | None,
    trust_flags: bool,
    *,
    learned: bool,
) -> Report:
    from visionsweeper.pipeline import analyse, picture, read_board  # noqa: PLC0415 - --help needs none of it
    from visionsweeper.vision.image import load_image  # noqa: PLC0415

    image = load_image(read_stdin("image") if name == STDIN else name)
    reading = read_board(image, *geometry, model, themes=None if learned else ())
    analysis = analyse(reading, mines=mines, trust_flags=trust_flags)
    return deliver(analysis, lambda: picture(analysis, image), None if name == STDIN else name, place)
