"""Sections of documents as a model reads them: whole, or cut where a sentence or an item ends."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from agent.context import Context
from agent.prompts import say
from agent.reading.values import Cut, Way
from agent.sources import full_title, short_name
from services.domain import Language, Passage
from services.evidence.units import quotable_units

LONGEST_HEADING: Final = 300
"""Characters in which a section says its heading."""
LEFT_OUT: Final = "[…]"
_SEPARATOR: Final = f"\n{LEFT_OUT}\n"
_NUMBERED: Final = re.compile(r"^(?=\[\d+\])", re.MULTILINE)
"""Lines of a document that begin as passages of a prompt do."""

Spans = Sequence[tuple[int, int]]
Key = tuple[str, int]


SEARCHED: Final = Way()


class Section(Cut):
    """A section with the text that a model reads of it, and the tokens of that."""

    text: str
    tokens: int

    @property
    def cut(self) -> Cut:
        """The same without its text."""
        return Cut.model_construct(**{name: getattr(self, name) for name in Cut.model_fields})

    def offset(self, shown: int) -> int:
        """Where a character of ``text`` stands in the document's text."""
        for start, end in self.pieces:
            if shown <= end - start:
                return start + shown
            shown -= end - start + len(_SEPARATOR)
        raise ValueError(f"the section shows no character {shown}")


def numbered(sections: Iterable[Section]) -> str:
    """Sections as a prompt shows them: ``[N]`` with the place, then the text."""
    return "\n\n".join(_numbered(n, each, each.text) for n, each in enumerate(sections, start=1))


def _numbered(number: int, cut: Cut, text: str) -> str:
    """A section behind its number; that it goes on before or after its text is shown."""
    before = f"{LEFT_OUT}\n" if cut.pieces[0][0] > cut.start else ""
    after = f"\n{LEFT_OUT}" if cut.pieces[-1][1] < cut.end else ""
    return f"[{number}] {cut.place}\n{before}{_NUMBERED.sub(' ', text)}{after}"


class Cutter:
    """Makes sections of passages.

    Args:
        context: of the turn.
        count: tokens of a text.
        language: of the reader, in which pages are named.
    """

    def __init__(self, context: Context, count: Callable[[str], int], language: Language) -> None:
        self._context, self._count, self._language = context, count, language

    def by_section(self, passages: Iterable[Passage]) -> list[list[Passage]]:
        """The passages of each section, in the order of the first of each."""
        groups: dict[Key, list[Passage]] = {}
        for each in passages:
            groups.setdefault(self.key(each), []).append(each)
        return list(groups.values())

    def key(self, passage: Passage) -> Key:
        """The key of the section that a passage begins in."""
        documents = self._context.catalog.documents
        return passage.text_id, documents.section_around(passage.text_id, passage.start)[0]

    def labelled(self, document_id: str, label: str) -> list[Passage]:
        """The passages under a label of a document."""
        chunks = self._context.catalog.chunks
        return chunks.of_section(document_id, label, scope=self._context.scope)

    def section(
        self, hits: Sequence[Passage], whole: int, cut: int, way: Way = SEARCHED
    ) -> Section | None:
        """The section of some passages, or what of it says something.

        Args:
            hits: passages of the section, best first.
            whole: tokens up to which it is shown as it is.
            cut: tokens of what is shown of a longer one, around the hits.
            way: how it came to be read.

        Returns:
            None where there is no room for any of the hits, or nothing but a heading to show.
        """
        first, documents = hits[0], self._context.catalog.documents
        start, end = documents.section_around(first.text_id, first.start)
        text = documents.text_of(first.text_id)
        end = start + len(text[start:end].rstrip())
        if _is_heading(text[start:end], first.heading_path):
            return None
        pieces = [(start, end)]
        place = self._place(first, text[start:end])
        around = self._count(f"[99] {place}\n\n\n")
        if self._count(text[start:end]) > whole - around:
            place = self._place(first, "")
            around = self._count(f"[99] {place}\n{_SEPARATOR * 2}\n\n")
            pieces = self._around(hits, text, (start, end), min(whole, cut) - around)
        if not pieces:
            return None
        return self.of_cut(
            Cut(
                document_id=first.document_id,
                document=first.document,
                text_id=first.text_id,
                label=first.section,
                heading_path=first.heading_path,
                language=documents.language_of(first.text_id),
                place=place,
                start=start,
                end=end,
                pieces=tuple(pieces),
                way=way,
            )
        )

    def of_cut(self, cut: Cut) -> Section:
        """A section with its text, read from the catalog."""
        text = _shown(self._context.catalog.documents.text_of(cut.text_id), cut.pieces)
        tokens = self._count(f"{_numbered(99, cut, text)}\n\n")
        return Section(**dict(cut), text=text, tokens=tokens)

    def around(self, cut: Cut, spans: Spans) -> Section:
        """Of a section the sentences that some spans touch, with what leads into each."""
        text, section = self._context.catalog.documents.text_of(cut.text_id), (cut.start, cut.end)
        said = [each for start, end in spans for each in _said(start, end, text, section)]
        return self.of_cut(cut.model_copy(update={"pieces": tuple(_joined(said, text))}))

    def _place(self, passage: Passage, text: str) -> str:
        """Title, headings, page and day; without the heading that the text begins with."""
        headings, words = passage.heading_path, " ".join(text[:LONGEST_HEADING].split())
        if headings and " ".join(headings[-1].split()) in words:
            headings = headings[:-1]
        name = short_name(passage.document_id, passage.document, self._context)
        title = full_title(passage.title, name)
        page = "" if passage.page is None else say(self._language, "page", passage.page)
        day = self._context.passages.day(passage.document_id)
        above = " › ".join(each for each in headings if each not in (title, name, passage.title))
        return ", ".join(filter(None, (title, above, page, day)))

    def _around(
        self, hits: Sequence[Passage], text: str, section: tuple[int, int], room: int
    ) -> list[tuple[int, int]]:
        """Spans of a section that fit: what its hits say, then what stands beside the best."""
        chosen = self._fitting([], hits, text, section, room)
        if not chosen:
            return []
        inside = [each for each in self._of_section(hits[0]) if section[0] <= each.start]
        beside = sorted(inside, key=lambda each: abs(each.start - hits[0].start))
        return self._fitting(chosen, beside, text, section, room)

    def _fitting(
        self,
        chosen: list[tuple[int, int]],
        passages: Iterable[Passage],
        text: str,
        section: tuple[int, int],
        room: int,
    ) -> list[tuple[int, int]]:
        """Spans with what more passages say, of each all or nothing.

        To find the sentences of a passage takes long, so the passage alone is tried first.
        """

        def fits(spans: Spans) -> bool:
            return self._count(_shown(text, spans)) <= room

        for each in passages:
            if fits(_joined([*chosen, (each.start, min(each.end, section[1]))], text)):
                spans = _joined([*chosen, *_said(each.start, each.end, text, section)], text)
                chosen = spans if fits(spans) else chosen
        return chosen

    def _of_section(self, passage: Passage) -> list[Passage]:
        """The passages of the section that one begins in."""
        key = self.key(passage)
        named = self.labelled(passage.document_id, passage.section)
        return [each for each in named if self.key(each) == key]


def _shown(text: str, pieces: Spans) -> str:
    return _SEPARATOR.join(text[start:end] for start, end in pieces)


def _is_heading(text: str, path: Sequence[str]) -> bool:
    """Whether a text says no more than the heading above it."""
    words = re.findall(r"\w+", path[-1] if path else "")
    return re.findall(r"\w+", text) in ([], words)


def _said(start: int, end: int, text: str, section: tuple[int, int]) -> list[tuple[int, int]]:
    """The sentences, items and rows that a span touches, with what leads into each."""
    spans = [(start, min(end, section[1]))]
    for unit in quotable_units(text, start, end, section):
        spans.append((unit.start, unit.end))
        if unit.case is not None:
            spans.append(unit.case)
    return spans


def _joined(spans: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Spans in order, in one where nothing but white space lies between them."""
    ordered = sorted(spans)
    joined = ordered[:1]
    for start, end in ordered[1:]:
        last_start, last_end = joined[-1]
        if start <= last_end or not text[last_end:start].strip():
            joined[-1] = (last_start, max(last_end, end))
        else:
            joined.append((start, end))
    return joined
