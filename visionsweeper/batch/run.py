"""A batch of pictures on this machine: several processes, answers in the order of the pictures."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
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
    workers = Workers(limits)
    try:
        yield from workers.read(pictures, wanted)
        workers.finish()
    finally:
        workers.stop()


class Workers:
    """Processes that read pictures, one batch after another."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._pool = _new_pool(limits)

    def read(self, pictures: Iterable[Job], wanted: Wanted) -> Iterator[tuple[Job, Done]]:
        """Read the pictures as `run_batch` does."""
        waiting: deque[tuple[Job, Any]] = deque()
        left = iter(pictures)
        while True:
            while len(waiting) < _AHEAD * self.limits.jobs and (job := next(left, None)) is not None:
                waiting.append((job, self._submit(job, wanted)))
            if not waiting:
                return
            job, future = waiting.popleft()
            yield job, self._answer(job, future, wanted)

    def finish(self) -> None:
        """Take no more pictures."""
        self._pool.close()

    def stop(self) -> None:
        """End the processes."""
        self._pool.stop()
        self._pool.join()

    def _submit(self, job: Job, wanted: Wanted) -> Any:
        if not self._pool.active:  # a broken one takes no more tasks
            self.stop()
            self._pool = _new_pool(self.limits)
        return self._pool.schedule(read_picture, args=(job, wanted), timeout=self.limits.seconds)

    def _answer(self, job: Job, future: Any, wanted: Wanted) -> Done:
        """Return what came of a picture, tried again where its process died."""
        from pebble import ProcessExpired

        for death in range(1, MOST_DEATHS + 1):
            try:
                done: Done = future.result()
                return done
            except TimeoutError:
                return failed(job, f"reading it took longer than {self.limits.seconds:g} seconds (--timeout)")
            except (
                ProcessExpired,
                BrokenProcessPool,
                CancelledError,
            ):  # the last, where its pool was replaced
                if death < MOST_DEATHS:
                    future = self._submit(job, wanted)
        return failed(job, f"reading it ended the worker process {MOST_DEATHS} times")


def _new_pool(limits: Limits) -> Any:
    from pebble import ProcessPool

    # Spawned afresh: a fork would copy locks of threads.
    return ProcessPool(
        limits.jobs,
        initializer=begin,
        initargs=(limits.megabytes,),
        context=multiprocessing.get_context("spawn"),
    )
