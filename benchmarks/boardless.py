"""Draws pictures that hold no board and yet have cells, rows or look-alikes: other games, tables, pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
_Draw = Callable[[Picture, int, int], None]
"""Draws into one cell, given its row and column."""

_INK: Final = (30, 30, 30)


def blank(width: int, height: int, colour: int | Colour = 255) -> Picture:
    """Return a picture of one colour."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = colour
    return picture


def write(picture: Picture, text: str, x: float, y: float, size: float, colour: Colour = _INK) -> None:
    """Text that begins at x on the line y; `size` is about the height of its letters times two, px."""
    place = (int(x), int(y))
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, size / 30, colour, 1, cv2.LINE_AA)


def word(rng: np.random.Generator) -> str:
    """Letters in a row."""
    return "".join(rng.choice(list("abcdefghiklmnoprstuvw"), int(rng.integers(2, 10))))


def _some(rng: np.random.Generator, low: int = 0, high: int = 256) -> Colour:
    red, green, blue = rng.integers(low, high, 3).tolist()
    return red, green, blue


def _cells(
    size: tuple[int, int], side: tuple[int, int], draw: _Draw, *, ground: int | Colour = 255, gap: int = 0
) -> Picture:
    """Rows and columns of cells of (width, height) px, each drawn by itself, with gaps around them."""
    rows, columns = size
    width, height = side
    picture = blank(columns * (width + gap) + gap, rows * (height + gap) + gap, ground)
    for r in range(rows):
        for c in range(columns):
            y, x = gap + r * (height + gap), gap + c * (width + gap)
            draw(picture[y : y + height, x : x + width], r, c)
    return picture


def _middle(cell: Picture, text: str, share: float = 0.5, colour: Colour = _INK) -> None:
    """Text about the middle of a cell."""
    height, width = cell.shape[:2]
    write(
        cell,
        text,
        width / 2 - 0.16 * len(text) * share * 2 * height,
        0.5 * height + 0.2 * height,
        share * height,
        colour,
    )


def _framed(cell: Picture, colour: Colour = (120, 120, 120)) -> None:
    cell[0] = cell[:, 0] = cell[-1] = cell[:, -1] = colour


def _crossword(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        if rng.random() < 0.25:
            cell[:] = 20
            return
        _framed(cell)
        if rng.random() < 0.3:
            write(cell, str(rng.integers(1, 40)), 2, side / 3, side / 3)

    return _cells((13, 13), (side, side), draw)


def _letters(rng: np.random.Generator, side: int) -> Picture:
    letters = list("ABCDEFGHIJKLMNOPRSTUW")
    return _cells((14, 14), (side, side), lambda cell, r, c: _middle(cell, str(rng.choice(letters)), 0.7))


def _nonogram(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        if r < 3 or c < 3:
            if (r < 3) != (c < 3):
                _middle(cell, str(rng.integers(1, 6)), 0.5)
            return
        cell[:] = 40 if rng.random() < 0.5 else 255
        _framed(cell, (170, 170, 170))

    return _cells((18, 18), (side, side), draw)


def _merging(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        power = int(rng.integers(0, 9))
        cell[:] = (205, 193, 180) if power == 0 else (238, 228 - 18 * power, 218 - 22 * power)
        if power:
            _middle(cell, str(2**power), 0.4)

    return _cells((4, 4), (side, side), draw, ground=(187, 173, 160), gap=side // 8)


def _blocks(rng: np.random.Generator, side: int) -> Picture:
    colours = [_some(rng, 60) for _ in range(7)]

    def draw(cell: Picture, r: int, c: int) -> None:
        if r > 8 and rng.random() < 0.75:
            cell[:] = colours[int(rng.integers(7))]
            cell[:3], cell[:, :3] = 240, 240
        else:
            cell[:] = 15

    return _cells((20, 10), (side, side), draw, ground=15)


def _discs(
    rng: np.random.Generator, size: tuple[int, int], side: int, ground: Colour, colours: Sequence[Colour]
) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = ground
        colour = colours[int(rng.integers(len(colours)))]
        cv2.circle(cell, (side // 2, side // 2), int(0.4 * side), colour, -1, cv2.LINE_AA)

    return _cells(size, (side, side), draw)


def _stones(rng: np.random.Generator, side: int) -> Picture:
    picture = blank(side * 19, side * 19, (220, 179, 92))
    for line in range(19):
        at = side // 2 + line * side
        picture[at, side // 2 : -side // 2] = picture[side // 2 : -side // 2, at] = 30
    for r, c in rng.integers(0, 19, (90, 2)):
        shade = (15, 15, 15) if rng.random() < 0.5 else (245, 245, 245)
        cv2.circle(
            picture, (int((c + 0.5) * side), int((r + 0.5) * side)), int(0.46 * side), shade, -1, cv2.LINE_AA
        )
    return picture


def _ships(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        if r == 0 or c == 0:
            _middle(cell, "ABCDEFGHIJ"[c - 1] if r == 0 and c else str(r) if r else "", 0.5)
            return
        cell[:] = (120, 180, 230) if rng.random() < 0.8 else (90, 90, 100)
        _framed(cell, (60, 110, 170))
        if rng.random() < 0.2:
            cv2.circle(cell, (side // 2, side // 2), side // 5, (220, 40, 40), -1, cv2.LINE_AA)

    return _cells((11, 11), (side, side), draw)


def _numbered(rng: np.random.Generator, size: tuple[int, int], side: tuple[int, int], most: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        _framed(cell)
        _middle(cell, str(rng.integers(1, most)), 0.5)

    return _cells(size, side, draw)


def _products(side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = (225, 235, 250) if r == 0 or c == 0 else 255
        _framed(cell)
        _middle(cell, str((r + 1) * (c + 1)), 0.45)

    return _cells((12, 12), (side, side), draw)


def _cards(rng: np.random.Generator, width: int, *, backs: bool) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = 250
        if backs and rng.random() < 0.6:
            cell[3:-3, 3:-3] = (40, 70, 160)
            cell[5:-5:4, 5:-5] = 200
        else:
            red = rng.random() < 0.5
            write(
                cell,
                str(rng.choice(list("A23456789JQK"))),
                4,
                width / 3,
                width / 2,
                (200, 20, 20) if red else _INK,
            )
        _framed(cell)

    return _cells((4, 8), (width, int(1.4 * width)), draw, ground=(20, 110, 50), gap=width // 6)


def _guessed(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        if r < 4:
            cell[:] = [(120, 124, 126), (201, 180, 88), (106, 170, 100)][int(rng.integers(3))]
            _middle(cell, str(rng.choice(list("AEIORSTLN"))), 0.7, (255, 255, 255))
        else:
            _framed(cell, (210, 214, 218))

    return _cells((6, 5), (side, side), draw, gap=6)


def _elements(rng: np.random.Generator, side: int) -> Picture:
    kinds = [_some(rng, 150) for _ in range(8)]

    def draw(cell: Picture, r: int, c: int) -> None:
        if (r == 0 and 0 < c < 17) or (r in {1, 2} and 1 < c < 12):
            return
        cell[:] = kinds[min(7, c // 2)]
        write(cell, str(r * 18 + c), 2, side / 4, side / 4)
        write(cell, word(rng)[:2].title(), side / 5, 0.75 * side, 0.6 * side)

    return _cells((7, 18), (side, side), draw, gap=2)


def _week(rng: np.random.Generator, width: int, height: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        _framed(cell, (215, 215, 215))
        if c == 0:
            write(cell, f"{8 + r}:00", 4, 0.6 * height, 14)
        elif rng.random() < 0.4:
            cell[1:-1, 1:-1] = _some(rng, 150)
            write(cell, word(rng), 4, 0.6 * height, 14)

    return _cells((11, 6), (width, height), draw)


def _heat(rng: np.random.Generator, side: int, *, dark: bool) -> Picture:
    greens: list[Colour] = [(235, 237, 240), (155, 233, 168), (64, 196, 99), (48, 161, 78), (33, 110, 57)]
    if dark:
        greens[0] = (22, 27, 34)
    chosen = rng.choice(5, (7, 53), p=[0.5, 0.2, 0.15, 0.1, 0.05])

    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = greens[int(chosen[r, c])]

    return _cells((7, 53), (side, side), draw, ground=(13, 17, 23) if dark else 255, gap=3)


def _swatches(rng: np.random.Generator, side: int, gap: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = _some(rng)

    return _cells((10, 14), (side, side), draw, gap=gap)


def _icons(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        colour, half = _some(rng, 60, 230), side // 2
        cv2.rectangle(cell, (half // 2, half // 4), (side - half // 2, int(0.66 * side)), colour, -1)
        cv2.circle(cell, (half, int(0.4 * side)), side // 8, (255, 255, 255), -1, cv2.LINE_AA)
        write(cell, word(rng)[:7], side / 6, 0.9 * side, side / 6)

    return _cells((6, 5), (side, side), draw, ground=(235, 240, 245))


def _thumbnails(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        noise = rng.integers(0, 256, (4, 4, 3)).astype(np.uint8)
        cell[:] = cv2.resize(noise, (side, side), interpolation=cv2.INTER_CUBIC)

    return _cells((6, 9), (side, side), draw, gap=6)


def _bricks(rng: np.random.Generator, side: int) -> Picture:
    picture = blank(20 * side, 16 * side, (200, 195, 185))
    for r in range(16):
        for c in range(-1, 11):
            shade = rng.integers(-15, 15)
            x = (2 * c + r % 2) * side
            colour = (170 + int(shade), 80 + int(shade), 60 + int(shade))
            cv2.rectangle(picture, (x + 2, r * side + 2), (x + 2 * side - 2, (r + 1) * side - 2), colour, -1)
    return picture


def _modules(rng: np.random.Generator, side: int) -> Picture:
    bits = rng.random((29, 29)) < 0.5
    for r, c in ((0, 0), (0, 22), (22, 0)):
        bits[r : r + 7, c : c + 7] = True
        bits[r + 1 : r + 6, c + 1 : c + 6] = False
        bits[r + 2 : r + 5, c + 2 : c + 5] = True
    shades = np.where(np.pad(bits, 4)[..., None], 0, 255).astype(np.uint8).repeat(3, axis=2)
    return np.ascontiguousarray(shades.repeat(side, axis=0).repeat(side, axis=1))


def _bytes(rng: np.random.Generator) -> Picture:
    picture = blank(760, 520, 18)
    for line in range(24):
        numbers = " ".join(f"{value:02x}" for value in rng.integers(0, 256, 16))
        write(picture, f"{16 * line:06x}  {numbers}", 10, 24 + 20 * line, 14, (190, 220, 190))
    return picture


def _code(rng: np.random.Generator) -> Picture:
    picture = blank(760, 560, (30, 30, 30))
    for line in range(26):
        write(picture, str(line + 1), 8, 24 + 20 * line, 14, (120, 120, 120))
        x = 50 + 24 * int(rng.integers(0, 4))
        for _ in range(int(rng.integers(1, 6))):
            text = word(rng)
            write(picture, text, x, 24 + 20 * line, 14, _some(rng, 120))
            x += 9 * len(text) + 10
    return picture


def _seats(rng: np.random.Generator, side: int) -> Picture:
    def draw(cell: Picture, r: int, c: int) -> None:
        if c in {4, 11}:
            return
        colour = (200, 60, 60) if rng.random() < 0.4 else (90, 180, 110)
        cv2.rectangle(cell, (3, 3), (side - 4, side - 4), colour, -1)

    return _cells((12, 16), (side, side), draw, ground=(240, 240, 240))


def _tiles_of_a_map(rng: np.random.Generator, side: int) -> Picture:
    kinds = [(90, 160, 70), (60, 110, 200), (210, 190, 130), (110, 110, 110)]
    noise = cv2.resize(rng.random((5, 7)).astype(np.float32), (20, 14), interpolation=cv2.INTER_CUBIC)

    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = kinds[int(np.clip(noise[r, c] * 4, 0, 3))]
        for x, y in rng.integers(2, side - 2, (5, 2)):
            cell[y : y + 2, x : x + 2] = np.maximum(cell[y, x].astype(int) - 30, 0)

    return _cells((14, 20), (side, side), draw)


def _striped_table(rng: np.random.Generator) -> Picture:
    picture = blank(820, 480)
    for row in range(16):
        top = 30 * row
        picture[top : top + 30] = (50, 60, 80) if row == 0 else (245, 247, 250) if row % 2 else 255
        for column in range(6):
            ink = (255, 255, 255) if row == 0 else _INK
            write(
                picture,
                word(rng) if column < 2 else f"{rng.random() * 1000:.2f}",
                12 + 135 * column,
                top + 20,
                15,
                ink,
            )
    return picture


def _pad(rng: np.random.Generator, side: int) -> Picture:
    labels = ["7", "8", "9", "/", "4", "5", "6", "*", "1", "2", "3", "-", "0", ".", "=", "+"]

    def draw(cell: Picture, r: int, c: int) -> None:
        cell[:] = (235, 235, 235) if c < 3 else (250, 160, 60)
        _middle(cell, labels[4 * r + c], 0.5)

    return _cells((4, 4), (side, side), draw, ground=(60, 60, 60), gap=4)


def _bars(rng: np.random.Generator) -> Picture:
    picture = blank(700, 420)
    picture[20:400:38, 60:680] = 220
    for bar in range(18):
        top = int(rng.integers(40, 380))
        picture[top:400, 70 + 34 * bar : 94 + 34 * bar] = (70, 120, 200)
    return picture


def _sliders(rng: np.random.Generator, side: int) -> Picture:
    order = rng.permutation(16)

    def draw(cell: Picture, r: int, c: int) -> None:
        number = int(order[4 * r + c])
        if number:
            cell[:] = (205, 170, 120)
            cell[:3], cell[:, :3], cell[-3:], cell[:, -3:] = 235, 235, 120, 120
            _middle(cell, str(number), 0.5)

    return _cells((4, 4), (side, side), draw, ground=(80, 60, 40), gap=2)


def _dots(rng: np.random.Generator, side: int) -> Picture:
    picture = blank(side * 12, side * 10)
    for r in range(10):
        for c in range(12):
            x, y = int((c + 0.5) * side), int((r + 0.5) * side)
            cv2.circle(picture, (x, y), 3, _INK, -1, cv2.LINE_AA)
            if rng.random() < 0.4 and c < 11:
                cv2.line(picture, (x, y), (x + side, y), (60, 90, 200), 2, cv2.LINE_AA)
    return picture


def _lamps(rng: np.random.Generator, side: int) -> Picture:
    return _discs(rng, (16, 32), side, (15, 15, 15), [(60, 20, 20), (60, 20, 20), (255, 40, 30)])


def _jewels(rng: np.random.Generator, side: int) -> Picture:
    colours = [(230, 60, 60), (70, 190, 80), (70, 110, 230), (240, 210, 60), (180, 80, 200), (240, 140, 40)]
    return _discs(rng, (8, 8), side, (50, 40, 70), colours)


def _four(rng: np.random.Generator, side: int) -> Picture:
    return _discs(rng, (6, 7), side, (40, 80, 200), [(240, 220, 60), (220, 50, 50), (250, 250, 250)])


def more_pictures(rng: np.random.Generator) -> Iterator[tuple[str, Picture]]:
    """Name of the kind, and (H, W, 3) uint8 RGB."""
    for side in (24, 40):
        yield "crossword", _crossword(rng, side)
        yield "word search", _letters(rng, side)
        yield "nonogram", _nonogram(rng, side)
        yield "merging numbers", _merging(rng, 3 * side)
        yield "falling blocks", _blocks(rng, side)
        yield "four in a row", _four(rng, 2 * side)
        yield "jewels", _jewels(rng, 2 * side)
        yield "lamps", _lamps(rng, side // 2)
        yield "stones", _stones(rng, side)
        yield "ships", _ships(rng, side)
        yield "bingo", _numbered(rng, (5, 5), (2 * side, 2 * side), 76)
        yield "lottery", _numbered(rng, (7, 7), (side, side), 50)
        yield "products", _products(side)
        yield "cards", _cards(rng, 2 * side, backs=False)
        yield "cards, backs", _cards(rng, 2 * side, backs=True)
        yield "guessed words", _guessed(rng, 2 * side)
        yield "elements", _elements(rng, side + 12)
        yield "week", _week(rng, 4 * side, side)
        yield "heat map", _heat(rng, side // 2, dark=side > 30)
        yield "swatches", _swatches(rng, side, gap=side // 10)
        yield "icons", _icons(rng, 4 * side)
        yield "thumbnails", _thumbnails(rng, 2 * side)
        yield "bricks", _bricks(rng, side)
        yield "modules", _modules(rng, side // 4)
        yield "seats", _seats(rng, side)
        yield "map", _tiles_of_a_map(rng, side)
        yield "number pad", _pad(rng, 2 * side)
        yield "sliding numbers", _sliders(rng, 2 * side)
        yield "dots and lines", _dots(rng, side)
        yield "bytes", _bytes(rng)
        yield "code", _code(rng)
        yield "striped table", _striped_table(rng)
        yield "bars", _bars(rng)
