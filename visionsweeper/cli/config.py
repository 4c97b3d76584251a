"""`visionsweeper config`: defaults of options, to be seen and edited."""

from __future__ import annotations

import os
from typing import Final

import click

from visionsweeper.cli.configuration import PREFIX, check_whole, configuration_file, text_of
from visionsweeper.cli.terminal import say
from visionsweeper.errors import InvalidInput

_TEMPLATE: Final = """\
# Defaults of visionsweeper's options, by their long names without the dashes.
# Above the tables: for every command that has such an option.

# no-color = true

# [parse]
# width = 30
# strict = true

# [serve]
# port = 8600
"""


@click.group(
    "config",
    invoke_without_command=True,
    epilog="Example: visionsweeper config edit",
)
@click.pass_context
def command(context: click.Context) -> None:
    """Print the defaults that you set: the configuration file, and variables of the environment.

    The file has a table for each command, as in `[parse]` with `width = 30` below it. Each option can also be
    set as a variable, as in VISIONSWEEPER_PARSE_WIDTH=30; options on the command line override both.
    """
    if context.invoked_subcommand is not None:
        return
    place = configuration_file()
    if place.is_file():
        text = text_of(place)
        say(f"# {place}\n{text.rstrip()}")
        check_whole(text, _commands())
    else:
        say(f"# there is no configuration file {place}: `visionsweeper config edit` creates one")
    for name in sorted(os.environ):
        if name.startswith(f"{PREFIX}_"):
            say(f"# {name}={os.environ[name]}")


@command.command("path", short_help="Print where the configuration file is.")
def path() -> None:
    """Print where the configuration file is, or would be; VISIONSWEEPER_CONFIG names another."""
    say(str(configuration_file()))


@command.command("edit", short_help="Edit the configuration file.")
def edit() -> None:
    """Open the configuration file in your editor (EDITOR); it is kept only if it can be used."""
    from visionsweeper.io.files import check_place, write_atomically

    place = configuration_file()
    check_place(place)
    before = text_of(place) if place.is_file() else _TEMPLATE
    after = click.edit(before, extension=".toml", require_save=True)
    if after is None:
        say("nothing was changed")
        return
    try:
        check_whole(after, _commands())
    except InvalidInput as error:
        raise InvalidInput(f"{error}; {place} was not changed") from error
    write_atomically(place, after.encode())
    say(f"{place}: kept")


def _commands() -> dict[str, click.Command]:
    """All commands by name, asked of the group that this one belongs to."""
    root = click.get_current_context().find_root()
    assert isinstance(root.command, click.Group)
    found = {name: root.command.get_command(root, name) for name in root.command.list_commands(root)}
    return {name: one for name, one in found.items() if one is not None}
