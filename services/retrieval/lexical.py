"""Keyword search by BM25 in tantivy, on this machine."""

import hashlib
import json
import re
import shutil
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tantivy import Document, Index, IndexWriter, Occur, Query, Schema, SchemaBuilder, TextAnalyzer

from services.domain import Language
from services.domain.errors import Broken, StoresBusy
from services.home import unwritable
from services.retrieval.indexes import LexicalDocument
from services.retrieval.scoring import clamp, merge
from services.retrieval.terms import (
    COMPOUNDING,
    FIELD_WEIGHTS,
    LABEL,
    LANGUAGES,
    Vocabulary,
    analyzer_name,
    count_chunks,
    counted_terms,
    field_name,
    indexed_fields,
    language_of,
    make_analyzers,
    matching_clauses,
    query_clauses,
)

WRITER_HEAP = 32_000_000
"""Bytes a writer may buffer before it flushes a segment; tantivy requires at least 15 MB."""
ENDINGS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
FOLDER_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,60})")


class View:
    """A snapshot of an index: a searcher, and the terms and languages that it has."""

    def __init__(self, index: Index, analyzers: Mapping[str, TextAnalyzer]) -> None:
        index.reload()
        self.index = index
        self.searcher = searcher = index.searcher()
        self._schema = index.schema
        self._analyzers = analyzers

        def terms(field: str, language: str) -> list[str]:
            return [term for term, _ in searcher.terms_with_prefix(field_name(field, language), "")]

        def vocabulary(language: str) -> Vocabulary:
            fields = ("text", "heading") if language in COMPOUNDING else ()
            return Vocabulary(term for field in fields for term in terms(field, language))

        self._has_language = cache(lambda language: bool(terms("text", language)))
        self._vocabulary = cache(vocabulary)

    def ids(self) -> list[str]:
        if not (count := self.searcher.num_docs):
            return []
        hits = self.searcher.search(Query.all_query(), limit=count, count=False).hits
        return sorted(self.searcher.doc(address)["chunk_id"][0] for _, address in hits)

    def search(
        self, query: str, language: str, k: int, only: Sequence[str] | None
    ) -> list[tuple[str, float]]:
        parsed, highest = self._parse(query, language)
        if parsed is None:
            return []
        if only is not None:  # scored 0, so that the scores of the query stay
            ids = Query.term_set_query(self._schema, "chunk_id", list(only))
            filtered = Query.const_score_query(ids, 0.0)
            parsed = Query.boolean_query([(Occur.Must, parsed), (Occur.Must, filtered)])
        hits = self.searcher.search(parsed, limit=k, count=False).hits
        return [
            (self.searcher.doc(address)["chunk_id"][0], clamp(score / highest))
            for score, address in hits
        ]

    def frequencies(self, words: Sequence[str], language: str) -> dict[str, int]:
        """Count the chunks of ``language`` that have each word in one field, in whatever form."""
        if not self._has_language(language):
            return {}
        terms = counted_terms(words, self._analyzers[language], self._vocabulary(language))
        return count_chunks(terms, language, self.searcher.doc_freq)

    def _parse(self, query: str, language: str) -> tuple[Query | None, float]:
        """Return the query for chunks of ``language``, if any can match, and its highest score."""
        analyzer, vocabulary = self._analyzers[language], self._vocabulary(language)
        clauses, highest = matching_clauses(
            query_clauses(query, language, analyzer, vocabulary),
            self.searcher.doc_freq,
            self.searcher.num_docs,
        )
        terms = ([self._term(*clause) for clause in alternatives] for alternatives in clauses)
        best = [(Occur.Should, Query.disjunction_max_query(queries)) for queries in terms]
        return (Query.boolean_query(best) if best else None), highest

    def _term(self, field: str, term: str, weight: float) -> Query:
        return Query.boost_query(Query.term_query(self._schema, field, term, "freq"), weight)


class TantivyIndex:
    """A ``LexicalIndex`` with one tantivy index per collection, each in a folder under ``path``.

    tantivy allows one writer per index: each call opens one behind a mutex and closes it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._views: dict[str, View] = {}
        self._mutexes: dict[str, threading.Lock] = {}
        self._analyzers = make_analyzers()

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        last = {doc.chunk_id: doc for doc in docs}
        if not last:
            return
        with self._writer(collection_id) as writer:
            for doc in last.values():
                writer.delete_documents_by_term("chunk_id", doc.chunk_id)
                writer.add_document(Document(chunk_id=doc.chunk_id, **indexed_fields(doc)))

    def search(
        self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        with self._reading(collection_id):
            view = self._view(collection_id)
            if view is None or k < 1:
                return []
            return merge(view.search(query, language, k, only) for language in LANGUAGES)[:k]

    def frequencies(
        self, collection_id: str, words: Sequence[str], language: Language
    ) -> dict[str, int]:
        with self._reading(collection_id):
            view = self._view(collection_id)
            return {} if view is None else view.frequencies(words, language_of(language))

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        if self._view(collection_id) is None:
            return
        with self._writer(collection_id) as writer:
            for identifier in ids:
                writer.delete_documents_by_term("chunk_id", identifier)

    def rewrite(self, collection_id: str, docs: Iterable[Sequence[LexicalDocument]]) -> None:
        """Replace each chunk: a segment of which nothing is left is deleted."""
        for batch in docs:
            self.upsert(collection_id, batch)

    def count(self, collection_id: str) -> int:
        view = self._view(collection_id)
        return 0 if view is None else view.searcher.num_docs

    def ids(self, collection_id: str) -> list[str]:
        with self._reading(collection_id):
            view = self._view(collection_id)
            return [] if view is None else view.ids()

    def verify(self, collection_id: str) -> None:
        folder = self._folder(collection_id)
        if not folder.is_dir():
            return
        with self._reading(collection_id):
            segments = json.loads((folder / "meta.json").read_bytes())["segments"]
            names = [segment["segment_id"].replace("-", "") for segment in segments]
            files = {folder / f"{name}.{ending}" for name in names for ending in ENDINGS}
            for file in files.union(*(folder.glob(f"{name}.*") for name in names)):
                if not _is_intact(file.read_bytes()):
                    raise _broken(folder, file.name)

    def drop(self, collection_id: str) -> None:
        with self._mutex(collection_id), self._lock:
            self._views.pop(collection_id, None)
            if (folder := self._folder(collection_id)).is_dir():
                try:
                    shutil.rmtree(folder)
                except OSError:  # a thread of tantivy has written a file meanwhile
                    shutil.rmtree(folder)

    def close(self) -> None:
        with self._lock:
            self._views.clear()

    @contextmanager
    def _writer(self, collection_id: str) -> Iterator[IndexWriter]:
        with self._mutex(collection_id):
            view = self._view(collection_id, create=True)
            assert view is not None
            try:
                writer = view.index.writer(WRITER_HEAP, 1)
            except ValueError as error:
                raise StoresBusy(
                    "Another process is writing the keyword index of {collection}. Wait until it "
                    "has finished and try again. ({error})",
                    collection=collection_id,
                    error=error,
                ) from error
            try:
                yield writer
                writer.commit()
                writer.garbage_collect_files()
            except ValueError as error:
                raise unwritable(self._folder(collection_id), error) from error
            finally:
                writer.wait_merging_threads()
            with self._lock:
                self._views[collection_id] = View(view.index, self._analyzers)

    @contextmanager
    def _reading(self, collection_id: str) -> Iterator[None]:
        """Translate what tantivy raises for damaged files, panics included, into `Broken`."""
        try:
            yield
        except BaseException as error:
            unreadable = isinstance(error, FileNotFoundError | KeyError | ValueError)
            if unreadable or type(error).__module__ == "pyo3_runtime":
                raise _broken(self._folder(collection_id), error) from error
            raise

    def _mutex(self, collection_id: str) -> threading.Lock:
        with self._lock:
            return self._mutexes.setdefault(collection_id, threading.Lock())

    def _view(self, collection_id: str, create: bool = False) -> View | None:
        with self._lock:
            if collection_id not in self._views:
                folder = self._folder(collection_id)
                if not create and not folder.is_dir():
                    return None
                self._views[collection_id] = self._open(folder)
            return self._views[collection_id]

    def _open(self, folder: Path) -> View:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            index = Index(make_schema(), path=str(folder))
        except ValueError as error:
            raise _broken(folder, error) from error
        for language, analyzer in self._analyzers.items():
            index.register_tokenizer(analyzer_name(language), analyzer)
        return View(index, self._analyzers)

    def _folder(self, collection_id: str) -> Path:
        if FOLDER_NAME.fullmatch(collection_id):
            return self._path / collection_id
        return self._path / f"_{hashlib.sha256(collection_id.encode()).hexdigest()}"


def make_schema() -> Schema:
    """Return the schema: chunk id, label, and for each language text, heading and title."""
    builder = SchemaBuilder()
    builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(LABEL, tokenizer_name="raw", index_option="freq")
    for language in LANGUAGES:
        for field in FIELD_WEIGHTS:
            builder.add_text_field(
                field_name(field, language),
                tokenizer_name=analyzer_name(language),
                index_option="freq",
            )
    return builder.build()


def _is_intact(data: bytes) -> bool:
    """Return whether a file matches its footer: JSON with a CRC-32, its length, a mark."""
    length = int.from_bytes(data[-8:-4], "little")
    try:
        footer = json.loads(data[-8 - length : -8])
        return bool(footer["crc"] == zlib.crc32(data[: -8 - length]))
    except (ValueError, KeyError, TypeError):
        return False


def _broken(folder: Path, error: object) -> Broken:
    return Broken(
        "The keyword index in {folder} is damaged: {error}. `rabbithole doctor --repair` rebuilds "
        "it from the catalog.",
        folder=folder,
        error=error,
    )
