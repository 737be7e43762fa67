"""Questions for a place: ``Welcher Paragraph regelt …?``, ``Where is … defined?``

The words that ask for it stand in no passage that answers. Searched for, they hide what does.
"""

import re
from typing import Final

from services.value import Language

_PARTS: Final[dict[Language, str]] = {
    "de": r"(?:paragra(?:ph|f)(?:en)?|§§?|artikel|absatz|abschnitt|anlage|kapitel|teil|stelle"
    r"|normen?|vorschrift(?:en)?|regelung(?:en)?|bestimmung(?:en)?|gesetz|verordnung)",
    "en": r"(?:section|article|clause|paragraph|chapter|part|provision|rule|document)s?",
}
_NAMING: Final[dict[Language, str]] = {
    "de": rf"(?:(?:in|an)\s+)?welche[rnms]?\s+{_PARTS['de']}(?:\s+(?:des|der|im)\s+\w+)?\s+"
    r"(?:regel(?:t|n)|behandel(?:t|n)|enthält|enthalten|bestimm(?:t|en)|nenn(?:t|en)|steht|stehen"
    r"|finde(?:t|n)\s+sich|ist|sind|wird|werden)",
    "en": rf"(?:in\s+)?(?:which|what)\s+{_PARTS['en']}(?:\s+of\s+the\s+\w+)?\s+"
    r"(?:governs?|regulates?|covers?|says?|states?|deals?\s+with|defines?|contains?"
    r"|specif(?:y|ies)|lays?\s+down|sets?\s+out|is|are)",
}
_WHERE: Final[dict[Language, str]] = {
    "de": r"wo\s+(?:ist|sind|wird|werden|finde\s+ich|finde[nt]\s+(?:man|sich))",
    "en": r"where\s+(?:is|are|(?:do|can)\s+i\s+find)",
}
_STANDS: Final[dict[Language, str]] = {
    "de": r"(?:geregelt|festgelegt|bestimmt|definiert|vorgeschrieben|enthalten|behandelt|genannt"
    r"|zu\s+finden|niedergelegt|beschrieben)",
    "en": r"(?:regulated|laid\s+down|defined|specified|governed|set\s+out|described|covered"
    r"|stated|mentioned)",
}
_QUESTION: Final = {
    language: re.compile(
        rf"^\W*(?:{_NAMING[language]}\s+(?P<named>.+?)(?:\s+{stands})?"
        rf"|{_WHERE[language]}\s+(?P<where>.+?)\s+{stands})\W*$",
        re.IGNORECASE | re.DOTALL,
    )
    for language, stands in _STANDS.items()
}


def what_stands_there(question: str, language: Language) -> str | None:
    """What a question asks the place of, None if it asks for something else.

    ``Wo ist der Sperrbereich?`` asks for the thing, ``Wo ist … geregelt?`` for the place.
    """
    match = _QUESTION[language].match(question) if language in _QUESTION else None
    return (match["named"] or match["where"]) if match else None
