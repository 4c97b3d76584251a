"""`visionsweeper train`: makes the model from boards that the program draws itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from visionsweeper.cli.terminal import progress_bar, say
from visionsweeper.errors import WriteFailed


@click.command(
    "train",
    short_help="Make a recognition model of your own.",
    epilog="Example: visionsweeper train -o mine.npz --boards 1400 --seed 1 --fonts /usr/share/fonts",
)
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The model to write, NAME.npz."
)
@click.option("--boards", type=click.IntRange(min=1), metavar="N", help="How many boards to draw.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="The same seed draws the same boards.",
)
@click.option(
    "--fonts",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A directory to take fonts from, folders below it included; may be given several times.",
)
def command(output: Path, boards: int | None, seed: int, fonts: tuple[Path, ...]) -> int:
    """Train a recognition model on boards drawn for it, and write it to a file.

    Use the file with `visionsweeper parse --model`. It holds arrays and a record of how it was made.
    """
    from visionsweeper.vision.classifier import save_model  # noqa: PLC0415 - --help needs none of it
    from visionsweeper.vision.themes import find_fonts  # noqa: PLC0415
    from visionsweeper.vision.training import TrainingOptions, train  # noqa: PLC0415

    _check_writable(output)
    options = TrainingOptions(boards=boards, seed=seed) if boards is not None else TrainingOptions(seed=seed)
    with _progress() as progress:
        model = train(options, find_fonts(fonts or None), progress)
    save_model(model, output)
    measured = model.record["measured"]
    say(
        f"{output}: {measured['tiles_right']:.2%} of the tiles right, "
        f"{measured['boards_perfect']:.1%} of the boards perfect, on {measured['on']}"
    )
    return 0


def _check_writable(output: Path) -> None:
    """Raise WriteFailed now rather than after minutes of training."""
    if output.suffix != ".npz":
        raise WriteFailed(f"cannot write {output}: the name of a model ends in .npz")
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise WriteFailed(f"cannot write {output}: its folder does not exist, or it is a folder itself")
    if not os.access(output if output.exists() else output.absolute().parent, os.W_OK):
        raise WriteFailed(f"cannot write {output}: no permission, choose another place with -o")


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each stage of the training, on stderr if that is a terminal."""
    with contextlib.ExitStack() as stack:
        bars: dict[str, Callable[[int], None]] = {}

        def step(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                stack.close()
                bars[stage] = stack.enter_context(progress_bar(total, stage.capitalize()))
            bars[stage](done)

        yield step
