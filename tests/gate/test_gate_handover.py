"""What reviewers may know before a review ends, and what stands in the parent's own record after it."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure import cli
from measure.client.trial import Reason, Usage
from measure.gate import brief, review
from measure.gate.markdown import block, code, plain
from measure.judge.reading import Kind, Reading
from measure.record.build import build
from measure.record.library import load
from measure.record.models import Arm, InvalidRecord, Plan, RunRecord, Session, Stop, TrialRecord
from measure.record.store import RunWriter, dump, read_plan
from measure.verdict.finding import FindingKind
from measure.verdict.vocabulary import WhyUnmeasured
from tests.doubles.workplace import LINE, Workplace

MEASURED = ("--drop", LINE, "--seed", "7")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """A workplace with one measured run of five probes."""
    made = Workplace(tmp_path_factory.mktemp("gate") / "place")
    made.put_probes(5)
    done = made.measure(*made.arguments(*MEASURED, "--probes-total", "9", "--unmeasured", "style"))
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def plan(place: Workplace) -> Plan:
    return read_plan(place.folders()[0])


# ---- The brief.


def outcomes() -> st.SearchStrategy[Any]:
    readings = st.sampled_from(
        [
            *(Reading(kind=Kind.OPTION, option=option) for option in ("ask", "publish", "wait")),
            Reading(kind=Kind.HEDGED),
            Reading(kind=Kind.VOID),
            Reading(kind=Kind.UNREADABLE),
        ]
    )
    failures = st.sampled_from(list(Reason)).map(lambda why: InvalidRecord(reason=why, detail="said so"))
    one = st.tuples(readings | failures, st.floats(0, 9), st.integers(0, 10**6))
    return st.lists(st.tuples(st.integers(0, 4), one, one), max_size=30)


def recorded(plan: Plan, told: Any, folder: Path, rng: Any) -> Path:
    """A folder of a run with this plan and these outcomes, and all that follows from them."""
    with closing(RunWriter.create(folder, plan)) as writer:
        _record(writer, plan, told, rng)
    return folder / plan.run_id


def _record(writer: RunWriter, plan: Plan, told: Any, rng: Any) -> None:
    trials = []
    for number, (probe, *arms) in enumerate(told):
        for member, (arm, (came, cost, tokens)) in enumerate(zip(Arm, arms, strict=True)):
            trial = TrialRecord(
                id=f"{number:05d}.{member}.1",
                block=number,
                round=1 + number // 5,
                probe=plan.probe_ids[probe],
                arm=arm,
                member=member,
                attempt=1,
                position=2 * number + member + 1,
                order=("ask", "publish", "wait"),
                seed=number,
                started_at=datetime.now(UTC) + timedelta(seconds=tokens),
                wall_s=cost,
                reading=came if isinstance(came, Reading) else None,
                invalid=came if isinstance(came, InvalidRecord) else None,
                answer="words of the agent",
                usage=Usage(cost_usd=cost, input_tokens=tokens),
            )
            writer.append(trial)
            trials.append(trial)
    begun = Session(started=datetime.now(UTC), measure_version="1", max_rounds=6 + len(told) % 3, trials_before=0)
    writer.begin(begun)
    stop = Stop(reason=rng.choice(["settled", "cap", "budget", "failing", "interrupted"]), detail="x")
    if rng.random() < 0.8:
        record = build(plan, trials, stop, complete=True, sessions=[begun], warnings=["x"] * (len(told) % 2))
        writer.finish(record)


@given(one=outcomes(), other=outcomes(), rng=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_runs_that_differ_only_in_outcomes_give_the_same_brief(
    one: Any, other: Any, rng: Any, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    told = []
    for outcome in (one, other):
        made = brief.read_brief(recorded(plan, outcome, tmp_path_factory.mktemp("run"), rng))
        told.append((brief.as_markdown([made]), made.model_dump_json()))
    assert told[0] == told[1]


OPPOSITE = """
schema = 1
model = "simulated-1"
[[disposition]]
prompt = "The fix is done"
[[disposition.case]]
answer = [{ probability = 1.0, choose = "Leave it and begin the next task" }]
"""
FAILING = """
schema = 1
model = "simulated-1"
[[disposition]]
prompt = "The fix is done"
[[disposition.case]]
answer = [{ fail = "usage-limit" }]
"""


def test_real_runs_that_came_out_differently_give_the_same_brief(tmp_path: Path) -> None:
    made = Workplace(tmp_path / "place")
    made.put_probes(5)
    usual = made.agent.read_text()
    told = set()
    for agent, status, finding in (
        (usual, 0, "load-bearing"),
        (OPPOSITE, 0, "redundant"),
        (FAILING, 4, "unmeasured"),
    ):
        made.agent.write_text(agent)
        done = made.measure(*made.arguments("--drop", LINE, "--max-rounds", "4"))
        assert done.returncode == status, done.stderr
        assert made.json("runs")["runs"][0]["finding"] == finding
        shown = made.measure("brief", "last")
        assert shown.stderr == ""
        told.add((shown.stdout, json.dumps(made.json("brief", "last"))))
    assert len(told) == 1


def test_a_brief_names_the_range_and_no_way_to_the_record(place: Workplace, plan: Plan) -> None:
    shown = place.measure("brief", "last").stdout
    for told in (LINE, "simulated-1", "The agent asks before it publishes", "What do you do next?", "style"):
        assert told in shown
    assert "5 of 9" in shown
    for kept in (plan.run_id, str(plan.design.seed), str(place.runs)):
        assert kept not in shown
    for verdict in (*FindingKind, "zero-difference", "evidence", "settled"):
        assert verdict not in shown.lower()


def test_a_brief_of_identical_arms_is_refused(place: Workplace, tmp_path: Path) -> None:
    extra = ("--runs", str(tmp_path / "bands"))
    assert place.measure("band", *place.arguments("--drop", LINE, "--repeats", "1", *extra)[1:]).returncode == 0
    assert place.measure("brief", "last", *extra).returncode == 2


# ---- The review block.


def test_the_block_tells_the_verdict_inside_its_scope(place: Workplace) -> None:
    shown = place.measure("review", "last").stdout
    assert "**measured: load-bearing**" in shown
    assert "5 of 9 probes" in shown
    assert "Left unmeasured: style" in shown
    assert "stand-in" in shown
    document = place.json("review", "last")
    assert document["markdown"].strip() == shown.strip()
    (entry,) = document["runs"]
    assert (entry["state"], entry["finding"], entry["reason"]) == ("measured", "load-bearing", None)


@pytest.mark.parametrize("why", list(WhyUnmeasured))
def test_what_was_not_measured_is_never_told_as_what_did_not_occur(
    why: WhyUnmeasured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEASURE_RUNS", str(tmp_path))

    def measure(*arguments: str) -> str:
        assert cli.invoke(list(arguments)) == 0
        return capsys.readouterr().out

    done = measure("unmeasured", "--reason", why.value, "--detail", "so it is", "--subject", "drop CLAUDE.md:4")
    (row,) = json.loads(measure("runs", "--json"))["runs"]
    assert (row["finding"], row["reason"], row["launches"]) == ("unmeasured", why.value, 0)
    told = measure("review", "last")
    assert f"**unmeasured: {why.value}**" in told
    for words in (told, measure("show", "last"), measure("runs"), done):
        assert "unmeasured" in words
        for wrong in ("did not occur", "zero", "redundant", "identical", "no difference", "**measured"):
            assert wrong not in words.lower()
    (entry,) = json.loads(measure("review", "last", "--json"))["runs"]
    assert (entry["state"], entry["finding"], entry["axes"]) == ("unmeasured", None, [])


@given(told=outcomes(), rng=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_block_says_measured_or_unmeasured_as_the_record_does(
    told: Any, rng: Any, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    record: RunRecord = load(recorded(plan, told, tmp_path_factory.mktemp("run"), rng))
    entry, text = review.entry_of(record), review.as_markdown([record])
    assert entry.state == record.result.status
    if record.result.status == "unmeasured":
        assert "**unmeasured: " in text
        assert "occur" not in text
        assert "answers for the probes" not in text
    else:
        assert f"**measured: {entry.finding}**" in text
        assert "answers for the probes that were put, not for the change" in text
        zero = entry.finding in {"redundant", "restatement"}
        assert ("did not occur on the probes put" in text) == zero
    assert ("cut off" in text) == (not record.complete)


# ---- Text of others in Markdown.

HOSTILE = st.text(st.characters() | st.sampled_from("`*_[]()<>@#|\\\n\r&!~-+=1. $"), max_size=40)


@given(HOSTILE)
def test_plain_text_stays_one_line_without_markup(text: str) -> None:
    shown = plain(text)
    assert "\n" not in shown
    assert "\r" not in shown
    bare = re.sub(r"\\.", "", shown)
    assert not re.search(r"[`*_\[\]<>@|~$]", bare)
    assert "#" not in re.sub(r"&#\d+;", "", bare)
    assert not re.match(r"([-+=]\s|[-=]{2,}|\d+[.)])", shown)


@given(HOSTILE)
def test_code_and_blocks_end_where_they_should(text: str) -> None:
    span = code(text)
    ticks = re.match(r"`+", span)
    assert ticks is not None
    inside = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall(r"`+", inside)
    assert "\n" not in span
    first, *middle, last = block(text).split("\n")
    assert first == f"{last}text"
    assert not any(line.strip().startswith(last) for line in middle)


# ---- A measurement that was not taken.


@pytest.mark.parametrize(
    "options",
    [
        ("--reason", "none"),
        ("--reason", ""),
        ("--reason", "other"),
        ("--reason", "other", "--detail", "  "),
        ("--reason", "no-agent", "--base", "no-such-revision"),
        (),
    ],
)
def test_a_reason_that_says_nothing_is_refused_and_nothing_is_written(options: tuple[str, ...], tmp_path: Path) -> None:
    made = Workplace(tmp_path / "place")
    assert made.measure("unmeasured", *options).returncode == 2
    assert not made.folders()


def test_a_reason_that_git_contradicts_is_refused(tmp_path: Path) -> None:
    from tests.gate.repositories import QUIET, commit, git

    made = Workplace(tmp_path / "place")
    made.extra.update(QUIET)
    git(made.workspace, "init", "-q")
    base = commit(made.workspace)
    (made.workspace / "CLAUDE.md").write_text("# Rules\n")
    commit(made.workspace)
    about = ("--base", base, "--governed", "CLAUDE.md", "-w", str(made.workspace))
    assert made.measure("unmeasured", "--reason", "outside-firing-condition", *about).returncode == 2
    assert not made.folders()
    (record,) = made.json("unmeasured", "--reason", "spend-limit", *about)["runs"]
    assert record["change"]["fired"] is True
    assert record["change"]["lines"] == {"added": 0, "deleted": 4}
    assert "fired by lines and bytes" in made.measure("review", "last").stdout


# ---- A workspace that is being edited.


def test_while_the_marker_stands_nothing_is_read_and_the_record_says_why(tmp_path: Path) -> None:
    made = Workplace(tmp_path / "place")
    marker = made.root / "editing"
    marker.touch()
    asked = made.arguments("--drop", LINE, "--busy-marker", str(marker), "--busy-wait", "0.3")
    (record,) = made.json(*asked, status=4)["runs"]
    assert record["result"]["reason"] == "tree-being-edited"
    assert record["subject"] == f"drop {LINE}"
    assert record["trials"] == []
    (made.workspace / "CLAUDE.md").unlink()
    (record,) = made.json(*asked, status=4)["runs"]
    assert record["subject"] == f"drop {LINE}"
    assert len(made.folders()) == 2
    assert not made.left_in_temp()


def test_a_run_waits_for_the_marker_to_go_and_reads_what_was_edited(tmp_path: Path) -> None:
    made = Workplace(tmp_path / "place")
    marker = made.root / "editing"
    marker.touch()
    run = made.start(*made.arguments("--drop", LINE, "--busy-marker", str(marker), "--busy-wait", "50", "--json"))
    assert run.stderr is not None
    assert "waiting" in run.stderr.readline()
    edited = "# Rules\n\n- Keep functions short.\n- Ask before you push.\n- Written meanwhile.\n"
    (made.workspace / "CLAUDE.md").write_text(edited)
    marker.unlink()
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    (record,) = json.loads(out)["runs"]
    assert record["plan"]["contrast"]["context_after"] == ["- Written meanwhile."]
    assert record["workspace_changed"] is False


def test_a_marker_put_there_while_the_workspace_was_read_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from measure.run import at_rest
    from measure.run.request import RunRequest

    marker = tmp_path / "editing"
    readings = []

    def reads(_: RunRequest) -> tuple[()]:
        readings.append(time.monotonic())
        if len(readings) == 1:
            marker.touch()
            threading.Timer(0.3, marker.unlink).start()
        return ()

    monkeypatch.setattr(at_rest, "prepare", reads)
    request = RunRequest(probes=(), busy_marker=marker, busy_wait_s=30)
    assert at_rest.prepare_at_rest(request, lambda _: None) == ()
    assert len(readings) == 2


def test_a_workspace_changed_during_the_run_is_flagged(tmp_path: Path) -> None:
    made = Workplace(tmp_path / "place")
    slow = made.agent.read_text().replace('model = "simulated-1"', 'model = "simulated-1"\nseconds = 0.3')
    made.agent.write_text(slow)
    run = made.start(*made.arguments("--drop", LINE, "--repeats", "2", "--json"))
    while not any((folder / "plan.json").exists() for folder in made.folders()):
        assert run.poll() is None
        time.sleep(0.01)
    (made.workspace / "CLAUDE.md").write_text("# Others\n")
    out, _ = run.communicate(timeout=60)
    (record,) = json.loads(out)["runs"]
    assert record["workspace_changed"] is True
    assert record["warnings"]


def test_older_records_without_the_new_fields_are_read(plan: Plan, tmp_path: Path) -> None:
    import random

    folder = recorded(plan, [], tmp_path, random.Random(0))
    raw = json.loads(dump(build(plan, [], None, complete=True)))
    del raw["change"], raw["workspace_changed"]
    (folder / "record.json").write_text(json.dumps(raw))
    assert load(folder).workspace_changed is False
