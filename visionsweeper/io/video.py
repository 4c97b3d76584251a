"""Video files <-> frames, one at a time, by OpenCV's own FFmpeg."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.io.files import (
    check_place,
    is_folder,
    make_folder,
    read_at_most,
    what_it_means,
)

MAX_PIXELS: Final = 36_000_000
"""Frames with more pixels (8K has 33 million) are refused."""

CODECS: Final = {".mp4": "mp4v", ".mov": "mp4v", ".avi": "MJPG", ".webm": "VP80", ".mkv": "VP80"}
"""Ending of a video's name -> how it is written."""

_SUPPOSED_RATE: Final = 30.0
"""Frames a second where a file does not say it."""

_HIGHEST_RATE: Final = 120.0
"""Frames a second that are written at most: files say up to 1000 of recordings with far fewer."""

_LONGEST_PAUSE: Final = 60.0
"""Seconds for which a frame is repeated at most, where the next one comes much later."""

_SHORT: Final = 0.98
"""Share of the frames that a file announces, below which it was cut off."""


_ROOM: Final = 4096
"""Bytes that there must be room for before a video is begun: the writer does not say why it cannot begin."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a video."""

    seconds: float
    """Time since the beginning."""
    pixels: npt.NDArray[np.uint8]
    """(H, W, 3) uint8, 0..255, blue first, as OpenCV reads and writes it: most frames are never converted."""

    @cached_property
    def image(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) uint8 RGB, 0..255."""
        return np.asarray(cv2.cvtColor(self.pixels, cv2.COLOR_BGR2RGB), np.uint8)


class Video:
    """A video that is being read."""

    def __init__(self, capture: Any, name: str) -> None:
        self._capture = capture
        self.name = name
        rate = float(capture.get(cv2.CAP_PROP_FPS))
        self.rate = rate if 0.1 <= rate <= 1000 else _SUPPOSED_RATE
        """Frames a second, as the file says."""
        count = float(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.announced = int(count) if 0 < count < 1e9 else None
        """How many frames there should be, as far as the file says."""
        self.read = 0
        """Frames read so far."""
        self.seconds = 0.0
        """Time of the last frame read."""

    def frames(self) -> Iterator[Frame]:
        """Yield every frame in order, until there is no other that can be read."""
        while True:
            done, image = self._capture.read()
            if not done or image is None:
                return
            if image.ndim != 3 or image.shape[0] * image.shape[1] > MAX_PIXELS:
                raise InvalidInput(f"{self.name} has frames that are too large")
            told = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
            # Some containers tell no times.
            later = math.isfinite(told) and (told > self.seconds or not self.read)
            self.seconds = max(told, 0.0) if later else self.seconds + 1 / self.rate
            self.read += 1
            yield Frame(self.seconds, np.asarray(image, np.uint8))

    @property
    def cut_off(self) -> bool:
        """Whether far fewer frames could be read than the file announces."""
        if self.announced is None or self.read >= _SHORT * self.announced:
            return False
        # Where frames come at uneven times, their number is only estimated from the length.
        return self.seconds < _SHORT * (self.announced - 1) / self.rate


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep OpenCV to one thread: between two frames its pieces of work are too small for more."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


@contextmanager
def open_video(path: str | Path) -> Iterator[Video]:
    """Open a video file: MP4, MOV, WebM, MKV, AVI or GIF. Raises InvalidInput for anything else."""
    _be_quiet()
    _check_kind(Path(path))
    # An absolute path: FFmpeg takes others, such as http:..., for addresses.
    capture = cv2.VideoCapture(os.path.abspath(path), cv2.CAP_FFMPEG)  # noqa: PTH100 (resolves no links)
    try:
        size = [float(capture.get(one)) for one in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        if not capture.isOpened() or min(size) < 1:
            raise InvalidInput(
                f"{path} cannot be read as a video: it is damaged, or was cut off before it was finished; "
                "record it anew, or convert it with another program"
            )
        if size[0] * size[1] > MAX_PIXELS:
            raise InvalidInput(
                f"{path} has frames of {size[0]:.0f}x{size[1]:.0f} px: at most {MAX_PIXELS // 10**6} "
                "megapixels are accepted"
            )
        yield Video(capture, str(path))
    finally:
        capture.release()


def _be_quiet() -> None:
    """Keep OpenCV and FFmpeg from writing to stderr what their answers say too."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    with suppress(AttributeError):
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _check_kind(path: Path) -> None:
    """Raise InvalidInput for what does not begin as a video does; playlists, which name others, among it."""
    try:
        if not path.is_file() and not is_folder(path) and path.exists():
            raise InvalidInput(f"{path} is not an ordinary file: name a video")
        head = read_at_most(path, 16)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path} is a folder, name a video in it") from None
    except (OSError, ValueError) as error:
        detail = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{str(path)!r} cannot be read: {detail}") from error
    known = (
        head[4:8] in {b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip"}
        or head.startswith((b"\x1aE\xdf\xa3", b"GIF8"))
        or (head.startswith(b"RIFF") and head[8:12] == b"AVI ")
    )
    if not known:
        what = "is empty" if not head else "is not a video"
        raise InvalidInput(f"{path} {what}: MP4, MOV, WebM, MKV, AVI and GIF are read")


@contextmanager
def _without_stderr() -> Iterator[None]:
    """Send nowhere what OpenCV prints, whatever its log level: that it chose a codec's name by itself."""
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # stderr is closed
        yield
        return
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class VideoFile:
    """A video that is being written; it has its name only once it is whole. Use it as a context.

    Raises WriteFailed.
    """

    def __init__(self, path: str | Path, rate: float) -> None:
        self._path = Path(path)
        self._rate = min(rate, _HIGHEST_RATE)
        self._codec = CODECS.get(self._path.suffix.lower())
        check_place(path, CODECS)
        self._temporary = self._path.with_name(f".{os.urandom(8).hex()}{self._path.suffix.lower()}")
        self._writer: Any = None
        self._shape: tuple[int, ...] = ()
        """Of the first frame; the writer drops others without a word."""
        self._written = 0
        """Frames in the file."""
        self._at = 0
        """Place of the next frame; what a long pause leaves out counts too, so that it is left out once."""
        self._kept_back = False
        """Whether the last frame is not in the file, since its place is taken."""
        self._last: npt.NDArray[np.uint8] | None = None

    def __enter__(self) -> VideoFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._writer is not None:
                if self._kept_back and self._last is not None:
                    self._write(self._last)
                self._writer.release()
                if kind is None:
                    self._finish()
        finally:
            with suppress(OSError):
                self._temporary.unlink(missing_ok=True)

    def add(self, frame: Frame) -> None:
        """Add a frame at its time: the one before is repeated until then. All get the size of the first.

        Of frames that come faster than they are written, only the last one at each moment stays.
        """
        if self._writer is None:
            self._writer = self._begin(frame.pixels)
            self._shape = frame.pixels.shape
        pixels = _fitted(frame.pixels, self._shape)
        gap = round(frame.seconds * self._rate) - self._at
        if self._last is not None and gap > 0:
            for _ in range(min(gap, int(_LONGEST_PAUSE * self._rate))):
                self._write(self._last)
            self._at += gap
        self._last = pixels
        self._kept_back = gap < 0
        if not self._kept_back:
            self._write(pixels)
            self._at += 1

    def _write(self, image: npt.NDArray[np.uint8]) -> None:
        self._writer.write(image)
        self._written += 1

    def _begin(self, image: npt.NDArray[np.uint8]) -> Any:
        _be_quiet()
        try:
            make_folder(self._path.parent)
            with self._temporary.open("xb") as file:  # says why, if it cannot be
                file.write(bytes(_ROOM))
        except (OSError, ValueError) as error:
            raise WriteFailed(f"cannot write {self._path}: {what_it_means(error)}") from error
        height, width = image.shape[:2]
        assert self._codec is not None
        code = cv2.VideoWriter.fourcc(*self._codec)
        name = str(self._temporary.absolute())
        with _without_stderr():
            writer = cv2.VideoWriter(name, cv2.CAP_FFMPEG, code, self._rate, (width, height))
        if not writer.isOpened():
            raise WriteFailed(
                f"cannot write {self._path}: this OpenCV does not write such videos of {width}x{height} px, "
                "try a name that ends in .avi"
            )
        return writer

    def _finish(self) -> None:
        """Give the video its name, if it is whole: the writer does not tell of a full disk."""
        capture = cv2.VideoCapture(str(self._temporary.absolute()), cv2.CAP_FFMPEG)
        whole = capture.isOpened() and capture.get(cv2.CAP_PROP_FRAME_COUNT) >= _SHORT * self._written
        capture.release()
        if not whole:
            raise WriteFailed(f"cannot write {self._path}: the file is incomplete; is the disk full?")
        try:
            self._temporary.replace(self._path)
        except OSError as error:
            raise WriteFailed(f"cannot write {self._path}: {what_it_means(error)}") from error


def _fitted(image: npt.NDArray[np.uint8], shape: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    """Return the image as large as it fits into a shape (H, W, 3), in the middle of black."""
    if image.shape == shape:
        return image
    scale = min(shape[0] / image.shape[0], shape[1] / image.shape[1])
    height, width = (max(1, round(side * scale)) for side in image.shape[:2])
    fitted = np.zeros(shape, np.uint8)
    top, left = (shape[0] - height) // 2, (shape[1] - width) // 2
    fitted[top : top + height, left : left + width] = cv2.resize(
        image, (width, height), interpolation=cv2.INTER_AREA
    )
    return fitted
