"""Which of the recorded runs are wanted, and in which order.

Invariant: a filter takes away and never changes; what it could not understand is refused, not passed over.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from measure.errors import RequestError
from measure.record.library import Row
from measure.verdict.finding import FindingKind

FINDINGS = (
    FindingKind.LOAD_BEARING.value,
    FindingKind.RESTATEMENT.value,
    FindingKind.REDUNDANT.value,
    FindingKind.TO_STAGE_2.value,
    FindingKind.UNDECIDED.value,
    FindingKind.INVALID.value,
    FindingKind.UNMEASURED.value,
    "band",
)
"""In the order in which a reader wants them: what changes conduct first, what settles nothing last."""

ORDERS: dict[str, Callable[[Row], Any]] = {
    "newest": lambda row: (-row.created.timestamp(), row.run_id),
    "oldest": lambda row: (row.created, row.run_id),
    "finding": lambda row: (FINDINGS.index(row.finding), -row.created.timestamp()),
    "place": lambda row: (row.place or "", -row.created.timestamp()),
    "launches": lambda row: (-row.launches, -row.created.timestamp()),
    "cost": lambda row: (-(row.cost_usd or 0.0), -row.created.timestamp()),
}
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Every one of them has to fit; None fits everything."""

    findings: tuple[str, ...] = ()
    model: str | None = None
    """A name, or a pattern with * and ?."""
    file: str | None = None
    """A path of the workspace, or a pattern; `FILE:LINE` for one line."""
    since: datetime | None = None

    def fits(self, row: Row) -> bool:
        """Whether a run is wanted."""
        return (
            (not self.findings or row.finding in self.findings)
            and (self.model is None or _like(row.model, self.model))
            and (self.file is None or _like(row.file, self.file) or _like(row.place, self.file))
            and (self.since is None or row.created >= self.since)
        )


def _like(value: str | None, pattern: str) -> bool:
    return value is not None and (value == pattern or fnmatch.fnmatchcase(value, pattern))


def wanted(
    findings: Iterable[str] = (), model: str | None = None, file: str | None = None, since: str | None = None
) -> Wanted:
    """Read what was asked for. Raises `RequestError` for an unknown finding or an unreadable date."""
    findings = tuple(findings)
    for finding in findings:
        if finding not in FINDINGS:
            raise RequestError(f"--finding {finding!r}: expected one of {', '.join(FINDINGS)}")
    return Wanted(findings, model, file, _moment(since) if since is not None else None)


def _moment(said: str) -> datetime:
    ago = re.fullmatch(r"(\d{1,4})([hdw])", said.strip())
    if ago is not None:
        return datetime.now(UTC) - int(ago[1]) * UNITS[ago[2]]
    try:
        moment = datetime.fromisoformat(said.strip())
    except ValueError:
        raise RequestError(
            f"--since {said!r}: expected a date such as 2026-03-01, a time, or how long ago, such as 12h, 7d or 2w"
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def ordered(rows: Iterable[Row], order: str) -> list[Row]:
    """The rows in one of the `ORDERS`. Raises `RequestError` for another."""
    if order not in ORDERS:
        raise RequestError(f"--sort {order!r}: expected one of {', '.join(ORDERS)}")
    return sorted(rows, key=ORDERS[order])
