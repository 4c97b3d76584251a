"""The command line: commands load when they are called, and every error ends here, in `main`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from visionsweeper import __version__
from visionsweeper.cli.failures import PIPE_CLOSED, Terminated, report_failure, stop_cleanly
from visionsweeper.cli.terminal import discard_output, finish_output, prepare_streams

COMMANDS: Final = (
    "parse",
    "solve",
    "explain",
    "watch",
    "screen",
    "advise",
    "simulate",
    "play",
    "serve",
    "train",
    "evaluate",
    "render",
    "learn",
    "models",
)
"""Each lives in the module of its name, as a function called `command`."""


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
        return command

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
@click.version_option(__version__, prog_name="visionsweeper")
def group() -> None:
    """Read Minesweeper screenshots and draw every covered tile's exact mine probability on them."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    # The matrices here are small: starting threads for them takes longer than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare_streams()
    stop_cleanly()
    try:
        status = group.main(arguments, prog_name="visionsweeper", standalone_mode=False) or 0
        finish_output()
    except BrokenPipeError:
        discard_output()
        status = PIPE_CLOSED
    except (Exception, KeyboardInterrupt, Terminated) as error:
        status = report_failure(error)
    sys.exit(status)
