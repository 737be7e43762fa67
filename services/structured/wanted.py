"""What kind of answer a piece of required information wants, and which sentences give one."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from services.extractive.questions import topic, wanted_number
from services.quantities import quantities
from services.structured.coverage import share_of_words, words_of
from services.text import sentences
from services.value import Language

WantedAnswer = Literal["number", "time", "occasion", "reason", "change", "consequence"]
"""An occasion is a time or a condition: ``wann muss``, ``when is``."""

LEAST_SHARE: Final = 0.5
"""Share of an item's words that a sentence and its headings have, if it gives the answer."""

_TIME_ASKED: Final = re.compile(
    r"^\W*(?:und\s+|and\s+)?(?:(?:bis|ab|seit|von)\s+wann|wann|wie\s+(?:lange|oft)|in\s+welche[nr]\s+(?:frist|version)"
    r"|(?:since|until|by|from)?\s*when|how\s+(?:long|often|soon)|(?:in|since|from|until)\s+(?:which|what)\s+(?:\w+\s+)?"
    r"(?:version|year|date)|depuis\s+quand|quand|cu[aá]ndo)\b",
    re.IGNORECASE,
)
_OCCASION_ASKED: Final = re.compile(
    r"^\W*(?:und\s+|and\s+)?(?:wann\s+(?:muss|müssen|ist|sind|darf|dürfen|wird|werden|kann|hat|haben|gilt|gelten|soll)"
    r"|when\s+(?:must|should|is|are|does|do|can|may))\b",
    re.IGNORECASE,
)
_OCCASION_TOLD: Final = re.compile(
    r"(?<!\w)(?:wenn|sobald|falls|sofern|soweit|bevor|nachdem|if|when|once|whenever|before|after|unless)(?!\w)",
    re.IGNORECASE,
)
_CLAUSE_OF_TIME: Final = re.compile(r"\bwhen\b", re.IGNORECASE)
_TIME_UNITS: Final = ("month", "day", "s", "date", "version")
_TIME_TOLD: Final = re.compile(
    r"(?<![\w.,/-])(?:19|20)\d\d(?![\w/-]|[.,]\d)|\bPython\s+\d|(?<!\w)(?:unverzüglich|jährlich|monatlich|wöchentlich|täglich"
    r"|regelmäßig|vor\s+(?:\w+\s+)?(?:beginn|aufnahme|ablauf)|nach\s+(?:\w+\s+)?(?:beginn|ablauf|beendigung)"
    r"|mit\s+sofortiger\s+wirkung|immediately|annually|monthly|every\s+\w+|no\s+later\s+than)(?!\w)",
    re.IGNORECASE,
)
_REASON_ASKED: Final = re.compile(
    r"^\W*(?:und\s+|and\s+)?(?:warum|weshalb|wieso|weswegen|wozu|aus\s+welche[mn]\s+gr[uü]nd\w*|why|how\s+come"
    r"|for\s+what\s+reasons?|what\s+(?:is|was)\s+the\s+(?:reason|rationale|motivation)|pourquoi|por\s+qu[eé])(?!\w)",
    re.IGNORECASE,
)
_REASON_TOLD: Final = re.compile(
    r"(?<!\w)(?:weil|da|damit|um\s+\S.{0,120}?\szu\s\w+en|wegen|aufgrund|auf\s+grund|infolge|deshalb|daher|dadurch"
    r"|sodass|so\s+dass|zum\s+zwecke?|zum\s+schutz|dien(?:t|en)\s+(?:de[mrn]|dazu|zu)|because|since|so\s+that|so\s+as\s+to|in\s+order"
    r"\s+to|due\s+to|therefore|thus|hence|reasons?|motivat\w+|rationale|otherwise|leads?\s+to|to\s+(?:avoid|allow"
    r"|prevent|ensure|enable)|parce\s+que|car|afin|porque|para\s+que)(?!\w)",
    re.IGNORECASE | re.DOTALL,
)
_CONSEQUENCE_ASKED: Final = re.compile(
    r"^\W*(?:welche\s+(?:\w+\s+)?(?:folgen?|konsequenzen|auswirkungen)|was\s+(?:passiert|geschieht|folgt)"
    r"|what\s+(?:happens|follows|are\s+the\s+(?:consequences|effects)))(?!\w)",
    re.IGNORECASE,
)
_CASE_TOLD: Final = re.compile(
    r"^\W*(?:\w+(?:et|gt|lt|rt|st|bt|ht|zt|ft|nt)|ist|sind|wird|werden)\s+(?:d(?:er|ie|as)|eine?|sich)\b"
    r"|(?<!\w)(?:wenn|falls|sofern|soweit|sobald|nachdem|im\s+falle?|bei|if|when|whenever|once|unless|where)(?!\w)",
    re.IGNORECASE,
)
_EFFECT_TOLD: Final = re.compile(
    r"(?<!\w)(?:hat|haben|ist|sind|muss|müssen|darf|dürfen|soll|sollen|gilt|gelten|erlischt|unverzüglich|errors?"
    r"|reject\w*|rais\w+|fails?|invalid|must|should|shall|will|would|cannot|ignor\w+|allowed)(?!\w)",
    re.IGNORECASE,
)
_CHANGE_ASKED: Final = re.compile(
    r"\b(?:ge[aä]ndert|ver[aä]ndert|entwickelt|changed?|evolved?|evolution|develop(?:ed)?|history)\b",
    re.IGNORECASE,
)
_CHANGE_TOLD: Final = re.compile(
    r"(?<!\w)(?:propos\w+|introduc\w+|replac\w+|deprecat\w+|supersed\w+|no\s+longer|instead\s+of|now|previously"
    r"|formerly|until|since|starting|became|becomes?|remov\w+|bisher|früher|nunmehr|künftig|ersetzt|aufgehoben"
    r"|geändert|neu\s+gefasst|tritt|treten)(?!\w)",
    re.IGNORECASE,
)
_REASON_HEADING: Final = re.compile(r"\b(?:motivation|rationale|begründung|zweck)\b", re.IGNORECASE)


def wanted_answer(item: str) -> WantedAnswer | None:
    """What must be in a sentence that answers an item; None where anything may."""
    if _OCCASION_ASKED.search(item):
        return "occasion"
    if _TIME_ASKED.search(item):
        return "time"
    if _REASON_ASKED.search(item):
        return "reason"
    if _CONSEQUENCE_ASKED.search(item):
        return "consequence"
    if _CHANGE_ASKED.search(item):
        return "change"
    told = wanted_number(item)
    if told == "duration":
        return None if _CLAUSE_OF_TIME.search(item) else "time"
    return "number" if told else None


def gives(
    wanted: WantedAnswer | None, sentence: str, headings: Sequence[str], language: Language
) -> bool:
    """Whether a sentence has what is wanted: a number, a time, a reason, a change, an effect."""
    if wanted is None:
        return True
    if wanted == "reason":
        return bool(_REASON_TOLD.search(sentence) or any(map(_REASON_HEADING.search, headings)))
    if wanted == "change":
        return bool(_CHANGE_TOLD.search(sentence))
    if wanted == "consequence":
        return bool(_CASE_TOLD.search(sentence) and _EFFECT_TOLD.search(sentence))
    if wanted == "occasion" and _OCCASION_TOLD.search(sentence):
        return True
    found = quantities(sentence, language)
    if wanted == "number":
        return bool(found)
    return any(each.unit in _TIME_UNITS for each in found) or bool(_TIME_TOLD.search(sentence))


def answered_in(
    item: str, text: str, headings: Sequence[str], language: Language, *, foreign: bool = False
) -> bool:
    """Whether a sentence of a passage has what an item wants, and is about the item.

    What it is about may stand in the headings. An item that wants nothing in particular, or to
    know what happens, is answered by any passage.

    Args:
        item: a piece of required information.
        text: of a passage.
        headings: that it stands under.
        language: of the item.
        foreign: whether the passage is in another, so that they share no words.
    """
    wanted = wanted_answer(item)
    if wanted is None or wanted == "consequence":
        return True
    if foreign:
        return gives(wanted, text, headings, language)
    words = words_of(topic(item), language)
    under = "\n".join(headings)
    return any(
        gives(wanted, text[start:end], headings, language)
        and share_of_words(words, f"{under}\n{text[start:end]}", language) >= LEAST_SHARE
        for start, end in sentences(text)
    )
