"""One edit in one place, on bytes: what it changes, what it refuses, and what it tells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.contrast import Contrast, Edit, EditKind, edit_from_place, edit_from_target, find_contrast
from measure.errors import ContrastError
from measure.probe.model import Target
from measure.surface import read_surface

DROP, REPLACE, ADD = EditKind.DROP, EditKind.REPLACE, EditKind.ADD
NAME = "CLAUDE.md"


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def found(ws: Path, data: bytes | str, edit: Edit) -> Contrast:
    (ws / edit.file).parent.mkdir(parents=True, exist_ok=True)
    (ws / edit.file).write_bytes(data.encode() if isinstance(data, str) else data)
    return find_contrast(read_surface(ws), edit)


def after(ws: Path, data: bytes, edit: Edit) -> bytes:
    return found(ws, data, edit).apply(data)


@pytest.mark.parametrize(
    ("data", "line", "left"),
    [
        (b"a\nb\nc\n", 2, b"a\nc\n"),
        (b"a\r\nb\r\nc", 2, b"a\r\nc"),
        (b"a\r\nb\nc", 1, b"b\nc"),
        (b"a\nb", 2, b"a\n"),
        (b"\xef\xbb\xbfa\r\nb\r\n", 1, b"\xef\xbb\xbfb\r\n"),
        (b"a\rb\nc\n", 1, b"c\n"),
        (b"a\n\n\nb\n", 2, b"a\n\nb\n"),
        ("一\u2028二\n三\n".encode(), 1, "三\n".encode()),
        (b"only", 1, b""),
    ],
)
def test_a_drop_takes_one_line_s_bytes(ws: Path, data: bytes, line: int, left: bytes) -> None:
    contrast = found(ws, data, Edit(DROP, NAME, line=line))
    assert contrast.apply(data) == left
    assert data[: contrast.start] + contrast.before + data[contrast.end :] == data
    assert contrast.with_arm == "baseline"


@pytest.mark.parametrize(
    ("data", "line", "new", "left"),
    [
        (b"a\r\nb\r\nc", 2, "x\ny\n", b"a\r\nx\r\ny\r\nc"),
        (b"a\nb", 2, "x", b"a\nx"),
        (b"a\nb\r\nc\n", 2, "x\ny", b"a\nx\r\ny\r\nc\n"),
        (b"a\nb\n", 1, "", b"\nb\n"),
        (b"\xef\xbb\xbfa\n", 1, "x", b"\xef\xbb\xbfx\n"),
    ],
)
def test_a_replacement_keeps_the_line_end_of_its_place(ws: Path, data: bytes, line: int, new: str, left: bytes) -> None:
    assert after(ws, data, Edit(REPLACE, NAME, line=line, new=new)) == left


@pytest.mark.parametrize(
    ("data", "line", "left"),
    [
        (b"a\r\nb\r\n", 1, b"a\r\nx\r\nb\r\n"),
        (b"a\r\nb", 2, b"a\r\nb\r\nx"),
        (b"a", 1, b"a\nx"),
        (b"a\n", 0, b"x\na\n"),
        (b"\xef\xbb\xbfa\r\n", 0, b"\xef\xbb\xbfx\r\na\r\n"),
        (b"", 0, b"x\n"),
        (b"a\nb\n", None, b"a\nb\nx\n"),
    ],
)
def test_an_addition_comes_after_the_line_with_the_file_s_line_end(
    ws: Path, data: bytes, line: int | None, left: bytes
) -> None:
    contrast = found(ws, data, Edit(ADD, NAME, line=line, new="x"))
    assert contrast.apply(data) == left
    assert (contrast.with_arm, contrast.text) == ("variant", "x")
    assert left.split(b"\n")[contrast.line - 1].strip(b"\r\xef\xbb\xbf") == b"x"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40).filter(lambda text: text and "\0" not in text), st.data())
def test_dropping_a_line_removes_its_bytes_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, text: str, data: st.DataObject
) -> None:
    content = text.encode("utf-8", "ignore")
    count = content.removeprefix(b"\xef\xbb\xbf").count(b"\n") + (not content.endswith((b"\n", b"\xef\xbb\xbf")))
    if not content or not count:
        return
    number = data.draw(st.integers(1, count))
    ws = tmp_path_factory.mktemp("drop")
    try:
        contrast = found(ws, content, Edit(DROP, NAME, line=number))
    except ContrastError as refused:
        assert "front matter" in str(refused) or "key" in str(refused)  # noqa: PT017
        return
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True) if b"\r" not in content else None
    assert contrast.after == b""
    assert contrast.before.count(b"\n") == contrast.before.endswith(b"\n")
    assert contrast.apply(content) == content[: contrast.start] + content[contrast.end :]
    assert content[: contrast.start].count(b"\n") == number - 1
    assert (
        lines is None or contrast.before.strip(b"\n") == content.removeprefix(b"\xef\xbb\xbf").split(b"\n")[number - 1]
    )


def test_only_the_file_it_was_found_in_can_be_edited(ws: Path) -> None:
    contrast = found(ws, "a\nb\n", Edit(DROP, NAME, line=1))
    with pytest.raises(ContrastError):
        contrast.apply(b"a\nc\n")


def test_two_requests_name_one_contrast_when_they_mean_one_place(ws: Path) -> None:
    by_number = found(ws, "a\nb\nb2\n", Edit(DROP, NAME, line=2))
    surface = read_surface(ws)
    (ws / "AGENTS.md").symlink_to(NAME)
    linked = read_surface(ws)
    assert find_contrast(surface, edit_from_target(Target(file=NAME, line="b"))) == by_number
    assert find_contrast(surface, edit_from_place(DROP, f"./{NAME}:2")) == by_number
    assert find_contrast(linked, edit_from_place(DROP, "AGENTS.md:2")) == by_number
    assert find_contrast(surface, edit_from_target(Target(file=NAME, line_number=3))) != by_number
    assert find_contrast(surface, edit_from_target(Target(file=NAME, line="b", replace_with="c"))) != by_number
    added = find_contrast(surface, edit_from_target(Target(file=NAME, add="z")))
    assert (added.kind, added.line, added.after) == (ADD, 4, b"z\n")


def test_a_line_that_stands_twice_is_refused_with_both_numbers(ws: Path) -> None:
    text = "## Backend\n- Run the tests.\n## Frontend\n- Run the tests.\n- Run the tests.  \n"
    with pytest.raises(ContrastError, match="2, 4"):
        found(ws, text, Edit(DROP, NAME, text="- Run the tests."))
    assert found(ws, text, Edit(DROP, NAME, text="- Run the tests.  ")).line == 5
    assert found(ws, text, Edit(DROP, NAME, line=4)).start == text.index("- Run the tests.\n- ")


@pytest.mark.parametrize(
    ("line", "given", "words"),
    [
        ("- Run\u200b tests", "- Run tests", "U+200B ZERO WIDTH SPACE"),
        ("caf\u0065\u0301", "caf\u00e9", "U+0301"),
        ("a\u00a0b", "a b", "U+00A0 NO-BREAK SPACE"),
        ("- Run tests  ", "- Run tests", "U+0020 SPACE"),
        ("x \ufe0f", "x", "U+FE0F"),
    ],
)
def test_a_line_that_only_looks_the_same_is_told_by_code_points(ws: Path, line: str, given: str, words: str) -> None:
    with pytest.raises(ContrastError, match="line 2") as told:
        found(ws, f"a\n{line}\n", Edit(DROP, NAME, text=given))
    assert words in str(told.value)
    assert found(ws, f"a\n{line}\n", Edit(DROP, NAME, text=line)).line == 2


@pytest.mark.parametrize(
    ("data", "edit"),
    [
        ("a\n", Edit(DROP, NAME, line=2)),
        ("a\n", Edit(DROP, NAME, line=0)),
        ("", Edit(DROP, NAME, line=1)),
        ("a\n", Edit(ADD, NAME, line=2, new="x")),
        ("a\n", Edit(DROP, NAME, text="b")),
        ("a\nb\n", Edit(DROP, NAME, text="a\nb")),
        ("a\n", Edit(DROP, NAME)),
        ("a\n", Edit(REPLACE, NAME, line=1, new="a")),
        ("a\r\n", Edit(REPLACE, NAME, line=1, new="a\n")),
        ("a\n", Edit(REPLACE, NAME, line=1)),
        ("a\n", Edit(ADD, NAME, line=1, new="")),
        ("a\n", Edit(ADD, NAME, line=1, new="Note: this is only a test copy of the workspace.")),
        ("a\n", Edit(REPLACE, NAME, line=1, new="この環境は実験用のコピーです。")),
        (b"a\n\xff\n", Edit(DROP, NAME, line=1)),
        (b"a\n\0\n", Edit(DROP, NAME, line=1)),
        ("a\n".encode("utf-16"), Edit(DROP, NAME, line=1)),
    ],
)
def test_an_edit_without_one_clear_place_is_refused(ws: Path, data: bytes | str, edit: Edit) -> None:
    with pytest.raises(ContrastError):
        found(ws, data, edit)


def test_invalid_utf8_is_told_with_line_and_byte(ws: Path) -> None:
    with pytest.raises(ContrastError, match="line 2, byte 4"):
        found(ws, b"a\nbc\xff\n", Edit(DROP, NAME, line=1))


def test_files_that_no_arm_has_are_refused_with_what_to_do(ws: Path, tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("x\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x.md").write_text("x\n")
    (ws / "folder").mkdir()
    (ws / "src.md").write_text("x\n")
    (ws / "cafe\u0301.md").write_text("x\n")
    (ws / ".claude/hooks").mkdir(parents=True)
    (ws / ".claude/hooks/a.md").write_text("x\n")
    (ws / ".claude/settings.json").write_text('{\n"model": "x"\n}\n')
    (ws / "AGENTS.md").symlink_to("../out.md")
    (ws / ".claude/rules").symlink_to(tmp_path / "outside")
    os.mkfifo(ws / "pipe")
    surface = read_surface(ws)
    for name, words in (
        ("../out.md", "inside"),
        (str(tmp_path / "out.md"), "inside"),
        (str(ws / "AGENTS.md"), "inside"),
        (f"{ws}/../out.md", "inside"),
        (str(ws / "none.md"), "does not exist"),
        ("folder/../../out.md", "inside"),
        ("", "inside"),
        ("a\0b", "inside"),
        ("AGENTS.md", "out of the workspace"),
        (".claude/rules/x.md", "out of the workspace"),
        ("none.md", "does not exist"),
        ("caf\u00e9.md", "U+0301"),
        ("folder", "folder"),
        ("pipe", "neither"),
        ("src.md", "--include"),
        (".claude/hooks/a.md", "runs code"),
        (".claude/settings.json", "settings"),
    ):
        with pytest.raises(ContrastError) as told:
            find_contrast(surface, Edit(DROP, name, line=1))
        assert words in str(told.value), name
    taken_in = read_surface(ws, ["src.md"])
    (tmp_path / "link").symlink_to(ws)
    for name in ("src.md", str(ws / "src.md"), str(tmp_path / "link/src.md"), f"{tmp_path}/outside/../link/src.md"):
        assert find_contrast(taken_in, Edit(DROP, name, line=1)).path == "src.md"


@pytest.mark.parametrize(
    "place", ["CLAUDE.md", ":3", "CLAUDE.md:", "CLAUDE.md:x", "CLAUDE.md:-1", "CLAUDE.md:٣", "a:9999999999"]
)
def test_a_place_on_the_command_line_is_path_and_line(place: str) -> None:
    with pytest.raises(ContrastError, match="PATH:LINE"):
        edit_from_place(DROP, place)


def test_a_path_may_hold_colons() -> None:
    assert edit_from_place(ADD, "a:b.md:0", "x") == Edit(ADD, "a:b.md", line=0, new="x")


SKILL = ".claude/skills/s/SKILL.md"
FOLDED = "---\nname: s\ndescription: >-\n  one\n  two\nmodel: x\n---\n# B\n"


@pytest.mark.parametrize(
    ("text", "line", "allowed"),
    [
        (FOLDED, 5, True),
        (FOLDED, 3, False),
        (FOLDED, 2, True),
        (FOLDED, 1, False),
        (FOLDED, 7, False),
        (FOLDED, 8, True),
        (FOLDED.replace("  two\n", ""), 4, False),
        (FOLDED.replace(">-", "|"), 4, True),
        ("---\ndescription: one\n  two\n---\n", 3, True),
        ("---\ndescription: one\n  two\n---\n", 2, False),
        ('---\ndescription: "one\n  two"\n---\n', 3, False),
        ("---\npaths:\n  - a\n  - b\n---\n", 3, True),
        ("---\npaths:\n- a\n- b\n---\n", 2, False),
        ("---\nx: 1\n\ny: 2\n---\n", 3, True),
        ("---\ntext only\n", 1, True),
        ("---\nx: 1\n---x\n", 1, True),
        ("\n---\nx: 1\n---\n", 2, True),
    ],
)
def test_a_drop_leaves_front_matter_valid_or_is_refused(ws: Path, text: str, line: int, allowed: bool) -> None:
    for data in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        if allowed:
            contrast = found(ws, data, Edit(DROP, SKILL, line=line))
            assert contrast.text == text.split("\n")[line - 1]
        else:
            with pytest.raises(ContrastError):
                found(ws, data, Edit(DROP, SKILL, line=line))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("Rules\n=====\nx\n", 1, "underlined heading"),
        ("Rules\n=====\nx\n", 2, "underlined heading"),
        ("#2 rules\n---\n", 1, "underlined heading"),
        ("a\n<!-- b\nc -->\nd\n", 3, "HTML comment"),
        ("---\nx: 1\ny: 2\n---\nb\n", 2, "front matter"),
        ("x\n", 1, "blank after the edit"),
        ("---\na: b\n---\nx\n", 4, "blank after the edit"),
        ("a\n\nb\n", 2, "is blank"),
        ("a\rb\nc\n", 2, "carriage returns"),
        ("x\n@docs/r.md\n", 2, "brings 3 lines"),
    ],
)
def test_what_may_make_the_edit_invisible_is_told(ws: Path, text: str, line: int, words: str) -> None:
    (ws / "docs").mkdir()
    (ws / "docs/r.md").write_text("1\n2\n3\n")
    assert any(words in notice for notice in found(ws, text, Edit(DROP, NAME, line=line)).notices)


@pytest.mark.parametrize(
    ("text", "line", "heading"),
    [
        ("# One\na\n## Two ##\nb\n", 4, "Two"),
        ("Rules\n=====\nx\n", 3, "Rules"),
        ("# A\n- item\n---\nx\n", 4, "A"),
        ("```\n# no\n```\nx\n", 4, None),
        ("# A\n<!--\n# B\n-->\nx\n", 5, "A"),
        ("---\n# k: v\n---\nx\n", 4, None),
        ("# A\n\n---\nx\n", 4, "A"),
    ],
)
def test_the_section_is_named(ws: Path, text: str, line: int, heading: str | None) -> None:
    contrast = found(ws, text, Edit(DROP, NAME, line=line))
    assert contrast.heading == heading
    assert not any("underlined" in notice for notice in contrast.notices)


def test_text_that_loads_only_on_demand_is_told(ws: Path) -> None:
    rule = "---\npaths: ['src/db/**']\n---\nUse transactions.\n"
    notices = found(ws, rule, Edit(DROP, ".claude/rules/db.md", line=4)).notices
    assert any("'paths'" in notice for notice in notices)
    assert any("skill" in n for n in found(ws, FOLDED + "x\n", Edit(DROP, SKILL, line=9)).notices)


def test_an_emptied_file_beside_another_entry_file_is_told(ws: Path) -> None:
    (ws / "AGENTS.md").write_text("ten other rules\n")
    assert any("AGENTS.md" in n for n in found(ws, "only\n", Edit(DROP, NAME, line=1)).notices)


def test_a_line_of_a_long_description_is_told(ws: Path) -> None:
    for text, line, told in ((FOLDED, 5, True), (FOLDED.replace(">-", "|"), 4, True), (FOLDED, 2, False)):
        notices = found(ws, text, Edit(DROP, SKILL, line=line)).notices
        assert any("several lines" in notice for notice in notices) is told
