"""Bad input at every entry: one clear line, the right exit status, nothing lost, nothing left behind."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import select
import shutil
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commandline import Run
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"

READERS = (
    ("parse", "{}"),
    ("advise", "{}"),
    ("explain", "{}"),
    ("learn", "{}", "--board", "good.txt", "--name", "x"),
)
"""Commands that read a picture."""

BOARD_READERS = (
    ("solve", "{}"),
    ("advise", "{}"),
    ("explain", "{}"),
    ("render", "{}", "-o", "out.png"),
    ("learn", "good.png", "--board", "{}", "--name", "x"),
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with a good picture and its board, and a home of its own."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    shutil.copy(SAMPLES / "beginner-flat.png", here / "good.png")
    shutil.copy(SAMPLES / "beginner-flat.txt", here / "good.txt")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(here)
    return here


def everything(folder: Path) -> dict[str, str]:
    """Every file below the folder's parent with its content's hash."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.parent.rglob("*"))
        if path.is_file()
    }


CONNECTIONS: list[object] = []
_LISTENING = [False]


def _hear(event: str, arguments: object) -> None:
    if _LISTENING[0] and event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
        CONNECTIONS.append((event, arguments))


sys.addaudithook(_hear)


def refused(run: Run, place: Path, arguments: list[str], statuses: set[int], stdin: bytes = b"") -> str:
    """Run it: it must end in one line, one of these statuses, every file as it was, and no network."""
    before = everything(place)
    CONNECTIONS.clear()
    _LISTENING[0] = True
    begin = time.monotonic()
    try:
        told = run(*arguments, stdin=stdin)
    finally:
        _LISTENING[0] = False
    assert told.status in statuses, (told.status, told.err)
    assert len(told.complaints) == 1, told.err
    assert told.complaints[0].startswith("visionsweeper: ")
    assert "unexpected" not in told.complaints[0]
    assert everything(place) == before
    assert CONNECTIONS == []
    assert time.monotonic() - begin < 20
    return told.complaints[0]


def picture(kind: str, size: tuple[int, int] = (60, 40), **options: object) -> bytes:
    data = io.BytesIO()
    noise = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(noise).save(data, kind, **options)
    return data.getvalue()


def bomb() -> bytes:
    """A PNG of some hundred bytes that claims 100,000 x 100,000 pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def pictures() -> dict[str, bytes]:
    kinds = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP", "bmp": "BMP", "gif": "GIF", "tif": "TIFF"}
    bad = {}
    for suffix, kind in kinds.items():
        whole = picture(kind)
        bad[f"truncated.{suffix}"] = whole[: len(whole) * 2 // 3]
        bad[f"head.{suffix}"] = whole[:20]
        damaged = bytearray(whole)
        damaged[10:30] = bytes(20)
        bad[f"damaged.{suffix}"] = bytes(damaged)
    bad["empty.png"] = b""
    bad["text.png"] = b"not a picture\n"
    bad["bomb.png"] = bomb()
    bad["one.png"] = picture("PNG", (1, 1))
    bad["wide.png"] = picture("PNG", (20000, 20))
    bad["page.html.png"] = b"<!doctype html><img src=x>"
    bad["archive.png"] = b"PK\x03\x04" + bytes(60)
    return bad


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(pictures()))
def test_bad_pictures_at_every_reader(run: Run, place: Path, name: str) -> None:
    (place / name).write_bytes(pictures()[name])
    for command in READERS:
        # A size, as most have to be given, brings the reader further.
        refused(run, place, [part.format(name) for part in command], {3, 4})
    refused(run, place, ["parse", name, "--width", "30", "--height", "16"], {3, 4})
    refused(run, place, ["parse", "-"], {3, 4}, stdin=pictures()[name])


def test_a_wrong_suffix_does_no_harm(run: Run, place: Path) -> None:
    (place / "good.png").rename(place / "good.jpg")
    assert run("parse", "good.jpg", "--text").out == run("solve", "good.txt", "--text").out


@pytest.mark.slow
def test_of_an_animation_the_first_picture_is_read(run: Run, place: Path) -> None:
    first = Image.open(place / "good.png").convert("RGB")
    other = Image.new("RGB", first.size, "white")
    first.save(place / "moving.webp", save_all=True, append_images=[other, other], lossless=True)
    assert run("parse", "moving.webp", "--text").out == run("parse", "good.png", "--text").out


@pytest.mark.parametrize(
    "what", ["a folder", "a pipe", "nothing", "a dangling link", "no permission", "no name"]
)
def test_what_is_no_file(run: Run, place: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from visionsweeper.io import files

    monkeypatch.setattr(files, "PATIENCE_FOR_A_WRITER", 0.05)
    thing = place / "thing.png"
    if what == "a folder":
        thing.mkdir()
    elif what == "a pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("pipes with names are not known here")
        os.mkfifo(thing)
    elif what == "a dangling link":
        thing.symlink_to(place / "nowhere")
    elif what == "no permission":
        thing.write_bytes(b"x")
        thing.chmod(0)
        if os.access(thing, os.R_OK):
            pytest.skip("the superuser may read anything")
    name = "no\0name.png" if what == "no name" else "thing.png"
    for command in (*READERS, *BOARD_READERS):
        refused(run, place, [part.format(name) for part in command], {3})


BOARDS = {
    "ragged.txt": b"???\n??\n",
    "unknown.txt": b"??a\n???\n",
    "nothing.txt": b"# only a comment\n\n",
    "empty.txt": b"",
    "bytes.txt": bytes(range(256)),
    "half.txt": "??\n".encode("utf-16")[:-1],
    "wide.txt": b"?" * 1_000_001,
    "tall.txt": b"?\n" * 1_000_001,
    "long.txt": b"?" * 9_000_000,
    "nulls.txt": b"??\0?\n",
    "unicode.txt": "äöü\n".encode(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BOARDS))
def test_bad_boards_at_every_reader(run: Run, place: Path, name: str) -> None:
    (place / name).write_bytes(BOARDS[name])
    for command in BOARD_READERS:
        refused(run, place, [part.format(name) for part in command], {3})
    refused(run, place, ["solve", "-"], {3}, stdin=BOARDS[name])


class Shout:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, ...]]:
        return os.mkdir, (str(self.path),)


def models(place: Path) -> dict[str, bytes]:
    standard = (ROOT / "models" / "standard.npz").read_bytes()
    with np.load(io.BytesIO(standard)) as found:
        arrays = dict(found)

    def packed(**changes: object) -> bytes:
        data = io.BytesIO()
        kept = {name: np.asarray(one) for name, one in (arrays | changes).items() if one is not None}
        np.savez(data, **kept)  # type: ignore[arg-type]
        return data.getvalue()

    record = json.loads(bytes(arrays["record"]).decode())
    future = np.frombuffer(json.dumps(record | {"format_version": 99}).encode(), np.uint8)
    shout = pickle.dumps(Shout(place / "shouted"))
    object_array = io.BytesIO()
    np.save(object_array, np.array([Shout(place / "shouted")], dtype=object), allow_pickle=True)
    smuggled = io.BytesIO()
    with zipfile.ZipFile(smuggled, "w") as file, zipfile.ZipFile(io.BytesIO(standard)) as source:
        for name in source.namelist():
            file.writestr(name, object_array.getvalue() if name == "labels.npy" else source.read(name))
    escaping = io.BytesIO()
    with zipfile.ZipFile(escaping, "w") as file:
        file.writestr("../../escaped.npy", b"x")
    labels = arrays["labels"]
    return {
        "truncated": standard[: len(standard) // 2],
        "empty": b"",
        "text": b"no model",
        "pickle": shout,
        "smuggled": smuggled.getvalue(),
        "escaping": escaping.getvalue(),
        "future": packed(record=future),
        "no-record": packed(record=None),
        "shape": packed(labels=labels[: len(labels) // 2]),
        "flat": packed(labels=labels.astype(np.float64)),
        "nan": packed(mean=np.full_like(arrays["mean"], np.nan)),
        "missing": packed(scale=None),
    }


MODELS = (
    *("truncated", "empty", "text", "pickle", "smuggled", "escaping"),
    *("future", "no-record", "shape", "flat", "nan", "missing"),
)


@pytest.fixture(scope="module")
def bad_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    found = models(tmp_path_factory.mktemp("shouted"))
    assert set(found) == set(MODELS)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_hostile_models(run: Run, place: Path, bad_models: dict[str, bytes], name: str) -> None:
    (place / "bad.npz").write_bytes(bad_models[name])
    for command in (
        ["parse", "good.png", "--model", "bad.npz"],
        ["models", "show", "bad.npz"],
        ["evaluate", str(SAMPLES), "--model", "bad.npz"],
        ["watch", ".", "--model", "bad.npz"],
        ["screen", "--model", "bad.npz"],
    ):
        refused(run, place, command, {7})
    # Nothing in it was executed: unpickling would have made a folder.
    assert not list(place.parent.parent.rglob("shouted/shouted"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", "good.png", "--width", "-3"],
        ["parse", "good.png", "--width", "1e3"],
        ["parse", "good.png", "--box", "1,2,3"],
        ["parse", "good.png", "--box", "nan,0,1,1"],
        ["parse", "good.png", "--mines", "-1"],
        ["parse", "good.png", "--json", "--text"],
        ["parse", "good.png", "-o", "good.png"],
        ["parse", "good.png", "good.png", "-o", "one.png"],
        ["parse", "-", "-"],
        ["parse", "--clipboard", "good.png"],
        ["solve", "good.txt", "--exact", "--text"],
        ["solve", "good.txt", "--no-such-option"],
        ["explain", "good.txt", "--tile", "a,b"],
        ["explain", "good.txt", "--component", "1"],
        ["advise", "good.txt", "--first-click", "lucky"],
        ["simulate", "--games", "none"],
        ["play", "--seed", "-1"],
        ["watch"],
        ["watch", ".", "--clipboard", "sound"],
        ["screen", "--every", "0"],
        ["screen", "--monitor", "first"],
        ["render"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_bad_options(run: Run, place: Path, arguments: list[str]) -> None:
    refused(run, place, arguments, {2})


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "visionsweeper", *arguments]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["parse", "solve", "explain", "advise", "evaluate", "render"])
def test_a_strange_environment(place: Path, command: str, tmp_path: Path) -> None:
    """A plain C locale, a home that cannot be written, no terminal, twenty columns: all the same answer."""
    arguments = {
        "parse": ["parse", "good.png", "-o", "out.png"],
        "solve": ["solve", "good.txt", "-o", "out.png"],
        "explain": ["explain", "good.txt"],
        "advise": ["advise", "good.txt"],
        "evaluate": ["evaluate", str(SAMPLES)],
        "render": ["render", "good.txt", "-o", "out.png"],
    }[command]
    home = tmp_path / "nobody"
    home.write_text("a file is no home")
    usual = subprocess.run(program(*arguments), capture_output=True, timeout=60, check=False)
    assert usual.returncode == 0, usual.stderr
    assert usual.stderr == b""
    strange = os.environ | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "COLUMNS": "20",
        "TERM": "dumb",
    }
    done = subprocess.run(
        program(*arguments),
        env=strange,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert done.stdout.isascii()
    assert len(done.stdout.splitlines()) == len(usual.stdout.splitlines())


@pytest.mark.slow
def test_a_terminal_of_twenty_columns(place: Path) -> None:
    import fcntl  # Windows has none of these
    import pty
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 20, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    for arguments, status in (
        (["parse", "good.png", "nowhere.png", "-o", "."], 3),
        (["watch", "nowhere"], 3),
        (["--help"], 0),
    ):
        child = subprocess.Popen(
            program(*arguments),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        said = b""
        while child.poll() is None or select.select([master], [], [], 0.1)[0]:
            if select.select([master], [], [], 0.1)[0]:
                said += os.read(master, 65536)
        assert child.returncode == status, said
        assert b"Traceback" not in said
    os.close(master)
    os.close(slave)


def test_a_full_disk(run: Run, place: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    for arguments in (
        ["solve", "good.txt", "-o", "full.png"],
        ["advise", "good.txt", "-o", "full.png"],
        ["render", "good.txt", "-o", "full.png"],
    ):
        (place / "full.png").unlink(missing_ok=True)
        (place / "full.png").symlink_to("/dev/full")
        told = run(*arguments)
        assert told.status == 6
        [complaint] = told.complaints
        assert "disk is full" in complaint


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", "good.png", "-o", "out.png"],
        ["parse", "good.png", "--no-picture", "--debug", "out"],
        ["solve", "good.txt", "-o", "out.png"],
        ["explain", "good.txt", "-o", "out.png"],
        ["advise", "good.txt", "-o", "out.png"],
        ["render", "good.txt", "-o", "out.png"],
        ["simulate", "--preset", "beginner", "--games", "20", "--technique", "single", "--csv", "out.csv"],
        ["play", "--preset", "beginner", "--seed", "1", "--save", "out.txt"],
        ["learn", "good.png", "--board", "good.txt", "--name", "out"],
        ["evaluate", ".", "-o", "out"],
        ["watch", ".", "--output-dir", "out"],
    ],
    ids=" ".join,
)
def test_where_no_file_can_be_written_one_line_says_so(place: Path, arguments: list[str]) -> None:
    """Files may have no byte, as on a full disk: every command says so, and leaves nothing half-done."""
    resource = pytest.importorskip("resource", reason="limits are a matter of POSIX")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        program(*arguments),
        preexec_fn=limit,
        input="open 1,1\n",
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 6, done.stderr
    complaints = [line for line in done.stderr.splitlines() if line.startswith("visionsweeper: ")]
    assert "larger than files may be" in complaints[-1] or "journal" in complaints[-1]
    assert "unexpected" not in done.stderr
    left = [path for path in place.rglob("*") if path.is_file() and path.stat().st_size]
    assert sorted(path.name for path in left) == ["good.png", "good.txt"]
    assert not list(place.rglob("*.tmp"))
