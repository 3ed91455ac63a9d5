"""Tokens billed for the standard round, launched plainly and as `measure run` does it, with a real client on loopback.

    python tests/benchmarks/bench_tokens.py [--small] [--rules KILOBYTES]

The standard round is 5 probes, 3 rounds, 2 arms. Plainly means: each launch in a folder of its own, the client's own
defaults for what its system prompt says of that folder, and all of them started at once, so that none finds anything in
the cache. Limit: 45 % of that. What fewer at once would be billed is printed beside it, and so is each cause by itself.

Billed are units of fresh input tokens by the double's account of prompt caching: 1.25 for a token written, 0.1 for one
read. After the first launch nearly all that is left is the part between system prompt and end of prompt: it holds the
instructions, in which the arms differ, and clients set no mark before the prompt from which a cache could be read.
"""

from __future__ import annotations

import argparse
import copy
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from measure.arena.names import fresh_name
from measure.probe.load import load_probe
from measure.probe.order import orders
from measure.probe.question import Question
from tests.doubles import real_clients
from tests.doubles.messages_api import MessagesApi, PromptCache, Script, Text, Usage
from tests.doubles.messages_api.request import Json
from tests.doubles.real_clients import PRODUCTION, QUIET, RealClient
from tests.doubles.workplace import LINE, Workplace

LIMIT = 0.45
WORKERS = 4
MODEL = "claude-sonnet-4-5"
PLAIN = tuple(flag for flag in PRODUCTION if flag != "--exclude-dynamic-system-prompt-sections")
PATH = re.compile(r"/[\w./-]*workspaces-\d+(?:/[a-z0-9]{12})+")


ORDERS = {"all at once": 10**6, "8 at once": 8, "one by one": 1}
WAYS = ("own paths, client's defaults", "own paths, flags of a run", "one path, flags of a run")


@dataclass(frozen=True)
class Bill:
    """What the launches of a round are billed: by paths and order, and as they are run."""

    ways: dict[tuple[str, str], Usage]
    as_run: Usage

    @property
    def plain(self) -> Usage:
        return self.ways[WAYS[0], "all at once"]

    @property
    def share(self) -> float:
        return self.as_run.billed / self.plain.billed


def answering() -> MessagesApi:
    return MessagesApi(Script(default=Text("ACTION: A")), latency_s=0.2)


def plainly(place: Workplace, client: RealClient, rounds: int) -> list[Json]:
    """Bodies of every launch of the round, each from a folder of its own."""
    probes = [load_probe(path).probe for path in sorted(place.probes.glob("*.toml"))]
    text = (place.workspace / "CLAUDE.md").read_text()
    prompts = [
        Question(probe, order, "").render()
        for probe in probes
        for order in orders([option.id for option in probe.options], rounds, probe.id)
    ]
    jobs = [(prompt, arm) for prompt in prompts for arm in (text, text.replace("- Ask before you push.\n", ""))]
    with answering() as api:

        def go(number: int) -> None:
            prompt, instructions = jobs[number]
            folder = place.root / "plain" / fresh_name()
            folder.mkdir(parents=True)
            (folder / "CLAUDE.md").write_text(instructions)
            home = place.root / "homes" / fresh_name()
            home.mkdir(parents=True)
            told = {"PATH": place.environment["PATH"], "HOME": str(home), "TMPDIR": str(home), **QUIET}
            done = real_clients.launch(client, folder, told | api.environment(), prompt, flags=PLAIN, model=MODEL)
            assert done.exit_code == 0, done

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(go, range(len(jobs))))
        return [request.body for request in api.asked]


def as_run(place: Workplace, client: RealClient, rounds: int) -> tuple[list[Json], Usage]:
    """Bodies of every launch of `measure run` in their order, and what they were billed."""
    with answering() as api:
        place.extra = api.environment()
        base = ("--client", str(client.path), "--model", MODEL, "--drop", LINE, "--repeats", str(rounds))
        (run,) = place.json(*place.arguments(*base, simulated=False))["runs"]
        assert all(trial["reading"] for trial in run["trials"])
        told = run["spending"]
        for kind in ("cache_creation_input_tokens", "cache_read_input_tokens", "input_tokens"):
            assert told[kind] == getattr(api.usage, kind), "the record tells what was billed, by kind"
        return [request.body for request in api.asked], api.usage


def billed(bodies: list[Json], at_once: int) -> Usage:
    """What bodies are billed where so many are sent before the first of them is answered."""
    cache, total = PromptCache(), Usage()
    for start in range(0, len(bodies), at_once):
        wave = bodies[start : start + at_once]
        total = sum((cache.usage(body, 0.0) for body in wave), total)
        for body in wave:
            cache.store(body, 0.0)
    return total


def moved(bodies: list[Json]) -> list[Json]:
    """The same requests, each from a path of its own."""

    def renamed(value: object, name: str) -> object:
        if isinstance(value, str):
            return PATH.sub(lambda found: found[0][:-12] + name, value)
        if isinstance(value, list):
            return [renamed(item, name) for item in value]
        return {key: renamed(item, name) for key, item in value.items()} if isinstance(value, dict) else value

    return [dict(renamed(copy.deepcopy(body), fresh_name())) for body in bodies]  # type: ignore[call-overload]


def bill(folder: Path, client: RealClient, *, probes: int, rounds: int, rules_kb: int = 0) -> Bill:
    """Launch the round in both ways; `rules_kb`: how long the instructions are beside the few lines of the demo."""
    place = Workplace(folder)
    place.put_probes(probes)
    line = "- Say what you changed, and why, in words that a newcomer to the project can follow.\n"
    with (place.workspace / "CLAUDE.md").open("a") as file:
        file.write(line * (rules_kb * 1024 // len(line)))
    bodies, used = as_run(place, client, rounds)
    plain = plainly(place, client, rounds)
    assert len(bodies) == len(plain) == 2 * probes * rounds
    sent = dict(zip(WAYS, (plain, moved(bodies), bodies), strict=True))
    return Bill({(way, order): billed(sent[way], at_once) for way in WAYS for order, at_once in ORDERS.items()}, used)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="2 probes, 2 rounds")
    parser.add_argument("--rules", type=int, default=0, metavar="KILOBYTES")
    given = parser.parse_args()
    probes, rounds = (2, 2) if given.small else (5, 3)
    kept = True
    for name in real_clients.NAMES:
        client = real_clients.find(name)
        if client is None:
            print(f"the {name} client is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            made = bill(Path(folder), client, probes=probes, rounds=rounds, rules_kb=given.rules)
        print(f"{client.version}: {probes} probes, {rounds} rounds, 2 arms; {made.plain.prompt_tokens} tokens sent")
        print(f"  {'billed, and as share':32}" + "".join(f"{order:>20}" for order in ORDERS))
        for way in WAYS:
            row = [made.ways[way, order].billed for order in ORDERS]
            print(f"  {way:32}" + "".join(f"{one:12.0f} {one / made.plain.billed:7.1%}" for one in row))
        used = made.as_run
        print(
            f"  {'as run':32}{used.billed:12.0f} {made.share:7.1%}   written {used.cache_creation_input_tokens}, "
            f"read {used.cache_read_input_tokens}, fresh {used.input_tokens}"
        )
        held = made.share <= LIMIT
        kept &= held
        print(f"  as run: {made.share:.1%} of plainly (limit {LIMIT:.0%}){'' if held else '  ABOVE THE LIMIT'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
