"""The neighbourhood of an answer as a picture and in sentences."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from services.export.neighbourhood import Neighbourhood, Section
from services.export.templates import render
from services.export.words import PictureWords, words_for

LETTER: Final = 7.4
"""Width that a letter is given; the widest common ones of a sans serif at 13 pixels."""
BOLD: Final = 8.4
"""The same of headings."""
LONGEST: Final = 28
ROW, CAPTION, TOP, MARGIN = 34, 26, 30, 12
BOX: Final = 26
GAP: Final = 96
BULGE: Final = 34
BEND: Final = 40
ARROW: Final = 7


@dataclass(frozen=True)
class _Box:
    """A section with its place in the picture."""

    name: str
    label: str
    cited: bool
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
    known = words_for(language)
    words = known.entity_picture if of_entity else known.answer_picture
    boxes, texts, height = _placed(found, words)
    right = [box.x + box.width + BULGE for box in boxes.values()]
    right += [each["x"] + BOLD * len(each["text"]) for each in texts if each["bold"]]
    if found.left_out:
        texts.append(_text(1, height, words.left_out.format(found.left_out)))
        height += CAPTION
    counts = words.counts.format(len(found.sections), len(found.links))
    return render(
        "neighbourhood.svg",
        title=words.title,
        description=" ".join((counts, *_sentences(found, words))),
        width=max(right) + MARGIN,
        height=height,
        texts=texts,
        arrows=[_arrow(boxes[source], boxes[target]) for source, target in found.links],
        boxes=boxes.values(),
    )


def neighbourhood_list(found: Neighbourhood, language: str) -> list[str]:
    """The neighbourhood of an answer in sentences, which say all that its arrows show."""
    words = words_for(language).answer_picture
    left_out = [words.left_out.format(found.left_out)] if found.left_out else []
    return [*_sentences(found, words), *left_out] if found.links else []


def _sentences(found: Neighbourhood, words: PictureWords) -> Iterator[str]:
    """A sentence for all that a section refers to, one for all others that refer to a cited one."""
    cited = set(found.columns[0])
    to: dict[str, list[str]] = {}
    by: dict[str, list[str]] = {}
    for source, target in found.links:
        if target in cited and source not in cited:
            by.setdefault(target.name, []).append(source.name)
        else:
            to.setdefault(source.name, []).append(target.name)
    for name, others in to.items():
        yield words.link.format(name, ", ".join(others))
    for name, others in by.items():
        link = words.link if len(others) == 1 else words.links
        yield link.format(", ".join(others), name)


def _placed(
    found: Neighbourhood, words: PictureWords
) -> tuple[dict[Section, _Box], list[dict[str, Any]], float]:
    """Where each section, each heading and each name of a document stands, and the height."""
    boxes: dict[Section, _Box] = {}
    texts: list[dict[str, Any]] = []
    x, lowest = 1.0, 0.0
    for heading, column in zip(words.columns, found.columns, strict=False):
        texts.append(_text(x, 16, heading, bold=True))
        y, document = float(TOP), ""
        width = max(LETTER * len(_cut(section.label)) + 20 for section in column)
        for section in column:
            if section.document != document:
                document = section.document
                texts.append(_text(x, y + CAPTION - 9, _cut(document)))
                y += CAPTION
            cited = column is found.columns[0]
            boxes[section] = _Box(section.name, _cut(section.label), cited, x, y, width)
            y += ROW
        lowest = max(lowest, y)
        x += max(width + GAP, BOLD * len(heading) + GAP / 2)
    return boxes, texts, lowest + MARGIN


def _text(x: float, y: float, text: str, *, bold: bool = False) -> dict[str, Any]:
    return {"x": x, "y": y, "text": text, "bold": bold}


def _arrow(source: _Box, target: _Box) -> str:
    """A path from a side of one box to a side of another; within a column around the right."""
    ahead, same = target.x > source.x, target.x == source.x
    begin = source.x + (source.width if ahead or same else 0)
    end = target.x + (0 if ahead else target.width)
    bend, back = (BEND, -ARROW) if ahead else (-BEND, ARROW)
    first, second = (begin + BULGE,) * 2 if same else (begin + bend, end - bend)
    y = target.middle
    return (
        f"M{begin:.1f} {source.middle:.1f}"
        f"C{first:.1f} {source.middle:.1f} {second:.1f} {y:.1f} {end:.1f} {y:.1f}"
        f"M{end + back:.1f} {y - 4:.1f}L{end:.1f} {y:.1f}L{end + back:.1f} {y + 4:.1f}"
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
