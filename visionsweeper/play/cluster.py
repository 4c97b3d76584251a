"""Spreads jobs over the processes of this machine or the workers of a Dask cluster, with joblib."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from visionsweeper.errors import InvalidInput

Result = TypeVar("Result")


@contextmanager
def on_processes(
    work: Callable[..., Result], jobs: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[Iterator[Result]]:
    """The results in the order of the jobs, from so many processes."""
    from joblib import Parallel, delayed  # noqa: PLC0415 - slow to load

    results = Parallel(n_jobs=workers, return_as="generator")(delayed(work)(*job) for job in jobs)
    try:
        yield results
    finally:
        results.close()


@contextmanager
def on_cluster(
    work: Callable[..., Result], jobs: Sequence[tuple[Any, ...]], address: str
) -> Iterator[Iterator[Result]]:
    """The results in the order of the jobs, from the workers of a Dask scheduler."""
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InvalidInput(
            "a Dask cluster needs the package `distributed`: pip install 'visionsweeper[dask]'"
        ) from error
    from joblib import Parallel, delayed, parallel_config  # noqa: PLC0415

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
    finally:
        client.close()  # type: ignore[no-untyped-call]
