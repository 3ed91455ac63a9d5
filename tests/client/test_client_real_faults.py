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
        containment=choose("descendants"),
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
SCRIPTS: dict[str, Script] = {
    name: Script(default=GOOD, troubles=fault)
    for name, fault in faults.FAULTS.items()
    if name not in ("hang-after-headers", "429-retry-after-1", "429-retry-after-30", "429-retry-after-70")
}
SCRIPTS |= {
    "answer": Script(default=GOOD),
    "answer-thinking": Script(default=[(1.0, (Thinking("Let me see."), GOOD))][0][1]),
    "max-tokens-once": Script(default=GOOD, troubles=Trouble(faults.MAX_TOKENS, on={1})),
    "empty-content-once": Script(default=GOOD, troubles=Trouble(faults.EMPTY_CONTENT, on={1})),
    "eof-mid-text-once": Script(default=GOOD, troubles=Trouble(faults.EOF_MID_TEXT, on={1})),
    "tool-use-max-turns": Script(default=Turns(READ, GOOD)),
}


@pytest.mark.parametrize("row", sorted(SCRIPTS))
def test_every_trouble_has_its_reason(real_client: RealClient, serve: Serve, tmp_path: Path, row: str) -> None:
    script = SCRIPTS[row]
    # A script keeps where its draws stand; each launch gets its own.
    api = serve(Script(rules=script.rules[:-1], default=script.rules[-1].answers, troubles=script.troubles))
    returned = launch(opened(real_client, tmp_path, api.environment()), tmp_path)
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
