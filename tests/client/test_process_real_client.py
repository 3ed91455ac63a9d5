"""Both real clients run as the first process of a namespace as they run without one, with all their tools' children."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from measure.client.acceptance import Expectation, accept
from measure.client.events import Stream, is_result_line, parse
from measure.client.process import Finished, run_child
from measure.client.trial import Invalid, Reason
from tests.client.launching import eventually, get, standing_in
from tests.doubles import real_clients
from tests.doubles.messages_api import MessagesApi, Script, Text, ToolUse, Turns
from tests.doubles.real_clients import RealClient

pytestmark = pytest.mark.anyio

Serve = Callable[..., MessagesApi]
both_ways = pytest.mark.parametrize("way", ["pid-namespace", "descendants"])


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    arm = tmp_path / "arm"
    arm.mkdir()
    (arm / "CLAUDE.md").write_text("Never push to main.\n")
    return arm


def bash(command: str) -> Turns:
    return Turns(ToolUse("Bash", {"command": command, "description": "one step"}), Text("done"))


async def launch(
    way: str, client: RealClient, arm: Path, environment: dict[str, str], *, turns: int, time_limit_s: float = 60.0
) -> tuple[Finished, Stream]:
    flags = ("-p", "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose")
    argv = [str(client.path), *flags, "--max-turns", str(turns), *real_clients.PRODUCTION, "--allowedTools", "Bash"]
    finished = await run_child(
        argv,
        cwd=arm,
        env=environment,
        stdin=b"Which one?",
        time_limit_s=time_limit_s,
        containment=get(way),
        is_final=is_result_line,
    )
    return finished, parse(finished.stdout)


@both_ways
async def test_a_tool_call_works_and_what_it_left_running_is_ended(
    way: str, real_client: RealClient, serve: Serve, arm: Path, private_environment: dict[str, str]
) -> None:
    left_running = "setsid sleep 600 </dev/null >/dev/null 2>&1 & echo it $((20 + 3))"
    api = serve(Script(default=bash(left_running)))
    finished, stream = await launch(way, real_client, arm, private_environment | api.environment(), turns=2)
    assert stream.result is not None, finished
    assert (finished.exit_code, stream.result.is_error, stream.result.text) == (0, False, "done")
    assert "it 23" in stream.tool_results[0].text
    assert standing_in(arm) == []
    assert finished.leftovers is None if way == "pid-namespace" else finished.leftovers


@both_ways
async def test_the_time_limit_ends_a_client_and_its_running_tool(
    way: str, real_client: RealClient, serve: Serve, arm: Path, private_environment: dict[str, str]
) -> None:
    api = serve(Script(default=bash("python3 -c 'import time; time.sleep(600)'")))
    finished, stream = await launch(
        way, real_client, arm, private_environment | api.environment(), turns=2, time_limit_s=4.0
    )
    assert finished.timed_out, finished
    # Told to end, a client may end the tool and hurry to a result: cut short by us, it is no answer.
    assert not finished.killed_after_result
    verdict = accept(stream, finished, Expectation("claude-sonnet-4-5", real_client.version, 2))
    assert isinstance(verdict, Invalid)
    assert verdict.reason is Reason.TIMEOUT
    assert finished.wall_s < 30
    assert standing_in(arm) == []


async def test_a_users_own_running_client_keeps_its_note(
    real_client: RealClient, serve: Serve, arm: Path, private_environment: dict[str, str]
) -> None:
    """Clients note their process ids in the home and clear away those of dead ones; in a namespace all look dead."""
    sessions = Path(private_environment["HOME"], ".claude", "sessions")
    sessions.mkdir(parents=True)
    with subprocess.Popen(["sleep", "600"]) as users_own:  # noqa: ASYNC220
        note = sessions / f"{users_own.pid}.json"
        note.write_text(json.dumps({"pid": users_own.pid, "sessionId": "s", "cwd": "/", "startedAt": 1}))
        api = serve(Script(default=Text("ACTION: B")))
        environment = private_environment | api.environment()
        finished = await run_child(
            [
                str(real_client.path),
                "-p",
                "--model",
                "claude-sonnet-4-5",
                "--output-format",
                "stream-json",
                "--verbose",
            ],
            cwd=arm,
            env=environment,
            stdin=b"Which one?",
            time_limit_s=60,
            containment=get("pid-namespace").covering(sessions),
            is_final=is_result_line,
        )
        users_own.kill()
    assert finished.exit_code == 0, finished
    assert list(sessions.iterdir()) == [note]
    assert eventually(lambda: standing_in(arm) == [])
