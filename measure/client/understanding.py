"""From the bytes of one finished launch to what came back.

Invariant: masking comes first, so nothing secret and no place is in anything that is made from here on; reading and
judging what a client wrote never fails.
"""

from __future__ import annotations

import re

from measure.client.acceptance import Expectation, accept, is_from_text
from measure.client.events import Result, Stream, parse
from measure.client.masking import Mask
from measure.client.process import Finished
from measure.client.trial import Invalid, Returned, Usage
from measure.transcript import Transcript

_IGNORED_SETTINGS = re.compile(
    r"(?:ignor\w+|not (?:been )?applied|untrusted|not trusted)\b.{0,120}\b(?:permission|setting)"
    r"|\b(?:permission|setting).{0,120}\b(?:ignor\w+|not (?:been )?applied|untrusted|not trusted)",
    re.IGNORECASE,
)


def understand(finished: Finished, mask: Mask, expectation: Expectation) -> Returned:
    """Mask what a launch wrote, read it, and decide whether it is an answer."""
    output = mask.stream(finished.stdout)
    stdout_tail, stderr_tail = mask.tail(finished.stdout_tail), mask.tail(finished.stderr_tail)
    stream = parse(output)
    verdict = accept(stream, finished, expectation, stdout_tail=stdout_tail, stderr_tail=stderr_tail)
    result, init = stream.result, stream.init
    answered = next((message.model for message in reversed(stream.messages) if message.model), None)
    valid = isinstance(verdict, Transcript)
    return Returned(
        transcript=verdict if isinstance(verdict, Transcript) else None,
        invalid=verdict if isinstance(verdict, Invalid) else None,
        stream=output,
        stdout_tail=stdout_tail,
        stderr_tail=stderr_tail,
        exit_code=finished.exit_code,
        started_at=finished.started_at,
        wall_s=finished.wall_s,
        usage=_usage(result),
        model_answered=answered,
        client_version=init.version if init else None,
        turns=result.turns if result else None,
        flags=flags(stream, finished, stderr_tail, from_text=valid and is_from_text(stream)),
    )


def flags(stream: Stream, finished: Finished, stderr_tail: str, *, from_text: bool) -> tuple[str, ...]:
    """What is worth showing of a launch beside its validity, in a fixed order."""
    result = stream.result
    told = {
        "killed-after-result": finished.killed_after_result,
        "leftovers-ended": bool(finished.leftovers),
        "not-ended": bool(finished.not_ended),
        "api-retry": bool(stream.retries),
        "near-usage-limit": any(allowance.status == "allowed_warning" for allowance in stream.allowances),
        "answer-from-assistant-text": from_text,
        "several-results": len(stream.results) > 1,
        "sub-agents": bool(stream.sub_messages),
        "background-unfinished": stream.unfinished_tasks > 0,
        "bytes-replaced": stream.replaced_lines > 0,
        "plain-output": bool(stream.plain),
        "settings-ignored": any(_IGNORED_SETTINGS.search(text) for text in (*stream.plain, stderr_tail)),
        "stop-reason-not-told": result is not None and "stop_reason" not in result.reported,
        "model-not-told": bool(stream.messages) and any(message.model is None for message in stream.messages),
    }
    denied = sorted(set(result.denied_tools)) if result else []
    servers = sorted({f"server:{name}={status}" for init in stream.inits for name, status in init.mcp_servers})
    return (
        *(name for name, holds in told.items() if holds),
        *(f"permission-denied:{tool}" for tool in denied),
        *servers,
    )


def _usage(result: Result | None) -> Usage:
    """What a launch used, as it was told; a number below zero is none that could be added up."""
    if result is None:
        return Usage()
    told = {name: count for name, count in result.usage.items() if count >= 0}
    return Usage(
        input_tokens=told.get("input_tokens"),
        output_tokens=told.get("output_tokens"),
        cache_creation_input_tokens=told.get("cache_creation_input_tokens"),
        cache_read_input_tokens=told.get("cache_read_input_tokens"),
        cost_usd=result.cost_usd if result.cost_usd is not None and result.cost_usd >= 0 else None,
    )
