"""Reads labelled screenshots after what happens to screenshots: tiles right, errors missed, false alarms.

    python benchmarks/transformations.py FOLDER --every 5

Folders and shots are those of recognition.py. Each shot is scaled, compressed, resized, tinted, cropped
badly, photographed aslant, or has something over a few of its tiles, and is then read with crop, width and
height given; with --uncropped the same happens to NAME.full.png, and nothing is given. All from seeds.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from visionsweeper import Board, read_board
from visionsweeper.board import COVERED
from visionsweeper.errors import VisionsweeperError
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image, save_image
from visionsweeper.synthetic import degradation, occlusion, photo
from visionsweeper.vision.tiles.knn import Model, load_model

Image = np.ndarray
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Shot:
    """One labelled screenshot."""

    name: str
    cells: np.ndarray
    """(rows, columns) the truth."""
    image: Image
    """The whole window or page."""
    box: Box
    """Where the board is in it."""

    @property
    def grid(self) -> Grid:
        """Where its tiles are, about."""
        return Grid.even(self.box, self.cells.shape[1], self.cells.shape[0])

    @property
    def pitch(self) -> float:
        """Pixels a tile."""
        return min(self.grid.pitch_x, self.grid.pitch_y)


Transformation = Callable[[Shot, np.random.Generator], Shot]


def whole(change: Callable[[Image], Image]) -> Transformation:
    """Change every pixel alike."""
    return lambda shot, _: Shot(shot.name, shot.cells, change(shot.image), shot.box)


def resized(factor: float, way: degradation.Way) -> Transformation:
    """So many times as large."""

    def change(shot: Shot, _: np.random.Generator) -> Shot:
        image = degradation.scaled(shot.image, factor, way)
        across, down = image.shape[1] / shot.image.shape[1], image.shape[0] / shot.image.shape[0]
        x0, y0, x1, y1 = shot.box
        return Shot(shot.name, shot.cells, image, (x0 * across, y0 * down, x1 * across, y1 * down))

    return change


def shrunk(pitch: float, way: degradation.Way) -> Transformation:
    """Down to so many pixels a tile."""
    return lambda shot, rng: resized(min(1.0, pitch / shot.pitch), way)(shot, rng)


def chat(way: degradation.Way) -> Transformation:
    """Apply a chat program's limit for the longest side: 0.55 to 0.9 of it, but no less than 12 px a tile."""
    return lambda shot, rng: resized(max(rng.uniform(0.55, 0.9), min(1.0, 12 / shot.pitch)), way)(shot, rng)


def bad_crop(inward: float, outward: float) -> Transformation:
    """Each side off by up to that share of a tile, and by as many as there are pixels."""

    def change(shot: Shot, rng: np.random.Generator) -> Shot:
        off = rng.uniform(-outward, inward, 4) * shot.pitch * (1, 1, -1, -1)
        height, width = shot.image.shape[:2]
        box = np.clip(np.round(np.array(shot.box) + off), 0, (width, height, width, height))
        return Shot(shot.name, shot.cells, shot.image, (box[0], box[1], box[2], box[3]))

    return change


def bordered(colour: int) -> Transformation:
    """Draw a line of one pixel around the crop."""

    def change(shot: Shot, _: np.random.Generator) -> Shot:
        x0, y0, x1, y1 = (round(edge) for edge in shot.box)
        image = np.pad(shot.image[y0:y1, x0:x1], ((1, 1), (1, 1), (0, 0)), constant_values=colour)
        height, width = image.shape[:2]
        return Shot(shot.name, shot.cells, image, (0, 0, width, height))

    return change


def tilted(
    degrees: float, keystone: tuple[float, float] = (0.0, 0.0), *, camera: bool = False
) -> Transformation:
    """Turn a picture, and see it from aside; cropped to what the board then spans."""

    def change(shot: Shot, rng: np.random.Generator) -> Shot:
        height, width = shot.image.shape[:2]
        matrix, size = photo.tilt((width, height), degrees, keystone)
        image = photo.warped(shot.image, matrix, size, (70, 70, 74))
        if camera:
            image = photo.photographed(image, rng, blur=min(0.7, shot.pitch / 30))
        x0, y0, x1, y1 = shot.box
        corners = np.array([(x0, y0, 1), (x1, y0, 1), (x1, y1, 1), (x0, y1, 1)]) @ matrix.T
        points = corners[:, :2] / corners[:, 2:]
        low, high = np.floor(points.min(axis=0)), np.ceil(points.max(axis=0))
        return Shot(shot.name, shot.cells, image, (low[0], low[1], high[0], high[1]))

    return change


def some_tile(shot: Shot, rng: np.random.Generator, *, covered: bool) -> tuple[int, int]:
    """Choose a tile at random: a covered one, or any but those."""
    tiles = np.argwhere((shot.cells == COVERED) == covered)
    row, column = tiles[rng.integers(len(tiles))] if len(tiles) else (0, 0)
    return int(row), int(column)


def disturbed(occlude: Callable[[Shot, np.random.Generator], occlusion.Occlusion]) -> Transformation:
    """Something lies over a few tiles."""
    return lambda shot, rng: Shot(shot.name, shot.cells, occlude(shot, rng).image, shot.box)


def pointer(shot: Shot, rng: np.random.Generator, *, covered: bool) -> occlusion.Occlusion:
    """Draw a mouse pointer of 20 px whose tip is inside a tile."""
    x0, y0, x1, y1 = shot.grid.tile_box(*some_tile(shot, rng, covered=covered))
    tip = (float(rng.uniform(x0 + 1, x1 - 1)), float(rng.uniform(y0 + 1, y1 - 1)))
    return occlusion.with_pointer(shot.image, shot.grid, tip, 20, hand=bool(rng.random() < 0.3))


def pressed(shot: Shot, rng: np.random.Generator, *, as_blank: bool) -> occlusion.Occlusion:
    """Draw a covered tile under the held button."""
    blanks = np.argwhere(shot.cells == 0)
    blank = tuple(blanks[rng.integers(len(blanks))].tolist()) if len(blanks) and as_blank else None
    return occlusion.pressed(shot.image, shot.grid, some_tile(shot, rng, covered=True), blank)


def highlight(shot: Shot, rng: np.random.Generator) -> occlusion.Occlusion:
    """Outline the last move in a colour."""
    colours = ((255, 210, 0), (230, 30, 30), (30, 120, 255), (255, 255, 255))
    colour = colours[int(rng.integers(len(colours)))]
    width = max(1, round(shot.pitch / 14))
    tile = some_tile(shot, rng, covered=False)
    return occlusion.highlighted(shot.image, shot.grid, tile, colour, width, 0.15)


def overlay(shot: Shot, rng: np.random.Generator) -> occlusion.Occlusion:
    """Draw a message over a corner, about 35 % by 15 % of the board."""
    x0, y0, x1, y1 = (round(edge) for edge in shot.box)
    wide, tall = round((x1 - x0) * 0.35), round((y1 - y0) * 0.15)
    left = x0 if rng.random() < 0.5 else x1 - wide
    top = y0 if rng.random() < 0.5 else y1 - tall
    return occlusion.overlaid(shot.image, shot.grid, (left, top, left + wide, top + tall))


def scrolled(shot: Shot, _: np.random.Generator) -> Shot:
    """Cut the upper half of the first row off; `measure` leaves that row out."""
    x0, y0, x1, y1 = shot.box
    cut = round(y0 + shot.grid.pitch_y / 2)
    return Shot(shot.name, shot.cells, shot.image[cut:], (x0, 0, x1, y1 - cut))


TRANSFORMATIONS: dict[str, Transformation] = {
    "as it is": lambda shot, _: shot,
    "scaled to 125 %": resized(1.25, "cubic"),
    "scaled to 150 %": resized(1.5, "linear"),
    "scaled to 200 %": resized(2.0, "cubic"),
    "scaled to 300 %": resized(3.0, "linear"),
    "12 px a tile": shrunk(12, "area"),
    "16 px a tile": shrunk(16, "area"),
    "chat, bilinear": chat("linear"),
    "chat, bicubic": chat("cubic"),
    "chat, area": chat("area"),
    "JPEG 90": whole(partial(degradation.compressed, kind="jpeg", quality=90)),
    "JPEG 75": whole(partial(degradation.compressed, kind="jpeg", quality=75)),
    "JPEG 60": whole(partial(degradation.compressed, kind="jpeg", quality=60)),
    "WebP 80": whole(partial(degradation.compressed, kind="webp", quality=80)),
    "WebP 60": whole(partial(degradation.compressed, kind="webp", quality=60)),
    "gamma 0.7": whole(partial(degradation.toned, gamma=0.7)),
    "gamma 1.4": whole(partial(degradation.toned, gamma=1.4)),
    "night light": whole(partial(degradation.toned, gamma=1.0, tint=(1.0, 0.82, 0.58))),
    "inverted": whole(degradation.inverted),
    "gray": whole(degradation.grayed),
    "crop a quarter tile wide": bad_crop(0, 0.25),
    "crop a quarter tile tight": bad_crop(0.25, 0),
    "crop off either way": bad_crop(0.25, 0.25),
    "black line around": bordered(0),
    "white line around": bordered(255),
    "turned by 0.5 degrees": tilted(0.5),
    "turned by -1.5 degrees": tilted(-1.5),
    "seen from aside": tilted(0.0, (0.04, 0.03)),
    "photographed": tilted(1.0, (-0.03, 0.03), camera=True),
    "pointer over a covered tile": disturbed(partial(pointer, covered=True)),
    "pointer over another tile": disturbed(partial(pointer, covered=False)),
    "hovered tile": disturbed(
        lambda shot, rng: occlusion.hovered(shot.image, shot.grid, some_tile(shot, rng, covered=True))
    ),
    "pressed tile, sunken": disturbed(partial(pressed, as_blank=False)),
    "pressed tile, as a blank": disturbed(partial(pressed, as_blank=True)),
    "last move outlined": disturbed(highlight),
    "message over a corner": disturbed(overlay),
    "scrolled by half a tile": scrolled,
}

CROP_ONLY = {"crop a quarter tile wide", "crop a quarter tile tight", "crop off either way"}
LINES = {"black line around", "white line around"}


@dataclass(frozen=True)
class Result:
    """One shot after one transformation."""

    tiles: int
    wrong: int = 0
    missed_errors: int = 0
    """Wrong tiles that were not flagged as uncertain."""
    false_alarms: int = 0
    """Right tiles that were."""
    refused: bool = False
    lost: bool = False
    """Read in another size, which nobody was told."""
    seconds: float = 0.0


def measure(name: str, shot: Shot, model: Model, *, uncropped: bool, keep: Path | None) -> Result:
    """Transform one shot, read it and compare with its truth."""
    rng = np.random.default_rng([zlib.crc32(shot.name.encode()), zlib.crc32(name.encode())])
    changed = TRANSFORMATIONS[name](shot, rng)
    image, cells = changed.image, changed.cells
    size: tuple[int | None, int | None] = (None, None)
    if not uncropped:
        x0, y0, x1, y1 = (round(edge) for edge in changed.box)
        image = image[max(0, y0) : y1, max(0, x0) : x1]
        size = (cells.shape[1], None if name.startswith("scrolled") else cells.shape[0])
    image = np.ascontiguousarray(image)
    if keep is not None:
        save_image(keep / f"{name} {shot.name.replace('/', ' ')}.png", image)
    begin = time.perf_counter()
    try:
        reading = read_board(image, *size, model=model)
    except VisionsweeperError:
        return Result(cells.size, wrong=cells.size, refused=True)
    seconds = time.perf_counter() - begin
    read, unsure = reading.board.cells, reading.uncertain
    if name.startswith("scrolled"):
        # The row cut in half need not be there, and where it is, it may be anything that is flagged.
        if read.shape[0] == cells.shape[0]:
            half = int(((read[0] != cells[0]) & ~unsure[0]).sum()) if read.shape == cells.shape else 0
            read, unsure = read[1:], unsure[1:]
        else:
            half = 0
        cells = cells[1:]
    else:
        half = 0
    if read.shape != cells.shape:
        return Result(cells.size, wrong=cells.size, lost=True, seconds=seconds)
    wrong = read != cells
    return Result(
        tiles=cells.size,
        wrong=int(wrong.sum()),
        missed_errors=int((wrong & ~unsure).sum()) + half,
        false_alarms=int((~wrong & unsure).sum()),
        seconds=seconds,
    )


def load(text: Path) -> Shot | None:
    """Load a shot, its board where the record says; None where there is no whole picture or no box."""
    record = json.loads(text.with_suffix(".json").read_text())
    full = text.with_suffix(".full.png")
    if not full.exists() or "box" not in record:
        return None
    x0, y0, x1, y1 = (float(edge) for edge in record["box"])
    name = f"{text.parent.name}/{text.stem}"
    return Shot(name, Board.from_text(text.read_text()).cells, load_image(full), (x0, y0, x1, y1))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", help="a model file instead of the standard one")
    parser.add_argument("--uncropped", action="store_true", help="whole windows and pages, nothing given")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth shot alone")
    parser.add_argument("--only", default="", help="transformations whose name has this in it")
    parser.add_argument("--without", default="", help="comma-separated themes (folders) to leave out")
    parser.add_argument("--themes", action="store_true", help="a line for every theme besides")
    parser.add_argument("--keep", type=Path, help="write the transformed pictures to this folder")
    options = parser.parse_args()
    texts = [
        text
        for text in sorted(options.folder.glob("*/*.txt"))
        if text.parent.name not in options.without.split(",")
    ][:: options.every]
    shots = [shot for shot in map(load, texts) if shot is not None]
    if not shots:
        raise SystemExit(f"no labelled shots in {options.folder}")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    model = load_model(options.model)
    print(f"{len(shots)} shots, {sum(shot.cells.size for shot in shots)} tiles\n")
    print(
        "| what happened | tiles right | boards perfect | refused | other size "
        "| missed errors | false alarms | ms |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in TRANSFORMATIONS:
        if options.only not in name or (options.uncropped and name in CROP_ONLY | LINES):
            continue
        results = [
            measure(name, shot, model, uncropped=options.uncropped, keep=options.keep) for shot in shots
        ]
        print_row(name, results)
        if options.themes:
            themes = [shot.name.split("/")[0] for shot in shots]
            for theme in sorted(set(themes)):
                print_row(
                    f"- {theme}",
                    [result for result, its in zip(results, themes, strict=True) if its == theme],
                )


def print_row(name: str, results: list[Result]) -> None:
    """One line of the table."""
    tiles, wrong = sum(r.tiles for r in results), sum(r.wrong for r in results)
    read = [r for r in results if not (r.refused or r.lost)]
    right = sum(r.tiles - r.wrong for r in read)
    false_alarms = 100 * sum(r.false_alarms for r in read) / max(1, right)
    perfect = sum(r.wrong == 0 for r in results)
    print(
        f"| {name} | {100 * (1 - wrong / tiles):.2f} % | {perfect} of {len(results)} "
        f"| {sum(r.refused for r in results)} | {sum(r.lost for r in results)} "
        f"| {sum(r.missed_errors for r in results)} | {false_alarms:.1f} % "
        f"| {1000 * float(np.median([r.seconds for r in results])):.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
