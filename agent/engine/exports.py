"""Export the report of a thread, a grid or a sweep as a file, with its sources and readings."""

from collections.abc import Iterable
from typing import Any, cast

from agent.engine.reports import SINCE_ADDED, answers_of, cited_by, with_newer
from agent.grid.models import GridOptions
from services.build import Services
from services.catalog.grids import Grids
from services.domain import Citation, Principal
from services.domain.answers import apply_review, parse_sentence
from services.domain.errors import InvalidInput, NotFound, RabbitholeError
from services.domain.grids import SWEPT, GridTable, SweepResult
from services.domain.runs import RunInfo
from services.export.document import PageImages, make_document
from services.export.formats import FORMATS, GRID_FORMATS, Format, as_json, render, render_listing
from services.export.grids import listing_of_grid, listing_of_sweep
from services.export.neighbourhood import Neighbourhood
from services.export.texts import file_stem
from services.library.pages.marks import CLOSE
from services.locale import rendered

__all__ = ["FORMATS", "GRID_FORMATS", "Format", "export", "export_listing", "file_stem"]

Json = dict[str, Any]
MOST_PAGES = 3
"""Most pages shown of a passage."""
AS_IT_IS = "json"
"""The format for programs, which get notices untranslated."""


def export(
    services: Services, principal: Principal, thread_id: str, format_name: str, *, appendix: bool
) -> bytes:
    """Return the report, or the conversation, in one of ``FORMATS``.

    PDF and DOCX show images of the cited pages. Without ``appendix`` checksums, tables and figures
    are left out. Raises NotFound if there is no such thread among the principal's runs,
    InvalidInput if it has no report or answer, or there is no such format.
    """
    _require_format(format_name, FORMATS)
    run = services.catalog.runs.get(principal, thread_id)
    report: Json | None = services.catalog.runs.report(principal, thread_id)
    if report is None:
        raise _no_report(run)
    report = with_newer(report, run, services, principal)
    answers = answers_of(report)
    layered = format_name != AS_IT_IS
    turns = [
        _reviewed(services, thread_id, answer, number, layered=layered)
        for number, answer in enumerate(answers, start=1)
    ]
    exported = {**report, "turns": turns} if run.kind == "ask" else turns[0]
    if not layered:
        return as_json(rendered(exported))
    pictured = FORMATS[format_name].pictures
    document = make_document(
        exported,
        date=run.created_at[:10],
        metadata={info.document_id: info for info in services.library.documents(principal)},
        neighbourhood=_around(services, principal, run, answers) if run.kind == "ask" else None,
        page_images=_drawing(services, principal, answers) if pictured else None,
        appendix=appendix,
    )
    return render(document, format_name)


def _require_format(name: str, formats: Iterable[str]) -> None:
    if name not in formats:
        raise InvalidInput(
            "There is no format {format!r}. Use one of {formats}.",
            format=name,
            formats=", ".join(formats),
        )


def _drawing(services: Services, principal: Principal, answers: list[Json]) -> PageImages:
    versions = {source["document_id"]: source["parser_version"] for answer in answers
                for source in answer["sources"]}  # fmt: skip

    def draw(citation: Citation, page: int) -> Any:
        return services.library.page_image(
            principal,
            citation.document_id,
            page,
            span=(citation.start, citation.end),
            around=CLOSE,
            parser_version=versions.get(citation.document_id),
        )

    def page_images(citation: Citation) -> tuple[bytes, ...]:
        if citation.page is None:
            return ()
        try:
            images = [draw(citation, citation.page)]
            last = min(images[0].last_page, citation.page + MOST_PAGES - 1)
            images += [draw(citation, page) for page in range(citation.page + 1, last + 1)]
        except RabbitholeError:
            return ()  # the quote is there anyway
        return tuple(image.png for image in images if image.boxes)

    return page_images


def _reviewed(
    services: Services, thread_id: str, answer: Json, turn: int, *, layered: bool
) -> Json:
    """Return an answer with the decisions of its review, and its notices in its language.

    For programs the answer stays as it was written, with the decisions in a field of their own.
    """
    answer = {**SINCE_ADDED, **answer} if layered else answer
    sentences = list(map(parse_sentence, answer["sentences"]))
    review = services.catalog.reviews.of(thread_id, turn, sentences)
    if review.decisions or review.notes or review.signed:
        decided = {"review": review.model_dump(mode="json")}
        answer = apply_review(answer, review) if layered else {**answer, **decided}
    return cast(Json, rendered(answer, answer["language"])) if layered else answer


def _around(
    services: Services, principal: Principal, run: RunInfo, answers: list[Json]
) -> Neighbourhood | None:
    """Return the sections around those that answers quote; None if they are no longer readable."""
    from services.library.relations import neighbourhood_of

    try:
        scope = services.catalog.scope_of(principal, run)
    except NotFound:
        return None
    quoted = (turn for turn in answers if not turn.get("listed"))
    return neighbourhood_of(cited_by(quoted), services.catalog, scope)


def _no_report(run: RunInfo) -> InvalidInput:
    if run.status == "cancelled":
        return InvalidInput(
            "Thread {thread} was cancelled before anything was found, so it has no report. "
            "Ask again with `rabbithole research`.",
            thread=run.thread_id,
        )
    return InvalidInput(
        "Thread {thread} has no report yet ({status}). Finish it with `rabbithole resume "
        "{thread}`, then export it.",
        thread=run.thread_id,
        status=run.status,
    )


def export_listing(
    listed: GridTable | SweepResult, options: GridOptions, format_name: str, grids: Grids
) -> bytes:
    """Return a grid or a sweep in one of ``GRID_FORMATS``; raises InvalidInput for another."""
    _require_format(format_name, GRID_FORMATS)
    columns = [SWEPT] if isinstance(listed, SweepResult) else [c.id for c in listed.columns]
    readings = {
        (row, column): reading
        for column in columns
        for row, reading in grids.readings(listed.thread_id, column)
    }
    if format_name == "json":
        content = listed.model_dump(mode="json") | {"language": options.language}
        if isinstance(listed, GridTable):
            cells = (
                cell.model_copy(update={"reading": readings.get((cell.row, cell.column))})
                for cell in listed.cells
            )
            content["cells"] = [cell.model_dump(mode="json") for cell in cells]
        return as_json(rendered(content))
    if isinstance(listed, GridTable):
        listing = listing_of_grid(listed, readings, options.language)
    else:
        sections = [(row.name, (row.id, SWEPT) in readings) for row in grids.rows(listed.thread_id)]
        listing = listing_of_sweep(listed, sections, options.language)
    return render_listing(listing, format_name)
