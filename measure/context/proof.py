"""What was seen in the two requests before anything was spent, as it is kept in the record."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Stored(BaseModel):
    """Frozen and closed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Elsewhere(Stored):
    """The contrast's words in another place of what the arm without the line is given."""

    source: str
    """`FILE:LINE` of the workspace, or whose text it is."""
    place: str
    """Which part of the request it stands in."""
    likeness: Literal["same", "near"]
    """`same`: the whole line, however typed; `near`: most of its words close together."""
    text: str


class Proof(Stored):
    """That the two arms' requests differ in the intended line and in nothing else.

    Digests are SHA-256 in hex over the bodies with everything taken out that `masks` names.
    """

    reached: Literal["launch", "on-demand"]
    """`launch`: the line stands in the first request. `on-demand`: it does not, the bodies are equal, and each trial
    has to show that the text was reached."""
    masks: str
    """Version of the list of what may differ between launches."""
    masked: tuple[str, ...]
    digest_baseline: str
    digest_variant: str
    bytes_baseline: int
    bytes_variant: int
    tokens_baseline: int
    tokens_variant: int
    tokens_are: str
    only_baseline: tuple[str, ...]
    """Lines that only the baseline's request has, as sent."""
    only_variant: tuple[str, ...]
    places: tuple[str, ...]
    """Where in the request the contrast shows; several where a file is loaded more than once."""
    framing: tuple[str, ...] = ()
    """Words of the client's own that come or go with the line, because its file is blank without it."""
    brought: tuple[str, ...] = ()
    """Files that come or go with the line, because it imports them."""
    elsewhere: tuple[Elsewhere, ...] = ()
    prompts: int = 1
    """How many of the probes' prompts were captured."""
    model: str
    """The model that the client asks for."""
    notices: tuple[str, ...] = ()
