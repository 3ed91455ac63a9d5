"""A stub agent: an executable that replays what a script says, byte for byte and misdeed for misdeed.

As a module it writes such executables (`install`) and the events of the stream-json form (`init`, `text`, `result`).
Run as a program, `stub_client.py SCRIPT.json [ARGUMENT...]`, it plays. It needs the standard library only.

A script is `{"version": "…", "launches": [[step, …], …]}`: launch n plays entry n modulo their number. A step is an
object with one of these keys:

    stdout, stderr    text to write, as UTF-8              stdout_hex        bytes to write, as hexadecimal digits
    repeat            with one of the above: so many times  bytewise          with one of the above: a byte at a time
    sleep             seconds                               read_stdin        read stdin to its end
    copy_stdin        write stdin to stdout                 close             close "stdin", "stdout" or "stderr"
    child             shell text to start in the background; it inherits stdout, unless `quiet` is true;
                      `setsid` true puts it into a session of its own, `bare` true drops its environment
    ignore            name of a signal to ignore            on_term           exit code to exit with on SIGTERM
    tell              "cwd", "argv" or "env": write it to stdout as one line of JSON
    holding           [file, text]: plays the steps `then` if that file of the working directory holds the text,
                      else the steps `otherwise`
    exit              exit code                             die               name of a signal to die of
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

KEY_OF_A_CAPTURE = "made-up-key-for-loopback-only"
"""By this key a launch is known that is to show its request and nothing else."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    Step = dict[str, Any]


def install(directory: Path, *launches: list[Step], version: str = "2.1.197 (Claude Code)") -> Path:
    """Write an executable into `directory` that plays these launches in turn."""
    directory.mkdir(parents=True, exist_ok=True)
    script = directory / "script.json"
    script.write_text(json.dumps({"version": version, "launches": launches}))
    program = directory / "claude"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -I -S '{__file__}' '{script}' \"$@\"\n")
    program.chmod(0o755)
    return program


def init(**more: Any) -> Step:
    """The event a session begins with."""
    event = {
        "type": "system",
        "subtype": "init",
        "cwd": "/",
        "session_id": "s1",
        "tools": [],
        "mcp_servers": [],
        "model": "model-1",
        "permissionMode": "default",
        "claude_code_version": "2.1.197",
    }
    return line(event | more)


def text(said: str, *, model: str = "model-1") -> Step:
    """One assistant message of one text block."""
    message = {"id": "m1", "type": "message", "role": "assistant", "model": model, "stop_reason": None}
    content = [{"type": "text", "text": said}]
    return line({"type": "assistant", "message": message | {"content": content}, "session_id": "s1"})


def result(said: str, **more: Any) -> Step:
    """The event a session ends with."""
    event = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": said,
        "stop_reason": "end_turn",
        "session_id": "s1",
        "total_cost_usd": 0.001,
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "modelUsage": {"model-1": {"inputTokens": 10, "outputTokens": 5, "costUSD": 0.001}},
        "permission_denials": [],
        "terminal_reason": "completed",
    }
    return line(event | more)


def line(event: dict[str, Any]) -> Step:
    """Any event, as it stands in the stream."""
    return {"stdout": json.dumps(event, ensure_ascii=False) + "\n"}


def main(script_path: str, arguments: list[str]) -> None:
    with open(script_path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to import
        script = json.load(file)
    if "--version" in arguments:
        os.write(1, script["version"].encode() + b"\n")
        return
    if os.environ.get("ANTHROPIC_API_KEY") == KEY_OF_A_CAPTURE:
        ask_for_an_answer()
        return
    launches = script["launches"]
    play(launches[_number_of_this_launch(script_path) % len(launches)])


def ask_for_an_answer() -> None:
    """Do what a client does that is led to a loopback endpoint: send what it loaded and the prompt. Plays no launch."""
    import http.client
    from urllib.parse import urlsplit

    loaded = ""
    if os.path.exists("CLAUDE.md"):  # noqa: PTH110
        with open("CLAUDE.md", encoding="utf-8") as file:  # noqa: PTH123
            loaded = f"Contents of {os.getcwd()}/CLAUDE.md (project instructions):\n\n{file.read().strip()}\n"  # noqa: PTH109
    texts = [loaded, sys.stdin.buffer.read().decode()]
    content = [{"type": "text", "text": text} for text in texts if text]
    body = {"model": "model-1", "messages": [{"role": "user", "content": content}], "stream": False}
    connection = http.client.HTTPConnection(urlsplit(os.environ["ANTHROPIC_BASE_URL"]).netloc, timeout=20)
    connection.request("POST", "/v1/messages", json.dumps(body), {"Content-Type": "application/json"})
    connection.getresponse().read()


def _number_of_this_launch(script_path: str) -> int:
    number = 0
    while True:
        try:
            os.close(os.open(f"{script_path}.launch{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            number += 1
        else:
            return number


def play(steps: list[Step]) -> None:
    for step in steps:
        for key in step:
            if key in _ACTS:
                _ACTS[key](step)


def _write(step: Step) -> None:
    if "stdout_hex" in step:
        data, descriptor = bytes.fromhex(step["stdout_hex"]), 1
    else:
        descriptor = 1 if "stdout" in step else 2
        data = step["stdout" if descriptor == 1 else "stderr"].encode("utf-8", "surrogatepass")
    data *= step.get("repeat", 1)
    width = 1 if step.get("bytewise") else len(data)
    while data:
        data = data[os.write(descriptor, data[:width]) :]


def _read_stdin(_: Step) -> bytes:
    return sys.stdin.buffer.read()


def _start_child(step: Step) -> None:
    quiet = subprocess.DEVNULL if step.get("quiet") else None
    # Left running on purpose: nobody waits for it.
    subprocess.Popen(
        ["/bin/sh", "-c", step["child"]],
        stdin=subprocess.DEVNULL,
        stdout=quiet,
        stderr=quiet,
        start_new_session=bool(step.get("setsid")),
        env={"PATH": os.defpath} if step.get("bare") else None,
    )


def _tell(step: Step) -> None:
    told = {"cwd": os.getcwd(), "argv": sys.argv[2:], "env": dict(os.environ)}[step["tell"]]  # noqa: PTH109
    os.write(1, json.dumps(told).encode() + b"\n")


def _holding(step: Step) -> None:
    name, wanted = step["holding"]
    try:
        with open(name, encoding="utf-8") as file:  # noqa: PTH123
            held = wanted in file.read()
    except OSError:
        held = False
    play(step.get("then" if held else "otherwise", []))


def _die(step: Step) -> None:
    number = getattr(signal, step["die"])
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


_ACTS = {
    "stdout": _write,
    "stdout_hex": _write,
    "stderr": _write,
    "sleep": lambda step: time.sleep(step["sleep"]),
    "read_stdin": _read_stdin,
    "copy_stdin": lambda step: os.write(1, _read_stdin(step)),
    "close": lambda step: os.close(("stdin", "stdout", "stderr").index(step["close"])),
    "child": _start_child,
    "ignore": lambda step: signal.signal(getattr(signal, step["ignore"]), signal.SIG_IGN),
    "on_term": lambda step: signal.signal(signal.SIGTERM, lambda *_: os._exit(step["on_term"])),
    "tell": _tell,
    "holding": _holding,
    "exit": lambda step: os._exit(step["exit"]),
    "die": _die,
}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
