"""Ten thousand records are listed within a second and framed within three, of the processor's time.

That is with a cache; one more run does not make the old ones be read again.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from measure.record.frames import FOLDER, frames
from measure.record.index import listed
from measure.record.models import RunRecord
from measure.record.store import RECORD, dump
from tests.doubles.records import kinds

MANY = 10_000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return kinds()["redundant"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, record: RunRecord) -> Path:
    """That many folders, whose records are links to one file: only reading them is measured."""
    root = tmp_path_factory.mktemp("runs")
    source = tmp_path_factory.mktemp("one") / RECORD
    source.write_bytes(dump(record))
    for number in range(MANY):
        place = root / f"20260101-{number:06}-000000"
        place.mkdir()
        os.link(source, place / RECORD)
    return root


def test_they_are_listed_within_a_second(root: Path, tmp_path: Path) -> None:
    listed(root, cache=tmp_path)
    began = time.process_time()
    found = listed(root, cache=tmp_path)
    assert time.process_time() - began < 1
    assert len(found) == MANY


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A cache of the tables as they are at first."""
    cache = tmp_path_factory.mktemp("cache")
    frames(root, cache=cache)
    return cache


def test_they_are_framed_within_three_seconds(root: Path, cache: Path, record: RunRecord) -> None:
    began = time.process_time()
    found = frames(root, cache=cache)
    assert time.process_time() - began < 3
    assert len(found.trials) == MANY * len(record.trials)


def test_one_more_run_is_framed_within_a_second_and_a_half(root: Path, cache: Path, record: RunRecord) -> None:
    more = root / "20260102-000000-000000"
    more.mkdir()
    (more / RECORD).write_bytes(dump(record))
    try:
        began = time.process_time()
        found = frames(root, cache=cache)
        assert time.process_time() - began < 1.5
    finally:
        (more / RECORD).unlink()
        more.rmdir()
    assert len(found.trials) == (MANY + 1) * len(record.trials)
    assert found.runs[FOLDER][0] == more.name
