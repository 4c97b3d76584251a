"""The watch itself: what is heard of becomes arrivals, these become journal entries, and these pictures."""

from __future__ import annotations

import queue
import re
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from visionsweeper.errors import InvalidInput, VisionsweeperError, WriteFailed
from visionsweeper.io.files import make_folder
from visionsweeper.io.processes import begin_worker
from visionsweeper.watch.arrivals import Arrival, Arrivals, stamp_of
from visionsweeper.watch.folder import PATTERNS, Choice, Folder
from visionsweeper.watch.journal import Entry, Journal, Status
from visionsweeper.watch.lock import WatchLock
from visionsweeper.watch.processing import Result, Wanted, process

JOURNAL_NAME: Final = ".visionsweeper-watch.sqlite"

_CHECK: Final = 1.0
"""Seconds between looks whether the folders are there."""

_LOOK_THROUGH: Final = 30.0
"""Seconds between looks through the folders for what was not heard of."""

_FIRST_RETRY: Final = 2.0
_LONGEST_RETRY: Final = 120.0
"""Seconds until a picture that could not be written is tried again."""

_A_WHILE: Final = 0.5
"""Seconds after which arrivals are left for other work, even if more of them are due."""

_HELD: Final = 8
"""Pictures whose bytes are kept for each worker; those of others are read again at their turn."""

_LEFT_BEHIND: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""Temporary files of write_atomically, which a killed process leaves."""


@dataclass(frozen=True)
class Options:
    """What is watched, and what is done."""

    folders: tuple[Path, ...]
    output_dir: Path | None = None
    """Where pictures go; without one, to `solved` in each folder."""
    state: Path | None = None
    """The journal; without one, in the output folder."""
    patterns: tuple[str, ...] = PATTERNS
    recursive: bool = False
    polling: bool = False
    existing: bool = False
    """Also work off what was there before the first watch."""
    workers: int = 1
    log_file: Path | None = None
    """Written by whoever tells the events; never taken for input."""
    wanted: Wanted = field(default_factory=Wanted)


@dataclass(frozen=True)
class Event:
    """Something worth telling."""

    kind: str
    """begun, done, passed, failed, waiting or trouble."""
    text: str
    entry: Entry | None = None
    result: Result | None = None


@dataclass
class _Target:
    """One watched folder with where its outputs go."""

    folder: Folder
    output: Path
    journal: Journal
    fresh: bool
    """Whether it was never watched before: what is there now was there before the first watch."""


@dataclass
class _Task:
    """An entry on its way through a worker."""

    entry: Entry
    journal: Journal
    data: bytes | None
    future: Future[Result] | None = None
    result: Result | None = None
    tried: int = 0
    """How often its outputs could not be written."""
    crashes: int = 0
    """How often the worker ended while it was at this picture, or might have been."""
    gone: bool = False
    """Whether its content is not to be had."""
    not_before: float = 0.0


def journal_place(options: Options, folder: Path) -> Path:
    """Return the journal for one of the watched folders."""
    return options.state or output_folder(options, folder) / JOURNAL_NAME


def output_folder(options: Options, folder: Path) -> Path:
    """Return where the pictures of a watched folder go."""
    return options.output_dir or folder / "solved"


class Watcher:
    """Watches until it is told to stop. `tell` gets an Event for everything worth saying.

    Raises InvalidInput where another watch holds the journal or a folder is none, WriteFailed where outputs
    cannot be written at all; once begun, no error of a picture ends it.
    """

    def __init__(self, options: Options, tell: Callable[[Event], None]) -> None:
        from visionsweeper.io.images import MAX_BYTES  # slow to load

        self._options = options
        self._tell = tell
        self._heard: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self._arrivals = Arrivals(MAX_BYTES + 1)
        self._targets: list[_Target] = []
        self._tasks: deque[_Task] = deque()
        """In the order of arrival; results are recorded and told in it."""
        self._unrecorded: deque[Arrival] = deque()
        """Arrivals that the journal could not take yet."""
        self._pool: ProcessPoolExecutor | None = None
        self._was_told: dict[str, str] = {}
        self._stop = threading.Event()

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set; the pictures in hand are finished, the rest stays queued."""
        with ExitStack() as stack:
            self._begin(stack)
            stack.callback(self._close_pool)
            self._say("begun", f"watching {', '.join(str(one.folder.path) for one in self._targets)}")
            looked, checked = time.monotonic(), 0.0
            self._stop = stop
            while not stop.is_set():
                now = time.monotonic()
                if now - checked >= _CHECK:
                    checked = now
                    self._check_folders()
                if now - looked >= _LOOK_THROUGH:
                    looked = now
                    for target in self._targets:
                        try:
                            self._look_through(target)
                        except WriteFailed as error:
                            self._trouble("journal", str(error))
                self._take_arrivals()
                self._hand_out()
                self._collect()
                self._wait(stop)
            for target in self._targets:
                target.folder.close()
            self._finish_in_hand()

    # --- beginning

    def _begin(self, stack: ExitStack) -> None:
        options = self._options
        # One folder may have many names: by this one it is known.
        folders = tuple(dict.fromkeys(folder.resolve() for folder in options.folders))
        outputs = tuple(output_folder(options, folder).resolve() for folder in folders)
        journals: dict[Path, Journal] = {}
        locked: set[Path] = set()
        for folder, output in zip(folders, outputs, strict=True):
            if not folder.is_dir():
                what = f"{folder} is a file" if folder.exists() else f"there is no folder {folder}"
                raise InvalidInput(f"{what}: name a folder to watch, or make it first")
            place = journal_place(options, folder).resolve()
            if output not in locked:
                try:
                    make_folder(output)
                except WriteFailed as error:
                    raise WriteFailed(f"{error} with --output-dir") from error
                locked.add(output)
                stack.enter_context(WatchLock(output / f"{JOURNAL_NAME}.lock"))
            if place not in journals:
                journals[place] = stack.enter_context(Journal(place))
                if place.parent != output:
                    stack.enter_context(WatchLock(place.with_name(f"{place.name}.lock")))
            _clear_left_behind(output)
            # Where outputs go to the folder itself, or above it, their names alone tell them apart.
            apart = tuple(one for one in outputs if not folder.is_relative_to(one))
            written = [place] if options.log_file is None else [place, options.log_file.resolve()]
            choice = Choice(options.patterns, options.recursive, apart, tuple(written), folder)
            watched = Folder(folder, choice, polling=options.polling, heard=self._heard.put)
            stack.callback(watched.close)
            journal = journals[place]
            self._targets.append(_Target(watched, output, journal, not journal.knows_folder(folder)))
        for journal in journals.values():
            for entry in journal.pending():
                self._tasks.append(_Task(entry, journal, None))
        self._check_folders()

    def _check_folders(self) -> None:
        for target in self._targets:
            came = target.folder.check()
            try:
                if target.journal.is_gone() and target.folder.path.is_dir():
                    make_folder(target.output)
                    target.journal.begin_again()
                if came is False:
                    self._say("waiting", f"{target.folder.path} is gone; waiting for it to come back")
                elif came or target.fresh:
                    if target.fresh:
                        self._note_folder(target)
                    target.fresh = False
                    self._look_through(target)
            except (OSError, VisionsweeperError) as error:
                self._trouble("journal", _reason(error))

    def _note_folder(self, target: _Target) -> None:
        present = [] if self._options.existing else list(target.folder.files())
        stamps = [(path, stamp) for path in present if (stamp := stamp_of(path)) is not None]
        target.journal.note_folder(
            target.folder.path, [(path, stamp.size, stamp.modified) for path, stamp in stamps]
        )

    def _look_through(self, target: _Target) -> None:
        """Take what is there and not recorded for heard of. Raises WriteFailed."""
        now = time.monotonic()
        present = not self._options.existing
        for path in target.folder.files():
            stamp = stamp_of(path)
            if stamp is not None and not target.journal.known(
                path, stamp.size, stamp.modified, present=present
            ):
                self._arrivals.seen(path, now)

    # --- arrivals

    def _take_arrivals(self) -> None:
        now = time.monotonic()
        while True:
            try:
                self._arrivals.seen(self._heard.get_nowait(), now)
            except queue.Empty:
                break
        # Each is recorded as soon as it is whole: of a large burst, only the next are held in memory.
        while self._unrecorded:
            if not self._recorded(self._unrecorded[0]):
                return
            self._unrecorded.popleft()
        for arrival in self._arrivals.due(now):
            if not self._recorded(arrival):
                self._unrecorded.append(arrival)
                return
            if self._stop.is_set() or time.monotonic() - now > _A_WHILE:
                return

    def _recorded(self, arrival: Arrival) -> bool:
        try:
            self._record(arrival)
        except WriteFailed as error:
            self._trouble("journal", str(error))
            return False
        self._was_told.pop("journal", None)
        return True

    def _record(self, arrival: Arrival) -> None:
        target = self._target_of(arrival.source)
        entry = target.journal.queue(
            arrival.source, arrival.digest, arrival.stamp.size, arrival.stamp.modified, target.output
        )
        if entry is None:
            return
        for task in list(self._tasks):
            # An older version that no worker has yet was passed over just now.
            if task.entry.source == arrival.source and task.future is None and task.result is None:
                self._tasks.remove(task)
        # Of the many pictures of a burst, only the next are held in memory.
        near = len(self._tasks) < _HELD * self._options.workers
        self._tasks.append(_Task(entry, target.journal, arrival.data if near else None))

    def _target_of(self, source: Path) -> _Target:
        around = [one for one in self._targets if source.is_relative_to(one.folder.path)]
        return max(around, key=lambda one: len(one.folder.path.parts))

    # --- work

    def _hand_out(self) -> None:
        now = time.monotonic()
        in_hand = {task.entry.source for task in self._tasks if task.future is not None}
        # After a crash it is found out one by one which picture it was.
        suspected = any(task.crashes and task.result is None for task in self._tasks)
        for task in self._tasks:
            if len(in_hand) >= (1 if suspected else 2 * self._options.workers):
                return
            if suspected and not task.crashes:
                continue
            if task.future is not None or task.result is not None or task.not_before > now:
                continue
            # Two versions of one picture at a time could be written in the wrong order.
            if task.entry.source in in_hand:
                continue
            data = task.data
            if data is None:
                data = self._content(task.entry)
                if data is None and not task.entry.source.parent.is_dir():
                    task.not_before = now + _FIRST_RETRY  # its folder may come back
                    continue
                if data is None:
                    task.gone = True
                    task.result = Result(Status.PASSED, "it is gone, or was replaced by a newer version")
                    continue
            assert task.entry.output is not None
            arguments = (data, task.entry.source, task.entry.output, self._options.wanted)
            try:
                with _no_interrupt():
                    task.future = self._workers().submit(process, *arguments)
            except BrokenProcessPool:
                self._close_pool()
                return
            in_hand.add(task.entry.source)

    def _content(self, entry: Entry) -> bytes | None:
        """Return the bytes that the entry was made for, if the file still has them."""
        import hashlib  # rarely needed

        from visionsweeper.io.files import read_at_most

        with suppress(OSError, ValueError):
            data = read_at_most(entry.source, entry.size + 1)
            if hashlib.sha256(data).hexdigest() == entry.digest:
                return data
        return None

    def _workers(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned afresh: a fork would copy the threads' locks, and a worker's crash is to hurt nobody.
            self._pool = ProcessPoolExecutor(
                self._options.workers, mp_context=get_context("spawn"), initializer=begin_worker
            )
        return self._pool

    def _close_pool(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _collect(self) -> None:
        """Record what is done, in the order of arrival."""
        broken = False
        for task in self._tasks:
            if task.future is None or not task.future.done():
                continue
            try:
                task.result = task.future.result()
            except BrokenProcessPool:
                # Only one that was alone is known to be the cause.
                alone = sum(one.future is not None for one in self._tasks) == 1 and not broken
                broken = True
                task.crashes += 1
                if task.crashes > 1 and alone:
                    task.result = Result(Status.FAILED, "the worker process died twice while reading it")
            task.future = None
            if task.result is not None and task.result.try_again:
                self._trouble("output", f"{task.result.message}; it will be tried again")
                task.tried += 1
                task.not_before = time.monotonic() + min(_FIRST_RETRY * 2**task.tried, _LONGEST_RETRY)
                task.result = None
        if broken:
            self._close_pool()
        while self._tasks and self._tasks[0].result is not None:
            if not self._finish(self._tasks[0]):
                return
            self._tasks.popleft()
        # One that cannot be written now does not hold up those behind it.
        for task in [one for one in self._tasks if one.result is not None]:
            ahead = next(one for one in self._tasks if one.result is None)
            if ahead.not_before > time.monotonic() and self._finish(task):
                self._tasks.remove(task)

    def _finish(self, task: _Task) -> bool:
        assert task.result is not None
        try:
            recorded = task.journal.finish(
                task.entry.number, task.result.status, task.result.message, gone=task.gone
            )
        except WriteFailed as error:
            self._trouble("journal", str(error))
            return False
        if task.result.status is Status.DONE:
            self._was_told.pop("output", None)
        if recorded:
            self._tell(Event(task.result.status.value, task.result.message, task.entry, task.result))
        return True

    def _finish_in_hand(self) -> None:
        """After a stop: what workers have begun is finished and recorded, what they have not stays queued."""
        for task in self._tasks:
            if task.future is not None and task.future.cancel():
                task.future = None
        for task in list(self._tasks):
            if task.future is not None:
                with suppress(BrokenProcessPool):
                    task.result = task.future.result()
            if task.result is not None and not task.result.try_again:
                self._finish(task)

    def _wait(self, stop: threading.Event) -> None:
        due = self._arrivals.next_due
        pause = 0.25 if due is None else min(max(due - time.monotonic(), 0.005), 0.25)
        if any(task.future is not None for task in self._tasks):
            pause = min(pause, 0.02)
        if stop.is_set():
            return
        with suppress(queue.Empty):
            self._arrivals.seen(self._heard.get(timeout=pause), time.monotonic())

    def _say(self, kind: str, text: str) -> None:
        self._tell(Event(kind, text))

    def _trouble(self, about: str, text: str) -> None:
        """Say what goes on being wrong once, not with every try."""
        if self._was_told.get(about) != text:
            self._was_told[about] = text
            self._say("trouble", text)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, VisionsweeperError) else f"the outputs cannot be written: {error}"


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Ctrl-C waits meanwhile: a process that begins would answer it before it knows that it should not."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _clear_left_behind(folder: Path) -> None:
    with suppress(OSError):
        for path in folder.iterdir():
            if _LEFT_BEHIND.fullmatch(path.name):
                with suppress(OSError):
                    path.unlink()
