"""Which groups of one picture are likely of one class, by how they differ: a small network.

One look has one role, but light, gradients and covered tiles of many colours divide one role among many
groups. Trained on pairs of groups of drawn boards (`tools/train_likeness_net.py`), run by numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.vision.networks import odds_by, shipped_network
from visionsweeper.vision.tiles.features import FEATURE_VERSION, FloatArray
from visionsweeper.vision.tiles.groups import Groups

FORMAT: Final = 1
"""Version of the file's layout."""


@dataclass(frozen=True, eq=False)
class Ties:
    """Pairs of groups that are likelier of one class than of two, each pair once."""

    one: npt.NDArray[np.intp]
    """(k,) groups."""
    other: npt.NDArray[np.intp]
    """(k,) groups, each tied to the one at its place."""
    odds: FloatArray
    """(k,) natural log odds, above 0, that both are of one class; question marks count as covered tiles."""

    def only(self, kept: npt.NDArray[np.bool_]) -> Ties:
        """Return those of the (k,) pairs that are kept."""
        return Ties(self.one[kept], self.other[kept], self.odds[kept])


NO_TIES: Final = Ties(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))


def ties_of(groups: Groups) -> Ties:
    """Return the pairs of groups that are likely of one class.

    Of very many, the largest alone (see `Groups.pairs`). Raises BadModel when the shipped network cannot be
    read.
    """
    net = shipped_network("likeness_net", format=FORMAT, feature_version=FEATURE_VERSION)
    keys, blocks = groups.pairs.keys, groups.pairs.blocks
    asked = np.isin(np.arange(len(groups.size)), keys)
    odds = np.concatenate([odds_by(net, "pair", pairs[asked[rows]]) for rows, pairs in blocks])
    # The features of a pair depend on which comes first.
    both = np.triu((odds + odds.T) / 2.0, 1)
    one, other = np.nonzero(both > 0.0)
    return Ties(keys[one], keys[other], both[one, other].astype(np.float32))
