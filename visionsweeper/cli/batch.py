"""`parse` with many pictures: several processes, a file of results, limits for each picture."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from visionsweeper.cli.inputs import STDIN
from visionsweeper.cli.options import Seconds, WholeNumber, jobs_option
from visionsweeper.cli.terminal import BETWEEN_LINES, complain, progress_bar, say
from visionsweeper.io.remote import is_address
from visionsweeper.wording import plural

if TYPE_CHECKING:
    from visionsweeper.batch.picture import Done, Wanted
    from visionsweeper.cli.delivery import Form

Function = TypeVar("Function", bound=Callable[..., Any])

_LEAST_MEMORY = 512
"""Megabytes that a process needs before it reads anything, with room to read an ordinary picture."""


@dataclass(frozen=True)
class BatchOptions:
    """How many pictures at once, and what each may take."""

    jobs: int | None
    jsonl: str | None
    timeout: float | None
    max_memory: int | None
    scheduler: str | None

    @property
    def asked(self) -> bool:
        """Whether a batch was asked for."""
        given = (self.jobs, self.jsonl, self.timeout, self.max_memory, self.scheduler)
        return any(one is not None for one in given)


def batch_options(function: Function) -> Function:
    """Add the options of a batch; the function takes them as `batch`."""

    def command(**given: Any) -> Any:
        names = ("jobs", "jsonl", "timeout", "max_memory", "scheduler")
        batch = BatchOptions(*(given.pop(name) for name in names))
        return function(**given, batch=batch)

    wrapped = cast(Function, update_wrapper(command, function))
    for option in (
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Read on the Dask cluster of this scheduler, such as tcp://10.0.0.5:8786; --jsonl "
            "is then a folder.",
        ),
        click.option(
            "--max-memory",
            type=WholeNumber(_LEAST_MEMORY, 1 << 20),
            metavar="MB",
            help="Memory that a process may take for one picture (not on Windows).",
        ),
        click.option(
            "--timeout",
            type=Seconds(min=0, min_open=True),
            metavar="SECONDS",
            help="Longest time for one picture; after that it is given up.",
        ),
        click.option(
            "--jsonl",
            metavar="FILE",
            type=click.Path(),
            help="Append each result to this file, as --json prints it. Pictures that it holds "
            "already are skipped.",
        ),
        jobs_option("Number of processes that read pictures."),
    ):
        wrapped = option(wrapped)
    return wrapped


def run_pictures(
    names: Sequence[str],
    outputs: Sequence[Path | None],
    wanted: Wanted,
    options: BatchOptions,
    form: Form,
) -> int:
    """Read the pictures in worker processes; returns the highest exit status of all."""
    from visionsweeper.batch.picture import Job
    from visionsweeper.batch.results import ResultsFile
    from visionsweeper.batch.run import Limits, run_batch

    if form.kind == "board" or form.opened or STDIN in names or Path(STDIN) in outputs:
        raise click.UsageError(
            "with --jobs or --jsonl only files and folders are read: omit --text, "
            "--format, --open, - and -o -"
        )
    limits = Limits(options.jobs or 1, options.timeout, options.max_memory)
    begun, status, read, wrong = time.monotonic(), 0, 0, 0
    with ExitStack() as stack:
        kept = None if options.jsonl is None else stack.enter_context(ResultsFile(Path(options.jsonl)))
        known = set() if kept is None else kept.known
        jobs = [Job(name, place) for name, place in zip(names, outputs, strict=True) if name not in known]
        set_done = stack.enter_context(progress_bar(len(jobs), "Reading") if jobs else nullcontext())
        for job, done in run_batch(jobs, wanted, limits):
            if kept is not None:
                kept.write(done.line)
            _tell(job.name, done, form, kept is not None)
            read, wrong, status = read + 1, wrong + (done.failure is not None), max(status, done.status)
            if set_done is not None:
                set_done(read)
    if form.kind == "summary":
        say(_summary(read, wrong, begun, len(names) - read, options))
    return status


def run_on_cluster(
    names: Sequence[str], wanted: Wanted, options: BatchOptions, form: Form, *, recursive: bool
) -> int:
    """Read pictures, by path or address, on a Dask cluster; returns the highest exit status of all."""
    from visionsweeper.batch.cluster import ClusterBatch, Source
    from visionsweeper.batch.run import Limits
    from visionsweeper.io.files import is_file

    if options.jobs is not None:
        raise click.UsageError("--jobs is for processes on this machine: omit it with --scheduler")
    if options.jsonl is None or is_file(options.jsonl):
        raise click.UsageError("with --scheduler the results are files: name a folder for them with --jsonl")
    if form.kind in ("json", "board") or form.opened or STDIN in names:
        raise click.UsageError(
            "with --scheduler nothing is printed or opened, and - is not read: omit what asks for it"
        )
    assert options.scheduler is not None
    source = Source([_anywhere(name) for name in names], recursive, _anywhere(options.jsonl))
    batch = ClusterBatch(source, wanted, Limits(1, options.timeout, options.max_memory))
    begun = told = time.monotonic()
    status, read, wrong = 0, 0, 0
    for done in batch.run(options.scheduler):
        read, wrong, status = read + done.pictures, wrong + done.problems, max(status, done.status)
        for name, why in done.told:
            complain(why, name)
        if done.failure is not None:
            complain(
                f"{done.pictures} pictures were not read: {done.failure}; run the same command "
                "again to retry them"
            )
        if time.monotonic() - told > BETWEEN_LINES:
            told = time.monotonic()
            complain(
                f"{plural(read, 'picture')}, {read / (told - begun):.1f} a second, {wrong} with problems"
            )
    if form.kind == "summary":
        say(_summary(read, wrong, begun, batch.passed, options))
    return status


def _anywhere(name: str) -> str:
    """Return the same name for whoever works in another folder of the same file system."""
    return name if is_address(name) else os.path.abspath(name)  # noqa: PTH100 (links stay)


def _tell(name: str, done: Done, form: Form, kept: bool) -> None:
    """Print what came of a picture: JSON where it is asked for, a line where no file of results has it."""
    if form.kind == "json":
        say(done.line)
    elif form.kind == "summary" and not kept and done.failure is None:
        say(f"{name}: {done.summary}")
    if done.failure is not None:
        complain(done.failure, name)


def _summary(read: int, wrong: int, begun: float, passed: int, options: BatchOptions) -> str:
    """Return how many pictures were read since `begun`, how many of them failed, and how many were passed."""
    took = max(time.monotonic() - begun, 1e-3)
    already = f"; {passed} were in {options.jsonl} already" if passed else ""
    rate = f"{read / took:.1f} a second"
    return f"{plural(read, 'picture')} in {took:.1f} s, {rate}; {wrong} with problems{already}"
