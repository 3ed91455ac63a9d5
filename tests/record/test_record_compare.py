"""Two runs are taken as like only where everything that must match does; what differs is named."""

from __future__ import annotations

from typing import Any

import pytest

from measure.errors import RequestError
from measure.record.compare import compare
from measure.record.condition import BAND, RUN, differing
from measure.record.counted import counted_pairs
from measure.record.models import Plan, RunRecord
from tests.doubles.records import asked_for, example_plan, examples, kinds, made

PLAN = example_plan()


def later(plan: Plan = PLAN, rounds: int = 3) -> RunRecord:
    """A run of its own under `plan`, with the arms as far apart as they can be."""
    plan = plan.model_copy(update={"run_id": "20260401-000000-000001"})
    return made(lambda probe, _: asked_for(plan, probe), plan=plan, rounds=rounds)


EARLIER = kinds()["interrupted"]


def with_condition(**fields: Any) -> Plan:
    return PLAN.model_copy(update={"condition": PLAN.condition.model_copy(update=fields)})


def changed(part: str, **fields: Any) -> Plan:
    return PLAN.model_copy(update={part: getattr(PLAN, part).model_copy(update=fields)})


OTHERWISE = {
    "condition.client": with_condition(client="claude"),
    "condition.client_version": with_condition(client_version="9.9.9"),
    "condition.model": with_condition(model="another-model"),
    "condition.name": with_condition(name="lean"),
    "condition.stage": with_condition(stage=1),
    "condition.arguments": with_condition(arguments=("-p", "--other")),
    "condition.variables_set": with_condition(variables_set={"A": "1"}),
    "condition.max_turns": with_condition(max_turns=4),
    "condition.time_limit_s": with_condition(time_limit_s=1.0),
    "condition.notes": with_condition(notes=("other dispositions",)),
    "workspace": changed("surface", digest="0" * 64),
    "contrast": changed("contrast", file_digest_variant="0" * 64),
    "judge": PLAN.model_copy(update={"judge_version": "rules-0"}),
    "constraint": PLAN.model_copy(update={"constraint": None}),
    "leaks": PLAN.model_copy(update={"leaks_version": None}),
    "purpose": PLAN.model_copy(update={"purpose": "band"}),
    "parameters.margin": changed(
        "design", parameters=PLAN.design.parameters.model_copy(update={"margin": 0.3, "max_rounds": 9})
    ),
    f"probe {PLAN.probes[0].probe.id}": PLAN.model_copy(
        update={"probes": (PLAN.probes[0].model_copy(update={"digest": "0" * 64}), *PLAN.probes[1:])}
    ),
}


def test_every_field_of_the_condition_that_must_match_is_among_these() -> None:
    assert {f"condition.{name}" for name in (*BAND, *RUN)} <= set(OTHERWISE)


@pytest.mark.parametrize("field", OTHERWISE)
def test_what_differs_is_named_and_never_pooled(field: str) -> None:
    other = later(OTHERWISE[field])
    found = compare(EARLIER, other)
    assert not found.alike
    assert field in [one.field for one in found.differing]
    assert found.pooled is None
    with pytest.raises(RequestError) as refusal:
        compare(EARLIER, other, pool=True)
    assert field in refusal.value.message


def test_two_runs_that_are_alike_are_read_as_one() -> None:
    other = later()
    assert compare(EARLIER, other).alike
    for pair in ((EARLIER, other), (other, EARLIER)):
        pooled = compare(*pair, pool=True).pooled
        assert pooled is not None
        pairs = len(counted_pairs(EARLIER)) + len(counted_pairs(other))
        assert sum(axis.pairs for axis in pooled.axes) == pairs
        assert pooled.finding.kind == "load-bearing"


def test_how_long_a_run_could_go_on_is_no_difference() -> None:
    longer = PLAN.design.parameters.model_copy(update={"max_rounds": 30})
    assert compare(EARLIER, later(changed("design", parameters=longer, seed=1, jobs=9))).alike


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(RequestError):
        compare(EARLIER, EARLIER)


def test_a_run_that_was_never_planned_is_shown_and_never_like() -> None:
    alone = kinds()["unmeasured-alone"]
    found = compare(alone, later())
    assert not found.alike
    assert found.sides[0].axes == ()


def test_a_band_of_the_simulated_agent_stays_with_its_dispositions() -> None:
    assert differing(PLAN.condition, with_condition(notes=("other",)).condition, BAND) == ["notes"]
    real = next(record for record in examples() if record.plan and record.plan.condition.client == "claude")
    assert real.plan is not None
    other = real.plan.condition.model_copy(update={"notes": ("another day",), "time_limit_s": 1.0})
    assert differing(real.plan.condition, other, BAND) == []
