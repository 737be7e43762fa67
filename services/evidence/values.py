"""Evidence as it is judged: sentences of documents, and what became of a claim."""

from services.domain.answers import CaseSpan, Standing
from services.domain.value import Value


class EvidenceSentence(Value):
    """A sentence of a document that an answer may rest on.

    ``text`` stands at ``start``/``end`` of the document's text, ``case`` are the words elsewhere in
    the section that say for whom or when it holds. ``heading`` is the last of the headings that it
    stands under, ``context`` all of them and the passage that it is from.
    """

    document_id: str
    document: str
    section: str
    page: int | None
    start: int
    end: int
    text: str
    context: str
    heading: str = ""
    case: CaseSpan | None = None

    @property
    def whole(self) -> str:
        """The quote with its case."""
        return f"{self.case.text} {self.text}" if self.case else self.text

    @property
    def premise(self) -> str:
        """What is read beside a claim: heading, case and quote."""
        return f"{self.heading}. {self.whole}" if self.heading else self.whole


class Judged(Value):
    """What a claim is worth beside the evidence.

    ``evidence`` is what it rests on, or, where it does not, what comes closest. ``reason`` is a
    code, ``words`` the words that decided it: of the claim, and of the evidence.
    """

    standing: Standing
    evidence: tuple[EvidenceSentence, ...] = ()
    reason: str = ""
    words: tuple[str, ...] = ()
    says: float = 0.0
