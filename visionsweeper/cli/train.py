"""`visionsweeper train`: makes a model from boards that the program draws itself, and from labelled shots."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from visionsweeper.cli.options import FileName, WholeNumber
from visionsweeper.cli.terminal import progress_bar, say
from visionsweeper.io.files import check_folder, check_place, write_atomically

if TYPE_CHECKING:
    from visionsweeper.synthetic import FontSource
    from visionsweeper.training.cross_validation import Validation
    from visionsweeper.training.dataset import Shot
    from visionsweeper.training.train import Progress, TrainingOptions
    from visionsweeper.vision.tiles.knn import Model


@click.command(
    "train",
    epilog="Example: visionsweeper train shots -o mine.npz (writes mine.npz and mine.report/)",
)
@click.argument("folders", nargs=-1, metavar="[DIR...]", type=FileName())
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The model to write, NAME.npz.")
@click.option("--name", metavar="NAME", help="Keep the model with your own, for `parse --model NAME`.")
@click.option(
    "--boards",
    type=WholeNumber(min=0),
    metavar="N",
    help="How many boards to draw; 0: learn from the labelled shots alone.",
)
@click.option(
    "--seed",
    type=WholeNumber(min=0),
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
@click.option(
    "--folds",
    type=WholeNumber(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="Parts of the labelled themes to leave out in turn, to see how unknown themes are read; each takes "
    "a training of its own. 0: none.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to write how the left out themes were read. Default: OUTPUT.report beside the model.",
)
def command(
    folders: tuple[str, ...],
    output: Path | None,
    name: str | None,
    boards: int | None,
    seed: int,
    fonts: tuple[Path, ...],
    folds: int,
    report: Path | None,
) -> int:
    """Train a recognition model on boards drawn for it and on labelled shots, and write it to a file.

    DIR holds labelled shots, also in subfolders: a screenshot NAME.png, cropped to the board, beside
    NAME.txt with its board as text. The folder a shot lies in is its theme. Without DIR only drawn boards
    are used.
    """
    _check_usage(folders, output, name, boards, folds, report)
    from visionsweeper.vision.themes.store import check_writable, keep_model, model_path

    if output is not None:
        check_place(output, (".npz",))
    else:
        check_writable()
    from visionsweeper.synthetic import find_fonts
    from visionsweeper.training.dataset import find_shots
    from visionsweeper.training.train import TrainingOptions, train
    from visionsweeper.vision.tiles.knn import pack_model

    place = output if output is not None else model_path(str(name))
    report = _report_folder(folders, output, report)
    options = TrainingOptions(boards=boards, seed=seed) if boards is not None else TrainingOptions(seed=seed)
    shots = find_shots(*folders) if folders else ()
    found = find_fonts(fonts or None)
    with _progress() as progress:
        _check_shots(shots, progress)
        validation = _validate(shots, options, found, folds, progress)
        model = train(options, found, progress, shots)
    if validation is not None:
        model = _with_record(model, validation, report)
    if output is not None:
        write_atomically(output, pack_model(model))
    else:
        place = keep_model(str(name), pack_model(model))
    from visionsweeper.vision.tiles.knn import load_model

    say(f"{place}: {_figures(model)}")
    say(f"the shipped model, for comparison: {_figures(load_model())}")
    return 0


def _figures(model: Model) -> str:
    """How well a model read what it was not trained on."""
    measured, trained = model.record["measured"], model.record.get("trained_on", {})
    boards = f", trained on {trained['boards']} drawn boards" if trained.get("boards") else ""
    return (
        f"{measured['tiles_right']:.2%} of the tiles right, "
        f"{measured['boards_perfect']:.1%} of the boards perfect, on {measured['on']}{boards}"
    )


def _check_usage(
    folders: Sequence[str],
    output: Path | None,
    name: str | None,
    boards: int | None,
    folds: int,
    report: Path | None,
) -> None:
    if (output is None) == (name is None):
        raise click.UsageError("give either -o FILE.npz or --name NAME for the model")
    if boards == 0 and not folders:
        raise click.UsageError("--boards 0 leaves nothing to learn from: name a folder of labelled shots")
    if folds == 1:
        raise click.UsageError("--folds 1 leaves nothing to train on: 0 for none, or 2 and more")
    if report is not None and (not folders or not folds):
        raise click.UsageError(
            "--report needs labelled shots and --folds: it tells how left out themes were read"
        )


def _report_folder(folders: Sequence[str], output: Path | None, report: Path | None) -> Path | None:
    """Where the report goes; raises WriteFailed now rather than after minutes of training."""
    if report is None and folders and output is not None:
        report = output.with_suffix(".report")
    if report is not None:
        check_folder(report)
    return report


def _check_shots(shots: Sequence[Shot], progress: Progress) -> None:
    """Find what is wrong with the shots now rather than after minutes of training."""
    for done, shot in enumerate(shots, start=1):
        shot.example()
        progress("looking at the shots", done, len(shots))


def _validate(
    shots: Sequence[Shot],
    options: TrainingOptions,
    fonts: Sequence[FontSource],
    folds: int,
    progress: Progress,
) -> Validation | None:
    """Cross-validation, where there is more than one theme."""
    from visionsweeper.pipeline import read_board
    from visionsweeper.training.cross_validation import cross_validate

    if folds == 0 or len({shot.theme for shot in shots}) < 2:
        return None
    return cross_validate(
        shots,
        options,
        fonts,
        lambda model: partial(read_board, model=model, themes=()),
        folds=folds,
        progress=progress,
    )


def _with_record(model: Model, validation: Validation, report: Path | None) -> Model:
    """Tell how the left out themes were read, on stdout, in the report and in the model's record."""
    from visionsweeper.training.cross_validation import with_record
    from visionsweeper.training.evaluation_report import to_text, write_report

    say(
        f"Themes left out of the training, {len(validation.folds)} folds:\n{to_text(validation.evaluation)}\n"
    )
    if report is not None:
        write_report(validation.evaluation, report)
    return with_record(model, validation)


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each stage of the training on stderr, or lines where that is no terminal."""
    with contextlib.ExitStack() as stack:
        bars: dict[str, Callable[[int], None]] = {}

        def step(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                stack.close()
                bars[stage] = stack.enter_context(progress_bar(total, stage.capitalize(), lines=True))
            bars[stage](done)

        yield step
