"""The command line put together: which commands there are, in the order in which help lists them."""

from __future__ import annotations

from typing import Annotated

import typer

from measure.cli import measuring, pipeline, reading
from measure.cli.probe import app as probe_app
from measure.cli.surface import app as surface_app

app = typer.Typer(
    name="measure",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Does this line change what the agent does? Clones a workspace into two arms that differ in one line, "
    "launches the agent in both, and leaves a record that never takes 'not measured' for 'no difference'.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from measure import __version__

        typer.echo(f"measure {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""


for command in (
    measuring.run,
    reading.runs,
    reading.show,
    reading.report,
    reading.compare,
    measuring.band,
    measuring.resume,
    reading.judge,
    measuring.doctor,
    measuring.context,
    pipeline.gate,
    pipeline.unmeasured,
    pipeline.brief,
    pipeline.review,
    pipeline.skill,
    pipeline.workflow,
    pipeline.schema,
):
    app.command()(command)
app.add_typer(probe_app, name="probe")
app.add_typer(surface_app)
