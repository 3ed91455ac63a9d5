"""What the model receives, for people: the inventory of a request, and the proof of a contrast in two of them.

Invariant: text of files is printed as text and can't steer the terminal; a number of tokens is never shown without
how it was counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from measure.context.inventory import FileTold, Inventory, LineTold
from measure.context.proof import Elsewhere, Proof
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
            yield _row(file.tokens, file.share, f"{safe(file.path)}  ({file.role}; {file.place}{_times(file)})")
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


def proof_sentences(proof: Proof) -> tuple[str, ...]:
    """What the two requests were seen to differ in."""
    sizes = f"{proof.bytes_baseline:,} and {proof.bytes_variant:,} bytes, {proof.tokens_baseline:,} tokens"
    if proof.reached == "on-demand":
        first = "At launch both arms are given the same; the text comes in on demand, and each trial shows that it did."
    elif proof.only_baseline or proof.only_variant:
        first = f"The arms' requests differ in this alone ({', '.join(proof.places)}):"
    else:
        first = "Both arms' requests are the same."
    differing = [f"- {line}" for line in proof.only_baseline] + [f"+ {line}" for line in proof.only_variant]
    return (
        first,
        *differing[:12],
        *([f"… and {len(differing) - 12} more lines"] if len(differing) > 12 else []),
        f"Seen before anything was spent: {sizes} (estimated), {proof.masks}.",
        *(sentence[:1].upper() + sentence[1:] + "." for sentence in proof.notices),
        *(f"Elsewhere in what is loaded: {_place(one)}: {one.text}" for one in proof.elsewhere),
    )


def _place(one: Elsewhere) -> str:
    return f"{one.source} ({'the same text' if one.likeness == 'same' else 'much the same text'})"


def beyond_sentence(proof: Proof | None) -> str | None:
    """What a zero has to be read against: text that says the same and is loaded, too. None where there is none."""
    if proof is None or not proof.elsewhere:
        return None
    sources = dict.fromkeys(one.source for one in proof.elsewhere)
    same = any(one.likeness == "same" for one in proof.elsewhere)
    verb = "already says" if len(sources) == 1 else "already say"
    return f"Nothing beyond what {' and '.join(sources)} {verb}{'' if same else ' in much the same words'}."
