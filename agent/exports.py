"""The report of a thread as a file, with what the catalog knows of its sources."""

from typing import TYPE_CHECKING, Any

from services.errors import InvalidInput
from services.export.formats import FORMATS, Format, export_report

if TYPE_CHECKING:
    from services.build import Services
    from services.catalog.values import RunInfo
    from services.types import Principal

__all__ = ["FORMATS", "Format", "export"]


def export(services: "Services", principal: "Principal", thread_id: str, format_name: str) -> bytes:
    """The report in one of ``FORMATS``; needs the catalog alone.

    Raises:
        NotFound: there is no such thread among the principal's runs.
        InvalidInput: it has no report, or there is no such format.
    """
    if format_name not in FORMATS:
        raise InvalidInput(f"There is no format {format_name!r}. Use one of {', '.join(FORMATS)}.")
    run = services.catalog.runs.get(principal, thread_id)
    report: dict[str, Any] | None = services.catalog.runs.report(principal, thread_id)
    if report is None:
        raise InvalidInput(_no_report(run))
    cited = {source["document_id"] for source in report["sources"]}
    documents = services.library.documents(principal)
    metadata = {each.document_id: each for each in documents if each.document_id in cited}
    return export_report(report, format_name, date=run.created_at[:10], metadata=metadata)


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
