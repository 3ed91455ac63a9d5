"""What every test stands on. Invariant: no test reads or writes the home, the temp or the model access of who runs it.

Real clients are a condition of the suite, not an option: a missing one is skipped with how to get it, and where `CI`
is set it fails.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.doubles import real_clients
from tests.doubles.messages_api import MessagesApi, Script
from tests.doubles.real_clients import RealClient

# How long an example takes says how busy the machine is. What `CI` sets besides (the same examples each time) stays.
settings.register_profile(
    "unhurried",
    settings.get_profile("ci" if "CI" in os.environ else "default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home and a temp of the session's own; nothing in the environment that leads to a model."""
    home, temp = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("temp")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("ANTHROPIC_", "CLAUDE", "XDG_")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("TMPDIR", str(temp))
        patch.setattr(tempfile, "tempdir", None)
        yield


@pytest.fixture
def private_environment(tmp_path: Path) -> dict[str, str]:
    """All the variables of a launched client: PATH, a fresh HOME and TMPDIR, and what keeps it quiet and constant.

    Add `MessagesApi.environment()` to lead it to a double; without that it has no way to a model.
    """
    home, temp = tmp_path / "home", tmp_path / "temp"
    home.mkdir()
    temp.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temp), **real_clients.QUIET}


@pytest.fixture
def serve() -> Iterator[Callable[..., MessagesApi]]:
    """`serve(script, **settings)` starts a double that is closed after the test; a wrong script fails the test."""
    with contextlib.ExitStack() as stack:

        def start(script: Script | None = None, **settings: object) -> MessagesApi:
            return stack.enter_context(MessagesApi(script, **settings))  # type: ignore[arg-type]

        yield start


@pytest.fixture
def clients() -> dict[str, RealClient]:
    """Both real clients by name: `newer` and `older`."""
    return {name: real_clients.required(name) for name in real_clients.NAMES}


@pytest.fixture(params=real_clients.NAMES)
def real_client(request: pytest.FixtureRequest) -> RealClient:
    """Each real client in turn."""
    return real_clients.required(request.param)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses a real client carries the mark, so that `-m 'not real_client'` leaves out all of it."""
    for item in items:
        if {"real_client", "clients"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.real_client)
