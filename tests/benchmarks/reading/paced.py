"""How long a reading takes with a model of a known speed, and how much of it is not the model.

    python -m tests.benchmarks.reading.paced --home HOME [--depth enhanced] [--slots 1] [--cached]

The server reads and writes so many tokens a second; what it says is right for the passages that it
is shown: sentences of them, copied. Each question is asked in a copy of HOME, where nothing was
asked before, by a program that is warm. HOME is filled with the sample laws if it is empty.
Two calls at a time are each as fast as one alone, which no real server is. With ``--depth
research`` four of the questions in a row are the tasks of a plan, which is approved at once.
"""

import argparse
import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from services.build import Services
from services.domain import Principal
from services.domain.events import FinalAnswer, KnowledgeRetrievalComplete, TokenUpdate
from services.models.base import CHARS_PER_TOKEN
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.reading.proxy import MODEL, kind_of, prompt_of, question_in
from tests.support.loopback import Body, Out
from tests.support.openai_server import OpenAIServer
from tests.support.sample_vectors import taken_in
from tests.support.scripted_reader import reply

QUESTIONS: Final = common.DATA / "span_questions.jsonl"
COLLECTION: Final = "strahlenschutz"
WARM_UP: Final = 2
TASKS: Final = 4
SEARCHES: Final = 3


@dataclass(frozen=True)
class Pace:
    """Tokens a second that a model reads and writes, and how its server works.

    ``characters`` a token has; ``slots`` calls are served at once, further ones wait; ``cached``
    says whether a beginning that a prompt shares with the one before is read for nothing.
    """

    reads: float = 1_000.0
    writes: float = 40.0
    characters: float = CHARS_PER_TOKEN
    slots: int = 2
    cached: bool = False


@dataclass(frozen=True)
class Served:
    """One call, by the clock of the process: it waits, is read and is answered."""

    kind: str
    arrived: float
    ended: float


class PacedServer(OpenAIServer):
    """Speaks OpenAI's protocol as fast as its pace has it, and quotes what it is shown."""

    def __init__(self, questions: Sequence[Row], pace: Pace, claims: int) -> None:
        super().__init__(self._reply)
        self.pace, self.served = pace, list[Served]()
        self._questions, self._claims = questions, claims
        self._slots, self._before = threading.Semaphore(pace.slots), ""

    def stream(self, fault: Any, body: Body, out: Out) -> None:
        """The reply, a token at a time, once the prompt is read."""
        arrived, prompt, characters = time.monotonic(), prompt_of(body), self.pace.characters
        out.start_stream(self.content_type)
        with self._slots:
            began = time.monotonic()
            known = commonprefix((prompt, self._before))  # noqa: RUF071 (characters)
            shared = len(known) if self.pace.cached else 0
            written = began + (len(prompt) - shared) / characters / self.pace.reads
            self._before, text = prompt, self.text_for("none", body)
            for number in range(round(len(text) / characters) + 1):
                written += 1 / self.pace.writes
                self.wait(max(0.0, written - time.monotonic()))
                piece = text[round(number * characters) : round((number + 1) * characters)]
                out.chunk(self.piece(body, piece))
            out.chunk(self.last(body, text, "stop"))
            out.end_stream()
        self.served.append(Served(kind_of(body), arrived, time.monotonic()))

    def _reply(self, body: Body) -> str:
        if kind_of(body) == "words":
            name = question_in(prompt_of(body), self._questions)
            return _words_reply(next(each for each in self._questions if each["id"] == name))
        return reply(body, self._claims)


def _words_reply(record: Row) -> str:
    """Three searches of the question's words, and the answering passage without its figures."""
    words = record["q"].rstrip("?").split()
    queries = [" ".join(words[start::SEARCHES]) for start in range(SEARCHES)]
    passage = re.sub(r"\d+", "", record["gold"][0]["quote"])
    return json.dumps({"queries": queries, "passage": passage[:200]}, ensure_ascii=False)


@dataclass(frozen=True)
class Timed:
    """Seconds from asking a question to what a person sees, and those of the model.

    ``processor`` is of this process, and so that of the scripted model, too; unlike the others it
    hardly depends on what else the machine does.
    """

    passages: float
    claim: float
    answer: float
    model: float
    processor: float
    calls: int
    claims: int

    @property
    def rest(self) -> float:
        """Seconds of everything but the model."""
        return self.answer - self.model


def timed(engine: Engine, server: PacedServer, question: str, depth: str) -> Timed:
    """Asks a question as a page does that follows its events."""
    server.served.clear()
    began, worked, seen = time.monotonic(), time.process_time(), dict[str, float]()
    asked = engine.answers.ask(question, collections=[COLLECTION], depth=depth)
    for record in engine.threads.follow(asked.thread_id, asked.after):
        match record.event:
            case KnowledgeRetrievalComplete():
                seen.setdefault("passages", time.monotonic() - began)
            case TokenUpdate(part="answer", text=text) if text:
                seen.setdefault("claim", time.monotonic() - began)
            case FinalAnswer():
                seen["answer"] = time.monotonic() - began
    sentences = engine.answers.turns(asked.thread_id)[-1]["sentences"]
    return Timed(
        **seen,
        model=busy(server.served),
        processor=time.process_time() - worked,
        calls=len(server.served),
        claims=[each["standing"] for each in sentences].count("follows"),
    )


def researched(engine: Engine, server: PacedServer, questions: Sequence[str]) -> Timed:
    """Researches several questions in one, whose plan is approved as it is proposed."""
    server.served.clear()
    threads, began, worked = engine.threads, time.monotonic(), time.process_time()
    seen = dict[str, float]()
    thread = threads.start(
        " ".join(questions), collections=[COLLECTION], options=RunOptions(clarify=False)
    )
    while True:
        for record in threads.follow(thread):
            if record.event.kind == "knowledge_retrieval_complete":
                seen.setdefault("passages", time.monotonic() - began)
            if record.event.kind == "finding_made":
                seen.setdefault("claim", time.monotonic() - began)
        if (pending := threads.run(thread).pending) is None:
            break
        threads.approve(thread, pending.interrupt_id)
    report = threads.report(thread)
    if report is None:
        raise SystemExit(f"no report: {threads.run(thread).error}")
    return Timed(
        passages=seen.get("passages", 0.0),
        claim=seen["claim"],
        answer=time.monotonic() - began,
        model=busy(server.served),
        processor=time.process_time() - worked,
        calls=len(server.served),
        claims=[each["standing"] for each in report["sentences"]].count("follows"),
    )


def busy(served: Iterable[Served]) -> float:
    """Seconds in which at least one call was under way."""
    total, until = 0.0, 0.0
    for call in sorted(served, key=lambda call: call.arrived):
        total += max(0.0, call.ended - max(call.arrived, until))
        until = max(until, call.ended)
    return total


def measure(home: Path, pace: Pace, records: Sequence[Row], depth: str, claims: int) -> list[Timed]:
    """Each question once, after some that warm the program up."""
    with PacedServer(records, pace, claims) as server:
        settings = Settings(
            home=home,
            llm=f"openai:{MODEL}",
            openai_url=SecretStr(server.base_url),
            reads="yes",
            max_parallel_tasks=pace.slots,
        )
        with connect_to(Services(settings), Principal()) as engine:
            rows: list[Timed] = []
            asked = [each["q"] for each in records]
            for number, question in enumerate(asked):
                if depth == "research":
                    rows.append(researched(engine, server, asked[number : number + TASKS]))
                else:
                    rows.append(timed(engine, server, question, depth))
                print(f"{records[number]['id']} {rows[-1]} rest {rows[-1].rest:.2f}", flush=True)
                if number < WARM_UP:
                    rows.clear()
                if number == len(asked) - (TASKS if depth == "research" else 1):
                    break
    return rows


def load_records(most: int) -> list[Row]:
    """The first German questions on the sample laws."""
    lines = (each for each in common.read_lines(QUESTIONS) if each["lang"] == "de")
    return [{**each, "q": each["question"]} for each in lines][: most + WARM_UP]


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("--depth", choices=("fast", "enhanced", "research"), default="fast")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--claims", type=int, default=3, help="sentences of an answer")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--characters", type=float, default=CHARS_PER_TOKEN, help="of a token")
    parser.add_argument("--cached", action=argparse.BooleanOptionalAction, default=False)
    chosen = parser.parse_args()
    pace = Pace(characters=chosen.characters, slots=chosen.slots, cached=chosen.cached)
    if not chosen.home.exists():
        taken_in(Services(Settings(home=chosen.home)), COLLECTION).close()
    with tempfile.TemporaryDirectory() as folder:
        home = shutil.copytree(chosen.home, Path(folder) / "home")
        rows = measure(home, pace, load_records(chosen.questions), chosen.depth, chosen.claims)
    names = ("passages", "claim", "answer", "model", "rest", "processor", "calls", "claims")
    for name in names:
        values = [float(getattr(each, name)) for each in rows]
        print(f"{name:9s} n={len(values)} {common.spread(values, 2)}")
    print(common.load())


if __name__ == "__main__":
    main()
