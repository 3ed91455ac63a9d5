"""What the real client is started with, and what is refused before it is started."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest

from measure.client.base import Client, Order
from measure.client.claude import ClaudeClient, check_claude, check_prompt, open_claude
from measure.client.containment import choose
from measure.client.environment import Auth
from measure.client.trial import Reason, Returned
from measure.errors import ClientError, RequestError
from tests.client import streams as s

STUB = """#!{python} -IS
import json, os, sys
if "--version" in sys.argv:
    print({version!r})
    sys.exit()
here = os.path.dirname(os.path.abspath(__file__))
told = dict(argv=sys.argv[1:], env=dict(os.environ), stdin=sys.stdin.buffer.read().decode("utf-8", "surrogateescape"))
with open(os.path.join(here, "told.jsonl"), "a") as file:
    file.write(json.dumps(told) + chr(10))
lines = json.loads({events!r})
variables = json.dumps(dict(os.environ)).replace('"', " ")
for line in lines:
    if isinstance(line, dict):
        line = json.dumps(line).replace("$CWD", os.getcwd()).replace("$ENV", variables)
    print(line)
sys.stdout.flush()
config = os.environ.get("CLAUDE_CONFIG_DIR", "")
if config:
    note = os.path.join(config, "memory")
    if os.path.exists(note):
        print("the last launch left something")
    open(note, "w").write("x")
sys.exit({code})
"""


def stub(
    directory: Path,
    *events: s.Event | str,
    version: str = f"{s.VERSION} (Claude Code)",
    code: int = 0,
    name: str = "claude",
) -> Path:
    """An executable that writes down what it was started with and says what it is told to."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    said = events or (s.init(), s.text("ACTION: A"), s.result("ACTION: A"))
    path.write_text(STUB.format(python=sys.executable, version=version, events=json.dumps(said), code=code))
    path.chmod(0o755)
    return path


def environ(tmp_path: Path, **more: str) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(home), **more}


def opened(tmp_path: Path, env: dict[str, str], **more: Any) -> ClaudeClient:
    more = {"model": s.MODEL, "time_limit_s": 20.0, "containment": choose("descendants"), **more}
    return open_claude(environ=env, **more)


def launch(client: Client, tmp_path: Path, prompt: str = "Which one?") -> Returned:
    launches = tmp_path / "launches"
    launches.mkdir(exist_ok=True)
    temp = launches / f"n{len(list(launches.iterdir()))}"
    temp.mkdir()
    cwd = tmp_path / "arena"
    cwd.mkdir(exist_ok=True)
    return anyio.run(client.launch, Order(cwd=cwd, temp=temp, prompt=prompt, seed=1))


def told(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "bin" / "told.jsonl").read_text().splitlines()]


def test_the_recorded_condition_is_what_the_client_got(tmp_path: Path) -> None:
    stub(tmp_path / "bin")
    env = environ(tmp_path, ANTHROPIC_API_KEY="sk-made-up-1234", UNRELATED="x", LC_ALL="C.UTF-8")
    client = opened(tmp_path, env)
    assert launch(client, tmp_path).transcript is not None
    got = told(tmp_path)[0]
    condition = client.condition
    assert tuple(got["argv"]) == condition.arguments
    assert {name for name in got["env"] if name not in ("__CF_USER_TEXT_ENCODING", "LC_CTYPE")} == (
        {*condition.variables_set, *condition.variables_passed}
    )
    for name, value in condition.variables_set.items():
        if not value.startswith("<temp>") and name != choose("descendants").variable:
            assert got["env"][name] == value
    assert got["env"]["TZ"] == "UTC"
    assert condition.client_version == s.VERSION
    assert "sk-made-up-1234" not in condition.model_dump_json() + repr(client)
    assert str(tmp_path / "home") not in condition.model_dump_json()


@pytest.mark.parametrize(
    "prompt",
    [
        "the file /etc/hosts is wrong: A/B/C?",
        "- a list\n- of two\n",
        "three\nlines\r\nof text",
        "鍵\U0001f511 \0 x\n\n",
    ],
)
def test_a_prompt_arrives_byte_for_byte_and_never_as_an_argument(tmp_path: Path, prompt: str) -> None:
    stub(tmp_path / "bin")
    launch(opened(tmp_path, environ(tmp_path)), tmp_path, prompt)
    got = told(tmp_path)[0]
    assert got["stdin"] == prompt
    assert not any("\n" in argument for argument in got["argv"])


@pytest.mark.parametrize(
    "prompt", ["", " \n\t", "/deploy now", "/etc/hosts is wrong, which fix: A/B/C?", "x" * 4_000_000, "\ud83d"]
)
def test_prompts_that_would_not_be_put_as_they_are_are_refused(prompt: str) -> None:
    with pytest.raises(RequestError):
        check_prompt(prompt)


@pytest.mark.parametrize(
    "how",
    [{"model": ""}, {"model": "--x"}, {"model": "a b"}, {"condition": "fast"}, {"max_turns": 0}, {"time_limit_s": 0}],
)
def test_requests_that_make_no_sense_are_refused(tmp_path: Path, how: dict[str, Any]) -> None:
    stub(tmp_path / "bin")
    with pytest.raises(RequestError):
        opened(tmp_path, environ(tmp_path), **how)


def test_a_session_that_starts_the_harness_leaves_no_trace_in_its_children(tmp_path: Path) -> None:
    stub(tmp_path / "bin")
    session = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_SESSION_ID": "s",
        "CLAUDE_CODE_SSE_PORT": "1",
        "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
        "CLAUDE_CODE_SAFE_MODE": "1",
        "ANTHROPIC_MODEL": "other",
        "ANTHROPIC_SMALL_FAST_MODEL": "other",
        "ANTHROPIC_DEFAULT_SONNET_MODEL": "other",
        "CLAUDE_CODE_SUBAGENT_MODEL": "other",
        "NODE_OPTIONS": "--inspect",
        "TZ": "Pacific/Kiritimati",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0",
    }
    client = opened(tmp_path, environ(tmp_path, **session, MY_OWN="x"))
    launch(client, tmp_path)
    got = told(tmp_path)[0]["env"]
    settled = {"TZ", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"}
    assert not (set(session) - settled) & set(got)
    assert (got["TZ"], got["CLAUDE_CODE_DISABLE_AUTO_MEMORY"]) == ("UTC", "1")
    assert set(client.condition.variables_removed) == set(session) - settled
    assert "MY_OWN" not in got


def test_wishes_about_the_models_conduct_pass_and_are_recorded(tmp_path: Path) -> None:
    stub(tmp_path / "bin")
    wishes = {"MAX_THINKING_TOKENS": "2000", "CLAUDE_CODE_EFFORT_LEVEL": "low", "API_TIMEOUT_MS": "900000"}
    client = opened(tmp_path, environ(tmp_path, **wishes))
    assert wishes.items() <= client.condition.variables_set.items()


@pytest.mark.parametrize(
    ("variables", "files", "auth", "own_config"),
    [
        ({"ANTHROPIC_API_KEY": "k-123456"}, {}, Auth.KEY, False),
        ({"ANTHROPIC_API_KEY": "k-123456", "ANTHROPIC_AUTH_TOKEN": "t-123456"}, {}, Auth.TOKEN, False),
        ({"CLAUDE_CODE_OAUTH_TOKEN": "t-123456"}, {}, Auth.OAUTH, False),
        ({"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_API_KEY": "k-123456"}, {}, Auth.BEDROCK, False),
        ({"CLAUDE_CODE_USE_VERTEX": "0", "ANTHROPIC_API_KEY": "k-123456"}, {}, Auth.KEY, False),
        ({}, {".claude/settings.json": {"apiKeyHelper": "print-key"}}, Auth.HELPER, False),
        ({}, {".claude/settings.json": {"env": {"ANTHROPIC_AUTH_TOKEN": "t-123456"}}}, Auth.TOKEN, False),
        ({}, {".claude.json": {"oauthAccount": {"emailAddress": "joe@x.example"}}}, Auth.LOGIN, True),
        ({"ANTHROPIC_API_KEY": "k-123456"}, {".claude.json": {"oauthAccount": {}}}, Auth.KEY, False),
        ({}, {}, Auth.NONE, False),
        ({}, {".claude/settings.json": "{broken"}, Auth.NONE, False),
    ],
)
def test_the_way_of_authenticating_is_told_and_decides_on_the_configuration_directory(
    tmp_path: Path, variables: dict[str, str], files: dict[str, Any], auth: Auth, own_config: bool
) -> None:
    stub(tmp_path / "bin")
    env = environ(tmp_path, **variables)
    for name, content in files.items():
        file = Path(env["HOME"], name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    client = opened(tmp_path, env)
    assert f"authentication: {auth.value}" in client.condition.notes
    first, second = launch(client, tmp_path), launch(client, tmp_path)
    places = [got["env"].get("CLAUDE_CONFIG_DIR") for got in told(tmp_path)]
    if own_config:
        assert places == [None, None]
        assert f"Read(/{Path(env['HOME'], '.claude')}/**)" in told(tmp_path)[0]["argv"][-1]
    else:
        assert None not in places
        assert places[0] != places[1]
    assert "plain-output" not in first.flags + second.flags
    assert "123456" not in client.condition.model_dump_json()
    assert "123456" not in json.dumps(told(tmp_path)[0]["argv"])


def test_a_log_in_in_a_named_directory_stays_there(tmp_path: Path) -> None:
    stub(tmp_path / "bin")
    config = tmp_path / "elsewhere"
    config.mkdir()
    (config / ".claude.json").write_text(json.dumps({"oauthAccount": {"accountUuid": "0000-1111"}}))
    client = opened(tmp_path, environ(tmp_path, CLAUDE_CONFIG_DIR=str(config)))
    launch(client, tmp_path)
    assert told(tmp_path)[0]["env"]["CLAUDE_CONFIG_DIR"] == str(config)


@pytest.mark.parametrize("own_config", [True, False])
def test_notes_of_the_users_running_sessions_are_out_of_reach(tmp_path: Path, own_config: bool) -> None:
    """A client with process ids of its own takes the user's live sessions for dead and may remove their notes."""
    stub(tmp_path / "bin")
    env = environ(tmp_path, **({} if own_config else {"ANTHROPIC_API_KEY": "k-123456"}))
    Path(env["HOME"], ".claude.json").write_text(json.dumps({"oauthAccount": {"accountUuid": "0000-1111"}}))
    containment = choose()
    if containment.way == "descendants":
        pytest.skip("process ids are shared here, so nothing takes anything for dead")
    held = opened(tmp_path, env, containment=containment).containment.hold(["/bin/true"], {})
    sessions = os.path.realpath(Path(env["HOME"], ".claude", "sessions"))
    assert (sessions in held.argv) is own_config


def test_helpers_of_the_user_pass_in_a_closed_file_not_in_the_arguments(tmp_path: Path) -> None:
    stub(tmp_path / "bin")
    env = environ(tmp_path)
    settings = {
        "apiKeyHelper": "echo made-up",
        "hooks": {"Stop": []},
        "model": "other",
        "env": {"ANTHROPIC_MODEL": "other"},
    }
    file = Path(env["HOME"], ".claude", "settings.json")
    file.parent.mkdir()
    file.write_text(json.dumps(settings))
    client = opened(tmp_path, env)
    launch(client, tmp_path)
    argv = told(tmp_path)[0]["argv"]
    assert "made-up" not in json.dumps(argv)
    given = Path(argv[argv.index("--settings") + 1])
    assert json.loads(given.read_text()) == {
        "disableAllHooks": True,
        "disableSkillShellExecution": True,
        "apiKeyHelper": "echo made-up",
    }
    assert given.stat().st_mode & 0o077 == 0
    assert "<temp>/settings.json" in client.condition.arguments
    assert client.condition.variables_removed == ("ANTHROPIC_MODEL",)


def test_an_agent_that_prints_its_environment_and_place_reveals_neither(tmp_path: Path) -> None:
    secret = "made-up-secret-77"
    account = {"accountUuid": "acc-0001-0002", "emailAddress": "joe@x.example"}
    said = f"in $CWD with $ENV, joe@x.example acc-0001-0002 {secret}"
    stub(tmp_path / "bin", s.init(cwd="$CWD"), s.tool_result(said), s.text(said), s.result(said))
    env = environ(tmp_path, ANTHROPIC_API_KEY="sk-made-up-1234", DEPLOY_TOKEN=secret)
    Path(env["HOME"], ".claude.json").write_text(json.dumps({"oauthAccount": account}))
    returned = launch(opened(tmp_path, env), tmp_path)
    assert returned.transcript is not None
    for hidden in (secret, "sk-made-up-1234", str(tmp_path / "arena"), str(tmp_path / "home"), *account.values()):
        assert hidden not in repr(returned)
    assert returned.transcript.answer.startswith("in <workspace> with ")
    assert "<masked:DEPLOY_TOKEN>" in returned.transcript.answer


def test_an_updated_client_and_another_model_do_not_count(tmp_path: Path) -> None:
    stub(tmp_path / "bin", s.init(claude_code_version="2.1.999"), s.text("A"), s.result("A"))
    returned = launch(opened(tmp_path, environ(tmp_path)), tmp_path)
    assert returned.invalid is not None
    assert returned.invalid.reason is Reason.CLIENT_CHANGED
    stub(tmp_path / "bin", s.init(), s.text("A", model="small-4-5"), s.result("A"))
    returned = launch(opened(tmp_path, environ(tmp_path)), tmp_path)
    assert returned.invalid is not None
    assert returned.invalid.reason is Reason.MODEL_MISMATCH


# --- finding the client -----------------------------------------------------------------------------------------------
def test_a_missing_client_is_told_with_every_place_that_was_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("measure.client.executable.find_spec", lambda name: None)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    env = environ(tmp_path)
    with pytest.raises(ClientError) as error:
        check_claude(environ=env)
    assert env["PATH"] in str(error.value)
    assert f"{env['HOME']}/.local/bin/claude" in str(error.value)
    assert "--client" in str(error.value)


def test_the_client_is_taken_from_the_option_then_path_then_usual_places(tmp_path: Path) -> None:
    env = environ(tmp_path)
    local = stub(Path(env["HOME"], ".local", "bin"), version="2.2.1")
    assert check_claude(environ=env).executable.path == local.resolve()
    on_path = stub(tmp_path / "bin", version="2.2.2")
    assert check_claude(environ=env).executable.path == on_path.resolve()
    named = stub(tmp_path / "named", version="2.2.3", name="my-agent")
    assert check_claude(client=named, environ=env).executable.version == "2.2.3"
    other = stub(tmp_path / "bin", version="2.2.4", name="my-agent")
    assert check_claude(client=Path("my-agent"), environ=env).executable.path == other


def test_a_link_that_an_update_moves_is_followed_once(tmp_path: Path) -> None:
    first = stub(tmp_path / "claude-versions", name="2.1.400", version="2.1.400")
    second = stub(tmp_path / "claude-versions", name="2.1.401", version="2.1.401")
    link = tmp_path / "bin" / "claude"
    link.parent.mkdir()
    link.symlink_to(first)
    found = check_claude(environ=environ(tmp_path))
    link.unlink()
    link.symlink_to(second)
    assert (found.executable.path, found.executable.version) == (first.resolve(), "2.1.400")


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("2.1.190 (Claude Code)", ["2.1.190", "2.1.191"]),
        ("0.9.9", ["0.9.9", "2.1.191"]),
        ("hello", ["hello"]),
        ("", ["nothing"]),
    ],
)
def test_a_client_that_is_too_old_or_says_no_version_is_refused(
    tmp_path: Path, version: str, says: Iterable[str]
) -> None:
    stub(tmp_path / "bin", version=version)
    with pytest.raises(ClientError) as error:
        check_claude(environ=environ(tmp_path))
    assert all(part in str(error.value) for part in says)


def test_a_client_that_never_says_its_version_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from measure.client.executable import read_version

    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\nsleep 60 &\nsleep 60\n")
    path.chmod(0o755)
    with pytest.raises(ClientError, match="version"):
        read_version(path, {"PATH": "/usr/bin:/bin"}, limit_s=0.3)


def test_what_cannot_be_executed_is_refused(tmp_path: Path) -> None:
    env = environ(tmp_path)
    with pytest.raises(ClientError, match="no such client"):
        check_claude(client=tmp_path / "nowhere", environ=env)
    plain = tmp_path / "plain"
    plain.write_text("x")
    with pytest.raises(ClientError, match="executed"):
        check_claude(client=plain, environ=env)
    plain.chmod(0o755)
    with pytest.raises(ClientError):
        check_claude(client=plain, environ=env)
    with pytest.raises(ClientError, match="wrapper"):
        check_claude(client=stub(tmp_path, name="claude.cmd"), environ=env)


def test_windows_is_told_what_cannot_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env, client = environ(tmp_path), tmp_path / "claude"
    monkeypatch.setattr("measure.client.executable.os.name", "nt")
    try:
        check_claude(client=client, environ=env)
    except ClientError as error:
        message = str(error)
    finally:
        monkeypatch.undo()
    assert "Windows" in message
    assert "WSL" in message
