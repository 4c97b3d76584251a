"""One watcher for one journal: a lock that the system drops with the process, however that ends."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.io.lock import lock_file


class WatchLock(AbstractContextManager["WatchLock"]):
    """Held from entering to leaving. Raises InvalidInput where another process holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def __enter__(self) -> WatchLock:
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise WriteFailed(f"cannot write {self._path}: {error.strerror or error}") from error
        try:
            lock_file(self._descriptor, wait=False)
        except OSError as error:
            holder = os.read(self._descriptor, 20).decode(errors="replace").strip()
            os.close(self._descriptor)
            who = f" (process {holder})" if holder.isdigit() else ""
            raise InvalidInput(
                f"another watch{who} is running here: stop it first, or give this one another --output-dir"
            ) from error
        with suppress(OSError):  # on a full disk others are not told who holds it
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The file stays: taking it away would let two others each lock one of the same name.
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
