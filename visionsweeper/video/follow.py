"""Follows a board from frame to frame: found once, then only tiles that changed are read again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, Board, count_around
from visionsweeper.errors import NoBoardFound
from visionsweeper.geometry import Grid, Position
from visionsweeper.io.video import Frame
from visionsweeper.options import ReadOptions
from visionsweeper.video.exemplars import CHANGED, UNKNOWN, Exemplars, Samples, apart, sample
from visionsweeper.vision.reading import UNCERTAIN_BELOW

if TYPE_CHECKING:
    from visionsweeper.vision.reading import Reading

Codes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Moments = npt.NDArray[np.float64]
"""Seconds since the beginning."""

_NOISE: Final = 2
"""Gray levels that pixels may differ by in a picture that is still."""
_ANOTHER: Final = 8.0
"""Root mean square difference from which on a tile shows something else than a frame before."""
_STILL: Final = 0.09
"""Seconds without a change after which what looks new is read: animations have ended."""
_CLEAR: Final = 0.5
"""Seconds without a change after which a board found anew is taken as read, though tiles are in doubt."""
_RESTING: Final = 1.5
"""Seconds after which what a tile was read as counts, however doubtful."""
_QUIET: Final = 1.0
"""Seconds without a change after which all of the board is read once more."""
_CORRECTED: Final = 0.5
"""Seconds within which a tile that was opened may turn out to show another number."""
_LONG_AGO: Final = 5.0
"""Seconds after which it is read once more in the midst of a game."""
_LOST: Final = 0.4
"""Share of tiles in doubt from which on the board is somewhere else."""
_LIKELY: Final = 0.7
"""Confidence from which on it is taken when it has rested."""
_DOUBTED: Final = 0.1
"""Share of doubted tiles that a board found in place of another one may have."""
_SEARCH: Final = (0.15, 2.0)
"""Seconds between two searches for a board: at first, and after many in vain."""
_READ: Final = (0.1, 2.0)
"""Seconds between two readings of the board: at first, and after many that told nothing new."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A board as it was seen from one moment on."""

    seconds: float
    board: Board
    uncertain: Mask
    """(rows, columns) bool: tiles in doubt."""
    mines: int | None
    """Mine count of the counter beside the board."""
    exploded: Position | None = None
    """The mine that looks like no other one."""


class Follower:
    """Follows the board of a recording, which is given frame by frame."""

    # (tiles,) arrays and (tiles, values) samples, row by row.
    _codes: Codes
    """What each tile is taken to be."""
    _accepted: Samples
    """How it looked when it was taken so."""
    _now: Samples
    """How it looks now."""
    _different: Mask
    """Whether it looks otherwise now."""
    _like: Codes
    """Code of the exemplar that it is like now."""
    _since: Moments
    """When it came to show what it shows now."""
    _moved_at: Moments
    """When it changed at all."""
    _opened_at: Moments
    """When its code changed."""
    _tried: Mask
    """Whether it was read as it looks now, and not surely."""
    _verdict: Codes
    """What it was read as then, if that was likely; else UNKNOWN."""
    _uncertain: Mask
    """Whether its code is in doubt."""

    def __init__(self, read: ReadOptions = ReadOptions()) -> None:  # noqa: B008 (frozen)
        from visionsweeper.vision.themes.store import chosen_model, user_themes  # slow to load

        self._model = chosen_model(read.model)
        self._themes: Any = user_themes() if read.themes is None else read.themes
        self._options = replace(read, model=self._model, themes=self._themes)
        self.problem: NoBoardFound | None = None
        """Why the last search found no board; None if it did."""
        self.grid: Grid | None = None
        """Where the tiles are now, px; None while no board is known."""
        self.seen: Seen | None = None
        """The board as it was seen last."""
        self._exemplars = Exemplars()
        self._mines: int | None = None
        self._crop: npt.NDArray[np.uint8] | None = None
        self._begin(np.empty(0, np.uint8), np.empty((0, 0), np.float32), 0.0)
        self._shape: tuple[int, ...] = ()
        self._searched, self._search_pause = -np.inf, _SEARCH[0]
        self._in_vain = np.empty(0, np.uint8)
        self._was_read, self._read_pause = -np.inf, _READ[0]
        self._changed_at = -np.inf
        self._verified = True

    def see(self, frame: Frame) -> list[Seen]:
        """Look at the next frame; return the boards that are new, in the order in which they were there."""
        if self.grid is None or frame.pixels.shape != self._shape:
            return self._search(frame)
        crop = _part(frame.pixels, self.grid)
        if self._crop is None or cv2.norm(crop, self._crop, cv2.NORM_INF) > _NOISE:
            self._crop = crop.copy()
            self._compare(frame)
        found = self._accept(frame)
        if found is None:
            found = self._look_closer(frame)
        return found or self._verify(frame)

    def _compare(self, frame: Frame) -> None:
        """Note which tiles differ from what was read, since when, and what they look like."""
        assert self.grid is not None
        now = _sample(frame, self.grid)
        apart_before = apart(now, self._now)
        moved = apart_before >= CHANGED
        self._now = now
        if moved.any():
            self._changed_at, self._verified = frame.seconds, False
        different = apart(now, self._accepted) >= CHANGED
        # A picture that only gets clearer, as those of videos do after a change, is not another one.
        self._since[(different & ~self._different) | (apart_before >= _ANOTHER)] = frame.seconds
        self._tried &= ~moved & different
        self._moved_at[moved] = frame.seconds
        self._different = different
        self._like = self._codes.copy()
        self._take_for(np.flatnonzero(different), self._exemplars.codes_of(now[different]))

    def _accept(self, frame: Frame) -> list[Seen] | None:
        """Take tiles that look like known ones; None where the board has to be read, or looked for."""
        if not self._different.any():
            return []
        news = self._different & (self._like != UNKNOWN)
        pressed = self._pressed(np.where(news, self._like, self._codes)) & self._different
        news &= ~pressed
        unread = self._different & (self._like == UNKNOWN)
        resting = frame.seconds - self._moved_at > _RESTING
        if ((unread | (pressed & resting)) & ~self._tried).any():
            return None
        # What has not moved for long is what it was read as, if that was likely.
        rested = (unread | pressed) & resting & (self._verdict != UNKNOWN)
        codes = np.where(rested, self._verdict, self._like)
        news |= rested
        if self._impossible(np.where(news, codes, self._codes)):
            return None
        found = self._take(news, codes)
        self._uncertain |= rested
        return found

    def _pressed(self, codes: Codes) -> Mask:
        """(tiles,) blank ones that have covered tiles around them: covered ones on which a button is held."""
        shape = self._shape_of_board()
        covered = np.isin(codes, (COVERED, FLAG)).reshape(shape)
        hidden: Mask = ((codes.reshape(shape) == 0) & (count_around(covered) > 0)).ravel()
        return hidden

    def _take_for(self, tiles: npt.NDArray[np.intp], codes: Codes) -> None:
        """Note what tiles look like. Opened ones that look covered are read: something may lie over them."""
        again = (self._codes[tiles] < COVERED) & np.isin(codes, (COVERED, FLAG))
        self._like[tiles] = np.where(again, UNKNOWN, codes)

    def _impossible(self, codes: Codes) -> bool:
        """Whether no move leads to these codes: an opened tile is covered, or shows another number."""
        shown = self._codes < COVERED
        settled = self._opened_at < self._changed_at - _CORRECTED
        return bool((shown & settled & (codes != self._codes)).any())

    def _take(self, news: Mask, codes: Codes) -> list[Seen]:
        """Take the tiles in `news` as what `codes` says, in the order in which they changed."""
        found: list[Seen] = []
        changed = news & (codes != self._codes)
        for moment in np.unique(self._since[changed]):
            now = changed & (self._since == moment)
            self._codes[now] = codes[now]
            self._opened_at[now] = moment
            found.append(self._as_seen(float(moment)))
        self._accepted[news] = self._now[news]
        self._different &= ~news
        self._uncertain &= ~news
        if found:
            self.seen = found[-1]
        return found

    def _look_closer(self, frame: Frame) -> list[Seen]:
        """Read the board where it is, or look for it, once it is still."""
        if frame.seconds - self._changed_at < _STILL:
            return []
        unknown = self._different & (self._like == UNKNOWN)
        if self._impossible(np.where(unknown, self._codes, self._like)):
            return self._search(frame)
        if frame.seconds - self._was_read < self._read_pause:
            return []
        return self._read(frame)

    def _verify(self, frame: Frame) -> list[Seen]:
        """Read all of the board once more where it has been quiet since the last change, or not for long."""
        if self.grid is None or self._verified:
            return []
        quiet, long_ago = frame.seconds - self._changed_at, frame.seconds - self._was_read
        if quiet < _QUIET and (quiet < _STILL or long_ago < _LONG_AGO):
            return []
        return self._read(frame)

    def _read(self, frame: Frame) -> list[Seen]:
        from visionsweeper.vision.reading import read  # slow to load

        assert self.grid is not None
        assert self.seen is not None
        reading = read(frame.image, self.grid, self._model, self._themes, self.seen.board.continues)
        self._was_read = frame.seconds
        confidence, codes = reading.confidence.ravel(), reading.board.cells.ravel()
        unsure = confidence < UNCERTAIN_BELOW
        if unsure.mean() > _LOST and unsure.sum() > 2 * self._unsure_before:
            return self._search(frame)
        self._verified = True
        pressed = self._pressed(codes)
        sure = ~unsure & ~pressed
        hidden = np.flatnonzero(unsure & self._different & (self._like == UNKNOWN))
        self._take_for(hidden, self._exemplars.codes_of_hidden(self._now[hidden]))
        edges = sure.reshape(self._shape_of_board())
        beside = not min(edges[0].any(), edges[-1].any(), edges[:, 0].any(), edges[:, -1].any())
        if beside or self._impossible(np.where(sure, codes, self._codes)):
            return self._search(frame)
        self._exemplars.learn(self._now[sure], codes[sure])
        self._tried |= self._different
        self._verdict = np.where(confidence >= _LIKELY, codes, UNKNOWN).astype(np.uint8)
        self._since[~self._different] = frame.seconds
        found = self._take(sure, codes)
        found += self._accept(frame) or []
        self._read_pause = _READ[0] if found else min(2 * self._read_pause, _READ[1])
        return found

    def _search(self, frame: Frame) -> list[Seen]:
        """Look for the board in all of the frame."""
        from visionsweeper.pipeline import read_with  # slow to load

        glimpse = frame.pixels[::8, ::8]
        if frame.seconds - self._searched < self._search_pause or np.array_equal(glimpse, self._in_vain):
            return []
        self._searched = frame.seconds
        try:
            reading = read_with(frame.image, self._options)
            if reading.guessed or reading.straightened:
                why = (
                    "the board is tilted"
                    if reading.straightened
                    else "nothing in the frame is certain to be a board"
                )
                raise NoBoardFound(f"no board was found: {why}")
            if self.grid is not None and reading.uncertain.mean() > _DOUBTED:
                raise NoBoardFound("no board was found: the earlier one is hidden")
        except NoBoardFound as problem:
            self.problem, self._in_vain = problem, glimpse.copy()
            self._search_pause = min(1.5 * self._search_pause, _SEARCH[1])
            return []
        self.problem, self._search_pause = None, _SEARCH[0]
        if self.grid is not None and reading.uncertain.any() and frame.seconds - self._changed_at < _CLEAR:
            self._search_pause = _CLEAR
            return []
        return self._settle(frame, reading)

    def _settle(self, frame: Frame, reading: Reading) -> list[Seen]:
        """Follow the board that was found from here on."""
        before = self.seen
        since = float(self._since[self._different].max(initial=-np.inf))
        if before is None or not np.isfinite(since):
            since = frame.seconds
        self.grid, self._shape = reading.grid, frame.image.shape
        self._crop = _part(frame.pixels, reading.grid).copy()
        self._mines = reading.mines
        self._begin(reading.board.cells.ravel(), _sample(frame, reading.grid), since)
        self._uncertain = reading.uncertain.ravel().copy()
        self._unsure_before = int(self._uncertain.sum())
        self._changed_at, self._verified = frame.seconds, True
        self._was_read, self._read_pause = frame.seconds, _READ[0]
        self._exemplars = Exemplars()
        sure = reading.confidence.ravel() >= UNCERTAIN_BELOW
        self._exemplars.learn(self._now[sure], self._codes[sure])
        self.seen = Seen(since, reading.board, reading.uncertain, reading.mines, self._exploded())
        return [] if before is not None and before.board == reading.board else [self.seen]

    def _begin(self, codes: Codes, now: Samples, since: float) -> None:
        """Set what is known of each tile, (tiles,) arrays all."""
        tiles = len(codes)
        self._codes, self._accepted, self._now = codes.copy(), now.copy(), now
        self._like = codes.copy()
        self._different = np.zeros(tiles, np.bool_)
        self._since, self._moved_at, self._opened_at = (np.full(tiles, since) for _ in range(3))
        self._tried = np.zeros(tiles, np.bool_)
        self._verdict = np.full(tiles, UNKNOWN, np.uint8)
        self._uncertain = np.zeros(tiles, np.bool_)
        self._unsure_before = 0

    def _as_seen(self, seconds: float) -> Seen:
        assert self.seen is not None
        shape = self._shape_of_board()
        board = self.seen.board.changed(self._codes.reshape(shape))
        doubted = self._uncertain.reshape(shape).copy()
        return Seen(seconds, board, doubted, self._mines, self._exploded())

    def _exploded(self) -> Position | None:
        """Return the one mine that looks like no other, of three or more, or the only one."""
        mines = np.flatnonzero(self._codes == MINE)
        if not len(mines):
            return None
        odd = mines
        if len(mines) > 1:
            each = [np.sort(apart(self._now[mines], self._now[[one]])) for one in mines]
            lonely = np.array([away[1] for away in each])
            odd = mines[lonely > max(4 * float(np.median(lonely)), 2 * CHANGED)]
        if len(odd) != 1:
            return None
        row, column = divmod(int(odd[0]), self._shape_of_board()[1])
        return row, column

    def _shape_of_board(self) -> tuple[int, int]:
        assert self.grid is not None
        return self.grid.rows, self.grid.columns


def _sample(frame: Frame, grid: Grid) -> Samples:
    """Return the tiles of a frame, of which the part with the board alone is converted."""
    x0, y0 = (max(int(edge), 0) for edge in grid.box[:2])
    part = np.asarray(cv2.cvtColor(_part(frame.pixels, grid), cv2.COLOR_BGR2RGB), np.uint8)
    return sample(part, Grid(grid.x - x0, grid.y - y0))


def _part(image: npt.NDArray[np.uint8], grid: Grid) -> npt.NDArray[np.uint8]:
    """Return the part of an (H, W, 3) uint8 picture that the board lies in, a view."""
    x0, y0, x1, y1 = grid.box
    return image[max(int(y0), 0) : int(np.ceil(y1)) + 1, max(int(x0), 0) : int(np.ceil(x1)) + 1]
