"""`python -m tests.real_client.capture [ROW...]`: write what the real clients print, for tests that replay it.

Writes `tests/fixtures/streams/<version>/<row>.jsonl` and, per version, `ends.json` with each row's exit code (null:
only the outer limit ended it) and standard error. Nothing of the machine that captured it is left in: directories,
addresses, ids and hours are replaced.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.doubles import real_clients
from tests.doubles.real_clients import RealClient
from tests.real_client.playing import Played, play
from tests.real_client.rows import BY_NAME, Row

STREAMS = Path(__file__).parents[1] / "fixtures" / "streams"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HOUR = re.compile(r'("timestamp":")[^"]*(")')


def scrubbed(text: str, played: Played) -> str:
    """`text` without what belongs to this machine and this moment; the same id stays the same id."""
    for made, name in (("work", "/work"), ("home", "/home/user"), ("temp", "/temp")):
        text = text.replace(str(played.directory / made), name)
    for address in played.addresses:
        text = text.replace(address.removeprefix("http://"), "127.0.0.1:1")
    numbers: dict[str, str] = {}
    text = _UUID.sub(lambda m: numbers.setdefault(m[0], f"00000000-0000-4000-8000-{len(numbers) + 1:012d}"), text)
    return _HOUR.sub(r"\g<1>2026-01-01T00:00:00.000Z\g<2>", text)


def main(names: list[str]) -> None:
    clients = [client for name in real_clients.NAMES if (client := real_clients.find(name))]
    rows = [BY_NAME[name] for name in names or BY_NAME]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:

        def one(client: RealClient, row: Row) -> tuple[str, str, dict[str, object]]:
            directory = Path(scratch, client.name, row.name)
            played = play(row, client, directory)
            launched = played.launched
            (STREAMS / client.version).mkdir(parents=True, exist_ok=True)
            stream = scrubbed(launched.stdout.decode(), played)
            (STREAMS / client.version / f"{row.name}.jsonl").write_text(stream)
            shutil.rmtree(directory)
            end: dict[str, object] = {"exit_code": launched.exit_code, "stderr": scrubbed(launched.stderr, played)}
            return client.version, row.name, end

        ends: dict[str, dict[str, object]] = {client.version: _known(client.version) for client in clients}
        for version, name, end in pool.map(lambda pair: one(*pair), [(c, row) for c in clients for row in rows]):
            ends[version][name] = end
            print(version, name, end["exit_code"], file=sys.stderr)
    for version, known in ends.items():
        (STREAMS / version / "ends.json").write_text(json.dumps(known, indent=1, sort_keys=True) + os.linesep)


def _known(version: str) -> dict[str, object]:
    path = STREAMS / version / "ends.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


if __name__ == "__main__":
    main(sys.argv[1:])
