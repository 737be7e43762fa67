"""Formulas of Office documents (OMML) in one line, with their fractions, powers and roots."""

from collections.abc import Callable
from typing import Final

from docx.oxml.xmlchemy import BaseOxmlElement

from services.ingestion.parsers.extraction import to_superscript

M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OPERANDS: Final = tuple(f"{M}{name}" for name in ("e", "num", "den", "deg", "mr"))
_LIMITS: Final = {f"{M}sub": "_", f"{M}sup": "^"}
_BETWEEN: Final = {f"{M}m": "; ", f"{M}mr": ", "}


def formula(element: BaseOxmlElement, read: Callable[[BaseOxmlElement], str]) -> str | None:
    """Return what a structure of a formula shows, None where its parts just follow."""
    if element.tag == f"{M}sup":
        return power(read(element))
    operands = [read(child) for child in element if child.tag in _OPERANDS]
    if element.tag in _BETWEEN:
        return _BETWEEN[element.tag].join(operands)
    if element.tag == f"{M}f":
        bar = "/" if _character(element, "type", "bar") != "noBar" else "¦"
        return bar.join(map(grouped, operands))
    if element.tag == f"{M}rad":
        degree = to_superscript(operands[0]) if len(operands) > 1 else ""
        return f"{degree}√{grouped(operands[-1])}" if operands else ""
    if element.tag == f"{M}d":
        inside = _character(element, "sepChr", "|").join(operands)
        return _character(element, "begChr", "(") + inside + _character(element, "endChr", ")")
    if element.tag == f"{M}nary":
        limits = ((child.tag, read(child)) for child in element if child.tag in _LIMITS)
        bounds = "".join(_LIMITS[tag] + grouped(text) for tag, text in limits if text)
        return f"{_character(element, 'chr', '∫')}{bounds} {''.join(operands)}"
    return None


def power(text: str) -> str:
    """Return a raised term; what has no raised form follows a caret."""
    up = to_superscript(text)
    is_raised = all(c != d or c.isspace() for c, d in zip(text, up, strict=True))
    return up if is_raised else f"^{grouped(text)}"


def grouped(text: str) -> str:
    """Return a term in brackets, where it needs them."""
    in_brackets = text.startswith("(") and text.find(")") == len(text) - 1
    return text if len(text) == 1 or text.isalnum() or in_brackets else f"({text})"


def _character(element: BaseOxmlElement, name: str, otherwise: str) -> str:
    node = element.find(f"{M}{element.tag.removeprefix(M)}Pr/{M}{name}")
    return otherwise if node is None else node.get(f"{M}val", "")
