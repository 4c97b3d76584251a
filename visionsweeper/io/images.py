"""Picture files and arrays <-> (H, W, 3) uint8 RGB; the only place that knows EXIF, alpha and formats."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.io.files import PICTURE_SUFFIXES, check_suffix, is_folder, read_at_most, write_atomically

MAX_PIXELS: Final = 100_000_000
"""Pictures with more pixels are refused before they are decoded."""

MAX_BYTES: Final = 256 * 1024 * 1024
"""Picture files larger than this are not read."""

FORMATS: Final = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""What is read; everything else that Pillow knows is kept out, being attack surface and no screenshot."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_TEXTS: Final = (b"tEXt", b"zTXt", b"iTXt")
"""Kinds of chunks of PNG files that hold texts."""

_SIGNATURES: Final = (b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"BM", b"GIF8", b"II*\0", b"MM\0*")

_WRITERS: Final[dict[str, tuple[str, dict[str, object]]]] = {
    ".png": ("PNG", {}),
    ".jpg": ("JPEG", {"quality": 92, "subsampling": 0}),
    ".jpeg": ("JPEG", {"quality": 92, "subsampling": 0}),
    ".webp": ("WEBP", {"lossless": True}),
    ".bmp": ("BMP", {}),
    ".gif": ("GIF", {}),
    ".tif": ("TIFF", {"compression": "tiff_lzw"}),
    ".tiff": ("TIFF", {"compression": "tiff_lzw"}),
}

_ORIENTATION_TAG: Final = 0x0112
_UPRIGHT: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def load_image(
    source: str | Path | bytes | npt.NDArray[np.uint8],
    *,
    max_pixels: int = MAX_PIXELS,
    max_bytes: int = MAX_BYTES,
) -> npt.NDArray[np.uint8]:
    """Return the picture as a read-only (H, W, 3) uint8 array, RGB, 0..255, upright.

    source is a path, the bytes of a picture file, or an array that already has that shape, dtype and
    colour order. PNG, JPEG, WebP, BMP, GIF and TIFF are read, of several frames the first; 16-bit
    pictures are scaled to 8, transparency is composited on white, an EXIF rotation is applied.
    Raises InvalidInput, naming the file, when it is missing, a folder, not readable, empty, too large
    (pixels are counted before decoding), not a picture, or truncated.
    """
    if isinstance(source, np.ndarray):
        return _checked_array(source, max_pixels)
    if isinstance(source, (bytes, bytearray, memoryview)):
        name, data = "the image", bytes(source)
    elif isinstance(source, (str, Path)):
        name, data = str(source), _read_file(Path(source), max_bytes)
    else:
        raise InvalidInput(f"an image must be a path, bytes or an array, not {type(source).__name__}")
    if not data:
        raise InvalidInput(f"{name} is empty: there is no picture in it")
    if len(data) > max_bytes:
        raise InvalidInput(f"{name} is too large: at most {max_bytes // 2**20} MB are read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of odd metadata; our answers are errors or pictures
        return _decode(data, name, max_pixels)


def save_image(path: str | Path, image: npt.NDArray[np.uint8]) -> None:
    """Write (H, W, 3) uint8 RGB in the format that the suffix names, wholly or not at all.

    Raises WriteFailed for an unknown suffix, a size that the format cannot hold, or a failed write, and
    InvalidInput for an array that is no picture.
    """
    write_atomically(path, encode_image(image, path))


def encode_image(image: npt.NDArray[np.uint8], path: str | Path) -> bytes:
    """Return (H, W, 3) uint8 RGB as a file in the format that the suffix of `path` names.

    Raises as `save_image` does.
    """
    path = Path(path)
    picture = Image.fromarray(_checked_array(image, None))
    check_suffix(path, PICTURE_SUFFIXES)
    kind, options = _WRITERS[path.suffix.lower()]
    buffer = io.BytesIO()
    try:
        if kind == "PNG":
            buffer.write(_png(np.asarray(picture)))
        else:
            picture.save(buffer, kind, **options)
    except (OSError, ValueError) as error:
        raise WriteFailed(
            f"cannot write {path}: {picture.width}x{picture.height} px do not fit into {kind}, "
            "use a name that ends in .png"
        ) from error
    return buffer.getvalue()


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    """Encode a PNG file; OpenCV writes flat colours three times as fast as Pillow, and as small."""
    options = [cv2.IMWRITE_PNG_COMPRESSION, 1]
    if hasattr(cv2, "IMWRITE_PNG_FILTER"):
        options += [cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE]
    done, data = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)
    if not done:
        raise ValueError("the picture cannot be encoded")
    return bytes(data)


def _read_file(path: Path, max_bytes: int) -> bytes:
    """At most max_bytes + 1 bytes, so that an endless device ends too."""
    try:
        return read_at_most(path, max_bytes + 1)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path} is a folder, name a picture in it") from None
    except PermissionError as error:
        if is_folder(path):  # what Windows says of folders
            raise InvalidInput(f"{path} is a folder, name a picture in it") from None
        raise InvalidInput(f"{path}: no permission to read it") from error
    except (OSError, ValueError) as error:
        detail = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{str(path)!r} cannot be read: {detail}") from error


def _checked_array(image: npt.NDArray[np.uint8], max_pixels: int | None) -> npt.NDArray[np.uint8]:
    """Return a contiguous read-only view of an array that is a picture; InvalidInput for any other."""
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise InvalidInput(
            f"an image array is (height, width, 3) uint8 RGB, this one is {image.shape} {image.dtype}"
        )
    if image.size == 0:
        raise InvalidInput("an image array needs at least one pixel")
    if max_pixels is not None:
        _check_size("the image array", image.shape[1], image.shape[0], max_pixels)
    view = np.ascontiguousarray(image).view()
    view.setflags(write=False)
    return view


def _check_size(name: str, width: int, height: int, max_pixels: int) -> None:
    if width * height > max_pixels:
        raise InvalidInput(
            f"{name} is too large: {width}x{height} px, at most {max_pixels / 1e6:g} megapixels are "
            "accepted; crop it to the board"
        )


def _decode(data: bytes, name: str, max_pixels: int) -> npt.NDArray[np.uint8]:
    data = _without_texts(data)
    damaged = f"{name} is damaged or truncated: the picture ends too early or cannot be decoded"
    try:
        picture = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise InvalidInput(
            f"{name} is too large: at most {max_pixels / 1e6:g} megapixels are accepted"
        ) from error
    except MemoryError:  # no fault of the picture
        raise
    except Exception as error:  # Pillow raises whatever a broken file leads it into
        if data.startswith(_SIGNATURES):
            raise InvalidInput(damaged) from error
        raise InvalidInput(f"{name} is not a picture: PNG, JPEG, WebP, BMP, GIF and TIFF are read") from error
    with picture:
        _check_size(name, picture.width, picture.height, max_pixels)
        if not _is_whole(data, picture.format):
            raise InvalidInput(damaged)
        try:
            picture.load()
            rgb = _to_rgb(_upright(picture))
        except MemoryError:
            raise
        except Exception as error:
            raise InvalidInput(damaged) from error
    array = np.array(rgb, dtype=np.uint8)
    array.setflags(write=False)
    return array


def _without_texts(data: bytes) -> bytes:
    """Return a PNG file without its texts, which are no part of the picture: too long ones stop Pillow."""
    if not data.startswith(_PNG) or not any(kind in data for kind in _TEXTS):
        return data
    parts, at = [data[: len(_PNG)]], len(_PNG)
    while at + 8 <= len(data):
        # Length, kind, content, check sum.
        end = at + int.from_bytes(data[at : at + 4], "big") + 12
        if data[at + 4 : at + 8] not in _TEXTS:
            parts.append(data[at:end])
        at = end
    return b"".join(parts)


def _is_whole(data: bytes, kind: str | None) -> bool:
    """Whether the file reaches its end mark: decoders forgive a missing tail, and guess the pixels."""
    if kind == "PNG":
        return b"IEND" in data
    if kind in {"JPEG", "MPO"}:
        return b"\xff\xd9" in data
    if kind == "WEBP":
        return len(data) >= int.from_bytes(data[4:8], "little") + 8
    return True


def _upright(picture: Image.Image) -> Image.Image:
    """Turn the picture as its EXIF orientation says (TIFF files are turned by Pillow already)."""
    try:
        orientation = picture.getexif().get(_ORIENTATION_TAG)
    except Exception:  # unreadable metadata turns nothing
        return picture
    method = _UPRIGHT.get(orientation) if isinstance(orientation, int) else None
    return picture.transpose(method) if method is not None else picture


def _to_rgb(picture: Image.Image) -> Image.Image:
    """8-bit RGB; what is transparent shows white."""
    clear = picture.info.get("transparency")
    if picture.mode.startswith(("I", "F")):
        deep = np.asarray(picture)
        gray = Image.fromarray(_to_eight_bits(deep, picture.mode))
        if isinstance(clear, int):  # the one gray level that is transparent
            gray = Image.composite(Image.new("L", gray.size, 255), gray, Image.fromarray(deep == clear))
        return gray.convert("RGB")
    if picture.mode in {"RGBA", "LA", "PA", "RGBa", "La"} or clear is not None:
        rgba = picture.convert("RGBA")
        white = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, rgba).convert("RGB")
    return picture.convert("RGB")


def _to_eight_bits(deep: npt.NDArray[np.generic], mode: str) -> npt.NDArray[np.uint8]:
    """(H, W) gray of more than 8 bits as uint8.

    16-bit modes span 0..65535. A 32-bit mode does not tell its span, so the smallest usual one that
    holds the brightest pixel is taken: 0..1 (floats), 0..255, 0..65535, or all of it.
    """
    values = np.nan_to_num(deep.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    brightest = float(values.max())
    if mode.startswith("I;16"):
        white = 65535.0
    else:
        spans = (1.0, 255.0, 65535.0) if mode == "F" else (255.0, 65535.0)
        white = next((span for span in spans if brightest <= span), brightest)
    return np.clip(np.rint(values * (255.0 / white)), 0, 255).astype(np.uint8)
