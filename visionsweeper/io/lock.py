"""One process at a time: a lock on a file, which the system drops with the process, however that ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment,unused-ignore]

_LOCKED_BYTE: Final = 1 << 20
"""On Windows one byte is locked, and not to be read by others: one far behind what the file says."""

_PAUSE: Final = 0.1
"""Seconds between two attempts on Windows."""


def lock_file(descriptor: int, *, wait: bool) -> None:
    """Lock an open file until it is closed. Raises OSError where another has it and `wait` is false."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return
    import msvcrt  # Windows alone

    while True:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            return
        except OSError:
            if not wait:
                raise
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        time.sleep(_PAUSE)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until nobody else is in here with this file; go in all the same where it cannot be locked."""
    descriptor = -1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        lock_file(descriptor, wait=True)
    except OSError:
        pass
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)
