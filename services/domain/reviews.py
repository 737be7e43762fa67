"""What a person decided about the sentences of an answer, and the answer that comes of it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from services.domain.answers import PROOF, CitedSentence
from services.domain.value import Value

Decision = Literal["accept", "quote", "edit", "remove", "open", "note"]
"""It may stay as it is, is replaced by the quote, gets other words, goes; or is open again. A note
may stand at any sentence and decides nothing."""


class SentenceReview(Value):
    """A decision about one sentence, by its place in the answer from 0.

    ``original`` is the sentence as it was, ``text`` what stands there now; "" where it is removed.
    ``at`` is ISO 8601 in UTC.
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
    """A sentence with what a person decided about it, and what somebody noted."""

    review: SentenceReview | None = None
    note: SentenceReview | None = None


class Review(Value):
    """What was decided about an answer, by sentence; ``doubtful`` are those that are no proof.

    ``signed`` is None until somebody signed, and again after any later decision.
    """

    doubtful: tuple[int, ...] = ()
    decisions: dict[int, SentenceReview] = Field(default_factory=dict)
    notes: dict[int, SentenceReview] = Field(default_factory=dict)
    signed: SignOff | None = None

    @property
    def open(self) -> tuple[int, ...]:
        """Doubtful sentences that nobody has decided about."""
        return tuple(n for n in self.doubtful if n not in self.decisions)

    def place_of(self, shown: int) -> int:
        """The place in the answer as it was written of a sentence that is shown at this one."""
        for n in sorted(self.decisions):
            shown += n <= shown and self.decisions[n].decision == "remove"
        return shown


def read_sentence(kept: Any) -> CitedSentence:
    """A sentence of an answer, reviewed or not."""
    reviewed = isinstance(kept, Mapping) and (kept.get("review") or kept.get("note"))
    return (ReviewedSentence if reviewed else CitedSentence).model_validate(kept)


def doubtful(sentences: Sequence[Any]) -> tuple[int, ...]:
    """Which sentences are no proof, by their place."""
    return tuple(
        n for n, each in enumerate(map(read_sentence, sentences)) if each.standing not in PROOF
    )


def place_in(answer: str, sentence: str, after: int) -> re.Match[str] | None:
    """Where a sentence stands in an answer, whatever its line breaks."""
    pattern = r"\s+".join(map(re.escape, sentence.split()))
    return re.compile(pattern).search(answer, after) if pattern else None


def reviewed(answer: Mapping[str, Any], review: Review) -> dict[str, Any]:
    """An answer with what was decided about it; the one given stays as it is.

    Nothing becomes proof by a decision: what is accepted or edited keeps its standing, and what
    is replaced by the quote is the document's own words.
    """
    text, behind, sentences = answer["answer"], 0, []
    for n, kept in enumerate(answer["sentences"]):
        sentence = read_sentence(kept)
        decided = review.decisions.get(n)
        here = place_in(text, sentence.text, behind)
        behind = here.end() if here else behind
        if decided is not None:
            if here:
                text = text[: here.start()] + decided.text + text[here.end() :]
                behind = here.start() + len(decided.text)
            sentence = _decided(sentence, decided)
        if note := review.notes.get(n):
            sentence = ReviewedSentence.model_validate({**dict(sentence), "note": note})
        if decided is None or decided.decision != "remove":
            sentences.append(sentence.model_dump(mode="json"))
    return {**answer, "answer": text, "sentences": sentences, "review": review}


def _decided(sentence: CitedSentence, decided: SentenceReview) -> ReviewedSentence:
    fields = {name: getattr(sentence, name) for name in CitedSentence.model_fields}
    if decided.decision == "quote":
        cited = next(each for each in sentence.citations if each.quote == decided.text)
        fields |= {"standing": "quote", "reason": "", "decisive": (), "citations": (cited,)}
    fields |= {"text": decided.text, "review": decided}
    return ReviewedSentence.model_validate(fields)
