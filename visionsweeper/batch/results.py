"""The file of results: JSON Lines, appended to line by line, and resumed after any interruption."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Final

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.io.files import make_folder, what_it_means

_BEGINNING: Final = b'{"'
"""Every result begins so: a last line that does not is none that was cut short."""


class ResultsFile:
    """Results of pictures, one line each. Use it as a context.

    Raises InvalidInput for a file that holds anything else, and WriteFailed.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.known: set[str] = set()
        """Names of the pictures that the file has results of."""
        self._descriptor = -1

    def __enter__(self) -> ResultsFile:
        try:
            make_folder(self._place.parent)
            self._descriptor = os.open(
                self._place, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666
            )
            self._take_known()
        except OSError as error:
            self.close()
            raise WriteFailed(f"cannot write {self._place}: {what_it_means(error)}") from error
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def write(self, line: str) -> None:
        """Append a result. Raises WriteFailed; then none of the line counts."""
        data = f"{line}\n".encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise WriteFailed(
                f"cannot write {self._place}: {what_it_means(error)}; run the same command again to continue"
            ) from error

    def _take_known(self) -> None:
        """Learn what is there; a last line that was not finished is cut off, if it is one of ours."""
        whole = 0
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    if not _cut_short(line):
                        self._name_in(line, number)
                    break
                self.known.add(self._name_in(line, number))
                whole += len(line)
        os.ftruncate(self._descriptor, whole)
        os.lseek(self._descriptor, whole, os.SEEK_SET)

    def _name_in(self, line: bytes, number: int) -> str:
        try:
            found = json.loads(line)["image"]
        except (ValueError, KeyError, TypeError, RecursionError):
            found = None
        if not isinstance(found, str):
            raise InvalidInput(
                f"line {number} of {self._place} is not the result of a picture: name another "
                "file with --jsonl"
            )
        return found


def _cut_short(line: bytes) -> bool:
    """Whether a line may be the beginning of a result: of an object that does not end."""
    if not line.startswith(_BEGINNING[: len(line)]):
        return False
    try:
        json.loads(line)
    except ValueError:
        return True
    return False
