"""Summaries in the background: proven sentences, questions that are answered, and giving way."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.engine import summaries
from agent.engine.engine import Engine, connect_to
from agent.reading import summary as summary_of
from services.domain import Principal, TaskUsage
from services.domain.answers import DocumentSummary
from services.domain.errors import ModelUnavailable
from services.models.base import ChatRequest, estimate_tokens
from services.models.tasks import TaskResult
from services.settings import Settings
from tests.support.desk import LAW, make_services
from tests.support.scripted_model import Answer, ScriptedModel
from tests.support.waiting import until

LIMIT = "Unter 18 Jahren gilt für Beschäftigte ein Grenzwert von 70 Dezibel im Tagesmittel."
MEASURED = "Der Lärm wird jedes Jahr durch eine anerkannte Stelle gemessen."
QUOTES = {
    LIMIT: "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel",
    MEASURED: "Der Lärm ist jährlich durch eine anerkannte Stelle zu messen",
}
INVENTED = "Wer dagegen verstößt, zahlt eine Buße."


def noted(request: ChatRequest, times: int = 1) -> str:
    """The claims whose quotes stand in the passages of the prompt, and one that is invented."""
    prompt = request.messages[-1].content
    claims = [
        {"text": text, "sources": [{"passage": passage_of(prompt, quote), "quote": quote}]}
        for text, quote in QUOTES.items()
        if quote in prompt
    ]
    invented = {"text": INVENTED, "sources": [{"passage": 1, "quote": "zahlt eine Buße"}]}
    return as_json({"claims": [*claims * times, invented]})


def written(request: ChatRequest) -> str:
    """A sentence and a question for each claim of the prompt, by its number."""
    claims = re.findall(r"(?m)^\[(\d+)\] (.+)$", request.messages[-1].content)
    sentences = [{"text": text, "claims": [int(n)]} for n, text in claims]
    questions = [{"text": f"Gilt das? {text}", "claims": [int(n)]} for n, text in claims]
    return as_json({"sentences": sentences, "questions": questions})


def passage_of(prompt: str, words: str) -> int:
    return int(re.findall(r"(?m)^\[(\d+)\]", prompt[: prompt.index(words)])[-1])


def verified(request: ChatRequest, unsaid: str = "") -> str:
    """Every statement is said by its passages, but for those with these words."""
    statements = request.messages[-1].content.split("Aussagen, jede mit ihren Passagen:")[1]
    numbered = re.findall(r"(?m)^(\d+)\. (.*)$", statements)
    readings = [
        {"number": int(n), "missing": unsaid if unsaid and unsaid in text else ""}
        for n, text in numbered
    ]
    return as_json({"readings": readings})


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


class Desk:
    """An engine over the law of noise, and the model that is asked."""

    def __init__(self, home: Path, **settings: Any) -> None:
        self.model = ScriptedModel(default="nothing of use")
        self.play()
        settings = {"llm": "none", "reads": "yes", "summaries": True, **settings}
        services = make_services(home, self.model, settings=Settings(home=home, **settings))
        self.engine: Engine = connect_to(services, Principal())
        self.file = home.parent / "LaermG.txt"
        self.file.write_text(LAW, encoding="utf-8")

    def play(self, **answers: Answer) -> None:
        tasks = {"note": noted, "summarise": written, "verify": verified} | answers
        self.model.play([(f"^{name}$", said) for name, said in tasks.items()])

    def ingest(self) -> None:
        self.engine.library.ingest([self.file], "laerm")

    def summarised(self) -> DocumentSummary:
        """The summary of what is ingested, as soon as there is one."""
        self.ingest()
        return cast(DocumentSummary, until(self.summary))

    def summary(self) -> DocumentSummary | None:
        return self.engine.library.outline("LaermG.txt").summary


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(summaries, "START_AFTER_S", 0.0)
    opened = Desk(tmp_path / "home")
    yield opened
    opened.engine.close()


def test_every_sentence_has_its_quote_and_every_question_a_proven_claim(desk: Desk) -> None:
    summary = desk.summarised()
    assert [sentence.text for sentence in summary.sentences] == [LIMIT, MEASURED]
    for sentence in summary.sentences:
        (cited,) = sentence.citations
        assert (sentence.standing, cited.quote) == ("follows", QUOTES[sentence.text])
        assert LAW[cited.start : cited.end] == cited.quote
    assert summary.questions == (f"Gilt das? {LIMIT}", f"Gilt das? {MEASURED}")
    assert (summary.sections_read, summary.sections) == (4, 4)


def test_what_its_sections_do_not_say_is_left_out_with_its_question(desk: Desk) -> None:
    desk.play(verify=lambda request: verified(request, "70 Dezibel"))
    summary = desk.summarised()
    assert [sentence.text for sentence in summary.sentences] == [MEASURED]
    assert summary.questions == (f"Gilt das? {MEASURED}",)


def test_a_long_document_is_read_batch_by_batch_and_nothing_is_skipped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_of, "ROOM", 60)
    summary = desk.summarised()
    prompts = desk.model.prompts("note")
    assert len(prompts) > 3
    for paragraph in filter(None, map(str.strip, LAW.splitlines())):
        assert any(paragraph in prompt for prompt in prompts) or paragraph.startswith("§")
    assert [sentence.text for sentence in summary.sentences] == [LIMIT, MEASURED]


def test_a_section_longer_than_the_room_is_read_in_pieces(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_of, "ROOM", 400)
    rows = [f"Im Betrieb Nummer {n} gilt ein Grenzwert von {n} Dezibel." for n in range(100, 300)]
    desk.file.write_text(LAW + "\n\n".join(rows), encoding="utf-8")
    summary = desk.summarised()
    prompts = desk.model.prompts("note")
    assert all(sum(row in prompt for prompt in prompts) == 1 for row in rows)
    assert (summary.sections_read, summary.sections) == (4, 4)


def test_more_claims_than_have_room_are_summed_up_first(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = 2 * estimate_tokens(f"[999] {LIMIT}\n")  # of two claims
    monkeypatch.setattr(
        summary_of, "passage_room", lambda task, *_: room if task.name == "summarise" else 4_000
    )
    desk.play(note=lambda request: noted(request, times=2))
    assert [sentence.text for sentence in desk.summarised().sentences] == [LIMIT, LIMIT]
    assert len(desk.model.prompts("summarise")) == 3


def test_claims_of_which_no_two_have_room_end_without_a_summary(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        summary_of, "passage_room", lambda task, *_: 20 if task.name == "summarise" else 4_000
    )
    assert desk.summarised().sentences == ()


def test_sections_that_the_model_could_not_read_are_counted(desk: Desk) -> None:
    desk.play(note="no JSON")
    summary = desk.summarised()
    assert (summary.sentences, summary.sections_read, summary.sections) == ((), 0, 4)


def test_nothing_is_made_twice(desk: Desk) -> None:
    desk.summarised()
    calls = len(desk.model.requests)
    desk.ingest()
    assert desk.engine.library.to_summarise() == ()
    desk.engine.library.check()
    assert len(desk.model.requests) == calls


def test_a_new_version_has_a_summary_of_its_own(desk: Desk) -> None:
    desk.summarised()
    desk.file.write_text(LAW.replace("jährlich", "monatlich"), encoding="utf-8")
    assert [sentence.text for sentence in desk.summarised().sentences] == [LIMIT]


def test_what_was_noted_before_the_server_failed_is_not_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_of, "ROOM", 60)
    monkeypatch.setattr(summaries, "AGAIN_AFTER_S", 0.1)
    desk.play(note=[noted, noted, ModelUnavailable("gone"), noted])
    assert [sentence.text for sentence in desk.summarised().sentences] == [LIMIT, MEASURED]
    prompts = desk.model.prompts("note")
    assert len(prompts) - len(set(prompts)) == 1 and prompts[2] == prompts[3]


def test_a_document_that_was_ingested_before_gets_its_summary_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "START_AFTER_S", 0.0)
    for does, expected in ((False, 0), (True, 2)):
        desk = Desk(tmp_path / "home", summaries=does)
        with closing(desk.engine):
            desk.ingest()
            until(lambda desk=desk: not desk.engine.library.to_summarise())  # type: ignore[misc]
            summary = desk.summary()
            assert len(summary.sentences if summary else ()) == expected


def test_a_model_that_does_not_read_writes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "START_AFTER_S", 0.0)
    desk = Desk(tmp_path / "home", reads="no")
    with closing(desk.engine):
        desk.ingest()
        until(lambda: not desk.engine.library.to_summarise())
        assert desk.model.requests == [] and desk.summary() is None


def test_without_a_model_no_summary_is_announced(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", llm="none", reads="yes", summaries=True)
    services = make_services(tmp_path / "home", None, settings=settings)
    with closing(connect_to(services, Principal())) as engine:
        (tmp_path / "LaermG.txt").write_text(LAW, encoding="utf-8")
        engine.library.ingest([tmp_path / "LaermG.txt"], "laerm")
        assert engine.library.to_summarise() == ()


def test_a_stopped_summary_asks_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "START_AFTER_S", 1.0)
    desk = Desk(tmp_path / "home")
    with closing(desk.engine):
        desk.ingest()
        assert len(desk.engine.library.to_summarise()) == 1
        desk.engine.library.stop_summaries()
        assert desk.engine.library.to_summarise() == ()
        sleep(2.0)
        assert desk.model.requests == []


def test_what_is_queued_when_a_process_ends_is_summarised_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "START_AFTER_S", 60.0)
    first = Desk(tmp_path / "home")
    with closing(first.engine):
        first.ingest()
    monkeypatch.setattr(summaries, "START_AFTER_S", 0.0)
    second = Desk(tmp_path / "home")
    with closing(second.engine):
        second.engine.library.check()
        assert len(until(second.summary).sentences) == 2


def test_a_call_gives_way_to_a_thread_and_is_repeated() -> None:
    async def run() -> tuple[str, list[str]]:
        busy, calls = [False], list[str]()

        async def answer(task: object, inp: str, **_: object) -> TaskResult[str]:
            calls.append(inp)
            if len(calls) == 1:
                busy[0] = True  # somebody asks a question meanwhile
                try:
                    await asyncio.sleep(60)
                finally:
                    busy[0] = False
            assert not busy[0]
            return TaskResult("done", TaskUsage(task="note"))

        context = SimpleNamespace(tasks=SimpleNamespace(run=answer))
        step = summaries.BackgroundStep(context, lambda: busy[0])  # type: ignore[arg-type]
        return await step.run(None, "once"), calls  # type: ignore[arg-type]

    assert asyncio.run(run()) == ("done", ["once", "once"])
