"""Draws what stands around a board: displays and face, status lines, icons with numbers, other writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from visionsweeper.board import FLAG
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.canvas import Art, Canvas, Colour
from visionsweeper.synthetic.draw import Drawing
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.icons import flag, mine
from visionsweeper.synthetic.positions import GameSnapshot
from visionsweeper.vision.tiles.classes import WRONG_FLAG

Image = npt.NDArray[np.uint8]
Style = Literal["display", "line", "ratio", "icon", "stacked", "none"]
"""Seven-segment displays; "Mines: 10"; "3/10"; a number beside an icon; a word under a number; no counter."""

STYLES: Final[tuple[Style, ...]] = ("display", "line", "ratio", "icon", "stacked", "none")
_ON: Final = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg")
_UI: Final = 0.74
"""Likeness to plain digits from which a font may be one of user interfaces."""
_LEFT_WORDS: Final = ("Mines left", "Bombs left", "Mines remaining", "Remaining", "MINES LEFT", "Mines")
_TIME_WORDS: Final = ("Time", "TIME", "Timer", "Elapsed", "Seconds")


@dataclass(frozen=True, eq=False)
class Window:
    """A board with something around it."""

    image: Image
    """(H, W, 3) uint8 RGB, read-only."""
    grid: Grid
    """Where the board lies, px."""
    mines: int | None
    """What the counter says about all mines; None where there is no counter."""
    style: Style


def draw_window(
    drawing: Drawing,
    position: GameSnapshot,
    fonts: Sequence[FontSource],
    rng: np.random.Generator,
    style: Style | None = None,
) -> Window:
    """Put a drawn board into a window with a counter in a random look, or in the given style.

    The counter tells the truth: mines of the position less the flags put.
    """
    style = STYLES[int(rng.integers(len(STYLES)))] if style is None else style
    height, width = drawing.image.shape[:2]
    pitch = drawing.grid.pitch_x
    size = float(np.clip(pitch * rng.uniform(0.4, 0.9), 9, 34))
    bar = round(size * rng.uniform(2.6, 4.5))
    side = round(rng.uniform(0.1, 3) * pitch)
    wide = max(width + 2 * side, round(30 * size))
    background = _background(rng)
    low = bool(rng.random() < 0.35) and style != "display"
    top = round(0.8 * pitch) if low else bar
    image = np.empty((top + height + (bar if low else round(0.8 * pitch)), wide, 3), dtype=np.uint8)
    image[:] = background
    left = (wide - width) // 2
    image[top : top + height, left : left + width] = drawing.image
    grid = Grid(drawing.grid.x + left, drawing.grid.y + top)
    total = int(position.mines.sum())
    put = int(np.isin(position.labels, (FLAG, WRONG_FLAG)).sum())
    strip = image[top + height :] if low else image[:top]
    indent = min(left, wide // 8)
    inside = strip[:, indent : wide - indent]
    pen = _Pen(inside, background, _plain_font(fonts, rng), size, rng)
    if style == "display":
        _displays(inside, background, total - put, bar, rng)
    else:
        _writing(pen, style, total, put, fonts)
    image.setflags(write=False)
    return Window(image, grid, None if style == "none" else total, style)


def _background(rng: np.random.Generator) -> Colour:
    if rng.random() < 0.7:
        level = float(rng.choice([255, 240, 192, 230, 40, 24, 60]))
        return (level, level, level)
    red, green, blue = rng.uniform(20, 235, size=3)
    return (float(red), float(green), float(blue))


def _plain_font(fonts: Sequence[FontSource], rng: np.random.Generator) -> FontSource:
    able = [font for font in fonts if font.path is not None and font.likeness > _UI]
    if not able:
        return next(font for font in fonts if font.name == "pillow")
    families = sorted({font.family for font in able})
    family = families[int(rng.integers(len(families)))]
    faces = [font for font in able if font.family == family]
    return faces[int(rng.integers(len(faces)))]


class _Pen:
    """Writes on one strip of the picture, from left to right."""

    def __init__(
        self, strip: Image, background: Colour, font: FontSource, size: float, rng: np.random.Generator
    ) -> None:
        self.strip, self.size, self.rng, self.background = strip, size, rng, background
        self.path = None if font.path is None else str(font.path)
        self.font = self._face(1.0)
        light = 0.299 * background[0] + 0.587 * background[1] + 0.114 * background[2] < 125
        shade = rng.uniform(150, 255) if light else rng.uniform(0, 90)
        self.colour = (shade, shade, shade)
        self.base = round(strip.shape[0] * 0.5 + size * 0.5)

    def _face(self, share: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
        em = max(8, round(1.4 * self.size * share))
        return ImageFont.load_default(em) if self.path is None else ImageFont.truetype(self.path, em)

    def write(self, text: str, x: float, base: float | None = None, share: float = 1.0) -> float:
        """Write with the baseline at `base`; returns where the text ends, px."""
        font = self.font if share == 1.0 else self._face(share)
        picture = Pictures.fromarray(np.ascontiguousarray(self.strip))
        ink = tuple(round(part) for part in self.colour)
        place = (round(x), self.base if base is None else round(base))
        ImageDraw.Draw(picture).text(place, text, fill=ink, font=font, anchor="ls")
        self.strip[:] = np.asarray(picture)
        return x + float(font.getlength(text))

    def length(self, text: str) -> float:
        """Width of a text, px."""
        return float(self.font.getlength(text))

    def draw(self, art: Art, x: float) -> float:
        """Put an icon on the line; returns where it ends, px."""
        side = round(self.size * self.rng.uniform(1.2, 1.7))
        middle = self.base - self.size / 2
        top, left = round(middle - side / 2), round(x)
        place = self.strip[max(0, top) : top + side, left : left + side]
        small = cv2.resize(art, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
        small = small[max(0, -top) : max(0, -top) + place.shape[0], : place.shape[1]]
        place[:] = np.clip(place * (1 - small[..., 3:] / 255) + small[..., :3], 0, 255).astype(np.uint8)
        return x + side


def _writing(pen: _Pen, style: Style, total: int, put: int, fonts: Sequence[FontSource]) -> None:
    rng, size = pen.rng, pen.size
    start = rng.uniform(0.3, 2) * size
    gap = rng.uniform(1.5, 4) * size
    seconds = int(rng.integers(0, 999))
    time = f"{seconds // 60}:{seconds % 60:02d}" if rng.random() < 0.5 else str(seconds)
    parts: list[str]
    if style in ("line", "none"):
        word = _LEFT_WORDS[int(rng.integers(len(_LEFT_WORDS)))]
        colon = ":" if rng.random() < 0.8 else ""
        parts = (
            [f"{word}{colon} {total - put}"]
            if style == "line"
            else [f"Level{colon} {int(rng.integers(1, 60))}"]
        )
        parts.append(f"{_TIME_WORDS[int(rng.integers(len(_TIME_WORDS)))]}{colon} {time}")
        if rng.random() < 0.4:
            parts.reverse()
        for part in parts:
            start = pen.write(part, start) + gap
    elif style == "ratio":
        stroke = " / " if rng.random() < 0.4 else "/"
        prefix = ("", "Mines: ", "Marked: ", "Flags: ", "Bombs ")[int(rng.integers(5))]
        start = pen.write(f"{prefix}{put}{stroke}{total}", start) + gap
        pen.write(time, start)
    elif style == "icon":
        font = next(font for font in fonts if font.name == "pillow")
        kind = mine if rng.random() < 0.6 else flag
        pairs = [(kind(rng, pen.background, font, odd=0.0), str(total - put)), (_clock(pen.colour), time)]
        if rng.random() < 0.5:
            pairs.reverse()
        for art, text in pairs[: 1 + int(rng.random() < 0.8)] if pairs[0][1] != time else pairs:
            start = pen.draw(art, start) + rng.uniform(0.25, 0.8) * size
            start = pen.write(text, start) + gap
    else:
        words = ("Bombs", "MINES", "Mines left")[int(rng.integers(3))], "TIME"
        for word, text in zip(words, (str(total - put), time), strict=True):
            width = max(pen.length(text), 0.8 * pen.length(word))
            pen.write(text, start + (width - pen.length(text)) / 2, pen.base - 0.7 * size)
            pen.write(word, start + (width - 0.75 * pen.length(word)) / 2, pen.base + 0.9 * size, 0.75)
            start += width + gap


def _clock(colour: Colour) -> Art:
    canvas = Canvas()
    canvas.ring((0.5, 0.5), 0.38, colour, 0.08)
    canvas.line([(0.5, 0.5), (0.5, 0.25)], colour, 0.07)
    canvas.line([(0.5, 0.5), (0.66, 0.58)], colour, 0.07)
    return canvas.done()


def _displays(strip: Image, background: Colour, left: int, bar: int, rng: np.random.Generator) -> None:
    """Two displays at the ends of the strip, mines to the left, seconds to the right, a face between."""
    tall = min(round(bar * rng.uniform(0.5, 0.75)), strip.shape[1] // 6)
    hue = ((255, 0, 0), (255, 0, 0), (0, 255, 60), (255, 170, 0), (90, 200, 255))[int(rng.integers(5))]
    unlit = float(rng.choice([0.0, 0.25, 0.4]))
    thick, slim = rng.uniform(0.09, 0.14), rng.uniform(0.52, 0.62)
    width = round(slim * tall) * 3
    top = (len(strip) - tall) // 2
    edge = round(rng.uniform(0.1, 0.6) * tall)
    for x, value in ((edge, left), (strip.shape[1] - edge - width, int(rng.integers(0, 999)))):
        text = f"{value:03d}"[:3] if value >= 0 else f"-{-value:02d}"
        panel = display(text, width, tall, hue, unlit, thick)
        place = strip[top : top + tall, x : x + width]
        place[:] = panel[: place.shape[0], : place.shape[1]]
        if max(background) < 90:
            cv2.rectangle(strip, (x - 1, top - 1), (x + width, top + tall), (150, 150, 150), 1)
    centre = (strip.shape[1] // 2, len(strip) // 2)
    cv2.circle(strip, centre, tall // 2, (255, 220, 0), -1, cv2.LINE_AA)
    cv2.circle(strip, centre, tall // 2, (30, 30, 30), 1, cv2.LINE_AA)


def display(
    text: str, width: int, height: int, hue: tuple[int, int, int], unlit: float, thick: float
) -> Image:
    """Return a seven-segment display, (height, width, 3) uint8 RGB, dark background.

    `text` is digits, "-" and spaces; `unlit` (0..1) is how bright segments that are off glow, `thick`
    the stroke as a share of the height.
    """
    fine = 4
    panel = np.zeros((height * fine, width * fine, 3), dtype=np.uint8)
    cell = width * fine / len(text)
    margin = 0.09 * height * fine
    stroke = max(fine, round(thick * height * fine))
    for place, sign in enumerate(text):
        x0 = place * cell + 0.1 * cell + stroke / 2
        x1 = (place + 1) * cell - 0.1 * cell - stroke / 2
        y0, y1 = margin + stroke / 2, height * fine - margin - stroke / 2
        middle = (y0 + y1) / 2
        corners = {
            "a": ((x0, y0), (x1, y0)),
            "b": ((x1, y0), (x1, middle)),
            "c": ((x1, middle), (x1, y1)),
            "d": ((x0, y1), (x1, y1)),
            "e": ((x0, middle), (x0, y1)),
            "f": ((x0, y0), (x0, middle)),
            "g": ((x0, middle), (x1, middle)),
        }
        on = _ON[int(sign)] if sign.isdigit() else "g" if sign == "-" else ""
        for name, (start, end) in sorted(corners.items(), key=lambda entry: entry[0] in on):
            a, b = np.array(start), np.array(end)
            inset = (b - a) / max(np.linalg.norm(b - a), 1e-6) * stroke * 0.3
            bright = 1.0 if name in on else unlit
            colour = tuple(round(part * bright) for part in hue)
            if bright > 0:
                points = [tuple(int(value) for value in np.round(point)) for point in (a + inset, b - inset)]
                cv2.line(panel, points[0], points[1], colour, stroke)
    return np.asarray(cv2.resize(panel, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
