"""The passages that can go one at a time: whole lines, in order, and nothing that is no rule by itself."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.contrast import each_passage
from measure.errors import ContrastError
from measure.surface import read_surface
from measure.surface.passages import passages

FILE = """---
name: x
---
# Rules

A paragraph that
goes over two lines.

- Keep functions short.
- Ask before you push.
  - nested one
  - nested two

1. Loose item.

   With a second paragraph.

```sh
code
```

    indented code

<!-- a comment -->

> A quote
that goes on.

Under a heading
===============

@docs/more.md

Last one"""


def texts(data: bytes) -> list[str]:
    return [span.of(data).decode() for span in passages(data)]


def test_paragraphs_items_with_all_in_them_and_quotes() -> None:
    assert texts(FILE.encode()) == [
        "A paragraph that\ngoes over two lines.\n",
        "- Keep functions short.\n",
        "- Ask before you push.\n  - nested one\n  - nested two\n",
        "1. Loose item.\n\n   With a second paragraph.\n",
        "> A quote\nthat goes on.\n",
        "@docs/more.md\n",
        "Last one",
    ]


def test_line_ends_and_a_byte_order_mark_stay_where_they_are() -> None:
    data = b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode()
    spans = passages(data)
    assert len(spans) == 7
    assert all(span.of(data).endswith(b"\r\n") for span in spans[:-1])
    assert [span.line for span in spans] == [span.line for span in passages(FILE.encode())]


lines = st.lists(
    st.sampled_from(
        ["- a", "  - b", "text", "", "# h", "> q", "```", "    c", "1. n", "---", "<!-- x", "-->", "\t", "é"]
    ),
    max_size=30,
)


@given(made=lines, ending=st.sampled_from(["\n", "\r\n", "\r"]))
def test_whatever_the_file_passages_are_whole_lines_in_order(made: list[str], ending: str) -> None:
    data = ending.join(made).encode()
    spans = passages(data)
    for before, after in itertools.pairwise(spans):
        assert before.end <= after.start
    for span in spans:
        assert span.start < span.end <= len(data)
        assert span.start == 0 or data[span.start - 1 : span.start] in (b"\n", b"\r")
        assert span.end == len(data) or data[span.end - 1 : span.end] in (b"\n", b"\r")
        assert span.of(data).strip()
        assert not span.of(data).startswith((b"# ", b"```", b"<!--"))


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert all(0 <= span.start < span.end <= len(data) for span in passages(data))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "CLAUDE.md").write_text(FILE)
    (tmp_path / "AGENTS.md").write_text("# Only a heading\n")
    return tmp_path


def test_each_passage_is_a_contrast_that_takes_it_out_and_nothing_else(workspace: Path) -> None:
    surface = read_surface(workspace)
    contrasts = each_passage(surface, "CLAUDE.md")
    assert [contrast.before.decode() for contrast in contrasts] == texts(FILE.encode())
    for contrast in contrasts:
        assert contrast.apply(FILE.encode()) == FILE.encode().replace(contrast.before, b"", 1)
        assert contrast.line == FILE[: FILE.index(contrast.before.decode())].count("\n") + 1


def test_only_those_that_begin_in_the_lines_asked_for(workspace: Path) -> None:
    surface = read_surface(workspace)
    assert [contrast.line for contrast in each_passage(surface, "CLAUDE.md:8-13")] == [9, 10]
    for place in ("CLAUDE.md:1-5", "AGENTS.md", "nowhere.md", ""):
        with pytest.raises(ContrastError):
            each_passage(surface, place)
