"""`visionsweeper video`: the moves of a recorded game, and the risk of each."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from visionsweeper.cli.options import FileName, read_options, solve_options
from visionsweeper.cli.outputs import same_place
from visionsweeper.cli.terminal import finish_output, progress_bar, say
from visionsweeper.errors import InvalidInput, NoBoardFound
from visionsweeper.io.files import check_place

if TYPE_CHECKING:
    from visionsweeper.io.video import Frame, Video
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.video.chart import Risk
    from visionsweeper.video.follow import Follower
    from visionsweeper.video.moves import Move

Form = Literal["lines", "text", "json", "nothing"]


@click.command(
    "video",
    epilog="Example: visionsweeper video game.mp4 -o solved.mp4 --chart risk.png",
)
@click.argument("video", metavar="VIDEO", type=FileName())
@click.option(
    "-o", "--output", type=FileName(), metavar="PATH", help="Write the video with the odds drawn on it."
)
@click.option(
    "--chart", type=FileName(), metavar="FILE", help="Draw the risk over time (.png, .svg or .pdf)."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a move, and one at the end.")
@click.option("--text", "as_text", is_flag=True, help="Print the board after every move, as text.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
@read_options()
@solve_options
def command(
    video: str,
    output: str | None,
    chart: str | None,
    as_json: bool,
    as_text: bool,
    quiet: bool,
    read: ReadOptions,
    solve: SolveOptions,
) -> int:
    """Read a screen recording of a game, and list its moves: the time, the tiles, and the risk.

    VIDEO is MP4, MOV, WebM, MKV, AVI or GIF. The board is found once, and searched for again when it moves or
    another one appears; only what changes is read.
    """
    if as_json + as_text + quiet > 1:
        raise click.UsageError("--json, --text and --quiet exclude each other: choose one")
    form: Form = "json" if as_json else "text" if as_text else "nothing" if quiet else "lines"
    _check_outputs(video, output, chart)
    told = Told(video, form)
    with ExitStack() as stack:
        from visionsweeper.io.video import VideoFile, open_video

        recording = stack.enter_context(open_video(video))
        written = None if output is None else stack.enter_context(VideoFile(output, recording.rate))
        follower = _follow(recording, read, solve, told, written)
        if follower.seen is None:
            raise _nothing_found(recording, follower)
    if chart is not None:
        from visionsweeper.video.chart import draw_risks

        draw_risks(Path(chart), told.risks, recording.seconds)
    told.end(recording)
    if recording.cut_off:
        raise InvalidInput(
            f"{video} ends early, or is damaged: {recording.read} of {recording.announced} frames could be "
            "read; the output ends there"
        )
    return 0


def _check_outputs(video: str, output: str | None, chart: str | None) -> None:
    """Say what cannot be written before the video is read.

    Raises UsageError, WriteFailed and InvalidInput.
    """
    for place in (output, chart):
        if place is not None and same_place(Path(place), Path(video)):
            raise click.UsageError("the video itself would be overwritten: choose another place")
    if output is not None:
        from visionsweeper.io.video import CODECS

        check_place(output, CODECS)
    if chart is not None:
        from visionsweeper.io.plots import check_plot

        check_plot(chart)
        check_place(chart)


def _follow(recording: Video, read: ReadOptions, solve: SolveOptions, told: Told, written: Any) -> Follower:
    """Read the recording to its end, and tell every move; returns the follower."""
    from visionsweeper.io.video import one_thread
    from visionsweeper.video.follow import Follower
    from visionsweeper.video.moves import moves_of
    from visionsweeper.video.overlay import Overlay

    follower, overlay = Follower(read), Overlay(solve)
    with one_thread(), progress_bar(recording.announced or 1, "Reading") as set_done:

        def looked(frame: Frame) -> None:
            if written is not None:
                written.add(overlay.draw(frame, follower.seen, follower.grid))
            set_done(recording.read)

        for move in moves_of(recording, follower, solve, looked):
            told.tell(move)
    return follower


def _nothing_found(recording: Video, follower: Follower) -> Exception:
    if not recording.read:
        return InvalidInput(f"{recording.name}: no frame of it can be read; is it damaged?")
    problem = follower.problem or NoBoardFound("no board was found")
    told = f"in {recording.read} frames: {problem} (--width, --height and --box narrow the search)"
    return NoBoardFound(told)


class Told:
    """What was told of a recording so far."""

    def __init__(self, video: str, form: Form) -> None:
        self._video, self._form = video, form
        self.risks: list[Risk] = []
        """Of each move whose risk is known, and of each beginning and end of a game."""
        self._moves = 0

    def tell(self, move: Move) -> None:
        """Print a move."""
        from visionsweeper.video.telling import to_json, to_line, to_text

        self._moves += move.kind in ("open", "flag")
        state = "start" if move.kind == "start" else move.state
        if move.risk is not None or state != "playing":
            self.risks.append((move.seconds, move.risk, state))
        if self._form == "json":
            say(json.dumps(to_json(move, self._video), allow_nan=False))
        elif self._form != "nothing":
            say(to_line(move) if self._form == "lines" else to_text(move))
        finish_output()

    def end(self, recording: Video) -> None:
        """Print what sums the recording up."""
        from math import prod

        from visionsweeper.video.telling import clock, percentage
        from visionsweeper.wording import plural

        risks = [risk for _, risk, _ in self.risks if risk is not None]
        survival = prod(1 - risk for risk in risks)
        risky = sum(risk > 0 for risk in risks)
        if self._form == "json":
            end = {
                "version": 1,
                "video": self._video,
                "seconds": round(recording.seconds, 3),
                "move": "end",
                "frames": recording.read,
                "moves": self._moves,
                "risky": risky,
                "survival": survival,
                "complete": not recording.cut_off,
            }
            say(json.dumps(end, allow_nan=False))
        elif self._form == "lines":
            chance = percentage(survival) if risky else "100%"
            say(
                f"{clock(recording.seconds)}  {plural(self._moves, 'move')}, {risky} with a risk; "
                f"the chance to survive them all was {chance}"
            )
