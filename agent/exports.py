"""The report of a thread as a file, with what the catalog knows of its sources."""

from typing import TYPE_CHECKING, Any

from services.errors import InvalidInput
from services.export.formats import FORMATS, Format, export_report

if TYPE_CHECKING:
    from services.build import Services
    from services.catalog.values import RunInfo
    from services.types import Principal

__all__ = ["FORMATS", "Format", "export"]

Json = dict[str, Any]
AS_IT_IS = "json"
"""The format for programs, which say things themselves."""


def export(services: "Services", principal: "Principal", thread_id: str, format_name: str) -> bytes:
    """The report in one of ``FORMATS``; needs the catalog alone.

    Raises:
        NotFound: there is no such thread among the principal's runs.
        InvalidInput: it has no report, as a conversation has none, or there is no such format.
    """
    if format_name not in FORMATS:
        raise InvalidInput(f"There is no format {format_name!r}. Use one of {', '.join(FORMATS)}.")
    run = services.catalog.runs.get(principal, thread_id)
    report: Json | None = services.catalog.runs.report(principal, thread_id)
    if report is None:
        raise InvalidInput(_no_report(run))
    if run.kind == "ask":
        return _conversation(report, format_name)
    cited = {source["document_id"] for source in report["sources"]}
    documents = services.library.documents(principal)
    metadata = {each.document_id: each for each in documents if each.document_id in cited}
    shown = report if format_name == AS_IT_IS else in_its_language(report)
    return export_report(shown, format_name, date=run.created_at[:10], metadata=metadata)


def in_its_language(report: Json) -> Json:
    """The report with what the engine says of it in the language of the answer."""
    from agent.messages import tell  # a hundred sentences that no other command needs

    def told(sentence: str | None) -> str:
        return tell(sentence or "", report["language"])

    quality = report["quality"]
    return {
        **report,
        "warnings": [told(warning) for warning in report["warnings"]],
        "degraded": [told(line) for line in report["degraded"]],
        "dropped": [{**item, "reason": told(item["reason"])} for item in report["dropped"]],
        "quality": quality and {**quality, "remarks": [told(each) for each in quality["remarks"]]},
    }


def _conversation(report: Json, format_name: str) -> bytes:
    """A conversation is for programs alone: its answers have no report."""
    if format_name != AS_IT_IS:
        raise InvalidInput(
            f"Thread {report['thread_id']} is a conversation, which can be exported as json only. "
            "Ask its question again with `rabbithole research` to get a report."
        )
    return export_report(report, format_name)


def _no_report(run: "RunInfo") -> str:
    if run.status == "cancelled":
        return (
            f"Thread {run.thread_id} was cancelled before anything was found, so it has no "
            "report. Ask again with `rabbithole research`."
        )
    return (
        f"Thread {run.thread_id} has no report yet, it is {run.status}. Bring it to its end with "
        f"`rabbithole resume {run.thread_id}`, then export it."
    )
