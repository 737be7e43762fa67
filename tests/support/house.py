"""A house for the pages: a real engine over two small laws, and a model that is scripted."""

import copy
import re
import uuid
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from app.samples import CONTRACTS
from services.domain import Principal
from services.domain.events import Waiting
from services.domain.notices import Notice
from services.domain.runs import RunKind, RunStatus
from services.models.base import ChatRequest
from tests.support.desk import LAW, ask, make_services, until_ended, until_waiting
from tests.support.pdf_files import Text, make_pdf
from tests.support.reading_rules import read_reply
from tests.support.research import REPLIES, FaultyModel, report_of

QUESTION = "Welcher Grenzwert gilt für Beschäftigte, und wie hoch ist das Bußgeld bei Verstößen?"
CLEAR = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
COMPARE = "Vergleiche den Grenzwert für Beschäftigte mit dem Bußgeld"
COUNT = "In wie vielen Paragraphen kommt das Wort Grenzwert vor?"
UNANSWERABLE = "Wie backe ich Kuchen?"
ASKED = "Geht es um Lärm oder um Schwingungen?"
MATTERS = "Für Lärm und für Schwingungen gelten verschiedene Gesetze."
ASSUMED = "Gemeint ist der Grenzwert am Arbeitsplatz"
REPLY = "Um beides"
TASKS = ("Grenzwert für Beschäftigte feststellen", "Grenzwert der Schwingungen feststellen")
PROSE = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel im Tagesmittel."
SHAKEN = "Für Beschäftigte beträgt der Grenzwert der Schwingungen der Hand 5 Meter je Sekunde."
VIBRATION = (
    ("§ 1 Zweck", "Dieses Gesetz schützt Beschäftigte vor Schwingungen von Maschinen."),
    ("§ 2 Grenzwerte der Schwingungen", SHAKEN),
    ("§ 3 Messung der Schwingungen", "Die Schwingungen der Hand sind jährlich zu messen."),
)
SEARCH = (
    'THOUGHT: ich **suche**\nACTION: retrieve_vector\nARGUMENTS: {"query": "Grenzwert des Lärms"}'
)
ANSWER = f'THOUGHT: alles da\nACTION: final_answer\nARGUMENTS: {{"answer": "{PROSE}"}}'
ASK_BACK = 'THOUGHT: unklar\nACTION: ask_clarification\nARGUMENTS: {"question": "Für wen?"}'
PIECES = ("Grenzwert für Beschäftigte", "Höhe des Bußgelds")
LOOK_OVER: dict[str, Any] = {
    "concepts": ["Grenzwert"],
    "aspects": [
        {"aspect": "Grenzwert für Beschäftigte", "covered": "yes"},
        {"aspect": "Bußgeld", "covered": "no"},
    ],
    "assumptions": [ASSUMED],
    "questions": [
        {
            "question": ASKED,
            "matters": MATTERS,
            "options": [
                {"answer": "Lärm Messung", "holds": [{"passage": 1, "quote": "Lärm"}]},
                {"answer": "Schwingungen der Hand", "holds": [{"passage": 2, "quote": "Hand"}]},
            ],
        }
    ],
}


def _read(request: ChatRequest) -> str:
    prompt = request.messages[-1].content
    shaken = TASKS[1] in prompt
    return read_reply(prompt, () if UNANSWERABLE in prompt else (SHAKEN,) if shaken else (PROSE,))


SAYS: dict[str, Any] = {
    **REPLIES,
    "read": _read,
    "look_over": LOOK_OVER,
    "plan": {"tasks": [{"task": task, "why": "die Zahl", "searches": []} for task in TASKS]},
    "agent_think": [SEARCH, ANSWER],
    "rewrite": "Was gilt?",
    "decompose": {
        "question_type": "comparison",
        "required_info": [{"info": each, "query": each} for each in PIECES],
    },
    "together": {"sentences": []},
}


class House:
    """The engine, its model, whose words a test may change, and threads in any state.

    Tests share it: each takes a thread of its own, or one of those that are done. ``extra`` stands
    in each section of the law, and in all that the model says.
    """

    def __init__(self, home: Path, extra: str = "") -> None:
        self.home = home
        self.model = FaultyModel()
        self.play(**_with(extra) if extra else {})
        self.services = make_services(home, self.model)
        self.engine: Engine = connect_to(self.services, Principal())
        law, other = home / "LaermG.txt", home / "SchwG.pdf"
        law.write_text(
            re.sub(r"\n\n(\(\d\) )", lambda found: f" {extra}\n\n{found[1]}{extra} ", LAW), "utf-8"
        )
        rows = [
            Text(65, 780 - 40 * number - 20 * part, text, bold=not part)
            for number, section in enumerate(VIBRATION)
            for part, text in enumerate(section)
        ]
        other.write_bytes(make_pdf([rows]))
        self.engine.library.ingest([law, other], CONTRACTS.collection)
        self.engine.library.change_collection(CONTRACTS.collection, visibility="public")

    def play(self, **other: Any) -> None:
        """What the model says, some of it otherwise; it does each task again."""
        self.disturb(None)
        self.model.play([(f"^{task}$", said) for task, said in (SAYS | other).items()])

    def disturb(self, fault: Literal["break", "hang"] | None, task: str = "section") -> None:
        """Lets the model fail at a task, or think about it without an end."""
        self.model.fault, self.model._task = fault, task

    def newcomer(self) -> Engine:
        """The engine of somebody who reads the same and has asked nothing."""
        return self.engine.acting_as(Principal(user=uuid.uuid4().hex))

    def started(
        self, until: Literal["asked", "plan", "approved"] = "asked", engine: Engine | None = None
    ) -> tuple[str, Waiting]:
        """A research that asks back or waits for its plan; or was approved and works."""
        engine = engine or self.engine
        for case in engine.plans.list():  # of another test
            engine.plans.forget(case.case_id)
        thread = engine.threads.start(QUESTION, options=RunOptions(clarify=until == "asked"))
        pending = until_waiting(engine, thread)
        if until == "approved":
            engine.threads.approve(thread, pending.interrupt_id)
        return thread, pending

    def stopped(self, engine: Engine | None = None) -> str:
        """A research that was paused while it wrote, and does so again without an end."""
        self.disturb("hang")
        thread, _ = self.started("approved", engine)
        (engine or self.engine).threads.pause(thread)
        return thread

    def went_through_all(self, engine: Engine) -> str:
        """A research that has asked back, was answered and approved, and has its report."""
        thread, pending = self.started("asked", engine)
        engine.threads.answer(thread, pending.interrupt_id, REPLY)
        engine.threads.approve(thread, until_waiting(engine, thread).interrupt_id)
        assert until_ended(engine, thread) == "done"
        return thread

    @cached_property
    def finished(self) -> str:
        self.play()
        return self.went_through_all(self.engine)

    def report(self) -> dict[str, Any]:
        """The report of ``finished``, to be changed and kept as another one."""
        return copy.deepcopy(report_of(self.engine, self.finished))

    def answered(self, question: str = CLEAR, depth: str = "auto") -> dict[str, Any]:
        """A turn of a conversation of its own, as it is kept."""
        return ask(self.engine, question, depth=depth)

    def keep(self, *, status: RunStatus = "done", **kept: Any) -> str:
        """A thread that has come to this: a report, or ``turns``."""
        thread = uuid.uuid4().hex
        kind: RunKind = "ask" if "turns" in kept else "research"
        runs = self.services.catalog.runs
        runs.create(thread, self.engine.principal, QUESTION, [CONTRACTS.collection], {}, kind)
        runs.update(thread, status=status, report={**kept, "thread_id": thread} if kept else None)
        return thread

    def stop(self, thread: str, status: RunStatus, error: str = "") -> None:
        """Puts a thread into a state that only the outside can cause."""
        said = Notice.of(error) if error else None
        self.services.catalog.runs.update(thread, status=status, error=said)


def _with(extra: str) -> dict[str, Any]:
    (question,) = LOOK_OVER["questions"]
    told = {name: f"{extra} {question[name]}" for name in ("question", "matters")}
    return {
        "look_over": LOOK_OVER | {"questions": [question | told]},
        "plan": {
            "tasks": [{"task": f"{task} {extra}", "why": extra, "searches": []} for task in TASKS]
        },
    }
