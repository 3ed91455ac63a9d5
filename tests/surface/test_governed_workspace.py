"""What a workspace lists, what its check finds, and what its commands do."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from measure.cli.surface import app
from measure.errors import MeasureError
from measure.surface.address import AddressError, resolve
from measure.surface.check import check_workspace
from measure.surface.finding import Severity
from measure.surface.layout import read_files, read_workspace
from measure.surface.trigger import count_triggers
from measure.surface.unit import Loading, UnitKind
from measure.surface.wrapping import wrap

Run = Callable[..., tuple[int, str, str]]


def put(root: Path, **files: str) -> Path:
    for name, text in files.items():
        write(root, name, text)
    return root


def write(root: Path, name: str, text: str | bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            status = get_command(app).main([str(one) for one in arguments], "surface", standalone_mode=False)
        except MeasureError as error:
            status = error.exit_status
            print(error, file=sys.stderr)
        except typer.Exit as stop:
            status = stop.exit_code
        captured = capsys.readouterr()
        return int(status or 0), captured.out, captured.err

    return call


SKILL = "---\nname: {0}\ndescription: Invoke when {1}. Provides {0}.\n---\n\n# {0}\n\n## How\n\n- step\n"


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    files = {
        "CLAUDE.md": "# Rules\n\nSee @docs/more.md\n\n## Tests\n\n- Run them\n",
        "CLAUDE.local.md": "local\n",
        "AGENTS.md": "# Codex\n",
        "docs/more.md": "# More\n\nand @deep.md\n",
        "docs/deep.md": "deep\n",
        "docs/unread.md": "nobody reads this\n",
        "sub/CLAUDE.md": "for sub\n",
        ".claude/rules/always.md": "# 常に\n\n## 規則\n",
        ".claude/rules/deep/ts.md": '---\npaths: "src/**/*.ts"\n---\n# TS\n',
        ".claude/rules/all.md": '---\npaths:\n  - "**"\n---\n# All\n',
        ".claude/rules/broken.md": "---\npaths: [a\n---\n# Broken\n",
        ".claude/skills/deploy/SKILL.md": SKILL.format("deploy", "a / b"),
        ".claude/skills/deploy/notes.md": "# Notes\n",
        ".claude/skills/off/SKILL.md": "---\nname: off\ndescription: x\ndisable-model-invocation: true\n---\nbody\n",
        ".claude/agents/rev.md": "---\nname: rev\ndescription: reviews\n---\nbody\n",
        ".claude/agents/nameless.md": "---\ndescription: x\n---\nbody\n",
        ".claude/commands/go.md": "go\n",
        ".claude/output-styles/terse.md": "---\nname: Terse\n---\nterse\n",
        ".claude/output-styles/long.md": "---\nname: Long\n---\nlong\n",
        ".claude/settings.json": '{"outputStyle": "Terse"}',
        ".codex/agents/a.toml": 'name = "a"\n',
        ".agents/skills/q/SKILL.md": SKILL.format("q", "a"),
        "node_modules/x/CLAUDE.md": "not ours\n",
    }
    for name, text in files.items():
        write(tmp_path, name, text)
    return tmp_path


LOADED = {
    "CLAUDE.md": (Loading.LAUNCH, None),
    "CLAUDE.local.md": (Loading.LAUNCH, None),
    "AGENTS.md": (Loading.LAUNCH, None),
    "docs/more.md": (Loading.LAUNCH, None),
    "docs/deep.md": (Loading.LAUNCH, None),
    "sub/CLAUDE.md": (Loading.PATH, None),
    ".claude/rules/always.md": (Loading.LAUNCH, None),
    ".claude/rules/deep/ts.md": (Loading.PATH, None),
    ".claude/rules/all.md": (Loading.LAUNCH, None),
    ".claude/rules/broken.md": (Loading.NEVER, None),
    ".claude/skills/deploy/SKILL.md": (Loading.DEMAND, Loading.LAUNCH),
    ".claude/skills/deploy/notes.md": (Loading.NEVER, None),
    ".claude/skills/off/SKILL.md": (Loading.DEMAND, Loading.NEVER),
    ".claude/agents/rev.md": (Loading.DEMAND, Loading.LAUNCH),
    ".claude/agents/nameless.md": (Loading.NEVER, None),
    ".claude/commands/go.md": (Loading.DEMAND, Loading.LAUNCH),
    ".claude/output-styles/terse.md": (Loading.LAUNCH, None),
    ".claude/output-styles/long.md": (Loading.NEVER, None),
    ".codex/agents/a.toml": (Loading.DEMAND, Loading.LAUNCH),
    ".agents/skills/q/SKILL.md": (Loading.DEMAND, Loading.LAUNCH),
}


def test_every_file_of_a_known_layout_loads_as_its_client_loads_it(claude: Path) -> None:
    files = read_files(read_workspace(claude))
    found = {
        f.path: (f.place.body.loading, f.place.description.loading if f.place.description else None) for f in files
    }
    assert found == LOADED
    assert all(file.place.body.why for file in files)


def test_every_listed_address_means_the_bytes_it_was_listed_with(claude: Path) -> None:
    count = 0
    for file in read_files(read_workspace(claude)):
        for unit in file.units():
            if unit.kind is UnitKind.FILE:
                continue
            purpose: Any = "text" if unit.kind is UnitKind.CONDITION else "drop"
            assert resolve(unit.address, file.data, file.path, purpose=purpose) == unit.span
            assert unit.lines >= 1
            assert unit.tokens >= 1
            assert unit.when.why
            count += 1
    assert count > 25


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for number in range(60):
        layer = number % 5 + 1
        title = f"Rule {number}" if number % 2 else f"規則 {number}"
        head = f"---\nlayer: L{layer}-x\n---\n\n# {title}\n\n## Scope\n\ntext\n\n"
        text = f"{head}```\n# no heading\n```\n\n# Second\n\n## 範囲\n\n本文\n"
        write(tmp_path, f"rules/l{layer}/r{number}.md", wrap(text.encode()))
    for number in range(40):
        write(tmp_path, f"skills/s{number}/SKILL.md", wrap(SKILL.format(f"s{number}", "a / b / c").encode()))
    write(tmp_path, "adapter/claude/CLAUDE.md", "# --- Li+ BEGIN ({TAG}) ---\n## X\n\ntext\n# --- Li+ END ---\n")
    write(tmp_path, "docs/K.md", "# Plain\n")
    return tmp_path


def test_a_source_tree_of_a_hundred_files_is_clean_and_quick(source: Path) -> None:
    workspace = read_workspace(source)
    start = time.process_time()
    files = read_files(workspace)
    units = [unit for file in files for unit in file.units()]
    assert check_workspace(workspace, files) == ()
    assert time.process_time() - start < 2
    assert len(files) == 102
    assert len(units) > 600
    assert {unit.owner for unit in units if unit.address.startswith("rules/l1/")} == {"Li+ L1-x"}
    region = next(unit for unit in units if unit.kind is UnitKind.REGION)
    assert region.owner == "Li+ {TAG}"


Break = Callable[[bytes], bytes]

BREAKS: dict[str, tuple[str, Break]] = {
    "an opening tag is missing": ("tag-missing", lambda text: text.replace(b"<scope>\n\n", b"")),
    "a closing tag is missing": ("tag-missing", lambda text: text.replace(b"\n</scope>\n", b"")),
    "a section without tags": ("tag-missing", lambda text: text + b"\n## New\n\ntext\n"),
    "an opening tag has another name": ("tag-name", lambda text: text.replace(b"<scope>", b"<scoop>")),
    "a closing tag has another name": ("tag-name", lambda text: text.replace(b"</scope>", b"</scoop>")),
    "a heading was reworded": ("tag-name", lambda text: text.replace(b"## Scope", b"## Range")),
    "closing tags cross": (
        "tag-crossing",
        lambda text: text.replace(b"</scope>\n\n</rule-1>", b"</rule-1>\n\n</scope>"),
    ),
    "a closing tag too early": (
        "tag-misplaced",
        lambda text: text.replace(b"\n</scope>\n", b"").replace(b"\ntext\n", b"\n</scope>\n\ntext\n"),
    ),
    "an opening tag below its heading": (
        "tag-misplaced",
        lambda text: text.replace(b"<scope>\n\n## Scope\n", b"## Scope\n\n<scope>\n"),
    ),
    "a wrapped H3": (
        "tag-misplaced",
        lambda text: text.replace(b"\ntext\n", b"\n<deep>\n\n### Deep\n\n</deep>\n\ntext\n"),
    ),
    "no blank line between a tag and the next heading": (
        "tag-blank-line",
        lambda text: text.replace(b"</rule-1>\n\n<second>\n\n# S", b"</rule-1>\n# S"),
    ),
    "no blank line after an opening tag": ("tag-blank-line", lambda text: text.replace(b"<scope>\n\n", b"<scope>\n")),
    "two blank lines before a closing tag": (
        "tag-blank-line",
        lambda text: text.replace(b"\n</scope>", b"\n\n</scope>"),
    ),
    "no blank line before a closing tag": ("tag-blank-line", lambda text: text.replace(b"\n\n</scope>", b"\n</scope>")),
    "not UTF-8": ("encoding", lambda text: text.replace(b"text", b"t\xff")),
    "a key twice": ("front-matter", lambda text: text.replace(b"layer: L2-x", b"layer: L2-x\nlayer: L3-x")),
    "a stray marker": ("region", lambda text: text + b"\n# --- Li+ BEGIN (v1) ---\n"),
}


@pytest.mark.parametrize(("rule", "damage"), BREAKS.values(), ids=BREAKS.keys())
def test_what_is_wrong_with_a_rule_is_found(tmp_path: Path, rule: str, damage: Break) -> None:
    (tmp_path / "skills").mkdir()
    text = wrap(b"---\nlayer: L2-x\n---\n\n# Rule 1\n\n## Scope\n\ntext\n\n# Second\n\nmore\n")
    broken = damage(text)
    assert broken != text
    write(tmp_path, "rules/r.md", broken)
    workspace = read_workspace(tmp_path)
    findings = check_workspace(workspace, read_files(workspace))
    assert rule in {finding.rule for finding in findings}
    assert all(finding.path == "rules/r.md" and finding.line >= 1 and finding.fix for finding in findings)


@pytest.mark.parametrize(
    ("front", "rules"),
    [
        ("description: Invoke when a / b. Provides c.", set()),
        ("description: >-\n  Invoke when a /\n  b. Provides c.", set()),
        ("description: Invoke when a / b.", {"skill-description"}),
        ("description: Use for a. Provides b.", {"skill-description"}),
        ("description: Invoke when a, e.g. b / c. Provides d.", {"skill-conditions"}),
        (f"description: Invoke when a. {'x' * 1020}", {"skill-description"}),
        ("name: x", {"skill-description"}),
        ("description: [a]", {"skill-description"}),
        ("description: Invoke when a (two: b). Provides c.", {"front-matter"}),
    ],
)
def test_what_is_wrong_with_a_skill_is_found(tmp_path: Path, front: str, rules: set[str]) -> None:
    (tmp_path / "rules").mkdir()
    write(tmp_path, "skills/x/SKILL.md", wrap(f"---\n{front}\n---\n\n# X\n".encode()))
    workspace = read_workspace(tmp_path)
    assert {finding.rule for finding in check_workspace(workspace, read_files(workspace))} == rules


def test_rules_that_were_never_tagged_are_left_alone(claude: Path) -> None:
    workspace = read_workspace(claude)
    findings = check_workspace(workspace, read_files(workspace))
    assert {(finding.path, finding.rule) for finding in findings if finding.severity is Severity.ERROR} == set()
    assert (".claude/rules/broken.md", "front-matter") in {(finding.path, finding.rule) for finding in findings}


def test_the_check_names_every_skill_whose_conditions_cant_be_counted(claude: Path) -> None:
    """As an error where the tree keeps the form, else as a warning: nobody hears of it from the count alone."""
    free = "---\nname: free\ndescription: Use this for dates.\n---\n\nText.\n"
    write(claude, ".claude/skills/free/SKILL.md", free)
    write(claude, ".claude/skills/lost/SKILL.md", free.replace("Use this for dates.", "Invoke when a / b"))
    workspace = read_workspace(claude)
    files = read_files(workspace)
    unknown = {one.path for one in count_triggers(files).values() if one.count is None}
    found = {
        finding.path: finding.severity
        for finding in check_workspace(workspace, files)
        if finding.rule in ("skill-conditions", "skill-description")
    }
    assert unknown <= set(found)
    assert found[".claude/skills/free/SKILL.md"] is Severity.WARNING
    assert found[".claude/skills/lost/SKILL.md"] is Severity.ERROR


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude/skills"])
def test_a_link_checked_out_as_text_is_told(tmp_path: Path, name: str) -> None:
    write(tmp_path, "AGENTS.md", "# Real\n")
    write(tmp_path, name, "AGENTS.md" if name == "CLAUDE.md" else "../AGENTS.md")
    workspace = read_workspace(tmp_path)
    findings = check_workspace(workspace, read_files(workspace))
    assert [(finding.path, finding.rule) for finding in findings] == [(name, "link-as-text")]


BOOT = """# Demo

## Identity

A demo; its manifest is `leji.json`, its profiles are in `docs/agents/`.

## Loading

Read docs/more.md. Changes go to the changelog.

## Posture

Ask first.

```leji-mounts
- mount: product
  owner: Product team
  carries: words
  read-when: a task
```
"""


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    manifest = {
        "bootProfilePath": "docs/boot-profile.md",
        "owners": {"primary": {"name": "Ada"}},
        "machine": {"agentProfilesPath": "docs/agents/"},
        "federation": {"mounts": [{"path": "p/", "name": "product", "owner": {"name": "Product team"}}]},
    }
    write(tmp_path, "leji.json", json.dumps(manifest))
    write(tmp_path, "docs/boot-profile.md", BOOT)
    write(tmp_path, "CLAUDE.md", "Read docs/boot-profile.md.\n")
    core = "---\nid: core\nname: C\nrole: core\nrequiredRead: [docs/more.md]\nmustAskWhen: [money]\n---\nBase.\n"
    write(tmp_path, "docs/agents/core.md", core)
    write(tmp_path, "docs/agents/qa.md", "---\nid: qa\nname: QA\nrole: qa\ninherits: core\n---\n本文\n")
    return tmp_path


def test_a_context_layer_is_listed_and_clean(layer: Path) -> None:
    workspace = read_workspace(layer)
    files = read_files(workspace)
    assert {file.path: file.place.role for file in files} == {
        "CLAUDE.md": "instructions",
        "docs/agents/core.md": "agent profile",
        "docs/agents/qa.md": "agent profile",
        "docs/boot-profile.md": "boot profile",
    }
    assert {file.place.owner for file in files} == {"user", "Ada"}
    assert check_workspace(workspace, files) == ()


@pytest.mark.parametrize(
    ("name", "old", "new", "rule"),
    [
        ("docs/boot-profile.md", "## Posture", "## Manners", "boot-section"),
        ("docs/boot-profile.md", "leji.json", "a file", "boot-link"),
        ("docs/boot-profile.md", "docs/agents/", "a folder", "boot-link"),
        ("docs/boot-profile.md", "the changelog", "a place", "boot-link"),
        ("docs/boot-profile.md", "Read docs/more.md.", "Read @agents/core.md first.", "boot-profile"),
        ("docs/boot-profile.md", "mount: product", "mount: produce", "mounts"),
        ("docs/boot-profile.md", "```leji-mounts", "```leji-mounts example", "mounts"),
        ("CLAUDE.md", "docs/boot-profile.md", "the docs", "boot-redirect"),
        ("docs/agents/qa.md", "inherits: core", "inherits: kernel", "profile"),
        ("docs/agents/core.md", "id: core", "id: qa", "profile"),
        ("leji.json", "docs/boot-profile.md", "../boot-profile.md", "manifest"),
        ("leji.json", "docs/boot-profile.md", "docs/other.md", "boot-profile"),
    ],
)
def test_what_is_wrong_with_a_context_layer_is_found(layer: Path, name: str, old: str, new: str, rule: str) -> None:
    text = (layer / name).read_text()
    assert old in text
    (layer / name).write_text(text.replace(old, new))
    workspace = read_workspace(layer)
    assert rule in {finding.rule for finding in check_workspace(workspace, read_files(workspace))}


def test_check_exits_by_its_findings_and_speaks_three_formats(source: Path, run: Run) -> None:
    assert run("check", "--workspace", source)[0] == 0
    broken = source / "rules/l2/r1.md"
    broken.write_bytes(broken.read_bytes().replace(b"<scope>", b"<scoop>"))
    status, out, err = run("check", "--workspace", source)
    assert status == 1
    assert out.splitlines()[0].startswith("rules/l2/r1.md:9: error [tag-name] ")
    assert len(out.splitlines()) == 1
    assert "1 error" in err
    status, out, _ = run("check", "--workspace", source, "--json")
    finding = json.loads(out)["findings"][0]
    assert (status, finding["line"], finding["rule"], finding["severity"]) == (1, 9, "tag-name", "error")
    status, out, _ = run("check", "--workspace", source, "--sarif")
    log = json.loads(out)
    result = log["runs"][0]["results"][0]
    assert (log["version"], result["ruleId"], result["level"]) == ("2.1.0", "tag-name", "error")
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == "tag-name"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("rules/l2/r1.md", 9)
    assert run("check", "--workspace", source, "--json", "--sarif")[0] == 2


def test_the_list_fits_eighty_columns_and_its_json_is_whole(claude: Path, run: Run) -> None:
    from rich.cells import cell_len

    name = ".claude/rules/" + "長い名前" * 10 + ".md"
    write(claude, name, "# " + "とても長い見出し" * 12 + "\n")
    status, out, _ = run("--workspace", claude)
    assert status == 0
    wide = [line for line in out.splitlines() if cell_len(line) > 80]
    assert [line.strip().lstrip("#") for line in wide] == [name, "とても長い見出し" * 12]
    status, out, _ = run("--workspace", claude, "--json")
    listed = json.loads(out)
    assert {file["path"] for file in listed["files"]} >= set(LOADED)
    assert "estimate" in listed["tokens"]
    assert run("--workspace", claude, "--files")[1].count("#rules") == 0
    assert run("--workspace", claude / "CLAUDE.md")[0] == 2


def test_an_empty_folder_lists_nothing_and_is_clean(tmp_path: Path, run: Run) -> None:
    assert run("--workspace", tmp_path)[1] == ""
    assert json.loads(run("--workspace", tmp_path, "--json")[1])["files"] == []
    assert run("check", "--workspace", tmp_path)[0] == 0


def test_wrap_and_unwrap_files(tmp_path: Path, run: Run) -> None:
    bare = b"\xef\xbb\xbf---\r\nname: x\r\n---\r\n# A\r\n\r\n## B\r\ntext"
    path = write(tmp_path, "rules/a.md", bare)
    path.chmod(0o640)
    assert run("wrap", "--check", path)[0] == 1
    assert path.read_bytes() == bare
    assert run("wrap", path)[0] == 0
    wrapped = path.read_bytes()
    assert b"<b>\r\n\r\n## B" in wrapped
    assert path.stat().st_mode & 0o777 == 0o640
    assert run("wrap", "--check", path)[0] == 0
    assert run("wrap", path)[0] == 0
    assert path.read_bytes() == wrapped
    assert run("unwrap", path)[0] == 0
    assert path.read_bytes() == bare
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["a.md"]


def test_wrap_goes_on_after_a_file_it_refuses(tmp_path: Path, run: Run) -> None:
    astray = write(tmp_path, "astray.md", b"<rule>\n\n# A\n\ntext\n\n</rule>\n")
    entry = write(tmp_path, "CLAUDE.md", b"# A\n")
    document = write(tmp_path, "docs/x.md", b"# A\n")
    good = write(tmp_path, "good.md", b"# A\n")
    status, out, err = run("wrap", astray, entry, document, good)
    assert status == 1
    assert good.read_bytes() == b"<a>\n\n# A\n\n</a>\n"
    assert (astray.read_bytes(), entry.read_bytes()) == (b"<rule>\n\n# A\n\ntext\n\n</rule>\n", b"# A\n")
    assert "astray.md:1: " in err
    assert "good.md: wrapped" in out
    assert run("wrap", tmp_path / "none.md")[0] == 2


def test_a_link_stays_a_link(tmp_path: Path, run: Run) -> None:
    real = write(tmp_path, "real.md", b"# A\n")
    link = tmp_path / "link.md"
    link.symlink_to("real.md")
    assert run("wrap", link)[0] == 0
    assert link.is_symlink()
    assert real.read_bytes().startswith(b"<a>")


def test_triggers_are_counted_or_null_with_the_reason(tmp_path: Path, run: Run) -> None:
    put(tmp_path, **{"rules/r.md": "# R\n", "skills/a/SKILL.md": SKILL.format("a", "x / y / z")})
    write(tmp_path, "skills/b/SKILL.md", "---\nname: b\ndescription: Invoke when x / y\n---\n")
    write(tmp_path, "skills/c/SKILL.md", "no front matter\n")
    status, out, _ = run("triggers", "--workspace", tmp_path, "--json")
    counts = json.loads(out)
    assert status == 0
    assert counts["a"] == {"count": 3, "reason": None}
    assert counts["b"]["count"] is None
    assert counts["b"]["reason"]
    assert counts["c"]["count"] is None
    assert run("triggers", "--workspace", tmp_path)[0] == 0


REGION = b"# --- Li+ BEGIN (%b) ---\n%b\n# --- Li+ END ---\n"


def test_sync_takes_each_branch(tmp_path: Path, run: Run) -> None:
    template = write(tmp_path, "t.md", b"up\n" + REGION % (b"v2", b"new"))
    target = tmp_path / "deep/a.md"
    assert run("sync", template, target)[0] == 0
    assert target.read_bytes() == template.read_bytes()
    target.write_bytes(b"mine\r\n" + REGION % (b"v1", b"old") + b"\xff mine")
    assert run("sync", template, target)[0] == 0
    assert target.read_bytes() == b"mine\r\n" + REGION % (b"v2", b"new") + b"\xff mine"
    status, out, _ = run("sync", template, target, "--json")
    assert (status, json.loads(out)["branch"], json.loads(out)["written"]) == (0, "keep", False)
    target.write_bytes(b"all mine")
    status, _, err = run("sync", template, target)
    assert status == 2
    assert "--yes" in err
    assert target.read_bytes() == b"all mine"
    assert run("sync", template, target, "--yes")[0] == 0
    assert target.read_bytes() == REGION % (b"v2", b"new") + b"\nall mine"


def test_sync_asks_at_a_terminal(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    template = write(tmp_path, "t.md", REGION % (b"v2", b"new"))
    target = write(tmp_path, "a.md", b"mine\n")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter([False, True])
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: next(answers))
    assert run("sync", template, target)[0] == 0
    assert target.read_bytes() == b"mine\n"
    assert run("sync", template, target)[0] == 0
    assert target.read_bytes() == REGION % (b"v2", b"new") + b"\nmine\n"


def test_sync_never_installs_a_placeholder(tmp_path: Path, run: Run) -> None:
    template = write(tmp_path, "t.md", REGION % (b"{TAG}", b"new"))
    target = tmp_path / "a.md"
    assert run("sync", template, target)[0] == 2
    assert not target.exists()
    assert run("sync", template, target, "--tag", "v7")[0] == 0
    assert target.read_bytes() == REGION % (b"v7", b"new")


def test_profile_and_mounts(layer: Path, run: Run) -> None:
    status, out, _ = run("profile", "qa", "--workspace", layer, "--json")
    shown = json.loads(out)
    assert status == 0
    assert shown["fields"]["mustAskWhen"] == ["money"]
    assert shown["body"] == "Base.\n本文\n"
    assert shown["base"] == "docs/agents/core.md"
    assert run("profile", "nobody", "--workspace", layer)[0] == 2
    status, out, _ = run("mounts", "--workspace", layer, "--json")
    assert (status, json.loads(out)["mounts"][0]["entry"]["carries"]) == (0, "words")
    boot = layer / "docs/boot-profile.md"
    boot.write_text(boot.read_text().replace("mount: product", "mount: other"))
    status, out, _ = run("mounts", "--workspace", layer, "--json")
    assert (status, json.loads(out)["mounts"][0]["entry"]) == (1, None)
    assert run("mounts", "--workspace", layer / "docs")[0] == 2


def test_reading_commands_write_nothing(claude: Path, run: Run) -> None:
    def state() -> dict[str, tuple[bytes, int]]:
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in claude.rglob("*") if path.is_file()}

    before = state()
    for command in ((), ("check",), ("triggers",)):
        assert run(*command, "-w", claude)[0] == run(*command, "--workspace", claude)[0] != 2
    assert state() == before


def test_a_folder_that_leads_back_to_itself_is_listed_once(claude: Path, run: Run) -> None:
    (claude / ".claude/rules/loop").symlink_to("..", target_is_directory=True)
    (claude / ".claude/rules/gone.md").symlink_to("nowhere.md")
    paths = [file.path for file in read_files(read_workspace(claude))]
    assert len(paths) == len(set(paths)) == len(LOADED)


def test_a_file_that_a_link_leads_to_as_well_is_counted_once(tmp_path: Path, run: Run) -> None:
    """As clients load it. It stands for itself by the name under which it loads the soonest."""
    put(tmp_path, **{"CLAUDE.md": "# R\n\n@docs/a.md\n", "docs/a.md": "# A\n\nText.\n", "docs/b.md": "# B\n\nMore.\n"})
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/rules").symlink_to("../docs")
    files = {file.path: file for file in read_files(read_workspace(tmp_path))}
    assert {path: file.same_as for path, file in files.items()} == {
        "CLAUDE.md": None,
        "docs/a.md": None,
        ".claude/rules/a.md": "docs/a.md",
        ".claude/rules/b.md": None,
    }
    listed = run("-w", tmp_path)[1]
    (summed,) = [line.split() for line in listed.splitlines() if line.startswith("at launch")]
    once = [file for file in files.values() if file.same_as is None]
    assert int(summed[2]) == sum(file.units()[0].lines for file in once)
    assert int(summed[3]) == sum(file.units()[0].tokens for file in once)
    document = json.loads(run("-w", tmp_path, "--json")[1])
    assert [one["path"] for one in document["files"] if one["same_as"]] == [".claude/rules/a.md"]


def test_help_imports_no_parser() -> None:
    code = (
        "import sys\nfrom typer.main import get_command\nfrom measure.cli.surface import app\n"
        "get_command(app)\nbad = {'markdown_it', 'yaml', 'jsonschema', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(bool(bad))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_the_only_condition_is_refused_with_the_way_out() -> None:
    with pytest.raises(AddressError) as refused:
        resolve("s.md@condition[1]", SKILL.format("s", "a").encode(), "s.md")
    assert "s.md@description" in str(refused.value)
