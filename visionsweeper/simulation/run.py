"""Whole games by the thousand: what is to be played, spread over processes or a cluster, and what came of it.

Games come in blocks, each with random numbers of its own, so that the result depends on the seed alone: not
on how many workers played, nor on how often a run was interrupted and resumed.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.board import SAFE, Board
from visionsweeper.engine.compile_once import compile_once
from visionsweeper.engine.per_thread import PerThread
from visionsweeper.errors import InvalidInput, TooManyMines
from visionsweeper.game.rules import FIRST_CLICK_RULES, Rules
from visionsweeper.geometry import Position
from visionsweeper.simulation.ranges import Ranges, are_ranges, gaps, next_end, with_range
from visionsweeper.simulation.techniques import TECHNIQUES, Technique

if TYPE_CHECKING:
    from visionsweeper.engine.bulk import Table
    from visionsweeper.solver import Solution

BLOCK: Final = 500
"""Games that share one stream of random numbers."""

_JOB_SECONDS: Final = 10.0
"""What a job on a cluster is to take, about: a thousand workers are a hundred jobs a second."""

_GROWTH: Final = 8
"""Times that a job may be larger than those before: the first games may have been short ones."""

_MOST_GAMES: Final = 1_000_000
"""Games of a job at most."""

_Z: Final = 1.959964
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True)
class Interval:
    """A share with its 95 % confidence interval (Wilson's)."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Bin:
    """Tiles whose odds were about the same."""

    said: float
    """Their mean probability to hold a mine."""
    held: int
    """How many of them did."""
    tiles: int


Run: TypeAlias = tuple[Rules, Technique, int, Board | None]
"""What is played: rules, technique, seed, and the position that games are continued from."""


@dataclass(frozen=True)
class Outcome:
    """What came of the games played so far."""

    rules: Rules
    technique: Technique
    seed: int
    games: int = 0
    won: int = 0
    stuck: int = 0
    """Games left where only a guess would go on."""
    lost: int = 0
    guesses: int = 0
    """Tiles opened without being certain, the first click apart."""
    guessed: int = 0
    """Games with any guess."""
    said: tuple[tuple[int, ...], ...] = ()
    """(3, bins): of the unknown tiles before each guess, by odds: tiles, the sum of their odds in billionths,
    and how many held a mine."""
    seconds: float = 0.0
    """Time spent playing, added up over the workers."""
    interrupted: bool = False
    """Whether somebody broke it off."""
    ranges: Ranges = ()
    """Which games were played: their numbers, as blocks come back from a cluster in any order."""
    skipped: Ranges = ()
    """Games that were given up, since playing them failed again and again."""
    position: Board | None = None
    """What the games were continued from; None where they began with a first click."""

    def __post_init__(self) -> None:
        """Take games of which nothing else is said for the first ones."""
        if self.games and not self.ranges:
            object.__setattr__(self, "ranges", ((0, self.games),))

    def share(self, count: int) -> Interval:
        """Return a count of games as a share of all, with its 95 % interval."""
        return wilson(count, self.games)

    @property
    def run(self) -> Run:
        """What was played."""
        return self.rules, self.technique, self.seed, self.position

    @property
    def calibration(self) -> list[Bin]:
        """Odds said against mines held, in bins that have any tiles."""
        return [
            Bin(total / tiles / 1e9, held, tiles)
            for tiles, total, held in zip(*self.said, strict=True)
            if tiles
        ]


def wilson(count: int, total: int) -> Interval:
    """Return a share and its 95 % interval (E. B. Wilson, 1927); nothing is known of 0 of 0."""
    if total == 0:
        return Interval(math.nan, 0.0, 1.0)
    share = count / total
    spread = _Z * _Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / total + spread / total / 4) / (1 + spread)
    # At the ends rounding would put the limit on the wrong side of the share.
    low = 0.0 if count == 0 else max(middle - half, 0.0)
    high = 1.0 if count == total else min(middle + half, 1.0)
    return Interval(share, low, high)


def simulate(  # noqa: PLR0913 (what is played, and who plays it)
    rules: Rules,
    technique: Technique,
    games: int,
    *,
    seed: int = 0,
    position: Board | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    begun: Outcome | None = None,
    progress: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Play games until there are so many, and count how they end.

    With a `position` every game is continued from it, its mines drawn from all placements that fit, each as
    likely as the others; `rules` are then what `rules_of` returns. Flags are not believed.

    `workers` processes share the work; with a `scheduler` (the address of one of Dask) its workers do, and
    each of them needs this package. `begun` is an outcome of the same rules, technique, seed and position to
    continue. `progress` is told the outcome so far, every now and then.

    An interrupt (Ctrl-C) ends it with the games counted so far and `interrupted` set.
    Raises InvalidInput when `begun` is of something else, when the scheduler cannot be reached, and for a
    position that shows mines; ImpossibleBoard and TooWide for one without an exact count.
    """
    if position is not None:
        _check_position(position, rules)
    run: Run = rules, technique, seed, position
    outcome = (
        Outcome(rules, technique, seed, position=position)
        if begun is None
        else replace(begun, interrupted=False, skipped=())
    )
    if outcome.run != run:
        raise InvalidInput(
            "these results are of another board, rules, technique or seed: continue with the same ones"
        )
    jobs = _Jobs(run, outcome.ranges, games, 0 if scheduler is None else 1)
    try:
        with _results(jobs, workers, scheduler) as results:
            for job, result in results:
                outcome = _added(outcome, job, result)
                jobs.note(job, result)
                if progress is not None:
                    progress(outcome)
    except KeyboardInterrupt:
        return replace(outcome, interrupted=True)
    return outcome


def rules_of(position: Board, mines: int) -> Rules:
    """Return the rules under which games are continued from a position. Raises what Rules raises."""
    return Rules(position.columns, position.rows, mines, first_click="any")


def _check_position(position: Board, rules: Rules) -> None:
    if position.shown_mines.any() or (position.cells == SAFE).any():
        raise InvalidInput("the board shows mines, so the game is over: take an earlier position")
    if (rules.width, rules.height) != (position.columns, position.rows):
        raise InvalidInput(
            f"the rules are of a board of {rules.width}x{rules.height}, but the position has "
            f"{position.columns}x{position.rows} tiles: take the rules that `rules_of` returns"
        )
    _solved(position, rules.mines)


@lru_cache(maxsize=2)
def _solved(position: Board, mines: int) -> Solution:
    """Return the solutions of a position. Raises what `solve` raises."""
    from visionsweeper.solver import solve  # slow to load

    return solve(position, mines)


@dataclass(frozen=True)
class Job:
    """Games to be played by one worker."""

    rules: Rules
    technique: Technique
    seed: int
    first: int
    """Number of the first game."""
    last: int
    """Behind the last."""
    position: Board | None = None
    """What the games are continued from."""


@dataclass(frozen=True)
class Result:
    """What came of a job."""

    ends: list[int]
    """Games won, stuck and lost."""
    guesses: list[int]
    """Uncertain tiles opened, and the games that had any."""
    said: list[list[int]]
    """(3, bins) as in `Outcome`."""
    seconds: float


class _Jobs:
    """The jobs of a run, one after the other, for as long as there are games to be played.

    Locally a job is what is left of a block. For a cluster jobs begin small and grow to take some
    `_JOB_SECONDS` each, so that its scheduler has few to look after.
    """

    def __init__(self, run: Run, ranges: Ranges, games: int, size: int) -> None:
        self.run = run
        self._gaps = gaps(ranges, games)
        self._gap = (0, 0)
        self._fixed = size == 0
        self._size = size or BLOCK

    def __iter__(self) -> Iterator[Job]:
        return self

    def __next__(self) -> Job:
        while self._gap[0] >= self._gap[1]:
            self._gap = next(self._gaps)
        first, end = self._gap
        last = min(next_end(first, BLOCK, self._size), end)
        self._gap = last, end
        rules, technique, seed, position = self.run
        return Job(rules, technique, seed, first, last, position)

    def note(self, job: Job, result: Result | None) -> None:
        """Learn from a finished job how many games fit in the next."""
        if self._fixed or result is None:
            return
        fitting = int((job.last - job.first) * _JOB_SECONDS / max(result.seconds, 1e-6))
        self._size = max(1, min(fitting, _GROWTH * self._size, _MOST_GAMES))


def _results(
    jobs: _Jobs, workers: int, scheduler: str | None
) -> AbstractContextManager[Iterator[tuple[Job, Result | None]]]:
    """Return the results of the jobs as they come; None for those that were given up."""
    if scheduler is not None:
        return _cluster_results(jobs, scheduler)
    rules, technique, seed, position = jobs.run
    begin = list(islice(jobs, 2))
    if workers == 1 or len(begin) < 2:
        return nullcontext((job, play(job)) for job in chain(begin, jobs))
    # Compiled here once and kept on disk, so that the workers find it.
    play_block(rules, technique, seed, 0, 0, 0, position)
    return _process_results(chain(begin, jobs), workers)


@contextmanager
def _cluster_results(jobs: Iterable[Job], scheduler: str) -> Iterator[Iterator[tuple[Job, Result | None]]]:
    from visionsweeper.io.cluster import on_cluster  # an extra

    with on_cluster(play, jobs, scheduler) as answers:
        yield ((answer.task, answer.result) for answer in answers)


@contextmanager
def _process_results(jobs: Iterable[Job], workers: int) -> Iterator[Iterator[tuple[Job, Result | None]]]:
    from visionsweeper.io.parallel import on_processes  # joblib takes a while to load

    with on_processes(_played, jobs, workers) as results:
        yield results


def _played(job: Job) -> tuple[Job, Result | None]:
    return job, play(job)


def play(job: Job) -> Result:
    """Play the games of a job; they come out the same whoever plays them."""
    blocks = [
        play_block(
            job.rules,
            job.technique,
            job.seed,
            block,
            max(job.first - block * BLOCK, 0),
            min(job.last - block * BLOCK, BLOCK),
            job.position,
        )
        for block in range(job.first // BLOCK, -(-job.last // BLOCK))
    ]
    ends, guesses, said, seconds = zip(*blocks, strict=True)
    return Result(
        np.sum(ends, axis=0).tolist(),
        np.sum(guesses, axis=0).tolist(),
        np.sum(said, axis=0).tolist(),
        sum(seconds),
    )


def play_block(
    rules: Rules,
    technique: Technique,
    seed: int,
    block: int,
    first: int,
    last: int,
    position: Board | None = None,
) -> tuple[list[int], list[int], list[list[int]], float]:
    """Play games `first` to `last` of a block: ends, guesses, odds said and seconds as in `Result`."""
    from visionsweeper.engine.bulk import FROM_POSITION, play_games  # numba loads slowly

    table = _TABLES.get(rules.height, rules.width)
    if position is None:
        starts, draws = _first_clicks(rules, seed, block)
        starts, draws = starts[first:last], draws[first:last]
        first_click = FIRST_CLICK_RULES.index(rules.first_click)
    else:
        table.opened[:] = position.numbers.ravel()
        starts = np.zeros(last - first, np.int64)
        draws = _mines_of(position, rules.mines, seed, range(block * BLOCK + first, block * BLOCK + last))
        first_click = FROM_POSITION
    arguments = (TECHNIQUES.index(technique), first_click)
    _compile(table, arguments[0])
    for counts in (table.ends, table.guesses, table.said):
        counts[:] = 0
    begin = time.perf_counter()
    # Interpreted, products of the hash function wrap around as they should, but with a warning.
    with np.errstate(over="ignore"):
        play_games(table, *arguments, starts, draws)
    seconds = time.perf_counter() - begin
    return table.ends.tolist(), table.guesses.tolist(), table.said.tolist(), seconds


def games_won(
    position: Board, mines: int, tiles: Sequence[Position], games: int, seed: int
) -> npt.NDArray[np.bool_]:
    """Return (tiles, games): which of so many games, continued from a position, `best` wins.

    Each of the tiles is opened first, in the same games. Raises what `simulate` does for positions.
    """
    from visionsweeper.engine.bulk import FROM_POSITION, WON, play_games  # numba loads slowly

    _check_position(position, rules_of(position, mines))
    table = _TABLES.get(position.rows, position.columns)
    technique = TECHNIQUES.index("best")
    _compile(table, technique)
    draws = _mines_of(position, mines, seed, range(games))
    won = np.zeros((len(tiles), games), np.bool_)
    no_start = np.zeros(1, np.int64)
    for number, (row, column) in enumerate(tiles):
        tile = row * position.columns + column
        table.opened[:] = position.numbers.ravel()
        table.opened[tile] = 1
        # Interpreted, products of the hash function wrap around as they should, but with a warning.
        with np.errstate(over="ignore"):
            for game in np.flatnonzero((draws != tile).all(axis=1)).tolist():
                table.ends[:] = 0
                play_games(table, technique, FROM_POSITION, no_start, draws[game : game + 1])
                won[number, game] = table.ends[WON] > 0
    return won


def _first_clicks(
    rules: Rules, seed: int, block: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Return the first tile of each game of a block, and the random bits that lay its mines."""
    generator = np.random.default_rng([seed, block])
    starts = generator.integers(0, rules.width * rules.height, BLOCK)
    draws = generator.integers(0, 1 << 32, (BLOCK, rules.mines), dtype=np.uint32)
    if rules.start_tile is not None:
        starts[:] = rules.start_tile
    return starts, draws


def _mines_of(position: Board, mines: int, seed: int, games: range) -> npt.NDArray[np.uint32]:
    """Return (games, mines): the tiles of the mines of each game, drawn from the solutions of a position."""
    solution = _solved(position, mines)
    drawn = (solution.random(random.Random(f"{seed} {game}")) for game in games)
    tiles = [[row * position.columns + column for row, column in each] for each in drawn]
    return np.array(tiles, np.uint32).reshape(len(games), mines)


def is_compiled(technique: Technique) -> bool:
    """Return whether games can be played by a technique without anything being compiled first."""
    from visionsweeper.engine.bulk import entry_of
    from visionsweeper.engine.compiling import is_ready

    return is_ready(entry_of(TECHNIQUES.index(technique)).__name__)


def compile_technique(technique: Technique) -> None:
    """Compile what plays by a technique, and keep it where that can be written."""
    _compile(_TABLES.get(3, 3), TECHNIQUES.index(technique))


def _compile(table: Table, technique: int) -> None:
    from visionsweeper.engine.bulk import entry_of

    compile_once(entry_of(technique), table, technique, 0, np.zeros(0, np.int64), np.zeros((0, 0), np.uint32))


def _new_table(rows: int, columns: int) -> Table:
    from visionsweeper.engine.bulk import new_table  # numba loads slowly

    return new_table(rows, columns)


_TABLES: Final = PerThread(_new_table)


def _added(outcome: Outcome, job: Job, result: Result | None) -> Outcome:
    if result is None:
        return replace(outcome, skipped=(*outcome.skipped, (job.first, job.last)))
    (won, stuck, lost), (guesses, guessed) = result.ends, result.guesses
    before = outcome.said or tuple((0,) * len(row) for row in result.said)
    return replace(
        outcome,
        games=outcome.games + won + stuck + lost,
        won=outcome.won + won,
        stuck=outcome.stuck + stuck,
        lost=outcome.lost + lost,
        guesses=outcome.guesses + guesses,
        guessed=outcome.guessed + guessed,
        said=tuple(
            tuple(a + b for a, b in zip(old, new, strict=True))
            for old, new in zip(before, result.said, strict=True)
        ),
        seconds=outcome.seconds + result.seconds,
        ranges=with_range(outcome.ranges, job.first, job.last),
    )


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Return everything about an outcome as JSON values; `from_dict` reads it."""
    rules = outcome.rules
    shares = {name: outcome.share(getattr(outcome, name)) for name in ("won", "stuck", "lost")}
    games = outcome.games
    return {
        "version": 1,
        "technique": outcome.technique,
        "width": rules.width,
        "height": rules.height,
        "mines": rules.mines,
        "start": rules.start if isinstance(rules.start, str) else list(rules.start),
        "first_click": rules.first_click,
        "position": None if outcome.position is None else outcome.position.to_rows(),
        "seed": outcome.seed,
        "games": games,
        "won": outcome.won,
        "stuck": outcome.stuck,
        "lost": outcome.lost,
        "intervals": {
            name: [interval.low, interval.high] if games else None for name, interval in shares.items()
        },
        "guesses": outcome.guesses,
        "games_with_guesses": outcome.guessed,
        "guesses_per_game": outcome.guesses / games if games else None,
        "seconds_per_game": outcome.seconds / games if games else None,
        "seconds": outcome.seconds,
        "odds_said": [list(row) for row in outcome.said],
        "calibration": [
            {"said": one.said, "held": one.held / one.tiles, "tiles": one.tiles}
            for one in outcome.calibration
        ],
        "ranges": [list(one) for one in outcome.ranges],
        "skipped": [list(one) for one in outcome.skipped],
        "interrupted": outcome.interrupted,
    }


def from_dict(found: Any) -> Outcome:
    """Return the outcome that `as_dict` made. Raises InvalidInput for anything else."""
    try:
        if found["version"] != 1:
            raise InvalidInput(
                f"results of version {found['version']} are not known here: update the program"
            )
        start: Any = found["start"]
        if start not in ("corner", "centre", "random"):
            row, column = map(int, start)
            start = (row, column)
        counts: dict[str, Any] = {
            name: int(found[name]) for name in ("games", "won", "stuck", "lost", "guesses", "seed")
        }
        said = tuple(tuple(map(int, row)) for row in found["odds_said"])
        seconds = float(found["seconds"])
        if said and (len(said) != 3 or len({len(row) for row in said}) != 1):
            raise ValueError
        if not 0 <= seconds < math.inf:
            raise ValueError
        rules = Rules(
            int(found["width"]), int(found["height"]), int(found["mines"]), start, found["first_click"]
        )
        rows = found.get("position")  # files of earlier versions have none
        position = None if rows is None else Board.from_text("\n".join(rows))
        if position is not None and rules != rules_of(position, rules.mines):
            raise ValueError
        if found["technique"] not in TECHNIQUES or found["first_click"] not in FIRST_CLICK_RULES:
            raise ValueError
        # Files of earlier versions have none: games were played in their order.
        ranges = tuple((int(a), int(b)) for a, b in found.get("ranges", [[0, counts["games"]]]))
        if not are_ranges(ranges, counts["games"]):
            raise ValueError
        if counts["won"] + counts["stuck"] + counts["lost"] != counts["games"] or min(counts.values()) < 0:
            raise ValueError
        return Outcome(
            rules,
            found["technique"],
            guessed=int(found["games_with_guesses"]),
            said=said,
            seconds=seconds,
            ranges=ranges,
            position=position,
            **counts,
        )
    except (KeyError, TypeError, ValueError, OverflowError, TooManyMines) as error:
        raise InvalidInput("these are no results of a simulation") from error
