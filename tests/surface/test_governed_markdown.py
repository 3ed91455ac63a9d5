"""Headings and sections: the quick reading is the parser's, and the pieces of a file are the file."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from measure.surface import markdown as reader
from measure.surface.bytelines import split_lines
from measure.surface.outline import find_sections, read_outline, section_addresses
from measure.surface.slug import section_name, slug, tag_name
from measure.surface.tagged import read_tagged
from measure.surface.wrapping import TagError, wrap

LINES = """
# A
## B
# A
### C `code`
#
#x
# two ##
#\ttab
####### seven
# 🎉
## 目的 と 範囲
text
- item
1. one
> quote
> # quoted
- # listed
---
***
```
```python
``` a`b
~~~
~~~~
~~~ x
</b>
<b>
<x y="z">
    code
\tcode
[r]: /u
[r]: /u "title
end"
| a | b |
\\# no
é
""".split("\n")  # noqa: SIM905
MORE = [*LINES, "===", "  ---", " # one", "   ## three", "  ```", "- ```", "<!-- c", "-->", "<pre>", "</pre>", "<div>"]


def documents(lines: list[str]) -> st.SearchStrategy[bytes]:
    return st.builds(
        lambda parts, ending, last: ending.join(part.encode() for part in parts) + last,
        st.lists(st.sampled_from([*lines, "", "", ""]), max_size=14),
        st.sampled_from([b"\n", b"\n", b"\r\n"]),
        st.sampled_from([b"", b"\n", b"\n\n", b"\xff"]),
    )


@settings(max_examples=700, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(LINES) | documents(MORE))
@example(b"a\n```\n# in code\n")
@example(b"``` a`b\n# not in code")
@example(b"# a\n<b>\n\n# c\n</b>")
@example(b"- a\n```\n# x\n```\n# y")
@example(b"- a\n  ```\n# x\n  ```\n# y")
@example(b"text <pre>\n# x")
@example(b"<pre>\n\n# x\n</pre>")
def test_a_simple_file_reads_like_the_parser_reads_it(data: bytes) -> None:
    lines = split_lines(data)
    if reader._is_hard(data):
        return
    assert reader._by_pattern(lines, data)[0] == reader._by_parser(lines, data)[0]


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(MORE), st.sampled_from([b"", b"\xef\xbb\xbf", b"---\na: b\n---\n", b"---\n"]))
def test_sections_nest_and_their_pieces_are_the_file(body: bytes, head: bytes) -> None:
    data = head + body
    outline = read_outline(data)
    assert b"".join(data[start:end] for start, end in outline.pieces()) == data
    headed = [section.span for section in outline.sections if section.level]
    for one in headed:
        for other in headed:
            apart = one.end <= other.start or other.end <= one.start
            assert (
                apart
                or (one.start <= other.start and other.end <= one.end)
                or (other.start <= one.start and one.end <= other.end)
            )
    for address, section in zip(section_addresses(outline), outline.sections, strict=True):
        assert find_sections(outline, address) == (section,)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(MORE), st.data())
def test_a_wrapped_file_without_one_section_is_still_well_wrapped(data: bytes, choose: st.DataObject) -> None:
    try:
        wrapped = wrap(data)
    except TagError:
        return
    sections = [s for s in read_outline(wrapped).sections if s.level in (1, 2)]
    # A construct that is never closed swallows what follows, with or without the section.
    if not sections or any(mark in data for mark in (b"<!--", b"```", b"~~~", b"<pre>", b"---", b"===")):
        return
    gone = choose.draw(st.sampled_from(sections)).span
    faults = read_tagged(wrapped[: gone.start] + wrapped[gone.end :]).faults
    assert [fault for fault in faults if fault.rule != "tag-blank-line"] == []


@pytest.mark.parametrize(
    ("data", "titles"),
    [
        (b"Rules\n=====\n\ntext\n", ["Rules"]),
        (b"- item\n---\n", []),
        (b"#2 rules\n---\n", ["#2 rules"]),
        (b"a\n\n---\n\nb\n", []),
        (b"```\n# no\n```\n# yes\n", ["yes"]),
        (b"````\n```\n# no\n````\n# yes\n", ["yes"]),
        (b"- x\n\n  # in the item\n\n# out\n", ["out"]),
        (b"<!--\n# no\n-->\n# yes\n", ["yes"]),
        (b"\xef\xbb\xbf# After a mark\r\n", ["After a mark"]),
        (b"---\nname: x\n# no\n---\n# yes\n", ["yes"]),
        (b"---\nno end\n# yes\n", ["yes"]),
        (b"\n---\nname: x\n---\n# yes\n", ["name: x", "yes"]),
        (b"---\ndescription: x\n---x: y\n# no\n---\n# yes\n", ["yes"]),
        ("# 提交前运行测试\n# 不要强推\n".encode(), ["提交前运行测试", "不要强推"]),
    ],
)
def test_headings_are_those_a_renderer_shows(data: bytes, titles: list[str]) -> None:
    assert [section.title for section in read_outline(data).sections] == titles


SLUGS = [
    ("Operations", "operations"),
    ("Evolution Layer", "evolution-layer"),
    ("Source Check — Two-Pillar Verify", "source-check-two-pillar-verify"),
    ("Characters", "characters"),
    ("Li+ Coding Rule", "li-coding-rule"),
    ("Phase framing (Li+AI compile pipeline)", "phase-framing-li-ai-compile-pipeline"),
    ("Li+AI", "li-ai"),
    ("Li+", "li"),
    ("C++", "c"),
    ("+ plus", "plus"),
    ("a+b+c", "a-b-c"),
    ("Block 4 — Composite escalation axes (Stage 1-2)", "block-4-composite-escalation-axes-stage-1-2"),
    ('Scope ("L2-L6 improvement issues in general")', "scope-l2-l6-improvement-issues-in-general"),
    ("Bootstrap / Transient State", "bootstrap-transient-state"),
    ("6-step resistance on external-content contact", "6-step-resistance-on-external-content-contact"),
    ("Don't stop", "dont-stop"),
    ("Don’t stop", "dont-stop"),
    ("snake_case name", "snake-case-name"),
    ("v1.2.3", "v1-2-3"),
    ("  --  spaced -- out --  ", "spaced-out"),
    ("en–dash and hyphen‐minus", "en-dash-and-hyphen-minus"),
    ("目的", "目的"),
    ("タグ名の例（一覧）", "タグ名の例-一覧"),
    ("提交前，运行测试！", "提交前-运行测试"),
    ("한국어 제목", "한국어-제목"),
    ("Über die Straße", "über-die-straße"),
    ("cafe\u0301", "café"),
    ("हिन्दी शीर्षक", "हिन्दी-शीर्षक"),
    ("❤️ Love 🎉", "love"),
    ("👩‍👩‍👧 family", "family"),
    ("zero\u200bwidth", "zerowidth"),
    ("🎉", ""),
    ("", ""),
    ("—", ""),
]


@pytest.mark.parametrize(("heading", "expected"), SLUGS)
def test_slug_of_a_heading(heading: str, expected: str) -> None:
    assert slug(heading) == expected
    assert section_name(heading) == (expected or "section")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("# `code` spans", "code-spans"),
        ("# See [the guide](https://example.org/a-b)", "see-the-guide"),
        ("# ![alt](x.png) picture", "alt-picture"),
        ("# **Bold** and _soft_", "bold-and-soft"),
        ("# &amp; entity", "entity"),
        ("# closed ##", "closed"),
        ("# <b>html</b>", "html"),
    ],
)
def test_slug_of_marked_up_headings_is_that_of_their_text(line: str, name: str) -> None:
    assert [section.slug for section in read_outline(line.encode()).sections] == [name]


@given(st.text(max_size=40))
def test_a_slug_is_its_own_slug(heading: str) -> None:
    once = slug(heading)
    assert slug(once) == once
    assert not set(" <>/\n\r\t") & set(once)
    assert "--" not in once
    assert once.strip("-") == once


@pytest.mark.parametrize("heading", ["Style", "Script", "pre", "Textarea"])
def test_no_tag_name_makes_markdown_swallow_the_section(heading: str) -> None:
    data = f"# {heading}\n\n## Inner\n".encode()
    assert tag_name(heading) == f"{heading.lower()}-section"
    assert [section.title for section in read_outline(wrap(data)).sections] == [heading, "Inner"]


def test_sections_alike_are_told_apart() -> None:
    data = b"# A\n## Rules\n# B\n## Rules\n## Rules\n## 2\n"
    outline = read_outline(data)
    assert section_addresses(outline) == ("a", "a/rules", "b", "b/rules[1]", "b/rules[2]", "2")
    assert len(find_sections(outline, "rules")) == 3


def _rule_tree(count: int) -> list[bytes]:
    """Rules and skills in two languages: several H1, code, lists, tags, front matter."""
    english = "- A rule says when it holds, `what to do`, and why it is there; then it ends.\n"
    japanese = "- 規則はいつ成り立つか、何をするか、なぜあるかを述べて終わる。\n"
    made = []
    for number in range(count):
        line = japanese if number % 2 else english
        parts = [f"---\nname: rule-{number}\ndescription: Invoke when a / b. Provides c.\n---\n\n"]
        for first in range(1 + number % 3):
            parts.append(f"# {'規則' if number % 2 else 'Rule'} {first}\n\n{line * 3}\n")
            for second in range(3):
                parts.append(
                    f"## {'節' if number % 2 else 'Section'} {second}\n\n{line * 6}\n```sh\n# not a heading\n```\n\n"
                )
                if number % 10 == 0:
                    parts.append("1. step\n   ```\n   # nested\n   ```\n\n### Deep\n\ntext\n\n")
        text = "".join(parts).encode()
        made.append(wrap(text) if number % 2 else text)
    return made


def test_a_thousand_rule_files_are_cut_into_units_in_a_second() -> None:
    files = _rule_tree(100)
    assert sum(map(len, files)) > 250_000
    read_outline(files[0])
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for data in files:
            outline = read_outline(data)
            assert len(outline.sections) >= 4
            assert b"".join(data[a:b] for a, b in outline.pieces()) == data
        best = min(best, time.process_time() - start)
    # The best of five, of a tenth of the files: other programs on the machine are not what is timed.
    assert best < 0.1
