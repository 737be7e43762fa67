"""Keyword search by BM25, in PostgreSQL with pgvector.

A chunk is a sparse vector of what BM25 gives each of its terms, but for the idf; a question is
one of idfs. PostgreSQL finds by its inverted index (GIN) the chunks that have a term in common and
orders them by inner product. Terms are those of tantivy (``lexical_query``).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.domain import Language
from services.retrieval.embedders.base import clean
from services.retrieval.indexes import LexicalDocument
from services.retrieval.lexical_query import (
    COMPOUNDING,
    FIELD_WEIGHTS,
    LABEL_WEIGHT,
    LANGUAGES,
    labels_in,
    language_of,
    make_analyzers,
    normal_label,
    spellings,
    with_compounds,
)
from services.retrieval.postgres import LISTED, SCHEMA, CollectionTables, Do, listed
from services.retrieval.scoring import BM25_B, BM25_K1, clamp, idf, merge
from services.retrieval.vocabulary import Vocabulary

USUAL_LENGTH: Final[Mapping[str, float]] = {"text": 75, "heading": 10, "title": 5}
"""Terms of a field of a chunk in the default size. BM25 wants the mean of the collection; with a
fixed one nothing need be written anew when it moves."""
CANDIDATES: Final = 5_000
"""Chunks whose scores are computed: those of the rarest terms of the question, up to as many."""
SPARE: Final = 100
"""How many more chunks than asked for are ordered anew, each term paid once."""
DIMENSIONS: Final = 1_000_000_000
"""The most that pgvector allows."""

TABLES: Final = (
    "CREATE TABLE {table} (id text PRIMARY KEY, terms integer[] NOT NULL, words sparsevec)",
    "CREATE INDEX ON {table} USING gin (terms) WITH (fastupdate = off)",
    'CREATE TABLE {table}_terms (term text COLLATE "C" PRIMARY KEY, chunks integer DEFAULT 0, '
    f"weight real DEFAULT 0, number integer UNIQUE DEFAULT nextval('{SCHEMA}.dimensions')) "
    "WITH (fillfactor = 50)",  # room for what is counted anew, so that the indexes stay
)
FORGET: Final = """
WITH gone AS (DELETE FROM {table} WHERE id = ANY(:ids) RETURNING terms),
counts AS (SELECT number, count(*) AS n FROM gone, unnest(terms) AS number GROUP BY number)
UPDATE {table}_terms AS kept SET chunks = chunks - n FROM counts WHERE kept.number = counts.number
"""
COUNT_TERMS: Final = """
WITH new AS (
    SELECT * FROM unnest(CAST(:terms AS text[]), CAST(:counts AS integer[]),
    CAST(:weights AS real[])) AS new (term, n, weight)
), counted AS (
    UPDATE {table}_terms AS kept SET chunks = chunks + n, weight = greatest(kept.weight, new.weight)
    FROM new WHERE kept.term = new.term RETURNING kept.term, number
), named AS (
    INSERT INTO {table}_terms (term, chunks, weight) SELECT * FROM new
    WHERE NOT EXISTS (SELECT FROM {table}_terms AS kept WHERE kept.term = new.term)
    RETURNING term, number
)
SELECT * FROM counted UNION ALL SELECT * FROM named
"""
ADD: Final = f"""
INSERT INTO {{table}} SELECT id, CAST(terms AS integer[]), CAST(words AS sparsevec)
FROM unnest(CAST(:ids AS text[]), {LISTED.format("terms")}, {LISTED.format("words")})
AS new (id, terms, words)
"""
KNOWN: Final = """
SELECT term, number, chunks, weight FROM {table}_terms WHERE term = ANY(:terms) AND chunks > 0
"""
NEAREST: Final = """
SELECT id, sparsevec_send(words) AS words FROM {table}
WHERE terms && CAST(:terms AS integer[]) AND (CAST(:only AS text[]) IS NULL OR id = ANY(:only))
ORDER BY words <#> CAST(:query AS sparsevec), id LIMIT :k
"""

Weights = dict[str, float]
"""By term."""


class Known(NamedTuple):
    """A term of a collection: its number, how many chunks have it, the most that a field pays."""

    number: int
    chunks: int
    weight: float


class PostgresWords(CollectionTables):
    """A ``LexicalIndex`` in a database of PostgreSQL, for any number of processes."""

    KIND = "words"
    OPTION = "enable_seqscan=off"

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._analyzers = make_analyzers()
        self._vocabularies: dict[tuple[str, str], tuple[int, list[str], Vocabulary]] = {}

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        most: Weights = {}
        chunks = {doc.chunk_id: self._weighed(doc, most) for doc in docs}
        if not chunks:
            return
        counts = Counter(chain.from_iterable(chunks.values()))
        terms = sorted(counts)
        with self._filling(collection_id, *TABLES) as do:
            self._forget(do, list(chunks))
            counted = do(
                COUNT_TERMS,
                terms=terms,
                counts=_array(counts[term] for term in terms),
                weights=_array(most.get(term, 0.0) for term in terms),
            )
            numbers = dict(counted.all())
            rows = [
                {numbers[term]: weight for term, weight in weights.items()}
                for weights in chunks.values()
            ]
            do(
                ADD,
                ids=list(chunks),
                terms=listed(map(_array, rows)),
                words=listed(map(_sparse, rows)),
            )

    def search(
        self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        if k < 1:
            return []
        labels = [{_label(each): 1.0} for each in labels_in(clean(query))]
        asked = {each: self._asked(collection_id, query, each) + labels for each in LANGUAGES}
        terms = {term for groups in asked.values() for group in groups for term in group}
        known = self._known(collection_id, terms | {_marker(each) for each in LANGUAGES})
        total = sum(known[_marker(each)].chunks for each in LANGUAGES if _marker(each) in known)
        return merge(
            self._nearest(collection_id, _Question(groups, known, total), k, only)
            for groups in asked.values()
        )[:k]

    def frequencies(
        self, collection_id: str, words: Sequence[str], language: Language
    ) -> dict[str, int]:
        spoken = language_of(language)
        asked = {
            word: [
                f"{spoken}:{term}"
                for term in with_compounds(self._spellings(collection_id, word, spoken))
            ]
            for word in words
        }
        wanted = chain.from_iterable(asked.values())
        known = self._known(collection_id, {_marker(spoken), *wanted})
        if _marker(spoken) not in known:
            return {}
        return {
            word: sum(known[term].chunks for term in terms if term in known)
            for word, terms in asked.items()
            if terms
        }

    def _forget(self, do: Do, ids: Sequence[str]) -> None:
        do(FORGET, ids=list(ids))

    def _weighed(self, doc: LexicalDocument, most: Weights) -> Weights:
        """What BM25 gives each term, where it counts most; ``most`` gets the field's weight."""
        language = language_of(doc.language)
        weights: Weights = {_marker(language): 0.0}
        for field, weight in FIELD_WEIGHTS.items():
            terms = self._analyzers[language].analyze(clean(getattr(doc, field)))
            norm = BM25_K1 * (1 - BM25_B + BM25_B * len(terms) / USUAL_LENGTH[field])
            for term, count in Counter(terms).items():
                name = f"{language}:{term}"
                paid = weight * count / (count + norm)
                if paid > weights.get(name, 0.0):
                    weights[name] = paid
                if weight > most.get(name, 0.0):
                    most[name] = weight
        if doc.label:
            name = _label(normal_label(clean(doc.label)))
            weights[name], most[name] = LABEL_WEIGHT / (1 + BM25_K1), LABEL_WEIGHT
        return weights

    def _asked(self, collection_id: str, query: str, language: str) -> list[Weights]:
        """For each term of a query as what it may be found, and what that counts."""
        return [
            {f"{language}:{term}": weight for term, weight in words.items()}
            for words in self._spellings(collection_id, query, language)
        ]

    def _spellings(self, collection_id: str, text: str, language: str) -> list[Weights]:
        vocabulary = self._vocabulary(collection_id, language)
        return spellings(text, self._analyzers[language], vocabulary)

    def _vocabulary(self, collection_id: str, language: str) -> Vocabulary:
        """All terms of a language that has compounds; only those are read that have come since the
        last time."""
        if language not in COMPOUNDING:
            return Vocabulary(())
        place = (collection_id, language)
        last, terms, vocabulary = self._vocabularies.get(place, (0, list[str](), Vocabulary(())))
        new = self._rows(
            collection_id,
            "SELECT term, number FROM {table}_terms WHERE number > :last AND term LIKE :language",
            last=last,
            language=f"{language}:_%",
        )
        if new:
            terms = [*terms, *(row.term.partition(":")[2] for row in new)]
            vocabulary = Vocabulary(terms)
            self._vocabularies[place] = max(row.number for row in new), terms, vocabulary
        return vocabulary

    def _known(self, collection_id: str, terms: Iterable[str]) -> dict[str, Known]:
        rows = self._rows(collection_id, KNOWN, terms=list(terms))
        return {row.term: Known(row.number, row.chunks, row.weight) for row in rows}

    def _nearest(
        self, collection_id: str, question: "_Question", k: int, only: Sequence[str] | None
    ) -> list[tuple[str, float]]:
        if not question.found:
            return []
        rows = self._rows(
            collection_id,
            NEAREST,
            query=_sparse(question.weights()),
            terms=question.rarest(CANDIDATES if only is None else question.total),
            only=None if only is None else list(only),
            k=k + SPARE,
        )
        shares = question.shares([row.words for row in rows])
        return [(row.id, share) for row, share in zip(rows, shares, strict=True)]


class _Question:
    """The terms of a query that a collection has, by language, with what each counts."""

    def __init__(self, groups: Sequence[Weights], known: Mapping[str, Known], total: int) -> None:
        self.total = total
        self.found: list[list[tuple[Known, float]]] = []
        self._highest = 0.0
        for group in groups:
            there = [(known[t], weight) for t, weight in group.items() if t in known]
            counted = [(each, weight * idf(total, each.chunks)) for each, weight in there]
            if counted:
                self.found.append(counted)
            # A term that occurs nowhere raises the highest score too; what is no label does not.
            if counted or not next(iter(group)).startswith(_label("")):
                self._highest += max((e.weight * w for e, w in counted), default=idf(total, 0))

    def weights(self) -> dict[int, float]:
        """A query vector, by number of term."""
        heaviest: dict[int, float] = {}
        for each, weight in (item for group in self.found for item in group):
            heaviest[each.number] = max(weight, heaviest.get(each.number, 0.0))
        return heaviest

    def rarest(self, most: int) -> list[int]:
        """Numbers of the terms that fewest chunks have, of one term at least."""
        numbers: list[int] = []
        for group in sorted(self.found, key=_chunks):
            most -= _chunks(group)
            if numbers and most < 0:
                break
            numbers += [each.number for each, _ in group]
        return numbers

    def shares(self, chunks: Sequence[bytes]) -> list[float]:
        """Each chunk's share of the highest score, each term counted where it scores best."""
        if not chunks:
            return []
        paid = [item for group in self.found for item in group]
        asked = np.array([each.number for each, _ in paid])
        distinct, place = np.unique(asked, return_inverse=True)
        rows, numbers, weights = _read(chunks)
        found = np.isin(numbers, distinct)
        there = np.zeros((len(chunks), len(distinct)))
        there[rows[found], np.searchsorted(distinct, numbers[found])] = weights[found]
        scores = there[:, place] * np.array([weight for _, weight in paid])
        groups = np.cumsum([0, *map(len, self.found[:-1])])
        best = np.maximum.reduceat(scores, groups, axis=1).sum(axis=1)
        return [clamp(score / self._highest) for score in best.tolist()]


def _chunks(group: Sequence[tuple[Known, float]]) -> int:
    return sum(each.chunks for each, _ in group)


def _marker(language: str) -> str:
    """What all chunks of a language have."""
    return f"{language}:"


def _label(label: str) -> str:
    return f"§:{label}"


def _array(numbers: Iterable[float]) -> str:
    """An array as PostgreSQL reads it."""
    return f"{{{','.join(map(str, numbers))}}}"


def _sparse(weights: Mapping[int, float]) -> str:
    """A sparse vector as pgvector reads it."""
    written = ",".join(f"{number}:{weights[number]:.5g}" for number in sorted(weights))
    return f"{{{written}}}/{DIMENSIONS}"


def _read(chunks: Sequence[bytes]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Place of the chunk, number and weight of each term, of sparse vectors as pgvector sends
    them: three numbers, the places of the terms counted from 0, and as many weights."""
    parts = [np.frombuffer(each, ">u4", offset=12).reshape(2, -1) for each in chunks]
    numbers, weights = np.concatenate(parts, axis=1).astype("=u4")
    rows = np.repeat(np.arange(len(parts)), [each.shape[1] for each in parts])
    return rows, numbers + 1, weights.view("=f4")
