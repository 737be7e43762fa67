"""Whether a text states a fact or refuses: string matching that numbers cannot fool.

``100 Millisievert`` is not found in ``0,100 Millisievert`` nor ``1 mSv`` in ``11 mSv``, while
``1 mSv``, ``1 Millisievert`` and ``1&nbsp;mSv`` are the same fact. Pure functions; nothing that
answers is imported, so that the measure cannot inherit its mistakes.
"""

import re
import unicodedata
from collections.abc import Sequence

_PER = r"(?:/|\bje\b|\bpro\b|\bper\b|\bdurch\b)"
_UNITS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), unit)
    for pattern, unit in (
        (r"(?<=\d)\s*(?:msv|millisievert)", " millisievert"),
        (r"(?<=\d)\s*(?:μsv|usv|mikrosievert|microsievert)", " mikrosievert"),
        (r"(?<=\d)\s*(?:sv\b|sievert)", " sievert"),
        (r"(?<=\d)\s*(?:bq\b|becquerel)", " becquerel"),
        (rf"\s*{_PER}\s*(?:m3|kubikmeter|cubic met(?:re|er))", " je kubikmeter"),
        (rf"\s*{_PER}\s*(?:h\b|stunde|hour)", " je stunde"),
    )
)

_SOURCE = r"dokument|unterlage|textstelle|passage|kontext|auszug|auszüg|sammlung|fundstelle|beleg"
_REFUSALS: tuple[tuple[str, str, str], ...] = (
    (
        _SOURCE + r"|information|angabe|antwort|frage",
        r"\bkein|\bnichts?\b|\bohne\b|\bweder\b",
        r"gefunden|finde[nt]|enthalt|enthält|beantwort|entnehm|hervor|geregelt|angegeben|genannt"
        r"|vorhanden|verfügbar|ergibt|erwähn|festgelegt|angaben|information",
    ),
    (
        r"document|passage|source|context|collection|information|question|answer",
        r"\bno\b|\bnot\b|n't\b|\bcannot\b|\bnothing\b|\bneither\b",
        r"contain|found|find|answer|mention|state|specif|provide|available|information",
    ),
)


def normalise(text: str) -> str:
    """Case, whitespace, line-break hyphenation, Markdown marks and unit spellings made equal."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "")
    text = re.sub(r"(?<=\w)-\n(?=[a-zäöüß])", "", text)
    text = re.sub(r"[*_`]", "", text)
    text = re.sub(r"\s+", " ", text).casefold().strip()
    for pattern, unit in _UNITS:
        text = pattern.sub(unit, text)
    return text


def states(text: str, alternative: str) -> bool:
    """Whether ``text`` contains ``alternative`` as words of their own.

    The beginning must be a word's beginning (and no decimal part of a longer number); the end
    may carry an inflection (``fünf Jahre`` in ``fünf Jahren``), but a number or a last word of
    one or two letters (``Kategorie A``) must end there.
    """
    wanted = normalise(alternative)
    if not wanted:
        return False
    begin = r"(?<!\w)(?<!\d[.,])" if wanted[0].isdigit() else r"(?<!\w)"
    whole = wanted[-1].isdigit() or len(wanted.rsplit(" ", 1)[-1]) <= 2
    end = r"(?!\w|[.,]\d)" if whole else ""
    return re.search(begin + re.escape(wanted) + end, normalise(text)) is not None


def groups_found(text: str, must: Sequence[Sequence[str]]) -> list[bool]:
    """For each group of alternative spellings, whether the text states one of them."""
    return [any(states(text, alternative) for alternative in group) for group in must]


def refuses(text: str) -> bool:
    """Whether a sentence says, in German or English, that the documents hold no answer.

    A heuristic over three word families in one sentence (what was searched, a negation, what
    it does not do). Headings do not count: one above a list of gaps refuses only that part. An
    empty answer is a refusal.
    """
    if not text.strip():
        return True
    prose = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    sentences = re.split(r"(?<=[.!?])\s+|\n+", prose.casefold())
    return any(
        all(re.search(family, sentence) for family in families)
        for sentence in sentences
        for families in _REFUSALS
    )
