"""One process at a time: a lock on a file, which the system drops with the process, however that ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment,unused-ignore]


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until nobody else is in here with this file; go in all the same where it cannot be locked."""
    descriptor = -1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        pass
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)
