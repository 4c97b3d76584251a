"""Tasks on a real Dask cluster: workers and schedulers that die, tasks that fail, and the same sum."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from commandline import Run, runner

from visionsweeper.errors import InvalidInput, WorkersLost
from visionsweeper.io.cluster import on_cluster
from visionsweeper.simulation.results import load_outcomes

pytest.importorskip("distributed", reason="needs the extra `dask`")
pytestmark = pytest.mark.slow

TASKS = """
import os, signal, time

def work(task):
    kind, value = task
    if kind == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "raise":
        raise ValueError(f"no luck with {value}")
    if kind == "import":
        import there_is_no_such_package
    time.sleep(0.02)
    return os.getpid(), value * value
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """A scheduler and workers, each a process of its own, in a folder that they import from."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.address = f"tcp://127.0.0.1:{port or free_port()}"
        self._folder = folder
        self._log = (folder / "dask.log").open("a")
        self.scheduler = self._begin("dask_scheduler", "--host", self.address)
        self.workers: list[subprocess.Popen[bytes]] = []

    def _begin(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{what}", *arguments, "--no-dashboard"],
            stdout=self._log,
            stderr=self._log,
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": str(self._folder)},
        )

    def add_worker(self, *, nanny: bool = False) -> None:
        """Begin a worker of one thread; with a `nanny` a new one takes the place of one that died."""
        kind = "--nanny" if nanny else "--no-nanny"
        self.workers.append(self._begin("dask_worker", self.address, "--nthreads", "1", kind))

    def wait(self, workers: int) -> None:
        from distributed import Client  # an extra

        with Client(self.address, timeout=60, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(workers, timeout=120)

    def end(self) -> None:
        for one in (*self.workers, self.scheduler):
            one.terminate()
        for one in (*self.workers, self.scheduler):
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self._log.close()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    begun: list[Cluster] = []

    def new(workers: int, *, nanny: bool = False) -> Cluster:
        cluster = Cluster(tmp_path)
        begun.append(cluster)
        for _ in range(workers):
            cluster.add_worker(nanny=nanny)
        cluster.wait(workers)
        return cluster

    yield new
    for one in begun:
        one.end()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Any]]:
    (tmp_path / "cluster_tasks.py").write_text(TASKS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("cluster_tasks").work
    sys.modules.pop("cluster_tasks")


def test_workers_come_and_go_and_nothing_is_lost(
    begin: Callable[..., Cluster], work: Callable[[Any], Any]
) -> None:
    cluster = begin(2)
    taken = 0

    def tasks() -> Iterator[tuple[str, int]]:
        nonlocal taken
        for value in range(300):
            taken += 1
            yield "square", value

    found: dict[int, int] = {}
    pids = set()
    with on_cluster(work, tasks(), cluster.address) as answers:
        for done in answers:
            assert done.failure is None
            assert done.result is not None
            pid, found[done.task[1]] = done.result
            pids.add(pid)
            assert taken - len(found) <= 2 * 3  # a window, not everything at once
            if len(found) == 20:
                cluster.workers[0].send_signal(signal.SIGKILL)
            if len(found) == 60:
                cluster.add_worker()
                cluster.wait(2)
    assert found == {value: value * value for value in range(300)}
    assert len(pids) == 3


def test_what_fails_again_and_again_is_given_up_alone(
    begin: Callable[..., Cluster], work: Callable[[Any], Any]
) -> None:
    cluster = begin(2, nanny=True)
    tasks = [("square", value) for value in range(30)]
    tasks[3] = ("die", 3)
    tasks[7] = ("raise", 7)
    with on_cluster(work, tasks, cluster.address) as answers:
        found = {done.task: done for done in answers}
    assert len(found) == 30
    failed = {task: done.failure for task, done in found.items() if done.failure is not None}
    assert failed == {
        ("die", 3): "its worker died each time",
        ("raise", 7): "ValueError: no luck with 7",
    }
    squares = {task[1]: done.result[1] for task, done in found.items() if done.result is not None}
    assert len(squares) == 28
    assert squares == {value: value * value for value in squares}


def test_a_fault_of_all_tasks_ends_the_run(begin: Callable[..., Cluster], work: Callable[[Any], Any]) -> None:
    cluster = begin(1)
    with (
        pytest.raises(InvalidInput, match="need this package"),
        on_cluster(work, [("import", 1)], cluster.address) as answers,
    ):
        list(answers)
    with (
        pytest.raises(WorkersLost, match="no task was done, and 10 failed, the last one so: ValueError"),
        on_cluster(work, (("raise", value) for value in range(10**9)), cluster.address) as answers,
    ):
        list(answers)


def test_no_scheduler_is_told() -> None:
    with (
        pytest.raises(InvalidInput, match="no Dask scheduler answers"),
        on_cluster(abs, [1], "tcp://127.0.0.1:9"),
    ):
        raise AssertionError("nobody is there")


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not what():
        assert time.monotonic() < end
        time.sleep(0.1)


def games_in(results: Path) -> int:
    return load_outcomes(results)[0].games if results.exists() else 0


def test_a_scheduler_that_dies_costs_no_game_that_was_counted(
    begin: Callable[..., Cluster],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run: Run = runner(monkeypatch, capsys)
    kept = tmp_path / "kept.jsonl"
    simulated = ("simulate", "--preset", "expert", "--technique", "single", "--seed", "3")
    first = begin(2)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "visionsweeper", *simulated, "--games", "1000000000"),
            *("--backend", "dask", "--scheduler", first.address, "--resume", str(kept)),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: games_in(kept) > 0)
    first.workers[0].kill()
    before = games_in(kept)
    wait_for(lambda: games_in(kept) > before)
    first.scheduler.kill()
    told = process.communicate(timeout=120)[1]
    assert process.returncode == WorkersLost.exit_status
    assert "went away" in told
    [outcome] = load_outcomes(kept)
    games = max(last for _, last in outcome.ranges) + 700

    second = begin(1)
    spread = run(
        *simulated, "--games", games, "--resume", kept, "--json",
        "--backend", "dask", "--scheduler", second.address,
    )  # fmt: skip
    alone = run(*simulated, "--games", games, "--workers", "1", "--json")
    assert (spread.status, alone.status) == (0, 0), spread.err
    timed = {"seconds", "seconds_per_game"}
    here, there = (
        {name: value for name, value in json.loads(one.out).items() if name not in timed}
        for one in (alone, spread)
    )
    assert here == there
    assert here["games"] == games
