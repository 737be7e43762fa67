"""Read and cut the files of an ingestion, in this process or in others ahead of it.

A reader stores nothing, so it may crash and repeat a file: the same file gives the same chunks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from services.domain import Chunking, ChunkSpan, Language, ParsedDocument
from services.ingestion.chunking import chunk
from services.ingestion.files import FileCandidate, identify, stable_path
from services.ingestion.indexing import passage_of, require_text
from services.ingestion.job import IngestionJob, Stage
from services.ingestion.parse import FileParser
from services.retrieval.embedders import Embedder, make_embedder
from services.retrieval.embedding import encode, key_of
from services.settings import Settings

OnStage = Callable[[Stage], None]


@dataclass(frozen=True)
class ReadRequest:
    """A file to read and cut; ``document_id`` is its SHA-256, ``within`` as for `open_file`."""

    path: Path
    document_id: str
    language: Language
    chunking: Chunking
    within: Path | None = None


@dataclass(frozen=True)
class ParsedFile:
    """The text and chunks of a file; ``vectors`` have the keys of the embedding cache."""

    parsed: ParsedDocument
    chunks: Sequence[ChunkSpan]
    fingerprint: str = ""
    vectors: Mapping[str, bytes] = field(default_factory=dict)


class FileReader:
    """Reads files in separate workers; close it after every ingestion, failed ones too."""

    def __init__(self, parse: FileParser, embedder: Embedder) -> None:
        self._parse = parse
        self._embedder = embedder
        self._copies: TemporaryDirectory[str] | None = None

    def expect(self, requests: Iterator[ReadRequest]) -> None:
        """Announce requests, in order, to readers that work ahead; this one ignores them."""

    def read(self, request: ReadRequest, on_stage: OnStage) -> ParsedFile:
        """Read and cut a file; ``on_stage`` may raise. Raises UnreadableDocument."""
        on_stage("parse")
        self._copies = self._copies or TemporaryDirectory()
        folder, document_id = Path(self._copies.name), request.document_id
        with stable_path(request.path, request.within, folder, document_id) as path:
            parsed = self._parse(path, language=request.language)
        on_stage("chunk")
        chunks = chunk(parsed, request.chunking, self._embedder)
        require_text(chunks, request.path.name)
        return ParsedFile(parsed, chunks)

    def read_and_embed(self, request: ReadRequest) -> ParsedFile:
        file = self.read(request, lambda stage: None)
        texts = list(dict.fromkeys(passage_of(file.parsed, span) for span in file.chunks))
        vectors = self._embedder.embed_passages(texts)
        stored = {key_of(text): encode(vector) for text, vector in zip(texts, vectors, strict=True)}
        return ParsedFile(file.parsed, file.chunks, self._embedder.fingerprint, stored)

    def close(self) -> None:
        self._parse.close()
        if self._copies is not None:
            self._copies.cleanup()
            self._copies = None


def make_reader(settings: Settings) -> FileReader:
    return FileReader(FileParser(settings), make_embedder(settings))


def read_request(file: FileCandidate, document_id: str, job: IngestionJob) -> ReadRequest:
    path, within = file.path.absolute(), file.within and file.within.absolute()
    return ReadRequest(path, document_id, job.language, job.chunking, within)


def pending_requests(
    files: Iterable[FileCandidate], job: IngestionJob, is_read: Callable[[str, Path], bool]
) -> Iterator[ReadRequest]:
    """Yield requests for the files that are not read yet; each is checked when it is taken."""
    for file in files:
        try:
            document_id = identify(file.path, file.within)[0] if file.problem is None else None
        except OSError:  # reported when the file is ingested
            continue
        if document_id is not None and not is_read(document_id, file.path):
            yield read_request(file, document_id, job)
