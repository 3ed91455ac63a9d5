"""The simulated client: launches the stand-in agent exactly as the real one is launched, read and accepted.

Invariant: whatever shows that a client is `simulated` says that it is a stand-in; its dispositions are checked before
the first launch and named in the condition by their digest.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path

from measure.client import conditions, simulated_agent
from measure.client.acceptance import Expectation
from measure.client.base import Condition, Order
from measure.client.containment import Containment, choose
from measure.client.events import is_result_line
from measure.client.masking import Mask
from measure.client.process import run_child
from measure.client.simulated_agent import DISPOSITIONS, PREPARED, SEED, DispositionError
from measure.client.standing import contained, mask_of
from measure.client.trial import Returned
from measure.client.understanding import understand
from measure.errors import ClientError, RequestError

STAND_IN = (
    "A stand-in that answers by stated dispositions, to see and test the machinery. It says nothing of any model."
)

_PASSED = ("PATH", "LD_LIBRARY_PATH")
"""What an interpreter may need to start at all."""
_LARGEST_VARIABLE = 100_000
"""Bytes; Linux takes up to 128 KiB for one variable."""


@dataclass(frozen=True, slots=True)
class SimulatedClient:
    """Checked dispositions in one condition. Implements `measure.client.base.Client`. Built by `open_simulated`."""

    condition: Condition
    containment: Containment
    command: tuple[str, ...]
    variables: Mapping[str, str] = field(repr=False)
    mask: Mask = field(repr=False)

    def masked(self, text: str) -> str:
        """See `measure.client.base.Client.masked`."""
        return self.mask.text(text)

    async def launch(self, order: Order) -> Returned:
        """Launch once in `order.cwd` and wait for the end; see `measure.client.base.Client.launch`."""
        finished = await run_child(
            [*self.command, *self.condition.arguments],
            cwd=order.cwd,
            env={**self.variables, SEED: str(order.seed)},
            stdin=order.prompt.encode("utf-8", "surrogatepass"),
            time_limit_s=self.condition.time_limit_s,
            containment=contained(self.containment, order),
            is_final=is_result_line,
        )
        expectation = Expectation(self.condition.model, self.condition.client_version, self.condition.max_turns)
        return understand(finished, mask_of(self.mask, order), expectation)


def open_simulated(
    *,
    agent: Path,
    model: str,
    condition: str = "production",
    max_turns: int = 1,
    stage: int = 2,
    time_limit_s: float = 60.0,
    containment: Containment | None = None,
) -> SimulatedClient:
    """Check the dispositions in the file `agent` and fix the condition of a run. Starts nothing of the agent.

    Raises RequestError for a file that can't be used, a `model` it does not name or a `condition` that does not
    exist, ClientError where there is no interpreter to run the agent with.
    """
    name = conditions.named(condition)
    dispositions, digest = _read(agent)
    if model != dispositions["model"]:
        raise RequestError(
            f"{agent}: the simulated agent is {dispositions['model']!r}, but {model!r} was asked for",
            hint=f"Ask for --model {dispositions['model']}, or name the model in that file.",
        )
    if not sys.executable:
        raise ClientError("no Python interpreter is known that could run the simulated agent")
    containment = containment or choose()
    mask = Mask.build({}, home=os.path.expanduser("~"))  # noqa: PTH111 - Path.home() fails where there is no home
    prepared = simulated_agent.prepare(dispositions)
    passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
    own = {DISPOSITIONS: str(agent.absolute())}
    shown = {DISPOSITIONS: mask.text(own[DISPOSITIONS]), SEED: "the seed of each trial"}
    if containment.variable is not None:
        shown[containment.variable] = "a name for each launch"
    if len(prepared) <= _LARGEST_VARIABLE:
        own[PREPARED] = prepared
        shown[PREPARED] = "the same file, already read"
    return SimulatedClient(
        condition=Condition(
            client="simulated",
            client_version=simulated_agent.VERSION,
            client_path=mask.text(simulated_agent.__file__),
            model=model,
            name=name,
            stage=stage,
            arguments=conditions.arguments(
                name, model=model, max_turns=max_turns, settings=conditions.as_text(conditions.SETTINGS)
            ),
            variables_set=shown,
            variables_passed=tuple(passed),
            max_turns=max_turns,
            time_limit_s=time_limit_s,
            containment=containment.way,
            notes=(STAND_IN, f"Its dispositions: {agent.name}, SHA-256 {digest}."),
        ),
        containment=containment,
        command=(sys.executable, "-I", "-S", _program()),
        variables={**passed, **own},
        mask=mask,
    )


def _read(agent: Path) -> tuple[dict[str, object], str]:
    try:
        return simulated_agent.read_dispositions(str(agent)), hashlib.sha256(agent.read_bytes()).hexdigest()
    except DispositionError as error:
        raise RequestError(f"{agent}: {error}") from None
    except OSError as error:
        raise RequestError(
            f"the simulated agent's dispositions can't be read: {agent}: {error.strerror}",
            hint="Name their file with --agent FILE.",
        ) from None


def _program() -> str:
    """The agent's compiled form where it is there and current: a script would be compiled anew at each launch."""
    source, compiled = simulated_agent.__file__, cache_from_source(simulated_agent.__file__)
    try:
        header, stat = Path(compiled).read_bytes()[:16], Path(source).stat()
    except OSError:
        return source
    # A header of four bytes each: magic number, flags (0: by time), time of the source, its size. PEP 552.
    current = bytes(4) + b"".join((int(n) & 0xFFFFFFFF).to_bytes(4, "little") for n in (stat.st_mtime, stat.st_size))
    return compiled if header[4:] == current else source
