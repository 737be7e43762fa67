"""Why a sentence is proof or not, in a few words of the reader's language."""

from typing import Final

from agent.prompts import worded
from services.evidence import Judged

_REASONS: Final = {
    "in other words": {
        "de": "Die Stelle sagt es mit anderen Worten.",
        "en": "The passage says it in other words.",
        "fr": "Le passage le dit en d'autres termes.",
        "es": "El pasaje lo dice con otras palabras.",
    },
    "words": {
        "de": "Nicht in der Stelle: {words}.",
        "en": "Not in the passage: {words}.",
        "fr": "Absent du passage : {words}.",
        "es": "No está en el pasaje: {words}.",
    },
    "numbers": {
        "de": "Die Zahlen stimmen nicht überein: {words}.",
        "en": "The numbers do not agree: {words}.",
        "fr": "Les nombres ne concordent pas : {words}.",
        "es": "Los números no coinciden: {words}.",
    },
    "labels": {
        "de": "Eine andere Fundstelle ist genannt: {words}.",
        "en": "Another section is named: {words}.",
        "fr": "Une autre section est citée : {words}.",
        "es": "Se nombra otra sección: {words}.",
    },
    "not said": {
        "de": "Die Stelle spricht davon, sagt es aber nicht eindeutig.",
        "en": "The passage is about it, but does not clearly say so.",
        "fr": "Le passage en parle, mais ne le dit pas clairement.",
        "es": "El pasaje trata de ello, pero no lo dice claramente.",
    },
    "says otherwise": {
        "de": "Die Stelle sagt etwas anderes.",
        "en": "The passage says otherwise.",
        "fr": "Le passage dit autre chose.",
        "es": "El pasaje dice otra cosa.",
    },
    "nothing like it": {
        "de": "Keine Stelle spricht davon.",
        "en": "No passage speaks of it.",
        "fr": "Aucun passage n'en parle.",
        "es": "Ningún pasaje habla de ello.",
    },
}


def reason_of(judged: Judged, language: str) -> str:
    """ "" for a quote."""
    if not judged.reason:
        return ""
    text = worded(language, **_REASONS[judged.reason])
    return text.format(words=", ".join(judged.words))
