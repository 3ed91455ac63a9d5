"""Lines measured together: one baseline for all, round by round, settled with all of them counted."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.client.trial import Reason
from measure.plan.course import Course
from measure.plan.rounds import Rounds
from measure.plan.schedule import Block, Slot
from measure.plan.sharing import launches_together
from measure.record.build import build, result_of
from measure.record.family import claims_of
from measure.record.models import Arm, Measured, Stop
from measure.record.pairs import designs_of, pairs_of
from measure.verdict.design import Pair
from measure.verdict.parameters import STANDARD, Parameters
from tests.doubles.families import Answer, Played, counted, family
from tests.doubles.records import Outcome, asked_for, trial

FIVE = ("b0", "b1", "b2", "b3", "b4")
ONE_STREAM = Parameters(margin=0.5, probe_margin=0.7, max_rounds=40)
"""One probe, an average shift of half excluded: 5 identical pairs."""


def steady(missing: int | None, probe: str, block: int) -> bool:
    return True


def flips(*lines: int) -> Answer:
    """Answers that change wherever one of these lines is missing."""
    return lambda missing, probe, block: missing not in lines


@pytest.mark.parametrize(("lines", "separate", "shared"), [(8, 80, 45), (32, 320, 165), (64, 640, 325)])
def test_launches_of_equal_steady_lines_are_those_of_the_published_table(
    lines: int, separate: int, shared: int
) -> None:
    courses = family([("b0",)] * lines, ONE_STREAM)
    played = Played(courses, steady, jobs=4)
    played.play(Rounds(courses, 1))
    assert len(counted(courses)) == played.launched == shared
    alone = 0
    for _ in range(lines):
        (one,) = family([("b0",)], ONE_STREAM)
        Played([one], steady).play(Rounds([one], 1))
        alone += len(one.trials)
    assert alone == separate


def test_launches_with_one_line_in_eight_that_matters_are_those_of_the_published_table() -> None:
    """Without the one line the asked-for answer is given one time in ten; 50 launches shared, 84 apart."""
    shared, apart = [], []
    for seed in range(60):
        chance = random.Random(seed)
        draws = [chance.random() < 0.1 for _ in range(200)]

        def answer(missing: int | None, probe: str, block: int, draws: list[bool] = draws) -> bool:
            return draws[block] if missing == 0 else True

        courses = family([("b0",)] * 8, ONE_STREAM)
        Played(courses, answer).play(Rounds(courses, 1))
        shared.append(len(counted(courses)))
        apart.append(sum(len(course.trials) for course in courses))
    assert sum(shared) / 60 == pytest.approx(50, abs=2)
    assert sum(apart) / 60 == pytest.approx(84, abs=3)


def test_the_standard_round_of_eight_lines_saves_what_the_plan_says() -> None:
    courses = family([FIVE] * 8, STANDARD)
    played = Played(courses, steady, jobs=4)
    played.play(Rounds(courses, 1))
    probes = [entry.probe for entry in courses[0].plan.probes]
    assert played.launched == launches_together([(probes, 3)] * 8) == 135
    assert played.launched <= 0.6 * 8 * 30


def test_what_settles_alone_goes_on_until_it_stands_with_all_lines_counted() -> None:
    alone = family([FIVE] * 8, STANDARD, settle="alone")
    Played(alone, flips(0)).play(Rounds(alone, 1))
    assert [len(course.trials) // 2 for course in alone] == [4 if len(alone[0].trials) == 8 else 5, *[15] * 7]
    together = family([FIVE] * 8, STANDARD)
    Played(together, flips(0)).play(Rounds(together, 1))
    first, *rest = (len(course.trials) // 2 for course in together)
    assert first > len(alone[0].trials) // 2
    assert rest == [20] * 7, "7 x 22.1 / 8 is just short of 20, one round more is not"
    all_equal = family([FIVE] * 8, STANDARD)
    Played(all_equal, steady).play(Rounds(all_equal, 1))
    assert [len(course.trials) // 2 for course in all_equal] == [15] * 8, "8 x 22.1 / 8 stands"


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_stands_only_beside_the_others_is_looked_at_between_rounds(jobs: int) -> None:
    courses = family([(*FIVE, "b5")] * 8, STANDARD)
    Played(courses, flips(*range(8)), jobs).play(Rounds(courses, 1))
    assert [len(course.trials) // 2 for course in courses] == [6] * 8, "8 x 68 / 8 stood after five pairs already"


def test_a_single_line_and_a_line_alone_settle_alike() -> None:
    for answer in (steady, flips(0)):
        for jobs in (1, 4):
            (one,), (other,) = family([FIVE], STANDARD), family([FIVE], STANDARD, settle="alone")
            Played([one], answer, jobs).play(Rounds([one], 1))
            Played([other], answer, jobs).play(Rounds([other], 1))
            assert [trial.id for trial in one.trials] == [trial.id for trial in other.trials]


def test_of_a_resumed_family_those_that_are_done_still_count() -> None:
    courses = family([FIVE] * 8, STANDARD)
    Played(courses, flips(0)).play(Rounds(courses, 1))
    records = [build(course.plan, course.trials, course.stop, complete=True) for course in courses[1:]]
    fresh, lonely = family([FIVE], STANDARD), family([FIVE], STANDARD)
    Played(fresh, flips(0)).play(Rounds(fresh, 1, [claims_of(record) for record in records]))
    Played(lonely, flips(0)).play(Rounds(lonely, 1))
    assert len(fresh[0].trials) == len(courses[0].trials) > len(lonely[0].trials)


def lines_of(block: Block) -> list[int]:
    return [course for slot in block.slots if slot.arm is Arm.VARIANT for course in slot.courses]


panels = st.lists(st.sets(st.sampled_from(FIVE), min_size=1).map(sorted).map(tuple), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(
    panel=panels,
    jobs=st.integers(1, 9),
    seed=st.integers(0, 10_000),
    noise=st.sampled_from([0.0, 0.05, 0.5]),
    failing=st.sampled_from([0.0, 0.1]),
    settle=st.sampled_from(["together", "alone"]),
    content=st.integers(0, 1),
)
def test_whatever_comes_back_in_whatever_order_the_schedule_keeps_its_promises(
    panel: list[tuple[str, ...]], jobs: int, seed: int, noise: float, failing: float, settle: str, content: int
) -> None:
    chance = random.Random(seed)

    def answer(missing: int | None, probe: str, block: int) -> bool:
        return (missing != 0) ^ (chance.random() < noise)

    def fails(slot: Slot) -> Outcome:
        return Reason.TIMEOUT if chance.random() < failing else None

    courses = family(panel, STANDARD, settle=settle, content=content)
    played = Played(courses, answer, jobs, random.Random(seed + 1), fails)
    played.play(Rounds(courses, seed))
    assert all(course.stop is not None for course in courses)
    rows = [block for block in played.blocks if not block.slots[0].topup]
    served = Counter((course, block.round, block.probe) for block in rows for course in lines_of(block))
    assert max(served.values()) == 1, "no line was served twice in one round of a probe"
    if not content:
        # Of two axes one may be settled for a moment, until a pair under way ends without an answer.
        baselines = Counter((block.round, block.probe) for block in rows)
        assert max(baselines.values()) == 1, "no baseline was launched twice for one round of a probe"
    rounds = [block.round for block in played.blocks]
    assert rounds == sorted(rounds), "nothing of a later round before the end of an earlier one"
    for block in played.blocks:
        (shared,) = [slot for slot in block.slots if slot.arm is Arm.BASELINE]
        assert sorted(shared.courses) == sorted(lines_of(block))
        assert len({slot.order for slot in block.slots}) == 1
    for course in courses:
        most = 2 * len(course.plan.probes) * STANDARD.rounds_at_most
        assert len(course.trials) <= most
        assert len({trial.id for trial in course.trials}) == len(course.trials)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), cut=st.integers(0, 120), jobs=st.integers(1, 5))
def test_a_family_that_was_cut_off_goes_on_to_the_same_promises(seed: int, cut: int, jobs: int) -> None:
    chance = random.Random(seed)

    def answer(missing: int | None, probe: str, block: int) -> bool:
        return (missing != 1) ^ (chance.random() < 0.03)

    courses = family([FIVE[:3], FIVE, FIVE[2:]], STANDARD)
    Played(courses, answer, jobs, random.Random(seed)).play(Rounds(courses, seed), at_most=cut)
    for course in courses:
        course.stop = None
    before = [list(course.trials) for course in courses]
    played = Played(courses, answer, jobs, random.Random(seed))
    played.play(Rounds(courses, seed))
    assert all(course.stop is not None for course in courses)
    for course, had in zip(courses, before, strict=True):
        assert course.trials[: len(had)] == had
        assert len({trial.id for trial in course.trials}) == len(course.trials)
    numbers = {trial.block for had in before for trial in had}
    assert not numbers & {block.number for block in played.blocks}


def test_a_line_whose_own_answers_never_count_ends_alone() -> None:
    def fails(slot: Slot) -> Outcome:
        return Reason.CRASHED if slot.arm is Arm.VARIANT and slot.courses == (2,) else None

    courses = family([FIVE] * 4, STANDARD)
    Played(courses, steady, fails=fails).play(Rounds(courses, 1))
    assert [course.stop.reason for course in courses if course.stop] == ["settled", "settled", "invalid", "settled"]


def test_verdicts_are_those_of_the_pairs_at_the_stop_whatever_was_under_way() -> None:
    for seed in range(20):
        courses = family([FIVE] * 4, STANDARD)
        Played(courses, flips(0, 1), jobs=9, chance=random.Random(seed)).play(Rounds(courses, seed))
        for course in courses:
            assert course.stop is not None
            last = course.stop.last_block
            assert last is not None
            result = result_of(course.plan, course.trials, course.stop)
            assert isinstance(result, Measured)
            pairs = [pair for pair in pairs_of_course(course) if pair.seq <= last]
            assert result.decision.axes[0].pairs == len(pairs)


def test_a_line_that_has_stopped_counts_with_what_it_showed_then() -> None:
    """Its later pairs, under way when it stopped, would have taken its evidence back, and with it the other line's."""
    courses = family([("b0",)] * 2, ONE_STREAM)
    for number, outcomes in enumerate(("+++++" + "=" * 12, "++++")):
        plan = courses[number].plan
        good, bad = asked_for(plan, "b0")
        for block, sign in enumerate(outcomes):
            for member, (arm, said) in enumerate(((Arm.BASELINE, good), (Arm.VARIANT, bad if sign == "+" else good))):
                courses[number].trials.append(trial(plan, block, block + 1, "b0", arm, member, said, block + 1))
    courses[0].stop = Stop(reason="settled", last_block=4)
    Rounds(courses, 1).next([])
    assert courses[1].stop is not None, "36.8 stands beside 135, not by itself"
    alone = family([("b0",)] * 2, ONE_STREAM)
    alone[1].trials, alone[0].stop = courses[1].trials, Stop(reason="failing")
    Rounds(alone, 1).next([])
    assert alone[1].stop is None


def pairs_of_course(course: Course) -> tuple[Pair, ...]:
    return pairs_of(designs_of(course.plan.probes), course.plan.contrast, course.trials)
