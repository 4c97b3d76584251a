"""A learned theme: exemplar tiles of one game's look, as cut from labelled screenshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Theme:
    """Exemplar tiles of one look, and where they come from."""

    name: str
    tiles: npt.NDArray[np.uint8]
    """(n, 32, 32, 3) uint8 RGB."""
    looks: npt.NDArray[np.uint8]
    """(n,) look codes (see `looks`)."""
    record: Mapping[str, Any]
    """Sources and versions, plain JSON."""
