"""`measure surface`: what a workspace's agents load, unit by unit, and the formats it is written in."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measure.surface.finding import Finding
    from measure.surface.layout import SurfaceFile
    from measure.surface.leji import Manifest
    from measure.surface.unit import Unit

app = typer.Typer(
    name="surface",
    help="List every rule, section, description and region an agent loads; check and keep their formats.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Workspace = Annotated[Path, typer.Option("--workspace", "-w", metavar="DIR", help="Workspace or rule repository.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Markdown files.", show_default=False)]


@app.callback()
def units(
    context: typer.Context,
    workspace: Workspace = Path(),
    only_files: Annotated[bool, typer.Option("--files", help="One line a file, without what is in it.")] = False,
    json: Json = False,
) -> None:
    """List the units of a workspace: address, owner, when it loads, lines, tokens.

    Any address can be the contrast: `measure run --drop ADDRESS`.
    """
    if context.invoked_subcommand is not None:
        return
    from measure.cli.output import print_json, say
    from measure.surface.layout import read_files, read_workspace
    from measure.surface.unit import TOKENS_ARE

    files = read_files(read_workspace(workspace))
    if json:
        print_json(
            {"schema": 1, "tokens": TOKENS_ARE, "files": [_file_json(file, only_files=only_files) for file in files]}
        )
        return
    from rich.console import Console

    from measure.surface.listing import show_units

    if not files:
        say("No file of a known layout here: no CLAUDE.md, AGENTS.md, .claude, .codex, rules, skills or leji.json.")
        return
    show_units(files, Console(highlight=False, soft_wrap=True), only_files=only_files)
    say(f"Tokens are {TOKENS_ARE}.")


def _file_json(file: SurfaceFile, *, only_files: bool) -> dict[str, Any]:
    units = file.units()
    shown = units[:1] if only_files else units
    return {
        "path": file.path,
        "role": file.place.role,
        "same_as": file.same_as,
        "units": [_unit_json(unit) for unit in shown],
    }


def _unit_json(unit: Unit) -> dict[str, Any]:
    return {
        "address": unit.address,
        "kind": unit.kind.value,
        "owner": unit.owner,
        "loading": unit.when.loading.value,
        "why": unit.when.why,
        "line": unit.span.line,
        "start": unit.span.start,
        "end": unit.span.end,
        "lines": unit.lines,
        "tokens": unit.tokens,
    }


@app.command()
def check(
    workspace: Workspace = Path(),
    json: Json = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print a SARIF 2.1.0 log, for code hosts.")] = False,
) -> None:
    """Find what is wrong: tags, descriptions, owned regions, boot profile, mounts, agent profiles.

    Exit status 1 where there is an error, 0 where there are warnings only or nothing.
    """
    from measure.cli.output import print_json, say
    from measure.errors import RequestError
    from measure.surface.check import check_workspace
    from measure.surface.finding import Severity
    from measure.surface.layout import read_files, read_workspace
    from measure.surface.sarif import to_sarif

    if json and sarif:
        raise RequestError("--json and --sarif: wanted one of them, since stdout holds one document.")
    around = read_workspace(workspace)
    files = read_files(around)
    findings = check_workspace(around, files)
    if sarif:
        print_json(to_sarif(findings))
    elif json:
        print_json({"schema": 1, "checked": len(files), "findings": [_finding_json(finding) for finding in findings]})
    else:
        for finding in findings:
            _show_finding(finding)
        errors = sum(finding.severity is Severity.ERROR for finding in findings)
        warnings = len(findings) - errors
        say(f"{_count(len(files), 'file')} checked: {_count(errors, 'error')}, {_count(warnings, 'warning')}.")
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise typer.Exit(1)


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "path": finding.path,
        "line": finding.line,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "fix": finding.fix,
    }


def _show_finding(finding: Finding) -> None:
    from rich.console import Console
    from rich.text import Text

    line = Text(f"{finding.path}:{finding.line}: ")
    line.append(finding.severity.value, style="red" if finding.severity.value == "error" else "yellow")
    line.append(f" [{finding.rule}] {finding.message}; {finding.fix}")
    Console(highlight=False, soft_wrap=True).print(line)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


@app.command()
def wrap(
    files: Files,
    only_check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 where a file would change.")
    ] = False,
    json: Json = False,
) -> None:
    """Add the tags around H1 and H2 sections; a file that has them stays as it is."""
    from measure.surface.wrapping import wrap as wrapped

    _rewrite(files, wrapped, only_check=only_check, as_json=json, done="wrapped", still="not wrapped")


@app.command()
def unwrap(
    files: Files,
    only_check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 where a file would change.")
    ] = False,
    json: Json = False,
) -> None:
    """Take the tags around H1 and H2 sections away; all other bytes stay."""
    from measure.surface.wrapping import unwrap as unwrapped

    _rewrite(files, unwrapped, only_check=only_check, as_json=json, done="unwrapped", still="wrapped")


def _rewrite(files: Sequence[Path], change: Any, *, only_check: bool, as_json: bool, done: str, still: str) -> None:
    from measure.cli.output import print_json, say, show
    from measure.surface.wrapping import TagError, why_not_wrapped
    from measure.surface.write import read_source, write_whole

    results: list[dict[str, Any]] = []
    refused: list[str] = []
    for path in files:
        data = read_source(path)
        why = why_not_wrapped(path) if done == "wrapped" else None
        if why is not None:
            refused.append(f"{path}: {why}")
            results.append({"path": str(path), "changed": False, "refused": [why]})
            continue
        try:
            after = change(data, str(path))
        except TagError as error:
            refused.append(error.message)
            results.append({"path": str(path), "changed": False, "refused": [fault.message for fault in error.faults]})
            continue
        if after != data and not only_check:
            write_whole(path, after)
        results.append({"path": str(path), "changed": after != data, "refused": []})
        if not as_json:
            state = "unchanged" if after == data else still if only_check else done
            show(f"{path}: {state}")
    if as_json:
        print_json({"schema": 1, "checked_only": only_check, "files": results})
    for message in refused:
        say(message)
    if refused or (only_check and any(result["changed"] for result in results)):
        raise typer.Exit(1)


@app.command()
def triggers(workspace: Workspace = Path(), json: Json = False) -> None:
    """Count the trigger conditions of every skill by the fixed form of its description.

    A skill whose description breaks the form is told as not countable; whether that is an error, 'check' says.

    With --json: skill name → {"count": number or null, "reason": why it can't be counted}.
    """
    from measure.cli.output import print_json, say, show
    from measure.surface.layout import read_files, read_workspace
    from measure.surface.trigger import count_triggers

    counts = count_triggers(read_files(read_workspace(workspace)))
    if json:
        print_json({name: {"count": one.count, "reason": one.reason} for name, one in counts.items()})
    else:
        for name, one in counts.items():
            show(f"{'?' if one.count is None else one.count:>4}  {name}")
            if one.reason:
                show(f"      {one.path}: {one.reason}")
        known = [one.count for one in counts.values() if one.count is not None]
        unknown = len(counts) - len(known)
        say(f"{_count(len(counts), 'skill')}, {_count(sum(known), 'condition')}; not countable: {unknown}.")


@app.command()
def sync(
    template: Annotated[Path, typer.Argument(metavar="TEMPLATE", help="The upstream file.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to update.", show_default=False)],
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="The version tag to write.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Add the region to a target without markers unasked.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the region also where its tag is the same.")] = False,
    json: Json = False,
) -> None:
    """Bring the owned region of TARGET to that of TEMPLATE; every byte outside it stays.

    A missing target becomes the template. A region with another tag is replaced. A target without markers is the
    user's: the region is added only after asking. A template without a region only creates.
    """
    from measure.cli.output import print_json, say
    from measure.errors import RequestError
    from measure.surface.region_update import Branch, plan_update, with_region_added, with_tag
    from measure.surface.write import read_source, write_whole

    names = (str(template), str(target))
    source = read_source(template)
    if tag is not None:
        source = with_tag(source, tag, names[0])
    existing = read_source(target) if target.exists() or target.is_symlink() else None
    update = plan_update(source, existing, names, force=force)
    if update.now is not None and update.now.startswith("{") and update.branch is not Branch.KEEP:
        raise RequestError(
            f"the tag of {template} is the placeholder {update.now}.", hint="Give the version: --tag TAG."
        )
    after = update.after
    if update.branch is Branch.ASK:
        assert existing is not None
        after = with_region_added(source, existing, names)
        if not yes:
            if json or not sys.stdin.isatty():
                raise RequestError(
                    f"{target} has no owned region, so it is its user's; nothing was written.",
                    hint="Add the region with --yes; all bytes of the file stay as they are.",
                )
            if not typer.confirm(f"{target} has no owned region. Add {template}'s to it?", err=True):
                say("Nothing was written.")
                raise typer.Exit(0)
    written = after != existing
    if written:
        write_whole(target, after)
    if json:
        print_json(
            {
                "schema": 1,
                "branch": update.branch.value,
                "written": written,
                "was": update.was,
                "now": update.now,
                "edited": update.edited,
            }
        )
        return
    words = {
        Branch.CREATE: f"{target}: created" + (f" with tag {update.now}" if update.now else ""),
        Branch.REPLACE: f"{target}: region replaced, {update.was} → {update.now}",
        Branch.KEEP: f"{target}: region is at {update.now}; nothing to do",
        Branch.ASK: f"{target}: region added with tag {update.now}",
        Branch.CREATE_ONLY: f"{target}: exists, and {template} owns no region of it; nothing to do",
    }
    sys.stdout.write(words[update.branch] + "\n")
    if update.branch is Branch.KEEP and update.edited:
        say("The region has the same tag but other text: it was edited. --force brings the template's back.")


@app.command()
def profile(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A profile's id, role or path.", show_default=False)],
    workspace: Workspace = Path(),
    json: Json = False,
) -> None:
    """Show an agent profile of the context layer, resolved with the profile it inherits."""
    from measure.cli.output import print_json, say
    from measure.surface.profile import find_profile, read_profiles, resolve_profile

    manifest = _manifest(workspace)
    profiles = read_profiles(workspace, manifest)
    found = resolve_profile(find_profile(profiles, name, manifest.agents), profiles)
    if json:
        print_json(
            {"schema": 1, "path": found.path, "base": found.base, "fields": dict(found.fields), "body": found.body}
        )
        return
    import yaml

    say(f"{found.path}" + (f", inherits {found.base}" if found.base else ""))
    front = yaml.safe_dump(dict(found.fields), allow_unicode=True, sort_keys=False, width=78)
    sys.stdout.write(f"---\n{front}---\n{found.body}")


@app.command()
def mounts(workspace: Workspace = Path(), json: Json = False) -> None:
    """List the mounted sibling layers with what the boot profile says of each. Exit status 1 where they disagree."""
    from measure.cli.output import print_json, say, show
    from measure.errors import RequestError
    from measure.surface.mounts import check_mounts, read_mounts

    manifest = _manifest(workspace)
    path = manifest.boot_profile_path
    try:
        data = (workspace / path).read_bytes()
    except OSError as reason:
        raise RequestError(f"the boot profile {path} can't be read: {reason.strerror or reason}.") from None
    reading = read_mounts(data, path)
    problems = check_mounts(reading, manifest.mounts, path)
    entries = {entry.mount: entry for entry in reversed(reading.entries)}
    if json:
        rows = [
            {
                "name": mount.name,
                "owner": mount.owner,
                "entry": None
                if (entry := entries.get(mount.name)) is None
                else {"line": entry.line, "owner": entry.owner, "carries": entry.carries, "read_when": entry.read_when},
            }
            for mount in manifest.mounts
        ]
        faults = [{"path": p.path, "line": p.line, "message": p.message, "fix": p.fix} for p in problems]
        print_json({"schema": 1, "boot_profile": path, "mounts": rows, "problems": faults})
    else:
        for mount in manifest.mounts:
            show(f"{mount.name}  (owner: {mount.owner})")
            entry = entries.get(mount.name)
            if entry is None:
                show("  no entry in the boot profile")
                continue
            for label, text in (("carries", entry.carries), ("read when", entry.read_when)):
                first, *rest = textwrap.wrap(text, 66) or [""]
                show(f"  {label:<10}{first}")
                for line in rest:
                    show(f"{'':12}{line}")
            show(f"  {'entry':<10}{path}:{entry.line}")
        for problem in problems:
            say(f"{problem.path}:{problem.line}: {problem.message}; {problem.fix}")
        if not manifest.mounts and not problems:
            say("The manifest declares no mounts, and the boot profile has no block of them.")
    if problems:
        raise typer.Exit(1)


def _manifest(workspace: Path) -> Manifest:
    from measure.errors import RequestError
    from measure.surface.leji import MANIFEST_FILE, read_manifest

    manifest = read_manifest(workspace)
    if manifest is None:
        raise RequestError(f"{workspace / MANIFEST_FILE} does not exist: this is no context layer.")
    return manifest
