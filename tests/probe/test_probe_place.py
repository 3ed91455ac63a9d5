"""A line is read exactly as it stands, and only from inside the workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.contrast import Edit, EditKind, find_contrast
from measure.errors import RequestError, WorkspaceError
from measure.probe.lint import Scene
from measure.probe.place import parse_place, read_place, scene_at
from measure.surface import read_surface


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
    (workspace / "sub").mkdir()
    for file in (
        "sub/../broken.md",
        "link.md",
        "../outside.md",
        str(tmp_path / "outside.md"),
        "none.md",
        ".",
        "a\0",
        "loop.md",
        "pipe.md",
    ):
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


def test_a_scene_knows_the_exchanged_lines_the_skills_and_the_files_of_the_arms(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Title\n- Ask first.\n- Be kind.\n")
    skill = tmp_path / ".claude" / "skills" / "ship-it" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text('---\nname: "ship-now"\ndescription: Ships.\n---\n')
    surface = read_surface(tmp_path)

    def scene(edit: Edit) -> Scene:
        return scene_at(surface, find_contrast(surface, edit))

    dropped = scene(Edit(EditKind.DROP, "CLAUDE.md", line=2))
    assert dropped.lines == ("- Ask first.",)
    assert dropped.file == "CLAUDE.md"
    assert dropped.skills == ("ship-it", "ship-now")
    assert {"CLAUDE.md", ".claude/skills/ship-it/SKILL.md"} <= dropped.files
    assert scene(Edit(EditKind.REPLACE, "CLAUDE.md", line=2, new="- Go.")).lines == ("- Ask first.", "- Go.")
    # Text that is put after a line is not that line.
    assert scene(Edit(EditKind.ADD, "CLAUDE.md", line=2, new="- Go.\n\n- On.")).lines == ("- Go.", "- On.")
