"""Measures readings of labelled shots: what was right, what was wrong, and whether it was known to be."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, SYMBOLS, Board
from visionsweeper.errors import ImpossibleBoard, InvalidInput, TooWide, VisionsweeperError
from visionsweeper.solver import solve
from visionsweeper.training.dataset import Shot
from visionsweeper.vision.reading import Reading

Reader = Callable[[npt.NDArray[np.uint8], int | None, int | None], Reading]
"""(H, W, 3) uint8 RGB, width and height in tiles (None: to be found) -> what was read; as `read_board`."""

UNREAD: Final = len(SYMBOLS)
"""What a tile was read as whose board was not found, or not in its size: a code of its own."""

BINS: Final = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
"""Limits of the confidences that the reliability table puts together; the last includes 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """How one shot was read. Arrays are by tile, row-major, read-only."""

    shot: Shot
    truth: npt.NDArray[np.uint8]
    """(n,) tile codes, see `board`."""
    read: npt.NDArray[np.uint8]
    """(n,) tile codes, UNREAD where the board was not read."""
    confidence: npt.NDArray[np.float64]
    """(n,) 0 to 1; 0 where the board was not read."""
    uncertain: npt.NDArray[np.bool_]
    """(n,) whether the tile was reported as uncertain; a board refused with an error is, as a whole."""
    boxes: npt.NDArray[np.float64]
    """(n, 4) x0, y0, x1, y1 of each tile in the picture that was read, px; NaN where there was no reading."""
    turned: bool
    """Whether the picture was put upright before it was read, as photos are; `boxes` are of that then."""
    seconds: float
    """That the reading took, loading excluded; 0 where the board was not read."""
    problem: str | None
    """Why the board was not read."""

    def __post_init__(self) -> None:
        """Make the arrays read-only; raises InvalidInput when they are not of one length."""
        arrays = (self.truth, self.read, self.confidence, self.uncertain, self.boxes)
        if len({len(array) for array in arrays}) != 1:
            raise InvalidInput("an outcome needs arrays of one length")
        for array in arrays:
            array.setflags(write=False)

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """(n,) whether each tile was read right."""
        same: npt.NDArray[np.bool_] = self.truth == self.read
        return same

    @cached_property
    def odds_right(self) -> bool:
        """Whether all odds and certain tiles are those of the truth: a flag read as covered changes none."""
        if self.problem is not None:
            return False
        shape = self.shot.board.cells.shape
        truth, read = (_without_flags(codes).reshape(shape) for codes in (self.truth, self.read))
        return bool((truth == read).all()) or _same_odds(Board(truth), Board(read))


@dataclass(frozen=True)
class Reliability:
    """Tiles of about the same confidence."""

    low: float
    high: float
    """Limits of the confidence; the upper one excluded, but for 1."""
    tiles: int
    confidence: float
    """Their mean confidence."""
    right: float
    """Share that was right."""


@dataclass(frozen=True)
class Kind:
    """One kind of tile, by what it truly is and by what it was read as."""

    symbol: str
    """In the board notation."""
    tiles: int
    """That truly are of the kind."""
    precision: float
    """Share right of those read as the kind; 1 where there are none."""
    recall: float
    """Share read right of those that are of the kind; 1 where there are none."""


@dataclass(frozen=True)
class WrongTile:
    """A tile that was read wrongly."""

    outcome: Outcome
    row: int
    column: int
    truth: str
    read: str
    """Characters of the board notation."""
    confidence: float
    uncertain: bool
    box: tuple[float, float, float, float]
    """In the picture that was read, px."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """All readings of a set of labelled shots."""

    outcomes: tuple[Outcome, ...]
    uncropped: bool
    """Whether whole windows were read, nothing else given."""

    def __post_init__(self) -> None:
        """Raise InvalidInput when there is nothing to evaluate."""
        if not self.outcomes:
            raise InvalidInput("there are no readings to evaluate")

    @cached_property
    def truth(self) -> npt.NDArray[np.uint8]:
        """(n,) tile codes of all boards."""
        return np.concatenate([outcome.truth for outcome in self.outcomes])

    @cached_property
    def read(self) -> npt.NDArray[np.uint8]:
        """(n,) tile codes, or UNREAD."""
        return np.concatenate([outcome.read for outcome in self.outcomes])

    @cached_property
    def confidence(self) -> npt.NDArray[np.float64]:
        """(n,) 0 to 1."""
        return np.concatenate([outcome.confidence for outcome in self.outcomes])

    @cached_property
    def uncertain(self) -> npt.NDArray[np.bool_]:
        """(n,) reported as uncertain."""
        return np.concatenate([outcome.uncertain for outcome in self.outcomes])

    @cached_property
    def right(self) -> npt.NDArray[np.bool_]:
        """(n,) read right."""
        return np.concatenate([outcome.right for outcome in self.outcomes])

    @property
    def tiles(self) -> int:
        """Tiles in all."""
        return len(self.truth)

    @property
    def wrong(self) -> int:
        """Tiles read wrongly."""
        return int((~self.right).sum())

    @property
    def accuracy(self) -> float:
        """Share of the tiles read right."""
        from sklearn.metrics import accuracy_score  # slow to load

        return float(accuracy_score(self.truth, self.read))

    @property
    def boards(self) -> int:
        """Boards in all."""
        return len(self.outcomes)

    @property
    def perfect(self) -> int:
        """Boards without any error."""
        return sum(bool(outcome.right.all()) for outcome in self.outcomes)

    @property
    def odds_right(self) -> int:
        """Boards whose odds and certain tiles are all those of the truth."""
        return sum(outcome.odds_right for outcome in self.outcomes)

    @property
    def unread(self) -> int:
        """Boards that were not found, or not in their size."""
        return sum(outcome.problem is not None for outcome in self.outcomes)

    @property
    def missed_errors(self) -> int:
        """Wrong tiles that were not flagged as uncertain."""
        return int((~self.right & ~self.uncertain).sum())

    @property
    def false_alarms(self) -> int:
        """Right tiles that were flagged as uncertain."""
        return int((self.right & self.uncertain).sum())

    @property
    def seconds(self) -> float:
        """That a board took to read, the median."""
        return float(np.median([outcome.seconds for outcome in self.outcomes]))

    @property
    def confusion(self) -> npt.NDArray[np.int64]:
        """(13, 14) tiles by tile code: truly a row's, read as a column's; the last column is UNREAD."""
        from sklearn.metrics import confusion_matrix  # slow to load

        table = confusion_matrix(self.truth, self.read, labels=range(len(SYMBOLS) + 1))
        return np.asarray(table[: len(SYMBOLS)], dtype=np.int64)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Precision and recall of each kind of tile, in the order of the tile codes."""
        from sklearn.metrics import precision_recall_fscore_support  # slow to load

        precision, recall, _, support = precision_recall_fscore_support(
            self.truth, self.read, labels=range(len(SYMBOLS)), zero_division=1.0
        )
        return tuple(
            Kind(symbol, int(count), float(p), float(r))
            for symbol, count, p, r in zip(SYMBOLS, support, precision, recall, strict=True)
        )

    @property
    def reliability(self) -> tuple[Reliability, ...]:
        """Whether confidence is calibrated: tiles put together by BINS, the empty ones left out."""
        table = []
        for low, high in pairwise(BINS):
            inside = (self.confidence >= low) & ((self.confidence < high) | (high == BINS[-1]))
            if inside.any():
                mean, right = self.confidence[inside].mean(), self.right[inside].mean()
                table.append(Reliability(low, high, int(inside.sum()), float(mean), float(right)))
        return tuple(table)

    @property
    def brier(self) -> float:
        """Mean squared difference of confidence and truth: 0 is perfect, below is better (Brier, 1950)."""
        from sklearn.metrics import brier_score_loss  # slow to load

        return float(brier_score_loss(self.right, self.confidence, pos_label=True))

    @property
    def mistakes(self) -> Counter[tuple[str, str]]:
        """How often each (truth, reading) was mistaken, boards that were not read excepted."""
        wrong = ~self.right & (self.read != UNREAD)
        pairs = zip(self.truth[wrong].tolist(), self.read[wrong].tolist(), strict=True)
        return Counter((SYMBOLS[a], SYMBOLS[b]) for a, b in pairs)

    def by_theme(self) -> dict[str, Evaluation]:
        """Return the evaluation of each theme alone, by name."""
        themes: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in self.outcomes:
            themes[outcome.shot.theme].append(outcome)
        return {name: Evaluation(tuple(themes[name]), self.uncropped) for name in sorted(themes)}

    def worst(self, count: int) -> tuple[WrongTile, ...]:
        """Return wrong tiles: missed errors first, then one of each mistake of a shot, then the surest."""
        wrong = [tile for outcome in self.outcomes for tile in _wrong_tiles(outcome)]
        wrong.sort(key=lambda tile: (tile.uncertain, -tile.confidence))
        seen: Counter[tuple[str, str, str]] = Counter()
        ranked = []
        for place, tile in enumerate(wrong):
            kind = (tile.outcome.shot.name, tile.truth, tile.read)
            ranked.append((tile.uncertain, seen[kind], place, tile))
            seen[kind] += 1
        return tuple(entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:3])[:count])


def evaluate(
    shots: Sequence[Shot],
    reader: Reader,
    *,
    uncropped: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Evaluation:
    """Read labelled shots and compare with their truth.

    `reader` is `read_board`, or that with a model: `partial(read_board, model=model)`. It gets the picture
    cropped to the board, with width and height; with `uncropped` the whole picture and nothing else (shots
    without one are left out). `progress` is called with the shots done and their number. Raises InvalidInput
    when there is nothing to read or a shot is damaged, and BadModel as the reader does.
    """
    chosen = [shot for shot in shots if shot.has_uncropped] if uncropped else list(shots)
    if not chosen:
        raise InvalidInput(
            "none of the shots has an uncropped picture: it is NAME.full.png beside NAME.txt"
            if uncropped and shots
            else "there are no labelled shots to evaluate on"
        )
    outcomes = []
    for done, shot in enumerate(chosen, start=1):
        outcomes.append(measure(shot, reader, uncropped=uncropped))
        progress(done, len(chosen))
    return Evaluation(tuple(outcomes), uncropped)


def measure(shot: Shot, reader: Reader, *, uncropped: bool = False) -> Outcome:
    """Read one shot and compare with its truth; see `evaluate`."""
    picture = shot.uncropped() if uncropped else shot.cropped()
    size = (None, None) if uncropped else (shot.board.columns, shot.board.rows)
    begin = time.perf_counter()
    try:
        reading = reader(picture, *size)
    except VisionsweeperError as error:
        if error.kind in {"bad_model", "invalid_input"}:
            raise  # no fault of the reading
        return _unread(shot, str(error), said_so=True)
    seconds = time.perf_counter() - begin
    if reading.board.cells.shape != shot.board.cells.shape:
        size_read = f"read as {reading.board.columns}x{reading.board.rows}"
        return _unread(shot, size_read, said_so=False)
    x, y = reading.grid.x, reading.grid.y
    left, top = np.meshgrid(x[:-1], y[:-1])
    right, bottom = np.meshgrid(x[1:], y[1:])
    return Outcome(
        shot=shot,
        truth=shot.board.cells.ravel(),
        read=reading.board.cells.ravel(),
        confidence=np.asarray(reading.confidence, dtype=np.float64).ravel(),
        uncertain=reading.uncertain.ravel(),
        boxes=np.stack([left, top, right, bottom], axis=-1).reshape(-1, 4),
        turned=reading.straightened,
        seconds=seconds,
        problem=None,
    )


def _without_flags(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.where(codes == FLAG, COVERED, codes).astype(np.uint8)


def _same_odds(one: Board, other: Board) -> bool:
    """Whether two boards have the same covered tiles with the same odds, the mine count left out."""
    if not np.array_equal(one.covered, other.covered):
        return False
    try:
        odds = [solve(board).probability for board in (one, other)]
    except (ImpossibleBoard, TooWide):
        return False
    return bool(np.allclose(odds[0], odds[1], rtol=0.0, atol=1e-12, equal_nan=True))


def _unread(shot: Shot, problem: str, *, said_so: bool) -> Outcome:
    """Return a shot whose board was not found, or not in its size: no tile of it is right."""
    tiles = shot.board.cells.size
    return Outcome(
        shot=shot,
        truth=shot.board.cells.ravel(),
        read=np.full(tiles, UNREAD, dtype=np.uint8),
        confidence=np.zeros(tiles),
        uncertain=np.full(tiles, said_so),
        boxes=np.full((tiles, 4), np.nan),
        turned=False,
        seconds=0.0,
        problem=problem,
    )


def _wrong_tiles(outcome: Outcome) -> Iterable[WrongTile]:
    if outcome.problem is not None:
        return
    columns = outcome.shot.board.columns
    for index in np.flatnonzero(~outcome.right).tolist():
        x0, y0, x1, y1 = outcome.boxes[index].tolist()
        yield WrongTile(
            outcome=outcome,
            row=index // columns,
            column=index % columns,
            truth=SYMBOLS[int(outcome.truth[index])],
            read=SYMBOLS[int(outcome.read[index])],
            confidence=float(outcome.confidence[index]),
            uncertain=bool(outcome.uncertain[index]),
            box=(x0, y0, x1, y1),
        )
