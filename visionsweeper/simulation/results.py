"""What simulations found, for people and for files: a table, CSV, a file to go on from, and a plot."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import read_at_most, write_atomically
from visionsweeper.io.plots import new_figure, write_figure
from visionsweeper.simulation.run import Interval, Outcome, as_dict, from_dict
from visionsweeper.simulation.techniques import GUESSING
from visionsweeper.wording import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BYTES: Final = 10_000_000

_COLUMNS: Final = (
    "technique",
    "width",
    "height",
    "mines",
    "start",
    "first_click",
    "seed",
    "games",
    "won",
    "stuck",
    "lost",
    "won_low",
    "won_high",
    "guesses_per_game",
    "seconds_per_game",
)


def describe(outcome: Outcome) -> str:
    """Say in words what was played, one line."""
    rules = outcome.rules
    board = f"{rules.width}x{rules.height} with {plural(rules.mines, 'mine')}"
    if outcome.position is not None:
        return f"{board}, continued from a position"
    start = rules.start if isinstance(rules.start, str) else f"row {rules.start[0]}, column {rules.start[1]}"
    first = {"any": "mines anywhere", "safe": "safe", "opening": "an opening"}[rules.first_click]
    return f"{board}; first click: {start}, {first}"


def to_table(outcomes: Sequence[Outcome]) -> str:
    """Return a line an outcome, with the share of games won, stuck and lost and their 95 % intervals."""
    rows = [("technique", "games", "won", "stuck", "lost", "guesses/game", "games/s")]
    for outcome in outcomes:
        guesses = outcome.technique in GUESSING
        rows.append(
            (
                outcome.technique,
                f"{outcome.games:,}",
                _percent(outcome.share(outcome.won)),
                "-" if guesses and not outcome.stuck else _percent(outcome.share(outcome.stuck)),
                _percent(outcome.share(outcome.lost)),
                f"{outcome.guesses / outcome.games:.2f}" if guesses and outcome.games else "-",
                f"{outcome.games / outcome.seconds:,.0f}" if outcome.seconds else "-",
            )
        )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _percent(interval: Interval) -> str:
    if math.isnan(interval.share):
        return "-"
    digits = 2 if interval.high - interval.low < 0.02 else 1
    low, high = (f"{100 * value:.{digits}f}" for value in (interval.low, interval.high))
    return f"{100 * interval.share:.{digits}f} % [{low}, {high}]"


def to_csv(outcomes: Sequence[Outcome]) -> str:
    """Return the figures with a head line, as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for outcome in outcomes:
        found = as_dict(outcome)
        won = outcome.share(outcome.won)
        start = outcome.rules.start
        found |= {"won_low": won.low, "won_high": won.high}
        found["start"] = start if isinstance(start, str) else f"{start[0]},{start[1]}"
        writer.writerow(found)
    return text.getvalue()


def save_outcomes(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write what `load_outcomes` reads. Raises WriteFailed."""
    lines = [json.dumps(as_dict(outcome), allow_nan=False) for outcome in outcomes]
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())


def load_outcomes(path: Path) -> list[Outcome]:
    """Read the outcomes of a results file: one JSON object a line. Raises InvalidInput for anything else."""
    try:
        data = read_at_most(path, _MOST_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"cannot read {path}: {reason}") from error
    outcomes = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            outcomes.append(from_dict(json.loads(line)))
        except (InvalidInput, ValueError, RecursionError) as error:
            what = error if isinstance(error, InvalidInput) else "it is no JSON"
            raise InvalidInput(f"{path}, line {number}: {what}") from error
    return outcomes


def plot(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Draw the share of games won by technique, and, where any guess was made, how true the odds were.

    Raises InvalidInput when matplotlib is missing or knows no such kind of picture, and WriteFailed.
    """
    guessing = [outcome for outcome in outcomes if outcome.calibration]
    figure = new_figure(figsize=(11 if guessing else 6.5, 1.6 + 0.5 * max(len(outcomes), 5)))
    axes = figure.subplots(1, 2 if guessing else 1, squeeze=False)[0]
    _plot_won(axes[0], outcomes)
    if guessing:
        _plot_calibration(axes[1], guessing)
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    write_figure(path, figure)


def _plot_won(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    """Draw a bar a technique, with the interval that its share of games won lies in."""
    places = list(range(len(outcomes)))[::-1]
    shares = [outcome.share(outcome.won) for outcome in outcomes]
    percents = [100 * one.share for one in shares]
    errors = [
        [100 * (one.share - one.low) for one in shares],
        [100 * (one.high - one.share) for one in shares],
    ]
    axes.barh(places, percents, color="#4c8c6b", height=0.6)
    axes.errorbar(percents, places, xerr=errors, fmt="none", ecolor="#1f2a24", capsize=4)
    for place, one in zip(places, shares, strict=True):
        label, at = f"{100 * one.share:.1f} %", (100 * one.high, place)
        axes.annotate(label, at, (5, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [outcome.technique for outcome in outcomes])
    axes.set_xlim(0, 108)
    axes.set_xlabel("games won, % (bars: 95 % interval)")
    axes.set_title(describe(outcomes[0]), fontsize=10)


def _plot_calibration(axes: Axes, guessing: Sequence[Outcome]) -> None:
    """Draw how many of the tiles guessed at held a mine, by the odds said before."""
    axes.plot([0, 100], [0, 100], color="#999999", linewidth=1, label="as said")
    for outcome, colour in zip(guessing, ("#4c8c6b", "#b3543c"), strict=False):
        said = [100 * one.said for one in outcome.calibration]
        held = [100 * one.held / one.tiles for one in outcome.calibration]
        axes.plot(said, held, "o", color=colour, markersize=5, label=outcome.technique)
    axes.set_xlabel("odds of a mine said before a guess, %")
    axes.set_ylabel("tiles that held one, %")
    axes.set_title("Calibration", fontsize=10)
    axes.legend(frameon=False)
