"""Both real clients against the double: what reaches the model, and what every trouble is called.

The product's own launch is used throughout, so flags, environment, masking, reading and acceptance are tested as one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from measure.client.base import Order
from measure.client.claude import ClaudeClient, open_claude
from measure.client.containment import choose
from measure.client.trial import Invalid, Reason, Returned
from tests.client import streams as s
from tests.client.expected_rows import expected
from tests.doubles.messages_api import MessagesApi, Script, Text, Thinking, ToolUse, Trouble, Turns, faults, refusing
from tests.doubles.real_clients import RealClient

pytestmark = pytest.mark.real_client

GOOD = Text("The rule says: stop and ask first.\nACTION: B")
READ = ToolUse("Read", {"file_path": "CLAUDE.md"})
Serve = Callable[..., MessagesApi]
HELD = choose("descendants")
"""One for the whole process: launches held by different ones at the same time can't tell their orphans apart."""


def workspace(tmp_path: Path) -> Path:
    """An arm with a rule and a skill, and a user around it whose own text and hooks must not show."""
    arm = tmp_path / "arm"
    skill = arm / ".claude" / "skills" / "deploying"
    skill.mkdir(parents=True)
    (arm / "CLAUDE.md").write_text("# Rules\nNever push on a RULE-NEEDLE.\n")
    (skill / "SKILL.md").write_text("---\nname: deploying\ndescription: SKILL-NEEDLE for deploying\n---\nBODY-NEEDLE\n")
    (arm / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks("PROJECT-HOOK-NEEDLE")}))
    home = tmp_path / "home" / ".claude"
    home.mkdir(parents=True)
    (home / "CLAUDE.md").write_text("USER-NEEDLE\n")
    (home / "settings.json").write_text(json.dumps({"hooks": hooks("USER-HOOK-NEEDLE")}))
    slug = str(arm.resolve()).replace("/", "-").replace("_", "-")
    for config in (home,):
        memory = config / "projects" / slug / "memory"
        memory.mkdir(parents=True)
        (memory / "MEMORY.md").write_text("MEMORY-NEEDLE\n")
    return arm


def hooks(needle: str) -> dict[str, Any]:
    command = {"type": "command", "command": f"echo {needle}"}
    return {event: [{"hooks": [command]}] for event in ("SessionStart", "UserPromptSubmit")}


def opened(client: RealClient, tmp_path: Path, address: dict[str, str], **how: Any) -> ClaudeClient:
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"), "API_TIMEOUT_MS": "1500", **address}
    found = open_claude(
        model=s.MODEL,
        client=client.path,
        environ=environ,
        containment=HELD,
        **{"time_limit_s": 20.0, **how},
    )
    # Repeated requests take seconds each and change no reason; one row asks for them.
    variables = {**found.environment.variables, "CLAUDE_CODE_MAX_RETRIES": "0"}
    return replace(found, environment=replace(found.environment, variables=variables))


def launch(client: ClaudeClient, tmp_path: Path, arm: Path | None = None, prompt: str = "Which one?") -> Returned:
    temp = tmp_path / "temp"
    temp.mkdir(exist_ok=True)
    if arm is None:
        arm = tmp_path / "arm"
        arm.mkdir(exist_ok=True)
        (arm / "CLAUDE.md").write_text("# Rules\nStop and ask first.\n")
    return anyio.run(client.launch, Order(cwd=arm, temp=temp, prompt=prompt, seed=1))


# --- what reaches the model -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("condition", ["production", "lean"])
def test_the_rule_reaches_the_model_and_nothing_of_the_user_does(
    real_client: RealClient, serve: Serve, tmp_path: Path, condition: str
) -> None:
    api, arm = serve(Script(default=GOOD)), workspace(tmp_path)
    client = opened(real_client, tmp_path, api.environment(), condition=condition)
    returned = launch(client, tmp_path, arm)
    assert returned.transcript is not None, returned.invalid
    assert returned.transcript.answer == GOOD.text
    assert returned.client_version == client.condition.client_version == real_client.version
    assert returned.model_answered == s.MODEL
    assert returned.turns == 1
    [request] = api.asked
    assert request.model == s.MODEL
    assert "RULE-NEEDLE" in request.text
    assert request.prompt.strip() == "Which one?"
    for foreign in ("USER-NEEDLE", "HOOK-NEEDLE", "MEMORY-NEEDLE", "BODY-NEEDLE", str(tmp_path / "temp")):
        assert foreign not in request.text
    [told] = [line for line in returned.stream.splitlines() if b'"init"' in line]
    tools = set(json.loads(told)["tools"])
    assert not {"WebFetch", "WebSearch"} & tools
    if condition == "production":
        assert {"Read", "Bash", "Skill", "Edit"} <= tools
        assert "SKILL-NEEDLE" in request.text
    else:
        assert tools == set()
        assert not request.body.get("tools")
        assert "SKILL-NEEDLE" not in request.text


def test_lean_is_a_fraction_of_production(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    api = serve(Script(default=GOOD))
    for condition in ("production", "lean"):
        launch(opened(real_client, tmp_path, api.environment(), condition=condition), tmp_path)
    production, lean = (len(request.content) for request in api.asked)
    assert lean * 3 < production


def test_two_launches_at_one_place_ask_the_same(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    api, arm = serve(Script(default=GOOD)), workspace(tmp_path)
    client = opened(real_client, tmp_path, api.environment())
    for number in (1, 2):
        temp = tmp_path / f"temp-{number}"
        temp.mkdir()
        anyio.run(client.launch, Order(cwd=arm, temp=temp, prompt="Which one?", seed=number))
    first, second = ({key: value for key, value in request.body.items() if key != "metadata"} for request in api.asked)
    assert first == second


def test_nothing_of_place_key_or_gateway_is_kept(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    api = serve(Script(troubles=faults.OVERLOADED))
    address = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "made-up-key-4711"}
    returned = launch(opened(real_client, tmp_path, address), tmp_path)
    for hidden in ("made-up-key-4711", api.url.removeprefix("http://"), str(tmp_path / "arm"), str(tmp_path / "temp")):
        assert hidden not in repr(returned)


# --- what every trouble is called -------------------------------------------------------------------------------------
def scripted(row: str) -> Script:
    """A new script for a row, since a script keeps where its draws stand."""
    once = {
        "max-tokens-once": faults.MAX_TOKENS,
        "empty-content-once": faults.EMPTY_CONTENT,
        "eof-mid-text-once": faults.EOF_MID_TEXT,
    }
    if row in once:
        return Script(default=GOOD, troubles=Trouble(once[row], on={1}))
    if row in faults.FAULTS:
        return Script(default=GOOD, troubles=faults.FAULTS[row])
    default: dict[str, Any] = {
        "answer": GOOD,
        "answer-thinking": (Thinking("Let me see."), GOOD),
        "tool-use-max-turns": Turns(READ, GOOD),
    }
    return Script(default=default[row])


MADE_UP_KEY = {"ANTHROPIC_API_KEY": "sk-ant-test-made-up"}
LOGGED_IN = {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-made-up"}
"""Only subscriptions have an allowance that is used up."""
NOT_IN_TIME = {"hang-after-headers", "429-retry-after-1", "429-retry-after-30", "429-retry-after-70"}
ROWS = sorted(
    {"answer", "answer-thinking", "tool-use-max-turns", "max-tokens-once", "empty-content-once", "eof-mid-text-once"}
    | (set(faults.FAULTS) - NOT_IN_TIME)
)


@pytest.fixture(scope="module")
def together(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Returned]:
    """All rows that were asked for, each launched once, a few at a time as in a run."""
    wanted = [
        item.callspec.params
        for item in request.session.items
        if isinstance(item, pytest.Function) and "together" in item.fixturenames
    ]
    done: dict[tuple[str, str], Returned] = {}

    async def launch_one(client: RealClient, row: str, slots: anyio.CapacityLimiter) -> None:
        place = tmp_path_factory.mktemp("row")
        for name in ("arm", "temp", "home"):
            (place / name).mkdir()
        (place / "arm" / "CLAUDE.md").write_text("# Rules\nStop and ask first.\n")
        async with slots:
            with MessagesApi(scripted(row)) as api:
                order = Order(cwd=place / "arm", temp=place / "temp", prompt="Which one?", seed=1)
                address = {"ANTHROPIC_BASE_URL": api.url, **(LOGGED_IN if "usage" in row else MADE_UP_KEY)}
                done[client.name, row] = await opened(client, place, address).launch(order)

    async def launch_all(client: RealClient, rows: list[str]) -> None:
        slots = anyio.CapacityLimiter(3)
        async with anyio.create_task_group() as group:
            for row in rows:
                group.start_soon(launch_one, client, row, slots)

    def of(client: RealClient, row: str) -> Returned:
        if (client.name, row) not in done:
            rows = [str(asked["row"]) for asked in wanted if asked["real_client"] == client.name]
            anyio.run(launch_all, client, rows)
        return done[client.name, row]

    return of


@pytest.mark.parametrize("row", ROWS)
def test_every_trouble_has_its_reason(
    real_client: RealClient, together: Callable[[RealClient, str], Returned], row: str
) -> None:
    returned = together(real_client, row)
    assert reason(returned) == expected(real_client.name, row), returned.invalid
    if row in ("answer", "answer-thinking"):
        assert returned.flags == ()


def test_a_refused_connection_is_an_error_of_the_api(real_client: RealClient, tmp_path: Path) -> None:
    with refusing() as url:
        address = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-test-made-up"}
        assert reason(launch(opened(real_client, tmp_path, address), tmp_path)) is Reason.API_ERROR


def test_a_hang_is_ended_by_the_time_limit(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    api = serve(Script(default=GOOD, troubles=faults.HANG_AFTER_HEADERS))
    returned = launch(opened(real_client, tmp_path, api.environment(), time_limit_s=3.0), tmp_path)
    assert reason(returned) is Reason.TIMEOUT
    assert returned.wall_s < 10


def test_a_repeated_request_is_valid_and_told(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    api = serve(Script(default=GOOD, troubles=Trouble(faults.OVERLOADED, on={1})))
    client = opened(real_client, tmp_path, api.environment())
    variables = {**client.environment.variables, "CLAUDE_CODE_MAX_RETRIES": "1"}
    returned = launch(replace(client, environment=replace(client.environment, variables=variables)), tmp_path)
    assert returned.transcript is not None
    assert returned.flags == ("api-retry",)


def test_a_client_without_a_log_in_says_so_without_asking(
    real_client: RealClient, serve: Serve, tmp_path: Path
) -> None:
    api = serve(Script(default=GOOD))
    returned = launch(opened(real_client, tmp_path, {"ANTHROPIC_BASE_URL": api.url}), tmp_path)
    assert returned.invalid is not None
    assert (returned.invalid.reason, returned.invalid.acted) == (Reason.AUTH, False)
    assert api.asked == []


# --- more than one turn -----------------------------------------------------------------------------------------------
def test_allowed_turns_are_used_and_every_step_is_kept(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    arm = workspace(tmp_path)
    skill = ToolUse("Skill", {"skill": "deploying"})
    # The client counts each tool result as a turn; several calls in one message are still one.
    twice = (Text("Looking."), ToolUse("Read", {"file_path": str(arm / "CLAUDE.md")}), READ)
    api = serve(Script(default=Turns(twice, skill, GOOD)))
    returned = launch(opened(real_client, tmp_path, api.environment(), max_turns=3), tmp_path, arm)
    assert returned.transcript is not None, returned.invalid
    assert [use.name for use in returned.transcript.tool_uses] == ["Read", "Read", "Skill"]
    assert returned.transcript.texts == ("Looking.", GOOD.text)
    assert any("RULE-NEEDLE" in result.text for result in returned.transcript.tool_results)
    assert str(arm) not in repr(returned.transcript)


def test_a_tool_that_fetches_is_not_there(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    fetch = ToolUse("WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "x"})
    api = serve(Script(default=Turns(fetch, GOOD)))
    returned = launch(opened(real_client, tmp_path, api.environment(), max_turns=2), tmp_path)
    assert returned.transcript is not None, returned.invalid
    assert returned.transcript.tool_results[0].is_error


def test_a_file_outside_the_arm_stays_closed_and_is_flagged(
    real_client: RealClient, serve: Serve, tmp_path: Path
) -> None:
    workspace(tmp_path)
    outside = ToolUse("Read", {"file_path": str(tmp_path / "home" / ".claude" / "CLAUDE.md")})
    api = serve(Script(default=Turns(outside, GOOD)))
    returned = launch(opened(real_client, tmp_path, api.environment(), max_turns=2), tmp_path, tmp_path / "arm")
    assert returned.transcript is not None, returned.invalid
    assert returned.flags == ("permission-denied:Read",)
    assert b"USER-NEEDLE" not in returned.stream


def test_a_key_made_by_the_users_helper_is_used(real_client: RealClient, serve: Serve, tmp_path: Path) -> None:
    api = serve(Script(default=GOOD))
    config = tmp_path / "home" / ".claude"
    config.mkdir(parents=True)
    settings = {"apiKeyHelper": "echo made-by-helper-1", "env": {"ANTHROPIC_BASE_URL": api.url}}
    (config / "settings.json").write_text(json.dumps(settings))
    returned = launch(opened(real_client, tmp_path, {}), tmp_path)
    assert returned.transcript is not None, returned.invalid
    assert "made-by-helper-1" in "".join(api.asked[0].headers.values())


def test_a_launch_leaves_nothing_for_the_next_in_its_arm_or_home(
    real_client: RealClient, serve: Serve, tmp_path: Path
) -> None:
    api, arm = serve(Script(default=GOOD)), workspace(tmp_path)
    before = {path for root in (arm, tmp_path / "home") for path in root.rglob("*")}
    launch(opened(real_client, tmp_path, api.environment()), tmp_path, arm)
    assert {path for root in (arm, tmp_path / "home") for path in root.rglob("*")} == before


def reason(returned: Returned) -> Reason | None:
    invalid: Invalid | None = returned.invalid
    return invalid.reason if invalid else None
