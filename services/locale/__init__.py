"""Notices in the reader's language, from the gettext catalogues beside this file.

A msgid is the English template as the command line says it. ``de.po`` has all of them, ``en.po``
those alone that pages and exports say in other words. A context (msgctxt) names the field whose
values an entry translates, such as the kinds of a file.
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
    """A value of JSON with each notice in it as a sentence; see `sentence` for the language.

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


def sentence(notice: Notice | str, language: str | None = None) -> str:
    """The sentence for a reader of ``de``, else of English; None: as the command line says it."""
    if language is None:
        return str(notice)
    spoken = "de" if language == "de" else "en"
    texts = catalogue(FOLDER / f"{spoken}.po")
    if isinstance(notice, str):
        return texts.get((None, notice), notice)
    template = texts.get((None, notice.message))
    if template is None and spoken == "de":
        return str(notice)
    return notice.filled(
        template or notice.message, lambda inner: sentence(inner, spoken), _Values(spoken)
    )


class _Values(Formatter):
    """Writes what is filled in for readers of a language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._texts = catalogue(FOLDER / f"{language}.po")

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        value = kwargs[str(key)]
        if isinstance(value, str):
            return self._texts.get((str(key), value), value)
        return value

    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        if self._language == "de" and isinstance(value, int | float):
            return text.translate(_SWAPPED)
        return text


Catalogue = dict[tuple[str | None, str], str]
"""Texts by context and msgid."""


@cache
def catalogue(file: Path) -> Catalogue:
    """What a .po file says; an installation compiles nothing.

    Read once, and only when somebody reads a page or an export.
    """
    import polib

    return {(e.msgctxt, e.msgid): e.msgstr for e in polib.pofile(str(file)) if e.msgstr}
