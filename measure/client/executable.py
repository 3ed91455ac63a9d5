"""The client's executable: found, of a known version, and the same one for a whole run.

Invariant: no launch happens with a client whose version was not read; everything that is wrong with it is a
`ClientError` that says where was looked, what was found and what to do.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from measure.errors import ClientError

MINIMUM = (2, 1, 191)
"""The oldest version that the tests drive: earlier ones may word, order or omit what is read here."""

_INSTALL = "Install it (npm install -g @anthropic-ai/claude-code), or name it with --client PATH."
_VERSION = re.compile(r"(?<![\d.])(\d+)\.(\d+)\.(\d+)")
_CUTS_ARGUMENTS = {".cmd", ".bat", ".ps1"}


@dataclass(frozen=True, slots=True)
class Executable:
    """A client that can be launched; `version` as in `2.1.332`."""

    path: Path
    version: str


def find_executable(client: Path | None, environ: Mapping[str, str]) -> Path:
    """The named client, or the first of: PATH, usual places of installation, the one the Python package bundles.

    A link of an installer that updates itself is followed, so that an update in mid-run can't change what is
    launched. Raises ClientError where there is none, or none that can run here.
    """
    if os.name == "nt":
        raise ClientError(
            "the real client can't be measured on Windows: whole process trees can't be ended there, and script"
            " wrappers cut arguments",
            hint="Run this under WSL, with the client installed inside it.",
        )
    found = _named(client, environ) if client is not None else _anywhere(environ)
    if found.suffix.lower() in _CUTS_ARGUMENTS:
        raise ClientError(
            f"wanted an executable, found a script wrapper that cuts arguments: {found}",
            hint="Name the client's own executable with --client PATH.",
        )
    return _pinned(found)


def read_version(path: Path, environ: Mapping[str, str], *, limit_s: float = 20.0) -> str:
    """Ask the client for its version, which costs nothing. Raises ClientError where it does not say one in time, or
    one that is too old."""
    said = _ask(path, environ, limit_s)
    found = _VERSION.search(said)
    if found is None:
        shown = " ".join(said.split())[:200] or "nothing"
        raise ClientError(f"wanted a version from {path} --version, found: {shown}", hint=_INSTALL)
    version = (int(found[1]), int(found[2]), int(found[3]))
    if version < MINIMUM:
        needed = ".".join(map(str, MINIMUM))
        raise ClientError(
            f"the client is too old: found {found[0]} at {path}, needed {needed} or later",
            hint="Update it (claude update), or name a newer one with --client PATH.",
        )
    return found[0]


def _named(client: Path, environ: Mapping[str, str]) -> Path:
    plain = str(client)
    if os.sep not in plain:
        on_path = shutil.which(plain, path=environ.get("PATH", os.defpath))
        if on_path is not None:
            return Path(on_path).absolute()
    path = client.expanduser().absolute()
    if not path.is_file():
        raise ClientError(f"no such client: {path}", hint=_INSTALL)
    if not os.access(path, os.X_OK):
        raise ClientError(f"the client can't be executed: {path}", hint=f"Make it executable: chmod +x {path}")
    return path


def _anywhere(environ: Mapping[str, str]) -> Path:
    search = environ.get("PATH", os.defpath)
    on_path = shutil.which("claude", path=search)
    if on_path is not None:
        return Path(on_path).absolute()
    places = list(_usual_places(environ))
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    looked = "\n".join(f"    {place}" for place in places)
    raise ClientError(
        f"no client found: no `claude` on PATH ({search}), nor at\n{looked}\n  nor in the Python package"
        " claude-agent-sdk",
        hint=_INSTALL,
    )


def _usual_places(environ: Mapping[str, str]) -> Iterator[Path]:
    home = Path(environ.get("HOME") or Path.home())
    prefix = environ.get("NPM_CONFIG_PREFIX") or environ.get("npm_config_prefix")
    if prefix:
        yield Path(prefix, "bin", "claude")
    yield home / ".claude" / "local" / "claude"
    yield home / ".local" / "bin" / "claude"
    yield home / ".npm-global" / "bin" / "claude"
    yield Path("/usr/local/bin/claude")
    yield Path("/opt/homebrew/bin/claude")
    with suppress(ImportError, ValueError):
        package = find_spec("claude_agent_sdk")
        if package is not None and package.origin:
            yield Path(package.origin).parent / "_bundled" / "claude"


def _pinned(path: Path) -> Path:
    real = path.resolve()
    # Shims of version managers decide by the name they were called with; following those would call the manager.
    is_client = any("claude" in part.lower() for part in real.parts[-4:])
    return real if is_client and os.access(real, os.X_OK) else path


def _ask(path: Path, environ: Mapping[str, str], limit_s: float) -> str:
    # Into a file: a pipe would keep us waiting for grandchildren that hold it.
    with tempfile.TemporaryFile() as output:
        try:
            child = subprocess.Popen(
                [path, "--version"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environ),
                start_new_session=True,
            )
        except OSError as error:
            raise ClientError(
                f"the client can't be started: {path}: {error.strerror or error}", hint=_INSTALL
            ) from None
        try:
            child.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise ClientError(
                f"the client did not say its version within {limit_s:g} s: {path} --version",
                hint="Start it once by hand and see what it waits for.",
            ) from None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        output.seek(0)
        return output.read(4096).decode("utf-8", "replace")
