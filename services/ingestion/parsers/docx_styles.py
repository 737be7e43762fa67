"""Styles and automatic numbers of Word documents (ISO/IEC 29500-1, 17.7 and 17.9)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from docx.oxml.xmlchemy import BaseOxmlElement

from services.ingestion.parsers.numbering import Level, ListCounter
from services.ingestion.parsers.symbols import UNKNOWN, symbols
from services.ingestion.parsers.text_body import TITLE

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DEEPEST: Final = 9
_OFF: Final = ("0", "false", "off")
_TOGGLES: Final = ("strike", "vanish")
"""Properties that a paragraph style and a character style switch off if both set them."""


def value(element: BaseOxmlElement | None, name: str = "val") -> str | None:
    return None if element is None else element.get(f"{W}{name}")


def is_on(element: BaseOxmlElement) -> bool:
    return element.get(f"{W}val", "1") not in _OFF


class Styles:
    """The styles of a document by their id; ``root`` is ``w:styles``."""

    def __init__(self, root: BaseOxmlElement) -> None:
        self._root = root
        self._styles = {value(style, "styleId") or "": style for style in root.iter(f"{W}style")}
        self._default = next(
            (
                name
                for name, style in self._styles.items()
                if value(style, "type") == "paragraph"
                and value(style, "default") not in (None, *_OFF)
            ),
            "",
        )
        self._levels: dict[str, int | None] = {}
        self._fonts: dict[str, Mapping[str, str]] = {}

    @property
    def language(self) -> str:
        """The language of the text where nothing else is stated, such as ``de-DE``."""
        return value(self._root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang")) or ""

    def of_paragraph(self, paragraph: BaseOxmlElement) -> str:
        return value(paragraph.find(f"{W}pPr/{W}pStyle")) or self._default

    def properties(self, style: str, path: str) -> Iterator[BaseOxmlElement]:
        """Yield what a style and the styles that it is based on say at a path, nearest first."""
        visited: set[str] = set()
        while style in self._styles and style not in visited:  # a hostile one is based on itself
            visited.add(style)
            element = self._styles[style]
            yield from element.iterfind(path)
            style = value(element.find(f"{W}basedOn")) or ""

    def heading_level(self, paragraph: BaseOxmlElement) -> int | None:
        """Return the level 1-9 of a heading, `TITLE` or None, by the paragraph or its style."""
        outline = value(paragraph.find(f"{W}pPr/{W}outlineLvl"))
        if outline is not None:
            return _level(outline)
        style = self.of_paragraph(paragraph)
        if style not in self._levels:
            self._levels[style] = self._style_level(style)
        return self._levels[style]

    def _style_level(self, style: str) -> int | None:
        for number, element in enumerate(self.properties(style, ".")):
            name = value(element.find(f"{W}name")) or ""
            if number == 0 and name == "Title":
                return TITLE
            outline = value(element.find(f"{W}pPr/{W}outlineLvl"))
            if outline is not None:
                return _level(outline)
            if named := re.fullmatch(r"heading ([1-9])", name.lower()):
                return int(named[1])
        return None

    def run_properties(self, run: BaseOxmlElement, style: str) -> Mapping[str, str]:
        """Return ``strike``, ``vanish``, ``font`` and ``vertAlign`` of a run."""
        direct = run.find(f"{W}rPr")
        inherited = self._of_style(style)
        if direct is None:
            return inherited
        character = self._of_style(value(direct.find(f"{W}rStyle")) or "")
        merged = {**inherited, **character}
        for name in _TOGGLES:
            if name in inherited and name in character:
                del merged[name]
        return _changed(merged, direct)

    def _of_style(self, style: str) -> Mapping[str, str]:
        if style not in self._fonts:
            merged: dict[str, str] = {}
            for properties in reversed(list(self.properties(style, f"{W}rPr"))):
                merged = _changed(merged, properties)
            self._fonts[style] = merged
        return self._fonts[style]


def _changed(inherited: Mapping[str, str], properties: BaseOxmlElement) -> dict[str, str]:
    merged = dict(inherited)
    for child in properties:
        name = str(child.tag).removeprefix(W)
        if name in (*_TOGGLES, "dstrike"):
            merged.pop(name, None)
            if is_on(child):
                merged[name] = "1"
        elif name == "vertAlign":
            merged[name] = value(child) or ""
        elif name == "rFonts" and (font := value(child, "ascii") or value(child, "hAnsi")):
            merged["font"] = font
    return merged


def _level(outline: str) -> int | None:
    level = int(outline) + 1 if outline.isdecimal() else _DEEPEST + 1
    return level if level <= _DEEPEST else None


_BULLET: Final = "•"


class WordNumbers:
    """Labels of paragraphs, to be requested in their order; ``root`` is ``w:numbering``."""

    def __init__(self, root: BaseOxmlElement | None, styles: Styles, losses: Counter[str]) -> None:
        self._styles = styles
        self._losses = losses
        abstracts = () if root is None else root.iterfind(f"{W}abstractNum")
        lists = () if root is None else root.iterfind(f"{W}num")
        self._abstracts = {value(element, "abstractNumId"): element for element in abstracts}
        self._lists = {value(element, "numId") or "": element for element in lists}
        self._levels: dict[str, Mapping[int, Level]] = {}
        self._of_style: dict[str, tuple[str, int]] = {}
        self._counters: defaultdict[str, ListCounter] = defaultdict(ListCounter)

    def label(self, paragraph: BaseOxmlElement) -> str:
        """Return what Word writes ahead of a paragraph, with the space behind it; often nothing."""
        number, depth = self._list_of(paragraph)
        abstract = self._abstract(number)
        if abstract is None:
            return ""
        counter = self._counters[value(abstract, "abstractNumId") or ""]
        if number not in self._levels:
            self._levels[number] = self._levels_of(number, abstract)
            for override in self._lists[number].iterfind(f"{W}lvlOverride"):
                if override.find(f"{W}startOverride") is not None:
                    counter.restart(_integer(value(override, "ilvl"), 0))
        levels = self._levels[number]
        if depth not in levels:
            return ""
        label = counter.label(levels, depth)
        self._losses["numbers"] += label is None
        return label or ""

    def _list_of(self, paragraph: BaseOxmlElement) -> tuple[str, int]:
        properties = paragraph.find(f"{W}pPr/{W}numPr")
        number = None if properties is None else value(properties.find(f"{W}numId"))
        depth = None if properties is None else value(properties.find(f"{W}ilvl"))
        if number is not None:
            return number, _integer(depth, 0)
        style = self._styles.of_paragraph(paragraph)
        if style not in self._of_style:
            self._of_style[style] = self._list_of_style(style)
        number, otherwise = self._of_style[style]
        return number, _integer(depth, otherwise)

    def _list_of_style(self, style: str) -> tuple[str, int]:
        number = depth = None
        for properties in self._styles.properties(style, f"{W}pPr/{W}numPr"):
            number = number or value(properties.find(f"{W}numId"))
            depth = depth or value(properties.find(f"{W}ilvl"))
        return number or "", self._linked_depth(number or "", style, _integer(depth, 0))

    def _linked_depth(self, number: str, style: str, otherwise: int) -> int:
        """Return the level that a list gives to a style or to one that the style is based on."""
        abstract = self._abstract(number)
        if abstract is None:
            return otherwise
        linked = {
            value(level.find(f"{W}pStyle")): _integer(value(level, "ilvl"), 0)
            for level in abstract.iterfind(f"{W}lvl")
        }
        for element in self._styles.properties(style, "."):
            if (name := value(element, "styleId")) in linked:
                return linked[name]
        return otherwise

    def _abstract(self, number: str) -> BaseOxmlElement | None:
        """Return the definition of a list, also where a style of its own leads to it."""
        visited: set[str] = set()
        while number in self._lists and number not in visited:
            visited.add(number)
            abstract = self._abstracts.get(value(self._lists[number].find(f"{W}abstractNumId")))
            link = None if abstract is None else value(abstract.find(f"{W}numStyleLink"))
            if link is None:
                return abstract
            path = f"{W}pPr/{W}numPr/{W}numId"
            number = next(filter(None, map(value, self._styles.properties(link, path))), "")
        return None

    def _levels_of(self, number: str, abstract: BaseOxmlElement) -> Mapping[int, Level]:
        elements = {_integer(value(e, "ilvl"), 0): e for e in abstract.iterfind(f"{W}lvl")}
        starts: dict[int, int] = {}
        for override in self._lists[number].iterfind(f"{W}lvlOverride"):
            depth = _integer(value(override, "ilvl"), 0)
            if (level := override.find(f"{W}lvl")) is not None:
                elements[depth] = level
            if (start := override.find(f"{W}startOverride")) is not None:
                starts[depth] = _integer(value(start), 1)
        return {
            depth: self._level(element, depth, starts.get(depth))
            for depth, element in elements.items()
        }

    def _level(self, element: BaseOxmlElement, depth: int, start: int | None) -> Level:
        restarts = _integer(value(element.find(f"{W}lvlRestart")), depth) - 1
        first = _integer(value(element.find(f"{W}start")), 0)
        legal = element.find(f"{W}isLgl")
        return Level(
            template=_template(element),
            number_format=self._format(element),
            start=first if start is None else start,
            restarts_after=restarts,
            in_figures=legal is not None and value(legal) not in ("0", "false"),
        )

    def _format(self, level: BaseOxmlElement) -> str:
        custom = level.find(f"{MC}AlternateContent/{MC}Choice/{W}numFmt")
        element = level.find(f"{W}numFmt") if custom is None else custom
        name = value(element) or "decimal"
        if name == "custom":
            return (value(element, "format") or "").partition(",")[0].strip()
        if name == "ordinal" and not self._styles.language.startswith("en"):
            return "ordinal of another language"
        return name


def _template(level: BaseOxmlElement) -> str:
    text = value(level.find(f"{W}lvlText")) or ""
    if level.find(f"{W}rPr/{W}vanish") is not None:
        return ""
    if value(level.find(f"{W}numFmt")) == "bullet":
        font = value(level.find(f"{W}rPr/{W}rFonts"), "ascii") or ""
        text = symbols(font, text).replace(UNKNOWN, _BULLET)
        if level.find(f"{W}lvlPicBulletId") is not None or text.isalnum():
            text = _BULLET
    behind = value(level.find(f"{W}suff")) or "tab"
    return f"{text} " if text and behind != "nothing" else text


def _integer(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isdecimal() else otherwise
