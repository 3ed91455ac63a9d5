"""All commands, each with its options and help. What a command does is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="measure",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Does this line change what the agent does? Clones a workspace into two arms that differ in one line, "
    "launches the agent in both, and leaves a record that never takes 'not measured' for 'no difference'.",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Runs = Annotated[
    Path | None,
    typer.Option(
        "--runs",
        metavar="DIR",
        help="Where records are kept. Default: $MEASURE_RUNS, else ./runs if it holds records, else your data folder.",
    ),
]


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


@app.command()
def run(
    probe: Annotated[
        list[Path], typer.Option("--probe", metavar="FILE|DIR", help="Probe file or folder of probes; may be repeated.")
    ],
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            "-w",
            metavar="DIR",
            help="The folder whose instructions are measured. Default: .",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="ID", help="The model to measure on. Always named, never defaulted."),
    ] = None,
    drop: Annotated[
        str | None,
        typer.Option(
            "--drop",
            metavar="PATH:LINE",
            help="The contrast, for probes without a target: leave this line (or unit, see 'measure surface') out.",
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
    client: Annotated[
        str | None,
        typer.Option(
            "--client",
            metavar="claude|simulated|PATH",
            help="The agent: claude on PATH (default), the simulated stand-in, or an executable.",
        ),
    ] = None,
    agent: Annotated[
        Path | None,
        typer.Option("--agent", metavar="FILE", help="Dispositions of the simulated agent."),
    ] = None,
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
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include", metavar="GLOB", help="More files of the workspace that go into both arms; may be repeated."
        ),
    ] = None,
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
        int,
        typer.Option(
            "--max-rounds", metavar="N", min=1, help="At most so many pairs per probe before the answer is 'undecided'."
        ),
    ] = 6,
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
        typer.Option("--margin", metavar="SHARE", help="The average shift that a zero-difference excludes, 0 to 1."),
    ] = None,
    probe_margin: Annotated[
        float | None,
        typer.Option("--probe-margin", metavar="SHARE", help="The shift of any single probe that it excludes."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="SHARE", help="Error level of each claim. Default: .05.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            max=64,
            help="Launches at once. Default: 2 at first, up to 4 while none is refused.",
        ),
    ] = None,
    max_turns: Annotated[
        int,
        typer.Option(
            "--max-turns",
            metavar="N",
            min=1,
            help="Turns an agent may take; a probe asks for the decision, so one is the rule.",
        ),
    ] = 1,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=1, metavar="SECONDS", help="Wall-clock limit of one launch.")
    ] = 300,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Seed of all orders. Default: drawn, and recorded.", min=0),
    ] = None,
    max_launches: Annotated[
        int | None,
        typer.Option("--max-launches", metavar="N", min=2, help="Never launch more often than this."),
    ] = None,
    budget_usd: Annotated[
        float | None,
        typer.Option("--budget-usd", metavar="USD", min=0, help="Stop before the launches cost more than this."),
    ] = None,
    price_usd: Annotated[
        float | None,
        typer.Option(
            "--price-usd",
            metavar="USD",
            min=0,
            help="What one launch costs, where you know it: for the plan, and for the budget until a launch has told.",
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option("--prices", metavar="FILE", help="A table of prices (TOML) in place of the program's own."),
    ] = None,
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
    stale_after: Annotated[
        float,
        typer.Option(
            "--stale-after", min=1, metavar="SECONDS", help="Take over a lock whose holder was silent for so long."
        ),
    ] = 900,
    containment: Annotated[
        str | None,
        typer.Option(
            "--containment",
            metavar="pid-namespace|descendants",
            help="How launches are held. Default: the best that works here.",
        ),
    ] = None,
    own_paths: Annotated[
        bool,
        typer.Option(
            "--own-paths",
            help="Give each launch a path of its own. Default: one path for all, where need be one launch at a time.",
        ),
    ] = False,
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
        typer.Option("--busy-wait", min=0, metavar="SECONDS", help="How long to wait for the marker to go; 0: not."),
    ] = 30,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, its price and what it can resolve; launch nothing.")
    ] = False,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Measure one line with one or more probes, and leave a record.

    Clones the workspace's agent instructions into two arms that differ in exactly one place, launches the agent in
    both, and lets a judge that can't tell the arms apart read the answers.
    """
    from measure.cli.run import measure_probes
    from measure.run.request import RunRequest

    measure_probes(
        RunRequest(
            probes=tuple(probe),
            workspace=workspace,
            model=model,
            drop=drop,
            replace=replace,
            add=add,
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
        as_json=as_json,
    )


@app.command()
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
        str, typer.Option("--format", metavar="text|csv|json|md", help="How the list is printed.")
    ] = "text",
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """List recorded runs, the newest first.

    Example: measure runs --finding redundant --finding restatement --since 30d --format csv
    """
    from measure.cli.show import list_runs
    from measure.record.select import wanted

    list_runs(runs, wanted(finding or (), model, file, since), order=sort, form="json" if as_json else form)


@app.command()
def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a unique part of it, its folder, or 'last'.")],
    form: Annotated[
        str, typer.Option("--format", metavar="text|md|json", help="md: for a comment on a pull request.")
    ] = "text",
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Print one recorded run."""
    from measure.cli.show import show_run

    show_run(run, runs, form="json" if as_json else form)


@app.command()
def report(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, unique parts of them, folders, or 'last'.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="Where the page goes.")],
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Write recorded runs as one page that needs no network: findings, plots, both arms' answers side by side.

    Example: measure report last -o last.html
    """
    from measure.cli.report import write_page

    write_page(run, output, runs, as_json=as_json)


@app.command()
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


@app.command()
def band(
    probe: Annotated[
        list[Path], typer.Option("--probe", metavar="FILE|DIR", help="Probe file or folder of probes; may be repeated.")
    ],
    workspace: Annotated[
        Path | None, typer.Option("--workspace", "-w", metavar="DIR", help="The folder whose instructions are loaded.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", metavar="ID", help="The model to measure on.")] = None,
    drop: Annotated[
        str | None, typer.Option("--drop", metavar="PATH:LINE", help="The line that probes without a target ask about.")
    ] = None,
    client: Annotated[
        str | None,
        typer.Option("--client", metavar="claude|simulated|PATH", help="The agent; default: claude on PATH."),
    ] = None,
    agent: Annotated[
        Path | None, typer.Option("--agent", metavar="FILE", help="Dispositions of the simulated agent.")
    ] = None,
    condition: Annotated[
        str, typer.Option("--condition", metavar="production|lean", help="As for 'measure run'.")
    ] = "production",
    include: Annotated[
        list[str] | None, typer.Option("--include", metavar="GLOB", help="More files that go into both arms.")
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", min=1, help="Pairs per probe.")] = 3,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            max=64,
            help="Launches at once. Default: 2 at first, up to 4 while none is refused.",
        ),
    ] = None,
    max_turns: Annotated[int, typer.Option("--max-turns", metavar="N", min=1, help="Turns an agent may take.")] = 1,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=1, metavar="SECONDS", help="Wall-clock limit of one launch.")
    ] = 300,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", min=0, help="Seed of all orders.")] = None,
    max_launches: Annotated[
        int | None, typer.Option("--max-launches", metavar="N", min=2, help="Never launch more often.")
    ] = None,
    budget_usd: Annotated[
        float | None,
        typer.Option("--budget-usd", metavar="USD", min=0, help="Stop before the launches cost more than this."),
    ] = None,
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
            drop=drop,
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
            purpose="band",
        ),
        runs=runs,
        dry_run=dry_run,
        as_json=as_json,
    )


@app.command()
def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a unique part of it, its folder, or 'last'.")],
    max_rounds: Annotated[
        int | None,
        typer.Option("--max-rounds", metavar="N", min=1, help="Allow so many pairs per probe in all; extends a run."),
    ] = None,
    max_launches: Annotated[
        int | None, typer.Option("--max-launches", min=2, metavar="N", help="Raise the limit of launches.")
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option("--budget-usd", min=0, metavar="USD", help="Raise the limit of money.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, max=64, help="Launches at once.")
    ] = None,
    stale_after: Annotated[
        float, typer.Option("--stale-after", min=1, metavar="SECONDS", help="Take over a lock silent for so long.")
    ] = 900,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Complete a run that ended early, or go on with one that was left undecided.

    Refuses if the workspace, a probe, the client or its condition changed, and says which.
    """
    from measure.cli.run import resume_run
    from measure.run.resume import Allowance

    allowance = Allowance(max_rounds=max_rounds, max_launches=max_launches, budget_usd=budget_usd, jobs=jobs)
    resume_run(run, allowance, stale_after_s=stale_after, runs=runs, as_json=as_json)


@app.command()
def judge(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a unique part of it, its folder, or 'last'.")],
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Judge a recorded run again with today's judge; launches nothing and keeps both judgements."""
    from measure.cli.judge import judge_run

    judge_run(run, runs, as_json=as_json)


@app.command()
def doctor(
    client: Annotated[
        Path | None, typer.Option("--client", metavar="PATH", help="The client's executable, if not the one on PATH.")
    ] = None,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Say what would stop a run, and what to do about it. Launches nothing."""
    from measure.cli.doctor import report

    report(client, runs, as_json=as_json)


Governed = Annotated[
    list[str] | None,
    typer.Option(
        "--governed",
        metavar="GLOB",
        help="Paths that count, relative to the workspace; may be repeated. ** spans folders. "
        "Default: rules/**, skills/**, adapter/**.",
    ),
]
Repository = Annotated[
    Path | None,
    typer.Option("--workspace", "-w", metavar="DIR", help="A folder of the repository. Default: its top, from here."),
]
MergeBase = Annotated[
    bool, typer.Option("--merge-base", help="Count from where base and head parted, as a pull request does.")
]
Head = Annotated[str, typer.Option("--head", metavar="REV", help="What the change ends with.")]


@app.command()
def context(
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            "-w",
            metavar="DIR",
            help="The folder whose instructions are looked at. Default: .",
            show_default=False,
        ),
    ] = None,
    client: Annotated[
        Path | None, typer.Option("--client", metavar="PATH", help="The client's executable, if not the one on PATH.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="ID", help="What is loaded where depends on it. Default: the client's default."
        ),
    ] = None,
    condition: Annotated[
        str, typer.Option("--condition", metavar="production|lean", help="As for 'measure run'.")
    ] = "production",
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="GLOB", help="More files of the workspace; may be repeated."),
    ] = None,
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


@app.command()
def gate(
    base: Annotated[
        str, typer.Option("--base", metavar="REV", help="What the change starts from: a commit, branch or tag.")
    ],
    head: Head = "HEAD",
    governed: Governed = None,
    workspace: Repository = None,
    merge_base: MergeBase = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 0 if it fired and with 1 if not. Else 0 both ways.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Tell whether a change has to be measured: does it delete more lines or more bytes than it adds?

    Counts a line diff of the two commits without detection of renames, over the governed paths only. Lists the lines
    that went, each as PATH:LINE for `measure run --drop`: a place in the BASE, where the line still stands, so the
    workspace has to stand there too (git worktree add DIR BASE). With --json each candidate also says how the same
    line is put back at the head, with --add or --replace.

    Example: measure gate --base origin/main --merge-base --governed CLAUDE.md --governed '.claude/**'
    """
    from measure.cli.gate import tell_gate

    tell_gate(
        base,
        head,
        governed=tuple(governed or ()),
        workspace=workspace,
        parted=merge_base,
        exit_code=exit_code,
        as_json=as_json,
    )


@app.command()
def unmeasured(
    reason: Annotated[
        str,
        typer.Option(
            "--reason",
            metavar="R",
            help="spend-limit, outside-firing-condition, nothing-to-probe, tree-being-edited, no-agent, "
            "client-failed, or other (with --detail).",
        ),
    ],
    detail: Annotated[str | None, typer.Option("--detail", metavar="TEXT", help="More about why.")] = None,
    subject: Annotated[
        str | None,
        typer.Option("--subject", metavar="TEXT", help="What was to be measured. Default: the change, by its commits."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="REV", help="The change's base: its figures go into the record."),
    ] = None,
    head: Head = "HEAD",
    governed: Governed = None,
    workspace: Repository = None,
    merge_base: MergeBase = False,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Record that no measurement was taken, and why. Such a record is never read as 'no difference'.

    Example: measure unmeasured --reason outside-firing-condition --base origin/main --merge-base
    """
    from measure.cli.gate import keep_unmeasured

    keep_unmeasured(
        reason,
        detail,
        subject,
        base=base,
        head=head,
        governed=tuple(governed or ()),
        workspace=workspace,
        parted=merge_base,
        runs=runs,
        as_json=as_json,
    )


@app.command()
def brief(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, unique parts of them, folders, or 'last'.")],
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Print what a reviewer may be told before the review ends: the range of a measurement, never its verdict.

    Made from the plan alone, so nothing in it depends on what came back. Keep the record itself out of the
    reviewers' sight until they have ended; then: measure review RUN.
    """
    from measure.cli.gate import tell_range

    tell_range(run, runs, as_json=as_json)


@app.command()
def review(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, unique parts of them, folders, or 'last'.")],
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Print the block for your own record after the review, in Markdown: measured, with scope and verdict, or not.

    Tells the verdict: don't show it to reviewers who have not ended.
    """
    from measure.cli.gate import tell_outcome

    tell_outcome(run, runs, as_json=as_json)


@app.command()
def skill() -> None:
    """Print the skill that tells an agent when and how to measure.

    Example: measure skill > .claude/skills/measure-rule-effect/SKILL.md
    """
    from measure.cli.packaged import print_file

    print_file("SKILL.md")


@app.command()
def workflow() -> None:
    """Print an example of a workflow for GitHub Actions: gate, run and review of a pull request, with a budget.

    Example: measure workflow > .github/workflows/measure.yml
    """
    from measure.cli.packaged import print_file

    print_file("gate/workflow.yml")


@app.command()
def schema(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]", help="As it is called: run, 'probe check', error.")
    ] = None,
) -> None:
    """Print the JSON schema of what a command prints with --json; without a command, of all of them.

    Within a minor version no field goes or changes its meaning; new ones may come, so pass over unknown ones.
    """
    from measure.cli.schema import print_schemas

    print_schemas(command)


def _add_groups() -> None:
    from measure.cli.probe import app as probe_app
    from measure.cli.surface import app as surface_app

    app.add_typer(probe_app, name="probe")
    app.add_typer(surface_app)


_add_groups()
