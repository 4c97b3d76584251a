"""Digits that need no font file: pixel, seven-segment and stroked shapes, and Pillow's own font."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Alpha = npt.NDArray[np.float32]

# Rows of bits, top first, the highest bit leftmost.
_PIXELS: Final[dict[str, tuple[int, str]]] = {
    "pixel 5x7": (
        5,
        "0E11131519110E 040C040404040E 0E11010204081F 1F02040201110E 02060A121F0202 1F101E0101110E "
        "0608101E11110E 1F010204080808 0E11110E11110E 0E11110F01020C",
    ),
    "pixel 3x5": (3, "75557 26227 71747 71717 55711 74717 74757 71222 75757 75717"),
    "pixel bold 7x9": (
        7,
        "3E776363636363773E 0C1C3C0C0C0C0C0C3F 3E7763070E1C38707F 3E6303071E0703633E 0E1E36667F7F060606 "
        "7F60607E670303673E 1E30607E677363673E 7F7F07060E0C1C1818 3E6363773E7763633E 3E6763673F03070E3C",
    ),
    "pixel thin 4x6": (4, "699996 26222F 69124F E1611E 359F11 F8E11E 68E996 F12244 696996 699716"),
}

# Closed or open strokes in a 1 x 2 cell (x right, y down); a name of segments for the display digits.
_SEGMENTS: Final = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg")
_SEGMENT_LINES: Final = {
    "a": ((0, 0), (1, 0)),
    "b": ((1, 0), (1, 1)),
    "c": ((1, 1), (1, 2)),
    "d": ((0, 2), (1, 2)),
    "e": ((0, 1), (0, 2)),
    "f": ((0, 0), (0, 1)),
    "g": ((0, 1), (1, 1)),
}

_Stroke = tuple[tuple[float, float], ...]
_STROKES: Final[tuple[tuple[_Stroke, ...], ...]] = (
    (((0.3, 0), (0.7, 0), (1, 0.4), (1, 1.6), (0.7, 2), (0.3, 2), (0, 1.6), (0, 0.4), (0.3, 0)),),
    (((0.15, 0.45), (0.6, 0), (0.6, 2)), ((0.15, 2), (1, 2))),
    (((0, 0.4), (0.3, 0), (0.7, 0), (1, 0.35), (1, 0.7), (0, 2), (1, 2)),),
    (((0, 0), (1, 0), (0.45, 0.8), (0.8, 0.85), (1, 1.2), (1, 1.6), (0.7, 2), (0.25, 2), (0, 1.7)),),
    (((0.75, 2), (0.75, 0)), ((0.75, 0), (0, 1.35)), ((0, 1.35), (1, 1.35))),
    (((0.95, 0), (0.1, 0), (0, 0.9), (0.6, 0.8), (1, 1.1), (1, 1.6), (0.7, 2), (0.2, 2), (0, 1.8)),),
    (
        (
            (0.9, 0.1),
            (0.5, 0),
            (0, 0.8),
            (0, 1.6),
            (0.3, 2),
            (0.7, 2),
            (1, 1.7),
            (1, 1.2),
            (0.7, 0.9),
            (0, 1.2),
        ),
    ),
    (((0, 0), (1, 0), (0.35, 2)),),
    (
        ((0.3, 0), (0.7, 0), (0.95, 0.3), (0.95, 0.6), (0.05, 1.3), (0, 1.6), (0.3, 2), (0.7, 2), (1, 1.6)),
        ((1, 1.6), (0.95, 1.3), (0.05, 0.6), (0.05, 0.3), (0.3, 0)),
    ),
    (
        (
            (0.1, 1.9),
            (0.5, 2),
            (1, 1.2),
            (1, 0.4),
            (0.7, 0),
            (0.3, 0),
            (0, 0.3),
            (0, 0.8),
            (0.3, 1.1),
            (1, 0.8),
        ),
    ),
)

BUILT_IN: Final = (*_PIXELS, "seven-segment", "seven-segment slanted", "strokes", "strokes curved", "pillow")
"""Names of the built-in shapes."""

_TALL: Final = 144
"""Height in pixels at which shapes are drawn before they are shrunk."""


def draw_built_in(
    name: str, text: str, width: int, height: int, size: float, dx: float, dy: float, weight: float
) -> Alpha:
    """Draw one character in the middle of a tile; returns (height, width) float32, 0 to 1.

    Parameters as for `FontSource.alpha`. Only "pillow" has more than digits: the others leave those to it.
    """
    if not (len(text) == 1 and text.isdigit()):
        name = "pillow"
    shape = _shape(name, text, round(weight, 2))
    tall = max(3, round(size))
    wide = max(1, round(shape.shape[1] * tall / shape.shape[0]))
    if name in _PIXELS and size > 1.5 * (rows := _pixel_rows(name)):
        # Whole screen pixels for each of the glyph's, as games with pixel art have.
        tall = rows * round(size / rows)
        wide = _PIXELS[name][0] * round(size / rows)
    glyph = np.clip(cv2.resize(shape, (wide, tall), interpolation=cv2.INTER_AREA), 0, 1)
    tile = np.zeros((height, width), dtype=np.float32)
    left, top = round((width - wide) / 2 + dx), round((height - tall) / 2 + dy)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + wide, width), min(top + tall, height)
    if x1 > x0 and y1 > y0:
        tile[y0:y1, x0:x1] = glyph[y0 - top : y1 - top, x0 - left : x1 - left]
    return tile


@lru_cache(maxsize=512)
def _shape(name: str, text: str, weight: float) -> Alpha:
    """Return the glyph cut to its height, (h, w) float32, 0 to 1, read-only."""
    if name in _PIXELS:
        shape = _pixel_shape(name, int(text))
    elif name == "pillow":
        shape = _pillow_shape(text, weight)
    else:
        shape = _stroke_shape(name, int(text), weight)
    shape.setflags(write=False)
    return shape


def _pixel_rows(name: str) -> int:
    columns, packed = _PIXELS[name]
    return len(packed.split()[0]) // (1 if columns <= 4 else 2)


def _pixel_shape(name: str, digit: int) -> Alpha:
    columns, packed = _PIXELS[name]
    code = packed.split()[digit]
    step = 1 if columns <= 4 else 2
    values = [int(code[i : i + step], 16) for i in range(0, len(code), step)]
    bits = [[(value >> (columns - 1 - x)) & 1 for x in range(columns)] for value in values]
    scale = _TALL // len(bits)
    shape = np.array(bits, dtype=np.float32)
    return np.repeat(np.repeat(shape, scale, axis=0), scale, axis=1)


def _pillow_shape(text: str, weight: float) -> Alpha:
    font = ImageFont.load_default(_TALL)
    image = Image.new("L", (2 * _TALL, 2 * _TALL))
    ImageDraw.Draw(image).text(
        (_TALL // 2, 0), text, fill=255, font=font, stroke_width=round(weight * _TALL / 2)
    )
    box = image.getbbox()
    return np.asarray(image.crop(box), dtype=np.float32) / 255.0


def _stroke_shape(name: str, digit: int, weight: float) -> Alpha:
    thick = max(4, round(_TALL * (0.09 + weight)))
    unit = (_TALL - thick) / 2
    slant = 0.12 if name.endswith("slanted") else 0.0
    canvas = np.zeros((_TALL, round(unit * (1.0 + 2 * slant)) + thick + 2), dtype=np.uint8)
    if name.startswith("seven"):
        lines = [_inset(_SEGMENT_LINES[s], 0.08 + 0.3 * weight) for s in _SEGMENTS[digit]]
    else:
        lines = [np.array(stroke, dtype=np.float64) for stroke in _STROKES[digit]]
    for line in lines:
        points = _rounded(line) if name.endswith("curved") else line
        x = thick / 2 + unit * (points[:, 0] + slant * (2 - points[:, 1]))
        y = thick / 2 + unit * points[:, 1]
        path = np.stack([x, y], axis=1).round().astype(np.int32)
        cv2.polylines(canvas, [path], False, 255, thick, cv2.LINE_AA)
    return canvas.astype(np.float32) / 255.0


def _inset(line: tuple[tuple[int, int], tuple[int, int]], share: float) -> npt.NDArray[np.float64]:
    a, b = np.array(line[0], dtype=np.float64), np.array(line[1], dtype=np.float64)
    return np.stack([a + share * (b - a), b + share * (a - b)])


def _rounded(line: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cut the corners twice (Chaikin's scheme), ends kept."""
    for _ in range(2):
        first = 0.75 * line[:-1] + 0.25 * line[1:]
        second = 0.25 * line[:-1] + 0.75 * line[1:]
        line = np.concatenate([line[:1], np.stack([first, second], axis=1).reshape(-1, 2), line[-1:]])
    return line
