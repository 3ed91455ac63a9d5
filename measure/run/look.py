"""One launch against loopback, to see what a workspace's agent receives.

Invariant: like a run it stands in the arena and under its lock, and leaves nothing; unlike a run it writes no record
and reaches no model.
"""

from __future__ import annotations

import os
from pathlib import Path

from measure.arena.arena import Arena
from measure.arena.lock import SILENT_AFTER_S
from measure.client.claude import ClaudeClient, open_claude
from measure.context.capture import capture
from measure.context.inventory import Inventory, take_inventory
from measure.context.outside import loaded_in_real_use, never_by_name
from measure.context.sources import Sources, find_sources
from measure.run.locked import in_arena
from measure.surface import Surface, read_surface

DEFAULT_MODEL = "default"
"""The client's own name for the model it uses where none is named."""
PROMPT = "Which instructions apply here?"


def look(
    workspace: Path, *, client: Path | None, model: str | None, condition: str, include: tuple[str, ...] = ()
) -> Inventory:
    """What a launch in a clone of `workspace` would send. Raises what a run would raise before its first launch."""
    surface = read_surface(workspace, include)
    opened = open_claude(model=model or DEFAULT_MODEL, environ=os.environ, condition=condition, client=client)
    inventory = take_inventory(
        _sources(opened, surface),
        surface,
        client=opened.condition.client,
        version=opened.condition.client_version,
        condition=condition,
        model_named=model is not None,
    )
    return inventory.model_copy(
        update={
            "outside": tuple(loaded_in_real_use(surface, os.environ)),
            "notices": (*inventory.notices, *never_by_name(surface)),
        }
    )


def _sources(client: ClaudeClient, surface: Surface) -> Sources:
    async def work(arena: Arena) -> Sources:
        arms = arena.build(surface, None)
        with arena.stall(arms.baseline, at_desk=True) as stall:
            request = await capture(client, cwd=stall.path, temp=stall.temp, prompt=PROMPT)
        return find_sources(request, surface, arms.baseline)

    return in_arena(work, silent_after_s=SILENT_AFTER_S, after_a_signal="Nothing was spent.")
