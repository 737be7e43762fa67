"""A report or a conversation as one document, which every format writes down."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from services.domain import Citation
from services.domain.answers import Review
from services.domain.passages import DocumentMetadata
from services.export.answer import (
    blocks_of,
    by_turn,
    certainty_of,
    decision_text,
    figures_of_report,
    figures_of_turns,
    layout_of_report,
    layout_of_turns,
)
from services.export.layout import Layout, case_of, standings_of
from services.export.neighbourhood import Neighbourhood, of_report, sentences
from services.export.texts import (
    Block,
    Labels,
    Paragraph,
    Run,
    bullet_list,
    heading,
    labels_for,
    standings_text,
    titled,
)
from services.language.text.normal import one_line

Json = Mapping[str, Any]
PageImages = Callable[[Citation], tuple[bytes, ...]]
"""Return the PNGs that show a cited passage, marked on its pages; () if that fails."""
TOUCHING: Final = 3
"""Characters between two quotes that belong together: a blank, a comma, a bracket."""


@dataclass(frozen=True)
class CitedDocument:
    """A document that the answer cites. ``author`` and ``date`` are empty if not stated.

    ``notes`` are its cited passages: ``[1] StrlSchG.pdf · § 78 · S. 50: the quote``.
    """

    number: int
    document: str
    title: str
    author: str
    date: str
    sections: tuple[str, ...]
    pages: tuple[str, ...]
    sha256: str
    notes: list[str] = field(default_factory=list)

    def description(self, labels: Labels) -> str:
        """Return author, date, sections and pages, as far as they are known."""
        texts = (
            labels.author.format(self.author) if self.author else "",
            self.date,
            labels.sections.format(", ".join(self.sections)) if self.sections else "",
            labels.pages.format(", ".join(self.pages)) if self.pages else "",
        )
        return "; ".join(filter(None, texts))

    def with_checksum(self, labels: Labels) -> str:
        """Return the description and the checksum, by which a program recognises the file."""
        texts = (self.description(labels), labels.checksum.format(self.sha256))
        return "; ".join(filter(None, texts))


@dataclass(frozen=True)
class Document:
    """A title and blocks for readers; sources for reference managers.

    Text is free of control characters and, except for rows of a table, on one line.
    """

    title: str
    labels: Labels
    blocks: tuple[Block, ...]
    sources: tuple[CitedDocument, ...] = ()


def make_document(
    report: Json,
    *,
    date: str = "",
    metadata: Mapping[str, DocumentMetadata] | None = None,
    neighbourhood: Neighbourhood | None = None,
    page_images: PageImages | None = None,
    appendix: bool = True,
) -> Document:
    """Return the document of a report, or of a conversation: JSON with ``turns``, at least one.

    ``date`` is the day of the research or when the conversation began, ISO 8601; ``metadata`` is by
    document id. A report has its own ``neighbourhood``. The ``appendix`` has checksums and figures.
    """
    before: list[Block] = []
    if turns := report.get("turns"):
        labels = labels_for(turns[0]["language"])
        layout = layout_of_turns(turns, labels)
        figures, made_by = figures_of_turns(turns, labels), labels.made_by_ask
    else:
        turns, labels = [report], labels_for(report["language"])
        neighbourhood = of_report(report)
        before = bullet_list(labels.warnings, report["warnings"])
        layout = layout_of_report(report, labels, first=not before)
        figures, made_by = figures_of_report(report, labels), labels.made_by
    sources, draw = _sources(turns, metadata or {}), page_images or (lambda _: ())
    facts = filter(None, (*_facts(turns, labels), date))
    blocks: list[Block] = [
        heading(one_line(turns[0]["question"]), "title"),
        Paragraph("soft", (Run(" · ".join(facts), "soft"),)),
        *before,
        *blocks_of(layout, labels),
        *(block for turn in turns for block in _review(turn, labels)),
        *titled(labels.passages, _passage_entries(layout, sources, draw, labels)),
        *titled(labels.sources, (_source_entry(source, labels) for source in sources.values())),
        *by_turn(turns, labels, lambda turn: bullet_list(labels.degraded, turn["degraded"])),
    ]
    if appendix:
        files = (
            f"{file.document}: {labels.checksum.format(file.sha256)}" for file in sources.values()
        )
        links = sentences(neighbourhood, labels.language) if neighbourhood else []
        blocks += [
            heading(labels.appendix, "title"),
            *bullet_list(labels.checksums, files),
            *bullet_list(labels.neighbourhood.title, links),
            *figures,
        ]
    made_by = made_by.format(one_line(report["thread_id"]))
    blocks.append(Paragraph("footer", (Run(made_by, "soft"),)))
    return Document(one_line(turns[0]["question"]), labels, tuple(blocks), tuple(sources.values()))


def _facts(turns: Sequence[Json], labels: Labels) -> Iterator[str]:
    """Yield how much is proven, who signed it off, and which models wrote it."""
    for certainty in ("answered", "perhaps"):
        standings: Counter[str] = Counter()
        for turn in turns:
            if (certainty_of(turn) == "perhaps") is (certainty == "perhaps"):
                standings.update(standings_of(turn["sentences"]))
        yield standings_text(standings, certainty, labels.language) if standings else ""
    yield from dict.fromkeys(_signature(turn, labels) for turn in turns)
    for model in dict.fromkeys(turn["usage"]["model"] for turn in turns):
        yield str(labels.no_model if model == "none" else labels.model.format(one_line(model)))


def _signature(answer: Json, labels: Labels) -> str:
    review: Review | None = answer.get("review")
    if review is None or review.signed is None:
        return ""
    return str(labels.review.signed.format(one_line(review.signed.user), review.signed.at[:10]))


def _review(answer: Json, labels: Labels) -> list[Block]:
    """List what was changed in the answer, by whom and when, with the words before."""
    review: Review | None = answer.get("review")
    changes = review.decisions.values() if review else ()
    return bullet_list(
        labels.review.title,
        (
            labels.review.removed.format(change.user, change.at[:10], change.original)
            if change.decision == "remove"
            else labels.review.was.format(decision_text(change, labels), change.original)
            for change in sorted(changes, key=lambda change: change.sentence)
            if change.decision != "accept"
        ),
    )


def _sources(
    turns: Iterable[Json], metadata: Mapping[str, DocumentMetadata]
) -> dict[str, CitedDocument]:
    """Return the sources of all answers by id, in the order in which they were cited."""
    by_id: dict[str, list[Json]] = {}
    for source in (source for turn in turns for source in turn["sources"]):
        by_id.setdefault(source["document_id"], []).append(source)
    return {
        document_id: _source(number, mentions, metadata.get(document_id, DocumentMetadata()))
        for number, (document_id, mentions) in enumerate(by_id.items(), 1)
    }


def _source(number: int, mentions: Sequence[Json], stated: DocumentMetadata) -> CitedDocument:
    document, pages = one_line(mentions[0]["document"]), dict[int, str]()
    for source in mentions:
        labels = source.get("page_labels") or map(str, source["pages"])
        pages |= zip(source["pages"], labels, strict=True)
    sections = dict.fromkeys(label for source in mentions for label in source["sections"])
    return CitedDocument(
        number=number,
        document=document,
        title=one_line(mentions[0]["title"]) or document,
        author=one_line(stated.author or ""),
        date=stated.date.isoformat() if stated.date else "",
        sections=tuple(map(one_line, sections)),
        pages=tuple(one_line(label) for _, label in sorted(pages.items())),
        sha256=mentions[0]["sha256"],
    )


def _passage_entries(
    layout: Layout, sources: Mapping[str, CitedDocument], page_images: PageImages, labels: Labels
) -> Iterator[Paragraph]:
    """Yield the cited passages by number, and note them at their sources.

    Those that touch have their images at the first.
    """
    quotes = {one_line(line.text) for line in layout.lines if line.quote}
    images: dict[int, tuple[bytes, ...]] = {}
    image_at: dict[int, int] = {}
    for citation, (first, *others) in merge_touching(layout.citations):
        if drawn := page_images(citation):
            images[first] = drawn
            image_at |= dict.fromkeys(others, first)
    for number, citation in enumerate(layout.citations, 1):
        quote, case = one_line(citation.quote), case_of(citation)
        in_text, recognised = quote in quotes, labels.recognised if citation.recognised else ""
        names = (
            one_line(citation.document),
            one_line(citation.section_title),
            citation.page_name(labels.page, labels.labelled_page),
        )
        location = " · ".join(filter(None, names))
        remarks = (
            labels.in_text if in_text else "",
            "" if citation.verified else labels.unverified,
            recognised,
            labels.pictured_at.format(image_at[number]) if number in image_at else "",
        )
        target = ""
        if source := sources.get(citation.document_id):
            target = f"source-{source.number}"
            words = f"{case} … {quote}" if case else quote
            remark = f" ({recognised})" if recognised else ""
            source.notes.append(f"[{number}] {location}: {words}{remark}")
        runs = [Run(location if in_text else f"{location}:", "place", target)]
        if not in_text:
            runs += [Run(case, "soft")] if case else []
            runs.append(Run(quote, "quoted"))
        if remark := ", ".join(filter(None, remarks)):
            runs.append(Run(f"({remark})", "soft"))
        yield Paragraph("entry", tuple(runs), number, f"passage-{number}", images.get(number, ()))


def merge_touching(citations: Sequence[Citation]) -> list[tuple[Citation, list[int]]]:
    """Merge citations that overlap or touch, each with the numbers merged, from 1.

    They come in order of document and start.
    """
    merged: list[tuple[Citation, list[int]]] = []
    numbers = {citation.key: n for n, citation in enumerate(citations, 1)}
    for citation in sorted(citations, key=lambda cited: (cited.document_id, cited.start)):
        before = merged[-1][0] if merged else citation
        same = merged and before.document_id == citation.document_id
        if same and citation.start - before.end <= TOUCHING:
            joined = sorted([*merged.pop()[1], numbers[citation.key]])
            end = max(before.end, citation.end)
            merged.append((before.model_copy(update={"end": end}), joined))
        else:
            merged.append((citation, [numbers[citation.key]]))
    return merged


def _source_entry(source: CitedDocument, labels: Labels) -> Paragraph:
    titled = source.title != source.document
    runs = [Run(f"{source.document}:" if titled else source.document, "bold")]
    runs += [Run(source.title)] if titled else []
    if description := source.description(labels):
        runs.append(Run(f"\n{description}", "soft"))
    return Paragraph("entry", tuple(runs), source.number, f"source-{source.number}")
