"""Trains the tile map, the network that finds the board, on drawn screens alone.

    python tools/train_tile_map.py -o tile_map.npz --samples FOLDER

Needs `pip install "visionsweeper[train]"`. Samples are drawn first, some 8 GB of them into FOLDER, which
takes half an hour; those of an earlier run with the same counts are taken up again. The first 600 samples of
the first seed are never trained on, and what the network makes of them is printed as it goes. --share 0.002
tries out all of it in a minute. With --start FILE the network is added to those of that file: the mean of
what all of them say is taken.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from network_training import Optimiser, members_in, record_in, record_of, take_options
from numpy.lib.format import open_memmap
from torch import nn
from torch.nn import functional

from visionsweeper.synthetic.fonts import FontSource, find_fonts
from visionsweeper.training.lattice_samples import WINDOW, lattice_samples
from visionsweeper.vision.detection.tile_map import CELL, FORMAT, HALVINGS, channels_of

SAMPLES: Final = {61: 10_000, 62: 10_000, 63: 5_000}
"""How many samples of each seed."""

UNTOUCHED: Final = 0.2
"""Share of the screens whose board nobody has played on yet."""

TERMINALS: Final = 0.08
"""Share of the screens that have to be terminals."""

HELD_OUT: Final = 600
"""Samples of the first seed that are kept aside."""

CHANNELS: Final = 6
WIDTHS: Final = (16, 24, 40, 64)
"""Channels after each of HALVINGS."""

DILATIONS: Final = (1, 2, 4, 8, 1)
"""Gaps of the layers that look at neighbouring cells."""

BATCH: Final = 20
STEPS: Final = 12_000
RATE: Final = 3e-3
"""The highest learning rate: it rises and falls once."""

REPORT_EVERY: Final = 500
"""Steps."""

Floats = npt.NDArray[np.float32]


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


def train(network: Any, pool: list[Samples], held_out: Samples, steps: int) -> None:
    """Train the network in place on the pool."""
    rng = np.random.default_rng(0)
    optimiser = Optimiser(network, rate=RATE, decay=1e-3, steps=steps, rising=0.1)
    sizes = np.array([len(each.labels) for each in pool])
    losses = []

    def some() -> tuple[Any, Any]:
        samples = pool[int(rng.choice(len(pool), p=sizes / sizes.sum()))]
        count = min(BATCH, len(samples.labels))
        return batch(samples, rng.choice(len(samples.labels), count, replace=False), rng)

    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(some)
        for step in range(1, steps + 1):
            x, labels = coming.result()
            coming = ahead.submit(some)
            network.train()
            # Half as many bits take half the time, and the loss falls as fast.
            with torch.autocast("cpu", dtype=torch.bfloat16):
                odds = judged(network, x.contiguous(memory_format=torch.channels_last))
            losses.append(optimiser.step(loss_of(odds.float(), labels)))
            if step % REPORT_EVERY == 0:
                right, mean = share_right(network, held_out), np.mean(losses[-REPORT_EVERY:])
                print(f"step {step}: loss {mean:.4f}, {right:.2%} of held-out cells right", flush=True)


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


def write(path: Path, members: list[dict[str, Floats]], record: dict[str, Any]) -> None:
    """Write the file: weights as float16, biases as float32, and the record as JSON."""
    kept: dict[str, Any] = {
        f"{at}/{name}": array.astype(np.float16 if name.endswith(".weights") else np.float32)
        for at, arrays in enumerate(members)
        for name, array in arrays.items()
    }
    np.savez_compressed(path, **kept, record=np.array(json.dumps(record)))


def main() -> None:
    """Draw the samples, train, write the file."""
    options = take_options(__doc__, seed=0, can_start=True)

    def some(count: int) -> int:
        return max(4, round(count * float(options.share)))

    start: Path | None = options.start
    earlier, before = ([], []) if start is None else (members_in(start), record_in(start)["networks"])
    fonts = find_fonts()
    shares = {"untouched": UNTOUCHED, "terminals": TERMINALS}
    drawn = {
        seed: samples_of(seed, some(count), fonts, options.samples, **shares)
        for seed, count in SAMPLES.items()
    }
    first = next(iter(SAMPLES))
    kept_aside = min(HELD_OUT, some(SAMPLES[first]) // 2)
    held_out, drawn[first] = part(drawn[first], 0, kept_aside), part(drawn[first], kept_aside, None)
    network = new_network().to(memory_format=torch.channels_last)
    steps = some(STEPS)
    train(network, list(drawn.values()), held_out, steps)
    arrays, right = folded(network), share_right(network, held_out)
    made = {
        **record_of(__file__, arrays),
        "trained_on": f"drawn screens only, windows of {WINDOW}x{WINDOW} cells; no real picture",
        "seeds": list(SAMPLES),
        "windows": sum(len(samples.labels) for samples in drawn.values()),
        **shares,
        "steps": steps,
        "batch": BATCH,
        "rate": RATE,
        "fonts": len(fonts),
        "held_out": {"windows": kept_aside, "cells_right": round(right, 4)},
    }
    arrays["dilations"] = np.array(DILATIONS, np.float32)
    write(options.output, [*earlier, arrays], {"format": FORMAT, "networks": [*before, made]})
    print(f"{options.output}: {made['weights']} weights, {right:.2%} of held-out cells right")


if __name__ == "__main__":
    main()
