"""Suites and groups: which probes are put together in one run, and with what settings.

A folder with a `suite.toml` is a suite: it names the workspace, the client and the sub-folders of probes that belong
together. Each of those folders shares one contrast and becomes one run.

Invariant: a suite names everything it runs. A folder that is missing or empty, and a probe file that no contrast
takes in, are errors; nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, Self

from pydantic import Field, model_validator

from measure.errors import ProbeError
from measure.probe.form import Problem, UnusableFileError, fit, read_document
from measure.probe.load import SUITE_FILE, LoadedProbe, gather_probes
from measure.probe.model import Identifier, SchemaVersion, Strict, Written, broken_rule


class Suite(Strict):
    """A `suite.toml`. All paths are relative to its folder."""

    schema_: SchemaVersion = Field(alias="schema", description="the number 1")
    description: Written | None = Field(None, description="a sentence or two for readers, as a string")
    workspace: Written | None = Field(None, description="the path of a folder, relative to this file")
    client: Literal["claude", "simulated"] | None = Field(None, description='"claude" or "simulated"')
    agent: Written | None = Field(
        None, description="the path of the simulated agent's dispositions, relative to this file"
    )
    model: Written | None = Field(None, description="the name of the model, as a string")
    contrasts: tuple[Identifier, ...] = Field(
        strict=False, min_length=1, description="an array of the names of sub-folders with probes"
    )

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if len({name.casefold() for name in self.contrasts}) != len(self.contrasts):
            raise broken_rule("contrasts", "names a folder twice")
        for key in ("workspace", "agent"):
            value = getattr(self, key)
            if value is not None and (PurePosixPath(value).is_absolute() or "\\" in value):
                raise broken_rule(key, f'expected a path relative to this file, with "/", found "{value}"')
        if self.client == "simulated" and self.agent is None:
            raise broken_rule("agent", "missing; the simulated client needs the file of its dispositions")
        if self.client != "simulated" and self.agent is not None:
            raise broken_rule("agent", "only the simulated client has dispositions; take it out or set client")
        return self


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """How a suite's probes are to be run, with its paths resolved. None: the suite does not say."""

    path: Path
    """The `suite.toml` itself."""
    digest: str
    """SHA-256 of its bytes in hexadecimal."""
    workspace: Path | None
    client: Literal["claude", "simulated"] | None
    agent: Path | None
    model: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class ProbeGroup:
    """Probes that are put in one run and must share one contrast. `settings` is None outside suites."""

    name: str
    probes: tuple[LoadedProbe, ...]
    settings: SuiteSettings | None = None


def load_groups(paths: Sequence[Path]) -> tuple[ProbeGroup, ...]:
    """What `--probe` names, as runs: one group per contrast of each suite, and one of all else put together.

    A folder that a suite in the folder above takes in is loaded with that suite's settings. Raises
    `UnusableFileError` with everything that is wrong with any of the files, and `ProbeError` for no path.
    """
    groups, problems = gather_groups(paths)
    if problems:
        raise UnusableFileError(problems)
    return groups


def gather_groups(paths: Sequence[Path]) -> tuple[tuple[ProbeGroup, ...], tuple[Problem, ...]]:
    """As `load_groups`, but what can be loaded comes together with the problems of what can't."""
    if not paths:
        raise ProbeError("no probe was named", hint="name a probe file or a folder of them: --probe FILE")
    planned: list[tuple[str, list[Path], SuiteSettings | None]] = []
    loose: list[Path] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            if (path / SUITE_FILE).is_file():
                suite, settings = load_suite(path)
                planned.extend((name, [path / name], settings) for name in suite.contrasts)
            elif path.is_dir() and (above := _suite_above(path)) is not None:
                planned.append((path.absolute().name, [path], above))
            else:
                loose.append(path)
        except UnusableFileError as error:
            problems.extend(error.problems)
    if loose:
        planned.append((_name_of(loose), loose, None))
    groups = []
    for name, members, chosen in planned:
        probes, wrong = gather_probes(members)
        problems.extend(wrong)
        if probes:
            groups.append(ProbeGroup(name, probes, chosen))
    return tuple(groups), tuple(problems)


def load_suite(folder: Path) -> tuple[Suite, SuiteSettings]:
    """Read and check the `suite.toml` in `folder`. Raises `UnusableFileError`."""
    document = read_document(folder / SUITE_FILE)
    suite = fit(Suite, document)
    settings = SuiteSettings(
        path=document.path,
        digest=document.digest,
        workspace=folder / suite.workspace if suite.workspace is not None else None,
        client=suite.client,
        agent=folder / suite.agent if suite.agent is not None else None,
        model=suite.model,
        description=suite.description,
    )
    problems = []
    if settings.workspace is not None and not settings.workspace.is_dir():
        problems.append(Problem(str(document.path), "workspace", f"no such folder: {settings.workspace}"))
    if settings.agent is not None and not settings.agent.is_file():
        problems.append(Problem(str(document.path), "agent", f"no such file: {settings.agent}"))
    problems.extend(
        Problem(str(document.path), f"contrasts[{index}]", f"no such folder: {folder / name}")
        for index, name in enumerate(suite.contrasts)
        if not (folder / name).is_dir()
    )
    problems.extend(
        Problem(str(stray), "", f"lies beside {SUITE_FILE} and belongs to no contrast; move it into one of its folders")
        for stray in sorted(folder.glob("*.toml"))
        if stray.name not in {SUITE_FILE, suite.agent}
    )
    if problems:
        raise UnusableFileError(problems)
    return suite, settings


def _suite_above(folder: Path) -> SuiteSettings | None:
    above = folder.absolute().parent
    if not (above / SUITE_FILE).is_file():
        return None
    suite, settings = load_suite(above)
    return settings if folder.absolute().name in suite.contrasts else None


def _name_of(paths: Sequence[Path]) -> str:
    first = paths[0].absolute()
    return (first.stem if first.suffix == ".toml" else first.name) if len(paths) == 1 else "probes"
