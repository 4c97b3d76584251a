"""Errors as a person reads them on stderr, and as the shell does: the one place that gives exit statuses."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Final, NoReturn

import click

from visionsweeper.cli.terminal import complain
from visionsweeper.errors import UNEXPECTED, VisionsweeperError, status_of

WRONG_USAGE: Final = 2
INTERRUPTED: Final = 128 + int(signal.SIGINT)
TERMINATED: Final = 128 + 15
PIPE_CLOSED: Final = 128 + 13
"""As a shell reports a program that SIGPIPE ended."""


class Terminated(BaseException):
    """Somebody asked the program to end: all that is half done is cleared away on the way out."""


def stop_cleanly() -> None:
    """Make SIGTERM and SIGHUP an exception, so that temporary files do not outlive the program."""

    def stop(_signal: int, _frame: object) -> NoReturn:
        raise Terminated

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # What a parent ignores, as nohup does, stays ignored; signals are the main thread's alone.
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            with contextlib.suppress(ValueError):
                signal.signal(number, stop)


def exit_status(error: BaseException) -> int:
    """Return the exit status that stands for an error."""
    if isinstance(error, click.ClickException):
        return WRONG_USAGE
    if isinstance(error, Terminated):
        return TERMINATED
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return INTERRUPTED
    return status_of(error)


def report_failure(error: BaseException, subject: str | None = None) -> int:
    """Say on one line of stderr what went wrong, with the input it is about; returns the exit status."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif os.environ.get("VISIONSWEEPER_DEBUG") and exit_status(error) == UNEXPECTED:
        import traceback  # rarely needed

        traceback.print_exception(error)
        complain(_message(error), subject)
    else:
        complain(_message(error), subject)
    return exit_status(error)


def _message(error: BaseException) -> str:
    if isinstance(error, VisionsweeperError):
        return str(error)
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        path = context.command_path if context is not None else "visionsweeper"
        return f"{error.format_message().strip().rstrip('.')} (see `{path} --help`)"
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, Terminated):
        return "stopped by a signal (SIGTERM or SIGHUP)"
    if isinstance(error, MemoryError):
        return "not enough memory for this input: try a smaller picture or board"
    return (
        f"unexpected error: {type(error).__name__}: {error} "
        "(please report; VISIONSWEEPER_DEBUG=1 shows the details)"
    )
