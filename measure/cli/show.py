"""`measure runs` and `measure show`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from measure.cli.output import print_json, say, show
from measure.errors import RequestError
from measure.record.index import listed
from measure.record.library import Row, Unreadable, find, load, with_family
from measure.record.models import RunRecord
from measure.record.select import Wanted, ordered
from measure.record.store import default_root, is_running


def print_record(record: RunRecord) -> None:
    """A record for people, on stdout: coloured on a terminal, in what signs the terminal has."""
    from measure.report.terminal import render

    width, colour, unicode = _page()
    show(render(record, width=width, colour=colour, unicode=unicode).rstrip("\n"))


def print_family(records: Sequence[RunRecord]) -> None:
    """Lines that were measured together, a row for each."""
    from measure.report.family import render_family

    width, colour, unicode = _page()
    show(render_family(records, width=width, colour=colour, unicode=unicode).rstrip("\n"))


def _page() -> tuple[int, bool, bool]:
    """Columns of stdout, whether it takes colours, and signs beyond ASCII."""
    from measure.report.terminal import WIDTH

    terminal = sys.stdout.isatty()
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, 160) if terminal else WIDTH
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return width, terminal, encoding.startswith("utf")


def show_run(name: str, root: Path | None, *, form: str) -> None:
    """Print one record as `text`, `md` or `json`."""
    _known(form, ("text", "md", "json"))
    folder = find(default_root(root), name)
    record = load(folder)
    if form == "json":
        print_json(record)
        return
    from measure.report.family import family_block, family_sentences

    family = with_family([record], folder.parent)
    if form == "md":
        from measure.report.markdown import record_markdown

        show(record_markdown(record, family_sentences(family)).rstrip("\n"))
    else:
        print_record(record)
        if together := family_block(family, _page()[0]):
            show(together)


def list_runs(root: Path | None, choose: Wanted, *, order: str, form: str) -> None:
    """Print the runs that are wanted, as `text`, `csv`, `md` or `json`."""
    _known(form, ("text", "csv", "md", "json"))
    where = default_root(root)
    if root is not None and not root.is_dir():
        raise RequestError(f"--runs {root}: there is no such folder", hint="Name the folder that holds the records.")
    try:
        found = listed(where)
    except OSError as error:
        raise RequestError(f"can't list the records in {where}: {error.strerror or error}") from error
    unreadable = [one for one in found if isinstance(one, Unreadable)]
    good = ordered((one for one in found if isinstance(one, Row) and choose.fits(one)), order)
    running = {row.run_id for row in good if not row.complete and is_running(where / row.run_id)}
    if form == "json":
        from measure.cli.documents import ListDocument, UnreadableFolder

        print_json(
            ListDocument(
                root=str(where),
                runs=tuple(good),
                running=tuple(sorted(running)),
                unreadable=tuple(UnreadableFolder(folder=str(one.folder), why=one.why) for one in unreadable),
            )
        )
    elif form == "csv":
        _csv(good)
    elif not good:
        say(f"No runs in {where}." if choose == Wanted() else f"No run in {where} fits.")
    elif form == "md":
        from measure.report.markdown import runs_markdown

        show(runs_markdown(good).rstrip("\n"))
    else:
        show(_table(good, running))
    for one in unreadable:
        say(f"measure: {one.why}" if str(one.folder) in one.why else f"measure: {one.folder} can't be read: {one.why}")


def _known(form: str, forms: tuple[str, ...]) -> None:
    if form not in forms:
        raise RequestError(f"--format {form!r}: expected one of {', '.join(forms)}")


_STARTS_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What makes a spreadsheet compute a cell (OWASP, "CSV Injection"); the last four are the wide forms."""


def _csv(rows: list[Row]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Row.model_fields)
    writer.writerows(map(_harmless, row.model_dump(mode="json").values()) for row in rows)


def _harmless(cell: object) -> object:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_FORMULA) else cell


def _table(rows: list[Row], running: Collection[str]) -> str:
    from measure.report.visible import visible

    lines = [f"{'run':<22} {'finding':<13} {'launches':>8} {'USD':>8}  {'contrast'}"]
    for row in rows:
        mark = "" if row.complete else " ~" if row.run_id in running else " *"
        cost = "n/a" if row.cost_usd is None else f"{row.cost_usd:.4f}"
        place = " ".join(part for part in (row.kind, row.place, f"({row.reason})" if row.reason else None) if part)
        lines.append(f"{row.run_id:<22} {row.finding + mark:<13} {row.launches:>8} {cost:>8}  {visible(place)}")
    if running:
        lines.append("~ under way")
    if any(not row.complete and row.run_id not in running for row in rows):
        lines.append("* not complete: 'measure resume RUN' goes on")
    return "\n".join(lines)
