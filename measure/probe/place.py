"""The place in a workspace that a probe points at, read and never written.

Invariant: a line is named by its own text without byte order mark and line end, exactly as it stands; nothing outside
the workspace is read, not even through a link.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measure.errors import RequestError, WorkspaceError
from measure.probe.lint import Scene, scene_of
from measure.probe.model import Probe, Target

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Place:
    """One line of one file. `twins` counts the lines of that file with the same text, itself included."""

    file: str
    """Relative to the workspace, with `/`."""
    number: int
    """Counted from 1."""
    text: str
    twins: int


def parse_place(text: str) -> tuple[str, int]:
    """`PATH:LINE` as path and number. Raises `RequestError` for any other form."""
    file, colon, number = text.rpartition(":")
    if not colon or not file or re.fullmatch(r"[0-9]{1,9}", number) is None or int(number) < 1:
        raise RequestError(
            f'expected PATH:LINE with a line number from 1, found "{text}"', hint="for example CLAUDE.md:12"
        )
    return file, int(number)


def read_place(workspace: Path, file: str, number: int) -> Place:
    """The numbered line of a file. Raises `WorkspaceError` where there is none or it can't be read."""
    relative, lines = _read_lines(workspace, file)
    if not 1 <= number <= len(lines):
        found = f"lines 1 to {len(lines)}" if lines else "no line at all"
        raise WorkspaceError(f"{relative}: there is no line {number}; the file has {found}")
    raw = lines[number - 1]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WorkspaceError(
            f"{relative}: line {number} is not valid UTF-8 (byte 0x{raw[error.start]:02X})",
            hint="save the file as UTF-8, or name another line",
        ) from None
    return Place(relative, number, text, lines.count(raw))


def find_place(workspace: Path, target: Target) -> Place | None:
    """The one line a target names; None where it only adds at the end of the file.

    Raises `WorkspaceError` where the file can't be read or the text stands in no line or in several.
    """
    if target.line_number is not None:
        return read_place(workspace, target.file, target.line_number)
    relative, lines = _read_lines(workspace, target.file)
    if target.line is None:
        return None
    wanted = target.line.encode()
    numbers = [number for number, line in enumerate(lines, 1) if line == wanted]
    if not numbers:
        raise WorkspaceError(f"{relative}: no line reads exactly: {target.line}")
    if len(numbers) > 1:
        raise WorkspaceError(
            f"{relative}: lines {', '.join(map(str, numbers))} read exactly the same; name one by line_number"
        )
    return Place(relative, numbers[0], target.line, 1)


def survey(probe: Probe, workspace: Path) -> tuple[Scene, Place | None]:
    """What the workspace adds to what a probe says about its own place. Raises `WorkspaceError` as `find_place`."""
    said = scene_of(probe)
    place = find_place(workspace, probe.target) if probe.target is not None else None
    # Text that is put after a line is not that line: only an edit of the line itself is about its words.
    about_line = probe.target is not None and probe.target.add is None
    lines = said.lines
    if place is not None and about_line and place.text not in lines:
        lines = (place.text, *lines)
    files = frozenset(_files(workspace)) if "@" in probe.prompt else frozenset()
    return Scene(lines=lines, file=said.file, skills=tuple(_skills(workspace)), files=files), place


def _read_lines(workspace: Path, file: str) -> tuple[str, list[bytes]]:
    if not workspace.is_dir():
        raise WorkspaceError(f"no such workspace: {workspace}", hint="name the folder that holds the instructions")
    relative = _relative(workspace, file)
    try:
        path = (workspace / relative).resolve()
        if not path.is_relative_to(workspace.resolve()):
            raise _outside(workspace, file)
        # Opening a pipe or a device could wait for ever.
        if path.exists() and not path.is_file():
            raise WorkspaceError(f"{file}: not a regular file")
        data = path.read_bytes()
    except FileNotFoundError:
        raise WorkspaceError(f"{file}: no such file in {workspace}") from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WorkspaceError(f"{file}: can't be read: {reason}") from None
    lines = data.removeprefix(_BOM).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return relative.as_posix(), [line.removesuffix(b"\r") for line in lines]


def _relative(workspace: Path, file: str) -> Path:
    path = Path(file)
    if path.is_absolute():
        root = next((root for root in (workspace.absolute(), workspace.resolve()) if path.is_relative_to(root)), None)
        if root is None:
            raise _outside(workspace, file)
        path = path.relative_to(root)
    # Behind a link `..` is not the folder it reads as.
    if ".." in path.parts:
        raise _outside(workspace, file)
    return path


def _outside(workspace: Path, file: str) -> WorkspaceError:
    return WorkspaceError(f"{file}: leads out of the workspace {workspace}", hint="name a file inside it, without '..'")


def _skills(workspace: Path) -> Iterator[str]:
    for file in sorted(workspace.glob(".claude/skills/*/SKILL.md")):
        yield file.parent.name
        if not file.is_file():
            continue
        try:
            head = file.read_text(encoding="utf-8", errors="replace")[:4_000]
        except OSError:
            continue
        named = re.search(r"\A---\n(?:.*\n)*?name:[ \t]*[\"']?([^\"'\n]+?)[\"']?[ \t]*\n", head)
        if named and named[1] != file.parent.name:
            yield named[1]


def _files(workspace: Path) -> Iterator[str]:
    for name in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"):
        if (workspace / name).exists():
            yield name
    for folder, _, names in os.walk(workspace / ".claude"):
        for name in names:
            yield (Path(folder) / name).relative_to(workspace).as_posix()
