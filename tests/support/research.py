"""Research runs on a desk: until the plan, to their end, and what came of them."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.engine.engine import Engine
from agent.models import RunOptions
from services.domain.events import Waiting
from services.models.base import ChatRequest, Completion
from tests.support.desk import QUESTION, until_ended, until_waiting
from tests.support.reading_rules import grade_reply, read_reply, reading_replies, section_reply
from tests.support.scripted_model import Rule, ScriptedModel

STRAIGHT = RunOptions(clarify=False, approve_plan=False)
WITH_PLAN = RunOptions(clarify=False)
LIMIT = (
    "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel im Tagesmittel."
)
SURVEY: dict[str, Any] = {
    "concepts": ["Grenzwert"],
    "aspects": [{"aspect": "Welcher Grenzwert gilt", "covered": "yes"}],
    "assumptions": [],
    "questions": [],
}
REPLIES: dict[str, Any] = {
    **reading_replies(LIMIT),
    "look_over": SURVEY,
    "plan": {
        "tasks": [
            {"task": "Grenzwert des Lärms für Auszubildende", "why": "die Zahl", "searches": []}
        ]
    },
    "grade": lambda request: grade_reply(request.messages[-1].content),
    "relate": {"repeats": [], "contradictions": []},
    "section": lambda request: section_reply(request.messages[-1].content),
    "lead": lambda request: section_reply(request.messages[-1].content),
}


def rules(**other: Any) -> list[Rule]:
    return [(f"^{task}$", reply) for task, reply in (REPLIES | other).items()]


class FaultyModel(ScriptedModel):
    """Does to some tasks what it is told: nothing, ``break``, or ``hang`` without an end."""

    delay_s = 0.0

    def __init__(self, fault: str | None = None, task: str = "section", **other: Any) -> None:
        super().__init__(rules(**other))
        self.fault, self._task = fault, task
        self.started: list[str] = []

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.started.append(request.task)
        await asyncio.sleep(self.delay_s)
        if request.task == self._task and self.fault == "break":
            raise RuntimeError("the disk is full")
        if request.task == self._task and self.fault == "hang":
            await asyncio.sleep(60)
        return await super().complete(request, on_text)


def researched(
    client: Engine,
    question: str = QUESTION,
    options: RunOptions = STRAIGHT,
    collections: Sequence[str] | None = None,
) -> str:
    thread = client.threads.start(question, collections=collections, options=options)
    assert until_ended(client, thread) == "done", client.threads.run(thread).error
    return thread


def planned(client: Engine, question: str = QUESTION) -> tuple[str, Waiting]:
    thread = client.threads.start(question, options=WITH_PLAN)
    return thread, until_waiting(client, thread)


def until_writing(client: Engine, thread: str) -> None:
    """Follows a run until its answer is written."""
    for record in client.threads.follow(thread):
        if record.event.kind == "phase_started" and record.event.phase == "synthesize":
            return


def report_of(client: Engine, thread: str) -> dict[str, Any]:
    report = client.threads.report(thread)
    assert report is not None
    return report


def kinds(client: Engine, thread: str) -> list[str]:
    return [record.event.kind for record in client.threads.events(thread)]


def plan_of(*tasks: str, searches: Sequence[str] = ()) -> dict[str, Any]:
    return {"tasks": [{"task": task, "why": "", "searches": list(searches)} for task in tasks]}


def reader(sentences: Mapping[str, Sequence[str]], **other: str) -> Callable[[ChatRequest], str]:
    """Reads, for a task with a word, the sentences of that word; the reply may say more."""

    def read(request: ChatRequest) -> str:
        passages, _, question = request.messages[-1].content.rpartition("\n\nFrage: ")
        word = next((word for word in sentences if word in question), None)
        reply = read_reply(passages, () if word is None else sentences[word])
        return json.dumps(json.loads(reply) | other, ensure_ascii=False)

    return read


def verifier(*lies: str) -> Callable[[ChatRequest], str]:
    def verify(request: ChatRequest) -> str:
        lines = re.findall(r"(?m)^(\d+)\. (.*)$", request.messages[-1].content)
        readings = [
            {"number": int(n), "missing": next((each for each in lies if each in text), "")}
            for n, text in lines
        ]
        return json.dumps({"readings": readings}, ensure_ascii=False)

    return verify


def written(*paragraphs: tuple[str, Sequence[tuple[str, Sequence[int]]]], **columns: Any) -> Any:
    """A section as the model writes it: forms, each with its sentences and their findings."""
    return {
        "paragraphs": [
            {
                "form": form,
                "sentences": [{"text": text, "claims": list(claims)} for text, claims in sentences],
                **columns,
            }
            for form, sentences in paragraphs
        ]
    }
