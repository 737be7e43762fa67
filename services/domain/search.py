"""Search requests, their options and filters, and results."""

from datetime import date
from typing import Literal

from pydantic import Field

from services.domain.notices import Notice
from services.domain.passages import Passage
from services.domain.value import Value

SearchMode = Literal["hybrid", "vector", "keyword"]
Reranking = Literal["none", "llm", "cross-encoder"]


class StrategyScore(Value):
    """Rank (1-based) and raw score of a hit in one search strategy."""

    rank: int
    score: float


class Hit(Passage):
    """A chunk that a search found.

    ``relevance`` is calibrated to 0-1, ``score`` is fused. ``recognised``: words of it were read
    from a picture.
    """

    score: float
    relevance: float
    explain: dict[str, StrategyScore]
    recognised: bool = False


class SearchOptions(Value):
    """What a search leaves out and prefers; the defaults do neither.

    ``max_chunks_per_document`` is the most hits of one document, 0 for any number.
    ``freshness_weight`` is the share of a document's freshness in the order of hits; freshness
    falls by ``freshness_decay_rate`` a day.
    """

    min_relevance: float = Field(default=0.0, ge=0.0, le=1.0)
    max_chunks_per_document: int = Field(default=0, ge=0)
    freshness_weight: float = Field(default=0.0, ge=0.0, le=1.0)
    freshness_decay_rate: float = Field(default=0.005, ge=0.0)


class SearchFilter(Value):
    """Where a search may look; an empty field allows everything.

    Of several values of one field any suffices; all fields must allow a chunk. ``documents`` are
    file names or ids, ``sections`` labels as hits show them. Tags and categories are named whole,
    authors by any part of their names, all in any case. ``since`` and ``until`` are inclusive; a
    document without a date lies in no range.
    """

    documents: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    @property
    def neutral(self) -> bool:
        """Return whether it allows everything."""
        return not any(value for _, value in self)


class SearchRequest(Value):
    """A search as a person asks for it.

    ``collections`` are names or ids, None for all that may be read; of them only ``documents`` are
    searched, unless empty; ``k`` is 1 to 100, None for what ``profile`` or the settings say.
    ``cached`` False wants the search done even where its result is known. ``far`` wants hits of
    whatever relevance.
    """

    query: str
    collections: tuple[str, ...] | None = None
    documents: tuple[str, ...] = ()
    k: int | None = None
    mode: SearchMode = "hybrid"
    profile: str | None = None
    only: SearchFilter = SearchFilter()
    cached: bool = True
    context: bool = False
    far: bool = False


class CacheStatistics(Value):
    """How a cache has done since it was made; ``hit_rate`` is 0-1, 0 before the first look."""

    size: int
    hits: int
    misses: int
    hit_rate: float


class SearchResult(Value):
    """What a search found, and whether an earlier search had found it already.

    ``warnings`` say what is less than asked for: a reranker that failed. ``context`` is the text
    of the hits with their neighbours, within the tokens that the parameters allow. Where every
    chunk lies below ``min_relevance``, there are no hits, and ``below`` has the nearest of them.
    """

    hits: tuple[Hit, ...]
    from_cache: bool
    cache: CacheStatistics
    warnings: tuple[Notice, ...] = ()
    context: str | None = None
    min_relevance: float = 0.0
    below: tuple[Hit, ...] = ()
