"""How text becomes terms, and which terms a query looks for."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from services.retrieval.embedders.base import clean
from services.retrieval.scoring import bm25_ceiling, idf

STEMMED: Mapping[str, str] = {"de": "german", "en": "english"}
"""Languages with a stemmer and a stop-word list, by ISO code."""

COMPOUNDING = frozenset({"de"})

PLAIN = "xx"
"""Stands for every other language: lower case only."""

LANGUAGES: tuple[str, ...] = (*STEMMED, PLAIN)

FIELD_WEIGHTS: Mapping[str, float] = {"text": 1.0, "heading": 1.5, "title": 0.5}
LABEL = "label"
LABEL_WEIGHT = 2.0

RELATIVE_WEIGHT = 0.5
"""What a compound or a part of the word counts against the word itself."""

LONGEST_TERM = 120
"""Bytes; German compounds are long, but nothing longer is a word."""

MAX_TERMS = 64
"""Terms of a query that are searched; a question has fewer, a pasted page does not."""

LABEL_WORDS = 3
"""A label of more words is found by its first three."""

SHORTEST_PART = 5
"""Letters of a stem that compounds are built with; shorter ones stand by chance in many words."""

MOST_RELATIVES = 24

Clause = tuple[str, str, float]
"""A field, a term that may stand there, and its weight."""

Frequency = Callable[[str, str], int]
"""From a field and a term to the number of chunks that have the term there."""

WORD = re.compile(r"[^\s,;:!?()\[\]\"„“”»«]+")


class Vocabulary:
    """Known stems, asked for compounds of a stem and for the parts of a compound."""

    def __init__(self, stems: Iterable[str]) -> None:
        self._known = frozenset(stems)
        self._forward = sorted(self._known)
        self._backward = sorted(stem[::-1] for stem in self._known)

    def relatives(self, stem: str) -> list[str]:
        """Known stems that begin or end with ``stem``, or that it begins or ends with.

        The stem itself is not among them. At most ``MOST_RELATIVES``, those closest in length
        first (equally close ones in alphabetical order).
        """
        if len(stem) < SHORTEST_PART or not stem.isalpha():
            return []
        found = {*_with_prefix(self._forward, stem)}
        found.update(word[::-1] for word in _with_prefix(self._backward, stem[::-1]))
        for cut in range(SHORTEST_PART, len(stem)):
            found.update({stem[:cut], stem[-cut:]} & self._known)
        found.discard(stem)
        return sorted(found, key=lambda word: (abs(len(word) - len(stem)), word))[:MOST_RELATIVES]


def language_of(language: str) -> str:
    """The index language for an ISO code."""
    return language if language in STEMMED else PLAIN


def field_name(field: str, language: str) -> str:
    return f"{field}_{language}"


def analyzer_name(language: str) -> str:
    return f"rabbithole_{language}"


def make_analyzers() -> dict[str, TextAnalyzer]:
    """Per index language: words, lower case, stop words removed, stemmed."""
    return {language: _analyzer(STEMMED.get(language)) for language in LANGUAGES}


def normal_label(text: str) -> str:
    """A section label as the index holds it: lower case, one space, ``§78`` as ``§ 78``."""
    spaced = re.sub(r"§+\s*", "§ ", text)
    return " ".join(spaced.lower().split()[:LABEL_WORDS]).rstrip(".")


def labels_in(query: str) -> list[str]:
    """Every run of one to three words of the query that could be a section label.

    Whether it is one decides the index: what is not a label there is found nowhere. Only runs
    with a digit count, so that plain words never do.
    """
    words = WORD.findall(re.sub(r"§+\s*", "§ ", query))[:MAX_TERMS]
    runs = {
        normal_label(" ".join(words[start : start + length]))
        for length in range(1, LABEL_WORDS + 1)
        for start in range(len(words) - length + 1)
    }
    return sorted(run for run in runs if any(character.isdigit() for character in run))


def spellings(text: str, analyzer: TextAnalyzer, vocabulary: Vocabulary) -> list[dict[str, float]]:
    """For each term of a text as what it may be found, itself first, and what that counts."""
    terms = list(dict.fromkeys(analyzer.analyze(clean(text))))[:MAX_TERMS]
    return [
        {term: 1.0} | dict.fromkeys(vocabulary.relatives(term), RELATIVE_WEIGHT) for term in terms
    ]


def with_compounds(asked: Sequence[Mapping[str, float]]) -> list[str]:
    """Of `spellings` the terms and what is built with them, without the parts of a compound."""
    return [word for words in asked for word in words if next(iter(words)) in word]


def query_clauses(
    query: str, language: str, analyzer: TextAnalyzer, vocabulary: Vocabulary
) -> list[list[Clause]]:
    """Return the alternative clauses for each term and each possible label of a query."""
    words = [
        [
            (field_name(field, language), word, weight * field_weight)
            for word, weight in spelled.items()
            for field, field_weight in FIELD_WEIGHTS.items()
        ]
        for spelled in spellings(query, analyzer, vocabulary)
    ]
    return words + [[(LABEL, label, LABEL_WEIGHT)] for label in labels_in(clean(query))]


def matching_clauses(
    clauses: Iterable[Sequence[Clause]], frequency: Frequency, chunks: int
) -> tuple[list[list[Clause]], float]:
    """Return the clauses that match some of an index's chunks, and the highest possible score.

    A term counts by its best alternative: a chunk is not paid twice for a word in its heading and
    its text. Terms that occur nowhere raise the highest score too: a chunk that lacks half the
    question must not look perfect. A label that no chunk has is none.
    """
    matching: list[list[Clause]] = []
    bounds: list[float] = []
    for alternatives in clauses:
        counted = [(each, count) for each in alternatives if (count := frequency(*each[:2]))]
        if counted:
            matching.append([each for each, _ in counted])
            bounds.append(max(weight * idf(chunks, count) for (*_, weight), count in counted))
        elif alternatives[0][0] != LABEL:
            bounds.append(idf(chunks, 0))
    return matching, bm25_ceiling(bounds)


def count_chunks(
    terms_of: Mapping[str, Sequence[str]], language: str, frequency: Frequency
) -> dict[str, int]:
    """Count the chunks that have one of the terms of each word, in the field where most do."""
    fields = [field_name(field, language) for field in FIELD_WEIGHTS]
    return {
        word: max(sum(frequency(field, term) for term in terms) for field in fields)
        for word, terms in terms_of.items()
        if terms
    }


def _analyzer(stemmer: str | None) -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    builder = builder.filter(Filter.remove_long(LONGEST_TERM)).filter(Filter.lowercase())
    if stemmer is not None:
        builder = builder.filter(Filter.stopword(stemmer)).filter(Filter.stemmer(stemmer))
    return builder.build()


def _with_prefix(words: list[str], prefix: str) -> list[str]:
    """The slice of sorted ``words`` that start with ``prefix``."""
    start = bisect_left(words, prefix)
    return [*takewhile(lambda word: word.startswith(prefix), islice(words, start, None))]
