"""Split a message into its questions by form: list items and question marks."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from services.domain.value import Language
from services.language.query.heads import QuestionReader
from services.language.vocabulary import FUNCTION_WORDS

_BULLET: Final = re.compile(
    r"(?:^[ \t]*|(?<=[?:;])[ \t]+)(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE
)
_HELD_TOGETHER: Final = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_QUESTION_END: Final = re.compile(r"\?+[\"”“»)]*(?:\s+|$)")
_MOST: Final = 8
_LONGEST: Final = 4_000


def subquestions(
    message: str, language: Language, reader: QuestionReader | None = None
) -> tuple[str, ...]:
    """Return the questions of a message in its own words: 1-8, or the message itself.

    A question that depends on the one before (``And when?``) stays with that.
    """
    text = message[:_LONGEST].strip()
    questions = _items(text)
    for question in () if questions else _sentences(text):
        if questions and _depends(question, questions[-1], language, reader):
            questions[-1] = f"{questions[-1]} {question}"
        else:
            questions.append(question)
    return tuple(dict.fromkeys(questions))[:_MOST] or (text,)


def without_bullets(question: str) -> str:
    """Return the text outside the question's list of sub-questions."""
    return "\n".join(line for line in question.splitlines() if not _BULLET.match(line))


def _depends(question: str, before: str, language: Language, reader: QuestionReader | None) -> bool:
    """Return whether a question needs the one before; without a head, by its content words."""
    if reader is not None:
        return reader.follows(question, before, language)
    return all(word.casefold() in FUNCTION_WORDS for word in re.findall(r"\w+", question))


def _items(text: str) -> list[str]:
    """Return the items of a list; a single item is no list."""
    starts = [match.span() for match in _BULLET.finditer(text)]
    if len(starts) < 2:
        return []
    ends = [start for start, _ in starts[1:]] + [len(text)]
    items = (text[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=True))
    return [item for item in items if item]


def _sentences(text: str) -> Iterator[str]:
    """Yield the pieces that end with a question mark; text after the last one stays with it."""
    masked = _HELD_TOGETHER.sub(lambda match: "\u0001" * len(match.group()), text)
    ends = [match.end() for match in _QUESTION_END.finditer(masked)]
    cuts = [0, *ends[:-1], len(text)]
    yield from (sentence for a, b in pairwise(cuts) if (sentence := text[a:b].strip()))
