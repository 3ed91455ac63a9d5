"""The simulated agent: a stand-in that is launched like Claude Code's print mode and answers by stated dispositions.

It is an executable of its own. It takes the prompt by stdin, reads the instruction files of the directory it stands in
(`CLAUDE.md`, `.claude/CLAUDE.md`, the always-loaded `.claude/rules/**/*.md`, skill descriptions) and writes the same
stream-json events. What it answers is drawn from a file of dispositions:

    schema = 1
    model = "simulated-1"                   # the one model it knows; optional
    seconds = 0.0                           # how long an answer takes; optional
    price = { input = 3.0, output = 15.0 }  # US dollars per million tokens; optional, 0 where left out

    [[disposition]]
    prompt = "the wall is wet"              # a part of the prompts it is for
    [[disposition.case]]
    present = "Never paint a wet wall"      # a part of one loaded line; the first case that fits decides
    [[disposition.case.answer]]
    probability = 0.9                       # the answers of a case sum to 1; a lone answer needs none
    choose = "Wait until it is dry"         # ends with the letter that stands before this option in the prompt
    [[disposition.case.answer]]
    probability = 0.1
    say = "That depends."
    [[disposition.case]]                    # without `present`: otherwise. Always there, always last
    [[disposition.case.answer]]
    choose = "Paint now"

An answer has one of `choose`, `say`, `quote = true` (the loaded line that holds `present`, word for word) or `fail`
(one of `FAILURES`). Invariant: the same dispositions, directory, prompt and seed give the same bytes.

It imports next to nothing: its start is paid for once per trial, and most of the standard library costs more than
everything it does.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, NoReturn

DISPOSITIONS = "SIMULATED_DISPOSITIONS"
"""The variable that names the file of dispositions."""
PREPARED = "SIMULATED_PREPARED"
"""The variable that may hold them already read, as `prepare` writes them: reading TOML takes longer than answering."""
SEED = "SIMULATED_SEED"
"""The variable that holds the integer all chance comes from."""

VERSION = "1.0.0"
DEFAULT_MODEL = "simulated-1"
FAILURES = ("usage-limit", "api-error", "crash", "hang", "empty", "max-turns")
_ACTS = ("choose", "say", "quote", "fail")
_TOOLS = ("Read", "Glob", "Grep", "Skill")


class DispositionError(ValueError):
    """A file of dispositions can't be used; says where in it, what was wanted and what was found."""


# ---- Reading dispositions. Also called by the harness, so that mistakes show before the first launch.


def read_dispositions(path: str) -> dict[str, Any]:
    """Parse and check. Raises `DispositionError`; OSError where the file can't be read."""
    import tomllib

    with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
        data = file.read()
    try:
        return check(tomllib.loads(data.decode("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DispositionError(f"not a TOML file: {error}") from None


def prepare(dispositions: dict[str, Any]) -> str:
    """Checked dispositions as the value of `PREPARED`, for the same interpreter."""
    import marshal

    return marshal.dumps(dispositions).hex()


def check(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Dispositions with every default filled in. Raises `DispositionError`."""
    _known(raw, ("schema", "model", "seconds", "price", "disposition"), "top level")
    if raw.get("schema") != 1:
        _wrong("top level", "schema", "1", raw.get("schema"))
    price = _table(raw, "price", "top level")
    _known(price, ("input", "output"), "price")
    checked = [_checked_disposition(item, n) for n, item in enumerate(_tables(raw, "disposition", "top level"), 1)]
    return {
        "model": _text(raw, "model", "top level", DEFAULT_MODEL),
        "seconds": _number(raw, "seconds", "top level", 3600.0),
        "price": {key: _number(price, key, "price", 1e6) for key in ("input", "output")},
        "dispositions": checked,
    }


def _checked_disposition(raw: Mapping[str, Any], number: int) -> dict[str, Any]:
    where = f"disposition {number}"
    _known(raw, ("prompt", "case"), where)
    cases = [_checked_case(item, f"{where}, case {n}") for n, item in enumerate(_tables(raw, "case", where), 1)]
    *before, last = cases
    if last["present"] is not None:
        raise DispositionError(
            f"{where}: wanted a last case without 'present' (what is answered otherwise), found none"
        )
    for n, case in enumerate(before, 1):
        if case["present"] is None:
            raise DispositionError(
                f"{where}, case {n}: only the last case can do without 'present'; later ones are dead"
            )
    return {"prompt": _text(raw, "prompt", where), "cases": cases}


def _checked_case(raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    _known(raw, ("present", "answer"), where)
    present = _text(raw, "present", where) if "present" in raw else None
    if present is not None and "\n" in present:
        raise DispositionError(f"{where}: wanted a part of one line in 'present', found a line break")
    tables = _tables(raw, "answer", where)
    answers = [_checked_answer(a, f"{where}, answer {n}", len(tables) == 1) for n, a in enumerate(tables, 1)]
    if present is None and any("quote" in answer for answer in answers):
        raise DispositionError(f"{where}: 'quote' needs 'present', the line to quote")
    total = sum(answer["probability"] for answer in answers)
    if abs(total - 1) > 1e-9:
        raise DispositionError(f"{where}: wanted probabilities that sum to 1, found {total:g}")
    return {"present": present, "answers": answers}


def _checked_answer(raw: Mapping[str, Any], where: str, alone: bool) -> dict[str, Any]:
    _known(raw, ("probability", "because", *_ACTS), where)
    acts = [key for key in _ACTS if key in raw]
    if len(acts) != 1:
        raise DispositionError(
            f"{where}: wanted exactly one of {', '.join(_ACTS)}, found {' and '.join(acts) or 'none'}"
        )
    if "because" in raw and acts != ["choose"]:
        raise DispositionError(f"{where}: 'because' belongs to 'choose'")
    if not alone and "probability" not in raw:
        _wrong(where, "probability", "a number from 0 to 1", None)
    answer: dict[str, Any] = {"probability": _number(raw, "probability", where, 1.0, default=1.0)}
    [act] = acts
    if act == "quote":
        if raw["quote"] is not True:
            _wrong(where, "quote", "true", raw["quote"])
        answer["quote"] = True
    else:
        answer[act] = _text(raw, act, where)
    if act == "fail" and answer["fail"] not in FAILURES:
        _wrong(where, "fail", f"one of {', '.join(FAILURES)}", answer["fail"])
    if act == "choose":
        answer["because"] = _text(raw, "because", where, "This is what fits what I was given.")
    return answer


def _known(raw: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in raw:
        if key not in keys:
            raise DispositionError(f"{where}: unknown key {key!r}; known are {', '.join(keys)}")


def _table(raw: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    found = raw.get(key, {})
    return found if isinstance(found, dict) else _wrong(where, key, "a table", found)


def _tables(raw: Mapping[str, Any], key: str, where: str) -> list[Mapping[str, Any]]:
    found = raw.get(key)
    if not isinstance(found, list) or not found or not all(isinstance(item, dict) for item in found):
        _wrong(where, key, f"at least one [[…{key}]]", found)
    return found


def _text(raw: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    found = raw.get(key, default)
    return found if isinstance(found, str) and found.strip() else _wrong(where, key, "a text that is not blank", found)


def _number(raw: Mapping[str, Any], key: str, where: str, most: float, default: float = 0.0) -> float:
    found = raw.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= most:
        _wrong(where, key, f"a number from 0 to {most:g}", found)
    return float(found)


def _wrong(where: str, key: str, wanted: str, found: object) -> NoReturn:
    raise DispositionError(f"{where}: wanted {wanted} in {key!r}, found {'nothing' if found is None else repr(found)}")


# ---- What is loaded from the directory.


def loaded_lines(tools: bool) -> Iterator[str]:
    """The lines of every instruction file of the working directory, then one line for each skill."""
    for name in ("CLAUDE.md", os.path.join(".claude", "CLAUDE.md"), *_rule_files()):  # noqa: PTH118
        front, body = _parts(name)
        if not any(line.startswith("paths:") for line in front):
            yield from body
    if tools:
        yield from _skills()


def _rule_files() -> Iterator[str]:
    for folder, folders, names in os.walk(os.path.join(".claude", "rules"), followlinks=True):  # noqa: PTH118
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".md"))  # noqa: PTH118


def _skills() -> Iterator[str]:
    root = os.path.join(".claude", "skills")  # noqa: PTH118
    for name in sorted(os.listdir(root)) if os.path.isdir(root) else ():  # noqa: PTH112, PTH208
        front, _ = _parts(os.path.join(root, name, "SKILL.md"))  # noqa: PTH118
        described = False
        words = []
        for line in front:
            # A value may go on over the indented lines that follow its key.
            described = line.startswith("description:") or (described and line.startswith((" ", "\t")))
            if described:
                words.append(line.removeprefix("description:").strip().lstrip(">|-"))
        if words:
            yield f"- {name}: {' '.join(words).strip()}"


def _parts(path: str) -> tuple[list[str], list[str]]:
    """Lines of the front matter and of the body; none where there is no such file."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            lines = file.read().decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return [], []
    if lines and lines[0].rstrip() == "---" and "---" in (marks := [line.rstrip() for line in lines[1:]]):
        end = marks.index("---") + 1
        return lines[1:end], lines[end + 1 :]
    return [], lines


# ---- Answering.


def decide(dispositions: Mapping[str, Any], prompt: str, lines: list[str], chance: float) -> Mapping[str, Any]:
    """The answer as `{"say": text}` or `{"fail": kind}`. Raises `DispositionError` where nothing was stated."""
    cases = next((item["cases"] for item in dispositions["dispositions"] if item["prompt"] in prompt), None)
    if cases is None:
        raise DispositionError("no disposition is for this prompt")
    for case in cases:
        holding = next((line for line in lines if case["present"] is not None and case["present"] in line), None)
        if holding is not None or case["present"] is None:
            break
    for answer in case["answers"]:
        chance -= answer["probability"]
        if chance < 0:
            break
    if "quote" in answer:
        return {"say": holding}
    if "choose" in answer:
        return {"say": f"{answer['because']}\n\nACTION: {_letter(prompt, answer['choose'])}"}
    return {key: answer[key] for key in ("say", "fail") if key in answer}


def _letter(prompt: str, option: str) -> str:
    for line in prompt.splitlines():
        if line[1:3] == ") " and line[3:].strip() == option.strip():
            return line[0]
    raise DispositionError(f"the prompt has no option {option!r}")


class Chance:
    """SplitMix64 (Steele, Lea, Flood 2014): small, fast, and the same on every version of every platform."""

    def __init__(self, seed: int) -> None:
        self._state = seed & 0xFFFFFFFFFFFFFFFF

    def bits(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return mixed ^ (mixed >> 31)

    def uniform(self) -> float:
        return (self.bits() >> 11) / (1 << 53)

    def identity(self) -> str:
        digits = f"{self.bits():016x}{self.bits():016x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


# ---- The stream.


class Session:
    """Writes the events of one launch and counts what it would have cost."""

    def __init__(self, dispositions: Mapping[str, Any], options: Mapping[str, Any], chance: Chance) -> None:
        self._id = chance.identity()
        self._chance = chance
        self._model = dispositions["model"]
        self._price = dispositions["price"]
        self._tools = options["tools"]
        self._max_turns = options["max_turns"]
        self._read = 0
        self._written = 0

    def begin(self) -> None:
        self._write(
            "system",
            subtype="init",
            cwd=os.getcwd(),  # noqa: PTH109
            tools=list(_TOOLS) if self._tools else [],
            mcp_servers=[],
            model=self._model,
            permissionMode="default",
            slash_commands=[],
            apiKeySource="none",
            claude_code_version=VERSION,
            output_style="default",
            agents=[],
            skills=[],
        )

    def read(self, characters: int) -> None:
        # Four characters to a token: near enough for numbers that nobody is billed for.
        self._read += (characters + 3) // 4

    def answer(self, said: str) -> int:
        self._assistant({"type": "text", "text": said})
        self._written += (len(said) + 3) // 4
        return self._result(result=said)

    def fail(self, kind: str) -> int:
        if kind == "hang":
            import time

            while True:
                time.sleep(3600)
        if kind == "crash":
            _complain("the simulated agent crashed, as its dispositions say")
            return 134
        if kind == "empty":
            asked_again = "[Your previous response had no visible output. Please produce a user-visible response.]"
            self._write(
                "user", message={"role": "user", "content": [{"type": "text", "text": asked_again}]}, isSynthetic=True
            )
            return self._result(result="", num_turns=2)
        if kind == "max-turns":
            call = {
                "type": "tool_use",
                "id": f"toolu_{self._id[:8]}",
                "name": "Read",
                "input": {"file_path": "README.md"},
            }
            self._assistant(call)
            told = f"Reached maximum number of turns ({self._max_turns})"
            return self._result(
                subtype="error_max_turns",
                is_error=True,
                stop_reason="tool_use",
                terminal_reason="max_turns",
                num_turns=self._max_turns + 1,
                errors=[told],
            )
        if kind == "usage-limit":
            return self._refused("rate_limit", 429, "You've hit your session limit · resets 11:59pm (UTC)")
        return self._refused("server_error", 529, "API Error: 529 Overloaded. This is a simulated failure.")

    def reject_model(self, asked: str) -> int:
        told = f"There's an issue with the selected model ({asked}). The simulated agent is {self._model}."
        return self._refused("model_not_found", 404, told)

    def _refused(self, kind: str, status: int, told: str) -> int:
        self._read = 0
        content = [{"type": "text", "text": told}]
        message = {"id": self._chance.identity(), "type": "message", "role": "assistant", "model": "<synthetic>"}
        self._write(
            "assistant",
            message={**message, "content": content, "stop_reason": "stop_sequence", "stop_sequence": ""},
            parent_tool_use_id=None,
            error=kind,
            is_api_error_message=True,
            api_error_status=status,
        )
        return self._result(
            result=told,
            is_error=True,
            stop_reason="stop_sequence",
            terminal_reason="api_error",
            api_error_status=status,
            modelUsage={},
        )

    def _assistant(self, block: Mapping[str, Any]) -> None:
        message = {
            "id": f"msg_{self._id[:8]}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": self._read, "output_tokens": 1},
        }
        self._write("assistant", message=message, parent_tool_use_id=None)

    def _result(self, **more: Any) -> int:
        cost = (self._read * self._price["input"] + self._written * self._price["output"]) / 1e6
        event = {
            "subtype": "success",
            "is_error": False,
            "api_error_status": None,
            "duration_ms": 0,
            "duration_api_ms": 0,
            "num_turns": 1,
            "stop_reason": "end_turn",
            "terminal_reason": "completed",
            "total_cost_usd": cost,
            "usage": {
                "input_tokens": self._read,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": self._written,
            },
            "modelUsage": {
                self._model: {
                    "inputTokens": self._read,
                    "outputTokens": self._written,
                    "cacheReadInputTokens": 0,
                    "cacheCreationInputTokens": 0,
                    "costUSD": cost,
                }
            },
            "permission_denials": [],
            **more,
        }
        self._write("result", **event)
        return 1 if event["is_error"] else 0

    def _write(self, kind: str, **event: Any) -> None:
        event = {"type": kind, **event, "session_id": self._id, "uuid": self._chance.identity()}
        data = (to_json(event) + "\n").encode()
        while data:
            data = data[os.write(1, data) :]


def to_json(value: object) -> str:
    """JSON text of plain values. The library's own encoder takes longer to import than everything else here."""
    if isinstance(value, str):
        return f'"{"".join(_escaped(character) for character in value)}"'
    if isinstance(value, dict):
        return "{" + ",".join(f"{to_json(str(key))}:{to_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(to_json, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x20 or 0xD800 <= code <= 0xDFFF else character


# ---- The command line.

_FLAGS = (
    "-p", "--print", "--verbose", "--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands",
    "--exclude-dynamic-system-prompt-sections",
)  # fmt: skip
_VALUED = ("--model", "--output-format", "--max-turns", "--setting-sources", "--settings")
_VARIADIC = ("--tools", "--disallowedTools")


class UsageError(ValueError):
    """The arguments make no sense."""


def parse_arguments(arguments: list[str]) -> dict[str, Any]:
    """What the arguments ask for. Raises `UsageError` where the real client would refuse them."""
    found: dict[str, Any] = {"flags": set(), "prompt": "", "--tools": None}
    waiting = list(arguments)
    while waiting:
        name, equals, value = waiting.pop(0).partition("=")
        if name in _FLAGS:
            found["flags"].add("--print" if name == "-p" else name)
        elif name in _VALUED:
            if not equals and not waiting:
                raise UsageError(f"option '{name}' needs a value")
            found[name] = value if equals else waiting.pop(0)
        elif name in _VARIADIC:
            values = [value] if equals else []
            while waiting and not waiting[0].startswith("-"):
                values.append(waiting.pop(0))
            found[name] = values
        elif name.startswith("-"):
            raise UsageError(f"unknown option '{name}'")
        else:
            found["prompt"] = name + equals + value
    if "--print" not in found["flags"]:
        raise UsageError("the simulated agent has no interactive mode; use --print")
    if found.get("--output-format") != "stream-json" or "--verbose" not in found["flags"]:
        raise UsageError("the simulated agent writes --output-format stream-json with --verbose only")
    turns = found.get("--max-turns", "1")
    if not turns.isdecimal() or int(turns) < 1:
        raise UsageError(f"option '--max-turns' needs a positive number, not {turns!r}")
    return {
        "model": found.get("--model"),
        "prompt": found["prompt"],
        "tools": found["--tools"] is None or any(found["--tools"]),
        "skills": "--disable-slash-commands" not in found["flags"],
        "max_turns": int(turns),
    }


def main(arguments: list[str]) -> int:
    """One launch; the exit code."""
    if "--version" in arguments or "-v" in arguments:
        os.write(1, f"{VERSION} (simulated agent)\n".encode())
        return 0
    try:
        options = parse_arguments(arguments)
        dispositions = _dispositions()
        seed = int(os.environ.get(SEED, "0"))
    except (ValueError, OSError) as error:
        _complain(str(error))
        return 1
    prompt = "\n".join(part for part in (options["prompt"], sys.stdin.buffer.read().decode("utf-8", "replace")) if part)
    if not prompt.strip():
        _complain("Input must be provided through stdin or as a prompt argument when using --print")
        return 1
    chance = Chance(seed)
    drawn = chance.uniform()
    session = Session(dispositions, options, chance)
    session.begin()
    if options["model"] not in (None, dispositions["model"]):
        return session.reject_model(options["model"])
    lines = list(loaded_lines(options["tools"] and options["skills"]))
    session.read(sum(map(len, lines)) + len(prompt))
    try:
        answer = decide(dispositions, prompt, lines, drawn)
    except DispositionError as error:
        _complain(str(error))
        return 1
    if dispositions["seconds"]:
        import time

        time.sleep(dispositions["seconds"])
    return session.fail(answer["fail"]) if "fail" in answer else session.answer(answer["say"])


def _dispositions() -> Mapping[str, Any]:
    if PREPARED in os.environ:
        import marshal

        prepared: dict[str, Any] = marshal.loads(bytes.fromhex(os.environ[PREPARED]))  # noqa: S302 - our own
        return prepared
    path = os.environ.get(DISPOSITIONS)
    if path is None:
        raise DispositionError(f"the variable {DISPOSITIONS} names no file of dispositions")
    try:
        return read_dispositions(path)
    except DispositionError as error:
        raise DispositionError(f"{path}: {error}") from None


def _complain(told: str) -> None:
    os.write(2, f"error: {told}\n".encode("utf-8", "backslashreplace"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
