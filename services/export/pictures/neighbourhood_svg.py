"""Draws the neighbourhood of an answer: sections in columns, references as arrows.

Colours come from the text around it (``currentColor``), so it fits a light and a dark page, and a
printed one.
"""

import html
from dataclasses import dataclass, replace
from typing import Final

from services.export.pictures.neighbourhood import Neighbourhood, Section

FONT: Final = 13
LETTER: Final = 7.4
"""Width that a letter is given; the widest common ones of a sans serif at this size."""
BOLD: Final = 8.4
"""The same of headings."""
LONGEST: Final = 28
ROW, CAPTION, TOP, MARGIN = 34, 26, 30, 12
BOX: Final = 26
GAP: Final = 96
BULGE: Final = 34


@dataclass(frozen=True)
class PictureWords:
    """What the picture says; ``{}`` is filled in, ``columns`` are the headings of as many."""

    title: str
    columns: tuple[str, ...]
    counts: str
    link: str
    links: str
    left_out: str


GERMAN: Final = PictureWords(
    title="Umgebung der Antwort",
    columns=("In der Antwort belegt", "Über Verweise", "Einen Schritt weiter"),
    counts="{} Abschnitte, {} Verweise.",
    link="{} verweist auf {}.",
    links="{} verweisen auf {}.",
    left_out="und {} weitere",
)
ENGLISH: Final = PictureWords(
    title="Neighbourhood of the answer",
    columns=("Cited in the answer", "By reference", "One step further"),
    counts="{} sections, {} references.",
    link="{} refers to {}.",
    links="{} refer to {}.",
    left_out="and {} more",
)
ENTITY_GERMAN: Final = replace(
    GERMAN,
    title="Was im Wissensgraphen damit verbunden ist",
    columns=("Gesucht", "Damit verbunden"),
    counts="{} Namen, {} Verbindungen.",
    link="Von {} zu {}.",
    links="Von {} zu {}.",
)
ENTITY_ENGLISH: Final = replace(
    ENGLISH,
    title="What the knowledge graph ties to it",
    columns=("Looked up", "Tied to it"),
    counts="{} names, {} ties.",
    link="From {} to {}.",
    links="From {} to {}.",
)


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.y + BOX / 2


def neighbourhood_svg(found: Neighbourhood, language: str, *, of_entity: bool = False) -> str:
    """The picture as one ``<svg>`` element; "" where there is no link to show.

    Args:
        found: what to draw.
        language: of its words, ``de`` or any other for English.
        of_entity: whether it is that of a node, not of an answer.
    """
    if not found.links:
        return ""
    german, english = (ENTITY_GERMAN, ENTITY_ENGLISH) if of_entity else (GERMAN, ENGLISH)
    words = german if language == "de" else english
    boxes, captions, height = _placed(found, words)
    last = boxes[found.columns[-1][0]].x + BOLD * len(words.columns[len(found.columns) - 1])
    width = max(last, *(box.x + box.width + BULGE for box in boxes.values())) + MARGIN
    parts = [
        *_described(found, words),
        *(_heading(found, boxes, column, words) for column in range(len(found.columns))),
        *(_text(x, y, text, opacity=0.7) for x, y, text in captions),
        *(_arrow(boxes[source], boxes[target]) for source, target in found.links),
        *(_box(section, box, found) for section, box in boxes.items()),
    ]
    if found.left_out:
        parts.append(_text(1, height, words.left_out.format(found.left_out), opacity=0.7))
        height += CAPTION
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'aria-label="{_escaped(words.title)}" font-family="system-ui, sans-serif" '
        f'font-size="{FONT}" fill="currentColor">{"".join(parts)}</svg>'
    )


def neighbourhood_list(found: Neighbourhood, language: str) -> list[str]:
    """The neighbourhood of an answer in sentences, which say all that its arrows show."""
    words = GERMAN if language == "de" else ENGLISH
    left_out = [words.left_out.format(found.left_out)] if found.left_out else []
    return [*_told(found, words), *left_out] if found.links else []


def _told(found: Neighbourhood, words: PictureWords) -> list[str]:
    """A sentence for all that a section refers to, one for all others that refer to a cited one."""
    cited = set(found.columns[0])
    to: dict[str, list[str]] = {}
    by: dict[str, list[str]] = {}
    for source, target in found.links:
        if target in cited and source not in cited:
            by.setdefault(target.name, []).append(source.name)
        else:
            to.setdefault(source.name, []).append(target.name)
    return [
        *(words.link.format(name, ", ".join(others)) for name, others in to.items()),
        *(
            (words.link if len(others) == 1 else words.links).format(", ".join(others), name)
            for name, others in by.items()
        ),
    ]


def _placed(
    found: Neighbourhood, words: PictureWords
) -> tuple[dict[Section, _Box], list[tuple[float, float, str]], float]:
    """Where each section and each name of a document stands, and the height of all."""
    boxes: dict[Section, _Box] = {}
    captions: list[tuple[float, float, str]] = []
    x, lowest = 1.0, 0.0
    for heading, column in zip(words.columns, found.columns, strict=False):
        y, document = float(TOP), ""
        width = max(LETTER * len(_cut(section.label)) + 20 for section in column)
        for section in column:
            if section.document != document:
                document = section.document
                captions.append((x, y + CAPTION - 9, _cut(document)))
                y += CAPTION
            boxes[section] = _Box(x, y, width)
            y += ROW
        lowest = max(lowest, y)
        x += max(width + GAP, BOLD * len(heading) + GAP / 2)
    return boxes, captions, lowest + MARGIN


def _described(found: Neighbourhood, words: PictureWords) -> list[str]:
    """Title and description for readers of the screen: all that the arrows say."""
    counts = words.counts.format(len(found.sections), len(found.links))
    told = " ".join((counts, *_told(found, words)))
    return [f"<title>{_escaped(words.title)}</title>", f"<desc>{_escaped(told)}</desc>"]


def _heading(
    found: Neighbourhood, boxes: dict[Section, _Box], column: int, words: PictureWords
) -> str:
    x = boxes[found.columns[column][0]].x
    return _text(x, 16, words.columns[column], weight=600)


def _box(section: Section, box: _Box, found: Neighbourhood) -> str:
    cited = section in found.columns[0]
    filled = 0.12 if cited else 0.0
    shape = (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{BOX}" rx="5" '
        f'fill="currentColor" fill-opacity="{filled}" stroke="currentColor" '
        f'stroke-opacity="{0.75 if cited else 0.4}"/>'
    )
    full = f"<title>{_escaped(section.name)}</title>"
    return f"<g>{full}{shape}{_text(box.x + 10, box.y + 18, _cut(section.label))}</g>"


def _arrow(source: _Box, target: _Box) -> str:
    """From a side of one box to a side of another; within a column around the right."""
    if target.x > source.x:
        begin, end, bend = source.x + source.width, target.x, 40.0
        curve = f"C{begin + bend:.1f} {source.middle:.1f} {end - bend:.1f} {target.middle:.1f}"
    elif target.x < source.x:
        begin, end, bend = source.x, target.x + target.width, -40.0
        curve = f"C{begin + bend:.1f} {source.middle:.1f} {end - bend:.1f} {target.middle:.1f}"
    else:
        begin, end = source.x + source.width, target.x + target.width
        out = begin + BULGE
        curve = f"C{out:.1f} {source.middle:.1f} {out:.1f} {target.middle:.1f}"
    back = -7 if target.x > source.x else 7
    head = f"M{end + back:.1f} {target.middle - 4:.1f}L{end:.1f} {target.middle:.1f}"
    return (
        f'<path d="M{begin:.1f} {source.middle:.1f}{curve} {end:.1f} {target.middle:.1f}'
        f'{head}L{end + back:.1f} {target.middle + 4:.1f}" fill="none" stroke="currentColor" '
        'stroke-opacity="0.5"/>'
    )


def _text(x: float, y: float, text: str, *, opacity: float = 1.0, weight: int = 400) -> str:
    faint = "" if opacity == 1.0 else f' fill-opacity="{opacity}"'
    bold = "" if weight == 400 else f' font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{faint}{bold}>{_escaped(text)}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _escaped(text: str) -> str:
    return html.escape(text, quote=True)
