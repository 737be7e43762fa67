"""Different things that a question may mean, as the corpus shows them."""

import re
from collections.abc import Sequence
from typing import Final

from services.text import compound_match, stem_sequence
from services.types import Hit, Language, Value

_MOST: Final = 4
_AS_GOOD: Final = 0.85
_RELEVANT: Final = 0.6
_SAME: Final = 0.8
_NAMED = re.compile(r"§+\s*\d+[a-z]*|\b(?:PEP|Anlage|Artikel|Section)\s+\d+", re.IGNORECASE)
_HEADING_LABEL = re.compile(r"^(?:#+\s*)?(?:§+\s*\d+[a-z]*|\d+(?:\.\d+)*\.?|Anlage\s+\d+\w*)\s+")


class Sense(Value):
    """One thing that a question may be about.

    ``label`` is what to offer (``Grenzwerte für beruflich exponierte Personen``), ``terms`` the
    stems that set it apart, ``chunk_ids`` its hits, best first.
    """

    label: str
    document: str
    section: str
    terms: frozenset[str]
    chunk_ids: tuple[str, ...]
    relevance: float


def competing_senses(question: str, hits: Sequence[Hit], language: Language) -> list[Sense]:
    """Find sections that answer the same words of a question but are about different things.

    ``Wie hoch ist der Grenzwert der effektiven Dosis?`` is answered by the limits for workers and
    by those for the public: both have all words of the question, and their headings differ.

    Args:
        question: a question that names its section has one sense.
        hits: of a search for it.
        language: of the question.

    Returns:
        2-4 senses, the most relevant first; nothing where one section fits best.
    """
    wanted = frozenset(stem_sequence(question, language))
    if not wanted or _NAMED.search(question):
        return []
    groups = _by_section(hits)
    best = max((group[0].relevance for group in groups), default=0.0)
    near = [group for group in groups if group[0].relevance >= _RELEVANT * best]
    fits = {id(group): _fit(wanted, group, language) for group in near}
    top = max(fits.values(), default=0.0)
    rivals = [group for group in near if fits[id(group)] >= _AS_GOOD * top > 0.0]
    return _told_apart(wanted, rivals, language)


def _by_section(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Hits of each section, the section with the most relevant hit first."""
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in sorted(hits, key=lambda hit: -hit.relevance):
        groups.setdefault((hit.document_id, hit.section), []).append(hit)
    return list(groups.values())


def _fit(wanted: frozenset[str], group: Sequence[Hit], language: Language) -> float:
    """Share of the question's words in a section and its heading."""
    text = " ".join(hit.text for hit in group)
    stems = {*stem_sequence(text, language), *stem_sequence(_heading(group[0]), language)}
    return sum(
        max((compound_match(word, stem) for stem in stems), default=0.0) for word in sorted(wanted)
    ) / len(wanted)


def _heading(hit: Hit) -> str:
    return hit.heading_path[-1] if hit.heading_path else hit.title


def _told_apart(
    wanted: frozenset[str], groups: Sequence[Sequence[Hit]], language: Language
) -> list[Sense]:
    """Senses of the groups whose headings say something of their own."""
    headings = [frozenset(stem_sequence(_label(group[0]), language)) for group in groups]
    common = frozenset.intersection(*headings) if headings else frozenset()
    senses: list[Sense] = []
    for group, heading in zip(groups, headings, strict=True):
        terms = heading - wanted - common
        if terms and not any(_overlap(terms, sense.terms) >= _SAME for sense in senses):
            senses.append(_sense(group, terms))
    return senses[:_MOST] if len(senses) > 1 else []


def _label(hit: Hit) -> str:
    return _HEADING_LABEL.sub("", _heading(hit)).strip()


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard index."""
    return len(one & other) / len(one | other)


def _sense(group: Sequence[Hit], terms: frozenset[str]) -> Sense:
    first = group[0]
    return Sense(
        label=_label(first),
        document=first.document,
        section=first.section,
        terms=terms,
        chunk_ids=tuple(hit.chunk_id for hit in group),
        relevance=first.relevance,
    )
