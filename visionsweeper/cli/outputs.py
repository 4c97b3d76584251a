"""Where the pictures go: beside their inputs or where -o says, and never over an input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from visionsweeper.cli.inputs import CLIPBOARD, STDIN
from visionsweeper.io.files import is_folder


def plan_outputs(inputs: Sequence[str], wanted: str | None) -> list[Path | None]:
    """The picture's path for each input; None where none is written (stdin without -o).

    Raises UsageError when -o is not a directory though there are several inputs, when an output would
    replace an input, or when two inputs would share one output.
    """
    if inputs.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    if wanted == STDIN:
        raise click.UsageError("-o needs a file or a directory: pictures are not written to standard output")
    if wanted is not None and len(inputs) > 1 and not is_folder(wanted):
        raise click.UsageError(f"with several inputs -o must be an existing directory, and {wanted} is none")
    outputs = [_output(name, wanted) for name in inputs]
    taken: dict[str, str] = {}
    for name, output in zip(inputs, outputs, strict=True):
        if output is None:
            continue
        for other in inputs:
            if other != STDIN and same_place(output, Path(other)):
                raise click.UsageError(
                    f"the picture of {name} would overwrite the input {other}: choose another place with -o, "
                    "or leave that input out"
                )
        first = taken.setdefault(_key(output), name)
        if not same_place(Path(first), Path(name)):
            raise click.UsageError(
                f"{first} and {name} would both be written to {output}: give them one at a time, with -o"
            )
    return outputs


def _output(name: str, wanted: str | None) -> Path | None:
    if wanted is not None and not is_folder(wanted):
        return Path(wanted)
    if name == STDIN:
        return None if wanted is None else Path(wanted) / "stdin.solved.png"
    source = Path("clipboard" if name == CLIPBOARD else name)
    folder = source.parent if wanted is None else Path(wanted)
    return folder / f"{source.stem}.solved.png"


def same_place(one: Path, other: Path) -> bool:
    """Whether two paths name one file, which need not exist."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return _key(one) == _key(other)


def _key(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return str(path)
