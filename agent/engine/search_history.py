"""Every search of a research in one list: what it found, what the report uses, what was dropped."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.engine.reports import DroppedEvidence, ReportEvidence, ResearchReport
from agent.models import ReportTask, SearchMade


@dataclass(frozen=True)
class SearchResult:
    """A search, with the passages that it was the first to find.

    Attributes:
        search: None for what no search found: passages that others refer to or stand next to.
        used: passages that the report cites.
        dropped: passages that were not relevant to the question.
    """

    search: SearchMade | None
    used: tuple[ReportEvidence, ...]
    dropped: tuple[DroppedEvidence, ...]


@dataclass(frozen=True)
class SearchGroup:
    """The searches of the clarification (``task`` is None) or of a task, in their order."""

    task: ReportTask | None
    results: tuple[SearchResult, ...]


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

    return [
        SearchGroup(
            task,
            tuple(
                SearchResult(
                    search,
                    tuple(entry for entry in used if finder(entry) == (number, n)),
                    tuple(entry for entry in report.dropped if finder(entry) == (number, n)),
                )
                for n, search in _numbered(searches)
            ),
        )
        for number, (task, searches) in enumerate(groups)
    ]


def _numbered(searches: Sequence[SearchMade]) -> Iterator[tuple[int | None, SearchMade | None]]:
    """Yield the searches with their index, and None for what no search found."""
    yield from enumerate(searches)
    yield None, None


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
