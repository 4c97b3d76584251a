"""One watched folder: which of its files are pictures to read, and word of every change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from visionsweeper.io.files import PICTURE_SUFFIXES
from visionsweeper.watch.arrivals import is_temporary

PATTERNS: Final = tuple(f"*{suffix}" for suffix in PICTURE_SUFFIXES)
"""File names taken without --include; upper and lower case are the same."""

_OURS: Final = (".solved.png", ".solved.json")


@dataclass(frozen=True)
class Choice:
    """Which files are input."""

    patterns: tuple[str, ...] = PATTERNS
    recursive: bool = False
    outputs: tuple[Path, ...] = ()
    """Folders that are written to: nothing in them is input."""
    files: tuple[Path, ...] = ()
    """Files that are written: the journal, a log."""
    root: Path | None = None
    """The watched folder: nothing in a hidden folder below it is input."""

    def takes(self, path: Path) -> bool:
        """Tell whether a file of this name is a picture to read, no output of ours and nothing unfinished."""
        name = path.name.lower()
        if is_temporary(path) or name.endswith(_OURS):
            return False
        if path in self.files or any(path.is_relative_to(folder) for folder in self.outputs):
            return False
        if self.root is not None and path.is_relative_to(self.root):
            above = path.relative_to(self.root).parts[:-1]
            if any(part.startswith(".") for part in above):
                return False
        return any(fnmatchcase(name, pattern.lower()) for pattern in self.patterns)


class Folder:
    """A folder that is watched, there or not."""

    def __init__(self, path: Path, choice: Choice, *, polling: bool, heard: Callable[[Path], Any]) -> None:
        self.path = path
        self._choice = choice
        self._polling = polling
        self._heard = heard
        self._observer: Any = None
        self._identity: tuple[int, int] | None = None
        self._held = -1
        """The folder, kept open: another one made in its place cannot have the same number then."""

    def check(self) -> bool | None:
        """Begin to listen where that is not done: the folder is new, or came back.

        True when it just came (its files are then to be looked through), False when it just went, else None.
        """
        identity = self._found()
        if identity == self._identity:
            return None
        was_there = self._identity is not None
        self.close()
        if identity is None:
            return False if was_there else None
        with suppress(OSError):  # not every system lets a folder be opened
            self._held = os.open(self.path, os.O_RDONLY)
        self._listen()
        self._identity = identity
        return True

    def files(self) -> Iterator[Path]:
        """Yield all files that are input now, those of a folder in the order of their time."""
        seen: set[tuple[int, int]] = set()
        # Links come last: a folder is known by its own name, as the system tells of it.
        left, links = [self.path], list[Path]()
        while left or links:
            for root, folders, names in os.walk((left or links).pop(0)):
                with suppress(OSError):
                    status = Path(root).stat()
                    # A link that leads back up would go round for ever.
                    if (status.st_dev, status.st_ino) in seen:
                        folders.clear()
                        continue
                    seen.add((status.st_dev, status.st_ino))
                found = [Path(root, name) for name in names]
                yield from sorted(filter(self._choice.takes, found), key=_age)
                if not self._choice.recursive:
                    folders.clear()
                links += [place for name in folders if (place := Path(root, name)).is_symlink()]

    def close(self) -> None:
        """Stop listening."""
        if self._observer is not None:
            self._observer.stop()
            with suppress(RuntimeError):
                self._observer.join(5)
        self._observer = None
        self._identity = None
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _found(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if self.path.is_dir() else None

    def _listen(self) -> None:
        from watchdog.events import FileSystemEvent, FileSystemEventHandler  # slow to load
        from watchdog.observers import Observer
        from watchdog.observers.polling import PollingObserver

        choice, heard = self._choice, self._heard

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in {"opened", "closed_no_write", "deleted"} or event.is_directory:
                    return
                # A file that was moved here is told of by where it went.
                path = Path(os.fsdecode(getattr(event, "dest_path", "") or event.src_path))
                if choice.takes(path):
                    heard(path)

        self._observer = PollingObserver() if self._polling else Observer()
        try:
            self._observer.schedule(Handler(), str(self.path), recursive=choice.recursive)
            self._observer.start()
        except OSError:
            # Out of native watches, or gone again: looking through it from time to time has to do.
            self._observer = None


def _age(path: Path) -> tuple[float, str]:
    try:
        return path.stat().st_mtime, path.name
    except (OSError, ValueError):
        return 0.0, path.name
