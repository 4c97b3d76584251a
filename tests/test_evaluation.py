"""Measuring readings: figures counted by hand, and by scikit-learn; reports, pictures, the command."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commandline import Run, runner
from labelled_shots import position, write_shot, write_shots
from outside_data import SCREENS, needs

from visionsweeper import Board, read_board
from visionsweeper.board import SYMBOLS
from visionsweeper.errors import InvalidInput, NoBoardFound, WriteFailed
from visionsweeper.geometry import Grid
from visionsweeper.io.files import check_folder
from visionsweeper.io.images import load_image, save_image
from visionsweeper.training.dataset import find_shots
from visionsweeper.training.evaluation import UNREAD, Evaluation, Reader, evaluate
from visionsweeper.training.evaluation_pictures import confusion_picture, contact_sheet
from visionsweeper.training.evaluation_report import to_json, to_text, write_report

TRUTH = "0112?\n01F2?\n01122\n"
READ = "0112F\n01F3?\n01122\n"
"""Two of 15 tiles wrong: ? as F, 2 as 3."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def reading(text: str, doubts: dict[tuple[int, int], float]) -> Any:
    """What a reader would answer: sure of all tiles but those in doubt."""
    board = Board.from_text(text)
    confidence = np.full(board.cells.shape, 0.995)
    for tile, value in doubts.items():
        confidence[tile] = value
    grid = Grid.even((0, 0, 24 * board.columns, 24 * board.rows), board.columns, board.rows)
    uncertain = confidence < 0.98
    return SimpleNamespace(
        board=board, grid=grid, confidence=confidence, uncertain=uncertain, straightened=False
    )


def answering(*answers: Any) -> Reader:
    """A reader that gives these answers one after another."""
    waiting = list(answers)

    def read(image: Any, width: int | None, height: int | None) -> Any:
        answer = waiting.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return read


@pytest.fixture
def counted(tmp_path: Path) -> Evaluation:
    """Three shots of two themes: one right, one with two errors of which one is flagged, one not found."""
    for theme, name in (("dark", "a"), ("dark", "b"), ("flat", "c")):
        write_shot(tmp_path / "shots" / theme, name, Board.from_text(TRUTH), theme)
    reader = answering(
        reading(TRUTH, {(0, 0): 0.6}),
        reading(READ, {(0, 4): 0.75, (2, 4): 0.9}),
        NoBoardFound("nothing like a board"),
    )
    return evaluate(find_shots(tmp_path / "shots"), reader)


def test_figures_counted_by_hand(counted: Evaluation) -> None:
    assert (counted.tiles, counted.wrong, counted.boards, counted.perfect, counted.unread) == (
        45,
        17,
        3,
        1,
        1,
    )
    assert counted.accuracy == pytest.approx(28 / 45)
    # The 3 that was not flagged is missed; the board not found said so, all of its 15 tiles count as flagged.
    assert counted.missed_errors == 1
    assert counted.false_alarms == 2
    assert counted.mistakes == {("?", "F"): 1, ("2", "3"): 1}
    dark, flat = counted.by_theme()["dark"], counted.by_theme()["flat"]
    assert (dark.tiles, dark.wrong, dark.perfect, dark.boards, dark.unread) == (30, 2, 1, 2, 0)
    assert (flat.tiles, flat.wrong, flat.perfect, flat.boards, flat.unread) == (15, 15, 0, 1, 1)
    table = {(row.low, row.high): (row.tiles, row.right) for row in counted.reliability}
    assert table == {
        (0.0, 0.5): (15, 0.0),
        (0.5, 0.7): (1, 1.0),
        (0.7, 0.8): (1, 0.0),
        (0.9, 0.95): (1, 1.0),
        (0.99, 1.0): (27, pytest.approx(26 / 27)),
    }
    squares = [0.0] * 15 + [0.4**2, 0.75**2, 0.1**2] + [0.005**2] * 26 + [0.995**2]
    assert counted.brier == pytest.approx(np.mean(squares))


def test_confusion_and_recall_counted_by_hand(counted: Evaluation) -> None:
    table = counted.confusion
    assert table.shape == (13, 14)
    assert table.sum() == 45
    two, covered, flag = SYMBOLS.index("2"), SYMBOLS.index("?"), SYMBOLS.index("F")
    # TRUTH has four 2s, two ? and one F: right twice where read, but for the mistakes, and once not read.
    assert table[two, [two, 3, UNREAD]].tolist() == [7, 1, 4]
    assert table[covered, [covered, flag, UNREAD]].tolist() == [3, 1, 2]
    kinds = {kind.symbol: kind for kind in counted.kinds}
    assert kinds["2"].tiles == 12
    assert kinds["2"].recall == pytest.approx(7 / 12)
    assert kinds["F"].precision == pytest.approx(2 / 3)
    assert (kinds["8"].tiles, kinds["8"].precision) == (0, 1.0)


def test_worst_tiles_begin_with_the_surest_missed_errors(counted: Evaluation) -> None:
    first, second = counted.worst(9)
    assert (first.truth, first.read, first.row, first.column) == ("2", "3", 1, 3)
    assert (first.uncertain, first.confidence, first.box) == (False, 0.995, (72, 24, 96, 48))
    assert (second.truth, second.read, second.uncertain) == ("?", "F", True)
    assert [tile.read for tile in counted.worst(1)] == ["3"]


def test_a_board_of_another_size_is_all_missed_errors(tmp_path: Path) -> None:
    write_shot(tmp_path, "a", Board.from_text(TRUTH), "flat")
    evaluation = evaluate(find_shots(tmp_path), answering(reading("00\n00\n", {})))
    assert (evaluation.wrong, evaluation.missed_errors, evaluation.unread) == (15, 15, 1)
    assert evaluation.outcomes[0].problem == "read as 2x2"
    assert evaluation.worst(5) == ()


@pytest.mark.slow
def test_figures_agree_with_scikit_learn_on_real_readings(tmp_path: Path) -> None:
    from sklearn.metrics import accuracy_score, confusion_matrix, recall_score  # slow to load

    write_shots(tmp_path, ("classic", "paper", "candy"), 2)
    shots = find_shots(tmp_path)
    evaluation = evaluate(shots, read_board)
    boards = [read_board(shot.image, shot.board.columns, shot.board.rows) for shot in shots if shot.image]
    truth = np.concatenate([shot.board.cells.ravel() for shot in shots])
    read = np.concatenate([reading.board.cells.ravel() for reading in boards])
    assert evaluation.accuracy == accuracy_score(truth, read)
    np.testing.assert_array_equal(
        evaluation.confusion[:, :13], confusion_matrix(truth, read, labels=range(13))
    )
    recall = recall_score(truth, read, labels=range(13), average=None, zero_division=1.0)
    np.testing.assert_allclose([kind.recall for kind in evaluation.kinds], recall)
    assert sum(row.tiles for row in evaluation.reliability) == evaluation.tiles


def test_the_report_holds_the_figures(counted: Evaluation) -> None:
    text = to_text(counted)
    assert "62.22% of 45 tiles right, 1 of 3 boards without an error (33.3%)" in text
    assert "1 of 17 wrong tiles were not flagged as uncertain (missed errors)" in text
    assert "2 of 28 right ones were (false alarms)" in text
    (row,) = [line for line in text.splitlines() if line.startswith("dark ")]
    assert row.split()[:6] == ["dark", "93.33", "2", "1/2", "1", "2"]
    assert "? as F: 1" in row
    assert "flat/c: nothing like a board" in text
    assert all(line == line.rstrip() for line in text.splitlines())
    record = json.loads(json.dumps(to_json(counted)))
    assert record["themes"]["flat"]["unread"] == 1
    assert record["confusion"]["read"][-1] == "unread"
    assert np.sum(record["confusion"]["tiles"]) == 45


def test_pictures_are_drawn_whatever_there_is_to_show(counted: Evaluation, tmp_path: Path) -> None:
    sheet = contact_sheet(counted)
    assert sheet.dtype == np.uint8
    assert sheet.shape[2] == 3
    matrix = confusion_picture(counted)
    # Right tiles are green, wrong ones red.
    colours = matrix.reshape(-1, 3).astype(int)
    assert ((colours[:, 1] - colours[:, 0]) > 60).any()
    assert ((colours[:, 0] - colours[:, 1]) > 60).any()
    write_shot(tmp_path / "right", "a", Board.from_text(TRUTH), "flat")
    perfect = evaluate(find_shots(tmp_path / "right"), answering(reading(TRUTH, {})))
    assert contact_sheet(perfect).shape[0] > 100
    assert perfect.brier == pytest.approx(0.005**2)
    assert confusion_picture(perfect).shape[1] < matrix.shape[1]


def test_the_contact_sheet_shows_the_tile_itself(counted: Evaluation) -> None:
    from visionsweeper.training import evaluation_pictures

    picture = load_image(counted.outcomes[1].shot.image or "")
    cut = evaluation_pictures._cutout(picture, (72, 24, 96, 48))
    side = cut.shape[0]
    quarter = side // 4
    middle = cut[quarter : side - quarter, quarter : side - quarter].astype(float)
    assert abs(middle.mean(axis=(0, 1)) - picture[24:48, 72:96].mean(axis=(0, 1))).max() < 3


def test_the_report_is_written_wholly(counted: Evaluation, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "report"
    paths = write_report(counted, folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "confusion.png",
        "report.json",
        "report.txt",
        "worst.png",
    ]
    assert set(paths) == set(folder.iterdir())
    np.testing.assert_array_equal(load_image(folder / "confusion.png"), confusion_picture(counted))
    assert (folder / "report.txt").read_text() == to_text(counted) + "\n"
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed, match="is a file"):
        check_folder(tmp_path / "file" / "report")


def test_nothing_to_evaluate(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no labelled shots"):
        evaluate([], read_board)
    write_shot(tmp_path, "a", Board.from_text(TRUTH), "flat")
    with pytest.raises(InvalidInput, match=r"uncropped picture: it is NAME\.full\.png"):
        evaluate(find_shots(tmp_path), read_board, uncropped=True)
    with pytest.raises(InvalidInput, match="no readings"):
        Evaluation((), uncropped=False)


# --- the command


@pytest.mark.slow
def test_evaluate_prints_and_writes_a_report(run: Run, tmp_path: Path) -> None:
    write_shots(tmp_path / "shots", ("flat", "mono"), 1)
    outcome = run("evaluate", "shots", "-o", "report")
    assert outcome.status == 0
    assert "of 144 tiles right" in outcome.out
    assert (tmp_path / "report" / "report.txt").read_text() == outcome.out
    assert load_image(tmp_path / "report" / "worst.png").ndim == 3
    figures = json.loads(run("evaluate", "shots", "--json").out)
    assert (figures["tiles"], figures["boards"], sorted(figures["themes"])) == (144, 2, ["flat", "mono"])


def test_evaluate_uncropped_reads_whole_windows(run: Run, tmp_path: Path) -> None:
    board = position(3, 12, 12)
    write_shot(tmp_path / "shots", "a", board, "classic", tile=30)
    window = np.full((12 * 30 + 90, 12 * 30 + 80, 3), 236, dtype=np.uint8)
    window[70:-20, 40:-40] = load_image(tmp_path / "shots" / "a.png")
    save_image(tmp_path / "shots" / "a.full.png", window)
    figures = json.loads(run("evaluate", "shots", "--uncropped", "--json").out)
    assert figures["uncropped"] is True
    assert (figures["tiles"], figures["unread"]) == (144, 0)


def test_evaluate_says_what_is_wrong(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outcome = run("evaluate", "empty")
    assert (outcome.status, outcome.out) == (3, "")
    assert "no labelled shots in empty" in outcome.err
    write_shot(tmp_path / "shots", "a", Board.from_text(TRUTH), "flat").write_text("01\n0\n")
    assert "line 2 of the board has 1 tile" in run("evaluate", "shots").err
    write_shot(tmp_path / "shots", "a", Board.from_text(TRUTH), "flat")
    outcome = run("evaluate", "shots", "--model", "missing.npz")
    assert outcome.status == 7
    assert "missing.npz" in outcome.err
    (tmp_path / "file").write_text("kept")
    outcome = run("evaluate", "shots", "-o", "file")
    assert outcome.status == 6
    assert (tmp_path / "file").read_text() == "kept"
    assert run("evaluate").status == 2


@pytest.mark.slow
@needs(SCREENS)
def test_every_real_screenshot_is_found_with_its_theme() -> None:
    shots = find_shots(SCREENS)
    assert len(shots) == len(list(SCREENS.glob("*/*.txt")))
    assert {shot.theme for shot in shots} == {path.name for path in SCREENS.iterdir() if path.is_dir()}
    chosen = [shot for shot in shots if shot.theme == "google-julian"][:2]
    for uncropped in (False, True):
        evaluation = evaluate(chosen, partial(read_board, themes=()), uncropped=uncropped)
        assert (evaluation.boards, evaluation.unread) == (2, 0)


@pytest.mark.parametrize(
    ("read", "same"),
    [
        ("?1\n11\n", True),
        ("F1\n11\n", True),
        ("?1\n1?\n", False),
        ("*1\n11\n", False),
        ("?1\n12\n", False),
    ],
)
def test_odds_are_right_where_only_flags_differ(tmp_path: Path, read: str, same: bool) -> None:
    write_shot(tmp_path / "shots", "a", Board.from_text("?1\n11\n"), "flat")
    found = evaluate(find_shots(tmp_path / "shots"), answering(reading(read, {})))
    assert found.odds_right == int(same)
