"""Pictures that tiles without a number may carry: on covered background, and on opened blanks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import Art, Canvas, Colour
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.icons import flower, letter, star

_Maker = Callable[[np.random.Generator, Canvas, Colour, float], None]


def picture(rng: np.random.Generator, kind: str, colour: Colour, font: FontSource) -> Art:
    """Draw a decoration, one of PICTURES, mostly in the given colour; `font` serves the question mark."""
    if kind == "question":
        return letter("?", font, colour, rng.uniform(0.4, 0.75))
    if kind == "flower":
        return flower(rng, colour, colour)
    canvas = Canvas()
    _MAKERS[kind](rng, canvas, colour, rng.uniform(0.2, 0.42))
    return canvas.done()


def _disc(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.disc((0.5, 0.5), size, colour)
    if rng.random() < 0.5:
        canvas.ellipse((0.42, 0.4), (size * 0.35, size * 0.2), -40, c.lighter(colour, 0.35))


def _ring(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.ring((0.5, 0.5), size, colour, rng.uniform(0.04, 0.12))


def _star(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.polygon(star(int(rng.integers(4, 8)), size, size * 0.45, 0), colour)


def _diamond(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.polygon([(0.5, 0.5 - size), (0.5 + size, 0.5), (0.5, 0.5 + size), (0.5 - size, 0.5)], colour)
    if rng.random() < 0.3:
        canvas.polygon([(0.5, 0.5 - size), (0.5 + size, 0.5), (0.5, 0.5)], c.lighter(colour, 0.3))


def _square(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    a, b = 0.5 - size, 0.5 + size
    canvas.polygon([(a, a), (b, a), (b, b), (a, b)], colour)
    if rng.random() < 0.4:
        canvas.line([(a, a), (b, a), (b, b), (a, b)], c.lighter(colour, -0.3), 0.05, closed=True)


def _key(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    """Draw a rounded square with a rim and a lighter middle."""
    size = max(size, 0.34)
    for reach, shift in ((size, rng.uniform(-0.35, -0.1)), (size - rng.uniform(0.03, 0.08), 0.0)):
        a, b = 0.5 - reach + 0.06, 0.5 + reach - 0.06
        corners = [(a, a), (b, a), (b, b), (a, b)]
        canvas.polygon(corners, c.lighter(colour, shift))
        canvas.line(corners, c.lighter(colour, shift), 0.12, closed=True)
    if rng.random() < 0.4:
        canvas.ellipse((0.42, 0.36), (0.16, 0.06), -20, c.lighter(colour, 0.4))


def _window(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    _square(rng, canvas, colour, size)
    for a, b in (((0.5, 0.5 - size), (0.5, 0.5 + size)), ((0.5 - size, 0.5), (0.5 + size, 0.5))):
        canvas.line([a, b], c.lighter(colour, -0.35), 0.05)


def _rounds(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    for radius in (1.0, 0.65, 0.3):
        canvas.ring((0.5, 0.5), radius * max(size, 0.3), colour, rng.uniform(0.03, 0.06))


def _grass(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    for _ in range(int(rng.integers(5, 16))):
        x, y, lean = rng.uniform(0.1, 0.9), rng.uniform(0.35, 0.92), rng.uniform(-0.1, 0.1)
        tone = c.lighter(colour, rng.uniform(-0.3, 0.3))
        canvas.polygon([(x - 0.03, y), (x + lean, y - size * rng.uniform(0.4, 0.9)), (x + 0.03, y)], tone)


def _face(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    ink = c.readable(c.BLACK, colour, 100)
    canvas.disc((0.5, 0.5), max(size, 0.34), colour)
    for x in (0.38, 0.62):
        canvas.disc((x, 0.43), 0.05, ink)
    mouth = rng.uniform(-0.06, 0.08)
    canvas.line([(0.36, 0.62), (0.44, 0.62 + mouth), (0.56, 0.62 + mouth), (0.64, 0.62)], ink, 0.04)


def _chick(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    del size
    canvas.ellipse((0.5, 0.58), (0.34, 0.3), 0, colour)
    canvas.disc((0.5, 0.34), 0.2, colour)
    canvas.polygon([(0.45, 0.36), (0.55, 0.36), (0.5, 0.46)], c.hsv(0.06, 0.9, 1))
    for x in (0.42, 0.58):
        canvas.disc((x, 0.32), 0.03, c.BLACK)
    if rng.random() < 0.5:
        canvas.polygon([(0.16, 0.6), (0.84, 0.6), (0.74, 0.9), (0.26, 0.9)], c.lighter(colour, 0.8))


def _fish(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    del size
    canvas.polygon([(0.3, 0.5), (0.1, 0.3), (0.1, 0.7)], colour)
    canvas.ellipse((0.54, 0.5), (0.32, rng.uniform(0.16, 0.26)), 0, colour)
    canvas.disc((0.72, 0.45), 0.04, c.readable(c.BLACK, colour, 90))


def _mushroom(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.polygon([(0.42, 0.5), (0.58, 0.5), (0.62, 0.86), (0.38, 0.86)], c.hsv(0.11, 0.2, 0.95))
    cap = [(0.5 + 0.36 * np.cos(t), 0.54 - 0.36 * np.sin(t)) for t in np.linspace(0, np.pi, 16)]
    canvas.polygon(cap, colour)
    for x, y in ((0.36, 0.42), (0.56, 0.32), (0.68, 0.46)):
        canvas.disc((x, y), size * rng.uniform(0.1, 0.22), c.lighter(colour, 0.8))


def _leaf(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.ellipse((0.5, 0.5), (size, size * 0.5), rng.uniform(0, 180), colour)
    canvas.line([(0.3, 0.7), (0.7, 0.3)], c.lighter(colour, -0.35), 0.03)


def _drop(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.ellipse((0.5, 0.5), (size, size * rng.uniform(0.4, 0.8)), rng.uniform(0, 180), colour)


def _brick(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    rows = int(rng.choice([3, 4]))
    for row in range(rows):
        y, step = row / rows, 1 / rows
        canvas.line([(0, y), (1, y)], colour, 0.1 * size)
        for x in (0.25 + 0.25 * (row % 2), 0.75 + 0.25 * (row % 2)):
            canvas.line([(x, y), (x, y + step)], colour, 0.1 * size)


def _cloud(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    for x, y, r in ((0.32, 0.56, 0.4), (0.5, 0.46, 0.55), (0.68, 0.56, 0.4)):
        canvas.disc((x, y), r * max(size, 0.3) * rng.uniform(0.9, 1.1), colour)


def _tree(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    canvas.line([(0.5, 0.6), (0.5, 0.9)], (110, 70, 30), 0.1)
    _bush(rng, canvas, colour, size)


def _bush(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    for _ in range(7):
        tone = c.lighter(colour, rng.uniform(-0.25, 0.25))
        canvas.disc((rng.uniform(0.34, 0.66), rng.uniform(0.3, 0.56)), size * rng.uniform(0.3, 0.5), tone)


def _stripes(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    step = float(rng.choice([0.2, 0.25, 0.34]))
    for x in np.arange(-1, 1.2, step):
        canvas.line([(float(x), 1.1), (float(x) + 1.1, 0)], colour, step * size)


def _plus(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    width = rng.uniform(0.04, 0.12)
    canvas.line([(0.5, 0.5 - size), (0.5, 0.5 + size)], colour, width)
    canvas.line([(0.5 - size, 0.5), (0.5 + size, 0.5)], colour, width)


def _bars(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    for y in (0.3, 0.5, 0.7):
        canvas.line([(0.5 - size, y), (0.5 + size, y)], colour, rng.uniform(0.04, 0.09))


def _lattice(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    count = int(rng.choice([3, 4, 5]))
    for i in range(count):
        for j in range(count):
            if (i + j) % 2 or count == 3:
                canvas.disc(((i + 0.5) / count, (j + 0.5) / count), size * 0.25, colour)


def _pyramid(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    """Draw an embossed stud: four triangles of different light."""
    corners = [
        (0.5 - size, 0.5 - size),
        (0.5 + size, 0.5 - size),
        (0.5 + size, 0.5 + size),
        (0.5 - size, 0.5 + size),
    ]
    for i, share in enumerate((0.35, 0.0, -0.35, 0.15)):
        canvas.polygon(
            [corners[i], corners[(i + 1) % 4], (0.5, 0.5)], c.lighter(colour, share * rng.uniform(0.6, 1))
        )


def _moon(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    size = max(size, 0.28)
    t = np.linspace(0.7, 2 * np.pi - 0.7, 24)
    outer = [(0.5 + size * float(np.cos(a)), 0.5 + size * float(np.sin(a))) for a in t]
    inner = [(x + size * rng.uniform(0.3, 0.31) * (1.4 - 2 * abs(y - 0.5)), y) for x, y in outer[::-1]]
    canvas.polygon(outer + inner, colour)


def _house(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    half = max(size, 0.26)
    canvas.polygon([(0.5 - half, 0.5), (0.5 + half, 0.5), (0.5 + half, 0.85), (0.5 - half, 0.85)], colour)
    canvas.polygon([(0.5 - half - 0.06, 0.5), (0.5, 0.18), (0.56 + half, 0.5)], c.lighter(colour, -0.4))
    if rng.random() < 0.6:
        canvas.line([(0.5, 0.64), (0.5, 0.85)], c.lighter(colour, 0.5), 0.12)


def _dot(rng: np.random.Generator, canvas: Canvas, colour: Colour, size: float) -> None:
    del size
    canvas.disc((0.5, 0.5), rng.uniform(0.03, 0.12), colour)


_MAKERS: Final[dict[str, _Maker]] = {
    "disc": _disc,
    "ring": _ring,
    "star": _star,
    "diamond": _diamond,
    "square": _square,
    "key": _key,
    "window": _window,
    "rounds": _rounds,
    "grass": _grass,
    "face": _face,
    "chick": _chick,
    "fish": _fish,
    "mushroom": _mushroom,
    "leaf": _leaf,
    "drop": _drop,
    "brick": _brick,
    "cloud": _cloud,
    "tree": _tree,
    "bush": _bush,
    "stripes": _stripes,
    "plus": _plus,
    "bars": _bars,
    "lattice": _lattice,
    "pyramid": _pyramid,
    "moon": _moon,
    "house": _house,
    "dot": _dot,
}

PICTURES: Final = (*_MAKERS, "question", "flower")
"""What a tile without a number may carry."""
