"""The plan's price is tokens that were seen times prices that were published, or it says why there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from measure.client.trial import Usage
from measure.errors import RequestError
from measure.plan.prices import Tokens, load_prices
from tests.doubles import stub_client
from tests.doubles.workplace import LINE, Workplace

TABLE = """
date = 2026-01-02
source = "a test"
[models.model-1]
input = 1000.0
cache_written = 1250.0
cache_read = 100.0
output = 5000.0
"""


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def test_the_programs_own_table_has_a_date_a_source_and_prices_in_their_usual_order() -> None:
    table = load_prices(None)
    assert table.source.startswith("https://")
    for price in table.models.values():
        assert 0 < price.cache_read < price.input < price.cache_written < price.output
    assert table.price_of("claude-haiku-4-5-20251001") == table.models["claude-haiku-4-5"]
    assert table.price_of("claude-haiku-4") is None
    assert table.price_of("claude-haiku-4-5-preview") is None


def test_each_kind_of_token_has_its_own_price(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TABLE)
    price = load_prices(tmp_path / "t.toml").models["model-1"]
    usage = Usage(input_tokens=1, output_tokens=2, cache_creation_input_tokens=4, cache_read_input_tokens=8)
    tokens = Tokens.mean([usage, usage, Usage()])
    assert tokens is not None
    assert price.of(tokens) == pytest.approx((1000 + 2 * 5000 + 4 * 1250 + 8 * 100) / 1e6)
    assert Tokens.mean([Usage()]) is None


@pytest.mark.parametrize("text", ["", "date = 1", TABLE.replace("5000.0", "-1.0"), TABLE + "more = 1\n", "\x00"])
def test_what_is_no_table_is_refused_and_says_what_a_table_has(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.toml").write_text(text)
    with pytest.raises(RequestError, match="table of prices"):
        load_prices(tmp_path / "t.toml")
    with pytest.raises(RequestError, match="can't be read"):
        load_prices(tmp_path / "none.toml")


def test_the_plan_tells_an_estimate_only_when_tokens_and_price_are_known(place: Workplace) -> None:
    answer = [stub_client.init(), stub_client.text("ACTION: A"), stub_client.result("ACTION: A")]
    stub = stub_client.install(place.root / "bin", [{"read_stdin": True}, *answer])
    table = place.root / "prices.toml"
    table.write_text(TABLE)
    base = ("--client", str(stub), "--model", "model-1", "--drop", LINE, "--repeats", "2")
    run = place.arguments(*base, simulated=False)

    def price(*more: str) -> str:
        done = place.measure(*run, *more, "--dry-run")
        assert done.returncode == 0, done.stderr
        found = re.search(r"^Price: .*$", done.stderr, re.MULTILINE)
        assert found is not None
        return found[0]

    assert "not in the table" in price()
    assert "no earlier run" in price("--prices", str(table))
    assert place.measure(*run).returncode == 0
    (folder,) = place.folders()
    # The stub reports 10 tokens in and 5 out with each launch; two rounds of one probe are four launches.
    told = price("--prices", str(table))
    assert "0.0350 USD a launch" in told
    assert "0.14 USD at most" in told
    assert folder.name in told
    assert "2026-01-02" in told
    assert "no earlier run" in price("--prices", str(table), "--condition", "lean")
    (place.workspace / "CLAUDE.md").write_text((place.workspace / "CLAUDE.md").read_text() + "- More.\n")
    assert "no earlier run" in price("--prices", str(table)), "another text takes other tokens"
    assert "as you stated it" in price("--price-usd", "0.5")
