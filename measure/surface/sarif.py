"""Findings as SARIF 2.1.0, the format code hosts show beside the lines they speak of.

Invariant: every finding is one result with its place; paths are URIs relative to the workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from measure import __version__
from measure.surface.finding import RULES, Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """One SARIF log with one run."""
    rules = list(RULES)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "measure surface check",
                        "version": __version__,
                        "rules": [{"id": rule, "shortDescription": {"text": text}} for rule, text in RULES.items()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    {
                        "ruleId": finding.rule,
                        "ruleIndex": rules.index(finding.rule),
                        "level": finding.severity.value,
                        "message": {"text": f"{finding.message}. To do: {finding.fix}."},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": quote(finding.path), "uriBaseId": "%SRCROOT%"},
                                    "region": {"startLine": finding.line},
                                }
                            }
                        ],
                    }
                    for finding in findings
                ],
            }
        ],
    }
