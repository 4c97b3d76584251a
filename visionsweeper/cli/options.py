"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from visionsweeper.cli.delivery import Form
from visionsweeper.errors import InvalidInput
from visionsweeper.game.rules import FIRST_CLICK_RULES
from visionsweeper.options import MOST_TILES, Offer, ReadOptions, SolveOptions, offers, taken

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


_OUTPUT = click.option(
    "-o",
    "--output",
    type=FileName(),
    help="Where to write the picture: a file, or a directory. Without it: NAME.solved.png beside the input.",
)
_FORM = (
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

clipboard_option = click.option("--clipboard", is_flag=True, help="Take the picture on the clipboard.")


def read_options(*names: str) -> Callable[[Function], Function]:
    """Add the options that say how a picture is read, or those of these names; `read` gets a ReadOptions."""
    return partial(_taking, ReadOptions, "read", names)


def solve_options(function: Function) -> Function:
    """Add the options that say how a board is solved; `solve` gets a SolveOptions."""
    return _taking(SolveOptions, "solve", (), function)


def result_options(function: Function) -> Function:
    """Add the options that say where results go; the function takes `output` and `form`."""

    def command(as_json: bool, as_text: bool, exact: bool, **given: Any) -> Any:
        return function(form=form_of(as_json=as_json, as_text=as_text, exact=exact), **given)

    return _with_options(cast(Function, update_wrapper(command, function)), (_OUTPUT, *_FORM))


def _taking(
    kind: type[ReadOptions] | type[SolveOptions], argument: str, names: tuple[str, ...], function: Function
) -> Function:
    """Hand the options of a kind to the function as one value."""
    offered = {name: how for name, how in offers(kind).items() if not names or how[0].name in names}

    def command(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in offered}
        return function(**given, **{argument: taken(kind, chosen)})

    options = tuple(_option(name, offer) for name, (_, offer) in offered.items())
    return _with_options(cast(Function, update_wrapper(command, function)), options)


def _option(name: str, offer: Offer) -> Callable[[Function], Function]:
    flag = f"--{name.replace('_', '-')}"
    if offer.kind == "count":
        kind = click.IntRange(offer.least, MOST_TILES)
        return click.option(flag, type=kind, metavar=offer.letter, help=offer.help)
    if offer.kind == "box":
        return click.option(flag, type=BoxType(), help=offer.help)
    if offer.kind == "model":
        return click.option(flag, type=FileName(), help=offer.help)
    return click.option(flag, is_flag=True, help=offer.help)


def _with_options(function: Function, options: Sequence[Callable[[Function], Function]]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def form_of(*, as_json: bool, as_text: bool, exact: bool) -> Form:
    """How to print; raises UsageError for options that exclude each other."""
    if as_json and as_text:
        raise click.UsageError("--json and --text exclude each other: choose one")
    if as_text and exact:
        raise click.UsageError("--exact adds nothing to --text: give it with --json, or without --text")
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
