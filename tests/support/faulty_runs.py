"""Runs of every depth, and of the other works of a model, at one of whose tasks it has a fault."""

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.engine.engine import Engine
from agent.models import RunOptions
from services.domain.notices import Notice
from tests.support.desk import LAW, QUESTION, open_desk, until_ended, until_report
from tests.support.faulty_tasks import DOWN, TaskModel, TaskServer
from tests.support.loopback import FAULTY_TEXT, WHOLE_FAULTS

RESEARCHED: Final = f"{QUESTION[:-1]}, und wie hoch ist das Bußgeld bei Verstößen?"
"""A part that nothing answers makes it ask back."""
FOLLOW_UP: Final = "und für Auszubildende?"
BOUND_S: Final = 60.0
"""Of a turn or a research; a call has four seconds."""
SAID: Final = tuple(text[:30] for text in (FAULTY_TEXT, *WHOLE_FAULTS.values()))
TOLD: Final = ("answer", "sentences", "findings", "todo", "required_info", "sub_queries")
FLAT: Final = " ".join(LAW.split())


@dataclass(frozen=True)
class Told:
    """What came of a turn, a research or a reading.

    ``fell`` are the tasks in whose place code stood, ``named`` what is said of that; ``answer``
    must not differ where a task was believed; ``problems`` are wrong whatever the fault.
    """

    fell: frozenset[str]
    named: Mapping[str, Notice]
    answer: str
    problems: tuple[str, ...] = ()


def of_report(report: dict[str, Any]) -> Told:
    """That of a turn or research: it quotes the law, and nothing that a fault brought is in it."""
    quotes = [cited["quote"] for each in report["sentences"] for cited in each["citations"]]
    held = quotes and all(" ".join(quote.split()) in FLAT for quote in quotes)
    text = json.dumps({name: report.get(name) for name in TOLD}, ensure_ascii=False)
    degraded = [Notice.model_validate(each) for each in report["degraded"]]
    tasks = report["usage"]["tasks"]
    return Told(
        fell=frozenset(task for task, used in tasks.items() if used["fallbacks"]),
        named={str(each.fields.get("step", each)): each for each in degraded},
        answer=report["answer"],
        problems=(
            *(() if held else (f"quotes {quotes}",)),
            *(f"says {each}" for each in SAID if each in text),
        ),
    )


def conversation(desk: Engine, depth: str) -> list[Told]:
    thread = desk.answers.ask(QUESTION, depth=depth).thread_id
    until_ended(desk, thread)
    asked = desk.answers.ask(FOLLOW_UP, depth=depth, thread_id=thread)
    assert until_ended(desk, thread, asked.after) == "done", desk.threads.run(thread).error
    turns = desk.answers.turns(thread)
    desk.threads.delete(thread)
    return [of_report(turn) for turn in turns]


def research(desk: Engine) -> list[Told]:
    thread = desk.threads.start(RESEARCHED, options=RunOptions(plan_memory=False))
    status = until_report(desk, thread, "Für Auszubildende")
    assert status == "done", desk.threads.run(thread).error
    report = desk.threads.report(thread)
    desk.threads.delete(thread)
    assert report is not None
    return [of_report(report)]


def reranked(desk: Engine) -> list[Told]:
    """A quick answer whose passages the model puts in order; the search itself tells if not."""
    desk.settings.search_cache(clear=True)
    desk.settings.set_parameter("reranking", "llm")
    thread = desk.answers.ask(QUESTION, depth="fast").thread_id
    until_ended(desk, thread)
    (turn,) = desk.answers.turns(thread)
    desk.threads.delete(thread)
    desk.settings.set_parameter("reranking", "none")
    told = of_report(turn)
    warnings = [Notice.model_validate(each) for each in turn["warnings"]]
    failed = [each for each in warnings if "reranker" in each.fields]
    named = dict(zip(("rerank",), failed, strict=False))
    return [Told(told.fell | named.keys(), {**told.named, **named}, told.answer, told.problems)]


def facts(desk: Engine) -> list[Told]:
    """Facts for the graph, of texts that none was read in; what is not read is left to be read."""
    catalog = desk._services.settings.home / "catalog.sqlite3"
    with closing(sqlite3.connect(catalog, timeout=30)) as opened, opened:
        opened.execute("DELETE FROM graph_facts")
    report = desk.graph.build(facts=True)
    left = desk.graph.facts_cost().passages
    named = {str(each.fields.get("step", each)): each for each in report.warnings}
    lost = () if bool(left) is bool(named) else (f"{left} passages unread, {named} told",)
    return [Told(frozenset(named), named, f"{report.passages} passages", lost)]


KINDS: Final[dict[str, Callable[[Engine], list[Told]]]] = {
    "fast": lambda desk: conversation(desk, "fast"),
    "enhanced": lambda desk: conversation(desk, "enhanced"),
    "structured": lambda desk: conversation(desk, "structured"),
    "agent": lambda desk: conversation(desk, "agent"),
    "research": research,
    "reranked": reranked,
    "facts": facts,
}


class Faulty:
    """A desk whose model has a fault at one task, and what was logged meanwhile."""

    def __init__(self, desk: Engine, server: TaskServer, model: TaskModel) -> None:
        self._desk, self._server, self._model = desk, server, model
        self._whole: dict[str, list[Told]] = {}
        self.logged: list[str] = []

    def tasks(self, kind: str) -> dict[str, bool]:
        """The tasks that are asked where nothing fails, and whether each wants JSON."""
        self._server.fault, self._model.down = "none", ""
        self._server.requests.clear()
        self._whole[kind] = KINDS[kind](self._desk)
        assert not any(told.problems or told.named for told in self._whole[kind]), self._whole
        return self._server.asked()

    def tried(self, kind: str, task: str, fault: str) -> list[str]:
        """What is wrong with a run whose task has a fault; nothing if it survived."""
        self.logged.clear()
        self._model.down = task if fault == DOWN else ""
        self._server.ill, self._server.fault = task, "none" if fault == DOWN else fault
        began = time.monotonic()
        try:
            run = KINDS[kind](self._desk)
        except Exception as error:  # noqa: BLE001
            return [f"{type(error).__name__}: {error}"]
        took = time.monotonic() - began
        problems = [f"took {took:.0f} s"] if took > BOUND_S * len(run) else []
        problems += [f"logged: {each}" for each in self.logged]
        for number, (told, whole) in enumerate(zip(run, self._whole[kind], strict=True), start=1):
            problems += [f"{number}: {each}" for each in self._unsaid(told, whole, task)]
        believed = fault in WHOLE_FAULTS and not self._server.asked().get(task, True)
        if not believed and not any(task in told.fell for told in run):
            problems.append("believed")
        return problems

    def _unsaid(self, told: Told, whole: Told, ill: str) -> Iterator[str]:
        yield from told.problems
        for task in told.fell:
            if task not in told.named:
                yield f"{task} fell back, and nothing says so"
            elif task != ill and "not tried again" not in str(told.named[task]):
                yield str(told.named[task])
        if not told.named and told.answer != whole.answer:
            yield "another answer, and nothing says why"


@contextmanager
def faulty(folder: Path) -> Iterator[Faulty]:
    """A home with one law, a model behind a real server, and an ear for what is logged."""
    with TaskServer() as server:
        model = TaskModel(server.base_url)
        with open_desk(folder / "home", model) as desk:
            trial = Faulty(desk, server, model)
            ear = logging.Handler(logging.WARNING)
            ear.emit = lambda record: trial.logged.append(record.getMessage())  # type: ignore[method-assign]
            logging.getLogger().addHandler(ear)
            yield trial
            logging.getLogger().removeHandler(ear)
