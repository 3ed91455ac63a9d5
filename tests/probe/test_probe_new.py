"""A starting file loads, names its line byte for byte, and lacks only what a person has to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.contrast import edit_from_target, find_contrast
from measure.errors import RequestError
from measure.probe.lint import check
from measure.probe.load import load_probe
from measure.probe.model import Axis
from measure.probe.new import checked_id, drafts, write
from measure.probe.place import Place, read_place
from measure.surface import read_surface

BOTH = (Axis.BEHAVIOR, Axis.CONTENT)
any_line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=60) | st.text(
    "'\"\\#=[]{}\t\0\x7f\x1b aé押“”", max_size=30
)


@settings(max_examples=200, deadline=None)
@given(any_line, st.integers(2, 3), st.booleans())
def test_any_line_of_any_file_comes_back_from_the_written_file(
    tmp_path_factory: pytest.TempPathFactory, line: str, number: int, twice: bool
) -> None:
    line = line.rstrip("\r")
    workspace = tmp_path_factory.mktemp("workspace")
    lines = ["first", "second", "third"]
    lines[number - 1] = line
    if twice:
        lines.append(line)
    (workspace / "CLAUDE.md").write_bytes(("\n".join(lines) + "\n").encode())
    place = read_place(workspace, "CLAUDE.md", number)
    for path in write(drafts(place, BOTH), workspace / "out"):
        one = load_probe(path)
        assert one.probe.target is not None
        assert one.probe.target.file == "CLAUDE.md"
        if "\0" not in line:
            found = find_contrast(read_surface(workspace), edit_from_target(one.probe.target))
            assert (found.line, found.text) == (number, line)
        if not twice and re.search(r"\S", line) and "\r" not in line:
            assert one.probe.target.line == place.text


@pytest.mark.parametrize("axis", Axis)
@pytest.mark.parametrize("line", ["- Ask before you push.", '- Say "no" to \\ and \' alike', "- 推送前先询问。", ""])
def test_a_starting_file_breaks_no_rule_but_that_it_is_unfinished(tmp_path: Path, axis: Axis, line: str) -> None:
    (path,) = write(drafts(Place("CLAUDE.md", 1, line, 1), (axis,)), tmp_path)
    findings = check(load_probe(path))
    assert {finding.id for finding in findings} == {"unwritten"}
    assert {"claim", "prompt"} <= {finding.key for finding in findings}


@pytest.mark.parametrize("axis", Axis)
def test_a_starting_file_with_its_places_filled_in_is_of_good_form(tmp_path: Path, axis: Axis) -> None:
    (path,) = write(drafts(Place("CLAUDE.md", 1, "- Ask before you push.", 1), (axis,)), tmp_path)
    words = iter(["waits for a word", "what comes ahead of leaving", "Wait for a word", "Send it off now"])
    path.write_text(re.sub(r"<<WRITE:.*?>>", lambda _: next(words), path.read_text()))
    assert check(load_probe(path)) == ()


def test_ids_come_from_the_line_or_where_it_has_no_letters_from_its_place() -> None:
    def first(file: str, line: str) -> str:
        return next(iter(drafts(Place(file, 12, line, 1), (Axis.CONTENT,))))

    assert first("CLAUDE.md", "- **Ask** before you push, always.") == "ask-before-you-push-always"
    assert first(".claude/rules/規則.md", "- 推送前に尋ねる") == "probe-line-12"
    assert first("a/shipping.md", "---") == "shipping-line-12"
    assert len(first("a.md", "x" * 300)) <= 64
    both = drafts(Place("a.md", 1, "word " * 60, 1), BOTH, "i" * 64)
    assert [len(probe_id) <= 64 for probe_id in both] == [True, True]
    assert [probe_id.rpartition("-")[2] for probe_id in both] == ["behavior", "content"]


@pytest.mark.parametrize("probe_id", ["a b", "", "-a", "a" * 65, "a\n", "押"])
def test_an_id_that_no_file_could_have_is_refused(probe_id: str) -> None:
    with pytest.raises(RequestError):
        checked_id(probe_id)


def test_nothing_is_overwritten_unasked_and_nothing_is_written_by_half(tmp_path: Path) -> None:
    texts = {"a": "new a", "b": "new b"}
    (tmp_path / "b.toml").write_text("mine")
    with pytest.raises(RequestError):
        write(texts, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["b.toml"]
    assert (tmp_path / "b.toml").read_text() == "mine"
    write(texts, tmp_path, force=True)
    assert (tmp_path / "b.toml").read_text() == "new b"


def test_a_file_or_a_folder_can_be_named_and_folders_are_made(tmp_path: Path) -> None:
    assert write({"a": "x"}, tmp_path / "new" / "mine.toml") == (tmp_path / "new" / "mine.toml",)
    assert write({"a": "x", "b": "y"}, tmp_path / "more") == (
        tmp_path / "more" / "a.toml",
        tmp_path / "more" / "b.toml",
    )
    with pytest.raises(RequestError):
        write({"a": "x", "b": "y"}, tmp_path / "both.toml")
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError):
        write({"a": "x"}, tmp_path / "file" / "below")
