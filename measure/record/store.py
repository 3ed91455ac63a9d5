"""The append-only store: `runs/<run-id>/` with `plan.json`, `trials.jsonl`, `transcripts/`, and `record.json` last.

Invariants: a line of `trials.jsonl` is on disk, with its transcript, before the next launch counts; a launch is in
`begun.jsonl` before it starts, so that one that was under way when the program was killed is a launch as well; files
that are written whole appear whole or not at all; a torn last line is set aside and never read as a trial. A folder
without `record.json` is a run that is under way where its journal is claimed, and else an interrupted one.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TypeVar

from pydantic import BaseModel, ValidationError

from measure.errors import LockHeldError, RecordError, RequestError
from measure.record.models import Plan, Session, Stop, TrialRecord

Model = TypeVar("Model", bound=BaseModel)

_HALF = re.compile("[\ud800-\udfff]")

PLAN = "plan.json"
TRIALS = "trials.jsonl"
BEGUN = "begun.jsonl"
"""Launches this run pays for, each as the line it gets in the journal should the program be killed before it ends."""
RECORD = "record.json"
SESSIONS = "sessions.jsonl"
TORN = "torn.bin"
TRANSCRIPTS = "transcripts"
RUNNING = "running"
"""The stop, never written, of a run that is under way."""
CLAIM_S = 0.2
"""How long a run's claim is waited for: who only asks whether it runs holds it for an instant."""
MARKER = ".measure-runs"
"""Marks a folder as one that holds records, so that a project's own `runs/` is never taken for one."""


def new_run_id(now: datetime | None = None) -> str:
    """`YYYYMMDD-HHMMSS-xxxxxx`, UTC: sorts by time, safe as a file name everywhere.

    Four of the last digits are the fraction of the second, so that runs of one second sort as they were begun.
    """
    now = now or datetime.now(UTC)
    return f"{now:%Y%m%d-%H%M%S}-{now.microsecond * 65536 // 1_000_000:04x}{secrets.token_hex(1)}"


def new_run_ids(number: int) -> tuple[str, ...]:
    """Ids for runs that begin together: all different, and sorting in this order."""
    now = datetime.now(UTC)
    # One step of the fraction in the id takes 15.3 microseconds.
    return tuple(new_run_id(now + timedelta(microseconds=16 * index)) for index in range(number))


def dump(model: BaseModel) -> bytes:
    """A model as UTF-8 JSON that can be read back: U+FFFD stands for half a character, as file names may hold.

    Raises ValueError for a number that JSON has no word for.
    """
    text = json.dumps(
        model.model_dump(mode="json", by_alias=True), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text).encode()


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why, remedy = _WHY_NOT.get(error.errno or 0, (error.strerror or error, "Check that the folder is writable."))
        raise RecordError(f"can't write the record at {path}: {why}", hint=remedy) from error


_FULL = ("no space left", "Free some space; what was written before is kept and can be shown.")
_WHY_NOT = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: ("a file may not grow so large here", "Raise the limit of this shell ('ulimit -f unlimited')."),
}
"""What keeps a file from being written, in words, and what to do."""


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` at `path` whole or not at all: temporary file, fsync, rename, fsync of the folder.

    It has the mode that any new file of this user has, as all files of a record do.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    with _disk_errors(path):
        try:
            with temporary.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def default_root(explicit: Path | None = None) -> Path:
    """Where records go: as told, else `$MEASURE_RUNS`, else `./runs` if it is marked as ours, else the user's data."""
    if explicit is not None:
        return explicit
    if named := os.environ.get("MEASURE_RUNS"):
        return Path(named)
    if (Path("runs") / MARKER).is_file():
        return Path("runs").absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("measure", appauthor=False)) / "runs"


def command_for(verb: str, run_id: str, root: Path) -> str:
    """What to type for one run whose record is in `root`: says where that is, unless it would be looked for there."""
    words = ["measure", verb, run_id]
    if root.absolute() != default_root().absolute():
        words += ["--runs", str(root)]
    return shlex.join(words)


def open_root(root: Path) -> Path:
    """Make sure that records can be written below `root`.

    Raises `RequestError` where they can't: nothing may be launched whose outcome could not be kept.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        marker = root / MARKER
        if not marker.exists():
            marker.write_text("Records of measure live here.\n", encoding="utf-8")
        with tempfile.TemporaryFile(dir=root) as probe:
            probe.write(b"\0" * 4096)
            probe.flush()
    except OSError as error:
        raise RequestError(
            f"records can't be written to {root}: {error.strerror or error}",
            hint="Name a writable folder with --runs DIR, or set MEASURE_RUNS.",
        ) from error
    return root


@dataclass(frozen=True, slots=True)
class Packed:
    """An event stream as it is kept: compressed, with the sha256 of the bytes before."""

    data: bytes
    digest: str


def pack(stream: bytes) -> Packed:
    """Compress an event stream, once for all records it goes to."""
    return Packed(gzip.compress(stream, compresslevel=5, mtime=0), hashlib.sha256(stream).hexdigest())


@dataclass
class RunWriter:
    """The only writer of one run's folder; its journal is claimed while it is open."""

    folder: Path
    _journal: IO[bytes] | None = field(default=None, repr=False)
    _begun: IO[bytes] | None = field(default=None, repr=False)

    @classmethod
    def create(cls, root: Path, plan: Plan) -> RunWriter:
        """Make the folder of a new run and write its plan. Raises `RecordError` if that can't be done; then no folder
        is left.
        """
        folder = root / plan.run_id
        with _disk_errors(folder):
            folder.mkdir()
        try:
            with _disk_errors(folder):
                (folder / TRANSCRIPTS).mkdir()
            write_whole(folder / PLAN, dump(plan))
        except RecordError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise RecordError(error.message, hint="Nothing of it was launched.") from error
        writer = cls(folder)
        writer._open()
        return writer

    @classmethod
    def reopen(cls, folder: Path) -> RunWriter:
        """Go on with a run: set a torn last line aside, give launches that were under way when the program was killed
        their line, and put an earlier record out of the way until the next one.

        Raises `RecordError` if that can't be done, and `LockHeldError` while another process writes to the run.
        """
        writer = cls(folder)
        writer._open()
        with _disk_errors(folder):
            _set_torn_line_aside(folder)
            writer._take_over_begun()
            record = folder / RECORD
            if record.exists():
                number = len(list(folder.glob("record-*.json"))) + 1
                record.rename(folder / f"record-{number}.json")
            (folder / TRANSCRIPTS).mkdir(exist_ok=True)
        return writer

    def begin(self, session: Session) -> None:
        """Note that launching begins (again)."""
        with _disk_errors(self.folder / SESSIONS), (self.folder / SESSIONS).open("ab") as stream:
            stream.write(dump(session) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _open(self) -> None:
        with _disk_errors(self.folder / TRIALS):
            self._journal = (self.folder / TRIALS).open("ab", buffering=0)
        if not _claim(self._journal):
            self.close()
            raise LockHeldError(
                f"another process is writing to the run {self.folder.name}", hint="Wait for it to end, then try again."
            )

    def _take_over_begun(self) -> None:
        trials, _ = read_journal(self.folder)
        for trial in _without_a_line(self.folder, trials):
            self.append(trial)
        (self.folder / BEGUN).unlink(missing_ok=True)

    def begun(self, trial: TrialRecord) -> None:
        """Force to disk that a launch begins, as the line it gets should nobody live to write how it ended."""
        with _disk_errors(self.folder / BEGUN):
            if self._begun is None:
                self._begun = (self.folder / BEGUN).open("ab", buffering=0)
                _sync_folder(self.folder)
            _add_line(self._begun, dump(trial))

    def keep_stream(self, name: str, packed: Packed) -> str:
        """Keep one trial's event stream; returns the file's name."""
        path = self.folder / TRANSCRIPTS / f"{name}.jsonl.gz"
        with _disk_errors(path), path.open("wb") as handle:
            handle.write(packed.data)
            handle.flush()
            os.fsync(handle.fileno())
        return path.name

    def append(self, trial: TrialRecord) -> None:
        """Add one line and force it to disk."""
        assert self._journal is not None
        with _disk_errors(self.folder / TRIALS):
            _add_line(self._journal, dump(trial))

    def finish(self, record: BaseModel) -> None:
        """Write `record.json`, last and whole."""
        self.close()
        write_whole(self.folder / RECORD, dump(record))
        with _disk_errors(self.folder / BEGUN):
            (self.folder / BEGUN).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the journal; the folder stays as it is."""
        for file in (self._journal, self._begun):
            if file is not None:
                file.close()
        self._journal = self._begun = None


def _add_line(file: IO[bytes], line: bytes) -> None:
    written = file.write(line + b"\n")
    if written != len(line) + 1:
        raise OSError(errno.ENOSPC, "short write")
    os.fsync(file.fileno())


def _claim(journal: IO[bytes]) -> bool:
    """Whether this process is the journal's only writer, until it closes it. Runs may go on under different temps."""
    until = time.monotonic() + CLAIM_S
    while (held := _flock(journal, exclusive=True)) is False and time.monotonic() < until:
        time.sleep(0.01)
    return held is not False


def _flock(file: IO[bytes], *, exclusive: bool) -> bool | None:
    """Whether the lock was got; None where there are no such locks."""
    try:
        import fcntl
    except ImportError:  # Windows measures nothing
        return None
    try:
        fcntl.flock(file.fileno(), (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without such locks
        return None
    return True


def is_running(folder: Path) -> bool:
    """Whether a living process writes to this run. False where that can't be told."""
    try:
        with (folder / TRIALS).open("rb") as journal:
            return _flock(journal, exclusive=False) is False
    except OSError:
        return False


def stop_of_unfinished(folder: Path) -> Stop | None:
    """Why nothing more stands in a folder without a record: it is under way. None: its program was killed."""
    return Stop(reason=RUNNING, detail="launches are still being made") if is_running(folder) else None


def refuse_running(folder: Path) -> None:
    """Raise `LockHeldError` while a living process writes to this run."""
    if is_running(folder):
        raise LockHeldError(
            f"the run {folder.name} is under way: another process is writing to it",
            hint=f"Try again when it has ended; how far it is: {command_for('show', folder.name, folder.parent)}",
        )


def _set_torn_line_aside(folder: Path) -> None:
    journal = folder / TRIALS
    if not journal.exists():
        return
    data = journal.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole == len(data):
        return
    with (folder / TORN).open("ab") as stream:
        stream.write(data[whole:] + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.truncate(journal, whole)


def read_sessions(folder: Path) -> tuple[Session, ...]:
    """The sessions of a run, the first one first; a torn last line is left out."""
    try:
        lines = (folder / SESSIONS).read_bytes().split(b"\n")[:-1]
        return tuple(Session.model_validate_json(line) for line in lines)
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as error:
        raise RecordError(f"can't read {folder / SESSIONS}: {error}") from error


def read_plan(folder: Path) -> Plan:
    """The plan of a run. Raises `RecordError` if it is missing or can't be read."""
    return read_model(folder / PLAN, Plan)


def read_trials(folder: Path) -> tuple[tuple[TrialRecord, ...], int]:
    """All launches of a run, and how many lines of its journal had to be set aside.

    One that was under way when the program was killed is among them, cancelled. Raises as `read_journal`.
    """
    # Asked first: what is under way and ends meanwhile must not be taken for killed.
    running = is_running(folder)
    trials, aside = read_journal(folder)
    return trials if running else (*trials, *_without_a_line(folder, trials)), aside


def _without_a_line(folder: Path, trials: Iterable[TrialRecord]) -> tuple[TrialRecord, ...]:
    """Launches that were begun and never got their line. A torn one at the end was not begun yet."""
    try:
        whole = (folder / BEGUN).read_bytes().split(b"\n")[:-1]
        begun = [TrialRecord.model_validate_json(line) for line in whole]
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as error:
        raise RecordError(f"can't read {folder / BEGUN}: {error}") from error
    ended = {trial.id for trial in trials}
    return tuple(trial for trial in begun if trial.id not in ended)


def read_journal(folder: Path) -> tuple[tuple[TrialRecord, ...], int]:
    """All whole lines of the journal, each id once (the first), and how many lines had to be set aside.

    Only the last line may be torn; a damaged line elsewhere raises `RecordError`, since silently dropping a trial
    would change the verdict.
    """
    path = folder / TRIALS
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return (), 0
    except OSError as error:
        raise RecordError(f"can't read {path}: {error.strerror or error}") from error
    lines = raw.split(b"\n")
    torn = lines.pop()
    trials: dict[str, TrialRecord] = {}
    for number, line in enumerate(lines, 1):
        try:
            trial = TrialRecord.model_validate_json(line)
        except ValidationError as error:
            raise RecordError(f"{path}: line {number} is damaged", hint=str(error.errors()[0]["msg"])) from error
        trials.setdefault(trial.id, trial)
    aside = folder / TORN
    earlier = aside.read_bytes().count(b"\n") if aside.exists() else 0
    return tuple(trials.values()), earlier + bool(torn)


def read_stream(folder: Path, trial: TrialRecord) -> bytes:
    """The kept event stream of one trial. Raises `RecordError` if it is missing or was altered."""
    if trial.transcript is None:
        raise RecordError(f"trial {trial.id} has no transcript")
    path = folder / TRANSCRIPTS / trial.transcript
    try:
        stream = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise RecordError(f"can't read the transcript {path}: {error}") from error
    if hashlib.sha256(stream).hexdigest() != trial.transcript_digest:
        raise RecordError(f"the transcript {path} is not the one that was recorded")
    return stream


def read_model(path: Path, model: type[Model]) -> Model:
    """A stored model. Raises `RecordError` if it is missing or can't be read."""
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise RecordError(f"{path} is missing", hint="Is this the folder of a run?") from error
    except OSError as error:
        raise RecordError(f"can't read {path}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{part}: " for part in [".".join(map(str, first["loc"]))] if part)
        raise RecordError(
            f"{path} is no record this program can read: {where}{first['msg']}", hint=_way_out(path)
        ) from error


def _way_out(path: Path) -> str | None:
    """Where the launches still are when what was concluded from them can't be read."""
    if path.name != RECORD or not (path.parent / PLAN).is_file() or not (path.parent / TRIALS).is_file():
        return None
    return (
        f"All launches are in {TRIALS} beside it as well. Move {RECORD} out of the folder: 'measure show' then shows "
        "what they say, and 'measure resume' completes the run and writes it anew."
    )
