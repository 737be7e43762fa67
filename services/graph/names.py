"""Decide what may be the name of a node. Names come from documents and models, so they are data.

A name is shown on pages and in prompts. A sentence, an address, code or an instruction to a model
is never a name, wherever it was read.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 100
MOST_WORDS: Final = 10
ADJECTIVE = re.compile(r"[a-zäöüß-]{3,}(?:e[nrsm]?|lich|ig|isch|bar|sam)")
"""A German adjective before its noun, recognised by its ending."""
_HIDDEN: Final = ("Cc", "Cf", "Co", "Cn", "Cs")
"""Unicode categories of invisible characters and of characters that control the display."""
_WHITE = re.compile(r"\s+")
_MARKS: Final = " \t\n\"'`*_„“”»«‚‘’›‹,;:-–—"
_FOREIGN = re.compile(
    r"[<>{}\[\]|\\`~^=@#$]|://|\bwww\.|\w\(|\.\w+\.\w|[!?]|[.;:](?:\s|$)", re.IGNORECASE
)
_SPEAKS = re.compile(
    r"\b(?:ignor(?:e[ds]?|ier\w*)|disregard\w*|forget|obey|pretend|vergiss|vergessen Sie"
    r"|missachte\w*|befolge\w*|you|your|yours|du|dein\w*|(?:system|user|assistant)\s*(?:prompt|message|nachricht)"
    r"|prompts?|(?:previous|prior|above|vorherige\w*|obige\w*)\s+(?:instruction|anweisung)\w*"
    r"|as an? (?:ai|assistant)|jailbreak)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?:please|bitte|do not|don't|never|always|nie(?:mals)?|immer)\s"
    r"|^(?:answer|reply|respond|say|tell|send|reveal|print|write|output|delete|execute|run|call"
    r"|visit|click|open|list|add|return|repeat|mention|act|stop|treat|use)\s+(?:the|an?|all|any"
    r"|every\w*|only|no|not|with|as|to|this|that|these|those|me|us|it|from|yes|nothing)\b"
    r"|^(?:antworte|sage?|schreibe?|gib|nenne|sende|schicke?|lösche?|führe?|rufe?|öffne|wiederhole"
    r"|behaupte|zeige?|ersetze|folge?|mache?|tu|verrate|ändere|stelle?|verwende|benutze)n?\s+(?!(?:der|des|von|im|in|bei|für)\b)\S",
    re.IGNORECASE,
)


def clean_name(text: str) -> str | None:
    """Return a text as a name on one line without marks, or None if it is no name."""
    plain = text.replace("\u00ad", "")
    if any(
        unicodedata.category(character) in _HIDDEN and character not in "\n\t\r"
        for character in plain
    ):
        return None
    plain = _WHITE.sub(" ", plain).strip(_MARKS)
    if not 2 <= len(plain) <= LONGEST or len(plain.split()) > MOST_WORDS:
        return None
    if not any(character.isalpha() for character in plain):
        return None
    normal = unicodedata.normalize("NFKC", plain)
    foreign = _FOREIGN.search(normal) or _SPEAKS.search(normal) or _ORDERS.search(normal)
    return None if foreign else plain


def folded(name: str) -> str:
    """Return the spelling in node ids: case and white space do not count."""
    return _WHITE.sub(" ", name).strip().casefold()


def node_id(kind: str, name: str) -> str:
    """Return the id of a node that several texts can name."""
    return f"{kind}:{folded(name)}"
