"""Everything `measure probe check` has to say about what it was given.

Invariant: a file that can't be loaded is a finding like any other, and the other files are checked all the same; a
place that could not be looked up is told, never taken for a good one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measure.contrast import Contrast, edit_from_target, find_contrast
from measure.errors import RequestError, WorkspaceError
from measure.probe.lint import Finding, Severity, check, scene_of, unusable
from measure.probe.load import LoadedProbe
from measure.probe.place import scene_at
from measure.probe.suite import ProbeGroup, gather_groups
from measure.surface import Surface, read_surface


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


def examine(paths: Sequence[Path], workspace: Path | None = None, include: Sequence[str] = ()) -> Examination:
    """Check every probe that `paths` name.

    Targets are looked up in `workspace` where it is given, else in the suite's, else in the current folder if that
    holds the file; `include` names files of the arms beside those the client loads. Raises `ProbeError` where no path
    is given, `WorkspaceError` where `workspace` is no folder.
    """
    if workspace is not None and not workspace.is_dir():
        raise WorkspaceError(f"no such workspace: {workspace}", hint="name the folder that holds the instructions")
    groups, problems = gather_groups(paths)
    findings = [Finding("unusable", Severity.ERROR, one.file, one.key, one.message, "") for one in problems]
    surfaces = _Surfaces(tuple(include))
    notes: list[str] = []
    for group in groups:
        found, untold = _examine_group(group, workspace, surfaces)
        findings.extend(found)
        notes.extend(untold)
    return Examination(tuple(one for group in groups for one in group.probes), tuple(findings), tuple(notes))


@dataclass(slots=True)
class _Surfaces:
    """Each workspace is read once."""

    include: tuple[str, ...]
    read: dict[Path, Surface] = field(default_factory=dict)

    def of(self, workspace: Path) -> Surface:
        if workspace not in self.read:
            self.read[workspace] = read_surface(workspace, self.include)
        return self.read[workspace]


def _examine_group(group: ProbeGroup, workspace: Path | None, surfaces: _Surfaces) -> tuple[list[Finding], list[str]]:
    findings: list[Finding] = []
    notes: list[str] = []
    first: tuple[LoadedProbe, Contrast] | None = None
    if workspace is None and group.settings is not None:
        workspace = group.settings.workspace
    for loaded in group.probes:
        target = loaded.probe.target
        scene = scene_of(loaded.probe)
        where = workspace or (Path() if target is not None and _is_here(target.file) else None)
        if target is not None and where is not None:
            try:
                surface = surfaces.of(where)
                contrast = find_contrast(surface, edit_from_target(target))
            except RequestError as error:
                findings.append(_at_target("target", loaded, error.message, error.hint or ""))
            else:
                scene = scene_at(surface, contrast)
                first = first or (loaded, contrast)
                # Loose files may be checked together without ever being run together; a suite's folder is one run.
                if group.settings is not None and contrast != first[1]:
                    said = f"names another edit than {first[0].path}"
                    findings.append(_at_target("contrast", loaded, said, "the probes of one folder share one contrast"))
        elif target is not None:
            notes.append(f"{loaded.path}: {target.file} was not looked up; name its folder with --workspace")
        findings.extend(check(loaded, scene))
    return findings, notes


def _is_here(file: str) -> bool:
    try:
        return Path(file).is_file()
    except (OSError, ValueError):
        return False


def _at_target(rule: str, loaded: LoadedProbe, message: str, remedy: str) -> Finding:
    return Finding(rule, Severity.ERROR, str(loaded.path), "target", message, remedy)
