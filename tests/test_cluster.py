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
from watching import shot

from visionsweeper.batch import cluster as batch_cluster
from visionsweeper.errors import InvalidInput, WorkersLost, WriteFailed
from visionsweeper.io import remote
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


WATCHED = """
# Runs in every process of the cluster: notes what is read; one picture ends the process that reads it.
import functools, os, signal
from pathlib import Path
from visionsweeper.batch import picture

read = picture.read_picture

@functools.wraps(read)
def watched(job, wanted):
    with open(Path(__file__).parent / "reads.log", "a") as log:
        log.write(job.name.rpartition("/")[2] + chr(10))
    if "poison" in job.name:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(job, wanted)

picture.read_picture = watched
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
                one.wait(60)
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


@pytest.mark.parametrize("address", ["nonsense", "tcp://nonsense", "tcp://127.0.0.1:port", "s3://here:1"])
def test_what_is_no_address_of_a_scheduler_is_told_in_one_line(address: str, tmp_path: Path) -> None:
    shots = tmp_path / "shots"
    shots.mkdir()
    asked = ("parse", str(shots), "--scheduler", address, "--jsonl", str(tmp_path / "out"))
    done = subprocess.run(
        [sys.executable, "-m", "visionsweeper", *asked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"visionsweeper: {address} is not the address of a Dask scheduler: write it like tcp://10.0.0.5:8786"
    ]


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
    impatient = (
        "import sys\n"
        "from visionsweeper.io import cluster; cluster._PATIENCE = 15\n"
        "from visionsweeper.cli import main; main(sys.argv[1:])\n"
    )
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", impatient, *simulated, "--games", "1000000000"),
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


def results_in(folder: Path) -> dict[str, dict[str, Any]]:
    """The results by the picture's name; none may be there twice."""
    lines = [
        json.loads(line) for part in sorted(folder.glob("*.jsonl")) for line in part.read_text().splitlines()
    ]
    found = {Path(line["image"]).name: line for line in lines}
    assert len(found) == len(lines)
    return found


def test_pictures_on_a_cluster(
    begin: Callable[..., Cluster],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Workers die, a picture ends whoever reads it, the run is killed: each picture is told once."""
    run: Run = runner(monkeypatch, capsys)
    (tmp_path / "sitecustomize.py").write_text(WATCHED)
    shots, out, log = tmp_path / "shots", tmp_path / "out", tmp_path / "reads.log"
    for folder in ("a", "b"):
        (shots / folder).mkdir(parents=True)
        for seed in range(8):
            (shots / folder / f"{folder}{seed:02}.png").write_bytes(shot(seed % 3))
    (shots / "a" / "poison.png").write_bytes(shot(1))
    (shots / "b" / "bad.png").write_bytes(b"no picture")
    cluster = begin(2, nanny=True)
    asked = ("parse", shots, "-r", "--scheduler", cluster.address, "--jsonl", out)
    monkeypatch.setattr(batch_cluster, "CHUNK", 4)
    code = (
        "import sys\n"
        "from visionsweeper.batch import cluster; cluster.CHUNK = 4\n"
        "from visionsweeper.cli import main; main(sys.argv[1:])\n"
    )
    first = subprocess.Popen([sys.executable, "-c", code, *map(str, asked)], stderr=subprocess.DEVNULL)
    wait_for(lambda: log.exists() and len(log.read_text().splitlines()) > 2)
    cluster.workers[0].kill()
    wait_for(lambda: any(out.glob("*.jsonl")))
    first.kill()
    first.wait()
    cluster.add_worker(nanny=True)
    cluster.wait(2)
    before = {part: part.read_bytes() for part in out.glob("*.jsonl")}
    log.write_text("")
    second = run(*asked)
    done_before = {json.loads(line)["image"] for part in before.values() for line in part.splitlines()}
    assert second.status == (1 if str(shots / "b" / "bad.png") in done_before else 3), second.err
    assert {part: part.read_bytes() for part in before} == before
    found = results_in(out)
    assert len(found) == 18
    assert "ended the worker process 3 times" in found["poison.png"]["error"]["message"]
    assert found["bad.png"]["error"]["kind"] == "invalid_input"
    assert not {Path(name).name for name in done_before} & set(log.read_text().splitlines())
    # The same as read here, and a third time nothing is left to do but what is new.
    alone = json.loads(run("parse", shots / "a" / "a02.png", "--json", "--no-picture").out)
    assert found["a02.png"] == alone
    (shots / "b" / "b00-later.png").write_bytes(shot(2))
    log.write_text("")
    third = run(*asked)
    assert "18 were in" in third.out
    assert log.read_text().splitlines() == ["b00-later.png"]
    assert len(results_in(out)) == 19
    assert not [path for path in out.iterdir() if path.suffix != ".jsonl"]


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server of S3 on this machine, with an empty bucket."""
    server = pytest.importorskip("moto.server", reason="needs the extra `dev`: moto[server] and s3fs")
    s3fs = pytest.importorskip("s3fs", reason="needs the extra `dev`: moto[server] and s3fs")
    serving = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    serving.start()
    host, port = serving.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().mkdir("games")
    yield "s3://games"
    serving.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def test_pictures_in_a_store(
    store: str,
    begin: Callable[..., Cluster],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run: Run = runner(monkeypatch, capsys)
    for seed in range(5):
        remote.write_address(f"{store}/shots/{seed}.png", shot(seed % 2))
    remote.write_address(f"{store}/shots/notes.txt", b"no picture")
    cluster = begin(1)
    asked = ("parse", f"{store}/shots", "--scheduler", cluster.address, "--jsonl", f"{store}/results/")
    told = run(*asked)
    assert told.status == 0, told.err
    assert "5 pictures" in told.out
    assert "0 with problems" in told.out
    [part] = remote.names_in(f"{store}/results")
    lines = [
        json.loads(line) for line in remote.read_address(f"{store}/results/{part}", 1 << 20).splitlines()
    ]
    assert [line["image"] for line in lines] == [f"{store}/shots/{seed}.png" for seed in range(5)]
    assert lines[0]["board"] == lines[2]["board"] != lines[1]["board"]
    assert "5 were in" in run(*asked).out
    # Results of that folder that are damaged: what is in them is not known.
    remote.write_address(f"{store}/results/{part[:17]}0.jsonl", b'{"image": "s3://')
    remote.write_address(f"{store}/shots/5.png", shot(1))
    damaged = run(*asked)
    assert (damaged.status, len(damaged.complaints)) == (3, 1)
    assert f"{part[:17]}0.jsonl is damaged" in damaged.err
    missing = run(
        "parse", f"{store}/shots/none.png", "--scheduler", cluster.address, "--jsonl", f"{store}/results/"
    )
    assert (missing.status, len(missing.complaints)) == (3, 1)
    # Listings are not kept, which would fill the memory.
    for number in range(3):
        remote.write_address(f"{store}/many/{number}/1.png", b"")
    kept = []
    for folder, _ in remote.folders_below(f"{store}/many", recursive=True):
        kept.append(len(remote._opened(folder, InvalidInput)[0].dircache))
    remote.names_in(f"{store}/results")
    kept.append(len(remote._opened(store, InvalidInput)[0].dircache))
    assert kept == [0] * 4
    # Nothing but the names of a page is held while they are listed.
    system = remote._opened(store, InvalidInput)[0]
    for number in range(1203):
        system.pipe_file(f"games/full/{number:04}.png", b"")
    with monkeypatch.context() as patched:
        patched.setattr(type(system), "_lsdir", None)
        [(folder, pictures)] = remote.folders_below(f"{store}/full", recursive=True)
        assert (folder, pictures) == (
            f"{store}/full",
            [f"{store}/full/{number:04}.png" for number in range(1203)],
        )
        assert remote.names_in(f"{store}/full") == {f"{number:04}.png" for number in range(1203)}
        [one] = remote.folders_below(f"{store}/full/0007.png", recursive=False)
        assert one == (f"{store}/full/0007.png", [f"{store}/full/0007.png"])
        assert [name for name, _ in remote.folders_below(store, recursive=False)] == []
        assert [name for name, _ in remote.folders_below(f"{store}/many", recursive=True)] == [
            f"{store}/many/{number}" for number in range(3)
        ]
        with pytest.raises(InvalidInput, match="there is no such file"):
            list(remote.folders_below(f"{store}/nowhere", recursive=True))
    # A bucket that is not there is not made.
    with pytest.raises(WriteFailed, match=r"s3://gmes/results/1.jsonl: there is no such bucket"):
        remote.write_address("s3://gmes/results/1.jsonl", b"one")
    assert remote.names_in("s3://") == {"games"}


@pytest.mark.parametrize(
    "more",
    [
        ["--jobs", "2"],
        ["-o", "out"],
        ["--json"],
        ["--clipboard"],
        ["--debug", "stages"],
        ["--jsonl", "kept.jsonl"],
    ],
)
def test_what_a_cluster_does_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept.jsonl").touch()
    run: Run = runner(monkeypatch, capsys)
    asked = ["parse", "s3://games/shots", "--scheduler", "tcp://127.0.0.1:9", "--jsonl", "out", *more]
    assert run(*asked).status == 2
    assert run("parse", "s3://games/shots").status == 2
