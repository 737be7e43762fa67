"""What a thread has come to as a file, with what the catalog knows of its sources."""

from typing import Any, cast

from services.build import Services
from services.domain import Citation, Principal
from services.domain.errors import InvalidInput, NotFound, RabbitholeError
from services.domain.reviews import read_sentence, reviewed
from services.domain.runs import RunInfo
from services.export.clean import file_stem
from services.export.document import Cut, make_document, no_cut
from services.export.formats import FORMATS, Format, as_json, written
from services.export.neighbourhood import Neighbourhood
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
    if format_name == AS_IT_IS:
        return as_json(rendered(_with_reviews(services, thread_id, report, layered=False)))
    answers = report["turns"] if run.kind == "ask" else [report]
    pictured = FORMATS[format_name].pictures
    document = make_document(
        in_its_language(_with_reviews(services, thread_id, report, layered=True)),
        date=run.created_at[:10],
        metadata={each.document_id: each for each in services.library.documents(principal)},
        around=_around(services, principal, run, report) if run.kind == "ask" else None,
        cut=_drawing(services, principal, answers) if pictured else no_cut,
        appendix=appendix,
    )
    return written(document, format_name)


def _drawing(services: Services, principal: Principal, answers: list[Json]) -> Cut:
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


def _with_reviews(services: Services, thread_id: str, report: Json, *, layered: bool) -> Json:
    """The report, or its turns, with what was decided about it.

    For programs the answer stays as it was written, and the decisions stand beside it.
    """

    def layer(answer: Json, turn: int) -> Json:
        sentences = [read_sentence(each) for each in answer["sentences"]]
        review = services.catalog.reviews.of(thread_id, turn, sentences)
        if not (review.decisions or review.notes or review.signed):
            return answer
        decided = {"review": review.model_dump(mode="json")}
        return reviewed(answer, review) if layered else {**answer, **decided}

    if "turns" in report:
        turns = [layer(each, n) for n, each in enumerate(report["turns"], 1)]
        return {**report, "turns": turns}
    return layer(report, 1)


def _around(
    services: Services, principal: Principal, run: RunInfo, conversation: Json
) -> Neighbourhood | None:
    """What stands around all that a conversation quotes; None where it may not be read any more."""
    from agent.ask.report import cited_by
    from services.library.neighbours import neighbourhood_of

    try:
        scope = services.catalog.scope_of(principal, run)
    except NotFound:
        return None
    quoted = (turn for turn in conversation["turns"] if not turn["listed"])
    return neighbourhood_of(cited_by(quoted), services.catalog, scope)


def in_its_language(report: Json) -> Json:
    """The report, or its turns, with what is said of it in the language of the answer."""
    if "turns" in report:
        return {**report, "turns": [in_its_language(turn) for turn in report["turns"]]}
    return cast(Json, rendered(report, report["language"]))


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
