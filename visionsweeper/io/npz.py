"""`.npz` files that may be anything: arrays and a JSON record out; nothing runs, nothing grows too large."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import BadModel
from visionsweeper.io.files import read_at_most

Arrays = dict[str, npt.NDArray[Any]]

_MOST_ARRAYS: Final = 1000


def read_archive(path: Path, most: int, kind: str) -> tuple[Arrays, Mapping[str, Any]]:
    """Read the arrays of an `.npz` file, and its `record`.

    `most` is how many bytes the file may have; `kind` is what it should be, as in "a learned theme". Raises
    BadModel, naming the file, for a missing, unreadable, damaged or hostile one.
    """
    try:
        data = read_at_most(path, most + 1)
    except (OSError, ValueError) as error:
        raise BadModel(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > most:
        raise BadModel(f"{path} is too large for {kind}: at most {most} bytes are read")
    return unpack(data, str(path), most, kind)


def unpack(data: bytes, name: str, most: int, kind: str) -> tuple[Arrays, Mapping[str, Any]]:
    """Read the bytes of a file as `read_archive` does; the arrays may take `most` bytes together."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy warns of odd files; our answers are errors or arrays
            arrays = _arrays(data, name, most, kind)
            record = json.loads(arrays.pop("record").tobytes().decode())
    except BadModel:
        raise
    except Exception as error:  # numpy and zipfile raise whatever a broken file leads them into
        raise BadModel(f"{name} is not {kind}, or is damaged ({_short(error)})") from error
    if not isinstance(record, dict):
        raise BadModel(f"{name} is not {kind}: its record is not an object")
    return arrays, record


def _arrays(data: bytes, name: str, most: int, kind: str) -> Arrays:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > most or len(entries) > _MOST_ARRAYS:
            raise BadModel(
                f"{name} unpacks to {size} bytes in {len(entries)} parts, which is too large for {kind}"
            )
        arrays: Arrays = {}
        for entry in entries:
            with archive.open(entry) as part:
                array = np.lib.format.read_array(part, allow_pickle=False, max_header_size=4096)
            # An array of empty items may claim any shape at no cost in bytes.
            if array.dtype.kind not in "fiub" or array.size > most:
                raise ValueError(f"{entry.filename[:40]!r} is not an array of numbers")
            arrays[entry.filename.removesuffix(".npy")] = array
    return arrays


def _short(error: Exception) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:80]
