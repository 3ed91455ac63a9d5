"""Reading and writing of the few files that commands change.

Invariant: a file is replaced whole or not at all, keeps its mode, and a link to it stays a link.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from measure.errors import RequestError


def read_source(path: Path) -> bytes:
    """The bytes of a regular file. Raises `RequestError` in words."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise RequestError(f"{path} is not a regular file.")
        return path.read_bytes()
    except FileNotFoundError:
        raise RequestError(f"{path} does not exist.") from None
    except (OSError, ValueError) as reason:
        raise RequestError(f"{path} can't be read: {getattr(reason, 'strerror', None) or reason}.") from None


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` in the place of the file, or make the file. Raises `RequestError` where that can't be done."""
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(mode)
            Path(name).replace(real)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as reason:
        raise RequestError(f"{path} can't be written: {reason.strerror or reason}.") from None


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now
