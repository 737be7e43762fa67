"""Say in answers which of their sources are replaced, amended or repealed by other documents.

It is looked up whenever an answer is shown, since the other document may be newer than the answer.
"""

from collections.abc import Mapping
from typing import Any

from agent.engine.reports import answers_of, cited_by
from services.build import Services
from services.domain import Principal
from services.domain.errors import NotFound
from services.domain.notices import Notice
from services.domain.runs import RunInfo
from services.library.relations import Relations

Json = dict[str, Any]


def with_newer(report: Json, run: RunInfo, services: Services, principal: Principal) -> Json:
    """Return a report or a conversation whose answers name what is newer than their sources."""
    try:
        unrestricted = run.model_copy(update={"documents": ()})
        scope = services.catalog.scope_of(principal, unrestricted)
    except NotFound:
        scope = services.library.scope(principal, None)
    relations = services.library.relations(scope)
    turns = [_with_changes(turn, relations) for turn in answers_of(report)]
    return {**report, "turns": turns} if "turns" in report else turns[0]


def _with_changes(answer: Mapping[str, Any], relations: Relations) -> Json:
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
