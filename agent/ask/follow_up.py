"""How a follow-up is completed from the conversation without a model, and what a model must keep.

Whether a question needs the conversation a head tells (``services.query.heads``); where the
embedding in use has none, a question of hardly any words of its own does.
"""

from collections.abc import Sequence
from typing import Final

from agent.ask.models import PastTurn, Rewriting
from agent.ask.names import names_of
from services.query.heads import QuestionReader
from services.text import has_stem, stems
from services.types import Language

BECAUSE: Final = "it leans on the conversation before it"
OWN_WORDS: Final = 1
"""Words of content up to which a question is no whole one, where no head can be asked."""

LONGEST: Final = 400
MOST_NAMES: Final = 6
SHORT_ANSWER: Final = 160
NAMES_OF_ANSWER: Final = 3
SHORTEST_NAME: Final = 4
"""Letters; shorter ones in an answer are mostly units."""


def needs_conversation(
    question: str, past: Sequence[PastTurn], language: Language, reader: QuestionReader | None
) -> bool:
    """Whether a question cannot be understood without the turns before it."""
    if not past:
        return False
    if reader is None:
        return len(stems(question, language)) <= OWN_WORDS
    return reader.follows(question, past[-1].question, language)


def resolves(text: str, last: PastTurn, language: Language) -> bool:
    """Whether a model's version says enough of the turn before to be preferred to the rules'.

    The rules' version has every name of that turn. An ellipsis replaces one of them, so half are
    enough.
    """
    names = last.names or _answered(last, language)
    return 2 * sum(_covered(name, text, language) for name in names) >= len(names)


def _covered(name: str, text: str, language: Language) -> bool:
    """Whether a text has most of a name's words, or compounds with them."""
    own = stems(name, language)
    return 2 * sum(has_stem(word, text, language) for word in own) >= len(own)


def completed(question: str, past: Sequence[PastTurn], language: Language) -> Rewriting:
    """The follow-up with what the last turn was about: the fallback without a model."""
    last = past[-1]
    own = set(stems(question, language))
    names = dict.fromkeys((*last.names, *_answered(last, language)))
    missing = [name for name in names if not set(stems(name, language)) <= own]
    about = ", ".join(missing[:MOST_NAMES])
    whole = f"{question.strip()} ({about})" if about else question
    return Rewriting(question=whole[:LONGEST], language=language, because=BECAUSE, by="rules")


def _answered(last: PastTurn, language: Language) -> tuple[str, ...]:
    """What a short answer named: "Maria Thornton signed it"."""
    if len(last.answer) > SHORT_ANSWER:
        return ()
    names = [name for name in names_of(last.answer, language) if len(name) >= SHORTEST_NAME]
    return tuple(names[:NAMES_OF_ANSWER])
