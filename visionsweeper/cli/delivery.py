"""What all commands with boards share: work on every input, write its picture, print its results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from visionsweeper.cli.failures import report_failure
from visionsweeper.cli.inputs import CLIPBOARD, STDIN, subject_of
from visionsweeper.cli.outputs import STDOUT
from visionsweeper.cli.terminal import is_terminal, progress_bar, room_to_print, say, say_or_send, send
from visionsweeper.errors import VisionsweeperError, WriteFailed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from visionsweeper.analysis import Analysis
    from visionsweeper.report.result import Report


@dataclass(frozen=True)
class Form:
    """How results are shown."""

    kind: Literal["summary", "json", "board", "nothing"]
    """`board` prints only the board, in `format`."""
    exact: bool = False
    """Also give exact fractions."""
    format: str = "text"
    """The name of a file format of positions."""
    show: bool = False
    """Also draw the board in the terminal, with its odds."""
    opened: bool = False
    """Open every picture in the system's viewer."""

    def quiet(self) -> Form:
        """Return the same where nothing but what was asked for is printed."""
        return replace(self, kind="nothing", show=False) if self.kind == "summary" else self


def run_each(
    inputs: Sequence[str],
    outputs: Sequence[Path | None],
    work: Callable[[str, Path | None], Report],
    form: Form,
) -> int:
    """Work on the inputs one after another and print what came of each; returns the highest exit status.

    An input that fails does not stop the others.
    """
    from visionsweeper.report.result import Report

    status, several = 0, len(inputs) > 1
    with progress_bar(len(inputs), "Reading") if several else nullcontext() as set_done:
        for done, (name, output) in enumerate(zip(inputs, outputs, strict=True), start=1):
            image = None if name in (STDIN, CLIPBOARD) else name
            try:
                report = work(name, output)
            except Exception as error:
                report = Report(image=image, error=error)
            report = print_report(report, form, title=name if several else None)
            if report.failure is not None:
                status = max(status, report_failure(report.failure, subject_of(name)))
            del report  # a large picture is not kept while the next is read
            if set_done is not None:
                set_done(done)
    return status


def print_report(report: Report, form: Form, *, title: str | None = None) -> Report:
    """Print what came of an input, and open its picture; what hinders that is in the report returned."""
    try:
        text = render(report, form, title)
    except VisionsweeperError as error:  # a board that cannot be written in that format
        return replace(report, error=report.error or error)
    if text:
        _print(text, form)
    if form.show and report.analysis is not None:
        from visionsweeper.cli.show import show  # only terminals need it

        with room_to_print():
            show(report.analysis, report.advice)
    # The whole path: viewers take a name that begins with a hyphen for an option.
    if (
        form.opened
        and report.output not in (None, str(STDOUT))
        and click.launch(str(Path(str(report.output)).absolute()))
    ):
        return replace(
            report, error=report.error or WriteFailed(f"the system has no viewer for {report.output}")
        )
    return report


def _print(text: str | bytes, form: Form) -> None:
    if isinstance(text, bytes):
        send(text)
    elif form.kind == "board":  # read by programs, which need every sign
        say_or_send(text)
    else:
        say(text)


def deliver(analysis: Analysis, image: str | None, output: Path | None, form: Form) -> Report:
    """Draw and write the picture; what hinders it is in the report, so that the results are not lost."""
    from visionsweeper.pipeline import advise, best_of, picture
    from visionsweeper.report.result import Report

    # The best tile can take longer than all the odds; a board printed as text does not tell it.
    advice = None if form.kind == "board" and output is None and not form.show else advise(analysis)
    report = Report(image=image, analysis=analysis, advice=advice)
    if output is None:
        return report
    try:
        write_picture(output, picture(analysis, best=best_of(advice)))
    except VisionsweeperError as error:
        return replace(report, error=error)
    return replace(report, output=str(output))


def write_picture(place: Path, picture: npt.NDArray[np.uint8]) -> None:
    """Write (H, W, 3) uint8 RGB to a file, whose folder is made, or as PNG to stdout. Raises WriteFailed."""
    from visionsweeper.io.images import encode_image, save_image

    if place == STDOUT:
        if is_terminal(sys.stdout):
            raise WriteFailed("a picture cannot be written to a terminal: redirect it, as in `-o - > FILE`")
        send(encode_image(picture, "stdout.png"))
        return
    save_image(place, picture)


def render(report: Report, form: Form, title: str | None = None) -> str | bytes:
    """Return the report as it is printed, without the last line end; empty when there is nothing to print.

    `title` heads a board given as text, as a comment of the board notation. Raises InvalidInput for a board
    that the format cannot hold.
    """
    from visionsweeper.report.as_json import to_json
    from visionsweeper.report.as_text import to_summary, to_text

    if form.kind == "json":
        return to_json(report, exact=form.exact)
    if report.analysis is None or form.kind == "nothing":
        return ""
    if form.kind == "board":
        if form.format != "text":
            return _as_format(report.analysis, form.format)
        text = to_text(report.analysis)
        return text if title is None else f"# {title!a}\n{text}\n"
    return to_summary(report, exact=form.exact)


def _as_format(analysis: Analysis, name: str) -> str | bytes:
    """Return the position in a format of other programs, text without its last line end.

    Raises InvalidInput.
    """
    from visionsweeper.formats import StoredPosition, format_named, write_position

    data = write_position(StoredPosition(analysis.board, analysis.mines), name)
    return data if format_named(name).binary else data.decode().removesuffix("\n")
