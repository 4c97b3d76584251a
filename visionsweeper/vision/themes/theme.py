"""A learned theme: exemplar tiles of one game, as cut from labelled screenshots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.errors import BadModel, VisionsweeperError
from visionsweeper.geometry import Grid
from visionsweeper.io.npz import read_archive
from visionsweeper.vision.themes.similarity import Exemplars, different_ones, sketches_of
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.features import TILE_SIZE

THEME_FORMAT: Final = 2
READABLE_FORMATS: Final = (1, THEME_FORMAT)
"""The first had no shots."""
MAX_THEME_BYTES: Final = 32 * 1024 * 1024
MAX_EXEMPLARS: Final = 4096
MAX_SHOT_BYTES: Final = 16 * 1024 * 1024
"""Of the pictures of all labelled shots of a theme; beyond, the oldest are left out."""

_SHOT_PARTS: Final[Mapping[str, tuple[type, int]]] = {
    "picture": (np.uint8, 1),
    "x": (np.float64, 1),
    "y": (np.float64, 1),
    "truth": (np.uint8, 2),
}
"""Part of a kept shot -> dtype and dimensions."""

EXEMPLARS_A_CLASS: Final = 10
"""Tiles of one class kept from one shot: as different as they come."""


@dataclass(frozen=True, eq=False)
class TaughtShot:
    """The board of a labelled shot, kept so that later steps can be held against it."""

    name: str
    picture: npt.NDArray[np.uint8]
    """(bytes,) a PNG file of the board alone."""
    x: npt.NDArray[np.float64]
    """(columns + 1,) edges of the columns, px of the picture."""
    y: npt.NDArray[np.float64]
    """(rows + 1,) edges of the rows."""
    truth: npt.NDArray[np.uint8]
    """(rows, columns) tile codes."""

    @classmethod
    def of(cls, name: str, image: npt.NDArray[np.uint8], grid: Grid, truth: Board) -> TaughtShot:
        """Keep the part of `image`, (H, W, 3) uint8 RGB, that the board covers."""
        left, top = max(0, int(grid.x[0])), max(0, int(grid.y[0]))
        part = image[top : int(np.ceil(grid.y[-1])) + 1, left : int(np.ceil(grid.x[-1])) + 1]
        _, data = cv2.imencode(".png", cv2.cvtColor(part, cv2.COLOR_RGB2BGR))
        return cls(name, np.asarray(data).reshape(-1), grid.x - left, grid.y - top, truth.cells)

    def board(self) -> tuple[npt.NDArray[np.uint8], Grid, Board]:
        """Return the picture, (H, W, 3) uint8 RGB, its grid and what it shows. Raises BadModel."""
        try:
            pixels = cv2.imdecode(self.picture, cv2.IMREAD_COLOR_RGB)
            if pixels is None or self.truth.shape != (len(self.y) - 1, len(self.x) - 1):
                raise ValueError("its parts do not fit together")
            return np.asarray(pixels, np.uint8), Grid(self.x, self.y), Board(self.truth)
        except (cv2.error, ValueError, VisionsweeperError) as error:
            raise BadModel(f"the shot {self.name} that the theme keeps is damaged ({error})") from error


@dataclass(frozen=True, eq=False)
class LearnedTheme:
    """Exemplar tiles of one theme, and where they come from."""

    name: str
    tiles: npt.NDArray[np.uint8]
    """(n, 32, 32, 3) uint8 RGB, n at least 1, read-only."""
    classes: npt.NDArray[np.uint8]
    """(n,) tile classes 0 to 13 (see `tiles.classes`), read-only."""
    record: Mapping[str, Any]
    """Plain JSON; `sources` lists the shots: date, file, width, height, program version, tiles."""
    shots: tuple[TaughtShot, ...] = ()
    """The labelled shots themselves, oldest first, as far as they are kept."""

    def __post_init__(self) -> None:
        """Validate shapes, types and codes; raises BadModel."""
        fits = (
            self.tiles.dtype == np.uint8
            and self.classes.dtype == np.uint8
            and self.tiles.ndim == 4
            and self.tiles.shape[1:] == (TILE_SIZE, TILE_SIZE, 3)
            and 1 <= len(self.tiles) <= MAX_EXEMPLARS
            and self.classes.shape == (len(self.tiles),)
            and int(self.classes.max()) < len(CLASS_NAMES)
            and isinstance(self.record.get("sources"), list)
            and all(isinstance(source, dict) for source in self.record["sources"])
        )
        if not fits:
            raise BadModel("the theme's parts do not fit together; learn it again")
        self.tiles.setflags(write=False)
        self.classes.setflags(write=False)

    @cached_property
    def exemplars(self) -> Exemplars:
        """The tiles made ready for comparing."""
        return Exemplars.of(self.tiles)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the classes that the theme has exemplars of, by code."""
        return tuple(CLASS_NAMES[tile_class] for tile_class in np.unique(self.classes).tolist())


def choose_exemplars(
    tiles: npt.NDArray[np.uint8], classes: npt.NDArray[np.uint8], most: int = EXEMPLARS_A_CLASS
) -> npt.NDArray[np.intp]:
    """Choose the tiles worth keeping, by index: of each class up to `most`, as different as they come."""
    sketches = sketches_of(tiles)
    chosen: list[int] = []
    for tile_class in np.unique(classes).tolist():
        members = np.flatnonzero(classes == tile_class)
        chosen += members[different_ones(sketches[members], most)].tolist()
    return np.array(chosen, dtype=np.intp)


def extended(theme: LearnedTheme | None, name: str, addition: LearnedTheme) -> LearnedTheme:
    """Return the theme with the exemplars of another shot added; None: the addition under that name."""
    if theme is None:
        return LearnedTheme(name, addition.tiles, addition.classes, addition.record, addition.shots)
    record = {**theme.record, "sources": [*theme.record["sources"], *addition.record["sources"]]}
    tiles = np.concatenate([theme.tiles, addition.tiles])
    classes = np.concatenate([theme.classes, addition.classes])
    if len(tiles) > MAX_EXEMPLARS:
        raise BadModel(
            f"the theme {name} already holds the maximum number of exemplars ({MAX_EXEMPLARS}); "
            "give further shots another --name"
        )
    return LearnedTheme(name, tiles, classes, record, _latest((*theme.shots, *addition.shots)))


def _latest(shots: tuple[TaughtShot, ...]) -> tuple[TaughtShot, ...]:
    """As many of the last shots as may be kept."""
    sizes = np.cumsum([len(shot.picture) for shot in reversed(shots)])
    kept = int((sizes <= MAX_SHOT_BYTES).sum())
    return shots[len(shots) - kept :]


def make_theme(
    name: str,
    tiles: npt.NDArray[np.uint8],
    classes: npt.NDArray[np.uint8],
    source: Mapping[str, Any],
    shots: tuple[TaughtShot, ...] = (),
) -> LearnedTheme:
    """Make a theme of (n, 32, 32, 3) tiles and (n,) tile classes, from one shot described by `source`."""
    record = {"format_version": THEME_FORMAT, "sources": [{**source, "exemplars": len(tiles)}]}
    return LearnedTheme(name, tiles, classes, record, shots)


def theme_bytes(theme: LearnedTheme) -> bytes:
    """Pack a theme as an `.npz` file: arrays and a JSON record, nothing that executes when loaded."""
    buffer = BytesIO()
    names = [shot.name for shot in theme.shots]
    record = {**theme.record, "format_version": THEME_FORMAT, "name": theme.name, "shots": names}
    parts = {
        f"shot{number}_{part}": getattr(shot, part)
        for number, shot in enumerate(theme.shots)
        for part in _SHOT_PARTS
    }
    np.savez_compressed(
        buffer,
        allow_pickle=False,
        tiles=theme.tiles,
        looks=theme.classes,  # the name in files of this format
        record=np.frombuffer(json.dumps(record, indent=1).encode(), dtype=np.uint8),
        **parts,
    )
    return buffer.getvalue()


def load_theme(path: Path) -> LearnedTheme:
    """Load a theme. Raises BadModel for a missing, damaged or hostile file, or one of another version."""
    try:
        stamp = path.stat()
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or error
        raise BadModel(f"there is no theme at {path}: {detail}") from error
    return _load(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=64)
def _load(path: Path, _changed: int, size: int) -> LearnedTheme:
    if size > MAX_THEME_BYTES:
        raise BadModel(f"{path} is too large for a theme ({size} bytes; at most {MAX_THEME_BYTES})")
    try:
        arrays, record = read_archive(path, MAX_THEME_BYTES, "a learned theme")
        return unpacked_theme(path, arrays, record)
    except BadModel as error:
        raise BadModel(f"{path}: {error}" if str(path) not in str(error) else str(error)) from error


def unpacked_theme(
    path: Path, arrays: Mapping[str, npt.NDArray[Any]], record: Mapping[str, Any]
) -> LearnedTheme:
    """Make the theme of the arrays of a file. Raises BadModel where they do not make one."""
    if record.get("format_version") not in READABLE_FORMATS:
        raise BadModel(f"{path} is not a theme of this version of the program; learn it again")
    missing = [name for name in ("tiles", "looks") if name not in arrays]
    if missing:
        raise BadModel(f"{path} lacks a part of a learned theme: {missing[0]}")
    return LearnedTheme(path.stem, arrays["tiles"], arrays["looks"], record, _unpacked_shots(arrays, record))


def _unpacked_shots(
    arrays: Mapping[str, npt.NDArray[Any]], record: Mapping[str, Any]
) -> tuple[TaughtShot, ...]:
    names = record.get("shots", [])
    if not isinstance(names, list):
        raise BadModel("the theme's list of shots is damaged; learn it again")
    shots = []
    for number, name in enumerate(names):
        parts = [arrays.get(f"shot{number}_{part}") for part in _SHOT_PARTS]
        if any(
            part is None or part.dtype != dtype or part.ndim != ndim
            for part, (dtype, ndim) in zip(parts, _SHOT_PARTS.values(), strict=True)
        ):
            raise BadModel("a shot that the theme keeps is damaged; learn it again")
        shots.append(TaughtShot(str(name), *parts))  # type: ignore[arg-type]  # none is None
    return tuple(shots)


def class_counts(classes: Sequence[int] | npt.NDArray[np.uint8]) -> dict[str, int]:
    """Count the tiles of each class, by its name."""
    codes, counts = np.unique(np.asarray(classes), return_counts=True)
    return {CLASS_NAMES[code]: int(count) for code, count in zip(codes.tolist(), counts, strict=True)}
