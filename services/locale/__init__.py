"""Notices in the reader's language, from the gettext catalogue ``de.po`` beside this file.

English needs no catalogue: a msgid is the English template. A context (msgctxt) names the field
whose values an entry translates, such as the kinds of a file.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Final

from services.domain.notices import Notice

CATALOGUE: Final = Path(__file__).with_name("de.po")
_NUMBER: Final = re.compile(r"\d{1,3}(,\d{3})+|\d+\.\d+")
_SWAPPED: Final = str.maketrans(",.", ".,")


def rendered(value: Any, language: str) -> Any:
    """A value of JSON with each notice in it as a sentence in ``de``, else in English.

    A plain string that is a notice without fields is translated; all other strings stay.
    """
    match value:
        case str() | Notice():
            return sentence(value, language)
        case {"message": str(), "fields": dict(), **rest} if not rest:
            return sentence(Notice.model_validate(value), language)
        case dict():
            return {key: rendered(each, language) for key, each in value.items()}
        case list() | tuple():
            return [rendered(each, language) for each in value]
    return value


def sentence(notice: Notice | str, language: str) -> str:
    """The sentence in ``de``, else in English; as it was said where there is no translation."""
    if language != "de":
        return str(notice)
    if isinstance(notice, str):
        return _german().get((None, notice), notice)
    template = _german().get((None, notice.message))
    return str(notice) if template is None else notice.filled(template, _in_german, GERMAN)


def _in_german(notice: Notice) -> str:
    return sentence(notice, "de")


class _German(Formatter):
    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        value = kwargs[str(key)]
        return _german().get((str(key), value), value) if isinstance(value, str) else value

    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        return text.translate(_SWAPPED) if _NUMBER.fullmatch(text) else text


GERMAN: Final = _German()


@cache
def _german() -> dict[tuple[str | None, str], str]:
    """By context and msgid; read once, and only for German readers."""
    import polib

    return {(entry.msgctxt, entry.msgid): entry.msgstr for entry in polib.pofile(str(CATALOGUE))}
