"""Is what came back an answer? One list of conditions, the same for both arms.

Invariant: a launch gives a `Transcript` only if the model that was asked for answered once, in full, by itself, within
the turns it was allowed. Everything else is `Invalid` with exactly one reason, and nothing the agent did can make a
reason retryable (`acted`).

Where a launch fits several reasons the earliest of this order is told: never started, client changed, too much
output, out of time, no result, results that disagree, an error the client names, a cut or re-asked answer, another
model, too many turns, an unreadable answer, none at all.

Fields that a client never sends are not held against it and are told as flags; fields it sends must be right: a
`stop_reason` of null is an answer whose end never came.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from measure.client.events import Injection, Opened, Result, Stream
from measure.client.failures import of_error, one_line, told_as_an_answer, without_result
from measure.client.model_names import is_alias, same_model
from measure.client.process import Finished
from measure.client.trial import Invalid, Reason
from measure.transcript import Transcript

_BY_STOP: dict[str | None, tuple[Reason, str]] = {
    None: (Reason.TRUNCATED, "the end of the answer never came (stop_reason null)"),
    "max_tokens": (Reason.TRUNCATED, "the answer ran into the output limit"),
    "model_context_window_exceeded": (Reason.TRUNCATED, "the answer ran into the context window's end"),
    "stop_sequence": (Reason.TRUNCATED, "the answer was ended by a stop sequence"),
    "tool_use": (Reason.INTERRUPTED, "the client ended with a tool call pending"),
    "pause_turn": (Reason.INTERRUPTED, "the client ended while the model's turn was paused"),
    "refusal": (Reason.BLOCKED, "the answer was stopped by the API's safeguards"),
}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What has to come back. `model` is the name as asked for, `version` what the client said it is (None: any)."""

    model: str
    version: str | None
    max_turns: int


def accept(
    stream: Stream, finished: Finished, expectation: Expectation, *, stdout_tail: str = "", stderr_tail: str = ""
) -> Transcript | Invalid:
    """The transcript of a valid answer, or why there is none. The tails are masked text, quoted where nothing else
    says what went wrong."""
    invalid = _judge(stream, finished, expectation, stdout_tail, stderr_tail)
    if invalid is not None:
        return invalid
    return transcript_of(stream)


def transcript_of(stream: Stream) -> Transcript:
    """What the judge reads of a stream that was accepted, at once or when it was recorded."""
    assert stream.result is not None
    from_text = is_from_text(stream)
    return Transcript(
        answer=_last_text(stream) if from_text else stream.result.text or "",
        answer_source="assistant_text" if from_text else "result",
        texts=tuple(message.text for message in stream.messages if message.text.strip()),
        tool_uses=tuple(use for message in stream.messages for use in message.tool_uses),
        tool_results=stream.tool_results,
        permission_denials=stream.result.denied_tools,
    )


def _judge(
    stream: Stream, finished: Finished, expectation: Expectation, stdout_tail: str, stderr_tail: str
) -> Invalid | None:
    if finished.start_error is not None:
        return Invalid(Reason.NOT_STARTED, one_line(finished.start_error), acted=False)
    acted = _acted(stream)
    found = _changed(stream, expectation)
    if found is None and finished.oversize:
        found = Reason.OVERSIZE, "the client wrote more than is kept of one launch"
    if found is None and finished.timed_out and not finished.killed_after_result:
        # A client that is told to end may still hurry to one: cut short by us, it is not what it would have answered.
        found = Reason.TIMEOUT, f"the time limit of one launch passed without a result{_while_waiting(stream)}"
    if found is None and stream.result is None:
        return without_result(stream, finished, stdout_tail, stderr_tail, acted)
    if found is None:
        errors = [result for result in stream.results if _failed(result)]
        if errors and len(errors) < len(stream.results):
            found = Reason.MIXED_RESULT, "the client told both a success and an error of one launch"
        elif errors:
            return of_error(errors[-1], stream, finished.started_at, acted)
        elif (told := told_as_an_answer(stream, finished, acted)) is not None:
            return told
    found = (
        found
        or _cut_or_asked_again(stream)
        or _stopped(stream)
        or _other_model(stream, expectation)
        or _turns(stream, expectation)
        or _ended_badly(finished)
        or _unreadable(stream)
    )
    return None if found is None else Invalid(found[0], one_line(found[1]), acted=acted)


_Found = tuple[Reason, str] | None


def _while_waiting(stream: Stream) -> str:
    # Named but not made the reason: after its wait the request may have gone through and the answer been too long.
    if not stream.retries:
        return ""
    last = stream.retries[-1]
    return f"; the request was being repeated after {last.error or 'an error'} ({last.status or 'no status'})"


def _changed(stream: Stream, expectation: Expectation) -> _Found:
    said = {init.version for init in stream.inits if init.version}
    if expectation.version is None or said <= {expectation.version}:
        return None
    return Reason.CLIENT_CHANGED, f"the client was {expectation.version} and now says {', '.join(sorted(said))}"


def _failed(result: Result) -> bool:
    return result.is_error or (result.subtype or "success") != "success"


def _cut_or_asked_again(stream: Stream) -> _Found:
    kinds = {injected.kind for injected in stream.injected}
    if Injection.SAFEGUARD in kinds:
        return Reason.BLOCKED, "the answer was stopped by the API's safeguards and asked for again"
    if Injection.CONTINUE in kinds or _went_on_silently(stream):
        return Reason.TRUNCATED, "the answer was cut and the client had the model go on; only a part of it is told"
    if Injection.ASK_AGAIN in kinds:
        if not _last_text(stream):
            return Reason.EMPTY_ANSWER, "the model gave no visible answer, also when asked again"
        return Reason.EXTRA_TURNS, "the first answer was empty and the client asked again in other words"
    if any(injected.kind is Injection.OTHER and not injected.after_tool_use for injected in stream.injected):
        return Reason.EXTRA_TURNS, "the client put words of its own to the model"
    return None


def _went_on_silently(stream: Stream) -> bool:
    """A second message with nothing before it. A call may stand there without its result: nothing was cut for that."""
    return any(later.opened is Opened.NOTHING and not earlier.tool_uses for earlier, later in pairwise(stream.messages))


def _stopped(stream: Stream) -> _Found:
    result = stream.result
    assert result is not None
    if result.turns == 0:
        return Reason.EMPTY_ANSWER, "the client answered by itself; the model was never asked"
    if result.terminal_reason is not None and result.terminal_reason != "completed":
        return Reason.INTERRUPTED, f"the client ended for another reason than completion: {result.terminal_reason}"
    if "stop_reason" not in result.reported or result.stop_reason == "end_turn":
        return None
    unknown = (Reason.SCHEMA, f"the answer ended for a reason that is not known: {result.stop_reason}")
    return _BY_STOP.get(result.stop_reason, unknown)


def _other_model(stream: Stream, expectation: Expectation) -> _Found:
    init, result = stream.init, stream.result
    assert result is not None
    resolved = init.model if init and init.model else None
    asked = expectation.model
    if resolved is not None and not is_alias(asked) and not same_model(asked, resolved):
        return Reason.MODEL_MISMATCH, f"asked for {asked}, the client made it {resolved}"
    if resolved is None and is_alias(asked):
        return None
    expected = resolved or asked
    for message in stream.messages:
        if message.model is not None and not same_model(expected, message.model):
            return Reason.MODEL_MISMATCH, f"asked for {expected}, {message.model} answered"
    others = [model for model in result.models if not same_model(expected, model)]
    if result.models and len(others) == len(result.models):
        return Reason.MODEL_MISMATCH, f"asked for {expected}, the client was charged for {', '.join(others)}"
    # Tools and sub-agents may use a model of their own; without any, a second model is a fallback.
    if others and not stream.sub_messages and not any(message.tool_uses for message in stream.messages):
        return Reason.MODEL_MISMATCH, f"beside {expected} the client used {', '.join(others)}"
    return None


def _turns(stream: Stream, expectation: Expectation) -> _Found:
    result = stream.result
    assert result is not None
    messages = len(stream.messages)
    # The client counts tool results as turns too, so its own number says something only where one turn is allowed.
    told = result.turns if expectation.max_turns == 1 and result.turns is not None else messages
    if max(messages, told) > expectation.max_turns:
        return Reason.EXTRA_TURNS, f"{max(messages, told)} turns where {expectation.max_turns} were allowed"
    return None


def _ended_badly(finished: Finished) -> _Found:
    if finished.exit_code in (0, None) or finished.killed_after_result or finished.timed_out:
        return None
    return Reason.CRASHED, f"exit status {finished.exit_code} after a result that tells success"


def _unreadable(stream: Stream) -> _Found:
    result = stream.result
    assert result is not None
    if not stream.inits:
        return Reason.SCHEMA, "the client never said which model and version it is (no init event)"
    if result.value is not None and result.text is None:
        return Reason.SCHEMA, f"wanted a text as result, found {type(result.value).__name__}"
    if stream.answer_replaced:
        return Reason.ENCODING, "the answer holds bytes that are no UTF-8"
    if not (result.text or "").strip() and not _last_text(stream):
        return Reason.EMPTY_ANSWER, "the model gave no visible answer"
    return None


def _acted(stream: Stream) -> bool:
    spent = any(result.models or result.output_tokens for result in stream.results)
    spoke = any(message.texts or message.tool_uses or message.other_blocks for message in stream.messages)
    return spent or spoke or bool(stream.sub_messages)


def _last_text(stream: Stream) -> str:
    return next((message.text for message in reversed(stream.messages) if message.text.strip()), "")


def is_from_text(stream: Stream) -> bool:
    """Whether the answer has to be taken from the assistant's messages, since the result has no text."""
    return stream.result is not None and not (stream.result.text or "").strip()
