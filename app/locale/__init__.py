"""Texts of the interface: English in the source, German in ``de/LC_MESSAGES/app.po``.

Answers follow the language of the question; this is about the pages around them.
"""

from pathlib import Path
from typing import Final, Literal

from services.locale import catalogue

Language = Literal["de", "en"]
GERMAN: Final = Path(__file__).parent / "de" / "LC_MESSAGES" / "app.po"


def N_(message: str) -> str:
    """Marks a message that is translated where it is shown."""
    return message


def translate(language: Language, message: str, context: str = "", /, **values: object) -> str:
    """A message in a language, with ``{name}`` filled in; without a translation, in English."""
    text = message
    if language == "de":
        text = catalogue(GERMAN).get((context or None, message), message)
    return text.format(**values) if values else text
