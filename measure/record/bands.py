"""Noise bands among the records, found again by exactly matching condition.

Invariant: a band is never carried to another client version, model or set of flags; the newest one that matches in
every field counts, and it is kept in a small file beside its record so that finding it reads nothing else.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from measure.client.base import Condition
from measure.probe.model import Axis
from measure.record.condition import BAND as BAND_FIELDS
from measure.record.condition import differing
from measure.record.models import BandUsed, NoiseBand, RunRecord, Stored
from measure.record.store import dump, write_whole

BAND = "band.json"


class BandFile(Stored):
    """The bands of one run with identical arms, and the condition they were measured under."""

    run_id: str
    condition: Condition
    bands: NoiseBand


def keep_band(folder: Path, record: RunRecord) -> None:
    """Put the bands of a finished band run beside its record. Raises `RecordError`."""
    if record.plan is not None and record.result.status == "band":
        file = BandFile(run_id=record.run_id, condition=record.plan.condition, bands=record.result)
        write_whole(folder / BAND, dump(file))


def find_bands(root: Path, condition: Condition) -> tuple[BandUsed, ...]:
    """The newest band of each axis under exactly this condition; files that can't be read are passed over."""
    found: dict[Axis, BandUsed] = {}
    for path in sorted(root.glob(f"*/{BAND}"), reverse=True):
        try:
            file = BandFile.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            continue
        if not differing(file.condition, condition, BAND_FIELDS):
            for band in file.bands.bands:
                found.setdefault(band.axis, BandUsed(run_id=file.run_id, band=band))
    return tuple(found[axis] for axis in Axis if axis in found)
