"""Pictures in every format and mode; every failure in a person's words; nothing half-written."""

from __future__ import annotations

import errno
import io
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.io import images as image_module
from visionsweeper.io.files import check_folder, check_place, make_folder, write_atomically
from visionsweeper.io.images import load_image, save_image

RNG = np.random.default_rng(7)
PIXELS = RNG.integers(0, 256, (24, 36, 3)).astype(np.uint8)
SMOOTH = np.stack(
    np.broadcast_arrays(
        np.linspace(0, 255, 36)[None, :], np.linspace(255, 0, 24)[:, None], np.full((1, 1), 90.0)
    ),
    axis=-1,
).astype(np.uint8)


def encode(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def png_with_size(width: int, height: int) -> bytes:
    """A PNG whose header claims a size that its data does not hold."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("BMP", {}),
        ("TIFF", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
        ("TIFF", {"compression": "tiff_deflate"}),
        ("WEBP", {"lossless": True}),
    ],
)
def test_lossless_formats_give_the_same_pixels(kind: str, options: dict[str, object]) -> None:
    loaded = load_image(encode(Image.fromarray(PIXELS), kind, **options))
    assert loaded.dtype == np.uint8
    assert np.array_equal(loaded, PIXELS)
    assert not loaded.flags.writeable


@pytest.mark.parametrize(
    ("kind", "options"),
    [("JPEG", {"quality": 95}), ("JPEG", {"progressive": True}), ("WEBP", {"quality": 95})],
)
def test_lossy_formats_give_nearly_the_same_pixels(kind: str, options: dict[str, object]) -> None:
    loaded = load_image(encode(Image.fromarray(SMOOTH), kind, **options))
    assert np.abs(loaded.astype(int) - SMOOTH).mean() < 8


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF", "TIFF", "JPEG"])
def test_gray(kind: str) -> None:
    gray = np.full((9, 7), 77, np.uint8)
    loaded = load_image(encode(Image.fromarray(gray), kind))
    assert loaded.shape == (9, 7, 3)
    assert np.abs(loaded.astype(int) - 77).max() <= 1


def test_black_and_white() -> None:
    picture = Image.fromarray(np.array([[True, False], [False, True]]))
    assert load_image(encode(picture, "PNG"))[:, :, 0].tolist() == [[255, 0], [0, 255]]


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "TIFF"])
def test_palette(kind: str) -> None:
    picture = Image.new("P", (4, 3), 2)
    picture.putpalette([1, 2, 3, 40, 50, 60, 200, 100, 50])
    assert load_image(encode(picture, kind))[0, 0].tolist() == [200, 100, 50]


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bit_gray_is_scaled(kind: str) -> None:
    deep = np.array([[0, 257, 32768, 65535]], np.uint16)
    assert load_image(encode(Image.fromarray(deep), kind))[0, :, 0].tolist() == [0, 1, 128, 255]


def test_dark_sixteen_bit_gray_stays_dark() -> None:
    assert load_image(encode(Image.fromarray(np.full((2, 2), 1000, np.uint16)), "PNG")).max() == 4


def test_sixteen_bit_gray_with_one_transparent_level() -> None:
    deep = np.array([[0, 1000, 65535]], np.uint16)
    data = encode(Image.fromarray(deep), "PNG", transparency=1000)
    assert load_image(data)[0, :, 0].tolist() == [0, 255, 255]


@pytest.mark.parametrize(("mode", "white"), [("F", 1.0), ("F", 255.0), ("I", 65535), ("I", 2**31 - 1)])
def test_deeper_gray_is_scaled(mode: str, white: float) -> None:
    values = np.array([[0, white / 2, white]]).astype(np.float32 if mode == "F" else np.int32)
    loaded = load_image(encode(Image.fromarray(values), "TIFF"))
    assert loaded[0, :, 1] == pytest.approx([0, 127.5, 255], abs=0.6)


def test_cmyk() -> None:
    picture = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    for data in (encode(picture, "TIFF"), encode(picture, "JPEG", quality=95)):
        red, green, blue = load_image(data)[8, 8].astype(int)
        assert red > 240
        assert green < 15
        assert blue < 15


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_alpha_is_composited_on_white(kind: str) -> None:
    rgba = np.zeros((1, 3, 4), np.uint8)
    rgba[0, :, 3] = [0, 128, 255]
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {}
    loaded = load_image(encode(Image.fromarray(rgba), kind, **options))
    assert loaded[0, :, 0].tolist() == [255, 127, 0]


def test_gray_with_alpha() -> None:
    picture = Image.new("LA", (2, 2), (100, 0))
    assert load_image(encode(picture, "PNG")).min() == 255


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_transparent_palette_entry(kind: str) -> None:
    picture = Image.fromarray(np.array([[0, 1]], np.uint8), mode=None).convert("P")
    picture.putpalette([10, 10, 10, 0, 0, 0])
    loaded = load_image(encode(picture, kind, transparency=1))
    assert loaded[0, 0].tolist() == [10, 10, 10]
    assert loaded[0, 1].tolist() == [255, 255, 255]


def test_palette_with_degrees_of_transparency() -> None:
    picture = Image.fromarray(np.array([[0, 1, 2]], np.uint8)).convert("P")
    picture.putpalette([0, 0, 0] * 3)
    data = encode(picture, "PNG", transparency=bytes([0, 128, 255]))
    assert load_image(data)[0, :, 2].tolist() == [255, 127, 0]


def test_transparent_colour_key() -> None:
    pixels = np.array([[[1, 2, 3], [9, 9, 9]]], np.uint8)
    loaded = load_image(encode(Image.fromarray(pixels), "PNG", transparency=(1, 2, 3)))
    assert loaded[0].tolist() == [[255, 255, 255], [9, 9, 9]]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP", "JPEG"])
def test_exif_rotation(kind: str, orientation: int) -> None:
    # Where the first stored row and column end up, as the EXIF standard tabulates them.
    stored = np.zeros((16, 32, 3), np.uint8)
    stored[:8, :16] = 255
    corner = {1: "tl", 2: "tr", 3: "br", 4: "bl", 5: "tl", 6: "tr", 7: "br", 8: "bl"}[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if kind == "WEBP" else {}
    loaded = load_image(encode(Image.fromarray(stored), kind, exif=exif, **options))
    assert loaded.shape == ((16, 32, 3) if orientation < 5 else (32, 16, 3))
    row = 2 if corner[0] == "t" else -3
    column = 2 if corner[1] == "l" else -3
    assert loaded[row, column, 0] > 200
    assert loaded[-row - 1, -column - 1, 0] < 50


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "WEBP", "PNG"])
def test_first_frame(kind: str) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ((255, 255, 255), (0, 0, 0))]
    data = encode(frames[0], kind, save_all=True, append_images=frames[1:])
    assert load_image(data).min() == 255


def test_path_text_bytes_and_array_agree(tmp_path: Path) -> None:
    path = tmp_path / "shot.png"
    Image.fromarray(PIXELS).save(path)
    for source in (path, str(path), path.read_bytes(), PIXELS):
        assert np.array_equal(load_image(source), PIXELS)


def test_arrays_of_the_caller_stay_writeable() -> None:
    mine = PIXELS.copy()
    theirs = load_image(mine)
    assert mine.flags.writeable
    assert not theirs.flags.writeable


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3), np.float32),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_arrays_of_another_shape_are_refused(array: np.ndarray) -> None:
    with pytest.raises(InvalidInput, match="image array"):
        load_image(array)


def test_other_types_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not int"):
        load_image(3)  # type: ignore[arg-type]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"gone\.png: no such file"):
        load_image(tmp_path / "gone.png")


def test_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a folder"):
        load_image(tmp_path)


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.png").touch()
    with pytest.raises(InvalidInput, match=r"empty\.png is empty"):
        load_image(tmp_path / "empty.png")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(image_module, "read_at_most", refuse)
    with pytest.raises(InvalidInput, match=r"secret\.png: no permission"):
        load_image(tmp_path / "secret.png")


def test_impossible_name() -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_image("a\0b.png")


@pytest.mark.parametrize("data", [b"hello, world", b"%PDF-1.7 ...", b"\0" * 500, b"<svg></svg>"])
def test_not_a_picture(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.png"
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"notes\.png is not a picture"):
        load_image(path)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True}),
        ("WEBP", {}),
        ("WEBP", {"lossless": True}),
        ("BMP", {}),
        ("GIF", {}),
        ("TIFF", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
    ],
)
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_truncated_pictures_are_refused(kind: str, options: dict[str, object], kept: float) -> None:
    data = encode(Image.fromarray(PIXELS), kind, **options)
    with pytest.raises(InvalidInput, match="damaged or truncated"):
        load_image(data[: int(len(data) * kept)])


def test_bytes_after_the_end_do_no_harm() -> None:
    data = encode(Image.fromarray(PIXELS), "PNG") + b"trailing"
    assert np.array_equal(load_image(data), PIXELS)


@pytest.mark.parametrize("size", [(12000, 9000), (20000, 20000), (100000, 100000)])
def test_too_many_pixels_are_refused_before_decoding(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput, match=r"too large.*100 megapixels"):
        load_image(png_with_size(*size))


def test_pixel_limit_is_inclusive() -> None:
    data = encode(Image.fromarray(PIXELS), "PNG")
    assert load_image(data, max_pixels=24 * 36).shape == (24, 36, 3)
    with pytest.raises(InvalidInput, match="36x24 px"):
        load_image(data, max_pixels=24 * 36 - 1)


def test_file_size_limit(tmp_path: Path) -> None:
    path = tmp_path / "big.png"
    Image.fromarray(PIXELS).save(path)
    with pytest.raises(InvalidInput, match=r"big\.png is too large"):
        load_image(path, max_bytes=1000)


def test_random_damage_never_escapes_as_another_error() -> None:
    data = bytearray(encode(Image.fromarray(PIXELS), "PNG"))
    for _ in range(200):
        broken = bytearray(data)
        for place in RNG.integers(8, len(data), 5):
            broken[place] = int(RNG.integers(0, 256))
        try:
            assert load_image(bytes(broken)).shape[2] == 3
        except InvalidInput:
            continue


@pytest.mark.parametrize("suffix", [".png", ".bmp", ".tif", ".tiff", ".webp", ".PNG"])
def test_saved_pictures_load_again(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    save_image(path, PIXELS)
    assert np.array_equal(load_image(path), PIXELS)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".jpg", ".jpeg", ".gif"])
def test_saved_pictures_in_lossy_formats(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    save_image(path, SMOOTH)
    assert np.abs(load_image(path).astype(int) - SMOOTH).mean() < 16


@pytest.mark.parametrize("name", ["out", "out.xyz"])
def test_unknown_suffix(tmp_path: Path, name: str) -> None:
    with pytest.raises(WriteFailed, match=r"\.png"):
        save_image(tmp_path / name, PIXELS)
    assert not list(tmp_path.iterdir())


def test_too_large_for_the_format(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed, match=r"do not fit into WEBP.*\.png"):
        save_image(tmp_path / "out.webp", np.zeros((1, 20000, 3), np.uint8))


def test_missing_folder(tmp_path: Path) -> None:
    save_image(tmp_path / "gone" / "deep" / "out.png", PIXELS)
    assert [path.name for path in (tmp_path / "gone" / "deep").iterdir()] == ["out.png"]
    (tmp_path / "file").write_text("")
    for name in ("file/out.png", "file/deep/out.png"):
        with pytest.raises(WriteFailed, match=r"cannot make the folder .*choose another place"):
            save_image(tmp_path / name, PIXELS)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a place where nothing can be made")
def test_a_folder_that_cannot_be_made() -> None:
    with pytest.raises(
        WriteFailed, match=r"/proc/nowhere: no folder can be made there, choose another place"
    ):
        save_image("/proc/nowhere/out.png", PIXELS)


def test_target_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out.png").mkdir()
    with pytest.raises(WriteFailed, match="is a folder"):
        save_image(tmp_path / "out.png", PIXELS)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_write_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WriteFailed, match="no permission"):
            save_image(tmp_path / "out.png", PIXELS)
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("number", "message"), [(errno.ENOSPC, "disk is full"), (errno.EACCES, "no permission"), (errno.EIO, ".")]
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_writes_leave_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int, message: str
) -> None:
    path = tmp_path / "out.png"
    path.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    with pytest.raises(WriteFailed, match=f"out.png.*{message}"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.png"]


def test_interrupted_writes_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "out.png", b"new")
    assert not list(tmp_path.iterdir())


def test_write_atomically_replaces_and_keeps_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links and the umask are Posix matters")
def test_links_are_written_through_and_the_umask_holds(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "link", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links are a Posix matter")
def test_a_folder_is_made_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    check_folder(tmp_path / "link")
    make_folder(tmp_path / "link")
    assert (tmp_path / "missing").is_dir()
    (tmp_path / "file").touch()
    (tmp_path / "other").symlink_to(tmp_path / "file" / "x")
    with pytest.raises(WriteFailed, match="is a file"):
        check_folder(tmp_path / "other")


@pytest.mark.parametrize("check", [check_folder, check_place])
def test_what_is_no_path_is_refused_in_one_line(check: Callable[[str], None]) -> None:
    with pytest.raises(WriteFailed, match="cannot write"):
        check("a\0b")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null")
def test_devices_are_written_to_directly() -> None:
    write_atomically("/dev/null", b"new")
    assert not Path("/dev/null").is_file()


def test_a_png_with_long_texts_is_read() -> None:
    from PIL.PngImagePlugin import PngInfo

    texts = PngInfo()
    texts.add_text("long", "a" * 5_000_000, zip=True)
    texts.add_text("short", "b")
    texts.add_itxt("more", "c" * 5_000_000, zip=True)
    data = encode(Image.fromarray(PIXELS), "PNG", pnginfo=texts)
    assert (load_image(data) == PIXELS).all()
    with pytest.raises(InvalidInput):
        load_image(data[:-20])
