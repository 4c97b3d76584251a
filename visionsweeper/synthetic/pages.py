"""Draws whole screens at random: boards in windows, pages, desktops, phones and crops, and none at all.

The tile map (`models/tile_map.npz`) was trained on them. A change to what a seed draws calls for another
training (`tools/train_tile_map.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from visionsweeper.board import COVERED
from visionsweeper.geometry import Grid, PixelBox
from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import Colour
from visionsweeper.synthetic.clutter import Painter, to_rgb
from visionsweeper.synthetic.degradation import compressed, grayed, inverted, scaled, toned
from visionsweeper.synthetic.draw import Drawing, draw
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.occlusion import random_occlusion
from visionsweeper.synthetic.positions import random_position, untouched_position
from visionsweeper.synthetic.random_themes import random_theme
from visionsweeper.synthetic.terminal_screens import draw_terminal
from visionsweeper.synthetic.theme import Degradation, RenderTheme
from visionsweeper.synthetic.tile_faces import tone

PageKind = Literal["crop", "window", "web", "desktop", "phone", "terminal", "none"]

KINDS: Final[tuple[PageKind, ...]] = ("crop", "window", "web", "desktop", "phone", "terminal", "none")

_SHARES: Final = (0.2, 0.25, 0.2, 0.11, 0.09, 0.09, 0.06)
"""How often each of KINDS is drawn."""

_UNTOUCHED: Final = 0.15
"""Share of the boards in which nothing was opened yet."""

_WIDEST_TILE: Final = 60.0
"""Widest tile of a drawn board, px; larger ones are shrunk."""

_WIDEST_TILE_ON_DESKTOP: Final = 28.0
"""Widest tile of a drawn board that is a small part of the screen, px."""

_MOST_PIXELS_OF_SCREEN: Final = 2_600_000
"""Of a screen before it is scaled, unless the board needs more."""

_MOST_PIXELS: Final = 1_600_000
"""Of a drawn board; larger ones are shrunk."""


@dataclass(frozen=True, eq=False)
class Page:
    """A drawn screen and where the board lies on it."""

    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB, read-only."""
    grid: Grid | None
    """The tiles' exact edges, px; the outer ones up to a quarter tile outside the picture. None: no board."""
    labels: npt.NDArray[np.uint8] | None
    """(rows, columns) tile classes of the board (`vision.tiles.classes`), read-only; None: no board."""
    kind: PageKind
    others: tuple[Grid, ...] = ()
    """Edges of further boards on the screen, px."""


def random_page(
    rng: np.random.Generator,
    fonts: Sequence[FontSource],
    kind: PageKind | None = None,
    *,
    untouched: float = _UNTOUCHED,
) -> Page:
    """Draw a screen, of any kind where none is given; the same state of `rng` and fonts give the same one.

    On the share `untouched` of the boards nothing was opened yet.
    """
    kind = kind or KINDS[int(rng.choice(len(KINDS), p=_SHARES))]
    if kind == "none":
        return Page(_frozen(_empty_screen(rng, fonts)), None, None, kind)
    if kind == "terminal":
        return _terminal(rng, fonts, untouched)
    theme = random_theme(rng, fonts)
    theme = replace(theme, degradation=Degradation())  # the whole screen is degraded, not the board alone
    if rng.random() < 0.4:
        theme = _seamless(theme, rng)
    if rng.random() < 0.08:
        across = theme.pitch[0]
        down = float(max(12, round(across * np.exp(rng.uniform(-0.75, 0.75)))))
        theme = replace(theme, pitch=(across, down))
    labels = _position(rng, untouched)
    widest = _WIDEST_TILE_ON_DESKTOP if kind == "desktop" else _WIDEST_TILE
    drawing = _shrunk(draw(theme, labels, rng), widest)
    image, grid = drawing.image, drawing.grid
    if rng.random() < 0.08:
        image = random_occlusion(image, grid, labels == COVERED, labels == 0, rng).image
    grids = [grid]
    if kind in {"web", "desktop"} and rng.random() < 0.2:
        size = (labels.shape[0], labels.shape[1]) if rng.random() < 0.5 else None
        second = _shrunk(draw(theme, random_position(rng, size=size), rng), widest)
        image, grids = _side_by_side(Drawing(image, grid), second, theme, rng)
    image, grids = _framed(image, grids, theme, rng, fonts, kind)
    image, grids = _degraded(image, grids, rng)
    labels.setflags(write=False)
    return Page(_frozen(image), grids[0], labels, kind, tuple(grids[1:]))


def _position(rng: np.random.Generator, untouched: float) -> npt.NDArray[np.uint8]:
    """Choose tile classes, (rows, columns): with the odds `untouched` of a game that nobody played on yet."""
    return untouched_position(rng) if rng.random() < untouched else random_position(rng)


def _terminal(rng: np.random.Generator, fonts: Sequence[FontSource], untouched: float) -> Page:
    """Draw a terminal: alone, in its window, or on a desktop."""
    labels = _position(rng, untouched)
    drawing = draw_terminal(labels, rng, fonts)
    image, grid = drawing.image, drawing.grid
    around = c.gray(rng, 0, 255)
    if rng.random() < 0.6:
        image, left, top = _window(image, around, rng, fonts)
        grid = _moved(grid, left, top)
    if rng.random() < 0.3:
        image, left, top = _screen(image, around, rng, fonts, "desktop")
        grid = _moved(grid, left, top)
    image, grids = _degraded(image, [grid], rng)
    labels.setflags(write=False)
    return Page(_frozen(image), grids[0], labels, "terminal")


def _side_by_side(
    first: Drawing, second: Drawing, theme: RenderTheme, rng: np.random.Generator
) -> tuple[npt.NDArray[np.uint8], list[Grid]]:
    """Set two boards of one theme on a common background, the second beside or below the first."""
    across = rng.random() < 0.6
    gap = int(rng.uniform(0.25, 3.0) * first.grid.pitch_x)
    (height, width), (height2, width2) = first.image.shape[:2], second.image.shape[:2]
    if across:
        size = max(height, height2), width + gap + width2
        x, y = width + gap, int(rng.integers(0, size[0] - height2 + 1))
    else:
        size = height + gap + height2, max(width, width2)
        x, y = int(rng.integers(0, size[1] - width2 + 1)), height + gap
    image = np.empty((*size, 3), np.uint8)
    image[:] = to_rgb(_surround(theme, rng))
    image[:height, :width] = first.image
    image[y : y + height2, x : x + width2] = second.image
    return image, [first.grid, _moved(second.grid, x, y)]


def _moved(grid: Grid, right: float, down: float) -> Grid:
    """Return the grid so many px further right and down."""
    return Grid(grid.x + right, grid.y + down)


def _seamless(theme: RenderTheme, rng: np.random.Generator) -> RenderTheme:
    """Leave out lines, gaps and bevels between tiles: of the opened ones, or of the covered ones too."""
    both = rng.random() < 0.55
    faces = list(theme.faces)
    for kind, face in enumerate(faces):
        if both or kind <= 8:
            flat = tuple(
                replace(g, gap=0.0, radius=0.0, bevel=0.0, line=0.0, rim=0.0, shadow=0.0, lip=0.0)
                for g in face.backgrounds
            )
            faces[kind] = replace(face, backgrounds=flat)
    opened, covered = tone(faces[0].backgrounds[0]), tone(faces[COVERED].backgrounds[0])
    if both and c.distance(opened, covered) < 9:
        shift = 0.12 if c.luma(opened) < 128 else -0.12
        faces[COVERED:] = [
            replace(
                face,
                backgrounds=tuple(replace(g, colour=c.lighter(g.colour, shift)) for g in face.backgrounds),
            )
            for face in faces[COVERED:]
        ]
    return replace(theme, faces=tuple(faces))


def _shrunk(drawing: Drawing, most: float) -> Drawing:
    """Shrink a board to tiles of `most` px at most and to _MOST_PIXELS."""
    height, width = drawing.image.shape[:2]
    factor = min(1.0, (_MOST_PIXELS / (height * width)) ** 0.5, most / drawing.grid.pitch_x)
    if factor == 1.0:
        return drawing
    image = scaled(drawing.image, factor, "area")
    across, down = image.shape[1] / width, image.shape[0] / height
    return Drawing(image, drawing.grid.scaled(across, down))


def _framed(
    board: npt.NDArray[np.uint8],
    grids: Sequence[Grid],
    theme: RenderTheme,
    rng: np.random.Generator,
    fonts: Sequence[FontSource],
    kind: PageKind,
) -> tuple[npt.NDArray[np.uint8], list[Grid]]:
    """Set the board into its screen; also return the grids there."""
    around = _surround(theme, rng)
    image, left, top = _panel(board, grids[0], around, rng, fonts)
    if kind == "crop":
        image, grid = _cropped(image, _moved(grids[0], left, top), rng)
        return image, [grid]
    if kind == "window" or (kind in {"desktop", "web"} and rng.random() < 0.5):
        image, dx, dy = _window(image, around, rng, fonts)
        left, top = left + dx, top + dy
    if kind != "window":
        image, dx, dy = _screen(image, around, rng, fonts, kind)
        left, top = left + dx, top + dy
    return image, [_moved(grid, left, top) for grid in grids]


def _surround(theme: RenderTheme, rng: np.random.Generator) -> Colour:
    """Choose the colour of what lies around the board: the game's, that of a tile, or any."""
    kind = rng.random()
    if kind < 0.4:
        return theme.page
    if kind < 0.55:
        return tone(theme.faces[0].backgrounds[0])
    if kind < 0.65:
        return tone(theme.faces[COVERED].backgrounds[0])
    return c.gray(rng, 0, 255) if kind < 0.9 else c.any_colour(rng)


def _panel(
    board: npt.NDArray[np.uint8],
    grid: Grid,
    around: Colour,
    rng: np.random.Generator,
    fonts: Sequence[FontSource],
) -> tuple[npt.NDArray[np.uint8], int, int]:
    """Draw frame, header, footer and labels around the board; also return where it went: left and top, px."""
    height, width = board.shape[:2]
    pitch = round((grid.pitch_x + grid.pitch_y) / 2)
    frame = 0 if rng.random() < 0.4 else int(rng.integers(1, max(2, pitch // 2)))
    header = _height(rng, pitch, 0.6)
    footer = _height(rng, pitch, 0.15)
    labelled = rng.random() < 0.07
    sides = [
        pitch if labelled else int(rng.integers(0, pitch)) if rng.random() < 0.5 else 0 for _ in range(2)
    ]
    left, right = frame + sides[0], frame + (sides[0] if rng.random() < 0.8 else sides[1])
    gap = 0 if rng.random() < 0.5 else int(rng.integers(0, pitch))
    top = frame + header + gap + (pitch if labelled else 0)
    bottom = frame + footer + (sides[0] if rng.random() < 0.6 else 0)
    painter = Painter((width + left + right, height + top + bottom), around, rng, fonts)
    box = (left, top, left + width, top + height)
    if header:
        _header(painter, (0, 0, width + left + right, header), around, pitch, rng)
    if footer:
        full = height + top + bottom
        painter.anything((2, full - footer, width + left + right - 2, full - 2), around)
    if labelled:
        _labels(painter, grid, left, top, pitch, around, rng)
    if frame and rng.random() < 0.75:
        size = int(rng.integers(1, frame + 1))
        outer = (box[0] - size, box[1] - size, box[2] + size, box[3] + size)
        if rng.random() < 0.5:
            painter.bevel(outer, around, size, sunken=bool(rng.random() < 0.8))
        else:
            painter.plate(outer, painter.ink(around, 20) if rng.random() < 0.5 else painter.tone(around))
    painter.image.paste(Image.fromarray(board), (left, top))
    return np.array(painter.image), left, top


def _height(rng: np.random.Generator, pitch: int, odds: float) -> int:
    """Choose the height of a header, px: none, or some tiles; often a whole number of them."""
    if rng.random() > odds:
        return 0
    tiles = rng.uniform(0.8, 3.5)
    return round(pitch * (round(tiles) if rng.random() < 0.4 else tiles))


def _header(
    painter: Painter, box: PixelBox, background: Colour, pitch: int, rng: np.random.Generator
) -> None:
    """Draw displays and a face above the board, or text, or anything."""
    x0, y0, x1, y1 = box
    kind = rng.random()
    if kind < 0.15:
        painter.anything((x0 + 2, y0 + 2, x1 - 2, y1 - 2), background)
        return
    plate = background if rng.random() < 0.5 else painter.tone(background)
    painter.plate(box, plate)
    if rng.random() < 0.4:
        painter.bevel(box, plate, int(rng.integers(1, 4)), sunken=bool(rng.random() < 0.5))
    tall = round((y1 - y0) * rng.uniform(0.6, 1.0))
    if rng.random() < 0.3:
        tall = min(y1 - y0, pitch)  # the header's parts then continue the lattice
    y = (y0 + y1 - tall) // 2 if rng.random() < 0.7 else y1 - tall
    edge = int(rng.integers(0, max(1, pitch // 2)))
    if kind < 0.65:
        wide = round(tall * rng.uniform(0.9, 2.2)) if rng.random() < 0.6 else pitch * int(rng.integers(1, 4))
        if x1 - x0 > 2 * wide + tall + 2 * edge:
            painter.display((x0 + edge, y, x0 + edge + wide, y + tall))
            if rng.random() < 0.85:
                painter.display((x1 - edge - wide, y, x1 - edge, y + tall))
        middle = (x0 + x1) // 2
        if rng.random() < 0.85:
            painter.smiley((middle - tall // 2, y, middle + tall - tall // 2, y + tall), plate)
        return
    font, ink = painter.font(tall * rng.uniform(0.4, 0.8)), painter.ink(plate)
    painter.text((x0 + edge, y), painter.words(2), font, ink)
    if rng.random() < 0.6:
        painter.text(((x0 + x1) / 2, y), painter.words(1), font, ink)


def _labels(
    painter: Painter,
    grid: Grid,
    left: int,
    top: int,
    pitch: int,
    background: Colour,
    rng: np.random.Generator,
) -> None:
    """Write numbers or letters of the columns and rows beside the board."""
    font, ink = painter.font(pitch * rng.uniform(0.35, 0.6)), painter.ink(background)
    letters, first = rng.random() < 0.4, int(rng.integers(0, 2))
    for k in range(grid.columns):
        sign = chr(65 + k % 26) if letters else str(k + first)
        painter.text((left + grid.x[k] + pitch * 0.3, top - pitch * 0.85), sign, font, ink)
    for k in range(grid.rows):
        painter.text((left - pitch * 0.85, top + grid.y[k] + pitch * 0.15), str(k + first), font, ink)


def _cropped(
    image: npt.NDArray[np.uint8], grid: Grid, rng: np.random.Generator
) -> tuple[npt.NDArray[np.uint8], Grid]:
    """Cut near the board as by hand: up to 1.3 tiles too wide, or up to a quarter into the outer tiles."""
    x0, y0, x1, y1 = grid.box
    exact = rng.random() < 0.35
    pitch = min(grid.pitch_x, grid.pitch_y)

    def off() -> float:
        if exact:
            return 0.0
        return float(rng.uniform(-0.22, 0.0) * pitch if rng.random() < 0.35 else rng.uniform(0, 1.3) * pitch)

    height, width = image.shape[:2]
    left, top = max(0, round(x0 - off())), max(0, round(y0 - off()))
    right, bottom = min(width, round(x1 + off())), min(height, round(y1 + off()))
    return np.ascontiguousarray(image[top:bottom, left:right]), Grid(grid.x - left, grid.y - top)


def _window(
    image: npt.NDArray[np.uint8], around: Colour, rng: np.random.Generator, fonts: Sequence[FontSource]
) -> tuple[npt.NDArray[np.uint8], int, int]:
    """Add a title bar, perhaps a menu, and a border; also return where the picture went: left and top, px."""
    height, width = image.shape[:2]
    edge, title = int(rng.integers(0, 9)), int(rng.integers(18, 42))
    menu = int(rng.integers(16, 30)) if rng.random() < 0.45 else 0
    wide = max(width, 140) + 2 * edge
    painter = Painter((wide, height + title + menu + 2 * edge), around, rng, fonts)
    bar = c.gray(rng, 0, 255) if rng.random() < 0.7 else c.any_colour(rng)
    painter.plate((0, 0, wide, title), bar)
    ink = painter.ink(bar)
    painter.text((title * 0.4, title * 0.2), painter.words(2).title(), painter.font(title * 0.5), ink)
    for k in range(3):
        x, y, s = wide - (3 - k) * title * 1.3, title * 0.35, title * 0.3
        painter.draw.rectangle((x, y, x + s, y + s), outline=to_rgb(ink))
    if menu:
        background = c.gray(rng, 200, 255) if rng.random() < 0.7 else around
        painter.plate((0, title, wide, title + menu), background)
        painter.text(
            (6, title + 2), painter.words(4).title(), painter.font(menu * 0.6), painter.ink(background)
        )
    left = edge + (wide - 2 * edge - width) // 2
    if edge and rng.random() < 0.6:
        painter.bevel((0, 0, wide, height + title + menu + 2 * edge), around, min(edge, 3))
    painter.image.paste(Image.fromarray(image), (left, title + menu + edge))
    return np.array(painter.image), left, title + menu + edge


def _screen(
    image: npt.NDArray[np.uint8],
    around: Colour,
    rng: np.random.Generator,
    fonts: Sequence[FontSource],
    kind: PageKind,
) -> tuple[npt.NDArray[np.uint8], int, int]:
    """Set the picture on a page, a desktop or a phone; also return where it went: left and top, px."""
    height, width = image.shape[:2]
    spread = {"web": (1.05, 2.2), "desktop": (1.5, 3.5), "phone": (1.0, 1.1)}[kind]
    wide = int(width * rng.uniform(*spread)) + 2
    tall = int(height * (rng.uniform(1.3, 2.2) if kind == "phone" else rng.uniform(*spread))) + 2
    limit = (_MOST_PIXELS_OF_SCREEN / (wide * tall)) ** 0.5
    if limit < 1:
        wide, tall = max(width, int(wide * limit)), max(height, int(tall * limit))
    background = (
        around if rng.random() < 0.55 else c.gray(rng, 0, 255) if rng.random() < 0.6 else c.any_colour(rng)
    )
    painter = Painter((wide, tall), background, rng, fonts)
    left, top = int(rng.integers(0, wide - width + 1)), int(rng.integers(0, tall - height + 1))
    if rng.random() < 0.5:
        left = (wide - width) // 2
    if rng.random() < 0.15 and kind == "desktop":
        painter.photo((0, 0, wide, tall), background)
    _scatter(painter, background, rng, int(rng.integers(0, 7 if kind == "phone" else 16)))
    painter.image.paste(Image.fromarray(image), (left, top))
    return np.array(painter.image), left, top


def _scatter(painter: Painter, background: Colour, rng: np.random.Generator, count: int) -> None:
    """Draw `count` things anywhere."""
    wide, tall = painter.image.size
    for _ in range(count):
        w, h = int(wide * rng.uniform(0.08, 0.5)), int(tall * rng.uniform(0.04, 0.5))
        x, y = int(rng.uniform(0, max(1, wide - w))), int(rng.uniform(0, max(1, tall - h)))
        painter.anything((x, y, x + w, y + h), background)


def _empty_screen(rng: np.random.Generator, fonts: Sequence[FontSource]) -> npt.NDArray[np.uint8]:
    """Draw a screen without a board; half of them with a lattice that is none."""
    size = (int(rng.integers(300, 1400)), int(rng.integers(250, 1000)))
    background = c.gray(rng, 0, 255) if rng.random() < 0.7 else c.any_colour(rng)
    painter = Painter(size, background, rng, fonts)
    if rng.random() < 0.15:
        painter.photo((0, 0, *size), background)
    if rng.random() < 0.5:
        inset = int(rng.integers(0, 60))
        painter.cells((inset, inset, size[0] - inset, size[1] - inset), background)
    _scatter(painter, background, rng, int(rng.integers(2, 16)))
    return np.array(painter.image)


def _degraded(
    image: npt.NDArray[np.uint8], grids: Sequence[Grid], rng: np.random.Generator
) -> tuple[npt.NDArray[np.uint8], list[Grid]]:
    """Give other tones, another size, compression: what screens go through until somebody sends them."""
    kind = rng.random()
    if kind < 0.03:
        image = inverted(image)
    elif kind < 0.06:
        image = grayed(image)
    elif kind < 0.12:
        image = toned(image, float(np.exp(rng.uniform(np.log(0.65), np.log(1.5)))))
    if rng.random() < 0.25:
        height, width = image.shape[:2]
        least = 11.0 / min(grids[0].pitch_x, grids[0].pitch_y)
        most = min(2.0, (3_000_000 / (height * width)) ** 0.5)
        factor = float(np.exp(rng.uniform(np.log(0.5), np.log(1.8))))
        factor = max(least, min(factor, max(most, 0.6)))
        image = scaled(image, factor, "area" if factor < 0.8 else "linear" if rng.random() < 0.5 else "cubic")
        across, down = image.shape[1] / width, image.shape[0] / height
        grids = [grid.scaled(across, down) for grid in grids]
    if rng.random() < 0.06:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 0.8)), dtype=np.uint8)
    if rng.random() < 0.2:
        image = compressed(image, "jpeg", int(rng.integers(55, 95)))
    elif rng.random() < 0.1:
        image = _dithered(image, rng)
    return image, list(grids)


def _dithered(image: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Reduce to few colours, as in a GIF: those of the picture, or the 216 that browsers once had."""
    picture = Image.fromarray(image)
    if rng.random() < 0.5:
        return np.array(picture.convert("P", palette=Image.Palette.WEB).convert("RGB"))
    dither = Image.Dither.FLOYDSTEINBERG
    palette = picture.quantize(int(rng.integers(6, 128)))
    return np.array(picture.quantize(palette=palette, dither=dither).convert("RGB"))


def _frozen(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    image = np.ascontiguousarray(image)
    image.setflags(write=False)
    return image
