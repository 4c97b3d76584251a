"""The risk of a recorded game over time, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from visionsweeper.io.plots import new_figure, write_figure
from visionsweeper.video.telling import clock

Risk = tuple[float, float | None, str]
"""Seconds, probability 0 to 1 (None where it is not known), and the state of the game after the move:
`playing`, `won` or `lost`, or `start` where a game begins."""


def draw_risks(path: Path, risks: Sequence[Risk], length: float) -> None:
    """Draw each move's risk as a stem, and the chance to have survived so far as a line.

    `length` is that of the recording, in seconds; after the end of a game the chance begins anew. Raises
    InvalidInput without matplotlib, and WriteFailed.
    """
    figure = new_figure(figsize=(9, 3.6))
    axes = figure.subplots()
    axes.step(
        *chance_line(risks, length), where="post", color="#4c8c6b", label="chance of having survived so far"
    )
    for state, colour, label in (
        ("", "#b3543c", "risk of a move"),
        ("lost", "#1f2a24", "the move that lost"),
    ):
        some = [
            (when, 100 * risk)
            for when, risk, end in risks
            if risk is not None and (end == "lost") == bool(state)
        ]
        if some:
            axes.vlines(
                [when for when, _ in some], 0, [risk for _, risk in some], color=colour, linewidth=1.5
            )
            axes.plot(*zip(*some, strict=True), "o", color=colour, markersize=4, label=label)
    axes.set_xlim(0, max(length, 1))
    axes.set_ylim(0, 105)
    axes.set_ylabel("%")
    axes.set_xlabel("time in the recording")
    axes.xaxis.set_major_formatter(lambda value, _position: clock(value).split(".")[0])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center right")
    write_figure(path, figure)


def chance_line(risks: Sequence[Risk], length: float) -> tuple[list[float], list[float]]:
    """Return seconds, and the chance to have survived from each of them on, in percent.

    It begins anew with each game, and after its end.
    """
    times, survived, left = [0.0], [100.0], 1.0
    for seconds, risk, state in risks:
        if risk is not None:
            left *= 1 - risk
            times.append(seconds)
            survived.append(100 * left)
        if state != "playing":
            left = 1.0
            times.append(seconds)
            survived.append(100.0)
    return [*times, length], [*survived, 100 * left]
