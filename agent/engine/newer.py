"""Say in answers which of their sources are replaced, amended or repealed by other documents.

It is looked up whenever an answer is shown, since the other document may be newer than the answer.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from agent.engine.reports import answers_of, cited_by
from services.build import Services
from services.domain import Principal, Scope
from services.domain.errors import NotFound
from services.domain.notices import Notice
from services.domain.runs import RunInfo

Json = dict[str, Any]
Change = tuple[dict[str, str], Notice]
"""An entry of ``replaced`` in an answer, and what its reader is told."""


def with_newer(report: Json, run: RunInfo, services: Services, principal: Principal) -> Json:
    """Return a report or a conversation whose answers name what is newer than their sources."""
    try:
        unrestricted = run.model_copy(update={"documents": ()})
        scope = services.catalog.scope_of(principal, unrestricted)
    except NotFound:
        scope = services.library.scope(principal, None)
    turns = [_with_changes(turn, services, scope) for turn in answers_of(report)]
    return {**report, "turns": turns} if "turns" in report else turns[0]


def _with_changes(answer: Mapping[str, Any], services: Services, scope: Scope) -> Json:
    changes = list(_changes(answer, services, scope))
    if not changes:
        return dict(answer)
    entries = [entry for entry, _ in changes]
    notices = dict.fromkeys(notice for _, notice in changes)
    before = answer.get("replaced", [])
    return {
        **answer,
        "replaced": [*before, *(entry for entry in entries if entry not in before)],
        "warnings": [*answer["warnings"], *(notice.model_dump(mode="json") for notice in notices)],
    }


def _changes(answer: Mapping[str, Any], services: Services, scope: Scope) -> Iterator[Change]:
    """Yield what other documents do to each section that an answer cites."""
    relations = services.library.relations(scope)
    cited = {
        (citation["document_id"], citation["section"]): citation for citation in cited_by([answer])
    }
    for (document_id, section), citation in cited.items():
        entry = {"document": citation["document"], "section": section}
        for relation in relations.on(document_id, section):
            yield {**entry, "by": relation.document}, relation.notice
