"""What reaches the terminal: text that any encoding can print, complaints, and a progress bar."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import click

from visionsweeper.errors import WriteFailed
from visionsweeper.wording import printable

_PLAIN: Final = {"…": "...", "–": "-", "—": "-", "×": "x", "·": "-", "’": "'", "≈": "~", "→": "->"}


def prepare_streams() -> None:
    """Make stdout and stderr print in ASCII what their encoding cannot."""
    codecs.register_error("visionsweeper", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="visionsweeper")


def say(text: str) -> None:
    """Print to stdout, control characters escaped. Raises WriteFailed when that cannot be written to."""
    with _output_errors():
        click.echo(printable(text, keep="\n\t"))


def send(data: bytes) -> None:
    """Write bytes to stdout as they are. Raises WriteFailed when that cannot be written to."""
    if sys.stdout is None:
        raise WriteFailed("standard output is closed: name a file with -o")
    with _output_errors():
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
    with contextlib.suppress(OSError):
        click.echo(f"visionsweeper: {about}{line}", err=True)


def discard_output() -> None:
    """Send stdout nowhere from here on, so that the interpreter's last flush fails no more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        descriptor = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


@contextlib.contextmanager
def progress_bar(length: int, label: str) -> Iterator[Callable[[int], None]]:
    """Draw a bar on stderr if that is a terminal; gives the function to say how much is done."""
    if not is_terminal(sys.stderr):
        yield lambda done: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr, width=0) as bar:
        bar.render_progress()
        yield lambda done: bar.update(done - bar.pos)


class Console:
    """Prints results and complaints, holding them back while a progress bar has the terminal."""

    def __init__(self) -> None:
        self._held: list[Callable[[], Any]] | None = None

    def say(self, text: str | bytes) -> None:
        """Print to stdout, at once unless a bar is drawn on the same terminal."""
        self._do(lambda: send(text) if isinstance(text, bytes) else say(text), wait=is_terminal(sys.stdout))

    def do(self, action: Callable[[], Any]) -> None:
        """Run something that prints to stderr, once that is free."""
        self._do(action, wait=True)

    @contextlib.contextmanager
    def progress(self, length: int, label: str, *, show: bool = True) -> Iterator[Callable[[], None]]:
        """Draw a bar of `length` steps on stderr if that is a terminal; gives the function to step it."""
        if not show or not is_terminal(sys.stderr):
            yield lambda: None
            return
        self._held = []
        done = 0
        try:
            with progress_bar(length, label) as set_done:

                def step() -> None:
                    nonlocal done
                    done += 1
                    set_done(done)

                yield step
        finally:
            held, self._held = self._held, None
            for action in held:
                action()

    def _do(self, action: Callable[[], Any], *, wait: bool) -> None:
        if self._held is not None and wait:
            self._held.append(action)
        else:
            action()


def is_terminal(stream: Any) -> bool:
    """Whether somebody looks at what is written to a stream."""
    return stream is not None and bool(stream.isatty())


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    plain = "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in part)
    return plain, error.end
