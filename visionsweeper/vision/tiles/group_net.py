"""A class for every group of look-alikes, beside all others of the picture: a small attention network.

There are two networks; the mean of what they say is taken, since each is sure of other mistakes.

Each group is a token, made of what is known of it and of its pixels (`pixels`). In each of three rounds a
token first looks at the other groups (attention, steered by how the two differ in shape and colour and how
often they touch), then at the numbers around its tiles (messages between neighbouring tiles, with what each
number still lacks under the names so far), and is then renamed. So roles that no tile shows by itself, such
as a mine that is drawn as a flower, follow from the others and from the rules. Trained on drawn boards only
(`tools/train_group_net.py`), run by numpy.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.vision.networks import LARGEST_INPUT, Network, shipped_members
from visionsweeper.vision.tiles import pixels
from visionsweeper.vision.tiles.classes import QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.features import FEATURE_VERSION, FloatArray
from visionsweeper.vision.tiles.groups import PAIR_FEATURES, Groups, Pairs

FORMAT: Final = 3
"""Version of the file's layout: the parts of each member, named after its number ("0/head0.linear.bias")."""

WIDTH: Final = 128
"""Of a token."""
HEADS: Final = 4
ROUNDS: Final = 3
MESSAGE: Final = 32
"""Width of what a tile tells its neighbours."""

TILE_FEATURES: Final = 10


def class_logs(groups: Groups) -> FloatArray:
    """Return the natural log of each class's probability for each group, (groups, 14).

    The geometric mean of what the members say. Raises BadModel when the shipped networks cannot be read.
    """
    tokens = np.concatenate([groups.relations, groups.vectors], axis=1).astype(np.float32)
    members = shipped_members("group_net", format=FORMAT, feature_version=FEATURE_VERSION)
    said = [_said_by(member, tokens, groups) for member in members]
    return _log_softmax(np.mean(said, axis=0))


def _said_by(net: Network, tokens: FloatArray, groups: Groups) -> FloatArray:
    """One member's log probabilities, (groups, 14)."""
    tokens = np.clip((tokens - net["mean"]) / net["scale"], -LARGEST_INPUT, LARGEST_INPUT)
    seen = _linear(net, "pixels.token", pixels.described(net, groups.pictures))
    state = np.maximum(_linear(net, "input", tokens) + seen, 0.0)
    logs = _log_softmax(_linear(net, "head0.linear", _normed(net, "head0.norm", state)))
    for number in range(ROUNDS):
        state = state + _attended(net, f"attention{number}", state, groups.pairs)
        state = state + _messages(net, f"tiles{number}", state, logs, groups)
        hidden = np.maximum(
            _linear(net, f"forward{number}.a", _normed(net, f"forward{number}.norm", state)), 0.0
        )
        state = state + _linear(net, f"forward{number}.b", hidden)
        head = f"head{number + 1}"
        logs = _log_softmax(_linear(net, f"{head}.linear", _normed(net, f"{head}.norm", state)))
    return logs


def _attended(net: Network, name: str, state: FloatArray, differences: Pairs) -> FloatArray:
    """Return what each group makes of the others, (groups, WIDTH)."""
    count, each = len(state), WIDTH // HEADS
    mixed = _linear(net, f"{name}.qkv", _normed(net, f"{name}.norm", state))
    queries, keys, values = mixed.reshape(count, 3, HEADS, each).transpose(1, 2, 0, 3)
    keys, values = keys[:, differences.keys], values[:, differences.keys]
    result = np.empty((count, WIDTH), np.float32)
    for rows, pairs in differences.blocks:
        logits = queries[:, rows] @ keys.transpose(0, 2, 1) / np.float32(each**0.5)
        logits += _linear(net, f"{name}.bias", pairs).transpose(2, 0, 1)
        weights = np.exp(logits - logits.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        some = weights.shape[1]
        seen = (weights @ values).transpose(1, 0, 2).reshape(some, WIDTH)
        apart = np.matmul(weights.transpose(1, 0, 2), pairs).reshape(some, HEADS * PAIR_FEATURES)
        result[rows] = _linear(net, f"{name}.out", np.concatenate([seen, apart], axis=1))
    return result


def _messages(net: Network, name: str, state: FloatArray, logs: FloatArray, groups: Groups) -> FloatArray:
    """Return what the tiles of each group hear from those around, and these from theirs, (groups, WIDTH).

    `logs`: (groups, 14) the names so far.
    """
    told, own = np.split(_linear(net, f"{name}.uv", _normed(net, f"{name}.norm", state)), 2, axis=1)
    roles = _roles(np.exp(logs))
    told = _padded(np.concatenate([told, roles], axis=1)[groups.of_tile])
    heard = told[groups.around].sum(axis=1)
    lacking = _lacking(roles[groups.of_tile], heard[:, MESSAGE:])
    parts = [own[groups.of_tile], heard[:, :MESSAGE], lacking]
    first = np.maximum(_linear(net, f"{name}.first", np.concatenate(parts, axis=1)), 0.0)
    near = _padded(first)[groups.around]
    parts = [first, near.sum(axis=1), near.max(axis=1)]
    second = np.maximum(_linear(net, f"{name}.second", np.concatenate(parts, axis=1)), 0.0)
    order = np.argsort(groups.of_tile, kind="stable")
    starts = np.concatenate([[0], np.cumsum(groups.size)[:-1]])
    size = groups.size[:, None].astype(np.float32)
    pooled = [
        np.add.reduceat(first[order], starts, axis=0) / size,
        np.add.reduceat(second[order], starts, axis=0) / size,
        np.maximum.reduceat(second[order], starts, axis=0),
        np.minimum.reduceat(second[order], starts, axis=0),
    ]
    return _linear(net, f"{name}.out", np.concatenate(pooled, axis=1))


def _roles(probability: FloatArray) -> FloatArray:
    """Return (groups, 6): chances of a mine, covered, a 0, a number; the number to expect; a wrong flag."""
    number = probability[:, 1:9]
    return np.stack(
        [
            probability[:, FLAG] + probability[:, MINE],
            probability[:, COVERED] + probability[:, QUESTION],
            probability[:, 0],
            number.sum(axis=1),
            number @ np.arange(1, 9, dtype=np.float32),
            probability[:, WRONG_FLAG],
        ],
        axis=1,
    )


def _lacking(own: FloatArray, heard: FloatArray) -> FloatArray:
    """(n, TILE_FEATURES): what each number lacks, what is around each tile, what it is itself.

    `own`: (n, 6) roles of the tiles; `heard`: (n, 6) their sums over the tiles around.
    """
    mines, covered = heard[:, 0], heard[:, 1]
    digit, number = own[:, 3], own[:, 4]
    return np.stack(
        [
            np.tanh((number - mines) / 1.5) * digit,
            np.tanh((number - mines - covered) / 1.5) * digit,
            mines / 4.0,
            covered / 4.0,
            heard[:, 2] / 4.0,
            heard[:, 3] / 4.0,
            digit,
            own[:, 2],
            own[:, 1],
            own[:, 0],
        ],
        axis=1,
    )


def _padded(values: FloatArray) -> FloatArray:
    """Return the (n, k) values with a row of zeros for tiles that are not there."""
    return np.concatenate([values, np.zeros((1, values.shape[1]), np.float32)])


def _linear(net: Network, name: str, values: FloatArray) -> FloatArray:
    result: FloatArray = values @ net[f"{name}.weight"] + net[f"{name}.bias"]
    return result


def _normed(net: Network, name: str, values: FloatArray) -> FloatArray:
    centred = values - values.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))
    result: FloatArray = centred / spread * net[f"{name}.weight"] + net[f"{name}.bias"]
    return result


def _log_softmax(values: FloatArray) -> FloatArray:
    lowered = values - values.max(axis=1, keepdims=True)
    result: FloatArray = lowered - np.log(np.exp(lowered).sum(axis=1, keepdims=True))
    return result
