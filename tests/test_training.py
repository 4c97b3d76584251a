"""Training on labelled shots: what is learned, what is kept apart, what is refused. Tiny models only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commandline import Run, runner
from labelled_shots import position, write_shot, write_shots

from visionsweeper import read_board
from visionsweeper.errors import InvalidInput
from visionsweeper.io.images import load_image
from visionsweeper.synthetic import find_fonts
from visionsweeper.training import cross_validation
from visionsweeper.training.dataset import Shot, find_shots
from visionsweeper.training.evaluation import evaluate
from visionsweeper.training.train import TrainingOptions, train
from visionsweeper.vision.themes.store import model_path
from visionsweeper.vision.tiles.knn import load_model

pytestmark = pytest.mark.slow

THEMES = ("classic", "dark", "flat", "neon")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fonts").mkdir()
    return runner(monkeypatch, capsys)


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Shot, ...]:
    folder = tmp_path_factory.mktemp("shots")
    write_shots(folder, THEMES, 5)
    return find_shots(folder)


def test_labelled_shots_are_learned_besides_drawn_boards(shots: tuple[Shot, ...]) -> None:
    options, fonts = TrainingOptions(boards=24, seed=2), find_fonts([])
    drawn = train(options, fonts)
    assert "labelled" not in drawn.record["trained_on"]
    few = [shot for shot in shots if shot.theme in THEMES[:2]]
    stages: dict[str, int] = {}
    model = train(options, fonts, lambda stage, done, total: stages.update({stage: total - done}), few)
    assert set(stages.values()) == {0}
    assert model.record["trained_on"]["labelled"] == {"shots": 10, "themes": ["classic", "dark"]}
    assert model.record["trained_on"]["boards"] == 24
    with_shots, without = (
        evaluate(few, partial(read_board, model=each, themes=())) for each in (model, drawn)
    )
    assert with_shots.accuracy > 0.9
    assert with_shots.accuracy >= without.accuracy
    # Both may read all as surely as their calibrations ever let them; one alone has these tiles' prototypes.
    known, strange = (
        [read_board(shot.cropped(), model=each, themes=()).distance.mean() for shot in few]
        for each in (model, drawn)
    )
    assert max(known) < min(strange) / 10


def test_labelled_shots_alone_are_enough(shots: tuple[Shot, ...]) -> None:
    model = train(TrainingOptions(boards=0, seed=1), [], shots=shots)
    evaluation = evaluate(shots, partial(read_board, model=model, themes=()))
    assert evaluation.accuracy > 0.99
    # Confidence was fitted on themes that were unknown then; so small a model was right to promise little.
    assert evaluation.missed_errors == 0


def test_too_few_shots_are_refused(shots: tuple[Shot, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"10 labelled shots of 2 themes are too few .*--boards"):
        train(TrainingOptions(boards=0), [], shots=shots[:10])
    with pytest.raises(InvalidInput, match="too few"):
        train(TrainingOptions(boards=0), [])


# --- cross-validation


class FakeTraining:
    """Stands in for the training: remembers what it was given, and reads as the truth says."""

    def __init__(self) -> None:
        self.themes: list[set[str]] = []

    def train(self, options: Any, fonts: Any, progress: Any, shots: Sequence[Shot]) -> Any:
        self.themes.append({shot.theme for shot in shots})
        return SimpleNamespace(themes=self.themes[-1])


@pytest.mark.parametrize("folds", [2, 3, 4, 9])
def test_every_theme_is_read_once_by_a_model_that_never_saw_it(
    shots: tuple[Shot, ...], folds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, read_with = FakeTraining(), []
    monkeypatch.setattr(cross_validation, "train", fake.train)

    def reader(model: Any) -> Any:
        def read(image: Any, width: Any, height: Any) -> Any:
            read_with.append(model.themes)
            return read_board(image, width, height, themes=())

        return read

    result = cross_validation.cross_validate(shots, TrainingOptions(boards=18), [], reader, folds=folds)
    assert sorted(theme for held in result.folds for theme in held) == sorted(THEMES)
    assert len(result.folds) == min(folds, 4)
    assert [set(THEMES) - set(held) for held in result.folds] == fake.themes
    assert [outcome.shot for outcome in result.evaluation.outcomes] == list(shots)
    order = [shot.theme for held in result.folds for shot in shots if shot.theme in held]
    assert all(theme not in seen for theme, seen in zip(order, read_with, strict=True))


def test_one_theme_cannot_be_left_out(shots: tuple[Shot, ...]) -> None:
    for some, folds in ((shots[:5], 3), (shots, 1)):
        with pytest.raises(InvalidInput, match="two themes, and two folds"):
            cross_validation.fold_themes(some, folds)


def test_too_few_shots_are_noticed_before_anything_is_trained(
    shots: tuple[Shot, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeTraining()
    monkeypatch.setattr(cross_validation, "train", fake.train)
    with pytest.raises(InvalidInput, match="too few to train on alone"):
        cross_validation.cross_validate(shots, TrainingOptions(boards=0), [], lambda _: read_board, folds=2)
    assert fake.themes == []


# --- the command


def test_train_on_folders_writes_a_model_and_how_unknown_themes_are_read(run: Run, tmp_path: Path) -> None:
    write_shots(tmp_path / "shots", THEMES[:3], 2)
    outcome = run("train", "shots", "-o", "m.npz", "--boards", 12, "--folds", 2, "--fonts", "fonts")
    assert outcome.status == 0
    assert "Themes left out of the training, 2 folds:" in outcome.out
    assert "m.npz: " in outcome.out
    report = json.loads((tmp_path / "m.report" / "report.json").read_text())
    assert sorted(report["themes"]) == sorted(THEMES[:3])
    assert load_image(tmp_path / "m.report" / "confusion.png").ndim == 3
    record = load_model(tmp_path / "m.npz").record
    assert record["validated"]["tiles"] == report["tiles"] == 6 * 72
    assert record["validated"]["tiles_right"] == pytest.approx(report["accuracy"], abs=1e-5)
    assert record["trained_on"]["labelled"]["shots"] == 6


def test_train_keeps_a_model_by_name(run: Run, tmp_path: Path) -> None:
    write_shot(tmp_path / "shots", "a", position(0), "flat")
    outcome = run("train", "shots", "--name", "own", "--boards", 12, "--fonts", "fonts")
    assert outcome.status == 0
    assert str(model_path("own")) in outcome.out
    assert load_model(model_path("own")).record["trained_on"]["labelled"]["themes"] == ["shots"]
    assert run("evaluate", "shots", "--model", "own").status == 0
    assert not (tmp_path / "shots.report").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["shots"], 2, "either -o FILE.npz or --name NAME"),
        (["shots", "-o", "m.npz", "--name", "own"], 2, "either -o FILE.npz or --name NAME"),
        (["-o", "m.npz", "--boards", "0"], 2, "nothing to learn from"),
        (["shots", "-o", "m.npz", "--folds", "1"], 2, "--folds 1"),
        (["-o", "m.npz", "--report", "r"], 2, "--report needs labelled shots"),
        (["shots", "--name", "../own"], 3, "../own"),
        (["missing", "-o", "m.npz"], 3, "missing: no such folder"),
        (["fonts", "-o", "m.npz"], 3, "no labelled shots in fonts"),
        (["ragged", "-o", "m.npz"], 3, "line 2 of the board has 1 tile"),
        (["misfit", "-o", "m.npz"], 3, "do not fit a.png"),
        (["shots", "-o", "m.npz", "--boards", "0", "--fonts", "fonts"], 3, "too few to train on alone"),
        (["shots", "-o", "shots/a.txt/m.npz"], 6, "is a file"),
        (["shots", "-o", "m.npz", "--report", "shots/a.txt"], 6, "is a file"),
    ],
)
def test_train_says_at_once_what_is_wrong(
    run: Run, tmp_path: Path, arguments: list[str], status: int, complaint: str
) -> None:
    write_shot(tmp_path / "shots", "a", position(0), "flat")
    write_shot(tmp_path / "ragged", "a", position(0), "flat").write_text("01\n1\n")
    write_shot(tmp_path / "misfit", "a", position(0, 20, 6), "flat").write_text(str(position(0, 6, 20)))
    outcome = run("train", *arguments)
    assert (outcome.status, len(outcome.complaints)) == (status, 1)
    assert complaint in outcome.err
    assert not list(tmp_path.rglob("*.npz"))


def test_train_says_at_once_that_models_cannot_be_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("VISIONSWEEPER_DATA", str(tmp_path / "taken" / "data"))
    outcome = run("train", "--name", "own", "--fonts", "fonts")
    assert (outcome.status, len(outcome.complaints)) == (6, 1)
    assert "VISIONSWEEPER_DATA" in outcome.err
