"""One process that works on and on: is its memory at rest, and does every session end as it should?

    python -m tests.benchmarks.endurance runs --home HOME --collection C [--runs 500]
    python -m tests.benchmarks.endurance sessions --home HOME --collection C [--sessions 50]

``runs`` asks the sample questions one after the other, every tenth as a research, in threads that
stay, and tells the memory at rest every 50. ``sessions`` begins so many at once, each of another
user: a question with a follow-up, a research to its end, one that is paused and resumed, one that
is cancelled, or one that is deleted while it works. HOME is filled and has no model; use a copy.
"""

import argparse
import gc
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any

import psutil

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from services.build import Services
from services.domain import Principal
from services.domain.errors import NotFound, RabbitholeError
from services.settings import Settings
from tests.benchmarks import common

EVERY = 50
AT_ONCE = 50
STRAIGHT = RunOptions(clarify=False, approve_plan=False)
FOLLOW_UP = "Wie ist das begründet?"


def researched(engine: Engine, question: str, collection: str) -> str:
    """A thread that a research has begun."""
    return engine.threads.start(question, options=STRAIGHT, collections=[collection])


def ended(engine: Engine, thread: str, after: int = 0) -> str:
    for _ in engine.threads.follow(thread, after):
        pass
    return engine.threads.run(thread).status


def asked(
    engine: Engine, question: str, collection: str, thread: str | None = None
) -> tuple[str, str]:
    """A question, or a follow-up in a thread, and its end: thread and status."""
    where = None if thread else [collection]
    given = engine.answers.ask(question, thread_id=thread, collections=where, depth="fast")
    return given.thread_id, ended(engine, given.thread_id, given.after)


def resting_mb() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


def runs(engine: Engine, collection: str, most: int) -> Iterator[dict[str, Any]]:
    """Memory, open files, threads and seconds a run, every ``EVERY`` runs."""
    questions, begun = cycle(each.text for each in common.load_questions()), time.monotonic()
    for number, question in zip(range(1, most + 1), questions, strict=False):
        if number % 10:
            _, status = asked(engine, question, collection)
        else:
            status = ended(engine, researched(engine, question, collection))
        assert status == "done", (question, status)
        if number % EVERY == 0:
            process = psutil.Process()
            yield {
                "run": number,
                "mb": round(resting_mb()),
                "files": process.num_fds(),
                "threads": process.num_threads(),
                "seconds": round((time.monotonic() - begun) / EVERY, 2),
            }
            begun = time.monotonic()


def followed_up(engine: Engine, question: str, collection: str) -> str:
    thread, _ = asked(engine, question, collection)
    _, status = asked(engine, FOLLOW_UP, collection, thread)
    return f"{len(engine.answers.turns(thread))} turns, {status}"


def to_its_end(engine: Engine, question: str, collection: str) -> str:
    thread = researched(engine, question, collection)
    status = ended(engine, thread)
    verdict = engine.threads.verify(engine.threads.report(thread) or {})
    return f"{status}, report {'holds' if verdict['ok'] else 'does not hold'}"


def paused(engine: Engine, question: str, collection: str) -> str:
    thread = researched(engine, question, collection)
    engine.threads.pause(thread)
    status = ended(engine, thread)
    if status == "paused":
        engine.threads.resume(thread)
        status = ended(engine, thread, engine.threads.last_event(thread))
    return engine.threads.run(thread).status


def cancelled(engine: Engine, question: str, collection: str) -> str:
    thread = researched(engine, question, collection)
    engine.threads.cancel(thread)
    return ended(engine, thread)


def deleted(engine: Engine, question: str, collection: str) -> str:
    thread = researched(engine, question, collection)
    engine.threads.delete(thread)
    try:
        return ended(engine, thread)
    except NotFound:
        return "gone"


KINDS: tuple[Callable[[Engine, str, str], str], ...] = (
    followed_up,
    to_its_end,
    paused,
    cancelled,
    deleted,
)


def sessions(engine: Engine, collection: str, most: int) -> Counter[str]:
    """How many sessions of each kind ended how."""
    questions = [each.text for each in common.load_questions()]

    def one(number: int) -> str:
        kind = KINDS[number % len(KINDS)]
        user = engine.acting_as(Principal(user=f"user{number}", role="admin"))
        try:
            return f"{kind.__name__}: {kind(user, questions[number % len(questions)], collection)}"
        except RabbitholeError as problem:
            return f"{kind.__name__}: {problem}"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return Counter(pool.map(one, range(most)))


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection")
    parser.add_argument("doing", choices=("runs", "sessions"))
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=50)
    given: argparse.Namespace = parser.parse_args()
    settings = Settings(home=given.home, llm="none")
    with connect_to(Services(settings), Principal()) as engine:
        if given.doing == "runs":
            for row in runs(engine, given.collection, given.runs):
                print(json.dumps(row), flush=True)
            return
        begun = time.monotonic()
        for end, count in sorted(sessions(engine, given.collection, given.sessions).items()):
            print(f"{count:4} {end}")
        print(f"{time.monotonic() - begun:.0f} s, {common.load()}")


if __name__ == "__main__":
    main()
