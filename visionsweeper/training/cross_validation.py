"""Cross-validation by theme: how a model trained on some themes reads themes that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from visionsweeper.errors import InvalidInput
from visionsweeper.synthetic import FontSource
from visionsweeper.training.dataset import Shot, divide
from visionsweeper.training.evaluation import Evaluation, Outcome, Reader, evaluate
from visionsweeper.training.train import Progress, TrainingOptions, train
from visionsweeper.vision.tiles.knn import Model


@dataclass(frozen=True, eq=False)
class Validation:
    """Every labelled shot as it was read by a model that had seen nothing of its theme."""

    evaluation: Evaluation
    folds: tuple[tuple[str, ...], ...]
    """Themes that were held out together."""


def fold_themes(shots: Sequence[Shot], folds: int) -> tuple[tuple[str, ...], ...]:
    """Share the themes out into about equal folds, or one fold a theme when there are no more than `folds`.

    The split is scikit-learn's GroupKFold, or LeaveOneGroupOut. Raises InvalidInput for fewer than two folds
    or themes: nothing would be left to train on.
    """
    from sklearn.model_selection import GroupKFold, LeaveOneGroupOut  # slow to load

    themes = sorted({shot.theme for shot in shots})
    if folds < 2 or len(themes) < 2:
        raise InvalidInput("cross-validation by theme needs labelled shots of two themes, and two folds")
    splitter = GroupKFold(folds) if folds < len(themes) else LeaveOneGroupOut()
    groups = [shot.theme for shot in shots]
    split = splitter.split(np.zeros(len(shots)), groups=groups)
    return tuple(tuple(sorted({groups[index] for index in held.tolist()})) for _, held in split)


def cross_validate(
    shots: Sequence[Shot],
    options: TrainingOptions,
    fonts: Sequence[FontSource],
    reader: Callable[[Model], Reader],
    *,
    folds: int = 3,
    progress: Progress = lambda *_: None,
) -> Validation:
    """Train once a fold without its themes, and read its shots with that model.

    Each training is a whole one, drawn boards included, so this takes as many times as long. `reader` makes
    the reader of a model: `lambda model: partial(read_board, model=model, themes=())`. Raises InvalidInput as
    `fold_themes` and `train` do, the latter before anything is trained.
    """
    parts = fold_themes(shots, folds)
    for held in parts:
        divide(_others(shots, held), drawn=options.boards > 0, seed=options.seed)
    outcomes: list[Outcome] = []
    for number, held in enumerate(parts, start=1):
        stage = partial(_staged, progress, f"fold {number} of {len(parts)}")
        model = train(options, fonts, stage, _others(shots, held))
        kept = [shot for shot in shots if shot.theme in held]
        outcomes += evaluate(kept, reader(model), progress=partial(stage, "reading")).outcomes
    order = {shot.text: place for place, shot in enumerate(shots)}
    outcomes.sort(key=lambda outcome: order[outcome.shot.text])
    return Validation(Evaluation(tuple(outcomes), uncropped=False), parts)


def with_record(model: Model, validation: Validation) -> Model:
    """Return the same model, its record saying how well models made the same way read themes left out."""
    evaluation, folds = validation.evaluation, len(validation.folds)
    figures = {
        "on": f"{evaluation.boards} labelled shots, each read without its theme ({folds} folds)",
        "tiles": evaluation.tiles,
        "tiles_right": round(evaluation.accuracy, 5),
        "boards_perfect": round(evaluation.perfect / evaluation.boards, 4),
    }
    return replace(model, record={**model.record, "validated": figures})


def _others(shots: Sequence[Shot], held: Sequence[str]) -> list[Shot]:
    return [shot for shot in shots if shot.theme not in held]


def _staged(progress: Progress, prefix: str, stage: str, done: int, total: int) -> None:
    progress(f"{prefix}: {stage}", done, total)
