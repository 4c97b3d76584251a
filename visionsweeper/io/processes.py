"""How processes behave: numpy keeps to one thread, workers leave signals alone and have bounded memory."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from typing import Any


def keep_to_one_thread() -> None:
    """Let numpy use one thread in processes started from here on, and in this one if it is not loaded yet.

    The matrices are small: starting threads for them takes longer than they save. What the user set stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def begin_worker() -> None:
    """Leave signals to the main process, and end with it, however it ends."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(AttributeError, ValueError):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    keep_to_one_thread()
    from multiprocessing import parent_process  # slow to load, and the command line loads this module

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def limit_memory(megabytes: int) -> None:
    """Let what needs more memory than this fail with a MemoryError; no limit where the system has none."""
    try:
        import resource  # POSIX alone
    except ImportError:
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
