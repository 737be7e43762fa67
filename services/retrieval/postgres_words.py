"""Keyword search by BM25, in PostgreSQL: postings, by which one statement ranks.

PostgreSQL's own full text ranks without inverse document frequency, and far worse
(docs/decisions/0024). Terms and scores are those of tantivy (``terms``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from tantivy import TextAnalyzer

from services.domain import Language
from services.retrieval.embedders.base import clean
from services.retrieval.indexes import LexicalDocument
from services.retrieval.postgres import SCHEMA, CollectionTables, Do
from services.retrieval.scoring import BM25_B, BM25_K1, clamp, idf, merge
from services.retrieval.terms import (
    COMPOUNDING,
    FIELD_WEIGHTS,
    LABEL,
    LANGUAGES,
    Clause,
    Vocabulary,
    count_chunks,
    field_name,
    language_of,
    make_analyzers,
    matching_clauses,
    normal_label,
    query_clauses,
    spellings,
    with_compounds,
)

TABLES: Final = (
    "CREATE TABLE {table} (id text PRIMARY KEY, "
    "number integer GENERATED ALWAYS AS IDENTITY UNIQUE)",
    'CREATE TABLE {table}_terms (term text COLLATE "C" PRIMARY KEY, chunks integer DEFAULT 0, '
    f"total bigint DEFAULT 0, number integer UNIQUE DEFAULT nextval('{SCHEMA}.term_numbers')) "
    "WITH (fillfactor = 50)",  # room for what is counted anew, so that the indexes stay
    "CREATE TABLE {table}_postings (term integer, chunk integer, count integer, length integer, "
    "PRIMARY KEY (term, chunk) INCLUDE (count, length))",
    "CREATE INDEX ON {table}_postings (chunk)",
)
"""Terms are numbered through all collections, so that what a process has read of one that was
dropped and made again stays right."""
FORGET: Final = """
WITH gone AS (DELETE FROM {table} WHERE id = ANY(:ids) RETURNING number),
lost AS (DELETE FROM {table}_postings WHERE chunk IN (SELECT * FROM gone) RETURNING term, count),
counts AS (SELECT term, count(*) AS n, sum(count) AS total FROM lost GROUP BY term)
UPDATE {table}_terms AS kept SET chunks = kept.chunks - n, total = kept.total - counts.total
FROM counts WHERE number = counts.term
"""
NAME_TERMS: Final = """
INSERT INTO {table}_terms (term) SELECT term FROM unnest(CAST(:terms AS text[])) AS new (term)
WHERE NOT EXISTS (SELECT FROM {table}_terms AS kept WHERE kept.term = new.term)
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
    UPDATE {table}_terms AS kept SET chunks = chunks + n, total = kept.total + counts.total
    FROM counts WHERE kept.term = counts.term RETURNING kept.term, number
)
INSERT INTO {table}_postings SELECT number, chunk, count, length
FROM new JOIN chunks USING (id) JOIN counted USING (term)
"""
KNOWN: Final = """
SELECT term, number, chunks, total FROM {table}_terms WHERE term = ANY(:terms) AND chunks > 0
"""
RANK: Final = """
WITH candidates AS (
    SELECT chunk FROM {table}_postings WHERE term = ANY(CAST(:rarest AS integer[]))
    UNION SELECT number FROM {table} WHERE id = ANY(CAST(:only AS text[]))
), scores AS (
    SELECT chunk, part, max(weight * count / (count + base + slope * length)) AS score
    FROM unnest(CAST(:parts AS integer[]), CAST(:terms AS integer[]), CAST(:weights AS float[]),
    CAST(:slopes AS float[])) AS query (part, term, weight, slope)
    JOIN {table}_postings USING (term), CAST(:base AS float) AS base
    WHERE chunk IN (SELECT chunk FROM candidates) GROUP BY chunk, part
), best AS (
    SELECT chunk AS number, sum(score) AS score FROM scores GROUP BY chunk
    ORDER BY score DESC, chunk LIMIT :k
)
SELECT id, score FROM best JOIN {table} USING (number)
"""
"""Scores of BM25: ``base`` and ``slope * length`` are its ``k1 * (1 - b)`` and ``k1 * b * length /
mean length``, and ``weight`` is that of the term with its idf."""


class Known(NamedTuple):
    """A term of a collection: its number, how many chunks have it, and how often in all."""

    number: int
    chunks: int
    total: int


CANDIDATES: Final = 5_000
"""Chunks whose scores are computed: those of the rarest terms of the question, up to as many."""
NOWHERE: Final = Known(0, 0, 0)


class PostgresWords(CollectionTables):
    """A ``LexicalIndex`` in a database of PostgreSQL, for any number of processes.

    A field is a term too, in every chunk of its language and as often as the field has words.
    """

    KIND = "keywords"
    OPTION = "enable_seqscan=off -c jit=off"

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._analyzers = make_analyzers()
        self._vocabularies: dict[tuple[str, str], tuple[int, list[str], Vocabulary]] = {}

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        last = {doc.chunk_id: doc for doc in docs}
        postings = [row for doc in last.values() for row in self._postings(doc)]
        if not postings:
            return
        ids, terms, counts, lengths = map(list, zip(*postings, strict=True))
        with self._filling(collection_id, *TABLES) as do:
            self._forget(do, list(last))
            do(NAME_TERMS, terms=sorted(set(terms)))
            do(ADD_POSTINGS, ids=ids, terms=terms, counts=counts, lengths=lengths)

    def search(
        self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        if k < 1:
            return []
        languages = {
            each: query_clauses(query, each, *self._analysis(collection_id, each))
            for each in LANGUAGES
        }
        clauses = [each for language in languages.values() for each in chain(*language)]
        known = self._known(collection_id, [_name(field, term) for field, term, _ in clauses])
        rankings = (
            self._ranking(collection_id, clauses, known, k, only) for clauses in languages.values()
        )
        return merge(rankings)[:k]

    def frequencies(
        self, collection_id: str, words: Sequence[str], language: Language
    ) -> dict[str, int]:
        spoken = language_of(language)
        analysis = self._analysis(collection_id, spoken)
        terms = {word: with_compounds(spellings(word, *analysis)) for word in words}
        named = [
            _name(field_name(field, spoken), term)
            for field in FIELD_WEIGHTS
            for term in chain(*terms.values())
        ]
        known = self._known(collection_id, named)
        if field_name("text", spoken) not in known:
            return {}
        return count_chunks(terms, spoken, partial(_frequency, known))

    def _forget(self, do: Do, ids: Sequence[str]) -> None:
        do(FORGET, ids=list(ids))

    def _postings(self, doc: LexicalDocument) -> Iterator[tuple[str, str, int, int]]:
        """Rows of chunk, term, how often it stands in its field, and the words of the field."""
        language = language_of(doc.language)
        for name in FIELD_WEIGHTS:
            field = field_name(name, language)
            terms = self._analyzers[language].analyze(clean(getattr(doc, name)))
            yield doc.chunk_id, field, len(terms), 0
            for term, count in Counter(terms).items():
                yield doc.chunk_id, _name(field, term), count, len(terms)
        if doc.label:
            yield doc.chunk_id, LABEL, 1, 0
            yield doc.chunk_id, _name(LABEL, normal_label(clean(doc.label))), 1, 1

    def _analysis(self, collection_id: str, language: str) -> tuple[TextAnalyzer, Vocabulary]:
        return self._analyzers[language], self._vocabulary(collection_id, language)

    def _vocabulary(self, collection_id: str, language: str) -> Vocabulary:
        """All terms of a language that has compounds; only those are read that have come since the
        last time."""
        if language not in COMPOUNDING:
            return Vocabulary(())
        place = (collection_id, language)
        last, terms, vocabulary = self._vocabularies.get(place, (0, list[str](), Vocabulary(())))
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
            self._vocabularies[place] = max(row.number for row in new), terms, vocabulary
        return vocabulary

    def _known(self, collection_id: str, terms: Sequence[str]) -> dict[str, Known]:
        """Those of the terms that some chunk has, and the fields."""
        fields = [field_name(each, spoken) for each in FIELD_WEIGHTS for spoken in LANGUAGES]
        wanted = list({*terms, *fields, LABEL})
        rows = self._rows(collection_id, KNOWN, terms=wanted)
        return {row.term: Known(row.number, row.chunks, row.total) for row in rows}

    def _ranking(
        self,
        collection_id: str,
        clauses: Sequence[Sequence[Clause]],
        known: Mapping[str, Known],
        k: int,
        only: Sequence[str] | None,
    ) -> list[tuple[str, float]]:
        """The best chunks of a language with their share of the highest score."""
        frequency = partial(_frequency, known)
        chunks = sum(known.get(field_name("text", each), NOWHERE).chunks for each in LANGUAGES)
        matching, highest = matching_clauses(clauses, frequency, chunks)
        query = [
            (
                part,
                known[_name(field, term)].number,
                (BM25_K1 + 1) * weight * idf(chunks, frequency(field, term)) / highest,
                BM25_K1 * BM25_B * chunks / known[field].total,
            )
            for part, alternatives in enumerate(matching)
            for field, term, weight in alternatives
        ]
        if not query:
            return []
        parts, terms, weights, slopes = map(list, zip(*query, strict=True))
        rows = self._rows(
            collection_id,
            RANK,
            parts=parts,
            terms=terms,
            weights=weights,
            slopes=slopes,
            base=BM25_K1 * (1 - BM25_B),
            rarest=_rarest(matching, known) if only is None else [],
            only=[] if only is None else list(only),
            k=k,
        )
        return [(row.id, clamp(row.score)) for row in rows]


def _rarest(matching: Sequence[Sequence[Clause]], known: Mapping[str, Known]) -> list[int]:
    """Numbers of the terms that fewest chunks have, with all alternatives of one at least."""

    def chunks(alternatives: Sequence[Clause]) -> int:
        return sum(_frequency(known, field, term) for field, term, _ in alternatives)

    numbers: list[int] = []
    left = CANDIDATES
    for alternatives in sorted(matching, key=chunks):
        left -= chunks(alternatives)
        if numbers and left < 0:
            break
        numbers += [known[_name(field, term)].number for field, term, _ in alternatives]
    return numbers


def _name(field: str, term: str) -> str:
    return f"{field}:{term}"


def _frequency(known: Mapping[str, Known], field: str, term: str) -> int:
    return known.get(_name(field, term), NOWHERE).chunks
