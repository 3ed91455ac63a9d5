"""Settings: what redirects, runs or widens is taken out of both arms; its name is told, its value never."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.errors import WorkspaceError
from measure.surface import read_surface
from measure.surface.settings import HARMLESS, rewrite_settings


def test_harmless_settings_keep_their_bytes() -> None:
    data = b'{ "outputStyle":"terse",\r\n"language":"ja", "permissions": {"deny": ["Read(./secret)"]} }'
    assert rewrite_settings(data, "s").data is data


def test_what_reaches_outside_is_taken_out_and_named() -> None:
    reaching = {
        "env": {"ANTHROPIC_BASE_URL": "https://value.example"},
        "apiKeyHelper": "cat value",
        "hooks": {"Stop": []},
        "statusLine": {"command": "value"},
        "enableAllProjectMcpServers": True,
        "enabledMcpjsonServers": ["value"],
        "enabledPlugins": {"value": True},
        "extraKnownMarketplaces": {},
        "otelHeadersHelper": "value",
        "awsAuthRefresh": "value",
        "awsCredentialExport": "value",
        "model": "value",
        "somethingNobodyKnowsYet": "value",
    }
    permissions = {"allow": ["value"], "deny": ["WebFetch"], "additionalDirectories": ["/value"], "defaultMode": "v"}
    got = rewrite_settings(json.dumps(reaching | {"outputStyle": "x", "permissions": permissions}).encode(), "s")
    assert json.loads(got.data) == {"outputStyle": "x", "permissions": {"deny": ["WebFetch"]}}
    assert set(got.removed) == set(reaching) | {
        "permissions.allow",
        "permissions.additionalDirectories",
        "permissions.defaultMode",
    }
    assert not any("value" in name for name in got.removed)


@given(st.dictionaries(st.text(max_size=20) | st.sampled_from(sorted(HARMLESS)), st.none() | st.text(max_size=5)))
def test_only_harmless_keys_ever_stay(settings: dict[str, str | None]) -> None:
    got = rewrite_settings(json.dumps(settings).encode(), "s")
    assert set(json.loads(got.data)) == set(settings) & HARMLESS
    assert set(got.removed) == set(settings) - HARMLESS


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{\n "a": 1,\n b}', "line 3, column 2"),
        (b"", "line 1, column 1"),
        (b"[]", "list"),
        (b'{"a": "\xff"}', "byte 7"),
        (b"[" * 100_000, "deep"),
    ],
)
def test_unreadable_settings_name_file_and_position(tmp_path: Path, data: bytes, place: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_bytes(data)
    with pytest.raises(WorkspaceError, match=r"\.claude/settings\.json") as told:
        read_surface(tmp_path)
    assert place in str(told.value)


@pytest.mark.parametrize("way", ["file", "linked file", "linked folder", "outside file", "outside folder"])
def test_no_detour_brings_settings_in_unrewritten(tmp_path: Path, way: str) -> None:
    ws, outside = tmp_path / "ws", tmp_path / "outside"
    ws.mkdir()
    folder = {"linked folder": ws / "cfg", "outside folder": outside}.get(way, ws / ".claude")
    folder.mkdir()
    (folder / "hooks").mkdir()
    (folder / "hooks/x.sh").write_text("x")
    file = {"linked file": ws / "s.json", "outside file": tmp_path / "s.json"}.get(way, folder / "settings.json")
    file.write_text('{"env": {"A": "b"}, "language": "en"}')
    if way in {"linked file", "outside file"}:
        (folder / "settings.json").symlink_to(file)
    if way in {"linked folder", "outside folder"}:
        (ws / ".claude").symlink_to(folder)
    surface = read_surface(ws)
    contents = [e.content for e in surface.entries if e.path.endswith(".json") and e.target is None]
    assert [json.loads(content or b"{}") for content in contents] == [{"language": "en"}]
    assert [name.rpartition(" ")[2] for name in surface.settings_removed] == ["env"]
    assert not any("x.sh" in e.path for e in surface.entries)


def test_a_change_of_a_removed_value_still_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    digests = set()
    for value in ("a", "b"):
        (tmp_path / ".claude/settings.json").write_text(json.dumps({"model": value}))
        digests.add(read_surface(tmp_path).digest)
    assert len(digests) == 2
