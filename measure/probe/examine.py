"""Everything `measure probe check` has to say about what it was given.

Invariant: a file that can't be loaded is a finding like any other, and the other files are checked all the same; a
place that could not be looked up is told, never taken for a good one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure.errors import WorkspaceError
from measure.probe.lint import Finding, Severity, check, scene_of, unusable
from measure.probe.load import LoadedProbe
from measure.probe.place import Place, survey
from measure.probe.suite import ProbeGroup, gather_groups


@dataclass(frozen=True, slots=True)
class Examination:
    """What was checked and what was found. `notes` tell what could not be looked at."""

    probes: tuple[LoadedProbe, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether no finding is an error."""
        return not unusable(self.findings)


def examine(paths: Sequence[Path], workspace: Path | None = None) -> Examination:
    """Check every probe that `paths` name.

    Targets are looked up in `workspace` where it is given, else in the suite's, else in the current folder if that
    holds the file. Raises `ProbeError` where no path is given, `WorkspaceError` where `workspace` is no folder.
    """
    if workspace is not None and not workspace.is_dir():
        raise WorkspaceError(f"no such workspace: {workspace}", hint="name the folder that holds the instructions")
    groups, problems = gather_groups(paths)
    findings = [Finding("unusable", Severity.ERROR, one.file, one.key, one.message, "") for one in problems]
    notes: list[str] = []
    for group in groups:
        settled = workspace or (group.settings.workspace if group.settings is not None else None)
        found, untold = _examine_group(group, settled)
        findings.extend(found)
        notes.extend(untold)
    return Examination(tuple(one for group in groups for one in group.probes), tuple(findings), tuple(notes))


def _examine_group(group: ProbeGroup, workspace: Path | None) -> tuple[list[Finding], list[str]]:
    findings: list[Finding] = []
    notes: list[str] = []
    first: tuple[LoadedProbe, object] | None = None
    for loaded in group.probes:
        probe = loaded.probe
        scene, place = scene_of(probe), None
        where = workspace or _here(probe.target.file if probe.target is not None else None)
        if where is not None:
            try:
                scene, place = survey(probe, where)
            except WorkspaceError as error:
                findings.append(Finding("target", Severity.ERROR, str(loaded.path), "target", error.message, ""))
        elif probe.target is not None:
            notes.append(f"{loaded.path}: {probe.target.file} was not looked up; name its folder with --workspace")
        findings.extend(check(loaded, scene))
        # Loose files may be checked together without ever being run together; a suite's folder is one run.
        if group.settings is not None:
            edit = _edit(loaded, place)
            first = first or (loaded, edit)
            if edit != first[1]:
                said = f"names another edit than {first[0].path}; the probes of one folder share one contrast"
                findings.append(Finding("contrast", Severity.ERROR, str(loaded.path), "target", said, ""))
    return findings, notes


def _here(file: str | None) -> Path | None:
    return Path() if file is not None and Path(file).is_file() else None


def _edit(loaded: LoadedProbe, place: Place | None) -> object:
    target = loaded.probe.target
    if target is None or place is None:
        return target
    return place.file, place.number, target.replace_with, target.add
