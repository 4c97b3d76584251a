"""Files by address: stores that fail, files that are written wholly, listings that do not pile up."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from commandline import Run, runner
from watching import shot

from visionsweeper.batch import cluster as batch_cluster
from visionsweeper.batch.cluster import Chunk, ChunkDone, ClusterBatch, read_chunk
from visionsweeper.batch.picture import Job, Wanted, read_picture
from visionsweeper.batch.run import Limits
from visionsweeper.errors import InvalidInput, Unreachable, WriteFailed
from visionsweeper.io import remote
from visionsweeper.io.cluster import Done
from visionsweeper.options import ReadOptions, SolveOptions

fsspec = pytest.importorskip("fsspec", reason="needs the extra `dask`")

WANTED = Wanted(ReadOptions(), SolveOptions())


@pytest.fixture
def trouble() -> Iterator[dict[str, Exception]]:
    """A store `troubled://` in memory: what is in the dict is raised, by the name of the method."""
    from fsspec.implementations.memory import MemoryFileSystem

    raised: dict[str, Exception] = {}

    class Troubled(MemoryFileSystem):  # type: ignore[misc]
        protocol = "troubled"
        store: ClassVar[dict[str, Any]] = {}
        pseudo_dirs: ClassVar[list[str]] = [""]

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            plain: str = super()._strip_protocol(path.replace("troubled://", "memory://"))
            return plain

        def __getattribute__(self, name: str) -> Any:
            if name in raised:
                raise raised[name]
            return super().__getattribute__(name)

    fsspec.register_implementation("troubled", Troubled, clobber=True)
    yield raised
    raised.clear()


def test_a_picture_that_cannot_be_fetched_has_no_result(trouble: dict[str, Exception]) -> None:
    job = Job("troubled://shots/1.png", None)
    gone = read_picture(job, WANTED)
    assert "there is no such file" in str(gone.failure)
    assert json.loads(gone.line)["error"]["kind"] == "invalid_input"
    remote.write_address(job.name, shot(1))
    assert read_picture(job, WANTED).failure is None
    trouble["_open"] = PermissionError("the credentials have expired")
    with pytest.raises(Unreachable, match=r"troubled://shots/1.png .* the credentials have expired"):
        read_picture(job, WANTED)
    trouble["_open"] = MemoryError()
    assert "--max-memory" in str(read_picture(job, WANTED).failure)


@pytest.mark.slow
def test_a_chunk_with_a_picture_that_cannot_be_fetched_has_no_results(tmp_path: Path) -> None:
    """The process that reads does not know the store, as on a worker that lacks what reads it."""
    good = tmp_path / "good.png"
    good.write_bytes(shot(1))
    chunk = Chunk((str(good), "nowhere://shots/1.png"), str(tmp_path / "out" / "1.jsonl"), WANTED, Limits())
    try:
        with pytest.raises(Unreachable, match=r"nowhere://shots/1.png"):
            read_chunk(chunk)
    finally:
        batch_cluster._kept.workers.stop()
        del batch_cluster._kept.workers
    assert list(tmp_path.iterdir()) == [good]
    assert issubclass(Unreachable, InvalidInput)  # exit status 3


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_files_are_written_wholly_or_not_at_all(
    trouble: dict[str, Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that is killed leaves nothing under the final name, before the renaming."""
    for folder in (f"file://{tmp_path}/out", "troubled://out"):
        system, path = fsspec.url_to_fs(f"{folder}/1.jsonl")
        remote.write_address(f"{folder}/1.jsonl", b"one")
        remote.write_address(f"{folder}/1.jsonl", b"other")
        assert system.cat_file(path) == b"other"
        assert remote.names_in(folder) == {"1.jsonl"}
    seen: list[set[str]] = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            remote.write_address(f"file://{tmp_path}/out/2.jsonl", b"two")
    seen.append(remote.names_in(f"file://{tmp_path}/out"))
    trouble["mv"] = OSError("no connection")
    with pytest.raises(WriteFailed, match=r"troubled://out/2.jsonl: no connection"):
        remote.write_address("troubled://out/2.jsonl", b"two")
    seen.append(remote.names_in("troubled://out"))
    for names in seen:
        assert "1.jsonl" in names
        assert "2.jsonl" not in names


def test_what_a_killed_writer_left_counts_for_nothing(tmp_path: Path) -> None:
    shots = tmp_path / "shots"
    shots.mkdir()
    (shots / "1.png").touch()
    results = f"file://{tmp_path}/out"
    source = batch_cluster.Source([str(shots)], False, results)
    [chunk] = ClusterBatch(source, WANTED, Limits())._chunks()
    remote.write_address(f"{chunk.part}.0123456789abcdef.tmp", b'{"ima')
    assert list(ClusterBatch(source, WANTED, Limits())._chunks()) == [chunk]
    remote.write_address(chunk.part, b"{}")
    assert not list(ClusterBatch(source, WANTED, Limits())._chunks())


def test_workers_get_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders and files that are named from here mean the same to a worker in another folder."""
    chunks: list[Chunk] = []

    @contextmanager
    def nowhere(_: object, tasks: Iterable[Chunk], __: str) -> Iterator[Iterator[Done[Chunk, ChunkDone]]]:
        chunks.extend(tasks)
        yield iter(())

    monkeypatch.setattr(batch_cluster, "on_cluster", nowhere)
    monkeypatch.chdir(tmp_path)
    Path("shots").mkdir()
    Path("shots/1.png").touch()
    Path("2.png").touch()
    remote.write_address("memory://shots/3.png", b"")
    run: Run = runner(monkeypatch, capsys)
    asked = ("parse", "shots", "2.png", "memory://shots", "--scheduler", "tcp://127.0.0.1:9", "--jsonl")
    assert run(*asked, "out").status == 0
    names = [name for chunk in chunks for name in chunk.names]
    assert names == [str(tmp_path / "shots" / "1.png"), str(tmp_path / "2.png"), "memory:///shots/3.png"]
    assert {str(Path(chunk.part).parent) for chunk in chunks} == {str(tmp_path / "out")}
    chunks.clear()
    assert run(*asked, "memory://out").status == 0
    assert all(chunk.part.startswith("memory://out/") for chunk in chunks)


@pytest.mark.parametrize("method", ["exists", "isdir", "ls"])
def test_a_store_that_cannot_be_listed_is_told(trouble: dict[str, Exception], method: str) -> None:
    remote.write_address("troubled://shots/1.png", b"")
    trouble[method] = PermissionError("the credentials have expired")
    with pytest.raises(
        InvalidInput, match=r"troubled://shots cannot be listed: the credentials have expired"
    ):
        list(remote.folders_below("troubled://shots", recursive=True))
