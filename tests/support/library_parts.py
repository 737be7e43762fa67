"""The parts of a library on small means: fake models and indexes over a real catalog."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from services.catalog import Catalog
from services.components import Components
from services.domain import Hit, Principal, SearchRequest
from services.library.caches import SearchCache
from services.library.library import Library
from services.retrieval.named import named_sections
from services.retrieval.rerank import Rerankers
from services.retrieval.retriever import Retriever
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.fakes_retrieval import DictVectorIndex, HashEmbedder, WordIndex


@dataclass
class Fakes:
    """What ``Library`` takes; close the catalog when done."""

    settings: Settings
    catalog: Catalog
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    vectors: DictVectorIndex = field(default_factory=DictVectorIndex)
    lexical: WordIndex = field(default_factory=WordIndex)
    searches: SearchCache = field(default_factory=SearchCache)
    rerankers: Rerankers = field(default_factory=dict)
    configuration = Components.configuration
    indexer = Components.indexer

    @property
    def retriever(self) -> Retriever:
        return Retriever(
            self.catalog,
            self.embedder,
            self.vectors,
            self.lexical,
            resolve_labels=partial(named_sections, catalog=self.catalog),
        )


def search(library: Library, who: Principal, query: str, **fields: Any) -> list[Hit]:
    """What a search finds that is done anew."""
    request = SearchRequest.model_validate({"query": query, "cached": False, **fields})
    return list(asyncio.run(library.find(who, request)).hits)


def text_of(library: Library, who: Principal, document: str) -> str:
    return library.open_document(who, document).parsed.text


def new_parts(home: Path) -> Fakes:
    return Fakes(Settings(home=home, k=3), new_catalog(home / "catalog.sqlite3"))
