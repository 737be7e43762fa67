"""Turns text into index terms, and a query into clauses of terms."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from services.retrieval.embedders.base import clean
from services.retrieval.indexes import LexicalDocument
from services.retrieval.scoring import bm25_ceiling, idf

STEMMED: Mapping[str, str] = {"de": "german", "en": "english"}
"""Languages with a stemmer and a stop-word list, by ISO code."""
COMPOUNDING = frozenset({"de"})
PLAIN = "xx"
LANGUAGES: tuple[str, ...] = (*STEMMED, PLAIN)
FIELD_WEIGHTS: Mapping[str, float] = {"text": 1.0, "heading": 1.5, "title": 0.5}
LABEL = "label"
LABEL_WEIGHT = 2.0
RELATIVE_WEIGHT = 0.5
LONGEST_TERM = 120  # bytes
MAX_TERMS = 64
"""Terms of a query that are searched; a question has fewer, a pasted page does not."""
LABEL_WORDS = 3
SHORTEST_COMPONENT = 5
"""Letters of a stem that is looked for in compounds; shorter ones occur in many words by chance."""
MOST_RELATIVES = 24
Clause = tuple[str, str, float]  # a field, a term in it, and the weight of the term
Frequency = Callable[[str, str], int]
WORD = re.compile(r"[^\s,;:!?()\[\]\"„“”»«]+")


class Vocabulary:
    """The stems of an index, searched for compounds of a stem and components of a compound."""

    def __init__(self, stems: Iterable[str]) -> None:
        self._stems = frozenset(stems)
        self._forward = sorted(self._stems)
        self._backward = sorted(stem[::-1] for stem in self._stems)

    def relatives(self, stem: str) -> list[str]:
        """Return stems that begin or end with ``stem``, or the reverse, nearest in length first."""
        if len(stem) < SHORTEST_COMPONENT or not stem.isalpha():
            return []
        relatives = {*_with_prefix(self._forward, stem)}
        relatives.update(word[::-1] for word in _with_prefix(self._backward, stem[::-1]))
        for cut in range(SHORTEST_COMPONENT, len(stem)):
            relatives.update({stem[:cut], stem[-cut:]} & self._stems)
        relatives.discard(stem)
        return sorted(relatives, key=lambda word: (abs(len(word) - len(stem)), word))[
            :MOST_RELATIVES
        ]


def language_of(language: str) -> str:
    return language if language in STEMMED else PLAIN


def field_name(field: str, language: str) -> str:
    return f"{field}_{language}"


def analyzer_name(language: str) -> str:
    return f"rabbithole_{language}"


def indexed_fields(doc: LexicalDocument) -> dict[str, str]:
    """Return the texts of a chunk by the names of the fields that they are indexed in."""
    language = language_of(doc.language)
    texts = {field_name(field, language): clean(getattr(doc, field)) for field in FIELD_WEIGHTS}
    return texts | ({LABEL: normalise_label(clean(doc.label))} if doc.label else {})


def make_analyzers() -> dict[str, TextAnalyzer]:
    """Return an analyzer per index language: words, lower case, no stop words, stemmed."""
    return {language: _analyzer(STEMMED.get(language)) for language in LANGUAGES}


def normalise_label(text: str) -> str:
    """Return a section label as in the index: lower case, single spaces, ``§78`` as ``§ 78``."""
    spaced = re.sub(r"§+\s*", "§ ", text)
    return " ".join(spaced.lower().split()[:LABEL_WORDS]).rstrip(".")


def labels_in(query: str) -> list[str]:
    """Return every run of one to three words of the query with a digit, as a possible label."""
    words = WORD.findall(re.sub(r"§+\s*", "§ ", query))[:MAX_TERMS]
    runs = {
        normalise_label(" ".join(words[start : start + length]))
        for length in range(1, LABEL_WORDS + 1)
        for start in range(len(words) - length + 1)
    }
    return sorted(run for run in runs if any(character.isdigit() for character in run))


def spellings(text: str, analyzer: TextAnalyzer, vocabulary: Vocabulary) -> list[dict[str, float]]:
    """Return the spellings of each term of a text, itself first, with their weights."""
    terms = list(dict.fromkeys(analyzer.analyze(clean(text))))[:MAX_TERMS]
    return [
        {term: 1.0} | dict.fromkeys(vocabulary.relatives(term), RELATIVE_WEIGHT) for term in terms
    ]


def counted_terms(
    words: Iterable[str], analyzer: TextAnalyzer, vocabulary: Vocabulary
) -> dict[str, list[str]]:
    """Return the terms and compounds of each word, without the components of a compound."""
    return {
        word: [
            term
            for spelled in spellings(word, analyzer, vocabulary)
            for term in spelled
            if next(iter(spelled)) in term
        ]
        for word in words
    }


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

    A term counts by its best alternative. Terms that occur nowhere raise the highest score too: a
    chunk that lacks half of the question must not look perfect. A label that no chunk has does not.
    """
    matching: list[list[Clause]] = []
    bounds: list[float] = []
    for alternatives in clauses:
        counted = [(term, count) for term in alternatives if (count := frequency(*term[:2]))]
        if counted:
            matching.append([term for term, _ in counted])
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
    start = bisect_left(words, prefix)
    return [*takewhile(lambda word: word.startswith(prefix), islice(words, start, None))]
