"""`visionsweeper learn`: from labelled screenshots, or by asking, to a theme that is read from then on."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from visionsweeper.cli.inputs import STDIN, read_board_file, read_board_text, read_stdin
from visionsweeper.cli.options import FileName, read_options, themes_like
from visionsweeper.cli.terminal import complain, say
from visionsweeper.errors import InvalidInput, NoBoardFound, WriteFailed
from visionsweeper.io.files import check_folder, is_file, is_there

if TYPE_CHECKING:
    from rich.text import Text

    from visionsweeper.board import Board
    from visionsweeper.learning.group_sheet import Card
    from visionsweeper.learning.learn import LabelledShot
    from visionsweeper.options import ReadOptions

_SYMBOLS: Final = "012345678?F*x"

_SHADES: Final = " .:-=+*#%@"
"""From dark to bright."""

_GROUPS: Final = "groups.txt"
"""The list of groups to correct, in the folder of --sheet."""


@click.command(
    "learn",
    epilog="Example: visionsweeper learn shot.png --width 30 --board truth.txt --name my-game",
)
@click.argument("images", nargs=-1, metavar="IMAGE...", type=FileName())
@read_options("width", "height", "box", "model", "themes")
@click.option(
    "--board",
    type=FileName(),
    help="The true board of the screenshot, as text. Default: IMAGE.txt, if there is one.",
)
@click.option("--groups", type=FileName(), help="The corrected groups.txt that --sheet wrote.")
@click.option(
    "--sheet",
    type=FileName(),
    metavar="DIR",
    help="Write groups.png and groups.txt to this folder, to be corrected.",
)
@click.option(
    "--name",
    metavar="NAME",
    shell_complete=themes_like,
    help="The theme to create or to extend. Default: the name of the image.",
)
@click.option(
    "--undo", is_flag=False, flag_value="", metavar="[NAME]", help="Undo the last step (of theme NAME)."
)
@click.option(
    "--redo",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Redo the step that was undone last (of theme NAME).",
)
def command(
    images: tuple[str, ...],
    read: ReadOptions,
    board: str | None,
    groups: str | None,
    sheet: str | None,
    name: str | None,
    undo: str | None,
    redo: str | None,
) -> int:
    """Teach a game's theme, how it draws its tiles, from one or two labelled screenshots.

    With the board as text (--board, or IMAGE.txt beside IMAGE) nothing is asked. Without it, the tiles
    that look alike are shown, about a dozen pictures, each with a guess: press Enter if it is right, or
    type 0 to 8, ? (covered), F (flag), * (mine), x (wrong flag). Without a terminal, or with --sheet DIR,
    they are written to DIR as groups.png and groups.txt; correct groups.txt and give it with --groups.

    Every step can be undone (--undo) and redone (--redo).
    """
    _check_usage(images, board, groups, sheet)
    if undo is not None or redo is not None:
        return _step_back(undo, redo)
    if sheet is not None:
        check_folder(sheet)
        _check_no_corrections(Path(sheet))
    from visionsweeper.io.images import load_image
    from visionsweeper.learning.learn import labelled_shot, learn, report_of

    shots: list[LabelledShot] = []
    for image in images:
        pixels = load_image(read_stdin("image") if image == STDIN else image)
        label = "standard input" if image == STDIN else Path(image).name
        truth = _truth(image, board, groups, sheet)
        if truth is None and len(images) > 1 and not _at_terminal():
            raise InvalidInput(
                f"{image}: its true board is not known; put {Path(image).stem}.txt with its board as text "
                "beside it, or give it alone"
            )
        try:
            shot = labelled_shot(label, pixels, truth, read)
        except NoBoardFound as error:
            raise type(error)(f"{label}: {error}") from error
        if truth is None:
            answered = _asked(shot, image, sheet)
            if answered is None:
                return 0
            shot = answered
        shots.append(shot)
    lesson = learn(shots, name, read.model)
    for warning in lesson.warnings:
        complain(warning)
    for line in report_of(lesson, shots):
        say(line)
    return 0


def _check_usage(images: tuple[str, ...], board: str | None, groups: str | None, sheet: str | None) -> None:
    given = click.get_current_context()
    chosen = [
        name
        for name in given.params
        if given.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    back = {"undo", "redo"} & set(chosen)
    if back and (images or len(chosen) > 1):
        raise click.UsageError("--undo and --redo take nothing but the name of a theme, as in --undo NAME")
    if not back and not images:
        raise click.UsageError("name a screenshot to learn from")
    if images.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    if sum(option is not None for option in (board, groups, sheet)) > 1:
        raise click.UsageError("--board, --groups and --sheet exclude each other: choose one")
    if len(images) > 1 and (board or groups or sheet):
        raise click.UsageError(
            "--board, --groups and --sheet are for one image; with several, put IMAGE.txt beside each"
        )


def _step_back(undo: str | None, redo: str | None) -> int:
    from visionsweeper.vision.themes import store

    if undo is not None:
        say(f"undone: {store.undo(undo or None)}")
    else:
        say(f"redone: {store.redo(redo or None)}")
    return 0


def _truth(image: str, board: str | None, groups: str | None, sheet: str | None) -> Board | None:
    """Return what the image shows, where it is known; None: to be asked."""
    from visionsweeper.learning.group_sheet import board_from_groups

    if groups is not None:
        return board_from_groups(read_board_text(groups))
    if board is None and sheet is None and image != STDIN:
        beside = Path(image).with_suffix(".txt")
        board = str(beside) if is_file(beside) else None
    return None if board is None else read_board_file(board)


def _asked(shot: LabelledShot, image: str, sheet: str | None) -> LabelledShot | None:
    """Return the shot with its groups confirmed or put right; None when they were written to files."""
    from visionsweeper.learning.group_sheet import board_of, cards_of

    cards = cards_of(shot.reading)
    if sheet is None and image != STDIN and _at_terminal():
        labels = _answers(cards)
        return shot.corrected(board_of(cards, labels, *shot.truth.cells.shape))
    folder = (
        Path(sheet)
        if sheet is not None
        else Path(f"{Path(image).stem if image != STDIN else 'stdin'}.groups")
    )
    _write(cards, shot, folder, image)
    return None


def _check_no_corrections(folder: Path) -> None:
    """Raise WriteFailed where the user's corrections of the groups may be in the folder."""
    text = folder / _GROUPS
    if is_there(text):
        raise WriteFailed(
            f"{text} exists already and may hold your corrections: name another folder with --sheet"
        )


def _write(cards: tuple[Card, ...], shot: LabelledShot, folder: Path, image: str) -> None:
    from visionsweeper.io.files import make_folder, write_atomically
    from visionsweeper.io.images import save_image
    from visionsweeper.learning.group_sheet import groups_text, sheet_picture

    text = folder / _GROUPS
    _check_no_corrections(folder)
    make_folder(folder)
    save_image(folder / "groups.png", sheet_picture(cards))
    write_atomically(text, groups_text(shot.name, cards, *shot.truth.cells.shape).encode(errors="replace"))
    if click.get_current_context().params["sheet"] is None:
        say(
            "standard input or output is not a terminal, so nothing can be asked: the groups are "
            "written to files"
        )
    say(
        f"{len(cards)} groups written to {folder}: look at groups.png, correct groups.txt, then run "
        f"`visionsweeper learn {shlex.join([image, *_options(), '--groups', str(text)])}`"
    )


def _options() -> list[str]:
    """Return the options of this call that say where the board lies and what to make of it."""
    options: list[str] = []
    for name in ("width", "height", "box", "name", "model", "no_learned"):
        value = click.get_current_context().params[name]
        if name == "no_learned":
            options += ["--no-learned"] if value else []
        elif value is not None:
            options += [f"--{name}", ",".join(f"{edge:g}" for edge in value) if name == "box" else str(value)]
    return options


def _at_terminal() -> bool:
    """Whether somebody sits there to be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _answers(cards: tuple[Card, ...]) -> dict[int, int]:
    """Return the label of every group, by its number, as confirmed or typed."""
    say(
        f"{len(cards)} groups of look-alike tiles. Enter: the guess is right. Else type 0 to 8, ? (covered), "
        "F (flag), * (mine) or x (wrong flag); < goes back. Ctrl-C leaves, and nothing is learned."
    )
    labels: dict[int, int] = {}
    while len(labels) < len(cards):
        answer = _ask(cards[len(labels)], len(cards))
        if answer is not None:
            labels[len(labels) + 1] = answer
        elif labels:
            del labels[len(labels)]
    return labels


def _ask(card: Card, count: int) -> int | None:
    """Return the label of a group, as confirmed or typed; None: back to the one before."""
    from visionsweeper.vision.tiles.classes import CLASS_NAMES

    _show_tile(card)
    plural = "" if len(card.tiles) == 1 else "s"
    guess = CLASS_NAMES[card.guess]
    question = f"{card.number} of {count}, {len(card.tiles)} tile{plural}, guess: {guess}"
    while True:
        answer = click.prompt(question, default="", show_default=False, prompt_suffix=" > ").strip()
        if not answer:
            return card.guess
        if answer == "<":
            return None
        typed = {"f": "F", "X": "x", ".": "0"}.get(answer, answer)
        if len(typed) == 1 and typed in _SYMBOLS:
            return _SYMBOLS.index(typed)
        complain(
            f"{answer!r} is not a tile: press Enter if the guess is right, else type 0 to 8, ? F * "
            "x, or < to go back"
        )


def _show_tile(card: Card) -> None:
    """Print the tile as eight lines of text: in as many colours as the terminal has, else in shades."""
    from rich.console import Console  # only terminals need it

    console = Console(file=sys.stdout, highlight=False)
    small = card.picture.reshape(16, 2, 16, 2, 3).mean(axis=(1, 3)).astype(int)
    if console.no_color or console.color_system is None or not console.encoding.startswith("utf"):
        gray = small.reshape(8, 2, 16, 3).mean(axis=(1, 3))
        spread = max(float(gray.max() - gray.min()), 1.0)
        levels = ((gray - gray.min()) / spread * (len(_SHADES) - 1)).round().astype(int)
        for row in levels.tolist():
            say("".join(2 * _SHADES[level] for level in row))
        return
    for upper, lower in zip(small[::2].tolist(), small[1::2].tolist(), strict=True):
        console.print(_half_blocks(upper, lower))


def _half_blocks(upper: list[list[int]], lower: list[list[int]]) -> Text:
    """Two rows of sRGB pixels, each (n, 3), as one line of text."""
    from rich.color import Color
    from rich.style import Style
    from rich.text import Text

    line = Text()
    for above, below in zip(upper, lower, strict=True):
        line.append("\u2580", Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below)))
    return line
