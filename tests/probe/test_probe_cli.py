"""`measure probe new` and `measure probe check` from a person's side: streams, statuses, documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from measure.cli.probe import app
from measure.errors import RequestError, WorkspaceError

Write = Callable[..., Path]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that is also the current folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Title\n\n- Ask before you push.\n- Be kind.\n- Be kind.\n")
    monkeypatch.chdir(folder)
    return folder


def measure_probe(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})


def test_new_writes_both_files_and_prints_their_paths_only(workspace: Path) -> None:
    result = measure_probe("new", "CLAUDE.md:3", "-o", "probes")
    assert result.exit_code == 0
    paths = result.stdout.splitlines()
    assert paths == ["probes/ask-before-you-push-behavior.toml", "probes/ask-before-you-push-content.toml"]
    assert all((workspace / path).is_file() for path in paths)
    again = measure_probe("new", "CLAUDE.md:3", "-o", "probes")
    assert isinstance(again.exception, RequestError)
    assert measure_probe("new", "CLAUDE.md:3", "-o", "probes", "--force").exit_code == 0


def test_new_takes_axis_id_file_and_workspace_and_speaks_json(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("new", "CLAUDE.md:3", "--axis", "content", "--id", "mine", "-o", "x.toml", "-w", "work", "--json")
    result = measure_probe(*arguments)
    assert json.loads(result.stdout) == {"schema": 1, "files": ["x.toml"]}
    assert 'id = "mine"' in (tmp_path / "x.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("CLAUDE.md",), RequestError),
        (("CLAUDE.md:99",), WorkspaceError),
        (("none.md:1",), WorkspaceError),
        (("../x.md:1",), WorkspaceError),
        (("CLAUDE.md:3", "--id", "not an id"), RequestError),
    ],
)
def test_new_refuses_with_status_two_and_writes_nothing(
    workspace: Path, arguments: tuple[str, ...], error: type[RequestError]
) -> None:
    result = measure_probe("new", *arguments)
    assert isinstance(result.exception, error)
    assert result.exception.exit_status == 2
    assert [path.name for path in workspace.iterdir()] == ["CLAUDE.md"]


def test_what_new_writes_is_checked_as_unfinished_until_it_is_written(workspace: Path) -> None:
    paths = measure_probe("new", "CLAUDE.md:3").stdout.split()
    result = measure_probe("check", *paths)
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert len(lines) == 6
    for line in lines:
        assert re.match(r"\S+\.toml:(claim|prompt|options\[\d\]\.text): error: .* \[unwritten\]$", line)


def test_check_is_silent_on_stdout_and_ends_well_for_probes_of_good_form(workspace: Path, probe_file: Write) -> None:
    path = probe_file(target={"file": "CLAUDE.md", "line": "- Ask before you push."})
    result = measure_probe("check", str(path))
    assert (result.exit_code, result.stdout) == (0, "")


def test_check_ends_well_with_warnings_alone(workspace: Path, probe_file: Write) -> None:
    result = measure_probe("check", str(probe_file(prompt="Imagine that the fix is in.")))
    assert result.exit_code == 0
    assert ": warning: " in result.stdout


def test_check_goes_on_behind_a_file_that_cannot_be_loaded(workspace: Path, probe_file: Write) -> None:
    broken = probe_file("broken.toml", promt="x")
    weak = probe_file("weak.toml", id="two", prompt="Look at CLAUDE.md.")
    result = measure_probe("check", str(broken), str(weak), "--json")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert [probe["id"] for probe in document["probes"]] == ["two"]
    assert [(finding["id"], finding["key"]) for finding in document["findings"]] == [
        ("unusable", "promt"),
        ("names-file", "prompt"),
    ]
    assert (document["usable"], document["errors"], document["warnings"]) == (False, 2, 0)


@pytest.mark.parametrize(
    "target",
    [
        {"file": "CLAUDE.md", "line": "- Never there."},
        {"file": "CLAUDE.md", "line": "- Be kind."},
        {"file": "CLAUDE.md", "line_number": 77},
    ],
)
def test_check_finds_a_target_that_names_no_single_line(
    workspace: Path, probe_file: Write, target: dict[str, object]
) -> None:
    result = measure_probe("check", str(probe_file(target=target)))
    assert result.exit_code == 2
    assert ":target: error: " in result.stdout


def test_check_reads_the_line_that_a_number_names(workspace: Path, probe_file: Write) -> None:
    path = probe_file(prompt="Ask before you push, then go.", target={"file": "CLAUDE.md", "line_number": 3})
    assert "quotes-line" in measure_probe("check", str(path)).stdout


def test_check_says_when_a_target_could_not_be_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probe_file: Write
) -> None:
    path = probe_file(target={"file": "CLAUDE.md", "line_number": 3})
    monkeypatch.chdir(tmp_path)
    result = measure_probe("check", str(path))
    assert result.exit_code == 0
    assert "--workspace" in result.stderr
    assert isinstance(measure_probe("check", str(path), "-w", "nowhere").exception, WorkspaceError)


def test_check_refuses_two_edits_in_one_folder_of_a_suite(workspace: Path, probe_file: Write) -> None:
    probe_file("s/c/1.toml", id="a", target={"file": "CLAUDE.md", "line": "- Ask before you push."})
    same = probe_file("s/c/2.toml", id="b", target={"file": "CLAUDE.md", "line_number": 3})
    suite = same.parent.parent / "suite.toml"
    suite.write_text('schema = 1\nworkspace = "../work"\ncontrasts = ["c"]\n')
    assert measure_probe("check", str(suite.parent)).exit_code == 0
    probe_file("s/c/2.toml", id="b", target={"file": "CLAUDE.md", "line_number": 4})
    result = measure_probe("check", str(suite.parent))
    assert result.exit_code == 2
    assert "[contrast]" in result.stdout


def test_help_names_both_commands_and_every_option() -> None:
    assert all(word in measure_probe("--help").stdout for word in ("new", "check"))
    told = re.sub(r"\x1b\[[0-9;]*m", "", measure_probe("new", "--help").stdout)
    assert all(option in told for option in ("PATH:LINE", "--axis", "--id", "--output", "--workspace", "--force"))
