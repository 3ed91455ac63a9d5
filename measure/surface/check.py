"""The check of governed text: every file against the format its place asks for.

Invariant: reading only. Findings come in the order of path, line and rule; a file no format speaks of has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from measure.surface.boot import check_boot_profile
from measure.surface.bytelines import line_number
from measure.surface.finding import Finding, Severity
from measure.surface.frontmatter import FrontMatter, read_front_matter
from measure.surface.layout import FILE_LIMIT, SurfaceFile, Workspace
from measure.surface.profile import UnsupportedProfileError, read_profiles, resolve_profile
from measure.surface.region import read_region
from measure.surface.skill import OPENING, read_description
from measure.surface.tagged import Tagged, read_tagged

_SOURCE = re.compile(r"rules/.+\.md|skills/[^/]+/SKILL\.md")
_INSTALLED = re.compile(r"\.claude/rules/.+\.md|\.(?:claude|agents|codex)/skills/[^/]+/SKILL\.md")


def check_workspace(workspace: Workspace, files: Sequence[SurfaceFile]) -> tuple[Finding, ...]:
    """Every finding of the files and of the context layer, sorted."""
    findings = [finding for file in files for finding in check_file(workspace, file)]
    findings += _links_as_text(workspace, files)
    if workspace.manifest is not None:
        findings += check_boot_profile(workspace.root, workspace.manifest)
        findings += _profiles(workspace)
    return tuple(sorted(set(findings), key=lambda one: (one.path, one.line, one.rule, one.message)))


def check_file(workspace: Workspace, file: SurfaceFile) -> Iterator[Finding]:
    """The findings of one file by itself."""
    role = file.place.role
    if role in ("skill file", "document", "import"):
        return
    try:
        file.data.decode("utf-8")
    except UnicodeDecodeError as reason:
        line = line_number(file.data, reason.start)
        words = f"byte 0x{file.data[reason.start]:02X} is not UTF-8"
        yield Finding(file.path, line, "encoding", Severity.ERROR, words, "save the file as UTF-8")
    if role == "instructions" and len(file.data) > FILE_LIMIT:
        words = f"{len(file.data):,} bytes; the client leaves out a file of more than {FILE_LIMIT:,}"
        yield Finding(file.path, 1, "size", Severity.ERROR, words, "split it")
    for fault in read_region(file.data).faults:
        yield Finding(file.path, fault.line, "region", Severity.ERROR, fault.message, fault.fix)
    if role == "agent profile" or not file.path.endswith(".md"):
        return
    front = read_front_matter(file.data)
    if front is not None:
        yield from _front_matter(file.path, front)
    is_source = workspace.is_source and _SOURCE.fullmatch(file.path) is not None
    if is_source or _INSTALLED.fullmatch(file.path):
        tagged = read_tagged(file.data)
        if is_source or tagged.has_tags:
            yield from _tags(file.path, tagged)
    if role == "skill":
        yield from _skill(file.path, front, house_form=is_source)


def _front_matter(path: str, front: FrontMatter) -> Iterator[Finding]:
    if front.error is not None:
        # Clients fall back to reading line by line, so the text still arrives; how, is up to their version.
        yield Finding(
            path,
            front.error_line,
            "front-matter",
            Severity.WARNING,
            f"YAML refuses it ({front.error}); clients read it line by line",
            "put the value in quotes, or write it below “>-”",
        )
    seen: set[str] = set()
    for entry in front.entries:
        if entry.key in seen:
            words = f"“{entry.key}” is set twice"
            yield Finding(path, entry.line, "front-matter", Severity.ERROR, words, "keep one")
        seen.add(entry.key)


def _tags(path: str, tagged: Tagged) -> Iterator[Finding]:
    for fault in tagged.faults:
        yield Finding(path, fault.line, fault.rule.value, Severity.ERROR, fault.message, fault.fix)


FORM = "Invoke when <condition> / <condition>. <what it provides>."


def _skill(path: str, front: FrontMatter | None, *, house_form: bool) -> Iterator[Finding]:
    entry = front.entry("description") if front is not None else None
    if front is None or entry is None:
        severity = Severity.ERROR if house_form else Severity.WARNING
        words = "the skill has no description; clients show its first line instead"
        yield Finding(path, 1, "skill-description", severity, words, f"add one: {FORM}")
        return
    if entry.text is None:
        words = "the description is not a text"
        yield Finding(path, entry.line, "skill-description", Severity.ERROR, words, f"write: {FORM}")
        return
    description = read_description(entry.text)
    # Only a tree that keeps the form can break it: elsewhere a description is free text, up to its length. That its
    # conditions can't be counted is told all the same.
    keeps_form = house_form or description.text.startswith(OPENING)
    if not keeps_form and description.reason is not None:
        words = f"its trigger conditions can't be counted: {description.reason}"
        yield Finding(path, entry.line, "skill-conditions", Severity.WARNING, words, f"the form is: {FORM}")
    for problem in description.problems:
        if keeps_form or problem.startswith("it has "):
            rule = (
                "skill-conditions"
                if description.conditions and "list of conditions" in problem
                else "skill-description"
            )
            yield Finding(path, entry.line, rule, Severity.ERROR, problem, f"the form is: {FORM}")


def _links_as_text(workspace: Workspace, files: Sequence[SurfaceFile]) -> Iterator[Finding]:
    """Files that are a link's target written out, as a checkout without links leaves them."""
    suspects = [(file.path, file.data) for file in files if file.place.role == "instructions" and len(file.data) < 300]
    for name in (".claude/rules", ".claude/skills", ".claude/agents", ".claude", "rules", "skills"):
        link = workspace.root / name
        if link.is_file():
            suspects.append((name, link.read_bytes()[:300]))
    for path, data in suspects:
        text = data.decode("utf-8", "replace").strip()
        if re.fullmatch(r"[\w./ +-]+", text) and "\n" not in text:
            target = (workspace.root / path).parent / text
            if text != path and target.exists():
                words = f"it holds nothing but “{text}”: it looks like a link checked out as text"
                fix = "turn on core.symlinks and check it out again, or import the file with @"
                yield Finding(path, 1, "link-as-text", Severity.WARNING, words, fix)


def _profiles(workspace: Workspace) -> Iterator[Finding]:
    manifest = workspace.manifest
    assert manifest is not None
    profiles = read_profiles(workspace.root, manifest)
    ids: dict[str, str] = {}
    for profile in profiles:
        try:
            resolve_profile(profile, profiles)
        except UnsupportedProfileError as error:
            for problem in error.problems:
                yield Finding(problem.path, problem.line, "profile", Severity.ERROR, problem.message, problem.fix)
        if profile.id is not None:
            other = ids.setdefault(profile.id, profile.path)
            if other != profile.path:
                words = f"the id “{profile.id}” is taken by {other}"
                yield Finding(profile.path, profile.line("id"), "profile", Severity.ERROR, words, "give it its own")
        if profile.role in manifest.actor_roles and "invocation" in profile.fields:
            words = f"the role “{profile.role}” has actors in the manifest and an invocation here"
            yield Finding(
                profile.path,
                profile.line("invocation"),
                "profile",
                Severity.ERROR,
                words,
                "keep the command in one place",
            )
