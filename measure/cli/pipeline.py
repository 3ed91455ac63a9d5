"""Commands for a measurement's place beside a review, and for the agents and machines that call them."""

from __future__ import annotations

from typing import Annotated

import typer

from measure.cli.options import Governed, Head, Json, MergeBase, Repository, RunNames, Runs


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


def brief(
    run: RunNames,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Print what a reviewer may be told before the review ends: the range of a measurement, never its verdict.

    Made from the plan alone, so nothing in it depends on what came back. Keep the record itself out of the
    reviewers' sight until they have ended; then: measure review RUN.
    """
    from measure.cli.gate import tell_range

    tell_range(run, runs, as_json=as_json)


def review(
    run: RunNames,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Print the block for your own record after the review, in Markdown: measured, with scope and verdict, or not.

    Tells the verdict: don't show it to reviewers who have not ended.
    """
    from measure.cli.gate import tell_outcome

    tell_outcome(run, runs, as_json=as_json)


def skill() -> None:
    """Print the skill that tells an agent when and how to measure.

    Example: measure skill > .claude/skills/measure-rule-effect/SKILL.md
    """
    from measure.cli.packaged import print_file

    print_file("SKILL.md")


def workflow() -> None:
    """Print an example of a workflow for GitHub Actions: gate, run and review of a pull request, with a budget.

    Example: measure workflow > .github/workflows/measure.yml
    """
    from measure.cli.packaged import print_file

    print_file("gate/workflow.yml")


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
