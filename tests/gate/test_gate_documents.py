"""Every command's JSON document is described by its published schema, errors too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from typer.main import get_command

from measure import cli
from measure.cli.documents import DOCUMENTS, ErrorDocument
from tests.doubles.stub_client import init, install, result, text
from tests.doubles.workplace import LINE, Workplace
from tests.gate.repositories import QUIET, commit, git

REPOSITORY = Path(__file__).resolve().parents[2]


def commands(command: Any, name: str = "") -> Iterator[tuple[str, bool]]:
    """Names of all commands, and whether each knows `--json`."""
    below = getattr(command, "commands", {})
    if name and (not below or command.invoke_without_command):
        yield name, any("--json" in one.opts for one in command.params)
    for key, one in below.items():
        yield from commands(one, f"{name} {key}".strip())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("documents") / "place")
    git(made.workspace, "init", "-q")
    made.extra["BASE"] = commit(made.workspace)
    return made


class Calls:
    """Calls commands in this process and checks each document against its models and its published schema."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.seen: set[str] = set()

    def __call__(self, name: str, *arguments: str, status: int | None = 0) -> Any:
        told = cli.invoke([*name.split(), *arguments, "--json"])
        out, err = self.capsys.readouterr()
        assert status is None or told == status, err
        document = json.loads(out)
        wanted = "error" if isinstance(document, dict) and "error" in document else name
        fits(wanted, document)
        self.seen.add(wanted)
        return document


def fits(name: str, document: Any) -> None:
    text = json.dumps(document)
    kinds = DOCUMENTS[name]
    problems = []
    for kind in kinds:
        try:
            TypeAdapter(kind).validate_json(text)
        except ValueError as error:
            problems.append(str(error))
    assert len(problems) < len(kinds), problems
    published = schema_of(name)
    conforms(document, published, published, name)


def schema_of(name: str) -> dict[str, Any]:
    from measure.cli.schema import schema_of as made

    return made(name)


def conforms(value: Any, schema: dict[str, Any], root: dict[str, Any], where: str) -> None:
    """The part of JSON Schema that the published schemas use; anything else in one is an error."""
    known = {
        *("$schema", "$defs", "$ref", "title", "description", "default", "type", "properties", "required", "items"),
        *("anyOf", "oneOf", "enum", "const", "discriminator", "additionalProperties", "format", "propertyNames"),
        *("minItems", "maxItems", "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum"),
        *("exclusiveMaximum", "prefixItems"),
    }
    assert set(schema) <= known, set(schema) - known
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return conforms(value, root["$defs"][name], root, where)
    for either in ("anyOf", "oneOf"):
        if either in schema:
            return some(value, schema[either], root, where)
    if "const" in schema:
        assert value == schema["const"], where
    if "enum" in schema:
        assert value in schema["enum"], (where, value)
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    if "type" in schema:
        wanted = kinds.get(schema["type"], (int, float))
        assert isinstance(value, wanted), (where, value, schema["type"])
        assert isinstance(value, bool) == (schema["type"] == "boolean"), (where, value)
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value), (where, value.keys())
        others = schema.get("additionalProperties")
        for key, one in value.items():
            own = schema.get("properties", {}).get(key, others)
            assert own is not None, f"{where}.{key} is not in the schema"
            if isinstance(own, dict):
                conforms(one, own, root, f"{where}.{key}")
    if isinstance(value, list):
        for index, one in enumerate(value):
            own = schema.get("prefixItems", [])[index : index + 1] or [schema.get("items", {})]
            conforms(one, own[0], root, f"{where}[{index}]")
    return None


def some(value: Any, schemas: list[dict[str, Any]], root: dict[str, Any], where: str) -> None:
    problems = []
    for one in schemas:
        try:
            conforms(value, one, root, where)
        except AssertionError as error:
            problems.append(str(error)[:300])
        else:
            return
    raise AssertionError(f"{where}: none of the forms fits: {problems}")


def test_every_commands_output_fits_its_schema(
    place: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**place.environment, **QUIET}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    call = Calls(capsys)
    at = ("-w", str(place.workspace))
    asked = place.arguments("--drop", LINE)[1:]
    measured, again = (call("run", *asked)["runs"][0]["run_id"] for _ in range(2))
    call("run", *asked, "--dry-run")
    call("run", status=2)
    call("band", *asked, "--repeats", "1")
    call("band", *asked, "--dry-run")
    runs = [row["run_id"] for row in call("runs")["runs"]]
    call("show", measured)
    call("show", runs[0])
    call("show", "no-such-run", status=2)
    call("compare", measured, again)
    call("report", measured, "-o", str(tmp_path / "page.html"))
    call(
        "context",
        "--client",
        str(install(tmp_path / "bin", [init(), text("x"), result("x")])),
        "--model",
        "model-1",
        *at,
    )
    call("judge", measured)
    call("resume", measured, status=2)
    call("resume", again, "--max-rounds", "8")
    call("brief", measured)
    call("review", *runs)
    call("unmeasured", "--reason", "no-agent", "--base", place.extra["BASE"], *at)
    call("gate", "--base", "0" * 40, "--governed", "*.md", *at)
    call("gate", "--base", place.extra["BASE"], "--governed", "*.md", *at)
    call("show", "last")
    (place.workspace / "CLAUDE.md").write_text("# Rules\n\n- Ask before you push.\n")
    commit(place.workspace)
    fired = call("gate", "--base", place.extra["BASE"], "--governed", "*.md", *at)
    assert fired["candidates"] == [one["drop"] for one in fired["places"]]
    failing = "schema = 1\nmodel = 'simulated-1'\n[[disposition]]\nprompt = 'The fix'\n[[disposition.case]]\n"
    place.agent.write_text(failing + "answer = [{ fail = 'usage-limit' }]\n")
    call("run", *place.arguments("--drop", "CLAUDE.md:3")[1:], status=4)
    status = cli.invoke(["doctor", "--json"])
    fits("doctor", json.loads(capsys.readouterr().out))
    call.seen |= {"doctor", "surface mounts", "surface profile"}
    assert status in (0, 2, 3, 5)
    call("probe new", "CLAUDE.md:3", "-o", str(tmp_path / "drafts"), *at)
    call("probe check", str(tmp_path / "drafts"), *at, status=2)
    call("probe check", str(place.probes), *at)
    layer_calls(call, tmp_path)
    assert set(DOCUMENTS) - call.seen == set()


def layer_calls(call: Calls, folder: Path) -> None:
    """The commands over formats, at a rule repository and a context layer."""
    tree = folder / "tree"
    skill = tree / "skills/one/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: one\ndescription: Invoke when a / b. Gives c.\n---\n\n# One\n")
    broken = tree / "skills/two/SKILL.md"
    broken.parent.mkdir(parents=True)
    broken.write_text("---\nname: two\ndescription: Nothing\n---\n\n# Two\n")
    rule = tree / "rules/a.md"
    rule.parent.mkdir()
    rule.write_text("<b>\n\n# A\n\n</b>\n")
    at = ("--workspace", str(tree))
    call("surface", *at)
    assert call("surface check", *at, status=1)["findings"]
    call("surface triggers", *at)
    call("surface wrap", str(skill))
    call("surface unwrap", str(skill))
    template = tree / "template.md"
    template.write_text("# --- Li+ BEGIN (v1) ---\ntext\n# --- Li+ END ---\n")
    call("surface sync", str(template), str(tree / "target.md"))
    call("surface sync", str(template), str(tree / "target.md"))


@pytest.mark.parametrize("example", ["mounts", "profile"])
def test_a_context_layers_documents_fit(example: str) -> None:
    """Written by hand, since a whole layer is long; the commands print these very fields."""
    entry = {"line": 3, "owner": "o", "carries": "c", "read_when": "r"}
    documents: dict[str, Any] = {
        "mounts": {
            "boot_profile": "docs/boot-profile.md",
            "mounts": [{"name": "m", "owner": "o", "entry": entry}, {"name": "n", "owner": "o", "entry": None}],
            "problems": [{"path": "p", "line": 1, "message": "m", "fix": "f"}],
        },
        "profile": {"path": "p", "base": None, "fields": {"id": "x"}, "body": "b"},
    }
    fits(f"surface {example}", documents[example])


def test_every_command_that_prints_json_has_a_schema() -> None:
    from measure.cli.app import app

    named = dict(commands(get_command(app)))
    assert len(named) > 15
    assert {name for name, prints in named.items() if prints} == set(DOCUMENTS) - {"error"}


def test_schemas_are_printed_and_let_later_fields_through(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.invoke(["schema"]) == 0
    every = json.loads(capsys.readouterr().out)["schemas"]
    assert set(every) == set(DOCUMENTS)
    assert '"additionalProperties": false' not in json.dumps(every)
    assert cli.invoke(["schema", "probe", "check"]) == 0
    assert json.loads(capsys.readouterr().out) == every["probe check"]
    assert cli.invoke(["schema", "no-such"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["gate", "--json"],
        ["gate", "--base", "no-such", "--json"],
        ["no-such", "--json"],
        ["brief", "no-such", "--json"],
        ["unmeasured", "--reason", "no-such", "--json"],
        ["run", "--probe", "no-such", "--max-rounds", "x", "--json"],
    ],
)
def test_an_error_is_one_document_too(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEASURE_RUNS", str(tmp_path))
    monkeypatch.chdir(REPOSITORY)
    assert cli.invoke(arguments) == 2
    out = capsys.readouterr().out
    assert ErrorDocument.model_validate_json(out).error.message
    fits("error", json.loads(out))


def test_nothing_here_needs_git_for_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEASURE_RUNS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("git") is None
    assert cli.invoke(["unmeasured", "--reason", "no-agent"]) == 0
    assert cli.invoke(["gate", "--base", "HEAD"]) == 2
