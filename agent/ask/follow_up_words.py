"""Words that lean on what was said before, in German, English, French and Spanish."""

from typing import Final

from services.text.vocabulary import word_set
from services.types import Language

OPENING: Final[dict[Language, str]] = {
    "de": r"und|aber|oder|also|dann|sonst|auch|wie (?:sieht|steht|ist|verhält) es|was ist mit"
    r"|gilt d(?:as|ies)(?: auch)?",
    "en": r"and|but|or|so|then|also|what about|how about|what if|what else"
    r"|(?:does|is) (?:that|this|it)"
    r"|(?:are|do) (?:they|those|these)",
    "fr": r"et|mais|ou bien|donc|alors|aussi|qu'en est-il|est-ce (?:aussi|pareil)",
    "es": r"y|e|pero|o|entonces|también|qué (?:pasa|hay|ocurre) con",
}
"""How a follow-up begins. What comes after it may still be a whole question."""

_ALONE: Final = r"(?= *[?.,!]| *$)"

POINTING: Final[dict[Language, str]] = {
    "de": r"er|sie|ihn|ihm|ihnen|dies|diese[nmrs]?|jene[nmrs]?|dessen|deren|derselben?|dasselbe"
    r"|dieselben?|da(?:für|von|zu|mit|bei|gegen|nach|ran|rin|rauf|rüber|vor)|dort|hierfür|hierzu"
    r"|solche[nmrs]?|letztere[nmrs]?|erstere[nmrs]?|beide[nmr]?|ebenso|(?:oben )?genannte[nmrs]?"
    r"|(?:d(?:as|ie|e[nrm])|[ivz][om]r?m?|beim|zum) (?:erste|zweite|dritte|vierte|letzte)n?"
    rf"{_ALONE}|das(?:{_ALONE}|(?= (?:so|denn|genau|dann)\b))|(?<=^ist )das(?= \w+ ?\??$)",
    "en": r"it|its|they|them|their|theirs|he|she|him|his|her|this|these|those|there|such|same|then"
    r"|the latter|the former|the (?:first|second|third|fourth|last|other)"
    rf"{_ALONE}|the (?:first|second|third|fourth|last|other) ones?|both|each of them|one of them"
    r"|the others"
    rf"|the above|that{_ALONE}",
    "fr": r"ils?|elles?|celui|celle|ceux|celles|cela|ça|ceci|y|en|leurs?|les deux|ce dernier|donc"
    r"|cette dernière|l[ea] (?:première?|second|seconde|deuxième|troisième|dernière?)"
    rf"{_ALONE}",
    "es": r"él|ella|ello|ellos|ellas|lo|esto|eso|aquello|es[ea]|es[oa]s|ést[ea]|est[ea]|est[oa]s"
    r"|allí|ahí|sus?|ambos|ambas|dich[oa]|entonces"
    r"|(?:el|la) (?:primer[oa]|segund[oa]|tercer[oa]|últim[oa])"
    rf"{_ALONE}",
}
"""Words that stand for something said before, unless the same question says it."""

NEVER_NAMED_BEFORE: Final = ("das", "that")
"""Those that mean nothing that the same question names: "Welcher Paragraph regelt das?"."""

NOT_POINTING: Final[dict[Language, str]] = {
    "de": r"\b(?:dies|diese[nmrs]?)\s+(?:gesetz|verordnung|dokument|text|regelwerk)\w*",
    "en": r"\b(?:is|was|does|did|will|would|can|has)\s+it\s+(?:\w+\s+)?(?:to|that|possible|allowed"
    r"|necessary|required|take|mean|make)\b|\b(?:is|are|was|were)\s+there\b|\bsame\s+as\b"
    r"|\bthis\s+(?:act|law|document|pep|text|specification)\b",
    "fr": r"\bil\s+(?:y\s+a|faut|est|existe|s'agit)\b"
    r"|\b(?:y\s+a-t|existe-t|est|faut|s'agit|peut)-il\b"
    r"|\ben\s+(?:\w+ant|\d+|cas|vertu|matière|france|europe|quoi|vigueur|outre|général)\b",
    "es": r"\b(?:est[ea]|dich[oa])\s+(?:ley|norma|documento|texto|reglamento)\b|\blo\s+que\b"
    r"|\bpor\s+lo\s+\w+",
}
"""The same words where they stand for nothing or name it: "il y a", "is it allowed to"."""

VERBS: Final[dict[Language, str]] = {
    "de": r"ist|sind|war|waren|gilt|gelten|hat|haben|muss|müssen|darf|dürfen|kann|können|soll"
    r"|sollen|wird|werden|bedeutet|regelt|regeln|beträgt|betragen|gibt|heißt",
    "en": r"is|are|was|were|does|do|did|has|have|had|must|may|can|could|should|will|would|means?",
    "fr": r"est|sont|était|a|ont|doit|doivent|peut|peuvent|faut|signifie",
    "es": r"es|son|era|ha|han|hay|debe|deben|puede|pueden|significa|está|están|tiene|tienen",
}
"""With one of them even a short question may be whole: "Was ist Radon?"."""

SUBJECTS: Final[dict[Language, str]] = {
    "de": r"ich|du|wir|ihr|man|jemand",
    "en": r"i|we|you|one|anyone|somebody",
    "fr": r"je|j'\w+|tu|on|nous|vous",
    "es": r"yo|nosotros|usted|ustedes|alguien",
}
"""Where somebody does something, there is a verb: "Wie backe ich einen Kuchen?"."""

LEAD_IN: Final[dict[Language, str]] = {
    "de": r"(?:und|aber|also|dann)\s+(?:was\s+ist\s+mit\s+)?"
    r"|wie\s+(?:sieht|steht)\s+es\s+(?:mit|bei)\s+",
    "en": r"(?:and|but|so|then)\s+(?:(?:what|how)\s+about\s+)?|(?:what|how)\s+about\s+",
    "fr": r"(?:et|mais|alors)\s+|qu'en\s+est-il\s+(?:de|du|des)\s+",
    "es": r"¿?\s*(?:y|e|pero)\s+|¿?qué\s+pasa\s+con\s+",
}
"""What a completed question need not begin with."""

FUNCTION_WORDS: Final[dict[Language, frozenset[str]]] = {
    "fr": word_set(
        """à au aux ce cette ces combien comment d' dans de des du elle en est et il la le les leur
        lors mais on ou où par pas peu plus pour pourquoi quand que quel quelle quelles quels qui
        quoi s' sa se ses si son sont sous sur un une y"""
    ),
    "es": word_set(
        """a al como cómo con cuál cuáles cuándo cuánta cuántas cuánto cuántos de del dónde e el
        ella ello en entonces es esta este la las lo los más muy no o para pero por qué quién
        quiénes se si sobre son su sus un una y"""
    ),
}
"""What does not count as content, beside the stop words of German and English."""

ORDINALS: Final = (
    r"\b(?:first|erste[nmrs]?|premi[eè]re?|primer[oa]?)\b",
    r"\b(?:second|zweite[nmrs]?|seconde?|deuxième|segund[oa])\b",
    r"\b(?:third|dritte[nmrs]?|troisième|tercer[oa]?)\b",
    r"\b(?:fourth|vierte[nmrs]?|quatrième|cuart[oa])\b",
)
LAST: Final = r"\b(?:last|latter|letzte[nmrs]?|letztere[nmrs]?|derni[eè]re?|últim[oa])\b"
AND: Final = r"\s*[,;]\s*(?:(?:und|and|et|y|e|or|oder|ou|o)\s+)?|\s+(?:und|and|et|y|e)\s+"
"""Between the items of a list."""
