"""What reaches the terminal: text that any encoding can print, complaints, and a progress bar."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.errors import WriteFailed
from visionsweeper.wording import printable

if TYPE_CHECKING:
    from rich.progress import Progress

_bars: Final[list[Progress]] = []
"""The bars that are drawn, the last one on top."""

BETWEEN_LINES: Final = 10.0
"""Seconds between two lines about the progress."""

_PLAIN: Final = {"…": "...", "–": "-", "—": "-", "×": "x", "·": "-", "’": "'", "≈": "~", "→": "->"}


def prepare_streams() -> None:
    """Make stdout and stderr print in ASCII what their encoding cannot."""
    codecs.register_error("visionsweeper", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="visionsweeper")


def say(text: str) -> None:
    """Print to stdout, control characters escaped. Raises WriteFailed when that cannot be written to."""
    with _output_errors(), room_to_print():
        click.echo(printable(text, keep="\n\t"))


def say_or_send(text: str) -> None:
    """Print to stdout; into a file or pipe whose encoding lacks a character, as UTF-8.

    Raises WriteFailed when that cannot be written to.
    """
    try:
        text.encode(sys.stdout.encoding)
    except (AttributeError, UnicodeEncodeError):
        if sys.stdout is not None and not sys.stdout.isatty():
            send(f"{text}\n".encode())
            return
    say(text)


def send(data: bytes) -> None:
    """Write bytes to stdout as they are. Raises WriteFailed when that cannot be written to."""
    if sys.stdout is None:
        raise WriteFailed("standard output is closed: name a file with -o")
    with _output_errors(), room_to_print():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def finish_output() -> None:
    """Write out what stdout still holds. Raises WriteFailed when that cannot be done."""
    if sys.stdout is not None:
        with _output_errors():
            sys.stdout.flush()


@contextlib.contextmanager
def _output_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        discard_output()
        raise WriteFailed(f"cannot write to standard output: {error.strerror or error}") from error


def complain(message: str, subject: str | None = None) -> None:
    """Print one line to stderr: `visionsweeper: SUBJECT: message`."""
    # Messages of the library that already name the file are not to name it twice.
    about = f"{printable(subject)}: " if subject is not None and subject not in message else ""
    if subject is not None:
        message = message.replace(subject, printable(subject))
    line = " ".join(printable(message, keep="\n\t").split())
    # A closed stderr leaves nobody to tell; the exit status still does.
    with contextlib.suppress(OSError), room_to_print():
        click.echo(f"visionsweeper: {about}{line}", err=True)


def discard_output() -> None:
    """Send stdout nowhere from here on, so that the interpreter's last flush fails no more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        descriptor = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


@contextlib.contextmanager
def progress_bar(length: int, label: str, *, lines: bool = False) -> Iterator[Callable[[int], None]]:
    """Draw a bar on stderr if that is a terminal; gives the function to say how much is done.

    With `lines`, elsewhere a line is written there every now and then.
    """
    if not is_terminal(sys.stderr):
        yield _by_lines(length, label) if lines else lambda done: None
        return
    from rich.console import Console  # slow to load
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(
        *columns,
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task(label, total=length)
    _bars.append(bar)
    try:
        with bar:
            yield lambda done: bar.update(task, completed=done)
    finally:
        _bars.remove(bar)


@contextlib.contextmanager
def room_to_print() -> Iterator[None]:
    """Take the bar off the terminal, where one is drawn, while something is printed there."""
    bar = _bars[-1] if _bars else None
    if bar is None or not bar.live.is_started:
        yield
        return
    bar.stop()
    try:
        yield
    finally:
        bar.start()


def _by_lines(length: int, label: str) -> Callable[[int], None]:
    """Return the function that says on stderr how much is done, in lines some time apart."""
    begun = told = time.monotonic()

    def set_done(done: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < BETWEEN_LINES:
            return
        told = now
        left = (now - begun) / max(done, 1) * (length - done)
        with contextlib.suppress(OSError):
            click.echo(f"{label}: {done} of {length}, about {_duration(left)} left", err=True)

    return set_done


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def is_terminal(stream: Any) -> bool:
    """Whether somebody looks at what is written to a stream."""
    return stream is not None and bool(stream.isatty())


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    plain = "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in part)
    return plain, error.end
