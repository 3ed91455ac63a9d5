"""The plan as it is written before the first launch: everything that is known and fixed by then.

Invariant: nothing secret is in it; texts of the workspace and places of this machine are masked on the way in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from measure import __version__
from measure.arena.arena import Arms
from measure.client.base import Client, Condition
from measure.context.constraint import constraint_of
from measure.context.proof import Proof
from measure.judge import VERSION as JUDGE_VERSION
from measure.judge.leaks import VERSION as LEAKS_VERSION
from measure.record.models import Arm, ContrastRecord, Plan, SurfaceRecord
from measure.run.places import mask_home
from measure.run.prepare import Prepared


@dataclass(frozen=True, slots=True)
class Ready:
    """A contrast whose arms stand and whose requests were seen."""

    one: Prepared
    client: Client
    arms: Arms
    proof: Proof | None = None


def plan_of(ready: Ready, run_id: str, together: tuple[str, ...] = ()) -> Plan:
    """The plan as it is written before the first launch."""
    one, client = ready.one, ready.client
    condition = client.condition.model_copy(update={"paths": one.paths})
    plan = planned(one, condition, client.masked, run_id, together)
    notices = (*plan.surface.notices, *map(client.masked, ready.arms.notices))
    return plan.model_copy(
        update={"surface": plan.surface.model_copy(update={"notices": notices}), "proof": ready.proof}
    )


def planned(
    one: Prepared, condition: Condition, masked: Callable[[str], str], run_id: str, together: tuple[str, ...] = ()
) -> Plan:
    """What is known of a plan before its arms are made."""
    surface = one.surface
    return Plan(
        run_id=run_id,
        created=datetime.now(UTC),
        measure_version=__version__,
        condition=condition,
        contrast=_contrast_record(one, masked),
        surface=SurfaceRecord(
            workspace=mask_home(surface.workspace),
            digest=surface.digest,
            files=len(surface.entries),
            bytes=sum(entry.size for entry in surface.entries),
            settings_removed=surface.settings_removed,
            left_out=tuple(f"{left.path}: {left.why}" for left in surface.left_out),
            notices=tuple(map(masked, one.notices)),
            includes=one.includes,
        ),
        probes=one.probes,
        scope=one.scope,
        design=one.design,
        judge_version=JUDGE_VERSION,
        constraint=constraint_of(one.stage),
        leaks_version=LEAKS_VERSION,
        purpose=one.purpose,
        bands=one.bands,
        client_asked=one.client if one.client in {"claude", "simulated"} else mask_home(Path(one.client).absolute()),
        agent=mask_home(one.agent.absolute()) if one.agent is not None else None,
        suite=one.suite,
        together=together,
    )


CONTEXT_LINES = 3
"""Neighbouring lines kept on each side of the contrast."""


def _contrast_record(one: Prepared, masked: Callable[[str], str]) -> ContrastRecord:
    contrast = one.contrast
    entry = one.surface.by_path[contrast.path]
    assert entry.source is not None
    data = entry.source.read_bytes()
    before = masked(data[: contrast.start].decode("utf-8", "replace")).splitlines()
    after = masked(data[contrast.end :].decode("utf-8", "replace")).splitlines()
    return ContrastRecord(
        kind=contrast.kind.value,
        file=contrast.path,
        line=contrast.line,
        start=contrast.start,
        end=contrast.end,
        before=masked(contrast.before.decode()),
        after=masked(contrast.after.decode()),
        text=masked(contrast.text),
        with_arm=Arm(contrast.with_arm),
        context_before=tuple(before[-CONTEXT_LINES:]),
        context_after=tuple(after[:CONTEXT_LINES]),
        file_digest_baseline=contrast.digest_before,
        file_digest_variant=contrast.digest_after,
        notices=contrast.notices,
    )
