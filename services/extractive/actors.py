"""Who does something: questions that ask for it, sentences that say it.

Statutes name the one who must act as the subject of an active clause ("Der Betreiber hat … zu
bestellen") or make them answer for a passive one ("hat dafür zu sorgen, dass … bestellt wird"). A
sentence that has the question's verb only as a noun or in the passive says nothing of it.
"""

import re
from collections.abc import Sequence
from typing import Final

from services.types import Language

ANSWERS_FOR: Final = 0.6
"""What a sentence is worth that names who answers for something, but not the question's verb."""

_ASKS: Final = re.compile(
    r"^\W*(?:(?:und|and|so)\s+)?(?:wer|who|durch\s+wen|von\s+wem|by\s+whom"
    r"|welche[rs]?\s+(?:behörden?|stellen?|personen?|ämter|amt|ministerium)"
    r"|(?:which|what)\s+(?:authorit(?:y|ies)|bod(?:y|ies)|persons?|people|agenc(?:y|ies)))\b",
    re.IGNORECASE,
)
_IS: Final = re.compile(r"^\W*(?:wer|who)\s+(?:ist|sind|war|is|are|was)\s+\S+(?:\s+\S+)?\W*$", re.I)
_WORD: Final = re.compile(r"[^\W\d_]+")
_PREFIXES: Final = [
    "ab",
    "an",
    "auf",
    "aus",
    "bei",
    "durch",
    "ein",
    "fest",
    "her",
    "hin",
    "mit",
    "nach",
    "nieder",
    "vor",
    "weiter",
    "wieder",
    "zu",
    "zurück",
    "zusammen",
]
_INFIX: Final = re.compile(rf"^(?:({'|'.join(_PREFIXES)})(?:zu|ge)|ge)(?=\w{{3}})")
_ENDING: Final = {
    "de": re.compile(r"(?:e?te?n?|e[nst]?|n)$"),
    "en": re.compile(r"(?:ies|es|s|ed|ing|e)$"),
}
_NOUN: Final = re.compile(r"(?:ments?|[ts]ions?|ances?|ences?|ers?|ors?|als?)$")
_AUXILIARIES: Final = frozenset(
    [
        "ist",
        "sind",
        "war",
        "wird",
        "werden",
        "wurde",
        "wurden",
        "worden",
        "hat",
        "haben",
        "hatte",
        "muss",
        "müssen",
        "darf",
        "dürfen",
        "kann",
        "können",
        "soll",
        "sollen",
        "sollte",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "has",
        "have",
        "had",
        "must",
        "may",
        "can",
        "should",
        "shall",
        "will",
        "would",
        "do",
        "does",
        "did",
        "to",
        "not",
        "nicht",
        "auch",
        "wann",
        "wer",
        "wen",
        "wem",
        "wie",
        "who",
        "which",
        "what",
        "der",
        "die",
        "das",
    ]
)
_PASSIVE: Final = re.compile(
    r"\b(?:wird|werden|wurden?|worden"
    r"|(?:ist|sind)\b[^.;]*?\b(?:zu\s+\w+|\w+zu\w+)n|(?:zu\s+\w+|\w+zu\w+)n\s+(?:ist|sind))\b",
    re.IGNORECASE,
)
_WHOEVER: Final = re.compile(r"^\W*(?:\d+\W+)?(?:wer|who|whoever)\b", re.IGNORECASE)
_AGENT: Final = re.compile(
    r"\b(?:(?:durch|von)\s+(?:de[nmr]|die|das|eine[nmr]?)|vom)\b", re.IGNORECASE
)
_ENGLISH_PASSIVE: Final = re.compile(
    r"\b(?:is|are|was|were|be|been)\s+(?:\w+ly\s+)?\w+ed\b(?!\s+by)", re.IGNORECASE
)
_DUTY: Final = re.compile(
    r"\b(?:(?:hat|haben)\s+dafür\s+zu\s+sorgen|(?:ist|sind)\s+(?:\w+\s+){0,3}?(?:verpflichtet"
    r"|verantwortlich|zuständig)|(?:is|are)\s+(?:responsible|required|obliged))\b",
    re.IGNORECASE,
)


def asks_who(question: str) -> bool:
    """Whether a question asks who does something; ``Wer ist X?`` asks what X is."""
    return bool(_ASKS.search(question)) and not _IS.search(question)


def tells_who(sentence: str, question: str, language: Language) -> float:
    """How surely a sentence names who does what a question asks for, 0-1."""
    if language not in _ENDING or _WHOEVER.search(sentence):
        return 0.0
    passive = _PASSIVE.search(sentence) and not _AGENT.search(sentence)
    duty = ANSWERS_FOR if _DUTY.search(sentence) else 0.0
    told = _roots(_words(_ENGLISH_PASSIVE.sub("", sentence), language), language)
    verb = _verb(question, language)
    return 1.0 if verb in told and (duty or not passive) else duty


def _verb(question: str, language: Language) -> str | None:
    """Root of the verb that the actor is asked for: the first after it, or the last behind one
    that only helps (``Wer muss … melden?``); separable ones are put together (``stellt … auf``).
    """
    clause = _ASKS.sub("", question).split(",")[0]
    words = _WORD.findall(clause.casefold())
    if not words:
        return None
    helped = words[0] in _AUXILIARIES
    if language == "en":
        words = [word for word in words if word not in _AUXILIARIES][:1] or words[:1]
    verb = words[-1] if helped and language == "de" else words[0]
    prefix = words[-1] if not helped and words[-1] in _PREFIXES else ""
    return prefix + _root(verb, language)


def _words(sentence: str, language: Language) -> list[str]:
    """Words that may be verbs: German nouns have a capital, English ones an ending."""
    words = _WORD.findall(sentence)
    if language == "de":
        return [word for word in words if word[0].islower()]
    return [word.casefold() for word in words if not _NOUN.search(word)]


def _roots(words: Sequence[str], language: Language) -> set[str]:
    roots = {_root(word, language) for word in words}
    parted = set(_PREFIXES).intersection(words)
    return roots | {prefix + root for prefix in parted for root in roots}


def _root(word: str, language: Language) -> str:
    whole = _INFIX.sub(lambda match: match.group(1) or "", word) if language == "de" else word
    return _ENDING[language].sub("", whole)
