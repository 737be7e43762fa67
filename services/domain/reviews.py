"""A person's decisions about the sentences of an answer, and the answer after them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from services.domain.answers import PROOF, CitedSentence
from services.domain.value import Value

Decision = Literal["accept", "quote", "edit", "remove", "open", "note"]
"""The sentence stays, is replaced by the quote, is edited or removed; or is open again. A note
decides nothing."""


class SentenceReview(Value):
    """A decision about one sentence, by its index in the answer.

    ``original`` is the sentence before, ``text`` the one after; "" where it is removed. ``at`` is
    ISO 8601 in UTC.
    """

    sentence: int
    decision: Decision
    original: str
    text: str
    user: str
    at: str


class SignOff(Value):
    """Who took responsibility for the answer as reviewed, and when."""

    user: str
    at: str


class ReviewedSentence(CitedSentence):
    """A sentence with a person's decision about it, and a note."""

    review: SentenceReview | None = None
    note: SentenceReview | None = None


class Review(Value):
    """Decisions about an answer, by the index of the sentence; ``doubtful`` are unproven ones.

    ``signed`` is None until somebody signs, and again after any later decision.
    """

    doubtful: tuple[int, ...] = ()
    decisions: dict[int, SentenceReview] = Field(default_factory=dict)
    notes: dict[int, SentenceReview] = Field(default_factory=dict)
    signed: SignOff | None = None

    @property
    def open(self) -> tuple[int, ...]:
        """Return the doubtful sentences without a decision."""
        return tuple(n for n in self.doubtful if n not in self.decisions)

    @property
    def listed(self) -> tuple[int, ...]:
        """Return the sentences that are doubtful or decided, in their order."""
        return tuple(sorted({*self.doubtful, *self.decisions}))

    def original_index(self, index: int) -> int:
        """Return the index in the original answer of a sentence of the reviewed one."""
        for n in sorted(self.decisions):
            index += n <= index and self.decisions[n].decision == "remove"
        return index


def parse_sentence(stored: Any) -> CitedSentence:
    """Parse a stored sentence of an answer, reviewed or not."""
    reviewed = isinstance(stored, Mapping) and (stored.get("review") or stored.get("note"))
    return (ReviewedSentence if reviewed else CitedSentence).model_validate(stored)


def unproven_indexes(sentences: Sequence[Any]) -> tuple[int, ...]:
    """Return the indexes of the sentences that are no proof."""
    standings = (parse_sentence(stored).standing for stored in sentences)
    return tuple(n for n, standing in enumerate(standings) if standing not in PROOF)


def find_sentence(answer: str, sentence: str, after: int) -> re.Match[str] | None:
    """Find a sentence in an answer, whatever its line breaks."""
    pattern = r"\s+".join(map(re.escape, sentence.split()))
    return re.compile(pattern).search(answer, after) if pattern else None


def apply_review(answer: Mapping[str, Any], review: Review) -> dict[str, Any]:
    """Return a copy of an answer with the decisions about it.

    No decision makes a sentence proof: an accepted one keeps its standing, an edited one loses its
    proof, and one that is replaced by the quote has the document's own words.
    """
    text, position, sentences = answer["answer"], 0, []
    for n, stored in enumerate(answer["sentences"]):
        sentence = parse_sentence(stored)
        decision = review.decisions.get(n)
        match = find_sentence(text, sentence.text, position)
        position = match.end() if match else position
        if decision is not None:
            if match:
                text = text[: match.start()] + decision.text + text[match.end() :]
                position = match.start() + len(decision.text)
            sentence = _with_decision(sentence, decision)
        if note := review.notes.get(n):
            sentence = ReviewedSentence.model_validate({**dict(sentence), "note": note})
        if decision is None or decision.decision != "remove":
            sentences.append(sentence.model_dump(mode="json"))
    return {**answer, "answer": text, "sentences": sentences, "review": review}


def _with_decision(sentence: CitedSentence, decision: SentenceReview) -> ReviewedSentence:
    fields = {name: getattr(sentence, name) for name in CitedSentence.model_fields}
    if decision.decision == "quote":
        citation = next(c for c in sentence.citations if c.quote == decision.text)
        fields |= {"standing": "quote", "reason": "", "decisive": (), "citations": (citation,)}
    if decision.decision == "edit" and sentence.standing in PROOF:
        fields |= {"standing": "loose", "reason": "", "decisive": ()}
    fields |= {"text": decision.text, "review": decision}
    return ReviewedSentence.model_validate(fields)
