"""Quotable units, and the layout of a section that they are made from."""

from dataclasses import dataclass, field
from typing import Literal

from services.value import Value

Span = tuple[int, int]
"""First character and end, exclusive."""

UnitKind = Literal["sentence", "item", "list", "row"]
PieceKind = Literal["prose", "heading", "row", "code", "rule"]


class Unit(Value):
    """A span of a text that can be quoted.

    ``case_start``/``case_end`` are the words of the same section that say for whom or when the
    unit holds: the lead-in of its list, the first sentence of its subsection, the header of its
    table. They lie outside the unit; both are None where it stands alone.
    """

    start: int
    end: int
    case_start: int | None
    case_end: int | None
    kind: UnitKind

    @property
    def case(self) -> Span | None:
        """The span of the case, if there is one."""
        if self.case_start is None or self.case_end is None:
            return None
        return self.case_start, self.case_end


@dataclass(frozen=True)
class Marker:
    """What begins an item: ``-``, ``2.``, ``b)``, ``(3)``.

    ``family`` is the same for all items of a list, ``ordinal`` counts from 1 and is 0 for
    bullets. ``end`` is where the words of the item begin.
    """

    family: str
    ordinal: int
    end: int


@dataclass(frozen=True)
class Piece:
    """Lines of a text that belong together: a paragraph, an item, a row, a block of code.

    ``words`` is where the text begins behind its marker, ``apart`` tells that a blank line stands
    before it.
    """

    start: int
    end: int
    kind: PieceKind
    indent: int
    apart: bool
    marker: Marker | None = None

    @property
    def words(self) -> int:
        return self.marker.end if self.marker else self.start


@dataclass
class Item:
    """An item of a list: ``head`` is its first sentence, ``end`` that of everything below it."""

    start: int
    words: int
    end: int
    head: Span | None
    within: "ItemList"


@dataclass
class ItemList:
    """Items in their order, with the words that lead into them, if any.

    ``last`` is the ordinal of the last item, ``parent`` the item that holds the list,
    ``paragraph`` the one that the lead-in is from.
    """

    family: str
    indent: int
    last: int
    opener: Span | None
    parent: Item | None
    paragraph: "Paragraph | None"
    items: list[Item] = field(default_factory=list)


@dataclass
class Paragraph:
    """Sentences that follow each other.

    ``rule`` is the first sentence of the numbered subsection that the paragraph lies in,
    ``item`` the item of a list whose words these are; ``opens`` tells that the paragraph is the
    beginning of the item.
    """

    sentences: list[Span]
    rule: Span | None = None
    item: Item | None = None
    opens: bool = True
    code: Span | None = None
