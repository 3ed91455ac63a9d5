"""Starting files for probes: everything that can be known is filled in, the rest is marked for a person.

Invariant: a written file loads, names its line byte for byte, and breaks no rule of form but `unwritten`; an existing
file is never overwritten unless that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomlkit
from tomlkit.items import AoT, Item, String, Table

from measure.errors import RequestError
from measure.probe.likeness import core
from measure.probe.lint import CLOSE, OPEN
from measure.probe.model import ID_PATTERN, SCHEMA_VERSION, Axis
from measure.probe.place import Place

_ID_LIMIT = 64


def draft(place: Place, axis: Axis, probe_id: str) -> str:
    """The text of a starting file for the line at `place`, in TOML."""
    doc = tomlkit.document()
    doc.add("schema", tomlkit.item(SCHEMA_VERSION))
    doc.add("id", _string(probe_id))
    doc.add("axis", _string(axis.value))
    doc.add(tomlkit.nl())
    doc.add(tomlkit.comment("What does the line change at the moment it applies? One sentence, fixed before the run."))
    if axis is Axis.BEHAVIOR:
        doc.add("claim", _string(f"With this line the agent {_write('does what, at which moment')}."))
        doc.add(tomlkit.nl())
        _remark(
            doc,
            "A situation in which the line applies, as a user would bring it, and nothing else: no file, no skill, no",
            "rule, none of the line's own words. The options are added below it, with letters in changing order.",
        )
        doc.add("prompt", _paragraph(_write("the situation: what has been done, what is at hand, what is wanted now")))
    else:
        doc.add("claim", _string(f"With this line the text in force says {_write('what')}."))
        doc.add(tomlkit.nl())
        doc.add(tomlkit.comment("Name the line's subject in other words than its own."))
        doc.add(
            "prompt",
            _paragraph(
                f"Quote, word for word, the line of your instructions for this project that says "
                f"{_write('its subject')}.",
                "Answer from what you have in front of you; open and fetch nothing. If no line says so, answer with"
                " exactly: no provision",
            ),
        )
    doc.add(tomlkit.nl())
    doc.add("target", _target(place))
    if axis is Axis.BEHAVIOR:
        doc.add(tomlkit.nl())
        _remark(
            doc,
            "Two or more actions, alike in length, each one that a sensible agent could take here. Exactly one is what",
            "the line asks for.",
        )
        doc.add("options", _options())
    return tomlkit.dumps(doc).rstrip("\n") + "\n"


def drafts(place: Place, axes: Sequence[Axis], probe_id: str | None = None) -> Mapping[str, str]:
    """Probe id → text of its starting file, one for each axis. With several, the axis ends the id."""
    base = probe_id or id_for(place)
    if len(axes) == 1:
        return {base: draft(place, axes[0], base)}
    longest = max(len(axis.value) for axis in axes) + 1
    base = base[: _ID_LIMIT - longest].rstrip("-._")
    return {f"{base}-{axis.value}": draft(place, axis, f"{base}-{axis.value}") for axis in axes}


def checked_id(probe_id: str | None) -> str | None:
    """`probe_id` if it can be one. Raises `RequestError` where it can't."""
    if probe_id is not None and not re.fullmatch(ID_PATTERN, probe_id):
        raise RequestError(f"--id: expected letters, digits, '.', '_' and '-', at most 64, found \"{probe_id}\"")
    return probe_id


def id_for(place: Place) -> str:
    """An id from the line's first words, or from its file and number where it has no Latin letters."""
    words = re.findall(r"[a-z0-9]+", core(place.text))[:5]
    if sum(map(len, words)) >= 3:
        return "-".join(words)[:_ID_LIMIT].rstrip("-")
    stem = "-".join(re.findall(r"[a-z0-9]+", Path(place.file).stem.lower())) or "probe"
    return f"{stem[:40]}-line-{place.number}"


def write(texts: Mapping[str, str], output: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write each text to `<id>.toml` in the folder `output`, or a single one to `output` where that ends in `.toml`.

    Raises `RequestError`, before anything is written, where a file exists and `force` is not set.
    """
    if output.suffix == ".toml" and not output.is_dir():
        if len(texts) > 1:
            raise RequestError(
                f"{len(texts)} probes can't go into the one file {output}", hint="name a folder, or a single --axis"
            )
        (text,) = texts.values()
        files = {output: text}
    else:
        files = {output / f"{probe_id}.toml": text for probe_id, text in texts.items()}
    taken = [str(file) for file in files if file.exists() or file.is_symlink()]
    if taken and not force:
        raise RequestError(
            f"already there: {', '.join(taken)}", hint="name another place with -o or --id, or overwrite with --force"
        )
    for file, text in files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("w" if force else "x", encoding="utf-8", newline="") as stream:
                stream.write(text)
        except OSError as error:
            raise RequestError(f"{file}: can't be written: {error.strerror}") from None
    return tuple(files)


def _target(place: Place) -> Table:
    table = tomlkit.table()
    table.add("file", _string(place.file))
    # The text outlives edits above the line; the number is for lines that their text does not name.
    if place.twins == 1 and place.text.strip() and "\r" not in place.text:
        table.add("line", _string(place.text))
    else:
        table.add("line_number", tomlkit.item(place.number))
    return table


def _options() -> AoT:
    first = tomlkit.table()
    first.add("id", _string("asked-for"))
    first.add("text", _string(_write("the action that the line asks for")))
    first.add("asked_for", tomlkit.item(True))
    second = tomlkit.table()
    second.add("id", _string("otherwise"))
    second.add("text", _string(_write("what a sensible agent could well do without it")))
    options = tomlkit.aot()
    options.append(first)
    options.append(second)
    return options


def _write(what: str) -> str:
    return f"{OPEN}{what}{CLOSE}"


def _remark(doc: tomlkit.TOMLDocument, *lines: str) -> None:
    for line in lines:
        doc.add(tomlkit.comment(line))


def _string(text: str) -> String:
    # Quotes and backslashes read best as they are; control characters and ' can't stand in a literal string.
    plain = "'" not in text and all(char == "\t" or (char >= " " and char != "\x7f") for char in text)
    return tomlkit.string(text, literal=plain and ('"' in text or "\\" in text))


def _paragraph(*lines: str) -> Item:
    # TOML drops the line break right after the opening quotes.
    return tomlkit.value("\n".join(('"""', *lines, '"""')))
