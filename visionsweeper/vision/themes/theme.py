"""A learned theme: exemplar tiles of one game's look, as cut from labelled screenshots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED
from visionsweeper.errors import BadModel
from visionsweeper.io.npz import read_archive
from visionsweeper.vision.themes.similarity import (
    JITTERS,
    ZOOMS,
    Cut,
    Exemplars,
    Sheet,
    different_ones,
    sketches_of,
)
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.features import TILE_SIZE

THEME_FORMAT: Final = 1
MAX_THEME_BYTES: Final = 32 * 1024 * 1024
MAX_EXEMPLARS: Final = 4096
_PLAINLY_SHARE: Final = 0.3  # of a blank's distance to the next of another look: it is still plainly itself

EXEMPLARS_A_CLASS: Final = 10
"""Tiles of one look kept from one shot: as different as they come."""


@dataclass(frozen=True, eq=False)
class LearnedTheme:
    """Exemplar tiles of one look, and where they come from."""

    name: str
    tiles: npt.NDArray[np.uint8]
    """(n, 32, 32, 3) uint8 RGB, n at least 1, read-only."""
    classes: npt.NDArray[np.uint8]
    """(n,) tile classes 0 to 13 (see `tiles.classes`), read-only."""
    record: Mapping[str, Any]
    """Plain JSON; `sources` lists the shots: date, file, width, height, program version, tiles."""

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

    @cached_property
    def margin(self) -> npt.NDArray[np.float32]:
        """(n,) distance of each exemplar to the nearest of another look; infinite where there is none."""
        distances = self.exemplars.distances(self.exemplars.sketches)
        for down, right in JITTERS[1:]:
            moved = sketches_of(self.tiles, down, right)
            np.minimum(distances, self.exemplars.distances(moved).T, out=distances)
        same = self.classes[:, None] == self.classes[None, :]
        margin: npt.NDArray[np.float32] = np.where(same, np.inf, distances).min(axis=1).astype(np.float32)
        return margin

    @cached_property
    def zooms(self) -> tuple[float, ...]:
        """The zooms at which the theme's covered tiles and blanks are still known for what they are.

        Frames that are cut off would make one of them the other.
        """
        blank = np.flatnonzero(np.isin(self.classes, (0, COVERED)))
        sheet = Sheet.of(self.tiles[blank], len(blank), 1) if len(blank) else None
        safe = []
        for zoom in ZOOMS:
            if sheet is not None:
                distances = self.exemplars.distances(sheet.sketches(Cut(zoom=zoom)))
                nearest = distances.argmin(axis=1)
                far = distances.min(axis=1) > _PLAINLY_SHARE * self.margin[blank]
                if (far | (self.classes[nearest] != self.classes[blank])).any():
                    continue
            safe.append(zoom)
        return tuple(safe)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the classes that the theme has exemplars of, by code."""
        return tuple(CLASS_NAMES[tile_class] for tile_class in np.unique(self.classes).tolist())


def choose_exemplars(
    tiles: npt.NDArray[np.uint8], classes: npt.NDArray[np.uint8], most: int = EXEMPLARS_A_CLASS
) -> npt.NDArray[np.intp]:
    """Indices of the tiles worth keeping: of each class up to `most`, as different as they come."""
    sketches = sketches_of(tiles)
    chosen: list[int] = []
    for tile_class in np.unique(classes).tolist():
        members = np.flatnonzero(classes == tile_class)
        chosen += members[different_ones(sketches[members], most)].tolist()
    return np.array(chosen, dtype=np.intp)


def extended(theme: LearnedTheme | None, name: str, addition: LearnedTheme) -> LearnedTheme:
    """The theme with the exemplars of another shot added; None: the addition under that name."""
    if theme is None:
        return LearnedTheme(name, addition.tiles, addition.classes, addition.record)
    record = {**theme.record, "sources": [*theme.record["sources"], *addition.record["sources"]]}
    tiles = np.concatenate([theme.tiles, addition.tiles])
    classes = np.concatenate([theme.classes, addition.classes])
    if len(tiles) > MAX_EXEMPLARS:
        raise BadModel(
            f"the theme {name} holds as many exemplars as one may ({MAX_EXEMPLARS}); "
            "give further shots another --name"
        )
    return LearnedTheme(name, tiles, classes, record)


def make_theme(
    name: str, tiles: npt.NDArray[np.uint8], classes: npt.NDArray[np.uint8], source: Mapping[str, Any]
) -> LearnedTheme:
    """Make a theme of (n, 32, 32, 3) tiles and (n,) tile classes, from one shot described by `source`."""
    record = {"format_version": THEME_FORMAT, "sources": [{**source, "exemplars": len(tiles)}]}
    return LearnedTheme(name, tiles, classes, record)


def theme_bytes(theme: LearnedTheme) -> bytes:
    """A theme as an `.npz` file: arrays and a JSON record, nothing that executes when loaded."""
    buffer = BytesIO()
    record = {**theme.record, "name": theme.name}
    np.savez_compressed(
        buffer,
        allow_pickle=False,
        tiles=theme.tiles,
        looks=theme.classes,  # the name in files of this format
        record=np.frombuffer(json.dumps(record, indent=1).encode(), dtype=np.uint8),
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
    """The theme of the arrays of a file. Raises BadModel where they do not make one."""
    if record.get("format_version") != THEME_FORMAT:
        raise BadModel(f"{path} is no theme of this version of the program; learn it again")
    missing = [name for name in ("tiles", "looks") if name not in arrays]
    if missing:
        raise BadModel(f"{path} lacks a part of a learned theme: {missing[0]}")
    return LearnedTheme(path.stem, arrays["tiles"], arrays["looks"], record)


def class_counts(classes: Sequence[int] | npt.NDArray[np.uint8]) -> dict[str, int]:
    """How many tiles of each class, by its name."""
    codes, counts = np.unique(np.asarray(classes), return_counts=True)
    return {CLASS_NAMES[code]: int(count) for code, count in zip(codes.tolist(), counts, strict=True)}
