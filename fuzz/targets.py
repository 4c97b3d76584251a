"""What the fuzz targets and their tests share: seeds, and one call of each reader with arbitrary bytes."""

from __future__ import annotations

import atexit
import io
import json
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from visionsweeper.batch.results import ResultsFile
from visionsweeper.board import SYMBOLS, Board
from visionsweeper.cli.configuration import check_whole
from visionsweeper.errors import BadModel, InvalidInput, WriteFailed
from visionsweeper.formats import FORMATS, StoredPosition, read_position, write_position
from visionsweeper.game.replay_files import read_replay
from visionsweeper.game.rules import Rules
from visionsweeper.game.saved import replay, to_text
from visionsweeper.io.images import load_image
from visionsweeper.io.npz import unpack
from visionsweeper.learning.group_sheet import board_from_groups
from visionsweeper.simulation.results import load_outcomes
from visionsweeper.simulation.run import Outcome, as_dict, from_dict, rules_of
from visionsweeper.vision.themes.theme import unpacked_theme
from visionsweeper.vision.tiles.knn import unpacked_model
from visionsweeper.watch.journal import Journal, Status

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
    """Put the checksum of every chunk of a PNG right, so that what is inside gets looked at."""
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
    """Put the checksums of an archive right, as far as its parts can be told: else damage ends there."""
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


# --- positions, in the forms of other programs

_WRITTEN_AND_READ = ("text", "jsminesweeper", "emoji", "discord")


def position_seeds() -> list[bytes]:
    """Return a game in progress and one that is over, in every form that is written; and forms only read."""
    playing, over = Board.from_text("??1\n?F2\n110\n"), Board.from_text("F10\n110\n000\n")
    seeds = [b'{"board": ["?1", "11"], "mines": 1, "continues": ["left"]}']
    for board in (playing, over):
        for one in FORMATS:
            with suppress(InvalidInput):
                seeds.append(write_position(StoredPosition(board, 1), one.name))
    tables = ["?\t1\t0\n?\t1\t\n", '"-1",1\n?,"2.0"\n', "|1|?|\n|--|--|\n|F|H|\n", "||:one:||🟦\n🚩⬜\n"]
    return [*seeds, *(text.encode() for text in tables), b"# continues: left,top\n1?\n??\n"]


def try_position(data: bytes) -> bool:
    """Whether the bytes are read as a position, which then can be written and read again."""
    read = False
    for name in ("", "a.mbf"):
        try:
            found = read_position(data, name)
        except InvalidInput as error:
            _check_message(error)
            continue
        read = True
        assert found.mines is None or found.mines >= 0
        for kind in FORMATS:
            try:
                written = write_position(found, kind.name)
            except InvalidInput as error:
                _check_message(error)
                continue
            again = read_position(written, f"a{kind.suffixes[0]}")
            if kind.name in _WRITTEN_AND_READ:
                assert (again.board.cells == found.board.cells).all(), kind.name
    return read


# --- games that were saved, and replays


def saved_seeds() -> list[bytes]:
    """Return a game with each kind of move."""
    return [b"*..\n...\n..*\nopen 0,2\nflag 0,0\nchord 0,1\n", b"# a game\n.*\n..\nopen 0,1\n"]


def try_saved(data: bytes) -> bool:
    """Whether the bytes are read as a saved game, which says itself again."""
    try:
        game = replay(data.decode("utf-8", "replace"))
    except InvalidInput as error:
        _check_message(error)
        return False
    assert str(replay(to_text(game)).board) == str(game.board)
    return True


_RAWVF_HEAD = (
    "RawVF_Version: Rev6.2\nWidth: 5\nHeight: 2\nMines: 1\nMarks: on\nSquareSize: 16\nBoard:\n*0000\n00000\n"
)


def rawvf_seeds() -> list[bytes]:
    """Return a replay with each kind of event."""
    events = "".join(
        f"{at}.5 {what} 5 1 (67 {at})\n"
        for at, what in enumerate(["lc", "lr", "rc", "rr", "mc", "mr", "sc", "mv", "mt"])
    )
    return [
        f"{_RAWVF_HEAD}Events:\n{events}".encode(),
        f"{_RAWVF_HEAD}Events:\n0.0 lc 1 1 (5 5)\n0.1 lr (5 5)\n".encode(),
    ]


def try_rawvf(data: bytes) -> bool:
    """Whether the bytes are read as a RawVF replay, each of whose boards is one of a game."""
    try:
        found = read_replay(data, "a.rawvf", most_tiles=2_000, most_in_all=200_000)
    except InvalidInput as error:
        _check_message(error)
        return False
    assert len({board.cells.shape for board in found.boards}) == 1
    assert all(at is not None and at >= 0 for at in found.seconds)
    return True


# --- files that the program keeps


def config_seeds() -> list[bytes]:
    """Return configuration files with values of each kind."""
    return [
        b'width = 30\n[parse]\nbox = [1, 2, 3, 4]\ntrust-flags = true\nmodel = "general"\n',
        b'[simulate]\ntechnique = ["single", "best"]\ngames = 10\n[serve]\nport = 1\n[solve]\nmines = 1e3\n',
    ]


def try_config(data: bytes) -> bool:
    """Whether the bytes are a configuration file that fits the options of all commands."""
    commands = _commands()
    try:
        check_whole(data.decode("utf-8-sig", "replace"), commands)
    except InvalidInput as error:
        _check_message(error)
        return False
    return True


@cache
def _commands() -> dict[str, Any]:
    from visionsweeper.cli import COMMANDS  # imported under the fuzzer's eyes

    return {name: import_module(f"visionsweeper.cli.{name}").command for name in COMMANDS}


def results_seeds() -> list[bytes]:
    """Results of simulations and of a batch of pictures."""
    played = [
        Outcome(Rules(9, 9, 10), "best", 1, games=3, won=1, lost=2, said=((1,), (2,), (0,)), seconds=0.5),
        Outcome(
            rules_of(Board.from_text("?1\n11\n"), 1),
            "exact",
            0,
            games=2,
            won=2,
            position=Board.from_text("?1\n11\n"),
        ),
    ]
    lines = [json.dumps(as_dict(one)) for one in played]
    pictures = b'{"version": 1, "image": "a.png"}\n{"version": 1, "image": "b.png"}\n{"vers'
    return ["\n".join(lines).encode(), pictures]


def try_results(data: bytes) -> bool:
    """Whether the bytes are results, of simulations or of pictures; the first say themselves again."""
    place, read = _scratch() / "results.jsonl", False
    place.write_bytes(data)
    try:
        for outcome in load_outcomes(place):
            assert from_dict(json.loads(json.dumps(as_dict(outcome), allow_nan=False))) == outcome
            read = True
    except InvalidInput as error:
        _check_message(error)
    try:
        with ResultsFile(place) as results:
            read = read or bool(results.known)
    except InvalidInput as error:
        _check_message(error)
        assert place.read_bytes() == data, "a file that was refused was changed"
    return read


def journal_seeds() -> list[bytes]:
    """Return a journal with an entry of each status."""
    place = _scratch() / "seed.sqlite"
    place.unlink(missing_ok=True)
    with Journal(place) as journal:
        journal.note_folder(Path("/in"), [(Path("/in/old.png"), 1, 2)])
        for number, status in enumerate((Status.DONE, Status.PASSED, Status.FAILED, None)):
            entry = journal.queue(Path(f"/in/{number}.png"), f"{number}", 3, 4, Path("/out"))
            if status is not None and entry is not None:
                journal.finish(entry.number, status, "why")
    return [place.read_bytes()]


def try_journal(data: bytes) -> bool:
    """Whether the bytes are read as the journal of a watch, and what is done next can be recorded in it."""
    place = _scratch() / "journal.sqlite"
    for left in (place, Path(f"{place}-journal"), Path(f"{place}-wal")):
        left.unlink(missing_ok=True)
    place.write_bytes(data)
    try:
        with Journal(place) as journal:
            journal.entries()
            journal.counts()
            journal.pending()
            entry = journal.queue(Path("/in/new.png"), "9", 1, 2, Path("/out"))
            if entry is not None:
                journal.finish(entry.number, Status.DONE)
    except (InvalidInput, WriteFailed) as error:
        _check_message(error)
        return False
    return True


@cache
def _scratch() -> Path:
    """Return a folder for readers that take files, in memory where the system has such."""
    memory = Path("/dev/shm")
    made = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    atexit.register(made.cleanup)
    return Path(made.name)


def _check_message(error: Exception) -> None:
    assert str(error).strip(), "an error without a word"
    assert len(str(error)) < 1000, "an error of a whole page"


TARGETS: dict[str, tuple[Callable[[], list[bytes]], Callable[[bytes], bool]]] = {
    "image": (image_seeds, try_image),
    "board": (board_seeds, try_board),
    "model": (model_seeds, try_model),
    "position": (position_seeds, try_position),
    "saved": (saved_seeds, try_saved),
    "rawvf": (rawvf_seeds, try_rawvf),
    "config": (config_seeds, try_config),
    "results": (results_seeds, try_results),
    "journal": (journal_seeds, try_journal),
}
