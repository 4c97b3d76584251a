"""When a picture is whole: no delay is guessed; a file is looked at until it stays as it is and decodes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Final

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import read_at_most

FIRST_LOOK: Final = 0.05
"""Seconds between the first two looks; each further pause is twice as long."""

LONGEST_PAUSE: Final = 2.0
"""Seconds between looks at most."""

PATIENCE: Final = 15.0
"""Seconds for which a file that does not decode has to stay the same to be taken for damaged."""

UNPROVEN: Final = 2.0
"""Seconds that a file has to stay as it is where nothing in it proves that it is whole."""

_TEMPORARY: Final = (".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", "~")


def is_temporary(path: Path) -> bool:
    """Tell whether programs use such a name for what is not finished: hidden, or with such an ending."""
    name = path.name.lower()
    return name.startswith((".", "~")) or name.endswith(_TEMPORARY)


@dataclass(frozen=True)
class Stamp:
    """What tells one state of a file from another, as far as the system says."""

    size: int
    """Bytes."""
    modified: int
    """Nanoseconds since 1970."""
    identity: tuple[int, int]
    """Device and file number."""


@dataclass(frozen=True)
class Arrival:
    """A picture that stays as it is."""

    source: Path
    data: bytes
    """Its content, just as the digest was made from it."""
    digest: str
    """SHA-256 in hexadecimal."""
    stamp: Stamp


@dataclass
class _Waiting:
    due: float
    pause: float = FIRST_LOOK
    stamp: Stamp | None = None
    since: float = 0.0
    """When the stamp was first seen."""


def stamp_of(path: Path) -> Stamp | None:
    """Return the file's state now; None when there is no ordinary file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    if not S_ISREG(found.st_mode):
        return None
    return Stamp(found.st_size, found.st_mtime_ns, (found.st_dev, found.st_ino))


def decodes(data: bytes) -> bool:
    """Tell whether the bytes are a whole picture, as far as decoding tells."""
    from visionsweeper.io.images import load_image  # slow to load

    try:
        load_image(data)
    except InvalidInput:
        return False
    return True


def has_end(data: bytes) -> bool:
    """Tell whether the bytes end as their format ends.

    Decoding alone does not tell: of an animated picture the first frame is enough for it, and a file that was
    given its full size first is padded with zeros. BMP, TIFF and WebP have no such end.
    """
    if data.startswith(b"\x89PNG"):
        return b"IEND" in data[-64:]
    if data.startswith(b"GIF8"):
        return data.endswith(b";")
    return data.startswith(b"\xff\xd8") and data[-2:] == b"\xff\xd9"


class Arrivals:
    """Files that something was heard of, until they are whole."""

    def __init__(self, most_bytes: int, *, whole: Callable[[bytes], bool] = decodes) -> None:
        self._most_bytes = most_bytes
        self._whole = whole
        self._waiting: dict[Path, _Waiting] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def seen(self, path: Path, now: float) -> None:
        """Note that something happened to a file: look at it soon, and from the start."""
        waiting = self._waiting.setdefault(path, _Waiting(now + FIRST_LOOK))
        waiting.pause = FIRST_LOOK
        waiting.due = min(waiting.due, now + FIRST_LOOK)

    @property
    def next_due(self) -> float | None:
        """When the next look is due; None when nothing waits."""
        return min((waiting.due for waiting in self._waiting.values()), default=None)

    def due(self, now: float) -> Iterator[Arrival]:
        """Look at the files whose time has come, in the order they were heard of; those that are whole.

        A file that is gone is forgotten. One that does not decode but stays the same for long is handed on
        too: what is wrong with it is for the reader to say.
        """
        for path, waiting in list(self._waiting.items()):
            if waiting.due > now:
                continue
            stamp = stamp_of(path)
            if stamp is None:
                del self._waiting[path]
                continue
            if stamp != waiting.stamp:
                waiting.stamp, waiting.since = stamp, now
            else:
                arrival = self._read(path, stamp, now - waiting.since)
                if arrival is not None:
                    del self._waiting[path]
                    yield arrival
                    continue
            waiting.due = now + waiting.pause
            waiting.pause = min(2 * waiting.pause, LONGEST_PAUSE)

    def _read(self, path: Path, stamp: Stamp, same: float) -> Arrival | None:
        """Read the file if it is whole, having stayed the same for so many seconds."""
        patient = same < PATIENCE
        try:
            data = read_at_most(path, self._most_bytes)
        except (OSError, ValueError):
            if patient:
                return None
            data = b""
        # What was read is one state of the file only if nothing happened to it meanwhile.
        if stamp_of(path) != stamp or (same < UNPROVEN and not has_end(data)):
            return None
        if patient and not self._whole(data):
            return None
        return Arrival(path, data, hashlib.sha256(data).hexdigest(), stamp)
