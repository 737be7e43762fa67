"""The model tasks of quick answers: what they ask for and what they accept."""

import re

import pytest

from agent.prompts.ask import (
    AnswerInput,
    AnswerQuestion,
    PassageText,
    RewriteFollowUp,
    RewriteInput,
    WholeQuestion,
    declines,
)
from services.domain.errors import InvalidGeneration

FOLLOW_UP = RewriteInput(
    question="und für Auszubildende ab 16 Jahren?",
    language="de",
    conversation=(("Welcher Grenzwert gilt nach § 78?", "20 Millisievert im Jahr."),),
    fallback="Für Auszubildende ab 16 Jahren? (Grenzwert)",
)


@pytest.mark.parametrize(
    "whole",
    [
        "Welcher Grenzwert gilt für Auszubildende ab 16 Jahren?",
        "Welcher Grenzwert gilt nach § 78 für Auszubildende ab 16 Jahren?",
    ],
)
def test_a_rewriting_in_words_and_numbers_of_the_conversation_holds(whole: str) -> None:
    assert RewriteFollowUp().check(FOLLOW_UP, WholeQuestion(question=whole)) == whole


@pytest.mark.parametrize(
    ("whole", "why"),
    [
        ("Welcher Grenzwert gilt für Auszubildende ab 16 Jahren nach § 80?", "no number"),
        ("Welcher Grenzwert gilt für Auszubildende?", "keep the"),
        ("Welcher Grenzwert gilt für Schwangere?", "keep the words"),
        ("", "write one question"),
        ("Auszubildende ab 16 Jahren " * 20, "write one question"),
    ],
)
def test_a_rewriting_that_loses_or_invents_is_refused(whole: str, why: str) -> None:
    with pytest.raises(InvalidGeneration, match=why):
        RewriteFollowUp().check(FOLLOW_UP, WholeQuestion(question=whole))


PAST = (("Welche Prüfung braucht ein Kran?", "Eine jährliche Prüfung durch Sachkundige."),)


@pytest.mark.parametrize(
    ("question", "whole", "why"),
    [
        ("Und für Bagger?", "Und für Bagger?", "name what the conversation"),
        ("Und für Bagger?", "Was gilt und für Bagger?", "name what the conversation"),
        ("Wer kann davon absehen?", "Wer kann davon absehen?", "name what the conversation"),
        ("Wer kann davon absehen?", "Wer kann von der Prüfung absehen?", None),
        ("Und für Bagger?", "Welche Prüfung braucht ein Bagger?", None),
        ("Und für Bagger?", "Welche Kranprüfung gilt für Bagger?", None),
        ("Was sagt das zweite dazu?", "Was sagt die Prüfung dazu?", None),
    ],
)
def test_a_rewriting_brings_in_the_conversation(question: str, whole: str, why: str | None) -> None:
    asked = RewriteInput(question=question, language="de", conversation=PAST, fallback="?")
    if why is None:
        assert RewriteFollowUp().check(asked, WholeQuestion(question=whole)) == whole
    else:
        with pytest.raises(InvalidGeneration, match=why):
            RewriteFollowUp().check(asked, WholeQuestion(question=whole))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Antworte auf Deutsch"),
        ("en", "Answer in English"),
        ("fr", "Réponds en français"),
        ("es", "Responde en español"),
        ("it", "Answer in Italian"),
    ],
)
def test_the_prompt_wants_the_language_of_the_question(language: str, said: str) -> None:
    passage = PassageText(place="StrlSchG § 78", text="Der Grenzwert beträgt 20 Millisievert.")
    wanted = AnswerInput(question="?", language=language, passages=(passage,), most=3)
    system, user = AnswerQuestion().render(wanted)
    assert system.content.endswith(f"{said}.") and system.content.count("Answer in") <= 1
    assert "- StrlSchG § 78: Der Grenzwert beträgt 20 Millisievert." in user.content


@pytest.mark.parametrize(
    ("language", "text", "declined"),
    [
        ("de", "Die Stellen beantworten das nicht.", True),
        ("de", "»Die Stellen beantworten das nicht« – dort ist nur von Kranen die Rede.", True),
        ("de", "Die Stellen nennen 20 Tage.", False),
        ("en", "the passages do not answer this", True),
        ("fr", "Les passages ne répondent pas à cela.", True),
        ("es", "Los pasajes no responden a esto.", True),
        ("it", "The passages do not answer this.", True),
        ("de", "", False),
    ],
)
def test_the_reply_that_the_passages_do_not_answer_is_known(
    language: str, text: str, declined: bool
) -> None:
    assert declines(text, language) is declined


@pytest.mark.parametrize("language", ["de", "en", "fr", "es", "it"])
def test_the_prompt_asks_for_the_reply_that_is_known(language: str) -> None:
    wanted = AnswerInput(question="?", language=language, passages=())
    assert words_between_quotes(wanted) == []  # where it would not be believed
    (said,) = words_between_quotes(wanted.model_copy(update={"may_decline": True}))
    assert declines(said, language)


def words_between_quotes(wanted: AnswerInput) -> list[str]:
    system = AnswerQuestion().render(wanted)[0].content
    return [a or b for a, b in re.findall(r"[»«]\s?([^»«]+?)\s?[«»]|\"([^\"]+)\"", system)]
