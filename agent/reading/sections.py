"""Sections of documents as a model reads them: whole, or cut where a sentence or an item ends."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log
from typing import Final, TypeVar

from agent.context import Context
from agent.prompts import say
from agent.reading.values import Provenance, SectionExcerpt
from agent.sources import full_title, page_of, short_name
from services.domain import Language, Passage
from services.domain.value import BETWEEN_CELLS
from services.evidence.units import QuotableUnit, quotable_units
from services.language.text.words import stems
from services.models.base import estimate_tokens

LONGEST_HEADING: Final = 300
"""Characters of a section within which its heading is looked for."""
LEFT_OUT: Final = "[…]"
SEPARATOR: Final = f"\n{LEFT_OUT}\n"
"""What stands between two pieces of a section."""
_NUMBERED: Final = re.compile(r"^(?=\[\d+\])", re.MULTILINE)
"""Lines of a document that begin as passages of a prompt do."""
_LINE: Final = re.compile(r"[^\n]+")
MOST_ROWS: Final = 12
"""Rows of a long table that are shown for the words of the question."""

Spans = Sequence[tuple[int, int]]
SectionKey = tuple[str, int]

BY_SEARCH: Final = Provenance()
T = TypeVar("T")
UNCUT: Final = 10**9


class Section(SectionExcerpt):
    """A section with the text that a model reads of it, and the tokens of that text."""

    text: str
    tokens: int

    @property
    def excerpt(self) -> SectionExcerpt:
        """Return the section without its text."""
        fields = {name: getattr(self, name) for name in SectionExcerpt.model_fields}
        return SectionExcerpt.model_construct(**fields)

    def offset(self, position: int) -> int:
        """Return where a character of ``text`` stands in the document's text."""
        for start, end in self.pieces:
            if position <= end - start:
                return start + position
            position -= end - start + len(SEPARATOR)
        raise ValueError(f"the section shows no character {position}")


def numbered(sections: Iterable[Section]) -> str:
    """Return sections as a prompt shows them: ``[N]`` with the place, then the text."""
    blocks = (_numbered(n, section, section.text) for n, section in enumerate(sections, start=1))
    return "\n\n".join(blocks)


def _numbered(number: int, excerpt: SectionExcerpt, text: str) -> str:
    before = f"{LEFT_OUT}\n" if excerpt.pieces[0][0] > excerpt.start else ""
    after = f"\n{LEFT_OUT}" if excerpt.pieces[-1][1] < excerpt.end else ""
    return f"[{number}] {excerpt.place}\n{before}{_NUMBERED.sub(' ', text)}{after}"


class SectionBuilder:
    """Builds sections around passages; words of the ``question`` choose rows of long tables."""

    def __init__(self, context: Context, language: Language, question: str = "") -> None:
        self._context, self._language, model = context, language, context.tasks.model
        self._question_stems = stems(question, language)
        self._count = estimate_tokens if model is None else model.count_tokens

    def by_section(self, passages: Iterable[Passage]) -> list[list[Passage]]:
        """Group passages by section, in the order of the first passage of each."""
        groups: dict[SectionKey, list[Passage]] = {}
        for passage in passages:
            groups.setdefault(self.key(passage), []).append(passage)
        return list(groups.values())

    def key(self, passage: Passage) -> SectionKey:
        """Return the key of the section in which a passage begins."""
        documents = self._context.catalog.documents
        return passage.text_id, documents.section_around(passage.text_id, passage.start)[0]

    def section(
        self, hits: Sequence[Passage], limit: int, cut: int, provenance: Provenance = BY_SEARCH
    ) -> Section | None:
        """Build the section of some passages, best first, cut around them where it is long.

        It is shown whole up to ``limit`` tokens, else ``cut`` of it. None where no hit fits, or
        there is nothing but a heading to show.
        """
        first, documents = hits[0], self._context.catalog.documents
        start, end = documents.section_around(first.text_id, first.start)
        text = documents.text_of(first.text_id)
        end = start + len(text[start:end].rstrip())
        if _is_heading(text[start:end], first.heading_path):
            return None
        pieces = [(start, end)]
        title = self._title_line(first, text[start:end])
        overhead = self._count(f"[99] {title}\n\n\n")
        if self._count(text[start:end]) > limit - overhead:
            title = self._title_line(first, "")
            overhead = self._count(f"[99] {title}\n{SEPARATOR * 2}\n\n")
            excerpt = _Excerpt(text, (start, end), min(limit, cut) - overhead, self._count)
            pieces = self._pieces_around(hits, excerpt, divide=limit > cut)
        if not pieces:
            return None
        return self.with_text(
            SectionExcerpt(
                document_id=first.document_id,
                document=first.document,
                text_id=first.text_id,
                label=first.section,
                heading_path=first.heading_path,
                language=documents.language_of(first.text_id),
                place=title,
                start=start,
                end=end,
                pieces=tuple(pieces),
                way=provenance,
            )
        )

    def with_text(self, excerpt: SectionExcerpt) -> Section:
        """Return a section with its text, read from the catalog."""
        text = _excerpt_text(
            self._context.catalog.documents.text_of(excerpt.text_id), excerpt.pieces
        )
        tokens = self._count(f"{_numbered(99, excerpt, text)}\n\n")
        return Section(**dict(excerpt), text=text, tokens=tokens)

    def around(self, excerpt: SectionExcerpt, spans: Spans) -> Section:
        """Cut a section to the sentences that some spans touch, with what leads into each."""
        text = self._context.catalog.documents.text_of(excerpt.text_id)
        bounds = (excerpt.start, excerpt.end)
        units = [unit for start, end in spans for unit in _units(start, end, text, bounds)]
        return self.with_text(excerpt.model_copy(update={"pieces": tuple(_merge(units, text))}))

    def _title_line(self, passage: Passage, text: str) -> str:
        """Return title, headings above the text, page and day, and what changes the section."""
        headings, opening = passage.heading_path, " ".join(text[:LONGEST_HEADING].split())
        if headings and " ".join(headings[-1].split()) in opening:
            headings = headings[:-1]
        name = short_name(passage.document_id, passage.document, self._context)
        title = full_title(passage, self._context)
        page = page_of(passage, self._language)
        day = self._context.passages.day(passage.document_id)
        titles = (title, name, passage.title)
        above = " › ".join(heading for heading in headings if heading not in titles)
        relations = self._context.relations.on(passage.document_id, passage.section)
        changes = (
            f"{relation.label} {say(self._language, f'is_{relation.kind}', relation.document)}"
            for relation in relations
        )
        return ", ".join(
            filter(None, (title, above, page, day, *dict.fromkeys(map(str.strip, changes))))
        )

    def _pieces_around(
        self, hits: Sequence[Passage], excerpt: "_Excerpt", *, divide: bool
    ) -> list[tuple[int, int]]:
        """Return the spans that fit around the hits, the best first.

        Half of the room is for rows with the question's words, what is left for the neighbours of
        the best hit. If that does not fit itself, ``divide`` adds the sentences of it that do.
        """
        best, text, bounds = hits[0], excerpt.text, excerpt.bounds
        excerpt.add_passages([best])
        if divide and not excerpt.pieces:
            words = set(self._question_stems)

            def shared(unit: QuotableUnit) -> int:
                return len(words.intersection(stems(text[unit.start : unit.end], self._language)))

            units = quotable_units(text, best.start, best.end, bounds)
            for unit in sorted(units, key=shared, reverse=True):
                excerpt.add(_with_case(unit))
        most = min(excerpt.room, excerpt.tokens(excerpt.pieces) + excerpt.room // 2)
        for start, end in rows_with(self._question_stems, text, bounds)[:MOST_ROWS]:
            opening = _opening(start, text, bounds[0])
            if not excerpt.add([opening, *_units(start, end, text, bounds)], most):
                break
        excerpt.add_passages(hits[1:])
        if not excerpt.pieces:
            return []
        labelled = self._context.passages.of_section(best.document_id, best.section)
        inside = [
            passage
            for passage in labelled
            if self.key(passage) == self.key(best) and bounds[0] <= passage.start
        ]
        excerpt.add_passages(sorted(inside, key=lambda passage: abs(passage.start - best.start)))
        return excerpt.pieces


class _Excerpt:
    """Pieces of a section, to which spans are added while there is room."""

    def __init__(
        self, text: str, bounds: tuple[int, int], room: int, count: Callable[[str], int]
    ) -> None:
        self.text, self.bounds, self.room, self._count = text, bounds, room, count
        self.pieces: list[tuple[int, int]] = []

    def tokens(self, pieces: Spans) -> int:
        return self._count(_excerpt_text(self.text, pieces))

    def add(self, spans: Spans, room: int | None = None) -> bool:
        """Add spans if they all fit into the room, or into a smaller one."""
        joined = _merge([*self.pieces, *spans], self.text)
        has_room = self.tokens(joined) <= (self.room if room is None else room)
        if has_room:
            self.pieces = joined
        return has_room

    def add_passages(self, passages: Iterable[Passage]) -> None:
        """Add the sentences of each passage, all or none. Finding them takes long, so the passage
        alone is tried first."""
        for passage in passages:
            span = (passage.start, min(passage.end, self.bounds[1]))
            if self.tokens(_merge([*self.pieces, span], self.text)) <= self.room:
                self.add(_units(passage.start, passage.end, self.text, self.bounds))


def rows_with(words: Sequence[str], text: str, bounds: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the rows of a section that have some stems, by how few other rows have them.

    Words of every row, such as heads, do not count, nor rows not half as good as the best.
    """
    if not words:
        return []
    longest_first = sorted(words, key=len, reverse=True)
    ends = (re.escape(word) + r"\b" * word[-1].isdigit() for word in longest_first)
    pattern = re.compile(rf"\b(?:{'|'.join(ends)})")
    rows = [line for line in _LINE.finditer(text, *bounds) if BETWEEN_CELLS in line.group()]
    matches = [set(pattern.findall(row.group().casefold())) for row in rows]
    counts = Counter(word for words_of_row in matches for word in words_of_row)
    weights = {word: log(len(rows) / count) for word, count in counts.items()}
    scores = [sum(map(weights.__getitem__, words_of_row)) for words_of_row in matches]
    least = max(scores, default=0.0) / 2
    ranked = sorted(zip(scores, rows, strict=True), key=lambda pair: -pair[0])
    return [row.span() for score, row in ranked if score > 0 and score >= least]


def _opening(row: int, text: str, section: int) -> tuple[int, int]:
    """Return the first row of a row's table with the paragraph above it: its title, its unit."""
    lines = list(_LINE.finditer(text, section, row))
    first = next(
        (n + 1 for n in reversed(range(len(lines))) if BETWEEN_CELLS not in lines[n].group()), 0
    )
    start = lines[first].start() if first < len(lines) else row
    end = lines[first].end() if first < len(lines) else row
    above = text[section:start].rstrip()
    paragraph = above[above.rfind("\n\n") + 2 if "\n\n" in above else 0 :]
    if len(paragraph) <= LONGEST_HEADING:
        start -= len(text[section:start]) - len(above) + len(paragraph)
    return start, end


def _excerpt_text(text: str, pieces: Spans) -> str:
    return SEPARATOR.join(text[start:end] for start, end in pieces)


def _is_heading(text: str, path: Sequence[str]) -> bool:
    words = re.findall(r"\w+", path[-1] if path else "")
    return re.findall(r"\w+", text) in ([], words)


def _units(start: int, end: int, text: str, bounds: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the sentences, items and rows that a span touches, with what leads into each."""
    units = quotable_units(text, start, end, bounds)
    return [(start, min(end, bounds[1])), *(span for unit in units for span in _with_case(unit))]


def _with_case(unit: QuotableUnit) -> Spans:
    span = (unit.start, unit.end)
    return [span] if unit.case is None else [span, unit.case]


def _merge(spans: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Sort spans and join those with nothing but white space between them."""
    ordered = sorted(spans)
    merged = ordered[:1]
    for start, end in ordered[1:]:
        last_start, last_end = merged[-1]
        if start <= last_end or not text[last_end:start].strip():
            merged[-1] = (last_start, max(last_end, end))
        else:
            merged.append((start, end))
    return merged


def all_sections(
    builder: SectionBuilder, passages: Sequence[Passage], room: int
) -> Iterator[Section]:
    """Yield the sections of passages, in pieces where one has more than ``room`` tokens."""
    for group in builder.by_section(passages):
        section = builder.section(group, UNCUT, 0)
        if section is not None:
            yield from _pieces(builder, section, passages, room)


def _pieces(
    builder: SectionBuilder, section: Section, passages: Sequence[Passage], room: int
) -> Iterator[Section]:
    def piece(start: int, end: int) -> Section:
        excerpt = section.excerpt.model_copy(update={"pieces": ((start, end),)})
        return builder.with_text(excerpt)

    start = end = section.start
    for passage in passages if section.tokens > room else ():
        if section.text_id == passage.text_id and section.start < passage.end <= section.end:
            if end > start and piece(start, passage.end).tokens > room:
                yield piece(start, end)
                start = end
            end = passage.end
    yield piece(start, section.end)


def packed(items: Iterable[T], tokens: Callable[[T], int], room: int) -> Iterator[list[T]]:
    """Yield items in order, as many at a time as have room."""
    group: list[T] = []
    left = room
    for item in items:
        if group and tokens(item) > left:
            yield group
            group, left = [], room
        group.append(item)
        left -= tokens(item)
    if group:
        yield group
