"""The entries a boot profile has for mounted sibling layers: its `leji-mounts` blocks.

Invariant: the grammar (Leji 1.0, boot profile, requirement 9) is kept to the character: lines end at LF, white space
is U+0020 and U+0009 and nothing else, and a block that is not right is an error, never passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from measure.surface.leji import BOOT_PROFILE, LayerProblem, Mount

FIELDS = ("owner", "carries", "read-when")

_OPENING = re.compile(r"[ \t]*`{3,}[ \t]*leji-mounts(?:[ \t]+(.*))?")
_CLOSING = re.compile(r"[ \t]*`{3,}[ \t]*")
_RECORD = re.compile(r"- mount: (.*)", re.DOTALL)
_FIELD = re.compile(r"  ([A-Za-z][\w-]*): (.*)", re.DOTALL)
_NOT_IN_VALUES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class MountEntry:
    """What the boot profile says of a mounted sibling, and the line its entry begins at."""

    mount: str
    owner: str
    carries: str
    read_when: str
    line: int


@dataclass(frozen=True, slots=True)
class MountsReading:
    """The entries of all blocks in document order, the lines blocks open at, and what breaks the grammar."""

    entries: tuple[MountEntry, ...]
    blocks: tuple[int, ...]
    problems: tuple[LayerProblem, ...]


def read_mounts(data: bytes, path: str = BOOT_PROFILE) -> MountsReading:
    """Read every `leji-mounts` block of a document. The scan is by line and knows nothing of Markdown."""
    return _MountsReader(path).read(data)


class _MountsReader:
    def __init__(self, path: str) -> None:
        self._path = path
        self._entries: list[MountEntry] = []
        self._problems: list[LayerProblem] = []
        self._record: tuple[int, str, dict[str, str]] | None = None

    def read(self, data: bytes) -> MountsReading:
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError as reason:
            line = data.count(b"\n", 0, reason.start) + 1
            self._tell(line, f"byte 0x{reason.object[reason.start]:02X} is not UTF-8", "save the file as UTF-8")
            return MountsReading((), (), tuple(self._problems))
        blocks: list[int] = []
        state = "outside"
        for number, raw in enumerate(text.split("\n"), start=1):
            content = raw.removesuffix("\r")
            if state == "outside":
                opening = _OPENING.fullmatch(content)
                if opening:
                    blocks.append(number)
                    state = "block"
                    rest = (opening[1] or "").strip(" \t")
                    if rest:
                        state = "refused"
                        self._tell(
                            number,
                            f"“{rest}” after leji-mounts",
                            "take it away; an example is fenced with another tag, such as text",
                        )
            elif _CLOSING.fullmatch(content):
                self._end_record()
                state = "outside"
            elif state == "block":
                self._content(number, content)
        if state != "outside":
            self._end_record()
            self._tell(blocks[-1], "the block is never closed", "add a line of three backticks after its last entry")
        return MountsReading(tuple(self._entries), tuple(blocks), tuple(self._problems))

    def _tell(self, line: int, message: str, fix: str) -> None:
        self._problems.append(LayerProblem(self._path, line, message, fix))

    def _content(self, number: int, line: str) -> None:
        if not line.strip(" \t") or line.startswith("#"):
            return
        record = _RECORD.fullmatch(line)
        field = _FIELD.fullmatch(line)
        if record:
            self._end_record()
            self._value(number, "mount", record[1])
            self._record = (number, record[1], {})
        elif field is None:
            self._tell(
                number,
                "not a line of the grammar",
                "write “- mount: NAME” at the margin, and “owner: ”, “carries: ” and “read-when: ” "
                "indented by exactly two spaces",
            )
        elif field[1] not in FIELDS:
            self._tell(number, f"unknown field “{field[1]}”", f"known are {', '.join(FIELDS)}")
        elif self._record is None:
            self._tell(number, f"“{field[1]}” stands before any “- mount: ”", "begin the record with its mount")
        elif field[1] in self._record[2]:
            self._tell(number, f"a second “{field[1]}” in one record", "keep one")
        else:
            self._value(number, field[1], field[2])
            self._record[2][field[1]] = field[2]

    def _value(self, number: int, key: str, value: str) -> None:
        if not value:
            self._tell(number, f"“{key}” is empty", "write a value on the same line")
        elif value.strip(" \t") != value:
            self._tell(number, f"spaces or tabs around the value of “{key}”", "leave one space after the colon only")
        elif found := _NOT_IN_VALUES.search(value):
            self._tell(number, f"the value of “{key}” holds U+{ord(found.group()):04X}", "take that character away")

    def _end_record(self) -> None:
        if self._record is None:
            return
        number, mount, fields = self._record
        self._record = None
        missing = [field for field in FIELDS if field not in fields]
        for field in missing:
            self._tell(number, f"the entry of “{mount}” has no “{field}”", "add it, indented by two spaces")
        if not missing:
            self._entries.append(MountEntry(mount, fields["owner"], fields["carries"], fields["read-when"], number))


def check_mounts(reading: MountsReading, mounts: Sequence[Mount], path: str) -> tuple[LayerProblem, ...]:
    """Hold the entries against the mounts the manifest declares: one entry each, and the same owner."""
    problems = list(reading.problems)
    if not mounts:
        problems += [
            LayerProblem(path, line, "a leji-mounts block, but the manifest declares no mounts", "take the block away")
            for line in reading.blocks
        ]
        return tuple(problems)
    declared = {mount.name: mount for mount in mounts}
    seen: dict[str, int] = {}
    for entry in reading.entries:
        mount = declared.get(entry.mount)
        if mount is None:
            names = ", ".join(declared)
            problems.append(
                LayerProblem(path, entry.line, f"the mount “{entry.mount}” is not declared", f"declared are: {names}")
            )
        elif entry.mount in seen:
            problems.append(
                LayerProblem(
                    path,
                    entry.line,
                    f"a second entry for “{entry.mount}” (first: line {seen[entry.mount]})",
                    "keep one",
                )
            )
        elif entry.owner != mount.owner:
            problems.append(
                LayerProblem(
                    path,
                    entry.line,
                    f"the owner of “{entry.mount}” is “{entry.owner}”, declared “{mount.owner}”",
                    "write the declared name",
                )
            )
        seen.setdefault(entry.mount, entry.line)
    at = reading.blocks[0] if reading.blocks else 1
    problems += [
        LayerProblem(path, at, f"the declared mount “{name}” has no entry", "add one to a leji-mounts block")
        for name in declared
        if name not in seen
    ]
    return tuple(sorted(problems, key=lambda problem: problem.line))
