"""Trains the group networks, which name the groups of look-alikes, on drawn boards alone.

    python tools/train_group_net.py -o models/group_net.npz --samples FOLDER
    python tools/train_group_net.py -o models/group_net.npz --samples FOLDER --start FILE
    python tools/train_group_net.py -o models/group_net.npz --samples FOLDER --start FILE --pixels

Needs `pip install "visionsweeper[train]"`. Boards are drawn first, some 3 GB of samples in FOLDER (6 GB with
--pixels); those of an earlier run with the same counts are taken up again. Training goes in stages, each from
where the one before ended; the network as it is after the fourth and after the last are the two networks of
the file. These were then trained on with --start, and a third was added with --pixels.
The last 400 boards of seed 100 are never trained on, and what each network makes of them is printed.
With --start the networks of a file that see no pixels are trained on, with boards of which four in ten have
flags and mines of any look, and on a few of which nobody has played; held out are then the last 400 of the
last of these seeds.
With --pixels the last of these is trained on, with a convolutional part that sees the pixels, on other boards
of this kind, and is added to the file as one more. Then it, and the first with a copy of that part, are
trained on with still more marks of any look; the latter takes the place of the first.
With --pixels and a file of which networks see pixels already, these are trained on with more lost games,
marks as small as text, what is rare after a loss, and flags that no single number proves; half of the way is
taken, and the others are left out. With --pixels and a file of these alone, they are trained on with games
near their end, and with more pointers and messages over tiles; the next time, on boards on which tiles were
marked before any was opened, and a quarter of the way is taken. Those are the networks that ship.
--share 0.005 tries out all of it in some minutes. Afterwards fit the confidence of the model anew with
tools/fit_confidence.py, and only then measure.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from network_training import Optimiser, between, members_in, record_in, record_of, take_options
from torch import nn
from torch.nn import functional

from visionsweeper.board import neighbour_table
from visionsweeper.synthetic.fonts import FontSource, find_fonts
from visionsweeper.training.group_samples import GroupSample, group_samples
from visionsweeper.training.shares import ORDINARY, Shares
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, tiles_of_classes
from visionsweeper.vision.tiles.features import FEATURE_VERSION
from visionsweeper.vision.tiles.group_net import FORMAT, HEADS, MESSAGE, ROUNDS, TILE_FEATURES, WIDTH
from visionsweeper.vision.tiles.groups import PAIR_FEATURES
from visionsweeper.vision.tiles.knn import load_model
from visionsweeper.vision.tiles.pixels import CHANNELS


@dataclass(frozen=True)
class Boards:
    """How many boards of some seeds to draw, and which shares of them are out of the ordinary."""

    seeds: tuple[int, ...]
    count: int
    """Of each seed."""
    shares: Shares


SAMPLES: Final = {
    91: 2400,
    92: 2400,
    93: 2000,
    94: 2000,
    95: 2000,
    96: 2000,
    97: 1800,
    98: 1800,
    99: 1000,
    101: 1000,
    100: 1000,
}
"""How many boards of each seed."""

MORE: Final = Boards(
    (111, 112, 113, 114, 121, 122, 123, 124, 131, 132, 133, 134), 2000, Shares(any_marks=0.4, untouched=0.06)
)
"""Where networks are trained on."""

PIXELS: Final = Boards(
    (202, 203, 204, 205, 206, 207, 208, 201), 1500, Shares(any_marks=0.35, untouched=0.05, painted=0.15)
)
"""Where a network learns to see pixels."""

ANY_LOOK: Final = Boards(
    (301, 302, 303, 304), 1700, Shares(any_marks=0.55, untouched=0.04, painted=0.12, silent=0.15)
)
"""Where those that see pixels are trained on."""

LOST: Final = Boards(
    (601, 602, 603, 604, 605, 606),
    1300,
    Shares(
        any_marks=0.7, untouched=0.02, painted=0.06, silent=0.05, small=0.3, lost=0.55, rare=0.5, deep=0.6
    ),
)
"""Where they are trained on once more: mostly lost games, small marks, flags that no single number proves."""

MIXED: Final = Boards(
    (701, 702, 703, 704),
    1100,
    Shares(
        any_marks=0.5, untouched=0.04, painted=0.15, silent=0.08, small=0.15, lost=0.3, rare=0.3, deep=0.4
    ),
)
"""What is mixed with `LOST`: games of all kinds."""

LATE: Final = Boards(
    (801, 802, 803, 804),
    1000,
    Shares(
        any_marks=0.5,
        untouched=0.03,
        painted=0.12,
        silent=0.08,
        small=0.15,
        lost=0.3,
        rare=0.3,
        deep=0.4,
        late=0.5,
        occluded=0.35,
    ),
)
"""Where they are trained on with ends of games: half of the games near their end."""

LATE_MIXED: Final = Boards(
    (811, 812, 813, 814, 815, 816, 817, 818),
    1000,
    replace(LATE.shares, untouched=0.04, painted=0.15, late=0.25, occluded=0.3),
)
"""What is mixed with `LATE`: games of all kinds, with more over their tiles."""

MARKED: Final = Boards(
    (821, 822, 823, 824), 1000, replace(LATE_MIXED.shares, late=0.15, marked=0.2, occluded=0.25)
)
"""Where they are trained on at last: a fifth of the games marked before anything was opened."""

CALM: Final = Boards((825, 826), 800, replace(LATE_MIXED.shares, untouched=0.35, late=0.1, occluded=0.4))
"""What is mixed with `MARKED`: a third of the boards with nothing opened or marked."""

HELD_OUT: Final = 400
"""Boards of the last seed that are kept aside."""

MOST_GROUPS: Final = 140
"""Boards with more groups are left out: noise, mostly, and the memory of a batch grows with the square."""

BATCH: Final = 8
SIZE_POWER: Final = 0.5
"""A group of n tiles weighs n to this power within its board."""
EARLY_WEIGHT: Final = 0.3
"""Of the loss of the names before the last round, and of those by pixels alone."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Stage:
    """One run of the optimiser, its learning rate rising and falling once."""

    seeds: tuple[int, ...]
    epochs: int
    rate: float
    """The highest learning rate."""
    decay: float
    dropout: float
    input_dropout: float
    noise: float
    """Standard deviation of what is added to the tokens, in theirs."""
    pixel_rate: float = 0.0
    """The highest learning rate of the convolutional part; 0: there is none."""
    member: bool = False
    """Whether the network as it is afterwards is one of those that ship."""
    taken: float = 1.0
    """How much of the way from the weights before to those after it is gone for those that ship."""
    runs: int = 1
    """How often each is trained from there, with other random numbers; the mean of the weights counts."""


STAGES: Final = (
    Stage((91, 92), 12, 2e-3, 0.03, 0.1, 0.1, 0.0),
    Stage((91, 92, 93, 94), 3, 1.2e-3, 0.06, 0.15, 0.15, 0.08),
    Stage((91, 93, 94, 95, 96), 2, 9e-4, 0.06, 0.15, 0.15, 0.08),
    Stage((93, 95, 96), 1, 4.5e-4, 0.06, 0.15, 0.15, 0.08, member=True),
    Stage((93, 94, 95, 96, 97, 98), 1, 8e-4, 0.06, 0.15, 0.15, 0.08),
    Stage((93, 94, 95, 96, 97, 98), 3, 6e-4, 0.06, 0.15, 0.15, 0.08),
    Stage((94, 96, 97, 98, 99, 100), 2, 4.5e-4, 0.06, 0.15, 0.15, 0.08),
    Stage((93, 94, 95, 96, 97, 98, 99, 100, 101), 4, 7e-4, 0.06, 0.15, 0.15, 0.08, member=True),
)

MORE_STAGES: Final = (
    Stage((111, 112, 113, 114), 3, 4e-4, 0.06, 0.1, 0.1, 0.05),
    Stage((111, 112, 113, 114, 121, 122, 123, 124), 3, 5e-4, 0.06, 0.1, 0.1, 0.05),
    Stage((121, 122, 123, 124, 131, 132, 133, 134), 3, 4e-4, 0.06, 0.1, 0.1, 0.05, member=True),
)

PIXEL_STAGE: Final = Stage(PIXELS.seeds, 5, 4e-4, 0.05, 0.12, 0.12, 0.05, 1.6e-3)
"""Where the last network learns to see pixels."""
SEEING_STAGE: Final = Stage(
    (*PIXELS.seeds, *ANY_LOOK.seeds), 2, 4e-4, 0.05, 0.12, 0.12, 0.05, 8e-4, member=True
)
"""Where both that see pixels are trained on."""

LAST_STAGE: Final = Stage(
    (*LOST.seeds, *MIXED.seeds), 2, 4e-4, 0.05, 0.12, 0.12, 0.05, 4e-4, member=True, taken=0.5
)
"""Where they are trained on once more."""

LATE_STAGE: Final = Stage(
    (*LATE.seeds, *LATE_MIXED.seeds), 1, 4e-4, 0.05, 0.12, 0.12, 0.05, 4e-4, member=True, taken=0.5
)
"""Where they are trained on with ends of games."""

MARKED_STAGE: Final = replace(LATE_STAGE, seeds=(*MARKED.seeds, *CALM.seeds), taken=0.25, runs=2)
"""Where they are trained on at last."""

CONVOLUTIONS: Final = (16, 32, 64, 96)
"""Channels after each convolution; their pixels shrink from 32x32 to 4x4."""
SEEN: Final = 128
"""Width of what the convolutional part makes of a group."""


class SettledNorm(nn.BatchNorm2d):  # type: ignore[misc]
    """A norm that keeps its means and variances in training too."""

    def train(self, mode: bool = True) -> Any:
        """Stay as in use, whatever the mode."""
        return super().train(False)


class Pixels(nn.Module):  # type: ignore[misc]
    """The convolutional part, `visionsweeper.vision.tiles.pixels`, to be trained."""

    def __init__(self, *, settled: bool = False) -> None:
        """`settled`: whether the norms keep the means and variances that they have."""
        super().__init__()
        depths = zip((CHANNELS, *CONVOLUTIONS[:-1]), CONVOLUTIONS, strict=True)
        self.convs = nn.ModuleList([nn.Conv2d(few, more, 3, padding=1, bias=False) for few, more in depths])
        norm = SettledNorm if settled else nn.BatchNorm2d
        self.norms = nn.ModuleList([norm(depth) for depth in CONVOLUTIONS])
        self.out, self.dropout = nn.Linear(CONVOLUTIONS[-1] * 16, SEEN), nn.Dropout(0.1)
        self.token, self.head = nn.Linear(SEEN, WIDTH), nn.Linear(SEEN, len(CLASS_NAMES))
        nn.init.zeros_(self.token.weight)  # the network begins as the one that it is trained on from
        nn.init.zeros_(self.token.bias)

    def forward(self, pictures: Any) -> Any:
        """(n, CHANNELS, 32, 32) to (n, SEEN)."""
        x = pictures
        for layer, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True)):
            x = functional.relu(norm(conv(x)))
            if layer < len(self.convs) - 1:
                x = functional.max_pool2d(x, 2)
        return functional.relu(self.out(self.dropout(x.flatten(1))))


class Attention(nn.Module):  # type: ignore[misc]  # torch is not there where types are checked
    """A group looks at the others, steered by how they differ."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH)
        self.bias, self.out = nn.Linear(PAIR_FEATURES, HEADS), nn.Linear(WIDTH + HEADS * PAIR_FEATURES, WIDTH)

    def forward(self, state: Any, pairs: Any, there: Any) -> Any:
        """(b, g, WIDTH), (b, g, g, PAIR_FEATURES), (b, g) whether there is a group."""
        boards, groups, _ = state.shape
        mixed = self.qkv(self.norm(state)).view(boards, groups, 3, HEADS, WIDTH // HEADS)
        queries, keys, values = mixed.unbind(2)
        logits = torch.einsum("bihd,bjhd->bhij", queries, keys) / (WIDTH // HEADS) ** 0.5
        logits = logits + self.bias(pairs).permute(0, 3, 1, 2)
        weights = logits.masked_fill(~there[:, None, None, :], -1e9).softmax(-1)
        seen = torch.einsum("bhij,bjhd->bihd", weights, values).reshape(boards, groups, WIDTH)
        differences = torch.einsum("bhij,bijp->bihp", weights, pairs).reshape(boards, groups, -1)
        return self.out(torch.cat([seen, differences], 2))


class Messages(nn.Module):  # type: ignore[misc]
    """What the tiles of each group hear from those around."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.uv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * MESSAGE)
        self.first = nn.Linear(2 * MESSAGE + TILE_FEATURES, MESSAGE)
        self.second, self.out = nn.Linear(3 * MESSAGE, MESSAGE), nn.Linear(4 * MESSAGE, WIDTH)

    def forward(self, state: Any, logits: Any, batch: Any) -> Any:
        """As `group_net._messages`, for the tiles of several boards at once."""
        boards, groups, _ = state.shape
        told, own = self.uv(self.norm(state).reshape(boards * groups, WIDTH)).split(MESSAGE, 1)
        roles = roles_of(logits.softmax(-1).reshape(boards * groups, len(CLASS_NAMES)))
        of_tile, around = batch.of_tile, batch.around
        heard = padded(torch.cat([told, roles], 1)[of_tile])[around].sum(1)
        lacking = lacking_of(roles[of_tile], heard[:, MESSAGE:])
        first = functional.relu(self.first(torch.cat([own[of_tile], heard[:, :MESSAGE], lacking], 1)))
        near = padded(first)[around]
        second = torch.cat([first, near.sum(1), near.max(1).values], 1)
        second = functional.relu(self.second(second))
        size, index = batch.size.reshape(-1, 1), of_tile[:, None].expand(-1, MESSAGE)
        empty = first.new_zeros(boards * groups, MESSAGE)
        pooled = [
            empty.index_add(0, of_tile, first) / size,
            empty.index_add(0, of_tile, second) / size,
            empty.scatter_reduce(0, index, second, "amax", include_self=True),
            empty.scatter_reduce(0, index, second, "amin", include_self=False),
        ]
        return self.out(torch.cat(pooled, 1).reshape(boards, groups, WIDTH))


class Forward(nn.Module):  # type: ignore[misc]
    """A group by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.a, self.b = (
            nn.LayerNorm(WIDTH),
            nn.Linear(WIDTH, 2 * WIDTH),
            nn.Linear(2 * WIDTH, WIDTH),
        )

    def forward(self, state: Any) -> Any:
        """(b, g, WIDTH) to the same."""
        return self.b(functional.relu(self.a(self.norm(state))))


def roles_of(probability: Any) -> Any:
    """As `group_net._roles`."""
    number = probability[:, 1:9]
    return torch.stack(
        [
            probability[:, 10] + probability[:, 11],
            probability[:, 9] + probability[:, QUESTION],
            probability[:, 0],
            number.sum(1),
            (number * torch.arange(1, 9)).sum(1),
            probability[:, 12],
        ],
        1,
    )


def lacking_of(own: Any, heard: Any) -> Any:
    """As `group_net._lacking`."""
    mines, covered, digit, number = heard[:, 0], heard[:, 1], own[:, 3], own[:, 4]
    columns = [
        torch.tanh((number - mines) / 1.5) * digit,
        torch.tanh((number - mines - covered) / 1.5) * digit,
        *(mines / 4, covered / 4, heard[:, 2] / 4, heard[:, 3] / 4),
        *(digit, own[:, 2], own[:, 1], own[:, 0]),
    ]
    return torch.stack(columns, 1)


def padded(values: Any) -> Any:
    """Return the values with a row of zeros for tiles that are not there."""
    return torch.cat([values, values.new_zeros(1, values.shape[1])], 0)


class GroupNet(nn.Module):  # type: ignore[misc]
    """The network of `visionsweeper.vision.tiles.group_net`, to be trained."""

    def __init__(self, mean: Any, scale: Any) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.input = nn.Linear(len(mean), WIDTH)
        self.attention = nn.ModuleList([Attention() for _ in range(ROUNDS)])
        self.tiles = nn.ModuleList([Messages() for _ in range(ROUNDS)])
        self.alone = nn.ModuleList([Forward() for _ in range(ROUNDS)])
        heads = [
            nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(CLASS_NAMES))) for _ in range(ROUNDS + 1)
        ]
        self.heads = nn.ModuleList(heads)
        self.dropout, self.input_dropout = nn.Dropout(0.1), nn.Dropout(0.1)
        self.pixels: Any = None

    def forward(self, batch: Any) -> list[Any]:
        """Return the class logits, (b, g, 14), before the first round and after each.

        A network that sees pixels says first, before these, what it would say by them alone.
        """
        tokens = ((batch.tokens - self.mean) / self.scale).clamp(-6, 6)
        state, alone_logits = self.input(self.input_dropout(tokens)), []
        if self.pixels is not None:
            seen = self.pixels(batch.pictures)
            placed = seen.new_zeros(*batch.there.shape, SEEN)
            placed[batch.there] = seen
            state = state + self.pixels.token(placed)
            alone_logits = [self.pixels.head(placed)]
        state = self.dropout(functional.relu(state))
        logits = [self.heads[0](state)]
        for attention, tiles, alone, head in zip(
            self.attention, self.tiles, self.alone, self.heads[1:], strict=True
        ):
            state = state + self.dropout(attention(state, batch.pairs, batch.there))
            state = state + self.dropout(tiles(state, logits[-1], batch))
            state = state + self.dropout(alone(state))
            logits.append(head(state))
        return [*alone_logits, *logits]


@dataclass(frozen=True, eq=False)
class Batch:
    """Several boards, their groups padded to one number."""

    tokens: Any
    pairs: Any
    there: Any
    of_tile: Any
    around: Any
    size: Any
    classes: Any
    pictures: Any
    """Of all groups that there are."""


def collated(samples: list[GroupSample]) -> Batch:
    """Return the boards as one batch."""
    most, tiles = max(len(each.groups.size) for each in samples), sum(len(s.groups.of_tile) for s in samples)
    tokens, pairs, there, size, classes, of_tile, around, offset = [], [], [], [], [], [], [], 0
    for at, sample in enumerate(samples):
        groups, more = sample.groups, most - len(sample.groups.size)
        token = np.concatenate([groups.relations, groups.vectors], axis=1)
        tokens.append(np.pad(token, ((0, more), (0, 0))))
        pairs.append(np.pad(pairs_of(sample), ((0, more), (0, more), (0, 0))))
        there.append(np.arange(most) < len(groups.size))
        size.append(np.pad(groups.size.astype(np.float32), (0, more), constant_values=1.0))
        classes.append(np.pad(sample.classes, ((0, more), (0, 0))))
        of_tile.append(groups.of_tile + at * most)
        table = neighbour_table(groups.rows, groups.columns)
        around.append(np.where(table >= 0, table + offset, tiles))
        offset += len(groups.of_tile)

    def stacked(parts: list[Any]) -> Any:
        return torch.from_numpy(np.stack(parts).astype(np.float32))

    def joined(parts: list[Any]) -> Any:
        return torch.from_numpy(np.concatenate(parts).astype(np.int64))

    return Batch(
        tokens=stacked(tokens),
        pairs=stacked(pairs),
        there=torch.from_numpy(np.stack(there)),
        of_tile=joined(of_tile),
        around=joined(around),
        size=stacked(size),
        classes=stacked(classes),
        pictures=torch.from_numpy(
            np.concatenate([sample.groups.pictures for sample in samples]).astype(np.float32)
        ).permute(0, 3, 1, 2),
    )


def pairs_of(sample: GroupSample) -> Floats:
    """Return the pair features of all groups with each other; there are few enough (MOST_GROUPS)."""
    return np.concatenate([pairs for _, pairs in sample.groups.pairs.blocks])


def samples_of(
    seed: int, count: int, fonts: list[FontSource], folder: Path, shares: Shares, *, pictures: bool
) -> list[GroupSample]:
    """Draw the boards of a seed into the folder, or take them up where they are there.

    `pictures`: whether the groups' pictures are kept.
    """
    odd = "".join(
        f"-{name}-{share}" for name, share in sorted(vars(shares).items()) if share != vars(ORDINARY)[name]
    )
    path = folder / f"{seed}-{count}{odd}{'-pictures' if pictures else ''}.pickle"
    if not path.exists():
        print(f"drawing {count} boards of seed {seed}", flush=True)
        drawn = list(group_samples(seed, fonts, count, load_model(), shares=shares, pictures=pictures))
        path.write_bytes(pickle.dumps(drawn))
    kept: list[GroupSample] = pickle.loads(path.read_bytes())  # our own files
    return [sample for sample in kept if len(sample.groups.size) <= MOST_GROUPS]


def train(network: Any, pool: list[GroupSample], held_out: list[GroupSample], stage: Stage) -> float:
    """Train the network in place on the pool; return the share of held-out tiles that it names right."""
    print(f"{share_right(network, held_out):.2%} of held-out tiles right before", flush=True)
    rng = np.random.default_rng(1)
    network.dropout.p, network.input_dropout.p = stage.dropout, stage.input_dropout
    steps = max(1, stage.epochs * (len(pool) // BATCH))
    optimiser = Optimiser(
        network,
        rate=stage.rate,
        decay=stage.decay,
        steps=steps,
        rising=0.08,
        part=network.pixels,
        part_rate=stage.pixel_rate,
    )
    for epoch in range(stage.epochs):
        network.train()
        losses = []
        # Boards with about as many groups go together, so that little is padding.
        order = sorted(range(len(pool)), key=lambda at: len(pool[at].groups.size) + rng.normal(0, 6))
        batches = [order[at : at + BATCH] for at in range(0, len(order) - BATCH + 1, BATCH)]
        for chosen in rng.permutation(len(batches)):
            batch = collated([pool[at] for at in batches[chosen]])
            batch.tokens.add_(torch.randn_like(batch.tokens) * stage.noise * network.scale)
            losses.append(optimiser.step(loss_of(network(batch), batch)))
        right = share_right(network, held_out)
        print(
            f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, {right:.2%} of held-out tiles right", flush=True
        )
    return share_right(network, held_out)


def loss_of(logits: list[Any], batch: Batch) -> Any:
    """Return the mean cross entropy of the boards, the last names weighing most."""
    weight = batch.size**SIZE_POWER * batch.there
    weight = weight / weight.sum(1, keepdim=True)

    def mean(each: Any) -> Any:
        return (-(batch.classes * functional.log_softmax(each, -1)).sum(-1) * weight).sum(1).mean()

    return mean(logits[-1]) + EARLY_WEIGHT * sum(mean(each) for each in logits[:-1])


def share_right(network: Any, samples: list[GroupSample]) -> float:
    """Return the share of tiles whose group the network names right, by itself."""
    network.eval()
    codes = tiles_of_classes(np.arange(len(CLASS_NAMES), dtype=np.uint8))
    right = tiles = 0.0
    with torch.no_grad():
        for sample in samples:
            named = codes[network(collated([sample]))[-1][0].argmax(-1).numpy()]
            hits = (sample.classes * (codes[None, :] == named[:, None])).sum(axis=1)
            right += float((hits * sample.groups.size).sum())
            tiles += float(sample.groups.size.sum())
    return right / tiles


def arrays_of(network: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the weights as the reader takes them: matrices with the inputs first, as float16."""
    arrays = {}
    for name, value in network.state_dict().items():
        if not name.startswith("pixels."):
            array = value.detach().numpy()
            arrays[part_of(name)] = array.T.astype(np.float16) if array.ndim == 2 else array
    return arrays if network.pixels is None else arrays | pixel_arrays(network.pixels)


def pixel_arrays(pixels: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the weights of the convolutional part as the reader takes them, each norm in its convolution."""
    arrays = {}
    for layer, (conv, norm) in enumerate(zip(pixels.convs, pixels.norms, strict=True)):
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        weight = (conv.weight * scale[:, None, None, None]).detach().numpy()
        arrays[f"pixels.conv{layer}.weight"] = weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))
        arrays[f"pixels.conv{layer}.bias"] = (norm.bias - norm.running_mean * scale).detach().numpy()
    out = pixels.out.weight.detach().numpy().reshape(SEEN, CONVOLUTIONS[-1], 4, 4)
    arrays["pixels.out.weight"] = out.transpose(2, 3, 1, 0).reshape(-1, SEEN)
    arrays["pixels.out.bias"] = pixels.out.bias.detach().numpy()
    arrays["pixels.token.weight"] = pixels.token.weight.detach().numpy().T
    arrays["pixels.token.bias"] = pixels.token.bias.detach().numpy()
    return {name: array.astype(np.float16) if array.ndim == 2 else array for name, array in arrays.items()}


def part_of(name: str) -> str:
    """Return the name that the reader has for one of the network's weights."""
    *parts, last = name.replace("alone.", "forward.").replace("heads.", "head.").split(".")
    if parts and parts[0] == "head":
        parts[2] = ("norm", "linear")[int(parts[2])]
    if len(parts) > 1:
        parts[:2] = [parts[0] + parts[1]]
    return ".".join([*parts, last])


def sees(weights: dict[str, npt.NDArray[Any]]) -> bool:
    """Tell whether a network has a convolutional part."""
    return "pixels.token.weight" in weights


def started_from(weights: dict[str, npt.NDArray[Any]]) -> Any:
    """Return a network with these weights."""
    network = GroupNet(torch.from_numpy(weights["mean"]), torch.from_numpy(weights["scale"]))
    with torch.no_grad():
        for name, value in network.state_dict().items():
            kept = torch.from_numpy(weights[part_of(name)].astype(np.float32))
            value.copy_(kept.T if kept.ndim == 2 else kept)
        if sees(weights):
            network.pixels = pixels_from(weights)
    return network


def pixels_from(weights: dict[str, npt.NDArray[Any]]) -> Any:
    """Return a convolutional part with these weights, as `pixel_arrays` gives them, its norms settled.

    What names groups by pixels alone is not among them; it learns anew.
    """
    pixels = Pixels(settled=True)

    def weight(name: str) -> Any:
        return torch.from_numpy(weights[f"pixels.{name}"].astype(np.float32))

    for layer, (conv, norm) in enumerate(zip(pixels.convs, pixels.norms, strict=True)):
        kernel = weight(f"conv{layer}.weight").reshape(3, 3, -1, norm.num_features)
        conv.weight.copy_(kernel.permute(3, 2, 0, 1))
        norm.bias.copy_(weight(f"conv{layer}.bias"))
        norm.running_var.fill_(1 - norm.eps)
    out = weight("out.weight").reshape(4, 4, CONVOLUTIONS[-1], SEEN)
    pixels.out.weight.copy_(out.permute(3, 2, 0, 1).reshape(SEEN, -1))
    pixels.token.weight.copy_(weight("token.weight").T)
    for part in ("out", "token"):
        getattr(pixels, part).bias.copy_(weight(f"{part}.bias"))
    return pixels


def new_network(samples: list[GroupSample]) -> Any:
    """Return a network that was not trained yet, its input scaled by the samples."""
    tokens = np.concatenate(
        [np.concatenate([s.groups.relations, s.groups.vectors], axis=1) for s in samples]
    ).astype(np.float32)
    return GroupNet(torch.from_numpy(tokens.mean(0)), torch.from_numpy(tokens.std(0) + 0.05))


def drawn_by(plan: tuple[Boards, ...], options: Any, fonts: list[FontSource]) -> dict[int, list[GroupSample]]:
    """Return the boards of each seed."""
    return {
        seed: samples_of(
            seed,
            max(BATCH, round(boards.count * options.share)),
            fonts,
            options.samples,
            boards.shares,
            pictures=bool(options.pixels),
        )
        for boards in plan
        for seed in boards.seeds
    }


Drawn = Mapping[int, list[GroupSample]]
Weights = dict[str, npt.NDArray[Any]]


def through(network: Any, stage: Stage, drawn: Drawn, held_out: list[GroupSample]) -> float:
    """Train the network in place in a stage; return the share of held-out tiles that it names right."""
    return train(network, [sample for seed in stage.seeds for sample in drawn[seed]], held_out, stage)


def trained_blind(
    earlier: list[Weights], drawn: Drawn, held_out: list[GroupSample]
) -> tuple[list[Weights], list[float]]:
    """Train a new network, or those of a file that see no pixels; return what ships."""
    networks = [started_from(weights) for weights in earlier if not sees(weights)]
    members, right = [], []
    for network in networks or [new_network(next(iter(drawn.values())))]:
        for stage in MORE_STAGES if networks else STAGES:
            share = through(network, stage, drawn, held_out)
            if stage.member:
                members.append(arrays_of(network))
                right.append(share)
    return members + [weights for weights in earlier if sees(weights)], right


def trained_seeing(
    earlier: list[Weights], drawn: Drawn, held_out: list[GroupSample]
) -> tuple[list[Weights], list[float]]:
    """Let the first and the last network of a file see pixels; return the members and the shares right.

    The first is replaced, the last kept as it is as well.
    """
    first, last = started_from(earlier[0]), started_from(earlier[-1])
    last.pixels = Pixels()
    through(last, PIXEL_STAGE, drawn, held_out)
    first.pixels = copy.deepcopy(last.pixels)
    right = [through(network, SEEING_STAGE, drawn, held_out) for network in (first, last)]
    return [arrays_of(first), *earlier[1:], arrays_of(last)], right


def trained_again(
    earlier: list[Weights], drawn: Drawn, held_out: list[GroupSample], stage: Stage = LAST_STAGE
) -> tuple[list[Weights], list[float]]:
    """Train on the networks of a file that see pixels, each by itself; return these alone."""
    members, right = [], []
    for at, weights in enumerate(filter(sees, earlier)):
        ends = []
        for run in range(stage.runs):
            torch.manual_seed(10 * run + at + 1)
            network = started_from(weights)
            through(network, stage, drawn, held_out)
            ends.append(arrays_of(network))
        after = {name: np.mean([end[name] for end in ends], axis=0) for name in weights}
        members.append(between(weights, after, stage.taken))
        right.append(share_right(started_from(members[-1]), held_out))
    return members, right


@dataclass(frozen=True)
class Course:
    """A run of this script: what is drawn, the stages, and how networks go through them."""

    plan: tuple[Boards, ...]
    """Some of the last seed are held out."""
    stages: tuple[Stage, ...]
    train: Callable[[list[Weights], Drawn, list[GroupSample]], tuple[list[Weights], list[float]]]


def course_of(earlier: list[Weights], seeds: Mapping[str, int], *, pixels: bool) -> Course:
    """Return what to do with the networks of a file; none: with a new one.

    `seeds`: those of the boards that they were trained on, with how many boards.
    """
    if pixels and str(LATE.seeds[0]) in seeds:
        return Course((MARKED, CALM), (MARKED_STAGE,), partial(trained_again, stage=MARKED_STAGE))
    if pixels and earlier and all(sees(weights) for weights in earlier):
        return Course((LATE, LATE_MIXED), (LATE_STAGE,), partial(trained_again, stage=LATE_STAGE))
    if pixels and any(sees(weights) for weights in earlier):
        return Course((LOST, MIXED), (LAST_STAGE,), trained_again)
    if pixels:
        return Course((ANY_LOOK, PIXELS), (PIXEL_STAGE, SEEING_STAGE), trained_seeing)
    if earlier:
        return Course((MORE,), MORE_STAGES, trained_blind)
    first = tuple(Boards((seed,), count, ORDINARY) for seed, count in SAMPLES.items())
    return Course(first, STAGES, trained_blind)


def main() -> None:
    """Draw the samples, train, write the file."""
    options = take_options(__doc__, seed=1, can_start=True, can_see=True)
    earlier = members_in(options.start) if options.start else []
    before: dict[str, Any] = record_in(options.start) if options.start else {"stages": [], "boards": {}}
    course = course_of(earlier, before["boards"], pixels=bool(options.pixels))
    if twice := [seed for boards in course.plan for seed in boards.seeds if str(seed) in before["boards"]]:
        raise SystemExit(f"{options.start}: trained on seed {twice[0]} already; start from an earlier file")
    fonts = find_fonts()
    drawn = drawn_by(course.plan, options, fonts)
    last = course.plan[-1].seeds[-1]
    aside = min(HELD_OUT, len(drawn[last]) // 2)
    held_out, drawn[last] = drawn[last][-aside:], drawn[last][:-aside]
    members, right = course.train(earlier, drawn, held_out)
    arrays = {f"{at}/{part}": array for at, member in enumerate(members) for part, array in member.items()}
    record = {
        "format": FORMAT,
        "feature_version": FEATURE_VERSION,
        **record_of(__file__, arrays),
        "trained_on": "drawn boards only; no real picture",
        "stages": [*before["stages"], *map(vars, course.stages)],
        "shares": before.get("shares", [])
        + [
            {"seeds": boards.seeds} | vars(boards.shares)
            for boards in course.plan
            if boards.shares != ORDINARY
        ],
        "boards": before["boards"] | {str(seed): len(samples) for seed, samples in drawn.items()},
        "fonts": len(fonts),
        "held_out": {"boards": aside, "of_seed": last, "tiles_right": [round(share, 4) for share in right]},
    }
    arrays["record"] = np.array(json.dumps(record))
    with options.output.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    print(f"{options.output}: {record['weights']} weights; of held-out tiles right, by member: {right}")


if __name__ == "__main__":
    main()
