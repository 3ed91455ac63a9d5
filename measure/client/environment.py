"""The whole environment of a launched client.

Invariants: it starts empty and is filled from a closed list, so that nothing of the caller's shell or session joins
in unseen; every variable is told in the record, by name where its value is the user's own, with its value where it
shapes the model's conduct or is set here. Nothing passes that would choose another model or hide instructions.

The names are those Claude Code 2.1.191 and 2.1.332 read; the order of authentication is the one Anthropic documents
("Claude Code: authentication precedence").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from measure.client.user_settings import UserSettings

_ORDINARY = re.compile(r"PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_[A-Z_]+")

_REACH = re.compile(
    r"""
    ANTHROPIC_(?:API_KEY|AUTH_TOKEN|BASE_URL|CUSTOM_HEADERS|UNIX_SOCKET|ORGANIZATION_ID|WORKSPACE_ID|PROFILE|CONFIG_DIR)
  | ANTHROPIC_(?:BEDROCK|VERTEX|FOUNDRY|AWS|FEDERATION|IDENTITY|GOOGLE)_[A-Z_]+
  | CLAUDE_CODE_USE_(?:BEDROCK|VERTEX|FOUNDRY|MANTLE|ANTHROPIC_AWS|ANTHROPIC_GOOGLE_CLOUD)
  | CLAUDE_CODE_SKIP_[A-Z_]+_AUTH
  | CLAUDE_CODE_(?:OAUTH_TOKEN|API_KEY_HELPER_TTL_MS|CUSTOM_OAUTH_URL|API_BASE_URL)
  | CLAUDE_CODE_(?:CERT_STORE|CLIENT_CERT|CLIENT_KEY|CLIENT_KEY_PASSPHRASE|PROXY_RESOLVES_HOSTS)
  | CLAUDE_CODE_(?:ENABLE_PROXY_AUTH_HELPER|PROXY_AUTH_HELPER_TTL_MS)
  | AWS_[A-Z0-9_]+ | AZURE_[A-Z0-9_]+ | IDENTITY_(?:ENDPOINT|HEADER) | MSI_(?:ENDPOINT|SECRET)
  | GOOGLE_[A-Z0-9_]+ | GCLOUD_PROJECT | GCE_METADATA_[A-Z]+ | CLOUD_ML_REGION | CLOUDSDK_[A-Z0-9_]+ | VERTEX_[A-Z0-9_]+
  | SSL_CERT_(?:FILE|DIR) | NODE_EXTRA_CA_CERTS | NODE_TLS_REJECT_UNAUTHORIZED | NODE_USE_(?:SYSTEM_CA|ENV_PROXY)
  | (?:HTTP|HTTPS|ALL|NO)_PROXY | (?:http|https|all|no)_proxy
    """,
    re.VERBOSE,
)

_CONDUCT = re.compile(
    r"""
    MAX_THINKING_TOKENS | DISABLE_INTERLEAVED_THINKING | ANTHROPIC_BETAS | API_TIMEOUT_MS
  | CLAUDE_CODE_(?:EFFORT_LEVEL|ALWAYS_ENABLE_EFFORT|MAX_OUTPUT_TOKENS|MAX_CONTEXT_TOKENS)
  | CLAUDE_CODE_DISABLE_(?:THINKING|ADAPTIVE_THINKING|1M_CONTEXT|EXPERIMENTAL_BETAS)
  | ENABLE_TOOL_SEARCH | (?:DISABLE|ENABLE|FORCE)_PROMPT_CACHING(?:_[A-Z0-9]+)*
    """,
    re.VERBOSE,
)
"""What users set about the model itself. It belongs to what is measured, so it passes and is recorded by value."""

_READ_BY_CLIENT = re.compile(
    r"CLAUDE.*|ANTHROPIC_.*|MCP_.*|BASH_(?:MAX|DEFAULT)_.*|MAX_(?:THINKING|MCP|STRUCTURED).*|API_(?:TIMEOUT|FORCE).*"
    r"|(?:DISABLE|ENABLE)_[A-Z_]+|NODE_OPTIONS|OTEL_.*|TZ|USE_BUILTIN_RIPGREP"
)
"""Variables that would have had an effect; only these are worth naming where they are kept from the client."""

SET: Mapping[str, str] = {
    "TZ": "UTC",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
}
"""One time zone and no memory, version control, telemetry or updates: what would differ between launches."""

DEFAULT_API_TIMEOUT_MS = 120_000


class Auth(StrEnum):
    """What a launch authenticates with, in the order in which the client looks."""

    BEDROCK = "amazon-bedrock"
    VERTEX = "google-vertex"
    FOUNDRY = "microsoft-foundry"
    CLOUD = "cloud-provider"
    TOKEN = "auth-token"  # noqa: S105 - the name of a way, not a password
    KEY = "api-key"
    HELPER = "key-helper"
    OAUTH = "oauth-token"
    LOGIN = "log-in"
    NONE = "none-found"


_CLOUDS = (
    ("CLAUDE_CODE_USE_BEDROCK", Auth.BEDROCK),
    ("CLAUDE_CODE_USE_VERTEX", Auth.VERTEX),
    ("CLAUDE_CODE_USE_FOUNDRY", Auth.FOUNDRY),
    ("CLAUDE_CODE_USE_MANTLE", Auth.CLOUD),
    ("CLAUDE_CODE_USE_ANTHROPIC_AWS", Auth.CLOUD),
    ("CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", Auth.CLOUD),
)


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables every launch of a run gets. Places of a single launch (temp, own configuration) come on top."""

    variables: Mapping[str, str] = field(repr=False)
    """The whole environment; values are never kept."""
    set_here: Mapping[str, str]
    """Variables with values that may be recorded: set by the harness, or the user's wish about the model's conduct."""
    passed: tuple[str, ...]
    """Names of the user's variables that pass with values nobody else sees."""
    removed: tuple[str, ...]
    """Names of the user's variables that the client would have read and does not get."""
    auth: Auth

    @property
    def needs_own_config(self) -> bool:
        """The log-in lives in the user's configuration directory, so that one has to be used."""
        return self.auth is Auth.LOGIN


def build_environment(environ: Mapping[str, str], settings: UserSettings) -> Environment:
    """From the caller's environment and the `env` of the user's settings, which wins as it does in the client."""
    offered = {**environ, **settings.variables}
    kept = {name: value for name, value in offered.items() if _ORDINARY.fullmatch(name) or _REACH.fullmatch(name)}
    conduct = {name: value for name, value in offered.items() if _CONDUCT.fullmatch(name)}
    set_here = {"API_TIMEOUT_MS": str(DEFAULT_API_TIMEOUT_MS), **conduct, **SET}
    auth = auth_source(kept, settings)
    if auth is Auth.LOGIN and "CLAUDE_CONFIG_DIR" in environ:
        kept["CLAUDE_CONFIG_DIR"] = environ["CLAUDE_CONFIG_DIR"]
    kept.setdefault("HOME", str(Path.home()))
    variables = {**kept, **set_here}
    removed = (name for name in offered if name not in variables and _READ_BY_CLIENT.fullmatch(name))
    return Environment(
        variables=variables,
        set_here=dict(sorted(set_here.items())),
        passed=tuple(sorted(kept)),
        removed=tuple(sorted(removed)),
        auth=auth,
    )


def reaches_model(name: str) -> bool:
    """Whether a variable of this name has to do with how the model is reached."""
    return _REACH.fullmatch(name) is not None


MADE_UP_KEY = "made-up-key-for-loopback-only"


def led_to(environment: Environment, url: str) -> Environment:
    """The same environment with nothing in it that reaches a model, but for `url` and a made-up key."""
    kept = {name: value for name, value in environment.variables.items() if not reaches_model(name)}
    kept.pop("CLAUDE_CONFIG_DIR", None)
    reach = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": MADE_UP_KEY, "NO_PROXY": "*", "no_proxy": "*"}
    return Environment(
        variables={**kept, **reach},
        set_here={**environment.set_here, **reach},
        passed=tuple(name for name in environment.passed if name in kept),
        removed=tuple(sorted({*environment.removed, *(set(environment.variables) - set(kept))})),
        auth=Auth.KEY,
    )


def auth_source(variables: Mapping[str, str], settings: UserSettings) -> Auth:
    """Which way of authenticating the client will take, known by names alone."""
    for name, auth in _CLOUDS:
        if variables.get(name, "").lower() not in ("", "0", "false", "no", "off"):
            return auth
    if variables.get("ANTHROPIC_AUTH_TOKEN"):
        return Auth.TOKEN
    if variables.get("ANTHROPIC_API_KEY"):
        return Auth.KEY
    if "apiKeyHelper" in settings.helpers:
        return Auth.HELPER
    if variables.get("CLAUDE_CODE_OAUTH_TOKEN"):
        return Auth.OAUTH
    return Auth.LOGIN if settings.logged_in else Auth.NONE
