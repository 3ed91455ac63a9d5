"""What has to be the same before things may be put together: a run and its later self, a run and a band, two runs.

Invariant: what must match is listed here and nowhere else, and what does not match is named, with both values.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from measure.client.base import Condition
from measure.record.models import Plan

BAND = ("client", "client_version", "model", "name", "stage", "arguments", "variables_set", "max_turns")
"""Fields of the condition that a noise band belongs to."""
RUN = (*BAND, "time_limit_s")
"""Fields of the condition that a run can't change while it goes on, and that two pooled runs share."""
PROCEDURE = ("alpha", "gamma", "margin", "probe_margin", "bets")
"""Parameters without which two verdicts do not mean the same. How long a run could go on is none of them."""


class Mismatch(BaseModel):
    """One thing that must match and does not."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    field: str
    first: str
    second: str


def differing(before: Condition, now: Condition, fields: tuple[str, ...] = RUN) -> list[str]:
    """Names of the fields that must match and don't."""
    # The notes of the simulated agent hold the digest of its dispositions, which are what answers.
    fields = (*fields, "notes") if before.client == "simulated" else fields
    return [name for name in fields if getattr(before, name) != getattr(now, name)]


def mismatches(first: Plan, second: Plan) -> tuple[Mismatch, ...]:
    """Everything that keeps two runs from being taken as like; empty where they are like."""
    found = [
        Mismatch(
            field=f"condition.{name}",
            first=_said(getattr(first.condition, name)),
            second=_said(getattr(second.condition, name)),
        )
        for name in differing(first.condition, second.condition)
    ]
    for name, one, other in (
        ("purpose", first.purpose, second.purpose),
        ("workspace", first.surface.digest, second.surface.digest),
        ("contrast", _contrast(first), _contrast(second)),
        ("judge", first.judge_version, second.judge_version),
        ("constraint", _constraint(first), _constraint(second)),
        ("leaks", first.leaks_version or "not searched", second.leaks_version or "not searched"),
        *(
            (f"parameters.{name}", getattr(first.design.parameters, name), getattr(second.design.parameters, name))
            for name in PROCEDURE
        ),
    ):
        if one != other:
            found.append(Mismatch(field=name, first=_said(one), second=_said(other)))
    probes = [{entry.probe.id: entry.digest[:16] for entry in plan.probes} for plan in (first, second)]
    for probe in dict.fromkeys([*probes[0], *probes[1]]):
        digests = [of.get(probe, "not put") for of in probes]
        if digests[0] != digests[1]:
            found.append(Mismatch(field=f"probe {probe}", first=digests[0], second=digests[1]))
    return tuple(found)


def _contrast(plan: Plan) -> str:
    contrast = plan.contrast
    return f"{contrast.kind} {contrast.place}, variant {contrast.file_digest_variant}"


def _constraint(plan: Plan) -> str:
    return plan.constraint.version if plan.constraint is not None else "none"


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(str(part) for part in value) or "none"
    return str(value)
