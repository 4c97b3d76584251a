"""Screens of text terminals: a board of characters between other text, all on one lattice of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.geometry import Grid
from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import Colour
from visionsweeper.synthetic.draw import Drawing
from visionsweeper.synthetic.fonts import FontSource, has_sign
from visionsweeper.synthetic.positions import Labels
from visionsweeper.synthetic.terminal import (
    BLANK_SIGNS,
    COVERED_SIGNS,
    FLAG_SIGNS,
    MINE_SIGNS,
    WRONG_FLAG_SIGNS,
    pick_sign_of,
)
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG

_BRACKETS: Final = ("[]", "()", "||", "<>", "  ")
_FIXED: Final = ("mono", "courier", "fixed", "code", "hack", "term", "console", "vga")
"""Parts of the names of fonts whose letters are all as wide."""
_BANNER: Final = "/\\_|() =#*-"
_WORDS: Final = (
    "score", "mines", "left", "time", "press q to quit", "flag", "open", "row", "column", "$ ./game", "level",
    "10/40", "00:42", "arrows move", "space", "undo", "your move:", "seed 1234", "> 3 4", "help", "new",
)  # fmt: skip


@dataclass
class _Sheet:
    """Characters by line and column, and where a tile has a background of its own."""

    signs: dict[tuple[int, int], tuple[str, Colour]] = field(default_factory=dict)
    backgrounds: dict[tuple[int, int], Colour] = field(default_factory=dict)

    def write(self, line: int, column: int, text: str, colour: Colour) -> None:
        for place, sign in enumerate(text):
            if sign != " ":
                self.signs[line, column + place] = (sign, colour)

    def light_up(self, line: int, columns: range, background: Colour) -> None:
        """Give characters of a line a background, as under a cursor, and their signs a colour seen on it."""
        for column in columns:
            self.backgrounds[line, column] = background
            if (line, column) in self.signs:
                sign, colour = self.signs[line, column]
                self.signs[line, column] = (sign, c.readable(colour, background, 90))


@dataclass(frozen=True)
class _Look:
    """How the tiles of one game are written."""

    signs: dict[int, str]
    colours: dict[int, Colour]
    backgrounds: dict[int, Colour]
    brackets: str
    """Around the sign of a tile; empty where tiles are less than three characters wide."""
    bracketed: bool
    """Whether opened tiles have the brackets, too."""
    doubled: bool
    """Whether two of a sign fill a tile that is not a number, two characters wide."""
    second: bool
    """Whether a sign that stands alone in such a tile stands second there."""


def draw_terminal(labels: Labels, rng: np.random.Generator, fonts: Sequence[FontSource]) -> Drawing:
    """Write tile classes, (rows, columns), on a terminal; every tile is one to three characters wide."""
    font = _font(rng, fonts)
    page = _page(rng)
    ink = c.readable(c.WHITE if rng.random() < 0.6 else c.any_colour(rng), page, 110)
    wide = int(rng.choice([1, 2, 3], p=[0.25, 0.5, 0.25]))
    high = 2 if rng.random() < 0.1 else 1
    look = _look(rng, font, page, ink, wide)
    rows, columns = labels.shape
    top, left = int(rng.integers(0, 7)), int(rng.integers(0, 12))
    frame, labelled = rng.random() < 0.35, rng.random() < 0.3
    space = int(rng.integers(0, 2))
    margin = (space + 1 if frame else 0) + (2 if labelled else 0)
    top, left = top + margin, left + margin + (2 if labelled else 0)
    sheet = _Sheet()
    below, right = top + rows * high, left + columns * wide
    _write_tiles(sheet, labels, look, (top, left), (high, wide))
    if rng.random() < 0.35:
        line, column = top + int(rng.integers(rows)) * high, left + int(rng.integers(columns)) * wide
        sheet.light_up(line, range(column, column + wide), c.any_colour(rng) if rng.random() < 0.7 else ink)
    if high == 2 and rng.random() < 0.7:
        for row in range(rows):
            sheet.write(
                top + 2 * row + 1, left, "=-"[int(rng.integers(2))] * (columns * wide), c.mix(ink, page, 0.4)
            )
    if frame:
        _write_frame(sheet, (top - 1 - space, left - 1 - space, below + space, right + space), ink, rng)
    if labelled:
        _write_labels(
            sheet, (top - margin, left - margin - 2), (top, left), (rows, columns), (high, wide), ink, rng
        )
    lines, across = below + int(rng.integers(0, 7)) + margin, right + margin + int(rng.integers(0, 30))
    _write_text(sheet, range(top - margin), across, ink, page, rng)
    _write_text(sheet, range(below + margin, lines), across, ink, page, rng)
    height = int(rng.integers(12, 31))
    width = max(6, round(height * rng.uniform(0.42, 0.65)))
    if wide == 1 and rng.random() < 0.5:
        width = height  # emoji and the squares of some fonts take two cells
    image = _painted(sheet, (lines, across), (height, width), page, font, rng)
    image.setflags(write=False)
    # Where signs stand alone in their tiles, a tile is what is nearest to its sign.
    alone = not (look.brackets or look.doubled or COVERED in look.backgrounds)
    shift = (-1 if look.second else 1) * (wide - 1) / 2 if alone else 0.0
    x = (left - shift + wide * np.arange(columns + 1)) * width
    y = (top - (high - 1) / 2 + high * np.arange(rows + 1)) * height
    return Drawing(image, Grid(x.astype(np.float64), y.astype(np.float64)))


def _font(rng: np.random.Generator, fonts: Sequence[FontSource]) -> FontSource:
    """Choose a font: most often one whose letters are all as wide."""
    able = [font for font in fonts if font.has_letters and font.likeness > 0.6]
    fixed = [font for font in able if any(part in font.name.lower() for part in _FIXED)]
    chosen = fixed if fixed and rng.random() < 0.7 else able
    return chosen[int(rng.integers(len(chosen)))]


def _page(rng: np.random.Generator) -> Colour:
    kind = rng.random()
    return c.BLACK if kind < 0.4 else c.gray(rng, 5, 60) if kind < 0.65 else c.gray(rng, 220, 255)


def _look(rng: np.random.Generator, font: FontSource, page: Colour, ink: Colour, wide: int) -> _Look:
    hidden = pick_sign_of(rng, COVERED_SIGNS, font)
    mine = pick_sign_of(rng, MINE_SIGNS.replace(hidden, ""), font)
    brackets = _BRACKETS[int(rng.integers(len(_BRACKETS)))] if wide == 3 else ""
    bracketed = bool(rng.random() < 0.5)
    if brackets.strip() and not bracketed and rng.random() < 0.5:
        hidden = " "
    signs = {
        0: pick_sign_of(rng, BLANK_SIGNS.replace(hidden, "") or " ", font),
        COVERED: hidden,
        FLAG: pick_sign_of(rng, FLAG_SIGNS, font),
        MINE: mine,
        WRONG_FLAG: pick_sign_of(rng, WRONG_FLAG_SIGNS.replace(mine, ""), font),
        QUESTION: "?",
        EXPLODED: mine,
        **{number: str(number) for number in range(1, 9)},
    }
    colours = dict.fromkeys(signs, ink)
    colours[0] = c.mix(ink, page, rng.uniform(0, 0.6))
    colours[COVERED] = c.mix(ink, page, rng.uniform(0, 0.5))
    if rng.random() < 0.65:
        red = c.readable(c.hsv(rng.normal(0, 0.02) % 1.0, 0.9, 1), page, 60)
        colours |= {FLAG: red, MINE: red, WRONG_FLAG: red}
        palette = c.CLASSIC if rng.random() < 0.5 else [c.any_colour(rng) for _ in range(9)]
        colours |= {n: c.readable(c.jitter(rng, palette[n], 0.1), page, 90) for n in range(1, 9)}
    backgrounds: dict[int, Colour] = {EXPLODED: c.hsv(0, 0.9, rng.uniform(0.5, 0.9))}
    kind = rng.random()
    if kind < 0.15:  # every number on a background of its own
        backgrounds |= {n: colours[n] for n in range(1, 9)}
        colours |= {n: c.readable(page, colours[n], 80) for n in range(1, 9)}
        backgrounds[COVERED] = c.mix(page, ink, rng.uniform(0.0, 0.9))
    elif kind < 0.35:
        backgrounds[COVERED] = c.mix(page, ink, rng.uniform(0.06, 0.8))
        colours[COVERED] = c.readable(colours[COVERED], backgrounds[COVERED], 40)
        backgrounds |= dict.fromkeys((FLAG, QUESTION), backgrounds[COVERED])
    two = wide == 2
    doubled, second = bool(two and rng.random() < 0.25), bool(two and rng.random() < 0.3)
    return _Look(signs, colours, backgrounds, brackets, bracketed, doubled, second)


def _write_tiles(
    sheet: _Sheet, labels: Labels, look: _Look, corner: tuple[int, int], size: tuple[int, int]
) -> None:
    (top, left), (high, wide) = corner, size
    for (row, column), tile_class in np.ndenumerate(labels):
        line, start = top + row * high, left + column * wide
        code = int(tile_class)
        background = look.backgrounds.get(code)
        if background is not None:
            for place in range(wide):
                sheet.backgrounds[line, start + place] = background
        text = look.signs[code]
        if look.brackets:
            around = look.brackets if look.bracketed or code > 8 else "  "
            text = around[0] + text + around[1]
        elif look.doubled and not 1 <= code <= 8:
            text *= 2
        elif look.second:
            text = " " + text
        sheet.write(line, start, text, look.colours[code])


def _write_frame(
    sheet: _Sheet, box: tuple[int, int, int, int], ink: Colour, rng: np.random.Generator
) -> None:
    top, left, bottom, right = box
    side, flat, corner = (("|", "-", "+"), ("#", "#", "#"), ("|", "_", " "), ("=", "=", "="))[
        int(rng.integers(4))
    ]
    for line in (top, bottom):
        sheet.write(line, left, corner + flat * (right - left - 1) + corner, ink)
    for line in range(top + 1, bottom):
        sheet.write(line, left, side, ink)
        sheet.write(line, right, side, ink)


def _write_labels(
    sheet: _Sheet,
    start: tuple[int, int],
    corner: tuple[int, int],
    shape: tuple[int, int],
    size: tuple[int, int],
    ink: Colour,
    rng: np.random.Generator,
) -> None:
    (line, column), (top, left), (high, wide) = start, corner, size
    letters, first = rng.random() < 0.4, int(rng.integers(0, 2))
    middle = wide // 2 if wide == 3 else 0
    for number in range(shape[1]):
        text = chr(ord("A") + number % 26) if letters else str((first + number) % (100 if wide == 3 else 10))
        sheet.write(max(line, 0), left + wide * number + middle, text, ink)
    for number in range(shape[0]):
        sheet.write(top + high * number, max(column, 0), f"{first + number:2d}", ink)


def _write_text(
    sheet: _Sheet, lines: range, across: int, ink: Colour, page: Colour, rng: np.random.Generator
) -> None:
    """Write a banner, commands or a score on some of the lines."""
    kind = rng.random()
    for line in lines:
        if kind < 0.25:
            text = "".join(_BANNER[int(i)] for i in rng.integers(0, len(_BANNER), max(1, across - 4)))
        elif kind < 0.75 and rng.random() < 0.7:
            text = "  ".join(_WORDS[int(i)] for i in rng.integers(0, len(_WORDS), int(rng.integers(1, 5))))
        else:
            continue
        colour = ink if rng.random() < 0.6 else c.readable(c.any_colour(rng), page, 60)
        sheet.write(line, int(rng.integers(0, 4)), text[: max(0, across - 4)], colour)


def _painted(
    sheet: _Sheet,
    count: tuple[int, int],
    cell: tuple[int, int],
    page: Colour,
    font: FontSource,
    rng: np.random.Generator,
) -> npt.NDArray[np.uint8]:
    height, width = cell
    image = np.empty((count[0] * height, count[1] * width, 3), np.float32)
    image[:] = page
    size, smooth = height * rng.uniform(0.4, 0.62), bool(rng.random() < 0.8)
    drawn: dict[str, npt.NDArray[np.float32]] = {}

    def place(line: int, column: int) -> npt.NDArray[np.float32]:
        return image[line * height : (line + 1) * height, column * width : (column + 1) * width]

    for (line, column), background in sheet.backgrounds.items():
        place(line, column)[:] = background
    for (line, column), (sign, colour) in sheet.signs.items():
        if not (0 <= line < count[0] and 0 <= column < count[1]):
            continue
        if sign not in drawn:
            shown = sign if has_sign(font, sign) else "+"
            drawn[sign] = font.alpha(shown, width, height, size, smooth=smooth)
        patch, alpha = place(line, column), drawn[sign][..., None]
        patch += (np.array(colour, np.float32) - patch) * alpha
    return np.clip(image, 0, 255).astype(np.uint8)
