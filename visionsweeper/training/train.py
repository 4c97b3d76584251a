"""Drawn boards to a model: embedding, prototypes, context, calibration, and the record of it all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.isotonic import IsotonicRegression
from sklearn.neural_network import MLPClassifier

from visionsweeper.board import COVERED, MINE
from visionsweeper.errors import InvalidInput
from visionsweeper.geometry import Grid
from visionsweeper.synthetic import FontSource, draw, random_position, random_theme, screenshot
from visionsweeper.synthetic.other_grids import other_grid
from visionsweeper.synthetic.positions import Labels, untouched_position
from visionsweeper.synthetic.screenshots import OCCLUDED
from visionsweeper.synthetic.theme import RenderTheme
from visionsweeper.training.dataset import Example, Shot, divide
from visionsweeper.training.shares import Shares
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.tiles.classes import CLASS_NAMES, EXPLODED, tiles_of_classes
from visionsweeper.vision.tiles.confidence import CONFIDENCE_FEATURES, confidence_features
from visionsweeper.vision.tiles.context import CONTEXT_FEATURES
from visionsweeper.vision.tiles.evidence import (
    Evidence,
    form_opinions,
    gather,
)
from visionsweeper.vision.tiles.features import (
    FEATURE_VERSION,
    TILE_SIZE,
    FloatArray,
    background_colour,
    describe,
    to_lab,
)
from visionsweeper.vision.tiles.knn import FORMAT_VERSION, Layers, Model
from visionsweeper.vision.tiles.marks import name_with_marks

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how much of it is done and how much there is."""

_NEIGHBOURS: Final = 9
_HIDDEN: Final = (256, 64)
_PROTOTYPES_A_CLASS: Final = 600
_TILES_A_CLASS: Final = 4  # of one board; its tiles of a class are nearly alike
_SHIFT: Final = 0.04  # of the pitch: crops and detected grids are that far off, a few of them thrice
_EPOCHS: Final = 24
_NETWORKS: Final = 3  # their errors differ, and the embedding is of all of them together
_NEAR_COPY: Final = 0.999  # cosine of two embedded tiles of a class from which on one of them is enough
_SHARES: Final = (
    0.6,
    0.2,
    0.2,
)  # of the boards: embedding; context; calibration and measuring
_FOLDS: Final = 5  # of the boards that confidence is fitted on
_CONFIDENCE_NETWORKS: Final = 8  # what one of them says depends on chance, their mean hardly
_HALVES: Final = (  # of these boards
    Shares(any_marks=1 / 3),
    Shares(any_marks=0.6, painted=0.12, silent=0.08, small=0.15, lost=0.4, rare=0.3, deep=0.5),
)


@dataclass(frozen=True)
class TrainingOptions:
    """All that a training run depends on, so that it can be repeated."""

    boards: int = 2000
    """Drawn boards in all, each in a theme of its own; 0: none."""
    seed: int = 1


def train(
    options: TrainingOptions,
    fonts: Sequence[FontSource],
    progress: Progress = lambda *_: None,
    shots: Sequence[Shot] = (),
) -> Model:
    """Train a model on drawn boards, and on labelled shots where there are any.

    The same options, fonts, shots and library versions give the same model. Raises InvalidInput for shots
    that cannot be used, and when there is too little to learn from.
    """
    counts = [max(6, int(options.boards * share)) if options.boards else 0 for share in _SHARES]
    seeds = iter(np.random.SeedSequence(options.seed).spawn(sum(counts)))
    real = divide(shots, drawn=options.boards > 0, seed=options.seed) if shots or not options.boards else None
    first, second, third = (
        _Boards([next(seeds) for _ in range(count)], fonts, part)
        for count, part in zip(
            counts, (real.embedding, real.context, real.calibration) if real else ((), (), ()), strict=True
        )
    )
    vectors, classes = _tile_set(iter(first), len(first), progress)
    model = _fit_embedding(vectors, classes, options, progress)
    model = _fit_context(model, iter(second), len(second), options, progress)
    fitted_on = (_reading(model, example) for example in third)
    model = _calibrate(model, fitted_on, len(third), options, fonts, progress)
    return _with_shots(model, shots, progress) if shots else model


def with_confidence(
    model: Model, options: TrainingOptions, fonts: Sequence[FontSource], progress: Progress = lambda *_: None
) -> Model:
    """Return the model with its confidence fitted anew, on drawn boards alone that it was not trained on.

    Called for when something else than the model changed how tiles are named, such as the group network. Its
    record keeps what the rest was trained on. Many of the boards have marks of any look, since those of games
    that were never seen are odder than most that are drawn, and half of them are more often lost games and
    ones with flags that no single number proves. To the boards a tenth of untouched ones is added: they are
    rare among those from play, and without numbers other things tell whether a name is right. And one in
    thirty as many grids that are no boards: whatever is read in these is wrong.
    """
    half = options.boards // 2
    counts = (half, options.boards - half, options.boards // 10, options.boards // 30)
    seeds = iter(np.random.SeedSequence(options.seed).spawn(sum(counts)))
    *halves, untouched, others = ([next(seeds) for _ in range(count)] for count in counts)
    boards = chain(
        *(
            drawn_examples(part, fonts, shares.position, shares.theme)
            for part, shares in zip(halves, _HALVES, strict=True)
        ),
        drawn_examples(untouched, fonts, untouched_position),
    )
    other_grids = _examples(others, partial(other_grid, fonts=fonts))
    readings = chain(
        (_reading(model, example) for example in boards),
        (_no_board(_reading(model, example)) for example in other_grids),
    )
    fitted = _calibrate(model, readings, sum(counts), options, fonts, progress)
    calibrated = {
        "boards": sum(counts[:3]),
        "other_grids": counts[3],
        "seed": options.seed,
        "source": "drawn by visionsweeper",
    }
    kept = {"trained_on": model.record.get("trained_on"), "confidence_fitted_on": calibrated}
    return replace(fitted, record={**fitted.record, **kept})


@dataclass(frozen=True)
class _Boards:
    """What one step of the training learns from: drawn boards, one a seed, then labelled shots."""

    seeds: Sequence[np.random.SeedSequence]
    fonts: Sequence[FontSource]
    shots: Sequence[Shot]

    def __len__(self) -> int:
        return len(self.seeds) + len(self.shots)

    def __iter__(self) -> Iterator[Example]:
        return chain(drawn_examples(self.seeds, self.fonts), (shot.example() for shot in self.shots))


def _with_shots(model: Model, shots: Sequence[Shot], progress: Progress) -> Model:
    """Return the model with tiles of all the shots among its prototypes, near copies left out.

    Last, so that confidence was fitted on themes that were unknown then.
    """
    vectors, classes = _tile_set((shot.example() for shot in shots), len(shots), progress, "adding the shots")
    prototypes, labels = list(model.prototypes), list(model.labels)
    known = {
        tile_class: [model.prototypes[model.labels == tile_class]] for tile_class in range(len(CLASS_NAMES))
    }
    for vector, tile_class in zip(model.embed(vectors), classes.tolist(), strict=True):
        if all(float((part @ vector).max(initial=-1.0)) < _NEAR_COPY for part in known[tile_class]):
            known[tile_class].append(vector[None])
            prototypes.append(vector)
            labels.append(tile_class)
    trained_on = {
        **model.record["trained_on"],
        "labelled": {"shots": len(shots), "themes": sorted({shot.theme for shot in shots})},
    }
    return replace(
        model,
        prototypes=np.stack(prototypes),
        labels=np.array(labels, dtype=np.uint8),
        record={**model.record, "trained_on": trained_on},
    )


def drawn_examples(
    seeds: Sequence[np.random.SeedSequence],
    fonts: Sequence[FontSource],
    position: Callable[[np.random.Generator], Labels] = random_position,
    theme: Callable[[np.random.Generator, Sequence[FontSource]], RenderTheme] = random_theme,
    occluded: float = OCCLUDED,
) -> Iterator[Example]:
    """Draw one board a seed, each in a theme of its own; `occluded`: see `screenshot`."""
    return _examples(seeds, lambda rng: (theme(rng, fonts), position(rng)), occluded)


def _examples(
    seeds: Sequence[np.random.SeedSequence],
    chosen: Callable[[np.random.Generator], tuple[RenderTheme, Labels]],
    occluded: float = OCCLUDED,
) -> Iterator[Example]:
    """Draw one example a seed, of the look and the tile classes that are chosen with it."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        yield drawn_example(*chosen(rng), rng, occluded)


def drawn_example(
    theme: RenderTheme, position: Labels, rng: np.random.Generator, occluded: float = OCCLUDED
) -> Example:
    """Draw tile classes, (rows, columns), in a theme, and let the drawing go through what screenshots do."""
    shot = screenshot(draw(theme, position, rng), position, rng, occluded)
    drawing = shot.drawing
    classes = np.where(position == EXPLODED, MINE, position).astype(np.uint8)
    # Disturbed tiles are few, so they go first where they can still be told.
    order = np.argsort(~shot.touched.ravel(), kind="stable")
    order = order[~shot.hidden.ravel()[order]]
    return Example(drawing.image, _shifted(drawing.grid, rng), classes.ravel(), order)


def _shifted(grid: Grid, rng: np.random.Generator) -> Grid:
    def off(edges: npt.NDArray[np.float64], pitch: float) -> npt.NDArray[np.float64]:
        start, end = rng.uniform(-spread, spread, 2) * pitch
        return edges + np.linspace(start, end, len(edges))

    spread = _SHIFT * (3 if rng.random() < 0.2 else 1)
    return Grid(off(grid.x, grid.pitch_x), off(grid.y, grid.pitch_y))


def _tile_set(
    examples: Iterator[Example], count: int, progress: Progress, stage: str = "drawing boards"
) -> tuple[FloatArray, npt.NDArray[np.uint8]]:
    """Feature vectors and looks of a few tiles of each class of each board."""
    vectors, classes = [], []
    for done, example in enumerate(examples, start=1):
        tiles = cut_tiles(example.image, example.grid, TILE_SIZE)
        ordered = example.classes[example.order]
        chosen = example.order[
            np.concatenate(
                [
                    np.flatnonzero(ordered == tile_class)[:_TILES_A_CLASS]
                    for tile_class in range(len(CLASS_NAMES))
                ]
            )
        ]
        lab = to_lab(tiles[chosen])
        vectors.append(describe(lab, background_colour(lab)))
        classes.append(example.classes[chosen])
        progress(stage, done, count)
    return np.concatenate(vectors), np.concatenate(classes)


def _fit_embedding(
    vectors: FloatArray, classes: npt.NDArray[np.uint8], options: TrainingOptions, progress: Progress
) -> Model:
    mean = vectors.mean(axis=0)
    scale = vectors.std(axis=0) + 0.05
    scaled = ((vectors - mean) / scale).astype(np.float32)
    networks: list[Layers] = []
    for number in range(_NETWORKS):
        network = MLPClassifier(
            _HIDDEN,
            alpha=1e-4,
            batch_size=256,
            max_iter=1,
            warm_start=True,
            random_state=options.seed + number,
        )
        for epoch in range(_EPOCHS):
            network.set_params(learning_rate_init=1e-3 * (1 - epoch / _EPOCHS) ** 1.2 + 1e-5)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # one epoch at a time never converges, by intention
                network.fit(scaled, classes)
            progress("learning the embedding", number * _EPOCHS + epoch + 1, _NETWORKS * _EPOCHS)
        networks.append(_layers(network))
    model = Model(
        mean=mean,
        scale=scale,
        embeddings=tuple(networks),
        prototypes=np.zeros((_NEIGHBOURS, _NETWORKS * _HIDDEN[-1]), dtype=np.float32),
        labels=np.zeros(_NEIGHBOURS, dtype=np.uint8),
        context=_constant(CONTEXT_FEATURES),
        confidence=_constant(CONFIDENCE_FEATURES),
        calibration=np.array([[0.0, 1.0], [0.0, 1.0]], dtype=np.float32),
        record={
            "format_version": FORMAT_VERSION,
            "feature_version": FEATURE_VERSION,
            "neighbours": _NEIGHBOURS,
            "classes": list(CLASS_NAMES),
        },
    )
    chosen = _prototypes(classes, options.seed)
    return replace(model, prototypes=model.embed(vectors[chosen]), labels=classes[chosen].copy())


def _constant(inputs: int, answer: float = 0.0) -> Layers:
    """Layers that always give this answer."""
    weights = (np.zeros((inputs, 1), np.float32), np.zeros((1, 1), np.float32))
    return Layers(weights, (np.zeros(1, np.float32), np.full(1, answer, np.float32)))


def _prototypes(classes: npt.NDArray[np.uint8], seed: int) -> npt.NDArray[np.intp]:
    """Choose an even sample, by index: the classes that need variety are as many as the common ones."""
    rng = np.random.default_rng(seed)
    picks = []
    for tile_class in range(len(CLASS_NAMES)):
        members = np.flatnonzero(classes == tile_class)
        picks.append(rng.permutation(members)[:_PROTOTYPES_A_CLASS])
    return np.sort(np.concatenate(picks))


def _fit_context(
    model: Model, examples: Iterator[Example], count: int, options: TrainingOptions, progress: Progress
) -> Model:
    """Fit what tells covered from opened blanks."""
    seen: list[tuple[Evidence, npt.NDArray[np.intp]]] = []
    for done, example in enumerate(examples, start=1):
        evidence = gather(example.image, example.grid, model)
        seen.append((evidence, _majority(evidence, example.classes)))
        progress("learning the context", done, count)
    vectors, covered = [], []
    for evidence, truth in seen:
        # Groups whose glyph is plain are not asked; question marks are covered, whatever they look like.
        asked = (evidence.scene.blank > 0.2) & np.isin(truth, (0, COVERED))
        vectors.append(evidence.context[asked])
        covered.append(truth[asked] != 0)
    _check_enough(np.concatenate(covered))
    network = MLPClassifier(
        (32,), alpha=3e-3, batch_size=64, max_iter=60, random_state=options.seed, early_stopping=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network.fit(np.concatenate(vectors), np.concatenate(covered).astype(np.uint8))
    return replace(model, context=_layers(network))


def _check_enough(answers: npt.NDArray[np.bool_]) -> None:
    """Raise InvalidInput when there are too few of either answer to fit on, a tenth being set aside."""
    if min(answers.sum(), (~answers).sum()) < 2 or len(answers) < 12:
        raise InvalidInput(
            "too few covered and blank tiles to tell them apart by: more labelled shots are needed, or drawn "
            "boards besides (--boards)"
        )


def _layers(network: Any) -> Layers:
    """Return the weights of a fitted scikit-learn network."""
    return Layers(
        tuple(w.astype(np.float32) for w in network.coefs_),
        tuple(b.astype(np.float32) for b in network.intercepts_),
    )


def _majority(evidence: Evidence, classes: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    groups = evidence.scene.groups
    table = np.zeros((int(groups.max()) + 1, len(CLASS_NAMES)), dtype=np.int64)
    np.add.at(table, (groups, classes), 1)
    majority: npt.NDArray[np.intp] = table.argmax(axis=1)
    return majority


def _calibrate(
    model: Model,
    outcomes: Iterable[_Outcome],
    count: int,
    options: TrainingOptions,
    fonts: Sequence[FontSource],
    progress: Progress,
) -> Model:
    """Fit how sure to be, on `count` pictures in themes that nothing was fitted to; and the record.

    A small network tells groups named right from those named wrong, isotonic regression turns what it
    says of boards it was not fitted to into the share of tiles that are right.
    """
    readings = []
    for done, outcome in enumerate(outcomes, start=1):
        readings.append(outcome)
        progress("calibrating", done, count)
    confidence, odds = _fit_confidence(readings, options.seed)
    right = np.concatenate([reading.right for reading in readings])
    size = np.concatenate([reading.size for reading in readings])
    # By the root of its size, so that a few boards read all wrong do not decide what a confidence means.
    shares = IsotonicRegression(y_min=0.02, y_max=0.999, out_of_bounds="clip").fit(odds, right, np.sqrt(size))
    knots = np.unique(np.quantile(odds, np.linspace(0, 1, 60)))
    boards = [reading for reading in readings if reading.is_board]
    everything = np.concatenate([reading.right for reading in boards])
    tiles = np.concatenate([reading.size for reading in boards])
    record: dict[str, Any] = {
        **model.record,
        "trained_on": {
            "boards": options.boards,
            "seed": options.seed,
            "source": "drawn by visionsweeper",
            "fonts": sorted({font.name for font in fonts}),
        },
        "versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__},
        "measured": {
            "on": f"{len(boards)} {'drawn ' if options.boards else ''}boards in themes not trained on",
            "tiles": int(tiles.sum()),
            "tiles_right": round(float((everything * tiles).sum() / tiles.sum()), 5),
            "boards_perfect": round(float(np.mean([(r.right == 1.0).all() for r in boards])), 4),
        },
    }
    return replace(
        model,
        confidence=confidence,
        calibration=np.stack([knots, shares.predict(knots)]).astype(np.float32),
        record=record,
    )


def _fit_confidence(readings: Sequence[_Outcome], seed: int) -> tuple[Layers, npt.NDArray[np.float64]]:
    """Log odds that a group is named right: a fit on all boards, and what fits on others say of each."""
    vectors = np.concatenate([reading.vectors for reading in readings])
    right = np.concatenate([reading.right for reading in readings]) > 0.5
    weight = np.sqrt(np.concatenate([reading.size for reading in readings]))
    board = np.repeat(np.arange(len(readings)), [len(reading.size) for reading in readings])
    mean, scale = vectors.mean(axis=0), vectors.std(axis=0) + 0.05
    scaled = ((vectors - mean) / scale).astype(np.float32)

    def fit(chosen: npt.NDArray[np.bool_]) -> Layers:
        # The network takes no weights: groups are drawn as often as they weigh.
        share = weight[chosen] / weight[chosen].sum()
        drawn = np.random.default_rng(seed).choice(np.flatnonzero(chosen), int(chosen.sum()), p=share)
        if right[drawn].all() or not right[drawn].any():  # nothing to tell apart
            return _constant(scaled.shape[1], 4.0 if right[drawn].all() else -4.0)
        networks = []
        for number in range(_CONFIDENCE_NETWORKS):
            network = MLPClassifier((16,), alpha=10.0, batch_size=256, max_iter=8, random_state=seed + number)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # few epochs never converge, by intention
                network.fit(scaled[drawn], right[drawn])
            networks.append(_layers(network))
        return _mean(networks)

    odds = np.empty(len(right))
    for fold in range(_FOLDS):
        held = board % _FOLDS == fold
        if held.any():
            odds[held] = fit(~held)(scaled[held])[:, 0]
    return _unscaled(fit(np.ones(len(right), dtype=bool)), mean, scale), odds


def _mean(networks: Sequence[Layers]) -> Layers:
    """Layers that say what so many of one hidden layer each say in the mean."""
    hidden, output = zip(*(network.weights for network in networks), strict=True)
    hidden_bias, output_bias = zip(*(network.biases for network in networks), strict=True)
    weights: tuple[FloatArray, FloatArray] = (
        np.concatenate(hidden, axis=1),
        (np.concatenate(output) / len(networks)).astype(np.float32),
    )
    last: FloatArray = np.mean(output_bias, axis=0, dtype=np.float32)
    return Layers(weights, (np.concatenate(hidden_bias), last))


def _unscaled(layers: Layers, mean: FloatArray, scale: FloatArray) -> Layers:
    """Layers that take the vectors as they are, given layers for (vectors - mean) / scale."""
    first = layers.weights[0] / scale[:, None]
    return Layers((first, *layers.weights[1:]), (layers.biases[0] - mean @ first, *layers.biases[1:]))


@dataclass(frozen=True)
class _Outcome:
    """One board as it was read, group by group."""

    vectors: FloatArray
    """(groups, CONFIDENCE_FEATURES)."""
    right: npt.NDArray[np.float64]
    """(groups,) share of the tiles read right."""
    size: npt.NDArray[np.int64]
    """(groups,) tiles."""
    is_board: bool = True
    """Whether it counts among the boards that the record tells of."""


def _reading(model: Model, example: Example) -> _Outcome:
    evidence = gather(example.image, example.grid, model)
    opinions, naming = name_with_marks(evidence.scene, form_opinions(evidence, model))
    groups = evidence.scene.groups
    hits = tiles_of_classes(naming.classes[groups]) == tiles_of_classes(example.classes)
    size = np.bincount(groups)
    return _Outcome(
        confidence_features(evidence.scene, opinions, evidence.distance, naming),
        np.bincount(groups, weights=hits) / size,
        size,
    )


def _no_board(outcome: _Outcome) -> _Outcome:
    """Nothing of what was read is right."""
    return replace(outcome, right=np.zeros_like(outcome.right), is_board=False)
