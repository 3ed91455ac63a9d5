"""The records of contrasts that were planned and could not be begun: no client, or the workspace was being edited.

Invariant: one record for each contrast, holding all of its plan that does not depend on a client, so that it is found
by its line, its file and its model like any other; what is not known of the client is said to be unknown.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from measure.client.base import Condition
from measure.client.masking import Mask
from measure.record.build import build
from measure.record.models import RunRecord, Stop
from measure.record.store import RunWriter, new_run_ids
from measure.run.places import mask_home
from measure.run.planning import planned
from measure.run.prepare import Prepared
from measure.run.request import RunRequest
from measure.verdict.vocabulary import WhyUnmeasured

UNKNOWN = "unknown"


def record_not_begun(
    root: Path, request: RunRequest, prepared: Sequence[Prepared], reason: WhyUnmeasured, why: str
) -> tuple[RunRecord, ...]:
    """Write a record for each contrast that says that nothing was launched, and `why`. Raises `RecordError`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() fails where there is no home
    mask = Mask.build(os.environ, home=home)
    records = []
    for one, run_id in zip(prepared, new_run_ids(len(prepared)), strict=True):
        plan = planned(one, _condition(request, one), mask.text, run_id)
        stop = Stop(reason=reason.value, detail=mask.text(why))
        record = build(plan, (), stop, complete=True)
        writer = RunWriter.create(root, plan)
        writer.finish(record)
        writer.close()
        records.append(record)
    return tuple(records)


def _condition(request: RunRequest, one: Prepared) -> Condition:
    """The condition that was asked for."""
    named = one.client in {"claude", "simulated"}
    return Condition(
        client=one.client if named else "claude",
        client_version=UNKNOWN,
        client_path=UNKNOWN if named else mask_home(Path(one.client).absolute()),
        model=one.model,
        name=request.condition,
        stage=one.stage,
        arguments=(),
        variables_set={},
        variables_passed=(),
        max_turns=request.max_turns,
        time_limit_s=request.time_limit_s,
        containment=UNKNOWN,
        paths=one.paths,
    )
