"""The stand-in agent: strict dispositions, honest chance, and the stream a real client would write."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.client import simulated_agent
from measure.client.events import parse
from measure.client.simulated_agent import Chance, DispositionError, check, decide, parse_arguments, to_json

PROMPT = "A wall is wet. What now?\n\nA) Paint now\nB) Wait until it is dry\n\nEnd with a letter:\nACTION: <letter>\n"
MINIMAL = """
schema = 1
[[disposition]]
prompt = "wall"
[[disposition.case]]
present = "never paint a wet wall"
answer = [{ choose = "Wait until it is dry" }]
[[disposition.case]]
answer = [{ probability = 0.75, choose = "Paint now" }, { probability = 0.25, say = "no provision" }]
"""
PRINT = ("-p", "--output-format", "stream-json", "--verbose", "--model", "simulated-1", "--max-turns", "1")
Launch = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    """Launch the agent as a program in `tmp_path/arm` with these dispositions."""
    arm = tmp_path / "arm"
    arm.mkdir()

    def go(
        dispositions: str = MINIMAL, *arguments: str, prompt: str = PROMPT, seed: int = 1, **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        file = tmp_path / "agent.toml"
        file.write_text(dispositions)
        return subprocess.run(
            [sys.executable, "-I", "-S", simulated_agent.__file__, *(arguments or PRINT)],
            cwd=arm,
            env={simulated_agent.DISPOSITIONS: str(file), simulated_agent.SEED: str(seed)},
            input=prompt.encode(),
            capture_output=True,
            **{"timeout": 60, **more},
        )

    return go


def answer_of(done: subprocess.CompletedProcess[bytes]) -> str:
    assert done.returncode == 0, done.stderr
    result = parse(done.stdout).result
    assert result is not None
    assert result.text is not None
    return result.text


def put(arm: Path, name: str, text: str) -> None:
    file = arm / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "loaded"),
    [
        ("CLAUDE.md", "# Rules\n- never paint a wet wall\n", True),
        (".claude/CLAUDE.md", "never paint a wet wall", True),
        (".claude/rules/a/b.md", "---\nname: x\n---\nnever paint a wet wall\n", True),
        (
            ".claude/skills/painting/SKILL.md",
            "---\nname: painting\ndescription: >\n  never paint\n  a wet wall\n---\n",
            False,
        ),
        (".claude/skills/painting/SKILL.md", "---\ndescription: never paint a wet wall\n---\n", True),
        (".claude/skills/painting/SKILL.md", "---\ndescription: other\n---\nnever paint a wet wall\n", False),
        (".claude/rules/b.md", "---\npaths: src/**\n---\nnever paint a wet wall\n", False),
        (".claude/rules/b.txt", "never paint a wet wall\n", False),
        ("AGENTS.md", "never paint a wet wall\n", False),
        ("README.md", "never paint a wet wall\n", False),
    ],
)
def test_what_is_always_loaded_decides_and_nothing_else(
    launch: Launch, tmp_path: Path, name: str, text: str, loaded: bool
) -> None:
    put(tmp_path / "arm", name, text)
    if "description: >" in text:
        loaded = True  # a folded description is one line
    assert ("ACTION: B" in answer_of(launch())) is loaded


def test_skills_are_out_of_sight_where_they_are_switched_off(launch: Launch, tmp_path: Path) -> None:
    put(tmp_path / "arm", ".claude/skills/p/SKILL.md", "---\ndescription: never paint a wet wall\n---\n")
    assert "ACTION: B" in answer_of(launch())
    assert "ACTION: B" not in answer_of(launch(MINIMAL, *PRINT, "--disable-slash-commands"))
    assert "ACTION: B" not in answer_of(launch(MINIMAL, *PRINT, "--tools", ""))


def test_the_letter_is_the_one_before_the_option_in_this_prompt(launch: Launch, tmp_path: Path) -> None:
    put(tmp_path / "arm", "CLAUDE.md", "never paint a wet wall")
    turned = PROMPT.replace("A) Paint now\nB) Wait until it is dry", "A) Wait until it is dry\nB) Paint now")
    assert answer_of(launch()).endswith("ACTION: B")
    assert answer_of(launch(prompt=turned)).endswith("ACTION: A")


def test_a_quote_is_the_loaded_line_word_for_word(launch: Launch, tmp_path: Path) -> None:
    put(tmp_path / "arm", "CLAUDE.md", "first\n  - “never paint a wet wall” \\ é\t\n")
    quoting = MINIMAL.replace('choose = "Wait until it is dry"', "quote = true")
    assert answer_of(launch(quoting)) == "  - “never paint a wet wall” \\ é\t"


def test_the_same_seed_gives_the_same_bytes_and_seeds_follow_the_probabilities(launch: Launch) -> None:
    assert launch(seed=5).stdout == launch(seed=5).stdout
    assert launch(seed=5).stdout != launch(seed=6).stdout
    stated = check(tomllib.loads(MINIMAL))
    said = [decide(stated, PROMPT, [], Chance(seed).uniform()) for seed in range(4000)]
    # Four standard deviations of a share of 0.25 among 4,000.
    assert abs(said.count({"say": "no provision"}) / 4000 - 0.25) < 4 * (0.25 * 0.75 / 4000) ** 0.5


def test_prepared_dispositions_answer_as_the_file_does(launch: Launch, tmp_path: Path) -> None:
    from_file = launch().stdout
    env = {simulated_agent.PREPARED: simulated_agent.prepare(check(tomllib.loads(MINIMAL))), simulated_agent.SEED: "1"}
    prepared = subprocess.run(
        [sys.executable, "-I", "-S", simulated_agent.__file__, *PRINT],
        cwd=tmp_path / "arm", env=env, input=PROMPT.encode(), capture_output=True,
    )  # fmt: skip
    assert prepared.stdout == from_file


def test_the_stream_reads_like_a_real_one(launch: Launch, tmp_path: Path) -> None:
    priced = "price = { input = 3, output = 15 }\n" + MINIMAL
    stream = parse(launch(priced).stdout)
    assert stream.init is not None
    assert stream.result is not None
    assert stream.init.cwd == str((tmp_path / "arm").resolve())
    assert (stream.init.model, stream.init.version) == ("simulated-1", simulated_agent.VERSION)
    assert [message.model for message in stream.messages] == ["simulated-1"]
    assert stream.messages[0].text == stream.result.text
    assert (stream.result.stop_reason, stream.result.turns, stream.result.models) == ("end_turn", 1, ("simulated-1",))
    usage, cost = stream.result.usage, stream.result.cost_usd
    assert cost is not None
    assert cost == pytest.approx((usage["input_tokens"] * 3 + usage["output_tokens"] * 15) / 1e6)
    assert cost > 0
    assert stream.unknown_events == stream.replaced_lines == 0
    assert stream.plain == ()


def test_an_answer_can_take_its_time(launch: Launch) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        launch("seconds = 600\n" + MINIMAL, timeout=0.5)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--interactive",), "--interactive"),
        (("-p",), "stream-json"),
        (("-p", "--output-format", "stream-json"), "--verbose"),
        (PRINT[1:], "--print"),
        ((*PRINT, "--max-turns", "none"), "--max-turns"),
        ((*PRINT, "--model"), "--model"),
    ],
)
def test_arguments_the_real_client_refuses_are_refused(launch: Launch, arguments: tuple[str, ...], told: str) -> None:
    done = launch(MINIMAL, *arguments)
    assert done.returncode == 1
    assert done.stdout == b""
    assert told in done.stderr.decode()


def test_an_option_with_many_values_swallows_the_prompt_as_the_real_one_does() -> None:
    assert parse_arguments([*PRINT, "words"])["prompt"] == "words"
    assert parse_arguments([*PRINT, "--disallowedTools", "WebFetch", "words"])["prompt"] == ""


def test_it_says_its_version_without_dispositions() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", simulated_agent.__file__, "--version"], capture_output=True, env={}
    )
    assert done.stdout.decode().startswith(simulated_agent.VERSION)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("prompt", "dispositions", "told"),
    [
        ("   \n", MINIMAL, "prompt"),
        ("Something else", MINIMAL, "no disposition"),
        ("A wall without options", MINIMAL.replace("0.75", "1.0").replace("0.25", "0.0"), "no option"),
        (PROMPT, "schema = 1", "disposition"),
        (PROMPT, "schema = [", "TOML"),
    ],
)
def test_what_was_not_stated_is_never_made_up(launch: Launch, prompt: str, dispositions: str, told: str) -> None:
    done = launch(dispositions, prompt=prompt)
    assert done.returncode == 1
    assert told in done.stderr.decode()
    assert parse(done.stdout).result is None


WRONG = [
    ("schema = 1", "schema = 2", ["schema", "1", "2"]),
    ("schema = 1", "schema = 1\ncolour = 1", ["colour"]),
    ("schema = 1", "schema = 1\nmodel = ''", ["model"]),
    ("schema = 1", "schema = 1\nseconds = -1", ["seconds"]),
    ("schema = 1", "schema = 1\nseconds = true", ["seconds", "True"]),
    ("schema = 1", "schema = 1\nprice = 3", ["price", "table"]),
    ("schema = 1", "schema = 1\nprice = { thinking = 3 }", ["price", "thinking"]),
    ('prompt = "wall"', "", ["disposition 1", "prompt", "nothing"]),
    ('prompt = "wall"', 'promt = "wall"', ["disposition 1", "promt"]),
    ("present =", "presnt =", ["disposition 1, case 1", "presnt"]),
    ('present = "never', 'present = "never\\n', ["case 1", "present", "line"]),
    ("0.75", "0.7", ["case 2", "sum to 1", "0.95"]),
    ("0.75", "1.75", ["case 2, answer 1", "probability", "1.75"]),
    ("0.75", "'often'", ["case 2, answer 1", "probability", "often"]),
    ("probability = 0.75, ", "", ["case 2, answer 1", "probability"]),
    ('say = "no provision"', 'say = "x", quote = true', ["case 2, answer 2", "say", "quote"]),
    (', say = "no provision"', "", ["case 2, answer 2", "none"]),
    ('say = "no provision"', "quote = true", ["case 2", "present"]),
    ('choose = "Wait until it is dry"', "quote = false", ["case 1, answer 1", "quote", "true"]),
    ('say = "no provision"', 'fail = "boredom"', ["case 2, answer 2", "fail", "boredom", "usage-limit"]),
    ('say = "no provision"', 'say = "x", because = "y"', ["because"]),
    ('present = "never paint a wet wall"', "", ["case 1", "last"]),
    (
        "[[disposition.case]]\nanswer = [{ probability",
        "[[disposition.case]]\npresent='x'\nanswer = [{ probability",
        ["otherwise"],
    ),
    ("answer = [{ choose", "answers = [{ choose", ["answers"]),
    ('answer = [{ choose = "Wait until it is dry" }]', "answer = []", ["case 1", "answer"]),
    ('answer = [{ choose = "Wait until it is dry" }]', "answer = 'Wait'", ["case 1", "answer", "Wait"]),
]


@pytest.mark.parametrize(("old", "new", "told"), WRONG)
def test_a_wrong_file_is_told_by_place_key_and_what_was_wanted(old: str, new: str, told: list[str]) -> None:
    assert old in MINIMAL
    with pytest.raises(DispositionError) as caught:
        check(tomllib.loads(MINIMAL.replace(old, new, 1)))
    for word in told:
        assert word in str(caught.value)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_PLAIN)
def test_json_is_what_the_library_reads_back(value: object) -> None:
    assert json.loads(to_json(value)) == value
    assert "\n" not in to_json(value)


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    assert json.loads(to_json("\ud800 ok").encode()) == "\ud800 ok"


_SMALL = st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(
    st.dictionaries(st.sampled_from(["schema", "model", "seconds", "price", "disposition", "x"]), _SMALL, max_size=4)
)
def test_no_file_of_any_shape_gets_past_the_check_by_accident(raw: dict[str, Any]) -> None:
    with pytest.raises(DispositionError):
        check({**raw, "schema": raw.get("schema", 1)})


def test_a_launch_imports_next_to_nothing(tmp_path: Path) -> None:
    prepared = simulated_agent.prepare(check(tomllib.loads(MINIMAL)))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", simulated_agent.__file__, *PRINT],
        cwd=tmp_path, env={simulated_agent.PREPARED: prepared}, input=PROMPT.encode(), capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "os" in imported
    assert imported.isdisjoint({"re", "json", "typing", "tomllib", "pathlib", "dataclasses", "random", "enum"})
