"""What a model says of several parts of a question: each sentence by the parts that it names."""

import re
from collections.abc import Sequence
from typing import Final

from agent.drafting import checked_prose
from services.evidence import EvidenceSentence
from services.structured.coverage import own_words, share_of_words
from services.text import sentences
from services.types import Language, Sentence

NAMED: Final = 0.6
"""Share of the words which only one part has that a text about it has."""

HEADINGS: Final = 5
"""Lines at the beginning of a passage that may be headings, if they are short."""

LONGEST_HEADING: Final = 100

_AGAINST: Final = re.compile(r",\s+(?:während|wohingegen|wogegen|while|whereas)\s+", re.IGNORECASE)
_VERB_LAST: Final = frozenset({"de"})
"""Languages in which the second clause is no sentence by itself."""


def checked_parts(
    text: str, items: Sequence[str], pool: Sequence[EvidenceSentence], language: Language
) -> tuple[list[Sentence], list[str]]:
    """As ``checked_prose``, and no sentence rests on a place that is about another part.

    Of a sentence that sets one part against another and does not hold as a whole, the clause on
    either is checked by itself: hardly any place says both.
    """
    kept: list[Sentence] = []
    left_out: list[str] = []
    for start, end in sentences(text):
        said = text[start:end].strip()
        whole, out = _checked(said, items, pool, language)
        clauses = [] if _supported(whole) else sides_of(said, items, language)
        held = [one for c in clauses for one in _supported(_checked(c, items, pool, language)[0])]
        kept += held or whole
        left_out += out
    return kept, left_out


def _checked(
    text: str, items: Sequence[str], pool: Sequence[EvidenceSentence], language: Language
) -> tuple[list[Sentence], list[str]]:
    prose, left_out = checked_prose(text, pool, language)
    prose, mixed = of_their_parts(prose, items, pool, language)
    return prose, [*left_out, *(f"{each} (of another part of the question)" for each in mixed)]


def _supported(prose: Sequence[Sentence]) -> list[Sentence]:
    return [each for each in prose if each.supported]


def sides_of(text: str, items: Sequence[str], language: Language) -> list[str]:
    """``A is 1, while B is 2.``: a sentence on each, if either clause names a part of its own.

    Where the verb of a second clause comes last, only the first is a sentence. Other clauses with
    such a word may be conditions, which belong to what they are said of.
    """
    first, *rest = _AGAINST.split(text, maxsplit=1)
    if not rest:
        return []
    named = [_named(clause, items, language) for clause in (first, *rest)]
    if not all(named) or named[0] & named[1]:
        return []
    second = rest[0][0].upper() + rest[0][1:]
    return [f"{first}."] if language in _VERB_LAST else [f"{first}.", second]


def _named(text: str, items: Sequence[str], language: Language) -> set[str]:
    own = {item: own_words(item, items, language) for item in items}
    return {
        item
        for item, words in own.items()
        if words and share_of_words(words, text, language) >= NAMED
    }


def of_their_parts(
    prose: Sequence[Sentence],
    items: Sequence[str],
    pool: Sequence[EvidenceSentence],
    language: Language,
) -> tuple[list[Sentence], list[str]]:
    """The sentences whose places speak of every part that they name, and the texts of the others.

    A small model says of one side of a comparison what stands of the other.
    """
    contexts = {(each.document_id, each.start, each.end): _headed(each) for each in pool}
    kept, mixed = [], []
    for sentence in prose:
        places = "\n".join(
            contexts.get((c.document_id, c.start, c.end), "") for c in sentence.citations
        )
        named = _named(sentence.text, items, language) if sentence.supported else set()
        if named <= _named(places, items, language):
            kept.append(sentence)
        else:
            mixed.append(sentence.text)
    return kept, mixed


def _headed(sentence: EvidenceSentence) -> str:
    """A sentence under the headings that its passage begins with."""
    first = sentence.context.splitlines()[:HEADINGS]
    return "\n".join([*(line for line in first if len(line) <= LONGEST_HEADING), sentence.text])
