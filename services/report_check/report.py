"""Read a file that claims to be a report, without trusting anything in it."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from services.domain import CaseSpan, Citation, ParsedDocument, Standing, Value
from services.domain.errors import InvalidInput, UnreadableDocument
from services.domain.formats import SUFFIXES
from services.ingestion.files import identify, walk
from services.ingestion.parse import PARSER_VERSION, TEXT_VERSION, FileParser

MOST_BYTES: Final = 64 << 20
_SHA256: Final = r"^[0-9a-f]{64}$"


class ClaimedCase(CaseSpan, extra="ignore"):
    """A span of the section that says for whom or when the quote holds."""


class ClaimedCitation(Citation, extra="ignore"):
    """A span where the report says that a quote stands."""

    page: int | None = None
    section: str = ""
    verified: bool = True
    case: ClaimedCase | None = None
    heading: str = Field(default="", exclude=True)


class ClaimedSentence(Value, extra="ignore"):
    """A sentence; ``standing`` is None in reports of versions without standings."""

    text: str
    supported: bool
    citations: tuple[ClaimedCitation, ...]
    standing: Standing | None = None


class ClaimedSource(Value, extra="ignore"):
    """A document that the report names."""

    document: str
    document_id: str
    sha256: str = Field(pattern=_SHA256)
    parser_version: str = ""


class ClaimedReport(Value, extra="ignore"):
    """The checkable parts of a research report, or of one turn of a conversation.

    ``citations`` (of turns) and ``quotes`` (of reports) are listed apart from sentences.
    """

    language: str = "en"
    question: str = ""
    question_rewritten: str | None = None
    answer: str
    opening: str = ""
    closing: str = ""
    notes: tuple[str, ...] = ()
    listed: bool = False
    sentences: tuple[ClaimedSentence, ...]
    sources: tuple[ClaimedSource, ...]
    citations: tuple[ClaimedCitation, ...] = ()
    quotes: tuple[ClaimedCitation, ...] = ()
    gaps: tuple[str, ...] = ()

    @property
    def full_question(self) -> str:
        """The question as asked and as rewritten."""
        return "\n".join(filter(None, (self.question, self.question_rewritten)))


def read_report(path: Path) -> tuple[ClaimedReport, ...]:
    """Return the report in a file, the turns of a conversation, or the result of a trace.

    Raise InvalidInput if the file cannot be read, or contains none of these.
    """
    return tuple(_claimed(report, path.name) for report in _reports(_json(path), path.name))


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInput(
                "{file} is larger than {size} MB, so it is not a report. Give the JSON file of a "
                "report.",
                file=path.name,
                size=MOST_BYTES >> 20,
            )
        value = json.loads(path.read_bytes())
        # JSON can contain lone surrogates, which UTF-8 cannot encode.
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except OSError as problem:
        raise InvalidInput(
            "{file} cannot be read: {cause}. Give the JSON file of a report.",
            file=path.name,
            cause=problem.strerror,
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(
            "{file} is not JSON. `rabbithole export THREAD --format json -o report.json` makes a "
            "report that can be checked.",
            file=path.name,
        ) from problem


def _reports(value: Any, name: str) -> Iterator[Mapping[str, Any]]:
    match value:
        case {"report": {**report}}:  # a trace, which contains the report of its run
            yield from _reports(report, name)
        case {"turns": [*turns]}:
            yield from turns
        case {"sentences": _, "sources": _}:
            yield value
        case _:
            raise InvalidInput(
                "{file} is not a report: it has neither sentences nor sources. Use the JSON of "
                "`rabbithole export THREAD --format json` or of `ask --json`, or a trace.",
                file=name,
            )


def _claimed(report: Any, name: str) -> ClaimedReport:
    try:
        return ClaimedReport.model_validate(report)
    except ValidationError as problem:
        first = problem.errors()[0]
        location = ".".join(map(str, first["loc"])) or "the report"
        raise InvalidInput(
            "{file} is not a complete report: {place}: {problem}. Export it again.",
            file=name,
            place=location,
            problem=first["msg"],
        ) from problem


LONGEST_NAME: Final = 120


class CheckedDocument(Value):
    """A document that a report names; ``path`` is relative to the searched folder.

    ``remark`` tells why its citations cannot be checked, or that another parser read it.
    """

    document: str
    sha256: str
    found: bool
    path: str | None = None
    remark: str | None = None
    parsed: ParsedDocument | None = Field(default=None, exclude=True, repr=False)


def _other_parser(version: str) -> str | None:
    """Return a warning if another parser made the text that the report cites."""
    if not version or version in (PARSER_VERSION, TEXT_VERSION):
        return None
    return (
        f"the report was made with parser {version}, this is parser {PARSER_VERSION}, so "
        "positions may differ; check it with the version of Rabbithole that made it"
    )


class Opener:
    """Finds the files of sources and parses each once, in a separate process like ingestion.

    They are looked for by their bytes in ``folder``, subfolders included, and in ``originals``,
    where a home keeps files under their SHA-256.
    """

    def __init__(
        self,
        sources: Sequence[ClaimedSource],
        folder: Path,
        originals: Path | None,
        parser: FileParser,
    ) -> None:
        names = {source.sha256: source.document for source in sources}
        self._paths = dict(_files_by_hash(names, folder, originals))
        self._namesakes: set[str] = set()
        self._search(names, folder)
        self._parser = parser
        self._read: dict[str, ParsedDocument | str] = {}

    def open(self, source: ClaimedSource) -> CheckedDocument:
        path, shown_path = self._paths.get(source.sha256, (None, None))
        if path is None:
            text: ParsedDocument | str = self._missing(source)
        else:
            text = self._parse(path, source)
        return CheckedDocument(
            document=source.document,
            sha256=source.sha256,
            found=path is not None,
            path=shown_path,
            remark=text if isinstance(text, str) else _other_parser(source.parser_version),
            parsed=None if isinstance(text, str) else text,
        )

    def _search(self, names: Mapping[str, str], folder: Path) -> None:
        """Search the folder for the remaining files, those with the report's names first."""
        files = [file.path for file in walk(folder) if file.problem is None]
        likely = set(names.values())
        for path in sorted(files, key=lambda path: (path.name not in likely, path)):
            if names.keys() <= self._paths.keys():
                return
            met = _sha256(path)
            if met is not None and met in names:
                self._paths.setdefault(met, (path, path.relative_to(folder).as_posix()))
            else:
                self._namesakes.add(path.name)

    def _missing(self, source: ClaimedSource) -> str:
        if source.document in self._namesakes:
            return (
                f"the file {source.document} that was found differs from the one that was cited; "
                "give the folder of the right one with --documents"
            )
        return (
            f"no file with the SHA-256 {source.sha256[:12]}… of {source.document} was found; give "
            "its folder with --documents"
        )

    def _parse(self, path: Path, source: ClaimedSource) -> ParsedDocument | str:
        if source.sha256 not in self._read:
            try:
                with tempfile.TemporaryDirectory() as folder:
                    copy = readable_copy(path, source.document, Path(folder))
                    self._read[source.sha256] = self._parser(copy)
            except UnreadableDocument as problem:
                self._read[source.sha256] = f"the document cannot be read: {problem}"
        return self._read[source.sha256]


def _files_by_hash(
    names: Iterable[str], folder: Path, originals: Path | None
) -> Iterator[tuple[str, tuple[Path, str | None]]]:
    """Yield files named by their SHA-256; originals come last, so that they take precedence."""
    for directory in filter(None, (folder, originals)):
        for sha256 in names:
            path = directory / sha256
            if path.is_file() and _sha256(path) == sha256:
                yield sha256, (path, None if directory == originals else sha256)


def _sha256(path: Path) -> str | None:
    try:
        return identify(path)[0]
    except OSError:  # unreadable or gone: the document is reported as not found
        return None


def readable_copy(file: Path, document: str, folder: Path) -> Path:
    """Link a file under a name whose suffix fits its type, since parsers go by the name.

    The name comes from the report, so only its suffix and its harmless characters are used.
    """
    suffix = Path(document).suffix.lower()
    ending = suffix if suffix in SUFFIXES else file.suffix
    stem = "".join(c for c in Path(document).stem if c.isalnum() or c in " -_")
    name = folder / f"{stem.strip()[:LONGEST_NAME] or 'document'}{ending}"
    try:
        name.symlink_to(file.resolve())
    except OSError:  # the system has no symbolic links
        shutil.copyfile(file, name)
    return name
