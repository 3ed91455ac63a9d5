"""The boot profile of a context layer, held against what its specification asks of it.

Invariant: what the specification demands is an error, what it recommends a warning (Leji 1.0, boot profile,
requirements 1 to 7; context layer, the vendor-adapter rule).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from measure.surface.finding import Finding, Severity
from measure.surface.imports import find_imports
from measure.surface.leji import MANIFEST_FILE, Manifest
from measure.surface.markdown import read_markdown
from measure.surface.mounts import check_mounts, read_mounts

VENDOR_FILES = (
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".github/copilot-instructions.md",
)
"""Entry files that hosts read by themselves; each that exists leads to the boot profile."""

SECTIONS = {
    "Identity": re.compile(r"identity|overview|概要|概述|概览|身份|identidade|identidad|danh tính", re.IGNORECASE),
    "Loading": re.compile(r"loading|what to (?:load|read)|読み込み|読込|加载|carregamento|carga|tải", re.IGNORECASE),
    "Posture": re.compile(r"posture|姿勢|姿态|postura|tư thế", re.IGNORECASE),
}
"""The three things a boot profile covers, and how a heading says so."""


def check_boot_profile(root: Path, manifest: Manifest) -> Iterator[Finding]:
    """What is wrong with the layer's boot profile, its mounts and the entry files that lead to it."""
    path = manifest.boot_profile_path
    for problem in manifest.problems:
        yield Finding(problem.path, problem.line, "manifest", Severity.ERROR, problem.message, problem.fix)
    yield from _redirects(root, manifest)
    try:
        data = (root / path).read_bytes()
    except OSError as reason:
        words = f"the boot profile can't be read: {reason.strerror or reason}"
        yield Finding(
            path, 1, "boot-profile", Severity.ERROR, words, f"add it, or mend bootProfilePath in {MANIFEST_FILE}"
        )
        return
    yield from _sections(path, data)
    yield from _vendor_syntax(root, path, data)
    yield from _links(root, manifest, data.decode("utf-8", "replace"))
    for problem in check_mounts(read_mounts(data, path), manifest.mounts, path):
        yield Finding(problem.path, problem.line, "mounts", Severity.ERROR, problem.message, problem.fix)


def _sections(path: str, data: bytes) -> Iterator[Finding]:
    headings = [heading.text for heading in read_markdown(data).headings]
    for name, pattern in SECTIONS.items():
        if not any(pattern.search(heading) for heading in headings):
            words = f"no section on {name}"
            yield Finding(path, 1, "boot-section", Severity.ERROR, words, f"add a heading “{name}” and what it covers")


def _vendor_syntax(root: Path, path: str, data: bytes) -> Iterator[Finding]:
    for found in find_imports(data.decode("utf-8", "replace")):
        if (root / posixpath.join(posixpath.dirname(path), found.path)).is_file():
            words = f"“@{found.path}” is one vendor's way to import a file"
            yield Finding(
                path, found.line, "boot-profile", Severity.ERROR, words, "name the path in words or as a link"
            )


def _redirects(root: Path, manifest: Manifest) -> Iterator[Finding]:
    boot = manifest.boot_profile_path
    for path in dict.fromkeys((*manifest.vendor_adapters, *VENDOR_FILES)):
        if path == boot:
            continue
        try:
            text = (root / path).read_bytes().decode("utf-8", "replace")
        except OSError:
            if path in manifest.vendor_adapters:
                words = f"{path} is listed in vendorAdapters and can't be read"
                yield Finding(MANIFEST_FILE, 1, "boot-redirect", Severity.WARNING, words, "add the file, or unlist it")
            continue
        relative = posixpath.relpath(boot, posixpath.dirname(path) or ".")
        if boot not in text and relative not in text:
            words = "this entry file does not lead to the boot profile"
            yield Finding(path, 1, "boot-redirect", Severity.ERROR, words, f"point to {boot} in one line")


def _links(root: Path, manifest: Manifest, text: str) -> Iterator[Finding]:
    path = manifest.boot_profile_path
    wanted = {"the manifest": MANIFEST_FILE}
    for key, words in (("indexPath", "the context index"), ("agentProfilesPath", "the agent profiles")):
        if key in manifest.machine and (root / manifest.machine[key]).exists():
            wanted[words] = manifest.machine[key]
    for words, target in wanted.items():
        if posixpath.basename(target) not in text:
            yield Finding(path, 1, "boot-link", Severity.WARNING, f"no link to {words}", f"link to {target}")
    if not re.search(r"change ?log|decision|変更履歴|決定", text, re.IGNORECASE):
        words = "neither where changes are logged nor how decisions are recorded"
        yield Finding(path, 1, "boot-link", Severity.WARNING, words, "say where both are")
