"""The proof: the intended line and nothing else, in every layout; whatever else differs is named and refused."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.context.prove import proof_from
from measure.errors import ContrastError
from tests.context.arms import arms, texts
from tests.context.requests import LAYOUTS, request

RULES = "# Rules\n\n- Keep functions short.\n- Ask before you push.\n- Prefer small commits.\n"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("edit", "gone", "came"),
    [
        (("drop", "CLAUDE.md:4"), ("- Ask before you push.",), ()),
        (("drop", "CLAUDE.md:5"), ("- Prefer small commits.",), ()),
        (("drop", "CLAUDE.md:1"), ("# Rules",), ()),
        (("replace", "CLAUDE.md:4", "- Push."), ("- Ask before you push.",), ("- Push.",)),
        (
            ("replace", "CLAUDE.md:4", "- Prefer small commits."),
            ("- Ask before you push.",),
            ("- Prefer small commits.",),
        ),
        (("add", "CLAUDE.md:3", "- New."), (), ("- New.",)),
        (("add", "CLAUDE.md:5", "- New.\n\n- And more."), (), ("- New.", "- And more.")),
    ],
)
def test_one_line_is_all_that_differs(
    tmp_path: Path, layout: Any, edit: tuple[str, ...], gone: tuple[str, ...], came: tuple[str, ...]
) -> None:
    both = arms(tmp_path, {"CLAUDE.md": RULES}, *edit)
    baseline, variant = (request(texts(arm, "CLAUDE.md"), layout=layout) for arm in (both.baseline, both.variant))
    proof = proof_from(both, baseline, variant)
    assert (proof.only_baseline, proof.only_variant) == (gone, came)
    assert proof.reached == "launch"
    assert proof.digest_baseline != proof.digest_variant


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINE, min_size=2, max_size=9), at=st.integers(0, 8), second=st.integers(0, 8))
def test_a_second_difference_is_never_taken_for_proof(lines: list[str], at: int, second: int) -> None:
    """Whatever the lines: the edit alone is proved or is in neither request; the edit and one more line is refused."""
    at, second = at % len(lines), second % len(lines)
    lines[at] = "- The line."
    if second == at or not lines[second].strip():
        return
    with tempfile.TemporaryDirectory() as folder:
        both = arms(Path(folder), {"CLAUDE.md": "# Top\n" + "\n".join(lines) + "\n"}, "drop", f"CLAUDE.md:{at + 2}")
        baseline, variant = (texts(arm, "CLAUDE.md") for arm in (both.baseline, both.variant))
        proof = proof_from(both, request(baseline), request(variant))
        assert proof.only_baseline == ("- The line.",)
        edited = variant["CLAUDE.md"] + "\nA second difference."
        with pytest.raises(ContrastError, match="A second difference"):
            proof_from(both, request(baseline), request({"CLAUDE.md": edited}))
        with pytest.raises(ContrastError):
            proof_from(both, request(baseline), request(variant, prompt="What then?"))


def test_another_value_anywhere_is_a_difference(tmp_path: Path) -> None:
    both = arms(tmp_path, {"CLAUDE.md": RULES}, "drop", "CLAUDE.md:4")
    variant = request(texts(both.variant, "CLAUDE.md"))
    variant.body["max_tokens"] = 64000
    with pytest.raises(ContrastError, match="max_tokens"):
        proof_from(both, request(texts(both.baseline, "CLAUDE.md")), variant)


def test_equal_requests_are_no_proof_unless_the_text_is_reached_later(tmp_path: Path) -> None:
    both = arms(tmp_path, {"CLAUDE.md": RULES}, "drop", "CLAUDE.md:4")
    same = request({"CLAUDE.md": "# Rules"})
    with pytest.raises(ContrastError, match=r"CLAUDE\.md:4") as refused:
        proof_from(both, same, same)
    assert refused.value.exit_status == 2
    assert proof_from(both, same, same, on_demand=True).reached == "on-demand"


def test_a_line_loaded_twice_is_one_edit_in_two_places(tmp_path: Path) -> None:
    both = arms(tmp_path, {"CLAUDE.md": RULES, "more.md": "x"}, "drop", "CLAUDE.md:4")
    baseline, variant = (texts(arm, "CLAUDE.md")["CLAUDE.md"] for arm in (both.baseline, both.variant))
    first, second = (request({"CLAUDE.md": text, "again.md": text}) for text in (baseline, variant))
    proof = proof_from(both, first, second)
    assert proof.only_baseline == ("- Ask before you push.",) * 2
    assert any("2 times" in notice for notice in proof.notices)


def test_a_blank_file_takes_the_clients_words_around_it_along(tmp_path: Path) -> None:
    both = arms(tmp_path, {"CLAUDE.md": "Ask before you push.\n"}, "drop", "CLAUDE.md:1")
    proof = proof_from(both, request({"CLAUDE.md": "Ask before you push."}), request({}))
    assert any(line.startswith("Contents of <workspace>/CLAUDE.md") for line in proof.framing)
    assert "Ask before you push." not in proof.framing


def test_but_text_of_another_file_never_passes_for_such_words(tmp_path: Path) -> None:
    files = {"CLAUDE.md": "Ask before you push.\n", ".claude/rules/a.md": "Alpha rule.\n"}
    both = arms(tmp_path, files, "drop", "CLAUDE.md:1")
    with pytest.raises(ContrastError, match="Alpha rule"):
        proof_from(both, request(texts(both.baseline, *files)), request({}))


def test_a_file_that_comes_in_instead_is_named(tmp_path: Path) -> None:
    files = {"CLAUDE.md": "Ask before you push.\n", "AGENTS.md": "Agents do this.\n"}
    both = arms(tmp_path, files, "drop", "CLAUDE.md:1")
    with pytest.raises(ContrastError, match=r"AGENTS\.md instead"):
        proof_from(both, request({"CLAUDE.md": "Ask before you push."}), request({"AGENTS.md": "Agents do this."}))


def test_the_same_text_in_another_order_is_named(tmp_path: Path) -> None:
    files = {"CLAUDE.md": RULES, ".claude/rules/a.md": "Alpha.\n", ".claude/rules/b.md": "Beta.\n"}
    both = arms(tmp_path, files, "drop", "CLAUDE.md:4")
    turned = ["CLAUDE.md", ".claude/rules/b.md", ".claude/rules/a.md"]
    with pytest.raises(ContrastError, match="another order"):
        proof_from(both, request(texts(both.baseline, *files)), request(texts(both.variant, *turned)))


def test_an_import_takes_its_file_along(tmp_path: Path) -> None:
    files = {"CLAUDE.md": "# Rules\n@doc.md\n", "doc.md": "Imported.\n@deep.md\n", "deep.md": "Deeper.\n"}
    both = arms(tmp_path, files, "drop", "CLAUDE.md:2")
    proof = proof_from(both, request(texts(both.baseline, *files)), request(texts(both.variant, "CLAUDE.md")))
    assert proof.brought == ("deep.md", "doc.md")
    assert {"Imported.", "Deeper."} <= set(proof.only_baseline)


SKILL = "---\nname: foo\ndescription: {}\n---\nThe body's first line.\n"
SKILLS = ".claude/skills/foo/SKILL.md"


def test_a_description_shows_as_its_value_in_a_list(tmp_path: Path) -> None:
    both = arms(
        tmp_path,
        {SKILLS: SKILL.format('"Deploys: to  production."')},
        "replace",
        f"{SKILLS}:3",
        "description: Deploys.",
    )
    lists = "The following skills are available:\n\n- foo: {}\n- other: More."
    proof = proof_from(
        both, request({}, lists=lists.format("Deploys: to production.")), request({}, lists=lists.format("Deploys."))
    )
    assert proof.only_baseline == ("- foo: Deploys: to production.",)
    with pytest.raises(ContrastError, match="budget"):
        proof_from(
            both,
            request({}, lists=lists.format("Deploys: to production.")),
            request({}, lists=lists.format("Deploys.").replace("- other: More.", "- other")),
        )


def test_words_of_the_line_elsewhere_are_told_with_their_source(tmp_path: Path) -> None:
    files = {
        "CLAUDE.md": RULES,
        ".claude/rules/a.md": "Intro.\n\n* **Ask before you push**\n",
        ".claude/rules/b.md": "Before you do push, always ask first.\n",
    }
    both = arms(tmp_path, files, "drop", "CLAUDE.md:4")
    proof = proof_from(both, request(texts(both.baseline, *files)), request(texts(both.variant, *files)))
    found = {(one.source, one.likeness) for one in proof.elsewhere}
    assert (".claude/rules/a.md:3", "same") in found
    assert (".claude/rules/b.md:1", "near") in found
    assert not any(source.startswith("CLAUDE.md") for source, _ in found)


def test_the_header_of_an_imported_file_is_no_copy_of_the_line_that_imports_it(tmp_path: Path) -> None:
    files = {"CLAUDE.md": f"{RULES}@docs/more/rules.md\n", "docs/more/rules.md": "- A rule of its own.\n"}
    both = arms(tmp_path, files, "drop", "CLAUDE.md:6")
    baseline, variant = (request(texts(arm, *files)) for arm in (both.baseline, both.variant))
    proof = proof_from(both, baseline, variant)
    assert proof.only_baseline == ("@docs/more/rules.md",)
    assert proof.elsewhere == ()


def test_words_of_the_prompt_and_of_other_lines_are_not_elsewhere(tmp_path: Path) -> None:
    both = arms(tmp_path, {"CLAUDE.md": RULES}, "drop", "CLAUDE.md:4")
    prompt = "You want to ask before you push. What now?"
    baseline, variant = (request(texts(arm, "CLAUDE.md"), prompt=prompt) for arm in (both.baseline, both.variant))
    assert proof_from(both, baseline, variant, (prompt,)).elsewhere == ()


def test_a_telling_path_that_the_agent_sees_is_told(tmp_path: Path) -> None:
    both = arms(tmp_path, {"CLAUDE.md": RULES}, "drop", "CLAUDE.md:4")
    baseline, variant = (request(texts(arm, "CLAUDE.md")) for arm in (both.baseline, both.variant))
    assert not any("path" in notice for notice in proof_from(both, baseline, variant).notices)
    shown = replace(baseline, shows=(Path("/tmp/my-test-copy/abc"),))
    assert any("my-test-copy" in notice for notice in proof_from(both, shown, variant).notices)
