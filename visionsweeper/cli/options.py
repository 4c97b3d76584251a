"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from visionsweeper.cli.delivery import Form
from visionsweeper.cli.inputs import STDIN
from visionsweeper.errors import InvalidInput
from visionsweeper.game.rules import FIRST_CLICK_RULES

if TYPE_CHECKING:
    from visionsweeper.geometry import Box

Function = TypeVar("Function", bound=Callable[..., Any])


class FileName(click.Path):
    """A path that is completed by the shell; whether it can be used is found out by using it.

    click's own checks would make wrong usage of an unreadable file.
    """

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path as text."""
        return os.fsdecode(value)


def is_board_text(source: str, width: int | None) -> bool:
    """Whether an input that may be a board as text or a picture is text; a width is given for pictures."""
    return width is None if source == STDIN else Path(source).suffix.lower() == ".txt"


_RESULT_OPTIONS = (
    click.option(
        "--mines",
        type=click.IntRange(min=0),
        metavar="M",
        help="Mines on the whole board. Without it: the standard count of a standard size, else local "
        "probabilities alone.",
    ),
    click.option(
        "--trust-flags",
        is_flag=True,
        help="Count flags as mines. By default they are only the player's claim.",
    ),
    click.option(
        "-o",
        "--output",
        type=FileName(),
        help="Where to write the picture: a file, or a directory. Default: NAME.solved.png beside the input.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object."),
    click.option("--text", "as_text", is_flag=True, help="Print only the board, as text."),
    click.option("--exact", is_flag=True, help="Also give probabilities as exact fractions."),
)


first_click_option = click.option(
    "--first-click",
    type=click.Choice(FIRST_CLICK_RULES),
    default="opening",
    show_default=True,
    help="What the game promises: mines anywhere, none on the first tile, or none around it either.",
)

_POSITION_OPTIONS = (
    click.option("--width", type=click.IntRange(min=1), metavar="N", help="Tiles across, for a picture."),
    click.option("--height", type=click.IntRange(min=1), metavar="N", help="Tiles down, for a picture."),
    click.option(
        "--mines",
        type=click.IntRange(min=0),
        metavar="M",
        help="Mines on the whole board. Without it: the counter's, else the standard count of the size.",
    ),
    click.option("--trust-flags", is_flag=True, help="Count flags as mines."),
)


def result_options(function: Function) -> Function:
    """Add the options that say how a board is solved and where its results go."""
    return _with_options(function, _RESULT_OPTIONS)


def position_options(function: Function) -> Function:
    """Add the options that say how an input that may be a board as text or a picture is taken."""
    return _with_options(function, _POSITION_OPTIONS)


def _with_options(function: Function, options: tuple[Callable[[Function], Function], ...]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def form_of(*, as_json: bool, as_text: bool, exact: bool) -> Form:
    """How to print; raises UsageError for options that exclude each other."""
    if as_json and as_text:
        raise click.UsageError("--json and --text exclude each other: choose one")
    if as_text and exact:
        raise click.UsageError("--exact has nothing to add to --text: use it with --json or the summary")
    return Form("json" if as_json else "text" if as_text else "summary", exact)


class BoxType(click.ParamType[Any]):
    """A box in pixels, written X0,Y0,X1,Y1."""

    name = "X0,Y0,X1,Y1"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Box:
        """The box; fails for any other text."""
        from visionsweeper.geometry import box_from_text

        if isinstance(value, tuple):
            return value
        try:
            return box_from_text(str(value))
        except InvalidInput as error:
            self.fail(str(error), param, ctx)
