"""The list of runs is the same with an index, without one, with a stale one and with a broken one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from measure.record import index
from measure.record.index import listed, place_of
from measure.record.library import Row, Unreadable, rows
from measure.record.models import RunRecord
from measure.record.store import RECORD, dump
from tests.doubles.records import kinds


@pytest.fixture(scope="module")
def records() -> dict[str, RunRecord]:
    return kinds()


def keep(root: Path, record: RunRecord, name: str | None = None) -> Path:
    folder = root / (name or record.run_id)
    folder.mkdir(parents=True)
    (folder / RECORD).write_bytes(dump(record))
    return folder


@pytest.fixture
def root(tmp_path: Path, records: dict[str, RunRecord]) -> Path:
    root = tmp_path / "runs"
    for record in records.values():
        keep(root, record)
    broken = root / "20250101-000000-broken"
    broken.mkdir()
    (broken / RECORD).write_text("{")
    return root


@pytest.fixture
def indexed(root: Path, tmp_path: Path) -> Callable[[], list[Row | Unreadable]]:
    return lambda: listed(root, cache=tmp_path / "cache", worth_it=1)


def file_of(root: Path, tmp_path: Path) -> Path:
    return place_of(root, tmp_path / "cache") / "runs.json"


def test_the_index_says_what_the_records_say(
    root: Path, tmp_path: Path, indexed: Callable[[], list[Row | Unreadable]], records: dict[str, RunRecord]
) -> None:
    expected = list(rows(root))
    assert indexed() == expected
    assert file_of(root, tmp_path).is_file()
    assert indexed() == expected, "also when it is read back"
    assert len([row for row in expected if isinstance(row, Row)]) == len(records)
    (unreadable,) = [row for row in expected if isinstance(row, Unreadable)]
    assert unreadable.folder.name.endswith("broken")
    assert sorted(entry.name for entry in root.iterdir() if entry.name.startswith(".")) == [], "nothing beside the runs"


@pytest.mark.parametrize("damage", [b"", b"{", b"\x00" * 99, b'{"version": 999, "entries": {}}', b'{"entries": 3}'])
def test_a_broken_index_is_made_anew(
    root: Path, tmp_path: Path, indexed: Callable[[], list[Row | Unreadable]], damage: bytes
) -> None:
    expected = indexed()
    file_of(root, tmp_path).write_bytes(damage)
    assert indexed() == expected
    assert file_of(root, tmp_path).read_bytes() != damage


def test_a_stale_index_is_noticed(
    root: Path,
    tmp_path: Path,
    indexed: Callable[[], list[Row | Unreadable]],
    records: dict[str, RunRecord],
) -> None:
    indexed()
    one = records["redundant"]
    path = root / one.run_id / RECORD
    before = path.stat()
    changed = one.model_copy(update={"complete": False})
    path.write_bytes(dump(changed).ljust(before.st_size))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    gone = root / records["band"].run_id
    (gone / RECORD).unlink()
    gone.rmdir()
    keep(root, records["undecided"], "20990101-000000-abcdef")
    assert indexed() == list(rows(root))


def test_an_index_that_can_not_be_kept_changes_nothing(
    root: Path, tmp_path: Path, indexed: Callable[[], list[Row | Unreadable]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(rows(root))
    (tmp_path / "cache").write_text("a file where a folder is wanted")
    assert indexed() == expected
    (tmp_path / "cache").unlink()
    monkeypatch.setattr(index, "LOCK_S", 0.01)
    place = place_of(root, tmp_path / "cache")
    place.mkdir(parents=True)
    with FileLock(place / "lock"):
        assert indexed() == expected
        assert not file_of(root, tmp_path).exists(), "nobody writes without the lock"
