"""Reading and asking about whatever a name may stand for: files, pipes, devices, names that cannot be."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from pathlib import Path
from typing import Final

PATIENCE_FOR_A_WRITER: Final = 3.0
"""Seconds that a named pipe may stay without anybody who writes to it."""

PATIENCE_FOR_DATA: Final = 60.0
"""Seconds that whoever writes to a named pipe may say nothing."""

_CHUNK: Final = 1 << 20


def read_at_most(path: Path, limit: int) -> bytes:
    """The bytes of a file, at most `limit` of them, so that an endless device ends too.

    A named pipe is waited for, but not for ever. Raises OSError, and ValueError for what can be no name.
    """
    # A pipe that nobody writes to would hold up a plain open() for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if stat.S_ISFIFO(kind):
            return _read_pipe(descriptor, limit)
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)


def _read_pipe(descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    size, start = 0, time.monotonic()
    while size < limit:
        try:
            part = os.read(descriptor, min(_CHUNK, limit - size))
        except BlockingIOError:  # somebody holds the other end, and is silent
            if not select.select([descriptor], [], [], PATIENCE_FOR_DATA)[0]:
                raise TimeoutError(
                    errno.ETIMEDOUT, f"it is a pipe, and nothing came for {PATIENCE_FOR_DATA:g} seconds"
                ) from None
            start = float("-inf")  # from here on an end is the end
            continue
        if part:
            parts.append(part)
            size += len(part)
        elif parts or start == float("-inf"):
            break
        elif time.monotonic() - start > PATIENCE_FOR_A_WRITER:
            raise TimeoutError(errno.ETIMEDOUT, "it is a pipe that nobody writes to")
        else:
            time.sleep(0.02)
    return b"".join(parts)


def write_to_device(path: Path, data: bytes) -> None:
    """Write to something that is no ordinary file. Raises OSError, at once for a pipe that nobody reads."""
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder of that name; False, too, where that cannot be found out."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: str | Path) -> bool:
    """Whether there is an ordinary file of that name; False, too, where that cannot be found out."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_there(path: str | Path) -> bool:
    """Whether there is anything of that name; False, too, where that cannot be found out."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False
