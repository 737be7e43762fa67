"""A report or a conversation as one document, which every format writes down."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
)
from services.language.text.normal import one_line

Json = Mapping[str, Any]
PageImages = Callable[[Citation], tuple[bytes, ...]]
"""Return the PNGs that show a cited passage, marked on its pages; () if that fails."""
TOUCHING: Final = 3
"""Characters between two quotes that belong together: a blank, a comma, a bracket."""


def no_images(_: Citation) -> tuple[bytes, ...]:
    return ()


@dataclass(frozen=True)
class Source:
    """A document that the answer cites. ``author`` and ``date`` are empty if not stated."""

    number: int
    document: str
    title: str
    author: str
    date: str
    sections: tuple[str, ...]
    pages: tuple[int, ...]
    page_names: tuple[str, ...]
    sha256: str

    def description(self, labels: Labels) -> str:
        """Return author, date, sections and pages, as far as they are known."""
        texts = (
            labels.author.format(self.author) if self.author else "",
            self.date,
            labels.sections.format(", ".join(self.sections)) if self.sections else "",
            labels.pages.format(", ".join(self.page_names)) if self.pages else "",
        )
        return "; ".join(filter(None, texts))

    def with_checksum(self, labels: Labels) -> str:
        """Return the description and the checksum, by which a program recognises the file."""
        texts = (self.description(labels), labels.checksum.format(self.sha256))
        return "; ".join(filter(None, texts))


@dataclass(frozen=True)
class CitedPassage:
    """A cited passage with the number that it has in the text.

    Attributes:
        number: from 1.
        source: number of its source, 0 for none.
        location: ``StrlSchG.pdf · § 78 · S. 50``.
        quote: its words on one line.
        case: the words that say for whom or when the quote holds.
        remark: what a reader should know besides; may be empty.
        in_text: whether the quote is a sentence of the answer.
        recognised: whether the words were read from a picture.
        images: what the pages show of it, and of quotes that touch it.
    """

    number: int
    source: int
    location: str
    quote: str
    case: str
    remark: str
    in_text: bool
    recognised: bool
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Document:
    """A title and blocks for readers; passages and sources for reference managers.

    All text is free of control characters and, except for rows of a table, on one line.
    """

    title: str
    labels: Labels
    blocks: tuple[Block, ...]
    passages: tuple[CitedPassage, ...]
    sources: tuple[Source, ...]


def make_document(
    report: Json,
    *,
    date: str = "",
    metadata: Mapping[str, DocumentMetadata] | None = None,
    neighbourhood: Neighbourhood | None = None,
    page_images: PageImages = no_images,
    appendix: bool = True,
) -> Document:
    """Return the document of a report or a conversation.

    Args:
        report: the JSON object "research report", or one with ``turns``, at least one.
        date: the day of the research, or on which the conversation began, ISO 8601.
        metadata: what is known of the documents, by their id.
        neighbourhood: of all citations of a conversation; a report has its own.
        page_images: draws the cited passages.
        appendix: whether to add checksums, tables and figures.
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
    cited = _merged_sources(turns)
    sources = _sources(cited, metadata or {})
    passages = _passages(layout, cited, page_images, labels)
    facts = filter(None, (*_facts(turns, labels), date))
    blocks: list[Block] = [
        heading(one_line(turns[0]["question"]), "title"),
        Paragraph("soft", (Run(" · ".join(facts), "soft"),)),
        *before,
        *blocks_of(layout, labels),
        *(block for turn in turns for block in _review(turn, labels)),
        *_entries(labels.passages, (_passage_entry(passage) for passage in passages)),
        *_entries(labels.sources, (_source_entry(source, labels) for source in sources)),
        *by_turn(turns, labels, lambda turn: bullet_list(labels.degraded, turn["degraded"])),
    ]
    if appendix:
        files = (f"{file.document}: {labels.checksum.format(file.sha256)}" for file in sources)
        links = sentences(neighbourhood, labels.language) if neighbourhood else []
        blocks += [
            heading(labels.appendix, "title"),
            *bullet_list(labels.checksums, files),
            *bullet_list(labels.neighbourhood.title, links),
            *figures,
        ]
    made_by = made_by.format(one_line(report["thread_id"]))
    blocks.append(Paragraph("footer", (Run(made_by, "soft"),)))
    return Document(one_line(turns[0]["question"]), labels, tuple(blocks), passages, sources)


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
    """Return who signed a reviewed answer off, and when; empty if nobody did."""
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


def _merged_sources(turns: Iterable[Json]) -> list[dict[str, Any]]:
    """Return the sources of all answers, each once, in the order in which they were cited."""
    merged: dict[str, dict[str, Any]] = {}
    for source in (source for turn in turns for source in turn["sources"]):
        same = merged.setdefault(source["document_id"], {**source, "sections": [], "pages": {}})
        same["sections"] = list(dict.fromkeys((*same["sections"], *source["sections"])))
        labels = source.get("page_labels") or map(str, source["pages"])
        same["pages"] |= zip(source["pages"], labels, strict=True)
    return list(merged.values())


def _sources(cited: Iterable[Json], metadata: Mapping[str, DocumentMetadata]) -> tuple[Source, ...]:
    nothing = DocumentMetadata()
    return tuple(
        Source(
            number=number,
            document=one_line(source["document"]),
            title=one_line(source["title"]) or one_line(source["document"]),
            author=one_line((stated := metadata.get(source["document_id"], nothing)).author or ""),
            date=stated.date.isoformat() if stated.date else "",
            sections=tuple(map(one_line, source["sections"])),
            pages=tuple(sorted(source["pages"])),
            page_names=tuple(one_line(label) for _, label in sorted(source["pages"].items())),
            sha256=source["sha256"],
        )
        for number, source in enumerate(cited, 1)
    )


def _passages(
    layout: Layout, cited: Iterable[Json], page_images: PageImages, labels: Labels
) -> tuple[CitedPassage, ...]:
    """Return the cited passages by number; those that touch have their images at the first."""
    quoted = {one_line(line.text) for line in layout.lines if line.quote}
    sources = {source["document_id"]: n for n, source in enumerate(cited, 1)}
    images: dict[int, tuple[bytes, ...]] = {}
    image_at: dict[int, int] = {}
    for citation, (first, *others) in merge_touching(layout.citations):
        if drawn := page_images(citation):
            images[first] = drawn
            image_at |= dict.fromkeys(others, first)
    passages = []
    for number, citation in enumerate(layout.citations, 1):
        quote = one_line(citation.quote)
        location = (
            one_line(citation.document),
            one_line(citation.section_title),
            citation.page_name(labels.page, labels.labelled_page),
        )
        remarks = (
            labels.in_text if quote in quoted else "",
            "" if citation.verified else labels.unverified,
            labels.recognised if citation.recognised else "",
            labels.pictured_at.format(image_at[number]) if number in image_at else "",
        )
        passages.append(
            CitedPassage(
                number=number,
                source=sources.get(citation.document_id, 0),
                location=" · ".join(filter(None, location)),
                quote=quote,
                case=case_of(citation),
                remark=", ".join(filter(None, remarks)),
                in_text=quote in quoted,
                recognised=citation.recognised,
                images=images.get(number, ()),
            )
        )
    return tuple(passages)


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


def _entries(title: str, entries: Iterable[Paragraph]) -> list[Block]:
    """Return a heading and a numbered list; nothing without entries."""
    blocks: list[Block] = list(entries)
    return [heading(title), *blocks] if blocks else []


def _passage_entry(passage: CitedPassage) -> Paragraph:
    target = f"source-{passage.source}" if passage.source else ""
    runs = [Run(passage.location, "place", target)]
    if not passage.in_text:
        runs[0] = Run(f"{passage.location}:", "place", target)
        runs += [Run(passage.case, "soft")] if passage.case else []
        runs.append(Run(passage.quote, "quoted"))
    if passage.remark:
        runs.append(Run(f"({passage.remark})", "soft"))
    number = passage.number
    return Paragraph("entry", tuple(runs), number, f"passage-{number}", passage.images)


def _source_entry(source: Source, labels: Labels) -> Paragraph:
    titled = source.title != source.document
    runs = [Run(f"{source.document}:" if titled else source.document, "bold")]
    runs += [Run(source.title)] if titled else []
    if description := source.description(labels):
        runs.append(Run(f"\n{description}", "soft"))
    return Paragraph("entry", tuple(runs), source.number, f"source-{source.number}")
