"""Reports and answers as typed values, as pages and the terminal read them.

The catalog keeps the JSON that others script against, of this version and of earlier ones. It is
validated here, once, and fields that earlier versions did not have get their defaults.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import Field, JsonValue, ValidationError, model_validator

from agent.ask.models import Answer, StructuredAnswer
from agent.models import QualityAssessment, Report, ReportTask, SearchMade
from agent.research.tiers import STRAYED
from services.build import Services
from services.domain import DocumentSpan, Location, Principal, Value
from services.domain.errors import IncompatibleThread, NotFound
from services.domain.events import RetrievalIteration, total_seconds
from services.domain.notices import Notice
from services.domain.runs import RunInfo
from services.library.relations import Relations

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
    """A passage, found for a ``task``; those of earlier versions do not say where it stands."""

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
    """Why the clarification ended, None without one, and what the run assumed from then on."""

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
        """The warnings to read before the answer; one that answers has not strayed."""
        answers = self.certainty == "answered"
        return tuple(w for w in self.warnings if not (answers and w.message == STRAYED.message))


Answered = ResearchReport | Answer
"""The report of a research, or an answer of a conversation."""

SINCE_ADDED: Json = {"opening": "", "closing": "", "listed": False, "notes": [], "by_score": "fast"}
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
            "This result was written by another version of Rabbithole and cannot be shown: "
            "{field}.",
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


@dataclass(frozen=True)
class ReportSearch:
    """A search with the passages that it was the first to find, which the report cites or dropped.

    ``search`` is None for what no search found: passages that others refer to or stand next to.
    """

    search: SearchMade | None
    used: tuple[ReportEvidence, ...]
    dropped: tuple[DroppedEvidence, ...]


@dataclass(frozen=True)
class SearchGroup:
    """The searches of the clarification (``task`` is None) or of a task, in their order."""

    task: ReportTask | None
    results: tuple[ReportSearch, ...]


def search_history(report: ResearchReport) -> list[SearchGroup]:
    """Return the searches of the clarification and of each task.

    A passage stands once: with the search of its task that found it, else with that of the
    clarification, else with what its task found without a search.
    """
    groups: list[tuple[ReportTask | None, list[SearchMade]]] = [
        (None, list(_clarification(report))),
        *((task, list(task.searches)) for task in report.tasks),
    ]
    cited = [citation for sentence in report.sentences for citation in sentence.citations]
    used = [entry for entry in report.evidence if any(entry.overlaps(at) for at in cited)]
    finders = {
        (task and task.id, name): (number, n)
        for number, (task, searches) in enumerate(groups)
        for n, search in enumerate(searches)
        for name in search.chunk_ids
    }
    tasks = {task.id: number for number, (task, _) in enumerate(groups) if task is not None}

    def finder(passage: ReportEvidence | DroppedEvidence) -> tuple[int, int | None]:
        """Return the group and the search that a passage stands with."""
        for owner in (passage.task, None):
            if by_search := finders.get((owner, passage.chunk_id)):
                return by_search
        return tasks.get(passage.task or 0, 0), None

    history = []
    for number, (task, searches) in enumerate(groups):
        numbered: list[tuple[int | None, SearchMade | None]] = [*enumerate(searches), (None, None)]
        results = [
            ReportSearch(
                search,
                tuple(entry for entry in used if finder(entry) == (number, n)),
                tuple(entry for entry in report.dropped if finder(entry) == (number, n)),
            )
            for n, search in numbered
        ]
        history.append(SearchGroup(task, tuple(results)))
    return history


def _clarification(report: ResearchReport) -> Iterable[SearchMade]:
    """Yield the searches of the clarification; of an older report, each round as one search."""
    for record in report.retrieval_history:
        if record.searches:
            for search in record.searches:
                yield search.model_copy(update={"round": record.iteration + 1})
        else:
            yield SearchMade(
                query="; ".join(record.queries),
                hits=record.hits,
                new=record.new,
                round=record.iteration + 1,
            )


def with_newer(
    report: dict[str, Any], run: RunInfo, services: Services, principal: Principal
) -> dict[str, Any]:
    """Return a report or a conversation whose answers name what is newer than their sources.

    It is looked up whenever an answer is shown: another document may be newer than the answer.
    """
    try:
        unrestricted = run.model_copy(update={"documents": ()})
        scope = services.catalog.scope_of(principal, unrestricted)
    except NotFound:
        scope = services.library.scope(principal, None)
    relations = services.relations(scope)
    turns = [_with_changes(turn, relations) for turn in answers_of(report)]
    return {**report, "turns": turns} if "turns" in report else turns[0]


def _with_changes(answer: Mapping[str, Any], relations: Relations) -> dict[str, Any]:
    """Return an answer with what other documents do to each section that it cites."""
    replaced, notices = list(answer.get("replaced", [])), dict[Notice, None]()
    for citation in cited_by([answer]):
        cited = {"document": citation["document"], "section": citation["section"]}
        for relation in relations.on(citation["document_id"], citation["section"]):
            notices[relation.notice] = None
            replaced.append({**cited, "by": relation.document})
    if not notices:
        return dict(answer)
    unique = [entry for n, entry in enumerate(replaced) if entry not in replaced[:n]]
    added = [notice.model_dump(mode="json") for notice in notices]
    return {**answer, "replaced": unique, "warnings": [*answer.get("warnings", []), *added]}
