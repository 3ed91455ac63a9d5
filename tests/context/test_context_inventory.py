"""What a request is made of, told once each: files by every name they have, and what is left out in one wording."""

from __future__ import annotations

import os
from pathlib import Path

from measure.context.inventory import Inventory, take_inventory
from measure.context.sources import find_sources
from measure.report.context import inventory_lines
from measure.surface import read_surface
from tests.context.arms import texts, write
from tests.context.requests import request


def told(root: Path, *loaded: str) -> Inventory:
    surface = read_surface(root)
    sources = find_sources(request(texts(root, *loaded)), surface, root)
    return take_inventory(sources, surface, client="c", version="1", condition="production", model_named=True)


def test_a_file_behind_a_linked_folder_is_told_by_the_name_under_which_it_loads(tmp_path: Path) -> None:
    files = {"CLAUDE.md": "# R\n\n- Be short.\n", "docs/a.md": "- Doc rule one.\n", ".claude/rules": "->../docs"}
    write(tmp_path, files)
    inventory = told(tmp_path, "CLAUDE.md", "docs/a.md")
    (linked,) = [file for file in inventory.files if file.path == "docs/a.md"]
    assert (linked.role, linked.via) == ("rule", ".claude/rules/a.md")
    (plain,) = [file for file in inventory.files if file.path == "CLAUDE.md"]
    assert plain.via is None
    assert any(
        "docs/a.md" in line and ".claude/rules/a.md" in line for line in inventory_lines(inventory, every_line=False)
    )


def test_what_is_left_out_is_told_once(tmp_path: Path) -> None:
    write(
        tmp_path, {"CLAUDE.md": "# R\n\n- Be short.\n", ".claude/rules/a.md": "- A.\n", ".claude/rules/loop": "->../.."}
    )
    os.mkfifo(tmp_path / ".claude/rules/pipe.md")
    inventory = told(tmp_path, "CLAUDE.md", ".claude/rules/a.md")
    for name in ("pipe.md", "loop"):
        assert sum(name in notice for notice in inventory.notices) == 1, inventory.notices
