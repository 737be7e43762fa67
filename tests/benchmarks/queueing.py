"""Predicts how long searches take when many search at once, and measures it.

    python -m tests.benchmarks.queueing --pairs FILE --cache-embeddings CACHE --stores postgres

A server (``scale`` says of what) is asked over its API. Measured first: the times of one client,
and how many searches 2, 4 and 8 clients without a pause do in the time of one (Python runs one
thread at a time). From these the simulation says what 4 to 16 clients with pauses see: so many
searches under way get as much done together, each its even share. Then they search, between two
measurements of one client: the machine may be busier by then.
"""

import asyncio
import heapq
import json
import multiprocessing
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from functools import partial

import httpx
import numpy as np

from agent.engine.engine import connect_to
from services.domain import Principal
from tests.benchmarks import common
from tests.benchmarks.scale import COLLECTION, arguments, ingested, opened, stores
from tests.support.api_server import serving

Load = tuple[int, float]
"""Clients, and the mean seconds that each pauses before it searches again."""


def simulated(
    services: Sequence[float], together: Mapping[int, float], load: Load, seconds: float
) -> list[float]:
    """Seconds of each search: so many under way get so much done, in searches of one alone."""
    dice, (clients, pause) = random.Random(1), load
    arrivals = [dice.expovariate(1 / pause) for _ in range(clients)]
    heapq.heapify(arrivals)
    under_way: list[tuple[float, float]] = []  # work done for each when it ends, its arrival
    now, work, took = 0.0, 0.0, list[float]()
    while now < seconds:
        n = len(under_way)
        speed = float(np.interp(n, list(together), list(together.values()))) / max(1, n)
        ending = now + (under_way[0][0] - work) / speed if under_way else float("inf")
        if arrivals and arrivals[0] <= ending:
            work += (arrivals[0] - now) * speed
            now = heapq.heappop(arrivals)
            heapq.heappush(under_way, (work + dice.choice(services), now))
        else:
            work, now = under_way[0][0], ending
            took.append(now - heapq.heappop(under_way)[1])
            heapq.heappush(arrivals, now + dice.expovariate(1 / pause))
    return took


def measured(url: str, token: str, questions: Sequence[str], load: Load, s: float) -> list[float]:
    """The same of clients, who are a process of their own."""
    with multiprocessing.get_context("spawn").Pool(1) as program:
        return program.apply(_search_together, (url, token, questions, load, s))


def _search_together(
    url: str, token: str, questions: Sequence[str], load: Load, seconds: float
) -> list[float]:
    took: list[float] = []
    headers = {"Authorization": f"Bearer {token}"}

    async def client(http: httpx.AsyncClient, dice: random.Random, until: float) -> None:
        while time.monotonic() < until:
            if load[1]:
                await asyncio.sleep(dice.expovariate(1 / load[1]))
            # Another number of hits is another search: none is answered from the cache.
            body = {"query": dice.choice(questions), "k": dice.randrange(10, 60)}
            started = time.monotonic()
            (await http.post("/api/v1/search", json=body)).raise_for_status()
            took.append(time.monotonic() - started)

    async def all_of_them() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=120, headers=headers) as http:
            await http.post("/api/v1/search", json={"query": questions[0]})
            until = time.monotonic() + seconds
            dice = [random.Random(time.time_ns() + number) for number in range(load[0])]
            await asyncio.gather(*(client(http, each, until) for each in dice))

    asyncio.run(all_of_them())
    return took


def shown(took: Sequence[float], seconds: float) -> dict[str, float]:
    return {
        "a second": round(len(took) / seconds, 1),
        "p50 ms": round(1000 * statistics.median(took)),
        "p95 ms": round(1000 * common.quantile(took, 0.95)),
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--size", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    with stores(options) as (home, url):
        services, corpus = opened(options, home, url)
        ingested(services, corpus, options.size)
        questions, s = corpus.questions(options.queries), options.seconds
        with (
            connect_to(services, Principal()) as engine,
            serving(engine, services.settings) as desk,
        ):
            engine.library.change_collection(COLLECTION, visibility="public")
            token = desk.token()
            ask = partial(measured, desk.url, token, questions)
            alone, together = ask((1, 0.0), s), {1: 1.0}
            for n in (2, 4, 8):
                together[n] = len(ask((n, 0.0), s)) / len(alone)
            print(json.dumps({"alone": shown(alone, s), "together": together}), flush=True)
            for clients, use in ((4, 0.4), (8, 0.7), (16, 1.5)):
                load = (clients, clients * statistics.mean(alone) / together[8] / use)
                before, found, after = ask((1, 0.0), s / 2), ask(load, s), ask((1, 0.0), s / 2)
                foretold = simulated(before + after, together, load, 1_000)
                row = {
                    "clients": clients,
                    "pause s": round(load[1], 3),
                    "alone": [shown(each, s / 2) for each in (before, after)],
                    "predicted": shown(foretold, 1_000),
                    "measured": shown(found, s),
                    "load": common.load(),
                }
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
