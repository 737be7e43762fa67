"""Who does something, in German: questions that ask for it, sentences that say it.

Statutes name the one who must act as the subject of an active clause ("Der Betreiber hat … zu
bestellen") or make them answer for a passive one ("hat dafür zu sorgen, dass … bestellt wird"). A
sentence that has the question's verb only as a noun or in the passive says nothing of it. Capitals
tell nouns from verbs; in English, without them, the same rule did not help (docs/quick-answers.md).
"""

import re
from typing import Final

ANSWERS_FOR: Final = 0.6
"""What a sentence is worth that names who answers for something, but not the question's verb."""

_ASKS: Final = re.compile(
    r"^\W*(?:und\s+)?(?:wer|durch\s+wen|von\s+wem"
    r"|welche[rs]?\s+(?:behörden?|stellen?|personen?|ämter|amt|ministerium))\b",
    re.IGNORECASE,
)
_IS: Final = re.compile(r"^\W*wer\s+(?:ist|sind|war)\s+\S+(?:\s+\S+)?\W*$", re.IGNORECASE)
_WHOEVER: Final = re.compile(r"^\W*(?:\d+\W+)?wer\b", re.IGNORECASE)
_PASSIVE: Final = re.compile(
    r"\b(?:wird|werden|wurden?|worden"
    r"|(?:ist|sind)\b[^.;]*?\b(?:zu\s+\w+|\w+zu\w+)n|(?:zu\s+\w+|\w+zu\w+)n\s+(?:ist|sind))\b",
    re.IGNORECASE,
)
_AGENT: Final = re.compile(
    r"\b(?:(?:durch|von)\s+(?:de[nmr]|die|das|eine[nmr]?)|vom)\b", re.IGNORECASE
)
_DUTY: Final = re.compile(
    r"\b(?:(?:hat|haben)\s+dafür\s+zu\s+sorgen"
    r"|(?:ist|sind)\s+(?:\w+\s+){0,3}?(?:verpflichtet|verantwortlich|zuständig))\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_HELPING: Final = re.compile(
    r"(?:ist|sind|war|wird|werden|wurden?|hat|haben|hatten?|muss|müssen|darf|dürfen|kann|können"
    r"|soll|sollen|sollten?)$"
)
_PREFIX: Final = (
    "ab|an|auf|aus|bei|durch|ein|fest|her|hin|mit|nach|nieder|vor|weiter|wieder|zu|zurück|zusammen"
)
_PREFIXES: Final = frozenset(_PREFIX.split("|"))
_INFIX: Final = re.compile(rf"^(?:({_PREFIX})(?:zu|ge)|ge)(?=\w{{3}})")
_ENDING: Final = re.compile(r"(?:e?te?n?|e[nst]?|n)$")


def asks_who(question: str) -> bool:
    """Whether a German question asks who does something; ``Wer ist X?`` asks what X is."""
    return bool(_ASKS.search(question)) and not _IS.search(question)


def tells_who(sentence: str, question: str) -> float:
    """How surely a German sentence names who does what a question asks for, 0-1."""
    if _WHOEVER.search(sentence):
        return 0.0
    passive = _PASSIVE.search(sentence) and not _AGENT.search(sentence)
    duty = ANSWERS_FOR if _DUTY.search(sentence) else 0.0
    return 1.0 if _verb(question) in _roots(sentence) and (duty or not passive) else duty


def _verb(question: str) -> str | None:
    """Root of the verb: the first word after what asks, or the last behind one that only helps.

    ``Wer muss … melden?`` gives that of ``melden``, ``Wer stellt … auf?`` that of ``aufstellen``.
    """
    words = _WORD.findall(_ASKS.sub("", question).split(",")[0].casefold())
    if not words:
        return None
    helped = bool(_HELPING.match(words[0]))
    prefix = words[-1] if not helped and words[-1] in _PREFIXES else ""
    return prefix + _root(words[-1] if helped else words[0])


def _roots(sentence: str) -> set[str]:
    """Roots of the words that may be verbs: those without a capital."""
    words = [word for word in _WORD.findall(sentence) if word[0].islower()]
    roots = {_root(word) for word in words}
    return roots | {prefix + root for prefix in _PREFIXES.intersection(words) for root in roots}


def _root(word: str) -> str:
    return _ENDING.sub("", _INFIX.sub(lambda match: match.group(1) or "", word))
