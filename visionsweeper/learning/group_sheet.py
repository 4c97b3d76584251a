"""The groups of a reading to be put right by a person: merged to about a dozen, drawn, written, read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from visionsweeper.board import SYMBOLS, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.themes.similarity import JITTERS, Exemplars, sketches_of
from visionsweeper.wording import plural, tile_name

if TYPE_CHECKING:
    import numpy.typing as npt

    from visionsweeper.vision.reading import Reading

_JOINED_WITHIN: Final = 0.6  # in units of chance: groups of one guess up to here are shown as one
_LOOSELY_JOINED_WITHIN: Final = 1.0  # the same where there are still too many
_MOST_CARDS: Final = 20
_MAP: Final = "# Which group each tile belongs to (leave this as it is):"
_CELL: Final = 64
_PAPER: Final = (245, 245, 245)


@dataclass(frozen=True, eq=False)
class Card:
    """A group of look-alikes with its guess."""

    number: int
    """From 1."""
    tiles: npt.NDArray[np.intp]
    """(k,) row-major indices of its tiles; the first stands for all."""
    guess: int
    """Tile code."""
    confidence: float
    """Of its least sure tile, 0 to 1."""
    picture: npt.NDArray[np.uint8]
    """(32, 32, 3) uint8 RGB of its first tile."""


def cards_of(reading: Reading) -> tuple[Card, ...]:
    """Return the groups of a reading, look-alikes under one guess as one, the most doubtful first."""
    tiles = cut_tiles(reading.image, reading.grid)
    groups, guesses = reading.groups.ravel(), reading.board.cells.ravel()
    confidence = reading.confidence.ravel()
    _, first, owner = np.unique(groups * len(SYMBOLS) + guesses, return_index=True, return_inverse=True)
    owner = owner.reshape(-1)
    exemplars = Exemplars.of(tiles[first])
    moved = [exemplars.distances(sketches_of(tiles[first], down, right)) for down, right in JITTERS]
    distances = np.min(moved, axis=0)
    distances = np.minimum(distances, distances.T)
    distances[guesses[first][:, None] != guesses[first][None, :]] = np.inf
    joined = _joined(distances, _JOINED_WITHIN)
    if joined.max() + 1 > _MOST_CARDS:
        joined = _joined(distances, _LOOSELY_JOINED_WITHIN)
    kinds = joined[owner]
    members = [np.flatnonzero(kinds == kind) for kind in range(int(kinds.max()) + 1)]
    members.sort(key=lambda its: (float(confidence[its].min()), -len(its)))
    return tuple(
        Card(number, its, int(guesses[its[0]]), float(confidence[its].min()), tiles[its[0]])
        for number, its in enumerate(members, start=1)
    )


def _joined(distances: npt.NDArray[np.floating], most: float) -> npt.NDArray[np.intp]:
    """(n,) numbers from 0: what is linked by distances below `most` has one."""
    numbers = np.arange(len(distances))
    for i, row in enumerate(distances):
        for j in np.flatnonzero(row < most).tolist():
            numbers[numbers == numbers[j]] = numbers[i]
    joined: npt.NDArray[np.intp] = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    return joined


def board_of(cards: Sequence[Card], labels: Mapping[int, int], rows: int, columns: int) -> Board:
    """Return the board with every group labelled as said, by number, or else as guessed."""
    cells = np.zeros(rows * columns, dtype=np.uint8)
    for card in cards:
        cells[card.tiles] = labels.get(card.number, card.guess)
    return Board(cells.reshape(rows, columns))


def sheet_picture(cards: Sequence[Card]) -> npt.NDArray[np.uint8]:
    """Draw all groups with number and guess, (H, W, 3) uint8 RGB."""
    from PIL import Image  # only for the picture

    from visionsweeper.drawing.sheet import below, beside, framed, in_rows, written

    drawn = []
    for card in cards:
        tile = Image.fromarray(card.picture).resize((_CELL, _CELL), Image.Resampling.BICUBIC)
        lines = [
            written(f"{card.number} = {SYMBOLS[card.guess]}", 22, paper=_PAPER),
            written(plural(len(card.tiles), "tile"), 12, (70, 70, 70), paper=_PAPER),
        ]
        if card.confidence < _SURE_FROM:
            lines.append(written("not sure", 12, (200, 30, 30), paper=_PAPER))
        told = below(*lines, gap=1, paper=_PAPER)
        drawn.append(beside(framed(np.asarray(tile), 1, (120, 120, 120)), told, gap=8, paper=_PAPER))
    return framed(in_rows(drawn, min(6, len(cards)), gap=16, paper=_PAPER), 16, _PAPER)


_SURE_FROM: Final = 0.98


def groups_text(name: str, cards: Sequence[Card], rows: int, columns: int) -> str:
    """Write the file to put right: one line a group, then the map of the groups."""
    lines = [
        f"# {name}: {len(cards)} groups of look-alike tiles; groups.png shows them.",
        "# Correct what follows the = signs; the most doubtful groups come first:",
        "#   0 to 8 opened, ? covered, F flag, * mine, x no mine (wrong flag)",
        "",
    ]
    for card in cards:
        row, column = divmod(int(card.tiles[0]), columns)
        doubt = ", not sure" if card.confidence < _SURE_FROM else ""
        count = plural(len(card.tiles), "tile")
        lines.append(
            f"{card.number:3d} = {SYMBOLS[card.guess]}   # {count}{doubt}, as at {tile_name(row, column)}"
        )
    number = np.zeros(rows * columns, dtype=np.int64)
    for card in cards:
        number[card.tiles] = card.number
    lines += ["", _MAP]
    digits = len(str(len(cards)))
    lines += ["map " + " ".join(f"{n:{digits}d}" for n in row) for row in number.reshape(rows, columns)]
    return "\n".join(lines) + "\n"


def board_from_groups(text: str) -> Board:
    """Return the board that a corrected groups file stands for. Raises InvalidInput, quoting the line."""
    labels: dict[int, int] = {}
    rows: list[list[int]] = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        words = line.split("#", maxsplit=1)[0].strip()
        if not words:
            continue
        if words.startswith("map"):
            rows.append(_numbers(number, words))
            continue
        group, equals, symbol = (part.strip() for part in words.partition("="))
        code = SYMBOLS.find(symbol) if len(symbol) == 1 else -1
        if not equals or not group.isdecimal() or code < 0:
            raise InvalidInput(
                f"line {number} of the groups is {words[:40]!r}: expected a number, = and one of "
                "0 to 8 ? F * x, as in `3 = F`"
            )
        if int(group) in labels:
            raise InvalidInput(f"line {number} of the groups names group {int(group)} a second time")
        labels[int(group)] = code
    if not rows or len({len(row) for row in rows}) != 1:
        raise InvalidInput(
            "the groups file has lost its map of the groups, or a part of it: write it again with --sheet"
        )
    grid = np.array(rows)
    missing = sorted(set(np.unique(grid).tolist()) - set(labels))
    if missing:
        raise InvalidInput(
            f"group {missing[0]} has no line of its own in the groups file: add `{missing[0]} = …`"
        )
    codes = np.vectorize(labels.__getitem__, otypes=[np.uint8])(grid)
    return Board(codes)


def _numbers(number: int, words: str) -> list[int]:
    try:
        row = [int(word) for word in words.split()[1:]]
    except ValueError:
        row = []
    if not row or min(row) < 0 or max(row) > 10**9:
        raise InvalidInput(f"line {number} of the groups is not a row of the map: {words[:40]!r}")
    return row
