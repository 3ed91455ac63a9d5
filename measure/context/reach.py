"""Whether a trial reached a text that loads on demand.

Invariant: the same question is asked of both arms, and the line itself plays no part in it, so the arm without the
line is held to nothing else than the arm with it.

The client's stream does not show the text of a rule or of a sub-folder's CLAUDE.md when it comes in (seen with Claude
Code 2.1.191 and 2.1.332: it is added to the request behind the tool's result), so what is looked for is the call that
brings it in.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from measure.client.masking import WORKSPACE
from measure.surface.frontmatter import read_front_matter
from measure.transcript import ToolUse, Transcript

_SKILL = re.compile(
    r"\.claude/skills/(?:.+/)?(?P<name>[^/]+)/SKILL\.md|\.claude/commands/(?:.+/)?(?P<command>[^/]+)\.md"
)
MOST_ALTERNATIVES = 1_000
"""Braces multiply; a pattern with more is none that a person wrote."""
_READERS = frozenset({"Read", "NotebookRead"})


@dataclass(frozen=True, slots=True)
class Reach:
    """What brings the text of one file in."""

    path: str
    patterns: tuple[str, ...] = ()
    """A rule's `paths`: a read of a file that matches brings it in."""
    folder: str | None = None
    """A read of any file in it brings the text in."""
    skill: str | None = None
    agent: str | None = None

    def why_not(self, transcript: Transcript) -> str | None:
        """What a trial would have had to do and did not; None where it did."""
        failed = {result.tool_use_id for result in transcript.tool_results if result.is_error}
        answered = {result.tool_use_id for result in transcript.tool_results} - failed
        if any(self._brings_in(use) for use in transcript.tool_uses if use.id in answered):
            return None
        return f"{self.path} was never reached: no successful call {self._wanted()}"

    def _wanted(self) -> str:
        ways = [f"reads {self.path}"]
        if self.patterns:
            ways.append(f"reads a file that matches {', '.join(self.patterns)}")
        if self.folder:
            ways.append(f"reads a file in {self.folder}/")
        if self.skill:
            ways.append(f"uses the skill {self.skill}")
        if self.agent:
            ways.append(f"starts the agent {self.agent}")
        return " or ".join(ways)

    def _brings_in(self, use: ToolUse) -> bool:
        if use.name in _READERS:
            read = _inside(use.input.get("file_path"))
            if read is None:
                return False
            return (
                read == self.path
                or (self.folder is not None and read.startswith(f"{self.folder}/"))
                or any(matches(pattern, read) for pattern in self.patterns)
            )
        names = {str(value).removeprefix("/").strip().split(" ")[0] for value in _values(use.input)}
        return (self.skill is not None and use.name == "Skill" and self.skill in names) or (
            self.agent is not None and use.name in {"Agent", "Task"} and self.agent in names
        )


def reach_of(path: str, data: bytes) -> Reach:
    """What brings in the text of the file at `path` with these bytes."""
    folder, name = posixpath.split(path)
    front = read_front_matter(data) if path.endswith(".md") else None
    table = front.table if front is not None else {}
    if found := _SKILL.fullmatch(path):
        return Reach(path, skill=found["name"] or found["command"])
    if path.startswith(".claude/agents/"):
        return Reach(path, agent=str(table.get("name") or name.removesuffix(".md")))
    if path.startswith(".claude/rules/"):
        value = table.get("paths")
        given = value if isinstance(value, list) else str(value or "").split(",")
        return Reach(path, patterns=tuple(text for item in given if (text := str(item).strip())))
    if name in {"CLAUDE.md", "AGENTS.md"} and folder:
        return Reach(path, folder=folder)
    return Reach(path)


def matches(pattern: str, path: str) -> bool:
    """Whether a path matches a rule's pattern: `*`, `**`, `?`, `{a,b}`; without a slash, a name at any depth."""
    return any(
        re.fullmatch(_regex(one if "/" in one.rstrip("/") else f"**/{one}"), path) is not None
        for one in islice(_alternatives(pattern.removeprefix("./")), MOST_ALTERNATIVES)
    )


def _alternatives(pattern: str) -> Iterator[str]:
    found = re.search(r"\{([^{}]*)\}", pattern)
    if found is None:
        yield pattern
        return
    for choice in found[1].split(","):
        yield from _alternatives(pattern[: found.start()] + choice + pattern[found.end() :])


def _regex(pattern: str) -> str:
    meant = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?)", re.sub(r"(?:\*\*/)+", "**/", pattern.strip("/")))
    return "".join(meant.get(part, re.escape(part)) for part in parts)


def _inside(value: Any) -> str | None:
    """The path in the arm that a call names; None for anything outside."""
    if not isinstance(value, str):
        return None
    if value.startswith(f"{WORKSPACE}/"):
        value = value.removeprefix(f"{WORKSPACE}/")
    path = posixpath.normpath(value)
    return None if path.startswith(("/", "../", "~", "<")) else path


def _values(inputs: Any) -> Iterator[str]:
    yield from (value for value in inputs.values() if isinstance(value, str))
