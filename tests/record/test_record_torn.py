"""A journal that was cut anywhere gives back every trial that was whole, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measure.errors import RecordError
from measure.record.build import build
from measure.record.library import load
from measure.record.models import Plan, RunRecord, TrialRecord
from measure.record.store import PLAN, TORN, TRIALS, RunWriter, dump, read_trials
from tests.doubles.records import asked_for, example_plan, kinds, trials

MIXED = kinds()["undecided"].trials
LINES = [dump(trial) + b"\n" for trial in MIXED]
JOURNAL = b"".join(LINES)
ENDS = [sum(map(len, LINES[: number + 1])) for number in range(len(LINES))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    (folder / PLAN).write_bytes(dump(example_plan()))
    return folder


def whole(cut: int) -> tuple[TrialRecord, ...]:
    return MIXED[: sum(end <= cut for end in ENDS)]


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, len(JOURNAL)))
def test_a_cut_loses_at_most_the_line_it_is_in(folder: Path, cut: int) -> None:
    (folder / TRIALS).write_bytes(JOURNAL[:cut])
    (folder / TORN).unlink(missing_ok=True)
    found, aside = read_trials(folder)
    assert found == whole(cut)
    assert aside == (0 if cut in (0, *ENDS) else 1)
    record = load(folder)
    assert not record.complete
    assert record.trials == tuple(sorted(found, key=lambda trial: trial.position))
    assert record.set_aside == aside


@settings(deadline=None, max_examples=30)
@given(cuts=st.lists(st.integers(0, len(JOURNAL)), min_size=1, max_size=4), junk=st.binary(max_size=40))
def test_going_on_after_any_cut_counts_nothing_twice_and_keeps_what_was_set_aside(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], junk: bytes
) -> None:
    folder = tmp_path_factory.mktemp("again")
    (folder / PLAN).write_bytes(dump(example_plan()))
    torn = junk.replace(b"\n", b"")
    written = 0
    for cut in sorted(cuts):
        kept = sum(end <= cut for end in ENDS)
        (folder / TRIALS).open("ab").close()
        writer = RunWriter.reopen(folder)
        for trial in MIXED[written:kept]:
            writer.append(trial)
        written = max(written, kept)
        writer.close()
        with (folder / TRIALS).open("ab") as stream:
            stream.write(torn)
    writer = RunWriter.reopen(folder)
    for trial in MIXED[written:]:
        writer.append(trial)
    writer.close()
    found, aside = read_trials(folder)
    assert found == MIXED
    assert aside == (len(cuts) if torn else 0)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.integers(0, len(LINES) - 2), data=st.data())
def test_a_line_that_is_damaged_in_the_middle_is_refused_and_never_dropped(
    folder: Path, line: int, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(LINES[line]) - 2))
    damaged = [*LINES]
    damaged[line] = LINES[line][:cut] + b"\n"
    (folder / TRIALS).write_bytes(b"".join(damaged))
    (folder / TORN).unlink(missing_ok=True)
    with pytest.raises(RecordError, match=f"line {line + 1}"):
        read_trials(folder)


def test_a_record_is_a_function_of_what_is_on_the_disk(tmp_path: Path) -> None:
    plan: Plan = example_plan()
    made = trials(plan, 3, lambda probe, _: asked_for(plan, probe))
    writer = RunWriter.create(tmp_path, plan)
    for trial in made:
        writer.append(trial)
    writer.close()
    record = load(tmp_path / plan.run_id)
    assert record == build(plan, made, None, complete=False)
    assert RunRecord.model_validate(json.loads(dump(record))) == record
