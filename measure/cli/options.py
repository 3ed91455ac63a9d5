"""Options that several commands share, each with its one help text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer


def finite(number: float | None) -> float | None:
    """A number that is one, and has an end: `inf` and `nan` are no limits, and JSON has no words for them."""
    if number is not None and not math.isfinite(number):
        raise typer.BadParameter(f"{number} is no finite number.")
    return number


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Runs = Annotated[
    Path | None,
    typer.Option(
        "--runs",
        metavar="DIR",
        help="Where records are kept. Default: $MEASURE_RUNS, else ./runs if it holds records, else your data folder.",
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a unique part of it, its folder, or 'last'.")]
RunNames = Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, unique parts of them, folders, or 'last'.")]
Probes = Annotated[
    list[Path], typer.Option("--probe", metavar="FILE|DIR", help="Probe file or folder of probes; may be repeated.")
]
Workspace = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="The workspace: the folder with the agent instructions. Default: .",
        show_default=False,
    ),
]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="ID", help="The model to measure on. Always named, never defaulted."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="PATH:LINE",
        help="The contrast, for probes without a target: leave this line (or unit, see 'measure surface') out. "
        "May be repeated: each is measured, and they share launches.",
    ),
]
Client = Annotated[
    str | None,
    typer.Option(
        "--client",
        metavar="claude|simulated|PATH",
        help="The agent: claude on PATH (default), the simulated stand-in, or an executable.",
    ),
]
ClientPath = Annotated[
    Path | None, typer.Option("--client", metavar="PATH", help="The client's executable, if not the one on PATH.")
]
Agent = Annotated[Path | None, typer.Option("--agent", metavar="FILE", help="Dispositions of the simulated agent.")]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include", metavar="GLOB", help="More files of the workspace that go into both arms; may be repeated."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        max=64,
        help="Launches at once. Default: 2 at first, up to 4 while none is refused.",
    ),
]
MaxTurns = Annotated[
    int,
    typer.Option(
        "--max-turns",
        metavar="N",
        min=1,
        help="Turns an agent may take; a probe asks for the decision, so one is the rule.",
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option("--time-limit", min=1, callback=finite, metavar="SECONDS", help="Wall-clock limit of one launch."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Seed of all orders. Default: drawn, and recorded.", min=0),
]
MaxLaunches = Annotated[
    int | None,
    typer.Option("--max-launches", metavar="N", min=2, help="Never launch more often than this, all lines together."),
]
BudgetUsd = Annotated[
    float | None,
    typer.Option(
        "--budget-usd",
        metavar="USD",
        min=0,
        callback=finite,
        help="Stop before the launches cost more than this, all lines together.",
    ),
]
PriceUsd = Annotated[
    float | None,
    typer.Option(
        "--price-usd",
        metavar="USD",
        min=0,
        callback=finite,
        help="What one launch costs, where you know it: for the plan, and for the budget until a launch has told.",
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option("--prices", metavar="FILE", help="A table of prices (TOML) in place of the program's own."),
]
Containment = Annotated[
    str | None,
    typer.Option(
        "--containment",
        metavar="pid-namespace|descendants",
        help="How launches are held. Default: the best that works here.",
    ),
]
OwnPaths = Annotated[
    bool,
    typer.Option(
        "--own-paths",
        help="Give each launch a path of its own. Default: one path for all, where need be one launch at a time.",
    ),
]
StaleAfter = Annotated[
    float,
    typer.Option(
        "--stale-after",
        min=1,
        callback=finite,
        metavar="SECONDS",
        help="Take over a lock whose holder was silent for so long.",
    ),
]
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
