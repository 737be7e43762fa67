"""Who reads and cuts the files of an ingestion: this process, or others ahead of it.

Whoever does it only makes; the one process that owns the stores takes what was made, one file
after the other in their order, and writes it. So hands may die and do a file again: nothing of it
is stored before, and the same file gives the same text, chunks and hashes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from services.domain import Chunking, ChunkSpan, Language, ParsedDocument
from services.ingestion.chunking import chunk
from services.ingestion.files import Candidate, identify
from services.ingestion.indexing import passage_of, require_text
from services.ingestion.job import Job, Stage
from services.ingestion.parse import FileParser
from services.retrieval.embedders import Embedder, make_embedder
from services.retrieval.embedding import encode, key_of
from services.settings import Settings

Tell = Callable[[Stage], None]


@dataclass(frozen=True)
class Asked:
    """A file to read and cut; ``document_id`` is its SHA-256."""

    path: Path
    document_id: str
    language: Language
    chunking: Chunking


@dataclass(frozen=True)
class ReadFile:
    """What was made of a file; ``vectors`` of its passages by key, as the embedding cache's."""

    parsed: ParsedDocument
    chunks: Sequence[ChunkSpan]
    fingerprint: str = ""
    vectors: Mapping[str, bytes] = field(default_factory=dict)


class Hands:
    """Reads each file when it is asked for, in a worker of its own; see ``FileParser``.

    Close them after an ingestion, whatever became of it.
    """

    def __init__(self, parse: FileParser, embedder: Embedder) -> None:
        self._parse = parse
        self._embedder = embedder

    def expect(self, files: Iterator[Asked]) -> None:
        """What will be asked for, in order, if nothing comes between.

        These hands do one file at a time; others draw on it as they are free, in the thread that
        reads.
        """

    def read(self, file: Asked, tell: Tell) -> ReadFile:
        """A file that was expected or not; ``tell`` is told the stage, and may stop all.

        Raises:
            UnreadableDocument: naming the file, the reason and the way out.
        """
        tell("parse")
        parsed = self._parse(file.path, language=file.language)
        tell("chunk")
        chunks = chunk(parsed, file.chunking, self._embedder)
        require_text(chunks, file.path.name)
        return ReadFile(parsed, chunks)

    def read_and_embed(self, file: Asked) -> ReadFile:
        """The file with the vectors of all its passages; nobody watches."""
        read = self.read(file, lambda stage: None)
        texts = list(dict.fromkeys(passage_of(read.parsed, each) for each in read.chunks))
        vectors = self._embedder.embed_passages(texts)
        kept = {key_of(text): encode(each) for text, each in zip(texts, vectors, strict=True)}
        return ReadFile(read.parsed, read.chunks, self._embedder.fingerprint, kept)

    def close(self) -> None:
        self._parse.close()


def own_hands(settings: Settings) -> Hands:
    """Those of the product, for a process without stores."""
    return Hands(FileParser(settings), make_embedder(settings))


def asked(file: Candidate, document_id: str, job: Job) -> Asked:
    return Asked(file.path.absolute(), document_id, job.language, job.chunking)


def expected(
    files: Iterable[Candidate], job: Job, is_read: Callable[[str], bool]
) -> Iterator[Asked]:
    """Those of the files that are to be read; each is looked at when its turn is near."""
    for file in files:
        try:
            document_id = identify(file.path)[0] if file.problem is None else None
        except OSError:  # its turn says why
            continue
        if document_id is not None and not is_read(document_id):
            yield asked(file, document_id, job)
