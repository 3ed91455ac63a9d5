"""The command line. Holds no logic: each command parses, calls one thing, prints one result.

Invariant: results go to stdout, everything for people to stderr; with `--json` stdout holds exactly one JSON document,
also when the command fails; the exit status is the one the error's class names; an interrupt is no fault of the
program, however early it comes.
"""

from __future__ import annotations

# Only what Python has loaded already: nothing here catches an interrupt that comes while a module is loaded.
import os
import sys

INTERRUPTED = 130
READER_LEFT = 141
"""As a shell says it: 128 and the number of SIGINT, and of SIGPIPE."""


def main() -> None:
    """Run the command line and exit with the documented status."""
    try:
        status = _written_out(_run())
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


def _run() -> int:
    from measure.cli.output import make_streams_safe

    make_streams_safe()
    try:
        return invoke(sys.argv[1:])
    except Exception as error:  # a fault of this program: whoever reports it needs all of it
        import traceback

        traceback.print_exc()
        hint = "This is a fault of measure. Records that were written so far are whole; 'measure runs' lists them."
        _tell("internal", f"{type(error).__name__}: {error}", hint, "--json" in sys.argv)
        return 1


def invoke(arguments: list[str]) -> int:
    """Run one command; returns the exit status."""
    from measure.cli.app import app
    from measure.cli.output import begin

    begin()
    import typer
    from typer.main import get_command

    from measure.errors import InterruptedRunError, MeasureError

    wants_json = "--json" in arguments
    try:
        status = get_command(app).main(args=arguments, prog_name="measure", standalone_mode=False)
    except MeasureError as error:
        _tell(error.kind, error.message, error.hint, wants_json)
        return 128 + error.signal_number if isinstance(error, InterruptedRunError) else error.exit_status
    except typer.Exit as stop:
        return int(stop.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        _tell("interrupted", "interrupted", None, wants_json)
        return INTERRUPTED
    except SystemExit as stop:  # typer's answer to a reader that has left
        if isinstance(stop.__context__, BrokenPipeError):
            return READER_LEFT
        raise
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is None or not hasattr(error, "exit_code"):
            raise
        hint = None
        context = getattr(error, "ctx", None)
        if context is not None:
            hint = f"See '{context.command_path} --help'."
        _tell("usage", message(), hint, wants_json)
        return 2
    return int(status or 0) if isinstance(status, int) else 0


def _written_out(status: int) -> int:
    """The exit status once stdout has left the buffer: a result that nobody could be given isn't a success."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has left, as `head` does: nothing to complain about
        status = READER_LEFT
    except OSError as error:
        print(f"measure: the result can't be written: {error.strerror}", file=sys.stderr)  # noqa: T201
        status = 1
    else:
        return status
    # What is still in the buffer must not be tried again, and complained about, when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _tell(kind: str, message: str, hint: str | None, wants_json: bool) -> None:
    import json

    from measure.cli.output import is_printed

    # Where the result is out already (a record that says that nothing was measured), it is the one document.
    if wants_json and not is_printed():
        print(json.dumps({"error": {"kind": kind, "message": message, "hint": hint}}))  # noqa: T201
    text = f"measure: {message}" + (f"\n  {hint}" if hint else "")
    print(text, file=sys.stderr)  # noqa: T201
