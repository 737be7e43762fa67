"""Values that cross module borders. All are frozen; none holds a live resource."""

from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from services.ingestion.values import FileOutcome as FileOutcome
from services.ingestion.values import IngestReport as IngestReport
from services.ingestion.values import RemovedFile as RemovedFile
from services.metadata import DocumentMetadata as DocumentMetadata
from services.metadata import MetadataChanges as MetadataChanges
from services.pages.values import Box as Box
from services.pages.values import PageImage as PageImage
from services.value import Language as Language
from services.value import Value as Value

SearchMode = Literal["hybrid", "vector", "keyword"]
Reranking = Literal["none", "sentences", "llm", "cross-encoder"]
ChunkStrategy = Literal["paragraph", "sentence", "fixed", "semantic"]
ReferenceType = Literal["section", "document", "external"]
Preference = Literal["language", "profile"]
"""What the app keeps of a user: the language of the interface, and the usual profile."""


class Principal(Value):
    """Who asks. Resolved once per request."""

    user: str = "local"
    role: Literal["user", "admin"] = "user"


class Scope(Value):
    """What a request may read: ids of collections. An empty scope finds nothing."""

    user: str
    collections: tuple[str, ...]


class SectionSpan(Value):
    """A section of an extracted text, from its heading to the next heading of any level.

    ``label`` is the citable name (``§ 78``, ``Anlage 4``, ``3.2``, ``PEP 604``); where the
    heading has none, the nearest label above it, else the document's own label, else ``""``.
    ``start``/``end`` are characters, end exclusive. ``heading_path`` runs from the outermost
    heading to this one. ``level`` is 0 for the outermost.
    """

    label: str
    title: str
    level: int
    start: int
    end: int
    heading_path: tuple[str, ...]


class ParsedDocument(Value):
    """The text of a file with its structure, and what the file says of itself.

    ``pages`` holds the start offset of every page (first is 0; empty when the format has no
    pages). Sections are ordered, do not overlap and cover the text from the first heading on.
    """

    title: str
    text: str
    pages: tuple[int, ...]
    sections: tuple[SectionSpan, ...]
    language: Language
    parser_version: str
    metadata: DocumentMetadata = DocumentMetadata()


class Chunking(Value):
    """How texts are cut into chunks; ``size`` and ``overlap`` in characters.

    ``size`` is the wanted length, 200 to 4000. ``overlap``, less than ``size``, is what
    neighbours share where a text is cut by length: in ``fixed``, and in ``paragraph`` for a
    very large text without paragraphs.
    """

    strategy: ChunkStrategy = "paragraph"
    size: int = 1000
    overlap: int = 200

    @model_validator(mode="after")
    def _within_bounds(self) -> "Chunking":
        if not 200 <= self.size <= 4000:
            raise ValueError(f"the chunk size must be 200 to 4000 characters, not {self.size}")
        if not 0 <= self.overlap < self.size:
            raise ValueError(
                f"the chunk overlap must be at least 0 and below the chunk size of {self.size} "
                f"characters, not {self.overlap}"
            )
        return self

    @property
    def key(self) -> str:
        """The same for settings that cut every text alike, e.g. ``paragraph:1000:200``."""
        overlap = f":{self.overlap}" if self.strategy in ("paragraph", "fixed") else ""
        return f"{self.strategy}:{self.size}{overlap}"

    @classmethod
    def of_key(cls, key: str) -> "Chunking":
        """The settings that a ``key`` stands for."""
        strategy, size, *overlap = key.split(":")
        return cls.model_validate(
            {"strategy": strategy, "size": int(size), "overlap": int(overlap[0]) if overlap else 0}
        )


class ChunkSpan(Value):
    """Where a chunk lies in its text. ``page``/``page_end`` are 1-based, None without pages."""

    start: int
    end: int
    section: str
    heading_path: tuple[str, ...]
    page: int | None
    page_end: int | None


class Chunk(Value):
    """A passage of a document, with everything needed to show and cite it.

    ``document`` is the file name; ``start``/``end`` are characters in the document's text.
    """

    chunk_id: str
    document_id: str
    text_id: str
    document: str
    title: str
    page: int | None
    section: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    text: str


class StrategyScore(Value):
    """Rank (1-based) and raw score of a hit in one search strategy."""

    rank: int
    score: float


class Hit(Chunk):
    """A chunk that a search found. ``relevance`` is calibrated to 0-1, ``score`` is fused."""

    score: float
    relevance: float
    explain: dict[str, StrategyScore]


class SearchOptions(Value):
    """What a search leaves out and prefers; the defaults do neither.

    ``min_relevance`` (0-1) is the least relevance of a hit. ``max_chunks_per_document`` is the
    most hits of one document, 0 for any number. ``freshness_weight`` (0-1) is the share of a
    document's freshness in the order of hits; freshness falls by ``freshness_decay_rate`` a day.
    """

    min_relevance: float = Field(default=0.0, ge=0.0, le=1.0)
    max_chunks_per_document: int = Field(default=0, ge=0)
    freshness_weight: float = Field(default=0.0, ge=0.0, le=1.0)
    freshness_decay_rate: float = Field(default=0.005, ge=0.0)

    @property
    def neutral(self) -> bool:
        """Whether they change nothing of what a search finds."""
        return not (self.min_relevance or self.max_chunks_per_document or self.freshness_weight)


class SearchFilter(Value):
    """Where a search may look; an empty field allows everything.

    Of several values of one field any suffices; all fields must allow a chunk. ``documents`` are
    file names or ids, ``sections`` labels as hits show them. Tags and categories are named whole,
    authors by any part of their names, all in any case. ``since`` and ``until`` bound the date
    of the document, both inclusive: without a date it lies in no range.
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
        """Whether it allows everything."""
        return self == SearchFilter()


class SearchRequest(Value):
    """A search as a person asks for it.

    ``collections`` are names or ids, None for all that may be read; ``k`` 1 to 100, None for
    what ``profile`` or the settings say. ``cached`` False wants the search done even where its
    result is known; one with a filter is always done. ``context`` wants that of the result too.
    """

    query: str
    collections: tuple[str, ...] | None = None
    k: int | None = None
    mode: SearchMode = "hybrid"
    profile: str | None = None
    only: SearchFilter = SearchFilter()
    cached: bool = True
    context: bool = False


class CacheStatistics(Value):
    """How a cache has done since it was made; ``hit_rate`` is 0-1, 0 before the first look."""

    size: int
    hits: int
    misses: int
    hit_rate: float


class SearchResult(Value):
    """What a search found, and whether an earlier search had found it already.

    ``warnings`` say what is less than asked for: a reranker that failed. ``context`` is the text
    of the hits with their neighbours, numbered, within the tokens that the parameters allow.
    """

    hits: tuple[Hit, ...]
    from_cache: bool
    cache: CacheStatistics
    warnings: tuple[str, ...] = ()
    context: str | None = None


class DetectedReference(Value):
    """A reference as it stands in a text, before it is resolved.

    ``text`` is verbatim at ``start``/``end``. ``label`` is the normalised section label
    (``§ 9a``, ``Anlage 4``, ``3.2``), ``subdivision`` the rest (``Absatz 3 Satz 1``),
    ``document`` the name hint as written (``Atomgesetzes``, ``PEP 484``). A range yields one
    reference per label with the same span. ``target`` is what to show.
    """

    text: str
    start: int
    end: int
    type: ReferenceType
    label: str | None
    subdivision: str | None
    document: str | None
    target: str


class ResolvedReference(Value):
    """What a reference leads to inside the scope. ``resolved_to`` reads ``AtG § 9a``."""

    reference: DetectedReference
    found: bool
    document_id: str | None = None
    document: str | None = None
    section: str | None = None
    chunk_ids: tuple[str, ...] = ()
    resolved_to: str | None = None
    reason: str | None = None


class Citation(Value):
    """A verified place in a document. ``quote`` is the text at ``start``/``end``."""

    document: str
    document_id: str
    page: int | None
    section: str
    start: int
    end: int
    quote: str
    verified: bool


class Sentence(Value):
    """A sentence of an answer with the places that support it."""

    text: str
    supported: bool
    citations: tuple[Citation, ...]


class CollectionInfo(Value):
    """A collection as its readers see it.

    ``fingerprint`` names the embedding model that indexed it, None before the first document.
    """

    collection_id: str
    name: str
    owner: str
    description: str
    visibility: Literal["private", "unlisted", "public", "admin"]
    documents: int
    chunks: int
    content_version: int
    fingerprint: str | None = None


class Shelf(CollectionInfo):
    """A collection with what somebody is to it.

    ``changeable``: they may rename, share, fill, empty and delete it.
    """

    own: bool
    subscribed: bool
    changeable: bool


class DocumentInfo(DocumentMetadata):
    """A document in a collection. ``document_id`` is the SHA-256 of the file's bytes."""

    document_id: str
    document: str
    title: str
    pages: int | None
    sections: int
    chunks: int
    status: str
    sha256: str
    ingested_at: str
    language: Language
    parser_version: str


class OpenDocument(Value):
    """A document that somebody reads: what is known of it, and its text with its structure."""

    info: DocumentInfo
    parsed: ParsedDocument


class CollectionHealth(Value):
    """How a collection's indexes agree with the catalog, in numbers of chunks.

    ``lost`` counts chunks of a sample that a search by their own vector does not find.
    ``unfinished`` are file names whose ingestion broke off, ``lost_originals`` those whose kept
    file is missing or has changed: they are found, but cannot be shown. ``problem`` says why
    the collection cannot be repaired: another embedding model indexed it.
    """

    collection: str
    collection_id: str
    chunks: int
    missing_vectors: int
    stale_vectors: int
    missing_keywords: int
    stale_keywords: int
    lost: int
    unfinished: tuple[str, ...]
    lost_originals: tuple[str, ...] = ()
    problem: str | None

    @property
    def healthy(self) -> bool:
        """Whether every chunk can be found and every document is whole.

        Stale entries do no harm: what the catalog does not know is never shown.
        """
        broken = self.missing_vectors or self.missing_keywords or self.lost
        return not (broken or self.unfinished or self.lost_originals or self.problem)


class TaskUsage(Value):
    """Cost of one model task. ``fallback`` names why the deterministic result was used."""

    task: str
    model_calls: int = 0
    repairs: int = 0
    fallback: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
