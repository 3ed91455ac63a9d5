"""A text on demand counts as reached by the call that brings it in, the same in both arms."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.context.reach import matches, reach_of
from measure.transcript import ToolResult, ToolUse, Transcript

RULE = b"---\npaths: src/**/*.py, '*.md'\n---\nThe line.\n"


def called(name: str, inputs: dict[str, Any], *, failed: bool = False) -> Transcript:
    return Transcript(
        answer="x",
        tool_uses=(ToolUse("t1", name, inputs),),
        tool_results=(ToolResult("t1", "…", is_error=failed),),
    )


@pytest.mark.parametrize(
    ("path", "data", "name", "inputs"),
    [
        (".claude/rules/a.md", RULE, "Read", {"file_path": "<workspace>/src/a/b.py"}),
        (".claude/rules/a.md", RULE, "Read", {"file_path": "src/b.py"}),
        (".claude/rules/a.md", RULE, "Read", {"file_path": "<workspace>/.claude/rules/a.md"}),
        (".claude/rules/a.md", b"---\npaths:\n  - 'lib/**'\n---\nx\n", "Read", {"file_path": "lib/x/y.c"}),
        ("sub/CLAUDE.md", b"x", "Read", {"file_path": "<workspace>/sub/deep/y.md"}),
        (".claude/skills/foo/SKILL.md", b"---\nname: Foo\n---\nx", "Skill", {"skill": "foo"}),
        (".claude/skills/foo/SKILL.md", b"x", "Skill", {"command": "/foo now"}),
        (".claude/commands/ship.md", b"x", "Skill", {"skill": "ship"}),
        (
            ".claude/agents/rev.md",
            b"---\nname: reviewer\n---\nx",
            "Agent",
            {"subagent_type": "reviewer", "prompt": "p"},
        ),
        (".claude/agents/rev.md", b"---\nname: reviewer\n---\nx", "Task", {"subagent_type": "reviewer"}),
        ("docs/more.md", b"x", "Read", {"file_path": "docs/more.md"}),
    ],
)
def test_the_call_that_brings_a_text_in_reaches_it(path: str, data: bytes, name: str, inputs: dict[str, Any]) -> None:
    reach = reach_of(path, data)
    assert reach.why_not(called(name, inputs)) is None
    why = reach.why_not(called(name, inputs, failed=True))
    assert why is not None
    assert path in why


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("Read", {"file_path": "<workspace>/lib/b.py"}),
        ("Read", {"file_path": "/elsewhere/src/b.py"}),
        ("Read", {"file_path": "../src/b.py"}),
        ("Read", {"file_path": 7}),
        ("Bash", {"command": "cat src/b.py"}),
        ("Skill", {"skill": "a"}),
    ],
)
def test_any_other_call_does_not(name: str, inputs: dict[str, Any]) -> None:
    assert reach_of(".claude/rules/a.md", RULE).why_not(called(name, inputs)) is not None


def test_an_answer_without_any_call_reached_nothing() -> None:
    assert reach_of(".claude/rules/a.md", RULE).why_not(Transcript(answer="x")) is not None


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("src/**", "src/a/b.py", True),
        ("src/**", "src2/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "x/y/a.ts", True),
        ("*.ts", "x/y/a.ts", True),
        ("src/*.{ts,tsx}", "src/a.tsx", True),
        ("src/a?.py", "src/ab.py", True),
        ("src/a?.py", "src/a/.py", False),
        ("./docs/**", "docs/x.md", True),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("a+b/*.md", "a+b/c.md", True),
    ],
)
def test_patterns_of_rules(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path) is fits


@given(pattern=st.text("ab*?{},/.[]", max_size=16), path=st.text("ab/.", max_size=12))
def test_any_pattern_can_be_asked(pattern: str, path: str) -> None:
    matches(pattern, path)
