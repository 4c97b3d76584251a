"""Teaching: one labelled shot, or the groups of one put right, become a theme of the user's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from visionsweeper.board import SYMBOLS, Board
from visionsweeper.errors import InvalidInput, NoBoardFound
from visionsweeper.io.files import is_file, is_there
from visionsweeper.options import ReadOptions
from visionsweeper.pipeline import analyse, read_with
from visionsweeper.vision.reading import read
from visionsweeper.vision.themes.label_check import contradictions, theme_of_shot
from visionsweeper.vision.themes.store import chosen_model, keep_theme, theme_path, user_themes
from visionsweeper.vision.themes.theme import LearnedTheme, TaughtShot, extended, load_theme
from visionsweeper.wording import plural, tile_name, tile_names

if TYPE_CHECKING:
    import numpy.typing as npt

    from visionsweeper.vision.reading import Reading
    from visionsweeper.vision.tiles.knn import Model

_NO_NAME: Final = re.compile(r"[^\w .+-]+")


@dataclass(frozen=True, eq=False)
class LabelledShot:
    """A screenshot, where its board lies, and what it shows."""

    name: str
    """File name, for the record and for messages."""
    image: npt.NDArray[np.uint8]
    """(H, W, 3) uint8 RGB: the whole picture."""
    reading: Reading
    """How it was read before; its picture and grid are learned from."""
    truth: Board

    def corrected(self, truth: Board) -> LabelledShot:
        """Return the same shot with another truth of the same size."""
        return replace(self, truth=truth)


@dataclass(frozen=True, eq=False)
class Lesson:
    """What came of learning."""

    theme: LearnedTheme
    path: Path
    """Where it is stored."""
    extends: bool
    """Whether there was a theme of that name before."""
    before: tuple[int, ...]
    """Tiles read wrong before, by shot."""
    after: tuple[tuple[tuple[int, int], ...], ...]
    """(row, column) of the tiles still read wrong, by shot."""
    alone: tuple[str | None, ...]
    """By shot: why the picture by itself, without width or box, gives another board; None: it does not."""
    warnings: tuple[str, ...]


def labelled_shot(
    name: str,
    image: npt.NDArray[np.uint8],
    truth: Board | None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
) -> LabelledShot:
    """Find and read the board of a shot, of the size that the truth has; None: as it is read.

    Raises InvalidInput when width or height contradict the truth, and as `read_board` does.
    """
    if truth is None:
        reading = read_with(image, options)
        return LabelledShot(name, image, reading, reading.board)
    size = f"{truth.columns}x{truth.rows} tiles"
    given = (("--width", options.width, truth.columns), ("--height", options.height, truth.rows))
    for option, said, there in given:
        if said not in (None, there):
            raise InvalidInput(f"{option} {said} contradicts the board text of {name}, which has {size}")
    try:
        reading = read_with(image, replace(options, width=truth.columns, height=truth.rows))
    except NoBoardFound as error:
        found = read_with(image, options).board
        raise InvalidInput(
            f"the board of {name} was found to be {found.columns}x{found.rows} tiles, but its board text has "
            f"{size}: is it the text of another screenshot? If not, crop the picture to the board"
        ) from error
    return LabelledShot(name, image, reading, truth)


def check_truth(shot: LabelledShot) -> list[str]:
    """Return warnings of tile classes that are drawn alike; raises InvalidInput for a contradictory truth.

    That is where its numbers cannot hold together, or where tiles drawn alike are labelled otherwise.
    """
    slips, alike = contradictions(shot.reading.image, shot.reading.grid, shot.truth)
    if slips:
        first = [
            f"{tile_name(*slip.tile)} is {SYMBOLS[slip.label]} there, but looks exactly like "
            f"{tile_name(*slip.example)}, which is {SYMBOLS[slip.other]}"
            for slip in slips[:4]
        ]
        more = f"; and {len(slips) - 4} more" if len(slips) > 4 else ""
        raise InvalidInput(
            f"the board text of {shot.name} may be wrong: {'; '.join(first)}{more}. Nothing was learned"
        )
    conflict = analyse(shot.truth).conflict
    if conflict:
        raise InvalidInput(
            f"the board text of {shot.name} is wrong: some of its numbers contradict each other, see "
            f"{tile_names(conflict)}. Nothing was learned"
        )
    return [
        f"{SYMBOLS[one]} and {SYMBOLS[two]} are drawn alike in {shot.name}: the theme cannot tell them apart"
        for one, two in alike
    ]


def learn(
    shots: Sequence[LabelledShot], name: str | None = None, model: Model | str | Path | None = None
) -> Lesson:
    """Make a theme of labelled shots of one theme, or add them to the one of that name, and store it.

    Without a name, shots in a theme learned before are added to that one; else the name is
    made from the first shot's. Raises InvalidInput, BadModel and WriteFailed; nothing is stored then.
    """
    warnings = [warning for shot in shots for warning in check_truth(shot)]
    loaded = chosen_model(model)
    chosen = name if name is not None else _name(shots[0])
    path = theme_path(chosen)
    before = load_theme(path) if is_file(path) else None
    theme = before
    for shot in shots:
        addition = theme_of_shot(
            shot.reading.image, shot.reading.grid, shot.truth, loaded, chosen, _source(shot)
        )
        theme = extended(theme, chosen, addition)
    if theme is None:
        raise InvalidInput("there is no screenshot to learn from")
    others = tuple(other for other in user_themes() if other.name != chosen)
    old, new = (others if before is None else (before, *others)), (theme, *others)
    _check_harm(theme.shots, loaded, old, new)
    keep_theme(theme)
    wrong = [_wrong(shot, new, loaded) for shot in shots]
    mistakes = tuple(int((s.reading.board.cells != s.truth.cells).sum()) for s in shots)
    alone = tuple(_read_alone(shot, new, model) for shot in shots)
    return Lesson(theme, path, before is not None, mistakes, tuple(wrong), alone, tuple(warnings))


def _check_harm(
    shots: Sequence[TaughtShot], model: Model, old: Sequence[LearnedTheme], new: Sequence[LearnedTheme]
) -> None:
    """Raise InvalidInput where a labelled shot is read worse with the new themes than with the old, or none.

    That is: more of its tiles are wrong, or one is that was right and sure.
    """
    for shot in shots:
        image, grid, truth = shot.board()
        after = read(image, grid, model, new).board.cells != truth.cells
        for themes in dict.fromkeys((tuple(old), ())):  # the two are one where nothing was taught before
            reading = read(image, grid, model, themes)
            before = reading.board.cells != truth.cells
            spoilt = after & ~before & ~reading.uncertain
            if spoilt.any() or after.sum() > before.sum():
                places = np.argwhere(spoilt if spoilt.any() else after & ~before)
                tiles = [(int(row), int(column)) for row, column in places]
                raise InvalidInput(
                    f"after that, {shot.name} would be read worse: {tile_names(tiles)} would be wrong. "
                    "Nothing was learned. Check the boards of both screenshots; give another "
                    "theme another --name"
                )


def _read_alone(
    shot: LabelledShot, themes: Sequence[LearnedTheme], model: Model | str | Path | None
) -> str | None:
    """Why the picture by itself gives another board than the truth; None: it gives that."""
    try:
        board = read_with(shot.image, ReadOptions(model=model, themes=tuple(themes))).board
    except NoBoardFound as error:
        return str(error)
    if board.cells.shape != shot.truth.cells.shape:
        return f"a board of {board.columns}x{board.rows} is found"
    wrong = int((board.cells != shot.truth.cells).sum())
    return f"{plural(wrong, 'tile')} {'is' if wrong == 1 else 'are'} wrong" if wrong else None


def report_of(lesson: Lesson, shots: Sequence[LabelledShot]) -> list[str]:
    """Return what a person should know of a lesson, one sentence each."""
    verb = "extended" if lesson.extends else "learned"
    count = len(lesson.theme.tiles)
    lines = [f"{lesson.theme.name}: {verb}, {count} exemplars of {len(lesson.theme.kinds)} tile classes"]
    for shot, before, after, alone in zip(shots, lesson.before, lesson.after, lesson.alone, strict=True):
        if not after and alone is not None:
            lines.append(
                f"{shot.name}: now read without an error where its board is given ({before} wrong before); "
                f"by itself: {alone}"
            )
        elif not after:
            lines.append(f"{shot.name}: now read without an error ({before} wrong before)")
        else:
            lines.append(
                f"{shot.name}: still {len(after)} wrong of {shot.truth.cells.size} ({before} before): "
                f"{tile_names(after)}"
            )
    return lines


def _name(shot: LabelledShot) -> str:
    """Return the theme that the shot was read with, or a new name after the file."""
    if shot.reading.theme is not None:
        return shot.reading.theme
    stem = _NO_NAME.sub("-", Path(shot.name).stem).strip(" .+-")[:56] or "theme"
    name, number = stem, 1
    while is_there(theme_path(name)):
        number += 1
        name = f"{stem}-{number}"
    return name


def _source(shot: LabelledShot) -> dict[str, Any]:
    from visionsweeper import __version__  # the package's names load this module

    return {
        "file": shot.name,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "width": shot.truth.columns,
        "height": shot.truth.rows,
        "tile_px": round(shot.reading.grid.pitch_x, 2),
        "program_version": __version__,
    }


def _wrong(shot: LabelledShot, themes: Sequence[LearnedTheme], model: Model) -> tuple[tuple[int, int], ...]:
    again = read(shot.reading.image, shot.reading.grid, model, themes)
    places = np.argwhere(again.board.cells != shot.truth.cells)
    return tuple((int(row), int(column)) for row, column in places)
