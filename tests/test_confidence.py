import numpy as np
import pytest

from visionsweeper.vision.tiles.confidence import _quantile


@pytest.mark.parametrize("count", [1, 2, 3, 17, 400])
@pytest.mark.parametrize("share", [0.15, 0.85])
def test_quantile_is_that_of_numpy(count: int, share: float) -> None:
    values = np.random.default_rng(count).random(count).astype(np.float32)
    assert _quantile(values, share) == pytest.approx(float(np.quantile(values, share)), abs=1e-6)
