"""What models want to be told before a question or a passage, by the family in their name."""

from typing import NamedTuple


class Prefixes(NamedTuple):
    """``name`` stands in fingerprints: other prefixes make other vectors."""

    name: str
    query: str
    passage: str


NONE = Prefixes("none", "", "")
E5 = Prefixes("query:passage", "query: ", "passage: ")
_ASK = "Represent this sentence for searching relevant passages: "

_FAMILIES = {
    "e5": E5,
    "nomic-embed-text": Prefixes("nomic", "search_query: ", "search_document: "),
    "mxbai-embed-large": Prefixes("mxbai", _ASK, ""),
    "embeddinggemma": Prefixes("gemma", "task: search result | query: ", "title: none | text: "),
}
"""As the cards of these models state them."""


def prefixes_of(model: str) -> Prefixes:
    """The prefixes of the model's family, none for one that is not known here."""
    lower = model.lower()
    return next((each for family, each in _FAMILIES.items() if family in lower), NONE)
