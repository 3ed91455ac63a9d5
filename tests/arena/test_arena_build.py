"""Both arms on the disk: one difference, nothing that leads back, and a workspace that never changes."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.arena.arena import Arena, Arms
from measure.arena.spread import spread_folders
from measure.arena.verify import verify_arm
from measure.contrast import Edit, EditKind, find_contrast
from measure.errors import WorkspaceError
from measure.surface import Kind, read_surface

DROP_2 = Edit(EditKind.DROP, "CLAUDE.md", line=2)


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "CLAUDE.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthree")
    return place


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    temp = tmp_path / "temp"
    temp.mkdir()
    with Arena(temp / "workspaces-1") as made:
        yield made
    assert made.warnings == []
    assert list(temp.iterdir()) == []


def build(arena: Arena, ws: Path, *include: str, edit: Edit = DROP_2) -> Arms:
    surface = read_surface(ws, include)
    return arena.build(surface, find_contrast(surface, edit))


def snapshot(top: Path) -> dict[str, tuple[object, ...]]:
    """Everything that can be told of a tree: kinds, modes, times, bytes, targets, numbers."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, names, files in os.walk(top):
        for name in [".", *names, *files]:
            path = Path(folder) / name
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                content = os.fsencode(path.readlink())
            elif stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            else:
                content = b""
            digest = hashlib.sha256(content).hexdigest()
            found[str(path)] = (
                status.st_mode,
                status.st_mtime_ns,
                status.st_ino,
                status.st_nlink,
                status.st_size,
                digest,
            )
    return found


def files_of(top: Path) -> dict[str, bytes]:
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file() and not p.is_symlink()}


def test_arms_differ_in_the_bytes_of_one_line(arena: Arena, ws: Path) -> None:
    (ws / ".claude/rules").mkdir(parents=True)
    (ws / ".claude/rules/x.md").write_bytes(bytes(range(128)))
    arms = build(arena, ws)
    baseline, variant = files_of(arms.baseline), files_of(arms.variant)
    assert baseline == files_of(ws)
    assert variant == baseline | {"CLAUDE.md": b"\xef\xbb\xbfone\r\nthree"}
    assert arms.of("variant") == arms.variant


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet="ab \r\t\u3042-#", max_size=6), min_size=1, max_size=6), st.data())
def test_whatever_the_file_arms_differ_in_exactly_the_range(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject
) -> None:
    top = tmp_path_factory.mktemp("any")
    content = "\n".join(lines).encode()
    if not content:
        return
    (top / "ws").mkdir()
    (top / "ws/CLAUDE.md").write_bytes(content)
    number = data.draw(st.integers(1, content.count(b"\n") + (not content.endswith(b"\n"))))
    surface = read_surface(top / "ws")
    contrast = find_contrast(surface, Edit(EditKind.DROP, "CLAUDE.md", line=number))
    with Arena(top / "arena") as arena:
        arms = arena.build(surface, contrast)
        before, after = (arms.baseline / "CLAUDE.md").read_bytes(), (arms.variant / "CLAUDE.md").read_bytes()
    pieces = content.split(b"\n")
    rest = pieces[: number - 1] + pieces[number:]
    assert before == content
    # The last line's own end is the one before it, which stays.
    assert after == (b"\n".join(rest) if number < len(pieces) else b"".join(p + b"\n" for p in pieces[: number - 1]))


def test_the_workspace_is_the_same_whatever_happens_in_the_arms(arena: Arena, ws: Path) -> None:
    run = {"cwd": ws, "check": True, "capture_output": True}
    skill = ws.parent / "dev/foo"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("original")
    (ws / ".claude/skills").mkdir(parents=True)
    (ws / ".claude/skills/foo").symlink_to(skill)
    (ws / ".claude/skills/foo2").symlink_to("foo")
    os.link(ws / "CLAUDE.md", ws / "AGENTS.md")
    for arguments in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *arguments], **run)  # type: ignore[call-overload]
    before = snapshot(ws.parent / "project") | snapshot(skill)
    arms = build(arena, ws)
    with arena.stall(arms.variant) as stall:
        for path in [*stall.path.rglob("*"), *arms.baseline.rglob("*")]:
            if path.is_file():
                path.chmod(0o600)
                path.write_text("overwritten by an agent")
        assert (stall.path / ".claude/skills/foo2/SKILL.md").read_text() == "overwritten by an agent"
    assert snapshot(ws) | snapshot(skill) == before


def test_links_inside_stay_links_and_links_out_become_content(arena: Arena, ws: Path, tmp_path: Path) -> None:
    (tmp_path / "dev/deep").mkdir(parents=True)
    (tmp_path / "dev/deep/a.md").write_text("a")
    (tmp_path / "dev/back.md").symlink_to(ws / "CLAUDE.md")
    (tmp_path / "dev/self").symlink_to("../dev")
    (tmp_path / "dev/up").symlink_to("..")
    (tmp_path / "out.md").write_text("out")
    skills = ws / ".claude/skills"
    skills.mkdir(parents=True)
    (ws / "shared/x").mkdir(parents=True)
    (ws / "shared/x/SKILL.md").write_text("x, with a local edit")
    (ws / "shared/x/.git").write_text("gitdir: ../../.git/modules/shared")
    links = {
        "AGENTS.md": "CLAUDE.md",
        ".claude/skills/x": "../../shared/x",
        ".claude/skills/absolute": str(ws / "shared/x"),
        ".claude/skills/chain": "x",
        ".claude/skills/roundabout": f"../../../{ws.name}/shared/x",
        ".claude/skills/dev": str(tmp_path / "dev"),
        ".claude/skills/again": str(tmp_path / "dev/deep"),
        ".claude/skills/once-more": str(tmp_path / "dev/deep"),
        ".claude/skills/out.md": "../../../out.md",
        ".claude/skills/gone": "../../nowhere",
        ".claude/skills/gone-outside": "/nowhere/at/all",
        ".claude/skills/loop": "loop",
        ".claude/skills/whole": "../..",
        ".claude/skills/root": "/",
    }
    for name, target in links.items():
        (ws / name).symlink_to(target)
    surface = read_surface(ws)
    arms = arena.build(surface, find_contrast(surface, DROP_2))
    got = {entry.path: entry.target for entry in surface.entries if entry.kind is Kind.LINK}
    assert got == {
        "AGENTS.md": "CLAUDE.md",
        ".claude/skills/x": "../../shared/x",
        ".claude/skills/absolute": "../../shared/x",
        ".claude/skills/chain": "../../shared/x",
        ".claude/skills/roundabout": "../../shared/x",
        ".claude/skills/dev/back.md": "../../../CLAUDE.md",
        ".claude/skills/dev/self": ".",
        ".claude/skills/gone": "../../nowhere",
        ".claude/skills/loop": "loop",
        ".claude/skills/whole": "../..",
        ".claude/skills/once-more": "again",
    }
    for arm in (arms.baseline, arms.variant):
        assert (arm / ".claude/skills/x/SKILL.md").read_text() == "x, with a local edit"
        assert (arm / ".claude/skills/dev/deep/a.md").read_text() == "a"
        assert (arm / ".claude/skills/again/a.md").read_text() == "a"
        assert (arm / ".claude/skills/out.md").read_text() == "out"
        assert not os.path.lexists(arm / "shared/x/.git")
        for path in arm.rglob("*"):
            assert Path(os.path.realpath(path)).is_relative_to(arm), path
    assert (arms.variant / "AGENTS.md").read_bytes() == (arms.variant / "CLAUDE.md").read_bytes()
    told = {item.path for item in surface.left_out}
    assert told >= {".claude/skills/gone-outside", ".claude/skills/root", ".claude/skills/dev/up", "shared/x/.git"}


def test_modes_and_times_are_kept_even_where_nothing_may_be_written(arena: Arena, ws: Path) -> None:
    folder = ws / ".claude/skills/locked"
    folder.mkdir(parents=True)
    (folder / "run.sh").write_text("x")
    (folder / "run.sh").chmod(0o555)
    os.utime(folder / "run.sh", ns=(1, 1_000_000_007))
    (ws / "CLAUDE.md").chmod(0o444)
    (ws / "AGENTS.md").write_text("for everyone")
    (ws / "AGENTS.md").chmod(0o666)
    folder.chmod(0o555)
    try:
        arms = build(arena, ws)
        with arena.stall(arms.variant) as stall:
            for top in (arms.baseline, arms.variant, stall.path):
                status = (top / ".claude/skills/locked/run.sh").stat()
                assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o555, 1_000_000_007)
                assert stat.S_IMODE((top / ".claude/skills/locked").stat().st_mode) == 0o555
                assert stat.S_IMODE((top / "CLAUDE.md").stat().st_mode) == 0o444
                assert stat.S_IMODE((top / "AGENTS.md").stat().st_mode) == 0o666
                assert (top / "CLAUDE.md").stat().st_mtime_ns == (ws / "CLAUDE.md").stat().st_mtime_ns
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("change", ["byte", "mode", "more", "less", "link", "kind", "hard link", "second edit"])
def test_arms_that_differ_in_anything_else_are_refused(arena: Arena, ws: Path, change: str) -> None:
    rules = ws / ".claude/rules"
    rules.mkdir(parents=True)
    (rules / "a.md").write_text("a")
    (rules / "l.md").symlink_to("a.md")
    arms = build(arena, ws)
    arena.recheck(arms)
    there = arms.variant / ".claude/rules"
    match change:
        case "byte":
            (there / "a.md").write_text("b")
        case "mode":
            (there / "a.md").chmod(0o600 if stat.S_IMODE((there / "a.md").stat().st_mode) != 0o600 else 0o644)
        case "more":
            (there / "b.md").write_text("")
        case "less":
            (there / "a.md").unlink()
        case "link":
            (there / "l.md").unlink()
            (there / "l.md").symlink_to(rules / "a.md")
        case "kind":
            (there / "a.md").unlink()
            (there / "a.md").mkdir()
        case "hard link":
            os.link(there / "a.md", arms.variant.parent / "other")
        case _:
            (arms.variant / "CLAUDE.md").write_bytes((arms.variant / "CLAUDE.md").read_bytes() + b"\n")
    with pytest.raises(WorkspaceError):
        arena.recheck(arms)


def test_a_workspace_edited_while_it_is_cloned_is_refused(arena: Arena, ws: Path) -> None:
    (ws / "AGENTS.md").write_text("x")
    surface = read_surface(ws)
    contrast = find_contrast(surface, DROP_2)
    (ws / "AGENTS.md").write_text("y")
    with pytest.raises(WorkspaceError, match=r"AGENTS\.md"):
        arena.build(surface, contrast)
    (ws / "AGENTS.md").unlink()
    with pytest.raises(WorkspaceError, match=r"AGENTS\.md"):
        arena.build(surface, contrast)


def test_arms_may_be_identical_to_measure_the_band(arena: Arena, ws: Path) -> None:
    arms = arena.build(read_surface(ws), None)
    assert arms.baseline != arms.variant
    assert files_of(arms.baseline) == files_of(arms.variant) == files_of(ws)


def test_contrasts_of_one_workspace_share_their_baseline(arena: Arena, ws: Path) -> None:
    surface = read_surface(ws)
    made = [arena.build(surface, find_contrast(surface, Edit(EditKind.DROP, "CLAUDE.md", line=n))) for n in (1, 2, 3)]
    assert len({arms.baseline for arms in made}) == 1
    assert len({arms.variant for arms in made}) == 3
    verify_arm(made[0].baseline, surface)


def test_names_are_neutral_equally_long_and_distinct_when_reduced(arena: Arena, ws: Path) -> None:
    arms = build(arena, ws)
    with arena.stall(arms.baseline) as one, arena.stall(arms.variant) as two:
        assert len(str(one.path)) == len(str(two.path))
        assert len(str(arms.baseline)) == len(str(arms.variant))
        places = [arms.baseline, arms.variant, one.path, two.path, one.temp, two.temp, arena.config, arena.desk]
        reduced = {re.sub(r"[^A-Za-z0-9]", "-", str(place)) for place in places}
        assert len(reduced) == len(places)
        for place in places:
            own = str(place).removeprefix(str(arena.path.parent))
            assert re.fullmatch(r"/workspaces-\d+(?:/[a-z][a-z0-9]{11})+", own)


def test_every_trial_has_a_fresh_copy_and_a_temp_of_its_own(arena: Arena, ws: Path) -> None:
    arms = build(arena, ws)
    with arena.stall(arms.variant) as one:
        (one.path / "CLAUDE.md").write_text("changed")
        (one.path / "new").write_text("x")
        (one.temp / "t").write_text("x")
    with arena.stall(arms.variant) as two:
        assert files_of(two.path) == files_of(arms.variant)
        assert list(two.temp.iterdir()) == []
    assert not one.path.exists()
    assert not one.temp.exists()
    with arena.stall(None) as empty:
        assert list(empty.path.iterdir()) == []
    arena.recheck(arms)


def test_trials_can_stand_at_one_path_one_after_another(arena: Arena, ws: Path) -> None:
    arms = build(arena, ws)
    seen, temps = [], set()
    for arm in (arms.baseline, arms.variant):
        with arena.stall(arm, at_desk=True) as stall:
            assert stall.path == arena.desk
            assert stall.view is None
            temps.add(stall.temp)
            (stall.temp / "left").touch()
            seen.append((stall.path / "CLAUDE.md").read_bytes())
            with pytest.raises(RuntimeError), arena.stall(arm, at_desk=True):
                pass
            assert stall.path.is_dir(), "a refused trial takes nothing from the one that stands there"
        assert list(arena.desk.parent.iterdir()) == []
    assert seen == [(arm / "CLAUDE.md").read_bytes() for arm in (arms.baseline, arms.variant)]
    assert len(temps) == 1


def test_trials_at_once_are_to_be_seen_at_one_path(arena: Arena, ws: Path) -> None:
    arms = build(arena, ws)
    with arena.stall(arms.baseline, seen_at_desk=True) as one, arena.stall(arms.variant, seen_at_desk=True) as two:
        assert one.view is not None
        assert two.view is not None
        assert one.path != two.path
        assert one.view.of(one.path) == two.view.of(two.path) == arena.desk
        assert one.view.of(one.temp) == two.view.of(two.temp)
        assert (one.path / "CLAUDE.md").read_bytes() != (two.path / "CLAUDE.md").read_bytes()
        with arena.stall(arms.baseline, at_desk=True) as proved:
            assert proved.path == arena.desk
            assert proved.temp == one.view.of(one.temp)
    assert not one.path.parent.exists()


def test_both_arms_and_every_copy_list_their_folders_in_one_order(arena: Arena, ws: Path) -> None:
    (ws / ".claude/rules").mkdir(parents=True)
    for number in range(60):
        (ws / f".claude/rules/{number * 7919 % 101}.md").write_text(str(number))
    arms = build(arena, ws)
    assert arms.notices == ()
    with arena.stall(arms.variant) as stall:
        tops = (arms.baseline, arms.variant, stall.path)
        orders = {tuple(path.name for path in (top / ".claude/rules").iterdir()) for top in tops}
    assert len(orders) == 1


@pytest.mark.parametrize("name", ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude", ".git"])
def test_no_arena_below_what_an_agent_would_find_there(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / "a/b").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match=re.escape(str(tmp_path / name))):
        Arena(tmp_path / "a/b/arena").__enter__()
    assert list((tmp_path / "a/b").iterdir()) == []


def test_no_arena_within_the_workspace_nor_the_other_way_round(tmp_path: Path, arena: Arena) -> None:
    for place in (tmp_path, arena.path):
        with pytest.raises(WorkspaceError, match="within each other"):
            arena.build(read_surface(place), None)


def test_a_temp_reached_by_a_link_is_named_by_its_real_path(tmp_path: Path, ws: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to("real")
    with Arena(tmp_path / "linked/arena") as arena, arena.stall(build(arena, ws).variant) as stall:
        assert str(stall.path) == os.path.realpath(stall.path)
        assert str(stall.path).startswith(str(tmp_path / "real"))


def test_a_hint_that_is_not_understood_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file", tmp_path / "none", Path("/proc")):
        before = place.stat().st_mode if place.exists() else None
        spread_folders(place)
        assert (place.stat().st_mode if place.exists() else None) == before


def test_a_full_disk_is_one_clear_message_and_leaves_nothing(tmp_path: Path, ws: Path) -> None:
    temp = tmp_path / "small"
    temp.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", temp], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small file system can't be mounted here")
    try:
        (ws / ".claude/rules").mkdir(parents=True)
        (ws / ".claude/rules/big.md").write_bytes(b"x" * 3_000_000)
        with Arena(temp / "arena") as arena:
            with pytest.raises(WorkspaceError, match="no room"):
                build(arena, ws)
            (arena.config / "fill").write_bytes(b"x" * 900_000)
        assert arena.warnings == []
        assert list(temp.iterdir()) == []
        with pytest.raises(OSError, match="No space"):
            (temp / "fill").write_bytes(b"x" * 3_000_000)
        with pytest.raises(WorkspaceError, match="No space"):
            Arena(temp / "arena").__enter__()
        assert [path.name for path in temp.iterdir()] == ["fill"]
    finally:
        subprocess.run(["umount", temp], check=True)


@pytest.mark.parametrize("reflink", [True, False])
@pytest.mark.parametrize("in_kernel", [True, False])
def test_a_write_in_a_copy_of_any_size_never_reaches_what_it_was_made_from(
    arena: Arena, ws: Path, reflink: bool, in_kernel: bool
) -> None:
    arena._copier._can_reflink &= reflink
    arena._copier._can_range &= in_kernel
    data = bytes(range(256)) * 4096
    (ws / ".claude/rules").mkdir(parents=True, exist_ok=True)
    (ws / ".claude/rules/large.md").write_bytes(data)
    arms = build(arena, ws)
    with arena.stall(arms.baseline) as stall:
        copy = stall.path / ".claude/rules/large.md"
        assert copy.read_bytes() == data
        assert copy.stat().st_nlink == 1
        with copy.open("r+b") as file:
            file.write(b"x" * 300_000)
        assert (arms.baseline / ".claude/rules/large.md").read_bytes() == data
    assert (arms.variant / ".claude/rules/large.md").read_bytes() == data
    assert (ws / ".claude/rules/large.md").read_bytes() == data
