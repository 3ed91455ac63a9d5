"""The budget: no launch in flight carries the total past the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from measure.plan.budget import Budget, Grant
from measure.record.models import Arm
from tests.doubles.records import example_plan, trial

price = st.floats(0.01, 0.0125, allow_nan=False)
"""Prices of one run's launches: replies differ, within the headroom."""


@given(limit=st.floats(0.005, 1.0), prices=st.lists(price, min_size=1, max_size=150), jobs=st.integers(1, 16))
def test_money_spent_never_passes_the_limit_once_a_price_is_known(limit: float, prices: list[float], jobs: int) -> None:
    budget = Budget(max_usd=limit, expected_usd=prices[0])
    flying: list[float] = []
    for cost in prices:
        while budget.ask() is not Grant.GO:
            if not flying:
                assert budget.spent_usd <= limit
                return
            budget.settle(flying.pop(0))
        flying.append(cost)
        if len(flying) == jobs:
            budget.settle(flying.pop(0))
    for cost in flying:
        budget.settle(cost)
    assert budget.spent_usd <= limit + 1e-9


def test_while_no_price_is_known_one_pair_goes_alone() -> None:
    budget = Budget(max_usd=1.0)
    assert budget.ask(2) is Grant.GO
    assert budget.ask(2) is Grant.WAIT
    budget.settle(0.2)
    budget.settle(0.2)
    assert budget.ask(2) is Grant.GO
    assert budget.ask(2) is Grant.WAIT
    budget.settle(0.2)
    budget.settle(0.2)
    assert budget.ask(2) is Grant.MONEY_SPENT


@given(limit=st.integers(0, 50), wanted=st.integers(0, 100))
def test_launches_are_counted_when_they_start(limit: int, wanted: int) -> None:
    budget = Budget(max_launches=limit)
    granted = sum(budget.ask() is Grant.GO for _ in range(wanted))
    assert granted == min(limit, wanted)


def test_a_launch_without_a_stated_cost_spends_what_was_set_aside() -> None:
    budget = Budget(max_usd=1.0, expected_usd=0.4)
    assert budget.ask() is Grant.GO
    budget.settle(None)
    assert budget.spent_usd == 0.5


def test_a_launch_that_several_lines_read_is_taken_over_once() -> None:
    plan = example_plan()
    own = trial(plan, 0, 1, plan.probe_ids[0], Arm.BASELINE, 0, "quoted", 1)
    read = own.model_copy(update={"counted_in": "another-run"})
    budget = Budget(max_launches=10, max_usd=1.0)
    budget.take_over([own])
    budget.take_over([read])
    assert budget.launched == 1
    assert budget.spent_usd == own.usage.cost_usd
