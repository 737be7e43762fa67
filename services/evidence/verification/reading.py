"""A file that claims to be a report, read without believing anything of it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from services.domain import Standing
from services.domain.errors import InvalidInput

MOST_BYTES: Final = 64 << 20
_SHA256: Final = r"^[0-9a-f]{64}$"


def _writable(text: str) -> str:
    """Text that UTF-8 can hold: JSON can smuggle in halves of characters."""
    return text.encode("utf-8", "replace").decode()


Text = Annotated[str, AfterValidator(_writable)]


class _Claimed(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ClaimedCase(_Claimed):
    """Words elsewhere in the section that say for whom or when the quote holds."""

    text: Text
    start: int
    end: int


class ClaimedCitation(_Claimed):
    """A place where the report says that a quote stands."""

    document: Text
    document_id: Text
    page: int | None = None
    section: Text = ""
    start: int
    end: int
    quote: Text
    verified: bool = True
    case: ClaimedCase | None = None


class ClaimedSentence(_Claimed):
    """``standing`` is None in reports of versions that had none."""

    text: Text
    supported: bool
    citations: tuple[ClaimedCitation, ...]
    standing: Standing | None = None


class ClaimedSource(_Claimed):
    document: Text
    document_id: Text
    sha256: str = Field(pattern=_SHA256)
    parser_version: Text = ""


class ClaimedReport(_Claimed):
    """A research report, or one turn of a conversation: what can be checked of it.

    ``citations`` (of turns) and ``quotes`` (of reports) are places listed apart from sentences.
    """

    question: Text = ""
    language: Text = "en"
    answer: Text
    opening: Text = ""
    closing: Text = ""
    listed: bool = False
    sentences: tuple[ClaimedSentence, ...]
    sources: tuple[ClaimedSource, ...]
    citations: tuple[ClaimedCitation, ...] = ()
    quotes: tuple[ClaimedCitation, ...] = ()
    gaps: tuple[Text, ...] = ()


def read_report(path: Path) -> tuple[ClaimedReport, ...]:
    """The report in a file, or the turns of the conversation, or what a trace ended in.

    Raises:
        InvalidInput: the file cannot be read, or holds none of these.
    """
    return tuple(_claimed(part, path.name) for part in _parts(_json(path), path.name))


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInput(
                "{file} is larger than {size} MB, which no report is. Name the JSON file of a "
                "report.",
                file=path.name,
                size=MOST_BYTES >> 20,
            )
        return json.loads(path.read_bytes())
    except OSError as problem:
        raise InvalidInput(
            "{file} cannot be read: {cause}. Name the JSON file of a report.",
            file=path.name,
            cause=problem.strerror,
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(
            "{file} is no JSON. Make a report that can be checked with `rabbithole export "
            "THREAD --format json -o report.json`.",
            file=path.name,
        ) from problem


def _parts(value: Any, name: str) -> Iterator[Mapping[str, Any]]:
    match value:
        case {"report": {**report}}:  # a trace, which has turns of its own
            yield from _parts(report, name)
        case {"turns": [*turns]}:
            yield from turns
        case {"sentences": _, "sources": _}:
            yield value
        case _:
            raise InvalidInput(
                "{file} is no report: it has neither sentences nor sources. Take the JSON of "
                "`rabbithole export THREAD --format json`, of `ask --json`, or a trace.",
                file=name,
            )


def _claimed(part: Any, name: str) -> ClaimedReport:
    try:
        return ClaimedReport.model_validate(part)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the report"
        raise InvalidInput(
            "{file} is no whole report: {place}: {problem}. Export it again.",
            file=name,
            place=place,
            problem=first["msg"],
        ) from problem
