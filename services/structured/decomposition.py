"""What must be known to answer a question, told by rules: each part once, in its own words."""

import re
from collections.abc import Iterator
from typing import Final

from services.extractive import facets, keyphrases
from services.extractive.questions import topic
from services.query.comparison import compared
from services.query.keywords import kinds
from services.query.values import DateRange, Understanding
from services.structured.question_types import question_type
from services.structured.values import (
    MOST_REQUIRED,
    MOST_TOPICS,
    Plan,
    QuestionType,
    SubQuery,
)
from services.structured.words import words_of
from services.text import stem_sequence
from services.value import Language

_LEANING: Final = re.compile(
    r"(?<![\w-])(?:sie|er|ihn|ihm|ihnen|ihre?[mnrs]?|seine?[mnrs]?|deren|dessen|diese[mnrs]?|davon|dafür|dabei|dagegen"
    r"|daraus|darin|damit|danach|dazu|hierfür|hierzu|hierbei|it|its|they|them|their|these|those"
    r"|thereof|il|elle|ils|elles|leurs?|ella|ellos|ellas|sus?)(?![\w-])",
    re.IGNORECASE,
)
_DEFINITE: Final = re.compile(
    r"\b(?:d(?:er|ie|as|en|em)|the|les?|la|l[oa]s|el)\s+\w", re.IGNORECASE
)
"""A definite thing in a short part is one of what the part before speaks of: ``the results``."""

_OPENING: Final = re.compile(
    r"^(?:und|oder|sowie|and|or|et|y)\s+|^(?:bitte\s+)?(?:nenne?n?|liste|zähle|list|name|enumerate)\s+"
    r"(?:sie\s+|mir\s+|alle\s+|die\s+|all\s+|the\s+)*",
    re.IGNORECASE,
)
_SHORT: Final = 2
_REMINDERS: Final = 2
_HINTS: Final = 12


def decomposed(known: Understanding) -> Plan:
    """The plan of a question without a model: its parts, each searched for as it is put.

    A comparison needs each of its sides, a list of things each of them. A part that leans on the
    one before (``and how long is it kept?``) is searched for with what that one names.
    """
    parts = list(_parts(known))[:MOST_REQUIRED] or [
        SubQuery(query=known.question, target_info=known.question)
    ]
    return Plan(
        question_type=kind_of(known),
        required_info=tuple(dict.fromkeys(part.target_info for part in parts)),
        sub_queries=tuple(parts),
        entity_hints=known.classification.entities[:_HINTS],
        topic_hints=tuple(keyphrases(known.question, known.language, limit=_HINTS))[:MOST_TOPICS],
        temporal_scope=scope_text(known.dates),
        dates=known.dates,
    )


def kind_of(known: Understanding) -> QuestionType:
    """The type of question: a comparison by its words, else by the tables, else by the heads."""
    of_class = known.classification.type
    by_words = "comparison" in kinds(known.question, known.language)
    if of_class == "comparative" and by_words:
        return "comparison"
    told = question_type(known.question, known.language, "factual")
    return question_type(known.question, known.language, of_class) if told == "factual" else told


def scope_text(dates: DateRange | None) -> str | None:
    """``2018-01-01 - 2020-12-31``; an open side is left out."""
    if dates is None or (dates.since is None and dates.until is None):
        return None
    since, until = dates.since or "", dates.until or ""
    return f"{since} - {until}".strip()


def _both(known: Understanding) -> bool:
    """Whether the parts of a question are the two sides that it compares."""
    return known.subquestions == compared(known.question)


def _parts(known: Understanding) -> Iterator[SubQuery]:
    before = ""
    seen: set[str] = set()
    both = _both(known)
    for part in known.subquestions:
        for text in (part,) if both else _of_part(part, known):
            item = _shown(text)
            if not item or item.casefold() in seen:
                continue
            seen.add(item.casefold())
            alone = item if both else _alone(item, before, known.language)
            yield SubQuery(query=alone, target_info=item)
        before = part


def _of_part(part: str, known: Understanding) -> tuple[str, ...]:
    """What one question asks for: the sides of a comparison, the things of a list, or itself."""
    language = known.language
    both = compared(part) if known.classification.type == "comparative" else None
    if both is not None:
        return both
    if len(stem_sequence(part, language)) < 2:
        return (part,)
    found = [facet.text for facet in facets(part, language)]
    whole = part.strip(" ?.!")
    inner = [text for text in found if text.strip(" ?.!") != whole and "(" not in text]
    return tuple(inner) if len(inner) > 1 else (part,)


def _shown(text: str) -> str:
    """A part as it is listed: without end marks, and without the word that joined it."""
    plain = _OPENING.sub("", " ".join(text.split())).strip(" ,;:?!.")
    return plain[:1].upper() + plain[1:]


def _alone(item: str, before: str, language: Language) -> str:
    """What to search for: the part, with what the part before names where it leans on that."""
    leans = (
        _LEANING.search(item)
        or (_DEFINITE.search(item) and len(words_of(topic(item), language)) <= _SHORT)
        or not stem_sequence(item, language)
    )
    if not before or not leans:
        return item
    names = keyphrases(before, language, limit=_REMINDERS)
    return " ".join([item, *(name for name in names if name.casefold() not in item.casefold())])
