"""How answers of other systems are scored."""

from typing import Any

from tests.benchmarks import common
from tests.benchmarks.peers import compare, reading
from tests.benchmarks.peers.peer import by_marks

TEXT = (
    "# General\n\n## Pub\n1. It closes at ten.\n\n## Café\n1. It closes at six.\n2. Tea is free.\n"
)
QUESTION = {"q": "When does the café close?", "gold": ["rules"], "heading": ["Café"]}


def row(*cited: str, answer: str = "At six.") -> dict[str, Any]:
    citations = [{"file": "rules.md", "text": text} for text in cited]
    sentences = [{"text": answer, "citations": citations}]
    return {"system": "one", "id": "p01", "answer": answer, "sentences": sentences}


def test_marks_bind_their_sentence_alone() -> None:
    cited = {"1": [{"file": "a.md", "text": "ten"}], "2": [{"file": "b.md", "text": "six"}]}
    said = by_marks("The pub closes at ten [1]. The café at six [2][2].", cited, r"\[(\d+)\]")
    assert [[c["file"] for c in each["citations"]] for each in said] == [["a.md"], ["b.md"]]


def test_a_section_is_cited_where_most_of_the_words_lie_in_it() -> None:
    texts = {"rules": TEXT}
    assert compare.sections_cited(row("It closes at six."), QUESTION, texts) == 1
    assert compare.sections_cited(row(TEXT), QUESTION, texts) == 1
    assert compare.sections_cited(row("1. It closes at ten.\n\n## Café\n1."), QUESTION, texts) == 0
    assert compare.sections_cited(row("It never closes."), QUESTION, texts) == 0
    assert compare.sections_cited(row(""), QUESTION, texts) == 0
    assert compare.files_cited(row(""), QUESTION) == 1


def test_where_a_question_keeps_the_words_that_answer_these_are_the_gold_places() -> None:
    words = "It closes at six. […] Tea is free."
    question = {**QUESTION, "gold": ["rules § 1"], "documents": ["rules.md"]}
    question["answer_sentence"] = words
    texts = {"rules": TEXT}
    assert compare.files_cited(row("Tea is free."), question) == 1
    assert compare.sections_cited(row("Tea is free."), question, texts) == 0.5
    assert compare.sections_cited(row(TEXT), question, texts) == 1
    assert compare.sections_cited(row("It closes at ten."), question, texts) == 0


def test_a_section_holds_what_stands_below_its_headings() -> None:
    text = "# One\n## Rules\na\n# Two\n## More\nb\n### Rules\nc\n## End\n"
    bare = "".join(text.split())
    begun, ended = compare.section(text, "Two")
    assert bare[begun:ended] == "#Two##Moreb###Rulesc##End"
    begun, ended = compare.section(text, "More")
    assert bare[begun:ended] == "##Moreb###Rulesc"
    begun, ended = compare.section(text, "Rules")
    assert bare[begun:ended] == "###Rulesc"


def test_a_fact_of_the_question_is_none_of_the_answer() -> None:
    question = {"q": "Is it two years?", "must": [["two years"]]}
    assert compare.facts(row(answer="Is it two years? I do not know."), question) == 0
    assert compare.facts(row(answer="It is two years."), question) == 1


def test_calls_belong_to_the_answer_that_they_fell_into() -> None:
    call = {"kind": "chat", "prompt_tokens": 5, "completion_tokens": 2, "first_s": 1.0}
    calls = [{**call, "begun": at, "ended": at + 2} for at in (9.0, 11.0, 13.0, 21.0)]
    spent = compare.spent({"begun": 10.0, "ended": 20.0}, calls)
    assert (spent["calls"], spent["prompt"], spent["written"], spent["first"]) == (2, 10, 4, 4.0)


def test_quotes_set_by_code_are_not_read_as_claims() -> None:
    quoted = row("It closes at six.", answer="It closes at six.")
    quoted["sentences"][0]["standing"] = "quote"
    written = row("It closes at six.", answer="The café shuts at six.")
    assert [each["claim"] for each in reading.deal([quoted, written])] == ["The café shuts at six."]


def test_the_hand_has_the_last_word_on_refusals() -> None:
    assert not compare.refused({**row(answer="I don't know."), "refused": False})
    assert compare.refused({**row(answer="I don't know."), "refused": True})


def test_gold_sections_stand_in_the_kept_questions() -> None:
    for question in common.read_lines(compare.DATA / "questions.jsonl"):
        assert len(question["gold"]) == len(question["heading"])
        assert bool(question["must"]) == (question["type"] != "unanswerable")
