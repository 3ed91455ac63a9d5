"""Every probe that ships loads and is of good form; the demo is whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from measure.client.simulated_agent import decide, loaded_lines, read_dispositions
from measure.probe.examine import examine
from measure.probe.load import load_probe, load_probes
from measure.probe.model import Axis
from measure.probe.question import Question
from measure.probe.suite import load_groups

PROBES = Path(__file__).parents[2] / "probes"
STARTERS = sorted(path for path in (PROBES / "starters").iterdir() if path.is_dir())
DEMO = PROBES / "demo"


def test_the_demo_is_of_good_form_and_each_folder_is_one_edit() -> None:
    examined = examine([DEMO])
    assert examined.findings == ()
    assert examined.notes == ()
    groups = load_groups([DEMO])
    assert len(groups) == 2
    for group in groups:
        axes = [one.probe.axis for one in group.probes]
        assert axes.count(Axis.BEHAVIOR) >= 3
        assert axes.count(Axis.CONTENT) >= 1
        assert len({one.probe.target for one in group.probes}) == 1
        assert len({one.probe.claim for one in group.probes}) == 1


def test_the_simulated_agent_has_one_disposition_for_each_prompt_and_chooses_among_its_options() -> None:
    dispositions = read_dispositions(str(DEMO / "agent.toml"))["dispositions"]
    probes = [one.probe for group in load_groups([DEMO]) for one in group.probes]
    for probe in probes:
        matching = [one for one in dispositions if one["prompt"] in probe.prompt]
        assert len(matching) == 1, probe.id
        for case in matching[0]["cases"]:
            chosen = {answer["choose"] for answer in case["answers"] if "choose" in answer}
            assert chosen <= {option.text for option in probe.options}
    assert len(dispositions) == len(probes)


def test_one_line_decides_what_the_simulated_agent_does_and_the_other_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispositions = read_dispositions(str(DEMO / "agent.toml"))
    monkeypatch.chdir(shutil.copytree(DEMO / "workspace", tmp_path / "arm"))
    entry = Path("CLAUDE.md")
    whole = entry.read_text(encoding="utf-8")

    def answers(prompt: str) -> list[object]:
        lines = list(loaded_lines(tools=False))
        return [decide(dispositions, prompt, lines, chance / 20) for chance in range(20)]

    moved: dict[tuple[str, Axis], set[bool]] = {}
    for group in load_groups([DEMO]):
        for one in group.probes:
            assert one.probe.target is not None
            prompt = Question(one.probe, tuple(option.id for option in one.probe.options), "").render()
            entry.write_text(whole, encoding="utf-8")
            baseline = answers(prompt)
            entry.write_text(whole.replace(f"{one.probe.target.line}\n", ""), encoding="utf-8")
            moved.setdefault((group.name, one.probe.axis), set()).add(answers(prompt) != baseline)
    assert moved == {
        ("asks-before-pushing", Axis.BEHAVIOR): {True},
        ("asks-before-pushing", Axis.CONTENT): {True},
        ("checks-before-committing", Axis.BEHAVIOR): {False},
        ("checks-before-committing", Axis.CONTENT): {True},
    }


def test_nothing_in_the_demos_workspace_says_what_it_is_for() -> None:
    for path in (DEMO / "workspace").rglob("*"):
        said = path.name + (path.read_text(encoding="utf-8") if path.is_file() else "")
        for word in ("demo", "test", "experiment", "probe", "simulat", "trial", "example"):
            assert word not in said.lower(), (path, word)


@pytest.mark.parametrize("folder", STARTERS, ids=lambda path: path.name)
def test_starters_are_of_good_form_without_target_and_ask_on_both_axes(folder: Path) -> None:
    examined = examine([folder])
    assert examined.findings == ()
    axes = [one.probe.axis for one in examined.probes]
    assert axes.count(Axis.BEHAVIOR) >= 2
    assert axes.count(Axis.CONTENT) == 1
    assert all(one.probe.target is None for one in examined.probes)


def test_starters_can_be_taken_together_and_all_are_listed() -> None:
    assert len(load_probes(STARTERS)) == 3 * len(STARTERS)
    listed = (PROBES / "README.md").read_text(encoding="utf-8")
    assert all(f"`{folder.name}`" in listed for folder in STARTERS)


def test_the_file_shown_to_readers_is_a_whole_probe_of_good_form(tmp_path: Path) -> None:
    readme = (PROBES / "README.md").read_text(encoding="utf-8")
    shown = readme.split("```toml\n")[1].split("```")[0]
    path = tmp_path / "shown.toml"
    path.write_text(shown, encoding="utf-8")
    assert load_probe(path).probe.asked_for == "ask"
    (tmp_path / "CLAUDE.md").write_text("- Ask before you push.\n")
    assert examine([path], tmp_path).findings == ()
