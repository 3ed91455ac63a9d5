"""An address means one range of bytes, and what it means can go without breaking the file."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from measure.errors import MeasureError
from measure.surface.address import AddressError, parse_address, resolve
from measure.surface.frontmatter import read_front_matter
from measure.surface.skill import read_description
from measure.surface.span import Span

SKILL = "skills/x/SKILL.md"
FRONT = "---\nname: x\n{}\nlayer: L1-model\n---\n\n# Body\n"
ONE_LINE = "description: Invoke when a is so / b is so / c is so. Provides d."


def drop(address: str, data: bytes) -> bytes:
    found = resolve(address, data, SKILL)
    return data[: found.start] + data[found.end :]


def described(data: bytes) -> str:
    front = read_front_matter(data)
    assert front is not None
    assert front.error is None
    return str(front.table["description"])


STYLES = {
    "plain": ONE_LINE,
    "plain, wrapped": "description: Invoke when a is\n  so / b is so\n  / c is so. Provides\n  d.",
    "plain, wrapped at the separator": "description: Invoke when a is so /\n  b is so /\n  c is so. Provides d.",
    "plain, on the next line": "description:\n  Invoke when a is so / b is so / c is so. Provides d.",
    "single quotes": "description: 'Invoke when a is so / b is so / c is so. Provides d.'",
    "double quotes": 'description: "Invoke when a is so / b \\u0069s so / c is so. Provides d."',
    "double quotes, wrapped": 'description: "Invoke when a is so / b is\n  so / c is so.\n  Provides d."',
    "double quotes, escaped break": 'description: "Invoke when a is so / b is \\\n  so / c is so. Provides d."',
    "folded": "description: >\n  Invoke when a is so /\n  b is so / c is\n  so. Provides d.",
    "folded, stripped": "description: >-\n  Invoke when a is so / b is so\n  / c is so. Provides d.",
    "folded, indented more": "description: >-\n      Invoke when a is so / b is so / c is so.\n      Provides d.",
    "literal": "description: |\n  Invoke when a is so / b is so\n  / c is so. Provides d.",
    "literal, kept": "description: |+\n  Invoke when a is so / b is so / c is so. Provides d.\n",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_way_to_write_a_description_resolves(style: str, ending: str, mark: bytes) -> None:
    data = mark + FRONT.format(style).replace("\n", ending).encode()
    description = read_description(described(data))
    assert [condition.text for condition in description.conditions or ()] == ["a is so", "b is so", "c is so"]
    for number in (1, 2, 3):
        left = read_description(described(drop(f"{SKILL}@condition[{number}]", data)))
        kept = [name for at, name in enumerate(("a is so", "b is so", "c is so"), start=1) if at != number]
        assert [condition.text for condition in left.conditions or ()] == kept
        assert left.text.endswith(". Provides d.")
        assert left.problems == ()
    without = drop(f"{SKILL}@description", data)
    front = read_front_matter(without)
    assert front is not None
    assert front.table == {"name": "x", "layer": "L1-model"}
    assert without.startswith(mark + b"---")


def test_a_unit_s_own_text_is_what_is_written_there() -> None:
    data = FRONT.format(ONE_LINE).encode()
    own = resolve(f"{SKILL}@condition[2]", data, SKILL, purpose="text")
    assert own.of(data) == b"b is so"
    assert own.line == 3
    whole = resolve(f"{SKILL}@description", data, SKILL, purpose="text")
    assert whole.of(data) == ONE_LINE.removeprefix("description: ").encode()


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="./\ufeff"),
    min_size=1,
    max_size=12,
).filter(lambda text: text == text.strip() and text.isprintable())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    st.lists(WORDS, min_size=2, max_size=5),
    st.sampled_from(["'", '"', ">", "|", ""]),
    st.integers(0, 4),
    st.integers(10, 200),
)
def test_dropping_a_condition_leaves_the_others(words: list[str], style: str, index: int, width: int) -> None:
    text = f"Invoke when {' / '.join(words)}. Provides x."
    written = yaml.dump({"description": text}, default_style=style or None, allow_unicode=True, width=width)
    assume(written.startswith("description"))
    data = f"---\n{written}---\n".encode()
    assume(described(data).rstrip() == text)
    number = index % len(words) + 1
    left = read_description(described(drop(f"{SKILL}@condition[{number}]", data)))
    assert [condition.text for condition in left.conditions or ()] == words[: number - 1] + words[number:]


@pytest.mark.parametrize(
    ("address", "front", "words"),
    [
        ("@condition[1]", "description: Invoke when a. Provides b.", "only condition"),
        ("@condition[4]", ONE_LINE, "has 3"),
        ("@condition[0]", ONE_LINE, "has 3"),
        ("@condition[1]", "description: Invoke when a / b, and provides c", "can't be counted"),
        ("@condition[1]", "description: Use for a / b. Provides c.", "can't be counted"),
        ("@condition[1]", "other: x", "no description"),
        ("@description", "other: x", "no description"),
        ("@condition[1]", "description: [a, b]", "not a text"),
        ("@region", ONE_LINE, "no owned region"),
        ("#nothing", ONE_LINE, "no section"),
        (":99", ONE_LINE, "does not exist"),
        (":0", ONE_LINE, "from 1"),
        (":3-2", ONE_LINE, "in order"),
    ],
)
def test_what_is_not_there_or_cannot_go_is_refused(address: str, front: str, words: str) -> None:
    data = FRONT.format(front).encode()
    with pytest.raises(AddressError, match=words):
        resolve(SKILL + address, data, SKILL)


def test_a_shape_whose_characters_cannot_be_placed_is_refused() -> None:
    data = FRONT.format("description: >\n  Invoke when a /\n    b is so / c.\n  Provides d.").encode()
    assert read_description(described(data)).count == 3
    for purpose in ("drop", "text"):
        with pytest.raises(AddressError, match="one line"):
            resolve(f"{SKILL}@condition[2]", data, SKILL, purpose=purpose)


def test_a_description_in_a_flow_mapping_is_not_dropped() -> None:
    with pytest.raises(AddressError, match="can't be dropped"):
        resolve(f"{SKILL}@description", b"---\n{name: x, description: y}\n---\n", SKILL)


def test_front_matter_that_yaml_refuses_is_read_line_by_line() -> None:
    data = b"---\nname: x\ndescription: Invoke when a (two: b) / c. Provides d: e.\n---\n"
    front = read_front_matter(data)
    assert front is not None
    assert front.error is not None
    assert drop(f"{SKILL}@condition[1]", data) == b"---\nname: x\ndescription: Invoke when c. Provides d: e.\n---\n"


TREE = b"intro\n\n# A\n\n## Rules\n\nfirst\n\n# B\n\n## Rules\n\nsecond\n"


def test_lines_sections_and_regions() -> None:
    assert resolve("f.md:1", TREE, "f.md").of(TREE) == b"intro\n"
    assert resolve("f.md:1", b"\xef\xbb\xbfa\r\nb", "f.md") == Span(3, 6, 1)
    assert resolve("f.md:2", b"\xef\xbb\xbfa\r\nb", "f.md") == Span(6, 7, 2)
    assert resolve("f.md:1-3", TREE, "f.md").of(TREE) == b"intro\n\n# A\n"
    assert resolve("f.md#a", TREE, "f.md").of(TREE) == b"# A\n\n## Rules\n\nfirst\n\n"
    assert resolve("f.md#b/rules", TREE, "f.md").of(TREE) == b"## Rules\n\nsecond\n"
    assert resolve("f.md#b/rules", TREE, "f.md").line == 11
    with pytest.raises(AddressError, match="2 sections") as refused:
        resolve("f.md#rules", TREE, "f.md")
    assert "f.md#a/rules" in str(refused.value)
    assert "f.md#b/rules" in str(refused.value)
    bounded = b"a\n# --- Li+ BEGIN (v1) ---\n## In\n\ntext\n# --- Li+ END ---\nb\n"
    assert resolve("f.md@region", bounded, "f.md").of(bounded) == bounded[2:-2]
    assert resolve("f.md#in", bounded, "f.md").of(bounded) == b"## In\n\ntext\n"


def test_a_section_before_a_region_does_not_take_its_border() -> None:
    data = b"## Mine\ntext\n<!-- --- Li+ BEGIN (v1) --- -->\n## Theirs\n\nx\n<!-- --- Li+ END --- -->\n## After\n"
    assert resolve("f.md#mine", data, "f.md").of(data) == b"## Mine\ntext\n"
    assert resolve("f.md#theirs", data, "f.md").of(data) == b"## Theirs\n\nx\n"


@pytest.mark.parametrize("name", ["Code Style", "code-style", "a/Code Style", "Code Style!", "cafe\u0301", "Café"])
def test_a_heading_as_it_reads_stands_for_its_slug(name: str) -> None:
    data = "# A\n\n## Code Style!\n\nx\n\n# Café\n".encode()
    found = resolve(f"f.md#{name}", data, "f.md").of(data)
    assert found == ("# Café\n" if "caf" in name.lower() else "## Code Style!\n\nx\n\n").encode()


def test_a_tagged_section_goes_with_its_tags() -> None:
    data = b"<a>\n\n# A\n\n<b>\n\n## B\n\ntext\n\n### Deep\n\nmore\n\n</b>\n\n<c>\n\n## C\n\n</c>\n\n</a>\n"
    assert resolve("f.md#b", data, "f.md").of(data) == b"<b>\n\n## B\n\ntext\n\n### Deep\n\nmore\n\n</b>\n\n"
    assert resolve("f.md#deep", data, "f.md").of(data) == b"### Deep\n\nmore\n\n"
    assert resolve("f.md#a", data, "f.md").of(data) == data


def test_a_pair_of_tags_without_a_heading_is_a_section() -> None:
    data = b"one\n\n<example>\nuse tabs\n</example>\n\ntwo\n"
    assert resolve("CLAUDE.md#example", data, "CLAUDE.md").of(data) == b"<example>\nuse tabs\n</example>\n\n"


def test_the_description_of_a_toml_agent() -> None:
    data = b'name = "x"\ndescription = """\nfirst\n[a]\n"""\ntext = "description = 1"\n\n[b]\ndescription = "other"\n'
    found = resolve("a.toml@description", data, "a.toml")
    assert found.of(data) == b'description = """\nfirst\n[a]\n"""\n'
    assert found.line == 2


@pytest.mark.parametrize(
    ("address", "file", "selector"),
    [
        ("a.md:3", "a.md", ":3"),
        ("a.md:3-9", "a.md", ":3-9"),
        ("a#b.md#c/d[2]", "a#b.md", "#c/d[2]"),
        ("C:/x/a.md:3", "C:/x/a.md", ":3"),
        ("a@b/SKILL.md@condition[12]", "a@b/SKILL.md", "@condition[12]"),
        ("日本.md#目的", "日本.md", "#目的"),
    ],
)
def test_an_address_is_split_at_its_selector(address: str, file: str, selector: str) -> None:
    assert parse_address(address) == parse_address(file + selector)
    assert (parse_address(address).file, parse_address(address).selector) == (file, selector)


@pytest.mark.parametrize(
    "address", ["", "a.md", "a.md:", "a.md:x", "a.md@condition", "a.md@condition[]", ":3", "a.md#"]
)
def test_what_is_no_address_is_refused_with_the_forms(address: str) -> None:
    with pytest.raises(AddressError, match="FILE:LINE"):
        parse_address(address)


LENGTH = "Invoke when a. " + "x" * (1024 - 15)


@pytest.mark.parametrize(
    ("text", "count", "problem"),
    [
        ("Invoke when a. Provides b.", 1, None),
        ("Invoke when a / b / c. Provides d / e.", 3, None),
        ("Invoke when a/b / c. Provides d.", 2, None),
        ("Invoke when 何かが起きた / 次. 提供する。", 2, None),
        ("Invoke when a. b", 1, None),
        (LENGTH, 1, None),
        (LENGTH + "x", 1, "1,025"),
        ("Invoke when a / b.", None, "full stop"),
        ("Invoke when a / b. ", None, "full stop"),
        ("Invoke when a / b", None, "full stop"),
        ("invoke when a. Provides b.", None, "begin"),
        ("Invoke for a / b. Provides c.", None, "begin"),
        ("Invoke when  / b. Provides c.", None, "empty"),
        ("Invoke when a /  / b. Provides c.", None, "empty"),
        ("", None, "empty"),
        ("Invoke when a, e.g. b / c. Provides d.", 1, "e.g"),
        ("Invoke when a (such as x. y) / c. Provides d.", 1, "brackets"),
    ],
)
def test_conditions_are_counted_by_the_form_or_not_at_all(text: str, count: int | None, problem: str | None) -> None:
    description = read_description(text)
    assert description.count == count
    assert (description.reason is None) == (count is not None)
    if problem is None:
        assert description.problems == ()
    else:
        assert any(problem in one for one in description.problems)


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["#a", ":1", "@description", "@condition[1]", "@region"]))
@example(b"---\n\xff: x\n---\n", "@description")
@example(b"---\na: &x [*x]\ndescription: y\n---\n", "@description")
@example(b"---\n- a\n---\n", "@description")
@example(b"\xef\xbb\xbf", ":1")
@example(b"---\n" + b"[" * 3000 + b"\n---\n", "@description")
def test_any_bytes_are_resolved_or_refused(data: bytes, selector: str) -> None:
    try:
        found = resolve("f.md" + selector, data, "f.md")
    except MeasureError:
        return
    assert 0 <= found.start < found.end <= len(data)
