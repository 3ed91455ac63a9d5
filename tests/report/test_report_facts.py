"""What is said of a record beside its verdict: how far its scope came, how launches ended, what misleads if hidden."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from measure.client.trial import Reason
from measure.gate.review import as_markdown, entry_of
from measure.probe.model import Axis
from measure.record.ended import ends_of, scope_reached
from measure.record.family import families_of
from measure.record.models import RunRecord, Stop
from measure.record.pairs import designs_of
from measure.report import facts, wording
from measure.report.family import family_sentences
from measure.report.markdown import record_markdown
from measure.report.terminal import render
from measure.verdict.parameters import STANDARD
from measure.verdict.resolution import resolve
from tests.doubles.records import Outcome, asked_for, example_plan, kinds, made
from tests.doubles.workplace import LINE, Workplace

PLAN = example_plan()
PUT = PLAN.probe_ids
RECORDS = kinds()
FORMS = (render, record_markdown, lambda record: as_markdown([record]))
"""Every form in which a person reads a record on a terminal or in a comment."""


def squeezed(text: str) -> str:
    return " ".join(text.split())


def only(*names: str, second: Outcome = "") -> RunRecord:
    """One round in which only these probes were answered in both arms; the others were not put, or gave `second`."""

    def say(probe: str, _: int) -> tuple[Outcome, Outcome]:
        first, other = asked_for(PLAN, probe)
        return (first, other) if probe in names else ((first, second) if second else (None, None))

    return made(say, rounds=1, stop=Stop(reason="launches"), complete=False)


@pytest.mark.parametrize("second", ["", Reason.TIMEOUT, "unreadable"])
@pytest.mark.parametrize("answered", [1, 2, 3])
def test_only_probes_with_a_pair_answered_in_both_arms_are_told_as_measured(answered: int, second: Outcome) -> None:
    record = only(*PUT[:answered], second=second)
    assert record.result.status == "measured"
    for form in FORMS:
        text = squeezed(form(record))
        assert f"{answered} of {len(PUT)} probes measured" in text
        left = next(part for part in text.split("Left unmeasured: ")[1:])
        assert [name in left.split("Claim")[0].split("Condition")[0] for name in PUT] == [
            index >= answered for index in range(len(PUT))
        ]
    scope = entry_of(record).scope
    assert scope is not None
    assert scope.probes_measured == answered
    assert all(name in " ".join(scope.unmeasured) for name in PUT[answered:])


def test_a_whole_run_measured_all_and_a_run_without_a_verdict_measured_none() -> None:
    for name, record in RECORDS.items():
        reached = scope_reached(record)
        if record.plan is None or reached is None:
            continue
        if name.startswith("unmeasured"):
            assert reached.probes_measured == 0
        elif name != "invalid-void":
            assert reached.probes_measured == len(PUT)
            assert reached.unmeasured == record.plan.scope.unmeasured


def test_a_pair_after_the_last_look_measures_nothing() -> None:
    record = only(*PUT).model_copy(update={"stop": Stop(reason="settled", last_block=1)})
    reached = scope_reached(record)
    assert reached is not None
    assert reached.probes_measured == 2


def failing_in_one_arm(what: Outcome, rounds: int = 2) -> RunRecord:
    def say(probe: str, _: int) -> tuple[Outcome, Outcome]:
        return asked_for(PLAN, probe)[0], what

    return made(say, rounds=rounds, stop=Stop(reason="invalid"))


@pytest.mark.parametrize("what", [Reason.CRASHED, Reason.MAX_TURNS, "unreadable"])
def test_failures_of_one_arm_are_told_arm_against_arm(what: Outcome) -> None:
    record = failing_in_one_arm(what)
    assert record.result.status == "unmeasured"
    launches = 2 * len(PUT)
    for form in FORMS:
        text = squeezed(form(record))
        assert f"{launches} of {launches} launches without the line" in text
        assert "0 of" in text
        assert wording.NOTHING_SAID not in text
    for form in FORMS[:2]:
        for name in PUT:
            wanted = rf"{name}\W+{asked_for(PLAN, name)[0]} 2\W+{what} 2\b"
            assert re.search(wanted, form(record)), (wanted, form(record))


def test_failures_of_both_arms_say_nothing_of_the_line() -> None:
    def say(*_: object) -> tuple[Outcome, Outcome]:
        return Reason.CRASHED, Reason.CRASHED

    record = made(say, rounds=2, stop=Stop(reason="failing", detail="crashed"), complete=False)
    assert wording.NOTHING_SAID in squeezed(render(record))
    assert facts.ONE_SIDED not in facts.headline(record)[1]


def test_a_launch_or_two_are_no_pattern() -> None:
    record = only(second=Reason.CRASHED)
    few = record.model_copy(update={"trials": record.trials[:2]})
    assert facts.ONE_SIDED not in facts.unmeasured_sentences(few, few.result)  # type: ignore[arg-type]


def test_launches_that_were_called_off_are_of_no_arm() -> None:
    ends = ends_of(PLAN.contrast, failing_in_one_arm(Reason.CANCELLED).trials)
    assert not ends.without.launches
    assert not ends.one_sided


def launches(record: RunRecord) -> str:
    return dict(facts.condition(record))["launches"]


def test_all_valid_is_said_of_nothing_else() -> None:
    nothing = made(lambda *_: (None, None), rounds=1, stop=Stop(reason="launches"), complete=False)
    assert launches(nothing) == "0"
    assert "valid" in launches(RECORDS["load-bearing"])
    for what in (Reason.CRASHED, "unreadable", "void"):
        assert "valid" not in launches(failing_in_one_arm(what))
    assert f"void {2 * len(PUT)}" in launches(failing_in_one_arm("void"))


def test_what_leaked_is_counted_in_the_table() -> None:
    leaked = next(probe for probe in RECORDS["invalid-void"].result.decision.probes if probe.void)  # type: ignore[union-attr]
    assert str(leaked.void) in facts.counts(leaked.counts.with_, leaked.counts.invalid_with, leaked.void)
    assert "set aside" in render(RECORDS["invalid-void"])


def test_not_all_rounds_are_said_to_be_made_where_launches_were_not() -> None:
    record = RECORDS["undecided"].model_copy(update={"stop": Stop(reason="cap", not_launched=6)})
    stopped = dict(facts.condition(record))["stopped"]
    assert "all rounds" not in stopped
    assert "6 launches not made" in stopped


@pytest.mark.parametrize("name", ["redundant", "unmeasured", "band"])
def test_a_changed_workspace_is_told_by_the_finding(name: str) -> None:
    before, after = (facts.headline(one)[1] for one in (RECORDS[name], changed(RECORDS[name])))
    assert after == (after[0], *before)
    assert "workspace" in after[0]
    for form in FORMS:
        assert after[0] in squeezed(form(changed(RECORDS[name])))


def changed(record: RunRecord) -> RunRecord:
    return record.model_copy(update={"workspace_changed": True})


def lines(*names: str) -> list[RunRecord]:
    return [RECORDS[name] for name in names]


def test_lines_that_showed_nothing_have_no_sentences_together() -> None:
    screens = lines("to-stage-2", "undecided")
    assert families_of(screens)
    assert family_sentences(screens) == ()


def test_the_rate_over_several_lines_is_told_as_one_of_false_claims() -> None:
    told = " ".join(family_sentences(lines("load-bearing", "restatement", "redundant")))
    assert "false discovery rate" in told
    assert not re.search(r"held to 5 % over", told, re.IGNORECASE)


def first(text: str, *words: str) -> list[int]:
    """Where each word comes first; all must be there."""
    found = [text.lower().find(word) for word in words]
    assert min(found) >= 0, text
    return found


def test_behavior_comes_first_everywhere() -> None:
    record = RECORDS["restatement"]
    plan = record.plan
    assert plan is not None
    entry = entry_of(record)
    assert [axis.axis for axis in entry.axes] == ["behavior", "content"]
    assert [axis.axis for axis in entry_of(RECORDS["band"]).axes] == ["behavior", "content"]
    decision = record.result.decision  # type: ignore[union-attr]
    resolution = resolve(designs_of(plan.probes), STANDARD)
    for text in (
        render(record),
        record_markdown(record),
        render(RECORDS["band"]),
        record_markdown(RECORDS["band"]),
        " ".join(wording.decision_sentences(decision)[1:]),
        " ".join(wording.resolution_sentences(resolution, STANDARD)[1:]),
        " ".join(family_sentences(lines("load-bearing", "restatement"))),
    ):
        behavior, content = first(re.sub(r"(?i)content alone|asked-for", "", text), "behavior", "content")
        assert behavior < content, text
    table = record_markdown(record).split("| with the line |")[1]
    of = {axis: [entry.probe.id for entry in plan.probes if entry.probe.axis is axis] for axis in Axis}
    assert max(first(table, *of[Axis.BEHAVIOR])) < min(first(table, *of[Axis.CONTENT]))


def test_from_the_command_line_a_limit_leaves_probes_unmeasured(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    place.put_probes(3)
    place.json(*place.arguments("--drop", LINE, "--max-launches", "2", "--jobs", "1"))
    for command in ("show", "review"):
        text = squeezed(place.measure(command, "last").stdout)
        assert "1 of 3 probes measured" in text
    assert place.json("review", "last")["runs"][0]["scope"]["probes_measured"] == 1


def test_which_arm_went_first_is_told_of_the_pairs_also_where_lines_share_a_block() -> None:
    record = kinds()["load-bearing"]
    spread = {trial.id: 3 * trial.member + 2 for trial in record.trials}
    shared = record.model_copy(
        update={"trials": tuple(trial.model_copy(update={"member": spread[trial.id]}) for trial in record.trials)}
    )
    assert dict(facts.condition(shared))["order"] == dict(facts.condition(record))["order"]
    assert "0 pairs" not in dict(facts.condition(shared))["order"]
