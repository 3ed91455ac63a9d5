"""What two real clients load from where, on models of both layouts: one launch each, every source in one workspace."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from measure.context.inventory import Inventory, take_inventory
from measure.context.outside import loaded_in_real_use, never_by_name
from measure.context.request import Request
from measure.context.sources import Sources, find_sources
from measure.surface import read_surface
from tests.context.arms import write
from tests.context.launching import caught, opened
from tests.doubles import real_clients

pytestmark = pytest.mark.real_client

LONG = " ".join(f"word{number}" for number in range(400))
WORKSPACE = {
    "CLAUDE.md": "# Top\nNEEDLE-top\n<!-- NEEDLE-hidden -->\n@docs/guide.md\n@~/beyond.md\n`@docs/span.md`\n",
    "docs/guide.md": "NEEDLE-imported\n",
    "docs/span.md": "NEEDLE-span\n",
    ".claude/CLAUDE.md": "NEEDLE-dotted\n",
    "CLAUDE.local.md": "NEEDLE-local\n",
    "claude.md.d/x": "x",
    "AGENTS.md": "NEEDLE-agents\n",
    "sub/CLAUDE.md": "NEEDLE-sub\n",
    ".claude/rules/deep/a.md": "NEEDLE-rule\n",
    ".claude/rules/paths.md": "---\npaths: src/**\n---\nNEEDLE-paths\n",
    ".claude/rules/all.md": "---\npaths: '**'\n---\nNEEDLE-all\n",
    ".claude/skills/foo/SKILL.md": "---\nname: foo\ndescription: NEEDLE-foo\nwhen_to_use: NEEDLE-when\n---\n"
    "NEEDLE-body\n",
    ".claude/skills/foo/more.md": "NEEDLE-more\n",
    ".claude/skills/off/SKILL.md": "---\nname: off\ndescription: NEEDLE-off\ndisable-model-invocation: true\n---\nb\n",
    ".claude/skills/bare/SKILL.md": "---\nname: bare\n---\nNEEDLE-bare\nmore\n",
    ".claude/skills/long/SKILL.md": f"---\nname: long\ndescription: {LONG}\n---\nb\n",
    ".claude/agents/rev.md": "---\nname: rev\ndescription: NEEDLE-rev\n---\nNEEDLE-prompt\n",
    ".claude/agents/mute.md": "---\nname: mute\n---\nNEEDLE-mute\n",
    ".claude/commands/ship.md": "---\ndescription: NEEDLE-ship\n---\nNEEDLE-sail\n",
    ".claude/output-styles/terse.md": "---\nname: terse\ndescription: d\n---\nNEEDLE-style\n",
    ".claude/settings.json": '{"outputStyle": "terse", "hooks": {"SessionStart": [{"hooks": '
    '[{"type": "command", "command": "echo NEEDLE-hook"}]}]}}',
    ".mcp.json": '{"mcpServers": {"needle": {"command": "/bin/false"}}}',
}
LOADED = {
    ("CLAUDE.md", "NEEDLE-top"): "user message",
    ("docs/guide.md", "NEEDLE-imported"): "user message",
    (".claude/CLAUDE.md", "NEEDLE-dotted"): "user message",
    (".claude/rules/deep/a.md", "NEEDLE-rule"): "user message",
    (".claude/rules/all.md", "NEEDLE-all"): "user message",
    (".claude/skills/foo/SKILL.md", "NEEDLE-foo"): None,
    (".claude/skills/foo/SKILL.md", "NEEDLE-when"): None,
    (".claude/skills/bare/SKILL.md", "NEEDLE-bare"): None,
    (".claude/agents/rev.md", "NEEDLE-rev"): None,
    (".claude/commands/ship.md", "NEEDLE-ship"): None,
    (".claude/output-styles/terse.md", "NEEDLE-style"): None,
}
"""Lines that reach the model at launch, and where, if that is the same on every model."""
NOT_LOADED = {
    ("CLAUDE.md", "NEEDLE-hidden"): "comment",
    ("CLAUDE.local.md", "NEEDLE-local"): "user's own",
    ("AGENTS.md", "NEEDLE-agents"): "AGENTS",
    (".claude/rules/paths.md", "NEEDLE-paths"): r"src/\*\*",
    (".claude/skills/foo/SKILL.md", "NEEDLE-body"): "skill is used",
    (".claude/skills/foo/more.md", "NEEDLE-more"): "skill foo",
    (".claude/skills/off/SKILL.md", "NEEDLE-off"): "disable-model-invocation",
    (".claude/agents/rev.md", "NEEDLE-prompt"): "sub-agent",
    (".claude/agents/mute.md", "NEEDLE-mute"): "not listed",
    (".claude/commands/ship.md", "NEEDLE-sail"): "command is used",
    (".claude/skills/long/SKILL.md", LONG[-40:]): "cuts the description",
}
"""Lines that don't, and words of the reason."""
NOWHERE = ("span", "sub", "hook", "user", "userrule", "memory", "plugin", "above-hook")
"""Needles that have no line in the surface or stand outside of it, and must not be in the request."""


@dataclass(frozen=True)
class Seen:
    """One launch in a workspace that has a parent with instructions and a user with text of their own."""

    request: Request
    sources: Sources
    inventory: Inventory
    outside: tuple[str, ...]
    never: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(piece.text for piece in self.request.pieces)


@pytest.fixture(scope="module", params=[(name, model) for name in real_clients.NAMES for model in ("4-5", "4-8")])
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    name, model = request.param
    client = real_clients.required(name)
    root = tmp_path_factory.mktemp("seen")
    above = write(
        root / "above", {"CLAUDE.md": "NEEDLE-above\n", ".claude/rules/up.md": "NEEDLE-uprule\n", "note": "NEEDLE-note"}
    )
    workspace = write(above / "project", WORKSPACE)
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(workspace.resolve()))
    home = write(
        root / "home",
        {
            ".claude/CLAUDE.md": "NEEDLE-user\n",
            ".claude/rules/mine.md": "NEEDLE-userrule\n",
            ".claude/settings.json": '{"enabledPlugins": {"needle@shop": true}, "hooks": {"SessionStart": [{"hooks": '
            '[{"type": "command", "command": "echo NEEDLE-above-hook"}]}]}}',
            ".claude.json": '{"mcpServers": {"mine": {"command": "/bin/false"}}}',
            f".claude/projects/{slug}/memory/MEMORY.md": "NEEDLE-memory\n",
            "beyond.md": "NEEDLE-beyond\n",
        },
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    temp = root / "temp"
    temp.mkdir()
    captured = caught(
        opened(client, environ, {"4-5": "claude-sonnet-4-5", "4-8": "claude-opus-4-8"}[model]), workspace, temp
    )
    surface = read_surface(workspace)
    sources = find_sources(captured, surface, workspace)
    inventory = take_inventory(
        sources, surface, client="claude", version=client.version, condition="production", model_named=True
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        outside = tuple(loaded_in_real_use(read_surface(workspace), environ))
    return Seen(captured, sources, inventory, outside, tuple(never_by_name(surface)))


@pytest.mark.parametrize(("path", "needle"), LOADED)
def test_a_line_that_is_loaded_is_told_with_its_place_tokens_and_order(seen: Seen, path: str, needle: str) -> None:
    assert needle in seen.text
    file = next(file for file in seen.inventory.files if file.path == path)
    line = next(line for line in file.lines if needle in line.text)
    assert line.place is not None, line.why_not
    assert line.tokens > 0
    assert line.order is not None
    where = LOADED[path, needle]
    assert where is None or line.place == where
    piece = next(piece for piece in seen.request.pieces if piece.where == line.where)
    assert needle in piece.text


@pytest.mark.parametrize(("path", "needle"), NOT_LOADED)
def test_a_line_that_is_not_loaded_is_told_with_its_reason(seen: Seen, path: str, needle: str) -> None:
    assert needle not in seen.text
    file = next(file for file in seen.inventory.files if file.path == path)
    line = next(line for line in file.lines if needle in line.text)
    assert line.place is None
    assert re.search(NOT_LOADED[path, needle], line.why_not or ""), line.why_not


def test_text_of_users_hooks_memory_and_sub_folders_stays_out(seen: Seen) -> None:
    assert [needle for needle in NOWHERE if f"NEEDLE-{needle}\n" in f"{seen.text}\n"] == []
    assert "NEEDLE-beyond" not in seen.text, "an import that leads out is not approved in a clone"
    assert "needle" not in [piece.text for piece in seen.request.pieces if "mcp__" in piece.text]


def test_text_of_parents_is_loaded_here_and_told_as_outside(seen: Seen) -> None:
    """The launch stands below its parents, where an arena never does."""
    assert "NEEDLE-above" in seen.text
    assert "NEEDLE-uprule" in seen.text
    sources = {part.source for part in seen.inventory.others}
    assert {path for path in sources if path.endswith("above/CLAUDE.md")}
    assert {path for path in sources if path.endswith("above/.claude/rules/up.md")}


def test_what_real_use_adds_is_listed_by_name(seen: Seen) -> None:
    told = "\n".join(seen.outside)
    for wanted in (
        "above/CLAUDE.md",
        "~/.claude/CLAUDE.md",
        "~/.claude/rules",
        "MEMORY.md",
        "needle@shop",
        "mine",
        "hooks",
    ):
        assert wanted in told
    assert "NEEDLE" not in told


def test_files_that_no_launch_begins_with_are_told(seen: Seen) -> None:
    assert any(entry.startswith("sub/CLAUDE.md") for entry in seen.never)
    assert any("beyond.md" in notice for notice in seen.inventory.notices)


def test_every_token_has_one_source(seen: Seen) -> None:
    inventory = seen.inventory
    counted = sum(file.tokens for file in inventory.files) + sum(part.tokens for part in inventory.others)
    assert abs(counted - inventory.tokens) <= len(seen.request.pieces) + len(inventory.files)
    orders = [file.order for file in inventory.files if file.order is not None]
    assert orders == sorted(orders)


def test_the_place_and_the_day_are_masked(seen: Seen) -> None:
    assert "above/project" not in seen.text
    assert "<workspace>/CLAUDE.md" in seen.text
    assert "date is <date>" in seen.text


@pytest.mark.parametrize("name", real_clients.NAMES)
def test_a_file_above_the_limit_is_told_as_this_client_treats_it(name: str, tmp_path: Path) -> None:
    client = real_clients.required(name)
    big = "NEEDLE-big\n" + "x" * 4_194_304
    workspace = write(tmp_path / "w", {"CLAUDE.md": "# Top\n", ".claude/rules/big.md": big})
    temp = tmp_path / "t"
    temp.mkdir()
    environ = {"PATH": os.environ["PATH"], "HOME": str(write(tmp_path / "h", {"x": ""}))}
    captured = caught(opened(client, environ), workspace, temp)
    surface = read_surface(workspace)
    inventory = take_inventory(
        find_sources(captured, surface, workspace), surface, client="c", version="v", condition="p", model_named=True
    )
    file = next(file for file in inventory.files if file.path == ".claude/rules/big.md")
    if name == "older":
        assert file.loaded == 2, "2.1.191 knows no limit"
    else:
        assert file.place is None
        assert "4,194,304" in (file.lines[0].why_not or "")
