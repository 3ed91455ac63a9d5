"""The plan-file entry as skills call it: a script, a plan, a client on PATH, a file that is written."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from measure.gate.plan_file import PlanRecord
from tests.doubles.stub_client import init, install, result, text
from tests.doubles.workplace import snapshot

Step = dict[str, Any]
READY = Path(__file__).resolve().parents[2] / ".venv" / "ready-run"
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "measure_rule_effect.py"
RULE = ".claude/rules/push.md"
PLAN: dict[str, Any] = {
    "probe": "The fix is done. What do you do next?",
    "model": "model-1",
    "repetitions": 2,
    "scope": {"probes_measured": 1, "probes_total": 3, "selection": "the first", "unmeasured": ["wording"]},
    "arms": [
        {"name": "as it stands", "edits": []},
        {"name": "less the line", "edits": [{"path": RULE, "drop": "- Ask before you push.\n"}]},
    ],
}


def says(answer: str) -> list[Step]:
    return [{"read_stdin": 1}, init(), text(answer), result(answer)]


FAILS: list[Step] = [{"stdout": "You've hit your limit\n"}, {"exit": 1}]


@dataclass
class Place:
    """A workspace, a plan and a client of this test alone."""

    root: Path

    def __post_init__(self) -> None:
        for folder in (self.source / ".claude/rules", self.root / "home", self.root / "temp", self.root / "out"):
            folder.mkdir(parents=True)
        (self.source / "CLAUDE.md").write_text("# Project\n")
        (self.source / "Li+config.md").write_text("language: ja\n")
        (self.source / "AGENTS.md").write_text("For others.\n")
        (self.source / RULE).write_text("# Push\n\n- Ask before you push.\n- Keep commits small.\n\n===\n")
        (self.source / ".claude/settings.json").write_text('{"hooks": {"Stop": []}, "model": "x"}')
        self.client()

    @property
    def source(self) -> Path:
        return self.root / "source"

    @property
    def out(self) -> Path:
        return self.root / "out" / "record.json"

    def client(self, *launches: list[Step]) -> None:
        """What the client on PATH does: by default it answers by the line."""
        by_the_line: Step = {
            "holding": [RULE, "Ask before"],
            "then": says("I ask."),
            "otherwise": says("I push."),
        }
        install(self.root / "bin", *(launches or ([by_the_line],)))

    def start(self, plan: object = PLAN, *more: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        path = self.root / "plan.json"
        path.write_bytes(plan if isinstance(plan, bytes) else json.dumps(plan).encode())
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), str(path), *(more if "--out" in more else ("--out", str(self.out), *more))],
            cwd=cwd or self.source,
            env={
                "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
                "HOME": str(self.root / "home"),
                "TMPDIR": str(self.root / "temp"),
                "ANTHROPIC_API_KEY": "sk-ant-api03-secret-secret",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, plan: object = PLAN, *more: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        process = self.start(plan, *more, cwd=cwd)
        out, err = process.communicate(timeout=60)
        assert out == ""
        assert "Traceback" not in err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def record(self) -> PlanRecord:
        return PlanRecord.model_validate_json(self.out.read_bytes())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "place")


def edited(**fields: object) -> dict[str, Any]:
    return {**copy.deepcopy(PLAN), **fields}


def with_edit(**fields: object) -> dict[str, Any]:
    plan = copy.deepcopy(PLAN)
    plan["arms"][1]["edits"][0].update(fields)
    return plan


def test_both_arms_answer_and_the_record_holds_every_answer(place: Place) -> None:
    before = snapshot(place.source)
    done = place.run()
    assert done.returncode == 0, done.stderr
    record = place.record()
    assert record.complete
    assert {(one.arm, one.answer) for one in record.results} == {
        ("as it stands", "I ask."),
        ("less the line", "I push."),
    }
    assert sorted((one.arm, one.run) for one in record.results) == [
        (name, run) for name in ("as it stands", "less the line") for run in (1, 2)
    ]
    assert record.returned == {"as it stands": 2, "less the line": 2}
    assert record.unmeasured is None
    assert record.differing_paths == (RULE,)
    assert record.condition is not None
    assert record.condition.paths == "one-in-turn", "no arm is told another path than the other"
    assert record.scope.probes_total == 3
    assert snapshot(place.source) == before
    assert not list((place.root / "temp").iterdir())
    assert "sk-ant" not in place.out.read_text()


def test_the_other_arm_may_hold_the_edit_and_may_replace(place: Place) -> None:
    plan = edited(repetitions=1)
    plan["arms"][0]["edits"] = [{"path": RULE, "drop": "Ask before you push", "replace_with": "Push at once"}]
    plan["arms"][1]["edits"] = []
    assert place.run(plan).returncode == 0
    answers = {one.arm: (one.role.value, one.answer) for one in place.record().results}
    assert answers == {"as it stands": ("variant", "I push."), "less the line": ("baseline", "I ask.")}


def test_arms_get_the_copied_entries_and_no_hook(place: Place) -> None:
    look: list[Step] = [
        {
            "holding": ["Li+config.md", "ja"],
            "then": [{"holding": ["AGENTS.md", "others"], "then": says("too much"), "otherwise": says("right")}],
            "otherwise": says("too little"),
        }
    ]
    place.client(look)
    assert place.run().returncode == 0
    assert {one.answer for one in place.record().results} == {"right"}
    assert place.record().settings_removed == (".claude/settings.json: hooks", ".claude/settings.json: model")


def test_one_failed_arm_leaves_zero_and_is_no_answer(place: Place) -> None:
    place.client([{"holding": [RULE, "Ask before"], "then": says("I ask."), "otherwise": FAILS}])
    done = place.run()
    assert done.returncode == 0
    record = place.record()
    assert record.returned == {"as it stands": 2, "less the line": 0}
    failed = [one for one in record.results if one.arm == "less the line"]
    assert all(not one.returned and one.answer is None and one.invalid is not None for one in failed)
    assert "usage-limit" in done.stderr


def test_no_arm_returned_is_four_and_written_as_unmeasured(place: Place) -> None:
    place.client(FAILS)
    done = place.run()
    assert done.returncode == 4
    record = place.record()
    assert record.complete
    assert record.unmeasured is not None
    assert record.unmeasured.reason == "client-failed"


def test_without_a_client_nothing_returns(place: Place) -> None:
    (place.root / "bin/claude").write_text("#!/bin/sh\nexit 1\n")
    assert place.run().returncode == 4
    unmeasured = place.record().unmeasured
    assert unmeasured is not None
    assert unmeasured.reason == "no-agent"


def test_dry_run_makes_both_arms_and_launches_nothing(place: Place) -> None:
    (place.root / "bin/claude").unlink()
    assert place.run(PLAN, "--dry-run").returncode == 0
    record = place.record()
    assert record.dry_run
    assert record.results == ()
    assert record.unmeasured is None
    assert not list((place.root / "temp").iterdir())


def test_the_source_is_the_nearest_folder_upwards_with_rules(place: Place) -> None:
    below = place.source / "a/b"
    below.mkdir(parents=True)
    assert place.run(PLAN, "--dry-run", cwd=below).returncode == 0
    assert place.record().source_root == str(place.source.resolve())
    assert place.run(PLAN, "--dry-run", cwd=place.root).returncode == 2
    assert place.run(PLAN, "--dry-run", "--source-root", str(place.source), cwd=place.root).returncode == 0


def test_arms_stand_where_they_are_told_to(place: Place) -> None:
    base = place.root / "elsewhere"
    base.mkdir()
    place.client([{"read_stdin": 1}, init(), text("x"), {"sleep": 30}])
    process = place.start(PLAN, "--base-dir", str(base))
    while not list(base.rglob(RULE)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    assert not list((place.root / "temp").iterdir())
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM
    assert not list(base.iterdir())
    assert not place.record().complete


def test_a_second_one_finds_the_lock_held(place: Place) -> None:
    place.client([{"read_stdin": 1}, init(), {"sleep": 30}])
    first = place.start()
    while not place.out.exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.02)
    other = place.root / "out" / "other.json"
    assert place.run(PLAN, "--out", str(other)).returncode == 3
    assert not other.exists()
    first.terminate()
    first.communicate(timeout=30)


def test_a_limit_of_one_launch_is_kept(place: Place) -> None:
    place.client([{"read_stdin": 1}, init(), {"sleep": 30}])
    assert place.run(edited(repetitions=1), "--timeout", "1").returncode == 4
    assert {one.invalid.reason.value for one in place.record().results if one.invalid} == {"timeout"}


def scope(**fields: object) -> dict[str, Any]:
    return edited(scope={**PLAN["scope"], **fields})


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in PLAN.items() if name != key}


def less(key: str) -> dict[str, Any]:
    return edited(scope={name: value for name, value in PLAN["scope"].items() if name != key})


def arms(*given: object) -> dict[str, Any]:
    return edited(arms=list(given))


EDIT = PLAN["arms"][1]["edits"][0]
BAD: dict[str, object] = {
    "not JSON": b"{",
    "not UTF-8": b'{"probe": "\xff"}',
    "a list": [],
    "empty": b"",
    **{f"no {key}": without(key) for key in ("probe", "model", "scope", "arms")},
    **{f"no scope.{key}": less(key) for key in PLAN["scope"]},
    "blank probe": edited(probe="  "),
    "probe is a command": edited(probe="/clear"),
    "probe is a number": edited(probe=3),
    "blank model": edited(model=""),
    "model is null": edited(model=None),
    "model is an option": edited(model="--help"),
    "repetitions 0": edited(repetitions=0),
    "repetitions true": edited(repetitions=True),
    "repetitions as text": edited(repetitions="2"),
    "repetitions 1.0": edited(repetitions=1.0),
    "repetitions null": edited(repetitions=None),
    "unknown field": edited(repetition=3),
    "scope as text": edited(scope="all"),
    "measured as text": scope(probes_measured="1"),
    "measured true": scope(probes_measured=True),
    "more measured than there are": scope(probes_measured=4),
    "total 0": scope(probes_total=0),
    "selection blank": scope(selection=" "),
    "selection a list": scope(selection=["x"]),
    "unmeasured a number": scope(unmeasured=2),
    "unmeasured of numbers": scope(unmeasured=[2]),
    "unmeasured null": scope(unmeasured=None),
    "unknown in scope": scope(extra=1),
    "one arm": arms(PLAN["arms"][1]),
    "three arms": arms(*PLAN["arms"], {"name": "c", "edits": []}),
    "arms as a table": edited(arms={"a": 1}),
    "arm without name": arms({"edits": []}, PLAN["arms"][1]),
    "arm with blank name": arms({"name": " ", "edits": []}, PLAN["arms"][1]),
    "both of one name": arms({"name": "a", "edits": []}, {"name": "a", "edits": [EDIT]}),
    "no edit": arms({"name": "a", "edits": []}, {"name": "b", "edits": []}),
    "two edits in one arm": arms({"name": "a", "edits": []}, {"name": "b", "edits": [EDIT, EDIT]}),
    "an edit in each": arms({"name": "a", "edits": [EDIT]}, {"name": "b", "edits": [EDIT]}),
    "edits as text": arms({"name": "a", "edits": []}, {"name": "b", "edits": "x"}),
    "drop empty": with_edit(drop=""),
    "drop a number": with_edit(drop=1),
    "drop not there": with_edit(drop="Never push."),
    "drop there twice": with_edit(drop="- "),
    "drop overlaps itself": with_edit(drop="=="),
    "replaced by itself": with_edit(replace_with="- Ask before you push.\n"),
    "replace_with null": with_edit(replace_with=None),
    "text that tells": with_edit(replace_with="This file is a copy made for a test.\n"),
    "path not there": with_edit(path=".claude/rules/no.md"),
    "path a folder": with_edit(path=".claude/rules"),
    "path absolute": with_edit(path="/etc/passwd"),
    "path upwards": with_edit(path="../source/CLAUDE.md"),
    "path not copied": with_edit(path="AGENTS.md", drop="For others."),
    "path of settings": with_edit(path=".claude/settings.json", drop="hooks"),
    "unknown in edit": with_edit(add="x"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_plan_that_cant_be_used_is_two_and_launches_nothing(
    kind: str, place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from measure.cli.plan_file import main

    monkeypatch.chdir(place.source)
    monkeypatch.setenv("PATH", f"{place.root / 'bin'}:{os.environ['PATH']}")
    plan = BAD[kind]
    path = place.root / "plan.json"
    path.write_bytes(plan if isinstance(plan, bytes) else json.dumps(plan).encode())
    assert main([str(path), "--out", str(place.out)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err) > 40
    assert not place.out.exists()
    assert not list((place.root / "bin").glob("*.launch*"))


Mistake = Callable[[Place], tuple[str, ...]]


@pytest.mark.parametrize(
    "options",
    [
        lambda place: ("--out", str(place.root / "no" / "record.json")),
        lambda place: ("--out", str(place.root)),
        lambda place: ("--out", str(place.root / "plan.json")),
        lambda place: ("--out", str(place.out), "--timeout", "0"),
        lambda place: ("--out", str(place.out), "--timeout", "soon"),
        lambda place: ("--out", str(place.out), "--base-dir", str(place.root / "no")),
        lambda place: ("--out", str(place.out), "--source-root", str(place.root)),
        lambda place: ("--out", str(place.out), "--no-such"),
    ],
)
def test_options_that_cant_be_used_are_two(options: Mistake, place: Place) -> None:
    assert place.run(PLAN, *options(place)).returncode == 2


def test_out_is_required(place: Place) -> None:
    (place.root / "plan.json").write_text(json.dumps(PLAN))
    done = subprocess.run([sys.executable, SCRIPT, place.root / "plan.json"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


def test_lines_that_end_in_cr_lf_are_found_and_kept(place: Place) -> None:
    (place.source / RULE).write_bytes(b"# Push\r\n\r\n- Ask before you push.\r\n- Keep.\r\n")
    plan = edited(repetitions=1)
    plan["arms"][1]["edits"] = [{"path": RULE, "drop": "- Ask before you push.\n- Keep.\n", "replace_with": "- No.\n"}]
    assert place.run(plan).returncode == 0
    assert {one.answer for one in place.record().results} == {"I ask.", "I push."}


@pytest.mark.skipif(not READY.exists(), reason="scripts/test makes the environment that this needs")
def test_whichever_python_it_is_started_with_it_runs_in_its_own_environment(place: Place) -> None:
    plan = place.root / "plan.json"
    plan.write_text(json.dumps(PLAN))
    bare = Path(sys.base_prefix) / "bin" / "python3"
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.root / "home"), "TMPDIR": str(place.root / "temp")}
    done = subprocess.run(
        [bare, "-I", SCRIPT, plan, "--out", place.out, "--dry-run"],
        cwd=place.source,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert place.record().dry_run
