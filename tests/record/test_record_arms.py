"""What a launch costs by arm: the same answered pairs in both, none that led, nothing where nothing was reported."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from measure.client.trial import Reason, Usage
from measure.record.arms import FEWEST, Cost, CostByArm, Quantity, cost_by_arm, student
from measure.record.build import build
from measure.record.models import Arm, Plan, RunRecord, Stop, TrialRecord
from tests.doubles.records import asked_for, example_plan, examples, kinds, trials

PLAN = example_plan()
WITH = PLAN.contrast.with_arm
Change = Callable[[TrialRecord], TrialRecord]


def made(change: Change, *, plan: Plan = PLAN) -> list[TrialRecord]:
    return [change(trial) for trial in trials(plan, 3, lambda probe, _: asked_for(plan, probe))]


def recorded(launches: list[TrialRecord], *, plan: Plan = PLAN, stop: Stop | None = None) -> RunRecord:
    return build(plan, launches, stop, complete=True, sessions=())


def spent(trial: TrialRecord, **usage: float | None) -> TrialRecord:
    return trial.model_copy(update={"usage": Usage.model_validate(usage)})


def by_arm(trial: TrialRecord) -> TrialRecord:
    """With the line a launch takes 30 input tokens more, and each probe has a length of its own."""
    length = 400 + 100 * [entry.probe.id for entry in PLAN.probes].index(trial.probe)
    return spent(trial, input_tokens=length + 30 * (trial.arm is WITH), output_tokens=20, cost_usd=0.002)


def shown(record: RunRecord) -> CostByArm:
    found = cost_by_arm(record)
    assert found is not None
    return found


def row(found: CostByArm, quantity: Quantity) -> Cost:
    return next(cost for cost in found.costs if cost.quantity is quantity)


def failed(trial: TrialRecord) -> TrialRecord:
    reason = {"reason": Reason.TIMEOUT, "detail": "too late"}
    data = trial.model_dump() | {"reading": None, "answer": None, "invalid": reason}
    return TrialRecord.model_validate(data)


def test_a_launch_without_an_answer_takes_its_partner_out_as_well() -> None:
    long = PLAN.probes[-1].probe.id

    def lossy(trial: TrialRecord) -> TrialRecord:
        trial = by_arm(trial)
        return failed(trial) if trial.arm is not WITH and trial.probe == long and trial.round > 1 else trial

    found = shown(recorded(made(lossy)))
    assert found.pairs == 3 * 4 - 2
    tokens = row(found, Quantity.INPUT)
    assert tokens.constant, "the mix of probes favours no arm"
    assert tokens.difference == pytest.approx(30)
    assert tokens.with_line - tokens.without == pytest.approx(tokens.difference)


def test_what_went_first_is_left_out_in_both_arms() -> None:
    def leading(trial: TrialRecord) -> TrialRecord:
        if trial.position != 1:
            return spent(trial, input_tokens=0, cache_creation_input_tokens=10, cache_read_input_tokens=9_000)
        dear = spent(trial, input_tokens=0, cache_creation_input_tokens=9_010, cache_read_input_tokens=0)
        return dear.model_copy(update={"led": True})

    found = shown(recorded(made(leading)))
    assert (found.pairs, found.left_out) == (11, 1)
    assert row(found, Quantity.WRITTEN).with_line == row(found, Quantity.WRITTEN).without == 10
    assert row(found, Quantity.INPUT).with_line == 9_010


def unmarked(launches: list[TrialRecord]) -> list[TrialRecord]:
    """As a program wrote them that did not know the mark."""
    texts = [json.loads(trial.model_dump_json(exclude={"led"})) for trial in launches]
    return [TrialRecord.model_validate_json(json.dumps(text)) for text in texts]


def two_at_once(trial: TrialRecord) -> TrialRecord:
    """Pairs start together, four seconds apart; the first two find nothing cached."""
    began = trial.started_at - timedelta(seconds=2 * trial.position) + timedelta(seconds=4 * trial.block)
    first = trial.block == 0
    used = {"cache_creation_input_tokens": 9_000 * first, "cache_read_input_tokens": 9_000 * (not first)}
    return spent(trial, input_tokens=3, **used).model_copy(update={"started_at": began})


def test_records_from_before_the_mark_tell_by_their_times_who_could_find_nothing() -> None:
    found = shown(recorded(unmarked(made(two_at_once))))
    assert (found.pairs, found.left_out) == (11, 1)
    assert row(found, Quantity.WRITTEN).nothing


def test_a_pause_lets_the_cache_go_cold() -> None:
    def paused(trial: TrialRecord) -> TrialRecord:
        trial = two_at_once(trial)
        later = timedelta(minutes=6) if trial.block >= 5 else timedelta()
        return trial.model_copy(update={"started_at": trial.started_at + later})

    assert shown(recorded(unmarked(made(paused)))).left_out == 2


def test_a_run_that_was_gone_on_with_by_a_newer_program_is_told_in_both_ways() -> None:
    def newer(trial: TrialRecord) -> TrialRecord:
        trial = two_at_once(trial)
        return trial.model_copy(update={"led": trial.position == 9})

    assert shown(recorded(made(newer))).left_out == 2


def test_a_record_whose_first_launch_is_in_another_one_leaves_out_what_is_marked_alone() -> None:
    def within(trial: TrialRecord) -> TrialRecord:
        return two_at_once(trial).model_copy(update={"position": trial.position + 5})

    assert shown(recorded(made(within))).left_out == 0


def test_where_nothing_is_cached_nothing_can_be_found_and_nobody_is_left_out() -> None:
    assert shown(recorded(made(by_arm))).left_out == 0
    assert shown(recorded(unmarked(made(by_arm)))).pairs == 12


def test_the_kept_record_of_a_real_client_shows_the_line_in_every_pair() -> None:
    record = next(one for one in examples() if one.plan is not None and one.plan.condition.client == "claude")
    found = shown(record)
    tokens = row(found, Quantity.INPUT)
    assert tokens.constant
    assert 10 < tokens.difference < 40
    assert found.left_out == 1, "its second launch wrote four times what the others did"


def test_with_an_added_line_the_variant_has_it() -> None:
    other = next(arm for arm in Arm if arm is not WITH)
    plan = PLAN.model_copy(update={"contrast": PLAN.contrast.model_copy(update={"with_arm": other})})

    def costs(trial: TrialRecord) -> TrialRecord:
        return spent(trial, input_tokens=500 if trial.arm is other else 470)

    assert row(shown(recorded(made(costs, plan=plan), plan=plan)), Quantity.INPUT).difference == 30


def test_only_the_last_attempt_of_a_launch_is_looked_at() -> None:
    launches = made(by_arm)
    again = launches[0].model_copy(update={"id": "again", "attempt": 2, "position": 99})
    found = shown(recorded([*(failed(launches[0]), *launches[1:]), again]))
    assert found.pairs == 12
    assert row(found, Quantity.INPUT).constant


def test_pairs_that_were_under_way_when_it_was_settled_are_not_read() -> None:
    def late(trial: TrialRecord) -> TrialRecord:
        return spent(trial, input_tokens=10**6 if trial.block > 7 and trial.arm is WITH else 400)

    found = shown(recorded(made(late), stop=Stop(reason="settled", last_block=7)))
    assert (found.pairs, row(found, Quantity.INPUT).difference) == (8, 0)


def test_nothing_is_told_where_nothing_was_reported() -> None:
    silent = made(lambda trial: spent(trial).model_copy(update={"turns": None}))
    assert cost_by_arm(recorded(silent)) is None, "seconds alone are the harness's own"

    def some(trial: TrialRecord) -> TrialRecord:
        return spent(trial, input_tokens=400, output_tokens=None if trial.arm is WITH else 20)

    quantities = {cost.quantity for cost in shown(recorded(made(some))).costs}
    assert quantities == {Quantity.INPUT, Quantity.FRESH, Quantity.TURNS, Quantity.SECONDS}


def test_a_missing_figure_is_never_a_zero() -> None:
    def gap(trial: TrialRecord) -> TrialRecord:
        cached = None if trial.arm is WITH and trial.block < 3 else 9_000
        return spent(trial, input_tokens=5, cache_creation_input_tokens=0, cache_read_input_tokens=cached)

    tokens = row(shown(recorded(made(gap))), Quantity.INPUT)
    assert (tokens.pairs, tokens.difference) == (9, 0)


def test_records_without_a_line_or_without_a_measurement_have_no_cost_of_one() -> None:
    told = {name: cost_by_arm(record) is not None for name, record in kinds().items()}
    without = {"unmeasured", "unmeasured-alone", "band"}
    assert {name for name, found in told.items() if not found} == without


@pytest.mark.parametrize("pairs", [FEWEST - 1, FEWEST])
def test_an_interval_takes_enough_pairs(pairs: int) -> None:
    launches = [trial for trial in made(by_arm) if trial.block < pairs]
    assert (row(shown(recorded(launches)), Quantity.INPUT).interval is None) == (pairs < FEWEST)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=12, max_size=12))
def test_the_interval_is_students_over_the_differences_of_pairs(figures: list[tuple[int, int]]) -> None:
    launches = made(lambda trial: spent(trial, output_tokens=figures[trial.block][trial.arm is not WITH]))
    random.Random(1).shuffle(launches)
    output = row(shown(recorded(launches)), Quantity.OUTPUT)
    differences = [one - other for one, other in figures]
    assert output.difference == pytest.approx(sum(differences) / 12)
    assert output.constant == (len(set(differences)) == 1)
    assert output.interval is not None
    if not output.constant:
        known = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
        assert list(output.interval) == pytest.approx([known.low, known.high], abs=1e-6)


@given(st.floats(0.5, 0.999), st.integers(1, 600))
def test_students_factor_is_the_one_of_the_tables(confidence: float, freedom: int) -> None:
    assert student(confidence, freedom) == pytest.approx(stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-9)
