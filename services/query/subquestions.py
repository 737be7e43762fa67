"""The questions that one message asks: its bullets, its sentences, and coordinated main clauses.

A conjunction divides only where a question word, or a verb with its subject, follows and what
stands before it asks too, so what is joined within a question stays whole: ``X and Y``. Nothing is
cut inside quotation marks or brackets, or between ``between`` and its ``and``. The words are those
of four languages together; they need not be told apart.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_CONJUNCTION: Final = r"und|oder|sowie|aber|and|or|but|plus|et|ou|mais|y|o|pero"
_FILLER: Final = r"(?:auch|dann|also|then|aussi|también)\s+"
_PREPOSITION: Final = (
    r"ab|an|auf|aus|bei|bis|durch|für|gegen|mit|nach|seit|unter|von|vor|zu|über|at|by|for|from|in"
    r"|of|on|since|to|under|until|with|à|de|dans|sur|sous|pour|avec|par|chez|depuis|a|en|con|por"
    r"|para|desde|hasta|bajo|sobre"
)
_INTERROGATIVE: Final = (
    r"was|welche[mnrs]?|wer|wem|wen|wessen|wann|wo|woher|wohin|warum|weshalb|wieso|weswegen|wie"
    r"|wodurch|womit|wofür|woran|worin|wozu|what|which|who|whom|whose|when|where|why|how"
    r"|quel(?:le)?s?|qui|quoi|où|quand|comment|pourquoi|combien|est-ce|qu'est-ce|qué|cuál(?:es)?"
    r"|quién(?:es)?|dónde|cuándo|cómo|cuánt[oa]s?"
)
_VERB: Final = (
    r"darf|dürfen|muss|müssen|kann|können|soll(?:en|te)?|ist|sind|war|waren|gilt|gelten|gibt|hat"
    r"|haben|wird|werden|braucht?|is|are|was|were|does|do|did|may|must|can|could|shall|should|will"
    r"|would|has|have|peut|doit|faut|est|sont|es|son|hay|puede[ns]?|debe[ns]?|tiene[ns]?|se\s+puede"
)
_SUBJECT: Final = (
    r"ich|du|wir|er|sie|es|man|d(?:er|ie|as|em|en)|ein(?:e[mnrs]?)?|mein\w*|unser\w*|dies\w*|i|you"
    r"|we|they|he|she|it|there|the|an?|my|our|th(?:is|at|ese|ose)|el|la|l[oe]s?|une?|il|elle|on|un"
)
_ASKS: Final = rf"(?:(?:{_PREPOSITION})\s+)?(?:{_INTERROGATIVE})(?!\w)"
_BORDER: Final = re.compile(
    rf"\s*[,;]?\s+(?:{_CONJUNCTION})\s*,?\s+(?:{_FILLER})?"
    rf"(?=¿?(?:{_ASKS}|(?:{_VERB})[\s-]+(?:{_SUBJECT})(?!\w)))"
    rf"|\s*[,;]\s+(?=¿?(?:{_ASKS})\s*(?:[,?]|(?:{_CONJUNCTION})(?!\w)))",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(
    rf"(?<!\w)(?:{_INTERROGATIVE})(?!\w)|^[¿\s]*(?:{_VERB})(?!\w)", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"(?<!\w)(?:zwischen|between|entre)(?!\w)", re.IGNORECASE)
_JOINED: Final = re.compile(r"(?<!\w)(?:und|and|et|y)(?!\w)", re.IGNORECASE)
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE)
_HELD_TOGETHER: Final = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_QUESTION_END: Final = re.compile(r"\?+[\"”“»)]*(?:\s+|$)")
_JOINT: Final = "\u0001"
_MOST: Final = 8
_LONGEST: Final = 4_000


def subquestions(question: str) -> tuple[str, ...]:
    """Split a message into the questions that it asks, in its own words.

    A sentence that tells the circumstances stays with the question that follows it. A part that
    leans on an earlier one (``and when?``) is left as it is.

    Args:
        question: as the user or the rewriter put it; parts may be bullets.

    Returns:
        1-8 questions; the message itself where it asks only one.
    """
    text = question[:_LONGEST].strip()
    if bullets := _bullets(text):
        return bullets[:_MOST]
    parts = [part for sentence in _sentences(text) for part in _coordinated(sentence)]
    return tuple(dict.fromkeys(parts))[:_MOST] or (text,)


def without_bullets(question: str) -> str:
    """The question's text outside its list of sub-questions."""
    return "\n".join(line for line in question.splitlines() if not _BULLET.match(line))


def _bullets(text: str) -> tuple[str, ...]:
    """Items of a list; one item is no list."""
    starts = [match.span() for match in _BULLET.finditer(text)]
    if len(starts) < 2:
        return ()
    ends = [start for start, _ in starts[1:]] + [len(text)]
    items = (text[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=True))
    return tuple(dict.fromkeys(item for item in items if item))


def _sentences(text: str) -> Iterator[str]:
    """Pieces that end with a question mark; what follows the last one stays with it."""
    cuts = [0, *(match.end() for match in _QUESTION_END.finditer(_masked(text)))]
    if len(cuts) > 1:
        cuts[-1] = len(text)
    else:
        cuts.append(len(text))
    yield from (part for a, b in pairwise(cuts) if (part := text[a:b].strip()))


def _coordinated(sentence: str) -> list[str]:
    masked = _masked(sentence)
    cuts = [0]
    for match in _BORDER.finditer(masked):
        before = masked[cuts[-1] : match.start()]
        if _ASKING.search(before) and not _open_pair(before):
            cuts += [match.start(), match.end()]
    cuts.append(len(sentence))
    parts = [sentence[cuts[i] : cuts[i + 1]].strip(" ,;") for i in range(0, len(cuts), 2)]
    return [part for part in parts if part] or [sentence]


def _masked(text: str) -> str:
    """Quoted and bracketed words blotted out, every offset kept."""
    return _HELD_TOGETHER.sub(lambda match: _JOINT * len(match.group()), text)


def _open_pair(before: str) -> bool:
    """Whether a ``between`` still waits for its ``and``."""
    opened = [match.end() for match in _BETWEEN.finditer(before)]
    return bool(opened) and not _JOINED.search(before, opened[-1])
