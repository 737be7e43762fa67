"""Summaries of documents."""

from typing import Self

from services.domain.answers import CitedSentence
from services.domain.value import Value


class DocumentSummary(Value):
    """Sentences with their sources, and questions that the document answers.

    Both are empty if nothing could be proven. Of the document's ``sections`` the model read
    ``sections_read``. ``made_at`` is ISO 8601 in UTC.
    """

    sentences: tuple[CitedSentence, ...]
    questions: tuple[str, ...]
    sections_read: int
    sections: int
    model: str
    made_at: str = ""

    def of(self, document: str) -> Self:
        """Return the summary under this file name; another file may have the same text."""

        def renamed(sentence: CitedSentence) -> CitedSentence:
            cited = (c.model_copy(update={"document": document}) for c in sentence.citations)
            return sentence.model_copy(update={"citations": tuple(cited)})

        return self.model_copy(update={"sentences": tuple(map(renamed, self.sentences))})
