"""Rules of good form: what makes a probe unable to show what its line does.

Invariant: every finding names file, key, what is wrong and what to do. An `error` is a probe that can't measure its
line (it gives the line away, asks the wrong question, or is not finished); a `warning` is one that may measure less
than it seems to. Findings depend on the probe and the `Scene` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath

from measure.disclosure import find_disclosure
from measure.probe import wording
from measure.probe.likeness import core, fold, gives_away, quotes, weight, words
from measure.probe.load import LoadedProbe
from measure.probe.model import Axis, Probe
from measure.probe.sentence import sentences

OPEN, CLOSE = "<<WRITE: ", ">>"
"""What stands around a place that a person still has to write. `measure probe new` leaves such places."""

_UNWRITTEN = re.compile(r"<<WRITE:.*?>>", re.DOTALL)
_ENTRY_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "SKILL.md", ".claude")
_ATTACHED = re.compile(r"(?<![\w@.`])@(?P<path>[A-Za-z0-9_~.\\/][\w.~\\/-]*)")


class Severity(StrEnum):
    """Whether the probe can be put at all."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule of form. `id` is the stable name of the rule."""

    id: str
    severity: Severity
    file: str
    key: str
    message: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.key}" if self.key else self.file
        said = f"{self.message}; {self.remedy}" if self.remedy else self.message
        return f"{where}: {self.severity}: {said} [{self.id}]"


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known about the place a probe is put in. Everything may be unknown.

    `lines` holds the texts the probe must not give away: the edited line, and the text put in its place or added.
    """

    lines: tuple[str, ...] = ()
    file: str | None = None
    """The edited file, relative to the workspace."""
    skills: tuple[str, ...] = ()
    """Names of the workspace's skills."""
    files: frozenset[str] = field(default=frozenset())
    """Files of the arms, relative to the workspace, that an `@` in a prompt would attach."""


def check(loaded: LoadedProbe, scene: Scene | None = None) -> tuple[Finding, ...]:
    """All findings for one probe, errors first. `scene` defaults to what the probe's own target says."""
    probe = loaded.probe
    scene = scene if scene is not None else scene_of(probe)
    found = [*_unwritten(probe), *_claim(probe), *_experiment(probe), *_attachments(probe, scene)]
    if probe.axis is Axis.BEHAVIOR:
        found += [*_names(probe, scene), *_asks_for_text(probe), *_quotes(probe, scene), *_options(probe, scene)]
    else:
        found += [*_content(probe), *_answered_by_itself(probe, scene)]
    findings = [Finding(rule.id, rule.severity, str(loaded.path), key, *said) for rule, key, said in found]
    return tuple(sorted(findings, key=lambda finding: finding.severity is Severity.WARNING))


def scene_of(probe: Probe) -> Scene:
    """What a probe's own target says about where it is put."""
    target = probe.target
    if target is None:
        return Scene()
    lines = (target.line, target.replace_with, target.add)
    return Scene(lines=tuple(line for line in lines if line), file=target.file)


def unusable(findings: Sequence[Finding]) -> bool:
    """Whether any finding keeps its probe from being put."""
    return any(finding.severity is Severity.ERROR for finding in findings)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's stable name, how much it weighs, and why it is there."""

    id: str
    severity: Severity
    why: str


UNWRITTEN = Rule("unwritten", Severity.ERROR, "A place of a starting file has not been filled in.")
CLAIM = Rule("claim-sentences", Severity.ERROR, "A claim is one sentence, fixed before the run.")
CLAIM_ASKS = Rule("claim-asks", Severity.WARNING, "A claim says what the line does; a question claims nothing.")
EXPERIMENT = Rule("experiment", Severity.ERROR, "An agent that knows it is watched answers differently.")
MAY_TELL = Rule("may-tell-experiment", Severity.WARNING, "The same, where the words may mean the work itself.")
MADE_UP = Rule("made-up", Severity.WARNING, "A made-up case is answered with what sounds right, not with what is done.")
ATTACHES = Rule("attaches-file", Severity.ERROR, "The client attaches the file, and the instructions beside it.")
MAY_ATTACH = Rule("may-attach", Severity.WARNING, "The client looks for a file of that name.")
NAMES_FILE = Rule("names-file", Severity.ERROR, "A behavior probe names no file that holds the line.")
NAMES_SKILL = Rule("names-skill", Severity.ERROR, "A behavior probe names no skill.")
ASKS_TEXT = Rule("asks-for-text", Severity.ERROR, "A behavior probe asks nothing about what is written.")
QUOTES = Rule("quotes-line", Severity.ERROR, "A prompt that holds the line gives it to both arms.")
GIVES_AWAY = Rule("gives-away", Severity.WARNING, "A prompt that says most of the line tells both arms what to do.")
SAME_OPTIONS = Rule("options-same", Severity.ERROR, "Options that read the same can't be told apart.")
OPTION_LINES = Rule("option-lines", Severity.ERROR, "Options are listed one to a line.")
OPTION_LETTER = Rule("option-letter", Severity.WARNING, "Letters are put before options when the probe is put.")
OPTION_LENGTH = Rule("option-length", Severity.WARNING, "An option that stands out is chosen for standing out.")
OPTION_QUOTES = Rule("option-quotes-line", Severity.WARNING, "An option that repeats the line hands it to both arms.")
NOT_VERBATIM = Rule("not-verbatim", Severity.ERROR, "A content answer is compared word for word.")
NO_WAY_OUT = Rule("no-way-out", Severity.ERROR, "Without a way to say 'nothing', an arm has to invent something.")
ANSWERED = Rule("answered-by-prompt", Severity.ERROR, "The line must be the only road to the answer.")

_Found = tuple[Rule, str, tuple[str, str]]
"""A rule, the key it is broken at, and what is said: message and remedy."""


def _texts(probe: Probe) -> Iterator[tuple[str, str]]:
    yield "prompt", probe.prompt
    for index, option in enumerate(probe.options):
        yield f"options[{index}].text", option.text


def _unwritten(probe: Probe) -> Iterator[_Found]:
    for key, text in (("claim", probe.claim), *_texts(probe)):
        place = _UNWRITTEN.search(text)
        if place:
            yield UNWRITTEN, key, (f"still to be written: {_shown(place[0])}", "put your own words in its place")


def _claim(probe: Probe) -> Iterator[_Found]:
    found = sentences(_UNWRITTEN.sub("…", probe.claim))
    if len(found) > 1:
        yield CLAIM, "claim", (f"has {len(found)} sentences", "say in one what the line changes when it applies")
    elif probe.claim.rstrip().endswith(("?", "？")):
        yield CLAIM_ASKS, "claim", ("is a question", "say what the line changes; the run is the question")


def _experiment(probe: Probe) -> Iterator[_Found]:
    for key, text in _texts(probe):
        told = wording.TELLS_OF_AN_EXPERIMENT.search(text)
        if told:
            yield EXPERIMENT, key, (f"tells the agent that it is watched: {_shown(told[0])}", "give the work itself")
            continue
        may_tell = find_disclosure(text)
        if may_tell:
            yield MAY_TELL, key, (f"reads as if it told of an experiment: {_shown(may_tell)}", "say it otherwise")
            continue
        made_up = wording.SOUNDS_MADE_UP.search(text)
        if made_up:
            yield MADE_UP, key, (f"sounds made up: {_shown(made_up[0])}", "put it as work that is at hand")


def _attachments(probe: Probe, scene: Scene) -> Iterator[_Found]:
    known = {name.casefold() for name in (*scene.files, *_ENTRY_FILES, *((scene.file,) if scene.file else ()))}
    for named in dict.fromkeys(found["path"] for found in _ATTACHED.finditer(probe.prompt)):
        path = named.rstrip(".").removeprefix("./")
        said = f"the client attaches what stands behind an @: {_shown('@' + named)}"
        if path.casefold() in known or PurePosixPath(path).name.casefold() in known:
            yield ATTACHES, "prompt", (said, "take the @ away")
        else:
            yield MAY_ATTACH, "prompt", (said, "put the name in backticks or take the @ away")


def _names(probe: Probe, scene: Scene) -> Iterator[_Found]:
    for key, text in _texts(probe):
        folded = fold(text).replace("\\", "/")
        name = next(filter(lambda name: _named(name, folded), _file_names(scene.file)), None)
        if name is not None:
            yield NAMES_FILE, key, (f"names {_shown(name)}", "give the situation and leave the instructions unnamed")
        skill = next(filter(lambda name: _named_as_skill(name, folded), scene.skills), None)
        if skill is not None:
            yield NAMES_SKILL, key, (f"names the skill {_shown(skill)}", "say what is to be done, not by which skill")


def _file_names(file: str | None) -> Iterator[str]:
    """Names that give the edited file away, the most telling first."""
    if file is not None:
        path = PurePosixPath(file)
        yield from (path.as_posix(), path.name)
        if path.parent.name:
            yield f"{path.parent.as_posix()}"
            yield f"{path.parent.name}/"
    yield from _ENTRY_FILES


def _named(name: str, folded: str) -> bool:
    wanted = fold(name)
    # A folder called `docs` is also a plain word: it counts when it is written as a folder.
    if "/" not in wanted and "." not in wanted and "-" not in wanted:
        wanted += "/"
    last = "" if wanted.endswith("/") else r"(?![a-z0-9_-])"
    return re.search(rf"(?<![a-z0-9_-]){re.escape(wanted)}{last}", folded) is not None


def _named_as_skill(name: str, folded: str) -> bool:
    wanted = re.escape(fold(name))
    if re.search(r"[-_.\d]", name):
        return re.search(rf"(?<![a-z0-9_-]){wanted}(?![a-z0-9_-])", folded) is not None
    # A skill called `review` is also a plain word: it counts when it is spoken of as a skill.
    return re.search(rf"(?<![\w/])/{wanted}\b|\b{wanted}\W{{0,2}} (?:skill|スキル|技能)", folded) is not None


def _asks_for_text(probe: Probe) -> Iterator[_Found]:
    asked = wording.ASKS_FOR_THE_TEXT.search(probe.prompt)
    if asked:
        said = f"points at what is written: {_shown(asked[0])}"
        yield ASKS_TEXT, "prompt", (said, "give the situation only; a content probe asks for the text")


def _quotes(probe: Probe, scene: Scene) -> Iterator[_Found]:
    for line in scene.lines:
        if quotes(probe.prompt, line):
            yield QUOTES, "prompt", (f"quotes the line: {_shown(line)}", "give the situation without its words")
            return
    for line in scene.lines:
        shared = gives_away(probe.prompt, line) or _only_word(probe.prompt, line)
        if shared:
            said = f"prompt gives the behaviour away, it shares with the line: {_shown(shared)}"
            yield GIVES_AWAY, "prompt", (said, "use other words")
            return


def _only_word(text: str, line: str) -> str | None:
    said = words(core(line))
    return said[0] if weight(said) == 1 and len(said) == 1 and said[0] in words(text) else None


def _options(probe: Probe, scene: Scene) -> Iterator[_Found]:
    seen: dict[str, int] = {}
    for index, option in enumerate(probe.options):
        key = f"options[{index}].text"
        first = seen.setdefault(" ".join(words(option.text)), index)
        if first != index:
            yield SAME_OPTIONS, key, (f"reads the same as options[{first}]", "make every option another action")
        if "\n" in option.text.strip() or "\r" in option.text.strip():
            yield OPTION_LINES, key, ("holds a line break", "write it in one line")
        if re.match(r"\s*(?:\(?[A-Za-z][).:]\s|ACTION:)", option.text):
            said = f"begins with a letter of its own: {_shown(option.text[:12])}"
            yield OPTION_LETTER, key, (said, "leave the letter out; it is put there in changing order")
        if any(quotes(option.text, line) for line in scene.lines):
            yield OPTION_QUOTES, key, ("quotes the line", "say the action in other words")
    lengths = [len(fold(option.text)) for option in probe.options]
    shortest, longest = min(lengths), max(lengths)
    if longest > 3 * shortest and longest - shortest > 40:
        said = f"is {longest} characters long, the shortest option {shortest}"
        yield OPTION_LENGTH, f"options[{lengths.index(longest)}].text", (said, "make them alike in length and detail")


def _content(probe: Probe) -> Iterator[_Found]:
    if not wording.ASKS_VERBATIM.search(probe.prompt):
        yield NOT_VERBATIM, "prompt", ("does not ask for the text verbatim", 'ask for it "word for word"')
    if not wording.ASKS_FOR_NO_PROVISION.search(probe.prompt):
        said = "does not say how to answer where nothing is provided"
        yield NO_WAY_OUT, "prompt", (said, 'ask for "no provision" in that case')


def _answered_by_itself(probe: Probe, scene: Scene) -> Iterator[_Found]:
    for line in scene.lines:
        if quotes(probe.prompt, line):
            yield ANSWERED, "prompt", (f"holds the line it asks for: {_shown(line)}", "name its subject only")
            return
    for line in scene.lines:
        shared = gives_away(probe.prompt, line)
        if shared:
            said = f"tells most of the line it asks for: {_shown(shared)}"
            yield GIVES_AWAY, "prompt", (said, "name its subject in other words")
            return


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return f'"{text}"' if len(text) <= 60 else f'"{text[:59]}…"'
