"""Styles and lists of OpenDocument texts (ISO/IEC 26300-1, 16 and 19)."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from lxml.etree import _Element

from services.ingestion.parsers.numbering import Level
from services.ingestion.parsers.symbols import UNKNOWN, symbols

_NAMES: Final = "urn:oasis:names:tc:opendocument:xmlns:"
STYLE: Final = f"{{{_NAMES}style:1.0}}"
TEXT: Final = f"{{{_NAMES}text:1.0}}"
_FO: Final = f"{{{_NAMES}xsl-fo-compatible:1.0}}"
_FORMATS: Final = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}
_NO: Final = ("", "none")
_MARGINS: Final = tuple(f"{STYLE}{margin}" for margin in ("header", "footer"))


class OdtStyles:
    """Paragraph, text and list styles by name; the last of the ``roots`` counts first."""

    def __init__(self, roots: list[_Element]) -> None:
        self._styles = {
            (style.get(f"{STYLE}family"), style.get(f"{STYLE}name")): style
            for root in roots
            for style in root.iter(f"{STYLE}style")
        }
        self._lists = {
            style.get(f"{STYLE}name"): style
            for root in roots
            for style in root.iter(f"{TEXT}list-style")
        }
        self._pages = [page for root in roots for page in root.iter(f"{STYLE}master-page")]
        self._outline = next(
            chain.from_iterable(r.iter(f"{TEXT}outline-style") for r in roots), None
        )
        self._properties: dict[tuple[str, str | None], Mapping[str, str]] = {}
        self._levels: dict[str | None, Mapping[int, Level]] = {}

    def ancestors(self, family: str, name: str | None) -> list[_Element]:
        """Return a style and those that it is based on, nearest first."""
        styles: list[_Element] = []
        while (style := self._styles.get((family, name))) is not None and style not in styles:
            styles.append(style)
            name = style.get(f"{STYLE}parent-style-name")
        return styles

    def margins(self) -> Iterator[_Element]:
        styles = self._styles.values()
        used = {"Standard", *(style.get(f"{STYLE}master-page-name") for style in styles)}
        for page in self._pages:
            for child in page if page.get(f"{STYLE}name") in used else ():
                if str(child.tag).startswith(_MARGINS) and child.get(f"{STYLE}display") != "false":
                    yield child

    def is_title(self, name: str | None) -> bool:
        return any(
            style.get(f"{STYLE}name") == "Title" for style in self.ancestors("paragraph", name)
        )

    def has_no_list(self, paragraph: _Element) -> bool:
        """Return whether a paragraph's style takes it out of all lists."""
        styles = self.ancestors("paragraph", paragraph.get(f"{TEXT}style-name"))
        names = (style.get(f"{STYLE}list-style-name") for style in styles)
        return next((name for name in names if name is not None), None) == ""

    def properties(self, family: str, name: str | None) -> Mapping[str, str]:
        """Return ``struck``, ``hidden``, ``raised``, ``bold``, ``font`` of a style, "" if off."""
        if (family, name) not in self._properties:
            merged: dict[str, str] = {}
            for style in reversed(self.ancestors(family, name)):
                for element in style.iterfind(f"{STYLE}text-properties"):
                    merged |= _properties(element)
            self._properties[family, name] = merged
        return self._properties[family, name]

    def list_levels(self, name: str | None) -> Mapping[int, Level]:
        """Return the levels (from 0) of a list style, those of headings for None."""
        if name not in self._levels:
            style = self._outline if name is None else self._lists.get(name)
            elements = [] if style is None else [e for e in style if e.get(f"{TEXT}level")]
            by_depth = {int(e.get(f"{TEXT}level", "1")) - 1: e for e in elements}
            self._levels[name] = {depth: _level(by_depth, depth) for depth in by_depth}
        return self._levels[name]


def _properties(element: _Element) -> dict[str, str]:
    attributes = {
        "struck": element.get(f"{STYLE}text-line-through-style")
        or element.get(f"{STYLE}text-line-through-type"),
        "hidden": {"none": "1"}.get(
            element.get(f"{TEXT}display", ""), element.get(f"{TEXT}display")
        ),
        "raised": element.get(f"{STYLE}text-position"),
        "bold": element.get(f"{_FO}font-weight"),
        "font": element.get(f"{STYLE}font-name") or element.get(f"{_FO}font-family"),
    }
    properties = {name: value for name, value in attributes.items() if value is not None}
    if properties.get("struck") in _NO:
        properties["struck"] = ""
    if properties.get("hidden") != "1" and "hidden" in properties:
        properties["hidden"] = ""
    if "raised" in properties:
        position = properties["raised"].split()[0]
        is_above = position.endswith("%") and not position.startswith(("-", "0"))
        properties["raised"] = "1" if position == "super" or is_above else ""
    if "bold" in properties and properties["bold"] not in ("bold", "600", "700", "800", "900"):
        properties["bold"] = ""
    return properties


def _level(elements: Mapping[int, _Element], depth: int) -> Level:
    """Return a level of a list; its label shows the numbers of outer levels that have some."""
    element = elements[depth]
    bullet = element.get(f"{TEXT}bullet-char")
    if bullet is not None or element.tag == f"{TEXT}list-level-style-image":
        return Level(f"{_bullet(element, bullet or '')} ", "bullet")
    number_format = element.get(f"{STYLE}num-format", "")
    if not number_format:
        return Level("", "none")
    first = depth + 1 - int(element.get(f"{TEXT}display-levels", "1"))
    numbers = [
        f"%{outer + 1}"
        for outer in range(max(first, 0), depth + 1)
        if outer in elements and elements[outer].get(f"{STYLE}num-format")
    ]
    prefix, suffix = element.get(f"{STYLE}num-prefix", ""), element.get(f"{STYLE}num-suffix", "")
    return Level(
        f"{prefix}{'.'.join(numbers)}{suffix}".rstrip() + " ",
        _FORMATS.get(number_format, number_format),
        start=int(element.get(f"{TEXT}start-value", "1")),
        restarts_after=depth - 1,
    )


def _bullet(element: _Element, character: str) -> str:
    properties = element.find(f"{STYLE}text-properties")
    font = "" if properties is None else _properties(properties).get("font", "")
    glyph = symbols(font.strip("'"), character)
    return "•" if not glyph or glyph == UNKNOWN or glyph.isalnum() else glyph
