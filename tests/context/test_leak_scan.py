"""Words that came back to the arm without the line are told with the call that fetched them; everything else is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.judge.leaks import Scan
from measure.transcript import ToolResult, ToolUse, Transcript

LINE = "- Never push to main without asking first."


def transcript(name: str, inputs: dict[str, Any], result: str, answer: str = "ACTION: A") -> Transcript:
    return Transcript(
        answer=answer,
        texts=(answer,),
        tool_uses=(ToolUse("t1", name, inputs),),
        tool_results=(ToolResult("t1", result, is_error=False),),
    )


HELD = f"1\t# Rules\n2\t{LINE}\n"


@pytest.mark.parametrize(
    ("name", "inputs", "route"),
    [
        ("Read", {"file_path": "/home/me/project/CLAUDE.md"}, "a file outside the arm"),
        ("Read", {"file_path": "../other/CLAUDE.md"}, "a file outside the arm"),
        ("Read", {"file_path": "~/.claude/CLAUDE.md"}, "a file outside the arm"),
        ("Bash", {"command": "cat /srv/copy/CLAUDE.md"}, "a file outside the arm"),
        ("Bash", {"command": "git log -p --all -- CLAUDE.md"}, "version control"),
        ("Bash", {"command": "gh api repos/a/b/contents/CLAUDE.md"}, "version control"),
        ("Bash", {"command": "curl -s https://host/CLAUDE.md"}, "the network"),
        ("Read", {"file_path": "~/.claude/projects/-x-y/memory/MEMORY.md"}, "memory"),
        ("Read", {"file_path": "~/.claude/projects/-x-y/1b2c.jsonl"}, "an earlier session"),
        ("WebFetch", {"url": "https://host/CLAUDE.md", "prompt": "rules?"}, "the web"),
        ("WebSearch", {"query": "rules"}, "the web"),
        ("mcp__files__read", {"path": "x"}, "a server"),
    ],
)
@pytest.mark.parametrize("in_arm", [False, True])
def test_every_way_out_is_named_whether_or_not_the_arm_says_the_same(
    name: str, inputs: dict[str, Any], route: str, in_arm: bool
) -> None:
    scan = Scan.of(LINE, [LINE] if in_arm else ["# Rules\n"])
    leak = scan.find(transcript(name, inputs, HELD))
    assert leak is not None
    assert leak.route.startswith(route)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("Read", {"file_path": "<workspace>/docs/rules.md"}),
        ("Read", {"file_path": "docs/rules.md"}),
        ("Grep", {"pattern": "/push/", "path": "<workspace>"}),
        ("Bash", {"command": "cat docs/rules.md 2>/dev/null"}),
    ],
)
def test_what_the_arm_says_elsewhere_may_be_found_in_it(name: str, inputs: dict[str, Any]) -> None:
    assert Scan.of(LINE, ["x", LINE]).find(transcript(name, inputs, HELD)) is None
    leak = Scan.of(LINE, ["x"]).find(transcript(name, inputs, HELD))
    assert leak is not None, "words that this arm has nowhere came from somewhere"
    assert name in leak.route


@given(answer=st.text(max_size=50))
def test_what_the_agent_says_by_itself_is_no_leak(answer: str) -> None:
    said = transcript("Read", {"file_path": "/etc/hosts"}, "127.0.0.1", f"{answer} {LINE}")
    assert Scan.of(LINE, []).find(said) is None


def test_a_result_without_its_call_is_still_read() -> None:
    lost = Transcript(answer="x", tool_results=(ToolResult("gone", HELD, is_error=False),))
    assert Scan.of(LINE, []).find(lost) is not None


def test_a_line_that_can_not_be_told_from_others_leaks_nothing() -> None:
    assert Scan.of("---", []).find(transcript("Read", {"file_path": "/x"}, "---\n---")) is None


@pytest.mark.parametrize("in_arm", [False, True])
def test_a_look_at_the_workspace_itself_counts_whatever_it_gave(in_arm: bool) -> None:
    scan = Scan.of(LINE, [LINE] if in_arm else [], "/home/me/project")
    found = scan.find(transcript("Bash", {"command": "grep -c push /home/me/project/CLAUDE.md"}, "1"))
    assert found is not None
    assert "/home/me/project" in found.words
    assert scan.find(transcript("Read", {"file_path": "/home/me/project-2/a.md"}, "nothing")) is None
    denied = ToolResult("t1", "permission denied", is_error=True)
    use = ToolUse("t1", "Read", {"file_path": "/home/me/project/CLAUDE.md"})
    assert scan.find(Transcript(answer="A", texts=("A",), tool_uses=(use,), tool_results=(denied,))) is None
