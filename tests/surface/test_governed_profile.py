"""Agent profiles resolve whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from measure.errors import RequestError
from measure.surface.leji import read_manifest
from measure.surface.profile import UnsupportedProfileError, find_profile, read_profiles, resolve_profile

CORE = """---
id: core
name: Core
role: core
purpose: the base
owners: [base team]
requiredRead: [docs/b.md, docs/a.md]
defaultContext: [system]
mustAskWhen: [money is spent, data is deleted]
mustRefuseWhen: [a secret is asked for]
---
Base body.
"""
REVIEWER = """---
id: reviewer
name: Reviewer
role: reviewer
inherits: core
requiredRead: [docs/z.md, docs/a.md, docs/c.md]
mustRefuseWhen: [a secret is asked for, tests are skipped]
version: "2"
---
Reviewer body.
"""


def layer(root: Path, **profiles: str) -> Path:
    (root / "docs/agents").mkdir(parents=True)
    manifest = {"machine": {"agentProfilesPath": "docs/agents/"}, "agents": {}}
    for name, text in profiles.items():
        (root / f"docs/agents/{name}.md").write_text(text, encoding="utf-8")
    (root / "leji.json").write_text(json.dumps(manifest), encoding="utf-8")
    return root


def resolve(root: Path, name: str) -> tuple[dict[str, object], str]:
    manifest = read_manifest(root)
    assert manifest is not None
    profiles = read_profiles(root, manifest)
    found = resolve_profile(find_profile(profiles, name, manifest.agents), profiles)
    return dict(found.fields), found.body


def test_lists_are_the_bases_then_the_derived_ones_and_all_else_is_the_derived_ones_own(tmp_path: Path) -> None:
    fields, body = resolve(layer(tmp_path, core=CORE, reviewer=REVIEWER), "reviewer")
    assert fields == {
        "id": "reviewer",
        "name": "Reviewer",
        "role": "reviewer",
        "version": "2",
        "requiredRead": ["docs/b.md", "docs/a.md", "docs/z.md", "docs/c.md"],
        "defaultContext": ["system"],
        "mustAskWhen": ["money is spent", "data is deleted"],
        "mustRefuseWhen": ["a secret is asked for", "tests are skipped"],
    }
    assert body == "Base body.\nReviewer body.\n"


def test_a_profile_that_inherits_nothing_is_itself(tmp_path: Path) -> None:
    fields, body = resolve(layer(tmp_path, core=CORE), "core")
    assert fields["requiredRead"] == ["docs/b.md", "docs/a.md"]
    assert body == "Base body.\n"


def test_a_date_in_front_matter_is_the_text_it_is_written_as(tmp_path: Path) -> None:
    dated = CORE.replace("purpose: the base", "freshness:\n  reviewAfter: 2027-01-31")
    assert resolve(layer(tmp_path, core=dated), "core")[0]["freshness"] == {"reviewAfter": "2027-01-31"}


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


BROKEN = {
    "the target is missing": (CORE, changed(REVIEWER, "inherits: core", "inherits: kernel"), "does not exist"),
    "the target is no core": (changed(CORE, "role: core", "role: base"), REVIEWER, "has the role “base”"),
    "the target inherits": (changed(CORE, "role: core", "role: core\ninherits: reviewer"), REVIEWER, "inherits"),
    "two targets": (CORE, changed(REVIEWER, "inherits: core", "inherits: [core, other]"), "exactly one"),
    "a core inherits": (CORE, changed(REVIEWER, "role: reviewer", "role: core"), "role is core inherits"),
    "inherits is empty": (CORE, changed(REVIEWER, "inherits: core", "inherits:"), "exactly one"),
    "the base has no list to give": (changed(CORE, "mustAskWhen: [money is spent, data is deleted]\n", ""), REVIEWER,
                                     "mustAsk"),
    "the base is not valid": (changed(CORE, "name: Core", "nickname: Core"), REVIEWER, "nickname"),
    "the base's YAML is broken": (changed(CORE, "purpose: the base", "purpose: a: b"), REVIEWER, "YAML"),
    "the profile's YAML is broken": (CORE, changed(REVIEWER, "name: Reviewer", "name: a: b"), "YAML"),
    "a list is a text": (CORE, changed(REVIEWER, "mustRefuseWhen: [a secret is asked for, tests are skipped]",
                                       "mustRefuseWhen: never"), "mustRefuseWhen"),
    "an entry is a number": (CORE, changed(REVIEWER, "[docs/z.md,", "[7,"), "requiredRead"),
    "a path leads outside": (CORE, changed(REVIEWER, "docs/z.md", "../z.md"), "requiredRead"),
    "a key twice": (CORE, changed(REVIEWER, "name: Reviewer", "name: Reviewer\nname: R"), "twice"),
    "an unknown key": (CORE, changed(REVIEWER, 'version: "2"', 'versoin: "2"'), "versoin"),
    "no prompt in the command": (CORE, changed(REVIEWER, 'version: "2"', "invocation:\n  command: run"), "command"),
    "no front matter": (CORE, "Reviewer body.\n", "front matter"),
}  # fmt: skip


@pytest.mark.parametrize(("core", "reviewer", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_a_profile_that_cannot_be_resolved_is_unsupported(tmp_path: Path, core: str, reviewer: str, words: str) -> None:
    layer(tmp_path, core=core, reviewer=reviewer)
    name = "reviewer" if "id: reviewer" in reviewer else "docs/agents/reviewer.md"
    with pytest.raises(UnsupportedProfileError, match=words):
        resolve(tmp_path, name)


def test_a_base_whose_id_is_not_unique_is_none(tmp_path: Path) -> None:
    layer(tmp_path, core=CORE, again=CORE, reviewer=REVIEWER)
    with pytest.raises(UnsupportedProfileError, match="not unique"):
        resolve(tmp_path, "reviewer")
    with pytest.raises(RequestError, match="not unique"):
        resolve(tmp_path, "core")


def test_a_profile_that_names_itself_is_unsupported(tmp_path: Path) -> None:
    layer(tmp_path, reviewer=changed(REVIEWER, "inherits: core", "inherits: reviewer"))
    with pytest.raises(UnsupportedProfileError, match="itself"):
        resolve(tmp_path, "reviewer")


def test_without_a_base_both_lists_have_to_be_its_own(tmp_path: Path) -> None:
    layer(tmp_path, reviewer=changed(REVIEWER, "inherits: core\n", ""))
    with pytest.raises(UnsupportedProfileError, match="mustAskWhen"):
        resolve(tmp_path, "reviewer")


def test_the_set_is_the_folder_and_what_the_agents_map_names(tmp_path: Path) -> None:
    layer(tmp_path, reviewer=REVIEWER)
    (tmp_path / "elsewhere.md").write_text(CORE, encoding="utf-8")
    with pytest.raises(UnsupportedProfileError, match="does not exist"):
        resolve(tmp_path, "reviewer")
    manifest = {"machine": {"agentProfilesPath": "docs/agents"}, "agents": {"default": "elsewhere.md"}}
    (tmp_path / "leji.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert resolve(tmp_path, "reviewer")[1].startswith("Base body.")
    assert resolve(tmp_path, "default")[0]["id"] == "core"
    with pytest.raises(RequestError, match="no profile"):
        resolve(tmp_path, "nobody")
