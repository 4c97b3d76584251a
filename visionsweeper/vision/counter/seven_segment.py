"""Seven-segment displays: two to four lit digits on a dark panel, unlit segments faint or not seen at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import PixelBox

FloatArray = npt.NDArray[np.float32]
ByteArray = npt.NDArray[np.uint8]

_DARK: Final = (110, 26)
"""Brightness (0..255) below which a pixel may belong to a panel: pure red is 76, and panels stand on dark
backgrounds too."""
_LIT: Final = 0.66
"""Share of the way from the background to the brightest pixels from which a pixel is lit."""
_SEGMENTS: Final[dict[str, int]] = {
    "1110111": 0,
    "0010010": 1,
    "1011101": 2,
    "1011011": 3,
    "0111010": 4,
    "1101011": 5,
    "1101111": 6,
    "0101111": 6,
    "1010010": 7,
    "1110010": 7,
    "1111111": 8,
    "1111011": 9,
    "1111010": 9,
    "0000000": -1,
    "0001000": -2,
}
"""Top, upper left, upper right, middle, lower left, lower right, bottom -> digit; -1 blank, -2 minus."""
_UNCLEAR: Final = 0.4
"""Certainty below which a display is not read."""
_BLANK: Final = -1
_MINUS: Final = -2


@dataclass(frozen=True)
class Display:
    """One display that could be read."""

    value: int
    """What it shows, negative too."""
    box: PixelBox
    """x0, y0, x1, y1 of the panel, px of the region."""
    certainty: float
    """0 to 1: how far every segment is from being taken for the opposite."""


def find_displays(region: ByteArray) -> list[Display]:
    """Find the displays in (H, W, 3) uint8 RGB, from left to right."""
    brightness = np.asarray(cv2.cvtColor(region, cv2.COLOR_RGB2GRAY), np.uint8)
    found: dict[PixelBox, Display] = {}
    for dark in _DARK:
        mask = (brightness < dark).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        _, _, width, height, area = stats[1:].T
        fits = (height >= 12) & (height <= 200) & (width >= 0.95 * height) & (width <= 3.2 * height)
        fits &= area >= 0.15 * width * height
        for left, top, wide, tall in stats[1:][fits, :4].tolist():
            if not _framed(mask[top : top + tall, left : left + wide]):
                continue  # a letter, or a picture
            panel = region[top : top + tall, left : left + wide].max(axis=2)
            display = _read_panel(panel, left, top)
            if display is not None and display.certainty >= _UNCLEAR:
                found.setdefault(display.box, display)
    return _apart(sorted(found.values(), key=lambda display: display.box))


def _apart(displays: list[Display]) -> list[Display]:
    """Those that overlap no clearer one."""
    kept: list[Display] = []
    for display in sorted(displays, key=lambda each: -each.certainty):
        x0, y0, x1, y1 = display.box
        if all(x0 >= b[2] or b[0] >= x1 or y0 >= b[3] or b[1] >= y1 for b in (each.box for each in kept)):
            kept.append(display)
    return sorted(kept, key=lambda each: each.box)


def _framed(mask: ByteArray) -> bool:
    """Whether the panel is dark all along its edge."""
    edges = (mask[0], mask[-1], mask[:, 0], mask[:, -1])
    return min(float(edge.mean()) for edge in edges) > 0.85


def _read_panel(panel: ByteArray, left: int, top: int) -> Display | None:
    height, width = panel.shape
    background = float(np.percentile(panel, 20))
    peak = float(np.percentile(panel, 99))
    if peak - background < 40:
        return None
    lit = panel > background + _LIT * (peak - background)
    # A bright frame inside the panel's outline is no segment.
    edge = max(1, round(0.04 * height))
    for border in (lit[:edge], lit[-edge:], lit[:, :edge], lit[:, -edge:]):
        border[:] = False
    if not 0.04 < lit.mean() < 0.55:
        return None
    ys, xs = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    first, last, right = int(ys[0]), int(ys[-1]) + 1, int(xs[-1]) + 1
    tall = last - first
    if tall < max(9, 0.55 * height):
        return None
    best: tuple[float, int] | None = None
    for count in (3, 2, 4):
        for pitch in (width / count, (width - 2 * (width - right)) / count, (width - 0.1 * height) / count):
            if not 0.42 <= pitch / tall <= 0.85:
                continue
            for share in (0.74, 0.82, 0.9):
                read = _digits(lit, first, last, right, pitch, share * pitch, count)
                if read is not None and (best is None or read[0] > best[0] + 0.05):
                    best = read
    if best is None:
        return None
    return Display(best[1], (left, top, left + width, top + height), best[0])


def _digits(
    lit: npt.NDArray[np.bool_], top: int, bottom: int, right: int, pitch: float, wide: float, count: int
) -> tuple[float, int] | None:
    """(certainty, value) of so many digits of equal width that end at `right`."""
    shown, surest = [], 1.0
    for place in range(count):
        end = right - (count - 1 - place) * pitch
        start = end - wide
        if start < -0.15 * wide:
            return None
        cell = lit[top:bottom, max(0, round(start)) : round(end)]
        digit, certainty = _digit(cell.astype(np.float32))
        if digit is None:
            return None
        shown.append(digit)
        surest = min(surest, certainty)
    negative = False
    text = ""
    for place, digit in enumerate(shown):
        if digit >= 0:
            text += str(digit)
        elif text or (digit == _MINUS and negative):
            return None
        elif digit == _MINUS:
            negative = True
        elif place == count - 1:
            return None
    return (surest, -int(text) if negative else int(text)) if text else None


def _digit(cell: FloatArray) -> tuple[int | None, float]:
    """Return the digit of a cell's lit pixels (h, w), and how clear its segments are, 0 to 1."""
    height, width = cell.shape
    if width < 4:
        return None, 0.0
    # Between thick uprights little room is left for the middle of a bar.
    inner = slice(round(0.42 * width), max(round(0.58 * width), round(0.42 * width) + 1))
    upper, lower = (
        slice(round(0.18 * height), round(0.4 * height)),
        slice(round(0.6 * height), round(0.82 * height)),
    )
    side = max(2, round(0.34 * width))
    rows = cell[:, inner].mean(axis=1)
    levels = (
        rows[: round(0.25 * height)].max(),
        cell[upper, :side].mean(axis=0).max(),
        cell[upper, -side:].mean(axis=0).max(),
        rows[round(0.38 * height) : round(0.62 * height)].max(),
        cell[lower, :side].mean(axis=0).max(),
        cell[lower, -side:].mean(axis=0).max(),
        rows[-round(0.25 * height) :].max(),
    )
    pattern = "".join("1" if level > 0.5 else "0" for level in levels)
    certainty = min(abs(float(level) - 0.5) * 2 for level in levels)
    return _SEGMENTS.get(pattern), certainty
