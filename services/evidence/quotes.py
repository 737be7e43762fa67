"""Whether a quote stands in a text."""

from functools import lru_cache
from typing import Final

from services.language.text import Normalised, normalise_mapped

_MARKS: Final = " \t\r\n\"'„“”»«"


def verify_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Find a quote word for word, whatever happened to its layout.

    White space, hyphens at line breaks, soft hyphens, quotation marks, dashes, ligatures and
    backticks do not count; quotation marks or an ellipsis around the quote do not either.

    Args:
        quote: what is said to be in the text.
        text: the document's text.

    Returns:
        The span in ``text``, its ends outside words if there is such an occurrence; None if the
        words are not there.
    """
    unmarked = quote.strip(_MARKS)
    for wording in (quote.strip(), unmarked, unmarked.strip(_MARKS + ".…")):
        if not wording:
            continue
        exact = _find(wording, text)
        if exact is not None:
            return exact, exact + len(wording)
        for join_hyphens in (True, False) if "-" in wording else (True,):
            haystack = _normalised(text, join_hyphens)
            needle = normalise_mapped(wording, join_hyphens=join_hyphens).text.strip()
            found = _find(needle, haystack.text) if needle else None
            if found is not None:
                return haystack.span(found, found + len(needle))
    return None


@lru_cache(maxsize=16)
def _normalised(text: str, join_hyphens: bool) -> Normalised:
    """A normalised document; quotes come in batches from the same few."""
    return normalise_mapped(text, join_hyphens=join_hyphens)


def _find(needle: str, haystack: str) -> int | None:
    """The first occurrence that does not cut words, else the first."""
    first = place = haystack.find(needle)
    while place >= 0:
        if not _inside_word(haystack, place) and not _inside_word(haystack, place + len(needle)):
            return place
        place = haystack.find(needle, place + 1)
    return first if first >= 0 else None


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()
