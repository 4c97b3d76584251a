"""Worker processes for what takes time: limited in number and seconds, ended when nobody waits any more."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pebble import ProcessExpired, ProcessPool

from visionsweeper.io.processes import keep_to_one_thread
from visionsweeper.web import progress
from visionsweeper.web.answers import Answer, error_answer
from visionsweeper.web.tasks import perform, warm_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from visionsweeper.web.limits import Limits

GRACE: Final = 1.0
"""Seconds that a task is still given after its request was dropped: a new worker costs more than that."""


_MAY_BREAK_DOWN: Final = {"read-replay": "replay", "read-video": "video"}
"""Task -> what it reads, by readers that end their process where a file is not as they expect it."""


class Workers:
    """A pool of processes that perform tasks by name."""

    def __init__(self, limits: Limits, *, ready: bool = True) -> None:
        """`ready`: processes start at once, else with the first request."""
        self._limits = limits
        # Forking a process that runs threads is unsafe.
        self._context = multiprocessing.get_context("spawn")
        self._done = progress.shares(self._context, limits.workers + limits.waiting)
        """How much is done of each request by its place in `_places`; NaN where that is not told."""
        self._places: dict[object, int] = {}
        self._pool = self._new_pool() if ready else None
        self._line: list[object] = []
        """Who is worked on or waits for it, in the order in which they are taken."""

    def _new_pool(self) -> ProcessPool:
        keep_to_one_thread()
        pool = ProcessPool(
            self._limits.workers, initializer=progress.share, initargs=[self._done], context=self._context
        )
        # The first request need not wait for what every process has to load.
        for _ in range(self._limits.workers):
            pool.schedule(warm_up)
        return pool

    def close(self) -> None:
        """End all processes, whatever they are at."""
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()

    def done(self, ticket: str) -> float | None:
        """Return how much of a request is done, 0 to 1; None where that is not known."""
        share = self._done[self._places[ticket]] if ticket in self._places else math.nan
        return None if math.isnan(share) else float(share)

    def place(self, ticket: str) -> int | None:
        """Return how many are worked on before this one is, itself included; 0 when it is worked on."""
        if ticket not in self._line:
            return None
        return max(self._line.index(ticket) - self._limits.workers + 1, 0)

    async def perform(
        self, request: Request, name: str, arguments: Mapping[str, Any], ticket: str | None = None
    ) -> Answer:
        """Return a task's answer, or one that says why there is none; `place` knows it by its `ticket`."""
        if len(self._line) >= self._limits.workers + self._limits.waiting:
            message = "the server is busy: try again in a moment"
            return error_answer("busy", message, 503, {"Retry-After": "1"})
        mine: object = object() if ticket is None or ticket in self._line else ticket
        self._line.append(mine)
        place = min(set(range(len(self._done))) - set(self._places.values()))
        self._places[mine], self._done[place] = place, math.nan
        try:
            return await self._finished(request, name, arguments, place)
        except (TimeoutError, asyncio.CancelledError):
            # Tasks are cancelled only by the server's end, or by a request that nobody waits for.
            return error_answer(
                "too_slow",
                f"this takes longer than {self._limits.seconds:g} seconds: the command line has no limit",
                503,
            )
        except (ProcessExpired, BrokenProcessPool):
            if name in _MAY_BREAK_DOWN:
                message = f"this {_MAY_BREAK_DOWN[name]} could not be read: is the file complete?"
                return error_answer("invalid_input", message, 400)
            return error_answer("unexpected", "the process that computed this crashed; please report it", 500)
        finally:
            self._line.remove(mine)
            del self._places[mine]

    async def _finished(
        self, request: Request, name: str, arguments: Mapping[str, Any], place: int
    ) -> Answer:
        if self._pool is None or not self._pool.active:  # the system may end processes for want of memory
            self._pool = self._new_pool()
        future = self._pool.schedule(
            perform, args=(name, self._limits, dict(arguments), place), timeout=self._limits.seconds
        )
        work = asyncio.wrap_future(future)
        gone: asyncio.Future[None] = asyncio.ensure_future(_gone(request))
        try:
            both: list[asyncio.Future[Any]] = [work, gone]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await asyncio.wait({work}, timeout=GRACE)
            if not work.done():
                work.cancel()  # which ends the process that is at it
            answer: Answer = await work
            return answer
        finally:
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone


async def _gone(request: Request) -> None:
    """Wait until the client has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
