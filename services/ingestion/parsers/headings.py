"""Headings, their labels (``§ 78``), and the sections that they make of a text.

Layout levels are not enough for legal texts, where chapter and division often have one. There words
decide: a unit that is already open ("Kapitel") is closed together with everything in it; one that
is not yet open goes inside.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Final, Literal

from services.domain import SectionSpan
from services.domain.value import Span
from services.ingestion.parsers.extraction import Extraction, Heading, plain_title, stands_above
from services.ingestion.parsers.file_metadata import front_matter

LabelKind = Literal["container", "article", "paragraph", "annex", "number"]


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its role; a new heading closes the open one of the same ``unit``."""

    text: str
    kind: LabelKind
    unit: str


_GERMAN: Final = "Buch|Teil|Kapitel|Abschnitt|Unterabschnitt|Titel|Untertitel"
_CONTAINERS: Final = f"{_GERMAN}|Book|Part|Chapter|Division|Subpart|Subtitle|Title"
_ORDINALS: Final = (
    "Erst|Zweit|Dritt|Viert|Fünft|Sechst|Sieb(?:en)?t|Acht|Neunt|Zehnt|Elft|Zwölft|"
    "Dreizehnt|Vierzehnt|Fünfzehnt"
)
_NUMERAL: Final = r"(?:\d+[a-z]?|[IVXLC]+|[A-Z])"
_END: Final = r"(?![\w])"
_LABELS: Final[tuple[tuple[LabelKind, str], ...]] = (
    (
        "paragraph",
        r"§{1,2}\s*(?P<number>\d+[a-z]{0,2}(?:\s*(?:bis|und|–|-|,)\s*(?:§\s*)?\d+[a-z]?)*)" + _END,
    ),
    (
        "article",
        rf"(?P<word>Artikel|Article|Art\.|Section|Sec\.)\s+(?P<number>\d+[a-z]?|[IVX]+){_END}",
    ),
    (
        "annex",
        rf"(?P<word>(?i:Anlage|Anhang|Annex|Appendix|Schedule))\s+(?P<number>(?i:{_NUMERAL})){_END}",
    ),
    ("annex", r"(?P<word>Anlage|Anhang|ANLAGE|ANHANG)\s*(?=\(zu|$)"),
    ("container", rf"(?P<word>{_CONTAINERS})\s+(?P<number>{_NUMERAL}){_END}"),
    ("container", rf"(?P<ordinal>(?:{_ORDINALS})e[rs]?|\d{{1,2}}\.)\s+(?P<word>{_GERMAN}){_END}"),
    (
        "number",
        r"(?P<number>\d{1,2}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[IVX]+(?=[.)]))[.)]?\s+(?=\S)",
    ),
)
_PATTERNS: Final = tuple((kind, re.compile(pattern)) for kind, pattern in _LABELS)
_FULL_WORDS: Final = {"Art.": "Artikel", "Sec.": "Section"}


def label_of(title: str) -> Label | None:
    """Read the label at the start of a heading: ``§§ 5 bis 7``, ``Artikel 5`` of ``Art. 5``."""
    return next(
        (_label(kind, match) for kind, form in _PATTERNS if (match := form.match(title))), None
    )


def is_label(text: str) -> bool:
    """Return whether a text is only a label: ``Anlage 4``, but not ``Anlagen`` or ``2 Scope``."""
    label = label_of(text)
    return label is not None and label.text == text


def _label(kind: LabelKind, match: re.Match[str]) -> Label:
    groups = match.groupdict()
    number = " ".join(groups.get("number", "").split())
    if kind == "number":
        return Label(number, kind, "number")
    if kind == "paragraph":
        sign = "§" if re.fullmatch(r"\w+", number) else "§§"
        return Label(f"{sign} {number}", kind, "§")
    word = _FULL_WORDS.get(groups["word"], groups["word"])
    word = word.capitalize() if kind == "annex" else word
    return Label(" ".join(filter(None, (groups.get("ordinal"), word, number))), kind, word)


_MISREAD: Final = re.compile(r"[8$] ?(?P<number>\d{1,3}[a-z]?)(?= (?:[^\W\d]|\()|$)")
"""What text recognition makes of a ``§`` with its number: ``89 Gebühren``, ``$ 11 Haftung``."""
_MOST_LOST: Final = 2
"""Headings in a row that may be missing behind the last one that has its sign."""


def with_paragraph_signs(titles: Sequence[str]) -> list[str]:
    """Return titles with the ``§`` that text recognition took for another sign.

    A title gets it if its number continues those before it and precedes the next one with a
    sign.
    """
    numbers = [_paragraph_number(title) for title in titles]
    if not any(numbers):
        return list(titles)
    following: list[int | None] = []
    for number in reversed(numbers):
        following.append(number or (following[-1] if following else None))
    signed, last = list(titles), 0
    for index, after in enumerate(reversed(following)):
        last = numbers[index] or last
        match = _MISREAD.match(titles[index])
        if match is None or numbers[index]:
            continue
        restored = f"§ {titles[index][match.start('number') :]}"
        continued = _leading(match["number"])
        limit = after or last + 2 + _MOST_LOST
        if last < continued < limit and is_heading_like(restored, label_of(restored)):
            signed[index], last = restored, continued
    return signed


def _paragraph_number(title: str) -> int | None:
    label = label_of(title) if title.startswith("§") else None
    if label is None or not is_heading_like(title, label):
        return None
    return _leading(label.text.lstrip("§ "))


def _leading(number: str) -> int:
    """Return the figures that a number begins with: 12 of ``12a`` or ``12 bis 14``."""
    return int("".join(takewhile(str.isdecimal, number)))


MAX_HEADING: Final = 250
"""Longest heading in characters; whatever is longer is a paragraph."""

# Linear in the length of a line: what is behind a word is looked at once.
_HASHES = re.compile(
    r" {0,3}(?P<marks>#{1,6})"
    r"(?:[ \t]+(?P<title>[^ \t]++(?:[ \t]++(?!#*[ \t]*$)[^ \t]++)*))?(?:[ \t]+#+)?[ \t]*$"
)
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_SETEXT: Final = {"=": 1, "-": 2}
_SENTENCE_END = re.compile(r"[.;,:!?]$")
_CONTENTS_ENTRY = re.compile(r"(?:\.{3,}|(?:\. ){3,}|[ \t]{3,})\s*\d+$")
_MENTION = re.compile(
    r"[,;]|(?:Abs(?:atz|ätze|\.)|S(?:atz|ätze|\.)|Nummern?|Nr\.|Buchstaben?|des|der|und|bis|oder|"
    r"gilt|gelten|findet|ist|sind|bleibt|paragraph|of|applies|shall)\b"
)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def markdown_headings(text: str) -> list[Heading]:
    """Return ATX (``## Title``) and setext (underlined) headings outside code fences."""
    headings: list[Heading] = []
    lines, blank = list(_prose_lines(text)), _Line(-1, "")
    for before, line, rule in zip([blank, *lines], lines, [*lines[1:], blank], strict=False):
        match, mark = _HASHES.match(line.text), rule.text.strip()[:1]
        if match and match["title"]:
            title = plain_title(match["title"])
            headings.append(Heading(line.start, line.end, title, len(match["marks"])))
        if mark in _SETEXT and _ADORNMENT.match(rule.text) and not before.text.strip():
            title = plain_title(line.text)
            if title and not match and line.text[:1] not in "|>-*+ \t":
                headings.append(Heading(line.start, rule.end, title, _SETEXT[mark]))
    return headings


def prose(text: str) -> str:
    """Return the text with code fences and front matter blanked, so that offsets stay."""
    prose_starts = {line.start for line in _prose_lines(text)}
    return "\n".join(
        line.text if line.start in prose_starts else " " * len(line.text) for line in _lines(text)
    )


def _prose_lines(text: str) -> Iterator[_Line]:
    fence = ""
    begin = len(text) - len(front_matter(text)[1])
    for line in _lines(text):
        if line.start < begin:
            continue
        opened = _FENCE.match(line.text)
        if fence:
            if opened and opened["mark"].startswith(fence) and not line.text.strip(" `~"):
                fence = ""
        elif opened:
            fence = opened["mark"]
        else:
            yield line


def underlined_headings(text: str) -> list[Heading]:
    """Return reStructuredText headings; levels follow the first use of each adornment."""
    lines = list(_lines(text))
    headings: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    for above, title, rule in zip([_Line(-1, ""), *lines], lines, lines[1:], strict=False):
        adorned = _ADORNMENT.match(rule.text) and not _ADORNMENT.match(title.text)
        wide = len(rule.text.rstrip()) >= len(title.text.strip()) - 2
        if not (adorned and wide and title.text.strip()):
            continue
        overlined = above.text.rstrip() == rule.text.rstrip()
        if not overlined and (above.text.strip() or title.text[0] in " \t"):
            continue
        style = (rule.text[0], overlined)
        if style not in styles:
            styles.append(style)
        start = above.start if overlined else title.start
        headings.append(Heading(start, rule.end, plain_title(title.text), styles.index(style)))
    return headings


def is_heading_like(title: str, label: Label | None) -> bool:
    """Return whether a line reads as a heading, not as a sentence or an entry of contents."""
    if len(title) > MAX_HEADING or _CONTENTS_ENTRY.search(title) or not re.search(r"\w", title):
        return False
    words = title[len(label.text) :].lstrip(" .)") if label else title
    if label and label.kind != "number" and _MENTION.match(words):
        return False
    if label and label.kind == "number" and not words[:1].isalpha():
        return False
    return not _SENTENCE_END.search(title) or not words.strip(".:")


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


_CLOSES: Final[dict[LabelKind, frozenset[LabelKind]]] = {
    "container": frozenset({"article", "paragraph"}),
    "article": frozenset({"article", "paragraph"}),
    "paragraph": frozenset({"paragraph"}),
    "annex": frozenset({"annex", "container", "article", "paragraph"}),
}
"""Which open legal units a new one ends, besides units of its own name."""


@dataclass(frozen=True, slots=True)
class _Open:
    heading: Heading
    label: Label | None

    @property
    def legal(self) -> bool:
        return self.label is not None and self.label.kind != "number"


def build_sections(extraction: Extraction) -> list[SectionSpan]:
    """Turn the headings of a text into ordered, gapless sections.

    The text before the first heading is one only in a document with a label of its own.
    """
    text, series = extraction.text, extraction.series
    headings = sorted(extraction.headings, key=lambda heading: heading.start)
    if _first_is_title(headings, text):
        headings = headings[1:]
    starts = [*(heading.start for heading in headings), len(text)]
    sections = []
    if series and starts[0] > 0:
        sections.append(_section(series, extraction.title or series, (0, starts[0]), ()))
    stack: list[_Open] = []
    for heading, end in zip(headings, starts[1:], strict=True):
        new = _Open(heading, label_of(heading.title))
        stack = [*takewhile(partial(_stays_open, new), stack), new]
        if heading.start < end:
            path = tuple(opened.heading.title for opened in stack)
            label = _citable_label(stack, series)
            sections.append(_section(label, heading.title, (heading.start, end), path))
    return sections


def _section(label: str, title: str, span: Span, path: tuple[str, ...]) -> SectionSpan:
    level, (start, end) = max(0, len(path) - 1), span
    return SectionSpan(
        label=label, title=title, level=level, start=start, end=end, heading_path=path
    )


def _first_is_title(headings: Sequence[Heading], text: str) -> bool:
    if len(headings) < 2 or text[: headings[0].start].strip():
        return False
    return label_of(headings[0].title) is None and stands_above(headings)


def _stays_open(new: _Open, opened: _Open) -> bool:
    deeper = opened.heading.level < new.heading.level
    if new.label is None or opened.label is None or not (new.legal and opened.legal):
        return deeper
    if new.label.unit == opened.label.unit or opened.label.kind in _CLOSES[new.label.kind]:
        return False
    return opened.label.kind != "annex" or deeper


def _citable_label(stack: Sequence[_Open], series: str | None) -> str:
    """Return the innermost label that readers can look up, or the series, else the heading."""
    for depth in range(len(stack) - 1, -1, -1):
        label = stack[depth].label
        if label is None or (series and label.kind in ("annex", "container")):
            continue
        if _is_unique(label, stack[:depth]):
            return label.text
    return series or stack[-1].heading.title


def _is_unique(label: Label, above: Sequence[_Open]) -> bool:
    """Return whether readers can look a label up: not "1." in others, nor "Teil A" of an annex."""
    if label.kind == "number" and "." not in label.text:
        return all(opened.legal for opened in above)
    if label.kind == "container":
        return not any(opened.label and opened.label.kind == "annex" for opened in above)
    return True
