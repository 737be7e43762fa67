"""A run is replayed from its trace without its model, and tells where it would differ."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.engine.tracing.replay import text_difference
from agent.models import RunOptions
from services.domain.errors import InvalidInput
from services.domain.events import PlanItem
from tests.support.desk import LAW, QUESTION, ask, open_desk, until_ended, until_waiting
from tests.support.research import planned, researched
from tests.support.scripted_model import Rule, ScriptedModel

Json = dict[str, Any]
ANSWER = (
    "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel im Tagesmittel."
)
ALONE = RunOptions(clarify=False, approve_plan=False)


def model(answer: str = ANSWER) -> ScriptedModel:
    rules: Sequence[Rule] = [("answer", answer), ("rewrite", "Welcher Grenzwert gilt für sie?")]
    return ScriptedModel(rules, default="kein JSON")


def traced(client: Engine, thread: str, folder: Path) -> Path:
    file = folder / "trace.json"
    file.write_text(json.dumps(client.threads.trace(thread)), encoding="utf-8")
    return file


def changed(file: Path, change: Any) -> Path:
    trace = json.loads(file.read_text(encoding="utf-8"))
    change(trace)
    file.write_text(json.dumps(trace), encoding="utf-8")
    return file


def asked(client: Engine, question: str, thread: str | None = None) -> str:
    return str(ask(client, question, thread_id=thread, depth="fast")["thread_id"])


def test_a_research_is_replayed_with_the_answers_of_its_person(tmp_path: Path) -> None:
    with open_desk(tmp_path) as client:
        thread = client.threads.start(QUESTION)
        while (waiting := until_waiting(client, thread)).interrupt == "clarification":
            client.threads.answer(thread, waiting.interrupt_id, "/end")
        items = [PlanItem(id=1, task="Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren?")]
        client.threads.approve(thread, waiting.interrupt_id, items)
        assert until_ended(client, thread) == "done"
        file = traced(client, thread, tmp_path)
        assert [each["interrupt"] for each in client.threads.trace(thread)["answers"]][-1] == "plan"
        before = len(client.threads.runs())
        found = client.threads.replay(file)
        assert (found.identical, found.difference) == (True, None)
        assert len(client.threads.runs()) == before
        other = changed(file, lambda trace: trace.update(answers=[]))
        assert "question that the run did not ask" in client.threads.replay(other).difference


def test_the_model_is_not_asked_again(tmp_path: Path) -> None:
    scripted = model()
    with open_desk(tmp_path, scripted) as client:
        thread = asked(client, QUESTION)
        asked(client, "Und wer misst ihn?", thread)
        research = researched(client)
        calls = len(scripted.requests)
        for each in (thread, research):
            trace = client.threads.trace(each)
            assert trace["replies"] and "Tagesmittel" in json.dumps(trace, ensure_ascii=False)
            assert client.threads.replay(traced(client, each, tmp_path)).identical
        assert len(scripted.requests) == calls


def test_replay_names_the_first_difference(tmp_path: Path) -> None:
    with open_desk(tmp_path, model()) as client:
        thread = asked(client, QUESTION)
        file = traced(client, thread, tmp_path)
        turn = json.loads(file.read_text(encoding="utf-8"))["report"]["turns"][0]

        def other_answer(trace: Json) -> None:
            trace["report"]["turns"][0]["answer"] = turn["answer"].replace("70", "71")

        found = client.threads.replay(changed(file, other_answer))
        assert not found.identical
        assert "turn 1: the answer differs from character" in found.difference

        file = traced(client, thread, tmp_path)
        found = client.threads.replay(changed(file, lambda t: t["turns"][0].update(passages=["x"])))
        assert "passages found: number 1" in found.difference


def test_a_prompt_that_is_not_in_the_trace_is_said(tmp_path: Path) -> None:
    with open_desk(tmp_path, model()) as client:
        thread = asked(client, QUESTION)
        file = traced(client, thread, tmp_path)
        law = tmp_path / "Neu.txt"
        law.write_text(LAW.replace("70 Dezibel", "60 Dezibel"), encoding="utf-8")
        client.library.ingest([law], "laerm")
        found = client.threads.replay(file)
        assert not found.identical
        assert "The trace has no reply to this prompt of the task answer" in found.difference
        assert found.model_dump(mode="json")["corpus"] == {"missing": [], "added": ["Neu.txt"]}


def test_errors_of_the_model_are_replayed_as_errors(tmp_path: Path) -> None:
    from services.domain.errors import ModelTimeout

    scripted = ScriptedModel([], default=ModelTimeout("too slow"))
    with open_desk(tmp_path, scripted) as client:
        thread = asked(client, QUESTION)
        assert client.threads.trace(thread)["replies"][0]["error"] == "ModelTimeout"
        assert client.threads.replay(traced(client, thread, tmp_path)).identical


def test_replies_go_with_their_thread(tmp_path: Path) -> None:
    with open_desk(tmp_path, model()) as client:
        thread = asked(client, QUESTION)
        catalog = client._catalog
        assert catalog.replies.of_thread(thread)
        client.threads.delete(thread)
        assert catalog.replies.of_thread(thread) == []


def test_what_cannot_be_traced_or_replayed_is_said(tmp_path: Path) -> None:
    with open_desk(tmp_path) as client:
        waiting = client.threads.start(QUESTION)
        until_waiting(client, waiting)
        with pytest.raises(InvalidInput, match="no finished report"):
            client.threads.trace(waiting)
        thread = asked(client, QUESTION)
        file = traced(client, thread, tmp_path)
        with pytest.raises(InvalidInput, match="restored by hand"):
            client.threads.replay(changed(file, lambda trace: trace.update(restored=True)))
        file.write_text("{}", encoding="utf-8")
        with pytest.raises(InvalidInput, match="no trace that this version can read"):
            client.threads.replay(file)
        with pytest.raises(InvalidInput, match="cannot be read"):
            client.threads.replay(tmp_path / "none.json")


def test_texts_are_compared_byte_by_byte() -> None:
    assert text_difference("Größe", "Größe") is None
    found = text_difference("ein Wort hier", "ein Wert hier")
    assert found and "character 5" in found
    assert text_difference("a", "ab")


def test_a_fork_is_replayed_with_what_was_answered_before_it(tmp_path: Path) -> None:
    with open_desk(tmp_path, model()) as client:
        first, waiting = planned(client)
        client.threads.approve(first, waiting.interrupt_id)
        assert until_ended(client, first) == "done"
        last = client.threads.checkpoints(first)[-1]
        fork = client.threads.fork(first, last.id)
        assert until_ended(client, fork) == "done"
        trace = client.threads.trace(fork)
        assert [each["interrupt"] for each in trace["answers"]] == ["plan"]
        assert len(trace["replies"]) >= len(client.threads.trace(first)["replies"])
        found = client.threads.replay(traced(client, fork, tmp_path))
        assert found.identical, found.difference
