"""`measure context` from outside: one document, nothing left, nothing touched, nothing sent anywhere but loopback."""

from __future__ import annotations

import json
import os
import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.context.arms import write
from tests.context.launching import caught, opened
from tests.doubles import stub_client
from tests.doubles.real_clients import RealClient
from tests.doubles.workplace import LINE, Workplace, snapshot


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@contextmanager
def recording() -> Iterator[tuple[str, list[bytes]]]:
    """An address where every connection is noted; stands for a gateway, a proxy and a cloud at once."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        stopping = threading.Event()

        def listen() -> None:
            while not stopping.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                with connection:
                    connection.settimeout(1)
                    try:
                        heard.append(connection.recv(65536))
                    except OSError:
                        heard.append(b"")

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}", heard
        finally:
            stopping.set()
            thread.join()


def everything_led_to(url: str, place: Workplace) -> dict[str, str]:
    """All the ways in which a user may lead a client to a model, each with a credential."""
    config = place.home / ".claude"
    config.mkdir()
    helper = place.root / "helper"
    helper.write_text(f"#!/bin/sh\ntouch {place.root}/helper-was-run\necho sk-ant-from-helper\n")
    helper.chmod(0o755)
    (config / "settings.json").write_text(
        json.dumps(
            {"apiKeyHelper": str(helper), "env": {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_AUTH_TOKEN": "settings-secret"}}
        )
    )
    (config / ".credentials.json").write_text(json.dumps({"claudeAiOauth": {"accessToken": "login-secret"}}))
    return {
        "ANTHROPIC_API_KEY": "sk-ant-secret-of-the-user",
        "ANTHROPIC_AUTH_TOKEN": "token-secret",
        "ANTHROPIC_CUSTOM_HEADERS": "x-key: header-secret",
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_OAUTH_TOKEN": "oauth-secret",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CLAUDE_CODE_USE_VERTEX": "1",
        "ANTHROPIC_BEDROCK_BASE_URL": url,
        "ANTHROPIC_VERTEX_BASE_URL": url,
        "AWS_BEARER_TOKEN_BEDROCK": "cloud-secret",
        "AWS_ACCESS_KEY_ID": "AKIAAAAAAAAAAAAAAAAA",
        "AWS_SECRET_ACCESS_KEY": "cloud-secret",
        "HTTP_PROXY": url,
        "HTTPS_PROXY": url,
        "http_proxy": url,
        "https_proxy": url,
        "ALL_PROXY": url,
    }


def test_nothing_of_the_user_goes_anywhere(place: Workplace, real_client: RealClient) -> None:
    with recording() as (url, heard):
        place.extra = everything_led_to(url, place)
        (place.workspace / ".claude").mkdir()
        (place.workspace / ".claude" / "settings.json").write_text(json.dumps({"env": {"ANTHROPIC_BASE_URL": url}}))
        before = snapshot(place.workspace)
        told = place.json("context", "-w", str(place.workspace), "--client", str(real_client.path))
    assert heard == []
    assert not (place.root / "helper-was-run").exists()
    assert {file["path"] for file in told["files"]} == {"CLAUDE.md"}
    assert "secret" not in json.dumps(told)
    assert snapshot(place.workspace) == before
    assert place.left_in_temp() == []


def test_a_workspaces_own_settings_can_not_lead_a_capture_away(tmp_path: Path, real_client: RealClient) -> None:
    """An arm has no such settings; should one ever have, the capture's own win."""
    with recording() as (url, heard):
        settings = json.dumps({"env": {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_AUTH_TOKEN": "x", "HTTPS_PROXY": url}})
        workspace = write(tmp_path / "w", {"CLAUDE.md": "# Rules\n", ".claude/settings.json": settings})
        home, temp = tmp_path / "home", tmp_path / "temp"
        home.mkdir()
        temp.mkdir()
        request = caught(opened(real_client, {"PATH": os.environ["PATH"], "HOME": str(home)}), workspace, temp)
    assert heard == []
    assert any("# Rules" in piece.text for piece in request.pieces)
    assert list(home.iterdir()) == []


def test_it_needs_no_log_in_names_the_default_model_and_is_quick(place: Workplace, real_client: RealClient) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = place.json("context", "-w", str(place.workspace), "--client", str(real_client.path))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Of the processor's time, which other work on the machine does not lengthen; nothing in it waits for anybody.
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert told["model_named"] is False
    assert told["model"].startswith("claude-")
    assert told["tokens"] > 1000
    assert 0.1 < took < 3
    assert place.folders() == []


def test_people_see_every_line_and_how_tokens_were_counted(place: Workplace) -> None:
    stub = stub_client.install(place.root / "bin")
    (place.workspace / "CLAUDE.md").write_text("# Rules\n- Shown \x1b[31mred.\n")
    (place.workspace / "AGENTS.md").write_text("One.\nTwo.\n\nThree.\n")
    done = place.measure("context", "-w", str(place.workspace), "--client", str(stub), "--lines", "--model", "model-1")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "- Shown" in done.stdout
    assert "AGENTS.md:1-2,4" in done.stdout
    assert "estimate" in done.stdout


def test_a_client_that_asks_nothing_is_named(place: Workplace) -> None:
    mute = place.root / "claude"
    mute.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "2.1.197 (Claude Code)"; exit 0; }\necho broken >&2\nexit 3\n'
    )
    mute.chmod(0o755)
    done = place.measure("context", "-w", str(place.workspace), "--client", str(mute))
    assert done.returncode == 5
    assert "broken" in done.stderr
    assert place.left_in_temp() == []
    run = place.measure(*place.arguments("--client", str(mute), "--model", "m", "--drop", LINE, simulated=False))
    assert run.returncode == 5
    assert place.left_in_temp() == []


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["-w", "/no/such/place"], 2), (["--client", "/no/such/client"], 5), (["--condition", "x"], 2)],
)
def test_bad_requests_have_their_status(place: Workplace, arguments: list[str], status: int) -> None:
    stub = stub_client.install(place.root / "bin")
    base = ["context", "-w", str(place.workspace), "--client", str(stub)]
    assert place.measure(*base, *arguments).returncode == status
