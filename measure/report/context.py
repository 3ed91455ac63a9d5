"""What the model receives, for people: the inventory of one request.

Invariant: text of files is printed as text and can't steer the terminal; a number of tokens is never shown without
how it was counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from measure.context.inventory import FileTold, Inventory, LineTold
from measure.report.terminal import safe


def inventory_lines(inventory: Inventory, *, every_line: bool, width: int = 80) -> Iterator[str]:
    """The inventory as lines of text, at most `width` wide where a file's own line has to be cut."""
    named = "" if inventory.model_named else " (the client's default; none was named)"
    yield f"{inventory.workspace}: {_count(inventory.tokens, 'token')} in the first request, {inventory.bytes:,} bytes"
    yield f"{inventory.client} {inventory.client_version}, {inventory.condition}, model {inventory.model}{named}"
    yield ""
    yield f"{'tokens':>8} {'share':>6}  loaded at launch, in the order of reading"
    for file in inventory.files:
        if file.place is not None:
            yield _row(
                file.tokens, file.share, f"{safe(file.path)}  ({file.role}{_via(file)}; {file.place}{_times(file)})"
            )
            if every_line:
                yield from (_line(line, width) for line in file.lines if line.place is not None)
    for part in inventory.others:
        yield _row(part.tokens, part.share, f"{safe(part.source)}'s own text  ({part.place})")
    yield from _not_loaded(inventory, width)
    yield from _section("Loaded in real use from outside the workspace", inventory.outside)
    yield from _section("Worth knowing", inventory.notices)
    yield ""
    yield f"Tokens are {inventory.tokens_are}."


def _not_loaded(inventory: Inventory, width: int) -> Iterator[str]:
    missing = [(file, [line for line in file.lines if line.place is None]) for file in inventory.files]
    if not any(lines for _, lines in missing):
        return
    yield ""
    yield "Not loaded at launch:"
    for file, lines in missing:
        reasons: dict[str, list[LineTold]] = {}
        for line in lines:
            assert line.why_not is not None
            reasons.setdefault(line.why_not, []).append(line)
        for why, found in reasons.items():
            yield f"  {safe(file.path)}:{_ranges([line.line for line in found])}  {safe(why)}"
            if file.loaded and len(found) <= 3:
                yield from (f"      {safe(line.text.strip())[: width - 6]}" for line in found)


def _section(title: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield ""
        yield f"{title}:"
        yield from (f"  {safe(entry)}" for entry in entries)


def _row(tokens: int, share: float, words: str) -> str:
    return f"{tokens:>8,} {100 * share:>5.1f}%  {words}"


def _line(line: LineTold, width: int) -> str:
    return f"{line.tokens:>8,} {'':>6}    {line.line:>4}  {safe(line.text.strip())}"[:width]


def _via(file: FileTold) -> str:
    return f", as {safe(file.via)}" if file.via is not None else ""


def _times(file: FileTold) -> str:
    return f"; loaded {file.times} times" if file.times > 1 else ""


def _ranges(numbers: list[int]) -> str:
    """`3, 5-7` from 3, 5, 6, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
