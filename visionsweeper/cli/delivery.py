"""What all commands with boards share: work on every input, write its picture, print its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from visionsweeper.cli.failures import exit_status, report_failure
from visionsweeper.cli.inputs import CLIPBOARD, STDIN, subject_of
from visionsweeper.cli.terminal import Console
from visionsweeper.errors import VisionsweeperError

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis
    from visionsweeper.report.result import Report


@dataclass(frozen=True)
class Form:
    """How results are printed."""

    kind: Literal["summary", "json", "text"]
    exact: bool
    """Also give exact fractions."""


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

    console, status, several = Console(), 0, len(inputs) > 1
    with console.progress(len(inputs), "Reading", show=several) as step:
        for name, output in zip(inputs, outputs, strict=True):
            image = None if name in (STDIN, CLIPBOARD) else name
            try:
                report = work(name, output)
            except Exception as error:
                report = Report(image=image, error=error)
            text = render(report, form, title=name if several else None)
            if text:
                console.say(text)
            if report.failure is not None:
                console.do(partial(report_failure, report.failure, subject_of(name)))
                status = max(status, exit_status(report.failure))
            step()
    return status


def deliver(analysis: Analysis, image: str | None, output: Path | None, form: Form) -> Report:
    """Draw and write the picture; what hinders it is in the report, so that the results are not lost."""
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import advise, picture
    from visionsweeper.report.result import Report

    # The best tile can take longer than all the odds; a board printed as text does not tell it.
    advice = None if form.kind == "text" and output is None else advise(analysis)
    report = Report(image=image, analysis=analysis, advice=advice)
    if output is None:
        return report
    best = [] if advice is None or advice.best is None else [advice.best]
    try:
        save_image(output, picture(analysis, best=best))
    except VisionsweeperError as error:
        return replace(report, error=error)
    return replace(report, output=str(output))


def render(report: Report, form: Form, title: str | None = None) -> str:
    """The report as it is printed, without the last line end; empty when there is nothing to print.

    `title` heads a board given as text, as a comment of the board notation.
    """
    from visionsweeper.report.as_json import to_json
    from visionsweeper.report.as_text import to_summary, to_text

    if form.kind == "json":
        return to_json(report, exact=form.exact)
    if report.analysis is None:
        return ""
    if form.kind == "text":
        head = "" if title is None else f"# {title!a}\n"
        return head + to_text(report.analysis) + ("" if title is None else "\n")
    return to_summary(report, exact=form.exact)
