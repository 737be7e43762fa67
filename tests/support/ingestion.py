"""An ingestion in memory: real catalog and chunker, fake models and indexes."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from services.catalog import Catalog
from services.domain import Chunking, IngestReport, ParsedDocument, Principal, Scope, SectionSpan
from services.domain.errors import UnreadableDocument
from services.domain.events import DocumentProgress, Event
from services.ingestion.file_reader import FileReader
from services.ingestion.job import Alone
from services.ingestion.parse import FileParser
from services.ingestion.pipeline import Ingestor
from services.retrieval.embedders import Progress, Vectors
from services.settings import Settings
from tests.support.fakes_retrieval import DictVectorIndex, HashEmbedder, WordIndex


class Killed(BaseException):
    """Stands for the end of the process: nothing may catch it."""


class CountingEmbedder(HashEmbedder):
    """Remembers what it embedded, and dies after a number of passages if told to."""

    def __init__(self, *, dies_after: int | None = None, dimension: int = 256) -> None:
        super().__init__(dimension)
        self.embedded: list[str] = []
        self._dies_after = dies_after

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        if self._dies_after is not None and len(self.embedded) >= self._dies_after:
            raise Killed
        self.embedded += texts
        return super().embed_passages(texts, on_progress)


class HeadingParser(FileParser):
    """Reads text whose sections start with lines like ``§ 3``; counts its calls.

    A form feed at the end makes another file of the same text.
    """

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.read: list[str] = []

    def version_of(self, path: Path) -> str:
        return self.version

    def __call__(self, path: Path, *, language: str = "auto") -> ParsedDocument:
        self.read.append(path.name)
        text = path.read_bytes().decode().removesuffix("\f")
        if text.startswith("%broken"):
            raise UnreadableDocument(f"{path.name}: cannot be read")
        return ParsedDocument(
            title="",
            text=text,
            pages=(),
            sections=tuple(sections(text)),
            language="de" if language == "auto" else language,
            parser_version=self.version,
        )

    def attachments(self, path: Path) -> list[tuple[str, bytes]]:
        return []

    def close(self) -> None:
        """It holds nothing."""


def sections(text: str) -> list[SectionSpan]:
    starts = [n for n in range(len(text)) if text.startswith("§", n) and text[n - 1 : n] in "\n"]
    return [
        SectionSpan(
            label=" ".join(text[start:end].split()[:2]),
            title="",
            level=0,
            start=start,
            end=end,
            heading_path=(text[start:end].splitlines()[0],),
        )
        for start, end in pairwise([*starts, len(text)])
    ]


@dataclass
class Bench:
    """Everything an ingestion needs, with the collection ``law`` of ``Principal()``."""

    catalog: Catalog
    home: Path
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)
    parser: FileParser = field(default_factory=HeadingParser)
    vectors: DictVectorIndex = field(default_factory=DictVectorIndex)
    lexical: WordIndex = field(default_factory=WordIndex)
    events: list[Event] = field(default_factory=list)
    make_reader: Callable[..., FileReader] = FileReader
    alone: Alone = nullcontext

    def collection(self, name: str = "law") -> str:
        return self.catalog.collections.ensure(Principal(), name).collection_id

    def scope(self, *names: str) -> Scope:
        return self.catalog.collections.scope(Principal(), names or None)

    def ingest(
        self,
        *paths: Path,
        collection: str = "law",
        language: str = "auto",
        chunking: Chunking | None = None,
        prune: bool = False,
    ) -> IngestReport:
        ingestor = Ingestor(
            self.catalog,
            self.embedder,
            self.vectors,
            self.lexical,
            Settings(home=self.home),
            parse=self.parser,
            make_reader=self.make_reader,
            alone=self.alone,
        )
        return ingestor.ingest(
            paths,
            collection_id=self.collection(collection),
            language=language,
            chunking=chunking,
            prune=prune,
            on_event=self.events.append,
        )

    def statuses(self, *paths: Path, **options: Any) -> list[str]:
        return [file.status for file in self.ingest(*paths, **options).files]

    def chunk_ids(self, collection: str = "law") -> set[str]:
        return set(self.catalog.chunks.ids(self.collection(collection)))

    def names(self, *collections: str) -> list[str]:
        return [each.document for each in self.catalog.documents.list(self.scope(*collections))]

    def stages(self, document: str) -> list[str]:
        return [
            event.stage
            for event in self.events
            if isinstance(event, DocumentProgress) and event.document == document
        ]

    def agrees(self, collection: str = "law") -> bool:
        """Whether both indexes hold exactly the chunks of the catalog."""
        collection_id = self.collection(collection)
        chunks = self.catalog.chunks.ids(collection_id)
        return (
            sorted(self.vectors.ids(collection_id))
            == sorted(self.lexical.ids(collection_id))
            == chunks
        )
