"""What is loaded at launch, line by line, what is not and why, and what comes from outside the workspace.

Invariant: every text of the request is counted once, for one source; every line of the surface is told as loaded or
with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from measure.context.request import MASKS_VERSION, Request
from measure.context.sources import FileText, Sources, Spot, names_by_link
from measure.context.why import why_absent
from measure.surface.elsewhere import shown
from measure.surface.layout import Workspace, classify, read_workspace
from measure.surface.model import Entry, Kind, Surface
from measure.surface.unit import TOKENS_ARE, estimate_tokens


class Told(BaseModel):
    """Frozen and closed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LineTold(Told):
    """One line of one file. Exactly one of `place` and `why_not` is set."""

    line: int
    text: str
    tokens: int
    place: str | None = None
    """Which part of the request it stands in."""
    where: str | None = None
    order: int | None = None
    """Its number among all lines of the request, from 1: earlier ones are read first."""
    why_not: str | None = None


class FileTold(Told):
    """One file of the surface."""

    path: str
    role: str
    via: str | None = None
    """The path of a known layout by which a link leads to it, such as `.claude/rules/a.md`."""
    times: int
    """How often the client loads it whole; 0 where it shows a part of it in a list, or nothing."""
    tokens: int
    """Of what is loaded."""
    share: float
    """Of all tokens of the request, from 0 to 1."""
    place: str | None
    order: int | None
    lines: tuple[LineTold, ...]
    """Lines with ink."""

    @property
    def loaded(self) -> int:
        """How many of its lines are loaded."""
        return sum(line.place is not None for line in self.lines)


class PartTold(Told):
    """Text of the request that is not the workspace's."""

    source: str
    place: str
    tokens: int
    share: float


class Inventory(Told):
    """Everything `measure context` tells."""

    schema_version: Literal[1] = 1
    workspace: str
    client: str
    client_version: str
    condition: str
    model: str
    """As the request names it."""
    model_named: bool
    """Whether the user named it; else it is the client's own default."""
    bytes: int
    tokens: int
    tokens_are: str = TOKENS_ARE
    masks: str = MASKS_VERSION
    files: tuple[FileTold, ...]
    """In the order in which the model reads them; those that are not loaded come last."""
    others: tuple[PartTold, ...]
    """The client's own text and whatever else is in the request, by part."""
    outside: tuple[str, ...] = ()
    """What loads in real use, is not in the workspace and is kept out of launches here."""
    notices: tuple[str, ...]


def take_inventory(
    sources: Sources, surface: Surface, *, client: str, version: str, condition: str, model_named: bool
) -> Inventory:
    """Count a request by its sources."""
    request = sources.request
    workspace = read_workspace(surface.workspace)
    starts = _starts(request)
    links = tuple(entry for entry in surface.entries if entry.kind is Kind.LINK)
    files = [_file(workspace, sources, file, starts, links) for file in sources.files if _is_text(file)]
    files.sort(key=lambda file: (file.order is None, file.order or 0, file.path))
    return Inventory(
        workspace=shown(surface.workspace),
        client=client,
        client_version=version,
        condition=condition,
        model=request.model,
        model_named=model_named,
        bytes=request.size,
        tokens=request.tokens,
        files=tuple(files),
        others=tuple(_others(sources, files)),
        notices=(*surface.notices, *_left_out(surface)),
    )


def _left_out(surface: Surface) -> Iterator[str]:
    """What is in no arm, unless a notice has said so in words of its own."""
    for left in surface.left_out:
        if not any(notice.startswith(f"{left.path} is in neither arm") for notice in surface.notices):
            yield f"{left.path} is left out: {left.why}"


def _is_text(file: FileText) -> bool:
    return not file.path.endswith(".json") and b"\0" not in file.data


def _starts(request: Request) -> list[int]:
    """The number of lines before each piece."""
    starts, total = [], 0
    for piece in request.pieces:
        starts.append(total)
        total += piece.text.count("\n") + 1
    return starts


def _file(
    workspace: Workspace, sources: Sources, file: FileText, starts: list[int], links: tuple[Entry, ...]
) -> FileTold:
    lines = tuple(
        _line(workspace, sources, file, number, text, starts)
        for number, text in enumerate(file.lines, start=1)
        if text.strip()
    )
    tokens = sum(line.tokens for line in lines if line.place is not None) * max(1, file.copies)
    first = min((line for line in lines if line.order is not None), key=lambda line: line.order or 0, default=None)
    place = classify(workspace, file.path, file.data)
    via = next(
        (
            (name, linked)
            for name in names_by_link(file.path, links)
            if (linked := classify(workspace, name, file.data)) is not None
        ),
        None,
    )
    role = place.role if place is not None else via[1].role if via is not None else "file"
    return FileTold(
        path=file.path,
        role=role,
        via=via[0] if via is not None else None,
        times=file.copies,
        tokens=tokens,
        share=_share(tokens, sources.request),
        place=first.place if first else None,
        order=first.order if first else None,
        lines=lines,
    )


def _line(
    workspace: Workspace, sources: Sources, file: FileText, number: int, text: str, starts: list[int]
) -> LineTold:
    size = estimate_tokens(text.strip().encode("utf-8", "replace"))
    spot = file.spots.get(number) or _spot_in_list(file, text)
    if spot is None:
        why = why_absent(workspace, sources, file, number)
        return LineTold(line=number, text=text, tokens=size, why_not=why.words)
    piece = sources.request.pieces[spot.piece]
    return LineTold(
        line=number,
        text=text,
        tokens=size,
        place=piece.place.value,
        where=piece.where,
        order=starts[spot.piece] + spot.line + 1,
    )


def _spot_in_list(file: FileText, text: str) -> Spot | None:
    """Where a line of front matter shows in a list, if the part that is shown holds it whole."""
    for listed in file.listed:
        words = " ".join(text.split())
        if words.startswith("name:"):
            return listed.spot
        value = words.partition(":")[2].strip(" \"'") if words.startswith(f"{listed.key}:") else words
        value = value.strip("\"'")
        if value and value not in {">", "|", ">-", "|-"} and value in listed.value[: listed.shown]:
            return listed.spot
    return None


def _share(tokens: int, request: Request) -> float:
    return round(tokens / request.tokens, 4) if request.tokens else 0.0


def _others(sources: Sources, files: list[FileTold]) -> Iterator[PartTold]:
    """What is left of each part of the request once the workspace's lines are taken out."""
    request = sources.request
    parts: dict[tuple[str, str], int] = {}
    for number, piece in enumerate(request.pieces):
        outside = {path for path, start in sources.outside if start.piece == number}
        for path in outside:
            lines = [
                line for at, line in enumerate(piece.text.split("\n")) if sources.section_of(Spot(number, at)) == path
            ]
            key = (path, piece.place.value)
            parts[key] = parts.get(key, 0) + estimate_tokens("\n".join(lines).encode("utf-8", "replace"))
        key = ("the client", piece.place.value)
        parts[key] = parts.get(key, 0) + piece.tokens
    for (source, place), tokens in parts.items():
        if source != "the client":
            parts["the client", place] -= tokens
    for file in files:
        if file.place is not None and ("the client", file.place) in parts:
            parts["the client", file.place] -= file.tokens
    for (source, place), tokens in parts.items():
        if tokens > 0:
            yield PartTold(source=source, place=place, tokens=tokens, share=_share(tokens, request))
