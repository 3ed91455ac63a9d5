"""Nothing secret leaves a launch, and masking never changes the shape of what it masks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.client.events import parse
from measure.client.masking import Mask, looks_secret, secrets_of


def masked_line(mask: Mask, value: object, *, ascii_only: bool = False) -> Any:
    line = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    return json.loads(mask.stream(line))


@pytest.mark.parametrize(
    "secret",
    [
        "fake-key-51",
        'quo"te\\back',
        "two\nlines\tand a tab",
        "schlüssel-ß-鍵",
        "a/b+c==/d",
        "123456",
        "1e5000",
        "/looks/like/a/path",
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_secret_of_the_environment_is_masked_in_every_form_it_can_be_printed_in(
    secret: str, ascii_only: bool
) -> None:
    mask = Mask.build({"MY_API_TOKEN": secret}, home=None)
    inner = json.dumps({"env": secret}, ensure_ascii=ascii_only)
    told = masked_line(mask, {"text": f"it is {secret}.", "inner": inner, "number": 123456}, ascii_only=ascii_only)
    assert told == {
        "text": "it is <masked:MY_API_TOKEN>.",
        "inner": '{"env": "<masked:MY_API_TOKEN>"}',
        "number": 123456,
    }
    assert mask.text(f"plain {secret}") == "plain <masked:MY_API_TOKEN>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key sk-ant-api03-AbCd_efgh-1234 end", "key <masked:anthropic-token> end"),
        ("ghp_abcdefghijklmnopqrst0123456789", "<masked:github-token>"),
        ("Authorization: Bearer abc.def-ghi_jkl123==", "Authorization: Bearer <masked:bearer>"),
        ("AKIAIOSFODNN7EXAMPLE", "<masked:aws-key>"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.abc_DEF-1", "<masked:json-web-token>"),
        ("http://joe:hunter2@proxy:8080/", "http://<masked:url-login>@proxy:8080/"),
        ("the bearer of this letter, sk-lessons, AKIA and eyJ", "the bearer of this letter, sk-lessons, AKIA and eyJ"),
    ],
)
def test_tokens_are_known_by_their_shape(text: str, expected: str) -> None:
    mask = Mask.build({}, home=None)
    assert mask.text(text) == expected
    assert masked_line(mask, [text] and {"t": text}) == {"t": expected}


def test_a_private_key_is_masked_whole_also_inside_json() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\ndef\n-----END RSA PRIVATE KEY-----"
    assert masked_line(Mask.build({}, home=None), {"t": f"a {key} b"}) == {"t": "a <masked:private-key> b"}


def test_places_become_words_and_similar_names_stay(tmp_path: Path) -> None:
    real = tmp_path / "arena-1"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    mask = Mask.build({}, home="/home/joe", workspace=(link,))
    text = f"{link}/CLAUDE.md {real}/x {real} /home/joe/.claude /home/joe. /home/joel /nested/home/joe"
    assert mask.text(text) == ("<workspace>/CLAUDE.md <workspace>/x <workspace> ~/.claude ~. /home/joel /nested~")
    folder = str(real).replace("/", "-").replace("_", "-")
    assert mask.text(f"~/.claude/projects/{folder}/memory") == "~/.claude/projects/<workspace>/memory"


def test_the_accounts_identity_is_masked_wherever_it_is_named_or_known() -> None:
    mask = Mask.build({}, home=None, identities={"email": "joe@known.example"})
    lines = [
        {"type": "system", "account_uuid": "11111111-2222", "organizationUuid": "org-33333", "email": "jo@x.example"},
        {"type": "assistant", "text": "I am 11111111-2222 of org-33333, jo@x.example, joe@known.example"},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    first, second = (json.loads(line) for line in mask.stream(data).split(b"\n"))
    assert first["account_uuid"] == "<masked:account>"
    assert second["text"] == "I am <masked:account> of <masked:organization>, <masked:email>, <masked:email>"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("ANTHROPIC_API_KEY", "sk-anything", True),
        ("DB_PASSWORD", "hunter", True),
        ("githubtoken", "abcdef", True),
        ("SSH_AUTH_SOCK", "/tmp/agent.5", True),
        ("GIT_AUTHOR_NAME", "Joe Public", False),
        ("KEYBOARD_LAYOUT", "dvorak-2", False),
        ("XKB_KEY", "compose", False),
        ("AUTH_REQUIRED", "disabled", False),
        ("MAX_THINKING_TOKENS", "20000", False),
        ("API_TOKEN", "12345", False),
        ("PATH", "/usr/bin:/bin", False),
        ("PWD", "/home/joe/x", False),
    ],
)
def test_names_tell_what_is_secret(name: str, value: str, secret: bool) -> None:
    assert looks_secret(name, value) is secret


def test_gateways_and_headers_are_secret_too() -> None:
    secrets = secrets_of(
        {
            "ANTHROPIC_BASE_URL": "https://gate.corp.example:8443/v1",
            "ANTHROPIC_CUSTOM_HEADERS": "X-Team: blue-team-77\nX-Key: k-123456",
        }
    )
    assert secrets == {
        "https://gate.corp.example:8443/v1": "ANTHROPIC_BASE_URL",
        "gate.corp.example:8443": "ANTHROPIC_BASE_URL",
        "blue-team-77": "ANTHROPIC_CUSTOM_HEADERS",
        "k-123456": "ANTHROPIC_CUSTOM_HEADERS",
    }


def test_a_mask_never_shows_what_it_hides() -> None:
    assert "fake-key-51" not in repr(Mask.build({"MY_TOKEN": "fake-key-51"}, home=None))


def shapes_of(value: object) -> object:
    """The value with every string emptied."""
    if isinstance(value, dict):
        return sorted((len(value), repr(shapes_of(item))) for item in value.values())
    if isinstance(value, list):
        return [shapes_of(item) for item in value]
    return "" if isinstance(value, str) else value


_secret = st.text(min_size=6, max_size=20) | st.from_regex(r"[a-z~/<>:._-]{6,12}", fullmatch=True)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(secret=_secret, value=_json, around=st.text(max_size=10))
def test_masked_json_is_json_of_the_same_shape_without_the_secret(secret: str, value: object, around: str) -> None:
    mask = Mask.build({"A_SECRET": secret, "B_TOKEN": "masked"}, home="/home/joe", workspace=(Path("/tmp/measure-a"),))
    event = {"value": value, "told": f"{around}{secret}{around}"}
    masked = masked_line(mask, event)
    assert set(masked) >= {"value", "told"} or secret in ("value", "told")
    assert shapes_of(masked.get("value")) == shapes_of(value) or isinstance(value, dict)
    if looks_secret("A_SECRET", secret) and not secret.startswith("<masked:"):
        assert "<masked:" in masked["told"]


@given(secret=_secret, data=st.binary(max_size=200), text=st.text(max_size=60))
def test_masking_twice_is_masking_once(secret: str, data: bytes, text: str) -> None:
    mask = Mask.build({"A_SECRET": secret, "B_TOKEN": "masked"}, home="/home/joe", workspace=(Path("/tmp/measure-a"),))
    line = json.dumps({"t": f"{text}{secret}{text}/home/joe{secret}"}).encode()
    for output in (data, line, text.encode("utf-8", "surrogatepass") + secret.encode("utf-8", "surrogatepass")):
        once = mask.stream(output)
        assert mask.stream(once) == once


def test_bytes_that_are_no_text_pass_and_a_cut_line_is_still_masked() -> None:
    mask = Mask.build({"MY_TOKEN": "fake-key-51"}, home=None)
    data = b'{"a": "x\xffy fake-key-51'
    assert mask.stream(data) == b'{"a": "x\xffy <masked:MY_TOKEN>'


def test_a_masked_stream_still_parses_to_the_same_events(tmp_path: Path) -> None:
    lines = [
        {"type": "system", "subtype": "init", "model": "m", "cwd": str(tmp_path)},
        {"type": "assistant", "message": {"model": "m", "content": [{"type": "text", "text": f"in {tmp_path}"}]}},
        {"type": "result", "result": f"in {tmp_path}", "num_turns": 1},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    stream = parse(Mask.build({}, home=None, workspace=(tmp_path,)).stream(data))
    assert stream.messages[0].texts == ("in <workspace>",)
    assert stream.result is not None
    assert stream.result.turns == 1
