"""Read a file that claims to be a report, without trusting anything in it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from services.domain import CaseSpan, Citation, Standing, Value
from services.domain.errors import InvalidInput

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
        """Return the question as asked and as rewritten."""
        return "\n".join(filter(None, (self.question, self.question_rewritten)))


def read_report(path: Path) -> tuple[ClaimedReport, ...]:
    """Return the report in a file, the turns of a conversation, or the result of a trace.

    Raises:
        InvalidInput: the file cannot be read, or contains none of these.
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
