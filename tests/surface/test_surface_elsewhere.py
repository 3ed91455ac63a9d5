"""A line that stands in a file outside the workspace as well is told: there it would stay when this one goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from measure.contrast import EditKind, edit_from_place, find_contrast
from measure.surface import read_surface

LINE = "- Ask before you push."


def notices(home: Path, monkeypatch: pytest.MonkeyPatch, **edit: str) -> tuple[str, ...]:
    workspace = home / "work" / "project"
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / "CLAUDE.md").write_text(f"# Rules\n\n{LINE}\n- Prefer small commits.\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    kind = EditKind.ADD if edit else EditKind.DROP
    return find_contrast(read_surface(workspace), edit_from_place(kind, "CLAUDE.md:3", *edit.values())).notices


@pytest.mark.parametrize("place", [".claude/CLAUDE.md", ".claude/rules/git/push.md", "work/CLAUDE.md"])
@pytest.mark.parametrize("said", [LINE, "*  **Ask** before you push!"])
def test_the_same_line_outside_the_workspace_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text(f"# Mine\n\n{said}\n")
    (told,) = notices(tmp_path, monkeypatch)
    assert Path(place).name in told
    assert str(tmp_path) not in told
    assert notices(tmp_path, monkeypatch, new="- Something else entirely.") == ()


def test_a_line_that_only_resembles_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".claude" / "CLAUDE.md"
    file.parent.mkdir(parents=True)
    file.write_text("- Never push.\n- Ask me about commits.\n")
    assert notices(tmp_path, monkeypatch) == ()


def test_what_can_not_be_read_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / ".claude" / "rules"
    rules.mkdir(parents=True)
    os.mkfifo(rules / "pipe.md")
    (rules / "broken.md").write_bytes(b"\xff\xfe" + LINE.encode())
    assert len(notices(tmp_path, monkeypatch)) == 1
