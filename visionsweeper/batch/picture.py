"""One picture of a batch: read, solved, drawn and told, in a worker process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from visionsweeper.errors import Unreachable, VisionsweeperError, status_of
from visionsweeper.io.processes import begin_worker, limit_memory
from visionsweeper.options import ReadOptions, SolveOptions

if TYPE_CHECKING:
    from visionsweeper.report.result import Report


@dataclass(frozen=True)
class Job:
    """One picture to read."""

    name: str
    """As the user named it: the picture's path, or its address."""
    output: Path | None
    """Where its annotated picture goes; None for nowhere."""


@dataclass(frozen=True)
class Wanted:
    """What to do with every picture."""

    read: ReadOptions
    solve: SolveOptions
    exact: bool = False
    """Also give exact fractions."""
    strict: bool = False
    """Whether doubt is an error."""


@dataclass(frozen=True)
class Done:
    """What came of a picture."""

    line: str
    """The JSON object of `parse --json`, on one line."""
    summary: str
    """What is most worth knowing, on one line."""
    status: int
    """The exit status that it alone would have."""
    failure: str | None
    """What went wrong, one line."""


def begin(max_memory: int | None) -> None:
    """Prepare a worker process: the model is loaded once, OpenCV leaves the other cores to other workers."""
    begin_worker()
    if max_memory is not None:
        limit_memory(max_memory)
    import cv2

    cv2.setNumThreads(1)
    from visionsweeper.vision.tiles.knn import load_model

    load_model()


def read_picture(job: Job, wanted: Wanted) -> Done:
    """Read a picture and write its annotated one; whatever is wrong with it is in the answer.

    Raises Unreachable where it could not be fetched, which says nothing of the picture.
    """
    from visionsweeper.io.images import MAX_BYTES, save_image
    from visionsweeper.io.remote import is_address, read_address
    from visionsweeper.pipeline import advise, analyse_with, best_of, picture, read_with
    from visionsweeper.report.result import Report

    report = Report(image=job.name)
    try:
        source = read_address(job.name, MAX_BYTES + 1) if is_address(job.name) else job.name
        analysis = analyse_with(read_with(source, wanted.read), wanted.solve)
        advice = advise(analysis)
        report = replace(report, analysis=analysis, advice=advice)
        if job.output is not None:
            save_image(job.output, picture(analysis, best=best_of(advice)))
            report = replace(report, output=str(job.output))
        report = report.cautiously()
        if wanted.strict:
            report = report.strictly()
    except Unreachable:
        raise
    except MemoryError:
        report = replace(report, error=Failed("not enough memory for this picture: see --max-memory"))
    except Exception as error:
        report = replace(report, error=error)
    return done_of(report, exact=wanted.exact)


class Failed(VisionsweeperError):
    """A picture could not be worked on, for a reason outside of it."""

    kind = "failed"


def failed(job: Job, reason: str) -> Done:
    """Return what came of a picture that no worker could finish."""
    from visionsweeper.report.result import Report

    return done_of(Report(image=job.name, error=Failed(reason)))


def done_of(report: Report, *, exact: bool = False) -> Done:
    """Return what is told of a report."""
    from visionsweeper.report.as_json import to_json
    from visionsweeper.report.as_text import to_line

    failure = report.failure
    status = 0
    message = None
    if failure is not None:
        status = status_of(failure)
        message = " ".join(str(failure).split()) or type(failure).__name__
    return Done(to_json(report, exact=exact), to_line(report), status, message)
