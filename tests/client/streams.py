"""Short notation for what a client writes, with the field layout of real recorded runs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from measure.client.process import Finished

MODEL = "claude-sonnet-4-5"
VERSION = "2.1.332"
STARTED = datetime(2026, 3, 4, 17, 30, tzinfo=UTC)

Event = dict[str, Any]


def init(**changes: Any) -> Event:
    return {
        "type": "system",
        "subtype": "init",
        "cwd": "/somewhere",
        "model": MODEL,
        "claude_code_version": VERSION,
        "apiKeySource": "ANTHROPIC_API_KEY",
        "tools": ["Bash", "Read"],
        "mcp_servers": [],
        **changes,
    }


def text(said: str, message: str = "msg_1", model: str = MODEL, **changes: Any) -> Event:
    content = [{"type": "text", "text": said}]
    return {"type": "assistant", "message": {"id": message, "model": model, "content": content}, **changes}


def tool(name: str, use: str = "toolu_1", message: str = "msg_1", **given: Any) -> Event:
    content = [{"type": "tool_use", "id": use, "name": name, "input": given}]
    return {"type": "assistant", "message": {"id": message, "model": MODEL, "content": content}}


def tool_result(said: object, use: str = "toolu_1", **changes: Any) -> Event:
    content = [{"type": "tool_result", "tool_use_id": use, "content": said}]
    return {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None, **changes}


def injected(said: str) -> Event:
    content = [{"type": "text", "text": said}]
    return {"type": "user", "message": {"role": "user", "content": content}, "isSynthetic": True}


def notice(said: str, error: str = "unknown", status: int | None = None) -> Event:
    content = [{"type": "text", "text": said}]
    message = {"id": "made-up", "model": "<synthetic>", "content": content, "stop_reason": "stop_sequence"}
    return {"type": "assistant", "message": message, "error": error, "api_error_status": status}


def result(said: object = "ok", **changes: Any) -> Event:
    event = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "api_error_status": None,
        "num_turns": 1,
        "result": said,
        "stop_reason": "end_turn",
        "total_cost_usd": 0.25,
        "usage": {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 100},
        "modelUsage": {MODEL: {"inputTokens": 10}},
        "permission_denials": [],
        "terminal_reason": "completed",
        **changes,
    }
    return {key: value for key, value in event.items() if value is not ABSENT}


ABSENT: Any = object()
"""Leaves a key out of a result."""


def failed(said: str, **changes: Any) -> Event:
    return result(said, is_error=True, stop_reason="stop_sequence", modelUsage={}, usage={}, **changes)


def out(*events: Event | str | bytes) -> bytes:
    lines = []
    for event in events:
        if isinstance(event, bytes):
            lines.append(event)
        else:
            lines.append((event if isinstance(event, str) else json.dumps(event)).encode())
    return b"\n".join(lines) + b"\n"


def finished(stdout: bytes = b"", stderr: bytes = b"", exit_code: int | None = 0, **changes: Any) -> Finished:
    plain = Finished(
        stdout=stdout,
        stdout_tail=stdout[-8192:],
        stderr_tail=stderr[-8192:],
        exit_code=exit_code,
        timed_out=False,
        killed_after_result=False,
        oversize=False,
        started_at=STARTED,
        wall_s=1.5,
        leftovers=0,
        start_error=None,
    )
    return replace(plain, **changes)
