"""The simulated client goes the real one's way: same launch, same reading, same acceptance, and says what it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from measure.client import simulated, simulated_agent
from measure.client.base import Client, Order
from measure.client.containment import Containment
from measure.client.simulated import STAND_IN, SimulatedClient, open_simulated
from measure.client.trial import Reason, Returned
from measure.errors import RequestError
from tests.client.launching import get

PROMPT = "The wall is wet.\n\nA) Paint now\nB) Wait\n"
DISPOSITIONS = """
schema = 1
[[disposition]]
prompt = "wall"
[[disposition.case]]
present = "never paint a wet wall"
answer = [{ choose = "Wait" }]
[[disposition.case]]
answer = [{ choose = "Paint now" }]
"""

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def containment() -> Containment:
    return get("descendants")


def opened(tmp_path: Path, containment: Containment, text: str = DISPOSITIONS, **more: float) -> SimulatedClient:
    file = tmp_path / "agent.toml"
    file.write_text(text)
    return open_simulated(agent=file, model="simulated-1", containment=containment, **more)  # type: ignore[arg-type]


async def launched(client: Client, tmp_path: Path, rule: str = "", prompt: str = PROMPT) -> Returned:
    arm, temp = tmp_path / "arm", tmp_path / "temp"
    arm.mkdir(exist_ok=True)
    temp.mkdir(exist_ok=True)
    (arm / "CLAUDE.md").write_text(rule)
    return await client.launch(Order(cwd=arm, temp=temp, prompt=prompt, seed=3))


async def test_the_line_decides_and_the_answer_is_accepted(tmp_path: Path, containment: Containment) -> None:
    client = opened(tmp_path, containment)
    with_, without = [await launched(client, tmp_path, rule) for rule in ("never paint a wet wall", "")]
    assert with_.transcript is not None
    assert without.transcript is not None
    assert with_.transcript.answer.endswith("ACTION: B")
    assert without.transcript.answer.endswith("ACTION: A")
    assert (with_.model_answered, with_.client_version, with_.turns) == ("simulated-1", simulated_agent.VERSION, 1)
    assert (with_.exit_code, with_.flags, with_.stderr_tail) == (0, (), "")
    assert str(tmp_path) not in with_.stream.decode()


async def test_a_lean_condition_is_what_is_launched_and_recorded(tmp_path: Path, containment: Containment) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(DISPOSITIONS)
    lean = open_simulated(agent=file, model="simulated-1", condition="lean", containment=containment)
    assert (lean.condition.name, "--disable-slash-commands" in lean.condition.arguments) == ("lean", True)
    assert (await launched(lean, tmp_path, "never paint a wet wall")).transcript is not None
    assert opened(tmp_path, containment).condition.name == "production"
    with pytest.raises(RequestError):
        open_simulated(agent=file, model="simulated-1", condition="thin", containment=containment)


@pytest.mark.parametrize(
    ("kind", "reason", "acted"),
    [
        ("usage-limit", Reason.USAGE_LIMIT, False),
        ("api-error", Reason.API_ERROR, False),
        ("crash", Reason.CRASHED, False),
        ("hang", Reason.TIMEOUT, False),
        ("empty", Reason.EMPTY_ANSWER, None),
        ("max-turns", Reason.MAX_TURNS, True),
    ],
)
async def test_each_failure_is_the_invalid_launch_it_stands_for(
    kind: str, reason: Reason, acted: bool | None, tmp_path: Path, containment: Containment
) -> None:
    assert kind in simulated_agent.FAILURES
    text = DISPOSITIONS.replace('choose = "Paint now"', f'fail = "{kind}"')
    client = opened(tmp_path, containment, text, time_limit_s=1.0 if kind == "hang" else 30.0)
    returned = await launched(client, tmp_path)
    assert returned.invalid is not None
    assert returned.invalid.reason is reason
    if acted is not None:
        assert returned.invalid.acted is acted
    if kind == "usage-limit":
        assert returned.invalid.resets_at is not None


async def test_a_prompt_without_a_disposition_is_no_answer(tmp_path: Path, containment: Containment) -> None:
    returned = await launched(opened(tmp_path, containment), tmp_path, prompt="Something else")
    assert returned.invalid is not None
    assert returned.invalid.reason is Reason.CRASHED
    assert "no disposition" in returned.invalid.detail


async def test_the_condition_says_what_it_is_and_holds_no_home(
    tmp_path: Path, containment: Containment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    condition = opened(tmp_path, containment).condition
    assert condition.client == "simulated"
    assert STAND_IN in condition.notes
    assert condition.variables_set[simulated_agent.DISPOSITIONS] == "~/agent.toml"
    assert str(tmp_path) not in condition.model_dump_json()
    assert condition.arguments[:3] == ("-p", "--model", "simulated-1")
    assert condition.containment == "descendants"


async def test_dispositions_too_large_for_a_variable_are_read_by_the_agent_itself(
    tmp_path: Path, containment: Containment
) -> None:
    long = "x" * (simulated._LARGEST_VARIABLE + 1)
    text = DISPOSITIONS.replace('choose = "Wait"', f'say = "{long}"')
    client = opened(tmp_path, containment, text)
    assert simulated_agent.PREPARED not in client.variables
    returned = await launched(client, tmp_path, "never paint a wet wall")
    assert returned.transcript is not None
    assert returned.transcript.answer == long


@pytest.mark.parametrize(
    ("write", "model", "told"),
    [
        (None, "simulated-1", "agent.toml"),
        (b"schema = 3\n", "simulated-1", "schema"),
        (b"\xff\xfe", "simulated-1", "TOML"),
        (DISPOSITIONS.encode(), "simulated-2", "simulated-2"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_launched(
    write: bytes | None, model: str, told: str, tmp_path: Path, containment: Containment
) -> None:
    file = tmp_path / "agent.toml"
    if write is not None:
        file.write_bytes(write)
    with pytest.raises(RequestError) as caught:
        open_simulated(agent=file, model=model, containment=containment)
    assert told in caught.value.message
    assert str(file) in caught.value.message


def test_a_compiled_form_is_used_only_while_it_is_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util
    import py_compile

    source = tmp_path / "agent.py"
    source.write_text("x = 1\n")
    monkeypatch.setattr(simulated_agent, "__file__", str(source))
    assert simulated._program() == str(source)
    py_compile.compile(str(source), doraise=True)
    assert simulated._program() == importlib.util.cache_from_source(str(source))
    os.utime(source, (1, 1))
    assert simulated._program() == str(source)
