"""Findings: what is wrong with governed text, one a place.

Invariant: every finding names file, line, a rule that `RULES` explains, its severity, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Severity(StrEnum):
    """Whether the check fails by it."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: the file (from the workspace, with `/`), the line from 1, the rule, what is wrong, what to do."""

    path: str
    line: int
    rule: str
    severity: Severity
    message: str
    fix: str


RULES: Mapping[str, str] = MappingProxyType(
    {
        "tag-missing": "An H1 or H2 section of a tagged source file lacks its opening or closing tag.",
        "tag-name": "A section's tag is not named after its heading.",
        "tag-crossing": "Closing tags stand in the wrong order.",
        "tag-misplaced": "A section's tag stands where its section neither begins nor ends.",
        "tag-blank-line": "An opening tag is followed, and a closing tag preceded, by exactly one blank line.",
        "front-matter": "Front matter is valid YAML with every key once.",
        "skill-description": "A skill's description has the fixed form, so that its trigger conditions can be counted.",
        "skill-conditions": "A list of trigger conditions ends where its author meant it to.",
        "region": "A file has at most one owned region, and its markers and version tag occur nowhere else.",
        "boot-profile": "A context layer has one boot profile, in plain Markdown.",
        "boot-section": "A boot profile covers identity, loading and posture.",
        "boot-redirect": "A vendor's entry file leads to the boot profile.",
        "boot-link": "A boot profile leads to manifest, index, profiles, change log and decisions.",
        "mounts": "A boot profile has one well-formed entry for every mount the manifest declares.",
        "manifest": "The manifest of a context layer can be read.",
        "profile": "An agent profile is valid and can be resolved with the profile it inherits.",
        "link-as-text": "A link that was checked out as a text file is not loaded as what it points to.",
        "encoding": "Governed text is UTF-8.",
        "size": "An instruction file is small enough to be loaded.",
    }
)
"""Rule → what it asks for."""
