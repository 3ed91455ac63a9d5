"""What must not be kept is taken out of everything a launch wrote, before anything reads it.

Invariants: the same secret always becomes the same mark; masked JSON lines are JSON lines of the same shape; masking
what is masked changes nothing. Masking comes before parsing, so that transcript, record and console can't disagree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlsplit

WORKSPACE = "<workspace>"
TEMP = "<temp>"
HOME = "~"

_MIN_SECRET = 6

_STRONG = frozenset(
    "TOKEN TOKENS SECRET SECRETS PASSWORD PASSWD PASSPHRASE CREDENTIAL CREDENTIALS APIKEY PAT".split()  # noqa: SIM905
)
_WEAK = frozenset("KEY KEYS AUTH COOKIE COOKIES HEADERS SESSION JWT PASS LOGIN".split())  # noqa: SIM905
_STRONG_ENDS = ("TOKEN", "SECRET", "PASSWORD", "PASSPHRASE", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "CREDENTIALS")

# A name's part such as KEY also stands before things that are no secret ("KEY_REPEAT=normal"); a plain word there
# would be masked in every answer that happens to use it.
_PLAIN_WORD = re.compile(r"[A-Za-z]{1,15}")
_NO_SECRET = re.compile(r"(?i)true|false|enabled|disabled|none|null|required|optional|default|\d{1,5}")

_MARK = rb"<masked:[A-Za-z0-9_.-]+>"

_SHAPES: tuple[tuple[str, tuple[bytes, ...], bytes], ...] = (
    (
        "private-key",
        (b"PRIVATE KEY-----",),
        rb"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.){0,20000}?-----END [A-Z ]*PRIVATE KEY-----",
    ),
    ("anthropic-token", (b"sk-ant-",), rb"\bsk-ant-[A-Za-z0-9_-]{8,}"),
    ("api-key", (b"sk-",), rb"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}"),
    ("github-token", (b"gh", b"_"), rb"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    ("github-token", (b"github_pat_",), rb"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    ("gitlab-token", (b"glpat-",), rb"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("slack-token", (b"xox",), rb"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    *(("aws-key", (kind,), rb"\b%s[A-Z0-9]{16}\b" % kind) for kind in (b"AKIA", b"ASIA", b"ABIA", b"ACCA")),
    ("google-key", (b"AIza",), rb"\bAIza[A-Za-z0-9_-]{35}"),
    ("google-token", (b"ya29.",), rb"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("json-web-token", (b"eyJ", b".eyJ"), rb"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("bearer", (b"earer ",), rb"(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{12,}=*"),
    ("url-login", (b"://", b"@"), rb"(?<=://)[^\s/:@\"\\<>]{1,200}:[^\s/@\"\\<>]{1,200}(?=@)"),
)
"""Name of the mark, what must stand somewhere for a match to be possible (cheap to rule out), and the shape."""

_IDENTITY = re.compile(
    rb'"(account_?(?:uu)?id|organi[sz]ation_?(?:uu)?id|org_?(?:uu)?id|(?:user_?)?email(?:_?address)?)"\s*:\s*'
    rb'"([^"\\]{6,200})"',
    re.IGNORECASE,
)
# The group is not possessive: Python before 3.11.5 loses its place in such ones, and there is nothing to give back.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*"?', re.DOTALL)


def looks_secret(name: str, value: str) -> bool:
    """Whether a variable's value must never be kept, judged by its name and what it looks like."""
    if len(value) < _MIN_SECRET or _NO_SECRET.fullmatch(value):
        return False
    parts = set(name.upper().replace("-", "_").split("_"))
    if parts & _STRONG or name.upper().endswith(_STRONG_ENDS):
        return True
    return bool(parts & _WEAK) and not _PLAIN_WORD.fullmatch(value)


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """Secret values of an environment → the names of their marks.

    Addresses of gateways count: where a model is reached is the user's own matter. Custom headers count one by one.
    """
    secrets: dict[str, str] = {}
    for name, value in environ.items():
        mark = re.sub(r"[^A-Za-z0-9_.-]", "_", name) or "unnamed"
        if name.upper().endswith("_CUSTOM_HEADERS"):
            for line in value.splitlines():
                header = line.partition(":")[2].strip()
                if len(header) >= _MIN_SECRET:
                    secrets.setdefault(header, mark)
        elif name.upper().endswith("BASE_URL"):
            if len(value) >= _MIN_SECRET:
                secrets.setdefault(value, mark)
                if len(place := urlsplit(value).netloc) >= _MIN_SECRET:
                    secrets.setdefault(place, mark)
        elif looks_secret(name, value):
            secrets.setdefault(value, mark)
    return secrets


@dataclass(frozen=True, slots=True)
class Mask:
    """Takes secrets, identities and places out of bytes and text.

    `secrets` maps a value to the name of its mark, `places` a path to the words that stand for it.
    """

    secrets: Mapping[str, str] = field(repr=False)
    places: Mapping[str, str]

    @classmethod
    def build(
        cls,
        environ: Mapping[str, str],
        *,
        home: str | None,
        workspace: Iterable[Path] = (),
        temp: Iterable[Path] = (),
        identities: Mapping[str, str] | None = None,
    ) -> Mask:
        """From an environment and paths, each taken as given and as resolved. `identities` maps a name to a value."""
        secrets = secrets_of(environ)
        for name, value in (identities or {}).items():
            if len(value) >= _MIN_SECRET:
                secrets.setdefault(value, name)
        places: dict[str, str] = {}
        for paths, words in ((workspace, WORKSPACE), (temp, TEMP)):
            for path in paths:
                for form in (str(path), str(path.resolve())):
                    places.setdefault(form, words)
                    # The client names folders of its own after the directory it was launched in.
                    places.setdefault(re.sub(r"[^A-Za-z0-9]", "-", form), words)
        if home:
            for form in (home, str(Path(home).resolve())):
                if form.rstrip("/").count("/") >= 1:
                    places.setdefault(form.rstrip("/"), HOME)
        return cls(secrets, {place: words for place, words in places.items() if len(place) > 3})

    def with_places(self, *, workspace: Path, temp: Path) -> Mask:
        """The same mask for one launch, which stands in its own directory and has its own temporary files."""
        more = Mask.build({}, home=None, workspace=(workspace,), temp=(temp,)).places
        return Mask(self.secrets, {**more, **self.places})

    def stream(self, data: bytes) -> bytes:
        """Mask JSON lines, and plain lines between them. Account identities that events name are found on the way."""
        named = {value.decode("utf-8", "replace"): _identity_mark(name) for name, value in _IDENTITY.findall(data)}
        return self._masked(data, named, by_line=True)

    def text(self, text: str) -> str:
        """Mask plain text."""
        data = text.encode("utf-8", "surrogatepass")
        return self._masked(data, {}, by_line=False).decode("utf-8", "surrogatepass")

    def tail(self, data: bytes) -> str:
        """Mask the tail of a stream of any kind and decode it; bytes that are no UTF-8 are replaced."""
        return self._masked(data, {}, by_line=False).decode("utf-8", "replace")

    def _masked(self, data: bytes, identities: Mapping[str, str], *, by_line: bool) -> bytes:
        # What a mark leaves beside it may match where it did not before; a few rounds settle it.
        for _ in range(8):
            search = _search(self._present(data, identities), _possible_shapes(data))
            if search is None:
                break
            masked = b"\n".join(map(search.line, data.split(b"\n"))) if by_line else search.all(data)
            if masked == data:
                break
            data = masked
        return data

    def _present(self, data: bytes, identities: Mapping[str, str]) -> tuple[_Literal, ...]:
        """What of all that has to go stands in `data`, longest first. Nearly nothing does, so this comes first."""
        secrets = (
            _Literal(form, b"<masked:%s>" % name.encode(), is_place=False)
            for value, name in {**identities, **self.secrets}.items()
            for form in _forms(value)
            if form in data
        )
        places = (
            _Literal(form, words.encode(), is_place=True)
            for place, words in self.places.items()
            for form in _forms(place)
            if form in data
        )
        first = {literal.form: literal for literal in reversed([*secrets, *places])}
        return tuple(sorted(first.values(), key=lambda literal: (-len(literal.form), literal.form)))


@dataclass(frozen=True, slots=True)
class _Literal:
    form: bytes
    mark: bytes
    is_place: bool

    @property
    def pattern(self) -> bytes:
        escaped = re.escape(self.form)
        if not self.is_place:
            return escaped
        before = b"" if self.form.startswith(b"/") else rb"(?<![A-Za-z0-9_])"
        return before + escaped + rb"(?![\w-])"


def _possible_shapes(data: bytes) -> tuple[int, ...]:
    return tuple(at for at, (_, needed, _) in enumerate(_SHAPES) if all(part in data for part in needed))


@lru_cache(maxsize=64)
def _search(literals: tuple[_Literal, ...], shapes: tuple[int, ...]) -> _Search | None:
    return _Search(literals, shapes) if literals or shapes else None


class _Search:
    """One compiled search for everything that has to go and may be there."""

    def __init__(self, literals: tuple[_Literal, ...], shapes: tuple[int, ...]) -> None:
        self._marks = {literal.form: literal.mark for literal in literals}
        named = [b"(?P<s%d>%s)" % (at, _SHAPES[at][2]) for at in shapes]
        # A mark comes first, so that nothing inside one is ever masked again.
        alternatives = [b"(?P<mark>%s)" % _MARK, *(literal.pattern for literal in literals), *named]
        self._pattern = re.compile(b"|".join(alternatives))

    def line(self, line: bytes) -> bytes:
        """One line: of JSON only the strings are touched, so that numbers and names of its grammar stay."""
        if self._pattern.search(line) is None:
            return line
        if line.lstrip().startswith(b"{"):
            return _STRING.sub(lambda string: self.all(string[0]), line)
        return self.all(line)

    def all(self, data: bytes) -> bytes:
        """Any bytes."""
        return self._pattern.sub(self._mark, data)

    def _mark(self, found: re.Match[bytes]) -> bytes:
        group = found.lastgroup
        if group == "mark":
            return found[0]
        if group is not None:
            return b"<masked:%s>" % _SHAPES[int(group[1:])][0].encode()
        return self._marks[found[0]]


@lru_cache(maxsize=1024)
def _forms(value: str) -> tuple[bytes, ...]:
    """The bytes a value can have in output: plain, in JSON with or without escapes, in JSON inside JSON, in an URL."""
    plain = value.encode("utf-8", "surrogatepass")
    forms = {plain, plain.replace(b"/", b"\\/"), quote(value, safe="", errors="replace").encode()}
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        twice = json.dumps(once, ensure_ascii=ascii_only)[1:-1]
        forms |= {text.encode("utf-8", "surrogatepass") for text in (once, twice)}
    return tuple(sorted(form for form in forms if form))


def _identity_mark(name: bytes) -> str:
    folded = name.lower()
    if b"email" in folded:
        return "email"
    return "account" if b"account" in folded else "organization"
