"""Outline a section: its paragraphs, lists and tables, with the words that lead into each list."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from services.domain.value import Span
from services.evidence.pieces import Marker, Piece, is_anaphoric, pieces
from services.language.text.sentences import is_heading, sentences_between

LONGEST_CODE: Final = 800
"""Characters of code that is quoted with its lead-in; its first block may be longer."""
_ENDED: Final = re.compile(r"[.!?…;][\"'“”’»)\]`*_]*$")
_BOLD: Final = re.compile(r"(\*\*|__)(?=\S)(?:(?!\1)[^\n])+(?<=\S)\1:?")


@dataclass
class OutlineItem:
    """An item of a list: ``head`` is its first sentence, ``end`` the end of everything below it."""

    start: int
    words: int
    end: int
    head: Span | None
    within: "ItemList"


@dataclass
class ItemList:
    """Items in order, with the sentence that leads into them, if any, and its paragraph.

    ``last`` is the ordinal of the last item, ``parent`` the item that contains the list.
    """

    family: str
    indent: int
    last: int
    opener: Span | None
    parent: OutlineItem | None
    paragraph: "OutlineParagraph | None"
    items: list[OutlineItem] = field(default_factory=list)


@dataclass
class OutlineParagraph:
    """Successive sentences.

    ``rule`` is the first sentence of the numbered subsection around the paragraph, ``item`` the
    list item around it; ``opens`` is true for the first paragraph of an item. ``title`` is a line
    in bold directly above.
    """

    sentences: list[Span]
    rule: Span | None = None
    item: OutlineItem | None = None
    opens: bool = True
    code: Span | None = None
    title: Span | None = None


def leads_in(sentence: str) -> bool:
    """Return whether a sentence leads into what follows: it ends with a colon, or does not end."""
    return sentence.rstrip("*_` ").endswith(":") or not _ENDED.search(sentence.rstrip())


class Outline:
    """The structure that a section's layout shows; ``tables`` are rows, the header first.

    While the section is read, ``_open`` are the lists that may continue, the outermost first.
    """

    def __init__(self, text: str) -> None:
        self.paragraphs: list[OutlineParagraph] = []
        self.lists: list[ItemList] = []
        self.tables: list[list[Span]] = []
        self._text = text
        self._open: list[ItemList] = []
        self._rule: Span | None = None
        self._title: Span | None = None
        self._last: Piece | None = None
        for piece in pieces(text):
            self._read(piece)

    def _read(self, piece: Piece) -> None:
        if piece.kind == "prose" and not re.search(r"\w", self._text[piece.start : piece.end]):
            return  # ``::`` before an example
        match piece.kind:
            case "prose":
                self._prose(piece)
            case "row":
                self._row(piece)
            case "code":
                self._code(piece)
            case "heading":
                self._open, self._rule = [], None
        # The first line is the section's heading, which quotes show anyway.
        bold = self._last is not None and _BOLD.fullmatch(self._text, piece.start, piece.end)
        self._title = (piece.start, piece.end) if bold else None
        self._last = piece

    def _prose(self, piece: Piece) -> None:
        marker = piece.marker
        if marker and marker.family == "(1)" and self._is_subsection():
            sentences = sentences_between(self._text, piece.words, piece.end)
            self._open, self._rule = [], sentences[0] if sentences else None
            self.paragraphs.append(OutlineParagraph(sentences, rule=self._rule))
        elif marker and (within := self._list_for(piece, marker)):
            self._item(piece, within)
        else:
            self._plain(piece)

    def _is_subsection(self) -> bool:
        """Return whether ``(3)`` numbers a subsection of a statute; after a colon it is an item."""
        if any(open_list.family == "(1)" for open_list in self._open):
            return False
        last = self.paragraphs[-1].sentences[-1] if self.paragraphs else None
        colon = last is not None and self._text[slice(*last)].endswith(":")
        return not (colon and self._last is not None and self._last.kind == "prose")

    def _plain(self, piece: Piece) -> None:
        """Add prose without a marker: it continues an item or a paragraph, or begins one."""
        last, paragraphs = self._last, self.paragraphs
        holding = [open_list for open_list in self._open if piece.indent > open_list.indent]
        if not holding and piece.apart and not self._open:
            self._rule = None
        self._open = holding
        item = holding[-1].items[-1] if holding else None
        sentences = sentences_between(self._text, piece.start, piece.end)
        goes_on = last is not None and last.kind == "prose" and not piece.apart
        if goes_on and paragraphs and paragraphs[-1].item is item:
            paragraphs[-1].sentences += sentences
        else:
            paragraphs.append(
                OutlineParagraph(sentences, self._rule, item, opens=False, title=self._title)
            )
        self._lengthen(piece.end)

    def _code(self, piece: Piece) -> None:
        self._open = [open_list for open_list in self._open if piece.indent > open_list.indent]
        paragraph = self.paragraphs[-1] if self.paragraphs else None
        last = self._last.kind if self._last else ""
        if paragraph and last == "prose":
            paragraph.code = (piece.start, piece.end)
        elif paragraph and paragraph.code and last == "code":
            first, end = paragraph.code
            paragraph.code = (first, piece.end if piece.end - first <= LONGEST_CODE else end)
        self._lengthen(piece.end)

    def _row(self, piece: Piece) -> None:
        goes_on = self._last is not None and self._last.kind in ("row", "rule")
        if not (goes_on and self.tables and not piece.apart):
            self.tables.append([])
        self.tables[-1].append((piece.start, piece.end))
        self._open = []

    def _list_for(self, piece: Piece, marker: Marker) -> ItemList | None:
        """Return the list that a marked piece is an item of, None if it is no item."""
        ordinal = marker.ordinal
        for depth, open_list in reversed([*enumerate(self._open, start=1)]):
            same = open_list.family == marker.family and abs(open_list.indent - piece.indent) <= 1
            if same and ordinal in (open_list.last, open_list.last + bool(ordinal)):
                self._open = self._open[:depth]
                open_list.last = ordinal
                return open_list
        holding = [
            open_list for open_list in self._open if self._nests(open_list, piece.indent, marker)
        ]
        if ordinal > 1 and not piece.apart and not holding and self._open:
            return None
        self._open = holding
        return self._opened(piece, marker)

    def _nests(self, open_list: ItemList, indent: int, marker: Marker) -> bool:
        """Return whether a new list is nested in an open one: indented, or numbered differently."""
        counted = marker.ordinal == 1 and marker.family != open_list.family
        return indent > open_list.indent + 1 or (counted and indent >= open_list.indent)

    def _opened(self, piece: Piece, marker: Marker) -> ItemList:
        parent = self._open[-1].items[-1] if self._open else None
        paragraph = self.paragraphs[-1] if self.paragraphs else None
        opener = self._opener(piece, paragraph, parent) if marker.ordinal <= 1 else None
        paragraph = paragraph if opener else None
        made = ItemList(marker.family, piece.indent, marker.ordinal, opener, parent, paragraph)
        self._open.append(made)
        self.lists.append(made)
        return made

    def _opener(
        self, piece: Piece, paragraph: OutlineParagraph | None, parent: OutlineItem | None
    ) -> Span | None:
        """Return the sentence before the first item, if it leads into the list."""
        last = self._last
        if paragraph is None or not paragraph.sentences or last is None or last.kind != "prose":
            return None
        if paragraph.item is not parent:
            return None
        sentence = self._text[slice(*paragraph.sentences[-1])]
        anaphoric = len(paragraph.sentences) > 1 and is_anaphoric(sentence)
        span = paragraph.sentences[-2 if anaphoric else -1][0], paragraph.sentences[-1][1]
        if parent is not None or not piece.apart or sentence.rstrip("*_` ").endswith(":"):
            return span
        if leads_in(sentence):
            return span if self._title or not is_heading(sentence) else None
        # Items that are fragments need the sentence before them, even a complete one.
        return span if is_heading(self._text[piece.words : piece.end]) else None

    def _item(self, piece: Piece, within: ItemList) -> None:
        sentences = sentences_between(self._text, piece.words, piece.end)
        item = OutlineItem(
            piece.start, piece.words, piece.end, sentences[0] if sentences else None, within
        )
        within.items.append(item)
        self._lengthen(piece.end)
        self.paragraphs.append(OutlineParagraph(sentences, rule=self._rule, item=item))

    def _lengthen(self, end: int) -> None:
        """Extend the open items to an offset."""
        for open_list in self._open:
            open_list.items[-1].end = end


@lru_cache(maxsize=16)
def outline_of(text: str) -> Outline:
    """Return the outline of a section, cached: its units and quotes all need it."""
    return Outline(text)
