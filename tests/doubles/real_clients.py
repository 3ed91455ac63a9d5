"""The real clients of this machine, and one plain way to launch them against the double.

Nothing here goes through the product: what a test learns from such a launch is what the client itself does.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NAMES = ("newer", "older")
PLACES_VARIABLE = "MEASURE_TEST_CLIENTS"
"""Overrides where clients are looked for: `newer=PATH` and `older=PATH`, joined like PATH is."""

PRODUCTION = (
    "--disallowedTools", "WebFetch,WebSearch", "--strict-mcp-config", "--setting-sources", "project",
    "--no-session-persistence", "--exclude-dynamic-system-prompt-sections", "--settings", '{"disableAllHooks":true}',
)  # fmt: skip
"""What an agent has in real use, less what fetches from outside, servers, hooks and text of the user's own."""

LEAN = (
    "--tools", "", "--strict-mcp-config", "--setting-sources", "project", "--disable-slash-commands",
    "--no-session-persistence", "--exclude-dynamic-system-prompt-sections", "--settings", '{"disableAllHooks":true}',
)  # fmt: skip
"""The smallest request that still holds the project's instructions."""

QUIET = {
    "TZ": "UTC",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "API_TIMEOUT_MS": "10000",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
"""Variables that make a launch depend on nothing but its directory, its flags and its prompt."""


@dataclass(frozen=True)
class RealClient:
    """An executable and what it says its version is."""

    name: str
    path: Path

    @cached_property
    def version(self) -> str:
        said = subprocess.run(
            [self.path, "--version"], capture_output=True, text=True, timeout=30, check=True, env={"HOME": os.devnull}
        )
        return said.stdout.split()[0]


@dataclass(frozen=True)
class Launched:
    """A finished launch. `exit_code` is None where the time limit ended it."""

    exit_code: int | None
    stdout: bytes
    stderr: str
    wall_s: float

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.splitlines() if line.strip()]

    def of_type(self, kind: str, subtype: str | None = None) -> list[dict[str, Any]]:
        """Events of a type, in order; of a subtype where one is given."""
        return [e for e in self.events if e["type"] == kind and subtype in (None, e.get("subtype"))]

    @property
    def result(self) -> dict[str, Any]:
        """The last result event. Raises AssertionError with what was said instead where there is none."""
        results = self.of_type("result")
        assert results, f"no result event (exit {self.exit_code}): {self.stdout!r} {self.stderr!r}"
        return results[-1]


def find(name: str) -> RealClient | None:
    """The client called `newer` or `older`; None where it is not installed."""
    places = dict(place.split("=", 1) for place in os.environ.get(PLACES_VARIABLE, "").split(os.pathsep) if place)
    path = Path(places[name]) if name in places else _installed(name)
    return RealClient(name, path) if path is not None and path.is_file() else None


def required(name: str) -> RealClient:
    """The client called `name`. A missing one skips the test and says how to get it; where `CI` is set, it fails."""
    client = find(name)
    if client is not None:
        return client
    missing = (
        f"the {name} real client is not installed: run ./scripts/test, which installs it, or set"
        f" {PLACES_VARIABLE}={name}=PATH"
    )
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


def _installed(name: str) -> Path | None:
    bundled = Path("_bundled", "claude")
    if name == "older":
        return Path(sys.prefix, "clients", "older", "claude_agent_sdk", bundled)
    package = find_spec("claude_agent_sdk")
    return Path(package.origin).parent / bundled if package and package.origin else None


def launch(
    client: RealClient,
    cwd: Path,
    environment: Mapping[str, str],
    prompt: str = "Which one?",
    *,
    flags: Sequence[str] = PRODUCTION,
    model: str = "claude-sonnet-4-5",
    max_turns: int | None = 1,
    limit_s: float = 30.0,
) -> Launched:
    """Launch once in print mode with a stream of events, the prompt by stdin, and wait for the end or the limit."""
    turns = () if max_turns is None else ("--max-turns", str(max_turns))
    command = [client.path, "-p", "--model", model, "--output-format", "stream-json", "--verbose", *flags, *turns]
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(prompt.encode(), timeout=limit_s)
            exit_code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            exit_code = None
    return Launched(exit_code, stdout, stderr.decode(errors="replace"), time.monotonic() - began)
