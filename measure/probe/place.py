"""The place in a workspace that a probe is written for, and what is known about it when its form is checked.

Invariant: a line is named by its own text without byte order mark and line end, exactly as it stands; nothing is read
through a link that leads out of the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from measure.contrast import Contrast
from measure.errors import RequestError, WorkspaceError
from measure.probe.lint import Scene
from measure.surface import Surface
from measure.surface.lines import split_lines


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
    if not workspace.is_dir():
        raise WorkspaceError(f"no such workspace: {workspace}", hint="name the folder that holds the instructions")
    relative = _relative(workspace, file)
    data = _read(workspace, relative)
    lines = [data[line.start : line.text_end] for line in split_lines(data)]
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
    return Place(relative.as_posix(), number, text, lines.count(raw))


def scene_at(surface: Surface, contrast: Contrast) -> Scene:
    """What a probe must not give away at this contrast: the exchanged lines, their file, skills, files of the arms."""
    texts = (contrast.before + b"\n" + contrast.after).decode("utf-8", "replace")
    return Scene(
        lines=tuple(line for line in texts.splitlines() if line.strip()),
        file=contrast.path,
        skills=tuple(dict.fromkeys(_skills(surface))),
        files=frozenset(surface.by_path),
    )


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


def _read(workspace: Path, relative: Path) -> bytes:
    try:
        path = (workspace / relative).resolve()
        if not path.is_relative_to(workspace.resolve()):
            raise _outside(workspace, str(relative))
        # Opening a pipe or a device could wait for ever.
        if path.exists() and not path.is_file():
            raise WorkspaceError(f"{relative}: not a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        raise WorkspaceError(f"{relative}: no such file in {workspace}") from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WorkspaceError(f"{relative}: can't be read: {reason}") from None


def _outside(workspace: Path, file: str) -> WorkspaceError:
    return WorkspaceError(f"{file}: leads out of the workspace {workspace}", hint="name a file inside it, without '..'")


def _skills(surface: Surface) -> Iterator[str]:
    """Names of skills: of their folders, and those their front matter gives them."""
    for entry in surface.entries:
        path = PurePosixPath(entry.path)
        if path.name != "SKILL.md":
            continue
        yield path.parent.name
        try:
            head = entry.source.read_bytes()[:4_000].decode("utf-8", "replace") if entry.source is not None else ""
        except OSError:
            continue
        named = re.search(r"\A---\r?\n(?:.*\n)*?name:[ \t]*[\"']?([^\"'\r\n]+?)[\"']?[ \t]*\r?\n", head)
        if named:
            yield named[1]
