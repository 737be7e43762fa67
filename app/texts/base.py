"""A text of the interface in both languages."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["de", "en"]


@dataclass(frozen=True)
class Text:
    """A text of the interface; ``{name}`` is filled in."""

    de: str
    en: str

    def in_language(self, language: Language, **values: object) -> str:
        text = self.de if language == "de" else self.en
        return text.format(**values) if values else text
