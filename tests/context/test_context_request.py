"""A request is read whatever its layout, and two launches of one arm read the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.context.request import Place, Request
from measure.errors import ClientError
from tests.context.requests import ARM, IDENTITY, LAYOUTS, TEMP, request

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@given(body=st.dictionaries(st.sampled_from(["system", "messages", "tools", "metadata", "model", "x"]), JSON))
def test_any_object_is_read(body: dict[str, Any]) -> None:
    read = Request.read(json.dumps(body).encode(), workspace=ARM, temp=TEMP)
    assert read.size == len(json.dumps(body).encode())
    assert read.tokens >= 0
    assert isinstance(read.lines, tuple)
    assert Request.read(json.dumps(body).encode(), workspace=ARM, temp=TEMP).digest == read.digest


@pytest.mark.parametrize("data", [b"", b"[]", b"nope", b"[" * 100_000])
def test_what_is_no_object_is_an_error_for_people(data: bytes) -> None:
    with pytest.raises(ClientError):
        Request.read(data, workspace=ARM, temp=TEMP)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_text_is_a_piece_wherever_it_stands(layout: Any) -> None:
    read = request({"CLAUDE.md": "- one\n- two"}, layout=layout)
    text = "\n".join(piece.text for piece in read.pieces)
    for wanted in ("- two", "You are an agent.", "What now?", "Reads a file."):
        assert wanted in text
    assert read.pieces[0].place is Place.TOOLS


def test_text_inside_tool_results_counts() -> None:
    result = {"type": "tool_result", "content": [{"type": "text", "text": "deep"}]}
    body = {"messages": [{"role": "user", "content": [result]}]}
    read = Request.read(json.dumps(body).encode(), workspace=ARM, temp=TEMP)
    assert [piece.text for piece in read.pieces] == ["deep"]


def test_two_launches_of_one_arm_are_equal_but_for_what_is_masked() -> None:
    first = request(
        {"CLAUDE.md": f"Today's date is 2030-01-01.\nScratch: {TEMP}/scratch/0c854f78-d445-4b65-9cdd-86d0a622b070"}
    )
    other = IDENTITY.replace("0c854f78-d445-4b65-9cdd-86d0a622b070", "11111111-2222-3333-4444-555555555555")
    second = request(
        {"CLAUDE.md": f"Today's date is 2030-01-02.\nScratch: {TEMP}/scratch/11111111-2222-3333-4444-555555555555"},
        identity=other.replace("d1", "d2"),
    )
    assert first.digest == second.digest
    assert first.lines == second.lines


@pytest.mark.parametrize("text", ["released 2030-01-01", "device d1", "session 99999999-2222-3333-4444-555555555555"])
def test_nothing_else_is_masked(text: str) -> None:
    assert request({"CLAUDE.md": text}).digest != request({"CLAUDE.md": text[:-1] + "7"}).digest


def test_paths_of_the_launch_are_told_where_the_request_shows_them() -> None:
    assert request({"CLAUDE.md": "x"}).shows == (ARM,)
    assert request({}).shows == ()
