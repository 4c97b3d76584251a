"""Reading, writing and asking about what a name may stand for: files, pipes, devices, impossible names."""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final
from unicodedata import normalize

from visionsweeper.errors import WriteFailed

PATIENCE_FOR_A_WRITER: Final = 3.0
"""Seconds that a named pipe may stay without anybody who writes to it."""

PATIENCE_FOR_DATA: Final = 60.0
"""Seconds that whoever writes to a named pipe may say nothing."""

_ELSEWHERE: Final = "choose another place"
_IS_FOLDER: Final = "it is a folder, name a file in it"
_NO_PERMISSION: Final = f"no permission, {_ELSEWHERE}"

PICTURE_SUFFIXES: Final = (".png", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".jpg", ".jpeg")
"""Endings of the names of pictures, lower case; those that keep every pixel come first."""

_CHUNK: Final = 1 << 20

_WITHOUT_WAITING: Final = getattr(os, "O_NONBLOCK", 0)
"""Lets a pipe be opened that nobody has the other end of; 0 on Windows, whose named pipes are no files."""


def read_at_most(path: Path, limit: int) -> bytes:
    """Read the bytes of a file, at most `limit` of them, so that an endless device ends too.

    A named pipe is waited for, but not for ever. Raises OSError, and ValueError for what can be no name.
    """
    # A pipe that nobody writes to would hold up a plain open() for ever.
    flags = os.O_RDONLY | _WITHOUT_WAITING | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except PermissionError:
        if path.is_dir():  # which Windows does not open
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path)) from None
        raise
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if stat.S_ISFIFO(kind):
            return _read_pipe(descriptor, limit)
        _wait_again(descriptor)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)


def _wait_again(descriptor: int) -> None:
    """Let reads and writes wait again; nothing to do on Windows, where _WITHOUT_WAITING is 0."""
    if _WITHOUT_WAITING:
        os.set_blocking(descriptor, True)


def _read_pipe(descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    size, start = 0, time.monotonic()
    while size < limit:
        try:
            part = os.read(descriptor, min(_CHUNK, limit - size))
        except BlockingIOError:  # somebody holds the other end, and is silent
            if not select.select([descriptor], [], [], PATIENCE_FOR_DATA)[0]:
                raise TimeoutError(
                    errno.ETIMEDOUT, f"it is a pipe, and no data came for {PATIENCE_FOR_DATA:g} seconds"
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
    descriptor = os.open(path, os.O_WRONLY | _WITHOUT_WAITING | getattr(os, "O_BINARY", 0))
    _wait_again(descriptor)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write the bytes under a temporary name in the same folder, then rename: never a half-written file.

    A missing folder is made, a link written through, a device or pipe written to directly. Raises
    WriteFailed, and leaves what was there before as it was.
    """
    try:
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        if target.exists() and not target.is_file():
            write_to_device(target, data)
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "write-protected")
        make_folder(target.parent)
        try:
            # 0o666 lets the umask decide, unlike the private files of tempfile.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        raise WriteFailed(f"cannot write {path}: {what_it_means(error)}") from error


def make_folder(folder: str | Path) -> None:
    """Make a folder, and those that it lies in, where they are missing. Raises WriteFailed."""
    try:
        Path(os.path.realpath(folder)).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise WriteFailed(f"cannot make the folder {folder}: {what_it_means(error)}") from error


def check_folder(folder: str | Path, output: str | Path | None = None) -> None:
    """Raise WriteFailed where no file could be written to a folder, as far as that is seen before the work.

    The folder need not exist yet. Messages name the output, which is the folder unless another is given.
    """
    output = folder if output is None else output
    there = _resolved(folder, output)
    while not is_there(there) and there != there.parent:
        there = there.parent
    if not is_folder(there):
        raise WriteFailed(f"cannot write {output}: {there} is a file, {_ELSEWHERE}")
    if not os.access(there, os.W_OK | os.X_OK):
        raise WriteFailed(f"cannot write {output}: {_NO_PERMISSION}")


def check_place(path: str | Path, suffixes: Iterable[str] | None = None) -> None:
    """Raise WriteFailed where a file could not be written, as far as that is seen before the work.

    `suffixes` are those that its name may have, lower-case with their dots; None where any will do.
    """
    if suffixes is not None:
        check_suffix(path, suffixes)
    target = _resolved(path, path)
    if is_folder(path):
        raise WriteFailed(f"cannot write {path}: {_IS_FOLDER}")
    if is_there(path) and not os.access(path, os.W_OK):
        raise WriteFailed(f"cannot write {path}: {_NO_PERMISSION}")
    if is_file(path) or not is_there(path):  # devices and pipes are written to where they are
        check_folder(target.parent, path)


def _resolved(path: str | Path, output: str | Path) -> Path:
    """Return where a path leads through links. Raises WriteFailed, naming the output, where it is no path."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise WriteFailed(f"cannot write {output}: {what_it_means(error)}") from error


def check_suffix(path: str | Path, suffixes: Iterable[str]) -> None:
    """Raise WriteFailed unless the name ends as one of the kinds of files that can be written."""
    if Path(path).suffix.lower() not in suffixes:
        raise WriteFailed(f"cannot write {path}: use a name that ends in {', '.join(suffixes)}")


_MEANINGS: Final = {
    getattr(errno, "EDQUOT", errno.ENOSPC): f"the disk quota is used up, make room or {_ELSEWHERE}",
    errno.ENOSPC: f"the disk is full, make room or {_ELSEWHERE}",
    errno.EROFS: f"the disk is read-only, {_ELSEWHERE}",
    errno.EFBIG: f"it is larger than files may be here, {_ELSEWHERE}",
    errno.ENXIO: "it is a pipe that nobody reads, start its reader first",
    errno.EPIPE: "it is a pipe that nobody reads any more, start its reader again",
}


def what_it_means(error: Exception) -> str:
    """Return what an operating system error means, in a person's words, and what to do."""
    if isinstance(error, IsADirectoryError):
        return _IS_FOLDER
    if isinstance(error, NotADirectoryError | FileExistsError):
        return f"a part of its path is a file, {_ELSEWHERE}"
    if isinstance(error, FileNotFoundError):
        return f"no folder can be made there, {_ELSEWHERE}"
    if isinstance(error, PermissionError):
        return _NO_PERMISSION
    if isinstance(error, OSError) and error.errno in _MEANINGS:
        return _MEANINGS[error.errno]
    return f"{(error.strerror if isinstance(error, OSError) else None) or error}, {_ELSEWHERE}"


def key_of_name(name: str) -> str:
    """Return the same for all spellings by which the usual file systems here find a file."""
    return normalize("NFC", name).casefold() if has_several_spellings() else name


def has_several_spellings() -> bool:
    """Tell whether file systems keep names as they were written, and find them by other spellings too.

    These differ in capitals and accents.
    """
    return sys.platform in {"win32", "darwin"}


def is_folder(path: str | Path) -> bool:
    """Tell whether there is a folder of that name; False, too, where that cannot be found out."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: str | Path) -> bool:
    """Tell whether there is an ordinary file of that name; False, too, where that cannot be found out."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_there(path: str | Path) -> bool:
    """Tell whether there is anything of that name; False, too, where that cannot be found out."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False
