"""Runs tasks on a Dask cluster: a bounded window of them, in any order, with those given up told as such."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from visionsweeper.errors import InvalidInput, WorkersLost

Task = TypeVar("Task")
Result = TypeVar("Result")

MOST_FAILURES: Final = 3
"""So often may a task fail before it is given up. Dask counts the deaths of workers by itself: a task whose
worker died four times (`allowed-failures` of its scheduler and one) comes back as failed."""

_AHEAD: Final = 2
"""Tasks in hand for each thread of the workers: one that runs, and one that waits."""

_LOOK_EVERY: Final = 2.0
"""Seconds between two looks at which workers there are."""

_PATIENCE: Final = 60.0
"""Seconds without any worker, or with a scheduler that is out of reach, before a run ends."""

_MOST_GIVEN_UP: Final = 10
"""So many tasks given up before any was done: the fault is not theirs."""


@dataclass(frozen=True)
class Done(Generic[Task, Result]):
    """What came of a task."""

    task: Task
    result: Result | None
    """What the work returned; None where the task was given up."""
    failure: str | None = None
    """Why it was given up."""


@contextmanager
def on_cluster(
    work: Callable[[Task], Result], tasks: Iterable[Task], address: str
) -> Iterator[Iterator[Done[Task, Result]]]:
    """Give the answers to the tasks, in the order in which workers of a Dask scheduler finish them.

    `work` is a function of a module that the workers have too. Tasks are taken from `tasks` one by one, as
    workers come and go, so that there may be any number of them. One that raises, or whose worker dies, is
    tried again; where workers die, in the end and alone, so that others are not blamed for it.

    Raises InvalidInput where no scheduler answers or workers lack the package, WorkersLost when the scheduler
    or all workers go away. Leaving the context takes back what is not finished.
    """
    client = _connect(address)
    try:
        yield _Run(client, work, tasks, address).answers()
    finally:
        with suppress(Exception):  # one that went away cannot be told so
            client.close(timeout=2)


def _connect(address: str) -> Any:
    try:
        from distributed import Client  # an extra
        from distributed.comm.addressing import normalize_address, resolve_address
    except ImportError as error:
        raise InvalidInput(
            "a Dask cluster needs the package `distributed`: pip install 'visionsweeper[dask]'"
        ) from error
    nobody = f"no Dask scheduler answers at {address}: is it running there?"
    try:
        # A client that finds this out by itself prints a traceback later on.
        resolve_address(normalize_address(address))
    except ValueError as error:
        raise InvalidInput(
            f"{address} is not the address of a Dask scheduler: write it like tcp://10.0.0.5:8786"
        ) from error
    except OSError as error:
        raise InvalidInput(nobody) from error
    try:
        return Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InvalidInput(nobody) from error


class _Run(Generic[Task, Result]):
    """One run of tasks: what is in hand, and what waits to be tried again."""

    def __init__(
        self, client: Any, work: Callable[[Task], Result], tasks: Iterable[Task], address: str
    ) -> None:
        self._client = client
        self._work = work
        self._tasks = iter(tasks)
        self._address = address
        self._in_hand: dict[str, tuple[Any, Task, int]] = {}
        """Key of a future -> the future, its task, and how often that failed before."""
        self._again: deque[tuple[Task, int]] = deque()
        """Tasks to be tried again at once, with how often they failed."""
        self._suspects: deque[tuple[Task, int]] = deque()
        """Tasks whose worker died: tried again alone, when nothing else is left."""
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._window = 0
        self._looked = 0.0
        self._seen = time.monotonic()
        """When there was a worker last."""
        self._done = 0
        self._given_up = 0

    def answers(self) -> Iterator[Done[Task, Result]]:
        """Yield what came of each task, until none is left."""
        try:
            while True:
                self._follow_workers()
                self._submit()
                if not self._in_hand and self._window:
                    return
                try:
                    future = self._finished.get(timeout=0.5)
                except queue.Empty:
                    continue
                answer = self._answer(future)
                if answer is not None:
                    yield answer
        finally:
            with suppress(Exception):
                self._client.cancel([future for future, _, _ in self._in_hand.values()])

    def _follow_workers(self) -> None:
        """Set the window by the workers that there are now."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        threads = 0
        with suppress(Exception):  # out of reach: it may come back
            threads = sum(self._client.nthreads().values())
        self._looked = now = time.monotonic()
        self._window = _AHEAD * threads
        if threads:
            self._seen = now
        elif now - self._seen > _PATIENCE:
            raise WorkersLost(f"the Dask scheduler at {self._address} has no workers: start some there")

    def _submit(self) -> None:
        while len(self._in_hand) < self._window:
            if self._again:
                task, failures = self._again.popleft()
            else:
                try:
                    task, failures = next(self._tasks), 0
                except StopIteration:
                    if self._in_hand or not self._suspects:
                        return
                    self._start(*self._suspects.popleft())
                    return
            self._start(task, failures)

    def _start(self, task: Task, failures: int) -> None:
        future = self._client.submit(self._work, task, pure=False)
        self._in_hand[future.key] = future, task, failures
        future.add_done_callback(self._finished.put)

    def _answer(self, future: Any) -> Done[Task, Result] | None:
        """Return what came of a future; None where its task is to be tried again."""
        from distributed import KilledWorker

        _, task, failures = self._in_hand.pop(future.key)
        if future.status == "finished":
            result = future.result()
            future.release()
            self._done += 1
            return Done(task, result)
        if future.status != "error":
            # Cancelled or lost: the result went with its worker, or the scheduler went with all its tasks.
            self._require_scheduler()
            self._again.append((task, failures))
            return None
        error = future.exception()
        future.release()
        if isinstance(error, ImportError):
            raise InvalidInput(f"the workers at {self._address} need this package too: {error}") from error
        if isinstance(error, KilledWorker):
            if failures < MOST_FAILURES - 1:
                # Any of the tasks that were on the worker may have ended it: alone it is tried but once.
                self._suspects.append((task, MOST_FAILURES - 1))
                return None
            return self._give_up(task, "its worker died each time")
        if failures < MOST_FAILURES - 1:
            self._again.append((task, failures + 1))
            return None
        return self._give_up(task, f"{type(error).__name__}: {error}")

    def _require_scheduler(self) -> None:
        """Raise WorkersLost where the scheduler does not answer, nor another one that took its place."""
        try:
            self._client.nthreads()
        except Exception as error:
            raise WorkersLost(
                f"the Dask scheduler at {self._address} went away: is it still running?"
            ) from error

    def _give_up(self, task: Task, why: str) -> Done[Task, Result]:
        self._given_up += 1
        if not self._done and self._given_up == _MOST_GIVEN_UP:
            raise WorkersLost(f"no task was done, and {self._given_up} failed, the last one so: {why}")
        return Done(task, None, why)
