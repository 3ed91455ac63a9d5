"""Every way a command can refuse or fail, each class with its one exit status.

Invariant: a message says what was wanted, what was found and what to do; no other part of the program chooses an
exit status.
"""

from __future__ import annotations

from typing import ClassVar


class MeasureError(Exception):
    """Base of all errors that are told to a person without a traceback.

    `kind` is the stable name used in JSON output; `exit_status` is what the process returns.
    """

    exit_status: ClassVar[int] = 1
    kind: ClassVar[str] = "failed"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  {self.hint}"


class RequestError(MeasureError):
    """The request is not valid: options, plan, workspace."""

    exit_status = 2
    kind = "request"


class ProbeError(RequestError):
    """A probe file can't be used; the message names file, key and what was expected."""

    kind = "probe"


class ContrastError(RequestError):
    """The edit can't be made in exactly one place."""

    kind = "contrast"


class WorkspaceError(RequestError):
    """The workspace can't be read or cloned as it stands."""

    kind = "workspace"


class LockHeldError(MeasureError):
    """Another run holds the arena."""

    exit_status = 3
    kind = "lock"


class NothingMeasuredError(MeasureError):
    """The run ended before its first valid pair; a record says why."""

    exit_status = 4
    kind = "nothing-measured"


class ClientError(MeasureError):
    """The agent client is missing, too old, logged out, or refuses the model."""

    exit_status = 5
    kind = "client"


class RecordError(MeasureError):
    """A record can't be written or read back."""

    exit_status = 1
    kind = "record"


class InterruptedRunError(MeasureError):
    """The run was ended by a signal; what was measured is kept."""

    kind = "interrupted"

    def __init__(self, message: str, *, signal_number: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.signal_number = signal_number
