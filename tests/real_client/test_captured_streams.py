"""The captured streams are whole, cover every row, and hold nothing of the machine that made them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.doubles.real_clients import Launched
from tests.real_client.capture import STREAMS, scrubbed
from tests.real_client.playing import Played
from tests.real_client.rows import BY_NAME, NEWER, OLDER, ROWS, Row

# A path is told by a slash that begins a word; the pieces of links and options are none.
PATH = re.compile(r'(?:^|[\s"\'(=])(/(?:\w[\w.-]*/?)+)')
NAMED = re.compile(r"^/(?:work|home/user|temp|nosuch|login|legal|etc/hostname)\b")


@pytest.mark.parametrize("version", [OLDER, NEWER])
@pytest.mark.parametrize("row", ROWS, ids=BY_NAME)
def test_a_captured_row_ends_as_the_table_says_and_tells_nothing_of_the_machine(version: str, row: Row) -> None:
    text = (STREAMS / version / f"{row.name}.jsonl").read_text()
    end = json.loads((STREAMS / version / "ends.json").read_text())[row.name]
    captured = Launched(end["exit_code"], text.encode(), end["stderr"], 0.0)
    expected = row.seen[version]
    seen = Played(row, captured, expected.requests, Path("/"), ()).seen()
    assert (seen.exit_code, seen.subtype, seen.stop_reason, seen.turns, seen.error) == (
        expected.exit_code,
        expected.subtype,
        expected.stop_reason,
        expected.turns,
        expected.error,
    )
    for event in captured.of_type("system", "init"):
        assert (event["cwd"], event["claude_code_version"]) == ("/work", version)
    without_links = re.sub(r"https?://\S+", "", text + end["stderr"])
    assert [path for path in PATH.findall(without_links) if not NAMED.match(path)] == []


def test_scrubbing_takes_out_directories_addresses_ids_and_hours_and_keeps_equal_ids_equal() -> None:
    played = Played(ROWS[0], Launched(0, b"", "", 0.0), "s", Path("/somewhere/deep"), ("http://127.0.0.1:43210",))
    one, two = "0a0a0a0a-0000-4000-8000-00000000000a", "0b0b0b0b-0000-4000-8000-00000000000b"
    places = "/somewhere/deep/work/x /somewhere/deep/home (127.0.0.1:43210)"
    text = f'{one} {two} {one} {places} "timestamp":"2031-02-03T04:05Z"'
    ids = [f"00000000-0000-4000-8000-{number:012d}" for number in (1, 2, 1)]
    hour = '"timestamp":"2026-01-01T00:00:00.000Z"'
    assert scrubbed(text, played) == f"{' '.join(ids)} /work/x /home/user (127.0.0.1:1) {hour}"
