"""Does a question need the conversation before it, and how is it completed without a model.

Pure functions of words. German, English, French and Spanish; other languages never need it.
"""

import re
from collections.abc import Sequence
from typing import Final

from agent.ask.models import PastTurn, Rewriting
from services.text import stems
from services.types import Language

FEWEST_WORDS: Final = 3
"""A question with fewer words of content and no verb of its own leans on what was said before."""

LONGEST: Final = 400
MOST_NAMES: Final = 4

_OPENING: Final = {
    "de": r"(?:und|aber|oder|also|dann|sonst|auch|wie (?:sieht|steht|ist|verhält) es|was ist mit"
    r"|gilt d(?:as|ies) auch|und (?:was|wie|warum))\b",
    "en": r"(?:and|but|or|so|then|also|what about|how about|what if|what else|does (?:that|this|it)"
    r"|is (?:that|this|it)|are (?:they|those|these)|do (?:they|those|these))\b",
    "fr": r"(?:et|mais|ou bien|donc|alors|aussi|qu'en est-il|est-ce (?:aussi|pareil))\b",
    "es": r"(?:y|e|pero|o|entonces|también|qué (?:pasa|hay|ocurre) con|¿?es (?:eso|esto))\b",
}
_POINTING: Final = {
    "de": r"er|sie|ihn|ihm|ihnen|dies|diese[nmrs]?|jene[nmrs]?|dessen|deren|derselben?|dasselbe"
    r"|dieselben?|da(?:für|von|zu|mit|bei|gegen|nach|ran|rin|rauf|rüber)|dort|hierfür|hierzu|davor"
    r"|solche[nmrs]?|letztere[nmrs]?|erstere[nmrs]?|beide[nmr]?|ebenso|d(?:as|ie|e[nr])"
    r" (?:erste|zweite|dritte|vierte|letzte)n?"
    r"|oben genannte[nmrs]?|genannte[nmrs]?",
    "en": r"it|its|they|them|their|theirs|he|she|him|his|her|this|these|those|there|such|same"
    r"|the latter|the former|the (?:first|second|third|fourth|last|other) ones?|both|each of them"
    r"|one of them|the others?|the above|mentioned",
    "fr": r"il|elle|ils|elles|celui|celle|ceux|celles|cela|ça|ceci|celui-ci|celle-ci|y|en|leur|leurs"
    r"|le (?:premier|second|deuxième|troisième|dernier)|la (?:première|seconde|deuxième|troisième"
    r"|dernière)|les deux|ce dernier|cette dernière|même",
    "es": r"él|ella|ellos|ellas|esto|eso|aquello|ese|esa|esos|esas|éste|ésta|este|esta|estos|estas"
    r"|allí|ahí|su|sus|el (?:primero|segundo|tercero|último)|la (?:primera|segunda|tercera|última)"
    r"|ambos|ambas|dicho|dicha|mismo|misma",
}
_NOT_POINTING: Final = {
    # Words that stand for nothing: "es gibt", "is it allowed to", "il faut"; "this law" names.
    "de": r"\b(?:dies|diese[nmrs]?)\s+(?:gesetz|verordnung|dokument|text|regelwerk)\w*"
    r"|\b(?:gilt|gelten)\s+sie\b(?=.*\bsie\b)",
    "en": r"\b(?:is|was|does|did|will|would|can|has)\s+it\s+(?:\w+\s+)?(?:to|that|possible|allowed"
    r"|necessary|required|take|mean|make)\b|\b(?:is|are|was|were)\s+there\b"
    r"|\bthis\s+(?:act|law|document|pep|text|specification)\b|\bthe\s+same\s+(?:as|\w+\s+as)\b",
    "fr": r"\b(?:il\s+(?:y\s+a|faut|est|existe|s'agit)|y\s+a-t-il|existe-t-il|est-il|faut-il|s'agit-il"
    r"|peut-il)\b|\ben\s+(?=\w+(?:ant|\d)|cas|vertu|matière|france|europe|quoi|vigueur|outre|général)",
    "es": r"\b(?:est[ea]|dicha?o?)\s+(?:ley|norma|documento|texto|reglamento)\b",
}
_ORDINALS: Final = (
    r"\b(?:first|erste[nmrs]?|premi[eè]re?|primer[oa]?)\b",
    r"\b(?:second|zweite[nmrs]?|second[e]?|deuxième|segund[oa])\b",
    r"\b(?:third|dritte[nmrs]?|troisième|tercer[oa]?)\b",
    r"\b(?:fourth|vierte[nmrs]?|quatrième|cuart[oa])\b",
)
_LAST: Final = re.compile(
    r"\b(?:last|latter|letzte[nmrs]?|letztere[nmrs]?|derni[eè]re?|últim[oa])\b"
)
_VERB: Final = {
    "de": r"\b(?:ist|sind|war|waren|gilt|gelten|hat|haben|muss|müssen|darf|dürfen|kann|können|soll"
    r"|sollen|wird|werden|bedeutet|regelt|regeln|beträgt|betragen|gibt|heißt|\w{3,}[^\Wu]t)\b",
    "en": r"\b(?:is|are|was|were|does|do|did|has|have|had|must|may|can|could|should|will|would|means?"
    r"|\w{3,}(?:es|ed|ies))\b",
    "fr": r"\b(?:est|sont|était|a|ont|doit|doivent|peut|peuvent|faut|signifie|\w{3,}(?:ent|e))\b",
    "es": r"\b(?:es|son|era|ha|han|hay|debe|deben|puede|pueden|significa|está|están|tiene|tienen"
    r"|\w{3,}(?:an|en|a|e))\b",
}
_LEAD: Final = {
    "de": r"^\s*(?:und|aber|also|dann)\s+(?:was\s+ist\s+mit\s+)?|^\s*wie\s+(?:sieht|steht)\s+es\s+(?:mit|bei)\s+",
    "en": r"^\s*(?:and|but|so|then)\s+(?:(?:what|how)\s+about\s+)?|^\s*(?:what|how)\s+about\s+",
    "fr": r"^\s*(?:et|mais|alors)\s+|^\s*qu'en\s+est-il\s+(?:de|du|des)\s+",
    "es": r"^\s*¿?\s*(?:y|e|pero)\s+|^\s*¿?qué\s+pasa\s+con\s+",
}


def needs_conversation(question: str, language: Language) -> str | None:
    """Why a question cannot be understood alone, in a few English words; None if it can."""
    if language not in _OPENING:
        return None
    text = " ".join(question.casefold().replace("’", "'").split()).lstrip("¿¡ ")
    if re.match(_OPENING[language], text):
        return "it begins where the conversation left off"
    plain = re.sub(_NOT_POINTING[language], " ", text)
    pointing = re.search(rf"(?<![\w'§-])(?:{_POINTING[language]})(?![\w-])", plain)
    if pointing and not _explained_before(plain, pointing.start(), language):
        return f"{pointing.group()!r} points back"
    if len(stems(text, language)) < FEWEST_WORDS and not re.search(_VERB[language], text):
        return "it is no whole question"
    return None


def _explained_before(text: str, position: int, language: Language) -> bool:
    """Whether a pronoun may mean what the same question names before it.

    "Wann ist eine Quelle umschlossen und wie wird sie geprüft?" needs nobody's help.
    """
    before = text[:position]
    return len(stems(before, language)) >= FEWEST_WORDS


def completed(
    question: str, because: str, past: Sequence[PastTurn], language: Language
) -> Rewriting:
    """The follow-up with what the conversation was about: the fallback without a model.

    An ordinal ("the second one") names a place that the answer before cited.
    """
    last = past[-1]
    own = set(stems(question, language))
    chosen = _meant_by_number(question, last)
    names = [chosen] if chosen else []
    names += [name for name in last.names if not set(stems(name, language)) <= own]
    kept = re.sub(_LEAD.get(language, r"^$"), "", question.strip(), flags=re.IGNORECASE)
    about = ", ".join(dict.fromkeys(names[:MOST_NAMES]))
    whole = f"{kept[:1].upper()}{kept[1:]} ({about})" if about else question
    return Rewriting(question=whole[:LONGEST], because=because, by="rules")


def _meant_by_number(question: str, last: PastTurn) -> str | None:
    text = question.casefold()
    if not last.places:
        return None
    for number, pattern in enumerate(_ORDINALS):
        if re.search(pattern, text) and number < len(last.places):
            return last.places[number]
    return last.places[-1] if _LAST.search(text) else None
