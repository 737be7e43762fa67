"""The measure itself: what counts as a fact, a gold citation, a refusal, and how means spread."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain.errors import InvalidInput
from services.evaluation.answers import (
    Question,
    Score,
    average,
    load_questions,
    paired_difference,
    score,
    summary,
)
from services.evaluation.facts import groups_found, states

QUESTION = Question(
    id="q",
    lang="de",
    q="Wie hoch?",
    gold=("StrlSchG § 78", "StrlSchG § 80"),
    must=(("20 Millisievert", "20 mSv"), ("1 mSv",)),
    type="factual",
)
UNANSWERABLE = replace(QUESTION, gold=(), must=(), type="unanswerable")


def sentence(text: str, *sections: str, supported: bool = True) -> dict[str, Any]:
    citations = [{"document": "StrlSchG.pdf", "section": section} for section in sections]
    return {"text": text, "supported": supported, "citations": citations}


def report(*sentences: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = " ".join(part["text"] for part in sentences)
    usage = {"model_calls": 5, "repairs": 1, "fallbacks": 1, "prompt_tokens": 9}
    return {"answer": answer, "sentences": list(sentences), "usage": usage, **more}


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_a_number_states_only_itself(written: int, wanted: int) -> None:
    assert states(f"Es sind {written} mSv.", f"{wanted} Millisievert") == (written == wanted)


def test_each_group_needs_one_of_its_spellings() -> None:
    must = [["20 mSv", "zwanzig"], ["Schmuck"], ["Spielwaren", "Spielzeug"]]
    assert groups_found("Bei Spielzeug 20 Millisievert.", must) == [True, False, True]


def test_facts_gold_support_and_cost_of_an_answer() -> None:
    result = score(
        QUESTION,
        report(
            sentence("Es sind 20 mSv.", "§ 78"),
            sentence("Für andere weniger.", "§ 80", supported=False),
        ),
        seconds=12.5,
    )
    assert (result.found, result.facts, result.all_facts) == ((True, False), 0.5, 0.0)
    assert (result.gold, result.gold_any, result.gold_seen) == (0.5, 1.0, None)
    assert result.support == 0.5
    assert (result.fallbacks, result.tasks, result.fallback_share) == (1, 4, 0.25)
    assert (result.model_calls, result.prompt_tokens, result.completion_tokens) == (5, 9, 0)
    assert result.seconds == 12.5
    assert result.refusal_right


def test_all_facts_and_gold_among_what_was_retrieved() -> None:
    seen = [{"document": "x.pdf", "title": "Gesetz (StrlSchG)", "section": "§ 80"}]
    result = score(QUESTION, report(sentence("20 mSv und 1 mSv."), retrieved=seen), 1.0)
    assert (result.all_facts, result.gold, result.gold_seen) == (1.0, 0.0, 0.5)
    evidence = [{"document": "StrlSchG.pdf", "section": section} for section in ("§ 78", "§ 80")]
    assert score(QUESTION, report(evidence=evidence), 1.0).gold_seen == 1.0


def test_facts_are_claimed_by_sentences_and_not_by_headings() -> None:
    answer = report(sentence("Das steht fest."))
    answer["answer"] = "## Sind es 20 mSv?\n\nDas steht fest [StrlSchG § 78]."
    result = score(QUESTION, answer, 1.0)
    assert (result.facts, result.characters) == (0.0, len("Das steht fest."))
    assert score(QUESTION, {"answer": "20 mSv", "sentences": []}, 1.0).facts == 0.5


def test_titles_come_from_the_sources() -> None:
    cited = {"document": "scan.pdf", "section": "§ 78"}
    answer = report({"text": "x", "supported": True, "citations": [cited]})
    answer["sources"] = [{"document": "scan.pdf", "title": "Gesetz (StrlSchG)"}]
    assert score(QUESTION, answer, 1.0).gold == 0.5


def test_refusals_are_right_only_where_there_is_no_answer() -> None:
    refusal = report(sentence("Die Dokumente enthalten keine Antwort."))
    guess = report(sentence("Es kostet 12 Euro."))
    assert score(UNANSWERABLE, refusal, 1.0).refusal_right
    assert not score(UNANSWERABLE, guess, 1.0).refusal_right
    assert not score(QUESTION, refusal, 1.0).refusal_right
    assert score(UNANSWERABLE, report(sentence("Zwölf."), refused=True), 1.0).refusal_right


def test_a_refusal_states_no_fact_of_the_question_that_it_repeats() -> None:
    asked = replace(QUESTION, q="Sind es 20 mSv?")
    refusal = {"answer": "Nicht beantwortet. Gesucht: Sind es 20 mSv?", "sentences": []}
    for flags in ({"refused": True}, {"certainty": "refused"}, {}):
        assert score(asked, {**refusal, **flags}, 1.0).facts == 0.0
    assert not score(asked, {**refusal, "refused": True}, 1.0).refusal_right


def test_proof_alone_counts_as_gold_and_makes_an_answer_right() -> None:
    whole = sentence("20 mSv und 1 mSv.", "§ 78") | {"standing": "follows"}
    right = score(QUESTION, report(whole, certainty="answered"), 1.0)
    assert (right.gold, right.right, right.certainty) == (0.5, 1.0, "answered")
    loose = score(QUESTION, report(whole | {"standing": "loose"}), 1.0)
    assert (loose.gold, loose.gold_any, loose.support, loose.right) == (0.0, 0.5, 0.0, 0.0)
    unsure = score(QUESTION, report(whole, certainty="perhaps"), 1.0)
    assert (unsure.gold, unsure.gold_any, unsure.right) == (0.0, 0.5, None)
    assert score(UNANSWERABLE, report(whole, certainty="answered"), 1.0).right == 0.0
    found = summary([right, loose, unsure])
    assert found["certainty"]["answered"]["mean"] == pytest.approx(2 / 3)
    assert found["certainty"]["refused"]["mean"] == 0.0
    assert (found["measures"]["right"]["n"], found["measures"]["right"]["mean"]) == (2, 0.5)


def test_keys_that_no_question_has_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"id":"a","lang":"de","q":"?","gold":[],"must":[],"type":"factual","note":"by hand"}'
    )
    assert load_questions(path)[0].id == "a"


def test_what_does_not_apply_counts_nowhere() -> None:
    scores = [
        score(QUESTION, report(sentence("20 mSv, 1 mSv.", "§ 78", "§ 80")), 2.0),
        score(UNANSWERABLE, report(sentence("Zwölf Euro.")), 3.0),
    ]
    result = summary(scores)
    assert result["measures"]["facts"]["n"] == 1
    assert result["measures"]["facts"]["mean"] == 1.0
    assert "gold_seen" not in result["measures"]
    assert result["unanswerable"] == {"n": 1, "refused": 0}
    assert (result["false_refusals"], result["fallbacks"], result["tasks"]) == (0, 2, 8)
    assert result["seconds"] == 5.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_an_average_holds_its_mean_and_stays_in_range(values: list[float]) -> None:
    result = average(values)
    assert result is not None and result.n == len(values)
    assert min(values) - 1e-9 <= result.low <= result.high <= max(values) + 1e-9
    assert result == average(values)


def test_an_interval_is_about_two_standard_errors_wide() -> None:
    result = average([0.0, 1.0] * 50)
    assert result is not None and result.mean == 0.5
    assert result.low == pytest.approx(0.40, abs=0.02)
    assert result.high == pytest.approx(0.60, abs=0.02)


def test_no_values_have_no_mean() -> None:
    assert average([]) is None


def test_a_paired_difference_takes_questions_that_both_answered() -> None:
    def scored(id: str, text: str) -> Score:
        return score(replace(QUESTION, id=id), report(sentence(text)), 1.0)

    ours = [scored("a", "20 mSv, 1 mSv"), scored("b", "20 mSv"), scored("c", "20 mSv")]
    theirs = [scored("a", "20 mSv"), scored("b", "20 mSv")]
    difference = paired_difference(ours, theirs, "facts")
    assert difference is not None
    assert (difference.n, difference.mean) == (2, 0.25)
    assert paired_difference(ours, [], "facts") is None


def test_a_malformed_question_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    good = '{"id":"a","lang":"de","q":"?","gold":[],"must":[],"type":"unanswerable"}'
    path.write_text(f'{good}\n{{"id":"b"}}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"questions\.jsonl, line 2"):
        load_questions(path)
