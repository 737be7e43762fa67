"""What may be the name of a node. Names come from documents and models, so they are data.

A name is shown on pages and stands in prompts. Whatever is no short, plain name of something (a
sentence, an address, code, words to a model) is none, wherever it was read.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 100
MOST_WORDS: Final = 10
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
_SUSPENDED = re.compile(r"(\w)-\s+(?=[a-zäöüß]\w*)(?!(?:und|oder|bzw|sowie|bis|and|or)\b)")


def clean_name(text: str) -> str | None:
    """A name on one line without marks around it, or None for what is no name.

    Args:
        text: as a document or a model wrote it.
    """
    if "\u202e" in text or any(
        unicodedata.category(each) == "Cc" and each not in "\n\t\r" for each in text
    ):
        return None
    plain = _WHITE.sub(" ", text.replace("\u00ad", "")).strip(_MARKS)
    if not 2 <= len(plain) <= LONGEST or len(plain.split()) > MOST_WORDS:
        return None
    if not any(each.isalpha() for each in plain):
        return None
    return None if _FOREIGN.search(plain) or _SPEAKS.search(plain) else plain


def folded(name: str) -> str:
    """The spelling by which node ids tell names apart: case and white space do not count."""
    return _WHITE.sub(" ", name).strip().casefold()


def node_id(kind: str, name: str) -> str:
    """The id of a node that several texts can name."""
    return f"{kind}:{folded(name)}"
