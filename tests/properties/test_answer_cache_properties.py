"""An answer is given again for the same question alone; whatever differs must miss."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Scope
from services.evidence.stated import labels_in
from services.language.quantities import quantities
from services.language.vocabulary import word_set
from services.library.answer_cache import AnswerCache, AnswerKey, content_words

KEY = AnswerKey(
    scope=Scope(user="anna", collections=("c",)),
    versions=(3,),
    language="de",
    profile=None,
    model="embedded",
    parameters=(5, 0.35),
)
ANSWER = {"answer": "20 mSv"}
QUESTION = "Welcher Grenzwert gilt nach § 78 StrlSchG bei mindestens 20 mSv für Schwangere?"

SAME = [
    ("de", "Was ist eine Freigrenze?", "Erkläre mir bitte die Freigrenze"),
    ("de", "Was ist der Grenzwert?", "was ist der grenzwert"),
    ("de", QUESTION, QUESTION.replace("Welcher Grenzwert", "welcher grenzwert").rstrip("?")),
    ("en", "What is variance?", "Tell me about variance"),
    ("en", "What is the limit?", "Could you explain the limit?"),
    ("fr", "Qu'est-ce que la dose efficace ?", "Explique-moi la dose efficace"),
    ("es", "¿Qué es la dosis?", "Explícame la dosis"),
]
DIFFERENT = [
    ("de", "Sind 20 mSv zulässig?", "Sind 30 mSv zulässig?"),
    ("de", "Sind 20 mSv zulässig?", "Sind 20 Sv zulässig?"),
    ("de", "Sind 20 mSv zulässig?", "Sind 20 mSv pro Monat zulässig?"),
    ("de", "Sind 1,5 mSv zulässig?", "Sind 15 mSv zulässig?"),
    ("de", "Gilt das bei -5 °C?", "Gilt das bei 5 °C?"),
    ("de", "Gilt das bei > 5 %?", "Gilt das bei < 5 %?"),
    ("de", "Ist das zulässig?", "Ist das nicht zulässig?"),
    ("de", "Ist das zulässig?", "Ist das unzulässig?"),
    ("de", "Ist das erlaubt?", "Ist das verboten?"),
    ("de", "Welche Dosis ist mindestens nötig?", "Welche Dosis ist höchstens nötig?"),
    ("de", "Gilt das ab 20 mSv?", "Gilt das bis 20 mSv?"),
    ("de", "Gilt das vor dem 1. Mai?", "Gilt das nach dem 1. Mai?"),
    ("de", "Was regelt § 78?", "Was regelt § 79?"),
    ("de", "Was regelt § 78 StrlSchG?", "Was regelt § 78 StrlSchV?"),
    ("de", "Was regelt § 78 Absatz 1?", "Was regelt § 78 Absatz 2?"),
    ("de", "Wer informiert den Arbeitgeber?", "Wer informiert den Arbeitnehmer?"),
    ("de", "Darf der Arzt den Patienten abweisen?", "Darf der Patient den Arzt abweisen?"),
    ("de", "Wann gilt die Frist?", "Warum gilt die Frist?"),
    ("de", "Was ist zulässig?", "Ist das zulässig?"),
    ("de", "Was gilt für Arbeit?", "Was gilt für Arbeiter?"),
    ("de", "Was ist Masse?", "Was ist Maße?"),
    ("de", "Wie oft muss geprüft werden?", "Wie muss geprüft werden?"),
    ("en", "Does the employer inform the employee?", "Does the employee inform the employer?"),
    ("en", "What is allowed?", "What is not allowed?"),
    ("en", "Is this a must?", "Isn't this a must?"),
    ("en", "What are customs?", "What are custom?"),
    ("en", "What is hepatitis A?", "What is hepatitis B?"),
    ("en", "What is US law?", "What is us law?"),
    ("en", "May a name be orderNumber?", "May a name be ordernumber?"),
    ("en", "What is C++?", "What is C#?"),
    ("en", "What does PEP 484 say?", "What does PEP 604 say?"),
    ("en", "Who may enter before noon?", "Who may enter after noon?"),
]


def hit(one: str, other: str, key: AnswerKey = KEY, other_key: AnswerKey = KEY) -> bool:
    cache = AnswerCache()
    cache.keep(key, one, ANSWER)
    return cache.find(other_key, other) is not None


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_the_same_question_in_other_words(language: str, one: str, other: str) -> None:
    key = replace(KEY, language=language)
    assert hit(one, other, key, key) and hit(other, one, key, key)


@pytest.mark.parametrize(("language", "one", "other"), DIFFERENT)
def test_one_decisive_word_is_enough_to_miss(language: str, one: str, other: str) -> None:
    key = replace(KEY, language=language)
    assert not hit(one, other, key, key) and not hit(other, one, key, key)


@pytest.mark.parametrize(
    "change",
    [
        {"scope": Scope(user="anna", collections=("c", "d"))},
        {"scope": Scope(user="ben", collections=("c",))},
        {"versions": (4,)},
        {"graph": "built since"},
        {"language": "en"},
        {"profile": "careful"},
        {"model": "ollama:qwen3:14b"},
        {"parameters": (5, 0.36)},
    ],
)
def test_whatever_else_differs_misses(change: dict[str, object]) -> None:
    assert hit(QUESTION, QUESTION)
    assert not hit(QUESTION, QUESTION, KEY, replace(KEY, **change))  # type: ignore[arg-type]


words = st.sampled_from(
    sorted(
        word_set(
            """der die nicht kein ohne mindestens höchstens über unter vor nach bis ab 20 30 1,5 15
            mSv Sv Bq § 78 79 StrlSchG StrlSchV Anlage Grenzwert Grenzwerte Schwangere zulässig
            unzulässig wer wann bitte Arbeitgeber Arbeitnehmer > < - % nie"""
        )
    )
)
questions = st.lists(words, min_size=1, max_size=7).map(" ".join)


@settings(deadline=None)
@given(one=questions, other=questions)
def test_what_hits_agrees_in_all_that_counts(one: str, other: str) -> None:
    """The detectors by which answers are checked find no difference between two that hit."""
    if not hit(one, other):
        return

    def numbers(text: str) -> list[tuple[object, ...]]:
        return [(each.value, each.unit, each.bound, each.period) for each in quantities(text, "de")]

    assert numbers(one) == numbers(other)
    assert labels_in(one) == labels_in(other)


@settings(deadline=None)
@given(question=questions, place=st.integers(0, 9), word=words)
def test_replacing_a_word_that_says_something_misses(question: str, place: int, word: str) -> None:
    listed = question.split()
    place %= len(listed)
    changed = " ".join([*listed[:place], word, *listed[place + 1 :]])
    fillers = {"der", "die", "bitte"}
    if word != listed[place] and not {word, listed[place]} & fillers:
        assert not hit(question, changed)


@settings(deadline=None)
@given(text=st.text())
def test_any_question_that_says_something_is_itself(text: str) -> None:
    assert hit(text, text) == bool(content_words(text, "de"))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def filled(cache: AnswerCache, *questions: str) -> AnswerCache:
    for question in questions:
        cache.keep(KEY, question, {"answer": question})
    return cache


def test_the_oldest_go_by_number_and_by_time() -> None:
    class FewAnswers(AnswerCache):
        capacity, lifetime_s = 2, 10.0

    clock = Clock()
    cache = filled(FewAnswers(clock), "eins", "zwei", "drei")
    assert cache.find(KEY, "eins") is None
    assert cache.find(KEY, "zwei") == {"answer": "zwei"}
    clock.now = 10.0
    assert cache.find(KEY, "zwei") is None
    found = cache.statistics()
    assert (found.size, found.hits, found.misses) == (0, 1, 2)


def test_a_later_answer_replaces_the_earlier() -> None:
    cache = filled(AnswerCache(), "eins")
    cache.keep(KEY, "Eins?", {"answer": "neu"})
    assert cache.find(KEY, "eins") == {"answer": "neu"}
    cache.clear()
    assert cache.find(KEY, "eins") is None
