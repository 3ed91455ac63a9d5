"""A launch that was begun counts once: by the line it got, or else as cut off when the program was killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.client.trial import Reason, Usage
from measure.errors import RecordError
from measure.record.index import listed
from measure.record.library import Row
from measure.record.models import InvalidRecord, TrialRecord
from measure.record.store import BEGUN, TRIALS, RunWriter, read_trials
from tests.doubles.records import example_plan, kinds

ENDED = kinds()["undecided"].trials[:6]


def last_will(trial: TrialRecord) -> TrialRecord:
    cancelled = InvalidRecord(reason=Reason.CANCELLED, detail="killed", acted=True)
    return trial.model_copy(update={"reading": None, "invalid": cancelled, "answer": None, "usage": Usage()})


@settings(deadline=None, max_examples=25)
@given(
    ended=st.sets(st.integers(0, len(ENDED) - 1)),
    begun=st.integers(0, len(ENDED)),
    torn=st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")),
    kills=st.integers(1, 3),
)
def test_whatever_had_ended_when_it_was_killed_every_launch_counts_once(
    tmp_path_factory: pytest.TempPathFactory, ended: set[int], begun: int, torn: bytes, kills: int
) -> None:
    root = tmp_path_factory.mktemp("runs")
    writer = RunWriter.create(root, example_plan())
    for number, trial in enumerate(ENDED[:begun]):
        writer.begun(last_will(trial))
        if number in ended:
            writer.append(trial)
    assert read_trials(writer.folder)[0] == tuple(ENDED[number] for number in sorted(ended) if number < begun)
    writer.close()
    with (writer.folder / BEGUN).open("ab") as file:
        file.write(torn)
    expected = {trial.id: trial if number in ended else last_will(trial) for number, trial in enumerate(ENDED[:begun])}
    before = (writer.folder / TRIALS).read_bytes()
    assert {trial.id: trial for trial in read_trials(writer.folder)[0]} == expected
    assert (writer.folder / TRIALS).read_bytes() == before, "reading writes nothing"
    for _ in range(kills):
        again = RunWriter.reopen(writer.folder)
        found, _ = read_trials(writer.folder)
        assert {trial.id: trial for trial in found} == expected
        assert len(found) == begun
        assert (writer.folder / TRIALS).read_bytes().startswith(before)
        again.close()


def test_a_list_kept_while_it_ran_counts_what_was_cut_off_when_it_was_killed(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    root.mkdir()
    writer = RunWriter.create(root, example_plan())
    writer.begun(last_will(ENDED[0]))

    def launches() -> int:
        (row,) = listed(root, cache=tmp_path / "cache", worth_it=1)
        assert isinstance(row, Row)
        return row.launches

    assert launches() == 0
    writer.close()
    assert launches() == 1, "no file has changed since"


def test_a_damaged_line_of_what_was_begun_is_never_passed_over(tmp_path: Path) -> None:
    writer = RunWriter.create(tmp_path, example_plan())
    writer.close()
    (writer.folder / BEGUN).write_bytes(b"{}\n")
    with pytest.raises(RecordError, match=BEGUN):
        read_trials(writer.folder)
