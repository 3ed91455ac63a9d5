"""What keeps a probe file from being used is told by file and key; what does not, is accepted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.errors import ProbeError
from measure.probe.form import FILE_LIMIT, Problem, UnusableFileError
from measure.probe.load import load_probe, load_probes
from measure.probe.model import PROMPT_LIMIT

Write = Callable[..., Path]


def problems(*paths: Path) -> tuple[Problem, ...]:
    with pytest.raises(UnusableFileError) as caught:
        load_probes(paths)
    assert caught.value.exit_status == 2
    for problem in caught.value.problems:
        assert problem.file in str(caught.value)
        assert "\n" not in problem.message
    return caught.value.problems


def keys(*paths: Path) -> list[str]:
    return [problem.key for problem in problems(*paths)]


def test_a_whole_file_becomes_a_probe_with_its_place_and_digest(probe_file: Write) -> None:
    path = probe_file(target={"file": "CLAUDE.md", "line": "- Ask."})
    one = load_probe(path)
    assert one.probe.asked_for == "ask"
    assert one.probe.target is not None
    assert one.probe.target.line == "- Ask."
    assert one.path == path
    assert one.digest == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("key", ["schema", "id", "axis", "claim", "prompt"])
def test_a_missing_key_is_named_with_what_was_expected(probe_file: Write, key: str) -> None:
    (problem,) = problems(probe_file(**{key: None}))
    assert problem.key == key
    assert "missing" in problem.message
    assert "expected" in problem.message


@pytest.mark.parametrize(
    ("keys", "where", "expected", "found"),
    [
        ({"schema": True}, "schema", "number 1", "true"),
        ({"schema": 1.0}, "schema", "number 1", "1.0"),
        ({"schema": "1"}, "schema", "number 1", '"1"'),
        ({"schema": 2}, "schema", "number 1", "2"),
        ({"axis": "behaviour"}, "axis", '"behavior"', '"behaviour"'),
        ({"claim": 3}, "claim", "sentence", "the number 3"),
        ({"prompt": ["a"]}, "prompt", "string", "array of 1"),
        ({"id": "no spaces"}, "id", "letters", '"no spaces"'),
        ({"id": ""}, "id", "letters", "empty"),
        ({"target": "CLAUDE.md:3"}, "target", "[target]", '"CLAUDE.md:3"'),
        ({"target": {"file": "a", "line_number": "3"}}, "target.line_number", "number", '"3"'),
        ({"target": {"file": "a", "line_number": 0}}, "target.line_number", "from 1", "0"),
        ({"target": {"file": "", "line_number": 1}}, "target.file", "path", "empty"),
        ({"options": ["ask", "go"]}, "options[0]", "table", '"ask"'),
        ({"options": {"id": "a"}}, "options", "[[options]]", "a table"),
    ],
)
def test_a_wrong_value_is_told_by_key_and_by_what_was_expected_and_found(
    probe_file: Write, keys: dict[str, object], where: str, expected: str, found: str
) -> None:
    problem = problems(probe_file(**keys))[0]
    assert problem.key == where
    wanted, _, got = problem.message.partition("found")
    assert expected in wanted
    assert found in got
    assert "Input" not in problem.message


def test_every_broken_option_is_told_by_its_index(probe_file: Write) -> None:
    options = [{"id": "a", "text": "Ask", "asked_for": "yes"}, {"id": "b", "text": 3}, {"id": "c"}]
    assert keys(probe_file(options=options)) == ["options[0].asked_for", "options[1].text", "options[2].text"]


@pytest.mark.parametrize(
    ("keys", "where", "suggestion"),
    [
        ({"promt": "x"}, "promt", "'prompt'"),
        ({"Claim": "x"}, "Claim", "'claim'"),
        ({"target": {"file": "a", "line_number": 1, "linenumber": 1}}, "target.linenumber", "'line_number'"),
        ({"line": "x"}, "line", "under 'target'"),
        ({"target": {"file": "a", "line_number": 1, "prompt": "x"}}, "target.prompt", "top of the file"),
        ({"wholly_unrelated": 1}, "wholly_unrelated", "schema"),
        ({"a b": 1}, '"a b"', "schema"),
    ],
)
def test_an_unknown_key_is_refused_with_the_key_that_was_meant(
    probe_file: Write, keys: dict[str, object], where: str, suggestion: str
) -> None:
    (problem,) = problems(probe_file(**keys))
    assert problem.key == where
    assert "unknown" in problem.message
    assert suggestion in problem.message


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (None, "options"),
        ([{"id": "a", "text": "Ask", "asked_for": True}], "options"),
        ([{"id": "a", "text": "Ask"}, {"id": "b", "text": "Go"}], "options"),
        ([{"id": "a", "text": "Ask", "asked_for": True}, {"id": "b", "text": "Go", "asked_for": True}], "options"),
        ([{"id": "a", "text": "Ask", "asked_for": True}, {"id": "a", "text": "Go"}], "options[1].id"),
        ([{"id": f"o{n}", "text": f"Do {n}", "asked_for": n == 0} for n in range(27)], "options"),
        ([{"id": "a", "text": "Ask", "asked_for": True}, {"id": "b", "text": " \t"}], "options[1].text"),
    ],
)
def test_options_that_leave_no_single_answer_are_refused(probe_file: Write, options: object, where: str) -> None:
    assert keys(probe_file(options=options)) == [where]


def test_a_content_probe_has_no_options(probe_file: Write) -> None:
    options = [{"id": "a", "text": "Ask", "asked_for": True}, {"id": "b", "text": "Go"}]
    assert keys(probe_file(axis="content", options=options)) == ["options"]


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ({"file": "a"}, "target.line"),
        ({"file": "a", "line": "x", "line_number": 1}, "target.line_number"),
        ({"file": "a", "line": "x", "add": "y", "replace_with": "z"}, "target.add"),
        ({"file": "a", "line": "two\nlines"}, "target.line"),
    ],
)
def test_a_target_names_one_edit_of_one_line(probe_file: Write, target: dict[str, object], where: str) -> None:
    assert keys(probe_file(target=target)) == [where]


@pytest.mark.parametrize("prompt", ["/deploy now", "/etc/hosts is wrong", " \n\t ", "\u200b\n", "a\0b"])
def test_a_prompt_the_client_would_not_send_as_it_stands_is_refused(probe_file: Write, prompt: str) -> None:
    assert keys(probe_file(prompt=prompt)) == ["prompt"]


@pytest.mark.parametrize("prompt", ["-v is what I typed", "--help me", " /usr is full", "@ada fixed it", "! and # too"])
def test_a_prompt_that_stdin_takes_verbatim_is_accepted(probe_file: Write, prompt: str) -> None:
    assert load_probe(probe_file(prompt=prompt)).probe.prompt == prompt


def test_prompts_are_limited_in_bytes_and_a_hundred_kilobytes_pass(probe_file: Write) -> None:
    assert len(load_probe(probe_file(prompt="x" * 100_000)).probe.prompt) == 100_000
    assert len(load_probe(probe_file(prompt="x" * PROMPT_LIMIT)).probe.prompt) == PROMPT_LIMIT
    assert keys(probe_file(prompt="x" * (PROMPT_LIMIT + 1))) == ["prompt"]
    assert keys(probe_file(prompt="押" * (PROMPT_LIMIT // 3 + 1))) == ["prompt"]


def test_byte_order_mark_and_crlf_are_accepted(probe_file: Write) -> None:
    path = probe_file(prompt="One.\nTwo.")
    plain = load_probe(path).probe
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_probe(path).probe == plain


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'schema = 1\nid = "a\nb"\n', "line 2, column 8"),
        (b"schema = ", "line 1"),
        (b"schema = 1\nschema = 1\n", "line 2"),
        (b'schema = 1\nid = "\xff"\n', "0xFF in line 2"),
        (b"\xff\xfes\0c\0h\0", "UTF-8"),
        (b"a = " + b"[" * 5_000, "too deeply"),
        (b"a = " + b"9" * 5_000, "TOML"),
        (b"", "missing"),
    ],
)
def test_what_is_no_utf8_or_no_toml_is_told_with_its_place(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "probe.toml"
    path.write_bytes(data)
    assert told in problems(path)[0].message


def test_a_file_that_is_not_there_or_no_file_at_all_is_refused_without_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    large = tmp_path / "large.toml"
    with large.open("wb") as stream:
        stream.truncate(FILE_LIMIT + 1)
    told = problems(tmp_path / "none.toml", pipe, large)
    assert [Path(problem.file).name for problem in told] == ["none.toml", "pipe.toml", "large.toml"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(probe_file: Write) -> None:
    path = probe_file()
    path.chmod(0)
    assert "can't be read" in problems(path)[0].message


def test_a_folder_is_its_toml_files_sorted_and_not_those_of_folders_inside(probe_file: Write, tmp_path: Path) -> None:
    for name in ("b.toml", "a.toml", "inner/c.toml", "notes.md.txt"):
        probe_file(f"set/{name}", id=name.replace("/", "-"))
    assert [one.path.name for one in load_probes([tmp_path / "set"])] == ["a.toml", "b.toml"]


def test_zero_probes_is_an_error_and_never_an_empty_success(tmp_path: Path) -> None:
    with pytest.raises(ProbeError):
        load_probes([])
    assert problems(tmp_path)[0].file == str(tmp_path)


def test_an_id_stands_for_one_probe_whatever_its_case(probe_file: Write) -> None:
    first, second, third = probe_file("1.toml"), probe_file("2.toml", id="ONE"), probe_file("3.toml", id="two")
    (problem,) = problems(first, second, third)
    assert (problem.file, problem.key) == (str(second), "id")
    assert str(first) in problem.message
    assert problems(third, third)[0].key == "id"


def test_the_problems_of_all_files_are_told_at_once(probe_file: Write) -> None:
    files = [probe_file("1.toml", claim=None), probe_file("2.toml"), probe_file("3.toml", prompt="/x", axis="content")]
    assert [Path(problem.file).name for problem in problems(*files)] == ["1.toml", "3.toml"]


values = st.recursive(
    st.text(max_size=8) | st.integers(-5, 5) | st.booleans() | st.floats(allow_nan=False) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "text", "file", "line", "asked_for", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["schema", "id", "axis", "claim", "prompt", "target", "options", "x"]), values, max_size=8
    )
)
def test_no_table_does_anything_but_load_or_be_told_in_plain_words(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "probe.toml"
    path.write_text(tomlkit.dumps(content), encoding="utf-8", newline="")
    told: tuple[Problem, ...] = ()
    try:
        load_probe(path)
    except UnusableFileError as error:
        told = error.problems
    for problem in told:
        assert problem.file == str(path)
        assert "pydantic" not in problem.message
        assert "Input should" not in problem.message
        assert "another value" not in problem.message


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_do_anything_but_be_told(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "probe.toml"
    path.write_bytes(data)
    with pytest.raises(UnusableFileError):
        load_probe(path)
