"""The measure itself: what counts as a fact, a gold citation, a refusal, and how means spread."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain.errors import InvalidInput
from services.evaluation.answers import QuestionRecord, paired_difference, score, states, summary
from services.evaluation.statistics import average

QUESTION = QuestionRecord(
    id="q",
    lang="de",
    q="Wie hoch?",
    gold=("StrlSchG § 78", "StrlSchG § 80"),
    must=(("20 Millisievert", "20 mSv"), ("1 mSv",)),
    type="factual",
)
UNANSWERABLE = QUESTION.model_copy(update={"gold": (), "must": (), "type": "unanswerable"})


def sentence(text: str, *sections: str, **more: Any) -> dict[str, Any]:
    citations = [{"document": "StrlSchG.pdf", "section": section} for section in sections]
    return {"text": text, "supported": True, "citations": citations, **more}


def report(*sentences: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = " ".join(part["text"] for part in sentences)
    usage = {"model_calls": 5, "repairs": 1, "fallbacks": 1, "prompt_tokens": 9}
    return {"answer": answer, "sentences": list(sentences), "usage": usage, **more}


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_a_number_states_only_itself(written: int, wanted: int) -> None:
    assert states(f"Es sind {written} mSv.", f"{wanted} Millisievert") == (written == wanted)


WHOLE = sentence("20 mSv und 1 mSv.", "§ 78")
PLACES = [{"document": "StrlSchG.pdf", "section": section} for section in ("§ 78", "§ 80")]
TITLED = {"document": "x.pdf", "title": "Gesetz (StrlSchG)", "section": "§ 80"}
HEADED = report(sentence("Das steht fest.")) | {"answer": "## Sind es 20 mSv?\n\nDas steht fest."}
SCORED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        report(
            sentence("Es sind 20 mSv.", "§ 78"),
            sentence("Für andere weniger.", "§ 80", supported=False),
        ),
        {"found": (True, False), "facts": 0.5, "all_facts": 0.0, "gold": 0.5, "gold_any": 1.0,
         "gold_seen": None, "support": 0.5, "fallbacks": 1, "tasks": 4, "fallback_share": 0.25,
         "prompt_tokens": 9, "completion_tokens": 0, "seconds": 1.0, "refusal_right": True},
    ),
    (report(sentence("20 mSv und 1 mSv."), retrieved=[TITLED]),
     {"all_facts": 1.0, "gold": 0.0, "gold_seen": 0.5}),
    (report(evidence=PLACES), {"gold_seen": 1.0}),
    (HEADED, {"facts": 0.0, "characters": len("Das steht fest.")}),
    ({"answer": "20 mSv", "sentences": []}, {"facts": 0.5}),
    (report(sentence("x", "§ 78"), sources=[{"document": "StrlSchG.pdf", "title": "A"}]),
     {"gold": 0.5}),
    (report(WHOLE | {"standing": "follows"}, certainty="answered"), {"gold": 0.5, "right": 1.0}),
    (report(WHOLE | {"standing": "loose"}),
     {"gold": 0.0, "gold_any": 0.5, "support": 0.0, "right": 0.0}),
    (report(WHOLE, certainty="perhaps"), {"gold": 0.0, "gold_any": 0.5, "right": None}),
    (report(sentence("Die Dokumente enthalten keine Antwort.")), {"refusal_right": False}),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "expected"), SCORED)
def test_what_an_answer_is_worth(answer: dict[str, Any], expected: dict[str, Any]) -> None:
    scored = score(QUESTION, answer, 1.0)
    assert {name: getattr(scored, name) for name in expected} == expected


def test_refusals_are_right_where_there_is_no_answer_and_state_no_fact_of_the_question() -> None:
    refusal = report(sentence("Die Dokumente enthalten keine Antwort."))
    assert score(UNANSWERABLE, refusal, 1.0).refusal_right
    assert score(UNANSWERABLE, report(sentence("Zwölf."), refused=True), 1.0).refusal_right
    guess = score(UNANSWERABLE, report(sentence("Es kostet 12 Euro."), certainty="answered"), 1.0)
    assert (guess.refusal_right, guess.right) == (False, 0.0)
    asked = QUESTION.model_copy(update={"q": "Sind es 20 mSv?"})
    repeated = {"answer": "Nicht beantwortet. Gesucht: Sind es 20 mSv?", "sentences": []}
    for flags in ({"refused": True}, {"certainty": "refused"}, {}):
        assert score(asked, {**repeated, **flags}, 1.0).facts == 0.0


def test_what_does_not_apply_counts_nowhere() -> None:
    scores = [
        score(QUESTION, report(sentence("20 mSv, 1 mSv.", "§ 78", "§ 80")), 2.0),
        score(UNANSWERABLE, report(sentence("Zwölf Euro."), certainty="perhaps"), 3.0),
    ]
    result = summary(scores)
    measures, certainty = result["measures"], result["certainty"]
    assert (measures["facts"]["n"], measures["facts"]["mean"]) == (1, 1.0)
    assert measures["right"]["n"] == 1 and "gold_seen" not in measures
    assert (certainty["answered"]["mean"], certainty["refused"]["mean"]) == (0.5, 0.0)
    assert result["unanswerable"] == {"n": 1, "refused": 0}
    assert (result["false_refusals"], result["fallbacks"], result["tasks"]) == (0, 2, 8)
    assert result["seconds"] == 5.0


def test_an_interval_is_about_two_standard_errors_wide() -> None:
    result = average([0.0, 1.0] * 50)
    assert result is not None and (result["n"], result["mean"]) == (100, 0.5)
    assert (result["low"], result["high"]) == pytest.approx((0.40, 0.60), abs=0.02)
    assert average([]) is None


def test_a_paired_difference_takes_questions_that_both_answered() -> None:
    ours, theirs = (
        [
            score(QUESTION.model_copy(update={"id": id_}), report(sentence(text)), 1.0)
            for id_, text in answers.items()
        ]
        for answers in (
            {"a": "20 mSv, 1 mSv", "b": "20 mSv", "c": "20 mSv"},
            {"a": "20 mSv", "b": "20 mSv"},
        )
    )
    difference = paired_difference(ours, theirs, "facts")
    assert difference is not None and (difference["n"], difference["mean"]) == (2, 0.25)
    assert paired_difference(ours, [], "facts") is None


def test_questions_are_read_and_a_malformed_one_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    good = '{"id":"a","lang":"de","q":"?","gold":[],"must":[],"type":"factual","note":"by hand"}'
    path.write_text(good)
    assert QuestionRecord.load(path)[0].id == "a"
    path.write_text(f'{good}\n{{"id":"b"}}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"questions\.jsonl, line 2"):
        QuestionRecord.load(path)
