"""What lies over a few tiles of a screenshot: a pointer, a hovered or pressed tile, a highlight, a box."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.drawing.colours import Colour
from visionsweeper.geometry import Grid, Position

Image = npt.NDArray[np.uint8]

_HIDDEN: float = 0.4
"""Share of a tile's inner part that has to be painted over for nobody to tell it any more."""


@dataclass(frozen=True, eq=False)
class Occlusion:
    """A picture with something over a few tiles of it."""

    image: Image
    """(H, W, 3) uint8 RGB."""
    touched: npt.NDArray[np.bool_]
    """(rows, columns) tiles that look otherwise than the game draws them."""
    hidden: npt.NDArray[np.bool_]
    """(rows, columns) those of them that can hardly be told, or not at all."""


def with_pointer(
    image: Image, grid: Grid, tip: tuple[float, float], size: float, *, light: bool = True, hand: bool = False
) -> Occlusion:
    """Draw a mouse pointer, `size` pixels high, with its tip there."""
    arrow = [(0, 0), (0, 0.86), (0.2, 0.68), (0.34, 1.0), (0.47, 0.93), (0.35, 0.62), (0.61, 0.6)]
    pointing = [
        (0.2, 0.0), (0.3, 0.05), (0.32, 0.34), (0.72, 0.44), (0.76, 0.56), (0.7, 1.0), (0.27, 1.0),
        (0.0, 0.62), (0.02, 0.54), (0.12, 0.58), (0.12, 0.06),
    ]  # fmt: skip
    outline = np.array(pointing if hand else arrow) * size + tip
    points = [np.round(outline * 16).astype(np.int32)]
    inner, outer = ((255, 255, 255), (0, 0, 0)) if light else ((0, 0, 0), (255, 255, 255))
    copy = image.copy()
    cv2.fillPoly(copy, points, inner, cv2.LINE_AA, 4)
    cv2.polylines(copy, points, True, outer, max(1, round(size / 20)), cv2.LINE_AA, 4)
    return _compared(image, copy, grid)


def hovered(image: Image, grid: Grid, tile: Position, strength: float = 0.25) -> Occlusion:
    """Make the tile lighter (strength above 0, towards white at 1) or darker (below 0)."""
    goal = 255.0 if strength > 0 else 0.0
    copy = image.copy()
    part = copy[_span(grid, tile)]
    part[:] = np.round(part + (goal - part.astype(np.float32)) * abs(strength)).astype(np.uint8)
    return Occlusion(copy, _only(grid, tile), _none(grid))


def pressed(image: Image, grid: Grid, tile: Position, blank: Position | None = None) -> Occlusion:
    """Draw a covered tile under a held button: like the opened tile `blank`, or else sunken and darker."""
    copy = image.copy()
    part = copy[_span(grid, tile)]
    if blank is not None:
        source = image[_span(grid, blank)]
        part[:] = cv2.resize(source, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_NEAREST)
    else:
        part[:] = part[::-1, ::-1].copy()  # light then seems to come from below: raised edges sink
        part[:] = np.round(part * np.float32(0.88)).astype(np.uint8)
    return Occlusion(copy, _only(grid, tile), _only(grid, tile))


def highlighted(
    image: Image, grid: Grid, tile: Position, colour: Colour, width: int, wash: float = 0.0
) -> Occlusion:
    """Draw an outline in a colour along the tile's inside, and the colour thinly over all of it."""
    copy = image.copy()
    part = copy[_span(grid, tile)]
    shade = np.array(colour, dtype=np.float32)
    if wash:
        part[:] = np.round(part + (shade - part) * wash).astype(np.uint8)
    for strip in (part[:width], part[-width:], part[:, :width], part[:, -width:]):
        strip[:] = shade.astype(np.uint8)
    return Occlusion(copy, _only(grid, tile), _none(grid))


def overlaid(
    image: Image,
    grid: Grid,
    box: tuple[int, int, int, int],
    *,
    opacity: float = 0.85,
    dark: bool = True,
    text: str = "Volume 60 %",
) -> Occlusion:
    """Draw a message in a box x0, y0, x1, y1 of pixels, as programs and systems lay over the screen."""
    height, width = image.shape[:2]
    x0, y0, x1, y1 = max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])
    copy = image.copy()
    part = copy[y0:y1, x0:x1]
    background, ink = ((30, 30, 34), (240, 240, 240)) if dark else ((246, 246, 246), (20, 20, 20))
    part[:] = np.round(part + (np.array(background, dtype=np.float32) - part) * opacity).astype(np.uint8)
    high = max(8, min(y1 - y0, 40) // 2)
    where = (x0 + high // 2, y0 + (y1 - y0 + high) // 2)
    canvas = copy[:y1, :x1]  # text does not leave the box
    canvas = np.ascontiguousarray(canvas)
    cv2.putText(canvas, text, where, cv2.FONT_HERSHEY_SIMPLEX, high / 26, ink, 1 + high // 20, cv2.LINE_AA)
    copy[:y1, :x1] = canvas
    cover = np.zeros((height, width), dtype=np.float32)
    cover[y0:y1, x0:x1] = 1.0
    covered = _shares(cover, grid, inner=0.0) > 0.02
    hidden = (_shares(cover, grid, inner=0.2) > _HIDDEN) & (opacity > 0.72)
    return Occlusion(copy, covered, hidden)


def random_occlusion(
    image: Image,
    grid: Grid,
    covered: npt.NDArray[np.bool_],
    blank: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> Occlusion:
    """Draw one of the occlusions somewhere on the board.

    `covered` and `blank` are (rows, columns) bool: what lies there.

    Mice are mostly over covered tiles, about to open one; so three times of five it is one of these.
    """
    among = covered if covered.any() and rng.random() < 0.6 else np.ones_like(covered)
    tiles = np.argwhere(among)
    row, column = (int(i) for i in tiles[rng.integers(len(tiles))])
    tile = (row, column)
    x0, y0, x1, y1 = grid.tile_box(row, column)
    kind = rng.random()
    if kind < 0.35:
        tip = (float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1)))
        size = float(rng.uniform(14, 32))
        light, hand = bool(rng.random() < 0.6), bool(rng.random() < 0.3)
        result = with_pointer(image, grid, tip, size, light=light, hand=hand)
        if rng.random() < 0.4 and covered[tile]:  # what is pointed at lights up in many games
            below = hovered(image, grid, tile, float(rng.uniform(0.08, 0.35)))
            result = with_pointer(below.image, grid, tip, size, light=light, hand=hand)
            result = Occlusion(result.image, result.touched | below.touched, result.hidden)
        return result
    if kind < 0.55:
        return hovered(image, grid, tile, float(rng.uniform(0.08, 0.4) * rng.choice([1, 1, -1])))
    if kind < 0.7 and covered[tile]:
        blanks = np.argwhere(blank)
        like = tuple(blanks[rng.integers(len(blanks))].tolist()) if len(blanks) else None
        return pressed(image, grid, tile, like if rng.random() < 0.6 else None)
    if kind < 0.85:
        colour = tuple(int(value) for value in rng.integers(0, 256, 3))
        width = max(1, round(float(rng.uniform(0.03, 0.1)) * (x1 - x0)))
        wash = float(rng.uniform(0.1, 0.4)) if rng.random() < 0.5 else 0.0
        return highlighted(image, grid, tile, (colour[0], colour[1], colour[2]), width, wash)
    return _random_overlay(image, grid, rng)


def _random_overlay(image: Image, grid: Grid, rng: np.random.Generator) -> Occlusion:
    height, width = image.shape[:2]
    wide, tall = round(width * rng.uniform(0.15, 0.5)), round(height * rng.uniform(0.08, 0.3))
    x0 = 0 if rng.random() < 0.5 else width - wide
    y0 = 0 if rng.random() < 0.5 else height - tall
    return overlaid(
        image,
        grid,
        (x0, y0, x0 + wide, y0 + tall),
        opacity=float(rng.uniform(0.4, 1.0)),
        dark=bool(rng.random() < 0.6),
        text=("Screenshot taken", "Volume 60 %", "12:45", "You win!", "Game over")[int(rng.integers(5))],
    )


def _span(grid: Grid, tile: Position) -> tuple[slice, slice]:
    x0, y0, x1, y1 = (max(0, round(edge)) for edge in grid.tile_box(*tile))
    return slice(y0, y1), slice(x0, x1)


def _none(grid: Grid) -> npt.NDArray[np.bool_]:
    return np.zeros((grid.rows, grid.columns), dtype=np.bool_)


def _only(grid: Grid, tile: Position) -> npt.NDArray[np.bool_]:
    mask = _none(grid)
    mask[tile] = True
    return mask


def _compared(before: Image, after: Image, grid: Grid) -> Occlusion:
    """Judged by the pixels that are another colour now."""
    changed = (before != after).any(axis=2).astype(np.float32)
    touched = _shares(changed, grid, inner=0.0) > 0.02
    return Occlusion(after, touched, _shares(changed, grid, inner=0.2) > _HIDDEN)


def _shares(mask: npt.NDArray[np.float32], grid: Grid, inner: float) -> npt.NDArray[np.float64]:
    """(rows, columns) mean of the mask over each tile, but for the share `inner` along every side."""
    sums = np.asarray(cv2.integral(mask), dtype=np.float64)

    def spans(
        edges: npt.NDArray[np.float64], length: int
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        margin = np.diff(edges) * inner
        first = np.clip(np.round(edges[:-1] + margin), 0, length).astype(np.intp)
        last = np.clip(np.round(edges[1:] - margin), 0, length).astype(np.intp)
        return first, np.maximum(last, first)

    x0, x1 = spans(grid.x, mask.shape[1])
    y0, y1 = spans(grid.y, mask.shape[0])
    total = sums[y1][:, x1] - sums[y0][:, x1] - sums[y1][:, x0] + sums[y0][:, x0]
    area = np.maximum(np.outer(y1 - y0, x1 - x0), 1)
    shares: npt.NDArray[np.float64] = total / area
    return shares
