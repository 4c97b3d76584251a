"""`visionsweeper screen`: the board that is on the screen now."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from visionsweeper.cli.delivery import Form, deliver, print_report
from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.options import (
    BoxType,
    Seconds,
    WholeNumber,
    read_options,
    result_options,
    solve_options,
)
from visionsweeper.cli.outputs import STDOUT, check_picture, place_of
from visionsweeper.cli.terminal import complain, finish_output, say

if TYPE_CHECKING:
    from pathlib import Path

    from visionsweeper.analysis import Analysis
    from visionsweeper.io.screen import Area
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.watch.screen import Capture, ScreenReader

_FILE = "screen.solved.png"


@click.command(
    "screen",
    epilog="Example: visionsweeper screen --every 1 (until Ctrl-C; prints only what is new)",
)
@click.option(
    "--monitor", type=WholeNumber(min=0), default=0, metavar="N", help="From 1; 0 for all. Default: 0."
)
@click.option("--region", type=BoxType(), help="Only this part of the monitor, in pixels.")
@click.option(
    "--every",
    type=Seconds(min=0.05, max=86400),
    metavar="SECONDS",
    help="Repeat at this interval, and print only what is new.",
)
@read_options("width", "height", "model", "themes", "board", "continues")
@solve_options
@result_options("nowhere")
def command(
    monitor: int,
    region: Any,
    every: float | None,
    read: ReadOptions,
    solve: SolveOptions,
    output: str | None,
    form: Form,
) -> int:
    """Capture the screen, find the board on it, and answer as `parse` does.

    The annotated picture goes where -o says; without -o none is written.
    """
    from visionsweeper.io.screen import Area
    from visionsweeper.vision.themes.store import chosen_model
    from visionsweeper.watch.screen import ScreenReader

    place = None
    if output is not None:
        place = STDOUT if output == str(STDOUT) else place_of(output, _FILE)
        if place == STDOUT and every is not None:
            raise click.UsageError("-o - takes one picture: leave out --every, or name a file")
        if place != STDOUT:
            check_picture(place)
    area = Area(monitor, None if region is None else tuple(int(edge) for edge in region))  # type: ignore[arg-type]
    # Loaded once, not with every capture.
    reader = ScreenReader(area, replace(read, model=chosen_model(read.model)), solve)
    if every is not None and form.opened:
        raise click.UsageError("--open shows one picture: leave out --every")
    if every is None:
        capture = reader.capture()
        assert capture is not None
        return _answer(capture, area, place, form)
    try:
        _repeat(reader, area, every, place, form)
    except KeyboardInterrupt:
        return 0
    return 0


def _answer(capture: Capture, area: Area, place: Path | None, form: Form) -> int:
    """Tell one screen capture in full."""
    if capture.analysis is None:
        from visionsweeper.errors import NoBoardFound

        raise NoBoardFound(f"no board was found on the screen: {capture.reason}")
    report = print_report(deliver(capture.analysis, None, place, form), form)
    if form.kind == "summary" and (best := _best_place(capture.analysis, area)):
        say(best)
    return 0 if report.failure is None else report_failure(report.failure, "the screen")


def _repeat(reader: ScreenReader, area: Area, every: float, place: Path | None, form: Form) -> None:
    """Look, tell what is new, wait; until it is interrupted."""
    before: Analysis | None = None
    missing = False
    while True:
        begin = time.monotonic()
        capture = reader.capture()
        if capture is not None and capture.analysis is None:
            if not missing:
                complain("no board was found on the screen; waiting for one")
            missing, before = True, None
        elif capture is not None and capture.analysis is not None:
            missing = False
            _tell_news(capture, before, area, place, form)
            before = capture.analysis
        time.sleep(max(every - (time.monotonic() - begin), 0.01))


def _tell_news(capture: Capture, before: Analysis | None, area: Area, place: Path | None, form: Form) -> None:
    from visionsweeper.watch.screen import news
    from visionsweeper.wording import tile_names

    now = capture.analysis
    assert now is not None
    if before is not None and before.board == now.board:
        # A window that was moved has its tiles elsewhere.
        best = _best_place(now, area)
        if form.kind == "summary" and best and best != _best_place(before, area):
            say(best)
            finish_output()
        return
    found = news(before, now)
    report = deliver(now, None, place, form)
    if form.kind != "summary" or found.another:
        report = print_report(report, form)
    else:
        parts = [
            f"{len(tiles)} {what}: {tile_names(tiles)}"
            for tiles, what in (
                (found.opened, "opened"),
                (found.safe, "new safe"),
                (found.mine, "new mines"),
            )
            if tiles
        ]
        say("; ".join(parts) or "flags changed")
    if form.kind == "summary" and (best := _best_place(now, area)):
        say(best)
    if report.failure is not None:
        report_failure(report.failure, "the screen")
    finish_output()


def _best_place(analysis: Analysis, area: Area) -> str:
    """Where on the screen the best tile is."""
    from visionsweeper.pipeline import advise
    from visionsweeper.watch.screen import screen_place
    from visionsweeper.wording import tile_name

    advice = advise(analysis)
    if advice is None or advice.best is None:
        return ""
    tile = advice.best
    x, y = screen_place(analysis, tile, area)
    return f"best next tile on the screen: {tile_name(*tile)}, at pixel {x},{y}"
