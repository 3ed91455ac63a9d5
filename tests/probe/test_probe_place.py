"""A line is read exactly as it stands, and only from inside the workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.errors import RequestError, WorkspaceError
from measure.probe.model import Probe, Target
from measure.probe.place import find_place, parse_place, read_place, survey

CONTENT = {"schema": 1, "id": "a", "axis": "content", "claim": "It says so.", "prompt": "Quote @CLAUDE.md verbatim."}


def test_path_and_line_are_parted_at_the_last_colon() -> None:
    assert parse_place("CLAUDE.md:12") == ("CLAUDE.md", 12)
    assert parse_place("C:/x/CLAUDE.md:3") == ("C:/x/CLAUDE.md", 3)
    for text in ("CLAUDE.md", ":3", "CLAUDE.md:", "CLAUDE.md:0", "CLAUDE.md:-1", "CLAUDE.md:x", "a:٣"):
        with pytest.raises(RequestError):
            parse_place(text)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")), min_size=1, max_size=6))
def test_lines_come_back_without_end_and_mark_whatever_the_file_uses(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    workspace = tmp_path_factory.mktemp("workspace")
    # A mark of the file's own makes the first character of the first line unmistakable.
    for end in ("\n", "\r\n"):
        data = b"\xef\xbb\xbf" + end.join([*lines, ""]).encode()
        (workspace / "CLAUDE.md").write_bytes(data)
        for number, line in enumerate(lines, 1):
            place = read_place(workspace, "CLAUDE.md", number)
            assert (place.text, place.twins) == (line, lines.count(line))


def test_a_last_line_without_an_end_is_a_line_and_an_empty_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_bytes(b"one\ntwo")
    assert read_place(tmp_path, "CLAUDE.md", 2).text == "two"
    with pytest.raises(WorkspaceError, match="lines 1 to 2"):
        read_place(tmp_path, "CLAUDE.md", 3)
    (tmp_path / "CLAUDE.md").write_bytes(b"")
    with pytest.raises(WorkspaceError, match="no line"):
        read_place(tmp_path, "CLAUDE.md", 1)


def test_what_is_not_text_of_the_workspace_is_refused(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "outside.md").write_text("secret\n")
    (workspace / "link.md").symlink_to(tmp_path / "outside.md")
    (workspace / "broken.md").write_bytes(b"fine\n\xff\n")
    (workspace / "loop.md").symlink_to("loop.md")
    os.mkfifo(workspace / "pipe.md")
    assert read_place(workspace, "broken.md", 1).text == "fine"
    for file in ("link.md", "../outside.md", str(tmp_path / "outside.md"), "none.md", ".", "a\0", "loop.md", "pipe.md"):
        with pytest.raises(WorkspaceError):
            read_place(workspace, file, 1)
    with pytest.raises(WorkspaceError, match="0xFF"):
        read_place(workspace, "broken.md", 2)
    with pytest.raises(WorkspaceError):
        read_place(tmp_path / "nowhere", "CLAUDE.md", 1)


def test_a_link_inside_the_workspace_is_read_and_named_as_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("one\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert read_place(tmp_path, "./CLAUDE.md", 1).file == "CLAUDE.md"
    assert read_place(tmp_path, str(tmp_path / "CLAUDE.md"), 1).file == "CLAUDE.md"


def test_text_that_stands_nowhere_or_twice_names_no_place(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("a\nb\na\n")
    found = find_place(tmp_path, Target(file="CLAUDE.md", line="b"))
    assert found is not None
    assert found.number == 2
    with pytest.raises(WorkspaceError, match="lines 1, 3"):
        find_place(tmp_path, Target(file="CLAUDE.md", line="a"))
    with pytest.raises(WorkspaceError, match="exactly: c"):
        find_place(tmp_path, Target(file="CLAUDE.md", line="c"))
    assert find_place(tmp_path, Target(file="CLAUDE.md", add="c")) is None


def test_a_survey_knows_the_lines_the_skills_and_what_an_at_sign_attaches(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Title\n- Ask first.\n")
    skill = tmp_path / ".claude" / "skills" / "ship-it" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text('---\nname: "ship-now"\ndescription: Ships.\n---\n')
    target = {"file": "CLAUDE.md", "line_number": 2, "replace_with": "- Go ahead."}
    scene, place = survey(Probe.model_validate(CONTENT | {"target": target}), tmp_path)
    assert place is not None
    assert place.text == "- Ask first."
    assert set(scene.lines) == {"- Ask first.", "- Go ahead."}
    assert scene.skills == ("ship-it", "ship-now")
    assert scene.files == {"CLAUDE.md", ".claude/skills/ship-it/SKILL.md"}


def test_where_text_is_added_the_line_before_it_is_not_what_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Title\n- Ask first.\n")
    target = {"file": "CLAUDE.md", "line_number": 2, "add": "- Go ahead."}
    scene, _ = survey(Probe.model_validate(CONTENT | {"target": target}), tmp_path)
    assert scene.lines == ("- Go ahead.",)
