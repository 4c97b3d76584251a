"""Where digits and letters come from: font files, and shapes of our own that need no file."""

from __future__ import annotations

import hashlib
import site
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from visionsweeper.synthetic.glyphs import BUILT_IN, draw_built_in

Alpha = npt.NDArray[np.float32]

SYSTEM_FOLDERS: Final = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
)
"""The usual font folders of Debian and its kin, of macOS and of Windows."""

SIGN_FAMILIES: Final = (
    "Apple Symbols",
    "Cascadia",
    "Cousine",
    "DejaVu",
    "Fira",
    "Free",
    "Hack",
    "JetBrains",
    "Junicode",
    "Menlo",
    "MigMix",
    "Mononoki",
    "Noto Sans",
    "STIX",
    "Segoe",
    "Symbola",
    "Unifont",
    "VL ",
)
"""Beginnings of the names of families that are asked for signs beyond letters."""

_TOO_LARGE: Final = 12_000_000
"""Font files beyond this many bytes are skipped: they are CJK collections, slow and not needed for digits."""


_COLOUR_SIZE: Final = 109
"""The one size, px, that fonts of bitmaps in colour come in."""


@dataclass(frozen=True)
class FontSource:
    """Something that can draw the digits."""

    name: str
    """File name, or the name of a built-in shape."""
    family: str
    """Faces of one family share it, so that families can be drawn with equal odds."""
    path: Path | None = None
    """None for the built-in shapes."""
    likeness: float = 1.0
    """How much its digits look like plain ones, 0 to 1; ornamental fonts score below about 0.6."""
    colour: bool = False
    """Of pictures in colours of their own, for signs only (see `colour_sign`)."""

    @property
    def has_letters(self) -> bool:
        """Whether letters and punctuation may be asked for as well as digits."""
        return not self.colour and (self.path is not None or self.name == "pillow")

    def alpha(
        self,
        text: str,
        width: int,
        height: int,
        size: float,
        *,
        dx: float = 0.0,
        dy: float = 0.0,
        weight: float = 0.0,
        smooth: bool = True,
    ) -> Alpha:
        """Draw text in the middle of a tile; returns (height, width) float32, 0 to 1.

        `size` is the height of the digit 8 in pixels, `dx` and `dy` shift in pixels, `weight` thickens
        by a share of `size`; `smooth=False` draws without antialiasing, as old systems do.
        """
        if self.path is None:
            return draw_built_in(self.name, text, width, height, size, dx, dy, weight)
        font, tall = _font(self.path, max(4, round(size * _em_per_digit(self.path))))
        image = Image.new("L", (width, height))
        pen = ImageDraw.Draw(image)
        pen.fontmode = "L" if smooth else "1"
        stroke = round(weight * size / 2)
        place = (width / 2 + dx, height / 2 + tall / 2 + dy)
        if not smooth:
            place = (float(round(place[0])), float(round(place[1])))
        pen.text(place, text, fill=255, font=font, anchor="ms", stroke_width=stroke)
        return np.asarray(image, dtype=np.float32) / 255.0


@lru_cache(maxsize=64)
def _font(path: Path, em: int) -> tuple[ImageFont.FreeTypeFont, int]:
    font = ImageFont.truetype(str(path), em)
    return font, -int(font.getbbox("8", anchor="ls")[1])


@lru_cache(maxsize=4096)
def _em_per_digit(path: Path) -> float:
    tall = _font(path, 64)[1]
    return 64 / tall if tall > 0 else 1.4


@lru_cache(maxsize=65536)
def has_sign(source: FontSource, sign: str) -> bool:
    """Tell whether the font has a glyph of its own for a character."""
    if source.path is None:
        return source.has_letters and sign.isascii()
    font = _font(source.path, 32)[0]
    try:
        glyph, missing = bytes(font.getmask(sign)), bytes(font.getmask("\U0010ffff"))
    except (OSError, ValueError):
        return False
    return bool(glyph) and glyph != missing


def pick_sign(
    rng: np.random.Generator, fonts: Sequence[FontSource], signs: str
) -> tuple[str, FontSource] | None:
    """Pick one of the characters and a font that has it; None where none of the fonts has it."""
    sign = signs[int(rng.integers(len(signs)))]
    able = [font for font in fonts if font.family.startswith(SIGN_FAMILIES) and has_sign(font, sign)]
    if not able:
        return None
    families = sorted({font.family for font in able})
    family = families[int(rng.integers(len(families)))]
    faces = [font for font in able if font.family == family]
    return sign, faces[int(rng.integers(len(faces)))]


def has_pictures(fonts: Sequence[FontSource]) -> bool:
    """Tell whether `pick_picture` can find anything."""
    return any(font.colour for font in fonts)


def pick_picture(
    rng: np.random.Generator, fonts: Sequence[FontSource], signs: Sequence[str]
) -> npt.NDArray[np.uint8] | None:
    """Pick one of the signs as (h, w, 4) uint8 RGBA, cropped to its ink; None where no colour font has it."""
    able = [font for font in fonts if font.colour]
    if not able:
        return None
    font = able[int(rng.integers(len(able)))]
    return _colour_ink(font, signs[int(rng.integers(len(signs)))])


@lru_cache(maxsize=256)
def _colour_ink(source: FontSource, sign: str) -> npt.NDArray[np.uint8] | None:
    assert source.path is not None
    image = Image.new("RGBA", (3 * _COLOUR_SIZE, 2 * _COLOUR_SIZE))
    try:
        font = ImageFont.truetype(str(source.path), _COLOUR_SIZE)
        ImageDraw.Draw(image).text((20, 20), sign, font=font, embedded_color=True)
    except (OSError, ValueError):
        return None
    box = image.getbbox()
    if box is None or max(box[2] - box[0], box[3] - box[1]) > 1.5 * _COLOUR_SIZE:
        return None  # missing, or a sequence that this layout shows as two signs
    ink = np.asarray(image.crop(box))
    ink.setflags(write=False)
    return ink


def find_fonts(directories: Sequence[Path] | None = None) -> list[FontSource]:
    """Find all usable fonts: the built-in shapes, then files in a fixed order.

    Searches the given folders, or without any the system's font folders and the installed Python
    packages. A file is kept if its digits 1 to 8 look like digits; copies are left out.
    """
    folders = _default_folders() if directories is None else directories
    found = [FontSource(name, f"built-in {name}") for name in BUILT_IN]
    seen: set[bytes] = set()
    for path in sorted(_font_files(folders), key=lambda p: (p.name.lower(), str(p))):
        if "coloremoji" in path.stem.lower():
            found.append(FontSource(path.name, "colour", path, 0.0, colour=True))
            continue
        checked = _check(path)
        if checked is not None and checked.digest not in seen:
            seen.add(checked.digest)
            found.append(FontSource(path.name, checked.family, path, checked.likeness))
    return found


def _default_folders() -> list[Path]:
    packages = [*site.getsitepackages(), site.getusersitepackages(), *sys.path]
    inside = [Path(folder) for folder in packages if Path(folder).name in {"site-packages", "dist-packages"}]
    personal = [Path.home() / ".fonts", Path.home() / ".local/share/fonts"]
    return [*SYSTEM_FOLDERS, *personal, *dict.fromkeys(inside)]


def _font_files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for path in folder.rglob("*") if folder.is_dir() else ():
            if path.suffix.lower() in {".ttf", ".otf"} and 1000 < path.stat().st_size < _TOO_LARGE:
                yield path


@dataclass(frozen=True)
class _Checked:
    family: str
    likeness: float
    digest: bytes


def _check(path: Path) -> _Checked | None:
    """Return what is known of a font file, or None where it has no proper digits."""
    try:
        font = ImageFont.truetype(str(path), 48)
        found = [_ink(font, digit) for digit in "12345678"]
        family = font.getname()[0] or path.stem
        tall = -font.getbbox("8", anchor="ls")[1]
    except (OSError, ValueError):
        return None
    glyphs = [glyph for glyph in found if glyph is not None]
    if len(glyphs) < 8 or tall < 10 or any(not 0.55 < len(glyph) / tall < 1.7 for glyph in glyphs):
        return None
    if np.mean([glyph.mean() for glyph in glyphs]) < 0.1 * 255:
        return None  # hairlines vanish at the sizes of tiles
    likeness = np.stack([_normal(glyph) for glyph in glyphs]) @ _references().T
    own = np.array([likeness[i, i::8].max() for i in range(8)])
    right = int((likeness.argmax(axis=1) % 8 == np.arange(8)).sum())
    if right < 6 or own.min() < 0.22:
        return None
    digest = hashlib.blake2b(b"".join(glyph.tobytes() for glyph in glyphs)).digest()
    return _Checked(" ".join(family.split()[:2]), float(own.mean()), digest)


def _ink(font: ImageFont.FreeTypeFont, text: str) -> npt.NDArray[np.uint8] | None:
    image = Image.new("L", (128, 128))
    ImageDraw.Draw(image).text((32, 90), text, fill=255, font=font, anchor="ls")
    box = image.getbbox()
    return None if box is None else np.asarray(image.crop(box))


def _normal(ink: npt.NDArray[np.uint8]) -> Alpha:
    """Normalise a glyph to a unit vector of (24 * 16,) float32, mean removed; narrow ones stay narrow."""
    height, width = ink.shape
    side = max(0, round(height * 0.6) - width)
    padded = np.pad(ink, ((0, 0), (side // 2, side - side // 2)))
    small = cv2.resize(padded, (16, 24), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    small -= small.mean()
    return np.asarray(small / (np.linalg.norm(small) + 1e-6), dtype=np.float32)


@lru_cache(maxsize=1)
def _references() -> Alpha:
    """(8 * k, 384) float32: the built-in digits 1 to 8, shape by shape, to compare with."""
    rows: list[Alpha] = []
    for name in BUILT_IN:
        for weight in (0.0, 0.12):
            for digit in "12345678":
                alpha = draw_built_in(name, digit, 96, 96, 64.0, 0.0, 0.0, weight)
                ys, xs = np.nonzero(alpha > 0.5)
                ink = (alpha[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1] * 255).astype(np.uint8)
                rows.append(_normal(ink))
    return np.stack(rows)
