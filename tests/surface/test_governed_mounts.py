"""The `leji-mounts` grammar to the character, and the entries against the manifest."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from measure.surface.leji import Mount, parse_manifest
from measure.surface.mounts import check_mounts, read_mounts

F = "```"
ENTRY = "- mount: m\n  owner: Team\n  carries: words\n  read-when: a task\n"


def block(inside: str = ENTRY, opening: str = F + "leji-mounts", closing: str = F) -> bytes:
    return f"# Boot\n\n{opening}\n{inside}{closing}\n".encode()


ACCEPTED = {
    "the example of the specification": block(),
    "five backticks close what three opened": block(closing="`````"),
    "three backticks close what five opened": block(opening="`````leji-mounts"),
    "spaces before and after the opening fence": block(opening="   ```leji-mounts  "),
    "tabs around the fences": block(opening="\t```leji-mounts\t", closing="\t```\t"),
    "a space between backticks and tag": block(opening="``` leji-mounts"),
    "CR LF lines": block().replace(b"\n", b"\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + block(),
    "a block on the first line behind a mark": b"\xef\xbb\xbf```leji-mounts\n" + ENTRY.encode() + b"```",
    "no line end at the end": block().rstrip(b"\n"),
    "blank lines inside": block("\n" + ENTRY.replace("\n", "\n\n")),
    "lines of spaces and tabs inside": block(ENTRY + "  \n\t\n"),
    "comment lines": block("# note\n" + ENTRY + "#\n#- mount: x\n"),
    "fields in another order": block("- mount: m\n  read-when: a task\n  owner: Team\n  carries: words\n"),
    "a colon in a value": block(ENTRY.replace("words", "words: and: more")),
    "quotes stay part of a value": block(ENTRY.replace("words", '"quoted"')),
    "a hash in a value": block(ENTRY.replace("words", "words # not a comment")),
    "backticks in a value": block(ENTRY.replace("words", "the ``` fence")),
    "U+00A0 inside a value": block(ENTRY.replace("words", "two\u00a0words")),
    "U+00A0 at the ends of a value": block(ENTRY.replace("words", "\u00a0words\u00a0")),
    "U+3000 at the start of a value": block(ENTRY.replace("words", "\u3000語")),
    "Japanese values": block(ENTRY.replace("words", "製品の用語と決定")),
    "inside a longer fence of another tag": b"````text\n" + block() + b"````\n",
    "inside a list item": b"- item\n  " + block(opening="  ```leji-mounts"),
    "inside an HTML comment": b"<!--\n" + block() + b"-->\n",
    "two mounts in two blocks": block() + block(ENTRY.replace("mount: m", "mount: n")),
    "an empty block beside one that isn't": block("") + block(),
}
NO_BLOCK = {
    "another tag": b"```text\n" + ENTRY.encode() + b"```\n",
    "a longer tag": b"```leji-mounts-example\n",
    "a tag in capitals": b"```Leji-Mounts\n",
    "two backticks": b"``leji-mounts\n",
    "tildes": b"~~~leji-mounts\n",
    "U+00A0 before the fence": "\u00a0```leji-mounts\n".encode(),
    "U+0085 before the fence": "\x85```leji-mounts\n".encode(),
    "U+3000 before the fence": "\u3000```leji-mounts\n".encode(),
    "U+00A0 after the tag": "```leji-mounts\u00a0\n".encode(),
    "U+0085 after the tag": "```leji-mounts\x85\n".encode(),
    "U+00A0 between backticks and tag": "```\u00a0leji-mounts\n".encode(),
    "form feed before the fence": b"\x0c```leji-mounts\n",
    "U+2028 is no line end": "text\u2028```leji-mounts\n".encode(),
    "U+0085 is no line end": "text\x85```leji-mounts\n".encode(),
    "a lone CR is no line end": b"text\r```leji-mounts\n",
    "a second CR is part of the tag": b"```leji-mounts\r\r\n",
    "a mark that is not first": "\n\ufeff```leji-mounts\n".encode(),
    "a second mark": "\ufeff\ufeff```leji-mounts\n".encode(),
    "text before the fence": b"see ```leji-mounts\n",
    "a quote mark before the fence": b"> ```leji-mounts\n",
    "nothing": b"",
}
REFUSED = {
    "a token after the tag": block(opening="```leji-mounts example"),
    "a token after a tab": block(opening="```leji-mounts\texample"),
    "braces after the tag": block(opening="```leji-mounts {}"),
    "U+00A0 as a token after a space": block(opening="```leji-mounts \u00a0"),
    "a block that is never closed": b"```leji-mounts\n" + ENTRY.encode(),
    "two backticks close nothing": block(closing="``"),
    "tildes close nothing": block(closing="~~~"),
    "a fence with a tag closes nothing": b"```leji-mounts\n" + ENTRY.encode() + b"```text\n",
    "U+00A0 before the closing fence": block(closing="\u00a0```"),
    "U+0085 after the closing fence": block(closing="```\x85"),
    "a record that is indented": block(ENTRY.replace("- mount", " - mount")),
    "a record indented by a tab": block(ENTRY.replace("- mount", "\t- mount")),
    "one space before a field": block(ENTRY.replace("  owner", " owner")),
    "three spaces before a field": block(ENTRY.replace("  owner", "   owner")),
    "a tab before a field": block(ENTRY.replace("  owner", "\towner")),
    "U+00A0 as indentation": block(ENTRY.replace("  owner", "\u00a0\u00a0owner")),
    "no space after the dash": block(ENTRY.replace("- mount", "-mount")),
    "two spaces after the dash": block(ENTRY.replace("- mount", "-  mount")),
    "a star for the dash": block(ENTRY.replace("- mount", "* mount")),
    "no space after the colon": block(ENTRY.replace("owner: ", "owner:")),
    "a tab after the colon": block(ENTRY.replace("owner: ", "owner:\t")),
    "a space before the colon": block(ENTRY.replace("owner: ", "owner : ")),
    "two spaces after the colon": block(ENTRY.replace("owner: ", "owner:  ")),
    "a space after a value": block(ENTRY.replace("Team", "Team ")),
    "a tab after a value": block(ENTRY.replace("Team", "Team\t")),
    "a tab inside a value": block(ENTRY.replace("words", "two\twords")),
    "an empty value": block(ENTRY.replace("Team", "")),
    "an empty mount": block(ENTRY.replace("mount: m", "mount: ")),
    "a field without a value": block(ENTRY.replace("owner: Team", "owner:")),
    "an unknown field": block(ENTRY + "  path: context/m\n"),
    "a field in capitals": block(ENTRY.replace("owner", "Owner")),
    "an underscore for the hyphen": block(ENTRY.replace("read-when", "read_when")),
    "a field twice": block(ENTRY + "  owner: Other\n"),
    "no owner": block(ENTRY.replace("  owner: Team\n", "")),
    "no carries": block(ENTRY.replace("  carries: words\n", "")),
    "no read-when": block(ENTRY.replace("  read-when: a task\n", "")),
    "a field before any record": block("  owner: Team\n" + ENTRY),
    "a line of U+00A0": block(ENTRY + "\u00a0\n"),
    "a line of U+0085": block(ENTRY + "\x85\n"),
    "a line of U+3000": block("\u3000\n" + ENTRY),
    "a line of a form feed": block("\x0c\n" + ENTRY),
    "an indented comment": block("  # note\n" + ENTRY),
    "prose": block("The mounts are:\n" + ENTRY),
    "a value that goes on": block(ENTRY.replace("words", "words\n    and more")),
    "U+0085 inside a value": block(ENTRY.replace("words", "two\x85words")),
    "U+2028 inside a value": block(ENTRY.replace("words", "two\u2028words")),
    "U+2029 inside a value": block(ENTRY.replace("words", "two\u2029words")),
    "NUL inside a value": block(ENTRY.replace("words", "two\0words")),
    "DEL inside a value": block(ENTRY.replace("words", "two\x7fwords")),
    "a lone CR inside a value": block(ENTRY.replace("words", "two\rwords")),
    "a second CR at a line's end": block(ENTRY.replace("Team\n", "Team\r\r\n")),
    "a mark inside the block": block("\ufeff" + ENTRY),
    "a block inside a block": block("```leji-mounts\n" + ENTRY),
    "bytes that are not UTF-8": block().replace(b"words", b"w\xffrds"),
    "UTF-16": block().decode().encode("utf-16"),
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_accepted(data: bytes) -> None:
    reading = read_mounts(data)
    assert reading.problems == ()
    first = reading.entries[0]
    assert (first.mount, first.owner, first.read_when) == ("m", "Team", "a task")
    assert data.split(b"\n")[first.line - 1].removeprefix(b"\xef\xbb\xbf").startswith(b"- mount: m")


@pytest.mark.parametrize("data", NO_BLOCK.values(), ids=NO_BLOCK.keys())
def test_no_block_at_all(data: bytes) -> None:
    reading = read_mounts(data)
    assert (reading.blocks, reading.entries, reading.problems) == ((), (), ())


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_refused(data: bytes) -> None:
    assert read_mounts(data).problems != ()


def test_the_table_is_as_long_as_promised() -> None:
    assert len(ACCEPTED) + len(NO_BLOCK) + len(REFUSED) >= 60


@given(st.binary(max_size=300) | st.text(alphabet="`- :\t\r\n#mountowner", max_size=200).map(str.encode))
@example(b"```")
def test_any_bytes_can_be_read(data: bytes) -> None:
    """A block that is closed at once has no entry and no fault; that a mount has no entry is told elsewhere."""
    reading = read_mounts(b"```leji-mounts\n" + data)
    assert reading.blocks or reading.problems


MOUNTS = (Mount("m", "Team"), Mount("n", "Owner Ü"))
SECOND = ENTRY.replace("mount: m", "mount: n").replace("Team", "Owner Ü")


@pytest.mark.parametrize(
    ("inside", "mounts", "word"),
    [
        (ENTRY + SECOND, MOUNTS, None),
        (SECOND + ENTRY, MOUNTS, None),
        (ENTRY, MOUNTS, "“n” has no entry"),
        (ENTRY + SECOND + ENTRY, MOUNTS, "second entry for “m”"),
        (ENTRY + SECOND, MOUNTS[:1], "“n” is not declared"),
        (ENTRY.replace("Team", "team"), MOUNTS[:1], "declared “Team”"),
        (ENTRY.replace("mount: m", "mount: M"), MOUNTS[:1], "“M” is not declared"),
        (ENTRY, (), "declares no mounts"),
        ("", (), "declares no mounts"),
    ],
)
def test_entries_and_declared_mounts_agree(inside: str, mounts: tuple[Mount, ...], word: str | None) -> None:
    problems = check_mounts(read_mounts(block(inside)), mounts, "b.md")
    if word is None:
        assert problems == ()
    else:
        assert any(word in problem.message for problem in problems)


def test_names_are_compared_as_the_strings_json_and_utf8_spell() -> None:
    manifest = parse_manifest(
        json.dumps({"federation": {"mounts": [{"name": "製品", "owner": {"name": "Ü \U0001f600"}}]}}).encode()
    )
    inside = ENTRY.replace("mount: m", "mount: 製品").replace("Team", "Ü \U0001f600")
    assert check_mounts(read_mounts(block(inside)), manifest.mounts, "b.md") == ()


@pytest.mark.parametrize(
    "data",
    [
        b"{", b"[]", b'{"bootProfilePath": "/etc/x.md"}', b'{"bootProfilePath": "../x.md"}', b'{"machine": []}',
        b'{"federation": {"mounts": {}}}', b'{"federation": {"mounts": [{"name": "m"}]}}', b'{"vendorAdapters": 1}',
        b'{"federation": {"mounts": [{"name": "m", "owner": {"name": "a"}}, {"name": "m", "owner": {"name": "b"}}]}}',
        b'{"machine": {"agentProfilesPath": "a/../../b"}}', b"\xff",
    ],
)  # fmt: skip
def test_a_broken_manifest_is_told(data: bytes) -> None:
    assert parse_manifest(data).problems != ()
