"""The way of holding launches is proved before it is used, and can be chosen by hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from measure.client import namespace
from measure.client.containment import Containment, Hold, children_of, choose
from measure.client.descendants import Descendants
from measure.client.namespace import PidNamespace, probe
from measure.errors import ClientError
from tests.client.launching import eventually, every_way, get, run, standing_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def real() -> PidNamespace:
    found = get("pid-namespace")
    assert isinstance(found, PidNamespace)
    return found


def test_the_best_way_is_chosen_and_either_can_be_forced(real: PidNamespace) -> None:
    assert choose() == real
    assert choose("pid-namespace").way == "pid-namespace"
    assert choose("descendants").way == "descendants"


def test_where_namespaces_are_forbidden_descendants_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "unshare" else f"/bin/{name}")
    assert probe() is None
    assert isinstance(choose(), Descendants)
    with pytest.raises(ClientError, match="namespaces"):
        choose("pid-namespace")


def fake(tmp_path: Path, name: str, script: str) -> str:
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("broken", "script"),
    [
        ("unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1"),
        ("unshare", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'),
        ("setpriv", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'),
        (
            "unshare",
            'for a in "$@"; do shift; [ "$a" = --kill-child ] || set -- "$@" "$a"; done; exec "$REAL" "$@"',
        ),
        ("unshare", '"$REAL" "$@"; exit 0'),
        ("unshare", "exec sleep 5"),
    ],
    ids=["forbidden", "no namespace", "outlives the harness", "outlives the wrapper", "exit code lost", "hangs"],
)
def test_a_namespace_that_does_not_keep_its_promises_is_not_used(
    broken: str, script: str, real: PidNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = {"setpriv": real.setpriv, "unshare": real.unshare, "sh": real.shell}
    monkeypatch.setenv("REAL", tools[broken])
    tools[broken] = fake(tmp_path, broken, script)
    monkeypatch.setattr(shutil, "which", tools.get)
    monkeypatch.setattr(namespace, "_PROBE_LIMIT_S", 0.5)
    monkeypatch.chdir(tmp_path)
    assert probe() is None
    assert eventually(lambda: standing_in(tmp_path) == [os.getpid()]), "the probe left something running"


async def test_a_wrapper_that_fails_later_is_a_start_error(real: PidNamespace, tmp_path: Path) -> None:
    refusing = PidNamespace((), real.setpriv, fake(tmp_path, "unshare", "echo 'unshare: no' >&2; exit 1"), real.shell)
    finished = await run(refusing, tmp_path, ["cat"])
    assert finished.start_error is not None
    assert "unshare: no" in finished.start_error
    assert finished.exit_code is None


async def test_a_launch_in_a_namespace_sees_its_own_processes_alone(tmp_path: Path) -> None:
    finished = await run("pid-namespace", tmp_path, ["sh", "-c", "echo $$ $PPID; ls -d /proc/[0-9]*"])
    ids, *listed = finished.stdout.decode().splitlines()
    assert ids == "1 0"
    assert listed == ["/proc/1"]


@every_way
async def test_a_covered_directory_hides_others_process_ids_from_those_who_cannot_see_them(
    way: str, tmp_path: Path
) -> None:
    notes, missing = tmp_path / "notes", tmp_path / "missing"
    notes.mkdir()
    (notes / "4711.json").write_text("the user's own client")
    (tmp_path / "link").symlink_to(notes)
    containment: Containment = get(way).covering(tmp_path / "link", missing)
    script = f"ls {notes}; rm -f {notes}/4711.json; echo mine > {notes}/1.json; ls {notes}"
    finished = await run(containment, tmp_path, ["sh", "-c", script])
    assert finished.exit_code == 0, finished
    if way == "pid-namespace":
        assert finished.stdout == b"1.json\n"
        assert [file.name for file in notes.iterdir()] == ["4711.json"]
    else:
        assert finished.stdout == b"4711.json\n1.json\n"
    assert not missing.exists()


@every_way
def test_a_hold_ends_with_the_agents_own_command(way: str) -> None:
    hold: Hold = get(way).hold(["agent", "-p"], {"A": "b"})
    assert list(hold.argv)[-2:] == ["agent", "-p"]
    assert hold.env["A"] == "b"


def test_children_are_told_with_and_without_the_kernels_list(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in children_of(os.getpid())
        monkeypatch.setattr(Path, "iterdir", lambda path: (_ for _ in ()).throw(FileNotFoundError()))
        assert child.pid in children_of(os.getpid())
        assert children_of(2**22 + 1) == []
        child.communicate(b"\n")
