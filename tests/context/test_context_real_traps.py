"""Every trap of deleting a line that can be shown on loopback, with two versions of the real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from measure.errors import ContrastError
from tests.context.arms import write
from tests.context.launching import Bench, bench
from tests.doubles import real_clients
from tests.doubles.real_clients import RealClient

pytestmark = pytest.mark.real_client

LONG = " ".join(f"word{number}" for number in range(400))
FOO, CUT, BARE = (f".claude/skills/{name}/SKILL.md" for name in ("foo", "cut", "bare"))
WORKSPACE = {
    "CLAUDE.md": "# Rules\n\n- Keep functions short.\n\n- Ask before you push.\n- Say <!-- really --> why.\n"
    "<!--\nA hidden line.\n-->\n@docs/guide.md\n- Last line of all.",
    "docs/guide.md": "Guide says so.\n@deep.md\n",
    "docs/deep.md": "Deep text.\n",
    "AGENTS.md": "Agents text.\n",
    ".claude/rules/ways.md": "Two ways lead here.\nAnd on.\n",
    ".claude/rules/ways2.md": "->ways.md",
    ".claude/rules/only.md": "The only line of its file.\n",
    ".claude/rules/crlf.md": "One.\r\nTwo of them.\r\nThree.\r\n",
    ".claude/rules/front.md": "---\ntitle: A title.\nkind: note\n---\nBody text.\n",
    ".claude/rules/paths.md": "---\npaths: src/**\n---\nOnly for sources.\nOther.\n",
    ".claude/rules/again.md": "* **Ask before you push**\n",
    ".claude/rules/alike.md": "Before you do push, ask.\n",
    ".claude/output-styles/terse.md": "---\nname: terse\ndescription: d\n---\nSpeak in few words.\nBe kind.\n",
    ".claude/settings.json": '{"outputStyle": "terse"}',
    FOO: "---\nname: foo\ndescription: Deploys to production.\n---\nThe body of foo.\nMore.\n",
    CUT: f"---\nname: cut\ndescription: >\n  {LONG[:800]}\n  A middle line.\n  {LONG[800:1700]}\n  A late line.\n"
    "---\nb\n",
    BARE: "---\nname: bare\ndescription: Will be gone.\n---\nFirst of the body.\n",
    ".claude/agents/rev.md": "---\nname: rev\ndescription: Reviews changes.\n---\nThe body of rev.\n",
    ".claude/commands/ship.md": "---\ndescription: Ships it.\n---\nThe body of ship.\n",
}


@pytest.fixture(scope="module", params=real_clients.NAMES)
def client(request: pytest.FixtureRequest) -> RealClient:
    return real_clients.required(request.param)


@pytest.fixture(scope="module")
def desk(client: RealClient, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    root = tmp_path_factory.mktemp("r")
    with bench(client, write(root / "project", WORKSPACE), root) as opened:
        yield opened


@pytest.mark.parametrize(
    ("edit", "gone", "came"),
    [
        (("drop", "CLAUDE.md:5"), ("- Ask before you push.",), ()),
        (("drop", "CLAUDE.md:6"), ("- Say <!-- really --> why.",), ()),
        (("drop", "CLAUDE.md:11"), ("- Last line of all.",), ()),
        (("add", "CLAUDE.md:3", "- New line."), (), ("- New line.",)),
        (("drop", "docs/guide.md:1"), ("Guide says so.",), ()),
        (("drop", ".claude/rules/crlf.md:2"), ("Two of them.",), ()),
        (("drop", ".claude/output-styles/terse.md:5"), ("Speak in few words.",), ()),
        (("replace", ".claude/commands/ship.md:2", "description: Sails."), ("- ship: Ships it.",), ("- ship: Sails.",)),
        (
            ("replace", FOO, "description: Rolls back."),
            ("- foo: Deploys to production.",),
            ("- foo: Rolls back.",),
        ),
    ],
)
def test_what_is_loaded_is_proved(
    desk: Bench, edit: tuple[str, ...], gone: tuple[str, ...], came: tuple[str, ...]
) -> None:
    place = edit[1] if ":" in edit[1] else f"{edit[1]}:3"
    proof = desk.prove(edit[0], place, *edit[2:])
    assert (proof.only_baseline, proof.only_variant) == (gone, came)
    assert not proof.framing
    assert proof.places


def test_an_agents_description_is_proved_in_its_list(desk: Bench) -> None:
    proof = desk.prove("replace", ".claude/agents/rev.md:3", "description: Looks at changes.")
    (gone,), (came,) = proof.only_baseline, proof.only_variant
    assert "rev: Reviews changes." in gone
    assert came == gone.replace("Reviews changes.", "Looks at changes.")


def test_a_file_that_two_ways_lead_to_is_one_text(desk: Bench) -> None:
    proof = desk.prove("drop", ".claude/rules/ways.md:1")
    assert set(proof.only_baseline) == {"Two ways lead here."}


def test_an_import_line_takes_its_files_along(desk: Bench) -> None:
    proof = desk.prove("drop", "CLAUDE.md:10")
    assert set(proof.brought) == {"docs/guide.md", "docs/deep.md"}
    assert {"@docs/guide.md", "Guide says so.", "Deep text."} <= set(proof.only_baseline)


def test_the_only_line_of_a_rule_takes_its_heading_along(desk: Bench) -> None:
    proof = desk.prove("drop", ".claude/rules/only.md:1")
    assert "The only line of its file." in proof.only_baseline
    assert len(proof.framing) == 1
    assert "only.md" in proof.framing[0]


def test_the_same_words_elsewhere_are_told(desk: Bench) -> None:
    proof = desk.prove("drop", "CLAUDE.md:5")
    assert [(one.source, one.likeness) for one in proof.elsewhere] == [
        (".claude/rules/again.md:1", "same"),
        (".claude/rules/alike.md:1", "near"),
    ]


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (("drop", "CLAUDE.md:8"), "HTML comment"),
        (("drop", "CLAUDE.md:4"), "blank"),
        (("drop", ".claude/rules/front.md:2"), "front matter"),
        (("drop", f"{CUT}:7"), r"cuts the description after \d+ of its \d+ characters"),
        (("drop", "AGENTS.md:1"), "AGENTS"),
    ],
)
def test_what_never_reaches_the_model_is_refused_with_the_reason(
    desk: Bench, edit: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(ContrastError, match=reason) as refused:
        desk.prove(*edit)
    assert refused.value.exit_status == 2
    assert "on-demand" not in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (".claude/rules/paths.md:4", r"src/\*\*"),
        (f"{FOO}:5", "skill is used"),
        (".claude/agents/rev.md:5", "sub-agent"),
    ],
)
def test_what_comes_later_is_refused_unless_it_is_said_to_come_later(desk: Bench, place: str, reason: str) -> None:
    with pytest.raises(ContrastError, match=reason) as refused:
        desk.prove("drop", place)
    assert 'reached = "on-demand"' in (refused.value.hint or "")
    assert desk.prove("drop", place, on_demand=True).reached == "on-demand"


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (("drop", f"{CUT}:5"), "lets other text in"),
        (("drop", f"{BARE}:3"), "First of the body"),
        (("drop", ".claude/agents/rev.md:2"), "does not list"),
    ],
)
def test_an_edit_that_changes_a_second_thing_is_refused_and_names_it(
    desk: Bench, edit: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(ContrastError, match=reason):
        desk.prove(*edit)


def test_the_last_words_of_claude_md_let_agents_md_in(client: RealClient, tmp_path: Path) -> None:
    """The newer client reads AGENTS.md once no CLAUDE.md has text: a second difference. The older one never does."""
    workspace = write(tmp_path / "project", {"CLAUDE.md": "Ask before you push.\n", "AGENTS.md": "Agents text.\n"})
    with bench(client, workspace, tmp_path / "r") as desk:
        if client.name == "newer":
            with pytest.raises(ContrastError, match=r"loads AGENTS\.md instead"):
                desk.prove("drop", "CLAUDE.md:1")
        else:
            assert "Ask before you push." in desk.prove("drop", "CLAUDE.md:1").only_baseline


def test_a_list_of_skills_over_its_budget_shows_others_otherwise(client: RealClient, tmp_path: Path) -> None:
    files = {
        f".claude/skills/s{number:02}/SKILL.md": f"---\nname: s{number:02}\n"
        f"description: About {' '.join(f'topic{number}-{word}' for word in range(48))}\n---\nb\n"
        for number in range(40)
    }
    workspace = write(tmp_path / "project", files)
    with bench(client, workspace, tmp_path / "r") as desk, pytest.raises(ContrastError, match="budget"):
        desk.prove("replace", ".claude/skills/s03/SKILL.md:3", "description: Short.")
