"""Several lines are counted together: each that was launched counts, and a claim of one falls among many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from measure.probe.model import Axis
from measure.record.family import families_of
from measure.record.models import RunRecord
from measure.report.family import family_sentences
from tests.doubles.records import kinds
from tests.doubles.workplace import Workplace

DEMO = Path(__file__).resolve().parent.parent.parent / "probes" / "demo"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    place = Workplace(tmp_path_factory.mktemp("family"))
    return place.json("run", "--probe", str(DEMO), "--seed", "5")


@pytest.fixture(scope="module")
def records(document: dict[str, object]) -> tuple[RunRecord, ...]:
    assert isinstance(document["runs"], list)
    return tuple(RunRecord.model_validate_json(json.dumps(run)) for run in document["runs"])


def again(record: RunRecord, times: int) -> list[RunRecord]:
    """As many lines that came out alike."""
    return [record.model_copy(update={"run_id": f"{record.run_id}-{index}"}) for index in range(times)]


def finding(record: RunRecord) -> str:
    assert record.result.status == "measured"
    return record.result.decision.finding.kind.value


def test_lines_of_one_command_are_counted_together(document: dict[str, object], records: tuple[RunRecord, ...]) -> None:
    assert isinstance(document["families"], list)
    behavior = next(one for one in document["families"] if one["axis"] == "behavior")
    assert behavior["lines"] == [record.run_id for record in records]
    telling = [record.run_id for record in records if finding(record) == "load-bearing"]
    assert behavior["differing_alone"] == behavior["differing_together"] == telling
    assert len(telling) == 1


def test_one_difference_among_very_many_lines_falls_short_and_is_named(records: tuple[RunRecord, ...]) -> None:
    telling = next(record for record in records if finding(record) == "load-bearing")
    silent = next(record for record in records if record is not telling)
    for lines, stands in ((1, True), (5_000, False)):
        together = [telling, *again(silent, lines)]
        family = next(one for one in families_of(together) if one.axis is Axis.BEHAVIOR)
        assert family.differing_alone == (telling.run_id,)
        assert (telling.run_id in family.differing_together) is stands
        assert telling.plan is not None
        of_behavior = next(said for said in family_sentences(together) if said.startswith("Behavior"))
        assert f"{int(stands)} of 1 differences" in of_behavior
        assert (telling.plan.contrast.place in of_behavior) is not stands


def test_a_line_that_was_launched_and_gave_nothing_counts(records: tuple[RunRecord, ...]) -> None:
    telling = next(record for record in records if finding(record) == "load-bearing")
    result = {"status": "unmeasured", "reason": "client-failed", "detail": "x"}
    nothing = RunRecord.model_validate({**telling.model_dump(by_alias=True), "run_id": "n", "result": result})
    family = next(one for one in families_of([telling, nothing]) if one.axis is Axis.BEHAVIOR)
    assert family.lines == (telling.run_id, "n")
    unlaunched = nothing.model_copy(update={"trials": ()})
    assert families_of([telling, unlaunched]) == ()


def test_one_line_alone_is_no_family(records: tuple[RunRecord, ...]) -> None:
    assert families_of(records[:1]) == ()
    assert family_sentences(records[:1]) == ()


def test_a_screen_claims_no_zero(tmp_path: Path) -> None:
    screened = Workplace(tmp_path).json("run", "--probe", str(DEMO), "--seed", "5", "--stage", "1")
    assert "to-stage-2" in {run["result"]["decision"]["finding"]["kind"] for run in screened["runs"]}
    assert screened["families"]
    assert all(family["zero_alone"] == family["zero_together"] == [] for family in screened["families"])


def test_lines_that_change_nothing_one_at_a_time_are_not_said_to_do_nothing_together() -> None:
    redundant = kinds()["redundant"]
    one, other = (redundant.model_copy(update={"run_id": name}) for name in ("r1", "r2"))
    assert "by itself" in " ".join(family_sentences([one, other]))
    assert "by itself" not in " ".join(family_sentences([one, kinds()["load-bearing"]]))
