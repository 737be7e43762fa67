"""Take out of a web page what its reader does not see."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import soupsieve
from bs4 import BeautifulSoup, Tag
from bs4.element import Declaration, ProcessingInstruction
from soupsieve import SelectorSyntaxError, SoupSieve

_FIELDS: Final = ["button", "datalist", "input", "select", "textarea"]
"""What a form is filled in with; the form itself may hold the whole page."""
_FALLBACKS: Final = ["audio", "canvas", "iframe", "noscript", "video"]
"""What is within them is for programs that cannot show them."""
_UNREAD: Final = [
    *("script", "style", "template", "nav", "svg", "dialog:not([open])", "rp", "rt"),
    *_FIELDS,
    *_FALLBACKS,
]
"""Navigation, fields, how words are spoken, and what is not shown; all as selectors."""
_MARKUP: Final = re.compile(
    r"(?P<style><style\b.*?(?:</style\b[^>]*>|\Z))|<script\b.*?(?:</script\b[^>]*>|\Z)"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))",
    re.IGNORECASE | re.DOTALL,
)
"""Scripts and comments as the HTML standard ends them; older versions of Python end them early."""
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CSS_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CONDITIONAL: Final = re.compile(r"@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})")
"""What holds for some devices only, with its rules: these may show an element, but not hide it."""
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_DISPLAY: Final = re.compile(r"(?:^|;)\s*display\s*:\s*([\w-]+)\s*(!\s*important)?", re.IGNORECASE)
_ALWAYS_SHOWN: Final = ("html", "body")
"""Pages hide all of themselves until their scripts run."""


def page_of(text: str) -> BeautifulSoup:
    """Parse a page, without its scripts and comments."""
    return BeautifulSoup(_MARKUP.sub(lambda match: match["style"] or "", text), "html.parser")


def remove_unseen(page: BeautifulSoup) -> None:
    """Remove what a browser does not show, and what is no text: navigation and fields."""
    unseen = page.find_all(
        lambda tag: tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style"))))
    )
    for element in [*unseen, *_hidden_by_styles(page), *page.select(", ".join(_UNREAD))]:
        element.decompose()
    for string in page.find_all(string=True):
        if isinstance(string, (Declaration, ProcessingInstruction)):
            string.extract()


def _hidden_by_styles(page: BeautifulSoup) -> Iterator[Tag]:
    """Yield the elements that rules of the page's own style sheets leave out.

    Only those that a rule hides are compared with the other rules: the strongest one holds.
    """
    rules: list[tuple[tuple[bool, int, int, int], int, SoupSieve, str]] = []
    for n, (selector, display, important) in enumerate(_display_rules(page)):
        # Selectors of states and of parts of elements, which a text does not have, are unknown.
        with suppress(SelectorSyntaxError, NotImplementedError):
            rank = important, *_specificity(selector)
            rules.append((rank, n, soupsieve.compile(selector), display))
    rules.sort(key=lambda rule: rule[:2], reverse=True)
    hidden = {
        id(element): element
        for _, _, sieve, display in rules
        if display == "none"
        for element in sieve.select(page)
    }
    for element in hidden.values():
        shown_inline = _DISPLAY.search(str(element.get("style", "")))
        strongest = next(display for _, _, sieve, display in rules if sieve.match(element))
        if strongest == "none" and not shown_inline and element.name not in _ALWAYS_SHOWN:
            yield element


def _display_rules(page: BeautifulSoup) -> Iterator[tuple[str, str, bool]]:
    """Yield each selector of a rule on display, with its value and whether it is important."""
    for style in page("style"):
        if style.find_parent(["noscript", "template"]):
            continue
        if str(style.get("media", "all")).strip().lower() in ("all", "screen", ""):
            css = _CSS_COMMENT.sub("", style.get_text())
            yield from _rules(_CONDITIONAL.sub("", css))
            for block in _CONDITIONAL.findall(css):
                rules = _rules(block.partition("{")[2])
                yield from (rule for rule in rules if rule[1] != "none")


def _rules(css: str) -> Iterator[tuple[str, str, bool]]:
    for selectors, declarations in _RULE.findall(css):
        for value, important in _DISPLAY.findall(declarations)[-1:]:
            for selector in selectors.split(","):
                yield selector.strip(), value.lower(), bool(important)


def _specificity(selector: str) -> tuple[int, int, int]:
    """Return how many ids, classes and names of elements a selector has."""
    counts = (len(re.findall(kind, selector)) for kind in (r"#", r"[.\[:]", r"(?:^|[\s>+~])[a-z]"))
    ids, classes, names = counts
    return ids, classes, names
