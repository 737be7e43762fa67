"""What the head of a document states of it in fields: ``Created: 03-Mar-2019``, ``Stand: …``."""

import re
from typing import Final

from services.structured.coverage import words_of
from services.structured.wanted import wanted_answer
from services.value import Language, Value

LONGEST_HEAD: Final = 2_000
"""Characters of the head of a document."""

LONGEST_ITEM: Final = 3
"""Content words of an item that asks for a field and not for a time: the document and the field."""

FEWEST: Final = 2
"""Fields that follow each other, so that they are a head."""

_FIELD: Final = re.compile(
    r"^(?P<name>[A-ZÄÖÜ]\w*(?:[- ][A-ZÄÖÜ]\w*){0,2}):[ \t]+(?P<value>\S.*(?:\n[ \t]+\S.*)*)$",
    re.MULTILINE,
)
_ALIKE: Final = (
    frozenset({"author", "authors", "autor", "autoren", "verfasser", "wrote", "geschrieben"}),
    frozenset({"created", "date", "datum", "erstellt", "ausfertigungsdatum", "ausgefertigt"}),
    frozenset({"status", "state", "stand", "zustand"}),
)
"""Words that ask for the same field."""
_DATED: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|^\d+(?:\.\d+)+$")
_WORD: Final = re.compile(r"[^\W\d_]+")


class HeadField(Value):
    """A field of a document's head and its span in the text."""

    name: str
    value: str
    start: int
    end: int

    @property
    def dated(self) -> bool:
        """Whether it states a day, a year or a version."""
        return bool(_DATED.search(self.value.strip()))


def head_fields(text: str) -> list[HeadField]:
    """The fields at the head of a document, in order; none where there are no two in a row.

    Args:
        text: of the beginning of a document.
    """
    found: list[HeadField] = []
    for match in _FIELD.finditer(text[:LONGEST_HEAD]):
        if found and match.start() != found[-1].end + 1:
            if len(found) >= FEWEST:
                break
            found.clear()
        name, value = match["name"], " ".join(match["value"].split())
        found.append(HeadField(name=name, value=value, start=match.start(), end=match.end()))
    return found if len(found) >= FEWEST else []


def asks_field(item: str, field: HeadField, language: Language, *, named: bool) -> bool:
    """Whether a piece of required information asks for a field that it does not state itself.

    Args:
        item: in the words of the question.
        field: of the head of a document.
        language: of the item.
        named: whether the item names the document; where it does not, it may only ask for a time
            or a version, by all of the field's name: ``Python-Version``.
    """
    times = wanted_answer(item) == "time"
    if (times and not field.dated) or not (times or named):
        return False
    if field.value.casefold() in item.casefold():
        return False
    if not times and len(words_of(item, language)) > LONGEST_ITEM:
        return False
    *first, head = _words(field.name)
    if not (named or (first and {*first, head} <= set(_words(item)))):
        return False
    if head in _words(item) or set(words_of(head, language)) & set(words_of(item, language)):
        return True
    asked = set(_words(item))
    return named and any(head in alike and asked & alike for alike in _ALIKE)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
