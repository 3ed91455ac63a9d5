"""Commands that read what runs left behind; none of them launches anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from measure.cli.options import Json, RunName, RunNames, Runs
from measure.errors import RequestError


def runs(
    finding: Annotated[
        list[str] | None,
        typer.Option("--finding", metavar="F", help="Only runs with this finding (or 'band'); may be repeated."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="ID", help="Only runs on this model; or a pattern with * and ?."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE[:LINE]", help="Only runs about this file or line; or a pattern."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE|AGO", help="Only runs since then: 2026-03-01, 12h, 7d, 2w.")
    ] = None,
    sort: Annotated[
        str, typer.Option("--sort", metavar="newest|oldest|finding|place|launches|cost", help="What comes first.")
    ] = "newest",
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="text|csv|json|md", help="How the list is printed. Default: text."),
    ] = None,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """List recorded runs, the newest first.

    Example: measure runs --finding redundant --finding restatement --since 30d --format csv
    """
    from measure.cli.show import list_runs
    from measure.record.select import wanted

    list_runs(runs, wanted(finding or (), model, file, since), order=sort, form=_form(form, as_json=as_json))


def show(
    run: RunName,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="text|md|json", help="md: for a comment on a pull request. Default: text."),
    ] = None,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Print one recorded run."""
    from measure.cli.show import show_run

    show_run(run, runs, form=_form(form, as_json=as_json))


def _form(asked: str | None, *, as_json: bool) -> str:
    """The one form that was asked for. Raises `RequestError` for two."""
    if as_json and asked not in (None, "json"):
        raise RequestError(f"--json and --format {asked} exclude each other", hint="Name one of them.")
    return "json" if as_json else asked or "text"


def report(
    run: RunNames,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Where the page goes; - for stdout.")
    ],
    together: Annotated[
        bool, typer.Option("--together", help="With all lines that were measured together with those named.")
    ] = False,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Write recorded runs as one page that needs no network: findings, plots, both arms' answers side by side.

    Example: measure report last -o last.html
    """
    from measure.cli.report import write_page

    write_page(run, output, runs, together=together, as_json=as_json)


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A run's id, a unique part of it, its folder, or 'last'.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another run.")],
    pool: Annotated[
        bool, typer.Option("--pool", help="Read both runs as one. Refused where anything that must match differs.")
    ] = False,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Put two recorded runs side by side, and name what keeps them from being taken as like."""
    from measure.cli.compare import compare_runs

    compare_runs(first, second, runs, pool=pool, as_json=as_json)


def judge(
    run: RunName,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Judge a recorded run again with today's judge; launches nothing and keeps both judgements."""
    from measure.cli.judge import judge_run

    judge_run(run, runs, as_json=as_json)
