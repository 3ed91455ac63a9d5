"""Owned regions: an update exchanges the region and nothing else, whatever the bytes around it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from measure.errors import RequestError
from measure.surface.region import RegionError, read_region
from measure.surface.region_update import Branch, plan_update, with_region_added, with_tag

NAMES = ("template.md", "target.md")


def region(tag: str = "v2", text: str = "owned\n", form: str = "# {}") -> bytes:
    begin = form.format(f"--- Li+ BEGIN ({tag}) ---")
    end = form.format("--- Li+ END ---")
    return f"{begin}\n{text}{end}\n".encode()


FORMS = ["# {}", "<!-- {} -->", "{}", "// {}", "; {}", "  # {}"]
ANY = st.binary(max_size=80) | st.text(max_size=40).map(str.encode)


@pytest.mark.parametrize("form", FORMS)
def test_a_region_is_found_in_every_form_of_comment(form: str) -> None:
    data = b"before\n" + region(form=form) + b"after\n"
    found = read_region(data).region
    assert found is not None
    assert (found.owner, found.tag) == ("Li+", "v2")
    assert data[found.start : found.end] == region(form=form)
    assert data[found.inner_end :].decode() == form.format("--- Li+ END ---") + "\nafter\n"


@given(ANY, ANY, st.sampled_from(FORMS), st.sampled_from(FORMS), st.text(max_size=40))
def test_replacing_keeps_every_byte_outside(before: bytes, after: bytes, old: str, new: str, text: str) -> None:
    head = before + b"\n"
    mine = region("v1", "old text\n", old)
    target = head + mine + after
    assume(read_region(target).region is not None)
    upstream = region("v2", text.replace("\n", " ").replace("\r", " ") + "\n", new)
    assume(read_region(upstream).region is not None)
    try:
        update = plan_update(b"up\n" + upstream + b"down\n", target, NAMES)
    except RegionError:
        return
    assert update.branch is Branch.REPLACE
    assert update.after == head + upstream + after
    again = plan_update(b"up\n" + upstream + b"down\n", update.after, NAMES)
    assert (again.branch, again.after) == (Branch.KEEP, update.after)


@given(ANY)
def test_adding_keeps_every_byte_of_the_user(data: bytes) -> None:
    assume(read_region(data).region is None)
    assume(not read_region(data).faults)
    try:
        after = with_region_added(region(), data, NAMES)
    except RegionError:
        return
    found = read_region(after).region
    assert found is not None
    outside = after[: found.start] + after[found.end :]
    assert outside.replace(b"\r", b"").replace(b"\n", b"") == data.replace(b"\r", b"").replace(b"\n", b"")
    assert len(outside) - len(data) <= 4


def test_the_three_branches() -> None:
    template = b"---\nname: x\n---\n\n" + region("v2")
    assert plan_update(template, None, NAMES).after == template
    assert plan_update(template, None, NAMES).branch is Branch.CREATE
    mine = b"---\nname: mine\n---\n\n" + region("v1", "stale\n") + b"my words"
    replaced = plan_update(template, mine, NAMES)
    assert (replaced.branch, replaced.was, replaced.now) == (Branch.REPLACE, "v1", "v2")
    assert replaced.after == b"---\nname: mine\n---\n\n" + region("v2") + b"my words"
    plain = b"all mine\n"
    asked = plan_update(template, plain, NAMES)
    assert (asked.branch, asked.after) == (Branch.ASK, plain)


def test_a_template_without_a_region_only_creates() -> None:
    update = plan_update(b"name: x\n", b"name: mine\n", NAMES)
    assert (update.branch, update.after) == (Branch.CREATE_ONLY, b"name: mine\n")


def test_an_edited_region_with_the_same_tag_is_told_and_kept_unless_forced() -> None:
    template, target = region("v2"), region("v2", "edited\n")
    kept = plan_update(template, target, NAMES)
    assert (kept.branch, kept.edited, kept.after) == (Branch.KEEP, True, target)
    assert plan_update(template, target, NAMES, force=True).after == template


def test_line_ends_around_the_region_stay() -> None:
    target = b"a\r\n" + region("v1").replace(b"\n", b"\r\n") + b"b\r\n"
    assert plan_update(region("v2"), target, NAMES).after == b"a\r\n" + region("v2") + b"b\r\n"
    unended = b"a\n" + region("v1").rstrip(b"\n")
    assert plan_update(region("v2"), unended, NAMES).after == b"a\n" + region("v2").rstrip(b"\n")


@pytest.mark.parametrize(
    "data",
    [
        region() + region(),
        b"# --- Li+ BEGIN (v1) ---\ntext\n",
        b"text\n# --- Li+ END ---\n",
        b"# --- Li+ END ---\n# --- Li+ BEGIN (v1) ---\n",
        b"# --- Li+ BEGIN (v1) ---\n# --- Li+ BEGIN (v1) ---\n# --- Li+ END ---\n",
        region() + b"# --- Li+ END ---\n",
        b"see the line --- Li+ BEGIN below\n" + region(),
        region("v1", "as in --- Li+ END ---, no\n"),
        b"version v2.1 of Li+\n" + region("v2.1"),
        region("v2.1") + b"<!-- v2.1 -->\n",
        b"# --- Li+ BEGIN ---\n# --- Li+ END ---\n",
        b"# --- A BEGIN (v1) ---\n# --- B END ---\n",
    ],
)
def test_a_file_whose_region_could_be_mistaken_is_refused(data: bytes) -> None:
    assert read_region(data).region is None
    assert read_region(data).faults
    with pytest.raises(RegionError):
        plan_update(region("v9"), data, NAMES)
    with pytest.raises(RegionError):
        plan_update(data, None, NAMES)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"The lines `# --- Li+ BEGIN (TAG) ---` and `# --- Li+ END ---` border it.\n",
        b"---\nname: x\n---\n",
        b"# --- BEGIN ---\n",
    ],
)
def test_a_file_that_only_speaks_of_regions_has_none(data: bytes) -> None:
    assert read_region(data).region is None
    assert read_region(data).faults == ()


def test_a_longer_version_outside_is_not_the_tag() -> None:
    assert read_region(b"needs v2.10 and xv2.1\n" + region("v2.1")).region is not None


def test_another_owners_region_is_not_replaced() -> None:
    with pytest.raises(RegionError, match="belongs to"):
        plan_update(region("v2"), region("v1").replace(b"Li+", b"Acme"), NAMES)


def test_the_tag_is_written_into_the_begin_line() -> None:
    assert with_tag(region("{TAG}"), "v7", "t.md") == region("v7")
    with pytest.raises(RequestError):
        with_tag(region("{TAG}"), "v(7)", "t.md")


def test_in_markdown_a_region_goes_below_the_front_matter() -> None:
    assert with_region_added(region(), b"---\nname: x\n---\ntext", NAMES) == (
        b"---\nname: x\n---\n" + region() + b"\ntext"
    )


def test_in_toml_a_region_goes_above_the_first_table_and_keeps_every_key() -> None:
    upstream = region("v2", 'instructions = """\nDo.\n"""\n')
    target = b'name = "x"\n\n[[skills]]\npath = "a"\n'
    after = with_region_added(upstream, target, ("t.toml", "a.toml"))
    assert tomllib.loads(after.decode()) == {"name": "x", "instructions": "Do.\n", "skills": [{"path": "a"}]}
    with pytest.raises(RequestError, match="valid TOML"):
        with_region_added(upstream, b'instructions = "mine"\n', ("t.toml", "a.toml"))
    with pytest.raises(RequestError, match="no place"):
        with_region_added(region("v2", "a = 1\n"), b'text = """\n[a]\n"""\nname = "x"\n', ("t.toml", "a.toml"))
