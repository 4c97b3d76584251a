"""The pixels of the screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import InvalidInput


@dataclass(frozen=True)
class Area:
    """What is taken of the screen: a monitor (0 all of them together, else from 1), or a part of it."""

    monitor: int = 0
    region: tuple[int, int, int, int] | None = None
    """(x0, y0, x1, y1) in pixels of the monitor; None for all of it."""


def take(area: Area) -> npt.NDArray[np.uint8]:
    """Take the screen's pixels now, (H, W, 3) uint8 RGB.

    Raises InvalidInput where there is no screen, no such monitor, or nothing of the region on it.
    """
    import mss  # slow to load
    from mss.exception import ScreenShotError

    try:
        with mss.MSS() as screens:
            if not 0 <= area.monitor < len(screens.monitors):
                raise InvalidInput(
                    f"there is no monitor {area.monitor}: there are 1 to {len(screens.monitors) - 1}, and 0 "
                    "for all of them"
                )
            place = dict(screens.monitors[area.monitor])
            if area.region is not None:
                x0, y0, x1, y1 = area.region
                width, height = min(x1, place["width"]) - x0, min(y1, place["height"]) - y0
                if width <= 0 or height <= 0:
                    raise InvalidInput(
                        f"the region {x0},{y0},{x1},{y1} is not on the screen, which has "
                        f"{place['width']}x{place['height']} pixels"
                    )
                place |= {
                    "left": place["left"] + x0,
                    "top": place["top"] + y0,
                    "width": width,
                    "height": height,
                }
            shot = screens.grab(place)
            pixels = np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)
    except ScreenShotError as error:
        raise InvalidInput(f"the screen cannot be taken: {error}; is there a display?") from error
    return pixels


@lru_cache(maxsize=8)
def monitor_corner(monitor: int) -> tuple[int, int]:
    """Return where a monitor begins on the screen; of all together (0), the origin is their first pixel."""
    import mss  # slow to load

    with mss.MSS() as screens:
        place = screens.monitors[monitor]
    return int(place["left"]), int(place["top"])
