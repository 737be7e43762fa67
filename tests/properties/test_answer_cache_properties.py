"""An answer is given again for the same question alone; whatever differs must miss."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Scope
from services.evidence.grounding import labels_in
from services.language.quantities import quantities
from services.language.vocabulary import word_set
from services.library.caches import AnswerCache, AnswerKey, content_words
from tests.support.tables import DATA, read_yaml

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

PAIRS: dict[str, list[tuple[str, str, str]]] = read_yaml(DATA / "same_question.yaml")


def hit(one: str, other: str, key: AnswerKey = KEY, other_key: AnswerKey = KEY) -> bool:
    cache = AnswerCache()
    cache.keep(key, one, ANSWER)
    return cache.find(other_key, other) is not None


@pytest.mark.parametrize(("language", "one", "other"), PAIRS["same"])
def test_the_same_question_in_other_words(language: str, one: str, other: str) -> None:
    key = replace(KEY, language=language)
    assert hit(one, other, key, key) and hit(other, one, key, key)


@pytest.mark.parametrize(("language", "one", "other"), PAIRS["different"])
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
