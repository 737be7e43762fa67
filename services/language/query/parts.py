"""What one message asks: its questions, and of a comparison the two things that it compares.

Questions are the message's bullets, its sentences, and coordinated main clauses: a conjunction
divides only where a question word, or a verb with its subject, follows and what stands before it
asks too. Nothing is cut inside quotation marks or brackets. The words are those of four languages
together; they need not be told apart.

The word that joins the operands of a comparison tells where they stand. Where the second begins
with a preposition or a word that stood before, both begin there, and share what stands before.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from services.domain.value import Span
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
_OPEN_BETWEEN: Final = re.compile(
    r"(?<!\w)(?:zwischen|between|entre)(?!\w)(?!.*(?<!\w)(?:und|and|et|y)(?!\w))", re.I | re.S
)
"""A ``between`` that still waits for its ``and``."""
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE)
_HELD_TOGETHER: Final = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_QUESTION_END: Final = re.compile(r"\?+[\"”“»)]*(?:\s+|$)")
_MOST: Final = 8
_LONGEST: Final = 4_000

_COORDINATING: Final = (
    frozenset({"vs", "versus", "gegenüber"}),
    frozenset({"und", "and", "et", "y", "oder", "or", "ou", "o", "&"}),
)
_THAN: Final = frozenset({"als", "than", "que"})
_JOINING: Final[tuple[frozenset[str], ...]] = (
    _COORDINATING[0],
    _THAN,
    frozenset({"mit", "with", "avec", "con"}),
    _COORDINATING[1],
    frozenset({"von", "vom", "from", "to", "zu"}),
)
"""Words between two operands, those that say most first."""
_BETWEEN: Final = frozenset({"between", "zwischen", "entre"})
_PREPOSITIONS: Final = word_set(
    """für bei beim in im an am nach gegen auf unter über for of at on under by pour chez dans sur
    para en"""
)
_STANDING: Final = word_set(
    "denen denjenigen diejenigen jenen those that one ones ceux celles celui celle"
)
"""Words that stand for the head of the first operand."""
_SMALL: Final = FUNCTION_WORDS | _PREPOSITIONS | _BETWEEN | _STANDING
_WORD: Final = re.compile(
    r"§+\s*\d+\w*|(?:art(?:ikel|icle|\.)?|anlage|anhang|annex|section|pep|rfc)\s+\d+\w*"
    r"|[^\W_][\w.'’-]*\w|\w|&",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"[,;:?!.\n]\s|[,;:?!\n]")
_LONGEST_OPERAND: Final = 5
"""Words."""


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


def comparison_operands(question: str) -> tuple[str, str] | None:
    """Both operands of a comparison; None where no two things stand in it."""
    spans = operand_spans(question)
    if spans is None:
        return None
    (a, b), (c, d) = spans
    head = _shared_head(question, a)
    rest = question[d:].rstrip(" ?.!")
    first, second = f"{head}{question[a:b]}{rest}", f"{head}{question[c:d]}{rest}"
    return (first, second) if first.casefold() != second.casefold() else None


def operand_spans(question: str) -> tuple[Span, Span] | None:
    """Where the two things stand that a comparison holds together."""
    return _Comparison(question).operands()


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
        before = masked[cuts[-1] : match.start()]
        if _ASKING.search(before) and not _OPEN_BETWEEN.search(before):
            cuts += match.span()
    cuts.append(len(sentence))
    parts = [sentence[a:b].strip(" ,;") for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    return [part for part in parts if part] or [sentence]


def _masked(text: str) -> str:
    """Quoted and bracketed words blotted out, every offset kept."""
    return _HELD_TOGETHER.sub(lambda match: "\u0001" * len(match.group()), text)


class _Comparison:
    """The words of a question; those that name something keep a lone capital letter."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._spans = [match.span() for match in _WORD.finditer(question)]
        words = (question[start:end] for start, end in self._spans)
        self._words = [word if len(word) == 1 else word.casefold() for word in words]

    def operands(self) -> tuple[Span, Span] | None:
        opened = next((n for n, word in enumerate(self._words) if word in _BETWEEN), 0)
        for joining in _JOINING:
            for joint in range(opened + 1, len(self._words)):
                if self._words[joint] in joining and (found := self._around(joint, joining)):
                    return found
        return None

    def _around(self, joint: int, joining: frozenset[str]) -> tuple[Span, Span] | None:
        """The operands on both sides of a joining word."""
        right = self._run(joint + 1)
        if not right:
            return None
        if joining is not _THAN and self._words[right[0]] in self._words[:joint]:
            return self._alike(joint, right[0])
        left = self._left(joint, right, joining)
        if not left:
            return None
        if joining in _COORDINATING:
            right = right[: len(left)]
        return self._span(left[0], left[-1]), self._span(right[0], right[-1])

    def _alike(self, joint: int, right: int) -> tuple[Span, Span]:
        """Operands that begin with the same word: ``the limit for A with the limit for B``."""
        left, last = self._last_before(joint, self._words[right]), right
        while last + 1 < len(self._words) and not self._breaks_after(last):
            last += 1
        return self._span(left, joint - 1), self._span(right, last)

    def _left(self, joint: int, right: list[int], joining: frozenset[str]) -> list[int]:
        """The words of the first operand."""
        for word in self._words[joint + 1 : right[0]]:
            if word in _PREPOSITIONS and word in self._words[:joint]:
                return self._run(self._last_before(joint, word) + 1, stop=joint)
        if joining is _THAN:
            return self._run(1, stop=joint)[: len(right)]
        left: list[int] = []
        for n in range(joint - 1, -1, -1):
            if not self._is_content(n) or self._breaks_after(n) or (n == 0 and left):
                break
            left.insert(0, n)
        return left if joining in _COORDINATING else left[: len(right)]

    def _run(self, start: int, stop: int | None = None) -> list[int]:
        """The first words of content from one on, as far as they stand side by side."""
        run: list[int] = []
        for n in range(start, len(self._words) if stop is None else stop):
            if self._is_content(n) and len(run) < _LONGEST_OPERAND:
                if run and self._breaks_after(n - 1):
                    break
                run.append(n)
            elif run:
                break
        return run

    def _last_before(self, joint: int, word: str) -> int:
        return max(n for n in range(joint) if self._words[n] == word)

    def _is_content(self, n: int) -> bool:
        return self._words[n] not in _SMALL

    def _breaks_after(self, n: int) -> bool:
        return bool(_BREAK.search(self._question[self._spans[n][1] : self._spans[n + 1][0]]))

    def _span(self, first: int, last: int) -> Span:
        return self._spans[first][0], self._spans[last][1]


def _shared_head(question: str, start: int) -> str:
    """What both operands share before them: what they are operands of, with its preposition."""
    prepositions = 0
    for match in reversed(list(_WORD.finditer(question[:start]))[1:]):
        word = match.group().casefold()
        prepositions += word in _PREPOSITIONS
        if word in _BETWEEN:
            return ""
        if word not in _SMALL:
            return question[match.start() : start] if prepositions else ""
    return ""
