"""Choose the span to quote for a unit, so that a reader understands it without its document."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from services.domain.value import Span
from services.evidence.outline import OutlineParagraph, outline_of
from services.evidence.pieces import LONGEST_CASE, is_anaphoric, is_exception, is_open, short_rule
from services.evidence.units import LONGEST_LIST, QuotableUnit, units_of, window

LONGEST_SHOWN: Final = 1_000
"""Characters of a paragraph or subsection that is quoted in full for one of its sentences."""

Quoted = tuple[Span, Span | None]
"""A quote, and its case if it has one."""


def widen_quote(text: str, unit: Span, case: Span | None, section: Span) -> Quoted:
    """Return the span to quote for a unit, and its case.

    A short paragraph or subsection is quoted in full: the words before the unit are its case, or,
    where the section begins with another subsection, the rule of that one is. An item is quoted as
    its list, a table row by itself, a sentence of a long paragraph with the sentence before it.
    Exceptions that follow belong to the quote. No quote or case extends beyond the ``section``.
    """
    first, last = window(text, *unit, section)
    case_inside = case if case and first <= case[0] else None
    around = _QuoteContext(
        text[first:last], _moved(unit, -first), case_inside and _moved(case_inside, -first)
    )
    quote, around_it = around.quoted()
    lost = case is not case_inside and around_it is None
    return _moved(quote, first), case if lost else around_it and _moved(around_it, first)


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


class _QuoteContext:
    def __init__(self, text: str, unit: Span, case: Span | None) -> None:
        self._text, self._unit, self._case = text, unit, case
        self._units = [unit for _, unit in units_of(text)]
        outline = outline_of(text)
        self._lists = outline.lists
        self._paragraphs = [p for p in outline.paragraphs if p.sentences]

    def quoted(self) -> Quoted:
        if list_unit := self._list():
            self._unit, self._case = (list_unit.start, list_unit.end), list_unit.case
        start, end = self._unit
        if any(unit[:2] == self._unit and unit.kind == "row" for unit in self._units):
            return self._unit, self._case
        number = bisect_right([p.sentences[0][0] for p in self._paragraphs], end - 1) - 1
        if number < 0:
            return self._unit, self._case
        paragraph = self._paragraphs[number]
        first, last = self._extent(paragraph)
        if last - first <= LONGEST_SHOWN and first <= start and end <= last:
            last = self._completed(start, self._with_exceptions(first, last))
            if rule := self._first_rule(paragraph):
                return (first, last), rule
            begin = min([first, *self._antecedents(number)])
            if self._case and self._case[1] <= start and start - self._case[0] <= LONGEST_CASE:
                begin = min(begin, self._case[0])
            return (start, last), self._span_before_unit(begin) if begin < start else self._case
        self._unit = self._previous_sentence(paragraph), end
        end = self._completed(self._unit[0], self._with_exceptions(*self._unit))
        return (self._unit[0], end), self._case or self._preceding_sentences(number)

    def _list(self) -> QuotableUnit | None:
        """Return the longest list that contains the unit and can be quoted."""
        start, end = self._unit
        lists = (unit for unit in self._units if unit.kind == "list")
        holding = (unit for unit in lists if unit.start <= start and end <= unit.end)
        fitting = (unit for unit in holding if unit.end - unit.start <= LONGEST_LIST)
        return max(fitting, key=lambda unit: unit.end - unit.start, default=None)

    def _subsection(self, paragraph: OutlineParagraph) -> list[OutlineParagraph]:
        """Return the paragraphs of the same subsection, or the paragraph alone."""
        if paragraph.rule is None:
            return [paragraph]
        return [other for other in self._paragraphs if other.rule == paragraph.rule]

    def _extent(self, paragraph: OutlineParagraph) -> Span:
        """Return the span of a subsection with its lists, or of a paragraph with its code."""
        same = self._subsection(paragraph)
        ends = [p.code[1] if p.code else p.sentences[-1][1] for p in same]
        alone = paragraph.item if len(same) == 1 else None
        return alone.start if alone else same[0].sentences[0][0], max(ends)

    def _first_rule(self, paragraph: OutlineParagraph) -> Span | None:
        """Return the first subsection's rule, if the paragraph is in another subsection."""
        rules = [p.rule for p in self._paragraphs if p.rule]
        if paragraph.rule is None or rules[0] == paragraph.rule:
            return None
        return short_rule(self._text, rules[0])

    def _antecedents(self, number: int) -> Iterator[int]:
        """Yield where the paragraphs begin that this one refers back to, within a case's length."""
        while number and self._paragraphs[number].rule is None:
            words = self._text[slice(*self._paragraphs[number].sentences[0])]
            number -= 1
            begin = self._paragraphs[number].sentences[0][0]
            if not is_anaphoric(words) or self._unit[0] - begin > LONGEST_CASE:
                return
            yield begin

    def _previous_sentence(self, paragraph: OutlineParagraph) -> int:
        """Return where the sentence before the unit begins, in the same subsection or paragraph."""
        start, end = self._unit
        after = self._case[1] if self._case else 0
        same = self._subsection(paragraph)
        begins = [s[0] for p in same for s in p.sentences if after <= s[0] < start]
        begin = max(begins, default=start)
        return begin if end - begin <= LONGEST_SHOWN else start

    def _preceding_sentences(self, number: int) -> Span | None:
        """Return the sentences before the unit, as many as a case may have."""
        start = self._unit[0]
        begins = [begin for begin, _ in self._paragraphs[number].sentences if begin < start]
        return self._span_before_unit(next((n for n in begins if start - n <= LONGEST_CASE), start))

    def _with_exceptions(self, start: int, end: int) -> int:
        """Return the end of a quote including the exceptions that directly follow it."""
        behind = [s for p in self._paragraphs for s in p.sentences if s[0] >= end]
        for begin, after in behind:
            if not is_exception(self._text[begin:after]) or after - start > LONGEST_LIST:
                break
            end = after
        return end

    def _completed(self, start: int, end: int) -> int:
        """Return the end of a quote including what its last words introduce: a list, or an answer.

        That is quoted in full or not at all; then the quote ends before those words, if it can.
        """
        number, last = next(
            ((n, s) for n, p in enumerate(self._paragraphs) for s in p.sentences if s[1] == end),
            (0, None),
        )
        if last is None or not is_open(self._text[slice(*last)]):
            return end
        follows = [
            item_list.items[-1].end
            for item_list in self._lists
            if item_list.opener and item_list.opener[1] == end
        ]
        if not follows and number + 1 < len(self._paragraphs):
            follows = [self._extent(self._paragraphs[number + 1])[1]]
        if follows and follows[0] - start <= LONGEST_LIST:
            return self._completed(start, follows[0]) if follows[0] > end else end
        before = [s[1] for p in self._paragraphs for s in p.sentences if s[1] < end]
        shorter = max(before, default=start)
        return shorter if shorter >= self._unit[1] else end

    def _span_before_unit(self, begin: int) -> Span | None:
        """Return the span from an offset to the unit, without trailing white space."""
        words = self._text[begin : self._unit[0]].rstrip()
        return (begin, begin + len(words)) if words else None
