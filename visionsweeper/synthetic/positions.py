"""Minesweeper positions as they come up in play, as arrays of tile classes.

Tile classes: 0 to 8 opened with that number, then the constants below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG

Labels = npt.NDArray[np.uint8]

_STANDARD: Final = (
    (9, 9, 10),
    (8, 8, 10),
    (16, 16, 40),
    (16, 30, 99),
    (10, 10, 10),
    (14, 18, 40),
    (20, 24, 99),
)
"""(rows, columns, mines) of widely played games."""


def with_mines_kept_covered(labels: Labels) -> Labels:
    """Return the tile classes of a game that shows the exploded mine alone; others are covered still."""
    hidden = np.where(labels == MINE, COVERED, labels).astype(np.uint8)
    hidden.setflags(write=False)
    return hidden


def is_lost(labels: Labels) -> bool:
    """Tell whether the tile classes show a loss: an exploded mine, or a wrong flag."""
    return bool(np.isin(labels, (EXPLODED, WRONG_FLAG)).any())


def with_rare_endings(rng: np.random.Generator, labels: Labels) -> Labels:
    """Return the tile classes of a lost game with what is rare after a loss; others are returned as they are.

    A few wrong flags beside numbers, question marks, and several exploded mines around one number, as
    where a click on it opened its neighbours; each of them in a part of the games.
    """
    if not is_lost(labels):
        return labels
    changed = labels.copy()
    numbers = (labels >= 1) & (labels <= 8)
    if rng.random() < 0.4:
        beside = (labels == COVERED) & (count_around(numbers) > 0)
        changed[_some(rng, beside, int(rng.integers(1, 4)))] = WRONG_FLAG
    if rng.random() < 0.25:
        _put_questions(rng, changed)
    if rng.random() < 0.08:
        clicked = _some(rng, numbers & (count_around(labels == EXPLODED) > 0), 1)
        changed[(labels == MINE) & (count_around(clicked) > 0)] = EXPLODED
    changed.setflags(write=False)
    return changed


def with_more_flags(rng: np.random.Generator, game: GameSnapshot) -> Labels:
    """Return the tile classes of a game whose player sees further than one number at a time.

    A random share of the mines beside opened numbers is flagged, whether or not one number alone proves them.
    A won game is returned as it is.
    """
    if (game.labels[~game.mines] <= 8).all():
        return game.labels
    numbers = (game.labels >= 1) & (game.labels <= 8)
    open_to = game.mines & np.isin(game.labels, (COVERED, MINE)) & (count_around(numbers) > 0)
    changed = game.labels.copy()
    changed[open_to & (rng.random(changed.shape) < rng.uniform(0.2, 1.0))] = FLAG
    changed.setflags(write=False)
    return changed


def _some(rng: np.random.Generator, places: npt.NDArray[np.bool_], count: int) -> npt.NDArray[np.bool_]:
    """At most so many of the places, at random."""
    chosen = np.zeros(places.size, np.bool_)
    chosen[rng.permutation(np.flatnonzero(places))[:count]] = True
    return chosen.reshape(places.shape)


@dataclass(frozen=True)
class GameSnapshot:
    """A game at one moment: what the player sees, and the truth beneath it."""

    labels: Labels
    """(rows, columns) uint8 tile classes, read-only."""
    mines: npt.NDArray[np.bool_]
    """(rows, columns) bool, True where a mine lies, read-only."""


def random_position(
    rng: np.random.Generator, *, rare: float = 0.2, size: tuple[int, int] | None = None
) -> Labels:
    """Play a game up to a random moment; returns (rows, columns) uint8 tile classes.

    `rare` (0..1) is the share of dense boards, which show more of the digits 5 to 8;
    `size` fixes (rows, columns), which are drawn from 5x5 to 30x24 otherwise.
    """
    return random_game(rng, rare=rare, size=size).labels


def untouched_position(rng: np.random.Generator) -> Labels:
    """Return (rows, columns) uint8 tile classes of a game in which nothing was opened or marked yet."""
    rows, columns, _ = _random_size(rng, 0.0, None)
    return np.full((rows, columns), COVERED, np.uint8)


def marked_position(rng: np.random.Generator) -> Labels:
    """Return (rows, columns) uint8 tile classes of a game in which tiles were marked, but none opened yet.

    A few flags, side by side or anywhere, or many, seldom one alone; at times question marks, too.
    """
    labels = untouched_position(rng)
    places = np.argwhere(labels == COVERED)
    most = len(places) // 4
    kind = rng.random()
    count = 1 if kind < 0.15 else 1 + int(rng.geometric(0.35)) if kind < 0.85 else int(rng.integers(1, most))
    _, far = _distances(rng, places, together=0.3)
    labels[tuple(places[np.argsort(far)[: min(count, most)]].T)] = FLAG
    if rng.random() < 0.15:
        _put_questions(rng, labels)
    labels.setflags(write=False)
    return labels


def random_game(
    rng: np.random.Generator, *, rare: float = 0.2, size: tuple[int, int] | None = None
) -> GameSnapshot:
    """Play a game as `random_position` does; the mines are told as well."""
    rows, columns, count = _random_size(rng, rare, size)
    mines, start = _lay_mines(rng, rows, columns, count)
    numbers = count_around(mines).astype(np.uint8)
    opened = _play(rng, mines, numbers, start)
    labels = np.where(opened, numbers, COVERED).astype(np.uint8)
    ending = rng.random()
    if ending < 0.28:
        _put_flags(rng, labels, mines, numbers)
        _lose(rng, labels, mines)
        _show_all(rng, labels, mines, numbers)
    elif ending < 0.36:
        _win(rng, labels, mines, numbers)
    else:
        _put_flags(rng, labels, mines, numbers)
        if rng.random() < 0.42:
            _put_questions(rng, labels)
    labels.setflags(write=False)
    mines.setflags(write=False)
    return GameSnapshot(labels, mines)


def late_game(rng: np.random.Generator) -> GameSnapshot:
    """Play a game to near its end: of the safe tiles one to six are covered still, mostly side by side.

    Most players have flagged all mines but those beside these tiles by then, some a part of them or none.
    """
    rows, columns, count = _random_size(rng, 0.1, None)
    mines, _ = _lay_mines(rng, rows, columns, count)
    numbers = count_around(mines).astype(np.uint8)
    shut = _last_safe(rng, mines, numbers)
    labels = np.where(mines | shut, COVERED, numbers).astype(np.uint8)
    style = rng.random()
    share = 0.0 if style < 0.12 else 1.0 if style < 0.75 else float(rng.uniform(0.3, 1.0))
    flagged = np.where(count_around(shut) > 0, share * rng.choice([0.0, 0.5, 1.0]), share)
    labels[mines & (rng.random(mines.shape) < flagged)] = FLAG
    if share and rng.random() < 0.15:
        labels[_some(rng, shut, 1)] = FLAG
    ending = rng.random()
    if ending < 0.3:
        _lose(rng, labels, mines)
    elif ending > 0.85:
        _put_questions(rng, labels)
    labels.setflags(write=False)
    mines.setflags(write=False)
    return GameSnapshot(labels, mines)


def _last_safe(
    rng: np.random.Generator, mines: npt.NDArray[np.bool_], numbers: npt.NDArray[np.uint8]
) -> npt.NDArray[np.bool_]:
    """(rows, columns) a few safe tiles beside no opened 0, in most games near to each other."""
    can = ~mines & (numbers > 0) & (count_around(~mines & (numbers == 0)) == 0)
    places = np.argwhere(can)
    shut = np.zeros(mines.shape, np.bool_)
    if not len(places):
        return shut
    wanted = min(int(rng.geometric(0.4)), 6)
    first, far = _distances(rng, places, together=0.8)
    far[first] = 0.0
    shut[tuple(places[np.argsort(far)[:wanted]].T)] = True
    return shut


def _distances(
    rng: np.random.Generator, places: npt.NDArray[np.intp], *, together: float
) -> tuple[int, npt.NDArray[np.float64]]:
    """Choose one of (n, 2) places; return its index, and how far each is from it, (n,).

    With the probability `together` this tells which are near, else the distances are random.
    """
    first = int(rng.integers(len(places)))
    apart = 1.0 if rng.random() < together else 100.0
    return first, np.abs(places - places[first]).max(axis=1) + apart * rng.random(len(places))


def count_around(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count the True ones of up to eight neighbours in a (rows, columns) mask: (rows, columns) int64."""
    rows, columns = mask.shape
    padded = np.pad(mask.astype(np.int64), 1)
    total = -mask.astype(np.int64)
    for dr in range(3):
        for dc in range(3):
            total += padded[dr : dr + rows, dc : dc + columns]
    return total


def _random_size(rng: np.random.Generator, rare: float, size: tuple[int, int] | None) -> tuple[int, int, int]:
    if size is None and rng.random() < 0.45:
        rows, columns, count = _STANDARD[int(rng.integers(len(_STANDARD)))]
    else:
        rows, columns = size or (int(rng.integers(5, 25)), int(rng.integers(5, 31)))
        count = round(rows * columns * rng.uniform(0.1, 0.23))
    if rng.random() < rare:
        count = round(rows * columns * rng.uniform(0.25, 0.75))
    return rows, columns, min(max(count, 1), rows * columns - 1)


def _lay_mines(
    rng: np.random.Generator, rows: int, columns: int, count: int
) -> tuple[npt.NDArray[np.bool_], tuple[int, int]]:
    start = (int(rng.integers(rows)), int(rng.integers(columns)))
    order = rng.permutation(rows * columns)
    r, c = np.divmod(order, columns)
    near = np.maximum(abs(r - start[0]), abs(c - start[1]))
    # The first click is always safe; most games keep its neighbours free too while there is room.
    kept_free = near <= (1 if rng.random() < 0.8 and count <= rows * columns - 9 else 0)
    chosen = order[~kept_free][:count]
    mines = np.zeros(rows * columns, dtype=np.bool_)
    mines[chosen] = True
    return mines.reshape(rows, columns), start


def _play(
    rng: np.random.Generator,
    mines: npt.NDArray[np.bool_],
    numbers: npt.NDArray[np.uint8],
    start: tuple[int, int],
) -> npt.NDArray[np.bool_]:
    """Open tiles, flooding from zeros, until a random share is open; (rows, columns) bool."""
    opened = np.zeros(mines.shape, dtype=np.bool_)
    _open(opened, numbers, start)
    if rng.random() < 0.07:
        wanted, moves = 0.0, int(rng.integers(0, 3))
    else:
        wanted, moves = float(rng.uniform(0.1, 1.0)), mines.size
    safe_total = int((~mines).sum())
    roaming = float(rng.choice([0.02, 0.1, 0.5]))
    while moves > 0 and opened.sum() < wanted * safe_total:
        moves -= 1
        rest = ~opened & ~mines
        frontier = rest & (count_around(opened) > 0)
        pool = frontier if frontier.any() and rng.random() > roaming else rest
        places = np.argwhere(pool)
        if len(places) == 0:
            break
        # Several tiles a turn keep large boards quick to play.
        for index in rng.permutation(len(places))[: max(1, len(places) // 8)]:
            _open(opened, numbers, (int(places[index][0]), int(places[index][1])))
    return opened


def _open(opened: npt.NDArray[np.bool_], numbers: npt.NDArray[np.uint8], tile: tuple[int, int]) -> None:
    rows, columns = opened.shape
    stack = [tile]
    while stack:
        row, column = stack.pop()
        if opened[row, column]:
            continue
        opened[row, column] = True
        if numbers[row, column] == 0:
            stack.extend(
                (r, c)
                for r in range(max(row - 1, 0), min(row + 2, rows))
                for c in range(max(column - 1, 0), min(column + 2, columns))
                if not opened[r, c]
            )


def _put_flags(
    rng: np.random.Generator, labels: Labels, mines: npt.NDArray[np.bool_], numbers: npt.NDArray[np.uint8]
) -> None:
    """Flag a random share of the mines that single numbers prove, seldom others, and a few tiles wrongly."""
    covered = labels == COVERED
    if not covered.any():
        return
    complete = ~covered & (numbers > 0) & (count_around(covered) == numbers)
    proven = covered & (count_around(complete) > 0)
    style = rng.random()
    share = 0.0 if style < 0.15 else 1.0 if style < 0.5 else float(rng.uniform(0.1, 0.95))
    flags = proven & (rng.random(labels.shape) < share)
    if share and rng.random() < 0.08:
        flags |= covered & mines & (rng.random(labels.shape) < rng.uniform(0.05, 0.6))
    if share and rng.random() < 0.5:
        # A zero proves its neighbours safe, so nobody flags one of those.
        plausible = covered & ~mines & (count_around(labels == 0) == 0)
        flags |= plausible & (rng.random(labels.shape) < rng.uniform(0.01, 0.12))
    labels[flags] = FLAG


def _put_questions(rng: np.random.Generator, labels: Labels) -> None:
    covered = labels == COVERED
    if rng.random() < 0.5:
        places = rng.permutation(np.flatnonzero(covered.ravel()))[: int(rng.integers(1, 5))]
        labels.reshape(-1)[places] = QUESTION
    else:
        labels[covered & (rng.random(labels.shape) < rng.uniform(0.02, 0.2))] = QUESTION


def _show_all(
    rng: np.random.Generator, labels: Labels, mines: npt.NDArray[np.bool_], numbers: npt.NDArray[np.uint8]
) -> None:
    """Open the whole board after a loss, as some games do."""
    if rng.random() < 0.12:
        shut = ~mines & ((labels == COVERED) | (labels == QUESTION))
        labels[shut] = numbers[shut]
        # A zero may now lie beside a wrong flag, so it has to be told as one.
        labels[(labels == FLAG) & ~mines] = WRONG_FLAG


def _lose(rng: np.random.Generator, labels: Labels, mines: npt.NDArray[np.bool_]) -> None:
    """Show what games show after a loss: mines, wrong flags, one exploded mine; details differ by game."""
    flagged = labels == FLAG
    kind = rng.random()
    if kind < 0.7:
        labels[flagged & ~mines] = WRONG_FLAG
    elif kind > 0.88:
        labels[flagged & mines] = MINE
    hidden = np.argwhere(mines & (labels != FLAG) & (labels != MINE))
    labels[mines & (labels == COVERED)] = MINE
    if len(hidden) and rng.random() < 0.85:
        row, column = hidden[int(rng.integers(len(hidden)))]
        labels[row, column] = EXPLODED
        if rng.random() < 0.05:
            shown = np.argwhere(labels == MINE)
            labels[tuple(shown[rng.random(len(shown)) < 0.5].T)] = EXPLODED
    if rng.random() < 0.08:
        _put_questions(rng, labels)


def _win(
    rng: np.random.Generator, labels: Labels, mines: npt.NDArray[np.bool_], numbers: npt.NDArray[np.uint8]
) -> None:
    labels[~mines] = numbers[~mines]
    if rng.random() < 0.7:
        labels[mines] = FLAG
    elif rng.random() < 0.5:
        labels[mines] = MINE
