"""Draws a position in a theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.errors import InvalidInput
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.background import Patch, lighter, paint
from visionsweeper.synthetic.canvas import Colour, coloured
from visionsweeper.synthetic.colours import readable
from visionsweeper.synthetic.degradation import degraded
from visionsweeper.synthetic.positions import Labels
from visionsweeper.synthetic.theme import Icon, Layer, RenderTheme, Text, Veil
from visionsweeper.vision.tiles.classes import CLASS_COUNT, EXPLODED, QUESTION, WRONG_FLAG

Image = npt.NDArray[np.uint8]
_Edges = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawn board and where its tiles are."""

    image: Image
    """(H, W, 3) uint8 RGB, read-only: the board alone, first edge to last."""
    grid: Grid
    """The exact edges; the outer ones are the picture's border."""


def draw(theme: RenderTheme, labels: Labels, rng: np.random.Generator) -> Drawing:
    """Draw tile classes, (rows, columns) uint8, in a theme; `rng` decides what varies from tile to tile.

    Raises InvalidInput for an empty or ill-shaped array or unknown codes.
    """
    labels = np.asarray(labels, dtype=np.uint8)
    if labels.ndim != 2 or labels.size == 0 or int(labels.max()) >= CLASS_COUNT:
        raise InvalidInput(f"a board to draw needs rows of tile classes from 0 to {CLASS_COUNT - 1}")
    rows, columns = labels.shape
    exact_x, exact_y = (_edges(theme, axis, count, rng) for axis, count in ((0, columns), (1, rows)))
    scale_x, scale_y = 1.0, 1.0
    if theme.canvas_pitch:
        scale_x, scale_y = theme.canvas_pitch / theme.pitch[0], theme.canvas_pitch / theme.pitch[1]
    x = np.round(exact_x * scale_x).astype(np.int64)
    y = np.round(exact_y * scale_y).astype(np.int64)
    variants = rng.integers(1 << 16, size=labels.shape)
    image = _compose(theme, labels, x, y, variants)
    if theme.coordinates is not None:
        _put_coordinates(image, theme, theme.coordinates, labels, x, y)
    if theme.frontier:
        _edge_frontier(image, theme, labels, x, y)
    if theme.hint and not np.isin(labels, (MINE, WRONG_FLAG, EXPLODED)).any():
        _put_hints(image, theme, labels, x, y, rng)
    if theme.cursor or theme.lit:
        _put_cursor(image, theme, x, y, rng)
    if theme.canvas_pitch:
        image = _resized(image, (max(1, round(exact_x[-1])), max(1, round(exact_y[-1]))), theme)
    height, width = image.shape[:2]
    grid = Grid(x * (width / x[-1]), y * (height / y[-1]))
    if theme.veil is not None:
        image = _veiled(image, theme.veil, labels, grid)
    image = degraded(image, theme.degradation, rng)
    image.setflags(write=False)
    return Drawing(image, grid)


def _edges(theme: RenderTheme, axis: int, count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Edges of `count` tiles at the final size, from 0."""
    edges: npt.NDArray[np.float64] = np.arange(count + 1) * np.float64(theme.pitch[axis])
    if theme.uneven:
        edges[1:-1] += rng.uniform(-theme.uneven, theme.uneven, size=count - 1)
    return edges


def _compose(
    theme: RenderTheme, labels: Labels, x: _Edges, y: _Edges, variants: npt.NDArray[np.int64]
) -> Image:
    image = np.empty((int(y[-1]), int(x[-1]), 3), dtype=np.uint8)
    drawn: dict[tuple[int, int, int, int, int], Image] = {}
    counts = [len(face.backgrounds) for face in theme.faces]
    for r, line in enumerate(labels.tolist()):
        top, bottom = int(y[r]), int(y[r + 1])
        for c, tile_class in enumerate(line):
            left, right = int(x[c]), int(x[c + 1])
            key = (
                tile_class,
                int(variants[r, c]) % counts[tile_class],
                (r + c) % 2,
                right - left,
                bottom - top,
            )
            patch = drawn.get(key)
            if patch is None:
                patch = drawn[key] = _tile(theme, *key)
            image[top:bottom, left:right] = patch
    return image


def _tile(theme: RenderTheme, tile_class: int, variant: int, odd: int, width: int, height: int) -> Image:
    face = theme.faces[tile_class]
    background = face.backgrounds[variant]
    covered = tile_class in {COVERED, FLAG, QUESTION}
    checker = theme.checker_covered if covered else theme.checker_opened
    if odd and checker:
        background = lighter(background, checker)
    patch = paint(background, width, height, theme.page)
    return _overprinted(patch, face.layers, crisp=theme.crisp)


def _overprinted(patch: Patch, layers: Sequence[Layer], *, crisp: bool) -> Image:
    """Draw the layers on the tile, lowest first; the patch is written to."""
    for layer in layers:
        if isinstance(layer, Text):
            _print(patch, layer, crisp=crisp)
        else:
            _paste(patch, layer, crisp=crisp)
    return np.clip(np.round(patch), 0, 255).astype(np.uint8)


def _print(patch: Patch, text: Text, *, crisp: bool) -> None:
    height, width = patch.shape[:2]
    side = (width + height) / 2
    step = max(1.0, text.shadow_step * side)
    if text.shadow is not None:
        _blend(patch, _mask(text, width, height, crisp=crisp, shift=step), text.shadow)
    if text.glint is not None:
        _blend(patch, _mask(text, width, height, crisp=crisp, shift=-step), text.glint)
    alpha = _mask(text, width, height, crisp=crisp)
    if text.rim is not None:
        reach = 2 * max(1, round(text.rim_width * side)) + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
        _blend(patch, np.asarray(cv2.dilate(alpha, kernel), dtype=np.float32), text.rim)
    if text.shade:
        down = np.linspace(0, abs(text.shade), height, dtype=np.float32)[:, None, None]
        goal = np.float32(0 if text.shade > 0 else 255)
        tone = np.array(text.colour, dtype=np.float32) * (1 - down) + goal * down
        patch += (tone - patch) * alpha[..., None]
    elif text.fringed and not crisp:
        thirds = _mask(text, width, height, crisp=False, finer=3)
        rows = thirds.reshape(height, 3, 3 * width).mean(axis=1)
        parts = np.asarray(cv2.blur(rows, (3, 1))).reshape(height, width, 3)
        patch += (np.array(text.colour, dtype=np.float32) - patch) * parts
    else:
        _blend(patch, alpha, text.colour)


def _mask(
    text: Text, width: int, height: int, *, crisp: bool, shift: float = 0.0, finer: int = 1
) -> npt.NDArray[np.float32]:
    """Return the text's shape on a tile so many times finer, (height, width) * finer float32, 0 to 1."""
    side = (width + height) / 2 * finer
    return text.font.alpha(
        text.text,
        width * finer,
        height * finer,
        text.size * side,
        dx=text.dx * side + shift,
        dy=text.dy * side + shift,
        weight=text.weight,
        smooth=text.smooth and not crisp,
    )


def _blend(patch: Patch, alpha: npt.NDArray[np.float32], colour: Colour) -> None:
    layer = coloured(alpha, colour).astype(np.float32)
    patch *= 1 - layer[..., 3:] / 255
    patch += layer[..., :3]


def _paste(patch: Patch, icon: Icon, *, crisp: bool) -> None:
    """Lay the icon, scaled, over the middle of the tile."""
    height, width = patch.shape[:2]
    side = max(2, round(min(width, height) * icon.scale))
    art = cv2.resize(icon.art, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
    if crisp:
        solid = art[..., 3:] > 110
        art = np.where(solid, art * (255 / np.maximum(art[..., 3:], 1)), 0).astype(np.float32)
    left = min(max(round((width - side) / 2 + icon.dx * side), 0), width - side)
    top = min(max(round((height - side) / 2 + icon.dy * side), 0), height - side)
    place = patch[top : top + side, left : left + side]
    place *= 1 - art[..., 3:] / 255
    place += art[..., :3]


def _edge_frontier(image: Image, theme: RenderTheme, labels: Labels, x: _Edges, y: _Edges) -> None:
    """Shade opened tiles along the sides where they touch covered ones."""
    covered = np.isin(labels, (COVERED, FLAG, QUESTION))
    size = max(1, round(theme.frontier * float(x[-1]) / (len(x) - 1)))
    colour = np.array(theme.frontier_colour, dtype=np.float32)
    fade = np.ones(size, dtype=np.float32)
    if theme.frontier_soft:
        fade = np.linspace(1, 0, size, endpoint=False, dtype=np.float32)

    def shade(strip: Image, weights: npt.NDArray[np.float32]) -> None:
        strip[:] = (strip + (colour - strip) * weights).astype(np.uint8)

    rows, columns = labels.shape
    for r, c in np.argwhere(~covered).tolist():
        left, right, top, bottom = int(x[c]), int(x[c + 1]), int(y[r]), int(y[r + 1])
        if c > 0 and covered[r, c - 1]:
            shade(image[top:bottom, left : left + size], fade[None, : right - left, None])
        if c + 1 < columns and covered[r, c + 1]:
            shade(image[top:bottom, right - size : right], fade[None, ::-1, None])
        if r > 0 and covered[r - 1, c]:
            shade(image[top : top + size, left:right], fade[: bottom - top, None, None])
        if r + 1 < rows and covered[r + 1, c]:
            shade(image[bottom - size : bottom, left:right], fade[::-1, None, None])


def _put_hints(
    image: Image, theme: RenderTheme, labels: Labels, x: _Edges, y: _Edges, rng: np.random.Generator
) -> None:
    covered = np.argwhere(labels == COVERED)
    count = 1 if rng.random() < 0.8 else int(rng.integers(2, 4))
    for r, c in covered[rng.permutation(len(covered))[:count]].tolist():
        tile = image[y[r] : y[r + 1], x[c] : x[c + 1]]
        tile[:] = _overprinted(tile.astype(np.float32), theme.hint, crisp=theme.crisp)


def _put_coordinates(
    image: Image, theme: RenderTheme, text: Text, labels: Labels, x: _Edges, y: _Edges
) -> None:
    for r, c in np.argwhere(labels == COVERED).tolist():
        tile = image[y[r] : y[r + 1], x[c] : x[c + 1]]
        here = replace(text, text=f"{chr(ord('A') + r % 26)}{c + 1}")
        tile[:] = _overprinted(tile.astype(np.float32), (here,), crisp=theme.crisp)


def _put_cursor(image: Image, theme: RenderTheme, x: _Edges, y: _Edges, rng: np.random.Generator) -> None:
    c, r = int(rng.integers(len(x) - 1)), int(rng.integers(len(y) - 1))
    tile = image[y[r] : y[r + 1], x[c] : x[c + 1]]
    if theme.lit:
        tile[:] = _lit(tile, theme)
        return
    size = max(1, round(theme.cursor * float(x[c + 1] - x[c])))
    for strip in (tile[:size], tile[-size:], tile[:, :size], tile[:, -size:]):
        strip[:] = np.array(theme.cursor_colour, dtype=np.uint8)


def _lit(tile: Image, theme: RenderTheme) -> Image:
    """Return a tile lit up as a theme does it."""
    if theme.lit == "reversed":
        return 255 - tile
    colour = np.array(theme.cursor_colour, dtype=np.float32)
    if theme.lit == "tinted":
        return (0.5 * tile + 0.5 * colour).astype(np.uint8)
    background = np.median(tile.reshape(-1, 3), axis=0)
    apart = np.abs(tile - background).max(axis=2, keepdims=True)
    ink = np.array(readable(theme.cursor_colour, theme.cursor_colour, 110), dtype=np.float32)
    lit: Image = (colour + (ink - colour) * (apart / max(float(apart.max()), 1.0))).astype(np.uint8)
    return lit


def _resized(image: Image, size: tuple[int, int], theme: RenderTheme) -> Image:
    ways = {"nearest": cv2.INTER_NEAREST, "linear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC}
    way = cv2.INTER_AREA if size[0] < image.shape[1] else ways[theme.enlarge]
    return np.asarray(cv2.resize(image, size, interpolation=way), dtype=np.uint8)


def _veiled(image: Image, veil: Veil, labels: Labels, grid: Grid) -> Image:
    height, width = image.shape[:2]
    if veil.kind == "slope":
        angle = np.deg2rad(veil.angle)
        u = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :]
        v = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
        share = np.clip(0.5 + u * np.float32(np.cos(angle)) + v * np.float32(np.sin(angle)), 0, 1)
    elif veil.kind == "blotches":
        coarse = np.random.default_rng(veil.seed).random((6, 8), dtype=np.float32)
        share = np.clip(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), 0, 1)
    else:
        share = np.ones((height, width), dtype=np.float32)
    if veil.on != "all":
        there = np.isin(labels, (COVERED, FLAG, QUESTION)) == (veil.on == "covered")
        tall, wide = (np.diff(np.round(edges)).astype(np.int64) for edges in (grid.y, grid.x))
        share = share * np.repeat(np.repeat(there, tall, axis=0), wide, axis=1)
    colour = np.array(veil.colour, dtype=np.float32)
    weight = (share * np.float32(veil.strength))[..., None]
    return np.clip(image + (colour - image) * weight, 0, 255).astype(np.uint8)
