"""The answer as blocks: the sections of a report, or each answer under its question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from services.domain import Citation
from services.domain.reviews import SentenceReview
from services.export.blocks import Block, Kind, Paragraph, Run, Table, heading
from services.export.layout import Layout, LayoutSection, Line, lay_out, remarks
from services.export.texts import Labels, one_line

Json = Mapping[str, Any]
_KINDS: Final[Mapping[str, Kind]] = {"prose": "text", "quote": "quote", "item": "item"}


def certainty_of(answer: Json) -> str:
    """Return the certainty; that of an older answer follows from ``refused``."""
    return str(answer.get("certainty", "refused" if answer.get("refused") else "answered"))


def layout_of_report(report: Json, labels: Labels, *, first: bool) -> Layout:
    """Lay out a report; the answer has a heading unless it is ``first`` in the document."""
    layout = lay_out(report)
    sections = layout.sections
    certainty = certainty_of(report)
    if certainty == "refused":
        if opening := remarks([report.get("opening") or ""]):
            sections = (LayoutSection("", opening), *sections)
    elif certainty == "perhaps" and sections:
        sections = (LayoutSection(labels.closest, ()), *sections)
    elif sections and not first and not sections[0].heading:
        sections = (replace(sections[0], heading=labels.answer), *sections[1:])
    return replace(layout, sections=sections)


def layout_of_turns(turns: Sequence[Json], labels: Labels) -> Layout:
    """Lay out all answers, each under its question if there are several.

    A passage has one number in all of them.
    """
    sections: list[LayoutSection] = []
    citations: tuple[Citation, ...] = ()
    for number, turn in enumerate(turns, 1):
        layout = lay_out(turn, citations)
        citations = layout.citations
        question = labels.question.format(number, one_line(turn["question"]))
        sections += _sections_of_turn(turn, layout, question if len(turns) > 1 else "", labels)
    return Layout(tuple(sections), citations)


def _sections_of_turn(
    turn: Json, layout: Layout, question: str, labels: Labels
) -> list[LayoutSection]:
    """Return an answer with its notes and opening before it, and closing and coverage after it."""
    understood = turn["question_rewritten"]
    before = [
        *([labels.understood.format(understood)] if understood else []),
        *turn["warnings"],
        *turn["opening"].splitlines(),
    ]
    coverage = turn["coverage"]
    sampled = "" if coverage["whole"] else coverage["statement"] or ""
    after = [*turn["closing"].splitlines(), sampled, coverage["warning"] or ""]
    sections = [_listed_places(turn, layout)] if turn["listed"] else list(layout.sections)
    if not sections or sections[0].heading:
        sections.insert(0, LayoutSection("", ()))
    sections[0] = LayoutSection(question, (*remarks(before), *sections[0].lines))
    sections[-1] = replace(sections[-1], lines=(*sections[-1].lines, *remarks(after)))
    return [section for section in sections if section.heading or section.lines]


def _listed_places(turn: Json, layout: Layout) -> LayoutSection:
    """Return the names of the places that an answer lists; their words are among the passages."""
    names = {(cited["document_id"], cited["start"]): cited["place"] for cited in turn["citations"]}
    lines = []
    for line, note in zip(layout.lines, turn["notes"], strict=True):
        cited = layout.citations[line.numbers[0] - 1]
        name = names.get((cited.document_id, cited.start)) or f"{cited.document} {cited.section}"
        text = one_line(f"{name} ({note})" if note else name)
        lines.append(replace(line, text=text, form="item", cells=(), case=""))
    return LayoutSection("", tuple(lines))


def blocks_of(layout: Layout, labels: Labels) -> Iterator[Block]:
    """Yield headings, paragraphs, lists and tables of an answer."""
    if not layout.sections:
        yield Paragraph("text", (Run(labels.nothing_found),))
    for section in layout.sections:
        if section.heading:
            yield heading(section.heading)
        for lines in section.paragraphs:
            yield from _paragraph(lines, labels)


def _paragraph(lines: Sequence[Line], labels: Labels) -> Iterator[Block]:
    """Yield lines as a paragraph, a list or a table; a row has its numbers in the last cell."""
    form = lines[0].form
    if form == "row":
        rows = (
            (*((Run(cell),) for _, cell in line.cells[:-1]), tuple(_runs(line, labels)))
            for line in lines
        )
        yield Table(lines[0].columns, tuple(rows))
    elif form == "item":
        yield from (Paragraph("item", tuple(_runs(line, labels))) for line in lines)
    else:
        runs = (run for line in lines for run in _runs(line, labels))
        yield Paragraph(_KINDS[form], tuple(runs))


def _runs(line: Line, labels: Labels) -> Iterator[Run]:
    if line.case:
        yield Run(line.case, "soft")
    yield Run(line.cited_text, "plain" if line.proven else "unproven")
    if mark := _mark(line, labels):
        yield Run(f"({mark})", "bold")
    yield from (Run(str(number), "raised", f"passage-{number}") for number in line.numbers)
    if line.note is not None:
        note = line.note
        user, text = one_line(note.user), one_line(note.text)
        yield Run(f"[{labels.review.note.format(user, note.at[:10], text)}]", "soft")


def _mark(line: Line, labels: Labels) -> str:
    """Return who decided about a sentence, or why it is not proven; may be empty."""
    if line.review is not None:
        return decision_text(line.review, labels)
    if line.proven or line.standing is None:
        return ""
    mark = str(labels.marks[line.standing])
    return f"{mark}: {line.reason}" if line.reason else mark


def decision_text(review: SentenceReview, labels: Labels) -> str:
    """Return ``formuliert von anna am 2026-11-24``."""
    return str(labels.review[review.decision].format(one_line(review.user), review.at[:10]))
