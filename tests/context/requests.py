"""Requests made up for tests, in every layout a client is known to use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from measure.context.request import Request

ARM, TEMP = Path("/place/abc/desk"), Path("/place/abc/temp")
IDENTITY = '{"device_id":"d1","account_uuid":"","session_id":"0c854f78-d445-4b65-9cdd-86d0a622b070"}'


def section(path: str, text: str) -> str:
    return f"Contents of {ARM}/{path} (project instructions, checked into the codebase):\n\n{text.strip()}\n"


def loaded(files: Mapping[str, str]) -> str:
    """The block of instruction files; nothing at all where every file is blank."""
    sections = [section(path, text) for path, text in files.items() if text.strip()]
    if not sections:
        return ""
    return "<system-reminder>\nInstructions are shown below.\n\n" + "\n".join(sections) + "</system-reminder>"


def as_blocks(instructions: str, prompt: str) -> dict[str, Any]:
    blocks = [{"type": "text", "text": text} for text in (instructions, prompt) if text]
    blocks[-1]["cache_control"] = {"type": "ephemeral"}  # type: ignore[assignment]
    return {
        "system": [{"type": "text", "text": "You are an agent."}],
        "messages": [{"role": "user", "content": blocks}],
    }


def as_strings(instructions: str, prompt: str) -> dict[str, Any]:
    return {"system": "You are an agent.", "messages": [{"role": "user", "content": f"{instructions}\n{prompt}"}]}


def as_system_message(instructions: str, prompt: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}, {"role": "system", "content": instructions}]
    return {"system": [{"type": "text", "text": "You are an agent."}], "messages": messages}


LAYOUTS: tuple[Callable[[str, str], dict[str, Any]], ...] = (as_blocks, as_strings, as_system_message)


def request(
    files: Mapping[str, str],
    *,
    layout: Callable[[str, str], dict[str, Any]] = as_blocks,
    prompt: str = "What now?",
    identity: str = IDENTITY,
    lists: str = "",
) -> Request:
    instructions = "\n".join(text for text in (lists, loaded(files)) if text)
    body = {
        "model": "m-1",
        "tools": [{"name": "Read", "description": "Reads a file."}],
        **layout(instructions, prompt),
        "metadata": {"user_id": identity},
        "max_tokens": 32000,
    }
    return Request.read(json.dumps(body).encode(), workspace=ARM, temp=TEMP)
