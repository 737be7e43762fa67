"""Keyword search by BM25 in PostgreSQL: one statement ranks by postings.

PostgreSQL's own full text search ranks far worse, without inverse document frequency
(docs/decisions/0024). Terms and scores equal those of tantivy (``terms``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from tantivy import TextAnalyzer

from services.domain import Language
from services.retrieval.indexes import LexicalDocument
from services.retrieval.postgres import SCHEMA, CollectionTables, Execute
from services.retrieval.scoring import BM25_B, BM25_K1, clamp, idf, merge
from services.retrieval.terms import (
    COMPOUNDING,
    FIELD_WEIGHTS,
    LABEL,
    LANGUAGES,
    Clause,
    Vocabulary,
    count_chunks,
    counted_terms,
    field_name,
    indexed_fields,
    language_of,
    make_analyzers,
    matching_clauses,
    query_clauses,
)

TABLES: Final = (
    "CREATE TABLE {table} (id text PRIMARY KEY, "
    "number integer GENERATED ALWAYS AS IDENTITY UNIQUE)",
    'CREATE TABLE {table}_terms (term text COLLATE "C" PRIMARY KEY, chunks integer DEFAULT 0, '
    f"total bigint DEFAULT 0, number integer UNIQUE DEFAULT nextval('{SCHEMA}.term_numbers')) "
    "WITH (fillfactor = 50)",  # room for updated counts, so that the indexes stay
    "CREATE TABLE {table}_postings (term integer, chunk integer, count integer, length integer, "
    "PRIMARY KEY (term, chunk) INCLUDE (count, length))",
    "CREATE INDEX ON {table}_postings (chunk)",
)
"""Terms are numbered across all collections, so that the vocabulary that a process has cached of a
collection stays right if that is dropped and created again."""
DELETE: Final = """
WITH deleted AS (DELETE FROM {table} WHERE id = ANY(:ids) RETURNING number),
lost AS (DELETE FROM {table}_postings WHERE chunk IN (SELECT * FROM deleted) RETURNING term, count),
counts AS (SELECT term, count(*) AS n, sum(count) AS total FROM lost GROUP BY term)
UPDATE {table}_terms AS old SET chunks = old.chunks - n, total = old.total - counts.total
FROM counts WHERE number = counts.term
"""
NAME_TERMS: Final = """
INSERT INTO {table}_terms (term) SELECT term FROM unnest(CAST(:terms AS text[])) AS new (term)
WHERE NOT EXISTS (SELECT FROM {table}_terms AS old WHERE old.term = new.term)
"""
ADD_POSTINGS: Final = """
WITH new AS (
    SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:terms AS text[]), CAST(:counts AS integer[]),
    CAST(:lengths AS integer[])) AS new (id, term, count, length)
), chunks AS (
    INSERT INTO {table} (id) SELECT DISTINCT id FROM new RETURNING id, number AS chunk
), counts AS (
    SELECT term, count(*) AS n, sum(count) AS total FROM new GROUP BY term
), counted AS (
    UPDATE {table}_terms AS old SET chunks = chunks + n, total = old.total + counts.total
    FROM counts WHERE old.term = counts.term RETURNING old.term, number
)
INSERT INTO {table}_postings SELECT number, chunk, count, length
FROM new JOIN chunks USING (id) JOIN counted USING (term)
"""
STATISTICS: Final = """
SELECT term, number, chunks, total FROM {table}_terms WHERE term = ANY(:terms) AND chunks > 0
"""
RANK: Final = """
WITH candidates AS (
    SELECT chunk FROM {table}_postings WHERE term = ANY(CAST(:rarest AS integer[]))
    UNION SELECT number FROM {table} WHERE id = ANY(CAST(:only AS text[]))
), scores AS (
    SELECT chunk, clause, max(weight * count / (count + base + slope * length)) AS score
    FROM unnest(CAST(:clauses AS integer[]), CAST(:terms AS integer[]), CAST(:weights AS float[]),
    CAST(:slopes AS float[])) AS query (clause, term, weight, slope)
    JOIN {table}_postings USING (term), CAST(:base AS float) AS base
    WHERE chunk IN (SELECT chunk FROM candidates) GROUP BY chunk, clause
), best AS (
    SELECT chunk AS number, sum(score) AS score FROM scores GROUP BY chunk
    ORDER BY score DESC, chunk LIMIT :k
)
SELECT id, score FROM best JOIN {table} USING (number)
"""
"""Scores by BM25: ``base`` and ``slope * length`` are its ``k1 * (1 - b)`` and ``k1 * b * length /
mean length``, and ``weight`` includes the idf of the term."""


class TermStatistics(NamedTuple):
    """The number of a term, how many chunks have it, and its occurrences in total."""

    number: int
    chunks: int
    total: int


CANDIDATES: Final = 5_000
"""Chunks to score at most, taken from the rarest terms of the query."""
ABSENT: Final = TermStatistics(0, 0, 0)


class PostgresWords(CollectionTables):
    """A ``LexicalIndex`` in PostgreSQL; a field is a term too, of every chunk of its language."""

    KIND = "keywords"
    OPTION = "enable_seqscan=off -c jit=off"

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._analyzers = make_analyzers()
        self._vocabularies: dict[tuple[str, str], tuple[int, list[str], Vocabulary]] = {}

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        unique = {doc.chunk_id: doc for doc in docs}
        postings = [row for doc in unique.values() for row in self._postings(doc)]
        if not postings:
            return
        ids, terms, counts, lengths = map(list, zip(*postings, strict=True))
        with self._fill(collection_id, *TABLES) as execute:
            self._delete(execute, list(unique))
            execute(NAME_TERMS, terms=sorted(set(terms)))
            execute(ADD_POSTINGS, ids=ids, terms=terms, counts=counts, lengths=lengths)

    def search(
        self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        if k < 1:
            return []
        queries = [
            query_clauses(query, language, *self._analysis(collection_id, language))
            for language in LANGUAGES
        ]
        terms = [_name(field, term) for clauses in queries for field, term, _ in chain(*clauses)]
        statistics = self._statistics(collection_id, terms)
        rankings = (
            self._ranking(collection_id, clauses, statistics, k, only) for clauses in queries
        )
        return merge(rankings)[:k]

    def frequencies(
        self, collection_id: str, words: Sequence[str], language: Language
    ) -> dict[str, int]:
        code = language_of(language)
        terms = counted_terms(words, *self._analysis(collection_id, code))
        names = [
            _name(field_name(field, code), term)
            for field in FIELD_WEIGHTS
            for term in chain(*terms.values())
        ]
        statistics = self._statistics(collection_id, names)
        if field_name("text", code) not in statistics:
            return {}
        return count_chunks(terms, code, partial(_frequency, statistics))

    def _delete(self, execute: Execute, ids: Sequence[str]) -> None:
        execute(DELETE, ids=list(ids))

    def _postings(self, doc: LexicalDocument) -> Iterator[tuple[str, str, int, int]]:
        """Yield chunk, term, its count in the field, and the number of words of the field."""
        analyzer = self._analyzers[language_of(doc.language)]
        for field, text in indexed_fields(doc).items():
            terms = [text] if field == LABEL else analyzer.analyze(text)
            yield doc.chunk_id, field, len(terms), 0
            for term, count in Counter(terms).items():
                yield doc.chunk_id, _name(field, term), count, len(terms)

    def _analysis(self, collection_id: str, language: str) -> tuple[TextAnalyzer, Vocabulary]:
        return self._analyzers[language], self._vocabulary(collection_id, language)

    def _vocabulary(self, collection_id: str, language: str) -> Vocabulary:
        """Return all terms of a language that has compounds; each call reads only new terms."""
        if language not in COMPOUNDING:
            return Vocabulary(())
        key = (collection_id, language)
        last, terms, vocabulary = self._vocabularies.get(key, (0, list[str](), Vocabulary(())))
        new = self._rows(
            collection_id,
            "SELECT term, number FROM {table}_terms WHERE number > :last AND (term LIKE :text OR "
            "term LIKE :heading)",
            last=last,
            text=_name(field_name("text", language), "_%"),
            heading=_name(field_name("heading", language), "_%"),
        )
        if new:
            terms = [*terms, *(row.term.partition(":")[2] for row in new)]
            vocabulary = Vocabulary(terms)
            self._vocabularies[key] = max(row.number for row in new), terms, vocabulary
        return vocabulary

    def _statistics(self, collection_id: str, terms: Sequence[str]) -> dict[str, TermStatistics]:
        fields = [field_name(field, language) for field in FIELD_WEIGHTS for language in LANGUAGES]
        rows = self._rows(collection_id, STATISTICS, terms=list({*terms, *fields, LABEL}))
        return {row.term: TermStatistics(row.number, row.chunks, row.total) for row in rows}

    def _ranking(
        self,
        collection_id: str,
        clauses: Sequence[Sequence[Clause]],
        statistics: Mapping[str, TermStatistics],
        k: int,
        only: Sequence[str] | None,
    ) -> list[tuple[str, float]]:
        frequency = partial(_frequency, statistics)
        texts = (statistics.get(field_name("text", code), ABSENT) for code in LANGUAGES)
        chunks = sum(text.chunks for text in texts)
        matching, highest = matching_clauses(clauses, frequency, chunks)
        query = [
            (
                number,
                statistics[_name(field, term)].number,
                (BM25_K1 + 1) * weight * idf(chunks, frequency(field, term)) / highest,
                BM25_K1 * BM25_B * chunks / statistics[field].total,
            )
            for number, alternatives in enumerate(matching)
            for field, term, weight in alternatives
        ]
        if not query:
            return []
        numbers, terms, weights, slopes = map(list, zip(*query, strict=True))
        rows = self._rows(
            collection_id,
            RANK,
            clauses=numbers,
            terms=terms,
            weights=weights,
            slopes=slopes,
            base=BM25_K1 * (1 - BM25_B),
            rarest=_rarest(matching, statistics) if only is None else [],
            only=[] if only is None else list(only),
            k=k,
        )
        return [(row.id, clamp(row.score)) for row in rows]


def _rarest(
    matching: Sequence[Sequence[Clause]], statistics: Mapping[str, TermStatistics]
) -> list[int]:
    def chunks(alternatives: Sequence[Clause]) -> int:
        return sum(_frequency(statistics, field, term) for field, term, _ in alternatives)

    numbers: list[int] = []
    room = CANDIDATES
    for alternatives in sorted(matching, key=chunks):
        room -= chunks(alternatives)
        if numbers and room < 0:
            break
        numbers += [statistics[_name(field, term)].number for field, term, _ in alternatives]
    return numbers


def _name(field: str, term: str) -> str:
    return f"{field}:{term}"


def _frequency(statistics: Mapping[str, TermStatistics], field: str, term: str) -> int:
    return statistics.get(_name(field, term), ABSENT).chunks
