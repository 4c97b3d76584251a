"""Spreads jobs over the processes of this machine, with joblib."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from visionsweeper.errors import WorkersLost

Job = TypeVar("Job")
Result = TypeVar("Result")


@contextmanager
def on_processes(
    work: Callable[[Job], Result], jobs: Iterable[Job], workers: int
) -> Iterator[Iterator[Result]]:
    """Run the jobs on so many processes, and give the results in the order of the jobs.

    Raises WorkersLost when one of them ends before its time.
    """
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel, delayed  # slow to load

    results = Parallel(n_jobs=workers, return_as="generator")(delayed(work)(job) for job in jobs)
    try:
        yield results
    except BrokenProcessPool as error:
        raise WorkersLost("a worker process died (too little memory?): try fewer processes") from error
    finally:
        results.close()
