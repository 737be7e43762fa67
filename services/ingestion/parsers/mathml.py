"""Formulas of web pages (MathML) in one line, with their fractions, powers and roots."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bs4 import BeautifulSoup, Tag

from services.ingestion.parsers.formulas import grouped, power

_UNSEEN: Final = ["annotation", "annotation-xml", "mphantom"]
_FORMS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    "mfrac": lambda operands: "/".join(map(grouped, operands)),
    "msqrt": lambda operands: f"√{grouped(''.join(operands))}",
    "mroot": lambda operands: f"{power(operands[-1])}√{grouped(operands[0])}",
    "msup": lambda operands: operands[0] + power("".join(operands[1:])),
    "msub": lambda operands: f"{operands[0]}_{grouped(''.join(operands[1:]))}",
    "munder": lambda operands: f"{operands[0]}_{grouped(''.join(operands[1:]))}",
    "msubsup": lambda operands: "".join(
        (operands[0], "_", *map(grouped, operands[1:2]), *map(power, operands[2:]))
    ),
    "munderover": lambda operands: "".join(
        (operands[0], "_", *map(grouped, operands[1:2]), "^", *map(grouped, operands[2:]))
    ),
    "mtd": lambda operands: "".join(operands) + ", ",
    "mtr": lambda operands: "".join(operands).rstrip(", ") + "; ",
}


def flatten_formulas(page: BeautifulSoup) -> None:
    """Replace every formula of a page by its text in one line."""
    for formula in page("math"):
        for element in formula(_UNSEEN):
            element.decompose()
        for element in reversed(formula.find_all(True)):
            _flatten(element)
        formula.string = " ".join(formula.get_text().split())


def _flatten(element: Tag) -> None:
    """Replace an element, whose own elements are flat, by its text."""
    operands = [" ".join(child.get_text().split()) for child in element.find_all(recursive=False)]
    form = _FORMS.get(element.name.rpartition(":")[2])
    element.string = form(operands) if form and operands else element.get_text()
