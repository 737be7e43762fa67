"""Read the answers of workers, which a hostile file may have forged.

Every value in their JSON is checked: a file that took a parser over can only state other text, not
break the program, the stores or the files that come after it.
"""

import json
import re
from collections.abc import Sequence
from functools import cache, partial
from string import Formatter
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Base64Bytes, Field, TypeAdapter, model_validator

from services.domain import DocumentMetadata, RecognisedLine, SectionSpan
from services.domain.notices import Notice
from services.domain.passages import LONGEST, MOST_TAGS, PageImage
from services.domain.value import Value
from services.ingestion.parsers.extraction import (
    MOST_ATTACHED,
    MOST_ATTACHMENTS,
    MOST_TEXT,
    is_file_name,
)

Task = Literal["document", "page", "lines", "attachments"]

_LARGEST: Final = 2**53
"""Largest number: JSON holds it exactly, and calculations with it do not overflow."""
_FORMAT: Final = re.compile(r"(,?(\.\df)?|g)")
"""How a notice may write a number: without a width, which could fill the memory."""
_UNSTORABLE: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u(?:0000|[dD][89a-fA-F])")
"""Escapes of NUL and of surrogates, which databases refuse."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"


def _require_harmless(notice: Notice) -> Notice:
    """Refuse a template that does not fit its fields, or that a formatter would follow further."""
    for field in notice.fields.values():
        if isinstance(field, Notice):
            _require_harmless(field)
    for _, name, form, _ in Formatter().parse(notice.message) if notice.fields else ():
        if name is not None and not (name in notice.fields and _FORMAT.fullmatch(form or "")):
            raise ValueError("a message does not fit its fields")
    str(notice)
    return notice


def _require_distinct(attachments: tuple[tuple[str, bytes], ...]) -> tuple[tuple[str, bytes], ...]:
    names = {name.casefold() for name, _ in attachments if is_file_name(name)}
    size = sum(len(content) for _, content in attachments)
    if len(names) < len(attachments) or size > MOST_ATTACHED:
        raise ValueError("the attachments have names that are not allowed, or are too large")
    return attachments


def _require_png(image: PageImage) -> PageImage:
    if not image.png.startswith(_PNG):
        raise ValueError("the page is not drawn as PNG")
    return image


HarmlessNotice = Annotated[Notice, AfterValidator(_require_harmless)]


class DocumentAnswer(Value):
    """The text of a file with its structure; the fields are those of `Extraction`."""

    title: str
    text: Annotated[str, Field(max_length=MOST_TEXT)]
    pages: tuple[int, ...]
    page_labels: tuple[str, ...]
    sections: tuple[SectionSpan, ...]
    metadata: DocumentMetadata
    unread_pages: tuple[int, ...]
    pictures: tuple[int, ...]
    warnings: tuple[HarmlessNotice, ...]

    @model_validator(mode="after")
    def _require_consistency(self) -> Self:
        borders = [border for span in self.sections for border in (span.start, span.end)]
        names = [self.metadata.category or "", self.metadata.author or "", *self.metadata.tags]
        consistent = (
            _ascends(self.pages, 0, len(self.text))
            and _ascends(borders, 0, len(self.text))
            and _ascends(self.unread_pages, 1, len(self.pages))
            and _ascends(self.pictures, 1, len(self.pages))
            and len(self.page_labels) in (0, len(self.pages))
            and len(names) <= MOST_TAGS + 2
            and max(map(len, names)) <= LONGEST
        )
        if not consistent:
            raise ValueError("its pages, sections or metadata do not fit the text")
        return self


_TYPES: Final[dict[str, Any]] = {
    "document": DocumentAnswer,
    "page": Annotated[PageImage, AfterValidator(_require_png)],
    "lines": tuple[RecognisedLine, ...],
    "attachments": Annotated[
        tuple[tuple[str, Base64Bytes], ...],
        Field(max_length=MOST_ATTACHMENTS),
        AfterValidator(_require_distinct),
    ],
    "unreadable": HarmlessNotice,
    "failed": Annotated[str, Field(max_length=400)],
}


def longest_answer(task: Task) -> int:
    """Return how many bytes an answer may have; attachments grow by a third in base64."""
    return 150_000_000 if task != "attachments" else MOST_ATTACHED * 7 // 5


def read_answer(task: Task, response: bytes) -> dict[str, Any]:
    """Return ``{task: result}``, ``{"unreadable": Notice}`` or ``{"failed": why}``."""
    try:
        if b"\\u" in response and _UNSTORABLE.search(response):
            raise ValueError("it contains characters that cannot be stored")
        integer, real = partial(_number, int), partial(_number, float)
        ((kind, value),) = json.loads(
            response.decode(), parse_int=integer, parse_float=real, parse_constant=real
        ).items()
        if kind not in (task, "unreadable", "failed"):
            raise ValueError("it answers another question")
        return {kind: _adapter(kind).validate_python(value)}
    except (ValueError, LookupError, AttributeError, RecursionError) as error:
        return {"failed": f"invalid answer: {' '.join(str(error).split())[:200]}"}


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(_TYPES[kind])


def _number(kind: type[int] | type[float], digits: str) -> float:
    number = kind(digits)
    if not abs(number) <= _LARGEST:  # NaN is not, either
        raise ValueError("a number is too large")
    return number


def _ascends(numbers: Sequence[int], least: int, most: int) -> bool:
    return not numbers or (
        [*numbers] == sorted(numbers) and least <= numbers[0] and numbers[-1] <= most
    )
