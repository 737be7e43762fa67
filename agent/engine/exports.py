"""What a thread has come to as a file, with what the catalog knows of its sources."""

from typing import Any, cast

from agent.engine.reports import SINCE_ADDED, answers_of, cited_by
from services.build import Services
from services.domain import Citation, Principal
from services.domain.errors import InvalidInput, NotFound, RabbitholeError
from services.domain.reviews import apply_review, parse_sentence
from services.domain.runs import RunInfo
from services.export.document import PageImages, make_document, no_images
from services.export.formats import FORMATS, Format, as_json, render
from services.export.neighbourhood import Neighbourhood
from services.export.texts import file_stem
from services.library.pages.request import CLOSE
from services.locale import rendered

__all__ = ["FORMATS", "Format", "export", "file_stem"]

Json = dict[str, Any]
MOST_PAGES = 3
"""Pages that are shown of a place that goes on over more."""
AS_IT_IS = "json"
"""The format for programs, which say things themselves."""


def export(
    services: Services,
    principal: Principal,
    thread_id: str,
    format_name: str,
    *,
    appendix: bool = True,
) -> bytes:
    """The report, or the conversation, in one of ``FORMATS``; needs the catalog alone.

    PDF and DOCX show what the pages say. Without ``appendix`` checksums, tables and figures stay
    out.

    Raises:
        NotFound: there is no such thread among the principal's runs.
        InvalidInput: it has no report or answer, or there is no such format.
    """
    if format_name not in FORMATS:
        raise InvalidInput(
            "There is no format {format!r}. Use one of {formats}.",
            format=format_name,
            formats=", ".join(FORMATS),
        )
    run = services.catalog.runs.get(principal, thread_id)
    report: Json | None = services.catalog.runs.report(principal, thread_id)
    if report is None:
        raise _no_report(run)
    answers = answers_of(report)
    layered = format_name != AS_IT_IS
    shown = [
        _shown(services, thread_id, answer, turn, layered=layered)
        for turn, answer in enumerate(answers, start=1)
    ]
    whole = {**report, "turns": shown} if run.kind == "ask" else shown[0]
    if not layered:
        return as_json(rendered(whole))
    pictured = FORMATS[format_name].pictures
    document = make_document(
        whole,
        date=run.created_at[:10],
        metadata={each.document_id: each for each in services.library.documents(principal)},
        neighbourhood=_around(services, principal, run, answers) if run.kind == "ask" else None,
        page_images=_drawing(services, principal, answers) if pictured else no_images,
        appendix=appendix,
    )
    return render(document, format_name)


def _drawing(services: Services, principal: Principal, answers: list[Json]) -> PageImages:
    """Draws what the pages show of a place, by the text that the answer was made of."""
    versions = {each["document_id"]: each["parser_version"] for answer in answers
                for each in answer["sources"]}  # fmt: skip

    def draw(place: Citation, page: int) -> Any:
        return services.library.page_image(
            principal,
            place.document_id,
            page,
            span=(place.start, place.end),
            around=CLOSE,
            parser_version=versions.get(place.document_id),
        )

    def cut(place: Citation) -> tuple[bytes, ...]:
        if place.page is None:
            return ()
        try:
            drawn = [draw(place, place.page)]
            until = min(drawn[0].last_page, place.page + MOST_PAGES - 1)
            drawn += [draw(place, page) for page in range(place.page + 1, until + 1)]
        except RabbitholeError:
            return ()  # the words of the place stand there anyway
        return tuple(each.png for each in drawn if each.boxes)

    return cut


def _shown(services: Services, thread_id: str, answer: Json, turn: int, *, layered: bool) -> Json:
    """An answer with what was decided about it, and what is said of it in its language.

    For programs the answer stays as it was written, and the decisions stand beside it.
    """
    answer = {**SINCE_ADDED, **answer} if layered else answer
    sentences = [parse_sentence(each) for each in answer["sentences"]]
    review = services.catalog.reviews.of(thread_id, turn, sentences)
    if review.decisions or review.notes or review.signed:
        decided = {"review": review.model_dump(mode="json")}
        answer = apply_review(answer, review) if layered else {**answer, **decided}
    return cast(Json, rendered(answer, answer["language"])) if layered else answer


def _around(
    services: Services, principal: Principal, run: RunInfo, answers: list[Json]
) -> Neighbourhood | None:
    """What stands around all that answers quote; None where it may not be read any more."""
    from services.library.neighbours import neighbourhood_of

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
        "Thread {thread} has no report yet, it is {status}. Bring it to its end with "
        "`rabbithole resume {thread}`, then export it.",
        thread=run.thread_id,
        status=run.status,
    )
