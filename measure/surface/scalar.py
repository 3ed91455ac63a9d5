"""Which characters of a YAML scalar, as written, make up which characters of its value.

Invariant: a map is given only where the value it spells is, character by character, the one YAML reads; a shape that
this module reads otherwise has none.
"""

from __future__ import annotations

import re
from itertools import takewhile

Map = tuple[tuple[int, int], ...]
"""For each character of the value, the range of characters of the text it comes from."""

_Piece = tuple[str, int, int]
_BREAK = re.compile(r"\r\n|\n|\r")
_FOLD = re.compile(r"[ \t]*(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*[ \t]*")
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_NAMED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def map_scalar(text: str, start: int, end: int, style: str, value: str) -> Map | None:
    """The map of the scalar written at `text[start:end]` in this style, or None where it can't be drawn."""
    if style in ("|", ">"):
        pieces = _block(text, start, style)
    elif style in ("'", '"'):
        pieces = _flow(text, start + 1, end - 1, style)
    else:
        pieces = _flow(text, start, end, style)
    pieces = pieces[: len(value)]
    if "".join(character for character, _, _ in pieces) != value:
        return None
    return tuple((first, last) for _, first, last in pieces)


def _flow(text: str, at: int, stop: int, quote: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    while at < stop:
        fold = _FOLD.match(text, at, stop)
        if fold:
            breaks = len(_BREAK.findall(fold.group()))
            pieces += [("\n" if breaks > 1 else " ", at, fold.end())] * max(1, breaks - 1)
            at = fold.end()
        elif quote == "'" and text.startswith("''", at):
            pieces.append(("'", at, at + 2))
            at += 2
        elif quote == '"' and text[at] == "\\":
            at = _escape(text, at, stop, pieces)
        else:
            pieces.append((text[at], at, at + 1))
            at += 1
    return pieces


def _escape(text: str, at: int, stop: int, pieces: list[_Piece]) -> int:
    joined = re.compile(r"\\(?:\r\n|\n|\r)[ \t]*").match(text, at, stop)
    if joined:
        return joined.end()
    found = _ESCAPE.match(text, at, stop)
    if not found:
        return stop
    body = found.group()[1:]
    if len(body) > 1:
        pieces.append((chr(int(body[1:], 16)), at, found.end()))
    else:
        pieces.append((_NAMED.get(body, body), at, found.end()))
    return found.end()


def _block(text: str, at: int, style: str) -> list[_Piece]:
    header = _BREAK.search(text, at)
    if header is None:
        return []
    lines: list[tuple[int, int, int]] = []
    at = header.end()
    while at < len(text):
        found = _BREAK.search(text, at)
        stop, end = found.span() if found else (len(text), len(text))
        lines.append((at, stop, end))
        at = end
    indent = next((_indent(text[a:b]) for a, b, _ in lines if text[a:b].strip(" ")), 0)
    own = list(takewhile(lambda line: _is_inside(text[line[0] : line[1]], indent), lines))
    last_full = max((k for k, (a, b, _) in enumerate(own) if text[a:b].strip(" ")), default=-1)
    pieces: list[_Piece] = []
    for index, (first, stop, end) in enumerate(own):
        full = bool(text[first:stop].strip(" "))
        pieces += [(text[k], k, k + 1) for k in range(min(first + indent, stop), stop)]
        if style == ">" and full and index < last_full:
            # Folded: a break before a full line is a space, together with that line's indentation; one before a blank
            # line is nothing, since the blank line's own break stands for both.
            following = own[index + 1]
            if text[following[0] : following[1]].strip(" "):
                pieces.append((" ", stop, end + indent))
        else:
            pieces.append(("\n", stop, end))
    return pieces


def _is_inside(line: str, indent: int) -> bool:
    return _indent(line) >= indent or not line.strip(" ")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
