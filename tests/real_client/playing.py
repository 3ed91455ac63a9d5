"""One row, played: the real client in a fresh directory with a fresh home, against a double that makes the trouble."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tests.doubles.messages_api import MessagesApi, refusing
from tests.doubles.real_clients import QUIET, Launched, RealClient, launch
from tests.real_client.rows import MODEL, RULE, SAID, Row, Seen


@dataclass(frozen=True)
class Played:
    """What came of a row: the launch, one letter per request (`s` streamed, `w` whole), and where it ran."""

    row: Row
    launched: Launched
    requests: str
    directory: Path
    addresses: tuple[str, ...]

    def seen(self) -> Seen:
        """The launch in the words of the table."""
        results = self.launched.of_type("result")
        result = results[-1] if results else {}
        errors = [event["error"] for event in self.launched.events if isinstance(event.get("error"), str)]
        return Seen(
            exit_code=self.launched.exit_code,
            stop_reason=result.get("stop_reason"),
            turns=result.get("num_turns"),
            requests=self.requests,
            status=result.get("api_error_status"),
            error=errors[-1] if errors else None,
            subtype=result.get("subtype"),
            terminal=result.get("terminal_reason"),
        )

    def may_count(self) -> bool:
        """The least that an acceptance has to ask for, in the plainest words: is this the model's one whole answer?"""
        results = self.launched.of_type("result")
        if self.launched.exit_code != 0 or len(results) != 1 or len(self.launched.of_type("system", "init")) != 1:
            return False
        result, spoken = results[0], self.launched.of_type("assistant")
        injected = [event for event in self.launched.of_type("user") if not _is_tool_result(event)]
        return (
            result["is_error"] is False
            and result["subtype"] == "success"
            and result["stop_reason"] == "end_turn"
            and result["result"] == SAID
            and set(result["modelUsage"]) == {MODEL}
            and {event["message"]["model"] for event in spoken} == {MODEL}
            and len({event["message"]["id"] for event in spoken}) == result["num_turns"] <= self.row.max_turns
            and not injected
        )


def play(row: Row, client: RealClient, directory: Path) -> Played:
    """Launch `client` once as the row says, below `directory` (which must not exist)."""
    work, home, temp = directory / "work", directory / "home", directory / "temp"
    for made in (work, home, temp):
        made.mkdir(parents=True)
    (work / "CLAUDE.md").write_text(f"# Rules\n\n{RULE}\n")
    with MessagesApi(row.script()) as api, refusing() as nowhere:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": str(temp),
            **QUIET,
            **api.environment(subscription=row.subscription),
            **({"ANTHROPIC_BASE_URL": nowhere} if row.refused else {}),
            **row.environment,
        }
        launched = launch(
            client,
            work,
            environment,
            row.prompt,
            flags=row.flags,
            model=MODEL,
            max_turns=row.max_turns,
            limit_s=row.limit_s,
        )
        requests = "".join("s" if request.streams else "w" for request in api.asked)
    return Played(row, launched, requests, directory, (api.url, nowhere))


def _is_tool_result(event: dict[str, object]) -> bool:
    message = event["message"]
    assert isinstance(message, dict)
    content = message["content"]
    return isinstance(content, list) and all(block.get("type") == "tool_result" for block in content)
