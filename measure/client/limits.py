"""Usage limits and rate limits as the client words them.

Invariant: only texts the client itself wrote are ever given to this module (errors, plain lines, made-up messages);
a model's own answer that speaks of limits is none. A reset time is zone-aware or absent, never guessed.

The wordings are those of Claude Code's message tables (1.0.24 to 2.1.332) and of the Messages API's spend limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum


class Limited(StrEnum):
    """Which kind of limit: an account's allowance is used up, or requests came too fast."""

    USAGE = "usage"
    RATE = "rate"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit as told: the sentence, and when it ends where that was said."""

    kind: Limited
    sentence: str
    resets_at: datetime | None


_PREFIX = r"^\W*(?:(?:API\ )?Error:?\ )?(?:Request\ rejected\ \(429\)\ \W*)?(?:\d{3}\ )?"
_USAGE = re.compile(
    _PREFIX
    + r"""(?:
        Claude(?:\ AI|\ Max|\ Pro|\ Code)?\ usage\ limit\ reached
      | You['’]ve\ (?:hit|reached)\ your\ (?!fast\ limit)[^.·∙\n]{0,60}?(?:limits?|budget)\b
      | You['’]re\ (?:now\ )?out\ of\ (?:extra\ usage|usage\ credits|usage|credits)\b
      | Your?\ (?:org|organization)\ is\ out\ of\ usage
      | Your\ (?:group['’]s\ usage\ limit\ is\ set\ to|usage\ allocation\ has\ been\ disabled|limit\ will\ reset)
      | Your\ seat\ type\ doesn['’]t\ include\ (?:extra\ )?usage
      | You\ have\ reached\ your\ specified[\w\s-]*?usage\ limits
      | (?:(?!rate|context|fast|budget|concurren|recursion|nesting|output|token)[\w'’-]+\ ){1,5}?limit\ reached
      | [A-Z]\w+(?:\ [\w.]+){0,3}\ requires\ usage\ credits
    )""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_RATE = re.compile(
    r"request rejected \(429\)|temporarily limiting requests|rate[ _-]?limit|too many requests"
    r"|would exceed your (?:account|organization)['’]?s? rate limit|\b429\b",
    re.IGNORECASE,
)


def find_limit(text: str, *, now: datetime) -> Limit | None:
    """The limit a text of the client tells of, or None. `now` is zone-aware: clock times mean the next such time."""
    usage = _USAGE.search(text)
    if usage is not None:
        sentence = _sentence(text, usage.start())
        return Limit(Limited.USAGE, sentence, reset_time(sentence, now=now) or reset_time(text, now=now))
    rate = _RATE.search(text)
    if rate is not None:
        return Limit(Limited.RATE, _sentence(text, rate.start()), None)
    return None


def _sentence(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", max(at, begin) + 1)
    return text[begin : None if end < 0 else end].strip()[:400]


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
_DAYS = "mon tue wed thu fri sat sun".split()  # noqa: SIM905
_CLOCK = r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>[ap]\.?m\.?)?(?![\w:])"
_ZONE = r"(?:\s*\((?P<zone>[A-Za-z][\w+/-]*)\)|\s+(?P<utc>UTC|GMT)\b)?"
_EPOCH = re.compile(r"\|\s*(\d{10}|\d{13})(?!\d)")
_ISO = re.compile(
    r"(?:regain access|resets?)(?: on| at)? (?P<date>\d{4}-\d{2}-\d{2})(?:[T ]|,? at )(?P<hour>\d{2}):(?P<minute>\d{2})"
    r"(?::\d{2})?(?:\.\d+)?\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_IN = re.compile(
    r"resets? in (?=\d)(?:(?P<days>\d{1,3})\s*d(?:ays?)?\s*)?(?:(?P<hours>\d{1,4})\s*h(?:(?:ou)?rs?)?\s*)?"
    r"(?:(?P<minutes>\d{1,5})\s*m(?:in(?:ute)?s?)?\s*)?(?:(?P<seconds>\d{1,7})\s*s)?",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"resets?(?: on| at)? (?P<month>{'|'.join(_MONTHS)})[a-z]* (?P<day>\d{{1,2}})(?:,? (?P<year>\d{{4}}))?"
    rf"(?:(?:,| at|, at) {_CLOCK})?{_ZONE}",
    re.IGNORECASE,
)
_TIMED = re.compile(
    rf"resets?(?: on| at)?(?: (?P<weekday>{'|'.join(_DAYS)})[a-z]*,?(?: at)?)? {_CLOCK}{_ZONE}", re.IGNORECASE
)


def reset_time(text: str, *, now: datetime) -> datetime | None:
    """When a limit ends, in the zone it was told in. Times without a zone are UTC, since launches run with TZ=UTC.

    None where nothing was said or it makes no sense: no such date, no such zone.
    """
    if epoch := _EPOCH.search(text):
        return epoch_time(int(epoch[1]) // (1000 if len(epoch[1]) == 13 else 1))
    try:
        return _iso(text) or _in(text, now) or _dated(text, now) or _timed(text, now)
    except (ValueError, OverflowError, LookupError, OSError):
        return None


def has_epoch(text: str) -> bool:
    """Whether a time stands in `text` as old clients wrote it: seconds since the epoch behind a bar."""
    return _EPOCH.search(text) is not None


def epoch_time(seconds: int | None) -> datetime | None:
    """A time told in seconds since the epoch; None where it is none that a calendar has."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _iso(text: str) -> datetime | None:
    found = _ISO.search(text)
    if found is None:
        return None
    zone = (found["zone"] or "UTC").upper()
    offset = "+00:00" if zone in ("Z", "UTC") else zone
    return datetime.fromisoformat(f"{found['date']}T{found['hour']}:{found['minute']}:00{offset}")


def _in(text: str, now: datetime) -> datetime | None:
    found = _IN.search(text)
    if found is None:
        return None
    spans = {name: int(value) for name, value in found.groupdict().items() if value is not None}
    return now + timedelta(**spans) if spans else None


def _dated(text: str, now: datetime) -> datetime | None:
    found = _DATED.search(text)
    if found is None:
        return None
    zone = _zone(found)
    local = now.astimezone(zone)
    hour, minute = _clock(found) if found["hour"] else (0, 0)
    month = _MONTHS.index(found["month"].lower()[:3]) + 1
    year = int(found["year"]) if found["year"] else local.year
    when = datetime(year, month, int(found["day"]), hour, minute, tzinfo=zone)
    # A date without a year that lies well behind is next year's; one just behind is a limit that has ended.
    if not found["year"] and when < now - timedelta(days=180):
        when = when.replace(year=year + 1)
    return when


def _timed(text: str, now: datetime) -> datetime | None:
    found = _TIMED.search(text)
    if found is None or (found["half"] is None and found["minute"] is None):
        return None
    zone = _zone(found)
    hour, minute = _clock(found)
    local = now.astimezone(zone)
    days = 0
    if found["weekday"]:
        days = (_DAYS.index(found["weekday"].lower()[:3]) - local.weekday()) % 7
    day = local.date() + timedelta(days=days)
    when = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    if when <= now:
        day += timedelta(days=7 if found["weekday"] else 1)
        when = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    return when


def _clock(found: re.Match[str]) -> tuple[int, int]:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "").lower().replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(f"no such hour: {hour} {half}")
        hour = hour % 12 + (12 if half == "pm" else 0)
    return hour, minute


def _zone(found: re.Match[str]) -> tzinfo:
    from zoneinfo import ZoneInfo

    name = found["zone"] or found["utc"] or "UTC"
    if name.upper() in ("UTC", "GMT"):
        return UTC
    if shift := re.fullmatch(r"(?:UTC|GMT)([+-])(\d{1,2})", name, re.IGNORECASE):
        hours = int(shift[2])
        return timezone(timedelta(hours=hours if shift[1] == "+" else -hours))
    return ZoneInfo(name)
