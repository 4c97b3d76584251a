"""Draws what surrounds a board on a screen: text, tables, buttons, lattices that are no board, displays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from visionsweeper.geometry import PixelBox
from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import Colour
from visionsweeper.synthetic.fonts import FontSource

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

_LEAST_WIDTH: Final = 24
"""Boxes narrower than this are left empty, px."""

_LEAST_HEIGHT: Final = 16
"""Boxes less high than this are left empty, px."""

_WORDS: Final = (
    "new game", "options", "help", "time", "best", "score", "mines", "level", "File", "View", "Settings",
    "beginner", "expert", "player", "rank", "today", "total", "about", "share", "login", "undo", "zoom",
    "history", "stats", "the", "quick", "results", "and", "of", "by", "news", "menu", "search", "start",
)  # fmt: skip


def to_rgb(colour: Colour) -> tuple[int, int, int]:
    """Return the colour as whole numbers, 0 to 255."""
    red, green, blue = (int(min(255, max(0, round(value)))) for value in colour)
    return red, green, blue


class Painter:
    """Draws clutter on a picture, all choices made by one random generator.

    Boxes are x0, y0, x1, y1 in px of the picture; the background colour is what lies under them.
    """

    def __init__(
        self, size: tuple[int, int], page: Colour, rng: np.random.Generator, fonts: Sequence[FontSource]
    ) -> None:
        """Begin a picture of that width and height, px, filled with one colour."""
        self.image = Image.new("RGB", size, to_rgb(page))
        self.draw = ImageDraw.Draw(self.image)
        self.rng = rng
        self._fonts = [font for font in fonts if font.path is not None and font.has_letters]

    def font(self, size: float) -> Font:
        """Choose a font of any family, about `size` px high."""
        whole = max(7, round(size))
        if not self._fonts:
            return ImageFont.load_default(whole)
        source = self._fonts[int(self.rng.integers(len(self._fonts)))]
        return ImageFont.truetype(str(source.path), whole)

    def ink(self, background: Colour, least: float = 40) -> Colour:
        """Choose a colour that can be read on the background: `least` apart from it before it is dimmed."""
        kind = self.rng.random()
        tone = c.any_colour(self.rng) if kind < 0.35 else c.WHITE if c.luma(background) < 128 else c.BLACK
        return c.mix(c.readable(tone, background, least), background, self.rng.uniform(0, 0.35))

    def tone(self, background: Colour) -> Colour:
        """Choose a colour for a plate: near that of the background, or quite another."""
        kind = self.rng.random()
        if kind < 0.6:
            return c.lighter(background, self.rng.uniform(-0.25, 0.25))
        return c.gray(self.rng, 5, 250) if kind < 0.8 else c.any_colour(self.rng)

    def words(self, most: int = 4) -> str:
        """Choose a number, or up to `most` words."""
        if self.rng.random() < 0.3:
            return str(int(self.rng.integers(0, 10 ** int(self.rng.integers(1, 6)))))
        picked = self.rng.choice(_WORDS, size=int(self.rng.integers(1, most + 1)))
        text = " ".join(str(word) for word in picked)
        return text.title() if self.rng.random() < 0.4 else text

    def text(self, at: tuple[float, float], text: str, font: Font, colour: Colour) -> None:
        """Write one line, its upper left corner at `at` (x, y in px)."""
        self.draw.text(at, text, font=font, fill=to_rgb(colour))

    def plate(
        self, box: PixelBox, colour: Colour, *, rim: Colour | None = None, radius: int = 0, width: int = 1
    ) -> None:
        """Draw a filled rectangle with corners of `radius` px and a rim of `width` px, or without any."""
        if box[2] - box[0] < 2 or box[3] - box[1] < 2:
            return
        radius = min(radius, (box[2] - box[0]) // 2 - 1, (box[3] - box[1]) // 2 - 1)
        outline = None if rim is None else to_rgb(rim)
        inclusive = (box[0], box[1], box[2] - 1, box[3] - 1)
        if radius > 0:
            self.draw.rounded_rectangle(inclusive, radius, fill=to_rgb(colour), outline=outline, width=width)
        else:
            self.draw.rectangle(inclusive, fill=to_rgb(colour), outline=outline, width=width)

    def bevel(self, box: PixelBox, colour: Colour, width: int, *, sunken: bool = False) -> None:
        """Draw a border of `width` px inside the box, which rises from the page or sinks into it."""
        light = c.lighter(colour, self.rng.uniform(0.4, 1))
        dark = c.lighter(colour, -self.rng.uniform(0.25, 0.6))
        first, second = (dark, light) if sunken else (light, dark)
        x0, y0, x1, y1 = box
        for k in range(width):
            self.draw.line([(x0 + k, y1 - 1 - k), (x0 + k, y0 + k), (x1 - 1 - k, y0 + k)], fill=to_rgb(first))
            self.draw.line(
                [(x0 + k, y1 - 1 - k), (x1 - 1 - k, y1 - 1 - k), (x1 - 1 - k, y0 + k)], fill=to_rgb(second)
            )

    def paragraph(self, box: PixelBox, background: Colour) -> None:
        """Write lines of text."""
        size = self.rng.uniform(9, 20)
        font, ink, y = self.font(size), self.ink(background), float(box[1])
        while y + size < box[3]:
            line, width = "", 0.0
            while width < (box[2] - box[0]) * self.rng.uniform(0.4, 1.0) and len(line) < 120:
                line += self.words(1) + " "
                width = self.draw.textlength(line, font=font)
            self.text((box[0], y), line.strip(), font, ink)
            y += size * self.rng.uniform(1.3, 1.6)

    def table(self, box: PixelBox, background: Colour) -> None:
        """Draw rows and columns of numbers and words, with or without lines."""
        tall, wide = self.rng.uniform(14, 40), self.rng.uniform(24, 120)
        font, ink = self.font(tall * self.rng.uniform(0.4, 0.75)), self.ink(background)
        lines, rule = self.rng.random(), self.tone(background)
        columns, rows = max(1, int((box[2] - box[0]) / wide)), max(1, int((box[3] - box[1]) / tall))
        for r in range(rows + 1):
            y = box[1] + r * tall
            if lines < 0.6:
                self.draw.line([(box[0], y), (box[0] + columns * wide, y)], fill=to_rgb(rule))
            for k in range(columns):
                if r < rows:
                    text = str(int(self.rng.integers(0, 1000))) if self.rng.random() < 0.8 else self.words(1)
                    self.text((box[0] + k * wide + 3, y + 2), text, font, ink)
        if lines < 0.35:
            for k in range(columns + 1):
                x = box[0] + k * wide
                self.draw.line([(x, box[1]), (x, box[1] + rows * tall)], fill=to_rgb(rule))

    def cells(self, box: PixelBox, background: Colour) -> None:
        """Draw a lattice that is no board: a palette, a checkerboard, a puzzle, keys, a calendar, icons."""
        side = self.rng.uniform(16, 64)
        wide = side * (1.0 if self.rng.random() < 0.6 else self.rng.uniform(0.7, 2.0))
        gap = self.rng.uniform(0, 0.3) * side
        radius = int(self.rng.uniform(0, 0.3) * side * self.rng.integers(0, 2))
        kind, plate = int(self.rng.integers(6)), self.tone(background)
        font, ink = self.font(side * self.rng.uniform(0.25, 0.6)), self.ink(plate)
        number = 0
        for y in np.arange(box[1], box[3] - side, side + gap):
            for x in np.arange(box[0], box[2] - wide, wide + gap):
                number += 1
                colour = c.any_colour(self.rng) if kind == 0 else plate
                if kind == 1 and (int(x / (wide + gap)) + int(y / (side + gap))) % 2:
                    colour = c.lighter(plate, -0.4)
                cell = (int(x), int(y), int(x + wide), int(y + side))
                self.plate(cell, colour, radius=radius, rim=ink if kind == 2 else None)
                if kind in {2, 3} and self.rng.random() < 0.6:
                    sign = (
                        str(self.rng.integers(1, 10)) if kind == 2 else chr(65 + int(self.rng.integers(26)))
                    )
                    self.text((x + wide * 0.3, y + side * 0.15), sign, font, ink)
                if kind == 4:
                    self.text((x + 3, y + 2), str(number), font, ink)
                if kind == 5:
                    inset = side * 0.2
                    self.draw.ellipse(
                        (x + inset, y + inset, x + wide - inset, y + side - inset),
                        fill=to_rgb(c.any_colour(self.rng)),
                    )

    def buttons(self, box: PixelBox, background: Colour) -> None:
        """Draw a row of buttons."""
        x, tall = float(box[0]), min(box[3] - box[1], int(self.rng.uniform(18, 44)))
        font, colour, radius = self.font(tall * 0.5), self.tone(background), int(self.rng.integers(0, 10))
        ink = self.ink(colour)
        while True:
            label = self.words(2)
            wide = self.draw.textlength(label, font=font) + tall
            if x + wide > box[2]:
                break
            self.plate(
                (int(x), box[1], int(x + wide), box[1] + tall),
                colour,
                radius=radius,
                rim=ink if radius % 2 else None,
            )
            self.text((x + tall / 2, box[1] + tall * 0.2), label, font, ink)
            x += wide + tall * 0.3

    def photo(self, box: PixelBox, background: Colour) -> None:
        """Draw something like a photograph: blotches and grain."""
        wide, tall = box[2] - box[0], box[3] - box[1]
        shape = (int(self.rng.integers(2, 12)), int(self.rng.integers(2, 12)), 3)
        coarse = self.rng.integers(0, 256, shape, dtype=np.uint8)
        blotches = np.asarray(
            Image.fromarray(coarse).resize((wide, tall), Image.Resampling.BICUBIC), dtype=np.float32
        )
        grain = self.rng.standard_normal((tall, wide, 1), dtype=np.float32) * np.float32(
            self.rng.uniform(0, 14)
        )
        self.image.paste(Image.fromarray(np.clip(blotches + grain, 0, 255).astype(np.uint8)), box[:2])

    def display(self, box: PixelBox) -> None:
        """Draw a counter in seven segments."""
        self.plate(box, (0, 0, 0) if self.rng.random() < 0.8 else c.gray(self.rng, 0, 90))
        lit = c.hsv(self.rng.normal(0, 0.02), 1, 1) if self.rng.random() < 0.7 else c.any_colour(self.rng)
        dim = c.lighter(lit, -0.75)
        digits = int(self.rng.integers(2, 5))
        wide, tall = (box[2] - box[0]) / digits, box[3] - box[1]
        thick = max(1, round(wide * 0.16))
        for k in range(digits):
            x0, x1 = box[0] + k * wide + wide * 0.14, box[0] + (k + 1) * wide - wide * 0.14
            y0, y1, ym = box[1] + tall * 0.1, box[3] - tall * 0.1, (box[1] + box[3]) / 2
            for line in (
                ((x0, y0), (x1, y0)), ((x0, ym), (x1, ym)), ((x0, y1), (x1, y1)),
                ((x0, y0), (x0, ym)), ((x0, ym), (x0, y1)), ((x1, y0), (x1, ym)), ((x1, ym), (x1, y1)),
            ):  # fmt: skip
                self.draw.line(line, fill=to_rgb(lit if self.rng.random() < 0.65 else dim), width=thick)

    def smiley(self, box: PixelBox, colour: Colour) -> None:
        """Draw the face on a button above the board."""
        self.plate(box, colour)
        self.bevel(box, colour, max(1, (box[3] - box[1]) // 14))
        inset = (box[3] - box[1]) * 0.17
        x0, y0, x1, y1 = box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset
        if x1 - x0 < 4 or y1 - y0 < 4:
            return
        self.draw.ellipse((x0, y0, x1, y1), fill=(255, 225, 40), outline=(30, 30, 0))
        for share in (0.33, 0.67):
            x, y, r = x0 + (x1 - x0) * share, y0 + (y1 - y0) * 0.38, (x1 - x0) * 0.06
            self.draw.ellipse((x - r, y - r, x + r, y + r), fill=(0, 0, 0))
        self.draw.arc(
            (x0 + (x1 - x0) * 0.22, y0 + (y1 - y0) * 0.3, x1 - (x1 - x0) * 0.22, y1 - (y1 - y0) * 0.15),
            20,
            160,
            fill=(0, 0, 0),
        )

    def anything(self, box: PixelBox, background: Colour) -> None:
        """Draw one kind of clutter in the box, perhaps on a card; nothing where the box is too small."""
        if box[2] - box[0] < _LEAST_WIDTH or box[3] - box[1] < _LEAST_HEIGHT:
            return
        if self.rng.random() < 0.3:
            background = self.tone(background)
            self.plate(
                box,
                background,
                radius=int(self.rng.integers(0, 14)),
                rim=self.tone(background) if self.rng.random() < 0.5 else None,
            )
            box = (box[0] + 6, box[1] + 6, box[2] - 6, box[3] - 6)
            if box[2] - box[0] < _LEAST_WIDTH or box[3] - box[1] < _LEAST_HEIGHT:
                return
        kinds: list[Callable[[PixelBox, Colour], None]] = [
            self.paragraph, self.paragraph, self.table, self.table, self.cells, self.cells,
            self.buttons, self.photo,
        ]  # fmt: skip
        kinds[int(self.rng.integers(len(kinds)))](box, background)
