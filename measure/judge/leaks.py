"""Did the line's words get back to the arm that lacks them?

Invariant: this is no part of the judge. It knows the line and is asked about the arm without it only; the judge reads
what it is given without knowing that a scan took place. A trial is called contaminated only for words that came back
from a tool, with the call that fetched them; what the agent says by itself is never a leak.

Words that stand elsewhere in the arm as well belong to the tree as it stands, and finding them there is no leak; then
only what came from outside counts. A call that names the workspace itself and is answered counts whatever it gave: a
count or a yes tells as much as the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from measure.client.masking import WORKSPACE
from measure.context.sameness import Likeness, Wanted
from measure.transcript import ToolUse, Transcript

VERSION = "leaks-2"
"""Goes into every record. leaks-1: first published rules. leaks-2: calls that name the workspace itself."""

_WEB = frozenset({"WebFetch", "WebSearch"})
_GIT = re.compile(r"\b(?:git|gh|hg|svn|jj)\b")
_MEMORY = re.compile(r"(?i)(?:^|/)memory/|MEMORY\.md")
_SESSION = re.compile(r"/projects/[^/\s]+/[^/\s]+\.jsonl|history\.jsonl")
_ABSOLUTE = re.compile(r"(?<![\w.<>/-])(?:~|/|\.\./)[^\s'\"|;&)]*")
_NETWORK = re.compile(r"\b(?:curl|wget|https?://|nc|ssh|scp|rsync)\b|https?://")
_NO_PLACES = frozenset({"content", "description", "new_string", "old_string", "pattern", "prompt"})
"""Inputs of calls that name no place."""
_HARMLESS = re.compile(r"/(?:dev/null|bin/|usr/bin/)")


@dataclass(frozen=True, slots=True)
class Leak:
    """`route` says in words how the text came in; `words` are those that were found."""

    route: str
    words: str


@dataclass(frozen=True)
class Scan:
    """What to look for in trials of the arm without the line."""

    wanted: tuple[Wanted, ...]
    in_arm: bool
    """The words stand elsewhere in that arm, too."""
    original: re.Pattern[str] | None = None
    """The workspace that the arms were cloned from, as transcripts name it."""

    @classmethod
    def of(cls, text: str, arm: Iterable[str], original: str | None = None) -> Scan:
        """From the text only the other arm has, all texts of this one, and the workspace's path as it comes masked."""
        place = re.compile(rf"{re.escape(original.rstrip('/'))}(?![\w.-])") if original and original != "/" else None
        wanted = tuple(one for line in text.split("\n") if (one := Wanted(line)).tellable)
        held = bool(wanted) and any(one.find(other) is not None for other in arm for one in wanted)
        return cls(wanted, held, place)

    def find(self, transcript: Transcript) -> Leak | None:
        """The first way in which the words came back; None where they did not."""
        uses = {use.id: use for use in transcript.tool_uses}
        for result in transcript.tool_results:
            use = uses.get(result.tool_use_id)
            if use is not None and not result.is_error and (place := self._original_in(use)) is not None:
                return Leak(_outside(use) or _inside(use), place)
            found = self._in(result.text)
            if found is None:
                continue
            route = _outside(use)
            if route is None and self.in_arm:
                continue
            return Leak(route or _inside(use), found.words)
        return None

    def _original_in(self, use: ToolUse) -> str | None:
        if self.original is None:
            return None
        return next((found[0] for text in _texts(use.input) if (found := self.original.search(text))), None)

    def _in(self, text: str) -> Likeness | None:
        return next((found for wanted in self.wanted if (found := wanted.find(text)) is not None), None)


def _outside(use: ToolUse | None) -> str | None:
    """The route by which a call reached outside the arm; None where it stayed inside, as far as its words tell."""
    if use is None:
        return None
    if use.name in _WEB:
        return f"the web ({use.name})"
    if use.name.startswith("mcp__"):
        return f"a server ({use.name})"
    told = " ".join(_texts(use.input))
    shown = " ".join(told.split())[:120]
    if use.name == "Bash" and _GIT.search(told):
        return f"version control ({shown})"
    if use.name == "Bash" and _NETWORK.search(told):
        return f"the network ({shown})"
    if _SESSION.search(told):
        return f"an earlier session's transcript ({shown})"
    paths = [path for path in _ABSOLUTE.findall(told) if not _HARMLESS.match(path)]
    if any(_MEMORY.search(path) for path in paths):
        return f"memory ({shown})"
    if paths:
        return f"a file outside the arm ({use.name}: {shown})"
    return None


def _inside(use: ToolUse | None) -> str:
    if use is None:
        return "a tool result"
    shown = " ".join(" ".join(_texts(use.input)).split())[:120]
    return f"a tool result ({use.name}: {shown})"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace(f"{WORKSPACE}/", "").replace(WORKSPACE, ".")
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _NO_PLACES:
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
