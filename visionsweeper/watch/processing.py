"""One picture: recognised, solved, drawn and written; runs in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from visionsweeper.errors import NoBoardFound, VisionsweeperError, WriteFailed
from visionsweeper.options import ReadOptions, SolveOptions
from visionsweeper.watch.journal import Status


@dataclass(frozen=True)
class Wanted:
    """What to do with every picture."""

    read: ReadOptions = field(default_factory=ReadOptions)
    solve: SolveOptions = field(default_factory=SolveOptions)
    json: bool = False
    """Also write NAME.json beside the annotated picture."""


@dataclass(frozen=True)
class Result:
    """What became of one picture."""

    status: Status
    message: str
    """One line."""
    board: str = ""
    """The board as text."""
    try_again: bool = False
    """Whether it failed for want of a place to write to, which may come."""


def process(data: bytes, source: Path, output: Path, wanted: Wanted) -> Result:
    """Read the picture's bytes and write its outputs, each under a temporary name first."""
    from visionsweeper.io.files import write_atomically  # the main process needs none of it
    from visionsweeper.io.images import save_image
    from visionsweeper.pipeline import advise, analyse_with, best_of, picture, read_with
    from visionsweeper.report.as_json import to_json
    from visionsweeper.report.as_text import to_line
    from visionsweeper.report.result import Report

    try:
        analysis = analyse_with(read_with(data, wanted.read), wanted.solve)
        advice = advise(analysis)
        save_image(output, picture(analysis, best=best_of(advice)))
        report = Report(image=str(source), analysis=analysis, advice=advice, output=str(output))
        if wanted.json:
            write_atomically(output.with_suffix(".json"), f"{to_json(report)}\n".encode())
    except NoBoardFound as error:
        return Result(Status.PASSED, _one_line(error))
    except WriteFailed as error:
        return Result(Status.FAILED, _one_line(error), try_again=True)
    except VisionsweeperError as error:
        return Result(Status.FAILED, _one_line(error))
    except Exception as error:
        return Result(Status.FAILED, f"unexpected error: {type(error).__name__}: {_one_line(error)}")
    return Result(Status.DONE, to_line(report), str(analysis.board))


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
