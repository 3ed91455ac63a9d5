"""What is worth telling about one file of the surface before anything is spent.

Invariant: a notice never changes what goes into an arm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LARGEST_LOADED: Final = 4_194_304
"""Bytes: a larger instruction file is dropped by the client without a word (seen in 2.1.197)."""

_LOOKS_LIKE_A_PATH = re.compile(rb"[\w.+-]+(?:/[\w.+-]+)*(?:\.md|/[\w.+-]+)/?|\.\.?(?:/[\w.+-]+)+/?")
_CODE_KEYS = re.compile(rb"^(hooks|mcpServers)[ \t]*:", re.MULTILINE)
_SHELL = re.compile(rb"(?:^|\s)!`[^`\n]+`")


def look_at(path: str, head: bytes, size: int) -> Iterator[str]:
    """Notices about a file, from its path in the arm, its size in bytes and as many first bytes as a client loads."""
    if path.endswith(".md"):
        if size > LARGEST_LOADED:
            yield f"{path} has {size} bytes; the client loads no instruction file above {LARGEST_LOADED}."
        else:
            try:
                head.decode("utf-8")
            except UnicodeDecodeError as error:
                yield f"{path}, byte {error.start}: not UTF-8; the model sees replacement characters."
    if _is_named_for_instructions(path) and size < 1024 and _LOOKS_LIKE_A_PATH.fullmatch(head.strip()):
        yield (
            f"{path} holds nothing but a path: it looks like a link that was checked out as a file, "
            "so the instructions behind it are not loaded."
        )
    if path.startswith((".claude/skills/", ".claude/agents/", ".claude/commands/")) and path.endswith(".md"):
        if head.startswith(b"---") and _CODE_KEYS.search(head.partition(b"\n---")[0]):
            yield f"{path} names hooks or servers in its front matter; launches turn both off."
        if b"!`" in head and _SHELL.search(head):
            yield f"{path} runs a command when it is used."


def _is_named_for_instructions(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if name in {"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"}:
        return True
    return folder == ".claude" and name in {"rules", "skills", "agents", "commands"}
