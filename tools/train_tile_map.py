"""Trains the tile map, the network that finds the board, on drawn screens alone.

    python tools/train_tile_map.py -o tile_map.npz --samples FOLDER

Needs `pip install "visionsweeper[train]"`. Samples are drawn first, some 7 GB of them into FOLDER; those of
an earlier run with the same counts are taken up again. The network is trained in two rounds: on the samples
of two seeds, then, from there, on those of all. The first 600 samples of the first seed are never trained on,
and what the network makes of them is printed as it goes. --share 0.002 tries out all of it in a minute.

With --start FILE the network of that file is trained on, in one round on samples of its own: three in ten of
them show boards that nobody has played on yet, a fifth have to be terminals. The weights written then lie
between those before and after, nearer to those before: so what was learned of other screens is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from network_training import Optimiser, between, record_in, record_of, take_options
from numpy.lib.format import open_memmap
from torch import nn
from torch.nn import functional

from visionsweeper.synthetic.fonts import FontSource, find_fonts
from visionsweeper.training.lattice_samples import WINDOW, lattice_samples
from visionsweeper.vision.detection.tile_map import CELL, DILATIONS, FORMAT, HALVINGS, channels_of

SAMPLES: Final = {11: 5400, 12: 4800, 21: 5400, 22: 5400, 31: 4200, 32: 4200}
"""How many samples of each seed."""

UNTOUCHED: Final = 0.15
"""Share of the screens whose board nobody has played on yet,"""

TERMINALS: Final = 0.0
"""and of screens that have to be terminals."""

MORE_SAMPLES: Final = {51: 4500, 52: 4500}
"""For training on: samples of each seed,"""

MORE_UNTOUCHED: Final = 0.3
"""share of untouched boards among them,"""

MORE_TERMINALS: Final = 0.2
"""and of screens that have to be terminals."""

HELD_OUT: Final = 600
"""Samples of the first seed that are kept aside."""

CHANNELS: Final = 6
WIDTHS: Final = (16, 24, 40, 64)
"""Channels after each of HALVINGS."""

BATCH: Final = 10
REPORT_EVERY: Final = 100
"""Steps."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Round:
    """One run of the optimiser, its learning rate rising and falling once."""

    seeds: tuple[int, ...]
    steps: int
    rate: float
    """The highest learning rate."""


ROUNDS: Final = (
    Round((11, 12), 1100, 3e-3),
    Round((11, 12, 21, 22), 1500, 2e-3),
    Round((11, 12, 21, 22, 31, 32), 1500, 2e-3),
)

TAKEN: Final = 0.25
"""Share of the way from the weights before to those after training on that is gone."""

MORE_ROUNDS: Final = (Round((51, 52), 2400, 7e-4),)


@dataclass(frozen=True, eq=False)
class Samples:
    """Many `LatticeSample`s; the sheets stay on the disk."""

    sheets: npt.NDArray[np.uint8]
    """(n, WINDOW * CELL, WINDOW * CELL, 3)."""
    shown: npt.NDArray[np.bool_]
    """(n, 2, WINDOW * CELL): which rows, and which columns, lie in the picture."""
    labels: npt.NDArray[np.int8]
    """(n, WINDOW, WINDOW): 1 tile, 0 none, -1 ignored."""


def samples_of(seed: int, count: int, fonts: list[FontSource], folder: Path, **shares: float) -> Samples:
    """Draw the samples of a seed into the folder, or take them up where they are there.

    `shares`: those of `lattice_samples`.
    """
    sheets_path, rest_path = folder / f"{seed}-{count}.npy", folder / f"{seed}-{count}.npz"
    side = WINDOW * CELL
    if not rest_path.exists():
        print(f"drawing {count} samples of seed {seed}", flush=True)
        sheets = open_memmap(sheets_path, "w+", np.uint8, (count, side, side, 3))
        shown, labels = np.empty((count, 2, side), np.bool_), np.empty((count, WINDOW, WINDOW), np.int8)
        for index, sample in enumerate(lattice_samples(seed, fonts, count, **shares)):
            sheets[index], labels[index] = sample.sheet, sample.labels
            shown[index] = sample.shown_y, sample.shown_x
        sheets.flush()
        np.savez(rest_path, shown=shown, labels=labels)  # last, so that what is begun is not taken for whole
    with np.load(rest_path, allow_pickle=False) as rest:
        return Samples(np.load(sheets_path, mmap_mode="r"), rest["shown"], rest["labels"])


def part(samples: Samples, first: int, last: int | None) -> Samples:
    """Return the samples from the first to before the last."""
    return Samples(samples.sheets[first:last], samples.shown[first:last], samples.labels[first:last])


def new_network() -> Any:
    """Return an untrained network, the layers under the names that they have in the file."""

    def layer(inputs: int, outputs: int, kernel: int, **options: int) -> Any:
        convolution = nn.Conv2d(inputs, outputs, kernel, bias=False, **options)
        return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU())

    layers, inputs = {}, CHANNELS
    for name, outputs in zip(HALVINGS, WIDTHS, strict=True):
        layers[name] = layer(inputs, outputs, 4, stride=2, padding=1)
        inputs = outputs
    for index, dilation in enumerate(DILATIONS):
        layers[f"context{index}"] = layer(inputs, inputs, 3, padding=dilation, dilation=dilation)
    layers["head"] = nn.Conv2d(inputs, 3, 1)
    return nn.ModuleDict(layers)


def started_from(path: Path) -> Any:
    """Return the network of a file."""
    with np.load(path, allow_pickle=False) as arrays:
        return network_of({name: arrays[name] for name in arrays.files if name != "record"})


def network_of(arrays: dict[str, Floats]) -> Any:
    """Return the network of the arrays of a file.

    Its normalisation is folded in and stays so: it is trained as it runs.
    """
    network = new_network()
    with torch.no_grad():
        for name, layer in network.items():
            weights = torch.from_numpy(arrays[f"{name}.weights"].astype(np.float32))
            bias = torch.from_numpy(arrays[f"{name}.bias"].astype(np.float32))
            if name == "head":
                layer.weight.copy_(weights.T[:, :, None, None])
                layer.bias.copy_(bias)
            else:
                convolution, norm = layer[0], layer[1]
                convolution.weight.copy_(weights.permute(3, 2, 0, 1))
                norm.running_var.fill_(1.0 - norm.eps)
                norm.bias.copy_(bias)
    return network


def judged(network: Any, x: Any) -> Any:
    """Return (n, 3, WINDOW, WINDOW) log odds: a tile, the board ends to the right, the board ends below."""
    for name in HALVINGS:
        x = network[name](x)
    for index in range(len(DILATIONS)):
        x = x + network[f"context{index}"](x)
    return network["head"](x)


def batch(
    samples: Samples, chosen: npt.NDArray[np.int64], rng: np.random.Generator | None
) -> tuple[Any, Any]:
    """Return channels (n, CHANNELS, H, W) and labels of the chosen samples, changed at random by `rng`."""
    channels, labels = [], []
    for index in chosen:
        sheet, (shown_y, shown_x) = np.asarray(samples.sheets[index]), samples.shown[index]
        label = samples.labels[index]
        if rng is not None:
            sheet = recoloured(sheet, rng)
            if rng.random() < 0.25:
                sheet, label, shown_y = sheet[::-1], label[::-1], shown_y[::-1]
            if rng.random() < 0.25:
                sheet, label, shown_x = sheet[:, ::-1], label[:, ::-1], shown_x[::-1]
            if rng.random() < 0.1:
                sheet, label, shown_y, shown_x = sheet.transpose(1, 0, 2), label.T, shown_x, shown_y
        channels.append(channels_of(np.ascontiguousarray(sheet), shown_y, shown_x))
        labels.append(label)
    planes = np.ascontiguousarray(np.stack(channels).transpose(0, 3, 1, 2))
    return torch.from_numpy(planes), torch.from_numpy(np.stack(labels))


def recoloured(sheet: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Swap colour channels, invert, and change contrast and brightness, each at random."""
    if rng.random() < 0.5:
        sheet = sheet[..., rng.permutation(3)]
    if rng.random() < 0.3:
        sheet = 255 - sheet
    if rng.random() < 0.3:
        changed = (sheet.astype(np.float32) - 128) * rng.uniform(0.5, 1.2) + 128 + rng.uniform(-30, 30)
        sheet = np.clip(changed, 0, 255).astype(np.uint8)
    return sheet


def loss_of(odds: Any, labels: Any) -> Any:
    """Return the sum of three mean cross entropies: of the tiles, and of the ends to the right and below.

    The board ends between two cells of which one is a tile; where a cell is ignored, so are its ends.
    """

    def mean(logits: Any, target: Any, weight: Any) -> Any:
        each = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        return (each * weight).sum() / weight.sum().clamp(min=1)

    tile, known = (labels == 1).float(), (labels >= 0).float()
    right, below = (tile[:, :, 1:] != tile[:, :, :-1]).float(), (tile[:, 1:] != tile[:, :-1]).float()
    return (
        mean(odds[:, 0], tile, known)
        + mean(odds[:, 1, :, :-1], right, known[:, :, 1:] * known[:, :, :-1])
        + mean(odds[:, 2, :-1], below, known[:, 1:] * known[:, :-1])
    )


def train(
    network: Any, pool: list[Samples], held_out: Samples, steps: int, rate: float, *, normalise: bool
) -> float:
    """Train the network in place on the pool; return the share of held-out cells that it has right."""
    rng = np.random.default_rng(0)
    optimiser = Optimiser(network, rate=rate, decay=1e-3, steps=steps, rising=0.1)
    sizes = np.array([len(each.labels) for each in pool])
    losses = []
    for step in range(1, steps + 1):
        samples = pool[int(rng.choice(len(pool), p=sizes / sizes.sum()))]
        count = min(BATCH, len(samples.labels))
        x, labels = batch(samples, rng.choice(len(samples.labels), count, replace=False), rng)
        network.train(normalise)
        losses.append(optimiser.step(loss_of(judged(network, x), labels)))
        if step % REPORT_EVERY == 0:
            right, mean = share_right(network, held_out), np.mean(losses[-REPORT_EVERY:])
            print(f"step {step}: loss {mean:.4f}, {right:.2%} of held-out cells right", flush=True)
    return share_right(network, held_out)


def share_right(network: Any, samples: Samples) -> float:
    """Return the share of cells, ignored ones left out, that the network has right."""
    network.eval()
    right = cells = 0
    with torch.no_grad():
        for first in range(0, len(samples.labels), BATCH):
            chosen = np.arange(first, min(first + BATCH, len(samples.labels)))
            x, labels = batch(samples, chosen, None)
            known = labels >= 0
            right += int((((judged(network, x)[:, 0] > 0) == (labels == 1)) & known).sum())
            cells += int(known.sum())
    return right / cells


def folded(network: Any) -> dict[str, Floats]:
    """Return the weights as the reader takes them: normalisation folded in, the output channel last."""
    arrays = {}
    for name, layer in network.items():
        if name == "head":
            weights, bias = layer.weight[:, :, 0, 0].T, layer.bias
        else:
            convolution, norm = layer[0], layer[1]
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            weights = (convolution.weight * scale[:, None, None, None]).permute(2, 3, 1, 0)
            bias = norm.bias - norm.running_mean * scale
        arrays[f"{name}.weights"] = weights.detach().contiguous().numpy()
        arrays[f"{name}.bias"] = bias.detach().numpy()
    return arrays


def write(path: Path, arrays: dict[str, Floats], record: dict[str, Any]) -> None:
    """Write the file: weights as float16, biases as float32, and the record as JSON."""
    kept: dict[str, Any] = {
        name: array.astype(np.float16 if name.endswith(".weights") else np.float32)
        for name, array in arrays.items()
    }
    np.savez_compressed(path, **kept, record=np.array(json.dumps(record)))


def main() -> None:
    """Draw the samples, train, write the file."""
    options = take_options(__doc__, seed=0, can_start=True)
    new = options.start is None
    counts, planned = (SAMPLES, ROUNDS) if new else (MORE_SAMPLES, MORE_ROUNDS)
    shares = {
        "untouched": UNTOUCHED if new else MORE_UNTOUCHED,
        "terminals": TERMINALS if new else MORE_TERMINALS,
    }

    def some(count: int) -> int:
        return max(4, round(count * float(options.share)))

    fonts = find_fonts()
    drawn = {
        seed: samples_of(seed, some(count), fonts, options.samples, **shares)
        for seed, count in counts.items()
    }
    first = next(iter(counts))
    kept_aside = min(HELD_OUT, some(counts[first]) // 2)
    held_out, drawn[first] = part(drawn[first], 0, kept_aside), part(drawn[first], kept_aside, None)
    network = new_network() if new else started_from(options.start)
    print(f"{share_right(network, held_out):.2%} of held-out cells right before", flush=True)
    rounds = [] if new else record_in(options.start)["rounds"]
    for each in planned:
        pool, steps = [drawn[seed] for seed in each.seeds], some(each.steps)
        right = train(network, pool, held_out, steps, each.rate, normalise=new)
        count = sum(len(samples.labels) for samples in pool)
        rounds.append(
            {"seeds": each.seeds, "windows": count, **shares}
            | {"steps": steps, "batch": BATCH, "rate": each.rate}
        )
    arrays = folded(network)
    if not new:
        arrays = between(folded(started_from(options.start)), arrays, TAKEN)
        right = share_right(network_of(arrays), held_out)
        rounds[-1]["taken"] = TAKEN
    record = {
        "format": FORMAT,
        **record_of(__file__, arrays),
        "trained_on": f"drawn screens only, windows of {WINDOW}x{WINDOW} cells; no real picture",
        "rounds": rounds,
        "fonts": len(fonts),
        "held_out": {"windows": kept_aside, "cells_right": round(right, 4)},
    }
    write(options.output, arrays, record)
    print(f"{options.output}: {record['weights']} weights, {right:.2%} of held-out cells right")


if __name__ == "__main__":
    main()
