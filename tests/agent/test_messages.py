"""The engine's sentences in both languages: all of them, and each for what it is."""

import re
import time
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.messages import MESSAGES, NESTED, Message, tell, understood
from agent.messages.base import FIELD
from tests.support.spoken import HOLE, sentences


def filled(message: Message) -> tuple[str, dict[str, str]]:
    """The sentence of a message with a value of its own for every place."""
    names = FIELD.findall(message.said)
    values = {name: f"value{number}" for number, name in enumerate(names, start=1)}
    if NESTED in values:
        values[NESTED] = "the answer is empty"
    return message.said.format(**values), values


def skeleton(said: str) -> str:
    """The words alone: a value may stand in quotes or not, and two may follow each other."""
    return re.sub(f"{HOLE}+", HOLE, said.replace(f"'{HOLE}'", HOLE))


KNOWN = {skeleton(FIELD.sub(HOLE, message.said)) for message in MESSAGES}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.code)
def test_both_languages_fill_in_the_same_and_nothing_the_engine_does_not_say(
    message: Message,
) -> None:
    german, english = message.text("de"), message.text("en")
    assert german and english
    assert fields(german) == fields(english)
    assert fields(german) <= fields(message.said)
    assert not message.also or fields(message.also) == fields(message.said)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.code)
def test_each_sentence_is_recognised_for_what_it_is(message: Message) -> None:
    sentence, values = filled(message)
    found = understood(sentence)
    assert found is not None
    assert (found.code, dict(found.values)) == (message.code, values)


SLOW = (
    "m gave no whole answer within 120 s; raise RABBITHOLE_MODEL_DEADLINE_S or use a smaller model"
)


def test_sentences_within_sentences_are_told_in_the_language_too() -> None:
    assert tell(
        "Page 3 cannot be shown: it has 2 pages, and no page 3. Its text is not affected.", "de"
    ) == (
        "Seite 3 lässt sich nicht zeigen: die Datei hat 2 Seiten, eine Seite 3 gibt es nicht. "
        "Ihr Text ist davon nicht betroffen."
    )
    assert tell(f"plan: ModelTimeout: {SLOW}", "de").startswith(
        "Planen: Eine Regel ersetzte das Sprachmodell. Zu langsam: m gab in 120 s keine ganze"
    )
    assert tell(f"a.pdf: {SLOW}", "de").startswith("a.pdf: m gab in 120 s")


def test_words_of_the_engine_and_figures_are_told_in_the_language() -> None:
    assert tell("it is a PNG image, not a document; Rabbithole reads .pdf, .md", "de") == (
        "Das ist ein PNG-Bild, kein Dokument. Rabbithole liest .pdf, .md."
    )
    assert tell("relevance 0.23 to the question is below 0.3", "de") == (
        "Relevanz 0,23 zur Frage, nötig sind 0,3"
    )
    assert (
        tell("A query needs 1 to 2,000 characters.", "de")
        == "Eine Suche braucht 1 bis 2.000 Zeichen."
    )


def test_what_the_engine_says_in_the_language_of_the_question_is_told_in_that_of_the_reader() -> (
    None
):
    german = "Diese Wörter der Frage kommen in den Dokumenten nicht vor: Anlage 9."
    english = "These words of the question do not occur in the documents: Anlage 9."
    assert tell(german, "en") == english
    assert tell(english, "de") == german


@pytest.mark.parametrize("sentence", ["", "Whatever.", "a.pdf: nobody knows", "x" * 10_000])
@pytest.mark.parametrize("language", ["de", "en"])
def test_what_is_not_in_the_catalogue_stays_as_it_was_said(sentence: str, language: str) -> None:
    assert understood(sentence) is None
    assert tell(sentence, language) == sentence


HOSTILE = (
    ": " * 1990,
    ", not " * 600,
    "lead: left out for lack of support: " + "Es gilt: a, b; c (d) " * 180,
    " sent what is not (" * 150 + "); check what listens at " * 40,
    "'" * 3900,
)


@pytest.mark.parametrize("sentence", HOSTILE, ids=lambda sentence: sentence[:20])
def test_a_sentence_full_of_the_catalogues_words_is_told_at_once(sentence: str) -> None:
    begin = time.process_time()
    tell(sentence, "de")
    assert time.process_time() - begin < 0.5


@given(st.text(max_size=300))
def test_no_text_whatever_breaks_it(sentence: str) -> None:
    assert isinstance(tell(sentence, "de"), str)


def test_a_name_with_an_apostrophe_is_recognised() -> None:
    sentence = 'You already have a collection named "Anna\'s". Choose another name.'
    assert tell(sentence, "de").startswith("Sie haben schon eine Sammlung namens „Anna's“")


def test_no_two_messages_share_a_code_or_a_sentence() -> None:
    assert len({message.code for message in MESSAGES}) == len(MESSAGES)
    assert len({FIELD.sub("_", message.said) for message in MESSAGES}) == len(MESSAGES)


@pytest.mark.parametrize(("place", "said"), list(sentences()))
def test_whatever_the_source_says_is_in_the_catalogue(place: str, said: str) -> None:
    """A new or reworded error fails here until it has a text in both languages."""
    assert skeleton(said) in KNOWN, f"{place} says what agent/messages does not know: {said!r}"
