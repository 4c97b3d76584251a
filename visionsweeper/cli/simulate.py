"""`visionsweeper simulate`: whole games by the thousand, by any technique."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.explain import TileType, check_tile
from visionsweeper.cli.failures import INTERRUPTED
from visionsweeper.cli.inputs import take_solved
from visionsweeper.cli.options import FileName, WholeNumber, first_click_option, jobs_option
from visionsweeper.cli.terminal import complain, progress_bar, say
from visionsweeper.errors import WorkersLost
from visionsweeper.game.rules import PRESETS
from visionsweeper.simulation.techniques import TECHNIQUES

if TYPE_CHECKING:
    from visionsweeper.board import Board
    from visionsweeper.game.rules import Rules
    from visionsweeper.simulation.run import Outcome

_SAVE_EVERY: Final = 5.0
"""Seconds between two writings of the results file."""


class StartType(click.ParamType[Any]):
    """The first tile: a word, or ROW,COLUMN from 0."""

    name = "corner|centre|random|R,C"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """One of the words, or a pair of whole numbers from 0 up; fails otherwise."""
        if value == "center":
            return "centre"
        return value if value in ("corner", "centre", "random") else TileType().convert(value, param, ctx)


def size_options(function: Any) -> Any:
    """Add the options that say what board is played."""
    for option in (
        click.option("--mines", type=WholeNumber(min=0), metavar="M", help="Mines on the board."),
        click.option("--height", type=WholeNumber(min=1), metavar="N", help="Tiles down."),
        click.option("--width", type=WholeNumber(min=1), metavar="N", help="Tiles across."),
        click.option(
            "--preset",
            type=click.Choice(tuple(PRESETS)),
            help="A standard board. Default: expert, 30x16 with 99.",
        ),
    ):
        function = option(function)
    return function


def board_size(
    preset: str | None, width: int | None, height: int | None, mines: int | None
) -> tuple[int, int, int]:
    """Width, height and mines; raises UsageError for half a board."""
    given = (width, height, mines)
    if given == (None, None, None):
        return PRESETS[preset or "expert"]
    if preset is not None:
        raise click.UsageError(
            "--preset stands for a width, a height and mines: leave out the one or the other"
        )
    if width is None or height is None or mines is None:
        raise click.UsageError("a board of your own needs --width, --height and --mines")
    return width, height, mines


@click.command(
    "simulate",
    epilog="Example: visionsweeper simulate --preset beginner --games 10000 --technique all --plot rates.png",
)
@size_options
@click.option(
    "--games",
    type=WholeNumber(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Games to play with each technique.",
)
@click.option(
    "--technique",
    "techniques",
    multiple=True,
    type=click.Choice((*TECHNIQUES, "all")),
    help="How to play; may be given several times. The first five make certain moves only. Default: best.",
)
@click.option(
    "--start",
    type=StartType(),
    metavar="TILE",
    default="random",
    show_default=True,
    help="The first tile of every game: corner, centre, random, or R,C.",
)
@first_click_option
@click.option(
    "--board",
    type=FileName(),
    metavar="FILE",
    help="Continue every game from this position, in any format of `solve`; mines are placed at random among "
    "those that fit.",
)
@click.option(
    "--seed",
    type=WholeNumber(min=0),
    default=0,
    show_default=True,
    metavar="S",
    help="The same seed gives the same games.",
)
@jobs_option("Number of processes. Default: one for every processor.")
@click.option(
    "--backend",
    type=click.Choice(("processes", "dask")),
    default="processes",
    show_default=True,
    help="Where they run: on this machine, or on a Dask cluster.",
)
@click.option("--scheduler", metavar="ADDRESS", help="The cluster's scheduler, as in tcp://10.0.0.5:8786.")
@click.option(
    "--compile",
    "compile_only",
    is_flag=True,
    help="Only compile the techniques (all, or those given) and keep the result; play nothing.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object for each technique instead of a table."
)
@click.option("--csv", "csv_file", type=FileName(), metavar="FILE", help="Also write the figures there.")
@click.option(
    "--plot",
    "plot_file",
    type=FileName(),
    metavar="FILE",
    help="Draw games won by technique, and the calibration of the odds (.png, .svg or .pdf).",
)
@click.option(
    "--resume",
    "resume_file",
    type=FileName(),
    metavar="FILE",
    help="Keep the results in this file, and continue from those that it holds.",
)
def command(
    preset: str | None,
    width: int | None,
    height: int | None,
    mines: int | None,
    games: int,
    techniques: tuple[str, ...],
    start: Any,
    first_click: Any,
    board: str | None,
    seed: int,
    jobs: int | None,
    backend: str,
    scheduler: str | None,
    compile_only: bool,
    as_json: bool,
    csv_file: str | None,
    plot_file: str | None,
    resume_file: str | None,
) -> int:
    """Play games and count how many are won, lost, or stuck where only a guess can continue.

    The same seed gives the same games whatever the number of processes. Ctrl-C ends with the figures so far.
    """
    if (backend == "dask") != (scheduler is not None):
        raise click.UsageError("--backend dask and --scheduler ADDRESS go together")
    if compile_only:
        return _compile_only(techniques)
    from visionsweeper.simulation import results

    if board is None:
        rules, position = _new_game(board_size(preset, width, height, mines), start, first_click), None
    else:
        if (preset, width, height) != (None,) * 3:
            raise click.UsageError("--board sets the game: omit sizes")
        rules, position = _taken_up(board, mines)
    chosen = TECHNIQUES if "all" in techniques else tuple(dict.fromkeys(techniques)) or ("best",)
    _check_outputs(csv_file, plot_file, resume_file)
    kept = _Kept(resume_file)
    outcomes: list[Outcome] = []
    for technique in chosen:
        with kept:
            begun = kept.find(rules, technique, seed, position)
            outcome = _play(begun, games, jobs or os.cpu_count() or 1, scheduler, kept.note)
            kept.note(outcome)
        outcomes.append(outcome)
        if as_json:
            from visionsweeper.simulation.run import as_dict

            say(json.dumps(as_dict(outcome), allow_nan=False))
        if outcome.interrupted:
            break
    if not as_json:
        say(f"{results.describe(outcomes[0])}\n{results.to_table(outcomes)}")
    _write(outcomes, csv_file, plot_file)
    if outcomes[-1].interrupted:
        complain(f"interrupted after {outcomes[-1].games:,} games of {outcomes[-1].technique}")
        return INTERRUPTED
    return _tell_skipped(outcomes)


def _new_game(size: tuple[int, int, int], start: Any, first_click: Any) -> Rules:
    """Return the rules of new games. Raises BadParameter for a first tile outside the board."""
    from visionsweeper.game.rules import Rules

    check_tile(start if isinstance(start, tuple) else None, size[1], size[0], "--start")
    return Rules(*size, start, first_click)


def _taken_up(name: str, mines: int | None) -> tuple[Rules, Board]:
    """Return the position that games are continued from, and its rules.

    Raises UsageError for options of a first click, InvalidInput for a position without a mine count,
    ImpossibleBoard and TooWide.
    """
    from visionsweeper.simulation.run import rules_of

    source = click.get_current_context().get_parameter_source
    for option in ("start", "first_click"):
        if source(option) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--board continues a game: omit --{option.replace('_', '-')}")
    solution, count = take_solved(name, mines)
    return rules_of(solution.board, count), solution.board


def _write(outcomes: list[Outcome], csv_file: str | None, plot_file: str | None) -> None:
    """Write the files that were asked for. Raises WriteFailed."""
    from visionsweeper.io.files import write_atomically
    from visionsweeper.simulation import results

    if csv_file is not None:
        write_atomically(csv_file, results.to_csv(outcomes).encode())
    if plot_file is not None:
        results.plot(Path(plot_file), outcomes)


def _compile_only(techniques: tuple[str, ...]) -> int:
    """Compile what plays by the techniques, or by any; returns the exit status."""
    from visionsweeper.engine.compiling import COMPILED
    from visionsweeper.errors import InvalidInput
    from visionsweeper.simulation.run import compile_technique

    if not COMPILED:
        raise InvalidInput("compiling needs the package `numba`: pip install 'visionsweeper[fast]'")
    for technique in TECHNIQUES:
        if not techniques or technique in techniques or "all" in techniques:
            begin = time.perf_counter()
            _tell_compiling(technique)
            compile_technique(technique)
            say(f"{technique}: compiled ({time.perf_counter() - begin:.0f} s)")
    return 0


def _tell_compiling(technique: Any) -> None:
    """Say on stderr, log or terminal, that nothing will be heard of for a while."""
    from visionsweeper.simulation.run import is_compiled

    if not is_compiled(technique):
        complain(f"compiling {technique}: this takes up to a minute, the first time only")


def _tell_skipped(outcomes: list[Outcome]) -> int:
    """Name the games that were given up; returns the exit status."""
    skipped = [one for outcome in outcomes for one in outcome.skipped]
    if not skipped:
        return 0
    games = sum(last - first for first, last in skipped)
    names = ", ".join(f"{first} to {last - 1}" for first, last in skipped[:5])
    more = ", …" if len(skipped) > 5 else ""
    complain(
        f"{games:,} games were given up after three failed attempts ({names}{more}): "
        "look at the logs of the workers; --resume tries these games again"
    )
    return WorkersLost.exit_status


def _check_outputs(csv_file: str | None, plot_file: str | None, resume_file: str | None) -> None:
    """Say before hours of play, not after them, what cannot be written."""
    from visionsweeper.io.files import check_place

    given = {"--csv": csv_file, "--plot": plot_file, "--resume": resume_file}
    places: dict[Path, str] = {}
    for option, name in given.items():
        if name is None:
            continue
        place = Path(name).absolute()
        if place in places:
            raise click.UsageError(f"{places[place]} and {option} name the same file: each needs its own")
        places[place] = option
        check_place(name)
    if plot_file is not None:
        from visionsweeper.io.plots import check_plot

        check_plot(plot_file)


class _Kept:
    """The results file, written again every now and then, and however a run ends."""

    def __init__(self, resume_file: str | None) -> None:
        from visionsweeper.io.files import is_there
        from visionsweeper.simulation.results import load_outcomes

        self._place = None if resume_file is None else Path(resume_file)
        there = self._place is not None and is_there(str(self._place))
        self._outcomes = load_outcomes(self._place) if there and self._place is not None else []
        self._saved = time.monotonic()

    def find(self, rules: Rules, technique: Any, seed: int, position: Board | None) -> Outcome:
        """Return the most that is known of a run."""
        from visionsweeper.simulation.run import Outcome

        begun = Outcome(rules, technique, seed, position=position)
        same = [one for one in self._outcomes if one.run == begun.run]
        return max(same, key=lambda one: one.games, default=begun)

    def note(self, outcome: Outcome) -> None:
        """Return the state of a run now."""
        others = [one for one in self._outcomes if one.run != outcome.run]
        self._outcomes = [*others, outcome]
        if time.monotonic() - self._saved > _SAVE_EVERY:
            self._save()

    def __enter__(self) -> None:
        self._saved = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._save()

    def _save(self) -> None:
        from visionsweeper.simulation.results import save_outcomes

        self._saved = time.monotonic()
        if self._place is not None and self._outcomes:
            save_outcomes(self._place, self._outcomes)


def _play(
    begun: Outcome,
    games: int,
    jobs: int,
    scheduler: str | None,
    note: Callable[[Outcome], None],
) -> Outcome:
    from visionsweeper.engine.compiling import COMPILED
    from visionsweeper.simulation.run import simulate

    if not COMPILED:
        complain(
            "playing without numba: pip install 'visionsweeper[fast]' makes it about twenty times faster"
        )
    elif scheduler is None:
        _tell_compiling(begun.technique)
    with progress_bar(games, f"Playing, {begun.technique}", lines=scheduler is not None) as done:

        def so_far(outcome: Outcome) -> None:
            note(outcome)
            done(outcome.games)

        return simulate(
            begun.rules,
            begun.technique,
            games,
            seed=begun.seed,
            position=begun.position,
            workers=jobs,
            scheduler=scheduler,
            begun=begun,
            progress=so_far,
        )
