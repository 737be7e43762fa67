"""How text becomes terms, and a question a tantivy query with a known highest score."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from tantivy import (
    Filter,
    Index,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

from services.retrieval.embedders.base import clean
from services.retrieval.scoring import bm25_ceiling, clamp, idf
from services.retrieval.vocabulary import Vocabulary

STEMMED: Mapping[str, str] = {"de": "german", "en": "english"}
"""Languages with a stemmer and a stop-word list, by ISO code."""

COMPOUNDING = frozenset({"de"})

PLAIN = "xx"
"""Stands for every other language: lower case only."""

LANGUAGES: tuple[str, ...] = (*STEMMED, PLAIN)

FIELD_WEIGHTS: Mapping[str, float] = {"text": 1.0, "heading": 1.5, "title": 0.5}
LABEL_WEIGHT = 2.0

RELATIVE_WEIGHT = 0.5
"""What a compound or a part of the word counts against the word itself."""

LONGEST_TERM = 120
"""Bytes; German compounds are long, but nothing longer is a word."""

MAX_TERMS = 64
"""Terms of a query that are searched; a question has fewer, a pasted page does not."""

LABEL_WORDS = 3
"""A label of more words is found by its first three."""

WORD = re.compile(r"[^\s,;:!?()\[\]\"„“”»«]+")


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


def make_schema() -> Schema:
    """Fields ``chunk_id``, ``label`` and, for each language, ``text``, ``heading``, ``title``."""
    builder = SchemaBuilder()
    builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("label", tokenizer_name="raw", index_option="freq")
    for language in LANGUAGES:
        for field in FIELD_WEIGHTS:
            builder.add_text_field(
                field_name(field, language),
                tokenizer_name=analyzer_name(language),
                index_option="freq",
            )
    return builder.build()


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


class View:
    """One state of an index: what a searcher sees, with the words and languages in it."""

    def __init__(self, index: Index, analyzers: Mapping[str, TextAnalyzer]) -> None:
        index.reload()
        self.index = index
        self.searcher = searcher = index.searcher()
        self._schema = index.schema
        self._analyzers = analyzers

        def terms(field: str, language: str) -> list[str]:
            return [each for each, _ in searcher.terms_with_prefix(field_name(field, language), "")]

        def vocabulary(language: str) -> Vocabulary:
            fields = ("text", "heading") if language in COMPOUNDING else ()
            return Vocabulary(term for field in fields for term in terms(field, language))

        self._speaks = cache(lambda language: bool(terms("text", language)))
        self._vocabulary = cache(vocabulary)

    def ids(self) -> list[str]:
        """The ids of all chunks."""
        most = self.searcher.num_docs
        hits = self.searcher.search(Query.all_query(), limit=most, count=False).hits if most else ()
        return sorted(self.searcher.doc(address)["chunk_id"][0] for _, address in hits)

    def search(
        self, query: str, language: str, k: int, only: Sequence[str] | None
    ) -> list[tuple[str, float]]:
        """The ``k`` best chunks of a language as (chunk id, share of the highest score)."""
        wanted, ceilings = self._wanted(clean(query), language)
        if wanted is None:
            return []
        if only is not None:  # at no score, so that those of the query stay as they are
            these = Query.term_set_query(self._schema, "chunk_id", list(only))
            those = Query.const_score_query(these, 0.0)
            wanted = Query.boolean_query([(Occur.Must, wanted), (Occur.Must, those)])
        highest = bm25_ceiling(ceilings)
        hits = self.searcher.search(wanted, limit=k, count=False).hits
        return [
            (self.searcher.doc(address)["chunk_id"][0], clamp(score / highest))
            for score, address in hits
        ]

    def frequencies(self, words: Sequence[str], language: str) -> dict[str, int]:
        """Count the chunks of ``language`` that have each word in one field, in whatever form.

        A foreign word is missing from every text, so nothing is counted where no chunk is of that
        language.
        """
        if not self._speaks(language):
            return {}
        fields = [field_name(field, language) for field in FIELD_WEIGHTS]
        asked = {word: with_compounds(self._spellings(word, language)) for word in words}
        occurs = self.searcher.doc_freq
        return {
            word: max(sum(occurs(field, term) for term in terms) for field in fields)
            for word, terms in asked.items()
            if terms
        }

    def _wanted(self, query: str, language: str) -> tuple[Query | None, list[float]]:
        """The query for the chunks of ``language`` and what each term scores at most.

        None where it can find nothing. A term counts where it scores best, in one field, as itself
        or as a relative (a disjunction maximum): a chunk is not paid twice for a word in its
        heading and its text. Terms that occur nowhere raise the ceiling too: a chunk that lacks
        half the question must not look perfect.
        """
        searcher = self.searcher
        clauses: list[tuple[Occur, Query]] = []
        ceilings: list[float] = []
        for places in self._places(query, language):
            found: list[Query] = []
            bounds: list[float] = []
            for field, term, weight in places:
                if count := searcher.doc_freq(field, term):
                    bounds.append(weight * idf(searcher.num_docs, count))
                    query_term = Query.term_query(self._schema, field, term, "freq")
                    found.append(Query.boost_query(query_term, weight))
            ceilings.append(max(bounds, default=idf(searcher.num_docs, 0)))
            if found:
                clauses.append((Occur.Should, Query.disjunction_max_query(found)))
        return (Query.boolean_query(clauses) if clauses else None), ceilings

    def _places(self, query: str, language: str) -> list[list[tuple[str, str, float]]]:
        """For each term of a query where and as what it may be found: (field, term, weight)."""
        words = [
            [
                (field_name(field, language), word, weight * field_weight)
                for word, weight in asked.items()
                for field, field_weight in FIELD_WEIGHTS.items()
            ]
            for asked in self._spellings(query, language)
        ]
        labels = (label for label in labels_in(query) if self.searcher.doc_freq("label", label))
        return words + [[("label", label, LABEL_WEIGHT)] for label in labels]

    def _spellings(self, text: str, language: str) -> list[dict[str, float]]:
        return spellings(text, self._analyzers[language], self._vocabulary(language))


def _analyzer(stemmer: str | None) -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    builder = builder.filter(Filter.remove_long(LONGEST_TERM)).filter(Filter.lowercase())
    if stemmer is not None:
        builder = builder.filter(Filter.stopword(stemmer)).filter(Filter.stemmer(stemmer))
    return builder.build()
