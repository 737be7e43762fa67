"""What search and the library are made of; each part opens when it is first asked for."""

from typing import TYPE_CHECKING, Protocol

from services.settings import Settings

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.library.pages.renderer import PageRenderer
    from services.retrieval.cache import SearchCache
    from services.retrieval.embedders import Embedder
    from services.retrieval.lexical import LexicalIndex
    from services.retrieval.rerank import Rerankers
    from services.retrieval.retriever import Retriever
    from services.retrieval.vector import VectorIndex

SHORT_ID = 8
"""Fewest characters by which a document may be named instead of its whole id."""


class SearchDependencies(Protocol):
    """What a search needs."""

    @property
    def settings(self) -> Settings: ...
    @property
    def catalog(self) -> "Catalog": ...
    @property
    def retriever(self) -> "Retriever": ...
    @property
    def searches(self) -> "SearchCache": ...
    @property
    def rerankers(self) -> "Rerankers": ...


class Dependencies(SearchDependencies, Protocol):
    """What the library needs: to search, and to fill the indexes."""

    @property
    def embedder(self) -> "Embedder": ...
    @property
    def vectors(self) -> "VectorIndex": ...
    @property
    def lexical(self) -> "LexicalIndex": ...
    @property
    def pages(self) -> "PageRenderer": ...
