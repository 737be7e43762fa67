"""The answer as blocks: its sections, or each answer under its question; and how it came about."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from services.domain import Citation
from services.domain.answers import SentenceReview
from services.domain.events import total_seconds
from services.domain.value import page_number
from services.export.coverage import coverage_table, relevance_of
from services.export.layout import Layout, LayoutLine, LayoutSection, lay_out, remarks
from services.export.texts import (
    Block,
    Kind,
    Labels,
    Paragraph,
    Run,
    Table,
    bullet_list,
    heading,
    titled_table,
)
from services.language.text.normal import one_line

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
    """Return an answer between its notes and opening, and its closing and coverage."""
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
    if not layout.sections:
        yield Paragraph("text", (Run(labels.nothing_found),))
    for section in layout.sections:
        if section.heading:
            yield heading(section.heading)
        for lines in section.paragraphs:
            yield from _paragraph(lines, labels)


def _paragraph(lines: Sequence[LayoutLine], labels: Labels) -> Iterator[Block]:
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


def _runs(line: LayoutLine, labels: Labels) -> Iterator[Run]:
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


def _mark(line: LayoutLine, labels: Labels) -> str:
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


COLUMNS = 3
"""Documents with a column of their own in a table that is read or printed."""


def figures_of_report(report: Json, labels: Labels) -> Iterator[Block]:
    yield from _coverage(report, labels)
    yield from _searches(report, labels)
    yield from _evidence(report["evidence"], labels)
    yield from _dropped(report["dropped"], labels)
    yield from _quality(report["quality"], labels)
    yield from _cost([report["usage"]], labels)


def figures_of_turns(turns: Sequence[Json], labels: Labels) -> Iterator[Block]:
    """Yield the coverage of each answer of a conversation, and the cost of all."""
    yield from by_turn(turns, labels, lambda turn: _coverage(turn, labels))
    yield from _cost([turn["usage"] for turn in turns], labels)


def by_turn(
    turns: Sequence[Json], labels: Labels, blocks_of: Callable[[Json], Iterable[Block]]
) -> Iterator[Block]:
    """Yield the blocks of each answer; if there are several, headings name the question."""
    for number, turn in enumerate(turns, 1):
        for block in blocks_of(turn):
            if len(turns) > 1 and isinstance(block, Paragraph) and block.kind == "heading":
                yield heading(labels.question.format(number, block.text))
            else:
                yield block


def _coverage(answer: Json, labels: Labels) -> list[Block]:
    table = coverage_table(answer, labels.language, COLUMNS)
    rows = [(row.item, row.word, *map(str, row.cells)) for row in table.rows]
    return titled_table(table.title, (*table.header, *table.documents), rows)


def _searches(report: Json, labels: Labels) -> list[Block]:
    """Return every search of the clarification and of each task, with its hits."""
    rounds = [
        (labels.round.format(search["iteration"] + 1), "; ".join(search["queries"]), search)
        for search in report.get("retrieval_history", ())
    ]
    by_task = [
        (task["task"], search["query"], search)
        for task in report.get("tasks", ())
        for search in task["searches"]
    ]
    rows = [
        (one_line(purpose), one_line(query), str(search["hits"]), str(search["new"]))
        for purpose, query, search in (*rounds, *by_task)
    ]
    header = (labels.required, labels.searched, labels.hits, labels.new)
    return titled_table(labels.history, header, rows)


def _evidence(evidence: Iterable[Json], labels: Labels) -> Iterator[Block]:
    """Yield one table for each tier."""
    page = labels.page.format(page="").strip()
    header = (labels.document, labels.section, page, labels.relevance, labels.found_by)
    tiers: dict[int, list[tuple[str, ...]]] = {}
    for passage in evidence:
        row = (
            *_location(passage),
            page_number(passage.get("page"), passage.get("page_label", "")),
            labels.number(relevance_of(passage), 2),
            _found_by(passage, labels),
        )
        tiers.setdefault(passage["tier"], []).append(row)
    for tier, rows in sorted(tiers.items()):
        yield from titled_table(labels.tiers.get(str(tier), str(tier)), header, rows)


def _location(passage: Json) -> tuple[str, str]:
    return one_line(passage.get("document", "")), one_line(passage.get("section", ""))


def _found_by(passage: Json, labels: Labels) -> str:
    """Return ``Suche``, ``Verweis, Schritt 2`` or ``Wissensgraph, Schritt 1: § 78 › § 79``."""
    source = labels.how_found.get(passage["source_type"], one_line(passage["source_type"]))
    depth = f", {labels.depth.format(passage['depth'])}" if passage["depth"] else ""
    path = one_line(passage.get("way", ""))
    return f"{source}{depth}: {path}" if path else f"{source}{depth}"


def _dropped(dropped: Iterable[Json], labels: Labels) -> list[Block]:
    rows = [
        (
            one_line(passage.get("text") or ""),
            " ".join(_location(passage)),
            "" if passage["score"] is None else labels.number(passage["score"], 2),
            one_line(passage["reason"] or ""),
        )
        for passage in dropped
    ]
    header = (labels.finding, labels.section, labels.relevance, labels.reason)
    return titled_table(labels.dropped, header, rows)


def _quality(quality: Json | None, labels: Labels) -> list[Block]:
    if quality is None:
        return []
    total = labels.total.format(labels.number(quality["total"]))
    scores = [f"{name}: {labels.number(quality[key])}" for key, name in labels.dimensions.items()]
    revised = [_revision(quality, labels)] if quality["revised"] else []
    return bullet_list(labels.quality, [total, *scores, *revised, *quality["remarks"]])


def _revision(quality: Json, labels: Labels) -> str:
    """Say that the answer was revised once, with the scores before and after."""
    if not quality.get("before"):
        return str(labels.revised)
    text = labels.revised_better if quality["revision_helped"] else labels.revised_in_vain
    totals = (labels.number(quality[name]["total"]) for name in ("before", "after"))
    return str(text.format(*totals))


def _cost(usages: Sequence[Json], labels: Labels) -> list[Block]:
    """Return model calls, tokens and seconds; also the work, if steps ran side by side."""
    calls, prompt, completion = (
        labels.number(sum(usage[name] for usage in usages))
        for name in ("model_calls", "prompt_tokens", "completion_tokens")
    )
    seconds = [total_seconds(usage["seconds"]) for usage in usages]
    work = [total_seconds(usage.get("work_seconds") or usage["seconds"]) for usage in usages]
    texts = [
        labels.calls.format(calls),
        labels.tokens.format(prompt, completion),
        labels.duration.format(labels.number(sum(seconds), 1)),
    ]
    if sum(work) > sum(seconds):
        texts.append(labels.side_by_side.format(labels.number(sum(work), 1)))
    return bullet_list(labels.cost, texts)
