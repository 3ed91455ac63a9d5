"""What a launch is likely to cost, from tokens that were seen and prices that were published.

Invariant: nothing is guessed. Without tokens of an earlier run of the same workspace under the same condition, or
without a price for exactly this model, there is no estimate and the reason is said; what there is names the run, the
table's date and its source.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from measure.client.trial import Usage
from measure.errors import RequestError

_RELEASE = re.compile(r"-\d{8}$")

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """One model's prices in US dollars per million tokens of each kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    input: Usd
    cache_written: Usd
    """Stored for five minutes, as clients ask for by default."""
    cache_read: Usd
    output: Usd

    def of(self, tokens: Tokens) -> float:
        """US dollars for so many tokens of each kind."""
        return (
            tokens.fresh * self.input
            + tokens.written * self.cache_written
            + tokens.read * self.cache_read
            + tokens.output * self.output
        ) / 1e6


class PriceTable(BaseModel):
    """Prices of models by name, as of a day."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    date: date
    source: str
    models: dict[str, Price]

    def price_of(self, model: str) -> Price | None:
        """The price of a model or of its dated release; None for one that is not in the table."""
        return self.models.get(model) or self.models.get(_RELEASE.sub("", model))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens by kind, on average over launches."""

    fresh: float
    written: float
    read: float
    output: float

    @classmethod
    def mean(cls, usages: Sequence[Usage]) -> Tokens | None:
        """The average of what was reported; None where nothing was."""
        told = [usage for usage in usages if usage.input_tokens is not None and usage.output_tokens is not None]
        if not told:
            return None
        return cls(
            fmean(usage.input_tokens or 0 for usage in told),
            fmean(usage.cache_creation_input_tokens or 0 for usage in told),
            fmean(usage.cache_read_input_tokens or 0 for usage in told),
            fmean(usage.output_tokens or 0 for usage in told),
        )


def load_prices(path: Path | None) -> PriceTable:
    """The table in the file `path`, or the one that comes with the program. Raises `RequestError` for others."""
    name = str(path) if path is not None else "the program's own table of prices"
    try:
        text = (files("measure.plan") / "prices.toml").read_text("utf-8") if path is None else path.read_text("utf-8")
        return PriceTable.model_validate(tomllib.loads(text))
    except OSError as error:
        raise RequestError(f"{name} can't be read: {error.strerror or error}", hint="--prices FILE names it.") from None
    except (ValueError, ValidationError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        raise RequestError(
            f"{name} is no table of prices: {why}",
            hint="Wanted: date, source, and for each [models.NAME] input, cache_written, cache_read and output in US "
            "dollars per million tokens.",
        ) from None
