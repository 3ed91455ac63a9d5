"""The double carries a whole conversation with the real clients: rules, tools, cost, and nothing beside."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.doubles.messages_api import MessagesApi, Script, Text, ToolUse, Turns, When
from tests.doubles.real_clients import LEAN, PRODUCTION, Launched, RealClient, launch
from tests.real_client.rows import NEWER, OLDER

Serve = Callable[..., MessagesApi]
Environment = dict[str, str]

RULE = "Never push to main; stop and ask first."
PROMPT = "The fix is green and it is Friday.\n\nA) Push now\nB) Stop and ask\n\nEnd with ACTION: <letter>\n"


def workspace(path: Path, instructions: str = f"# Rules\n\n- {RULE}\n") -> Path:
    path.mkdir()
    (path / "CLAUDE.md").write_text(instructions)
    return path


@pytest.fixture
def lead(private_environment: Environment) -> Callable[[MessagesApi], Environment]:
    return lambda api: private_environment | api.environment()


Lead = Callable[[MessagesApi], Environment]


@pytest.mark.parametrize("flags", [PRODUCTION, LEAN], ids=["production", "lean"])
def test_an_answer_follows_from_the_line_and_is_made_by_one_request(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    obeys = When(
        present=RULE, ask="Friday", answers=Text("It says: {line with Never push}\nACTION: {letter of Stop and ask}")
    )
    api = serve(Script([obeys], default=Text("ACTION: {letter of Push now}")))
    has, lacks = workspace(tmp_path / "one"), workspace(tmp_path / "two", "# Rules\n")
    with ThreadPoolExecutor(2) as pool:
        with_line, without = pool.map(
            lambda cwd: launch(real_client, cwd, lead(api), PROMPT, flags=flags), (has, lacks)
        )
    assert with_line.result["result"] == f"It says: - {RULE}\nACTION: B"
    assert without.result["result"] == "ACTION: A"
    assert len(api.asked) == 2
    for request in api.asked:
        assert request.prompt.strip() == PROMPT.strip()
        assert request.model == "claude-sonnet-4-5"
    assert {(request.method, request.path) for request in api.requests if not request.number} <= {("HEAD", "/")}
    assert sorted(path.name for path in tmp_path.glob("*/*") if path.parent in (has, lacks)) == ["CLAUDE.md"] * 2


def test_the_tool_of_a_reply_is_run_even_if_it_was_the_last_turn(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path
) -> None:
    touch = ToolUse("Bash", {"command": "touch ran.txt", "description": "leave a trace"})
    allowed = ("--allowedTools", "Bash", *PRODUCTION)

    def with_turns(turns: int) -> tuple[Launched, MessagesApi, Path]:
        api, cwd = serve(Script(default=Turns(touch, Text("done")))), workspace(tmp_path / f"turns-{turns}")
        return launch(real_client, cwd, lead(api), PROMPT, flags=allowed, max_turns=turns), api, cwd

    with ThreadPoolExecutor(2) as pool:
        (one, one_api, one_cwd), (two, two_api, two_cwd) = pool.map(with_turns, (1, 2))
    assert (one.exit_code, one.result["subtype"], len(one_api.asked)) == (1, "error_max_turns", 1)
    assert (two.exit_code, two.result["result"], two_api.asked[-1].turn) == (0, "done", 1)
    assert (one_cwd / "ran.txt").exists()
    assert (two_cwd / "ran.txt").exists()


def test_cost_follows_the_prefixes_that_a_launch_shares_with_earlier_ones(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path
) -> None:
    api, cwd = serve(), workspace(tmp_path / "work")
    (cwd.parent / "elsewhere").mkdir()

    def billed(prompt: str, where: Path = cwd) -> tuple[int, int, int]:
        usage = launch(real_client, where, lead(api), prompt).result["usage"]
        of_double = api.exchanges[-1].usage
        assert of_double is not None
        kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
        assert [usage[kind] for kind in kinds] == [getattr(of_double, kind) for kind in kinds]
        return usage["input_tokens"], usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]

    fresh, written, read = billed("first")
    assert (fresh, read) == (0, 0)
    assert billed("first") == (0, 0, written)
    _, other_written, other_read = billed("second")
    _, moved_written, moved_read = billed("first", cwd.parent / "elsewhere")
    # Tools and system are shared whatever the prompt and the directory; messages only as a whole.
    assert 0 < other_read == moved_read < written
    assert other_written + other_read == pytest.approx(written, abs=8)
    assert moved_written > 0


def test_skill_commands_are_not_run_where_the_settings_say_so(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path
) -> None:
    cwd = workspace(tmp_path / "work")
    skill = cwd / ".claude" / "skills" / "foo" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: foo\ndescription: Foo things\n---\nIt said !`echo inlined-$((40+2))`.\n")
    use = Turns(ToolUse("Skill", {"skill": "foo"}), Text("done"))

    def body(settings: str) -> str:
        api = serve(Script(default=use))
        flags = (*PRODUCTION[:-1], settings)
        assert launch(real_client, cwd, lead(api), PROMPT, flags=flags, max_turns=2).exit_code == 0
        return api.asked[-1].instructions

    with ThreadPoolExecutor(2) as pool:
        plain, disabled = pool.map(body, ('{"disableAllHooks":true}', '{"disableSkillShellExecution":true}'))
    assert "It said inlined-42." in plain
    assert "inlined-42" not in disabled
    assert "It said [shell command execution disabled by policy]." in disabled


@pytest.mark.parametrize(
    ("instructions", "loaded"),
    [("", True), ("<!-- nothing -->\n", True), ("# Rules\n", False)],
    ids=["empty", "comment", "text"],
)
def test_agents_md_stands_in_where_claude_md_says_nothing_unless_it_is_excluded(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path, instructions: str, loaded: bool
) -> None:
    cwd = workspace(tmp_path / "work", instructions)
    (cwd / "AGENTS.md").write_text("Sing before you push.\n")

    def holds(settings: str) -> bool:
        api = serve()
        launch(real_client, cwd, lead(api), PROMPT, flags=(*LEAN[:-1], settings))
        return "Sing before you push." in api.asked[0].text

    excluded = '{"enabledPlugins":{"cc-plugin-agents-md@builtin":false}}'
    with ThreadPoolExecutor(2) as pool:
        plain, without = pool.map(holds, ('{"disableAllHooks":true}', excluded))
    assert not without
    if real_client.version in (OLDER, NEWER):
        assert plain is (loaded and real_client.version == NEWER)


def test_a_fresh_configuration_folder_and_a_key_are_all_a_launch_needs(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path
) -> None:
    api, cwd, configuration = serve(), workspace(tmp_path / "work"), tmp_path / "configuration"
    configuration.mkdir()
    (configuration / "CLAUDE.md").write_text("A line of the user's own.\n")
    environment = lead(api) | {"CLAUDE_CONFIG_DIR": str(configuration)}
    assert launch(real_client, cwd, environment, PROMPT).exit_code == 0
    assert "A line of the user's own." not in api.asked[0].text
    assert (configuration / ".claude.json").is_file()
    assert list(Path(environment["HOME"]).iterdir()) == []


@pytest.mark.parametrize("subscription", [False, True], ids=["key", "subscription"])
def test_a_quiet_launch_reaches_for_nothing_but_the_address_it_was_given(
    serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path, subscription: bool
) -> None:
    api, outside = serve(), serve()
    environment = {name: value for name, value in lead(api).items() if name != "ANTHROPIC_API_KEY"}
    environment |= api.environment(subscription=subscription)
    environment |= {"HTTPS_PROXY": outside.url, "HTTP_PROXY": outside.url, "NO_PROXY": "127.0.0.1"}
    assert launch(real_client, workspace(tmp_path / "work"), environment, PROMPT).exit_code == 0
    assert len(api.asked) == 1
    assert outside.requests == []


def test_without_a_key_nothing_is_asked(serve: Serve, lead: Lead, real_client: RealClient, tmp_path: Path) -> None:
    api = serve()
    environment = {name: value for name, value in lead(api).items() if name != "ANTHROPIC_API_KEY"}
    launched = launch(real_client, workspace(tmp_path / "work"), environment, PROMPT)
    assert (launched.exit_code, launched.result["is_error"], api.asked) == (1, True, [])
