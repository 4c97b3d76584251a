"""`visionsweeper models`: what reads boards: shipped models, models of one's own, learned themes."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import click

from visionsweeper.cli.options import json_option
from visionsweeper.cli.terminal import say

if TYPE_CHECKING:
    from visionsweeper.learning.catalogue import Item


def _own(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of the user's models and themes, for completion."""
    from visionsweeper.vision.themes.store import stored

    names = [path.stem for kind in ("model", "theme") for path in stored(kind)]
    return [name for name in names if name.startswith(incomplete)]


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of all models and themes, for completion."""
    from visionsweeper.resources import DEFAULT_MODEL

    shipped = [DEFAULT_MODEL] if DEFAULT_MODEL.startswith(incomplete) else []
    return shipped + _own(context, parameter, incomplete)


@click.group(
    "models",
    invoke_without_command=True,
    epilog="Example: visionsweeper models show standard",
)
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the models that come with the program, your own, and learned themes; show or remove one.

    The list says what each was made from, when, and how well it reads.
    """
    if context.invoked_subcommand is not None:
        context.obj = as_json
        return
    from visionsweeper.learning.catalogue import items, summary
    from visionsweeper.vision.themes.store import data_directory

    found = items()
    if as_json:
        say(json.dumps({"directory": str(data_directory()), "items": [_json(each) for each in found]}))
        return
    for each in found:
        say(summary(each))
    if not any(each.sort == "theme" for each in found):
        say(
            "No theme learned yet. Learn one with `visionsweeper learn shot.png --width 30 --board "
            "truth.txt`."
        )


@command.command("show", short_help="Print all that is known about one model or theme.")
@click.argument("name", shell_complete=_complete)
@json_option
@click.pass_context
def show(context: click.Context, name: str, as_json: bool) -> None:
    """Print all that is known about one model or theme."""
    from visionsweeper.learning.catalogue import item

    each = item(name)
    if as_json or context.obj:
        say(json.dumps(_json(each)))
        return
    say(f"{each.name} ({each.sort}), {each.path}")
    if each.problem is not None:
        say(f"cannot be read: {each.problem}")
    for line in json.dumps(dict(each.facts), indent=2, ensure_ascii=False).splitlines()[1:-1]:
        say(line)


@command.command("remove", short_help="Remove a theme or a model of your own.")
@click.argument("name", shell_complete=_own)
def remove(name: str) -> None:
    """Remove a theme or a model of your own; `visionsweeper learn --undo` brings it back."""
    from visionsweeper.vision.themes import store

    kind = store.remove(name)
    say(f"the {kind} {name} is removed; `visionsweeper learn --undo {shlex.quote(name)}` brings it back")


def _json(each: Item) -> dict[str, Any]:
    return {
        "name": each.name,
        "sort": each.sort,
        "path": str(each.path),
        "problem": each.problem,
        "facts": dict(each.facts),
    }
