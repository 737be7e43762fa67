"""Styles of Word documents: what a paragraph or run inherits (ISO/IEC 29500-1, 17.7)."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from docx.oxml.xmlchemy import BaseOxmlElement

from services.ingestion.parsers.text_body import TITLE

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DEEPEST: Final = 9
_OFF: Final = ("0", "false", "off")
_TOGGLES: Final = ("strike", "vanish")
"""Properties that a paragraph style and a character style switch off if both set them."""


def value(element: BaseOxmlElement | None, name: str = "val") -> str | None:
    """Return an attribute of an element, or None without the element."""
    return None if element is None else element.get(f"{W}{name}")


def is_on(element: BaseOxmlElement) -> bool:
    """Return whether a property that is there is switched on."""
    return element.get(f"{W}val", "1") not in _OFF


class Styles:
    """The styles of a document by their id.

    Args:
        root: the element ``w:styles``.
    """

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
        """Return the id of a paragraph's style."""
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
        """Return the level 1-9 of a heading, `TITLE`, or None.

        What the paragraph states counts before what its style states.
        """
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
        """Return the properties in force of a run: ``strike``, ``vanish``, ``font``, ``vertAlign``.

        Args:
            style: the id of its paragraph's style.
        """
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
    """Return properties as an element ``w:rPr`` changes them."""
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
