"""Limits are found in what the client says, with the time they end; a model that speaks of limits is no limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.client.limits import Limited, find_limit, reset_time

NOW = datetime(2026, 3, 4, 17, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "resets_at"),
    [
        ("Claude AI usage limit reached|1772650800", datetime.fromtimestamp(1772650800, UTC)),
        ("Claude AI usage limit reached|1772650800000", datetime.fromtimestamp(1772650800, UTC)),
        (
            "You've hit your limit · resets 3pm (America/New_York)",
            datetime(2026, 3, 4, 15, tzinfo=ZoneInfo("America/New_York")),
        ),
        (
            "You've hit your session limit · resets 2:30am (Pacific/Auckland)",
            # 17:30 UTC is already the next morning there: the next 2:30 is a day later still.
            datetime(2026, 3, 6, 2, 30, tzinfo=ZoneInfo("Pacific/Auckland")),
        ),
        ("You've hit your limit · resets 3pm (UTC)", datetime(2026, 3, 5, 15, tzinfo=UTC)),
        ("You’ve hit your limit · resets 12am (UTC)", datetime(2026, 3, 5, 0, tzinfo=UTC)),
        ("You're out of extra usage · resets 9pm", datetime(2026, 3, 4, 21, tzinfo=UTC)),
        (
            "You're out of extra usage · resets Apr 2, 8pm (Europe/Budapest)",
            datetime(2026, 4, 2, 20, tzinfo=ZoneInfo("Europe/Budapest")),
        ),
        (
            "You've hit your Opus limit · resets Mar 6 at 9am (Asia/Tokyo)",
            datetime(2026, 3, 6, 9, tzinfo=ZoneInfo("Asia/Tokyo")),
        ),
        ("Opus weekly limit reached ∙ resets Jan 3, 1pm (UTC)", datetime(2026, 1, 3, 13, tzinfo=UTC)),
        ("You've hit your 5-hour limit · resets Jan 1, 2030, 12am (UTC)", datetime(2030, 1, 1, tzinfo=UTC)),
        ("5-hour limit reached ∙ resets 15:45", datetime(2026, 3, 5, 15, 45, tzinfo=UTC)),
        ("Weekly limit reached · resets Friday 9am", datetime(2026, 3, 6, 9, tzinfo=UTC)),
        ("Weekly limit reached · resets Wed 9am", datetime(2026, 3, 11, 9, tzinfo=UTC)),
        (
            "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).",
            datetime(2026, 3, 4, 18, tzinfo=UTC),
        ),
        ("You've hit your fable limit · resets in 2h 5m", NOW + timedelta(hours=2, minutes=5)),
        (
            "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.",
            datetime(2026, 4, 1, tzinfo=UTC),
        ),
        ("API Error: 400 You have reached your specified API usage limits.", None),
        ("You've hit your monthly spend limit.", None),
        ("You're out of usage credits. Run /usage-credits to keep using Fable 5", None),
        ("Fable 5 requires usage credits. Run /usage-credits to continue", None),
        ("Your org is out of usage · contact your admin", None),
        ("You've hit your limit · resets 3pm (America/Nowhere)", None),
        ("You've hit your limit · resets Feb 30, 3pm (UTC)", None),
        ("You've hit your limit · resets 17pm (UTC)", None),
        ("warning: something else\nYou've hit your limit · resets 8pm (UTC)", datetime(2026, 3, 4, 20, tzinfo=UTC)),
    ],
)
def test_a_usage_limit_is_found_with_the_time_it_ends(text: str, resets_at: datetime | None) -> None:
    limit = find_limit(text, now=NOW)
    assert limit is not None
    assert limit.kind is Limited.USAGE
    assert limit.resets_at == resets_at
    assert limit.resets_at is None or limit.resets_at.tzinfo is not None


@pytest.mark.parametrize(
    "text",
    [
        "API Error: Request rejected (429) · Number of request tokens has exceeded your rate limit",
        "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited",
        "This request would exceed your account's rate limit. Please try again later.",
        "Rate limit reached",
    ],
)
def test_requests_that_came_too_fast_are_no_used_up_allowance(text: str) -> None:
    limit = find_limit(text, now=NOW)
    assert limit is not None
    assert limit.kind is Limited.RATE
    assert limit.resets_at is None


@pytest.mark.parametrize(
    "text",
    [
        "API Error: 500 Internal server error",
        "Context limit reached · /compact or /clear to continue",
        "API Error: Claude's response exceeded the 32000 output token maximum.",
        "Invalid API key · Fix external API key",
        "Credit balance is too low",
        "Warning: ignored 3 permission entries of an untrusted folder",
        "",
    ],
)
def test_other_troubles_are_no_limits(text: str) -> None:
    assert find_limit(text, now=NOW) is None


def test_the_end_of_a_year_is_crossed() -> None:
    late = datetime(2026, 12, 30, 12, tzinfo=UTC)
    assert reset_time("resets Jan 2, 8am (UTC)", now=late) == datetime(2027, 1, 2, 8, tzinfo=UTC)


@given(
    st.text()
    | st.from_regex(r"You've hit your limit · resets? .{0,40}")
    | st.from_regex(r"resets? (on |at |in )?[A-Za-z0-9:, ]{0,30}\([A-Za-z/._+-]{0,20}\)")
)
def test_no_text_makes_it_fail(text: str) -> None:
    limit = find_limit(text, now=NOW)
    resets_at = limit.resets_at if limit else reset_time(text, now=NOW)
    assert resets_at is None or resets_at.tzinfo is not None
