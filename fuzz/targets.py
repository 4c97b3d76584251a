"""What the fuzz targets and their tests share: seeds, and one call of each reader with arbitrary bytes."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from visionsweeper.board import SYMBOLS, Board
from visionsweeper.errors import BadModel, InvalidInput
from visionsweeper.io.images import load_image
from visionsweeper.io.npz import unpack
from visionsweeper.learning.group_sheet import board_from_groups
from visionsweeper.vision.themes.theme import unpacked_theme
from visionsweeper.vision.tiles.knn import unpacked_model

MOST_PIXELS = 1_000_000
MOST_BYTES = 4 * 1024 * 1024

# --- pictures


def image_seeds() -> list[bytes]:
    """Small pictures of every format and of many modes."""
    rng = np.random.default_rng(1)
    rgb = Image.fromarray(rng.integers(0, 256, (6, 9, 3), dtype=np.uint8))
    deep = Image.fromarray(rng.integers(0, 65536, (6, 9), dtype=np.uint16))
    exif = Image.Exif()
    exif[0x0112] = 6
    modes = [
        rgb,
        rgb.convert("L"),
        rgb.convert("1"),
        rgb.convert("P"),
        rgb.convert("RGBA"),
        rgb.convert("LA"),
    ]
    seeds = []
    for kind, more in (
        ("PNG", [*modes, deep]),
        ("JPEG", [rgb, rgb.convert("L"), rgb.convert("CMYK")]),
        ("WEBP", [rgb, rgb.convert("RGBA")]),
        ("BMP", [rgb, rgb.convert("P"), rgb.convert("1")]),
        ("GIF", [rgb.convert("P")]),
        ("TIFF", [*modes, deep, rgb.convert("F"), rgb.convert("I"), rgb.convert("CMYK")]),
    ):
        seeds += [_saved(picture, kind) for picture in more]
    seeds += [_saved(rgb, kind, exif=exif) for kind in ("PNG", "JPEG", "WEBP", "TIFF")]
    seeds += [
        _saved(rgb, "TIFF", compression=packing)
        for packing in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg")
    ]
    seeds += [_saved(rgb.convert("1"), "TIFF", compression="group4"), _saved(rgb, "JPEG", progressive=True)]
    seeds += [
        _saved(rgb.convert("P"), kind, save_all=True, append_images=[rgb.convert("P")] * 2)
        for kind in ("GIF", "PNG", "TIFF")
    ]
    seeds.append(_saved(rgb, "WEBP", save_all=True, append_images=[rgb.rotate(180)]))
    return seeds


def _saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def with_right_checksums(data: bytes) -> bytes:
    """The same PNG with the checksum of every chunk put right, so that what is inside gets looked at."""
    out, place = bytearray(data), 8
    while place + 12 <= len(out):
        (length,) = struct.unpack(">I", out[place : place + 4])
        end = place + 8 + length
        if end + 4 > len(out):
            break
        out[end : end + 4] = struct.pack(">I", zlib.crc32(out[place + 4 : end]))
        place = end + 4
    return bytes(out)


def try_image(data: bytes) -> bool:
    """Whether the bytes are read as a picture; anything but a picture or InvalidInput is a finding."""
    if data.startswith(b"\x89PNG") and len(data) % 2:
        data = with_right_checksums(data)
    try:
        picture = load_image(data, max_pixels=MOST_PIXELS)
    except InvalidInput as error:
        _check_message(error)
        return False
    assert picture.ndim == 3, picture.shape
    assert picture.shape[2] == 3, picture.shape
    assert 0 < picture.size <= 3 * MOST_PIXELS, picture.shape
    assert picture.dtype == np.uint8
    assert not picture.flags.writeable
    return True


# --- boards


def board_seeds() -> list[bytes]:
    """Boards and groups files, as text in several encodings."""
    texts = ["???\n111\n", "# a comment\n\n? F * x\n0 . _ 8\n", SYMBOLS + "\n", "1\r\n2\r\n", "?1\n?\n"]
    groups = "# shot\n  1 = 0   # 3 tiles\n  2 = F\n\nmap 1 2 1\nmap 2 1 1\n"
    encoded = [text.encode() for text in (*texts, groups)]
    return [*encoded, *(("\ufeff" + texts[0]).encode(kind) for kind in ("utf-8", "utf-16-le", "utf-16-be"))]


def try_board(data: bytes) -> bool:
    """Whether the bytes are read as a board, which then says itself again; else only InvalidInput."""
    from visionsweeper.cli.inputs import decoded  # imported under the fuzzer's eyes

    try:
        text = decoded(data, "the file")
    except InvalidInput as error:
        _check_message(error)
        return False
    read = False
    for reader in (Board.from_text, board_from_groups):
        try:
            board = reader(text)
        except InvalidInput as error:
            _check_message(error)
            continue
        read = True
        assert Board.from_text(str(board)) == board
        assert board.rows * board.columns == board.cells.size > 0
    return read


# --- models and themes

_SMALL = {"mean": 4, "prototypes": 5}


def model_seeds() -> list[bytes]:
    """Recipes of archives (see `archive_of`): themes, parts of models, oddities."""
    tiles = np.zeros((1, 32, 32, 3), np.uint8)
    good = {"format_version": 1, "sources": [{}]}
    theme = {"tiles": tiles, "looks": np.zeros(1, np.uint8), "record": _record(good)}
    model: dict[str, Any] = {
        "mean": np.zeros(4, np.float32),
        "scale": np.ones(4, np.float32),
        "prototypes": np.ones((5, 3), np.float16),
        "labels": np.arange(5, dtype=np.uint8),
        "calibration": np.zeros((2, 3), np.float32),
        "record": _record({"format_version": 4, "feature_version": _feature_version(), "neighbours": 2}),
        "embedding_0_weight_0": np.ones((4, 3), np.float16),
        "embedding_0_bias_0": np.zeros(3, np.float32),
        "embedding_0_weight_1": np.ones((3, 2), np.float16),
        "embedding_0_bias_1": np.zeros(2, np.float32),
    }
    for name, (inputs, outputs) in _layer_sizes().items():
        model[f"{name}_weight_0"] = np.zeros((inputs, outputs), np.float16)
        model[f"{name}_bias_0"] = np.zeros(outputs, np.float32)
    return [_archive(theme), _archive(model), _archive(theme, zipfile.ZIP_DEFLATED)]


def _feature_version() -> int:
    from visionsweeper.vision.tiles.features import FEATURE_VERSION

    return FEATURE_VERSION


def _layer_sizes() -> dict[str, tuple[int, int]]:
    from visionsweeper.vision.tiles.confidence import CONFIDENCE_FEATURES
    from visionsweeper.vision.tiles.context import CONTEXT_FEATURES

    return {
        "context": (CONTEXT_FEATURES, 1),
        "confidence": (CONFIDENCE_FEATURES, 1),
    }


def _record(value: Any) -> Any:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _archive(arrays: dict[str, Any], packing: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as file:
        for name, array in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asarray(array), allow_pickle=False)
            file.writestr(f"{name}.npy", part.getvalue())
    return buffer.getvalue()


def with_right_sums(data: bytes) -> bytes:
    """The same archive with right checksums, as far as its parts can be told: else damage ends there."""
    out = bytearray(data)
    places = [place for place in range(len(out)) if out.startswith(b"PK\x03\x04", place)]
    sums: dict[int, int] = {}
    for place in places:
        if place + 30 > len(out):
            continue
        size, _, name, extra = struct.unpack("<IIHH", out[place + 18 : place + 30])
        start = place + 30 + name + extra
        sums[place] = zlib.crc32(out[start : start + size])
        out[place + 14 : place + 18] = struct.pack("<I", sums[place])
    for place in range(len(out) - 46):
        if out.startswith(b"PK\x01\x02", place):
            (local,) = struct.unpack("<I", out[place + 42 : place + 46])
            if local in sums:
                out[place + 16 : place + 20] = struct.pack("<I", sums[local])
    return bytes(out)


def try_model(data: bytes) -> bool:
    """Whether the bytes are read as a model or a theme; else only BadModel."""
    if len(data) % 4:
        data = with_right_sums(data)
    path, read = Path("m.npz"), False
    try:
        arrays, record = unpack(data, "m.npz", MOST_BYTES, "a model")
    except BadModel as error:
        _check_message(error)
        return False
    for reader in (unpacked_model, unpacked_theme):
        try:
            reader(path, dict(arrays), record)
        except BadModel as error:
            _check_message(error)
        else:
            read = True
    return read


def _check_message(error: Exception) -> None:
    assert str(error).strip(), "an error without a word"
    assert len(str(error)) < 1000, "an error of a whole page"


TARGETS: dict[str, tuple[Callable[[], list[bytes]], Callable[[bytes], bool]]] = {
    "image": (image_seeds, try_image),
    "board": (board_seeds, try_board),
    "model": (model_seeds, try_model),
}
