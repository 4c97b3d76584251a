"""Batches: the same results as one by one, in order, resumed after any end, with limits for each picture."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import Run, runner
from PIL import Image

from visionsweeper.batch import run as batch_run
from visionsweeper.batch.picture import Done, Job, Wanted, done_of
from visionsweeper.batch.results import ResultsFile
from visionsweeper.batch.run import Limits, run_batch
from visionsweeper.cli.failures import exit_status
from visionsweeper.errors import BadModel, InvalidInput, VisionsweeperError, WriteFailed, status_of
from visionsweeper.options import ReadOptions, SolveOptions
from visionsweeper.report.result import Report

SAMPLES = Path(__file__).parent.parent / "samples"
WANTED = Wanted(ReadOptions(), SolveOptions())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    folder = tmp_path / "shots"
    folder.mkdir()
    for name in ("a.png", "c.png", "d.png"):
        shutil.copy(SAMPLES / "beginner-flat.png", folder / name)
    (folder / "b.png").write_bytes(b"no picture")
    return folder


@pytest.mark.slow
def test_a_batch_tells_what_single_readings_tell_and_goes_on(run: Run, shots: Path, tmp_path: Path) -> None:
    single = run("parse", shots, "--json", "--no-picture")
    assert single.status == 3
    batch = run("parse", shots, "--jobs", 2, "--jsonl", "out/results.jsonl", "--no-picture")
    results = tmp_path / "out" / "results.jsonl"
    assert (batch.status, len(batch.complaints)) == (3, 1)
    assert "4 pictures in" in batch.out
    assert results.read_text() == single.out
    # As after a kill in the middle of a line.
    whole = results.read_bytes()
    results.write_bytes(whole[: whole.index(b"\n", whole.index(b"\n") + 1) + 20])
    again = run("parse", shots, "--jobs", 2, "--jsonl", results, "--no-picture")
    assert "2 pictures in" in again.out
    assert "2 were in" in again.out
    assert results.read_bytes() == whole
    assert list(shots.glob("*.solved.png")) == []


@pytest.mark.slow
def test_limits_end_a_picture_and_no_batch(shots: Path) -> None:
    jobs = [Job(str(shots / name), None) for name in ("a.png", "c.png")]
    for _, done in run_batch(jobs, WANTED, Limits(seconds=0.01)):
        assert done.status == 1
        assert "longer than 0.01 seconds" in str(done.failure)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
def test_a_picture_that_needs_too_much_memory(shots: Path) -> None:
    """81 megapixels take 240 MB as they are read, and as much again when they are copied."""
    Image.new("L", (9000, 9000)).save(shots / "a.png")
    jobs = [Job(str(shots / name), None) for name in ("a.png", "c.png")]
    (_, large), (_, usual) = run_batch(jobs, WANTED, Limits(megabytes=512))
    assert (large.status, usual.status) == (1, 0)
    assert "not enough memory" in str(large.failure)
    assert "--max-memory" in str(large.failure)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs RLIMIT_FSIZE")
@pytest.mark.parametrize(
    ("more", "status"),
    [
        (["-o", "out/"], 6),
        (["--jobs", "1", "--jsonl", "results.jsonl", "--no-picture"], 6),
        (["--jobs", "1", "-o", "out/", "-q"], 6),
        (["--debug", "stages", "--no-picture"], 6),
    ],
)
def test_files_that_find_no_room(shots: Path, tmp_path: Path, more: list[str], status: int) -> None:
    """A limit on the size of files stands for a full disk: one line, and nothing half-done."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "from visionsweeper.cli import main; main(sys.argv[1:])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, "parse", shots / "a.png", *more],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert told.returncode == status, told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert "larger than files may be here" in told.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != shots]
    assert [path.name for path in written if path.suffix not in {".txt", ".jsonl"}] == []


def _work_until_killed(job: Job, _wanted: Wanted) -> Done:
    """Stands for a picture that ends the process that reads it: always, or once."""
    mark = Path(f"{job.name}.tried")
    if "poison" in job.name or ("once" in job.name and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Done("{}", job.name, 0, None)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_picture_that_kills_its_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_run, "read_picture", _work_until_killed)
    names = [str(tmp_path / name) for name in ("a", "poison", "b", "once", "c")]
    answers = list(run_batch((Job(name, None) for name in names), WANTED, Limits(jobs=2)))
    assert [job.name for job, _ in answers] == names
    assert [done.status for _, done in answers] == [0, 1, 0, 0, 0]
    assert "ended the worker process 3 times" in str(answers[1][1].failure)


def test_results_are_appended_and_known(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "results.jsonl"
    with ResultsFile(place) as results:
        results.write('{"image": "a.png"}')
    place.write_bytes(place.read_bytes() + b'{"image": "b')
    with ResultsFile(place) as results:
        assert results.known == {"a.png"}
        results.write('{"image": "c.png"}')
    assert place.read_text() == '{"image": "a.png"}\n{"image": "c.png"}\n'


@pytest.mark.parametrize(
    "content", ["notes\n", '{"image": 3}\n', "[]\n", '{"width": 9}\n', "notes", '{"width": 9}', "[1, 2"]
)
def test_what_is_no_file_of_results_stays_as_it_is(tmp_path: Path, content: str) -> None:
    place = tmp_path / "notes.txt"
    place.write_text(content)
    with pytest.raises(InvalidInput, match="line 1"), ResultsFile(place):
        pass
    assert place.read_text() == content


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(tmp_path: Path) -> None:
    with ResultsFile(tmp_path / "results.jsonl") as results:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, results._descriptor)
        os.close(full)
        with pytest.raises(WriteFailed, match="again to continue"):
            results.write("{}")


@pytest.mark.parametrize(
    "more", [["--text"], ["--open"], ["--debug", "d"], ["-o", "-"], ["--max-memory", "1"]]
)
def test_what_a_batch_does_not_do(run: Run, shots: Path, more: list[str]) -> None:
    assert run("parse", shots / "a.png", "--jobs", 2, *more).status == 2


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidInput("x"), 3),
        (WriteFailed("x"), 6),
        (BadModel("x"), 7),
        (VisionsweeperError("x"), 1),
        (RuntimeError("x"), 1),
    ],
)
def test_an_error_has_the_same_status_in_a_batch_and_alone(error: Exception, status: int) -> None:
    assert status_of(error) == status
    assert exit_status(error) == status
    assert done_of(Report(image="a.png", error=error)).status == status
