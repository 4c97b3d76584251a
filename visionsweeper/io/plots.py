"""Plots: which files they can be written as, and the package that draws them, which is an extra."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import check_suffix, write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUFFIXES: Final = (".png", ".svg", ".pdf")

_MISSING: Final = "a plot needs the package `matplotlib`: pip install 'visionsweeper[plot]'"


def check_plot(path: str | Path) -> None:
    """Raise WriteFailed for a suffix of no format of plots, InvalidInput without matplotlib."""
    check_suffix(path, _SUFFIXES)
    if find_spec("matplotlib") is None:
        raise InvalidInput(_MISSING)


def new_figure(**options: Any) -> Figure:
    """Return an empty figure; the options are matplotlib's. Raises InvalidInput without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InvalidInput(_MISSING) from error
    return Figure(layout="constrained", **options)


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure, as PNG if the name has no suffix.

    Raises as `check_plot` does, and WriteFailed where it cannot be written.
    """
    check_plot(path if path.suffix else path.with_suffix(".png"))
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix.lstrip(".").lower() or "png", dpi=120)
    write_atomically(path, picture.getvalue())
