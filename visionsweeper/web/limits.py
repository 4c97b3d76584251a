"""How much one request may ask for."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What the server takes, and how long it works."""

    upload: int = 32 * 2**20
    """Bytes of a request."""
    pixels: int = 50_000_000
    """Pixels of a picture."""
    tiles: int = 100_000
    """Tiles of a board."""
    replay: int = 20_000_000
    """Tiles of a replay, all its boards together."""
    video: int = 512 * 2**20
    """Bytes of a request with a video."""
    video_seconds: float = 600.0
    """Of work for one video."""
    seconds: float = 30.0
    """Of work for one request."""
    counting: int = 10
    """Seconds of them that counting a board may take."""
    memory: int = 1000
    """Megabytes that counting a board may take."""
    workers: int = max(1, min(4, os.cpu_count() or 1))
    """Processes that work at once."""
    waiting: int = 16
    """Requests that wait in line while others are worked on; more are sent away."""
    patience: float = 20.0
    """Seconds that a sender may be silent in the middle of a request."""
