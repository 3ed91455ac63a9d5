"""The skill and the workflow that come with the package: their form, and that what they say to do works."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from measure.cli.app import app
from measure.surface.layout import read_files, read_workspace
from measure.surface.trigger import count_triggers
from measure.verdict.finding import FindingKind
from tests.doubles.stub_client import init, install, result, text
from tests.doubles.workplace import PROBE, RULES
from tests.gate.repositories import QUIET, commit, git

RULE = "- Ask before you push."
SKILL = (files("measure") / "SKILL.md").read_text(encoding="utf-8")
WORKFLOW = (files("measure") / "gate/workflow.yml").read_text(encoding="utf-8")


def test_the_skill_has_the_fixed_form_of_a_description(tmp_path: Path) -> None:
    place = tmp_path / ".claude/skills/measure-rule-effect/SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_text(SKILL)
    (counted,) = count_triggers(read_files(read_workspace(tmp_path))).values()
    assert counted.reason is None
    assert counted.count == 4


def mentioned() -> list[list[str]]:
    """Every command of the skill and the workflow, with its options."""
    shell = [line for job in yaml.safe_load(WORKFLOW)["jobs"].values() for line in runs_of(job)]
    spans = re.findall(r"`(measure [^`]+)`", SKILL) + re.findall(r"^    (measure .+)$", SKILL, re.MULTILINE)
    lines = [*spans, *(found for text_ in shell for found in re.findall(r"\bmeasure [a-z][^|;&>\n]*", text_))]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def runs_of(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("words", mentioned(), ids=" ".join)
def test_every_command_they_mention_exists_with_its_options(words: list[str]) -> None:
    command: Any = get_command(app)
    rest = list(words)
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    assert command.name != "measure", words
    options = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    for word in rest:
        if word.strip("[]").startswith("-"):
            assert word.strip("[]") in options, (words, word)


def test_the_workflow_names_every_reason_its_steps_can_give() -> None:
    assert "pull_request_target:" not in WORKFLOW.replace("by pull_request_target:", "")
    steps = yaml.safe_load(WORKFLOW)["jobs"]["measure"]["steps"]
    secrets = [step["name"] for step in steps if "secrets." in json.dumps(step)]
    assert secrets == ["Run", "Seal"]
    assert [step["name"] for step in steps if "secrets.ANTHROPIC" in json.dumps(step)] == ["Run"]


class Runner:
    """Runs the shell steps of the first job as a host would, in a repository with a pull request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repository = root / "repository"
        self.log = ""
        """What stands in the jobs' logs so far."""
        for name in ("home", "temp", "runner", "bin"):
            (root / name).mkdir(parents=True)
        program = root / "bin/measure"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m measure "$@"\n')
        program.chmod(0o755)
        for name in ("pip", "npm"):
            (root / "bin" / name).write_text("#!/bin/sh\n")
            (root / "bin" / name).chmod(0o755)
        git(root, "init", "-q", "-b", "main", str(self.repository))
        (self.repository / "CLAUDE.md").write_text(RULES)
        self.base = commit(self.repository)
        git(self.repository, "update-ref", "refs/remotes/origin/main", self.base)

    def pull_request(self, rules: str, *, probes: bool, targets: tuple[str, ...] = (RULE,), lines: str = "") -> None:
        (self.repository / "CLAUDE.md").write_text(rules)
        if probes:
            folder = self.repository / "probes/pull-request"
            folder.mkdir(parents=True)
            for number in range(5):
                probe = PROBE.format(id=f"p{number}", prompt=f"The fix is done, job {number}. What do you do next?")
                target = targets[number % len(targets)]
                said = f'[target]\nfile = "CLAUDE.md"\nline = "{target}"\n' if target else ""
                (folder / f"p{number}.toml").write_text(probe + said)
            if lines:
                (folder / "lines.txt").write_text(lines)
        commit(self.repository)

    def run(self, job: str = "measure", **more: str) -> dict[str, str]:
        """The outputs of a job; every step has to succeed. `more` are variables in the job's environment."""
        document = yaml.safe_load(WORKFLOW)
        values = {name: str(value) for name, value in document["env"].items() if "${{" not in str(value)}
        environment = {
            **QUIET,
            **values,
            "BASE": "origin/main",
            "MODEL": "model-1",
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "temp"),
            "RUNNER_TEMP": str(self.root / "runner"),
            "ANTHROPIC_API_KEY": "sk-ant-api03-none",
            "RECORDS_KEY": "a key of the tests",
            "NUMBER": "1",
            **more,
        }
        outputs: dict[str, str] = {}
        for step in document["jobs"][job]["steps"]:
            wanted = step.get("if", "true")
            if "run" not in step or ("steps.gate" in wanted and (outputs["next"] == "run") != ("== 'run'" in wanted)):
                continue
            told = {name: self.root / "runner" / name for name in ("output", "env", "summary")}
            for one in told.values():
                one.touch()
            own = {name: outputs["next"] for name, value in step.get("env", {}).items() if "outputs.next" in value}
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
                cwd=self.repository,
                env={
                    **environment,
                    **own,
                    "GITHUB_OUTPUT": str(told["output"]),
                    "GITHUB_ENV": str(told["env"]),
                    "GITHUB_STEP_SUMMARY": str(told["summary"]),
                },
                capture_output=True,
                text=True,
                timeout=100,
            )
            assert done.returncode == 0, (step, done.stdout, done.stderr)
            self.log += done.stdout + done.stderr
            outputs |= dict(line.split("=", 1) for line in told["output"].read_text().splitlines())
            environment |= dict(line.split("=", 1) for line in told["env"].read_text().splitlines())
        return outputs

    @property
    def summary(self) -> str:
        return (self.root / "runner/summary").read_text()

    def uploads(self, job: str = "measure") -> list[Path]:
        """What a job puts where whoever can read the repository can download it."""
        steps = yaml.safe_load(WORKFLOW)["jobs"][job]["steps"]
        paths = [step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", "")]
        return [Path(path.replace("${{ runner.temp }}", str(self.root / "runner"))) for path in paths]

    @property
    def block(self) -> str:
        """What is posted once the review has ended, by a machine that has only what was uploaded."""
        (self.root / "bin/gh").write_text(f'#!/bin/sh\ncp "$5" "{self.root}/posted"\n')
        (self.root / "bin/gh").chmod(0o755)
        uploaded = {path.name: path.read_bytes() for path in self.uploads()}
        shutil.rmtree(self.root / "runner")
        (self.root / "runner").mkdir()
        for name, data in uploaded.items():
            (self.root / "runner" / name).write_bytes(data)
        self.run("after-review")
        return (self.root / "posted").read_text()


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    return Runner(tmp_path / "host")


WITHOUT = RULES.replace("- Ask before you push.\n", "")


TELLING = {kind.value for kind in FindingKind} | {"settled", "round 1", "e-value"}


def acting(runner: Runner) -> None:
    """Install a client that acts on one of the lines."""

    def picks(option: str) -> list[Any]:
        words = {"ask": "Say that it is done and ask whether it may be published", "publish": "Publish it right away"}
        said = f"{words[option]}."
        return [{"read_stdin": 1}, init(), text(said), result(said)]

    client = install(
        runner.root / "claude",
        [{"holding": ["CLAUDE.md", "Ask before"], "then": picks("ask"), "otherwise": picks("publish")}],
    )
    (runner.root / "bin/claude").symlink_to(client)


def test_the_workflow_measures_a_pull_request_that_cuts_a_line(runner: Runner) -> None:
    acting(runner)
    runner.pull_request(WITHOUT, probes=True)
    assert runner.run()["next"] == "run"
    assert "CLAUDE.md:4" in runner.summary
    assert "**measured: load-bearing**" in runner.block
    assert (runner.uploads("after-review")[0] / "review.md").exists()


def test_until_the_review_has_ended_nothing_that_reviewers_can_reach_tells_the_verdict(runner: Runner) -> None:
    acting(runner)
    runner.pull_request(WITHOUT, probes=True)
    runner.run()
    assert "Record:" in runner.log, "what the run says is in the log"
    for reached in (runner.log, runner.summary):
        assert not [word for word in TELLING if word in reached]
        assert not re.search(r"\d+/\d+ .*(with|without)", reached)
    (sealed,) = runner.uploads()
    assert sealed.is_file()
    data = sealed.read_bytes()
    assert len(data) > 3_000, "it holds the records"
    assert data.startswith(b"Salted__"), "and can't be unpacked without the key"
    assert b"review.md" not in data


def test_the_workflow_launches_nothing_when_the_records_could_not_be_kept_from_reviewers(runner: Runner) -> None:
    acting(runner)
    runner.pull_request(WITHOUT, probes=True)
    with pytest.raises(AssertionError, match="RECORDS_KEY is missing"):
        runner.run(RECORDS_KEY="")
    assert not (runner.root / "runner/measured").exists()


def test_the_workflow_measures_several_lines_that_are_named(runner: Runner) -> None:
    acting(runner)
    both = RULES.replace("- Keep functions short.\n- Ask before you push.\n", "")
    runner.pull_request(
        both, probes=True, targets=(RULE, "- Keep functions short.", ""), lines="CLAUDE.md:3\n\nCLAUDE.md:4"
    )
    runner.run()
    assert len(list((runner.root / "runner/measured").glob("*/record.json"))) == 2
    assert "CLAUDE.md:3" in runner.summary
    assert "**measured: load-bearing** — `drop CLAUDE.md:4`" in runner.block


def test_the_workflow_records_a_client_that_cant_be_used(runner: Runner) -> None:
    (runner.root / "bin/claude").write_text("#!/bin/sh\nexit 1\n")
    (runner.root / "bin/claude").chmod(0o755)
    runner.pull_request(WITHOUT, probes=True)
    assert runner.run()["next"] == "run"
    assert "**unmeasured: no-agent**" in runner.block


@pytest.mark.parametrize(
    ("rules", "reason"),
    [(WITHOUT, "nothing-to-probe"), (RULES + "- Write tests.\n", "outside-firing-condition")],
)
def test_the_workflow_records_why_nothing_is_measured(runner: Runner, rules: str, reason: str) -> None:
    runner.pull_request(rules, probes=False)
    assert runner.run()["next"] == reason
    assert f"**unmeasured: {reason}**" in runner.block
    assert "Firing condition" in runner.block
