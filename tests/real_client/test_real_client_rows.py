"""Every trouble a model's endpoint can make, with the real clients: what they make of it, and that it never counts."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.doubles import real_clients
from tests.doubles.messages_api import faults
from tests.doubles.real_clients import RealClient
from tests.real_client.playing import Played, play
from tests.real_client.rows import BY_NAME, NEWER, OLDER, ROWS, Row

AT_ONCE = 4
"""Launches at a time: some of them only wait."""


class Stage:
    """Plays the rows of the chosen tests ahead of the tests that look at them, the long ones first."""

    def __init__(self, pool: ThreadPoolExecutor, chosen: list[tuple[str, Row]], paths: pytest.TempPathFactory) -> None:
        self._pool = pool
        self._chosen = sorted(chosen, key=lambda pair: pair[1].limit_s)
        self._paths = paths
        self._playing: dict[tuple[str, str], Future[Played]] = {}

    def played(self, client: RealClient, row: Row) -> Played:
        if not self._playing:
            for name, chosen in self._chosen:
                found = client if name == client.name else real_clients.find(name)
                if found:
                    self._begin(found, chosen)
        if (client.name, row.name) not in self._playing:
            self._begin(client, row)
        return self._playing[client.name, row.name].result()

    def _begin(self, client: RealClient, row: Row) -> None:
        directory = self._paths.mktemp("row", numbered=True) / "d"
        self._playing[client.name, row.name] = self._pool.submit(play, row, client, directory)


@pytest.fixture(scope="module")
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    marks = [getattr(item, "callspec", None) for item in request.session.items if "stage" in _fixtures(item)]
    chosen = [(mark.params["real_client"], mark.params["row"]) for mark in marks if mark and "row" in mark.params]
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        yield Stage(pool, chosen, tmp_path_factory)
    finally:
        pool.shutdown(cancel_futures=True)


def _fixtures(item: pytest.Item) -> list[str]:
    return list(getattr(item, "fixturenames", ()))


@pytest.mark.parametrize("row", ROWS, ids=BY_NAME)
def test_a_trouble_looks_as_it_was_seen_and_never_counts_as_an_answer(
    stage: Stage, real_client: RealClient, row: Row
) -> None:
    played = stage.played(real_client, row)
    if row.valid is not None:
        assert played.may_count() is row.valid
    expected, seen = row.seen.get(real_client.version), played.seen()
    if expected is None:
        return  # a version nobody has looked at yet: only what must hold for all was checked
    usual = {OLDER: "completed", NEWER: "completed" if seen.exit_code == 0 else "api_error"}[real_client.version]
    assert (seen.exit_code, seen.subtype, seen.stop_reason, seen.turns) == (
        expected.exit_code,
        expected.subtype,
        expected.stop_reason,
        expected.turns,
    )
    assert (seen.requests, seen.status, seen.error) == (expected.requests, expected.status, expected.error)
    if seen.subtype is not None and expected.terminal != "none":
        assert seen.terminal == (expected.terminal or usual)


def test_a_usage_limit_says_until_when(stage: Stage, real_client: RealClient) -> None:
    row = BY_NAME["usage-limit"]
    [told] = stage.played(real_client, row).launched.of_type("rate_limit_event")
    assert told["rate_limit_info"]["status"] == "rejected"
    assert told["rate_limit_info"]["resetsAt"] == faults.USAGE_RESETS_AT
    [warned] = stage.played(real_client, BY_NAME["near-usage-limit"]).launched.of_type("rate_limit_event")
    assert warned["rate_limit_info"]["status"] == "allowed_warning"
