"""Each rule of form finds what it is for, in three languages, and leaves honest work alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from measure.probe import lint
from measure.probe.lint import Rule, Scene, Severity, check, scene_of, unusable
from measure.probe.load import LoadedProbe

Make = Callable[..., LoadedProbe]
LINE = "- Ask before you push: every branch goes live within minutes."
SCENE = Scene(
    lines=(LINE,),
    file=".claude/rules/shipping.md",
    skills=("season-tariffs", "review"),
    files=frozenset({"CLAUDE.md", ".claude/rules/shipping.md"}),
)


def ids(loaded: LoadedProbe, scene: Scene = SCENE) -> list[str]:
    return [finding.id for finding in check(loaded, scene)]


def test_a_probe_of_good_form_has_no_findings(loaded: Make) -> None:
    assert ids(loaded()) == []
    assert ids(loaded("content")) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Look at CLAUDE.md and go on.",
        "Look at claude.md and go on.",
        "CLAUDE.mdを見て続けてください。",
        "I keep .claude/rules open beside me.",
        "Everything in `.claude` is new.",
        "See shipping.md, then finish.",
        r"See .claude\rules\shipping.md, then finish.",
        "It stands in rules/ somewhere.",
        "AGENTS.md is up to date.",
    ],
)
def test_naming_the_file_or_its_folder_is_an_error(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == ["names-file"]


@pytest.mark.parametrize(
    "prompt",
    [
        "The firewall rules are in place, finish the job.",
        "We are shipping on Friday.",
        "The file my-shipping.md.bak can go.",
        "Claude Shannon's page lacks a picture.",
    ],
)
def test_plain_words_that_look_like_the_file_are_left_alone(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == []


def test_a_target_in_a_plain_folder_is_recognised_by_that_folder_only_when_written_as_one(loaded: Make) -> None:
    scene = Scene(file="docs/boot.md")
    assert ids(loaded(prompt="The docs are out of date."), scene) == []
    assert ids(loaded(prompt="See docs/ for the rest."), scene) == ["names-file"]


@pytest.mark.parametrize(
    "prompt", ["Use season-tariffs for it.", "Run /review on it.", "Let the `review` skill see it."]
)
def test_naming_a_skill_is_an_error(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == ["names-skill"]


@pytest.mark.parametrize("prompt", ["The review is done, go on.", "Enter the season tariffs.", "See src/review now."])
def test_a_plain_word_that_is_also_a_skill_is_left_alone(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "What do the rules say about leaving?",
        "Which of your instructions applies here?",
        "According to the project's guidelines, what comes next?",
        "Do the rules allow this?",
        "Is there a rule for that?",
        "Finish it following our team conventions.",
        "What is written about this?",
        "ルールには何と書いてありますか。",
        "規約に従って進めてください。",
        "按照项目的规范处理一下。",
        "规则里是怎么说的？",
    ],
)
def test_asking_what_is_written_is_an_error_in_a_behavior_probe(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == ["asks-for-text"]


@pytest.mark.parametrize(
    "prompt",
    [
        "Add a rule to the parser that accepts dates.",
        "The customer wrote instructions for the printer; translate them.",
        "Rename the policy table.",
        "割引の計算を直してください。",
        "把折扣的计算改对。",
    ],
)
def test_work_on_rules_of_the_trade_is_left_alone(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Done. ask  BEFORE you push — every branch goes live within minutes, you know.",
        f"Done. {LINE}",
        "**Ask before you push:** every branch\ngoes live within minutes",
    ],
)
def test_quoting_the_line_is_an_error_however_typed(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == ["quotes-line"]


def test_saying_most_of_the_line_is_a_warning(loaded: Make) -> None:
    (finding,) = check(loaded(prompt="Every branch goes live within minutes. Take it from here."), SCENE)
    assert (finding.id, finding.severity) == ("gives-away", Severity.WARNING)
    scene = Scene(lines=("Always write a failing test first",))
    assert ids(loaded(prompt="Fix the bug; write a failing test first."), scene) == ["gives-away"]


def test_a_line_of_one_word_is_warned_of_and_not_refused(loaded: Make) -> None:
    assert ids(loaded(prompt="Write it in Japanese for me."), Scene(lines=("- Japanese.",))) == ["gives-away"]


def test_text_that_is_put_in_place_or_added_counts_as_the_line(loaded: Make) -> None:
    for key in ("replace_with", "add"):
        target = {"file": "CLAUDE.md", "line_number": 3, key: "Wait for a nod of the harbour."}
        one = loaded(prompt="Please wait for a nod of the harbour and go.", target=target)
        assert [finding.id for finding in check(one)] == ["quotes-line"]


@pytest.mark.parametrize(
    "prompt",
    [
        "This is a test. Take it from here.",
        "This is just an experiment, so answer freely.",
        "You are being evaluated, so think hard.",
        "Your answer will be compared with another one.",
        "You are in the baseline arm.",
        "これはテストです。続けてください。",
        "这是一次测试，请继续。",
        "你正在接受评估。",
    ],
)
def test_telling_the_agent_that_it_is_watched_is_an_error(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == ["experiment"]
    assert "experiment" in ids(loaded("content", prompt=prompt))


@pytest.mark.parametrize(
    "prompt",
    [
        "It is a test in the billing module that fails. Mend it.",
        "Write the evaluation form for the guests.",
        "The A/B test of the two landing pages is over; take the loser out.",
        "テストを書いてください。",
        "把测试补上。",
    ],
)
def test_work_on_tests_is_left_alone(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == []


@pytest.mark.parametrize(
    "prompt", ["Imagine the disk is full.", "What would you do?", "仮に失敗したとします。", "假设失败了。"]
)
def test_a_made_up_case_is_a_warning(loaded: Make, prompt: str) -> None:
    assert ids(loaded(prompt=prompt)) == ["made-up"]


def test_what_the_client_would_attach_is_told(loaded: Make) -> None:
    assert ids(loaded("content", prompt="Quote verbatim from @CLAUDE.md, or say: no provision")) == ["attaches-file"]
    assert ids(loaded(prompt="See @src/app.py and go on.")) == ["may-attach"]
    assert ids(loaded(prompt="Write to ada@example.org, then use `@dataclass` and go on.")) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("Ask first", "ask  first!"), ["options-same"]),
        (("Ask first", "Go\non"), ["option-lines"]),
        (("A) Ask first", "Go on"), ["option-letter"]),
        (
            ("Ask before you push: every branch goes live within minutes", "Go on with it, " + "all " * 8),
            ["option-quotes-line"],
        ),
        (("Go", "Ask " + "very " * 12 + "carefully"), ["option-length"]),
        (("Do as CLAUDE.md has it", "Go on at once, please"), ["names-file"]),
    ],
)
def test_options_have_to_be_distinct_and_alike(loaded: Make, texts: tuple[str, str], expected: list[str]) -> None:
    options = [{"id": f"o{n}", "text": text, "asked_for": n == 0} for n, text in enumerate(texts)]
    findings = check(loaded(options=options), SCENE)
    assert [finding.id for finding in findings] == expected
    assert findings[0].key.startswith("options[")


@pytest.mark.parametrize(
    "prompt",
    [
        "Quote, word for word, what is said on leaving. If there is nothing, answer: no provision",
        "Give the exact wording on leaving, or say that nothing is provided.",
        "退出に関する記載を原文のまま示し、なければ「規定なし」と答えてください。",
        "离开前的要求是什么？请逐字引用；若没有相关规定，回答“没有规定”。",
        "請逐字引用離開前的要求；沒有就回答「無規定」。",
    ],
)
def test_a_content_probe_asks_for_the_text_and_leaves_a_way_out(loaded: Make, prompt: str) -> None:
    assert ids(loaded("content", prompt=prompt)) == []


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("What is said on leaving? If nothing, answer: no provision", ["not-verbatim"]),
        ("Quote verbatim what is said on leaving.", ["no-way-out"]),
        ("What is said on leaving?", ["not-verbatim", "no-way-out"]),
        ("退出について何とありますか。", ["not-verbatim", "no-way-out"]),
    ],
)
def test_a_content_probe_without_either_is_refused(loaded: Make, prompt: str, expected: list[str]) -> None:
    assert ids(loaded("content", prompt=prompt)) == expected


def test_a_content_probe_that_holds_its_own_answer_is_refused(loaded: Make) -> None:
    prompt = f'Is "{LINE}" there word for word? If not, answer: no provision'
    assert ids(loaded("content", prompt=prompt)) == ["answered-by-prompt"]


def test_a_claim_is_one_sentence(loaded: Make) -> None:
    assert ids(loaded(claim="The agent asks. It waits.")) == ["claim-sentences"]
    assert ids(loaded(claim="押す前に尋ねる。その後押す。")) == ["claim-sentences"]
    assert ids(loaded(claim="Does the agent ask?")) == ["claim-asks"]


def test_a_place_left_open_is_an_error_at_its_key(loaded: Make) -> None:
    findings = check(loaded(prompt="<<WRITE: the situation>> Take it from here.", claim="It <<WRITE: does.\nWhat.>>"))
    assert [(finding.id, finding.key) for finding in findings] == [("unwritten", "claim"), ("unwritten", "prompt")]
    assert unusable(findings)


def test_a_finding_is_one_line_with_file_key_reason_and_remedy(loaded: Make) -> None:
    findings = check(loaded(prompt=f"See CLAUDE.md:\n{LINE}\nImagine\nthat."), SCENE)
    assert [finding.severity for finding in findings] == sorted(finding.severity for finding in findings)
    for finding in findings:
        assert str(finding).startswith("probe.toml:prompt: ")
        assert finding.message in str(finding)
        assert finding.remedy in str(finding)
        assert "\n" not in str(finding)
    assert not unusable([finding for finding in findings if finding.severity is Severity.WARNING])


def test_without_a_target_nothing_is_known_and_nothing_is_guessed(loaded: Make) -> None:
    assert scene_of(loaded().probe) == Scene()


def test_rules_have_names_of_their_own() -> None:
    rules = [value for value in vars(lint).values() if isinstance(value, Rule)]
    assert len({rule.id for rule in rules}) == len(rules) > 15
