"""The baseline: one search, one call, and the citations that the model wrote."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.domain import Hit
from services.domain.errors import ModelUnavailable, TruncatedGeneration
from services.evaluation.answer_results import ResultFile
from services.evaluation.answers import Question, score
from services.models.base import ChatRequest, Completion
from tests.benchmarks.plain_rag import (
    PASSAGES,
    PlainRag,
    answered,
    bind_marks,
    cite,
    marks_of,
    render,
    split,
    without_marks,
)

QUESTION = Question(
    id="q",
    lang="de",
    q="Wie hoch ist der Grenzwert?",
    gold=("StrlSchG § 2",),
    must=(("20 mSv",),),
    type="factual",
)


def hit(number: int) -> Hit:
    return Hit(
        chunk_id=f"c{number}",
        document_id="d" * 64,
        text_id="t",
        document="StrlSchG.pdf",
        title="Gesetz (StrlSchG)",
        page=number,
        section=f"§ {number}",
        heading_path=(),
        start=0,
        end=9,
        text=f"Text {number}",
        score=1.0,
        relevance=0.9,
        explain={},
    )


HITS = [hit(number) for number in range(1, 9)]


class ScriptedModel:
    """Streams the given text; cuts it off with an error if told so."""

    name = "scripted"
    context_tokens = 8192
    prompt_tokens_per_s = 100.0

    def __init__(self, text: str, *, cut: bool = False) -> None:
        self.text = text
        self.cut = cut
        self.requests: list[ChatRequest] = []

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.requests.append(request)
        if on_text:
            on_text(self.text[:3])
            on_text(self.text)
        if self.cut:
            raise TruncatedGeneration("cut")
        return Completion(text=self.text, prompt_tokens=50, completion_tokens=7, seconds=0.5)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def close(self) -> None: ...


def rag(model: ScriptedModel, supports: bool = True) -> PlainRag:
    return PlainRag(
        lambda query: HITS, model, lambda sentence, passage, language: supports, deadline_s=5.0
    )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Es sind 20 mSv [2]. Dann 1 mSv [1].", ["Es sind 20 mSv [2].", "Dann 1 mSv [1]."]),
        ("Es sind 20 mSv. [2] Dann 1 mSv. [1]", ["Es sind 20 mSv [2].", "Dann 1 mSv [1]."]),
        ("Es sind 20 mSv.[2][3]", ["Es sind 20 mSv [2][3]."]),
        ("Es sind 20 mSv.\n[2]\nDann 1 mSv.", ["Es sind 20 mSv [2].", "Dann 1 mSv."]),
        ("Eins. [2] sagt mehr.", ["Eins.", "[2] sagt mehr."]),
        ("- Schmuck [1]\n- Tabak [2]", ["- Schmuck [1]", "- Tabak [2]"]),
    ],
)
def test_marks_belong_to_the_sentence_before_them(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_marks_are_read_once_and_only_if_there_is_such_a_passage() -> None:
    assert marks_of("Eins [2, 1] und [2], aber [9] und [0].", 5) == [2, 1]
    assert without_marks("Eins [2, 1], zwei [3].") == "Eins, zwei."
    assert bind_marks("ohne") == "ohne"


def test_a_sentence_cites_whole_passages_and_is_supported_by_the_check() -> None:
    def supports(sentence: str, passage: Hit, language: str) -> bool:
        return (passage.text, language) == ("Text 2", "de")

    first, second, third = cite("Eins [2]. Zwei [3]. Drei.", HITS, supports, "de")
    assert (first["text"], first["supported"]) == ("Eins.", True)
    assert first["citations"][0]["section"] == "§ 2"
    assert first["citations"][0]["quote"] == "Text 2"
    assert (second["supported"], third["supported"]) == (False, False)
    assert third["citations"] == []


def test_the_prompt_holds_instructions_passages_and_question() -> None:
    system, user = render(QUESTION, HITS[:2])
    assert "aus diesen Textstellen" in system.content
    assert "[1] Gesetz (StrlSchG), § 1\nText 1" in user.content
    assert user.content.endswith("Frage: Wie hoch ist der Grenzwert?")


async def test_one_call_over_the_five_best_gives_a_report_that_can_be_scored() -> None:
    model = ScriptedModel("Es sind 20 mSv [2].")
    report = await rag(model).answer(QUESTION)
    assert len(model.requests) == 1
    assert f"[{PASSAGES}]" in model.requests[0].messages[1].content
    assert "Text 6" not in model.requests[0].messages[1].content
    assert report["answer"] == "Es sind 20 mSv."
    result = score(QUESTION, report, 1.0)
    assert (result.facts, result.gold, result.gold_seen, result.support) == (1.0,) * 4
    assert (result.model_calls, result.prompt_tokens, result.completion_tokens) == (1, 50, 7)


async def test_support_is_checked_and_not_assumed() -> None:
    report = await rag(ScriptedModel("Es sind 20 mSv [2]."), supports=False).answer(QUESTION)
    result = score(QUESTION, report, 1.0)
    assert (result.gold, result.gold_any, result.support) == (0.0, 1.0, 0.0)


async def test_a_cut_answer_counts_as_far_as_it_got() -> None:
    report = await rag(ScriptedModel("Es sind 20 mSv [2]. Ferner", cut=True)).answer(QUESTION)
    assert score(QUESTION, report, 1.0).facts == 1.0
    assert report["degraded"] == ["the answer was cut at the token limit"]
    assert report["usage"]["completion_tokens"] == 6


async def test_a_failure_is_a_row_and_not_the_end() -> None:
    class Away(ScriptedModel):
        async def complete(self, request: ChatRequest, on_text: Any = None) -> Completion:
            raise ModelUnavailable("The model is away; start it.")

    row = await answered(rag(Away("")), QUESTION)
    assert row["error"] == "ModelUnavailable: The model is away; start it."
    assert "report" not in row and row["seconds"] >= 0


async def test_a_measurement_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = questions_file(tmp_path)
    questions = Question.load(path)
    report = await rag(ScriptedModel("Es sind 20 mSv [2].")).answer(QUESTION)
    first = ResultFile(tmp_path / "out.json", path, collection="law")
    first.add(row("a", report=report), questions)
    first.add(row("b", error="away"), questions)
    second = ResultFile(tmp_path / "out.json", path, collection="law")
    assert (second.answered("plain"), second.answered("research")) == ({"a"}, set())
    second.add(row("b", report=report), questions)
    assert second.answered("plain") == {"a", "b"}
    stored = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert len(stored["rows"]) == 2
    assert stored["summary"]["plain"]["measures"]["facts"]["mean"] == 1.0
    assert stored["models"] == ["scripted"]


def questions_file(folder: Path) -> Path:
    gold = {"lang": "de", "gold": ["StrlSchG § 2"], "must": [["20 mSv"]], "type": "factual"}
    path = folder / "questions.jsonl"
    path.write_text("\n".join(json.dumps({"id": id, "q": id, **gold}) for id in "ab"))
    return path


def row(id: str, **more: Any) -> dict[str, Any]:
    return {"system": "plain", "id": id, "question": id, "seconds": 1.0, **more}
