"""The order of launches: seeded, interleaved, and a prefix of any longer run's order."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from measure.plan.schedule import Block, block, shuffled
from measure.record.models import Arm

PROBES = ("p1", "p2", "p3", "p4", "p5")


def full_round(first: int, round_: int, seed: int) -> list[Block]:
    order = shuffled(PROBES, round_, seed)
    return [block(first + offset, round_, probe, ("x", "y"), seed) for offset, probe in enumerate(order)]


@given(seed=st.integers(0, 2**63), first=st.integers(0, 10_000), round_=st.integers(1, 100))
def test_a_round_has_one_pair_per_probe_with_both_arms_back_to_back(seed: int, first: int, round_: int) -> None:
    blocks = full_round(first, round_, seed)
    assert sorted(made.probe for made in blocks) == sorted(PROBES)
    assert [made.number for made in blocks] == list(range(first, first + len(PROBES)))
    for made in blocks:
        assert {slot.arm for slot in made.slots} == {Arm.BASELINE, Arm.VARIANT}
        assert made.slots[0].order == made.slots[1].order
        assert made.slots[0].seed != made.slots[1].seed


@given(seed=st.integers(0, 2**63))
def test_the_same_seed_gives_the_same_order(seed: int) -> None:
    assert full_round(0, 1, seed) == full_round(0, 1, seed)


def test_neither_arm_always_goes_first_and_probes_are_shuffled() -> None:
    first = Counter()  # type: ignore[var-annotated]
    leading = Counter()  # type: ignore[var-annotated]
    for seed in range(400):
        blocks = full_round(0, 1, seed)
        first.update(made.slots[0].arm for made in blocks)
        leading[blocks[0].probe] += 1
    # 2,000 fair coin flips: 5 standard deviations are 112.
    assert abs(first[Arm.BASELINE] - 1000) < 112
    assert set(leading) == set(PROBES)


def test_trial_ids_sort_in_the_order_of_scheduling() -> None:
    blocks = full_round(8, 1, 1)
    ids = [slot.trial_id(1) for made in blocks for slot in made.slots]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
