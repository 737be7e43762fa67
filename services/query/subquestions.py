"""The questions that one message asks, told from bullets, question marks and conjunctions.

A conjunction divides only where a question word or a verb with its subject follows, so what is
joined within a question stays whole: ``zwischen X und Y``, ``X and Y``. Nothing is cut inside
quotation marks or brackets.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from services.query.language import detect_language
from services.query.patterns import TABLES, spaced
from services.value import Language

_BULLET = re.compile(r"^[ \t]*(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE)
_HELD_TOGETHER = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_QUESTION_END = re.compile(r"\?+[\"”“»)]*(?:\s+|$)")
_SENTENCE_END = re.compile(r"(?<=[^\W\d]{4})[.!;]\s+(?=\S)|\n+")
_JOINT: Final = "\u0001"
_MOST: Final = 8
_LONGEST: Final = 4_000


def subquestions(question: str, language: Language | None = None) -> tuple[str, ...]:
    """Split a message into the questions that it asks, in its own words.

    A sentence that tells the circumstances stays with the question that follows it. A part that
    leans on an earlier one (``and when?``) is left as it is.

    Args:
        question: as the user or the rewriter put it; parts may be bullets.
        language: of the question; recognised where it is not given.

    Returns:
        1-8 questions; the message itself where it asks only one.
    """
    text = question[:_LONGEST].strip()
    language = language or detect_language(text)
    bullets = _bullets(text)
    if bullets:
        return bullets[:_MOST]
    parts = [
        part for sentence in _sentences(text, language) for part in _coordinated(sentence, language)
    ]
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


def _sentences(text: str, language: Language) -> list[str]:
    """Questions with what leads up to them; requests that follow each other are divided too."""
    pieces: list[str] = []
    before = ""
    for sentence in _cut(text):
        asks = sentence.rstrip('"”“») ').endswith("?") or _opening(language).match(sentence)
        before = f"{before} {sentence}".strip()
        if asks:
            pieces.append(before)
            before = ""
    if before and pieces:
        pieces[-1] = f"{pieces[-1]} {before}"
    elif before:
        pieces.append(before)
    return pieces


def _cut(text: str) -> list[str]:
    borders = [
        match.end()
        for pattern in (_QUESTION_END, _SENTENCE_END)
        for match in pattern.finditer(_masked(text))
    ]
    cuts = sorted({0, len(text), *borders})
    parts = (text[start:end].strip() for start, end in pairwise(cuts))
    return [part for part in parts if part]


def _coordinated(sentence: str, language: Language) -> list[str]:
    masked = _masked(sentence)
    cuts = [0]
    for match in _border(language).finditer(masked):
        before = masked[cuts[-1] : match.start()]
        if _asks(before, match.group(), language) and not _open_pair(before, language):
            cuts += [match.start(), match.end()]
    cuts.append(len(sentence))
    parts = [sentence[cuts[i] : cuts[i + 1]].strip(" ,;") for i in range(0, len(cuts), 2)]
    return [part for part in parts if part] or [sentence]


def _asks(before: str, border: str, language: Language) -> bool:
    """Whether what stands before a border is a question by itself.

    After a mere comma only if it begins as one: ``Explain, how …`` is a single request.
    """
    if border.strip() in (",", ";"):
        return bool(_interrogative(language).match(before.lstrip("¿ ")))
    begins = _verb_first(language).match(before.lstrip("¿ "))
    return bool(begins or _opening(language).search(before))


def _masked(text: str) -> str:
    """Quoted and bracketed words blotted out, every offset kept."""
    return _HELD_TOGETHER.sub(lambda match: _JOINT * len(match.group()), text)


def _open_pair(before: str, language: Language) -> bool:
    """Whether a ``between`` still waits for its ``and``."""
    between, conjunction = _pairing(language)
    opened = [match.end() for match in between.finditer(before)]
    return bool(opened) and not conjunction.search(before, opened[-1])


@lru_cache(maxsize=8)
def _pairing(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    splitting = TABLES.get(language, TABLES["en"]).splitting
    return _words(splitting.between), _words(splitting.conjunctions)


@lru_cache(maxsize=8)
def _border(language: Language) -> re.Pattern[str]:
    """A conjunction, or a comma, before something that opens a question."""
    splitting = TABLES.get(language, TABLES["en"]).splitting
    joined, opened = _either(splitting.conjunctions), _either(splitting.interrogatives)
    listed = _either(splitting.listed)
    return re.compile(
        rf"\s*[,;]?\s+(?:{joined})\s*,?\s+(?=¿?(?:{opened})(?!\w))"
        rf"|\s*[,;]\s+(?=¿?(?:{listed})(?!\w))",
        re.IGNORECASE,
    )


@lru_cache(maxsize=8)
def _interrogative(language: Language) -> re.Pattern[str]:
    return _words(TABLES.get(language, TABLES["en"]).splitting.interrogatives)


@lru_cache(maxsize=8)
def _verb_first(language: Language) -> re.Pattern[str]:
    return _words(TABLES.get(language, TABLES["en"]).splitting.verbs_first)


@lru_cache(maxsize=8)
def _opening(language: Language) -> re.Pattern[str]:
    splitting = TABLES.get(language, TABLES["en"]).splitting
    return _words(splitting.interrogatives + splitting.imperatives)


def _words(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_either(patterns)})(?!\w)", re.IGNORECASE)


def _either(patterns: tuple[str, ...]) -> str:
    return "|".join(spaced(pattern) for pattern in patterns)
