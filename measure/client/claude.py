"""The real client, Claude Code in print mode.

Invariants: the model is named by the user and by nothing else; the prompt reaches the client by stdin, byte for byte;
what is held fixed is complete before the first launch and equal for both arms; credentials pass through and are
neither read, copied, put on a command line nor kept.

Each launch has a configuration directory of its own, empty at its start, wherever the way to the model lies in the
environment or in a helper. Only a log-in needs the user's own directory; tools are then barred from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from measure.client import conditions
from measure.client.acceptance import Expectation
from measure.client.base import Condition, Order
from measure.client.containment import Containment, choose
from measure.client.environment import Auth, Environment, build_environment, led_to
from measure.client.events import is_result_line
from measure.client.executable import Executable, find_executable, read_version
from measure.client.masking import TEMP, Mask
from measure.client.process import run_child
from measure.client.standing import contained, mask_of
from measure.client.trial import Returned
from measure.client.understanding import understand
from measure.client.user_settings import UserSettings, read_user_settings
from measure.errors import RequestError

DEFAULT_TIME_LIMIT_S = 300.0
DEFAULT_GRACE_S = 10.0
CAPTURE_LIMIT_S = 30.0
"""Wall-clock limit of a launch against a loopback endpoint, which answers at once."""
MAX_PROMPT_BYTES = 3 * 1024 * 1024
"""What was seen to pass whole by stdin; the client refuses prompts from 10 MB on."""

_SCRATCH, _CONFIG, _SETTINGS = "scratch", "config", "settings.json"
"""What a launch has in its own folder for temporary files."""

_MODEL = re.compile(r"[^\s\-][^\s]*")


@dataclass(frozen=True, slots=True)
class ClaudeClient:
    """A found client in one condition. Implements `measure.client.base.Client`. Built by `open_claude`."""

    executable: Executable
    condition: Condition
    environment: Environment
    containment: Containment
    mask: Mask = field(repr=False)
    settings: str = field(repr=False)
    settings_by_file: bool
    """The settings hold what may be a secret, so that each launch gets them as a file."""
    grace_s: float

    def masked(self, text: str) -> str:
        """See `measure.client.base.Client.masked`."""
        return self.mask.text(text)

    async def launch(self, order: Order) -> Returned:
        """Launch once in `order.cwd` and wait for the end; see `measure.client.base.Client.launch`.

        Raises RequestError for a prompt that can't be put (`check_prompt`), before anything is started.
        """
        prompt = check_prompt(order.prompt)
        finished = await run_child(
            [str(self.executable.path), *self._arguments(order)],
            cwd=order.cwd,
            env={**self.environment.variables, **self._places(order)},
            stdin=prompt,
            time_limit_s=self.condition.time_limit_s,
            grace_s=self.grace_s,
            containment=contained(self.containment, order),
            is_final=is_result_line,
        )
        expectation = Expectation(self.condition.model, self.condition.client_version, self.condition.max_turns)
        return understand(finished, mask_of(self.mask, order), expectation)

    def led_to(self, url: str) -> ClaudeClient:
        """The same client in the same condition, led to an endpoint on loopback with a made-up key.

        Nothing of the user's way to the model goes along: no credential, no gateway, no proxy, no helper that makes
        credentials, not the configuration directory that holds a log-in.
        """
        return replace(
            self,
            environment=led_to(self.environment, url),
            settings=conditions.as_text(conditions.settings_led_to(url)),
            settings_by_file=False,
            condition=self.condition.model_copy(
                update={"time_limit_s": min(CAPTURE_LIMIT_S, self.condition.time_limit_s)}
            ),
            grace_s=1.0,
        )

    def _arguments(self, order: Order) -> tuple[str, ...]:
        settings = self.settings
        if self.settings_by_file:
            file = order.temp / _SETTINGS
            file.touch(mode=0o600)
            file.write_text(self.settings, encoding="utf-8")
            settings = str(order.seen(file))
        return conditions.arguments(
            conditions.named(self.condition.name),
            model=self.condition.model,
            max_turns=self.condition.max_turns,
            settings=settings,
        )

    def _places(self, order: Order) -> dict[str, str]:
        places = {"TMPDIR": order.temp / _SCRATCH}
        if not self.environment.needs_own_config:
            places["CLAUDE_CONFIG_DIR"] = order.temp / _CONFIG
        for place in places.values():
            place.mkdir(mode=0o700, exist_ok=True)
        return {name: str(order.seen(place)) for name, place in places.items()}


def open_claude(
    *,
    model: str,
    environ: Mapping[str, str],
    condition: str = "production",
    client: Path | None = None,
    max_turns: int = 1,
    stage: int = 2,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    grace_s: float = DEFAULT_GRACE_S,
    containment: Containment | None = None,
) -> ClaudeClient:
    """Find the client, ask for its version, and fix the condition of a run. Spends nothing.

    `environ` is the caller's environment; `client` names an executable instead of searching. Raises ClientError
    (no usable client) and RequestError (model, condition or turns that make no sense).
    """
    name = conditions.named(condition)
    _check_request(model, max_turns, time_limit_s)
    found = check_claude(client=client, environ=environ)
    environment, user = found.environment, found.user
    containment = containment or choose()
    if environment.needs_own_config:
        # Clients note their running sessions there, and one with process ids of its own takes all others for dead.
        containment = containment.covering(*(user.config_dir / name for name in ("sessions", "ide")))
    by_file = bool(user.helpers)
    settings = conditions.as_text(
        conditions.settings_of(user.helpers, user.config_dir.absolute() if environment.needs_own_config else None)
    )
    mask = _mask(environ, user)
    shown_settings = f"{TEMP}/{_SETTINGS}" if by_file else mask.text(settings)
    arguments = conditions.arguments(name, model=model, max_turns=max_turns, settings=shown_settings)
    added = {} if environment.needs_own_config else {"CLAUDE_CONFIG_DIR": f"{TEMP}/{_CONFIG}"}
    if containment.variable is not None:
        added[containment.variable] = "a name for each launch"
    return ClaudeClient(
        executable=found.executable,
        condition=Condition(
            client="claude",
            client_version=found.executable.version,
            client_path=mask.text(str(found.executable.path)),
            model=model,
            name=name,
            stage=stage,
            arguments=arguments,
            variables_set={**environment.set_here, "TMPDIR": f"{TEMP}/{_SCRATCH}", **added},
            variables_passed=environment.passed,
            variables_removed=environment.removed,
            max_turns=max_turns,
            time_limit_s=time_limit_s,
            containment=containment.way,
            notes=_notes(environment, user),
        ),
        environment=environment,
        containment=containment,
        mask=mask,
        settings=settings,
        settings_by_file=by_file,
        grace_s=grace_s,
    )


@dataclass(frozen=True, slots=True)
class Found:
    """What can be known about the client without spending anything."""

    executable: Executable
    environment: Environment
    user: UserSettings

    @property
    def log_in_missing(self) -> bool:
        """No way to authenticate is in sight. A key store or a managed installation may still have one."""
        return self.environment.auth is Auth.NONE


def check_claude(*, client: Path | None = None, environ: Mapping[str, str]) -> Found:
    """Find the client, read its version and see what it would authenticate with. Raises ClientError."""
    path = find_executable(client, environ)
    user = read_user_settings(environ)
    environment = build_environment(environ, user)
    return Found(Executable(path, read_version(path, environment.variables)), environment, user)


def check_prompt(prompt: str) -> bytes:
    """The bytes of a prompt as they are put. Raises RequestError for what the client would not put to the model as is.

    A `/` at the start is taken for a command of the client's own, by some versions silently and without asking the
    model. A `-` at the start is harmless here, since prompts go by stdin.
    """
    if not prompt.strip():
        raise RequestError("wanted a prompt, found only white space; the client would not ask the model anything")
    if prompt.startswith("/"):
        raise RequestError(
            f"the prompt starts with '/', which the client takes for a command: {prompt.splitlines()[0][:80]}",
            hint="Begin with a word, such as: The file /etc/hosts …",
        )
    try:
        data = prompt.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RequestError(f"the prompt holds half a character (a lone surrogate) at position {error.start}") from None
    if len(data) > MAX_PROMPT_BYTES:
        raise RequestError(f"the prompt has {len(data):,} bytes; at most {MAX_PROMPT_BYTES:,} can be put by stdin")
    return data


def _check_request(model: str, max_turns: int, time_limit_s: float) -> None:
    if not _MODEL.fullmatch(model):
        raise RequestError(
            f"wanted the name of a model, found {model!r}",
            hint="Results differ between models, so it is never chosen for you: --model claude-sonnet-4-5, for one.",
        )
    if max_turns < 1:
        raise RequestError(f"at least one turn is needed, found {max_turns}")
    if not time_limit_s > 0:
        raise RequestError(f"the time limit of a launch must be above 0 s, found {time_limit_s:g}")


def _mask(environ: Mapping[str, str], user: UserSettings) -> Mask:
    return Mask.build(
        {**environ, **user.variables},
        home=environ.get("HOME") or str(Path.home()),
        identities=user.identities,
    )


def _notes(environment: Environment, user: UserSettings) -> tuple[str, ...]:
    auth = f"authentication: {environment.auth.value}"
    if environment.needs_own_config:
        config = "configuration directory: the user's own, for its log-in; its settings and memory files don't load"
    else:
        config = "configuration directory: a new one for each launch"
    helpers = (f"taken from the user's settings: {', '.join(sorted(user.helpers))}",) if user.helpers else ()
    return (auth, config, *helpers, *user.notes)
