"""`measure probe new` and `measure probe check`: write and lint probes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from measure.cli.output import print_json, say, show

app = typer.Typer(no_args_is_help=True, help="Write probes and check their form. Neither launches anything.")


class AxisChoice(StrEnum):
    """Which starting files to write."""

    BEHAVIOR = "behavior"
    CONTENT = "content"
    BOTH = "both"


@app.command("new")
def new(
    place: Annotated[str, typer.Argument(metavar="PATH:LINE", help="The line: a file of the workspace and a number.")],
    axis: Annotated[AxisChoice, typer.Option(help="Ask what the agent does, what the text says, or both.")] = (
        AxisChoice.BOTH
    ),
    probe_id: Annotated[str | None, typer.Option("--id", help="The probe's id; made from the line by default.")] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE|DIR", help="Where to write: a .toml file, or a folder.")
    ] = Path(),
    workspace: Annotated[
        Path, typer.Option("--workspace", "-w", metavar="DIR", help="The folder whose instructions are measured.")
    ] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write a starting file for one line.

    The target, the options' form and the fixed wording are filled in. Places marked <<WRITE: …>> are yours:
    the claim, the situation, the actions. `measure probe check` names those that are left.

    Example: measure probe new CLAUDE.md:12 -o probes
    """
    from measure.probe.model import Axis
    from measure.probe.new import checked_id, drafts, write
    from measure.probe.place import parse_place, read_place

    file, number = parse_place(place)
    axes = (Axis.BEHAVIOR, Axis.CONTENT) if axis is AxisChoice.BOTH else (Axis(axis.value),)
    texts = drafts(read_place(workspace, file, number), axes, checked_id(probe_id))
    files = write(texts, output, force=force)
    if as_json:
        print_json({"schema": 1, "files": [str(path) for path in files]})
        return
    for path in files:
        show(str(path))
    say("Fill in the places marked <<WRITE: …>>, then: measure probe check " + " ".join(map(str, files)))


@app.command("check")
def check(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Probe files, folders of them, or suites.")],
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            "-w",
            metavar="DIR",
            help="Where the targets are; the suite's or the current folder if not given.",
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="GLOB", help="More files that go into the arms; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check the form of probes: whether each can show what its line does.

    One finding per line: file and key, what is wrong, what to do, and the name of the broken rule. Ends with status 2
    if there is an error; warnings alone end with 0.

    Example: measure probe check probes/demo
    """
    from measure.probe.examine import examine
    from measure.probe.lint import Severity

    examined = examine(paths, workspace, include or ())
    errors = sum(finding.severity is Severity.ERROR for finding in examined.findings)
    warnings = len(examined.findings) - errors
    if as_json:
        print_json(
            {
                "schema": 1,
                "usable": examined.usable,
                "probes": [
                    {"file": str(one.path), "id": one.probe.id, "axis": one.probe.axis.value, "sha256": one.digest}
                    for one in examined.probes
                ],
                "findings": [
                    {
                        "id": finding.id,
                        "severity": finding.severity.value,
                        "file": finding.file,
                        "key": finding.key,
                        "message": finding.message,
                        "remedy": finding.remedy,
                    }
                    for finding in examined.findings
                ],
                "errors": errors,
                "warnings": warnings,
                "notes": list(examined.notes),
            }
        )
    else:
        for finding in examined.findings:
            show(str(finding))
    for note in examined.notes:
        say(note)
    say(f"{_count(len(examined.probes), 'probe')} read, {_count(errors, 'error')}, {_count(warnings, 'warning')}")
    if not examined.usable:
        raise typer.Exit(2)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
