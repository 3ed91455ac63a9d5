"""The client's stream-json output, read into one plain value.

Invariant: reading never fails. Any bytes give a `Stream`; what is not understood is counted or kept as text, nothing
is guessed, and traffic of sub-agents never mixes with the main loop.

The shapes are those seen from Claude Code 2.1.191 and 2.1.332 in print mode with `--output-format stream-json
--verbose`: one JSON object per line; one `assistant` event per content block, the blocks of one message sharing
`message.id`; `system` events of many kinds, some of them before `init`; any number of `result` events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from measure.transcript import ToolResult, ToolUse

SYNTHETIC_MODEL = "<synthetic>"
"""What the client writes as the model of messages it made up itself."""

_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")

MAX_PLAIN_LINES = 200
MAX_PLAIN_CHARACTERS = 4_000


class Opened(StrEnum):
    """What stood right before an assistant message of the main loop."""

    PROMPT = "prompt"
    TOOL_RESULTS = "tool-results"
    INJECTED = "injected"
    """A user message that the client wrote itself."""
    RESUMED = "resumed"
    """The client began another turn by itself after a result (a background task had ended)."""
    NOTHING = "nothing"
    """A second message with nothing in between: the client had the model go on with a cut answer."""


class Injection(StrEnum):
    """Why the client wrote a user message itself."""

    CONTINUE = "continue"
    """The answer was cut and the model is told to go on."""
    ASK_AGAIN = "ask-again"
    """The answer had no visible text and is asked for again."""
    SAFEGUARD = "safeguard"
    """A safety classifier stopped the answer and the model is told so."""
    OTHER = "other"
    """Anything else, such as the body of a skill after its tool call."""


_INJECTIONS: tuple[tuple[str, Injection], ...] = (
    ("no visible output", Injection.ASK_AGAIN),
    ("output token limit hit", Injection.CONTINUE),
    ("cut off mid-stream", Injection.CONTINUE),
    ("stopped by a safety classifier", Injection.SAFEGUARD),
)


@dataclass(frozen=True, slots=True)
class Init:
    """What the client said about itself when the session began; None where it said nothing."""

    model: str | None
    version: str | None
    cwd: str | None
    auth_source: str | None
    tools: tuple[str, ...]
    mcp_servers: tuple[tuple[str, str], ...]
    """Name and status of each connected server."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a model with all its blocks, in order."""

    id: str | None
    model: str | None
    opened: Opened
    texts: tuple[str, ...]
    tool_uses: tuple[ToolUse, ...]
    other_blocks: int
    """Blocks that are neither text nor a tool call (thinking)."""

    @property
    def text(self) -> str:
        """The message's text blocks joined by line ends."""
        return "\n".join(text for text in self.texts if text)


@dataclass(frozen=True, slots=True)
class ClientNotice:
    """A message that the client wrote in the model's place: an API error, a limit."""

    kind: str | None
    text: str
    status: int | None


@dataclass(frozen=True, slots=True)
class Injected:
    """A user message that the client wrote in the user's place."""

    kind: Injection
    text: str
    after_tool_use: bool


@dataclass(frozen=True, slots=True)
class Retry:
    """One announced repetition of a request."""

    error: str | None
    status: int | None
    delay_s: float | None


@dataclass(frozen=True, slots=True)
class Allowance:
    """What was told of a subscription's allowance. `status`: `allowed`, `allowed_warning` or `rejected`."""

    status: str | None
    resets_at_s: int | None
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Result:
    """One result event. `reported` names its keys, which tells null from absent; `value` is `result` as sent."""

    reported: frozenset[str]
    value: object
    subtype: str | None
    is_error: bool
    stop_reason: str | None
    terminal_reason: str | None
    api_status: int | None
    turns: int | None
    errors: tuple[str, ...]
    denied_tools: tuple[str, ...]
    models: tuple[str, ...]
    """Names in `modelUsage`."""
    output_tokens: int | None
    usage: Mapping[str, int]
    cost_usd: float | None

    @property
    def text(self) -> str | None:
        """`result` where it is text."""
        return self.value if isinstance(self.value, str) else None


@dataclass(frozen=True, slots=True)
class Stream:
    """Everything of one launch's standard output that later stations read."""

    inits: tuple[Init, ...] = ()
    messages: tuple[Message, ...] = ()
    """The model's messages in the main loop."""
    tool_results: tuple[ToolResult, ...] = ()
    notices: tuple[ClientNotice, ...] = ()
    injected: tuple[Injected, ...] = ()
    retries: tuple[Retry, ...] = ()
    allowances: tuple[Allowance, ...] = ()
    results: tuple[Result, ...] = ()
    sub_messages: tuple[Message, ...] = ()
    """The messages of sub-agents."""
    sub_tool_results: tuple[ToolResult, ...] = ()
    background_tasks: int = 0
    """Tasks that were started in the background."""
    unfinished_tasks: int = 0
    """Background tasks of which no end was told."""
    plain: tuple[str, ...] = ()
    """Lines that are no events, each cut at a stated length; the first few hundred."""
    unknown_events: int = 0
    replaced_lines: int = 0
    """Lines with bytes that are no UTF-8."""
    answer_replaced: bool = False
    """Such bytes stood in a message of the model or in a result."""

    @property
    def init(self) -> Init | None:
        """The first `init` event."""
        return self.inits[0] if self.inits else None

    @property
    def result(self) -> Result | None:
        """The last result event, which is the one that counts."""
        return self.results[-1] if self.results else None


def is_result_line(line: bytes) -> bool:
    """Whether one line of output is a result event, after which the client is expected to end."""
    if b'"result"' not in line:
        return False
    event = _load(line.decode("utf-8", errors="replace"))
    return event is not None and event.get("type") == "result"


def parse(output: bytes) -> Stream:
    """Read the whole standard output of one launch."""
    reader = _Reader()
    for line in output.split(b"\n"):
        reader.take(line)
    return reader.stream()


class _Reader:
    """Gathers events; the only mutable thing here, alive for one call of `parse`."""

    def __init__(self) -> None:
        self._inits: list[Init] = []
        self._main: list[_Open] = []
        self._sub: dict[str, list[_Open]] = {}
        self._tool_results: list[ToolResult] = []
        self._sub_results: list[ToolResult] = []
        self._notices: list[ClientNotice] = []
        self._injected: list[Injected] = []
        self._retries: list[Retry] = []
        self._allowances: list[Allowance] = []
        self._results: list[Result] = []
        self._background: set[str] = set()
        self._ended: set[str] = set()
        self._plain: list[str] = []
        self._unknown = 0
        self._replaced = 0
        self._answer_replaced = False
        self._next = Opened.PROMPT

    def take(self, raw: bytes) -> None:
        if not raw.strip():
            return
        try:
            text, replaced = raw.decode("utf-8"), False
        except UnicodeDecodeError:
            text, replaced = raw.decode("utf-8", errors="replace"), True
            self._replaced += 1
        event = _load(text)
        if event is None:
            if len(self._plain) < MAX_PLAIN_LINES:
                self._plain.append(text.strip()[:MAX_PLAIN_CHARACTERS])
            return
        kind = event.get("type")
        if replaced and kind in ("assistant", "result"):
            self._answer_replaced = True
        if kind == "system":
            self._system(event)
        elif kind == "assistant":
            self._assistant(event)
        elif kind == "user":
            self._user(event)
        elif kind == "result":
            self._result(event)
        elif kind == "rate_limit_event":
            told = _dict(event.get("rate_limit_info"))
            self._allowances.append(Allowance(_str(told.get("status")), _int(told.get("resetsAt"))))
        else:
            self._unknown += 1

    def _system(self, event: Mapping[str, Any]) -> None:
        match event.get("subtype"):
            case "init":
                if self._inits and self._results:
                    self._next = Opened.RESUMED
                self._inits.append(_init(event))
            case "api_retry":
                delay = _number(event.get("retry_delay_ms"))
                self._retries.append(
                    Retry(
                        error=_str(event.get("error")),
                        status=_int(event.get("error_status")),
                        delay_s=None if delay is None else delay / 1000,
                    )
                )
            case "task_started":
                task = _str(event.get("task_id"))
                # Older clients say nothing of the background; only their later notification tells.
                if task and event.get("is_backgrounded") is not False:
                    self._background.add(task)
            case "task_notification":
                if task := _str(event.get("task_id")):
                    self._ended.add(task)
            case "task_updated":
                patch = _dict(event.get("patch"))
                if (task := _str(event.get("task_id"))) and patch.get("status") in ("completed", "failed", "killed"):
                    self._ended.add(task)
            case _:
                pass

    def _assistant(self, event: Mapping[str, Any]) -> None:
        message = _dict(event.get("message"))
        model = _str(message.get("model"))
        blocks = _blocks(message.get("content"))
        if model == SYNTHETIC_MODEL:
            text = "\n".join(_str(block.get("text")) or "" for block in blocks).strip()
            self._notices.append(ClientNotice(_str(event.get("error")), text, _int(event.get("api_error_status"))))
            return
        identity = _str(message.get("id"))
        parent = _str(event.get("parent_tool_use_id"))
        line = self._main if parent is None else self._sub.setdefault(parent, [])
        opened = self._next if parent is None else Opened.PROMPT
        # The results of earlier calls may stand between two blocks of one message, so the id decides, not adjacency.
        same = bool(line) and line[-1].id == identity and (identity is not None or opened is Opened.NOTHING)
        if not same:
            line.append(_Open(identity, model, opened))
        line[-1].add(blocks)
        if parent is None:
            self._next = Opened.NOTHING

    def _user(self, event: Mapping[str, Any]) -> None:
        main = event.get("parent_tool_use_id") is None
        for block in _blocks(_dict(event.get("message")).get("content")):
            if block.get("type") == "tool_result":
                result = ToolResult(
                    tool_use_id=_str(block.get("tool_use_id")) or "",
                    text=_flat(block.get("content")),
                    is_error=block.get("is_error") is True,
                )
                (self._tool_results if main else self._sub_results).append(result)
                if main and self._next is not Opened.INJECTED:
                    self._next = Opened.TOOL_RESULTS
            elif main and self._main_began() and block.get("type") == "text":
                text = _str(block.get("text")) or ""
                after_tool_use = bool(self._main) and self._main[-1].used_a_tool
                self._injected.append(Injected(_injection(text), text, after_tool_use))
                self._next = Opened.INJECTED

    def _main_began(self) -> bool:
        # Before `init` a client may echo the prompt itself; afterwards every user text is its own.
        return bool(self._inits or self._main)

    def _result(self, event: Mapping[str, Any]) -> None:
        usage = _dict(event.get("usage"))
        self._results.append(
            Result(
                reported=frozenset(event),
                value=event.get("result"),
                subtype=_str(event.get("subtype")),
                is_error=event.get("is_error") is True,
                stop_reason=_str(event.get("stop_reason")),
                terminal_reason=_str(event.get("terminal_reason")),
                api_status=_int(event.get("api_error_status")),
                turns=_int(event.get("num_turns")),
                errors=tuple(text for item in _list(event.get("errors")) if (text := _str(item))),
                denied_tools=tuple(
                    _str(_dict(item).get("tool_name")) or _str(item) or "?"
                    for item in _list(event.get("permission_denials"))
                ),
                models=tuple(_dict(event.get("modelUsage"))),
                output_tokens=_int(usage.get("output_tokens")),
                usage={key: count for key, value in usage.items() if (count := _int(value)) is not None},
                cost_usd=_number(event.get("total_cost_usd")),
            )
        )

    def stream(self) -> Stream:
        return Stream(
            inits=tuple(self._inits),
            messages=tuple(message.close() for message in self._main),
            tool_results=tuple(self._tool_results),
            notices=tuple(self._notices),
            injected=tuple(self._injected),
            retries=tuple(self._retries),
            allowances=tuple(self._allowances),
            results=tuple(self._results),
            sub_messages=tuple(message.close() for line in self._sub.values() for message in line),
            sub_tool_results=tuple(self._sub_results),
            background_tasks=len(self._background),
            unfinished_tasks=len(self._background - self._ended),
            plain=tuple(self._plain),
            unknown_events=self._unknown,
            replaced_lines=self._replaced,
            answer_replaced=self._answer_replaced,
        )


class _Open:
    """A message whose blocks are still arriving."""

    def __init__(self, identity: str | None, model: str | None, opened: Opened) -> None:
        self.id = identity
        self._model = model
        self._opened = opened
        self._texts: list[str] = []
        self._uses: list[ToolUse] = []
        self._others = 0

    @property
    def used_a_tool(self) -> bool:
        return bool(self._uses)

    def add(self, blocks: list[Mapping[str, Any]]) -> None:
        for block in blocks:
            match block.get("type"):
                case "text":
                    self._texts.append(_str(block.get("text")) or "")
                case "tool_use":
                    self._uses.append(
                        ToolUse(
                            id=_str(block.get("id")) or "",
                            name=_str(block.get("name")) or "?",
                            input=_dict(block.get("input")),
                        )
                    )
                case _:
                    self._others += 1

    def close(self) -> Message:
        return Message(self.id, self._model, self._opened, tuple(self._texts), tuple(self._uses), self._others)


def _load(text: str) -> dict[str, Any] | None:
    """The JSON object on one line, or None where the line is anything else."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        event = json.loads(text)
        # A pair of escapes has become one character by now; half of one can be neither stored nor printed.
        if _HALF_ESCAPED.search(text):
            event = _with_whole_characters(event)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _with_whole_characters(value: Any) -> Any:
    """The same value with U+FFFD for every lone surrogate in its texts."""
    if isinstance(value, str):
        return _HALF.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_with_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_with_whole_characters(key): _with_whole_characters(item) for key, item in value.items()}
    return value


def _init(event: Mapping[str, Any]) -> Init:
    servers = [_dict(server) for server in _list(event.get("mcp_servers"))]
    return Init(
        model=_str(event.get("model")),
        version=_str(event.get("claude_code_version")),
        cwd=_str(event.get("cwd")),
        auth_source=_str(event.get("apiKeySource")),
        tools=tuple(tool for item in _list(event.get("tools")) if (tool := _str(item))),
        mcp_servers=tuple((_str(server.get("name")) or "?", _str(server.get("status")) or "?") for server in servers),
    )


def _injection(text: str) -> Injection:
    folded = text.casefold()
    return next((kind for phrase, kind in _INJECTIONS if phrase in folded), Injection.OTHER)


def _blocks(content: object) -> list[Mapping[str, Any]]:
    """Content blocks; plain text counts as one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in _list(content) if isinstance(block, dict)]


def _flat(content: object) -> str:
    """The text of a tool result, whatever form it has."""
    if isinstance(content, str):
        return content
    return "\n".join(text for block in _blocks(content) if (text := _str(block.get("text"))) is not None)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _str(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < float("inf") else None
