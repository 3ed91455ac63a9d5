"""No number that is none, or has no end, gets into a command, a record, or what is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest

from measure.cli.app import app
from measure.cli.output import print_json
from measure.record.store import dump
from tests.doubles.records import kinds
from tests.doubles.workplace import Workplace


def options_with_numbers() -> list[tuple[str, str]]:
    """Every option of every command that takes a fraction."""
    found = []
    groups = [
        ("", app),
        *((f"{group.name} " if group.name else "", group.typer_instance) for group in app.registered_groups),
    ]
    for path, group in groups:
        for command in group.registered_commands if group is not None else ():
            assert command.callback is not None
            for kind in get_type_hints(command.callback, include_extras=True).values():
                value, *info = get_args(kind) if get_origin(kind) is Annotated else (kind,)
                if value is float or float in get_args(value):
                    found.append(
                        (
                            f"{path}{command.name or command.callback.__name__}",
                            (info[0].param_decls or (info[0].default,))[0],
                        )
                    )
    return found


NUMBERS = options_with_numbers()


def test_there_are_such_options() -> None:
    assert {("run", "--budget-usd"), ("resume", "--budget-usd"), ("band", "--time-limit")} <= set(NUMBERS)


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e999"])
@pytest.mark.parametrize(("command", "option"), NUMBERS, ids=lambda value: str(value).replace(" ", "-"))
def test_a_number_without_end_is_refused_and_the_option_named(command: str, option: str, number: str) -> None:
    from typer.testing import CliRunner

    needed = ["--probe", "x"] if command in {"run", "band"} else ["last"]
    done = CliRunner().invoke(app, [*command.split(), *needed, f"{option}={number}"])
    assert done.exit_code == 2, done.output
    assert option in done.output


def test_a_budget_without_end_leaves_no_record(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    done = place.measure(*place.arguments("--drop", "CLAUDE.md:4", "--budget-usd", "inf"))
    assert done.returncode == 2
    assert "--budget-usd" in done.stderr
    assert place.folders() == []


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_what_json_has_no_word_for_is_never_written(number: float) -> None:
    record = next(iter(kinds().values()))
    spoilt = record.model_copy(update={"spending": record.spending.model_copy(update={"wall_s": number})})
    with pytest.raises(ValueError, match="JSON"):
        dump(spoilt)
    with pytest.raises(ValueError, match="JSON"):
        print_json(spoilt)
    json.loads(dump(record))
