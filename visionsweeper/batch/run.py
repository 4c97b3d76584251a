"""A batch of pictures on this machine: several processes, answers in the order of the pictures."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Final

from visionsweeper.batch.picture import Done, Job, Wanted, begin, failed, read_picture

MOST_DEATHS: Final = 3
"""So often may a picture end its worker before it is given up."""

_AHEAD: Final = 4
"""Pictures in hand for each worker: enough to keep all busy behind a slow one, few enough for memory."""


@dataclass(frozen=True)
class Limits:
    """How much a batch may take."""

    jobs: int = 1
    """Processes."""
    seconds: float | None = None
    """Time for one picture; None for no limit."""
    megabytes: int | None = None
    """Memory of a process; None for no limit."""


def run_batch(pictures: Iterable[Job], wanted: Wanted, limits: Limits) -> Iterator[tuple[Job, Done]]:
    """Read the pictures, and yield each with what came of it, in their order.

    A picture that takes too long, or that ends its process three times, is told as failed; the process is
    replaced.
    """
    pool = _new_pool(limits)

    def submit(job: Job) -> Any:
        nonlocal pool
        if not pool.active:  # a broken one takes no more tasks
            pool.stop()
            pool.join()
            pool = _new_pool(limits)
        return pool.schedule(read_picture, args=(job, wanted), timeout=limits.seconds)

    waiting: deque[tuple[Job, Any]] = deque()
    left = iter(pictures)
    try:
        while True:
            while len(waiting) < _AHEAD * limits.jobs and (job := next(left, None)) is not None:
                waiting.append((job, submit(job)))
            if not waiting:
                break
            job, future = waiting.popleft()
            yield job, _answer(job, future, submit, limits)
        pool.close()
    finally:
        pool.stop()
        pool.join()


def _new_pool(limits: Limits) -> Any:
    from pebble import ProcessPool

    # Spawned afresh: a fork would copy locks of threads.
    return ProcessPool(
        limits.jobs,
        initializer=begin,
        initargs=(limits.megabytes,),
        context=multiprocessing.get_context("spawn"),
    )


def _answer(job: Job, future: Any, submit: Callable[[Job], Any], limits: Limits) -> Done:
    """What came of a picture, tried again where its process died."""
    from pebble import ProcessExpired

    for death in range(1, MOST_DEATHS + 1):
        try:
            done: Done = future.result()
            return done
        except TimeoutError:
            return failed(job, f"reading it took longer than {limits.seconds:g} seconds (--timeout)")
        except (ProcessExpired, BrokenProcessPool, CancelledError):  # the last, where its pool was replaced
            if death < MOST_DEATHS:
                future = submit(job)
    return failed(job, f"reading it ended the worker process {MOST_DEATHS} times")
