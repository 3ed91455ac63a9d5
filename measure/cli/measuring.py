"""Commands that launch, or say whether a launch could be made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from measure.cli.options import (
    Agent,
    BudgetUsd,
    Client,
    ClientPath,
    Containment,
    Drop,
    Include,
    Jobs,
    Json,
    MaxLaunches,
    MaxTurns,
    Model,
    OwnPaths,
    Prices,
    PriceUsd,
    Probes,
    RunName,
    Runs,
    Seed,
    StaleAfter,
    TimeLimit,
    Workspace,
    finite,
)


def run(
    probe: Probes,
    workspace: Workspace = None,
    model: Model = None,
    drop: Drop = None,
    each: Annotated[
        list[str] | None,
        typer.Option(
            "--each",
            metavar="FILE[:FROM-TO]",
            help="... leave each paragraph and list item of this file (or of these lines of it) out by itself; may be "
            "repeated. '--dry-run' shows which, and the price.",
        ),
    ] = None,
    replace: Annotated[
        tuple[str, str] | None,
        typer.Option("--replace", metavar="PATH:LINE TEXT", help="... put TEXT in this line's place."),
    ] = None,
    add: Annotated[
        tuple[str, str] | None,
        typer.Option("--add", metavar="PATH:LINE TEXT", help="... add TEXT after this line (0: at the top)."),
    ] = None,
    client: Client = None,
    agent: Agent = None,
    stage: Annotated[
        int,
        typer.Option(
            "--stage",
            metavar="1|2",
            min=1,
            max=2,
            help="2: two cloned workspaces decide. 1: a cheap screen with the line in one prompt; it can only keep "
            "a line or send it on to stage 2.",
        ),
    ] = 2,
    condition: Annotated[
        str | None,
        typer.Option(
            "--condition",
            metavar="production|lean",
            help="production: tools and skills stay listed, as in real use. lean: no tools, smallest request. "
            "Default: production; lean in stage 1.",
        ),
    ] = None,
    include: Include = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            metavar="N",
            min=1,
            help="Fixed design: exactly so many pairs per probe. Default: stop as soon as it is settled.",
        ),
    ] = None,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            "--max-rounds",
            metavar="N",
            min=1,
            help="At most so many pairs per probe before the answer is 'undecided'. Default: 6.",
        ),
    ] = None,
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="standard|cheap",
            help="standard: a zero-difference excludes an average shift of .2 (.7 in one probe). cheap: .3 (.85).",
        ),
    ] = "standard",
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            callback=finite,
            metavar="SHARE",
            help="The average shift that a zero-difference excludes, 0 to 1.",
        ),
    ] = None,
    probe_margin: Annotated[
        float | None,
        typer.Option(
            "--probe-margin", callback=finite, metavar="SHARE", help="The shift of any single probe that it excludes."
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", callback=finite, metavar="SHARE", help="Error level of each claim. Default: .05."),
    ] = None,
    settle: Annotated[
        str,
        typer.Option(
            "--settle",
            metavar="together|alone",
            help="Of several lines: go on until a verdict also stands when all lines are counted, so that none of many "
            "wins by chance; or until it stands for itself, which takes fewer launches.",
        ),
    ] = "together",
    jobs: Jobs = None,
    max_turns: MaxTurns = 1,
    time_limit: TimeLimit = 300,
    seed: Seed = None,
    max_launches: MaxLaunches = None,
    budget_usd: BudgetUsd = None,
    price_usd: PriceUsd = None,
    prices: Prices = None,
    probes_total: Annotated[
        int | None,
        typer.Option(
            "--probes-total",
            metavar="N",
            min=1,
            help="How many probes exist for this change, if more than are put here.",
        ),
    ] = None,
    selection: Annotated[
        str | None,
        typer.Option("--selection", metavar="TEXT", help="How the probes put here were chosen."),
    ] = None,
    unmeasured: Annotated[
        list[str] | None,
        typer.Option("--unmeasured", metavar="TEXT", help="What this run leaves unmeasured; may be repeated."),
    ] = None,
    stale_after: StaleAfter = 900,
    containment: Containment = None,
    own_paths: OwnPaths = False,
    busy_marker: Annotated[
        Path | None,
        typer.Option(
            "--busy-marker",
            metavar="PATH",
            help="While this file stands, the workspace is being edited: wait, then record 'tree-being-edited'.",
        ),
    ] = None,
    busy_wait: Annotated[
        float,
        typer.Option(
            "--busy-wait",
            callback=finite,
            min=0,
            metavar="SECONDS",
            help="How long to wait for the marker to go; 0: not.",
        ),
    ] = 30,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, its price and what it can resolve; launch nothing.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            help="Show the plan, errors and where the record is: no launch and no verdict, for logs that reviewers "
            "can read. With --json the records are printed all the same.",
        ),
    ] = False,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Measure lines with probes, and leave a record of each.

    Clones the workspace's agent instructions into two arms that differ in exactly one place, launches the agent in
    both, and lets a judge that can't tell the arms apart read the answers. Several lines that are named together are
    each put to the same probes and share the launches in the workspace as it stands.
    """
    from measure.cli.run import measure_probes
    from measure.run.request import RunRequest

    measure_probes(
        RunRequest(
            probes=tuple(probe),
            workspace=workspace,
            model=model,
            drop=tuple(drop or ()),
            each=tuple(each or ()),
            replace=(replace,) if replace is not None else (),
            add=(add,) if add is not None else (),
            client=client,
            agent=agent,
            stage=1 if stage == 1 else 2,
            condition=condition or ("lean" if stage == 1 else "production"),
            include=tuple(include or ()),
            repeats=repeats,
            max_rounds=max_rounds,
            profile=profile,
            alpha=alpha,
            margin=margin,
            probe_margin=probe_margin,
            settle=settle,
            jobs=jobs,
            max_turns=max_turns,
            time_limit_s=time_limit,
            seed=seed,
            max_launches=max_launches,
            budget_usd=budget_usd,
            price_usd=price_usd,
            prices=prices,
            probes_total=probes_total,
            selection=selection,
            unmeasured=tuple(unmeasured or ()),
            stale_after_s=stale_after,
            containment=containment,
            own_paths=own_paths,
            busy_marker=busy_marker,
            busy_wait_s=busy_wait,
        ),
        runs=runs,
        dry_run=dry_run,
        quiet=quiet,
        as_json=as_json,
    )


def band(
    probe: Probes,
    workspace: Workspace = None,
    model: Model = None,
    drop: Annotated[
        str | None, typer.Option("--drop", metavar="PATH:LINE", help="The line that probes without a target ask about.")
    ] = None,
    client: Client = None,
    agent: Agent = None,
    condition: Annotated[
        str, typer.Option("--condition", metavar="production|lean", help="As for 'measure run'.")
    ] = "production",
    include: Include = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            metavar="N",
            min=1,
            help="Pairs per probe. Default: the fewest that allow a margin of .2 where no pair flips (8 for 2 probes "
            "of behavior, 5 for 3, 4 for 4, 3 for 5).",
        ),
    ] = None,
    jobs: Jobs = None,
    max_turns: MaxTurns = 1,
    time_limit: TimeLimit = 300,
    seed: Seed = None,
    max_launches: MaxLaunches = None,
    budget_usd: BudgetUsd = None,
    price_usd: PriceUsd = None,
    prices: Prices = None,
    stale_after: StaleAfter = 900,
    containment: Containment = None,
    own_paths: OwnPaths = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; launch nothing.")] = False,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Measure the noise: both arms identical. Later runs under exactly this condition stand on it."""
    from measure.cli.run import measure_probes
    from measure.run.request import RunRequest

    measure_probes(
        RunRequest(
            probes=tuple(probe),
            workspace=workspace,
            model=model,
            drop=(drop,) if drop is not None else (),
            client=client,
            agent=agent,
            condition=condition,
            include=tuple(include or ()),
            repeats=repeats,
            jobs=jobs,
            max_turns=max_turns,
            time_limit_s=time_limit,
            seed=seed,
            max_launches=max_launches,
            budget_usd=budget_usd,
            price_usd=price_usd,
            prices=prices,
            stale_after_s=stale_after,
            containment=containment,
            own_paths=own_paths,
            purpose="band",
        ),
        runs=runs,
        dry_run=dry_run,
        as_json=as_json,
    )


def resume(
    run: RunName,
    max_rounds: Annotated[
        int | None,
        typer.Option("--max-rounds", metavar="N", min=1, help="Allow so many pairs per probe in all; extends a run."),
    ] = None,
    max_launches: Annotated[
        int | None, typer.Option("--max-launches", min=2, metavar="N", help="Raise the limit of launches.")
    ] = None,
    budget_usd: Annotated[
        float | None,
        typer.Option("--budget-usd", min=0, callback=finite, metavar="USD", help="Raise the limit of money."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, max=64, help="Launches at once. Default: as before."),
    ] = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="Leave the lines that were measured together with this one as they are.")
    ] = False,
    stale_after: StaleAfter = 900,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Complete a run that ended early, or go on with one that was left undecided.

    Lines that were measured together go on together. Refuses if the workspace, a probe, the client or its condition
    changed, and says which.
    """
    from measure.cli.run import resume_run
    from measure.run.resume import Allowance

    allowance = Allowance(max_rounds=max_rounds, max_launches=max_launches, budget_usd=budget_usd, jobs=jobs)
    resume_run(run, allowance, alone=alone, stale_after_s=stale_after, runs=runs, as_json=as_json)


def doctor(
    client: ClientPath = None,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Say what would stop a run, and what to do about it. Launches nothing."""
    from measure.cli.doctor import report

    report(client, runs, as_json=as_json)


def context(
    workspace: Workspace = None,
    client: ClientPath = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="ID", help="What is loaded where depends on it. Default: the client's default."
        ),
    ] = None,
    condition: Annotated[
        str, typer.Option("--condition", metavar="production|lean", help="As for 'measure run'.")
    ] = "production",
    include: Include = None,
    lines: Annotated[bool, typer.Option("--lines", help="Show every loaded line, not only every file.")] = False,
    as_json: Json = False,
) -> None:
    """Show what the model receives at launch, per file and line, in tokens; what is not loaded, and why.

    Launches the real client once in a clone of the workspace, against an endpoint of this program on loopback. Nothing
    is sent to any model, no credential is used, nothing is charged.
    """
    from measure.cli.context import tell

    tell(
        workspace,
        client=client,
        model=model,
        condition=condition,
        include=tuple(include or ()),
        every_line=lines,
        as_json=as_json,
    )
