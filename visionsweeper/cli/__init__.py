"""The command line: commands load when they are called, and every error ends here, in `main`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from visionsweeper import __version__
from visionsweeper.cli.configuration import PREFIX, defaults_of
from visionsweeper.cli.failures import PIPE_CLOSED, Terminated, report_failure, stop_cleanly
from visionsweeper.cli.guessing import suggestion, with_command
from visionsweeper.cli.terminal import complain, discard_output, finish_output, prepare_streams
from visionsweeper.errors import DamagedTheme
from visionsweeper.io.processes import keep_to_one_thread

COMMANDS: Final = {
    "parse": "Read screenshots, write annotated pictures.",
    "solve": "Compute the odds of a board written as text.",
    "explain": "Say why tiles are certain, step by step.",
    "watch": "Annotate every screenshot that arrives in a folder.",
    "screen": "Find and solve the board on the screen.",
    "video": "List the moves of a recorded game, and the risk of each.",
    "advise": "Name the tile to open next, with the reason.",
    "simulate": "Play thousands of games and count the results.",
    "play": "Play a game in the terminal.",
    "serve": "Open a page in the browser: check, edit, learn, play.",
    "train": "Make a recognition model of your own.",
    "evaluate": "Measure a model on labelled shots.",
    "render": "Draw a board in a theme of your choice.",
    "learn": "Teach a game's theme from one labelled screenshot.",
    "models": "List, show and remove models and learned themes.",
    "config": "See and edit the defaults of options.",
}
"""Name -> what it does. Each lives in the module of its name, as a function called `command`."""


class Commands(click.Group):
    """A group whose commands are imported only when needed, for a quick start."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All command names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command, or None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"visionsweeper.cli.{cmd_name}").command
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands and what they do, without loading one."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take `visionsweeper shot.png` for `visionsweeper parse shot.png`."""
        own = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        return super().parse_args(ctx, with_command(args, COMMANDS, own))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a mistyped one, raise UsageError with the one that was meant."""
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            raise click.UsageError(f"no such command {args[0]!r}: {suggestion(args[0], COMMANDS)}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None and name != "config" and not ctx.resilient_parsing:
            ctx.default_map = {name: defaults_of(command, name, COMMANDS)}
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a reader that went away ends it without a word."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            discard_output()
            ctx.exit(PIPE_CLOSED)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: visionsweeper parse shot.png --width 30",
)
@click.version_option(__version__, "-V", "--version", prog_name="visionsweeper")
def group() -> None:
    """Read Minesweeper screenshots and draw every covered tile's exact mine probability on them.

    Without a command, pictures are parsed and boards solved: `visionsweeper shot.png`.
    """


def _warn(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Say what a user can do something about on one line; leave the rest to Python."""
    if issubclass(category, DamagedTheme):
        complain(str(message))
    else:
        _PLAIN_WARNING(message, category, *place, **more)


_PLAIN_WARNING = warnings.showwarning


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    keep_to_one_thread()
    prepare_streams()
    stop_cleanly()
    warnings.showwarning = _warn
    try:
        status = (
            group.main(arguments, prog_name="visionsweeper", standalone_mode=False, auto_envvar_prefix=PREFIX)
            or 0
        )
        finish_output()
    except BrokenPipeError:
        discard_output()
        status = PIPE_CLOSED
    except (Exception, KeyboardInterrupt, Terminated) as error:
        status = report_failure(error)
    sys.exit(status)
