"""An administrator's settings win over everything, so where they lead to a model nothing is captured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from measure.context.managed import leads_elsewhere
from tests.context.arms import write


@pytest.mark.parametrize(
    ("settings", "leads"),
    [
        ({"env": {"ANTHROPIC_BASE_URL": "https://gateway"}}, True),
        ({"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}, True),
        ({"env": {"HTTPS_PROXY": "http://proxy"}}, True),
        ({"apiKeyHelper": "/opt/key"}, True),
        ({"env": {"TZ": "UTC"}}, False),
        ({"permissions": {"deny": ["WebFetch"]}}, False),
        ({"env": ["ANTHROPIC_BASE_URL"]}, False),
        ([], False),
    ],
)
@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-us.json"])
def test_only_ways_to_a_model_count(tmp_path: Path, settings: Any, leads: bool, name: str) -> None:
    write(tmp_path, {name: json.dumps(settings)})
    assert (leads_elsewhere((tmp_path,)) is not None) is leads


@pytest.mark.parametrize("data", ["", "{", "[" * 99_999])
def test_broken_settings_lead_nowhere(tmp_path: Path, data: str) -> None:
    write(tmp_path, {"managed-settings.json": data})
    assert leads_elsewhere((tmp_path,)) is None
    assert leads_elsewhere((tmp_path / "none",)) is None
