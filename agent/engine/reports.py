"""What threads have come to, as pages and the terminal read it: declared values instead of JSON.

The catalog keeps the JSON that others script against, of this version and of earlier ones. It is
checked here, once, and what earlier versions did not say yet gets its default.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import Field, JsonValue, ValidationError, model_validator

from agent.ask.models import Answer, StructuredAnswer
from agent.models import QualityAssessment, Report
from services.domain import DocumentSpan, Location, Value
from services.domain.errors import IncompatibleThread
from services.domain.events import RetrievalIteration, total_seconds
from services.domain.notices import Notice

Json = Mapping[str, JsonValue]
V = TypeVar("V", bound=Value)


class Kept(Value, extra="allow"):
    """A part of a report; fields that nobody reads here stay in it."""


class Usage(Kept, extra="ignore"):
    """What an answer took. ``reads`` is "no" where the model in use does not read.

    ``seconds`` are those of each phase on the clock, ``work_seconds`` those of its steps together.
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
        """Seconds of all steps, where some ran side by side; else 0."""
        work = total_seconds(self.work_seconds)
        return work if work > self.total_s else 0.0


class ReportEvidence(DocumentSpan, Location, extra="allow"):
    """Evidence that counts; see `services.domain.Evidence`.

    Reports of earlier versions do not say where it stands.
    """

    tier: int
    score: float
    relevance: float | None = None
    source_type: str
    depth: int
    way: str = ""
    task: int | None = None
    restored: bool = False

    @model_validator(mode="before")
    @classmethod
    def _with_location(cls, value: Any) -> Any:
        unknown = {"document_id": "", "start": 0, "end": 0}
        return {"document": "", "section": "", "page": None, **unknown, **value}


class ReportReference(Kept):
    """A reference that was followed; ``resolved_to`` is None where it leads out of the corpus."""

    source: str = Field(alias="from")
    text: str
    resolved_to: str | None
    reason: Notice | None = None


class DroppedEvidence(Kept):
    """Evidence that validation dropped, with what was found there, its relevance and the reason."""

    chunk_id: str
    document: str = ""
    section: str = ""
    score: float
    text: str = ""
    reason: Notice | None = None


class Clarification(Kept):
    """How the clarification ended, and what the run went on assuming.

    ``reason`` is None where there was none.
    """

    reason: str | None = None
    assumed_context: tuple[str, ...] = ()


class ResearchReport(Report, extra="allow"):
    """The report of a research with what stands behind it."""

    thread_id: str
    question: str
    language: str
    evidence: tuple[ReportEvidence, ...] = ()
    references: tuple[ReportReference, ...] = ()
    dropped: tuple[DroppedEvidence, ...] = ()
    retrieval_history: tuple[RetrievalIteration, ...] = ()
    clarification: Clarification | None = None
    plan_changes: tuple[Notice, ...] = ()
    quality: QualityAssessment | None = None
    usage: Usage


Answered = ResearchReport | Answer
"""What a reader gets: the report of a research, or an answer of a conversation."""

SINCE_ADDED: Json = {
    "opening": "",
    "closing": "",
    "listed": False,
    "notes": [],
    "by_score": "fast",
}
"""Of answers that were kept before these were."""


def read_report(kept: Json) -> ResearchReport:
    """The report of a research; raises `IncompatibleThread` where it cannot be read."""
    return _read(ResearchReport, kept)


def read_answer(kept: Json) -> Answer:
    """A turn of a conversation; raises `IncompatibleThread` where it cannot be read."""
    kind = StructuredAnswer if "required_info" in kept else Answer
    certainty = "refused" if kept.get("refused") else "answered"
    whole = {**SINCE_ADDED, "certainty": certainty, **kept}
    return _read(kind, {name: whole[name] for name in kind.model_fields if name in whole})


def answers_of(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The turns of a conversation, or the report of a research as the only one."""
    return list(report.get("turns", [report]))


def cited_by(answers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All citations of answers, in their order."""
    return [
        citation
        for answer in answers
        for sentence in answer["sentences"]
        for citation in sentence["citations"]
    ]


def _read(kind: type[V], kept: Json) -> V:
    try:
        return kind.model_validate(kept)
    except ValidationError as problem:
        where = ".".join(map(str, problem.errors()[0]["loc"]))
        raise IncompatibleThread(
            "This was written by another version of Rabbithole and cannot be shown: {field}.",
            field=where,
        ) from problem


def as_json(answered: Answered) -> dict[str, JsonValue]:
    """The JSON of it, as others script against it."""
    value: dict[str, JsonValue] = answered.model_dump(mode="json", by_alias=True)
    return value


def usage_of(answered: Answered) -> Usage:
    """What it took to answer."""
    usage = answered.usage
    return usage if isinstance(usage, Usage) else Usage.model_validate(usage)
