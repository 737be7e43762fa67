"""Notices in the reader's language, from the gettext catalogues in this folder.

A msgid is the English template that the command line prints. ``de.po`` translates all of them,
``en.po`` only those that pages and exports word differently. A context (msgctxt) names the field
whose values an entry translates, such as the kinds of a file.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Final

from services.domain.notices import Notice

FOLDER: Final = Path(__file__).parent
_SWAPPED: Final = str.maketrans(",.", ".,")


def rendered(value: Any, language: str | None = None) -> Any:
    """Replace every notice in a JSON value by its `sentence`; a string may be a notice too."""
    match value:
        case str() | Notice():
            return sentence(value, language)
        case {"message": str(), "fields": dict(), **rest} if not rest:
            return sentence(Notice.model_validate(value), language)
        case dict():
            return {key: rendered(member, language) for key, member in value.items()}
        case list() | tuple():
            return [rendered(member, language) for member in value]
    return value


def sentence(notice: Notice | str, language: str | None = None) -> str:
    """Return a notice in German for ``de``, else in English; None means as the command line."""
    if language is None:
        return str(notice)
    locale = "de" if language == "de" else "en"
    texts = catalogue(FOLDER / f"{locale}.po")
    if isinstance(notice, str):
        return texts.get((None, notice), notice)
    template = texts.get((None, notice.message))
    if template is None and locale == "de":
        return str(notice)
    return notice.filled(
        template or notice.message, lambda inner: sentence(inner, locale), _Values(locale)
    )


def field_text(field: str, value: str, language: str) -> str:
    """Return the value of a notice's field, such as the name of a parameter, in a language."""
    return catalogue(FOLDER / f"{language}.po").get((field, value), value)


class _Values(Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        value = kwargs[str(key)]
        return field_text(str(key), value, self._language) if isinstance(value, str) else value

    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        if self._language == "de" and isinstance(value, int | float):
            return text.translate(_SWAPPED)
        return text


Catalogue = dict[tuple[str | None, str], str]
"""Texts by context and msgid."""


@cache
def catalogue(file: Path) -> Catalogue:
    """Read a .po file, once; it is not compiled when the package is installed."""
    import polib

    return {(e.msgctxt, e.msgid): e.msgstr for e in polib.pofile(str(file)) if e.msgstr}
