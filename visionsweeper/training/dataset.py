"""Folders of labelled shots: screenshots that lie beside the text of their board.

A shot is NAME.png (or another picture format), cropped to the board, and NAME.txt, what it shows in the
board notation. NAME.full.png may hold the uncropped window, and NAME.json more about it: `width` and `height`
in tiles (checked against the text), `box` of the board in pixels (of NAME.full.png where there is one),
`question_marks` as [row, column] pairs, `theme`.
"""

from __future__ import annotations

import codecs
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Board
from visionsweeper.errors import InvalidInput, NoBoardFound
from visionsweeper.geometry import Box, Grid
from visionsweeper.io.files import PICTURE_SUFFIXES, is_folder, is_there, read_at_most
from visionsweeper.io.images import load_image
from visionsweeper.vision.detection.grid import MIN_PITCH, fit_grid
from visionsweeper.vision.tiles.classes import QUESTION

MAX_TEXT_BYTES: Final = 16 * 1024 * 1024

_LARGEST_RATIO: Final = 1.5
"""Of a tile's sides: a picture may be cropped a quarter of a tile off, and tiles be a little oblong."""


@dataclass(frozen=True, eq=False)
class Example:
    """A board whose every tile is known."""

    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB."""
    grid: Grid
    """Where the tiles are, px; a little off, as a crop or a detector would have it."""
    classes: npt.NDArray[np.uint8]
    """(tiles,) tile classes, row-major."""
    order: npt.NDArray[np.intp]
    """(k,) indices of the tiles to learn from, the most telling first."""


@dataclass(frozen=True)
class Shot:
    """A screenshot on disk and what it shows."""

    name: str
    """Its path below the folder that was searched, without suffix."""
    theme: str
    """The theme that it shares with other shots."""
    board: Board
    """The truth."""
    questions: tuple[tuple[int, int], ...]
    """(row, column) of covered tiles that carry a question mark, as far as known."""
    text: Path
    """Where the truth is written."""
    image: Path | None
    """The picture, cropped to the board unless there is a box without a `full`; None: only `full` exists."""
    full: Path | None
    """The uncropped picture, where there is one besides."""
    box: Box | None
    """Of the board in the uncropped picture, px, where known."""

    @property
    def classes(self) -> npt.NDArray[np.uint8]:
        """(rows, columns) uint8 tile classes: the board, with question marks told from covered tiles."""
        classes = self.board.cells.copy()
        for tile in self.questions:
            classes[tile] = QUESTION
        return classes

    @property
    def has_uncropped(self) -> bool:
        """Whether there is a picture that shows more than the board."""
        return self.full is not None or self.box is not None

    def cropped(self) -> npt.NDArray[np.uint8]:
        """Return the picture of the board alone, (H, W, 3) uint8 RGB.

        Raises InvalidInput when it cannot be read, or when the text does not fit it.
        """
        if self.image is not None and (self.box is None or self.full is not None):
            path, picture = self.image, load_image(self.image)
        else:
            path, picture = self._uncropped_path(), self._boxed(self.uncropped())
        self._check_fit(path, picture)
        return picture

    def uncropped(self) -> npt.NDArray[np.uint8]:
        """Return the picture with all that is around the board, (H, W, 3) uint8 RGB. Raises InvalidInput."""
        return load_image(self._uncropped_path())

    def example(self) -> Example:
        """Return the cropped picture with its grid. Raises InvalidInput, and NoBoardFound without a grid."""
        picture = self.cropped()
        try:
            grid = fit_grid(picture, self.board.columns, self.board.rows)
        except NoBoardFound as error:
            raise NoBoardFound(f"{self.text}: {error}") from error
        return Example(picture, grid, self.classes.ravel(), np.arange(self.board.cells.size)[::-1])

    def _uncropped_path(self) -> Path:
        path = self.full if self.full is not None else self.image
        if path is None or not self.has_uncropped:
            raise InvalidInput(
                f"{self.text} has no uncropped picture beside it: it would be {self.text.stem}.full.png"
            )
        return path

    def _boxed(self, picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        if self.box is None:
            raise InvalidInput(
                f"{self.text} has no picture cropped to the board beside it, and no box of the board: add "
                f"{self.text.stem}.png, or {self.text.stem}.json with the box"
            )
        x0, y0, x1, y1 = self.box
        height, width = picture.shape[:2]
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            raise InvalidInput(
                f"{self.text.with_suffix('.json')}: the box does not lie in the picture of "
                f"{width}x{height} px"
            )
        return np.ascontiguousarray(picture[int(y0) : math.ceil(y1), int(x0) : math.ceil(x1)])

    def _check_fit(self, path: Path, picture: npt.NDArray[np.uint8]) -> None:
        height, width = picture.shape[:2]
        across, down = width / self.board.columns, height / self.board.rows
        if min(across, down) < MIN_PITCH or max(across, down) > _LARGEST_RATIO * min(across, down):
            raise InvalidInput(
                f"{self.text} has {self.board.columns}x{self.board.rows} tiles, which do not fit {path.name} "
                f"of {width}x{height} px ({across:.1f}x{down:.1f} px a tile): is it the text of another "
                "shot, or is the picture not cropped to the board?"
            )


def find_shots(*folders: str | Path) -> tuple[Shot, ...]:
    """Find all labelled shots below the folders, by theme and name.

    A shot's theme is the folder that it lies in, as a path below the one searched. Shots in the searched
    folder itself take its name, or the `theme` of their JSON where these name several. Texts without a
    picture and pictures without a text are left out. Raises InvalidInput, naming the file, for a folder that
    is none or holds no shots, a text that is no board, and a JSON that is damaged or contradicts the text.
    """
    shots: dict[Path, Shot] = {}
    for folder in map(Path, folders):
        found = {text: _pictures(text) for text in _texts(folder)}
        labelled = {text: pictures for text, pictures in found.items() if any(pictures)}
        if not labelled:
            raise InvalidInput(
                f"no labelled shots in {folder}: a shot is NAME.png, cropped to the board, beside NAME.txt "
                "with its board as text"
            )
        records = {text: _record(text.with_suffix(".json")) for text in labelled}
        themes = _themes(folder, records)
        for text, pictures in labelled.items():
            shots.setdefault(text.resolve(), _shot(folder, text, themes[text], records[text], pictures))
    return tuple(sorted(shots.values(), key=lambda shot: (shot.theme, shot.name)))


def _texts(folder: Path) -> list[Path]:
    if not is_folder(folder):
        problem = "is not a folder" if is_there(folder) else "no such folder"
        raise InvalidInput(f"{folder}: {problem}; name a folder of labelled shots")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise InvalidInput(f"{folder}: no permission to read it")
    try:
        texts = sorted(path for path in folder.rglob("*.txt") if path.is_file())
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be searched: {error.strerror or error}") from error
    # `learn --sheet` leaves groups.txt beside groups.png, which is no shot.
    return [text for text in texts if text.name != "groups.txt"]


def _pictures(text: Path) -> tuple[Path | None, Path | None]:
    """Return the picture and the uncropped picture of a text; of several, the first by PICTURE_SUFFIXES."""

    def first(stem: str) -> Path | None:
        paths = (text.with_name(stem + suffix) for suffix in PICTURE_SUFFIXES)
        return next((path for path in paths if path.is_file()), None)

    return first(text.stem), first(f"{text.stem}.full")


def _themes(folder: Path, records: Mapping[Path, Mapping[str, Any]]) -> dict[Path, str]:
    own = folder.resolve().name or str(folder)
    named = {
        str(record["theme"]) for text, record in records.items() if text.parent == folder and _named(record)
    }
    themes = {}
    for text, record in records.items():
        below = text.relative_to(folder).parent.as_posix()
        themes[text] = (
            below if below != "." else str(record["theme"]) if len(named) > 1 and _named(record) else own
        )
    return themes


def _named(record: Mapping[str, Any]) -> bool:
    return bool(record.get("theme"))


def _shot(
    folder: Path,
    text: Path,
    theme: str,
    record: Mapping[str, Any],
    pictures: tuple[Path | None, Path | None],
) -> Shot:
    board = _board(text)
    for key, count in (("width", board.columns), ("height", board.rows)):
        if record.get(key, count) != count:
            raise InvalidInput(
                f"{text} has {board.columns}x{board.rows} tiles, but {text.stem}.json says {key} "
                f"{record[key]!r}"
            )
    return Shot(
        name=text.relative_to(folder).with_suffix("").as_posix(),
        theme=theme,
        board=board,
        questions=_questions(text, board, record.get("question_marks", [])),
        text=text,
        image=pictures[0],
        full=pictures[1],
        box=_box(text, record.get("box")),
    )


def _board(text: Path) -> Board:
    try:
        data = read_at_most(text, MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{text} cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_TEXT_BYTES:
        raise InvalidInput(f"{text} is too large for a board")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return Board.from_text(data.decode("utf-16" if wide else "utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{text} is not a text file") from error
    except InvalidInput as error:
        raise InvalidInput(f"{text}: {error}") from error


def _record(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not JSON that can be read: {error}") from error
    if not isinstance(record, dict):
        raise InvalidInput(f"{path} does not hold a JSON object")
    return record


def _questions(text: Path, board: Board, listed: Any) -> tuple[tuple[int, int], ...]:
    try:
        tiles = tuple(sorted((int(row), int(column)) for row, column in listed or ()))
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{text.stem}.json beside {text}: question_marks are [row, column] pairs"
        ) from error
    for row, column in tiles:
        inside = 0 <= row < board.rows and 0 <= column < board.columns
        if not inside or board[row, column] != COVERED:
            raise InvalidInput(
                f"{text.with_suffix('.json')}: the question mark at row {row}, column {column} is not on a "
                "covered tile of the board"
            )
    return tiles


def _box(text: Path, value: Any) -> Box | None:
    if value is None:
        return None
    try:
        x0, y0, x1, y1 = (float(edge) for edge in value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{text.with_suffix('.json')}: a box is [x0, y0, x1, y1] in pixels") from error
    return x0, y0, x1, y1


@dataclass(frozen=True)
class Division:
    """Labelled shots by what a training run does with them; themes to calibrate on are in no other part."""

    embedding: tuple[Shot, ...]
    context: tuple[Shot, ...]
    calibration: tuple[Shot, ...]


_PART: Final = 0.12  # of the shots: for context, and for calibration
_LEAST_PART: Final = 5  # shots
_LEAST_THEMES: Final = 3
_ENOUGH_THEMES: Final = 6  # from here on real themes may be spared for context and calibration


def divide(shots: Sequence[Shot], *, drawn: bool, seed: int) -> Division:
    """Share out shots by theme; the same seed gives the same shares.

    With `drawn` boards besides, a few themes all serve the embedding, and context and calibration are left to
    the drawn boards. Without, context is learned from the embedding's too, and InvalidInput is raised when
    there are too few to keep some apart.
    """
    themes = sorted({shot.theme for shot in shots})
    order = [themes[i] for i in np.random.default_rng(seed).permutation(len(themes))]
    least = max(_LEAST_PART, round(_PART * len(shots)))
    parts: tuple[list[Shot], list[Shot]] = ([], [])
    for part in parts:
        while order and len(part) < least:
            theme = order.pop()
            part += [shot for shot in shots if shot.theme == theme]
    rest = tuple(shot for shot in shots if shot.theme in order)
    if drawn and (not rest or len(themes) < _ENOUGH_THEMES):
        return Division(tuple(shots), (), ())
    if not rest:
        raise InvalidInput(
            f"{len(shots)} labelled shots of {len(themes)} themes are too few to train on alone: at least "
            f"{_LEAST_THEMES} themes of {_LEAST_PART} shots each are needed, or drawn boards besides "
            "(--boards)"
        )
    calibration, context = parts
    return Division(rest, tuple(context) if drawn else (*rest, *context), tuple(calibration))
