"""Texts around the picture of an answer's neighbourhood."""

from app.texts.base import Text

TITLE = Text("Umgebung der Antwort", "Neighbourhood of the answer")
HOW_TO_READ = Text(
    "Links stehen die Abschnitte, die die Antwort belegen. Ein Pfeil führt von dem Abschnitt, der "
    "verweist, zu dem, auf den er verweist.",
    "On the left are the sections that prove the answer. An arrow leads from the section that "
    "refers to the one that it refers to.",
)
NOTHING = Text(
    "Die belegten Abschnitte verweisen auf keinen anderen in diesen Dokumenten, und keiner "
    "verweist auf sie.",
    "The cited sections refer to no other one in these documents, and none refers to them.",
)
