"""Word lists; outside `services.language.text`, whose other modules take time to load."""

from typing import Final

_MONTHS: Final = {
    "de": "januar|jänner|jan februar|feb märz|mär april|apr mai juni|jun juli|jul august|aug"
    " september|sept|sep oktober|okt november|nov dezember|dez",
    "en": "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug"
    " september|sept|sep october|oct november|nov december|dec",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre"
    " diciembre",
}


def word_set(words: str) -> frozenset[str]:
    """The words of a white-space separated list."""
    return frozenset(words.split())


def months(*languages: str) -> dict[str, int]:
    """The names of the months in small letters, and their numbers from 1."""
    return {
        name: number
        for language in languages
        for number, names in enumerate(_MONTHS[language].split(), start=1)
        for name in names.split("|")
    }
