"""What git knows of a change, read by plumbing.

Invariant: what comes out depends on the two trees alone. No configuration, attribute, filter, external diff, text
conversion or variable of whoever calls can change it, nothing is written, and paths are taken as bytes.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from measure.errors import RequestError

GITLINK = b"160000"
REGULAR = (b"100644", b"100755", b"100664")
_ABSENT = b"000000"
_NOWHERE = re.compile(rb"0{40}(?:0{24})?")
"""What services give for "there was nothing before"."""
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)(?: \d+)?")
_LEADING_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)
"""Variables that a hook has set or a user may have: they would lead to another repository or another reading."""
_AS_LINES = (
    "--text",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--full-index",
    "--unified=0",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
    "--ignore-submodules=none",
)


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision that was found: the commit (the tree itself where no commit is meant) and its tree, as object ids."""

    commit: str
    tree: str

    @property
    def is_commit(self) -> bool:
        """False for a bare tree, the empty one for example."""
        return self.commit != self.tree


@dataclass(frozen=True, slots=True)
class Entry:
    """One path whose entry differs between two trees. A side that does not exist has the mode 000000."""

    path: bytes
    """Relative to the folder the repository was opened in."""
    old_mode: bytes
    new_mode: bytes
    old: str
    new: str

    @property
    def added(self) -> bool:
        """It exists in the later tree only."""
        return self.old_mode == _ABSENT

    @property
    def deleted(self) -> bool:
        """It exists in the earlier tree only."""
        return self.new_mode == _ABSENT


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that go and lines that come in their place; numbers from 1. Where `new_count` is 0, the lines stood after
    line `new_first` of the later file."""

    old_first: int
    old_count: int
    new_first: int
    new_count: int


@dataclass(frozen=True)
class Repository:
    """A repository, seen from one of its folders. Built by `open_repository`."""

    folder: Path
    prefix: bytes
    """The folder's path in the repository, ending in `/`; empty at its top."""

    def resolve(self, revision: str) -> Revision:
        """Find a revision. An id of zeros only is the empty tree. Raises `RequestError` for one that is not there."""
        if _NOWHERE.fullmatch(revision.encode("utf-8", "replace")):
            return self._nothing()
        if not revision or revision.startswith("-") or "\0" in revision:
            raise RequestError(f"{revision!r} is no revision.", hint="Name a commit, a branch or a tag.")
        found = self._ids(f"{revision}^{{commit}}", f"{revision}^{{tree}}") or self._ids(*[f"{revision}^{{tree}}"] * 2)
        if found is None:
            raise RequestError(
                f"{revision!r} is no revision of the repository {self.folder}.",
                hint="Name a commit, a branch or a tag. In a shallow clone, fetch its history first.",
            )
        return Revision(*found)

    def _ids(self, commit: str, tree: str) -> tuple[str, str] | None:
        out = self._try("rev-parse", commit, tree, "--") or b""
        # A range would give more than one id for each, an exclusion one with a sign.
        found = out.decode().split()
        whole = len(found) == 3 and found[2] == "--" and not found[0].startswith("^")
        return (found[0], found[1]) if whole else None

    def merge_base(self, one: Revision, other: Revision) -> Revision:
        """Where two histories parted. Raises `RequestError` where they have nothing in common."""
        found = self._try("merge-base", one.commit, other.commit) if one.is_commit and other.is_commit else None
        if found is None:
            raise RequestError(
                f"{one.commit[:12]} and {other.commit[:12]} have no commit in common.",
                hint="In a shallow clone, fetch more of the history; or leave out --merge-base.",
            )
        return self.resolve(found.decode().strip())

    def is_ancestor(self, one: Revision, other: Revision) -> bool:
        """Whether `other` was built on `one`. A bare tree has no history to contradict it."""
        if not (one.is_commit and other.is_commit):
            return True
        return self._try("merge-base", "--is-ancestor", one.commit, other.commit) is not None

    def changed(self, base: Revision, head: Revision, patterns: Sequence[str]) -> tuple[Entry, ...]:
        """Entries below the folder that differ and match a pattern, sorted by path, without detection of renames."""
        out = self._run(
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            "--ignore-submodules=none",
            base.tree,
            head.tree,
            "--",
            *_as_pathspecs(patterns),
        )
        fields = iter(out.split(b"\0"))
        found = []
        for meta in fields:
            if not meta:
                break
            old_mode, new_mode, old, new, _ = meta.removeprefix(b":").split(b" ")
            path = next(fields).removeprefix(self.prefix)
            found.append(Entry(path, old_mode, new_mode, old.decode(), new.decode()))
        return tuple(sorted(found, key=lambda entry: entry.path))

    def holds(self, revision: Revision, patterns: Sequence[str]) -> bool:
        """Whether any path below the folder matches a pattern."""
        return bool(self.changed(self._nothing(), revision, patterns))

    def hunks(
        self, base: Revision, head: Revision, patterns: Sequence[str]
    ) -> Mapping[tuple[str, str], tuple[Hunk, ...]]:
        """The line diff of every changed file, by the ids of its two contents."""
        return dict(
            _read_patch(
                self._run("diff-tree", "-r", "-p", *_AS_LINES, base.tree, head.tree, "--", *_as_pathspecs(patterns))
            )
        )

    def hunks_between(self, old: str, new: str) -> tuple[Hunk, ...]:
        """The line diff of two contents that a patch would not show as one (a file that became a link)."""
        if old == new:
            return ()
        return next((found for _, found in _read_patch(self._run("diff", *_AS_LINES, old, new))), ())

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of blobs by their ids, as stored: no filter and no line-end conversion."""
        wanted = sorted(set(ids))
        out = BytesIO(self._run("cat-file", "--batch", given="".join(f"{one}\n" for one in wanted).encode()))
        found = {}
        for one in wanted:
            head = out.readline().split()
            if len(head) != 3 or head[1] != b"blob":
                raise RequestError(
                    f"the repository {self.folder} lacks the content {one[:12]}.",
                    hint="In a partial or shallow clone, fetch it first.",
                )
            found[one] = out.read(int(head[2]))
            out.read(1)
        return found

    def _nothing(self) -> Revision:
        empty = self._run("hash-object", "-t", "tree", "--stdin").decode().strip()
        return Revision(empty, empty)

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        done = _git(self.folder, arguments, given)
        if done.returncode:
            raise RequestError(f"git {arguments[0]} failed in {self.folder}: {_said(done)}")
        return done.stdout

    def _try(self, *arguments: str) -> bytes | None:
        done = _git(self.folder, arguments)
        return None if done.returncode else done.stdout

    @cached_property
    def top(self) -> Path | None:
        """The root of the checked-out files; None in a bare repository."""
        found = self._try("rev-parse", "--show-toplevel")
        return Path(os.fsdecode(found.removesuffix(b"\n"))) if found and found.strip() else None


def open_repository(folder: Path) -> Repository:
    """The repository that `folder` belongs to, seen from it. Raises `RequestError` where there is none."""
    if not folder.is_dir():
        raise RequestError(f"{folder} is not a folder.")
    done = _git(folder, ("rev-parse", "--show-prefix"))
    if done.returncode:
        raise RequestError(
            f"{folder} can't be read as a git repository: {_said(done)}",
            hint="Run it in the repository that holds the change, or name it with --workspace DIR.",
        )
    return Repository(folder, done.stdout.removesuffix(b"\n"))


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a content with their line ends, cut at line feeds only, as git counts them."""
    return BytesIO(data).readlines()


def is_binary(data: bytes) -> bool:
    """Git's own test of content: a zero byte among the first 8,000."""
    return b"\0" in data[:8000]


def _as_pathspecs(patterns: Sequence[str]) -> list[str]:
    return [f":(glob){pattern}" for pattern in patterns]


def _read_patch(patch: bytes) -> Iterator[tuple[tuple[str, str], tuple[Hunk, ...]]]:
    """Each file's hunks. A line of content begins with a sign, so it never reads as a header."""
    key: tuple[str, str] | None = None
    hunks: list[Hunk] = []
    lines = BytesIO(patch)
    while line := lines.readline():
        if line.startswith(b"diff --git "):
            if key is not None:
                yield key, tuple(hunks)
            key, hunks = None, []
        elif found := _INDEX.match(line):
            key = found[1].decode(), found[2].decode()
        elif found := _HUNK.match(line):
            hunks.append(Hunk(*(1 if part is None else int(part) for part in found.groups())))
    if key is not None:
        yield key, tuple(hunks)


def _git(folder: Path, arguments: Sequence[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _LEADING_ELSEWHERE}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "-C", os.fspath(folder), "--no-pager", *arguments]
    try:
        return subprocess.run(command, input=given, capture_output=True, env=environment, check=False)
    except FileNotFoundError:
        raise RequestError("git was not found on PATH.", hint="Install git.") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    text = done.stderr.decode("utf-8", "replace").strip()
    return text.splitlines()[0].removeprefix("fatal: ") if text else f"exit status {done.returncode}"
