"""Fits small networks with scikit-learn, and returns their weights as `networks.odds_by` reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from visionsweeper.vision.networks import LARGEST_INPUT

Floats = npt.NDArray[np.float32]


def trained(
    model: Any, inputs: Floats, right: npt.NDArray[np.bool_], held_out: npt.NDArray[np.bool_]
) -> tuple[dict[str, Floats], dict[str, float]]:
    """Return the weights of one network, and what it makes of what was held out."""
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0) + np.float32(0.05)
    scaled = np.clip((inputs - mean) / scale, -LARGEST_INPUT, LARGEST_INPUT)
    model = model.fit(scaled[~held_out], right[~held_out])
    odds = np.log(np.maximum(model.predict_proba(scaled[held_out]), 1e-9))
    told, truth = odds.argmax(axis=1).astype(bool), right[held_out]
    if isinstance(model, LogisticRegression):
        layers = [(model.coef_.T, model.intercept_)]
    else:
        layers = list(zip(model.coefs_, model.intercepts_, strict=True))
    weights = {"mean": mean, "scale": scale}
    for layer, (matrix, bias) in enumerate(layers):
        weights |= {f"weight{layer}": matrix.astype(np.float32), f"bias{layer}": bias.astype(np.float32)}
    figures = {
        "loss": float(-odds[np.arange(len(truth)), truth.astype(int)].mean()),
        "wrongly_so": float((told & ~truth).sum() / (~truth).sum()),
        "wrongly_not": float((~told & truth).sum() / truth.sum()),
    }
    return weights, {key: round(value, 5) for key, value in figures.items()}
