"""What the scripts that train a network share: options, the optimiser, and the record of what was made."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

import visionsweeper
from visionsweeper.vision.networks import members_of


def take_options(
    documentation: str | None, seed: int, *, can_start: bool = False, can_see: bool = False
) -> argparse.Namespace:
    """Take the options of the command line, make the folder of samples, and set torch's seed and threads.

    `can_start`: whether it can go on from networks of before; `can_see`: whether it can learn to see pixels.
    """
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    parser.add_argument(
        "--samples", type=Path, required=True, metavar="FOLDER", help="where samples are kept"
    )
    parser.add_argument("--share", type=float, default=1.0, help="of all samples and steps, to try it out")
    parser.add_argument("--threads", type=int, default=2)
    if can_start:
        parser.add_argument("--start", type=Path, metavar="FILE", help="the networks to go on from")
    if can_see:
        parser.add_argument(
            "--pixels", action="store_true", help="let networks see pixels, or train on those that do"
        )
    options = parser.parse_args()
    if can_see and options.pixels and options.start is None:
        parser.error("--pixels needs --start: a network learns to see pixels after all else")
    torch.manual_seed(seed)
    torch.set_num_threads(options.threads)
    options.samples.mkdir(parents=True, exist_ok=True)
    return options


class Optimiser:
    """AdamW, its learning rate rising and falling once."""

    def __init__(
        self,
        network: Any,
        *,
        rate: float,
        decay: float,
        steps: int,
        rising: float,
        part: Any = None,
        part_rate: float = 0.0,
    ) -> None:
        """`rate` is the highest learning rate, `rising` the share of the steps in which it rises to it.

        `part`, if there is one, is a part of the network that learns at a rate of its own.
        """
        own = [] if part is None else list(part.parameters())
        rest = [each for each in network.parameters() if not any(each is other for other in own)]
        groups = [(rest, rate), (own, part_rate)] if own else [(rest, rate)]
        self._network = network
        self._adam = torch.optim.AdamW(
            [{"params": weights, "lr": highest} for weights, highest in groups], weight_decay=decay
        )
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._adam, [highest for _, highest in groups], total_steps=steps, pct_start=rising
        )

    def step(self, loss: Any) -> float:
        """Change the network a little, so that the loss gets less; return the loss as it was."""
        self._adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
        self._adam.step()
        self._schedule.step()
        return float(loss.item())


def record_of(script: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Any]:
    """Return what the record of every network says: by what it was made, and how many weights it has."""
    return {
        "made_by": f"tools/{Path(script).name}",
        "visionsweeper": visionsweeper.__version__,
        "torch": torch.__version__,
        "weights": int(sum(array.size for array in arrays.values())),
    }


def record_in(path: Path) -> dict[str, Any]:
    """Return what a file says of its training so far."""
    with np.load(path, allow_pickle=False) as arrays:
        record: dict[str, Any] = json.loads(str(arrays["record"]))
    return record


def members_in(path: Path) -> list[dict[str, npt.NDArray[Any]]]:
    """Return the weights of each network of a file."""
    with np.load(path, allow_pickle=False) as arrays:
        return members_of({name: arrays[name] for name in arrays.files if name != "record"})


def between(
    before: Mapping[str, npt.NDArray[Any]], after: Mapping[str, npt.NDArray[Any]], share: float
) -> dict[str, npt.NDArray[Any]]:
    """Return weights on the way between those of two networks, `share` of it gone, 0 to 1."""
    return {
        name: (before[name] + np.float32(share) * (values - before[name])).astype(values.dtype)
        for name, values in after.items()
    }
