"""A report or a conversation as one value that every format writes down."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from services.domain import Citation
from services.domain.metadata import DocumentMetadata
from services.domain.reviews import Review, SentenceReview
from services.export.blocks import Block, Items, behind_the_answer, items_of
from services.export.clean import one_line
from services.export.conversation import behind_the_answers, by_turn, laid_out
from services.export.layout import Layout, Line, Part, case_of, lay_out, said, standings_of
from services.export.neighbourhood import Neighbourhood, of_report, sentences
from services.export.words import Words, counted, words_for

Cut = Callable[[Citation], tuple[bytes, ...]]
"""Draws a cited place: what its pages show of it, marked, as PNG; nothing where that fails."""


TOUCHING: Final = 3
"""Characters between two quotes that belong together: a blank, a comma, a bracket."""


def no_cut(_place: Citation) -> tuple[bytes, ...]:
    return ()


@dataclass(frozen=True)
class Source:
    """A document that the answer cites. ``author`` and ``date`` are empty where not stated."""

    number: int
    document: str
    title: str
    author: str
    date: str
    sections: tuple[str, ...]
    pages: tuple[int, ...]
    sha256: str


@dataclass(frozen=True)
class Passage:
    """A cited place. ``in_text`` says that the answer has the quote as a sentence of its own.

    ``case`` are the words that say for whom or when the quote holds, ``pictures`` what the pages
    show of it; they stand at the passage ``pictured_at`` where that one goes on here, 0 for none.
    ``recognised``: the words were read from a picture.
    """

    number: int
    source: int
    document: str
    section: str
    page: int | None
    quote: str
    verified: bool
    in_text: bool
    case: str = ""
    pictures: tuple[bytes, ...] = ()
    recognised: bool = False
    pictured_at: int = 0


@dataclass(frozen=True)
class Document:
    """What all formats say. All text is on one line and free of control characters.

    ``facts`` are short statements about the whole; the blocks are lists and tables that stand
    before the answer, after it, and behind its sources; those of the appendix can be left out.
    """

    title: str
    words: Words
    made_by: str
    facts: tuple[str, ...]
    before: tuple[Block, ...]
    parts: tuple[Part, ...]
    after: tuple[Block, ...]
    passages: tuple[Passage, ...]
    sources: tuple[Source, ...]
    behind: tuple[Block, ...]
    appendix: tuple[Block, ...]

    def place(self, passage: Passage) -> str:
        """``StrlSchG.pdf · § 78 · S. 50``."""
        page = "" if passage.page is None else self.words.page.format(passage.page)
        return " · ".join(filter(None, (passage.document, passage.section, page)))

    def remark(self, passage: Passage) -> str:
        """What is to be known of a passage besides its place and quote; may be empty."""
        said = (
            self.words.in_text if passage.in_text else "",
            "" if passage.verified else self.words.unverified,
            self.words.recognised if passage.recognised else "",
            self.words.pictured_at.format(passage.pictured_at) if passage.pictured_at else "",
        )
        return ", ".join(filter(None, said))

    def mark(self, line: Line) -> str:
        """What is to be known of a sentence that is no proof, with the reason; may be empty."""
        if line.review is not None:
            return said_of(line.review, self.words)
        if line.proven or line.standing is None:
            return ""
        mark = self.words.marks[line.standing]
        return f"{mark}: {line.reason}" if line.reason else mark

    def note(self, line: Line) -> str:
        """What a person noted at a sentence, with who and when; may be empty."""
        if line.note is None:
            return ""
        said = line.note
        words = self.words.review.note
        return str(words.format(one_line(said.user), said.at[:10], one_line(said.text)))

    def description(self, source: Source) -> str:
        """All that is known of a source besides its file name and title."""
        words = self.words
        said = (
            words.author.format(source.author) if source.author else "",
            source.date,
            words.sections.format(", ".join(source.sections)) if source.sections else "",
            words.pages.format(", ".join(map(str, source.pages))) if source.pages else "",
        )
        return "; ".join(filter(None, said))

    def checked(self, source: Source) -> str:
        """The same with the checksum, by which a program knows the file again."""
        known = (self.description(source), self.words.checksum.format(source.sha256))
        return "; ".join(filter(None, known))


def make_document(
    report: Mapping[str, Any],
    *,
    date: str = "",
    metadata: Mapping[str, DocumentMetadata] | None = None,
    around: Neighbourhood | None = None,
    cut: Cut = no_cut,
    appendix: bool = True,
) -> Document:
    """The value of a report or a conversation.

    Args:
        report: the JSON object "research report", or one with ``turns``, at least one.
        date: the day of the research, or on which the conversation began, ISO 8601.
        metadata: what is known of the documents, by their id.
        around: what stands around all that a conversation cites; a report says it itself.
        cut: draws the cited places.
        appendix: whether checksums, tables and figures go with it.
    """
    behind: Iterable[Block]
    before: tuple[Block, ...] = ()
    if turns := report.get("turns"):
        words = words_for(turns[0]["language"])
        made_by, layout = words.made_by_ask, laid_out(turns, words)
        parts, behind = layout.parts, behind_the_answers(turns, words)
    else:
        turns, words, around = [report], words_for(report["language"]), of_report(report)
        made_by, layout = words.made_by, lay_out(report)
        before = items_of(words.warnings, report["warnings"])
        parts = _told_apart(layout.parts, report, words, alone=not before)
        behind = behind_the_answer(report, words)
    cited = _merged(turns)
    sources = sources_of(cited, metadata or {})
    return Document(
        title=one_line(turns[0]["question"]),
        words=words,
        made_by=made_by.format(one_line(report["thread_id"])),
        facts=tuple(filter(None, (*_facts(turns, words), date))),
        before=before,
        parts=parts,
        after=tuple(block for turn in turns for block in review_of(turn, words)),
        passages=passages_of(layout, cited, cut),
        sources=sources,
        behind=tuple(
            by_turn(turns, words, lambda turn: items_of(words.degraded, turn["degraded"]))
        ),
        appendix=(
            *checksums(sources, words),
            *items_of(
                words.neighbourhood.title, sentences(around, words.language) if around else ()
            ),
            *behind,
        )
        if appendix
        else (),
    )


def _facts(turns: Sequence[Mapping[str, Any]], words: Words) -> Iterator[str]:
    """How much is proven, who signed it off, and which models wrote it."""
    for closest in (False, True):
        standings: Counter[str] = Counter()
        for turn in turns:
            if (_certainty(turn) == "perhaps") is closest:
                standings.update(standings_of(turn["sentences"]))
        certainty = "perhaps" if closest else "answered"
        yield counted(standings, certainty, words.language) if standings else ""
    yield from dict.fromkeys(signed(turn, words) for turn in turns)
    yield from dict.fromkeys(words.model_name(one_line(turn["usage"]["model"])) for turn in turns)


def _certainty(turn: Mapping[str, Any]) -> str:
    return str(turn.get("certainty", "refused" if turn.get("refused") else "answered"))


def _merged(turns: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The sources of all answers, each once, in the order in which they were cited."""
    found: dict[str, dict[str, Any]] = {}
    for source in (source for turn in turns for source in turn["sources"]):
        known = found.setdefault(source["document_id"], {**source, "sections": [], "pages": []})
        known["sections"] = list(dict.fromkeys((*known["sections"], *source["sections"])))
        known["pages"] = sorted({*known["pages"], *source["pages"]})
    return list(found.values())


def checksums(sources: Iterable[Source], words: Words) -> tuple[Block, ...]:
    """The title of the appendix, and what proves that the files are the same."""
    items = [f"{each.document}: {words.checksum.format(each.sha256)}" for each in sources]
    return (Items(words.appendix, ()), *items_of(words.checksums, items))


def said_of(review: SentenceReview, words: Words) -> str:
    """``formuliert von anna am 2026-11-24``."""
    return str(words.review[review.decision].format(one_line(review.user), review.at[:10]))


def signed(report: Mapping[str, Any], words: Words) -> str:
    """Who signed a reviewed answer off, and when; empty where nobody did."""
    review: Review | None = report.get("review")
    if review is None or review.signed is None:
        return ""
    return str(words.review.signed.format(one_line(review.signed.user), review.signed.at[:10]))


def review_of(report: Mapping[str, Any], words: Words) -> tuple[Block, ...]:
    """What was changed in the answer, by whom and when, so that nothing is lost."""
    review: Review | None = report.get("review")
    changed = sorted((review.decisions if review else {}).values(), key=lambda each: each.sentence)
    return items_of(
        words.review.title,
        (
            words.review.removed.format(each.user, each.at[:10], each.original)
            if each.decision == "remove"
            else words.review.was.format(said_of(each, words), each.original)
            for each in changed
            if each.decision != "accept"
        ),
    )


def _told_apart(
    parts: tuple[Part, ...], report: Mapping[str, Any], words: Words, *, alone: bool
) -> tuple[Part, ...]:
    """The parts after what is said first; the answer has a heading where something precedes it."""
    certainty = _certainty(report)
    if certainty == "refused":
        opening = said([report.get("opening") or ""])
        return (Part("", opening), *parts) if opening else parts
    closest = certainty == "perhaps"
    if not parts or (alone and not closest):
        return parts
    if parts[0].heading:
        return (Part(words.closest, ()), *parts) if closest else parts
    return (replace(parts[0], heading=words.closest if closest else words.answer), *parts[1:])


def passages_of(
    layout: Layout, sources: Iterable[Mapping[str, Any]], cut: Cut
) -> tuple[Passage, ...]:
    """The cited places by number, from 1, each with the number of its source."""
    own_words = {one_line(line.text) for part in layout.parts for line in part.lines if line.quote}
    by_id = {source["document_id"]: n for n, source in enumerate(sources, 1)}
    pictures: dict[int, tuple[bytes, ...]] = {}
    pictured_at: dict[int, int] = {}
    for whole, numbers in together(layout.places):
        if drawn := cut(whole):
            pictures[numbers[0]] = drawn
            pictured_at |= dict.fromkeys(numbers[1:], numbers[0])
    return tuple(
        Passage(
            number=number,
            source=by_id.get(place.document_id, 0),
            document=one_line(place.document),
            section=one_line(place.titled),
            page=place.page,
            quote=(quote := one_line(place.quote)),
            verified=place.verified,
            in_text=quote in own_words,
            case=case_of(place),
            pictures=pictures.get(number, ()),
            recognised=place.recognised,
            pictured_at=pictured_at.get(number, 0),
        )
        for number, place in enumerate(layout.places, 1)
    )


def together(places: Sequence[Citation]) -> list[tuple[Citation, list[int]]]:
    """Places that overlap or touch as one, with their numbers from 1; in order of the documents."""
    groups: list[tuple[Citation, list[int]]] = []
    by_start = sorted(enumerate(places, 1), key=lambda each: (each[1].document_id, each[1].start))
    for number, place in by_start:
        before = groups[-1][0] if groups else place
        same = groups and before.document_id == place.document_id
        if same and place.start - before.end <= TOUCHING:
            update = {"end": max(before.end, place.end)}
            numbers = sorted([*groups.pop()[1], number])
            groups.append((before.model_copy(update=update), numbers))
        else:
            groups.append((place, [number]))
    return groups


def sources_of(
    sources: Iterable[Mapping[str, Any]], known: Mapping[str, DocumentMetadata]
) -> tuple[Source, ...]:
    """Sources by number, from 1."""
    nothing = DocumentMetadata()
    return tuple(
        Source(
            number=number,
            document=one_line(source["document"]),
            title=one_line(source["title"]) or one_line(source["document"]),
            author=one_line((stated := known.get(source["document_id"], nothing)).author or ""),
            date=stated.date.isoformat() if stated.date else "",
            sections=tuple(map(one_line, source["sections"])),
            pages=tuple(source["pages"]),
            sha256=source["sha256"],
        )
        for number, source in enumerate(sources, 1)
    )
