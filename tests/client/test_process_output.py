"""Whatever a child writes or refuses to read, the launch ends and its bytes are kept as they came."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from measure.client.process import STDOUT_CAP, TAIL
from tests.client.launching import ENVIRONMENT, every_way, launch, run

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@every_way
async def test_input_output_and_exit_code_pass_through(way: str, tmp_path: Path) -> None:
    finished = await launch(
        way, tmp_path / "a", {"copy_stdin": True}, {"stderr": "said\n"}, {"exit": 3}, stdin=b"x\r\n\0"
    )
    assert (finished.stdout, finished.stderr_tail, finished.exit_code) == (b"x\r\n\0", b"said\n", 3)
    assert finished.start_error is None
    assert (finished.timed_out, finished.killed_after_result, finished.oversize) == (False, False, False)
    assert finished.started_at.utcoffset() is not None
    assert 0 < finished.wall_s < 30


async def test_a_child_that_fills_stderr_is_not_blocked(tmp_path: Path) -> None:
    steps = ({"stderr": "0123456789abcde\n", "repeat": 5 * 65536}, {"stderr": "end"}, {"stdout": "done\n"})
    finished = await launch("descendants", tmp_path / "a", *steps)
    assert finished.stdout == b"done\n"
    assert finished.stderr_tail.endswith(b"end")
    assert len(finished.stderr_tail) == TAIL


async def test_a_line_of_megabytes_arrives_whole(tmp_path: Path) -> None:
    finished = await launch(
        "descendants", tmp_path / "a", {"stdout": "abc", "repeat": 1_000_000}, {"stdout": "\nlast\n"}
    )
    assert finished.stdout == b"abc" * 1_000_000 + b"\nlast\n"
    assert finished.stdout_tail == finished.stdout[-TAIL:]


@every_way
async def test_output_above_the_cap_ends_the_child_and_says_so(way: str, tmp_path: Path) -> None:
    finished = await launch(
        way, tmp_path / "a", {"stdout": "x" * 1000, "repeat": 10_000}, {"sleep": 600}, stdout_cap=100_000
    )
    assert finished.oversize
    assert len(finished.stdout) == 100_000
    assert not finished.timed_out


async def test_output_of_exactly_the_cap_is_no_excess(tmp_path: Path) -> None:
    finished = await launch("descendants", tmp_path / "a", {"stdout": "x" * 1000}, stdout_cap=1000)
    assert not finished.oversize
    assert STDOUT_CAP == 64 * 1024 * 1024


async def test_characters_written_byte_by_byte_stay_whole(tmp_path: Path) -> None:
    said = "規則を守る 🙂 è\n"
    seen: list[bytes] = []

    def see(line: bytes) -> bool:
        seen.append(line)
        return False

    finished = await launch(
        "descendants",
        tmp_path / "a",
        {"stdout": said, "bytewise": True},
        {"stdout": "守" * 40_000 + "\n"},
        is_final=see,
    )
    assert finished.stdout.decode() == said + "守" * 40_000 + "\n"
    assert b"\n".join(seen) + b"\n" == finished.stdout


async def test_bytes_that_are_no_text_are_kept(tmp_path: Path) -> None:
    finished = await launch("descendants", tmp_path / "a", {"stdout_hex": "7bff00b20a"}, {"stderr": "\udcff"})
    assert finished.stdout == b"{\xff\x00\xb2\n"
    assert finished.stderr_tail == b"\xed\xb3\xbf"


@every_way
async def test_a_child_that_never_reads_its_input_is_no_error(way: str, tmp_path: Path) -> None:
    finished = await launch(way, tmp_path / "a", {"close": "stdin"}, {"stdout": "done\n"}, stdin=b"p" * 10_000_000)
    assert (finished.stdout, finished.exit_code, finished.timed_out) == (b"done\n", 0, False)


@every_way
async def test_ten_megabytes_of_input_arrive_while_output_flows(way: str, tmp_path: Path) -> None:
    prompt = bytes(range(256)) * 40_000
    finished = await run(way, tmp_path, ["cat"], stdin=prompt)
    assert finished.stdout == prompt


async def test_the_childs_input_is_closed_after_the_prompt(tmp_path: Path) -> None:
    finished = await launch(
        "descendants", tmp_path / "a", {"read_stdin": True}, {"stdout": "read to the end\n"}, stdin=b""
    )
    assert finished.stdout == b"read to the end\n"


@every_way
async def test_only_the_given_environment_reaches_the_child(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    finished = await launch(way, tmp_path / "a", {"tell": "env"})
    told = set(json.loads(finished.stdout)) - {"PWD", "_", "SHLVL", "OLDPWD"}
    added = set() if way == "pid-namespace" else {"SESSION_TAG"}
    assert told == set(ENVIRONMENT) | added


@every_way
async def test_a_directory_reached_by_a_link_is_the_real_one_for_the_child(way: str, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    finished = await launch(way, link.resolve(), {"tell": "cwd"})
    assert json.loads(finished.stdout) == str(real)


@every_way
async def test_an_argument_with_a_line_break_is_refused(way: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line break"):
        await run(way, tmp_path, ["cat", "first\nsecond"])


@every_way
@pytest.mark.parametrize("program", ["/no/such/claude", "no-such-claude", "plain", "broken"])
async def test_a_client_that_cannot_start_says_why(way: str, program: str, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("not executable")
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o755)
    argv = str(tmp_path / program) if program in ("plain", "broken") else program
    finished = await run(way, tmp_path, [argv])
    assert finished.start_error is not None
    assert program in finished.start_error
    assert finished.exit_code is None


@every_way
async def test_a_missing_directory_is_a_start_error(way: str, tmp_path: Path) -> None:
    finished = await run(way, tmp_path / "gone", ["cat"])
    assert finished.start_error is not None
    assert "gone" in finished.start_error


@every_way
async def test_an_agent_that_exits_with_127_did_start(way: str, tmp_path: Path) -> None:
    finished = await launch(way, tmp_path / "a", {"stderr": "bash: x: command not found\n"}, {"exit": 127})
    assert (finished.start_error, finished.exit_code) == (None, 127)


async def test_a_child_that_writes_without_a_pause_leaves_the_others_their_turn(tmp_path: Path) -> None:
    turns = 0
    async with anyio.create_task_group() as tasks:

        async def count_turns() -> None:
            nonlocal turns
            while True:
                await anyio.lowlevel.checkpoint()
                turns += 1

        tasks.start_soon(count_turns)
        await run("descendants", tmp_path, ["sh", "-c", "head -c 20000000 /dev/zero"])
        tasks.cancel_scope.cancel()
    assert turns > 50
