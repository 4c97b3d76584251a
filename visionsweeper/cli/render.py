"""`visionsweeper render`: draws a board in a theme."""

from __future__ import annotations

from pathlib import Path

import click

from visionsweeper.cli.inputs import STDIN, read_board_file
from visionsweeper.cli.options import FileName, WholeNumber
from visionsweeper.cli.outputs import check_picture, place_of, same_place
from visionsweeper.cli.terminal import say


def _themes_like(incomplete: str) -> list[str]:
    """Names of themes, for completion."""
    from visionsweeper.synthetic.named_themes import NAMED_THEMES
    from visionsweeper.synthetic.render import RANDOM

    return [name for name in (*NAMED_THEMES, RANDOM) if name.startswith(incomplete)]


@click.command(
    "render",
    epilog="Example: visionsweeper render board.txt --theme dark --tile 48 (writes board.dark.png)",
)
@click.argument("board", metavar="BOARD.txt", type=FileName(), required=False)
@click.option(
    "--theme",
    default="classic",
    show_default=True,
    metavar="NAME",
    shell_complete=lambda _context, _parameter, incomplete: _themes_like(incomplete),
    help="The theme: one of --list, or random for the one that --seed draws.",
)
@click.option(
    "-o",
    "--output",
    type=FileName(),
    metavar="PATH",
    help="The picture to write, or a folder for it. Default: NAME.THEME.png beside the board.",
)
@click.option(
    "--tile",
    type=WholeNumber(8, 256),
    metavar="PX",
    help="Side of a tile. Default: 32, or the theme's own.",
)
@click.option(
    "--seed",
    type=WholeNumber(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="The same seed draws the same random theme.",
)
@click.option("--list", "listed", is_flag=True, help="List the themes; with -o draw a sheet of them all.")
def command(
    board: str | None, theme: str, output: str | None, tile: int | None, seed: int, listed: bool
) -> int:
    """Draw a board written as text in a theme, as a game would show it.

    BOARD.txt has one line for each row and one character for each tile: 0 to 8 opened, ? covered, F a
    flag, * a mine that is shown, x a wrong flag. Use - for standard input; its picture needs -o.
    """
    if listed:
        if board is not None or tile is not None:
            raise click.UsageError("--list needs no board and no --tile")
        return _list(output)
    if board is None:
        raise click.UsageError("give a board to draw, or --list for the themes there are")
    return _render(board, theme, output, tile, seed)


def _list(output: str | None) -> int:
    from visionsweeper.io.images import save_image
    from visionsweeper.synthetic.named_themes import NAMED_THEMES
    from visionsweeper.synthetic.render import RANDOM, theme_sheet

    place = None if output is None else place_of(output, "themes.png")
    if place is not None:
        check_picture(place)
    width = max(len(name) for name in (*NAMED_THEMES, RANDOM)) + 2
    for named in NAMED_THEMES.values():
        say(f"{named.name:{width}}{named.description}")
    say(f"{RANDOM:{width}}any theme, drawn from --seed")
    if place is not None:
        save_image(place, theme_sheet())
    return 0


def _render(board: str, theme: str, output: str | None, tile: int | None, seed: int) -> int:
    from visionsweeper.io.images import save_image
    from visionsweeper.synthetic.named_themes import NAMED_THEMES
    from visionsweeper.synthetic.render import RANDOM, render_board

    if theme not in (*NAMED_THEMES, RANDOM):
        raise click.UsageError(
            f"there is no theme {theme!r}: choose one of {', '.join((*NAMED_THEMES, RANDOM))}"
        )
    if output is None and board == STDIN:
        raise click.UsageError("a board from standard input needs -o for its picture")
    position = read_board_file(board)
    suffix = f"{theme}-{seed}" if theme == RANDOM else theme
    name = f"{'stdin' if board == STDIN else Path(board).stem}.{suffix}.png"
    place = Path(board).with_name(name) if output is None else place_of(output, name)
    if board != STDIN and same_place(place, Path(board)):
        raise click.UsageError(f"the picture would overwrite the board {board}: choose another place with -o")
    check_picture(place)
    picture = render_board(position, theme, tile=tile, seed=seed)
    save_image(place, picture)
    say(f"{place}: {picture.shape[1]}x{picture.shape[0]} px")
    return 0
