"""The k-NN against scikit-learn's, and model files that are damaged or hostile."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from visionsweeper.errors import BadModel
from visionsweeper.vision.tiles.classes import CLASS_NAMES
from visionsweeper.vision.tiles.confidence import CONFIDENCE_FEATURES
from visionsweeper.vision.tiles.context import CONTEXT_FEATURES
from visionsweeper.vision.tiles.features import FEATURE_VERSION
from visionsweeper.vision.tiles.knn import FORMAT_VERSION, Layers, Model, load_model, pack_model


def small_model(neighbours: int = 5) -> Model:
    rng = np.random.default_rng(7)

    def floats(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    prototypes = floats(300, 12)
    prototypes /= np.linalg.norm(prototypes, axis=1, keepdims=True)
    return Model(
        mean=floats(20),
        scale=np.abs(floats(20)) + 0.5,
        embeddings=tuple(
            Layers((floats(20, 16), floats(16, 6), floats(6, 14)), (floats(16), floats(6), floats(14)))
            for _ in range(2)
        ),
        prototypes=prototypes,
        labels=rng.integers(0, len(CLASS_NAMES), 300).astype(np.uint8),
        context=Layers((floats(CONTEXT_FEATURES, 1), floats(1, 1)), (floats(1), floats(1))),
        confidence=Layers((floats(CONFIDENCE_FEATURES, 1), floats(1, 1)), (floats(1), floats(1))),
        calibration=np.array([[0.0, 2.0], [0.4, 0.99]], dtype=np.float32),
        record={
            "format_version": FORMAT_VERSION,
            "feature_version": FEATURE_VERSION,
            "neighbours": neighbours,
        },
    )


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", [1, 5, 9])
def test_inference_answers_as_scikit_learn(neighbours: int) -> None:
    from sklearn.neighbors import KNeighborsClassifier  # slow to load

    model = small_model(neighbours)
    vectors = np.random.default_rng(3).normal(size=(200, 20)).astype(np.float32)
    embedded = model.embed(vectors)
    # Some queries coincide with prototypes, where the weight would be infinite.
    embedded[:5] = model.prototypes[:5]
    oracle = KNeighborsClassifier(neighbours, weights="distance", algorithm="brute")
    oracle.fit(model.prototypes, model.labels)
    expected = np.zeros((200, len(CLASS_NAMES)))
    expected[:, oracle.classes_] = oracle.predict_proba(embedded)
    found = model.neighbours(embedded)
    np.testing.assert_allclose(model.probabilities(found), expected, atol=1e-4)
    distance, index = oracle.kneighbors(embedded)
    np.testing.assert_array_equal(found.index, index)
    np.testing.assert_allclose(found.distance, distance, atol=2e-3)


@pytest.mark.slow
def test_inference_of_the_shipped_model_answers_as_scikit_learn() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    model = load_model()
    width = len(model.mean)
    vectors = np.random.default_rng(5).normal(model.mean, model.scale, (64, width)).astype(np.float32)
    embedded = model.embed(vectors)
    oracle = KNeighborsClassifier(model.record["neighbours"], weights="distance", algorithm="brute")
    oracle.fit(model.prototypes, model.labels)
    expected = np.zeros((64, len(CLASS_NAMES)))
    expected[:, oracle.classes_] = oracle.predict_proba(embedded)
    np.testing.assert_allclose(model.probabilities(model.neighbours(embedded)), expected, atol=2e-3)


@pytest.mark.slow
def test_the_network_is_scikit_learns() -> None:
    from sklearn.neural_network import MLPClassifier

    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(60, 6)), rng.integers(0, 2, 60)
    network = MLPClassifier((5, 4), max_iter=3000, random_state=0, tol=1e-3).fit(data, labels)
    layers = Layers(
        tuple(w.astype(np.float32) for w in network.coefs_),
        tuple(b.astype(np.float32) for b in network.intercepts_),
    )
    odds = layers(data.astype(np.float32))[:, 0]
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), network.predict_proba(data)[:, 1], atol=1e-5)


def test_a_saved_model_comes_back(tmp_path: Path) -> None:
    model = small_model()
    (tmp_path / "m.npz").write_bytes(pack_model(model))
    back = load_model(tmp_path / "m.npz")
    np.testing.assert_allclose(back.prototypes, model.prototypes, atol=2e-3)
    np.testing.assert_array_equal(back.labels, model.labels)
    assert back.record == model.record
    assert [p.name for p in tmp_path.iterdir()] == ["m.npz"]


def test_the_shipped_model_carries_its_record() -> None:
    record = load_model().record
    assert record["classes"] == list(CLASS_NAMES)
    assert record["feature_version"] == FEATURE_VERSION
    assert record["trained_on"]["boards"] > 0
    assert 0.5 < record["measured"]["tiles_right"] <= 1.0


def test_a_model_within_a_file_holds_no_pickle(tmp_path: Path) -> None:
    path = tmp_path / "hostile.npz"
    marker = tmp_path / "executed"

    class Hostile:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return Path.touch, (marker,)

    array = io.BytesIO()
    np.lib.format.write_array_header_1_0(array, {"descr": "|O", "fortran_order": False, "shape": (1,)})
    array.write(pickle.dumps([Hostile()]))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("record.npy", array.getvalue())
    with pytest.raises(BadModel, match=r"hostile\.npz"):
        load_model(path)
    assert not marker.exists()


def damaged(kind: str, path: Path) -> None:
    path.write_bytes(pack_model(small_model()))
    data = path.read_bytes()
    with np.load(path) as archive:
        arrays = dict(archive)
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("no model")
    elif kind == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif kind == "a part missing":
        del arrays["prototypes"]
        np.savez(path, **arrays)
    elif kind == "wrong shape":
        np.savez(path, **{**arrays, "prototypes": arrays["prototypes"][:, :3]})
    elif kind == "not a number":
        mean = arrays["mean"].copy()
        mean[0] = np.nan
        np.savez(path, **{**arrays, "mean": mean})
    elif kind in {"from the future", "record is a list"}:
        record = json.loads(arrays["record"].tobytes())
        record["format_version"] = 99
        text = json.dumps(record if kind == "from the future" else [record])
        np.savez(path, **{**arrays, "record": np.frombuffer(text.encode(), dtype=np.uint8)})


@pytest.mark.parametrize(
    "kind",
    [
        "empty",
        "text",
        "truncated",
        "a part missing",
        "wrong shape",
        "not a number",
        "from the future",
        "record is a list",
    ],
)
def test_a_damaged_model_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    damaged(kind, path)
    with pytest.raises(BadModel) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    assert "m.npz" in str(caught.value)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match=r"nowhere\.npz"):
        load_model(tmp_path / "nowhere.npz")
    with pytest.raises(BadModel):
        load_model(tmp_path)


def test_layers_must_chain() -> None:
    model = small_model()
    with pytest.raises(BadModel):
        Layers(model.context.weights, model.context.biases[:-1])
    with pytest.raises(BadModel):
        replace(model, labels=model.labels[:-1])
