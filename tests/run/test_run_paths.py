"""All trials of a run stand at one path, each with files of its own; where that can't be had, the run says so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from measure.arena.arena import Arena, Stall
from measure.client.leftovers import end_processes_standing_in
from measure.client.process import Finished, run_child
from measure.contrast import Edit, EditKind, find_contrast
from measure.surface import read_surface
from tests.client.launching import ENVIRONMENT, eventually, get, standing_in
from tests.doubles.messages_api import MessagesApi, Script, Text
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import LINE, Workplace

pytestmark = pytest.mark.anyio
MODEL = "claude-sonnet-4-5"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


async def launch(stall: Stall, script: str, **settings: Any) -> Finished:
    containment = get("pid-namespace")
    if stall.view is not None:
        containment = containment.showing(stall.view, stall.path)
    return await run_child(
        ["/bin/sh", "-c", script], cwd=stall.path, env=ENVIRONMENT, containment=containment,
        **{"stdin": b"", "time_limit_s": 30.0, **settings},
    )  # fmt: skip


async def test_two_trials_at_one_path_at_one_time_see_files_of_their_own(place: Workplace) -> None:
    """Each waits until the other has written, so both are there at once."""
    surface = read_surface(place.workspace)
    with Arena(place.root / "arena") as arena:
        arms = arena.build(surface, find_contrast(surface, Edit(EditKind.DROP, "CLAUDE.md", line=4)))
        meeting = place.root / "meeting"
        meeting.mkdir()
        script = (
            "pwd -P; pwd; cat CLAUDE.md; echo {0} > own; touch {1}/{0}; until [ -e {1}/{2} ]; do :; done; "
            "cat own; ls -A; ls -A ..; ls -A ../..; echo gone > CLAUDE.md; env"
        )
        said: dict[str, str] = {}
        with arena.stall(arms.baseline, seen_at_desk=True) as one, arena.stall(arms.variant, seen_at_desk=True) as two:

            async def go(stall: Stall, name: str, other: str) -> None:
                finished = await launch(stall, script.format(name, meeting, other))
                assert finished.exit_code == 0, finished
                said[name] = finished.stdout.decode()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(go, one, "a", "b")
                tasks.start_soon(go, two, "b", "a")
            text = (arms.baseline / "CLAUDE.md").read_text()
            edited = (arms.variant / "CLAUDE.md").read_text()
            beside = "\n".join(sorted((arena.desk.name, one.temp.name)))
            for name, instructions in (("a", text), ("b", edited)):
                head = f"{arena.desk}\n{arena.desk}\n{instructions}{name}\nCLAUDE.md\nown\n{beside}\n"
                assert said[name].startswith(head + f"{arena.desk.parent.name}\n"), "nothing else of the arena is seen"
            told = [said[name].partition(f"{arena.desk.parent.name}\n")[2] for name in "ab"]
            assert all(stall.path.parent.parent.name not in env for env in told for stall in (one, two))
            assert (one.path / "CLAUDE.md").read_text() == "gone\n"
        arena.recheck(arms)


async def test_what_a_trial_seen_elsewhere_leaves_running_is_found_and_ended(place: Workplace) -> None:
    with Arena(place.root / "arena") as arena:
        arms = arena.build(read_surface(place.workspace), None)
        with arena.stall(arms.baseline, seen_at_desk=True) as stall:
            async with anyio.create_task_group() as tasks:

                async def standing() -> None:
                    finished = await launch(stall, "setsid sleep 600 & sleep 600")
                    assert finished.exit_code == -9, finished

                tasks.start_soon(standing)
                while len(standing_in(arena.desk)) < 3:  # noqa: ASYNC110 - other processes can't be waited for
                    await anyio.sleep(0.005)
                ended = end_processes_standing_in(arena.path)
                assert ended.remaining == ()
            finished = await launch(stall, "setsid sleep 600 & sleep 600", time_limit_s=0.3)
            assert finished.timed_out
        assert eventually(lambda: standing_in(arena.desk) == [])
        assert not stall.path.exists()
    assert not (place.root / "arena").exists()


def arguments(place: Workplace, client: RealClient, *more: str) -> list[str]:
    base = ("--client", str(client.path), "--model", MODEL, "--drop", LINE, "--repeats", "1")
    return place.arguments(*base, *more, simulated=False)


def told_paths(api: MessagesApi) -> set[str]:
    """All folders below the arena's place that any request speaks of."""
    return {path for request in api.asked for path in re.findall(r"workspaces-\d+(?:/[a-z0-9]{12})+", request.text)}


BY_VIEW: tuple[str, ...] = ()
IN_TURN = ("--containment", "descendants")
OWN = (*IN_TURN, "--own-paths")


@pytest.mark.parametrize(
    ("name", "more", "paths", "distinct"),
    [
        ("newer", BY_VIEW, "one-by-view", 1),
        ("older", BY_VIEW, "one-by-view", 1),
        ("newer", IN_TURN, "one-in-turn", 1),
        ("newer", OWN, "own", 4),
    ],
)
def test_the_real_client_is_told_one_path_or_the_run_says_that_they_differ(
    place: Workplace,
    serve: Callable[..., MessagesApi],
    clients: dict[str, RealClient],
    name: str,
    more: tuple[str, ...],
    paths: str,
    distinct: int,
) -> None:
    get("pid-namespace")
    place.put_probes(2)
    api = serve(Script(default=Text("ACTION: A")))
    place.extra = api.environment()
    done = place.measure(*arguments(place, clients[name], "--jobs", "4", *more))
    assert done.returncode == 0, done.stderr
    run = place.json("show", "last")
    assert all(trial["reading"] for trial in run["trials"]), run["trials"]
    assert run["plan"]["condition"]["paths"] == paths
    assert run["plan"]["design"]["jobs"] == (1 if paths == "one-in-turn" else 4)
    for told in (" ".join(run["plan"]["surface"]["notices"]), done.stderr):
        assert ("at one path in turn" in told) == (paths == "one-in-turn")
        assert ("a path of its own" in told) == (paths == "own")
    assert len(told_paths(api)) == distinct
    assert str(place.temp) not in json.dumps(run["trials"])
    assert place.left_in_temp() == []
    if distinct == 1:
        sent: dict[str, set[str]] = {}
        for request in api.asked:
            body = {name: request.body[name] for name in ("tools", "system", "messages")}
            sent.setdefault(request.prompt, set()).add(json.dumps(body).replace("- Ask before you push.\\n", ""))
        assert [len(bodies) for bodies in sent.values()] == [1, 1], "requests of both arms differ in the line alone"


def test_a_run_at_one_path_in_turn_goes_on_as_it_began(place: Workplace) -> None:
    (run,) = place.json(*place.arguments("--drop", LINE, "--containment", "descendants", "--max-rounds", "2"))["runs"]
    assert run["plan"]["condition"]["paths"] == "one-in-turn"
    (more,) = place.json("resume", "last", "--max-rounds", "4", "--jobs", "3")["runs"]
    assert len(more["trials"]) >= len(run["trials"])
    assert more["plan"]["condition"]["paths"] == "one-in-turn"
