"""Cut a passage into units that can be quoted: sentences, items, lists and rows with their case.

Sentences of statutes and list items often leave out for whom or when they hold, so a quote of them
alone misleads: ``15 Millisievert für die Augenlinse`` is the limit for minors.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from services.domain.value import Span
from services.evidence.outline import ItemList, OutlineItem, OutlineParagraph, leads_in, outline_of
from services.evidence.pieces import (
    LONGEST_CASE,
    are_near,
    combined,
    first_needed,
    is_anaphoric,
    is_clause,
    is_exception,
    short_rule,
)
from services.ingestion.parsers.tables import grid_of, heads_of
from services.language.text.layout import names_cells
from services.language.text.sentences import clauses, is_heading

UnitKind = Literal["sentence", "item", "list", "row"]

LONGEST_LIST: Final = 1_500
"""Characters of a list that is quoted as one, its lead-in included."""
LONGEST_ITEM: Final = 700
"""Characters of an item, or of an item in a sentence's enumeration, that is not cut further."""
SHORTEST: Final = 25
"""Fewest characters of a sentence that says something."""
MOST_BACK: Final = 2
"""Most sentences by which a quote is extended to the left."""
REACH: Final = 3_000
"""Characters around a passage that are read, up to the next blank line."""

COUNTED: Final = re.compile(r"\(?(\d{1,2}|[a-z])[a-z]?[.)]\s")
"""The start of an item in an enumeration."""
_PIECE: Final = re.compile(
    rf"\S.{{0,{LONGEST_ITEM + SHORTEST}}}\Z|\S.{{{LONGEST_ITEM // 2},{LONGEST_ITEM}}}(?<=\S)(?=\n)"
    rf"|\S.{{0,{LONGEST_ITEM}}}(?<=\S)(?=\s)|\S.{{0,{LONGEST_ITEM}}}",
    re.DOTALL,
)
"""A piece of text without a sentence end, up to the end of a line or a word where there is one."""


class QuotableUnit(NamedTuple):
    """A span of a text that can be quoted.

    ``case`` is the span in the same section that says for whom or when the unit holds: the lead-in
    of its list, the first sentence of its subsection, the header of its table. It lies outside the
    unit and is None if the unit stands alone.
    """

    start: int
    end: int
    case: Span | None
    kind: UnitKind

    def moved(self, by: int) -> "QuotableUnit":
        case = self.case and (self.case[0] + by, self.case[1] + by)
        return QuotableUnit(self.start + by, self.end + by, case, self.kind)


CoreUnit = tuple[int, QuotableUnit]
"""A unit, and where the sentence or item begins that it was made for."""


def quotable_units(text: str, start: int, end: int, section: Span) -> list[QuotableUnit]:
    """Return the units of a passage, by start and end.

    Units may extend beyond the passage, but never beyond the ``section`` around it.
    """
    first, last = window(text, start, end, section)
    return [
        unit.moved(first)
        for core, unit in units_of(text[first:last])
        if first + core < end and first + unit.end > start
    ]


def window(text: str, start: int, end: int, section: Span) -> Span:
    """Return the section, or of a very long one the text around the passage."""
    first, last = section
    if start - first > REACH:
        blank = text.rfind("\n\n", first, start - REACH)
        first = blank + 2 if blank >= 0 else first
    if last - end > REACH:
        blank = text.find("\n\n", end + REACH, last)
        last = blank if blank > 0 else last
    return first, last


@lru_cache(maxsize=64)
def units_of(text: str) -> tuple[CoreUnit, ...]:
    """Return the units of a section, cached, since its passages come one after another."""
    reader = _UnitReader(text)
    by_span = {(unit.start, unit.end): (core, unit) for core, unit in reversed([*reader.units()])}
    return tuple(by_span[key] for key in sorted(by_span))


class _UnitReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._outline = outline_of(text)
        self._openers = {
            item_list.opener[1] for item_list in self._outline.lists if item_list.opener
        }

    def units(self) -> Iterator[CoreUnit]:
        for paragraph in self._outline.paragraphs:
            yield from self._paragraph_units(paragraph)
        for item_list in self._outline.lists:
            yield from self._list_units(item_list)
        for rows in self._outline.tables:
            header = rows[0] if self._is_header(rows) else None
            for row in rows[header is not None :]:
                is_named = names_cells(self._text[slice(*row)])
                yield from self._unit(row, None if is_named else header, "row")

    def _is_header(self, rows: Sequence[Span]) -> bool:
        """Return whether the first row of a table names the columns: above a rule, or by form."""
        texts = [self._text[slice(*row)] for row in rows]
        behind = self._text[rows[0][1] : rows[1][0] if rows[1:] else None].partition("\n\n")[0]
        if names_cells(texts[0]) or not (rows[1:] or "---" in behind):
            return False
        cells = [text.strip().strip("|").split("|") for text in texts]
        names_columns = any(map(names_cells, texts)) or bool(heads_of(grid_of(cells))[1])
        return "---" in behind or names_columns

    def _unit(
        self, span: Span, case: Span | None, kind: UnitKind, core: int | None = None
    ) -> Iterator[CoreUnit]:
        """Yield a unit if it says something, without a case that overlaps it.

        A text that is too long is cut; of a case that is too long, the end is kept.
        """
        text = self._text[slice(*span)]
        if case and (case[1] > span[0] and span[1] > case[0]):
            case = None
        if case and case[1] - case[0] > LONGEST_LIST:
            begin = case[1] - LONGEST_CASE
            case = (self._text.find(" ", begin, case[1]) + 1 or begin, case[1])
        if len(text) > LONGEST_LIST:
            for piece in _PIECE.finditer(self._text, *span):
                yield from self._unit(piece.span(), case, kind)
            return
        is_complete = kind == "row" or (case and kind == "item")
        if not is_complete and (len(text) < SHORTEST or is_heading(text)):
            return
        if not any(character.isalnum() for character in text):
            return
        yield (span[0] if core is None else core), QuotableUnit(*span, case, kind)

    def _paragraph_units(self, paragraph: OutlineParagraph) -> Iterator[CoreUnit]:
        item, spans = paragraph.item, paragraph.sentences
        if item and self._only_in_list(item.within):
            return
        if item and paragraph.opens and spans and self._is_whole(paragraph):
            yield from self._enumerated((item.start, spans[-1][1]), self._item_case(item), "item")
            return
        for n, span in enumerate(spans):
            last = n == len(spans) - 1
            if paragraph.code and last and leads_in(self._text[slice(*span)]):
                yield from self._with_code(paragraph, span)
            elif not self._opens(span):
                yield from self._sentence(paragraph, n)

    def _is_whole(self, paragraph: OutlineParagraph) -> bool:
        """Return whether an item is one unit: not too long, and not itself a lead-in."""
        spans = paragraph.sentences
        return not self._opens(spans[-1]) and spans[-1][1] - spans[0][0] <= LONGEST_ITEM

    def _opens(self, sentence: Span) -> bool:
        """Return whether a sentence only leads into what follows it."""
        words = self._text[slice(*sentence)]
        return words.endswith(":") or (sentence[1] in self._openers and leads_in(words))

    def _with_code(self, paragraph: OutlineParagraph, span: Span) -> Iterator[CoreUnit]:
        """Yield a lead-in with its code."""
        assert paragraph.code is not None
        first = self._first(paragraph, len(paragraph.sentences) - 1)
        span_with_code = (paragraph.sentences[first][0], paragraph.code[1])
        if span_with_code[1] - span_with_code[0] <= LONGEST_LIST:
            yield from self._unit(span_with_code, self._case(paragraph), "sentence", span[0])

    def _sentence(self, paragraph: OutlineParagraph, n: int) -> Iterator[CoreUnit]:
        spans, case = paragraph.sentences, self._case(paragraph)
        named = first_needed(self._text[slice(*spans[n])], n)
        if named is not None and n - named > MOST_BACK:
            first, case = n, spans[named]
        else:
            first = self._first(paragraph, n)
        if spans[n][1] - spans[first][0] > LONGEST_LIST:
            first = n
        start = spans[first][0]
        if paragraph.item and paragraph.opens and first == 0:
            start = paragraph.item.start
        kind: UnitKind = "item" if paragraph.item else "sentence"
        yield from self._enumerated((start, spans[n][1]), case, kind, core=spans[n][0])

    def _first(self, paragraph: OutlineParagraph, n: int) -> int:
        """Return the index of the sentence that a quote of sentence ``n`` begins with."""
        named = first_needed(self._text[slice(*paragraph.sentences[n])], n)
        if named is not None:
            return n if self._is_case(paragraph, n, named) else max(named, n - MOST_BACK)
        first = n
        while first > 0 and n - first < MOST_BACK and self._needs_before(paragraph, first):
            first -= 1
        return first

    def _needs_before(self, paragraph: OutlineParagraph, n: int) -> bool:
        """Return whether a sentence needs the one before it, unless that is its case."""
        sentence = self._text[slice(*paragraph.sentences[n])]
        if is_exception(sentence):
            return True
        return is_anaphoric(sentence) and not self._is_case(paragraph, n, n - 1)

    def _is_case(self, paragraph: OutlineParagraph, n: int, before: int) -> bool:
        sentence = self._text[slice(*paragraph.sentences[n])]
        return paragraph.rule == paragraph.sentences[before] and not is_exception(sentence)

    def _case(self, paragraph: OutlineParagraph) -> Span | None:
        if paragraph.item is None:
            return short_rule(self._text, paragraph.rule) or paragraph.title
        if paragraph.opens:
            return self._item_case(paragraph.item)
        return paragraph.item.head

    def _item_case(self, item: OutlineItem) -> Span | None:
        """Return the lead-in of an item's list, with the outer list's lead-in if it is near."""
        within = item.within
        return combined(self._text, self._list_case(within), within.opener)

    def _list_case(self, within: ItemList) -> Span | None:
        if within.parent is not None:
            return self._item_case(within.parent)
        paragraph = within.paragraph
        if paragraph is None or within.opener == paragraph.rule:
            return None
        return short_rule(self._text, paragraph.rule) or paragraph.title

    def _only_in_list(self, within: ItemList) -> bool:
        """Return whether items of a nested list would lose one of its lead-ins by themselves."""
        if within.parent is None or within.opener is None:
            return False
        outer = self._item_case(within.parent)
        if outer is None or are_near(self._text, outer, within.opener):
            return False
        long = within.items[-1].end - within.opener[0] > LONGEST_LIST
        return not long and not is_clause(self._text, within.opener)

    def _list_units(self, within: ItemList) -> Iterator[CoreUnit]:
        if self._are_paragraphs(within):
            return
        opener, items = within.opener, within.items
        start = opener[0] if opener else items[0].start
        end = items[-1].end
        if within.parent is not None and opener:
            start = within.parent.start if opener[0] == within.parent.words else start
        if len(items) > 1 and end - start <= LONGEST_LIST:
            yield from self._unit((start, end), self._list_case(within), "list")

    def _are_paragraphs(self, within: ItemList) -> bool:
        """Return whether the items are numbered paragraphs: sentences without a lead-in."""
        if within.opener or not within.last:
            return False
        return all(item.head and self._is_sentence(item.head) for item in within.items)

    def _is_sentence(self, head: Span) -> bool:
        """Return whether an item begins with a sentence, or with the lead-in of a nested list."""
        words = self._text[slice(*head)]
        ended = not leads_in(words) and not words.endswith(";") and not is_heading(words)
        return ended or head[1] in self._openers

    def _enumerated(
        self, span: Span, case: Span | None, kind: UnitKind, core: int | None = None
    ) -> Iterator[CoreUnit]:
        """Yield a sentence, and each item of its enumeration if the words before it say enough.

        ``core`` is where the sentence itself begins, if the span was extended.
        """
        begin = span[0] if core is None else core
        items = clauses(self._text, begin, span[1])
        short = span[1] - span[0] <= LONGEST_LIST
        if len(items) < 2:
            yield from self._unit(span, case, kind, core)
            return
        if short:
            yield from self._unit(span, case, "list", core)
        stub, clause_items = self._stub(items, span[0])
        if stub is None or not short or is_clause(self._text, stub):
            above = combined(self._text, case, stub)
            for item in clause_items:
                yield from self._clause(item, above)

    def _stub(self, items: Sequence[Span], start: int) -> tuple[Span | None, Sequence[Span]]:
        """Return the words before the first item, and the items."""
        first, second = (COUNTED.match(self._text, *item) for item in items[:2])
        if first and second and first[1].isdigit() == second[1].isdigit():
            return None, items
        return (start, items[0][1]), items[1:]

    def _clause(self, item: Span, case: Span | None) -> Iterator[CoreUnit]:
        if item[1] - item[0] > LONGEST_ITEM and len(clauses(self._text, *item)) > 1:
            yield from self._enumerated(item, case, "item")
        else:
            yield from self._unit(item, case, "item")
