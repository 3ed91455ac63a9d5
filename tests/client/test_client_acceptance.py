"""A launch counts only if it is one whole answer of the asked-for model; all else is invalid for one named reason."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.client.acceptance import Expectation, accept
from measure.client.events import parse
from measure.client.masking import Mask
from measure.client.model_names import same_model
from measure.client.process import Finished
from measure.client.trial import RETRYABLE, Invalid, Reason, Returned
from measure.client.understanding import understand
from measure.transcript import Transcript
from tests.client import streams as s
from tests.client.expected_rows import TWO_TURNS, VERSIONS, expected

CAPTURED = Path(__file__).parent.parent / "fixtures" / "streams"
NO_MASK = Mask.build({}, home=None)


def returned(*events: s.Event | str | bytes, turns: int = 1, model: str = s.MODEL, **how: Any) -> Returned:
    return understand(s.finished(s.out(*events), **how), NO_MASK, Expectation(model, s.VERSION, turns))


def invalid(*events: s.Event | str | bytes, **how: Any) -> Invalid:
    told = returned(*events, **how).invalid
    assert told is not None
    return told


# --- captured streams of real clients ---------------------------------------------------------------------------------
def captured() -> list[Any]:
    return [
        pytest.param(client, row.stem, id=f"{client}-{row.stem}")
        for client, version in VERSIONS.items()
        for row in sorted((CAPTURED / version).glob("*.jsonl"))
    ]


def replayed(client: str, row: str) -> Returned:
    version = VERSIONS[client]
    end = json.loads((CAPTURED / version / "ends.json").read_text())[row]
    stdout = (CAPTURED / version / f"{row}.jsonl").read_bytes()
    exit_code, stderr = end["exit_code"], end["stderr"].encode()
    finished = s.finished(stdout, stderr, -9 if exit_code is None else exit_code, timed_out=exit_code is None)
    return understand(finished, NO_MASK, Expectation(s.MODEL, version, 2 if row in TWO_TURNS else 1))


@pytest.mark.parametrize(("client", "row"), captured())
def test_what_real_clients_wrote_in_every_trouble_has_its_reason(client: str, row: str) -> None:
    told = replayed(client, row).invalid
    assert (told.reason if told else None) == expected(client, row), told


@pytest.mark.parametrize("client", sorted(VERSIONS))
def test_a_real_answer_is_read_whole(client: str) -> None:
    answer = replayed(client, "answer")
    assert answer.transcript is not None
    assert answer.transcript.answer.endswith("ACTION: B")
    assert answer.transcript.texts == (answer.transcript.answer,)
    assert answer.model_answered == s.MODEL
    assert answer.client_version == VERSIONS[client]
    assert answer.turns == 1
    assert answer.usage.output_tokens
    assert answer.usage.cost_usd
    assert answer.flags == ()


@pytest.mark.parametrize(("client", "row"), captured())
def test_nothing_a_model_did_can_cause_a_retry(client: str, row: str) -> None:
    told = replayed(client, row)
    spoke = b'"model":"claude-' in told.stream.replace(b": ", b":") and told.model_answered is not None
    if spoke and told.invalid is not None:
        assert told.invalid.acted


@pytest.mark.parametrize("client", sorted(VERSIONS))
def test_a_used_up_subscription_says_until_when_and_a_nearly_used_up_one_is_told(client: str) -> None:
    told = replayed(client, "usage-limit").invalid
    assert told is not None
    assert (told.resets_at, told.acted) == (datetime(2030, 1, 1, tzinfo=UTC), False)
    assert replayed(client, "near-usage-limit").flags == ("near-usage-limit",)


@pytest.mark.parametrize("client", sorted(VERSIONS))
def test_a_repeated_request_is_valid_and_told(client: str) -> None:
    assert "api-retry" in replayed(client, "529-once").flags


# --- limits -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "resets_at"),
    [
        ("Claude AI usage limit reached|1772650800", datetime.fromtimestamp(1772650800, UTC)),
        ("You've hit your limit · resets 8pm (UTC)", datetime(2026, 3, 4, 20, tzinfo=UTC)),
        ("You're out of extra usage · resets 9pm (UTC)", datetime(2026, 3, 4, 21, tzinfo=UTC)),
        ("You've hit your Opus limit · resets Mar 6 at 9am (UTC)", datetime(2026, 3, 6, 9, tzinfo=UTC)),
    ],
)
def test_a_limit_is_found_wherever_the_client_puts_it(said: str, resets_at: datetime) -> None:
    for told in (
        invalid(s.init(), s.notice(said, "rate_limit", 429), s.failed(said), exit_code=1),
        invalid(said, exit_code=1),
        invalid(exit_code=1, stderr=said.encode()),
    ):
        assert (told.reason, told.resets_at, told.acted) == (Reason.USAGE_LIMIT, resets_at, False)
        assert told.detail == said


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Claude AI usage limit reached|1772650800", Reason.USAGE_LIMIT),
        ("You've hit your limit · resets 8pm (UTC)", Reason.USAGE_LIMIT),
        ("Opus weekly limit reached ∙ resets Mar 6, 8am", Reason.USAGE_LIMIT),
        ("Invalid API key · Please run /login", Reason.AUTH),
        ("Credit balance is too low", Reason.BILLING),
    ],
)
def test_trouble_told_as_a_success_is_no_answer(said: str, reason: Reason) -> None:
    """Old clients put such a sentence where the answer stands, with `is_error` false."""
    for told in (
        invalid(s.init(), s.notice(said), s.result(said)),
        invalid(s.init(), s.result(said)),
        invalid(s.init(), s.text(said), s.result(said), exit_code=1),
    ):
        assert (told.reason, told.detail) == (reason, said)


def test_an_epoch_behind_a_bar_is_no_models_word() -> None:
    said = "Claude AI usage limit reached|1772650800"
    assert invalid(s.init(), s.text(said), s.result(said)).reason is Reason.USAGE_LIMIT


@pytest.mark.parametrize(
    "answer",
    [
        "Usage limit reached: stop, and tell me until when.",
        "You've hit your limit · resets 8pm (UTC)",
        "You have to authenticate with /login first.",
    ],
)
def test_a_model_may_quote_a_line_about_limits(answer: str) -> None:
    told = returned(s.init(), s.text(answer), s.result(answer))
    assert told.transcript is not None
    assert told.transcript.answer == answer


def test_advice_about_limits_is_an_answer() -> None:
    advice = (
        "You've hit your limit · resets 3pm (UTC) is what it says then. Claude AI usage limit reached|1772650800\n"
        "So: retry when the usage limit is reached and back off.\nACTION: B"
    )
    told = returned(s.init(), s.text(advice), s.result(advice))
    assert told.transcript is not None
    assert told.transcript.answer == advice


def test_a_cause_that_stands_on_stdout_alone_is_quoted() -> None:
    told = invalid("node: cannot find module x", exit_code=1)
    assert told.reason is Reason.CRASHED
    assert "cannot find module x" in told.detail


# --- the answer -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("empty", ["", "  \n", None, s.ABSENT])
def test_an_answer_missing_from_the_result_is_taken_from_the_last_text(empty: object) -> None:
    told = returned(s.init(), s.text("first"), s.text("I choose B."), s.result(empty))
    assert told.transcript is not None
    assert told.transcript.answer == "first\nI choose B."
    assert told.transcript.answer_source == "assistant_text"
    assert "answer-from-assistant-text" in told.flags


def test_no_text_anywhere_is_an_empty_answer() -> None:
    assert invalid(s.init(), s.result("")).reason is Reason.EMPTY_ANSWER


@pytest.mark.parametrize("value", [["B"], 5, {"a": 1}, True])
def test_a_result_of_another_type_is_not_guessed_at(value: object) -> None:
    assert invalid(s.init(), s.text("B"), s.result(value)).reason is Reason.SCHEMA


def test_a_pending_tool_call_is_an_interruption_not_a_no() -> None:
    told = invalid(s.init(), s.tool("Bash"), s.result("", stop_reason="tool_use"))
    assert (told.reason, told.acted) == (Reason.INTERRUPTED, True)


def test_every_text_of_the_main_loop_reaches_the_judge() -> None:
    told = returned(
        s.init(),
        s.text("Decision: C because …", "m1"),
        s.tool("Bash", "t1", "m1", command="x", run_in_background=True),
        s.tool_result("running", "t1"),
        s.text("I will report when it is done.", "m2"),
        s.result("I will report when it is done.", num_turns=2),
        turns=2,
    )
    assert told.transcript is not None
    assert told.transcript.texts == ("Decision: C because …", "I will report when it is done.")
    assert told.transcript.answer == "I will report when it is done."


def test_all_tool_calls_are_kept_in_order() -> None:
    told = returned(
        s.init(),
        s.tool("Bash", "t1", "m1", command="ls"),
        s.tool_result("a", "t1"),
        s.tool("Grep", "t2", "m2"),
        s.tool_result("b", "t2"),
        s.tool("Skill", "t3", "m3", skill="deploy"),
        s.tool_result("c", "t3"),
        s.injected("Base directory for this skill: /x"),
        s.text("done", "m4"),
        s.result("done", num_turns=5),
        turns=4,
    )
    assert told.transcript is not None
    assert [use.name for use in told.transcript.tool_uses] == ["Bash", "Grep", "Skill"]


def test_background_work_without_an_end_is_flagged() -> None:
    started = {"type": "system", "subtype": "task_started", "task_id": "t", "is_backgrounded": True}
    assert "background-unfinished" in returned(s.init(), started, s.text("A"), s.result("A")).flags


def test_denied_tools_are_flagged_and_kept() -> None:
    denials = [{"tool_name": "Bash", "tool_use_id": "t"}, {"tool_name": "Bash"}, {"tool_name": "Write"}]
    told = returned(s.init(), s.result("I was not allowed to run the tests.", permission_denials=denials))
    assert told.flags == ("permission-denied:Bash", "permission-denied:Write")
    assert told.transcript is not None
    assert told.transcript.permission_denials == ("Bash", "Bash", "Write")


# --- several results --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("order", [1, -1])
def test_a_success_beside_an_error_is_a_mixed_result(order: int) -> None:
    error = s.result(s.ABSENT, is_error=True, subtype="error_during_execution")
    results = [s.result("B"), error][::order]
    told = returned(s.init(), s.text("B"), *results)
    assert told.invalid is not None
    assert told.invalid.reason is Reason.MIXED_RESULT
    assert told.usage.cost_usd == 0.25


def test_of_several_successes_the_last_decides_and_nothing_is_added_up() -> None:
    told = returned(
        s.init(),
        s.tool("Agent", "t1", "m1"),
        s.tool_result("launched", "t1"),
        s.text("waiting", "m2"),
        s.result("waiting", num_turns=2),
        s.init(),
        s.text("ACTION: A", "m3"),
        s.result("ACTION: A", num_turns=1),
        turns=3,
    )
    assert told.transcript is not None
    assert told.transcript.answer == "ACTION: A"
    assert (told.turns, told.usage.cost_usd) == (1, 0.25)
    assert "several-results" in told.flags


# --- who answered -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("asked", "resolved", "answered", "same"),
    [
        ("x", "x-4-6[1m]", "x-4-6", True),
        ("x", "x-4-6[1m]", "small-4-5", False),
        ("claude-sonnet-4-5", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20251001", False),
        ("claude-opus-4-1", "claude-opus-4-8", "claude-opus-4-8", False),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", None, "claude-sonnet-4-5-20250929", True),
        ("claude-sonnet-4-5@20250929", None, "claude-sonnet-4-5-20250929", True),
        ("anthropic/claude-sonnet-4-5", None, "claude-sonnet-4-5", True),
        ("qwen3:30b", None, "qwen3:30b", True),
        ("qwen3:30b", None, "qwen3:4b", False),
        ("arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc", None, "claude-sonnet-4-5", True),
    ],
)
def test_the_model_that_answered_is_the_one_that_was_asked_for(
    asked: str, resolved: str | None, answered: str, same: bool
) -> None:
    told = returned(
        s.init(model=resolved or asked),
        s.text("A", model=answered),
        s.result("A", modelUsage={resolved or asked: {}}),
        model=asked,
    )
    assert (told.transcript is not None) is same
    assert told.model_answered == answered
    if told.invalid is not None:
        assert told.invalid.reason is Reason.MODEL_MISMATCH


def test_a_second_model_without_tools_is_a_fallback() -> None:
    usage: s.Event = {s.MODEL: {}, "claude-haiku-4-5": {}}
    assert invalid(s.init(), s.text("A"), s.result("A", modelUsage=usage)).reason is Reason.MODEL_MISMATCH
    with_agent = (s.init(), s.tool("Agent", "t", "m1"), s.tool_result("x", "t"), s.text("A", "m2"))
    assert returned(*with_agent, s.result("A", modelUsage=usage), turns=2).transcript is not None


@given(st.text(max_size=30), st.text(max_size=30))
def test_sameness_of_models_has_no_direction_and_never_fails(one: str, other: str) -> None:
    assert same_model(one, one)
    assert same_model(one, other) == same_model(other, one)


def test_a_client_of_another_version_is_no_part_of_the_same_run() -> None:
    told = invalid(s.init(claude_code_version="2.1.333"), s.text("A"), s.result("A"))
    assert told.reason is Reason.CLIENT_CHANGED
    failing = invalid(
        s.init(claude_code_version="2.1.333"), s.notice("API Error", "server_error"), s.failed("API Error")
    )
    assert failing.reason is Reason.CLIENT_CHANGED


# --- how it ended -----------------------------------------------------------------------------------------------------
def test_a_result_after_the_time_limit_is_no_answer_and_one_before_it_is() -> None:
    events = (s.init(), s.text("ACTION: B"), s.result("ACTION: B"))
    hurried = invalid(*events, timed_out=True, exit_code=143)
    assert (hurried.reason, hurried.acted) == (Reason.TIMEOUT, True)
    finished = s.finished(s.out(*events), exit_code=-9, timed_out=True, killed_after_result=True)
    before = accept(parse(s.out(*events)), finished, Expectation(s.MODEL, s.VERSION, 1))
    assert isinstance(before, Transcript)


def test_how_a_launch_ended_has_its_reason() -> None:
    whole = (s.init(), s.text("A"), s.result("A"))
    assert invalid(start_error="no such file").reason is Reason.NOT_STARTED
    assert invalid(s.init(), oversize=True, exit_code=-9).reason is Reason.OVERSIZE
    assert invalid(s.init(), timed_out=True, exit_code=-15).reason is Reason.TIMEOUT
    assert invalid(s.init(), exit_code=-9).reason is Reason.KILLED
    assert invalid(s.init(), exit_code=143).reason is Reason.KILLED
    assert invalid(s.init(), exit_code=1).reason is Reason.CRASHED
    assert invalid(s.init(), exit_code=0).reason is Reason.NO_RESULT
    assert invalid(*whole, exit_code=1).reason is Reason.CRASHED
    aborted = s.result("A", terminal_reason="aborted_streaming")
    assert invalid(s.init(), s.text("A"), aborted).reason is Reason.INTERRUPTED


def test_an_answer_that_was_there_before_the_end_was_forced_is_valid() -> None:
    told = returned(s.init(), s.text("B"), s.result("B"), exit_code=-9, killed_after_result=True)
    assert told.transcript is not None
    assert "killed-after-result" in told.flags


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (s.result(s.ABSENT, is_error=True, subtype="error_max_turns", errors=["Reached maximum"]), Reason.MAX_TURNS),
        (s.result(s.ABSENT, is_error=True, subtype="error_max_budget_usd"), Reason.BUDGET),
        (s.result(s.ABSENT, is_error=True, subtype="error_max_structured_output_retries"), Reason.SCHEMA),
        (s.result(s.ABSENT, is_error=True, subtype="error_during_execution"), Reason.CRASHED),
        (s.failed("Not logged in · Please run /login"), Reason.AUTH),
        (s.failed("OAuth token has expired"), Reason.AUTH),
        (s.failed("Credit balance is too low"), Reason.BILLING),
        (s.failed("something new", api_error_status=401), Reason.AUTH),
        (s.failed("something new", api_error_status=503), Reason.API_ERROR),
        (s.failed("something new"), Reason.API_ERROR),
        (s.failed("something new", terminal_reason="prompt_too_long"), Reason.PROMPT_TOO_LONG),
    ],
)
def test_errors_the_client_names_have_their_reason(error: s.Event, reason: Reason) -> None:
    assert invalid(s.init(), error, exit_code=1).reason is reason


def test_a_failed_log_in_told_in_plain_text_is_told_as_that() -> None:
    told = invalid("API Error: 401 authentication_error · Please run /login", exit_code=1)
    assert told.reason is Reason.AUTH


def test_a_tool_call_instead_of_the_decision_has_used_up_its_one_turn() -> None:
    told = invalid(
        s.init(),
        s.text("let me look"),
        s.tool("Read", "t"),
        s.tool_result("x", "t"),
        s.result(s.ABSENT, is_error=True, subtype="error_max_turns", terminal_reason="max_turns", num_turns=2),
        exit_code=1,
    )
    assert (told.reason, told.acted) == (Reason.MAX_TURNS, True)


def test_more_turns_than_allowed_do_not_count() -> None:
    events = (
        s.init(),
        s.tool("Read", "t", "m1"),
        s.tool_result("x", "t"),
        s.text("A", "m2"),
        s.result("A", num_turns=2),
    )
    assert invalid(*events, turns=1).reason is Reason.EXTRA_TURNS
    assert returned(*events, turns=2).transcript is not None


def test_what_a_client_never_tells_is_a_flag_what_it_tells_must_be_right() -> None:
    silent = returned(
        s.init(), s.text("A"), s.result("A", stop_reason=s.ABSENT, num_turns=s.ABSENT, modelUsage=s.ABSENT)
    )
    assert silent.transcript is not None
    assert "stop-reason-not-told" in silent.flags
    assert invalid(s.init(), s.text("A"), s.result("A", stop_reason=None)).reason is Reason.TRUNCATED
    assert invalid(s.text("A"), s.result("A")).reason is Reason.SCHEMA


def test_warnings_about_settings_and_servers_are_kept_as_flags() -> None:
    told = returned(
        "Warning: 2 permission entries were ignored, this folder is not trusted",
        s.init(mcp_servers=[{"name": "db", "status": "pending"}]),
        s.text("A"),
        s.result("A"),
    )
    assert told.transcript is not None
    assert told.flags == ("plain-output", "settings-ignored", "server:db=pending")


def test_broken_bytes_in_the_answer_are_no_answer_elsewhere_a_flag() -> None:
    broken = json.dumps(s.result("it is ?")).encode().replace(b"?", b"\xff")
    assert invalid(s.init(), s.text("A"), broken).reason is Reason.ENCODING
    elsewhere = json.dumps(s.tool_result("?")).encode().replace(b"?", b"\xff")
    told = returned(s.init(), elsewhere, s.text("A"), s.result("A"))
    assert told.transcript is not None
    assert "bytes-replaced" in told.flags


def test_an_unpaired_surrogate_is_an_answer_like_any_other() -> None:
    told = returned(s.init(), s.text("x\ud83d"), s.result("x\ud83d"))
    assert told.transcript is not None
    assert told.transcript.answer == "x\N{REPLACEMENT CHARACTER}"


def test_secrets_and_places_never_reach_what_is_made_of_a_launch(tmp_path: Path) -> None:
    secret = "fake-secret-value-9"
    mask = Mask.build({"DEPLOY_TOKEN": secret}, home=None, workspace=(tmp_path,))
    answer = f"the token is {secret} in {tmp_path}/CLAUDE.md"
    stdout = s.out(s.init(cwd=str(tmp_path)), s.tool_result(secret), s.text(answer), s.result(answer))
    finished = s.finished(stdout, f"warning {secret}".encode())
    told = understand(finished, mask, Expectation(s.MODEL, s.VERSION, 1))
    assert secret not in repr(told)
    assert str(tmp_path) not in repr(told)
    assert told.transcript is not None
    assert told.transcript.answer == "the token is <masked:DEPLOY_TOKEN> in <workspace>/CLAUDE.md"


_event = st.sampled_from(
    [
        s.init(),
        s.text("A"),
        s.text("B", "m2"),
        s.tool("Bash"),
        s.tool_result("x"),
        s.injected("Output token limit hit."),
        s.injected("x"),
        s.notice("API Error: 500", "server_error", 500),
        s.result("A"),
        s.result(None, stop_reason=None),
        {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 10**30}},
        s.failed("API Error: 529 Overloaded"),
        "plain",
    ]
)


@given(
    st.lists(_event, max_size=7),
    st.sampled_from([0, 1, -9, 143, None]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_every_launch_is_valid_or_invalid_and_only_untouched_ones_may_be_repeated(
    events: list[Any], exit_code: int | None, timed_out: bool, killed: bool, turns: int
) -> None:
    finished: Finished = s.finished(
        s.out(*events), exit_code=exit_code, timed_out=timed_out, killed_after_result=killed
    )
    told = understand(finished, NO_MASK, Expectation(s.MODEL, s.VERSION, turns))
    spoke = any(isinstance(event, dict) and event["type"] == "assistant" and "error" not in event for event in events)
    if told.invalid is None:
        assert told.transcript is not None
        assert told.transcript.answer.strip()
    elif told.invalid.reason in RETRYABLE and spoke:
        assert told.invalid.acted


def test_a_number_below_zero_is_no_usage() -> None:
    """A budget must never grow by a launch."""
    told = returned(s.init(), s.text("A"), {**s.result("A"), "total_cost_usd": -5, "usage": {"input_tokens": -3}})
    assert told.transcript is not None
    assert (told.usage.cost_usd, told.usage.input_tokens) == (None, None)
