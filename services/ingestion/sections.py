"""From headings to sections: nesting, heading paths and citable labels.

Layout levels are not enough for legal texts: outlines and style sheets often put chapter,
division and subdivision on one level. There the words decide: a unit that is already open
("Kapitel") is closed together with everything in it; one that is not yet open goes inside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Final

from services.ingestion.extraction import Extraction, Heading, stands_above
from services.ingestion.labels import Label, LabelKind, label_of

_CLOSES: Final[dict[LabelKind, frozenset[LabelKind]]] = {
    "container": frozenset({"article", "paragraph"}),
    "article": frozenset({"article", "paragraph"}),
    "paragraph": frozenset({"paragraph"}),
    "annex": frozenset({"annex", "container", "article", "paragraph"}),
}
"""Which open legal units a new one ends, besides units of its own name."""


@dataclass(frozen=True, slots=True)
class Section:
    """The fields of `services.domain.SectionSpan`, without its imports."""

    label: str
    title: str
    level: int
    start: int
    end: int
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Open:
    heading: Heading
    label: Label | None

    @property
    def legal(self) -> bool:
        return self.label is not None and self.label.kind != "number"


def build_sections(extraction: Extraction) -> list[Section]:
    """Turn the headings of a text into ordered, gapless sections.

    The text before the first heading belongs to no section, unless the document has a label
    of its own: then it is a section with that label and an empty heading path.
    """
    text, series = extraction.text, extraction.series
    headings = sorted(extraction.headings, key=lambda heading: heading.start)
    if _first_is_title(headings, text):
        headings = headings[1:]
    starts = [*(heading.start for heading in headings), len(text)]
    sections = []
    if series and starts[0] > 0:
        sections.append(Section(series, extraction.title or series, 0, 0, starts[0], ()))
    stack: list[_Open] = []
    for heading, end in zip(headings, starts[1:], strict=True):
        new = _Open(heading, label_of(heading.title))
        stack = [*takewhile(partial(_stays_open, new), stack), new]
        if heading.start < end:
            path = tuple(opened.heading.title for opened in stack)
            label = _citable_label(stack, series)
            level = len(stack) - 1
            sections.append(Section(label, heading.title, level, heading.start, end, path))
    return sections


def _first_is_title(headings: Sequence[Heading], text: str) -> bool:
    """A first heading that stands above all others names the document, not a section."""
    if len(headings) < 2 or text[: headings[0].start].strip():
        return False
    return label_of(headings[0].title) is None and stands_above(headings)


def _stays_open(new: _Open, opened: _Open) -> bool:
    """Whether the new heading stands within an open one instead of ending it."""
    deeper = opened.heading.level < new.heading.level
    if new.label is None or opened.label is None or not (new.legal and opened.legal):
        return deeper
    if new.label.unit == opened.label.unit or opened.label.kind in _CLOSES[new.label.kind]:
        return False
    return opened.label.kind != "annex" or deeper


def _citable_label(stack: Sequence[_Open], series: str | None) -> str:
    """Label of the innermost heading that has one a reader could look up, else its words.

    A document of a series is cited by its own label, down to its numbered sections.
    """
    for depth in range(len(stack) - 1, -1, -1):
        label = stack[depth].label
        if label is None or (series and label.kind in ("annex", "container")):
            continue
        if _is_unique(label, stack[:depth]):
            return label.text
    return series or stack[-1].heading.title


def _is_unique(label: Label, above: Sequence[_Open]) -> bool:
    """A bare "1." below other headings, or "Teil A" of an annex, says nothing by itself."""
    if label.kind == "number" and "." not in label.text:
        return all(opened.legal for opened in above)
    if label.kind == "container":
        return not any(opened.label and opened.label.kind == "annex" for opened in above)
    return True
