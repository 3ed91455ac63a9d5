"""Why a launch failed, from what the client told of it.

Invariant: every failure gets exactly one reason of the closed list; only texts the client itself wrote are read. Its
own name for the error comes before the HTTP status, and both before wording, except that a limit's wording comes
first: clients name a used-up allowance and too many requests alike.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from datetime import datetime

from measure.client.events import Allowance, ClientNotice, Result, Stream
from measure.client.limits import Limited, epoch_time, find_limit, has_epoch, reset_time
from measure.client.process import Finished
from measure.client.trial import Invalid, Reason

_DETAIL = 300

_BY_KIND: dict[str, Reason] = {
    "authentication_failed": Reason.AUTH,
    "oauth_org_not_allowed": Reason.AUTH,
    "account_on_hold": Reason.AUTH,
    "verification_required": Reason.AUTH,
    "cloud_credential_error": Reason.AUTH,
    "billing_error": Reason.BILLING,
    "rate_limit": Reason.RATE_LIMIT,
    "overloaded": Reason.API_ERROR,
    "server_error": Reason.API_ERROR,
    "model_not_found": Reason.MODEL_REJECTED,
    "max_output_tokens": Reason.TRUNCATED,
}
"""The client's own names for what went wrong. `unknown` and `invalid_request` say too little; status and text do."""

_BY_STATUS: dict[int, Reason] = {
    401: Reason.AUTH,
    402: Reason.BILLING,
    403: Reason.AUTH,
    404: Reason.MODEL_REJECTED,
    413: Reason.PROMPT_TOO_LONG,
    429: Reason.RATE_LIMIT,
}

_BY_TEXT: tuple[tuple[re.Pattern[str], Reason], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (r"credit balance", Reason.BILLING),
        (r"not logged in|/login\b|invalid api key|authenticat|oauth token|login (?:has )?expired", Reason.AUTH),
        (r"prompt is too long|request too large", Reason.PROMPT_TOO_LONG),
        (r"issue with the selected model|model[^.]{0,60}(?:not found|not exist)", Reason.MODEL_REJECTED),
        (r"request timed out|timed out", Reason.TIMEOUT),
        (r"api error|connection (?:error|refused|closed|lost)|overloaded", Reason.API_ERROR),
    )
)

_BY_SUBTYPE: dict[str, Reason] = {
    "error_max_turns": Reason.MAX_TURNS,
    "error_max_budget_usd": Reason.BUDGET,
    "error_max_structured_output_retries": Reason.SCHEMA,
}


def one_line(text: str) -> str:
    """A detail as it is kept: one line, cut at a stated length."""
    line = " ".join(text.split())
    return line if len(line) <= _DETAIL else f"{line[: _DETAIL - 1]}…"


def without_result(stream: Stream, finished: Finished, stdout_tail: str, stderr_tail: str, acted: bool) -> Invalid:
    """Why there is no result. The tails are masked text, quoted where nothing else says what went wrong."""
    told = [notice.text for notice in stream.notices] + list(stream.plain) + stderr_tail.splitlines()
    for text in told:
        if (named := _by_limit(text, finished.started_at, acted)) is not None:
            return named
    for pattern, reason in _BY_TEXT:
        for text in told:
            if pattern.search(text):
                return Invalid(reason, one_line(text), acted=acted)
    quoted = "; ".join(
        f"{name} ends: {text.strip()[-_DETAIL // 2 :]}"
        for name, text in (("stdout", "\n".join(stream.plain) or stdout_tail), ("stderr", stderr_tail))
        if text.strip()
    )
    code = finished.exit_code
    if code is not None and (code < 0 or code in (128 + signal.SIGHUP, 128 + signal.SIGKILL, 128 + signal.SIGTERM)):
        number = -code if code < 0 else code - 128
        return Invalid(Reason.KILLED, one_line(f"ended by signal {number} before a result. {quoted}"), acted=acted)
    if code:
        return Invalid(Reason.CRASHED, one_line(f"exit status {code} without a result. {quoted}"), acted=acted)
    return Invalid(Reason.NO_RESULT, one_line(f"the client ended without a result. {quoted}"), acted=acted)


def of_error(result: Result, stream: Stream, now: datetime, acted: bool) -> Invalid:
    """One reason for an error that the client names itself."""
    notice = stream.notices[-1] if stream.notices else ClientNotice(None, "", None)
    texts = [text for text in (result.text, notice.text, *result.errors) if text]
    detail = one_line(texts[0] if texts else f"{result.subtype or 'error'} without a word")
    if notice.kind == "rate_limit" and (rejected := _rejected(stream)) is not None:
        ends = reset_time(" ".join(texts), now=now)
        return Invalid(Reason.USAGE_LIMIT, detail, acted=acted, resets_at=epoch_time(rejected.resets_at_s) or ends)
    for text in texts:
        if (named := _by_limit(text, now, acted, waits=[retry.delay_s for retry in stream.retries])) is not None:
            return named
    if result.stop_reason == "refusal":
        return Invalid(Reason.BLOCKED, detail, acted=acted)
    status = result.api_status if result.api_status is not None else notice.status
    by_text = next((reason for pattern, reason in _BY_TEXT for text in texts if pattern.search(text)), None)
    aborted = (result.terminal_reason or "").startswith("aborted")
    reason = (
        _BY_SUBTYPE.get(result.subtype or "")
        or (Reason.PROMPT_TOO_LONG if result.terminal_reason == "prompt_too_long" else None)
        or (Reason.INTERRUPTED if aborted else None)
        or _BY_KIND.get(notice.kind or "")
        or _BY_STATUS.get(status or 0)
        or by_text
        or (Reason.CRASHED if result.subtype == "error_during_execution" else Reason.API_ERROR)
    )
    if reason is Reason.API_ERROR and by_text is Reason.TIMEOUT:
        reason = Reason.TIMEOUT
    return Invalid(reason, detail, acted=acted)


def told_as_an_answer(stream: Stream, finished: Finished, acted: bool) -> Invalid | None:
    """A limit or a lost log-in that the client tells in an answer's place, by an event of success; None for answers.

    A model may speak of limits as well. So where one spoke, one line alone counts, and only if the client ended badly
    or gives the time as the number that only a program writes.
    """
    result = stream.result
    assert result is not None
    text = (result.text or "\n".join(message.text for message in stream.messages)).strip()
    nobody_spoke = not stream.messages
    if nobody_spoke and stream.notices and result.turns != 0:
        return of_error(result, stream, finished.started_at, acted)
    if not text or "\n" in text:
        return None
    is_trouble = nobody_spoke or finished.exit_code not in (0, None)
    named = _by_limit(text, finished.started_at, acted)
    if named is not None and named.reason is Reason.USAGE_LIMIT and (is_trouble or has_epoch(text)):
        return named
    by_text = next((reason for pattern, reason in _BY_TEXT if pattern.search(text)), None)
    if is_trouble and by_text in (Reason.AUTH, Reason.BILLING):
        return Invalid(by_text, one_line(text), acted=acted)
    return None


def _rejected(stream: Stream) -> Allowance | None:
    """The last thing told of the subscription's allowance, where that was a refusal."""
    last = stream.allowances[-1] if stream.allowances else None
    return last if last is not None and last.status == "rejected" else None


def _by_limit(text: str, now: datetime, acted: bool, *, waits: Iterable[float | None] = ()) -> Invalid | None:
    limit = find_limit(text, now=now)
    if limit is None:
        return None
    if limit.kind is Limited.USAGE:
        return Invalid(Reason.USAGE_LIMIT, one_line(limit.sentence), acted=acted, resets_at=limit.resets_at)
    longest = max((wait for wait in waits if wait is not None), default=None)
    return Invalid(Reason.RATE_LIMIT, one_line(limit.sentence), acted=acted, retry_after_s=longest)
