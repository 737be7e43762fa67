"""What one message asks: its questions, in its own words.

Questions are the message's bullets, its sentences, and coordinated main clauses: a conjunction
divides only where a question word, or a verb with its subject, follows and what stands before it
asks too. Nothing is cut inside quotation marks or brackets. The words are those of four languages
together; they need not be told apart.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from services.language.vocabulary import FUNCTION_WORDS, word_set

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
_BULLET: Final = re.compile(
    r"(?:^[ \t]*|(?<=[?:;])[ \t]+)(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE
)
_HELD_TOGETHER: Final = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_QUESTION_END: Final = re.compile(r"\?+[\"”“»)]*(?:\s+|$)")
_MOST: Final = 8
_POINTING: Final = re.compile(
    r"(?<!\w)(?:er|sie|ihn|ihm|ihnen|dessen|deren|davon|dabei|dafür|damit|daran|darauf|darin|darüber"
    r"|dazu|dagegen|(?<!gibt )es(?! gibt)|it|its|they|them|their|he|she|him|his|her|those|these"
    r"|ils?|elles?|lui|leurs?|él|ellas?|ellos|sus?)(?!\w)"
)
"""Words that point back; in small letters, for ``Sie`` is a person spoken to."""
_SUBORDINATE: Final = re.compile(
    r"(?<!\w)(?:wenn|falls|weil|dass|nachdem|bevor|when|if|because|that|after|before|quand|si|cuando)"
    r"(?!\w)"
)
_WHOLE: Final = 4
"""Words of a main clause that has somebody or something for a pronoun after it."""
_GOES_ON: Final = re.compile(rf"\s*(?:{_CONJUNCTION})\s", re.IGNORECASE)
_ONLY_NAMED: Final = re.compile(
    r"(?:welche[mnrs]?|wie viele|which|how many|quel(?:le)?s?|cuál(?:es)?|cuánt[oa]s)"
    r"\s+(?P<named>[^\W\d_][\w-]*(?:\s+[\w-]+)?)",
    re.I,
)
_ACTING: Final = word_set("i you he she it we they be been to who ich wir man")
"""Words before a verb."""
_LONGEST: Final = 4_000


def subquestions(question: str) -> tuple[str, ...]:
    """Split a message into the questions that it asks, in its own words.

    A sentence that tells the circumstances stays with the question that follows it. A part that
    leans on an earlier one (``and when?``) is left as it is.

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


def points_back(part: str) -> bool:
    """Whether the form of a part says that it needs the one before: a pronoun, ``And when?``."""
    main = _SUBORDINATE.split(part, maxsplit=1)[0]
    named = any(word[:1].isupper() for word in main.split()[1:]) or len(main.split()) > _WHOLE
    return bool(_POINTING.search(main if named else part) or _GOES_ON.match(part))


def topic(part: str, language: str) -> str:
    """What a part is about, without what it asks of it: the names in it, one after the other.

    German names begin with a capital; elsewhere words of content count that follow no subject.
    """
    kept: list[str] = []
    before = ""
    for n, match in enumerate(re.finditer(r"[^\W_][\w.'’/-]*", part)):
        word = match.group().rstrip(".")
        small = word.casefold() in FUNCTION_WORDS
        named = word[:1].isupper() if language == "de" else before not in _ACTING
        if n and not small and (named or word[:1].isdigit()):
            kept.append(word)
        before = word.casefold()
    return " ".join(dict.fromkeys(kept))


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
    ends = [match.end() for match in _QUESTION_END.finditer(_masked(text))]
    cuts = [0, *ends[:-1], len(text)]
    yield from (part for a, b in pairwise(cuts) if (part := text[a:b].strip()))


def _coordinated(sentence: str) -> list[str]:
    masked = _masked(sentence)
    cuts = [0]
    for match in _BORDER.finditer(masked):
        if _ASKING.search(masked[cuts[-1] : match.start()]):
            cuts += match.span()
    cuts.append(len(sentence))
    parts = [sentence[a:b].strip(" ,;") for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    return _with_predicate([part for part in parts if part]) or [sentence]


def _with_predicate(parts: list[str]) -> list[str]:
    """Gives what only names something the predicate of the next: ``Which X and which Y apply?``."""
    for n in range(len(parts) - 2, -1, -1):
        named = _ONLY_NAMED.fullmatch(parts[n])
        following = _ONLY_NAMED.match(parts[n + 1]) if named else None
        if following is not None:
            end = following.start("named") + _named_words(following["named"], parts[n])
            parts[n] += parts[n + 1][end:]
    return parts


def _named_words(named: str, pattern: str) -> int:
    """Characters of the name in the next part, which has as many words of content as this one."""
    first, *others = named.split()
    both = bool(others) and others[0].casefold() not in FUNCTION_WORDS
    return len(named) if both and len(pattern.split()) > 2 else len(first)


def _masked(text: str) -> str:
    """Quoted and bracketed words blotted out, every offset kept."""
    return _HELD_TOGETHER.sub(lambda match: "\u0001" * len(match.group()), text)
