"""Whether two sentences say must, may, should or must not alike."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from services.text import stem_sequence
from services.types import Language

Modality = Literal[
    "assurance",
    "prohibition",
    "exemption",
    "obligation",
    "recommendation",
    "restriction",
    "permission",
]
"""``assurance`` is a duty to see to something (``hat dafür zu sorgen, dass …``): what must be so is
said in the clause after it, so that it contradicts nothing by itself. ``restriction`` is ``darf
nur``."""

_NOT: Final = r"(?:nicht|kein(?:e[mnrs]?)?|niemals)"
# Characters of the same clause and of those inside it.
_ONWARD: Final = (
    r"(?:(?!,\s+(?:wobei|wenn|dass|soweit|sofern|falls|aber|sondern|jedoch|es\s+sei))[^.;:])"
)
_INFINITIVE: Final = (
    r"(?:zu\s+(?!erwarten|rechnen|befürchten|sehen|verstehen)[a-zäöüß]+(?:en|ern|eln)"
    r"|(?:ab|an|auf|aus|bei|bereit|dar|durch|ein|fest|frei|her|hin|mit|nach|sicher|teil|um|vor|wahr|weiter"
    r"|zurück|zusammen)zu[a-zäöüß]+(?:en|ern|eln))"
)
# The first pattern that matches at a place decides.
_PATTERNS: Final[tuple[tuple[Modality, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))  # type: ignore[misc]
    for name, pattern in (
        (
            "assurance",
            r"\b(?:hat|haben|muss|müssen)\b[^.;]{0,200}?\b(?:dafür\s+(?:zu\s+)?sorgen|sicher(?:zu)?stellen)\b"
            r"|\b(?:must|shall|has\s+to|have\s+to)\s+ensure\b",
        ),
        (
            "restriction",
            r"\b(?:darf|dürfen)\b(?:\s+\S+){0,8}?\s+(?:nur|erst|ausschließlich)\b|\bmay\s+only\b",
        ),
        (
            "prohibition",
            rf"\b(?:darf|dürfen|kann|können)\b(?={_ONWARD}{{0,160}}?\b{_NOT}\b)"
            rf"|\b{_NOT}\b[^,.;]{{0,60}}\b(?:darf|dürfen|kann|können)\b"
            r"|\b(?:unzulässig|verboten|untersagt|zuwiderhand)\w*|\bnicht\s+(?:zulässig|gestattet|erlaubt)\b"
            r"|\b(?:must|may|shall|can|could)\s+(?:not|never)\b|\b(?:cannot|can['’]t|mustn['’]t)\b"
            r"|\b(?:prohibited|forbidden|disallowed|not\s+(?:allowed|permitted))\b",
        ),
        (
            "exemption",
            rf"\b(?:muss|müssen|braucht|brauchen)\b(?=[^.;:,]{{0,120}}?\b{_NOT}\b)"
            r"|\bnicht\s+(?:erforderlich|verpflichtet|notwendig|nötig)\b|\bbedarf\s+(?:\w+\s+){0,3}?keiner\b"
            r"|\bentbehrlich\b|\bneed\s+not\b|\bnot\s+(?:required|necessary|obliged|mandatory)\b"
            r"|\b(?:does|do)\s*n[o']t\s+(?:have|need)\s+to\b",
        ),
        (
            "obligation",
            rf"\b(?:muss|müssen|verpflichtet|erforderlich|bedarf|bedürfen)\b"
            rf"|\b(?:ist|sind|hat|haben)\b[^.;]{{0,300}}?\b{_INFINITIVE}\b|\b{_INFINITIVE}\s+(?:ist|sind|hat|haben)\b"
            r"|\b(?:must|shall|mandatory|obliged|required)\b|\b(?:has|have)\s+to\b|\b(?:is|are)\s+to\s+be\b",
        ),
        (
            "recommendation",
            r"\b(?:soll|sollen|sollte[nst]*|empfohlen|empfiehlt|should|recommend(?:ed|s)?|ought)\b",
        ),
        (
            "permission",
            r"\b(?:darf|dürfen|kann|können|zulässig|erlaubt|gestattet|berechtigt|befugt|may|can|could|might"
            r"|allowed|permitted)\b",
        ),
    )
)
_CONTRADICTIONS: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("obligation", "permission"),
        ("obligation", "exemption"),
        ("obligation", "prohibition"),
        ("obligation", "recommendation"),
        ("permission", "prohibition"),
        ("permission", "recommendation"),
        ("recommendation", "prohibition"),
        ("recommendation", "exemption"),
    )
)
# What a list of offences permits is what it forbids: ``entgegen § 4 … die Benutzung gestattet``.
_OFFENCE = re.compile(r"\bentgegen\b|\bOrdnungswidrig\b|\bcontrary\s+to\b")
# "may receive at most 20" restates a limit; "may allow 20" claims a power.
_LIMIT = re.compile(
    r"\b(?:höchstens|maximal|längstens|bis\s+zu|at\s+most|up\s+to|no\s+more)\b", re.IGNORECASE
)
_REACH: Final = 8
_COMPARABLE: Final = 0.5


@dataclass(frozen=True)
class Modal:
    """A modality in a text with the stems around it."""

    kind: Modality
    start: int
    anchors: frozenset[str]


@lru_cache(maxsize=4_096)
def modals(text: str, language: Language) -> tuple[Modal, ...]:
    """Modalities of a text in order."""
    taken: list[tuple[int, int]] = []
    found: list[Modal] = []
    offence = _OFFENCE.search(text)
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(start <= match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            offends = offence is not None and offence.start() <= match.start()
            real: Modality = "prohibition" if offends and kind == "permission" else kind
            found.append(Modal(real, match.start(), _anchors(text, match, language)))
    return tuple(sorted(found, key=lambda modal: modal.start))


def modality_problems(sentence: str, quote: str, language: Language) -> list[str]:
    """Modalities of the sentence that contradict those of the quote about the same words."""
    sources = modals(quote, language)
    problems = []
    for claim in modals(sentence, language):
        if claim.kind == "permission" and not sources and not _LIMIT.search(sentence):
            problems.append("permission, the quote has none")
        shared = [len(claim.anchors & source.anchors) for source in sources]
        near = [
            source
            for source, count in zip(sources, shared, strict=True)
            if count >= _COMPARABLE * max(shared, default=0)
        ]
        if near and all(frozenset((claim.kind, source.kind)) in _CONTRADICTIONS for source in near):
            problems.append(f"{claim.kind}, the quote has {near[0].kind}")
    return problems


def _anchors(text: str, match: re.Match[str], language: Language) -> frozenset[str]:
    """Content words on both sides of a modality, and those that its match spans."""
    before = stem_sequence(text[: match.start()], language)[-_REACH:]
    inside = stem_sequence(match.group(), language)
    after = stem_sequence(text[match.end() :], language)[:_REACH]
    return frozenset((*before, *inside, *after))
