"""What was done with which picture: an SQLite file, so that a restart goes on where the last run stopped.

Every change is one transaction. A source keeps its output's name for every newer version of its content.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.io.files import has_several_spellings, key_of_name, make_folder

_STEPS: Final = (
    """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    source BLOB NOT NULL,
    digest TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    status TEXT NOT NULL,
    output BLOB,
    message TEXT NOT NULL DEFAULT '',
    arrived REAL NOT NULL,
    finished REAL
);
CREATE INDEX entries_source ON entries (source, number);
CREATE INDEX entries_status ON entries (status, number);
CREATE TABLE outputs (source BLOB PRIMARY KEY, output BLOB NOT NULL UNIQUE);
CREATE TABLE folders (path BLOB PRIMARY KEY);
""",
)
"""Step n makes a journal of version n one of version n + 1; a new file (version 0) goes through all of them.

A released step is never changed: journals in use went through it. What a new version needs is appended, and
tests/journals gets a file of the version before it.
"""

_TABLES: Final = {"entries", "outputs", "folders"}

_LONGEST_NAME: Final = 255
"""Bytes of a file name, on the file systems in use."""


class Status(StrEnum):
    """What became of a picture."""

    PRESENT = "present"
    """It was there before the first watch, and was not asked for."""
    QUEUED = "queued"
    DONE = "done"
    PASSED = "passed"
    """Passed over: no board is in it, or a newer version replaced it before its turn."""
    FAILED = "failed"


@dataclass(frozen=True)
class Entry:
    """One version of one picture."""

    number: int
    """In the order of arrival, from 1."""
    source: Path
    digest: str
    """SHA-256 of its content, in hexadecimal; empty for those only noted as present."""
    size: int
    """Bytes."""
    modified: int
    """Time of its last change, in nanoseconds since 1970."""
    status: Status
    output: Path | None
    """The picture written, or to be written, for it."""
    message: str
    arrived: float
    """Seconds since 1970."""
    finished: float | None
    """Seconds since 1970."""


class Journal(AbstractContextManager["Journal"]):
    """The journal of one output folder.

    Raises WriteFailed when it cannot be opened or made, and InvalidInput for what is no journal or one of a
    newer version; any change raises WriteFailed when it cannot be kept, and then changes nothing.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._database = _opened(path, read_only=read_only)
        self._identity = _identity(path)

    def is_gone(self) -> bool:
        """Tell whether its file was taken away, or replaced by another: what is recorded would be lost."""
        return _identity(self.path) != self._identity

    def begin_again(self) -> None:
        """Make the file anew where it was taken away, with all that is known. Raises as opening does."""
        before, self._database = self._database, _opened(self.path, read_only=False)
        # The system keeps a file that is open, even when its name is gone.
        with suppress(sqlite3.Error):
            before.backup(self._database)
        before.close()
        self._identity = _identity(self.path)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def knows_folder(self, folder: Path) -> bool:
        """Tell whether a folder was watched before: whatever is in it now and not recorded came since."""
        with self._reading():
            found = self._database.execute("SELECT 1 FROM folders WHERE path = ?", (os.fsencode(folder),))
            return found.fetchone() is not None

    def known(self, source: Path, size: int, modified: int, *, present: bool = True) -> bool:
        """Tell whether the latest version recorded has this size and time: nothing changed since.

        Without `present`, what was only noted as there before the first watch counts as not known.
        """
        with self._reading():
            row = self._latest(source)
        return row is not None and (row[1], row[2]) == (size, modified) and (present or row[0] != "")

    def note_folder(self, folder: Path, sources: Iterable[tuple[Path, int, int]]) -> None:
        """Record that a folder is watched, and the pictures (path, size, time) that were there before."""
        now = time.time()
        rows = [
            (os.fsencode(source), size, modified, Status.PRESENT, now) for source, size, modified in sources
        ]
        with self._change() as database:
            database.execute("INSERT OR IGNORE INTO folders VALUES (?)", (os.fsencode(folder),))
            database.executemany(
                "INSERT INTO entries (source, digest, size, modified, status, arrived) "
                "VALUES (?, '', ?, ?, ?, ?)",
                rows,
            )

    def queue(self, source: Path, digest: str, size: int, modified: int, output_folder: Path) -> Entry | None:
        """Record an arrival and give its output a name; None when this very content was the last recorded.

        The name is the source's own with `.solved.png`, numbered where another source has it. An older
        version that still waits is passed over.
        """
        raw = os.fsencode(source)
        with self._change() as database:
            latest = self._latest(source)
            if latest is not None and latest[0] == digest:
                # Touched, or copied over itself: remembered, so that it is not read again.
                database.execute(
                    "UPDATE entries SET size = ?, modified = ? WHERE number = ?", (size, modified, latest[3])
                )
                return None
            database.execute(
                "UPDATE entries SET status = ?, message = 'replaced by a newer version', finished = ? "
                "WHERE source = ? AND status = ?",
                (Status.PASSED, time.time(), raw, Status.QUEUED),
            )
            output = self._output_name(source, output_folder)
            made = database.execute(
                "INSERT INTO entries (source, digest, size, modified, status, output, arrived) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (raw, digest, size, modified, Status.QUEUED, os.fsencode(output), time.time()),
            )
            number = made.lastrowid
        return self._entry(f"WHERE number = {number}")[0]

    def finish(self, number: int, status: Status, message: str = "", *, gone: bool = False) -> bool:
        """Record what became of an arrival; False for one that is not queued: a newer version replaced it.

        `gone`: its content was not to be had, so that the same content counts as new when it comes again.
        """
        with self._change() as database:
            changed = database.execute(
                "UPDATE entries SET status = ?, message = ?, finished = ? WHERE number = ? AND status = ?",
                (status, message, time.time(), number, Status.QUEUED),
            )
            if gone and changed.rowcount:
                database.execute(
                    "UPDATE entries SET digest = '', size = -1, modified = -1 WHERE number = ?", (number,)
                )
        return changed.rowcount > 0

    def pending(self) -> list[Entry]:
        """Return what is queued, in the order of arrival."""
        return self._entry(f"WHERE status = '{Status.QUEUED}' ORDER BY number")

    def entries(self) -> list[Entry]:
        """Return everything, in the order of arrival."""
        return self._entry("ORDER BY number")

    def counts(self) -> dict[Status, int]:
        """Count the entries of each status."""
        with self._reading():
            found = dict(
                self._database.execute("SELECT status, COUNT(*) FROM entries GROUP BY status").fetchall()
            )
        return {status: found.get(status.value, 0) for status in Status}

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise WriteFailed(f"cannot read the journal {self.path}: {error}") from error

    def _change(self) -> _Change:
        return _Change(self._database, self.path)

    def _latest(self, source: Path) -> tuple[str, int, int, int] | None:
        row: tuple[str, int, int, int] | None = self._database.execute(
            "SELECT digest, size, modified, number FROM entries WHERE source = ? "
            "ORDER BY number DESC LIMIT 1",
            (os.fsencode(source),),
        ).fetchone()
        return row

    def _output_name(self, source: Path, folder: Path) -> Path:
        raw = os.fsencode(source)
        row = self._database.execute("SELECT output FROM outputs WHERE source = ?", (raw,)).fetchone()
        if row is not None and Path(os.fsdecode(row[0])).parent == folder:
            return Path(os.fsdecode(row[0]))
        number = 1
        while True:
            numbered = "" if number == 1 else f"-{number}"
            output = folder / _shortened(source.stem, f"{numbered}.solved.png")
            if not self._is_taken(output, raw):
                break
            number += 1
        self._database.execute("INSERT OR REPLACE INTO outputs VALUES (?, ?)", (raw, os.fsencode(output)))
        return output

    def _is_taken(self, output: Path, source: bytes) -> bool:
        """Whether an output is another source's, by whatever spelling."""
        found = self._database.execute(
            "SELECT 1 FROM outputs WHERE output = ? AND source != ?", (os.fsencode(output), source)
        ).fetchone()
        if found is not None or not has_several_spellings():
            return found is not None
        others = self._database.execute("SELECT output FROM outputs WHERE source != ?", (source,))
        key = key_of_name(str(output))
        return any(key_of_name(os.fsdecode(other)) == key for (other,) in others)

    def _entry(self, condition: str) -> list[Entry]:
        with self._reading():
            rows = self._database.execute(
                "SELECT number, source, digest, size, modified, status, output, message, arrived, finished "
                f"FROM entries {condition}"  # nosec B608 # conditions are this module's own
            ).fetchall()
        return [
            Entry(
                number,
                Path(os.fsdecode(source)),
                digest,
                size,
                modified,
                Status(status),
                None if output is None else Path(os.fsdecode(output)),
                message,
                arrived,
                finished,
            )
            for number, source, digest, size, modified, status, output, message, arrived, finished in rows
        ]


def _opened(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open the database as one of today's version; for reading only, an older file is left as it is."""
    try:
        if read_only:
            database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)
        else:
            make_folder(path.parent)
            database = sqlite3.connect(path, timeout=10)
    except sqlite3.Error as error:
        raise WriteFailed(f"cannot open the journal {path}: {error}") from error
    try:
        database.isolation_level = None
        version = _checked_version(database, path, read_only=read_only)
        if version == len(_STEPS):
            return database
        if read_only:
            on_disk, database = database, sqlite3.connect(":memory:", isolation_level=None)
            on_disk.backup(database)
            on_disk.close()
        _migrate(database, path, version)
        if read_only:
            database.execute("PRAGMA query_only = ON")
    except BaseException:
        database.close()
        raise
    return database


def _checked_version(database: sqlite3.Connection, path: Path, *, read_only: bool) -> int:
    """Return the version of the journal, 0 for a new file. Raises InvalidInput for what is no journal."""
    try:
        [version] = database.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.OperationalError as error:
        raise WriteFailed(f"cannot open the journal {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise InvalidInput(
            f"{path} is not a journal of a watch ({error}): move it away, or name another with --state"
        ) from error
    if version == 0 and not tables:
        if read_only:
            raise InvalidInput(f"the journal {path} is empty: nothing was recorded yet")
        return 0
    if version > len(_STEPS):
        raise InvalidInput(
            f"the journal {path} is of version {version}, this program knows up to {len(_STEPS)}: update the "
            "program, or name another with --state"
        )
    if version < 1 or not tables >= _TABLES:
        raise InvalidInput(
            f"{path} is a database of another program: name another file with --state, and leave it alone"
        )
    return int(version)


def _migrate(database: sqlite3.Connection, path: Path, version: int) -> None:
    """Bring a journal to today's version in one transaction; where that fails it stays as it was."""
    try:
        steps = " ".join(_STEPS[version:])
        database.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {len(_STEPS)}; COMMIT;")
    except sqlite3.Error as error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        made = "be made" if version == 0 else f"be brought from version {version} to {len(_STEPS)}"
        raise WriteFailed(f"the journal {path} cannot {made}: {error}") from error


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _shortened(stem: str, ending: str) -> str:
    """Return a file name that file systems take, whatever the stem."""
    while len(os.fsencode(stem + ending)) > _LONGEST_NAME:
        stem = stem[:-1]
    return stem + ending


class _Change(AbstractContextManager[sqlite3.Connection]):
    """One transaction: kept whole, or not at all."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self._database, self._path = database, path

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise WriteFailed(f"cannot write the journal {self._path}: {error}") from error
        return self._database

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            try:
                self._database.execute("COMMIT")
                return
            except sqlite3.Error as failure:
                self._roll_back()
                raise WriteFailed(f"cannot write the journal {self._path}: {failure}") from failure
        self._roll_back()
        if isinstance(error, sqlite3.Error):
            raise WriteFailed(f"cannot write the journal {self._path}: {error}") from error

    def _roll_back(self) -> None:
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")
