"""The firing condition: figures equal to git's own count, whatever a history holds and however a user set up git."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measure.errors import RequestError
from measure.gate.candidates import CandidateKind, find_candidates
from measure.gate.firing import Firing, evaluate
from tests.gate.repositories import QUIET, commit, git, put

GOVERNED = ("rules/**", "skills/**", "adapter/**")
SPECS = [f":(top,glob){pattern}" for pattern in GOVERNED]


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    git(folder, "config", "core.autocrlf", "false")
    return folder


def measured(folder: Path, base: str, head: str = "HEAD", **more: object) -> Firing:
    return evaluate(base, head, workspace=folder, **more)  # type: ignore[arg-type]


# ---- The independent count: git's numstat for lines; the sizes of blobs for the balance of bytes.


def numstat(folder: Path, base: str, head: str) -> dict[bytes, tuple[int, int] | None]:
    found: dict[bytes, tuple[int, int] | None] = {}
    out = git(folder, "diff", "--numstat", "-z", "--no-renames", base, head, "--", *SPECS)
    for line in out.split(b"\0")[:-1]:
        added, deleted, path = line.split(b"\t", 2)
        found[path] = None if added == b"-" else (int(added), int(deleted))
    return found


@functools.cache
def sizes(folder: Path, tree: str) -> dict[bytes, int]:
    found = {}
    for line in git(folder, "ls-tree", "-r", "-l", "-z", tree).split(b"\0")[:-1]:
        meta, path = line.split(b"\t", 1)
        mode, _, _, size = meta.split()
        # What git shows of a submodule is one line that names its commit.
        found[path] = len(b"Subproject commit \n") + 40 if mode == b"160000" else int(size)
    return found


def agrees(folder: Path, base: str, head: str) -> None:
    change = measured(folder, base, head).change
    counts = numstat(folder, base, head)
    before, after = sizes(folder, base), sizes(folder, head)
    text = {path: count for path, count in counts.items() if count is not None}
    assert change.lines.added == sum(added for added, _ in text.values())
    assert change.lines.deleted == sum(deleted for _, deleted in text.values())
    balance = sum(after.get(path, 0) - before.get(path, 0) for path in text)
    assert change.bytes.added - change.bytes.deleted == balance
    whole = {path for path, (added, deleted) in text.items() if not added or not deleted}
    if set(text) == whole:
        assert change.bytes.deleted == sum(max(0, before.get(path, 0) - after.get(path, 0)) for path in whole)
    assert len(change.paths) == len(counts)
    assert change.by == tuple(
        name for name, one in (("lines", change.lines), ("bytes", change.bytes)) if one.deleted > one.added
    )
    assert change.fired == bool(change.by)


# ---- A history written through `git fast-import`: hundreds of commits in one process.

FOLDERS = ["rules", "rules/deep/er", "skills/a", "adapter", "docs", "", 'rules/quo"ted', "rules/naïve 日本"]
NAMES = ["a.md", "b.md", "с.md", "new\nline.md", "tab\t.md", "-dash.md", ":(glob).md"]
LINES = [
    b"Ask first.",
    b"",
    b"- a",
    b"- b",
    b"  ",
    "日本語の行".encode(),
    b"---",
    b"@@ -1 +1 @@",
    b"diff --git a/x b/x",
]
ENDS = [b"\n", b"\n", b"\n", b"\r\n", b"\r"]


def quoted(path: str) -> bytes:
    out = "".join({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(char, char) for char in path)
    return b'"' + out.encode() + b'"'


class History:
    """Writes commits that do to a tree what people do."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.out: list[bytes] = []
        self.trees: list[dict[str, tuple[bytes, bytes]]] = []

    def text(self) -> bytes:
        whole = b"".join(self.random.choice(LINES) + self.random.choice(ENDS) for _ in range(self.random.randrange(12)))
        return whole if self.random.random() < 0.8 else whole + b"no line end"

    def edited(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(lines))
            act = self.random.choice(["drop", "add", "change", "crlf", "end"])
            if act == "drop":
                del lines[at]
                lines = lines or [b""]
            elif act == "add":
                lines.insert(at, self.random.choice(LINES))
            elif act == "change":
                lines[at] += b"!"
            elif act == "crlf":
                lines[at] += b"\r"
            else:
                lines += [b""] if lines[-1] else [b"x"]
        return b"\n".join(lines)

    def path(self) -> str:
        folder = self.random.choice(FOLDERS)
        return (folder + "/" if folder else "") + self.random.choice(NAMES)

    def change(self, tree: dict[str, tuple[bytes, bytes]]) -> None:
        paths = sorted(tree)
        act = self.random.choice(
            ["put", "put", "edit", "edit", "edit", "delete", "rename", "mode", "binary", "link", "submodule"]
        )
        one = self.random.choice(paths) if paths else self.path()
        mode, data = tree.get(one, (b"100644", self.text()))
        if act == "put" or not paths:
            tree[self.path()] = (b"100644", self.text())
        elif act == "edit" and mode != b"160000":
            tree[one] = (mode, self.edited(data) if mode != b"120000" else b"elsewhere")
        elif act == "delete":
            del tree[one]
        elif act == "rename":
            del tree[one]
            tree[self.path()] = (mode, data if self.random.random() < 0.5 or mode == b"160000" else self.edited(data))
        elif act == "mode" and mode in (b"100644", b"100755"):
            tree[one] = (b"100755" if mode == b"100644" else b"100644", data)
        elif act == "binary":
            tree[one] = (b"100644", b"\0" + data + bytes([self.random.randrange(256)]))
        elif act == "link":
            tree[one] = (b"120000", self.random.choice([b"a.md", b"../docs/a.md", b"no line end"]))
        elif act == "submodule":
            tree[one] = (b"160000", b"%040x" % self.random.randrange(1, 16**40))

    def commit(self, parents: list[int]) -> None:
        number = len(self.trees)
        tree = dict(self.trees[parents[0]]) if parents else {}
        for parent in parents[1:]:
            for path, entry in self.trees[parent].items():
                if self.random.random() < 0.6:
                    tree[path] = entry
        for _ in range(self.random.randrange(0 if len(parents) > 1 else 1, 5)):
            self.change(tree)
        kept: dict[str, tuple[bytes, bytes]] = {}
        for path, entry in sorted(tree.items()):
            if not any(path.startswith(other + "/") for other in kept):
                kept[path] = entry
        self.trees.append(kept)
        self.out.append(
            b"commit refs/heads/c%d\nmark :%d\ncommitter a <a@example.org> %d +0000\ndata 1\nx\n"
            % (number, number + 1, 1_700_000_000 + number)
        )
        if parents:
            self.out.append(b"from :%d\n" % (parents[0] + 1))
            self.out += [b"merge :%d\n" % (parent + 1) for parent in parents[1:]]
        self.out.append(b"deleteall\n")
        for path, (mode, data) in kept.items():
            if mode == b"160000":
                self.out.append(b"M 160000 %b %b\n" % (data, quoted(path)))
            else:
                self.out.append(b"M %b inline %b\ndata %d\n%b\n" % (mode, quoted(path), len(data), data))

    def write(self, folder: Path, commits: int) -> list[list[int]]:
        parents: list[list[int]] = []
        for number in range(commits):
            kind = self.random.random()
            if number == 0 or kind < 0.02:
                mine: list[int] = []
            elif kind < 0.25 and number > 2:
                mine = self.random.sample(range(max(0, number - 8), number), 2)
            else:
                mine = [self.random.randrange(max(0, number - 4), number)]
            self.commit(mine)
            parents.append(mine)
        git(folder, "fast-import", "--quiet", "--force", given=b"".join(self.out))
        return parents


def test_figures_equal_gits_own_count_over_hundreds_of_commits(repository: Path) -> None:
    parents = History(5).write(repository, 320)
    merges = roots = 0
    empty = git(repository, "hash-object", "-t", "tree", "--stdin").decode().strip()
    for number, mine in enumerate(parents):
        roots += not mine
        merges += len(mine) > 1
        for base in [f"c{parent}" for parent in mine] or [empty]:
            agrees(repository, base, f"c{number}")
    assert merges > 30
    assert roots > 2


@given(seed=st.integers(min_value=0, max_value=10**9))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_figures_equal_gits_own_count_between_any_two_commits(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("history")
    git(folder, "init", "-q")
    History(seed).write(folder, 8)
    for base, head in ((0, 7), (3, 6), (7, 0)):
        agrees(folder, f"c{base}", f"c{head}")


# ---- What a user has set up must not matter.


def test_no_configuration_attribute_or_variable_changes_the_count(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repository, "rules/a.md", b"".join(b"line %d\r\n" % number for number in range(30)))
    put(repository, "rules/b.md", b"one\n  two\nthree\n")
    base = commit(repository)
    (repository / "rules/a.md").rename(repository / "rules/c.md")
    put(repository, "rules/b.md", b"one\ntwo\n\nthree")
    commit(repository)
    plain = measured(repository, base).change
    for name, value in {
        "diff.renames": "copies",
        "diff.algorithm": "patience",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "/bin/false",
        "diff.context": "9",
        "diff.interHunkContext": "9",
        "diff.relative": "true",
        "diff.orderFile": str(tmp_path / "order"),
        "diff.ignoreSubmodules": "all",
        "diff.indentHeuristic": "false",
        "color.ui": "always",
        "color.diff": "always",
        "core.quotePath": "true",
        "core.autocrlf": "true",
        "core.pager": "/bin/false",
        "core.whitespace": "cr-at-eol",
        "diff.upper.textconv": "tr a-z A-Z <",
        "diff.upper.binary": "true",
        "diff.upper.command": "/bin/false",
    }.items():
        git(repository, "config", name, value)
    (tmp_path / "order").write_text("z*\n")
    for attributes in (
        "*.md diff=upper",
        "*.md -diff",
        "*.md binary",
        "*.md -text eol=lf working-tree-encoding=UTF-16",
    ):
        (repository / ".gitattributes").write_text(attributes + "\n")
        assert measured(repository, base).change == plain
    for name, value in {
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_DIFF_OPTS": "--unified=5",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_DIR": str(tmp_path / "no"),
        "GIT_INDEX_FILE": str(tmp_path / "no"),
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    assert measured(repository, base).change == plain


def test_looking_writes_nothing(repository: Path) -> None:
    put(repository, "rules/a.md", b"one\ntwo\n")
    base = commit(repository)
    put(repository, "rules/a.md", b"one\n")
    commit(repository)
    before = {path: path.stat().st_mtime_ns for path in repository.rglob("*")}
    measured(repository, base)
    assert {path: path.stat().st_mtime_ns for path in repository.rglob("*")} == before


# ---- The condition.


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [
        (b"a\nb\n", b"a\n", ("lines", "bytes")),
        (b"a\nb\n", b"a and much more than it was\n", ("lines",)),
        (b"a long line that is cut\n", b"a\nb\n", ("bytes",)),
        (b"a\n", b"a\nb\n", ()),
        (b"a\n", b"b\n", ()),
        (b"a\r\n", b"a\n", ("bytes",)),
        (b"a\n", b"a", ("bytes",)),
    ],
)
def test_either_one_fires_and_equality_does_not(repository: Path, old: bytes, new: bytes, by: tuple[str, ...]) -> None:
    put(repository, "rules/a.md", old)
    base = commit(repository)
    put(repository, "rules/a.md", new)
    commit(repository)
    change = measured(repository, base).change
    assert (change.by, change.fired) == (by, bool(by))


def test_text_that_leaves_the_governed_paths_is_deleted(repository: Path) -> None:
    put(repository, "rules/a.md", b"one\ntwo\n")
    base = commit(repository)
    (repository / "docs").mkdir()
    (repository / "rules/a.md").rename(repository / "docs/a.md")
    commit(repository)
    change = measured(repository, base).change
    assert (change.lines.added, change.lines.deleted) == (0, 2)
    assert change.fired


def test_other_paths_do_not_count_and_a_project_names_its_own(repository: Path) -> None:
    put(repository, "CLAUDE.md", b"one\ntwo\n")
    put(repository, "sub/CLAUDE.md", b"one\n")
    base = commit(repository)
    put(repository, "CLAUDE.md", b"one\n")
    (repository / "sub/CLAUDE.md").unlink()
    commit(repository)
    assert not measured(repository, base).change.paths
    assert measured(repository, base, governed=("CLAUDE.md",)).change.paths == ("CLAUDE.md",)
    assert measured(repository, base, governed=("**/CLAUDE.md",)).change.paths == ("CLAUDE.md", "sub/CLAUDE.md")


def test_patterns_that_govern_nothing_are_told(repository: Path) -> None:
    put(repository, "CLAUDE.md", b"one\ntwo\n")
    base = commit(repository)
    put(repository, "CLAUDE.md", b"one\n")
    commit(repository)
    (note,) = measured(repository, base).notes
    assert "--governed CLAUDE.md" in note
    put(repository, "rules/a.md", b"one\n")
    base = commit(repository)
    commit(repository)
    assert not measured(repository, base).notes


def test_paths_are_the_named_workspaces_own(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repository, "part/rules/a.md", b"one\n")
    put(repository, "rules/b.md", b"one\n")
    base = commit(repository)
    (repository / "part/rules/a.md").write_bytes(b"")
    (repository / "rules/b.md").write_bytes(b"")
    commit(repository)
    assert measured(repository / "part", base).change.paths == ("rules/a.md",)
    monkeypatch.chdir(repository / "part")
    assert evaluate(base).change.paths == ("rules/b.md",)


def test_a_pull_request_is_counted_from_where_it_parted(repository: Path) -> None:
    put(repository, "rules/a.md", b"one\n")
    commit(repository)
    git(repository, "checkout", "-q", "-b", "topic")
    put(repository, "rules/b.md", b"new\n")
    commit(repository)
    git(repository, "checkout", "-q", "main")
    put(repository, "rules/a.md", b"one\ntwo\nthree\n")
    commit(repository)
    plain = measured(repository, "main", "topic")
    assert plain.change.fired
    assert plain.notes
    parted = measured(repository, "main", "topic", parted=True)
    assert not parted.change.fired
    assert not parted.notes


def test_an_id_of_zeros_is_the_empty_tree(repository: Path) -> None:
    put(repository, "rules/a.md", b"one\n")
    commit(repository)
    assert measured(repository, "0" * 40).change.lines.added == 1


@pytest.mark.parametrize(
    "revision", ["nope", "", "--all", "HEAD:rules/a.md", "HEAD..HEAD", "^HEAD", "HEAD HEAD", "a\0b"]
)
def test_what_is_no_revision_is_refused(repository: Path, revision: str) -> None:
    put(repository, "rules/a.md", b"one\n")
    commit(repository)
    with pytest.raises(RequestError):
        measured(repository, revision)


def test_a_folder_without_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="repository"):
        measured(tmp_path, "HEAD")


# ---- Candidates.


def test_candidates_are_the_lines_that_went_by_their_place_in_the_base(repository: Path) -> None:
    put(repository, "rules/a.md", b"one\ntwo\n\nthree\nfour\nfive\n")
    put(repository, "rules/gone.md", b"last\n")
    base = commit(repository)
    put(repository, "rules/a.md", b"one\nTHREE\nfour\n")
    put(repository, "rules/b.md", b"five\n")
    (repository / "rules/gone.md").unlink()
    commit(repository)
    found = {one.drop: one for one in find_candidates(measured(repository, base))}
    assert {place: one.text for place, one in found.items()} == {
        "rules/a.md:2": "two",
        "rules/a.md:4": "three",
        "rules/a.md:6": "five",
        "rules/gone.md:1": "last",
    }
    assert found["rules/a.md:6"].kind is CandidateKind.MOVED
    assert found["rules/gone.md:1"].on_head is None
    assert found["rules/gone.md:1"].kind is CandidateKind.DELETED


@given(
    old=st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), min_size=1, max_size=12),
    new=st.lists(st.sampled_from(["a", "b", "c", "X", "Y"]), min_size=1, max_size=12),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_candidate_can_be_dropped_at_the_base_and_put_back_at_the_head(
    old: list[str], new: list[str], end: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from measure.contrast import EditKind, edit_from_place, find_contrast
    from measure.surface import read_surface

    folder = tmp_path_factory.mktemp("history")
    git(folder, "init", "-q")
    put(folder, "CLAUDE.md", end.join(old).encode())
    base = commit(folder)
    candidates_at: list[str] = []
    put(folder, "CLAUDE.md", end.join(new).encode())
    commit(folder)
    candidates = find_candidates(measured(folder, base, governed=("CLAUDE.md",)))
    head = read_surface(folder)
    for one in candidates:
        assert one.on_head is not None
        kind = EditKind(one.on_head.option.removeprefix("--"))
        contrast = find_contrast(head, edit_from_place(kind, one.on_head.place, one.on_head.text))
        variant = contrast.apply((folder / "CLAUDE.md").read_bytes())
        assert one.text == variant.decode().splitlines()[contrast.line - 1]
        candidates_at.append(one.drop)
    git(folder, "checkout", "-q", base)
    surface = read_surface(folder)
    for one in candidates:
        assert find_contrast(surface, edit_from_place(EditKind.DROP, one.drop)).text == one.text
