"""Options that several commands share."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from visionsweeper.cli.delivery import Form
from visionsweeper.cli.inputs import STDIN
from visionsweeper.cli.terminal import is_terminal
from visionsweeper.errors import InvalidInput
from visionsweeper.game.rules import FIRST_CLICK_RULES
from visionsweeper.options import LARGEST_COUNT, Offer, ReadOptions, SolveOptions, offers, taken

if TYPE_CHECKING:
    from visionsweeper.geometry import Box

Function = TypeVar("Function", bound=Callable[..., Any])


class FileName(click.Path):
    """A path that is completed by the shell; whether it can be used is found out by using it.

    click's own checks would make wrong usage of an unreadable file.
    """

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path as text."""
        return os.fsdecode(value)


class Seconds(click.FloatRange):
    """A time in seconds within bounds."""

    name = "number of seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds; fail for any other text, and for what is no finite number."""
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return seconds


class ModelName(FileName):
    """A model: a file, or the name of one of the user's own, which completion offers too."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the user's models that begin so, and otherwise files."""
        from visionsweeper.vision.themes.store import stored

        names = [path.stem for path in stored("model") if path.stem.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or super().shell_complete(ctx, param, incomplete)


def themes_like(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the learned themes that begin so, for completion."""
    from visionsweeper.vision.themes.store import stored

    return [path.stem for path in stored("theme") if path.stem.startswith(incomplete)]


class FormatName(click.Choice[str]):
    """A format that positions are written in; they are looked up when needed, since that loads numpy."""

    def __init__(self) -> None:
        self.case_sensitive = False

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the formats that can be written."""
        from visionsweeper.formats import FORMATS

        return tuple(one.name for one in FORMATS if one.write is not None)


class WholeNumber(click.IntRange):
    """A whole number within limits."""

    name = "whole number"


_MOST_JOBS: Final = 256
"""Processes on this machine at most."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")

_FORM = (
    json_option,
    click.option("--text", "as_text", is_flag=True, help="Print only the board, as text."),
    click.option("--format", "form", type=FormatName(), help="Print only the board, in this format."),
    click.option("--exact", is_flag=True, help="Also give probabilities as exact fractions."),
    click.option(
        "--show/--no-show",
        default=None,
        help="Draw the board in the terminal, with its odds. Default: in a terminal that is wide enough.",
    ),
    click.option("--open", "opened", is_flag=True, help="Open the picture in the system's viewer."),
    click.option("-q", "--quiet", is_flag=True, help="Print no summary, only errors and what is asked for."),
)

first_click_option = click.option(
    "--first-click",
    type=click.Choice(FIRST_CLICK_RULES),
    default="opening",
    show_default=True,
    help="What the game guarantees for the first click: nothing, a safe tile, or no mine around it either.",
)

strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with status 8 if any tile is uncertain; all output is written nevertheless.",
)

clipboard_option = click.option(
    "--clipboard", is_flag=True, help="Read the picture or the board on the clipboard."
)


def jobs_option(text: str, default: int | None = None) -> Callable[[Function], Function]:
    """Return the option for the number of processes on this machine; `--workers` is its earlier name."""
    return click.option(
        *("--jobs", "-j", "--workers", "jobs"),
        type=WholeNumber(1, _MOST_JOBS),
        default=default,
        show_default=default is not None,
        metavar="N",
        help=text,
    )


def read_options(*names: str, **helps: str) -> Callable[[Function], Function]:
    """Add the options that say how a picture is read, or those of these names; `read` gets a ReadOptions.

    `helps` are the help texts of options that have another default where there is no picture.
    """
    return partial(_taking, ReadOptions, "read", names, helps)


def solve_options(function: Function) -> Function:
    """Add the options that say how a board is solved; `solve` gets a SolveOptions."""
    return _taking(SolveOptions, "solve", (), {}, function)


def result_options(without: str = "NAME.solved.png beside the input") -> Callable[[Function], Function]:
    """Add the options that say where results go; the function takes `output` and `form`.

    `without` tells where the picture goes without -o.
    """
    output = click.option(
        "-o",
        "--output",
        type=FileName(),
        help="Where to write the picture: a file, a folder (there already, or its name ends in /), or - for "
        "standard output. "
        f"Without it: {without}.",
    )
    return partial(_with_results, output)


def _with_results(output: Callable[[Function], Function], function: Function) -> Function:
    """Hand the result options to the function as `output` and one `form`."""

    def command(form: str | None, as_text: bool, **given: Any) -> Any:
        if as_text and form not in (None, "text"):
            raise click.UsageError("--text means --format text: give only one of the two")
        names = ("as_json", "exact", "show", "opened", "quiet")
        chosen = form_of(written="text" if as_text else form, **{name: given.pop(name) for name in names})
        if given["output"] == STDIN:
            if chosen.kind in {"json", "board"}:
                raise click.UsageError(
                    "-o - writes the picture to standard output: omit what else prints there"
                )
            chosen = chosen.quiet()
        return function(form=chosen, **given)

    return _with_options(cast(Function, update_wrapper(command, function)), (output, *_FORM))


def _taking(
    kind: type[ReadOptions] | type[SolveOptions],
    argument: str,
    names: tuple[str, ...],
    helps: dict[str, str],
    function: Function,
) -> Function:
    """Hand the options of a kind to the function as one value."""
    offered = {name: how for name, how in offers(kind).items() if not names or how[0].name in names}

    def command(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in offered}
        return function(**given, **{argument: taken(kind, chosen)})

    options = tuple(
        _option(name, replace(offer, help=helps.get(name, offer.help)))
        for name, (_, offer) in offered.items()
    )
    return _with_options(cast(Function, update_wrapper(command, function)), options)


def _option(name: str, offer: Offer) -> Callable[[Function], Function]:
    flags = [f"--{name.replace('_', '-')}", *([f"-{offer.short}"] if offer.short else [])]
    if offer.kind == "count":
        kind = WholeNumber(offer.least, LARGEST_COUNT)
        return click.option(*flags, type=kind, metavar=offer.letter, help=offer.help)
    if offer.kind == "box":
        return click.option(*flags, type=BoxType(), help=offer.help)
    if offer.kind == "model":
        return click.option(*flags, type=ModelName(), help=offer.help)
    if offer.kind == "sides":
        return click.option(*flags, type=SidesType(), help=offer.help)
    return click.option(*flags, is_flag=True, help=offer.help)


def _with_options(function: Function, options: Sequence[Callable[[Function], Function]]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def form_of(
    *,
    as_json: bool,
    written: str | None,
    exact: bool,
    show: bool | None,
    opened: bool,
    quiet: bool,
) -> Form:
    """How to print; raises UsageError for options that exclude each other."""
    if as_json and written is not None:
        raise click.UsageError("--json excludes --text and --format: choose one")
    if exact and written is not None:
        raise click.UsageError("--exact adds nothing to --text and --format: give it with --json, or alone")
    kind: Literal["summary", "json", "board", "nothing"] = "nothing" if quiet else "summary"
    if as_json or written is not None:
        kind = "json" if as_json else "board"
    wanted = kind == "summary" and is_terminal(sys.stdout) if show is None else show
    return Form(kind, exact, written or "text", show=wanted, opened=opened)


class BoxType(click.ParamType[Any]):
    """A box in pixels, written X0,Y0,X1,Y1."""

    name = "X0,Y0,X1,Y1"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Box:
        """Return the box; fails for any other text."""
        from visionsweeper.geometry import box_from_text

        if isinstance(value, tuple):
            return value
        try:
            return box_from_text(str(value))
        except InvalidInput as error:
            self.fail(str(error), param, ctx)


class SidesType(click.ParamType[Any]):
    """Sides of a board, written left,bottom."""

    name = "SIDES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the sides; fails for any other text."""
        from visionsweeper.board import sides_from_text

        if isinstance(value, tuple):
            return value
        try:
            return sides_from_text(str(value))
        except InvalidInput as error:
            self.fail(str(error), param, ctx)
