"""What code believes of a model that reads a passage: names that stand there, relations that one
sentence of it says in its own words.

A relation counts if its sentence holds both ends as whole words and the words of the relation in
some inflection, the subject before the object.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel

from services.domain import Language
from services.domain.value import Span
from services.graph.names import ADJECTIVE, clean_name, folded
from services.graph.values import Fact, NamedEntity
from services.language.text import is_stop_word, sentences, stems

MOST_SENTENCES: Final = 8
LONGEST_SENTENCE: Final = 250
_LEAST_SENTENCE: Final = 20
LONGEST_RELATION: Final = 40
_MOST_WORDS: Final = 8
_PLACE = re.compile(
    r"§|\b(?:Abs(?:atz|ätze)?|Satz|Sätze|Nummern?|Nr|Artikel|Anlagen?|Kapitel|Abschnitt|Teil"
    r"|Halbsatz|Buchstabe|Section|Chapter|Article|Annex|Table|Figure|PEP|RFC)\b\.?\s*\d",
    re.IGNORECASE,
)
_SMALL = re.compile(r"(?<![\w-])[a-zäöüß]{3,}(?![\w-])")
_NOUN = re.compile(r"\s+[A-ZÄÖÜ]")
_VERB: Final = 4
_ENDING: Final = 2
"""Letters that two stems of a verb share at least, and those that one may have more."""
_BARE_PLACE = re.compile(
    r"(?:Abs(?:atz|ätzen?)|Sätze?n?|Satz|Nummern?|Artikel|Anlagen?\s\d\w*|Buchstaben?|Fundstelle"
    r"|Section|Paragraphs?)",
    re.IGNORECASE,
)
Refusal = Literal[
    "no such sentence",
    "no such name",
    "not in the sentence",
    "says nothing",
    "not its words",
    "backwards",
]
"""Why a relation does not count."""


class RelationOutput(BaseModel, extra="forbid"):
    """A relation as a model wrote it; ``sentence`` is a number that it was shown."""

    sentence: int
    subject: str
    relation: str
    object: str


def located(text: str, written: Sequence[str], language: Language) -> tuple[NamedEntity, ...]:
    """The names among what a model wrote, with every place where they stand as whole words."""
    names: dict[str, str] = {}
    for name in map(clean_name, written):
        if name is not None and is_thing(name, language):
            names.setdefault(folded(name), name)
    return tuple(
        NamedEntity(name=name, start=start, end=end)
        for name in names.values()
        for start, end in places_of(name, text)
    )


def is_thing(name: str, language: Language) -> bool:
    """Whether a clean name may be a thing's: no place in a text, in German a noun at its end."""
    words = name.split()
    if len(words) > _MOST_WORDS or _PLACE.search(name) or _BARE_PLACE.fullmatch(name):
        return False
    if not stems(name, language):
        return False
    if is_stop_word(words[0], language) or is_stop_word(words[-1], language):
        return False
    if language != "de":
        return True
    *before, noun = words
    return noun[0].isupper() and all(
        word[0].isupper() or ADJECTIVE.fullmatch(word) or is_stop_word(word, language)
        for word in before
    )


def places_of(words: str, text: str) -> list[tuple[int, int]]:
    """Where words stand as whole words, with any white space between them."""
    verbatim = r"\s+".join(re.escape(word) for word in words.split())
    return [match.span() for match in re.finditer(rf"(?<!\w){verbatim}(?!\w)", text)]


def verbs_of(sentence: str, language: Language) -> tuple[str, ...]:
    """The words of a sentence that may say how two things relate, each once, in their order.

    German writes verbs small, and adjectives stand before a noun; in English all but stop words
    and adverbs may be one.
    """
    found = (match.group() for match in _SMALL.finditer(sentence) if not _is_other(match, language))
    return tuple(dict.fromkeys(found))


def _is_other(word: re.Match[str], language: Language) -> bool:
    """Whether a small word is a stop word, an adjective before its noun, or an adverb."""
    if is_stop_word(word.group(), language):
        return True
    if language == "de":
        return bool(ADJECTIVE.fullmatch(word.group()) and _NOUN.match(word.string, word.end()))
    return word.group().endswith("ly")


def worth_reading(text: str, language: Language) -> bool:
    """Whether a passage has a sentence that is short enough to be understood, with a verb."""
    return any(
        _LEAST_SENTENCE <= end - start <= LONGEST_SENTENCE
        and bool(verbs_of(text[start:end], language))
        for start, end in sentences(text)
    )


def telling(text: str, names: Sequence[str], language: Language) -> list[Span]:
    """The sentences of a passage with two names or more and a verb; their numbers count from 1.

    Long ones are left out: who does what in their nested clauses a small model cannot tell.
    """
    found = [
        (start, end)
        for start, end in sentences(text)
        if end - start <= LONGEST_SENTENCE
        and verbs_of(text[start:end], language)
        and sum(bool(places_of(name, text[start:end])) for name in names) > 1
    ]
    return found[:MOST_SENTENCES]


def judged(
    text: str, names: Sequence[str], language: Language, proposal: RelationOutput
) -> Fact | Refusal:
    """The fact that a model proposed in a passage with these names, or why it is none."""
    spans = telling(text, names, language)
    if not 0 < proposal.sentence <= len(spans):
        return "no such sentence"
    start, end = spans[proposal.sentence - 1]
    known = {folded(name): name for name in names}
    subject, object_ = known.get(folded(proposal.subject)), known.get(folded(proposal.object))
    if subject is None or object_ is None or subject == object_:
        return "no such name"
    sentence = text[start:end]
    ends = places_of(subject, sentence), places_of(object_, sentence)
    if not all(ends):
        return "not in the sentence"
    relation = clean_name(proposal.relation)
    if relation is None or len(relation) > LONGEST_RELATION or not stems(relation, language):
        return "says nothing"
    if not _in_words_of(relation, verbs_of(sentence, language), language):
        return "not its words"
    if ends[0][0] > ends[1][-1]:
        return "backwards"
    return Fact(subject=subject, relation=relation, object=object_, start=start, end=end)


def _in_words_of(relation: str, verbs: Sequence[str], language: Language) -> bool:
    """Whether every content word of a relation is one of the verbs, in whatever inflection."""
    there = stems(" ".join(verbs), language)
    return all(
        any(_alike(wanted, found) for found in there) for wanted in stems(relation, language)
    )


def _alike(one: str, other: str) -> bool:
    """Stems that are the same but for the ending that the stemmer leaves to a short verb."""
    short, long = sorted((one, other), key=len)
    ending = len(long) - len(short)
    return one == other or (len(short) >= _VERB and ending <= _ENDING and long.startswith(short))
