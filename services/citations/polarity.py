"""Whether two sentences negate the same things."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from services.text import stem_sequence
from services.types import Language

_NEGATION = re.compile(
    r"\b(?:nicht|kein(?:e[mnrs]?)?|ohne|nie(?:mals)?|weder|keinesfalls|entgegen|not|never|without|neither|nor|cannot"
    r"|no(?!\.\s*\d))\b|n['’]t\b",
    re.IGNORECASE,
)
# Wordings with a negation that negate nothing; those with numbers are checked as limits.
_IDIOM = re.compile(
    r"\bnicht\s+(?:nur|mehr\s+als|weniger\s+als|über|unter|zuletzt|zwingend)\b|\bob\s+oder\s+nicht\b"
    r"|\bnot\s+(?:only|more\s+than|less\s+than)\b|\bno\s+(?:more|less|later|fewer)\s+than\b"
    r"|\bwhether\s+or\s+not\b",
    re.IGNORECASE,
)
_NEGATIVE_WORD = re.compile(
    r"\b(?:un(?:zulässig|befugt|möglich|wirksam|gültig|zureichend)\w*|verboten\w*|untersagt\w*|ausgeschlossen\w*"
    r"|ausgenommen\w*|entbehrlich\w*|entfäll\w*|außer|\w+frei(?:e[mnrs]?)?|fehl\w*|verweiger\w*|prohibited"
    r"|forbidden|disallowed|illegal|invalid|exempt\w*|errors?|fails?|impossible|unable|except|reject\w*"
    r"|unlike|lacks?|un\w+ed)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?()–]|\b(?:und|oder|aber|sondern|jedoch|sowie|wenn|soweit|sofern|falls|and|or|but|if|unless"
    r"|while|because|whereas)\b",
    re.IGNORECASE,
)
_EXCEEDING: Final = frozenset({"uberschrei", "ubersteig", "exceed"})
_LIMIT = re.compile(
    r"(?:grenz|höchst|richt|referenz)wert|höchstens|maximal|limit|maximum|at\s+most", re.IGNORECASE
)
_NEGATING_PREFIXES: Final = ("un", "in", "non", "dis", "nicht")
_ANTONYMS: Final = (
    ("true", "fals"),
    ("minimum", "maximum"),
    ("minimal", "maximal"),
    ("inn", "auss"),
    ("intern", "extern"),
    ("posit", "negat"),
)
_SHORTEST_ROOT: Final = 5
_MOSTLY: Final = 0.5


@dataclass(frozen=True)
class _Clause:
    stems: tuple[str, ...]
    negated: bool


@dataclass(frozen=True)
class Polarity:
    """What a text negates.

    ``nearest`` are the stems right after each negation (before it at a clause's end), ``near``
    those within two words, ``clauses`` the text's clauses.
    """

    nearest: frozenset[str]
    near: frozenset[str]
    clauses: tuple[_Clause, ...]
    stems: frozenset[str]
    plain: frozenset[str]
    hedged: bool

    @property
    def negated(self) -> bool:
        return any(clause.negated for clause in self.clauses)


@lru_cache(maxsize=4_096)
def polarity(text: str, language: Language) -> Polarity:
    """Find what a text negates."""
    nearest: set[str] = set()
    near: set[str] = set()
    plain: set[str] = set()
    found: list[_Clause] = []
    for piece in _CLAUSE.split(_IDIOM.sub(" ", text)):
        stems = _words(piece, language)
        cues = list(_NEGATION.finditer(piece))
        for cue in cues:
            before = _words(piece[: cue.start()], language)
            after = _words(piece[cue.end() :], language)
            nearest.update(after[:1] or before[-1:])
            near.update((*before[-2:], *after[:2]))
        if not cues:
            plain.update(stems)
        found.append(_Clause(stems, bool(cues)))
    every = frozenset(stem for clause in found for stem in clause.stems)
    return Polarity(
        frozenset(nearest),
        frozenset(near),
        tuple(found),
        every,
        frozenset(plain),
        bool(_NEGATIVE_WORD.search(text)),
    )


def _words(text: str, language: Language) -> tuple[str, ...]:
    return tuple(stem for stem in stem_sequence(text, language) if not stem[0].isdigit())


def polarity_problems(sentence: str, quote: str, language: Language) -> list[str]:
    """Words that one of the two negates and the other does not."""
    claim, source = polarity(sentence, language), polarity(quote, language)
    differing = {stem for stem in claim.nearest & source.stems if stem not in source.near}
    differing |= {
        stem for stem in source.nearest & claim.stems if stem not in claim.near | source.plain
    }
    differing |= _opposites(claim.stems, source.stems)
    if differing:
        return [f"negation differs at {', '.join(sorted(differing))}"]
    if claim.negated and not source.negated and not source.hedged:
        if claim.nearest <= _EXCEEDING and _LIMIT.search(quote):
            return []  # a limit must not be exceeded
        return ["negated, the quote is not"]
    if not claim.negated and not claim.hedged and _mostly_negated(claim, source):
        return ["not negated, the quote is"]
    return []


def _opposites(one: frozenset[str], other: frozenset[str]) -> set[str]:
    """``zulässig`` on one side and ``unzulässig`` on the other, or ``true`` and ``false``."""
    mine, theirs = one - other, other - one
    prefixed = {
        stem
        for here, there in ((mine, theirs), (theirs, mine))
        for stem in here
        if len(stem) >= _SHORTEST_ROOT
        and any(prefix + stem in there for prefix in _NEGATING_PREFIXES)
    }
    paired = {
        f"{a}/{b}"
        for a, b in _ANTONYMS
        if (a in mine and b in theirs) or (b in mine and a in theirs)
    }
    return prefixed | paired


def _mostly_negated(claim: Polarity, source: Polarity) -> bool:
    """Whether what the claim says stands in a negated clause rather than in another."""
    share = {True: 0.0, False: 0.0}
    for clause in source.clauses:
        common = len(claim.stems & set(clause.stems)) / (len(claim.stems) or 1)
        share[clause.negated] = max(share[clause.negated], common)
    return share[True] >= _MOSTLY and share[True] > share[False]
