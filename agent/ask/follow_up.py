"""Does a question need the conversation before it, and how is it completed without a model.

Pure functions of words. German, English, French and Spanish; other languages never need it.
"""

import re
from collections.abc import Sequence
from typing import Final

from agent.ask import follow_up_words as words
from agent.ask.models import PastTurn, Rewriting
from agent.ask.names import names_of
from services.text import compound_match, sentences, stems, tokens
from services.types import Language

WHOLE_WORDS: Final = 3
"""Content words from which a question without one of the usual verbs counts as whole."""

WHOLE_AFTER_AND: Final = 4
NAMED_BEFORE: Final = 2
"""Content words before a pronoun from which it may mean one of them."""

LONGEST: Final = 400
MOST_NAMES: Final = 6
SHORT_ANSWER: Final = 160
NAMES_OF_ANSWER: Final = 3
SHORTEST_NAME: Final = 4
"""Letters; shorter ones in an answer are mostly units."""


def needs_conversation(question: str, language: Language) -> str | None:
    """Why a question cannot be understood alone, in a few English words; None if it can."""
    if language not in words.OPENING:
        return None
    text = " ".join(question.casefold().replace("’", "'").split()).lstrip("¿¡ ")
    content = _content_words(text, language)
    if content < WHOLE_AFTER_AND and re.match(rf"(?:{words.OPENING[language]})\b", text):
        return "it begins where the conversation left off"
    if pointing := pointing_word(question, language):
        return f"{pointing!r} points back"
    sentence = rf"\b(?:{words.VERBS[language]}|{words.SUBJECTS[language]})\b"
    if content < WHOLE_WORDS and not re.search(sentence, text):
        return "it is no whole question"
    return None


def pointing_word(question: str, language: Language) -> str | None:
    """The word that stands for something said before, unless the question itself says it."""
    if language not in words.POINTING:
        return None
    text = " ".join(question.casefold().replace("’", "'").split())
    plain = re.sub(words.NOT_POINTING[language], " ", text)
    pointing = re.search(rf"(?<![\w'§-])(?:{words.POINTING[language]})(?![\w-])", plain)
    if pointing is None:
        return None
    word = pointing.group()
    named = _content_words(plain[: pointing.start()], language) >= NAMED_BEFORE
    return None if named and word not in words.NEVER_NAMED_BEFORE else word


def resolves(text: str, question: str, last: PastTurn, language: Language) -> bool:
    """Whether a model's version says enough of the turn before to be preferred to the rules'.

    The rules' version has every name of that turn. An ellipsis replaces one of them, so half are
    enough; of "the second one" the item that is meant must be there.
    """
    said = stems(text, language)
    item = _meant_by_number(question, last)
    if item is not None:
        return _covered(item, said, language)
    names = last.names or _answered(last, language)
    return 2 * sum(_covered(name, said, language) for name in names) >= len(names)


def _covered(name: str, said: Sequence[str], language: Language) -> bool:
    """Whether most of a name's words, or compounds with them, are said."""
    own = stems(name, language)
    found = sum(
        any(word in other and compound_match(word, other) for other in said) for word in own
    )
    return 2 * found >= len(own)


def _content_words(text: str, language: Language) -> int:
    function_words = words.FUNCTION_WORDS.get(language, frozenset())
    bare = " ".join(re.sub(r"[a-z]'", " ", word) for word in tokens(text))
    kept = [word for word in tokens(bare) if word not in function_words]
    return len(stems(" ".join(kept), language))


def completed(
    question: str, because: str, past: Sequence[PastTurn], language: Language
) -> Rewriting:
    """The follow-up with what the conversation was about: the fallback without a model.

    An ordinal ("the second one") names an item that the answer before lists, or a place that it
    cited.
    """
    last = past[-1]
    chosen = _meant_by_number(question, last)
    names = [*([chosen] if chosen else _answered(last, language)), *last.names]
    own = set(stems(question, language))
    missing = [name for name in names if not set(stems(name, language)) <= own]
    lead = rf"^\s*(?:{words.LEAD_IN.get(language, '(?!)')})"
    kept = re.sub(lead, "", question.strip(), flags=re.IGNORECASE)
    about = ", ".join(dict.fromkeys(missing[:MOST_NAMES]))
    whole = f"{kept[:1].upper()}{kept[1:]} ({about})" if about else question
    return Rewriting(question=whole[:LONGEST], language=language, because=because, by="rules")


def _answered(last: PastTurn, language: Language) -> tuple[str, ...]:
    """What a short answer named: "Maria Thornton signed it"."""
    if len(last.answer) > SHORT_ANSWER:
        return ()
    names = [name for name in names_of(last.answer, language) if len(name) >= SHORTEST_NAME]
    return tuple(names[:NAMES_OF_ANSWER])


def _meant_by_number(question: str, last: PastTurn) -> str | None:
    """The item that an ordinal means, of the answer's first list, else of its places."""
    text = question.casefold()
    items = _listed(last.answer) or last.places
    if not items:
        return None
    for number, pattern in enumerate(words.ORDINALS):
        if re.search(pattern, text) and number < len(items):
            return items[number]
    return items[-1] if re.search(words.LAST, text) else None


def _listed(answer: str) -> tuple[str, ...]:
    """The items of a sentence that lists at least two things and little else."""
    first = next(iter(sentences(answer)), None)
    if first is None or first[1] > SHORT_ANSWER:
        return ()
    items = re.split(words.AND, answer[first[0] : first[1]].strip(" .!"))
    return tuple(item for item in items if item) if len(items) > 1 else ()
