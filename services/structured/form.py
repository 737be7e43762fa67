"""How a sentence is put, and what that makes it worth as a quote: lists, exceptions, code."""

import re
from collections.abc import Sequence
from typing import Final

from services.extractive.ranking import only_refers
from services.value import Language

LIST_BONUS: Final = 0.12
"""What a sentence that lists, or is an item of a list, is worth more where a list is asked for."""

EXCEPTION: Final = 0.2
REFERENCE: Final = 0.25
ASIDE: Final = 0.25
CODE: Final = 0.4
CUT: Final = 0.2
LEANING: Final = 0.1
"""What an exception, a mere reference, an aside, code, half a sentence and one that leans on the
sentence before it are worth less."""

_EXCEPTION: Final = re.compile(
    r"^\W*(?:abweichend|ausnahmsweise|im\s+einzelfall|die\s+zuständige\s+behörde\s+kann\s+(?:im\s+einzelfall|zulassen)"
    r"|für\s+diese\s+besonder\w+|the\s+only\s+exception|as\s+an\s+exception|exceptionally)\b",
    re.IGNORECASE,
)
_UNTOUCHED: Final = re.compile(r"^\W*unberührt\s+bleib", re.IGNORECASE)
_ABOUT_EXCEPTIONS: Final = re.compile(r"ausnahm|abweich|exception|besonder", re.IGNORECASE)
_OF_ITSELF: Final = re.compile(
    r"^\W*(?:(?:this|the\s+present)\s+(?!section|chapter|appendix|example)(?:\w+\s+)?\w+\s+(?:propos|introduc|describ|defin|specif|adds|aims|provid|outlin"
    r"|sets\s+out|lays\s+down|govern|regulat|covers|is\s+(?:meant|intended|aimed|about))"
    r"|(?:diese[sr]?|die\s+vorliegende)\s+(?:\w+\s+)?(?:regelt|trifft\s+regelungen|beschreibt|legt|dient|führt|schlägt|setzt)\b)",
    re.IGNORECASE,
)
_CONTRAST: Final = re.compile(
    r"(?<!\w)(?:unlike|whereas|(?:in|by)\s+contrast|contrary\s+to|as\s+opposed\s+to|differ(?:s|ences?|ent\s+from)?|instead\s+of"
    r"|rather\s+than|anders\s+als|im\s+(?:gegensatz|unterschied)|hingegen|unterscheide[nt])(?!\w)",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"\b(?:acknowledge?ments?|references|footnotes|copyright|bibliography|danksagung|literatur\w*|quellen\w*"
    r"|fußnoten|(?:rejected|postponed|deferred|discarded)\b.*|alternatives(?:\s+considered)?|prior\s+discussion"
    r"|abgelehnte\s+\w+|verworfene\s+\w+)$",
    re.IGNORECASE,
)
_ABOUT_ASIDES: Final = re.compile(
    r"reject|alternativ|discard|instead|discuss|not\b|n't\b|nicht|kein|abgelehnt|verworfen|statt|reference|thank|credit",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\bhttps?://\S")
_ITEM: Final = re.compile(r"^\s*(?:(?:\d{1,2}[a-z]?|[a-z]{1,2})[.)]|[-*•–])\s+\S")
_INLINE: Final = re.compile(r"(?:^|\s)(?:\d{1,2}[a-z]?\.|[a-z]\))\s+\S")
_CODE: Final = re.compile(
    r"^\s*(?:(?:async\s+)?def\s|class\s+\w+\s*[(\[:]|from\s+\w\S*\s+import|import\s+\w|@\w|#\s|>>>|reveal_type\("
    r"|\.\.\s+\w|\w+\s*(?::\s*[\w\[\], ]+)?\s=\s)"
)
_SYMBOLS: Final = re.compile(r"[(){}\[\]=:<>_|]|->")
_CODE_SHARE: Final = 0.09
"""Share of a text's characters that are those of code, outside quoted names."""


def lists(sentence: str) -> bool:
    """Whether a sentence enumerates: an item of a list, or several items in one sentence."""
    return is_item(sentence) or len(_INLINE.findall(sentence)) > 1 or is_block(sentence)


def is_block(text: str) -> bool:
    """Whether a text is a whole list with its lead-in: several lines that are items."""
    return sum(is_item(line) for line in text.splitlines()) > 1


def is_item(sentence: str) -> bool:
    """Whether a sentence is an item of a list: it begins with a number, a letter or a bullet."""
    return bool(_ITEM.match(sentence))


def is_code(sentence: str) -> bool:
    """Whether a span is a piece of a program rather than a sentence."""
    if _CODE.match(sentence):
        return True
    plain = re.sub(r"``[^`]*``|`[^`]*`|:\w+:`[^`]*`", "", sentence)
    return len(_SYMBOLS.findall(plain)) > _CODE_SHARE * max(1, len(plain))


def tells_itself(sentence: str) -> bool:
    """Whether a document says in it what it is: ``This RFC proposes``, ``Dieses Gesetz regelt``."""
    return bool(_OF_ITSELF.match(sentence))


def contrasts(sentence: str) -> bool:
    """Whether a sentence holds one thing against another: ``Unlike …``, ``im Gegensatz zu``."""
    return bool(_CONTRAST.search(sentence))


def is_aside(headings: Sequence[str], item: str) -> bool:
    """Whether a section is beside what a document lays down: thanks, sources, what was rejected."""
    about = not _ABOUT_ASIDES.search(item)
    return about and any(_ASIDE.search(heading.strip()) for heading in headings)


def burden(sentence: str, item: str, language: Language) -> float:
    """What a sentence is worth less: an exception before its rule, a reference or link, code."""
    if is_code(sentence) and not is_block(sentence):
        return CODE
    if only_refers(sentence, language) or _UNTOUCHED.match(sentence):
        return REFERENCE
    if _LINK.search(sentence) and not lists(sentence):
        return REFERENCE
    if _EXCEPTION.match(sentence) and not _ABOUT_EXCEPTIONS.search(item):
        return EXCEPTION
    return 0.0
