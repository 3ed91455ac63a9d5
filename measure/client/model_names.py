"""When two names of a model mean the same one.

Invariant: a name without a difference that matters is the same model; any doubt that could hide another model is not.
"""

from __future__ import annotations

import re

_ALIAS = re.compile(r"[A-Za-z]+(?:\[1m\])?")


def is_alias(name: str) -> bool:
    """Whether a name (`sonnet`, `opus[1m]`) leaves it to the client which model is meant."""
    return _ALIAS.fullmatch(name) is not None


def same_model(asked: str, answered: str) -> bool:
    """Whether two names mean one model.

    Names differ harmlessly by a context suffix (`[1m]`), a provider's prefix (`us.anthropic.`, `anthropic/`), a
    provider's revision (`-v1:0`) and a date that only one of them carries. An opaque resource name tells nothing and
    is taken as asked for.
    """
    if asked == answered or asked.startswith("arn:") or answered.startswith("arn:"):
        return True
    (one, one_date), (other, other_date) = _bare(asked), _bare(answered)
    return one == other and (one_date is None or other_date is None or one_date == other_date)


def _bare(name: str) -> tuple[str, str | None]:
    name = re.sub(r"\[\d+[mk]\]$", "", name.strip().lower())
    name = re.sub(r"^.*?(?:anthropic[./]|/)(?=[^/]*$)", "", name)
    name = re.sub(r"-v\d+(?::\d+)?$", "", name)
    name = re.sub(r"(?:-|@)(?:latest|default)$", "", name)
    dated = re.fullmatch(r"(.+?)[-@](\d{8})", name)
    return (dated[1], dated[2]) if dated else (name, None)
