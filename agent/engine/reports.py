"""Reports and answers as typed values, as pages and the terminal read them.

The catalog keeps the JSON that others script against, of this version and of earlier ones. It is
validated here, once, and fields that earlier versions did not have get their defaults.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import Field, JsonValue, ValidationError, model_validator

from agent.ask.models import Answer, StructuredAnswer
from agent.models import QualityAssessment, Report, SearchMade
from agent.research.tiers import STRAYED
from services.domain import DocumentSpan, Location, Value
from services.domain.errors import IncompatibleThread
from services.domain.events import RetrievalIteration, total_seconds
from services.domain.notices import Notice

Json = Mapping[str, JsonValue]
V = TypeVar("V", bound=Value)


class ReportSection(Value, extra="allow"):
    """A section of a report's JSON; fields that nobody reads here are kept."""


class Usage(ReportSection, extra="ignore"):
    """What an answer cost. ``reads`` is "no" if the model in use failed the reading test.

    ``seconds`` are the wall-clock time of each phase, ``work_seconds`` the sum over its steps.
    """

    model: str
    model_calls: int = 0
    fallbacks: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: dict[str, float] = Field(default_factory=dict)
    work_seconds: dict[str, float] = Field(default_factory=dict)
    reads: str | None = None

    @property
    def total_s(self) -> float:
        return total_seconds(self.seconds)

    @property
    def side_by_side_s(self) -> float:
        """Seconds of all steps if some ran concurrently, else 0."""
        work = total_seconds(self.work_seconds)
        return work if work > self.total_s else 0.0


class SearchRound(RetrievalIteration, extra="ignore"):
    """A round of the clarification with its searches; older reports name only its queries."""

    searches: tuple[SearchMade, ...] = ()


class ReportPassage(DocumentSpan, Location, extra="allow"):
    """A passage of a report; those of earlier versions do not say where it stands.

    ``task`` is the one that it was found for.
    """

    chunk_id: str = ""
    task: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_location(cls, value: Any) -> Any:
        unknown = {"document_id": "", "start": 0, "end": 0}
        return {"document": "", "section": "", "page": None, **unknown, **value}


class ReportEvidence(ReportPassage):
    """Evidence that counts; see `services.domain.Evidence`."""

    tier: int
    score: float
    relevance: float | None = None
    source_type: str
    depth: int
    way: str = ""
    restored: bool = False


class ReportReference(ReportSection):
    """A reference that was followed; ``resolved_to`` is None if it leads out of the corpus."""

    source: str = Field(alias="from")
    text: str
    resolved_to: str | None
    reason: Notice | None = None


class DroppedEvidence(ReportPassage):
    """Evidence that validation dropped, with its text, its relevance and the reason."""

    score: float
    text: str = ""
    reason: Notice | None = None


class Clarification(ReportSection):
    """Why the clarification ended, and what the run assumed from then on.

    ``reason`` is None if there was no clarification.
    """

    reason: str | None = None
    assumed_context: tuple[str, ...] = ()


class ResearchReport(Report, extra="allow"):
    """The report of a research with its evidence and history."""

    thread_id: str
    question: str
    language: str
    evidence: tuple[ReportEvidence, ...] = ()
    references: tuple[ReportReference, ...] = ()
    dropped: tuple[DroppedEvidence, ...] = ()
    retrieval_history: tuple[SearchRound, ...] = ()
    clarification: Clarification | None = None
    plan_changes: tuple[Notice, ...] = ()
    quality: QualityAssessment | None = None
    usage: Usage

    @property
    def cautions(self) -> tuple[Notice, ...]:
        """Return the warnings to read before the answer; one that answers has not strayed."""
        answers = self.certainty == "answered"
        return tuple(w for w in self.warnings if not (answers and w.message == STRAYED.message))


Answered = ResearchReport | Answer
"""The report of a research, or an answer of a conversation."""

SINCE_ADDED: Json = {
    "opening": "",
    "closing": "",
    "listed": False,
    "notes": [],
    "by_score": "fast",
}
"""Defaults of fields that older answers do not have."""


def read_report(report: Json) -> ResearchReport:
    """Validate the report of a research; raises IncompatibleThread if that fails."""
    return _validate(ResearchReport, report)


def read_answer(turn: Json) -> Answer:
    """Validate a turn of a conversation; raises IncompatibleThread if that fails."""
    kind = StructuredAnswer if "required_info" in turn else Answer
    certainty = "refused" if turn.get("refused") else "answered"
    fields = {**SINCE_ADDED, "certainty": certainty, **turn}
    return _validate(kind, {name: fields[name] for name in kind.model_fields if name in fields})


def answers_of(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the turns of a conversation, or the report of a research as the only one."""
    return list(report.get("turns", [report]))


def cited_by(answers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return all citations of answers, in their order; one that cannot be read has none."""
    return [
        citation
        for answer in answers
        for sentence in answer.get("sentences", ())
        for citation in sentence["citations"]
    ]


def _validate(kind: type[V], fields: Json) -> V:
    try:
        return kind.model_validate(fields)
    except ValidationError as problem:
        field = ".".join(map(str, problem.errors()[0]["loc"]))
        raise IncompatibleThread(
            "This was written by another version of Rabbithole and cannot be shown: {field}.",
            field=field,
        ) from problem


def as_json(answered: Answered) -> dict[str, JsonValue]:
    """Return the JSON that others script against."""
    value: dict[str, JsonValue] = answered.model_dump(mode="json", by_alias=True)
    return value


def usage_of(answered: Answered) -> Usage:
    """Return what it cost to answer."""
    usage = answered.usage
    return usage if isinstance(usage, Usage) else Usage.model_validate(usage)
