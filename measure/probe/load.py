"""Probe files from disk: what `--probe` names becomes probes that remember their file and its digest.

Invariant: every file that was named is either loaded or told about; no id stands for two probes; zero probes is an
error and never an empty success.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure.errors import ProbeError
from measure.probe.form import Problem, UnusableFileError, fit, read_document, refused
from measure.probe.model import Probe

SUITE_FILE = "suite.toml"
"""The file that makes a folder a suite; never itself a probe. See `measure.probe.suite`."""


@dataclass(frozen=True, slots=True)
class LoadedProbe:
    """A probe, the file it came from as it was named, and the SHA-256 of that file's bytes in hexadecimal."""

    probe: Probe
    path: Path
    digest: str


def load_probe(path: Path) -> LoadedProbe:
    """Load one file. Raises `UnusableFileError` that lists everything wrong with it."""
    document = read_document(path)
    return LoadedProbe(fit(Probe, document), path, document.digest)


def load_probes(paths: Sequence[Path]) -> tuple[LoadedProbe, ...]:
    """Load files and folders of probes (`*.toml` right inside, sorted by name), in the order given.

    Raises `UnusableFileError` with the problems of all files at once, and `ProbeError` where nothing was named.
    """
    loaded, problems = gather_probes(paths)
    if problems:
        raise UnusableFileError(problems)
    return loaded


def gather_probes(paths: Sequence[Path]) -> tuple[tuple[LoadedProbe, ...], tuple[Problem, ...]]:
    """As `load_probes`, but the probes that can be loaded come together with the problems of those that can't."""
    if not paths:
        raise ProbeError("no probe was named", hint="name a probe file or a folder of them: --probe FILE")
    loaded: list[LoadedProbe] = []
    problems: list[Problem] = []
    for named in paths:
        try:
            files = probe_files(named) if named.is_dir() else (named,)
        except UnusableFileError as error:
            problems.extend(error.problems)
            continue
        for file in files:
            try:
                loaded.append(load_probe(file))
            except UnusableFileError as error:
                problems.extend(error.problems)
    problems.extend(shared_ids(loaded))
    return tuple(loaded), tuple(problems)


def probe_files(folder: Path) -> tuple[Path, ...]:
    """The probe files right inside `folder`, sorted by name; never those of folders inside it.

    Raises `UnusableFileError` for a folder that can't be listed or holds none.
    """
    try:
        files = sorted(entry for entry in folder.iterdir() if entry.suffix == ".toml" and entry.name != SUITE_FILE)
    except OSError as error:
        raise refused(folder, f"can't be read: {error.strerror}") from None
    if not files:
        below = sorted({entry.parent for entry in folder.glob("*/*.toml")})
        instead = f"; its folders do, name one of them: {below[0]}" if below else ""
        raise refused(folder, f"holds no probe: expected at least one *.toml right inside this folder{instead}")
    return tuple(files)


def shared_ids(loaded: Iterable[LoadedProbe]) -> tuple[Problem, ...]:
    """One problem for every probe whose id an earlier one has; ids that differ only in case are the same.

    Ids become names of files, and on some systems `Push` and `push` are one file.
    """
    owners: dict[str, LoadedProbe] = {}
    problems = []
    for one in loaded:
        owner = owners.setdefault(one.probe.id.casefold(), one)
        if owner is not one:
            same = owner.path.absolute() == one.path.absolute()
            why = "the same file was named twice" if same else f"{owner.path} has it too; every probe needs its own"
            problems.append(Problem(str(one.path), "id", f'"{one.probe.id}" is taken: {why}'))
    return tuple(problems)
