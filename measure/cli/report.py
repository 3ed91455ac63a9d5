"""`measure report`: recorded runs as one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from measure.cli.documents import ReportDocument
from measure.cli.output import print_json, say, show
from measure.errors import RequestError
from measure.record.library import find, load_with_family
from measure.record.store import default_root
from measure.report.page import render_page

STDOUT = Path("-")


def write_page(names: Sequence[str], output: Path, root: Path | None, *, together: bool, as_json: bool) -> None:
    """Write the page whole or not at all; `-` is stdout.

    `together`: with all that was measured together with the runs named.
    """
    folders = list(dict.fromkeys(find(default_root(root), name) for name in names))
    records, family = load_with_family(folders)
    records = family if together else records
    page = render_page(records, family)
    if output == STDOUT:
        if as_json:
            raise RequestError(
                "--json and -o - both want stdout, which holds one document",
                hint="Name a file with -o, or drop --json.",
            )
        show(page.removesuffix("\n"))
        return
    temporary = output.with_name(f".{output.name}.new")
    try:
        temporary.write_text(page, encoding="utf-8")
        temporary.replace(output)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RequestError(
            f"the page can't be written to {output}: {error.strerror or error}", hint="Name a writable file with -o."
        ) from error
    if as_json:
        print_json(ReportDocument(page=output, runs=tuple(record.run_id for record in records)))
    say(f"Page: {output} ({len(page) / 1000:.0f} kB)")
