"""What tools of the agent say to it and to whoever watches: German, else English."""

from collections.abc import Sequence
from typing import Final

from agent.prompts import Worded

missing: Final = Worded(de="Es fehlt: {}.", en="Missing: {}.")
no_passages: Final = Worded(de="Keine Textstelle passt zu »{}«.", en="No passage fits “{}”.")
no_relations: Final = Worded(
    de="Der Wissensgraph führt von »{}« zu keiner Textstelle.",
    en="The knowledge graph leads from “{}” to no passage.",
)
no_entity: Final = Worded(
    de="Der Wissensgraph kennt »{}« nicht.", en="The knowledge graph does not know “{}”."
)
no_graph: Final = Worded(
    de="Zu diesen Dokumenten gibt es keinen Wissensgraphen. Nimm retrieve_vector.",
    en="There is no knowledge graph of these documents. Use retrieve_vector.",
)
too_few: Final = Worded(
    de="Zum Vergleichen braucht es zwei Namen, mit Semikolon getrennt.",
    en="Comparing needs two names, with a semicolon between them.",
)
unknown_tool: Final = Worded(
    de="Ein Werkzeug »{}« gibt es nicht. Es gibt: {}.", en="There is no tool “{}”. There are: {}."
)
too_slow: Final = Worded(
    de="{} hat in {:g} s nichts gefunden.", en="{} found nothing within {:g} s."
)
failed: Final = Worded(de="{} ging nicht: {}", en="{} failed: {}")
nothing_new: Final = Worded(
    de="Diese Suche brachte nichts Neues.", en="This search brought nothing new."
)
nothing_gathered: Final = Worded(
    de="Es ist noch nichts gesammelt. Suche zuerst mit retrieve_vector.",
    en="Nothing has been gathered yet. Search with retrieve_vector first.",
)
no_calls_left: Final = Worded(
    de="Dafür reichen die Modellaufrufe nicht mehr. Antworte mit final_answer.",
    en="There are too few model calls left. Answer with final_answer.",
)
no_note: Final = Worded(
    de="Das Sprachmodell hat nichts zusammengefasst.", en="The language model summarised nothing."
)
note: Final = Worded(de="Notiz: {}", en="Note: {}")
holds: Final = Worded(de="Belegt: {}", en="Supported: {}")
refuted: Final = Worded(de="Widerspricht den Dokumenten: {}", en="Contradicted: {}")
unsupported: Final = Worded(de="Ohne Beleg: {}", en="Not supported: {}")
what_is_meant: Final = Worded(de="Was genau ist gemeint?", en="What exactly is meant?")
no_more_questions: Final = Worded(
    de="Frag nicht noch einmal. Nimm die wahrscheinlichste Bedeutung.",
    en="Do not ask again. Take the most likely meaning.",
)
_answer: Final = Worded(de="Die Person sagt: {}", en="The person says: {}")
_no_answer: Final = Worded(
    de="Darauf gibt es keine Antwort. Nimm die wahrscheinlichste Bedeutung.",
    en="There is no answer to that. Take the most likely meaning.",
)
_dead_end: Final = Worded(
    de="WICHTIG - DER VERSUCH DAVOR GING INS LEERE:\n{}\nVersuche etwas ANDERES.",
    en="IMPORTANT - THE ATTEMPT BEFORE LED NOWHERE:\n{}\nTry something DIFFERENT.",
)


def person_said(language: str, text: str) -> str:
    """What a person answered; nothing where they want no more questions."""
    return _answer(language, text) if text else _no_answer(language)


def dead_end(language: str, calls: Sequence[str], observations: Sequence[str]) -> str:
    """What failed, for the thought after it."""
    tried = (f"{call}: {said}" for call, said in zip(calls, observations, strict=True))
    return _dead_end(language, "\n".join(tried))
