"""Which of five types a question is, by rules, and how much each search strategy then counts."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

from services.query.values import QueryType
from services.structured.values import QuestionType
from services.value import Language

WEIGHTS: Final[Mapping[QuestionType, Mapping[str, float]]] = {
    "factual": {"vector": 0.5, "keyword": 0.3, "graph": 0.2},
    "comparison": {"vector": 0.3, "keyword": 0.2, "graph": 0.5},
    "enumeration": {"vector": 0.2, "keyword": 0.3, "graph": 0.5},
    "temporal": {"vector": 0.4, "keyword": 0.3, "graph": 0.3},
    "causal": {"vector": 0.3, "keyword": 0.2, "graph": 0.5},
}
NAMED_WEIGHT: Final = 1.0
"""A section that a sub-query names counts as much as all strategies together."""

_DIGITS: Final = 9

_BY_CLASS: Final[Mapping[QueryType, QuestionType]] = {
    "comparative": "comparison",
    "exploratory": "enumeration",
}

_CAUSAL: Final[Mapping[Language, str]] = {
    "de": r"warum|weshalb|wieso|weswegen|wodurch|aus welche[mn] gr[uü]nde?n?"
    r"|welche (?:\w+ )?(?:rechts)?(?:folgen?|konsequenzen|auswirkungen)"
    r"|was (?:folgt|passiert|geschieht)|wozu|f[uü]hr(?:t|en) (?:dazu|zu)|ursachen?"
    r"|zu welchem zweck",
    "en": r"why|how come|for what reasons?|what (?:causes|caused|happens|led to|follows)"
    r"|consequences?|effects? of|reasons? (?:for|why)|purpose of|motivat\w+|rationale",
    "fr": r"pourquoi|pour quelles? raisons?|cons[eé]quences?|causes?",
    "es": r"por qu[eé]|a qu[eé] se debe|consecuencias?|causas?|qu[eé] (?:provoca|ocurre|pasa)",
}
_TEMPORAL: Final[Mapping[Language, str]] = {
    "de": r"wie (?:hat|haben) sich|ge[aä]ndert|ver[aä]ndert|entwickelt|(?:seit |ab |bis )?wann"
    r"|zeitlich\w*|inkrafttreten|in kraft (?:tritt|treten|getreten)|au(?:ß|ss)er kraft"
    r"|[uü]bergangs\w*|fr[uü]her|bisher|verlauf|chronolog\w*|fristen",
    "en": r"changed?|evolved?|evolution|how (?:did|has|have) .{3,80} develop(?:ed)?"
    r"|(?:^|(?<=and )|(?<=, ))when|(?:since|until|by) when|history|timeline|chronolog\w*"
    r"|over time|deadlines?|before and after",
    "fr": r"(?:depuis |jusqu'à )?quand|[eé]volu\w*|chronolog\w*|historique|d[eé]lais",
    "es": r"(?:desde |hasta )?cu[aá]ndo|evoluci\w*|cronol\w*|historia|plazos",
}
_ENUMERATION: Final[Mapping[Language, str]] = {
    "de": r"^(?:nenne?n?|liste|z[aä]hle?)\b|welche[nr]? \w+(?:en|n|er|e|s)|was sind|alle\w?"
    r"|wer alles|was alles",
    "en": r"^(?:list|name|enumerate)\b|which (?:\w+ )?\w+s|all (?:the|of)"
    r"|what (?:are|\w+s (?:are|do|must|may|have))",
    "fr": r"^(?:[eé]num[eé]re\w*|liste\w*|cite\w*)\b|quel(?:le)?s|tou(?:te)?s les",
    "es": r"^(?:enumer\w+|list\w+|nombr\w+)\b|cu[aá]les|tod[oa]s l[oa]s",
}
_TABLES: Final[tuple[tuple[QuestionType, Mapping[Language, str]], ...]] = (
    ("causal", _CAUSAL),
    ("temporal", _TEMPORAL),
    ("enumeration", _ENUMERATION),
)


def question_type(question: str, language: Language, of_class: QueryType) -> QuestionType:
    """The type of a question; causes before times before lists, and a fact where nothing tells.

    Args:
        question: complete in itself.
        language: of the question; English patterns serve for those without their own.
        of_class: what ``services.query.classify`` makes of it; comparisons are told by that.
    """
    if of_class == "comparative":
        return "comparison"
    for kind, table in _TABLES:
        if _pattern(table.get(language, table["en"])).search(question.strip()):
            return kind
    return _BY_CLASS.get(of_class, "factual")


def strategy_weights(kind: QuestionType, available: Collection[str]) -> dict[str, float]:
    """What each strategy counts; the share of one that is not there goes to the others.

    Args:
        kind: of the question.
        available: names of strategies; ``label`` (a named section) always counts fully.
    """
    shares = {name: share for name, share in WEIGHTS[kind].items() if name in available}
    total = sum(shares.values())
    weights = {name: round(share / total, _DIGITS) for name, share in shares.items()}
    return weights | ({"label": NAMED_WEIGHT} if "label" in available else {})


@lru_cache(maxsize=32)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(?<!\w)(?:{words})(?!\w))", re.IGNORECASE)
