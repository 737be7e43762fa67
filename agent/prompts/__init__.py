"""Model tasks, one module a phase: text, typed input, schema, check and fallback.

Small models follow a short prompt in the language of the answer best, so each prompt exists in
German and English; other languages get the English text and a line naming the language.
"""

LANGUAGE_NAMES = {
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "nl": "Dutch",
}


def in_language(language: str, *, de: str, en: str) -> str:
    """Picks the instructions of a prompt; names the language to the model when it is neither."""
    if language == "de":
        return de
    if language == "en":
        return en
    return f"{en}\nAnswer in {LANGUAGE_NAMES.get(language, language)}."


def worded(language: str, *, de: str, en: str, fr: str = "", es: str = "") -> str:
    """Picks words that a reader sees, or that name a part of a prompt; English where none fit."""
    return {"de": de, "fr": fr, "es": es}.get(language) or en


def numbered(lines: list[str] | tuple[str, ...]) -> str:
    """Lines as ``[1] …``, the form in which small models refer back most reliably."""
    return "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, start=1))


def bullets(lines: list[str] | tuple[str, ...]) -> str:
    return "\n".join(f"- {line}" for line in lines)
