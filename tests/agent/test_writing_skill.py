"""Models are measured once by what they write; who writes badly leaves quick answers to quotes."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent import writing_skill
from agent.engine.engine import Engine
from agent.engine.handlers import LEFT_BEHIND_S
from agent.examination import Examiner, known
from agent.prompts import words_of
from agent.writing_skill import SAMPLES, SHIPPED, share_proven, writes
from services.cross_encoder import open_cross_encoder
from services.domain.events import Warned
from services.evidence.judge import Judge
from services.models.base import ChatRequest, Completion
from services.settings import Settings
from tests.support import model_replies
from tests.support.desk import ask as desk_ask
from tests.support.desk import make_services, open_desk
from tests.support.research import report_of, researched, rules
from tests.support.scripted_model import Answer, Rule, ScriptedModel, prompt_of

LIMIT = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
PROSE = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel."
LIE = {"de": "Der Mond besteht aus grünem Käse.", "en": "The moon is made of green cheese."}
KEY = "examination.fake.scripted"


def sample_of(request: ChatRequest) -> writing_skill.Sample | None:
    return next((each for each in SAMPLES if each.text in prompt_of(request)), None)


def faithful(request: ChatRequest) -> str:
    return model_replies.faithful(prompt_of(request)) or PROSE


def lying(request: ChatRequest) -> str:
    sample = sample_of(request)
    return PROSE if sample is None else LIE[sample.language]


def scripted(answer: Answer) -> ScriptedModel:
    nothing: Rule = ("^read_again$", {"readings": []})
    return ScriptedModel([nothing, ("answer", answer)], default="Welcher Grenzwert gilt für sie?")


def ask(client: Engine, question: str = LIMIT, **choices: Any) -> dict[str, Any]:
    return desk_ask(client, question, **choices)


def kept(client: Engine) -> Any:
    stored = client._catalog.parameters.everywhere().get(KEY)
    return None if stored is None else stored.value["share"]


@pytest.mark.parametrize(("answer", "share"), [(faithful, 1.0), (lying, 0.0)])
def test_a_model_is_measured_before_its_first_answer_and_turns_are_replayed(
    tmp_path: Path, answer: Callable[[ChatRequest], str], share: float
) -> None:
    model = scripted(answer)
    with open_desk(tmp_path / "home", model, measured=False) as desk:
        first = ask(desk)
        assert kept(desk) == share and len(model.requests) == len(SAMPLES)
        told = [each.event for each in desk.threads.events(first["thread_id"])]
        assert [each.message.fields["model"] for each in told if isinstance(each, Warned)] == [
            model.name
        ]
        assert first["warnings"] == []
        second = ask(desk)
        assert len(model.requests) == len(SAMPLES)
        for turn in (first, second):
            file = tmp_path / f"{turn['thread_id']}.json"
            file.write_text(json.dumps(desk.threads.trace(turn["thread_id"])), encoding="utf-8")
            assert desk.threads.replay(file).difference is None
    assert second["sentences"] == first["sentences"]
    assert second["usage"].get("writing") == (None if share else 0.0)


def test_a_liar_is_not_asked_for_quick_answers_also_after_a_restart(tmp_path: Path) -> None:
    services = make_services(tmp_path, None)
    services.catalog.parameters.put(KEY, {"model": "scripted", "share": 0.0})
    services.close()
    final = f'ACTION: final_answer\nARGUMENTS: {{"answer": "{PROSE}"}}'
    thoughts: Rule = ("^agent_think$", ["ACTION: retrieve_vector", final])
    model = ScriptedModel([thoughts, ("answer", lying)], default="Welcher Grenzwert gilt für sie?")
    with open_desk(tmp_path, model, measured=False) as desk:
        turn = ask(desk, depth="fast")
        follow_up = ask(desk, "und für Auszubildende?", thread_id=turn["thread_id"])
        assert model.requests == []
        deeper = ask(desk, depth="enhanced")
        structured = ask(desk, depth="structured")
        agent = ask(desk, depth="agent")
        steers = {"decompose", "agent_think", "agent_reflect"}
        assert {request.task for request in model.requests} <= steers
    assert {each["standing"] for each in turn["sentences"]} == {"quote"}
    assert turn["answer"].startswith("Diese Stellen kommen der Frage am nächsten.")
    assert turn["usage"]["writing"] == 0.0 and turn["degraded"] == []
    assert "80 Dezibel" in follow_up["answer"]
    for each in (deeper, structured, agent):
        assert {one["standing"] for one in each["sentences"]} == {"quote"}
        assert each["usage"]["writing"] == 0.0


@pytest.mark.parametrize(("answer", "share"), [(faithful, 1.0), (lying, 0.0)])
def test_a_liars_research_is_quotes_alone_and_is_replayed_so(
    tmp_path: Path, answer: Callable[[ChatRequest], str], share: float
) -> None:
    model = ScriptedModel([("answer", answer), *rules()])
    with open_desk(tmp_path / "home", model, measured=False) as desk:
        thread = researched(desk)
        report, kept_share = report_of(desk, thread), kept(desk)
        file = tmp_path / "trace.json"
        file.write_text(json.dumps(desk.threads.trace(thread)), encoding="utf-8")
        assert desk.threads.replay(file).difference is None
    assert kept_share == share
    assert ("write" in {each.task for each in model.requests}) is bool(share)
    assert report["sentences"] and report["usage"].get("writing") == (None if share else 0.0)
    if not share:
        assert set(report["standings"]) == {"quote"}


class Endless(ScriptedModel):
    """Answers questions, but never a sample."""

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        if sample_of(request) is not None:
            await asyncio.sleep(3600)
        return await super().complete(request, on_text)


def test_a_measurement_under_way_does_not_hold_up_the_end(tmp_path: Path) -> None:
    with open_desk(tmp_path, Endless([("answer", PROSE)]), measured=False) as desk:
        asked = desk.answers.ask(LIMIT)
        told = desk.threads.follow(asked.thread_id, asked.after)
        assert any(isinstance(each.event, Warned) for each in told)
        begin = time.monotonic()
    assert time.monotonic() - begin < LEFT_BEHIND_S
    services = make_services(tmp_path)
    assert known(services, "scripted").share is None
    services.close()


def test_a_model_is_not_measured_by_what_another_in_its_place_writes(tmp_path: Path) -> None:
    services = make_services(tmp_path, other := scripted(lying), measured=False)

    async def learn() -> tuple[float | None, int, float | None]:
        skill = Examiner(services)
        at_first = await skill.learned("before", lambda _: None)
        asked, other.name = len(other.requests), "before"
        return at_first, asked, await skill.learned("before", lambda _: None)

    assert asyncio.run(learn()) == (None, 0, 0.0)
    services.close()


def test_where_answers_are_to_be_the_same_every_time_nothing_is_measured(tmp_path: Path) -> None:
    services = make_services(tmp_path, model := scripted(lying), measured=False)
    settings = Settings(home=tmp_path, llm="none", deterministic=True)
    object.__setattr__(services, "settings", settings)

    async def learn() -> None:
        skill = Examiner(services)
        assert await skill.learned(model.name, lambda _: pytest.fail("nobody waits")) is None
        await skill.stop()

    asyncio.run(learn())
    assert model.requests == []
    services.close()


def test_shares_are_what_the_judge_of_today_says_of_the_texts() -> None:
    """Else measure again: python -m tests.benchmarks.writing_skill (docs/quick-answers.md).

    A model that declines or answers nothing proves nothing.
    """
    judge = Judge(open_cross_encoder())
    declined = [words_of("answer", sample.language)["none"] for sample in SAMPLES]
    assert share_proven(declined, judge) == 0.0
    assert share_proven([""] * len(SAMPLES), judge) == 0.0
    assert share_proven([sample.text for sample in SAMPLES], judge) == 1.0
    for figure in writing_skill.read_data()["figures"].values():
        share = share_proven(figure["wrote"], judge)
        assert (share, judge.name) == (figure["share"], figure["judge"])
    assert SHIPPED.keys() == {"embedded:qwen2.5-coder-1.5b"}


@pytest.mark.parametrize(("share", "may"), [(None, True), (0.6, True), (0.599, False)])
def test_from_three_fifths_on_a_model_writes(share: float | None, may: bool) -> None:
    assert writes(share) is may
