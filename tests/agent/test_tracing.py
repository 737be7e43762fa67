"""A run is replayed from its trace without its model, and tells where it would differ."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.engine.jobs import ReplayReport
from agent.engine.tracing import human_answers
from services.domain.errors import InvalidInput, ModelTimeout
from services.domain.events import AnswerGiven, ExecutionStart, PlanItem
from tests.support.desk import LAW, QUESTION, ask, open_desk, until_ended, until_waiting
from tests.support.reading_rules import reading_rules
from tests.support.research import planned, researched
from tests.support.scripted_model import Rule, ScriptedModel

Json = dict[str, Any]
ANSWER = (
    "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel im Tagesmittel."
)
RULES: Sequence[Rule] = [("answer", ANSWER), ("rewrite", "Welcher Grenzwert gilt für sie?")]


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel(RULES, default="kein JSON")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("desk"), model) as desk:
        yield desk


def replayed(
    client: Engine, thread: str, folder: Path, change: Callable[[Json], object] = lambda _: None
) -> ReplayReport:
    """What comes of a replay of the thread's trace, after a change of it."""
    trace, file = client.threads.trace(thread), folder / "trace.json"
    change(trace)
    file.write_text(json.dumps(trace), encoding="utf-8")
    return client.threads.replay(file)


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
        assert [each["interrupt"] for each in client.threads.trace(thread)["answers"]][-1] == "plan"
        before = len(client.threads.runs())
        found = replayed(client, thread, tmp_path)
        assert (found.identical, found.difference) == (True, None)
        assert len(client.threads.runs()) == before
        other = replayed(client, thread, tmp_path, lambda trace: trace.update(answers=[]))
        assert "question that the run did not ask" in str(other.difference)


def test_the_model_is_not_asked_again_and_replies_go_with_their_thread(
    client: Engine, model: ScriptedModel, tmp_path: Path
) -> None:
    thread = asked(client, QUESTION)
    asked(client, "Und wer misst ihn?", thread)
    research = researched(client)
    calls = len(model.requests)
    for each in (thread, research):
        trace = client.threads.trace(each)
        assert trace["replies"] and "Tagesmittel" in json.dumps(trace, ensure_ascii=False)
        assert replayed(client, each, tmp_path).identical
    assert len(model.requests) == calls
    client.threads.delete(thread)
    assert client._catalog.replies.of_thread(thread) == []


def test_a_fork_is_replayed_with_what_was_answered_before_it(
    client: Engine, tmp_path: Path
) -> None:
    first, waiting = planned(client)
    client.threads.approve(first, waiting.interrupt_id)
    assert until_ended(client, first) == "done"
    fork = client.threads.fork(first, client.threads.checkpoints(first)[-1].id)
    assert until_ended(client, fork) == "done"
    trace = client.threads.trace(fork)
    assert [each["interrupt"] for each in trace["answers"]] == ["plan"]
    assert len(trace["replies"]) >= len(client.threads.trace(first)["replies"])
    found = replayed(client, fork, tmp_path)
    assert found.identical, found.difference


def test_a_question_of_the_agent_is_replayed_with_what_was_answered(tmp_path: Path) -> None:
    unclear = 'THOUGHT: x\nACTION: ask_clarification\nARGUMENTS: {"question": "Für wen?"}'
    model = ScriptedModel([("^agent_think$", [unclear, "Alles da."]), *RULES], default="kein JSON")
    with open_desk(tmp_path, model) as client:
        thread = client.answers.ask("Welcher Grenzwert des Lärms?", depth="agent").thread_id
        assert until_waiting(client, thread).interrupt == "clarification"
        client.answers.ask("für Beschäftigte", thread_id=thread)
        assert until_ended(client, thread) == "done"
        found = replayed(client, thread, tmp_path)
        assert found.identical, found.difference


def test_of_a_turn_that_was_begun_again_the_answers_since_count() -> None:
    def begun(turn: int) -> ExecutionStart:
        return ExecutionStart(turn=turn, question="q", profile_tag="", options={})

    said = [AnswerGiven(iteration=0, text=text) for text in ("a", "b", "c")]
    events = [begun(1), said[0], begun(2), said[1], begun(2), said[2]]
    assert [each.value for each in human_answers(events)] == ["a", "c"]


def test_replay_names_the_first_difference_and_what_cannot_be_replayed(
    client: Engine, tmp_path: Path
) -> None:
    thread = asked(client, QUESTION)

    def other_answer(trace: Json) -> None:
        turn = trace["report"]["turns"][0]
        turn["answer"] = turn["answer"].replace("70", "71")

    found = replayed(client, thread, tmp_path, other_answer)
    assert not found.identical
    assert "turn 1: the answer differs from character" in str(found.difference)
    found = replayed(client, thread, tmp_path, lambda t: t["turns"][0].update(passages=["x"]))
    assert "passages found: number 1" in str(found.difference)
    with pytest.raises(InvalidInput, match="restored by hand"):
        replayed(client, thread, tmp_path, lambda trace: trace.update(restored=True))
    with pytest.raises(InvalidInput, match="not a trace that this version can read"):
        replayed(client, thread, tmp_path, lambda trace: trace.clear())
    with pytest.raises(InvalidInput, match="cannot be read"):
        client.threads.replay(tmp_path / "none.json")
    waiting, _ = planned(client)
    with pytest.raises(InvalidInput, match="no finished report"):
        client.threads.trace(waiting)


def test_other_documents_and_errors_of_the_model_are_told(tmp_path: Path) -> None:
    model = ScriptedModel([*reading_rules(ANSWER.rstrip(".")), *RULES])
    with open_desk(tmp_path, model) as client:
        thread = asked(client, QUESTION)
        trace = client.threads.trace(thread)
        law = tmp_path / "Neu.txt"
        law.write_text(LAW.replace("70 Dezibel", "60 Dezibel"), encoding="utf-8")
        client.library.ingest([law], "laerm")
        found = replayed(client, thread, tmp_path, lambda new: new.update(trace))
        assert "The trace has no reply to this prompt" in str(found.difference)
        assert found.model_dump(mode="json")["corpus"] == {"missing": [], "added": ["Neu.txt"]}
    with open_desk(tmp_path / "slow", ScriptedModel(default=ModelTimeout("too slow"))) as client:
        thread = asked(client, QUESTION)
        assert client.threads.trace(thread)["replies"][0]["error"] == "ModelTimeout"
        assert replayed(client, thread, tmp_path).identical
