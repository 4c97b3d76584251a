"""How sure a reading is: the mean of several networks, and the quantiles among its features."""

import numpy as np
import pytest

from visionsweeper.training.train import _mean
from visionsweeper.vision.tiles.confidence import _quantile
from visionsweeper.vision.tiles.knn import Layers


@pytest.mark.parametrize("count", [1, 2, 3, 17, 400])
@pytest.mark.parametrize("share", [0.15, 0.85])
def test_quantile_is_that_of_numpy(count: int, share: float) -> None:
    values = np.random.default_rng(count).random(count).astype(np.float32)
    assert _quantile(values, share) == pytest.approx(float(np.quantile(values, share)), abs=1e-6)


def test_the_mean_of_networks_says_what_they_say_in_the_mean() -> None:
    rng = np.random.default_rng(1)

    def network() -> Layers:
        shapes = ((7, 16), (16, 1))
        weights = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
        biases = [rng.normal(size=shape[1]).astype(np.float32) for shape in shapes]
        return Layers(tuple(weights), tuple(biases))

    networks = [network() for _ in range(3)]
    vectors = rng.normal(size=(50, 7)).astype(np.float32)
    expected = np.mean([each(vectors) for each in networks], axis=0)
    np.testing.assert_allclose(_mean(networks)(vectors), expected, rtol=1e-4, atol=1e-5)
