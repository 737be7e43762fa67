"""What tools of the agent say to it and to whoever watches: German, else English."""

from collections.abc import Sequence


def _said(language: str, de: str, en: str) -> str:
    return de if language == "de" else en


def missing(language: str, parameter: str) -> str:
    return _said(language, f"Es fehlt: {parameter}.", f"Missing: {parameter}.")


def no_passages(language: str, query: str) -> str:
    return _said(
        language,
        f"Keine Textstelle passt zu »{query}«.",
        f"No passage fits “{query}”.",
    )


def no_relations(language: str, query: str) -> str:
    return _said(
        language,
        f"Der Wissensgraph führt von »{query}« zu keiner Textstelle.",
        f"The knowledge graph leads from “{query}” to no passage.",
    )


def no_entity(language: str, name: str) -> str:
    return _said(
        language,
        f"Der Wissensgraph kennt »{name}« nicht.",
        f"The knowledge graph does not know “{name}”.",
    )


def no_graph(language: str) -> str:
    return _said(
        language,
        "Zu diesen Dokumenten gibt es keinen Wissensgraphen. Nimm retrieve_vector.",
        "There is no knowledge graph of these documents. Use retrieve_vector.",
    )


def too_few(language: str) -> str:
    return _said(
        language,
        "Zum Vergleichen braucht es zwei Namen, mit Semikolon getrennt.",
        "Comparing needs two names, with a semicolon between them.",
    )


def unknown_tool(language: str, name: str, tools: Sequence[str]) -> str:
    names = ", ".join(tools)
    return _said(
        language,
        f"Ein Werkzeug »{name}« gibt es nicht. Es gibt: {names}.",
        f"There is no tool “{name}”. There are: {names}.",
    )


def too_slow(language: str, tool: str, seconds: float) -> str:
    return _said(
        language,
        f"{tool} hat in {seconds:g} s nichts gefunden.",
        f"{tool} found nothing within {seconds:g} s.",
    )


def failed(language: str, tool: str, reason: str) -> str:
    return _said(language, f"{tool} ging nicht: {reason}", f"{tool} failed: {reason}")


def nothing_new(language: str) -> str:
    return _said(
        language,
        "Diese Suche brachte nichts Neues.",
        "This search brought nothing new.",
    )


def nothing_gathered(language: str) -> str:
    return _said(
        language,
        "Es ist noch nichts gesammelt. Suche zuerst mit retrieve_vector.",
        "Nothing has been gathered yet. Search with retrieve_vector first.",
    )


def no_calls_left(language: str) -> str:
    return _said(
        language,
        "Dafür reichen die Modellaufrufe nicht mehr. Antworte mit final_answer.",
        "There are too few model calls left. Answer with final_answer.",
    )


def no_note(language: str) -> str:
    return _said(
        language,
        "Das Sprachmodell hat nichts zusammengefasst.",
        "The language model summarised nothing.",
    )


def note(language: str, text: str) -> str:
    return _said(language, f"Notiz: {text}", f"Note: {text}")


def holds(language: str, proof: str) -> str:
    return _said(language, f"Belegt: {proof}", f"Supported: {proof}")


def refuted(language: str, what: str) -> str:
    return _said(language, f"Widerspricht den Dokumenten: {what}", f"Contradicted: {what}")


def unsupported(language: str, what: str) -> str:
    return _said(language, f"Ohne Beleg: {what}", f"Not supported: {what}")


def person_said(language: str, text: str) -> str:
    """What a person answered; nothing where they want no more questions."""
    if not text:
        return _said(
            language,
            "Darauf gibt es keine Antwort. Nimm die wahrscheinlichste Bedeutung.",
            "There is no answer to that. Take the most likely meaning.",
        )
    return _said(language, f"Die Person sagt: {text}", f"The person says: {text}")


def what_is_meant(language: str) -> str:
    return _said(language, "Was genau ist gemeint?", "What exactly is meant?")


def no_more_questions(language: str) -> str:
    return _said(
        language,
        "Frag nicht noch einmal. Nimm die wahrscheinlichste Bedeutung.",
        "Do not ask again. Take the most likely meaning.",
    )


def dead_end(language: str, calls: Sequence[str], observations: Sequence[str]) -> str:
    """What failed, for the thought after it."""
    tried = "\n".join(f"{call}: {said}" for call, said in zip(calls, observations, strict=True))
    return _said(
        language,
        f"WICHTIG - DER VERSUCH DAVOR GING INS LEERE:\n{tried}\nVersuche etwas ANDERES.",
        f"IMPORTANT - THE ATTEMPT BEFORE LED NOWHERE:\n{tried}\nTry something DIFFERENT.",
    )
