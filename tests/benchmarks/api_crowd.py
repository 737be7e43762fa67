"""What many programs at once see of their events, and how long each waits for its turn.

    python -m tests.benchmarks.api_crowd [--people 50] [--flood 0] [--slots 4]

People with a token each ask at the same moment; a model that takes its time answers. Clients break
off and come back. With ``--flood`` one more person asks so many questions just before.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from agent.engine.engine import Engine
from services.domain import Principal
from services.models.base import ChatRequest, Completion
from services.models.endpoint import FairSemaphore
from tests.support.api_server import served
from tests.support.desk import QUESTION
from tests.support.house import SAYS
from tests.support.scripted_model import ScriptedModel

CALL_S = 0.4
BREAK_OFF_AFTER = 4  # events


class WaitingModel(ScriptedModel):
    """Takes so many calls at once and its time for each."""

    def __init__(self, slots: int) -> None:
        super().__init__([(f"^{task}$", said) for task, said in SAYS.items()], slots=slots)
        self._turns = FairSemaphore(slots)

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        async with self._turns.turn(request.caller):
            await asyncio.sleep(CALL_S)
            return await super().complete(request, on_text)


class Heard(NamedTuple):
    """What one client was told: each event's number and its seconds on the way."""

    user: str
    thread: str
    waited: float
    seqs: list[int]
    ways: list[float]
    end: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--flood", type=int, default=0)
    parser.add_argument("--slots", type=int, default=4)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), WaitingModel(chosen.slots)) as desk,
    ):
        desk.engine.library.change_collection("laerm", visibility="public")
        names = [f"p{number:02}" for number in range(chosen.people)]
        clients = [("flood", desk.token(user="flood"))] * chosen.flood
        clients += [(name, desk.token(user=name)) for name in names]
        with multiprocessing.get_context("spawn").Pool(1) as program:
            heard = program.apply(in_a_program, (desk.url, clients))
        print(json.dumps(figures(desk.engine, heard), indent=1))


def figures(engine: Engine, heard: list[Heard]) -> dict[str, Any]:
    """What was lost or came twice, milliseconds of an event's way, seconds until an answer."""
    lost = twice = 0
    for each in (each for each in heard if each.thread):
        own = engine.acting_as(Principal(user=each.user)).threads
        lost += len({e.seq for e in own.events(each.thread)} - set(each.seqs))
        twice += len(each.seqs) - len(set(each.seqs))
    ways = [1000 * way for each in heard for way in each.ways]
    answered = sorted((each.waited, each.user) for each in heard if each.thread)
    waits = list({user: waited for waited, user in reversed(answered)}.values())
    middle = statistics.median(waits)
    return {
        "clients": len(heard),
        "ended": Counter(each.end for each in heard),
        "events": len(ways),
        "lost": lost,
        "twice": twice,
        "way ms p50": round(statistics.median(ways), 1),
        "way ms p95": round(statistics.quantiles(ways, n=20)[-1], 1),
        "way ms most": round(max(ways), 1),
        "first answer s": {"median": round(middle, 2), "most": round(max(waits), 2)},
        "most over median": round(max(waits) / middle, 2),
        "last answer s": round(max(each.waited for each in heard), 2),
    }


def in_a_program(url: str, clients: list[tuple[str, str]]) -> list[Heard]:
    return asyncio.run(all_at_once(url, clients))


async def all_at_once(url: str, clients: list[tuple[str, str]]) -> list[Heard]:
    async with httpx.AsyncClient(base_url=url, timeout=120) as http:
        asking = [asked(http, user, token, number) for number, (user, token) in enumerate(clients)]
        return list(await asyncio.gather(*asking))


async def asked(http: httpx.AsyncClient, user: str, token: str, number: int) -> Heard:
    """One question, from asking it to the end of its events."""
    headers = {"Authorization": f"Bearer {token}"}
    began = time.monotonic()
    body = {"question": f"{QUESTION} ({number})", "depth": "fast", "wait": False}
    answer = await http.post("/api/v1/ask", json=body, headers=headers)
    if answer.is_error:
        return Heard(user, "", time.monotonic() - began, [], [], answer.json()["code"])
    thread, seqs, ways, end = answer.json()["thread_id"], [], [], ""
    last = answer.json()["after"]
    while not end:
        path, seen = f"/api/v1/runs/{thread}/events", 0
        going_on = headers | {"Last-Event-ID": str(last)}
        async with http.stream("GET", path, headers=going_on) as stream:
            fields: dict[str, Any] = {}
            async for line in stream.aiter_lines():
                name, _, value = line.partition(": ")
                if line:
                    fields[name] = value
                    continue
                if "id" in fields:
                    at = datetime.fromisoformat(json.loads(fields["data"])["at"])
                    ways.append((datetime.now(UTC) - at).total_seconds())
                    last, seen = int(fields["id"]), seen + 1
                    seqs.append(last)
                elif fields.get("event") == "end":
                    end = json.loads(fields["data"])["status"]
                fields = {}
                if not end and seen == BREAK_OFF_AFTER:
                    break
    return Heard(user, thread, time.monotonic() - began, seqs, ways, end)


if __name__ == "__main__":
    main()
