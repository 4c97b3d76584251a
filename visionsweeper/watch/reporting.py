"""Tells a person what the watch does: a live line on a terminal, plain lines elsewhere, and a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from visionsweeper.errors import WriteFailed
from visionsweeper.io.files import make_folder, what_it_means
from visionsweeper.watch.journal import Entry, Journal, Status
from visionsweeper.watch.service import Event
from visionsweeper.wording import plural

_QUIET: Final = {"trouble", "failed"}
_NARROW: Final = 50
"""Columns of a terminal below which only the counts are shown."""

_USUAL: Final = {*_QUIET, "begun", "done", "passed", "waiting"}


class Reporter(AbstractContextManager["Reporter"]):
    """Call it with every Event. `verbosity` is -1 (only what is wrong), 0, or 1 (reasons too).

    `say` prints a line where there is no terminal for the live line.
    """

    def __init__(
        self,
        folders: int,
        say: Callable[[str], None],
        *,
        verbosity: int = 0,
        log_file: Path | None = None,
    ) -> None:
        self._folders = folders
        self._say = say
        self._verbosity = verbosity
        self._counts = dict.fromkeys((Status.DONE, Status.PASSED, Status.FAILED), 0)
        self._last = ""
        self._stack = ExitStack()
        self._log: IO[str] | None = None
        self._log_told = False
        self._live: Any = None
        if log_file is not None:
            make_folder(log_file.parent)
            try:
                self._log = self._stack.enter_context(log_file.open("a", encoding="utf-8", errors="replace"))
            except OSError as error:
                raise WriteFailed(f"cannot write {log_file}: {what_it_means(error)}") from error

    def __enter__(self) -> Reporter:
        if self._verbosity >= 0 and sys.stdout.isatty():
            from rich.console import Console  # slow to load
            from rich.live import Live

            self._live = self._stack.enter_context(
                Live(self._line(), console=Console(highlight=False), refresh_per_second=4)
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what could not be written to the log before cannot be now
            self._stack.close()

    def __call__(self, event: Event) -> None:
        """Tell one event."""
        if event.kind in self._counts:
            self._counts[Status(event.kind)] += 1
        text = event_text(event, reasons=self._verbosity > 0)
        if event.entry is not None:
            self._last = text
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}"
        if self._log is not None:
            try:
                self._log.write(f"{line}\n")
                self._log.flush()
                self._log_told = False
            except OSError as error:
                # A full disk ends no watch; the next line may fit again.
                if not self._log_told:
                    self._log_told = True
                    self._print(f"the log cannot be written: {error.strerror or error}")
        if event.kind in (_QUIET if self._verbosity < 0 else _USUAL):
            self._print(line)

    def _print(self, line: str) -> None:
        if self._live is None:
            self._say(line)
        else:
            self._live.console.print(line, markup=False, soft_wrap=True)
            self._live.update(self._line())

    def _line(self) -> Any:
        from rich.text import Text  # slow to load

        done, passed, failed = self._counts.values()
        if self._live is not None and self._live.console.width < _NARROW:
            return Text(f"{done} ok {passed} - {failed} !", no_wrap=True, overflow="ellipsis")
        folders = plural(self._folders, "folder")
        text = f"{folders} watched: {done} done, {passed} passed over, {failed} failed"
        return Text(f"{text}. {self._last}" if self._last else text, no_wrap=True, overflow="ellipsis")


def event_text(event: Event, *, reasons: bool) -> str:
    """Write an event on one line."""
    entry = event.entry
    if entry is None:
        return one_line(event.text)
    if event.kind == Status.DONE:
        return one_line(f"done {entry.source.name} -> {entry.output}: {event.text}")
    if event.kind == Status.PASSED and not reasons:
        return one_line(f"passed over {entry.source.name}")
    what = "passed over" if event.kind == Status.PASSED else "failed"
    return one_line(f"{what} {entry.source.name}: {event.text}")


def one_line(text: str) -> str:
    """Write a text without control characters, which file names may hold, and without broken letters."""
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)
    return plain.encode(errors="replace").decode()


def status_text(journal: Journal) -> str:
    """Write a journal as a table, with how many there are of each status."""
    counts = journal.counts()
    lines = [", ".join(f"{count} {status}" for status, count in counts.items() if count) or "nothing yet"]
    for entry in journal.entries():
        if entry.status is not Status.PRESENT:
            lines.append(_row(entry))
    return "\n".join(lines)


def _row(entry: Entry) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.finished or entry.arrived))
    output = f" -> {entry.output}" if entry.status is Status.DONE else ""
    message = f": {entry.message}" if entry.message else ""
    return one_line(f"{entry.number:5} {when} {entry.status:7} {entry.source}{output}{message}")
