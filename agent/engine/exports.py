"""What a thread has come to as a file, with what the catalog knows of its sources."""

from typing import Any

from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.runs import RunInfo
from services.export.formats import FORMATS, Format, export_report
from services.export.neighbourhood import Neighbourhood

__all__ = ["FORMATS", "Format", "export"]

Json = dict[str, Any]
AS_IT_IS = "json"
"""The format for programs, which say things themselves."""
WITH_PICTURES = "html"


def export(services: Services, principal: Principal, thread_id: str, format_name: str) -> bytes:
    """The report, or the conversation, in one of ``FORMATS``; needs the catalog alone.

    Raises:
        NotFound: there is no such thread among the principal's runs.
        InvalidInput: it has no report or answer, or there is no such format.
    """
    if format_name not in FORMATS:
        raise InvalidInput(f"There is no format {format_name!r}. Use one of {', '.join(FORMATS)}.")
    run = services.catalog.runs.get(principal, thread_id)
    report: Json | None = services.catalog.runs.report(principal, thread_id)
    if report is None:
        raise InvalidInput(_no_report(run))
    answers = report["turns"] if run.kind == "ask" else [report]
    cited = {source["document_id"] for answer in answers for source in answer["sources"]}
    documents = services.library.documents(principal)
    metadata = {each.document_id: each for each in documents if each.document_id in cited}
    around = None
    if format_name == WITH_PICTURES and run.kind == "ask":
        around = _around(services, principal, run, report)
    return export_report(
        report if format_name == AS_IT_IS else in_its_language(report),
        format_name,
        date=run.created_at[:10],
        metadata=metadata,
        around=around,
    )


def _around(
    services: Services, principal: Principal, run: RunInfo, conversation: Json
) -> Neighbourhood | None:
    """What stands around all that a conversation quotes; None where it may not be read any more."""
    from agent.ask.report import cited_by
    from services.library.neighbours import neighbourhood_of

    try:
        scope = services.catalog.collections.scope(principal, run.collections)
    except NotFound:
        return None
    quoted = (turn for turn in conversation["turns"] if not turn["listed"])
    return neighbourhood_of(cited_by(quoted), services.catalog, scope)


def in_its_language(report: Json) -> Json:
    """The report, or its turns, with what the engine says of it in the language of the answer."""
    from agent.messages import tell  # a hundred sentences that no other command needs

    if "turns" in report:
        return {**report, "turns": [in_its_language(turn) for turn in report["turns"]]}

    def told(sentences: list[str]) -> list[str]:
        return [tell(each, report["language"]) for each in sentences]

    said: Json = {name: told(report[name]) for name in ("warnings", "degraded")}
    if "dropped" in report:  # a research, no answer of a conversation
        dropped, quality = report["dropped"], report["quality"]
        reasons = told([item["reason"] or "" for item in dropped])
        said["dropped"] = [
            {**item, "reason": reason} for item, reason in zip(dropped, reasons, strict=True)
        ]
        said["quality"] = quality and {**quality, "remarks": told(quality["remarks"])}
    return {**report, **said}


def _no_report(run: RunInfo) -> str:
    if run.status == "cancelled":
        return (
            f"Thread {run.thread_id} was cancelled before anything was found, so it has no "
            "report. Ask again with `rabbithole research`."
        )
    return (
        f"Thread {run.thread_id} has no report yet, it is {run.status}. Bring it to its end with "
        f"`rabbithole resume {run.thread_id}`, then export it."
    )
