"""Files by address (s3://, gs://, https://, ...) or by path, through fsspec."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from visionsweeper.errors import InvalidInput, Unreachable, VisionsweeperError, WriteFailed
from visionsweeper.io.files import PICTURE_SUFFIXES, write_atomically

_OF_OBJECTS: Final = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "http", "https"}
"""Protocols of stores without folders, which show an object only when it is whole."""


def is_address(name: str) -> bool:
    """Tell whether a name is an address rather than a path."""
    return "://" in name


def read_address(address: str, limit: int) -> bytes:
    """Return the bytes of a file, at most `limit` of them.

    Raises InvalidInput where there is no such file, Unreachable where the store is out of reach or refuses.
    """
    system, path = _opened(address, Unreachable)
    try:
        with system.open(path, "rb") as file:
            return bytes(file.read(limit))
    except MemoryError:
        raise
    except Exception as error:  # every store has its own
        kind = InvalidInput if isinstance(error, FileNotFoundError) else Unreachable
        raise kind(f"{address} cannot be read: {_reason(error)}") from error


def write_address(address: str, data: bytes) -> None:
    """Write a file, wholly or not at all, in a folder that is made if need be. Raises WriteFailed.

    A writer that is killed may leave a file of a name that ends in `.tmp`. No bucket is made.
    """
    system, path = _opened(address, WriteFailed)
    try:
        protocols = _protocols(system)
        if "file" in protocols:
            write_atomically(path, data)
        elif protocols & _OF_OBJECTS:  # makedirs would make a bucket
            system.pipe_file(path, data)
        else:
            system.makedirs(system._parent(path), exist_ok=True)
            temporary = f"{path}.{os.urandom(8).hex()}.tmp"  # of its own: two workers may write the same file
            system.pipe_file(temporary, data)
            if system.exists(path):  # some stores move nothing onto a file
                system.rm(path)
            system.mv(temporary, path)
    except WriteFailed:
        raise
    except FileNotFoundError as error:
        raise WriteFailed(f"cannot write {address}: there is no such bucket or folder") from error
    except Exception as error:
        raise WriteFailed(f"cannot write {address}: {_reason(error)}") from error


def folders_below(address: str, *, recursive: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the folder, and the folders in it if `recursive`, each with the pictures in it, sorted.

    One folder after the other is listed: it, and the folders that it lies in, have to fit into memory.
    Raises InvalidInput.
    """
    system, root = _opened(address, InvalidInput)
    try:
        system.invalidate_cache()
        if _is_one_file(system, root):
            yield address, [address]
            return
        for folder, pictures in _walked(system, root, recursive=recursive):
            system.invalidate_cache()  # stores keep what they listed; not all of them take use_listings_cache
            if pictures:
                whole = system.unstrip_protocol(folder) if is_address(address) else folder
                yield whole, [f"{whole.rstrip('/')}/{name}" for name in sorted(pictures)]
    except Exception as error:
        raise InvalidInput(f"{address} cannot be listed: {_reason(error)}") from error


def names_in(address: str) -> set[str]:
    """Return the names of the files in a folder; none where there is no such folder. Raises InvalidInput."""
    system, path = _opened(address, InvalidInput)
    try:
        system.invalidate_cache()
        if _has_pages(system, path):
            return {name for names, below in _pages(system, path) for name in (*names, *below)}
        return {_last(name) for name in system.ls(path, detail=False)}
    except FileNotFoundError:
        return set()
    except Exception as error:
        raise InvalidInput(f"{address} cannot be listed: {_reason(error)}") from error
    finally:
        system.invalidate_cache()


def _is_one_file(system: Any, path: str) -> bool:
    if _has_pages(system, path):  # isdir would hold the whole folder
        return bool(system.info(path)["type"] == "file")
    return bool(system.exists(path) and not system.isdir(path))


def _walked(system: Any, root: str, *, recursive: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the folder, and those below it if `recursive`, each with the names of the pictures in it."""
    if not _has_pages(system, root):
        for folder, _, files in system.walk(root, maxdepth=None if recursive else 1, on_error="raise"):
            yield folder, list(filter(_is_picture, files))
        return
    left = [root]
    while left:
        folder = left.pop()
        pictures: list[str] = []
        below: list[str] = []
        for names, folders in _pages(system, folder):
            pictures += filter(_is_picture, names)
            below += folders
        yield folder, pictures
        if recursive:
            left += [f"{folder}/{name}" for name in sorted(below, reverse=True)]


def _has_pages(system: Any, path: str) -> bool:
    """Whether a folder can be listed by pages of names: in buckets of S3."""
    return "s3" in _protocols(system) and hasattr(system, "call_s3") and bool(path.strip("/"))


def _pages(system: Any, path: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names of the files and of the folders in a folder of S3, up to a thousand at a time.

    What s3fs lists as a whole takes over a kilobyte a file.
    """
    bucket, prefix, _ = system.split_path(path)
    prefix = f"{prefix.rstrip('/')}/" if prefix else ""
    more: dict[str, str] = {}
    while True:
        page = system.call_s3(
            "list_objects_v2", Bucket=bucket, Prefix=prefix, Delimiter="/", **more, **system.req_kw
        )
        files = [one["Key"] for one in page.get("Contents", ()) if one["Key"] != prefix]
        folders = [one["Prefix"] for one in page.get("CommonPrefixes", ())]
        yield [_last(name) for name in files], [_last(name) for name in folders]
        if not page.get("IsTruncated"):
            return
        more = {"ContinuationToken": page["NextContinuationToken"]}


def _last(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _protocols(system: Any) -> set[str]:
    given = system.protocol
    return {given} if isinstance(given, str) else set(given)


def _is_picture(name: str) -> bool:
    lower = name.lower()
    hidden = name.startswith(".")
    return lower.endswith(PICTURE_SUFFIXES) and not hidden and ".solved." not in lower


def _opened(address: str, kind: type[VisionsweeperError]) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # an extra
    except ImportError as error:
        raise Unreachable(
            "files by address need the package `fsspec`: pip install 'visionsweeper[dask]'"
        ) from error
    try:
        system, path = url_to_fs(address)
    except Exception as error:
        raise kind(f"{address}: {_reason(error)}") from error
    return system, path


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return " ".join(str(error).split()) or type(error).__name__
