"""A batch of pictures on a Dask cluster: workers read pictures by path or address, and write the results.

The pictures of a folder go to the workers in chunks. A chunk's results are one file, whose name tells the
folder and the chunk: what is there was done, whatever ended the run before.
"""

from __future__ import annotations

import json
import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from visionsweeper.batch.picture import Job, Wanted
from visionsweeper.batch.run import Limits, Workers
from visionsweeper.errors import InvalidInput, WorkersLost
from visionsweeper.io.cluster import on_cluster
from visionsweeper.io.remote import folders_below, names_in, read_address, write_address

CHUNK: Final = 64
"""Pictures of a chunk: some seconds of work, and a file of a quarter of a megabyte."""

_MOST_BYTES: Final = 1 << 30
"""Of a file of results."""

_TOLD: Final = 5
"""Failures of a chunk that are told in words."""


@dataclass(frozen=True)
class Chunk:
    """Some pictures of one folder."""

    names: tuple[str, ...]
    part: str
    """Where their results go: an address or a path."""
    wanted: Wanted
    limits: Limits


@dataclass(frozen=True)
class ChunkDone:
    """What came of a chunk."""

    pictures: int
    problems: int
    status: int
    """The highest exit status of its pictures."""
    told: tuple[tuple[str, str], ...]
    """Some of those with problems, each with what went wrong."""
    failure: str | None = None
    """Why nobody did it; then there are no results of it."""


@dataclass(frozen=True)
class Source:
    """Where pictures come from, and where their results go."""

    names: Sequence[str]
    """Folders and pictures, by path or address; paths have to mean the same on every worker."""
    recursive: bool
    results: str
    """The folder of results, by path or address."""


class ClusterBatch:
    """A batch that the workers of a Dask scheduler share."""

    def __init__(self, source: Source, wanted: Wanted, limits: Limits) -> None:
        self._source, self._wanted, self._limits = source, wanted, limits
        self.passed = 0
        """Pictures whose results were there already."""

    def run(self, scheduler: str) -> Iterator[ChunkDone]:
        """Yield what came of each chunk, in the order in which they are finished.

        Raises InvalidInput for what cannot be listed, and as `on_cluster` does.
        """
        with on_cluster(read_chunk, self._chunks(), scheduler) as answers:
            for done in answers:
                if done.result is None:
                    names = done.task.names
                    status = WorkersLost.exit_status
                    yield ChunkDone(len(names), len(names), status, (), done.failure or "")
                else:
                    yield done.result

    def _chunks(self) -> Iterator[Chunk]:
        there = {name for name in names_in(self._source.results) if name.endswith(".jsonl")}
        for name in self._source.names:
            for folder, pictures in folders_below(name, recursive=self._source.recursive):
                yield from self._chunks_of(folder, pictures, there)

    def _chunks_of(self, folder: str, pictures: list[str], there: set[str]) -> Iterator[Chunk]:
        """Yield the chunks of a folder that are not done."""
        head = _digest(folder)
        parts = {_part(head, names): names for names in _chunked(pictures)}
        left = [name for part, names in parts.items() if part not in there for name in names]
        self.passed += len(pictures) - len(left)
        # Where the folder has other pictures than before, its chunks are others too.
        for part in sorted(one for one in there - parts.keys() if one.startswith(head)) if left else ():
            known = self._pictures_in(part)
            self.passed += sum(name in known for name in left)
            left = [name for name in left if name not in known]
        for names in _chunked(left):
            yield Chunk(names, self._place(_part(head, names)), self._wanted, self._limits)

    def _place(self, part: str) -> str:
        return f"{self._source.results.rstrip('/')}/{part}"

    def _pictures_in(self, part: str) -> set[str]:
        """Names of the pictures that a file of results has. Raises InvalidInput where it is damaged."""
        place = self._place(part)
        try:
            lines = read_address(place, _MOST_BYTES).splitlines()
            return {str(json.loads(line)["image"]) for line in lines}
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{place} is damaged: delete it and run the same command again to read its pictures"
            ) from error


def read_chunk(chunk: Chunk) -> ChunkDone:
    """Read the pictures of a chunk, in a process of their own, and write their results; runs on a worker.

    Raises Unreachable where one could not be fetched, and WriteFailed; then there are no results.
    """
    lines, told, status, problems = [], [], 0, 0
    jobs = [Job(name, None) for name in chunk.names]
    for job, done in _workers(chunk.limits).read(jobs, chunk.wanted):
        lines.append(done.line)
        status = max(status, done.status)
        if done.failure is not None:
            problems += 1
            told.append((job.name, done.failure))
    write_address(chunk.part, "".join(f"{line}\n" for line in lines).encode())
    return ChunkDone(len(lines), problems, status, tuple(told[:_TOLD]))


_kept: Final = threading.local()
"""The process of each thread of this worker, which outlives chunks: it loads the model once."""


def _workers(limits: Limits) -> Workers:
    found: Workers | None = getattr(_kept, "workers", None)
    if found is None or found.limits != limits:
        if found is not None:
            found.stop()
        # Dask's nanny makes its workers daemons, which may have no children; these end with their parent.
        process: Any = multiprocessing.current_process()
        process._config["daemon"] = False
        found = _kept.workers = Workers(limits)
    return found


def _chunked(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(names[start : start + CHUNK]) for start in range(0, len(names), CHUNK)]


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _part(head: str, names: Sequence[str]) -> str:
    return f"{head}-{_digest(chr(10).join(names))}.jsonl"
