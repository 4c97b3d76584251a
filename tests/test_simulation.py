"""Simulations: the same whoever plays them, gone on with, spread over a cluster, and told."""

from __future__ import annotations

import csv
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commandline import Run
from PIL import Image

from visionsweeper.errors import InvalidInput, VisionsweeperError
from visionsweeper.game.rules import Rules
from visionsweeper.simulation.results import load_outcomes, plot, save_outcomes, to_table
from visionsweeper.simulation.run import Outcome, as_dict, play_block, simulate, wilson

pytestmark = pytest.mark.slow

BEGINNER = Rules(9, 9, 10)


def timeless(outcome: Outcome) -> Outcome:
    return replace(outcome, seconds=0.0)


def test_the_seed_alone_decides(tmp_path: Path) -> None:
    whole = simulate(BEGINNER, "best", 1700, seed=3)
    assert whole.games == whole.won + whole.stuck + whole.lost == 1700
    assert timeless(simulate(BEGINNER, "best", 1700, seed=3, workers=2)) == timeless(whole)
    begun = simulate(BEGINNER, "best", 630, seed=3)
    save_outcomes(tmp_path / "begun", [begun])
    [kept] = load_outcomes(tmp_path / "begun")
    assert kept == begun
    assert timeless(simulate(BEGINNER, "best", 1700, seed=3, begun=kept)) == timeless(whole)
    assert timeless(simulate(BEGINNER, "best", 1700, seed=4)) != timeless(whole)
    assert simulate(BEGINNER, "best", 100, seed=3, begun=whole) == whole


def test_what_was_begun_otherwise_is_not_gone_on_with() -> None:
    begun = simulate(BEGINNER, "single", 10)
    with pytest.raises(InvalidInput, match="another board, rules, technique or seed"):
        simulate(BEGINNER, "single", 20, seed=1, begun=begun)
    with pytest.raises(InvalidInput, match="another board, rules, technique or seed"):
        simulate(BEGINNER, "exact", 20, begun=begun)


def test_threads_play_the_same_games() -> None:
    rules = Rules(16, 16, 40, "corner", "safe")
    blocks: list[tuple[Any, ...]] = [(rules, "lowest", 5, block, 0, 500) for block in range(8)]
    alone = [play_block(*block)[:3] for block in blocks]
    with ThreadPoolExecutor(4) as threads:
        together = threads.map(lambda block: play_block(*block)[:3], blocks)
        assert list(together) == alone


def test_an_interrupt_keeps_the_games_so_far() -> None:
    def stop(outcome: Outcome) -> None:
        if outcome.games >= 1000:
            raise KeyboardInterrupt

    broken = simulate(BEGINNER, "exact", 5000, seed=1, progress=stop)
    assert broken.interrupted
    assert broken.games == 1000
    assert timeless(simulate(BEGINNER, "exact", 1500, seed=1, begun=broken)) == timeless(
        simulate(BEGINNER, "exact", 1500, seed=1)
    )


def test_a_lost_first_click_counts() -> None:
    outcome = simulate(Rules(3, 3, 3, "centre", "any"), "exact", 3000)
    share = outcome.share(outcome.lost)
    assert share.low <= 1 / 3 <= share.high


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_intervals_are_the_published_ones(count: int, total: int, low: float, high: float) -> None:
    # 81 of 263: the example of R. G. Newcombe, Statistics in Medicine 17 (1998), method 3.
    interval = wilson(count, total)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ((9, 9, 73), "at most 72"),
        ((0, 9, 1), "0x9"),
        ((1000, 1000, 1), "1000x1000"),
        ((9, 9, 10, (9, 0)), "row 9, column 0, is outside"),
        ((9, 9, 81, "corner", "safe"), "at most 80"),
    ],
)
def test_boards_that_cannot_be(rules: tuple[int, ...], message: str) -> None:
    with pytest.raises(VisionsweeperError, match=re.escape(message)):
        Rules(*rules)  # type: ignore[arg-type]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(params=["1", "4"], ids=["one thread", "four threads"])
def scheduler(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A real scheduler with two workers, each a process of its own, of one thread or several."""
    pytest.importorskip("distributed", reason="needs the extra `dask`")
    address = f"tcp://127.0.0.1:{free_port()}"
    log = (tmp_path / "dask.log").open("w")
    begun = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"],
            stdout=log,
            stderr=log,
            cwd=tmp_path,
        )
    ]
    for _ in range(2):
        begun.append(
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "distributed.cli.dask_worker",
                    address,
                    "--nthreads",
                    request.param,
                    "--no-dashboard",
                ],
                stdout=log,
                stderr=log,
                cwd=tmp_path,
            )
        )
    try:
        from distributed import Client  # an extra

        for _ in range(100):
            try:
                with Client(address, timeout=1, set_as_default=False) as client:
                    client.wait_for_workers(2, timeout=30)
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        for one in reversed(begun):
            one.terminate()
        for one in begun:
            one.wait(60)
        log.close()


def test_a_cluster_plays_the_same_games(scheduler: str, run: Run) -> None:
    arguments = ("simulate", "--preset", "beginner", "--games", "2600", "--technique", "exact", "--json")
    alone = run(*arguments, "--workers", "1")
    spread = run(*arguments, "--backend", "dask", "--scheduler", scheduler)
    assert (alone.status, spread.status) == (0, 0), spread.err
    timed = {"seconds", "seconds_per_game"}
    here, there = (
        {k: v for k, v in json.loads(one.out).items() if k not in timed} for one in (alone, spread)
    )
    assert here == there
    assert here["games"] == 2600


def test_the_command_tells_a_table_csv_and_a_plot(run: Run, tmp_path: Path) -> None:
    told = run(
        "simulate", "--preset", "beginner", "--games", "600",
        "--technique", "single", "--technique", "lowest",
        "--workers", "1", "--csv", tmp_path / "new" / "rates.csv", "--plot", tmp_path / "rates.png",
    )  # fmt: skip
    assert told.status == 0
    lines = told.out.splitlines()
    assert lines[0] == "9x9 with 10 mines; first click: random, an opening"
    assert [line.split()[0] for line in lines[1:]] == ["technique", "single", "lowest"]
    rows = list(csv.DictReader((tmp_path / "new" / "rates.csv").read_text().splitlines()))
    assert [row["technique"] for row in rows] == ["single", "lowest"]
    for row, line in zip(rows, lines[2:], strict=True):
        assert int(row["won"]) + int(row["stuck"]) + int(row["lost"]) == int(row["games"]) == 600
        assert f"{int(row['won']) / 6:.1f} %" in line
    with Image.open(tmp_path / "rates.png") as picture:
        assert picture.format == "PNG"
        assert picture.width > 600


def test_the_command_as_json(run: Run) -> None:
    told = run(
        "simulate", "--width", "8", "--height", "6", "--mines", "9",
        "--start", "1,2", "--first-click", "safe",
        "--games", "500", "--technique", "best", "--seed", "7", "--workers", "1", "--json",
    )  # fmt: skip
    found = json.loads(told.out)
    assert found["won"] + found["stuck"] + found["lost"] == found["games"] == 500
    assert (found["start"], found["first_click"], found["seed"]) == ([1, 2], "safe", 7)
    low, high = found["intervals"]["won"]
    assert low < found["won"] / 500 < high
    assert sum(found["odds_said"][0]) == sum(one["tiles"] for one in found["calibration"])


def test_the_command_goes_on_from_a_file(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    arguments = ("simulate", "--preset", "beginner", "--workers", "1", "--resume", kept, "--technique")
    assert run(*arguments, "single", "--games", "300").status == 0
    assert run(*arguments, "exact", "--games", "300").status == 0
    told = run(*arguments, "single", "--games", "800", "--json")
    assert json.loads(told.out)["games"] == 800
    [exact, single] = load_outcomes(kept)
    assert (single.technique, single.games, exact.games) == ("single", 800, 300)
    assert timeless(single) == timeless(simulate(BEGINNER, "single", 800))
    # Fewer than there are: nothing is thrown away.
    assert json.loads(run(*arguments, "single", "--games", "10", "--json").out)["games"] == 800


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--width", "9"], 2, "needs --width, --height and --mines"),
        (["--preset", "beginner", "--mines", "3"], 2, "leave out"),
        (["--start", "3"], 2, "R,C"),
        (["--start", "16,0"], 2, "outside the board"),
        (["--games", "0"], 2, "games"),
        (["--backend", "dask"], 2, "--scheduler"),
        (["--scheduler", "tcp://127.0.0.1:9"], 2, "--backend dask"),
        (["--width", "3", "--height", "3", "--mines", "1"], 5, "at most 0"),
        (["--technique", "luck"], 2, "luck"),
        (["--preset", "beginner", "--start", "9,0"], 2, "outside the board"),
        (["--games", "3", "--plot", "rates.doc"], 6, ".png, .svg, .pdf"),
    ],
)
def test_bad_options_get_one_clear_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("simulate", "--workers", "1", *arguments)
    assert told.status == status
    assert len(told.complaints) == 1
    assert message in told.complaints[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["{}", "[]", "no json", '{"version": 2}', '{"version": 1, "start": 7}', "\x00"]
)
def test_bad_results_files_get_one_clear_line(run: Run, tmp_path: Path, text: str) -> None:
    kept = tmp_path / "kept.jsonl"
    kept.write_text(text)
    told = run("simulate", "--games", "5", "--workers", "1", "--resume", kept)
    assert told.status == 3
    assert len(told.complaints) == 1
    assert "line 1" in told.complaints[0]
    assert kept.read_text() == text


def test_a_results_file_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    save_outcomes(kept, [simulate(BEGINNER, "single", 10)])
    found = json.loads(kept.read_text())
    kept.write_text(json.dumps(found | {"won": found["won"] + 1}))
    with pytest.raises(InvalidInput, match="no results"):
        load_outcomes(kept)


def test_nothing_played_is_told_without_made_up_numbers() -> None:
    assert "nan" not in to_table([Outcome(BEGINNER, "best", 0)])


@pytest.mark.parametrize("total", [1, 2, 3, 10, 37, 1000, 4999])
def test_intervals_hold_their_share(total: int) -> None:
    for count in {0, 1, total // 2, total - 1, total}:
        interval = wilson(count, total)
        assert 0 <= interval.low <= interval.share <= interval.high <= 1
    assert wilson(0, total).low == 0
    assert wilson(total, total).high == 1


def test_a_plot_of_all_and_of_nothing_won(tmp_path: Path) -> None:
    rules = Rules(9, 9, 10)
    plot(
        tmp_path / "a.png",
        [Outcome(rules, "exact", 1, games=10, won=10), Outcome(rules, "single", 1, games=1000, stuck=1000)],
    )
    assert (tmp_path / "a.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--csv", "a.csv", "--resume", "a.csv"], 2, "name the same file"),
        (["--csv", "."], 6, "is a folder"),
        (["--csv", f"{__file__}/a.csv"], 6, "is a file"),
        (["--resume", "."], 6, "folder"),
        (["--plot", "a.xyz"], 6, ".png, .svg, .pdf"),
        (["--plot", f"{__file__}/none/a.png"], 6, "is a file"),
    ],
)
def test_outputs_that_cannot_be_are_told_before_the_games(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("simulate", "--preset", "beginner", "--games", "1000000000000", *arguments)
    assert told.status == status
    assert said in told.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_keeps_its_results(tmp_path: Path, number: int) -> None:
    kept = tmp_path / "kept.jsonl"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "visionsweeper", "simulate", "--preset", "beginner", "--technique",
            "single", "--games", "100000000", "--workers", "1", "--resume", str(kept),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        end = time.monotonic() + 200
        while not kept.exists():
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(number)
        process.wait(30)
    finally:
        process.kill()
        process.wait()
    [outcome] = load_outcomes(kept)
    assert outcome.games >= 500


@pytest.mark.parametrize(
    "change",
    [
        {"mines": 82},
        {"position": ["?"]},
        {"position": 7},
        {"seconds": float("nan")},
        {"odds_said": [[1], [2]]},
        {"games": float("inf")},
        {"won": -1},
    ],
)
def test_damaged_results_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    good = as_dict(Outcome(Rules(9, 9, 10), "exact", 1, games=10, won=10))
    (tmp_path / "a.jsonl").write_text(json.dumps(good) + "\n\n" + json.dumps(good | change) + "\n")
    with pytest.raises(InvalidInput, match="line 3"):
        load_outcomes(tmp_path / "a.jsonl")


def test_former_names_of_the_documented_modules_still_work() -> None:
    from visionsweeper.game import finishing, rules
    from visionsweeper.play import finishing as former_finishing
    from visionsweeper.play import simulation as former
    from visionsweeper.simulation import run

    assert former_finishing.finish is finishing.finish
    assert former.Rules is rules.Rules
    assert all(hasattr(former, name) for name in former.__all__)
    assert former.simulate is run.simulate
