"""Texts around the picture of an answer's neighbourhood."""

from app.texts.base import Text

TITLE = Text("Umgebung der Antwort", "Neighbourhood of the answer")
HOW_TO_READ = Text(
    "Links stehen die Abschnitte, die die Antwort belegen. Pfeile führen zu den Abschnitten, auf "
    "die sie verweisen.",
    "On the left are the sections that prove the answer. Arrows lead to the sections that they "
    "refer to.",
)
