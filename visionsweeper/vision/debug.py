"""Every stage of a reading as a picture or a text: what the program believed, and why."""

from __future__ import annotations

import io
import textwrap
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image

from visionsweeper.drawing import marks
from visionsweeper.drawing.annotate import enlargement
from visionsweeper.drawing.board import draw_board
from visionsweeper.drawing.colours import BEST, CONFLICT, Colour
from visionsweeper.drawing.sheet import Picture, below, beside, framed, in_rows, written
from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.io.files import make_folder, write_atomically
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.detection import periodicity
from visionsweeper.vision.detection.candidates import Candidate
from visionsweeper.vision.detection.line_grid import lines
from visionsweeper.vision.detection.locate import named
from visionsweeper.vision.detection.rectify import upright
from visionsweeper.vision.reading import Reading
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.knn import Model

_TILE: Final = 40
"""Side of a tile on the sheets, px."""
_LINE: Final = 22
"""Height of a line of text, px."""
_ACROSS: Final = 20
"""Tiles in a row of the sheets."""
_LEAST_WIDTH: Final = 640
"""Px, so that the lines of text below small pictures can be read."""
_MOST: Final = 2000
"""More tiles or groups than this are not drawn."""
_LEAST: Final = 16
"""In pictures less wide or high than this, px, no lines are looked for."""
_CANDIDATES: Final = 40
"""Candidates that are drawn and told of."""
_STRAIGHT: Final = 16.0
"""Pitch, px, that lines are drawn for: they are about half as long at least."""


def write_stages(folder: Path, reading: Reading, model: Model) -> list[Path]:
    """Write the stages of a reading, as they were in that very run, to a folder, which is made if need be.

    1-grid.png (the board's box and tile borders, and all that looked like a board), 2-groups.png (a tile of
    every group of look-alikes, its size and name), 3-tiles.png (all tiles by name, the least sure first),
    4-nearest.txt (what is known that is nearest to each group), 5-reading.png and .txt.
    Everything is drawn before anything is written. Raises WriteFailed.
    """
    stages = {
        "1-grid.png": _png(_grid(reading)),
        "2-groups.png": _png(_groups(reading)),
        "3-tiles.png": _png(_tiles(reading)),
        "4-nearest.txt": _nearest(reading, model).encode(),
        "5-reading.png": _png(_drawn(reading)),
        "5-reading.txt": _text(reading).encode(),
    }
    return _write(folder, stages)


def write_search(folder: Path, image: Picture, error: NoBoardFound) -> list[Path]:
    """Write where a board was looked for in `image`, (H, W, 3) uint8 RGB, in vain or with too many found.

    1-grid.png alone: the straight lines that were seen, all that was considered, and the error.
    Raises WriteFailed.
    """
    return _write(folder, {"1-grid.png": _png(_search(upright(image).image, error))})


def _write(folder: Path, files: dict[str, bytes]) -> list[Path]:
    make_folder(folder)
    for name, data in files.items():
        write_atomically(folder / name, data)
    return [folder / name for name in files]


def _search(image: Picture, error: NoBoardFound) -> Picture:
    canvas = (image // 2 + 127).astype(np.uint8)
    found: tuple[Candidate, ...] = error.considered[:_CANDIDATES]
    texts = textwrap.wrap(str(error), 90)
    if min(image.shape[:2]) >= _LEAST:
        seen = [lines(periodicity.steps(image, axis), axis, _STRAIGHT) for axis in (1, 0)]
        for marked in seen:
            canvas[marked[: canvas.shape[0], : canvas.shape[1]] > 0] = BEST
        profiles = [seen[at].mean(axis=at) / 255 for at in (0, 1)]
        pitches = ", ".join(f"{each:.1f}" for each in periodicity.likely_pitches(profiles[0], profiles[1]))
        texts.append(f"distances at which lines repeat: {f'{pitches} px' if pitches else 'none'}")
    for candidate in found:
        _outline(canvas, candidate.grid, 1, CONFLICT)
    texts += [_judgement(candidate) for candidate in found]
    texts.append("blue: straight lines; pink: what was considered")
    width = max(canvas.shape[1], _LEAST_WIDTH)
    return below(canvas, *(_line(text, width) for text in texts))


def _grid(reading: Reading) -> Picture:
    image = reading.image
    factor = enlargement(reading.grid, image.shape)
    canvas = np.repeat(np.repeat(image, factor, axis=0), factor, axis=1)
    considered = reading.considered[:_CANDIDATES]
    for candidate in considered:
        _outline(canvas, candidate.grid, factor, CONFLICT)
    x, y = (np.rint(edges * factor).astype(int) for edges in (reading.grid.x, reading.grid.y))
    for across in x:
        cv2.line(canvas, (int(across), int(y[0])), (int(across), int(y[-1])), BEST, 1)
    for down in y:
        cv2.line(canvas, (int(x[0]), int(down)), (int(x[-1]), int(down)), BEST, 1)
    box = ",".join(f"{edge:.1f}" for edge in reading.box)
    grid = reading.grid
    texts = (
        f"box {box}   {grid.columns}x{grid.rows} tiles   pitch {grid.pitch_x:.2f} x {grid.pitch_y:.2f} px",
        "blue: the borders that the tiles were cut along; pink: what was considered",
        *(_judgement(candidate) for candidate in considered),
    )
    width = max(canvas.shape[1], _LEAST_WIDTH)
    return below(canvas, *(_line(text, width) for text in texts))


def _judgement(candidate: Candidate) -> str:
    """Say what speaks for a candidate, in natural log odds."""
    left, right, top, bottom = candidate.sides
    verdict = "convincing" if candidate.convincing else "not convincing"
    return (
        f"considered: {named(candidate.grid)}: score {candidate.score:.0f}, tiles {candidate.inside:+.1f}, "
        f"ends left {left:+.1f}, right {right:+.1f}, above {top:+.1f}, below {bottom:+.1f}: {verdict}"
    )


def _outline(canvas: Picture, grid: Grid, factor: int, colour: Colour) -> None:
    x0, y0, x1, y1 = (round(edge * factor) for edge in grid.box)
    cv2.rectangle(canvas, (x0 - 3, y0 - 3), (x1 + 2, y1 + 2), colour, 2)


def _groups(reading: Reading) -> Picture:
    tiles = cut_tiles(reading.image, reading.grid, _TILE)
    groups, classes, confidence = reading.groups.ravel(), reading.classes.ravel(), reading.confidence.ravel()
    numbers, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    order = np.lexsort((numbers, -sizes, classes[first]))[:_MOST]
    cards = []
    for at in order:
        tile = first[at]
        text = f"{CLASS_NAMES[classes[tile]]}  x{sizes[at]}  {100 * confidence[tile]:.1f}%"
        lines = [written(line, width=190, height=_TILE // 2 + 2) for line in (text, f"group {numbers[at]}")]
        cards.append(beside(framed(tiles[tile], 2), below(*lines)))
    title = f"{len(numbers)} groups of look-alikes: name, tiles, confidence, number of the group"
    return _sheet([(title, cards)], 4)


def _tiles(reading: Reading) -> Picture:
    tiles = cut_tiles(reading.image, reading.grid, _TILE)
    classes, confidence = reading.classes.ravel(), reading.confidence.ravel()
    left, parts = _MOST, []
    for tile_class in np.unique(classes):
        these = np.flatnonzero(classes == tile_class)
        these = these[np.argsort(confidence[these], kind="stable")]
        cards = []
        for tile in these[:left]:
            percent = written(f"{100 * confidence[tile]:.1f}", width=_TILE + 4, height=16)
            cards.append(below(framed(tiles[tile], 2), percent))
        left -= len(cards)
        parts.append((f"{CLASS_NAMES[tile_class]}: {len(these)}, the least sure first (% sure)", cards))
    return _sheet(parts, _ACROSS)


def _nearest(reading: Reading, model: Model) -> str:
    """For every group: what of the known lies nearest, and how its neighbours vote."""
    groups, classes, confidence = reading.groups.ravel(), reading.classes.ravel(), reading.confidence.ravel()
    numbers, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    rows = [
        "group  tiles  first tile   read as        sure     nearest known          distance  votes",
        "(distance: 0 is the same, 2 the opposite; votes: before the rules of the game)",
    ]
    if reading.theme is not None:
        rows.append(
            f"(distance and votes take in the learned theme {reading.theme}, the nearest known does not)"
        )
    for at in np.lexsort((numbers, -sizes)):
        tile = int(first[at])
        group = int(numbers[at])
        votes = reading.votes[group]
        best = [tile_class for tile_class in np.argsort(-votes)[:4] if votes[tile_class] >= 0.02]
        said = ", ".join(f"{CLASS_NAMES[tile_class]} {100 * votes[tile_class]:.0f}%" for tile_class in best)
        known = int(reading.nearest.flat[tile])
        place = f"{tile // reading.grid.columns},{tile % reading.grid.columns}"
        name = f"{CLASS_NAMES[model.labels[known]]} (no. {known})"
        rows.append(
            f"{numbers[at]:5d}  {sizes[at]:5d}  {place:11}  {CLASS_NAMES[classes[tile]]:13}  "
            f"{100 * confidence[tile]:5.1f}%   {name:22} {reading.distance[group]:8.3f}  {said}"
        )
    return "\n".join(rows) + "\n"


def _drawn(reading: Reading) -> Picture:
    picture, grid = draw_board(reading.board)
    side = round(grid.pitch_x)
    for row, column in np.argwhere(reading.uncertain):
        marks.uncertain(side, side).lay(picture, round(grid.x[column]), round(grid.y[row]))
    return picture


def _text(reading: Reading) -> str:
    doubtful = np.argwhere(reading.uncertain).tolist()
    doubtful.sort(key=lambda tile: float(reading.confidence[tile[0], tile[1]]))
    doubts = [
        f"# row {row}, column {column}: {CLASS_NAMES[reading.classes[row, column]]}, "
        f"{100 * reading.confidence[row, column]:.1f}% sure"
        for row, column in doubtful
    ]
    head = f"# {len(doubtful)} tiles read with doubt"
    return "\n".join([str(reading.board).rstrip("\n"), head, *doubts]) + "\n"


def _sheet(parts: list[tuple[str, list[Picture]]], across: int) -> Picture:
    """Cards of one size in rows, under titles."""
    width = max(_LEAST_WIDTH, max((across * cards[0].shape[1] for _, cards in parts if cards), default=0))
    return below(*(part for title, cards in parts for part in (_line(title, width), in_rows(cards, across))))


def _line(text: str, width: int) -> Picture:
    return written(f" {text}", width=width, height=_LINE)


def _png(image: Picture) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()
