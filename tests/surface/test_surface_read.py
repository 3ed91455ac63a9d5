"""What becomes part of an arm, what never does, and what is told about it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from measure.errors import WorkspaceError
from measure.surface import Kind, Origin, read_surface
from measure.surface.walk import MAX_FILE_BYTES


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return place


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def files_of(ws: Path, *include: str, exclude: tuple[Path, ...] = ()) -> set[str]:
    return {e.path for e in read_surface(ws, include, exclude=exclude).entries if e.kind is not Kind.DIRECTORY}


def test_takes_what_the_client_loads_and_leaves_what_runs_code_or_keeps_state(ws: Path) -> None:
    taken: dict[str, str | bytes] = {
        "CLAUDE.md": "a",
        "CLAUDE.local.md": "b",
        "AGENTS.md": "c",
        ".claude/CLAUDE.md": "d",
        ".claude/rules/deep/git.md": "e",
        ".claude/skills/foo/SKILL.md": "f",
        ".claude/skills/foo/hooks/notes.md": "a skill's own folder may have any name",
        ".claude/agents/x.md": "g",
        ".claude/commands/y.md": "h",
        ".claude/output-styles/z.md": "i",
    }
    left: dict[str, str | bytes] = {
        "src/main.py": "no instruction",
        "sub/CLAUDE.md": "loads only when something there is read",
        ".mcp.json": "{}",
        ".git/config": "[remote]",
        ".claude/.git/HEAD": "ref",
        ".claude/hooks/stop.sh": "rm",
        ".claude/worktrees/w1/CLAUDE.md": "copy",
        ".claude/projects/p/memory/MEMORY.md": "notes",
        ".claude/agent-memory/x/MEMORY.md": "notes",
        ".claude/settings.local.json": "{}",
        ".claude/.credentials.json": "secret",
        ".claude/plugins/p/x.js": "code",
        ".claude/skills/foo/.git": "gitdir: /elsewhere",
    }
    write(ws, taken | left)
    surface = read_surface(ws)
    assert {e.path for e in surface.entries if e.kind is Kind.FILE} == set(taken)
    assert {"CLAUDE.md", ".claude/rules"} <= set(surface.by_path)
    told = {item.path for item in surface.left_out}
    assert {".claude/hooks", ".claude/.git", ".claude/skills/foo/.git", ".claude/settings.local.json"} <= told


def test_modes_sizes_and_digests_are_the_workspace_s(ws: Path) -> None:
    write(ws, {"CLAUDE.md": b"\xef\xbb\xbfx\r\n"})
    (ws / "CLAUDE.md").chmod(0o640)
    (entry,) = read_surface(ws).entries
    assert (entry.mode, entry.size, entry.origin) == (0o640, 6, Origin.ENTRY)
    before = read_surface(ws).digest
    (ws / "CLAUDE.md").chmod(0o644)
    assert read_surface(ws).digest != before


def test_includes_bring_other_files_and_their_folders(ws: Path) -> None:
    write(ws, {"CLAUDE.md": "", "Li+config.md": "x", "docs/a.md": "", "docs/in/b.md": "", "docs/c.txt": "", "o.md": ""})
    assert files_of(ws, "Li+config.md") == {"CLAUDE.md", "Li+config.md"}
    assert files_of(ws, "docs/**") == {"CLAUDE.md", "docs/a.md", "docs/in/b.md", "docs/c.txt"}
    assert files_of(ws, "docs") == {"CLAUDE.md", "docs/a.md", "docs/in/b.md", "docs/c.txt"}
    assert files_of(ws, "docs/*.md") == {"CLAUDE.md", "docs/a.md"}
    assert files_of(ws, "**/[ab].md") == {"CLAUDE.md", "docs/a.md", "docs/in/b.md"}
    assert files_of(ws, "docs/[!a]*") == {"CLAUDE.md", "docs/c.txt", "docs/in/b.md"}


@pytest.mark.parametrize("pattern", ["nothing/**", "/etc/passwd", "../x", "~/x", "", "a[z-a]", ".git", ".claude/hooks"])
def test_an_include_that_brings_nothing_is_an_error(ws: Path, pattern: str) -> None:
    write(ws, {"CLAUDE.md": "", ".git/config": "", ".claude/hooks/a.sh": ""})
    with pytest.raises(WorkspaceError, match="--include"):
        read_surface(ws, [pattern])


def test_the_harness_s_own_files_never_enter(ws: Path) -> None:
    probe = 'schema = 1\nid = "x"\naxis = "content"\nclaim = "c"\nprompt = "p"\n'
    write(
        ws,
        {
            "CLAUDE.md": "",
            "docs/a.md": "",
            "docs/probe.toml": probe,
            "docs/other.toml": "schema = 1\n",
            "docs/mine.txt": "given by name",
            "docs/out/r1/trials.jsonl": "",
            "docs/out/r1/secret.md": "",
        },
    )
    got = files_of(ws, "docs/**", exclude=(ws / "docs/mine.txt",))
    assert got == {"CLAUDE.md", "docs/a.md", "docs/other.toml"}
    for pattern in ("docs/out/r1/*.md", "docs/out/r1/secret.md", "docs/probe.toml"):
        with pytest.raises(WorkspaceError, match="kept out"):
            files_of(ws, pattern)


def test_special_files_are_skipped_without_waiting_for_them(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(ws, {"CLAUDE.md": "", ".claude/rules/a.md": ""})
    os.mkfifo(ws / ".claude/rules/pipe.md")
    monkeypatch.chdir(ws / ".claude/rules")  # a socket's path may have about 100 bytes only
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
    surface = read_surface(ws)
    assert {item.path for item in surface.left_out} == {".claude/rules/pipe.md", ".claude/rules/s.md"}
    assert any("pipe.md" in notice for notice in surface.notices)


def test_a_huge_sparse_file_costs_neither_memory_nor_time(ws: Path) -> None:
    write(ws, {"CLAUDE.md": "", ".claude/data/huge.bin": "", ".claude/data/large.bin": ""})
    os.truncate(ws / ".claude/data/huge.bin", 5_000_000_000)
    os.truncate(ws / ".claude/data/large.bin", 8_000_000)
    assert MAX_FILE_BYTES < 5_000_000_000
    surface = read_surface(ws)
    assert [item.path for item in surface.left_out] == [".claude/data/huge.bin"]
    assert surface.by_path[".claude/data/large.bin"].size == 8_000_000


def test_an_unreadable_file_is_named(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(ws, {"CLAUDE.md": "", ".claude/rules/a.md": ""})
    (ws / ".claude/rules/a.md").chmod(0)
    if os.geteuid() == 0:  # root reads everything: let the system refuse in its place
        real_open = os.open

        def refusing(path: Path, flags: int) -> int:
            if str(path).endswith("a.md"):
                raise PermissionError(13, "Permission denied", str(path))
            return real_open(path, flags)

        monkeypatch.setattr("measure.surface.walk.os.open", refusing)
    with pytest.raises(WorkspaceError, match=r"\.claude/rules/a\.md"):
        read_surface(ws)


def test_roots_missing_places_and_files_are_no_workspace(ws: Path) -> None:
    write(ws, {"CLAUDE.md": ""})
    for place in (Path("/"), ws / "none", ws / "CLAUDE.md"):
        with pytest.raises(WorkspaceError):
            read_surface(place)


def test_tells_what_loads_in_real_use_but_not_in_the_arms(tmp_path: Path, ws: Path, home: Path) -> None:
    write(ws, {"CLAUDE.md": ""})
    write(tmp_path, {"CLAUDE.md": "above", ".claude/rules/x.md": "above"})
    write(home, {".claude/CLAUDE.md": "mine", ".claude/rules/r.md": "mine"})
    found = {(item.path, item.who) for item in read_surface(ws).elsewhere if not item.in_arms}
    assert found >= {
        (tmp_path / "CLAUDE.md", "a folder above"),
        (tmp_path / ".claude/rules", "a folder above"),
        (home / ".claude/CLAUDE.md", "the user"),
        (home / ".claude/rules", "the user"),
    }
    assert not any(str(home) in notice for notice in read_surface(ws).notices)


@pytest.mark.parametrize(
    ("name", "content"),
    [("CLAUDE.md", "AGENTS.md"), (".claude/skills", "../shared/skills\n"), (".claude/rules", "../r/x")],
)
def test_a_link_checked_out_as_a_file_is_told_and_kept(ws: Path, name: str, content: str) -> None:
    write(ws, {"AGENTS.md": "x\n", name: content})
    surface = read_surface(ws)
    assert any(notice.startswith(name) and "link" in notice for notice in surface.notices)
    assert surface.by_path[name].kind is Kind.FILE


def test_other_things_worth_telling(ws: Path) -> None:
    write(
        ws,
        {
            "claude.md": "wrong case",
            ".git": "gitdir: /x",
            ".claude/rules/bad.md": b"ok \xff",
            ".claude/rules/big.md": b"x" * 4_194_305,
            ".claude/commands/c.md": "Now !`date`\n",
            ".claude/agents/a.md": "---\nname: a\nhooks:\n  Stop: []\n---\nx",
        },
    )
    notices = "\n".join(read_surface(ws).notices)
    for words in (
        "claude.md is not read",
        "linked checkout",
        "bad.md, byte 3",
        "big.md",
        "commands/c.md",
        "agents/a.md",
    ):
        assert words in notices
