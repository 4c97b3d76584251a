"""Spreads jobs over the processes of this machine or the workers of a Dask cluster, with joblib."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from visionsweeper.errors import InvalidInput, VisionsweeperError

Result = TypeVar("Result")


class WorkersLost(VisionsweeperError):
    """Whoever played the games is gone."""

    kind = "workers_lost"


@contextmanager
def on_processes(
    work: Callable[..., Result], jobs: Iterable[tuple[Any, ...]], workers: int
) -> Iterator[Iterator[Result]]:
    """The results in the order of the jobs, from so many processes.

    Raises WorkersLost when one of them ends before its time.
    """
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel, delayed  # slow to load

    results = Parallel(n_jobs=workers, return_as="generator")(delayed(work)(*job) for job in jobs)
    try:
        yield results
    except BrokenProcessPool as error:
        raise WorkersLost(
            "a process that played ended before its time (for want of memory?): try fewer --workers"
        ) from error
    finally:
        results.close()


@contextmanager
def on_cluster(
    work: Callable[..., Result], jobs: Iterable[tuple[Any, ...]], address: str
) -> Iterator[Iterator[Result]]:
    """The results in the order of the jobs, from the workers of a Dask scheduler.

    Raises InvalidInput where none answers, WorkersLost when it goes away.
    """
    try:
        from distributed import CancelledError, Client  # an extra
    except ImportError as error:
        raise InvalidInput(
            "a Dask cluster needs the package `distributed`: pip install 'visionsweeper[dask]'"
        ) from error
    from joblib import Parallel, delayed, parallel_config

    try:
        client = Client(  # type: ignore[no-untyped-call]
            address, timeout=10, set_as_default=False
        )
    except (OSError, ValueError) as error:
        raise InvalidInput(f"no Dask scheduler answers at {address}: is it running there?") from error
    try:
        with parallel_config(backend="dask", client=client):
            results = Parallel(return_as="generator")(delayed(work)(*job) for job in jobs)
            yield results
    except (CancelledError, OSError) as error:
        raise WorkersLost(f"the Dask scheduler at {address} went away: is it still running?") from error
    finally:
        with suppress(Exception):  # one that went away cannot be told so
            client.close()  # type: ignore[no-untyped-call]
