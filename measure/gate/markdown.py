"""Text of others inside Markdown.

Invariant: nothing in it becomes markup, a link, a mention or a further line of the block it stands in.
"""

from __future__ import annotations

import re

_MARKUP = re.compile(r"[\\`*_\[\]|~$]")
_AT_THE_START = re.compile(r"^(?:[-+=](?=\s|[-+=])|\d+(?=[.)]))")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;"}
"""Beside tags: what hosts make mentions of people and references to issues of."""


def plain(text: str) -> str:
    """One line of text that reads as it is written."""
    flat = " ".join(_visible(text).split())
    marked = _MARKUP.sub(r"\\\g<0>", flat)
    safe = "".join(_ENTITIES.get(char, char) for char in marked)
    return _AT_THE_START.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", safe)


def code(text: str) -> str:
    """A name, place or command as a code span."""
    flat = " ".join(_visible(text).split(" ")) if text.strip() else "(empty)"
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def block(text: str, indent: str = "") -> str:
    """Several lines, word for word, as a fenced block."""
    ticks = "`" * max(3, max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    lines = [f"{ticks}text", *_visible(text, keep="\n\t").rstrip("\n").split("\n"), ticks]
    return "\n".join(f"{indent}{line}" if line else "" for line in lines)


def _visible(text: str, keep: str = "") -> str:
    return "".join(char if char.isprintable() or char in keep else " " for char in text.replace("\r\n", "\n"))
