"""`@path` imports: found where the client finds them, followed inside the workspace only."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.surface import Kind, read_surface
from measure.surface.imports import find_imports


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("@docs/rules.md", ["docs/rules.md"]),
        ("See @a.md and\t@b/c.txt", ["a.md", "b/c.txt"]),
        ("- @~/private.md\n- @../up.md\n- @/abs/x", ["~/private.md", "../up.md", "/abs/x"]),
        (r"@my\ file.md", ["my file.md"]),
        ("`@docs/x.md` and ``a ` @b.md``", []),
        ("`open @a.md", ["a.md"]),
        ("``@a.md` @b.md", ["b.md"]),
        ("```\n@a.md\n```\n@b.md", ["b.md"]),
        ("~~~md\n@a.md\n```\n@b.md\n~~~\n@c.md", ["c.md"]),
        ("````\n```\n@a.md\n````\n@b.md", ["b.md"]),
        ("- ```\n  @a.md\n  ```\n- @b.md", ["b.md"]),
        ("```inline``` @a.md", ["a.md"]),
        ("`not closed\n\n@a.md `x`", ["a.md"]),
        ("foo@x.md mail@example.com", []),
        ("```\n@never.md", []),
    ],
)
def test_finds_imports(text: str, paths: list[str]) -> None:
    assert [found.path for found in find_imports(text)] == paths


def test_lines_are_the_lines_of_the_file() -> None:
    text = "# t\n\n```\n@x\n```\na\n`b\n` @c.md\n"
    assert [(found.line, found.path) for found in find_imports(text)] == [(8, "c.md")]


@given(st.text(alphabet="`~@ab \n-", max_size=200))
def test_never_fails_and_counts_only_lines_that_exist(text: str) -> None:
    for found in find_imports(text):
        assert f"@{found.path}" in text.split("\n")[found.line - 1]


@pytest.mark.timeout(10)
def test_many_backticks_take_no_time() -> None:
    find_imports("".join("`" * (1 + index % 300) + " @a " for index in range(5_000)))


def build(tmp_path: Path, files: dict[str, str]) -> Path:
    ws = tmp_path / "ws"
    for name, content in files.items():
        (ws / name).parent.mkdir(parents=True, exist_ok=True)
        (ws / name).write_text(content)
    return ws


def names(ws: Path) -> set[str]:
    return {e.path for e in read_surface(ws).entries if e.kind is Kind.FILE}


def test_imports_are_followed_four_hops_and_in_circles(tmp_path: Path) -> None:
    files = {"CLAUDE.md": "@1.md", "1.md": "@d/2.md", "d/2.md": "@3.md @../1.md"}
    files |= {"d/3.md": "@4.md", "d/4.md": "@5.md", "d/5.md": ""}
    assert names(build(tmp_path, files)) == {"CLAUDE.md", "1.md", "d/2.md", "d/3.md", "d/4.md"}


def test_imports_that_are_none_bring_nothing(tmp_path: Path) -> None:
    text = "@pic.png @d `@code.md` @missing.md @user"
    ws = build(tmp_path, {"CLAUDE.md": text, "pic.png": "", "d/x": "", "code.md": ""})
    assert names(ws) == {"CLAUDE.md"}


def test_rules_import_relative_to_themselves_and_by_absolute_path(tmp_path: Path) -> None:
    ws = build(tmp_path, {".claude/rules/a.md": "@../../docs/x.md", "docs/x.md": "", "docs/y.md": ""})
    (ws / "CLAUDE.md").write_text(f"@{ws}/docs/y.md")
    assert names(ws) == {"CLAUDE.md", ".claude/rules/a.md", "docs/x.md", "docs/y.md"}


def test_imports_that_leave_the_workspace_are_told_and_not_taken(tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("outside")
    ws = build(tmp_path, {"CLAUDE.md": "x\n@~/private.md\n@../out.md\n@/etc/hostname\n@linked.md\n"})
    (ws / "linked.md").symlink_to(tmp_path / "out.md")
    surface = read_surface(ws)
    assert [e.path for e in surface.entries] == ["CLAUDE.md"]
    for line, path in ((2, "~/private.md"), (3, "../out.md"), (4, "/etc/hostname"), (5, "linked.md")):
        assert any(f"line {line}: @{path}" in notice for notice in surface.notices)


def test_imports_through_a_link_inside_the_workspace_bring_link_and_target(tmp_path: Path) -> None:
    ws = build(tmp_path, {"CLAUDE.md": "@docs/x.md", "shared/x.md": "x", "shared/y.md": "y"})
    (ws / "docs").symlink_to("shared")
    got = read_surface(ws).by_path
    assert got["docs"].target == "shared"
    assert "shared/x.md" in got
