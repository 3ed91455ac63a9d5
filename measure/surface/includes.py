"""Which files of the workspace a `--include` pattern names.

Invariant: a pattern stays inside the workspace and never follows a link; one that names nothing is an error, since
the text it was meant to bring would be missing from both arms without a word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from measure.errors import WorkspaceError
from measure.surface.names import why_never

_WILD = re.compile(r"[*?\[]")


def find_included(workspace: Path, pattern: str) -> tuple[str, ...]:
    """Relative paths that match `pattern`, sorted; a folder stands for all it holds.

    `*` and `?` stay within a name, `**` spans folders, `[...]` is a set of characters. Raises `WorkspaceError` for a
    pattern that leaves the workspace or matches nothing.
    """
    parts = PurePosixPath(pattern).parts
    if not parts or pattern.startswith(("/", "~")) or ".." in parts:
        raise WorkspaceError(
            f"--include {pattern!r}: wanted a pattern relative to the workspace, found one that leaves it.",
            hint="Give a path such as docs/** or Li+config.md.",
        )
    literal = workspace / Path(*parts)
    if os.path.lexists(literal):
        return (PurePosixPath(*parts).as_posix(),)
    fixed: list[str] = []
    for part in parts:
        if _WILD.search(part):
            break
        fixed.append(part)
    try:
        wanted = re.compile(_translate("/".join(parts)))
    except re.error as error:
        raise WorkspaceError(f"--include {pattern!r}: wanted a pattern such as docs/**, found {error}.") from None
    found = tuple(sorted(path for path in _below(workspace, "/".join(fixed)) if wanted.fullmatch(path)))
    if not found:
        raise WorkspaceError(
            f"--include {pattern!r}: nothing in the workspace matches.",
            hint="Patterns are relative to the workspace; ** spans folders, * does not.",
        )
    return found


def _below(workspace: Path, start: str) -> Iterator[str]:
    stack = [start]
    while stack:
        folder = stack.pop()
        try:
            with os.scandir(workspace / folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except (NotADirectoryError, FileNotFoundError):
            continue
        except OSError as error:
            raise WorkspaceError(f"The folder {folder or '.'} can't be read: {error.strerror}.") from None
        for entry in entries:
            if why_never(entry.name, in_claude_folder=False) is not None:
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                stack.append(path)
            yield path


def _translate(pattern: str) -> str:
    """A glob as a regular expression over a relative path with `/`."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("**", at):
            out.append(".*")
            at += 2
        elif pattern[at] == "*":
            out.append("[^/]*")
            at += 1
        elif pattern[at] == "?":
            out.append("[^/]")
            at += 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) != -1:
            inner = pattern[at + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            out.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            at = end + 1
        else:
            out.append(re.escape(pattern[at]))
            at += 1
    return f"(?s:{''.join(out)})"
