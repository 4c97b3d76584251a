"""The watch's journal against a plain model of it; its lock; and when a file is whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from watching import shot

from visionsweeper.errors import InvalidInput, WriteFailed
from visionsweeper.watch import journal as journal_module
from visionsweeper.watch.arrivals import PATIENCE, Arrivals, is_temporary
from visionsweeper.watch.folder import Choice
from visionsweeper.watch.journal import Journal, Status
from visionsweeper.watch.lock import WatchLock

SOURCES = [Path("/in/a.png"), Path("/in/b.png"), Path("/in/deep/a.png"), Path("/in/a.jpg")]
OUT = Path("/out")


class JournalMachine(RuleBasedStateMachine):
    """Any order of arrivals, endings, restarts and crashes leaves the journal as the model says."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.journal = Journal(self.folder / "journal")
        self.model: list[dict[str, object]] = []
        self.noted: set[Path] = set()
        self.outputs: dict[Path, Path] = {}

    def latest(self, source: Path) -> dict[str, object] | None:
        return next((one for one in reversed(self.model) if one["source"] == source), None)

    @rule(source=st.sampled_from(SOURCES), content=st.integers(0, 3), modified=st.integers(0, 5))
    def arrives(self, source: Path, content: int, modified: int) -> None:
        entry = self.journal.queue(source, f"digest {content}", content, modified, OUT)
        before = self.latest(source)
        if before is not None and before["digest"] == f"digest {content}":
            assert entry is None
            before |= {"size": content, "modified": modified}
            return
        assert entry is not None
        for one in self.model:
            if one["source"] == source and one["status"] is Status.QUEUED:
                one["status"] = Status.PASSED
        assert entry.output is not None
        assert self.outputs.setdefault(source, entry.output) == entry.output
        assert len(set(self.outputs.values())) == len(self.outputs)
        assert entry.output.name.startswith("a" if source.stem == "a" else "b")
        self.model.append(
            {
                "number": entry.number,
                "source": source,
                "digest": f"digest {content}",
                "size": content,
                "modified": modified,
                "status": Status.QUEUED,
            }
        )

    @rule(source=st.sampled_from(SOURCES))
    def is_there_before(self, source: Path) -> None:
        if self.latest(source) is None:
            self.journal.note_folder(source.parent, [(source, 7, 7)])
            self.noted.add(source.parent)
            number = 1 + max([int(str(one["number"])) for one in self.model], default=0)
            self.model.append(
                {
                    "number": number,
                    "source": source,
                    "digest": "",
                    "size": 7,
                    "modified": 7,
                    "status": Status.PRESENT,
                }
            )

    @precondition(lambda self: any(one["status"] is Status.QUEUED for one in self.model))
    @rule(data=st.data(), status=st.sampled_from([Status.DONE, Status.PASSED, Status.FAILED]))
    def ends(self, data: st.DataObject, status: Status) -> None:
        one = data.draw(st.sampled_from([one for one in self.model if one["status"] is Status.QUEUED]))
        assert self.journal.finish(int(str(one["number"])), status, "so it went")
        one["status"] = status

    @precondition(lambda self: any(one["status"] is Status.QUEUED for one in self.model))
    @rule(data=st.data())
    def is_gone_at_its_turn(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from([one for one in self.model if one["status"] is Status.QUEUED]))
        assert self.journal.finish(int(str(one["number"])), Status.PASSED, "it is gone", gone=True)
        one |= {"status": Status.PASSED, "digest": "", "size": -1, "modified": -1}

    @precondition(lambda self: any(one["status"] is not Status.QUEUED for one in self.model))
    @rule(data=st.data())
    def ends_once_more(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from([one for one in self.model if one["status"] is not Status.QUEUED]))
        assert not self.journal.finish(int(str(one["number"])), Status.FAILED, "too late")

    @rule()
    def restarts(self) -> None:
        self.journal.close()
        self.journal = Journal(self.folder / "journal")

    @rule(source=st.sampled_from(SOURCES))
    def crashes_in_the_middle(self, source: Path) -> None:
        """A process that dies between two statements of one change: as if it had done neither."""
        database = sqlite3.connect(self.folder / "journal", isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE entries SET status = 'failed'")
        database.execute("DELETE FROM outputs WHERE source = ?", (os.fsencode(source),))
        database.close()
        self.restarts()

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "journal"):
            return
        entries = self.journal.entries()
        found = [
            {
                "number": entry.number,
                "source": entry.source,
                "digest": entry.digest,
                "size": entry.size,
                "modified": entry.modified,
                "status": entry.status,
            }
            for entry in entries
        ]
        assert found == self.model
        assert self.journal.pending() == [entry for entry in entries if entry.status is Status.QUEUED]
        for source in SOURCES:
            assert self.journal.knows_folder(source.parent) == (source.parent in self.noted)
        counts = self.journal.counts()
        assert all(counts[s] == sum(one["status"] is s for one in self.model) for s in Status)
        for source in SOURCES:
            latest = self.latest(source)
            for size, modified in ((7, 7), (1, 1), (2, 4)):
                same = latest is not None and (latest["size"], latest["modified"]) == (size, modified)
                assert self.journal.known(source, size, modified) == same
                recorded = same and latest is not None and latest["digest"] != ""
                assert self.journal.known(source, size, modified, present=False) == recorded
        with Journal(self.folder / "journal", read_only=True) as other:
            assert other.entries() == entries

    @rule()
    def its_file_is_taken_away(self) -> None:
        (self.folder / "journal").unlink()
        assert self.journal.is_gone()
        self.journal.begin_again()
        assert not self.journal.is_gone()

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.journal.close()
            shutil.rmtree(self.folder)


JournalMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestJournal = pytest.mark.slow(JournalMachine.TestCase)


def test_journals_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed, match="cannot open"):
        Journal(tmp_path / "none" / "journal", read_only=True)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").touch()
    with pytest.raises(WriteFailed, match="is a file"):
        Journal(tmp_path / "file" / "journal")
    with Journal(tmp_path / "none" / "journal"):
        assert (tmp_path / "none" / "journal").is_file()
    newer = tmp_path / "newer"
    database = sqlite3.connect(newer)
    database.execute("PRAGMA user_version = 99")
    database.execute("CREATE TABLE other (x)")
    database.close()
    with pytest.raises(InvalidInput, match="version 99"):
        Journal(newer)
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(InvalidInput, match="not a journal"):
        Journal(tmp_path / "text")


def saved_journal(version: int, path: Path) -> Path:
    """A journal as a program of that version left it."""
    database = sqlite3.connect(path)
    database.executescript((Path(__file__).parent / "journals" / f"version-{version}.sql").read_text())
    database.close()
    return path


def check_saved_journal(journal: Journal) -> None:
    assert [(one.source, one.status, one.output, one.message) for one in journal.entries()] == [
        (Path("/in/before.png"), Status.PRESENT, None, ""),
        (Path("/in/a.png"), Status.DONE, Path("/out/a.solved.png"), "9x9, 3 safe, 2 mines"),
        (Path("/in/a.png"), Status.QUEUED, Path("/out/a.solved.png"), ""),
        (Path("/in/\udcffb.jpg"), Status.PASSED, Path("/out/\udcffb.solved.png"), "no board"),
        (Path("/in/c.png"), Status.FAILED, Path("/out/c.solved.png"), "not a picture"),
    ]
    assert journal.knows_folder(Path("/in"))
    assert journal.known(Path("/in/c.png"), 30, 31)


@pytest.mark.parametrize("version", range(1, len(journal_module._STEPS) + 1))
def test_journals_of_all_versions_are_gone_on_with(version: int, tmp_path: Path) -> None:
    path = saved_journal(version, tmp_path / "journal")
    with Journal(path, read_only=True) as journal:
        check_saved_journal(journal)
    with Journal(path) as journal:
        check_saved_journal(journal)
        again = journal.queue(Path("/in/a.png"), "newer", 50, 51, OUT)
        assert again is not None
        assert again.output == Path("/out/a.solved.png")
        assert [one.digest for one in journal.pending()] == ["newer"]


def test_an_older_journal_is_brought_to_a_next_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved_journal(1, tmp_path / "journal")
    added = "ALTER TABLE entries ADD COLUMN boards INTEGER NOT NULL DEFAULT 1;"
    monkeypatch.setattr(journal_module, "_STEPS", (journal_module._STEPS[0], added))
    before = path.read_bytes()
    with Journal(path, read_only=True) as journal:
        check_saved_journal(journal)
        with pytest.raises(WriteFailed):
            journal.note_folder(Path("/other"), [])
    assert path.read_bytes() == before, "looking at it changes nothing"
    with Journal(path) as journal:
        check_saved_journal(journal)
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA user_version").fetchone() == (2,)
    assert database.execute("SELECT DISTINCT boards FROM entries").fetchall() == [(1,)]
    database.close()
    Journal(tmp_path / "new").close()
    database = sqlite3.connect(tmp_path / "new")
    assert database.execute("SELECT boards FROM entries").fetchall() == []
    database.close()


def test_a_step_that_fails_leaves_the_older_journal_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved_journal(1, tmp_path / "journal")
    broken = "CREATE TABLE more (x); ALTER TABLE missing ADD COLUMN x;"
    with monkeypatch.context() as patched:
        patched.setattr(journal_module, "_STEPS", (journal_module._STEPS[0], broken))
        with pytest.raises(WriteFailed, match="from version 1 to 2"):
            Journal(path)
    with Journal(path) as journal:
        check_saved_journal(journal)


def test_a_read_only_journal_is_not_written(tmp_path: Path) -> None:
    Journal(tmp_path / "journal").close()
    with Journal(tmp_path / "journal", read_only=True) as journal, pytest.raises(WriteFailed):
        journal.note_folder(Path("/"), [(Path("/a.png"), 1, 1)])


def test_the_lock_names_its_holder_and_goes_with_the_process(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom visionsweeper.watch.lock import WatchLock\n"
        f"with WatchLock(Path({str(tmp_path / 'lock')!r})):\n"
        "    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(InvalidInput, match=f"process {holder.pid}"), WatchLock(tmp_path / "lock"):
        pass
    holder.kill()
    holder.wait(60)
    holder.stdout.close()
    with WatchLock(tmp_path / "lock"), pytest.raises(InvalidInput), WatchLock(tmp_path / "lock"):
        pass


def test_a_file_is_whole_when_it_stays_and_decodes(tmp_path: Path) -> None:
    path, data, arrivals = tmp_path / "shot.png", shot(1), Arrivals(10_000_000)
    path.write_bytes(data[:1000])
    arrivals.seen(path, 0.0)
    assert list(arrivals.due(0.01)) == []
    now = 0.0
    for _ in range(20):  # half a picture, for long, but not for ever
        now = max(arrivals.next_due or 0.0, now)
        if now > PATIENCE - 3:
            break
        assert list(arrivals.due(now)) == []
    with path.open("ab") as file:
        file.write(data[1000:])
    now = arrivals.next_due or 0.0
    assert list(arrivals.due(now)) == []  # it changed since the last look
    [arrival] = list(arrivals.due(arrivals.next_due or 0.0))
    assert arrival.data == data
    assert arrivals.next_due is None
    assert len(arrivals) == 0


def test_what_stays_damaged_is_handed_on_and_what_is_gone_forgotten(tmp_path: Path) -> None:
    damaged, gone, arrivals = tmp_path / "damaged.png", tmp_path / "gone.png", Arrivals(10_000_000)
    damaged.write_bytes(b"no picture")
    gone.write_bytes(b"no picture")
    arrivals.seen(damaged, 0.0)
    arrivals.seen(gone, 0.0)
    gone.unlink()
    found = []
    while (due := arrivals.next_due) is not None:
        found += [(due, arrival) for arrival in arrivals.due(due)]
    [(when, arrival)] = found
    assert arrival.data == b"no picture"
    assert PATIENCE <= when <= PATIENCE + 3


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("shot.png", True),
        ("SHOT.PNG", True),
        ("shot.jpeg", True),
        ("shot.png.part", False),
        ("shot.crdownload", False),
        (".shot.png", False),
        ("~shot.png", False),
        ("shot.solved.png", False),
        ("shot.txt", False),
        ("shot", False),
    ],
)
def test_which_names_are_taken(name: str, taken: bool) -> None:
    assert Choice().takes(Path("/in") / name) == taken
    assert not Choice(outputs=(Path("/in"),)).takes(Path("/in") / name)
    assert is_temporary(Path(name)) == (name[0] in ".~" or name.endswith((".part", ".crdownload")))
